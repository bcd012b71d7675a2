/* mirror.c - see mirror.h. */
#include "engine/file/mirror.h"

#include "engine/base/watch.h"

/* ---- mirrors ---- */

static uint64_t count_points(const mcd_arc_facts *facts, size_t original)
{
    return facts->first_point[original + 1] - facts->first_point[original];
}

static bool is_shape_mirrored(const mcd_arc_facts *facts, uint32_t a, uint32_t b)
{
    if (!facts->first_point) return true;
    if (count_points(facts, a) != count_points(facts, b)) return false;
    for (uint64_t i = facts->first_point[a], j = facts->first_point[b + 1]; i < facts->first_point[a + 1];
         ++i) {
        --j;
        if (facts->shape_lon_e7[i] != facts->shape_lon_e7[j] ||
            facts->shape_lat_e7[i] != facts->shape_lat_e7[j] ||
            (facts->shape_height_dm && facts->shape_height_dm[i] != facts->shape_height_dm[j]) ||
            (facts->shape_id && facts->shape_id[i] != facts->shape_id[j]))
            return false;
    }
    return true;
}

/* The number of a mirror: of two directions of a road, the one along its way comes right before the other. */
static uint64_t mirrored_number(uint64_t number, bool against)
{
    return against ? number + 1 : number - 1;
}

static bool is_mirrored(const mcd_arc_facts *facts, uint32_t a, uint32_t b)
{
    return facts->way[a] == facts->way[b] && facts->against[a] + facts->against[b] == 1 &&
           facts->number[a] == mirrored_number(facts->number[b], facts->against[a]) &&
           is_shape_mirrored(facts, a, b);
}

macadam_status mcd_mirrors_find(uint8_t **is_mirror, size_t *mirror_count, const mcd_arc_facts *facts,
                                const mcd_opposites *opposites, macadam_error *error)
{
    *is_mirror = NULL;
    *mirror_count = 0;
    if (!facts->way || !facts->against) return MACADAM_OK;
    MCD_TRY(MCD_NEW(*is_mirror, opposites->count, error));
    for (size_t o = 0, i = 0; o < opposites->original_count; ++o) {
        const uint32_t opposite = opposites->opposite[o];
        if (opposite == MCD_ROAD_NONE) continue;
        (*is_mirror)[i] = is_mirrored(facts, (uint32_t)o, opposite);
        *mirror_count += (*is_mirror)[i++];
    }
    return MACADAM_OK;
}

/* ---- facts ---- */

/* The things of which an array of facts has one element each: originals that are not mirrors, all originals, shape points,
 * or offsets of shapes. */
typedef enum fact_per { PER_OWN, PER_ORIGINAL, PER_POINT, PER_OFFSET } fact_per;

static const struct {
    size_t slot, size;
    fact_per per;
} column[] = {
    {offsetof(mcd_arc_facts, number), sizeof(uint64_t), PER_OWN},
    {offsetof(mcd_arc_facts, way), sizeof(int64_t), PER_OWN},
    {offsetof(mcd_arc_facts, against), sizeof(uint8_t), PER_OWN},
    {offsetof(mcd_arc_facts, kind_of), sizeof(uint32_t), PER_ORIGINAL},
    {offsetof(mcd_arc_facts, shape_lon_e7), sizeof(int32_t), PER_POINT},
    {offsetof(mcd_arc_facts, shape_lat_e7), sizeof(int32_t), PER_POINT},
    {offsetof(mcd_arc_facts, shape_height_dm), sizeof(int32_t), PER_POINT},
    {offsetof(mcd_arc_facts, shape_id), sizeof(int64_t), PER_POINT},
    {offsetof(mcd_arc_facts, first_point), sizeof(uint64_t), PER_OFFSET},
};
enum { COLUMNS = sizeof column / sizeof column[0] };

/* The facts that are made, and those that they are made of. */
typedef struct fact_run {
    mcd_arc_facts made;
    const mcd_arc_facts *from;
    const mcd_opposites *opposites;
    bool packs;         /* mirrors are left out; otherwise they are made again */
    size_t kept_count;  /* of the originals that are not mirrors */
    uint32_t *mirrored; /* [original_count] the opposite of a mirror, else MCD_ROAD_NONE */
} fact_run;

static const void *array_of(const mcd_arc_facts *facts, size_t slot)
{
    const void *array;
    memcpy(&array, (const char *)facts + slot, sizeof array);
    return array;
}

/* Makes the offsets of the shapes. */
static macadam_status make_offsets(fact_run *run, size_t count, macadam_error *error)
{
    uint64_t *first;
    if (!run->from->first_point) return MACADAM_OK;
    MCD_TRY(MCD_NEW(first, count + 1, error));
    run->made.first_point = first;
    *first = 0;
    for (size_t o = 0, kept = 0; o < run->opposites->original_count; ++o) {
        const uint32_t mirrored = run->mirrored[o];
        if (run->packs && mirrored != MCD_ROAD_NONE) continue;
        first[1] = first[0] + (mirrored != MCD_ROAD_NONE ? count_points(&run->made, mirrored)
                                                         : count_points(run->from, run->packs ? o : kept++));
        ++first;
    }
    return MACADAM_OK;
}

/* Makes the arrays of `count` originals, but for first_point. */
static macadam_status new_arrays(fact_run *run, size_t count, macadam_error *error)
{
    const uint64_t *const first = run->made.first_point;
    const size_t counts[] = {count, run->opposites->original_count, first ? first[count] : 0};
    for (size_t c = 0; c < COLUMNS; ++c) {
        if (column[c].per == PER_OFFSET || !array_of(run->from, column[c].slot)) continue;
        void *const array = mcd_allocate(counts[column[c].per], column[c].size);
        if (!array) return mcd_fail_memory(error, counts[column[c].per] * column[c].size);
        memcpy((char *)&run->made + column[c].slot, &array, sizeof array);
    }
    return MACADAM_OK;
}

/* Copies the points of an original; backward: the last one first. */
static void copy_points(const mcd_arc_facts *made, size_t to_original, const mcd_arc_facts *from,
                        size_t from_original, bool backward)
{
    const uint64_t first = from->first_point[from_original], count = count_points(made, to_original);
    uint64_t to = made->first_point[to_original];
    for (uint64_t i = 0; i < count; ++i, ++to) {
        const uint64_t at = backward ? first + count - 1 - i : first + i;
        ((int32_t *)made->shape_lon_e7)[to] = from->shape_lon_e7[at];
        ((int32_t *)made->shape_lat_e7)[to] = from->shape_lat_e7[at];
        if (made->shape_height_dm) ((int32_t *)made->shape_height_dm)[to] = from->shape_height_dm[at];
        if (made->shape_id) ((int64_t *)made->shape_id)[to] = from->shape_id[at];
    }
}

/* Copies the facts of an original, but for its kind. */
static void copy_original(const fact_run *run, size_t to, const mcd_arc_facts *from, size_t at, bool backward)
{
    for (size_t c = 0; column[c].per == PER_OWN; ++c) { /* they come first */
        const char *const source = array_of(from, column[c].slot);
        char *const target = (char *)array_of(&run->made, column[c].slot);
        if (target) memcpy(target + to * column[c].size, source + at * column[c].size, column[c].size);
    }
    if (run->made.first_point) copy_points(&run->made, to, from, at, backward);
}

/* Copies the kinds of roads: packed, those of mirrors come last, less those of their opposites. */
static void convert_kinds(const fact_run *run)
{
    const uint32_t *const from = run->from->kind_of;
    uint32_t *const to = (uint32_t *)run->made.kind_of;
    size_t kept = 0, mirrors = run->kept_count;
    for (size_t o = 0; to && o < run->opposites->original_count; ++o) {
        const uint32_t mirrored = run->mirrored[o];
        const size_t at = mirrored == MCD_ROAD_NONE ? kept++ : mirrors++;
        if (run->packs)
            to[at] = mirrored == MCD_ROAD_NONE ? from[o] : mcd_fold(from[o] - from[mirrored]);
        else
            to[o] = mirrored == MCD_ROAD_NONE ? from[at] : mcd_unfold(from[at]) + to[mirrored];
    }
}

static macadam_status convert(fact_run *run, macadam_error *error)
{
    const size_t originals = run->opposites->original_count, count = run->packs ? run->kept_count : originals;
    MCD_TRY(make_offsets(run, count, error));
    MCD_TRY(new_arrays(run, count, error));
    for (size_t o = 0, kept = 0; o < originals; ++o) {
        MCD_TRY(mcd_watch_item(NULL, o, originals, error));
        if (run->mirrored[o] == MCD_ROAD_NONE) {
            copy_original(run, run->packs ? kept : o, run->from, run->packs ? o : kept, false);
            ++kept;
        } else if (!run->packs) {
            copy_original(run, o, &run->made, run->mirrored[o], true);
            ((uint8_t *)run->made.against)[o] = !run->made.against[o];
            ((uint64_t *)run->made.number)[o] = mirrored_number(run->made.number[o], run->made.against[o]);
        }
    }
    convert_kinds(run);
    return MACADAM_OK;
}

static void free_run(fact_run *run)
{
    mcd_free(run->mirrored);
    mcd_own_facts_free(&run->made);
}

macadam_status mcd_facts_convert(mcd_arc_facts *own, mcd_arc_facts *facts, const mcd_opposites *opposites,
                                 const uint8_t *is_mirror, bool packs, macadam_error *error)
{
    MCD_FREED_BY(free_run) fact_run run = {.from = facts, .opposites = opposites, .packs = packs};
    *own = (mcd_arc_facts){0};
    MCD_TRY(MCD_NEW(run.mirrored, opposites->original_count, error));
    for (size_t o = 0, i = 0; o < opposites->original_count; ++o) {
        const uint32_t opposite = opposites->opposite[o];
        run.mirrored[o] = opposite != MCD_ROAD_NONE && is_mirror[i++] ? opposite : MCD_ROAD_NONE;
        run.kept_count += run.mirrored[o] == MCD_ROAD_NONE;
    }
    MCD_TRY(convert(&run, error));
    for (size_t c = 0; c < COLUMNS; ++c)
        memcpy((char *)facts + column[c].slot, (const char *)&run.made + column[c].slot, sizeof(void *));
    return MCD_MOVE(*own, run.made);
}

void mcd_own_facts_free(mcd_arc_facts *facts)
{
    for (size_t c = 0; c < COLUMNS; ++c) mcd_free((void *)array_of(facts, column[c].slot));
    *facts = (mcd_arc_facts){0};
}
