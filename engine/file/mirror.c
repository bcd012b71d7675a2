/* mirror.c - see mirror.h. */
#include "engine/file/mirror.h"

#include "engine/base/memory.h"
#include "engine/base/watch.h"

#include <string.h>

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

/* The facts that are made, and those that they are made of. `kept` counts originals that are not mirrors. */
typedef struct fact_run {
    mcd_arc_facts *out;
    const mcd_arc_facts *from;
    const mcd_opposites *opposites;
    const uint8_t *is_mirror;
    size_t kept_count;
    uint32_t *mirrored; /* [original_count] the opposite of a mirror, else MCD_ROAD_NONE */
} fact_run;

static const void *array_of(const mcd_arc_facts *facts, size_t slot)
{
    const void *array;
    memcpy(&array, (const char *)facts + slot, sizeof array);
    return array;
}

static macadam_status find_mirrored(fact_run *run, macadam_error *error)
{
    const mcd_opposites *const opposites = run->opposites;
    MCD_TRY(MCD_NEW(run->mirrored, opposites->original_count, error));
    for (size_t o = 0, i = 0; o < opposites->original_count; ++o) {
        const uint32_t opposite = opposites->opposite[o];
        run->mirrored[o] = opposite != MCD_ROAD_NONE && run->is_mirror[i++] ? opposite : MCD_ROAD_NONE;
        run->kept_count += run->mirrored[o] == MCD_ROAD_NONE;
    }
    return MACADAM_OK;
}

/* Makes the arrays of `count` originals that have `point_count` shape points, but for first_point. */
static macadam_status new_arrays(const fact_run *run, size_t count, macadam_error *error)
{
    const size_t counts[] = {count, run->opposites->original_count,
                             run->out->first_point ? run->out->first_point[count] : 0};
    for (size_t c = 0; c < COLUMNS; ++c) {
        if (column[c].per == PER_OFFSET || !array_of(run->from, column[c].slot)) continue;
        void *const array = mcd_allocate(counts[column[c].per], column[c].size);
        if (!array) return mcd_fail_memory(error, counts[column[c].per] * column[c].size, "facts of roads");
        memcpy((char *)run->out + column[c].slot, &array, sizeof array);
    }
    return MACADAM_OK;
}

static void copy_columns(const fact_run *run, size_t to, const mcd_arc_facts *from, size_t at)
{
    for (size_t c = 0; column[c].per == PER_OWN; ++c) { /* they come first */
        const char *const source = array_of(from, column[c].slot);
        char *const target = (char *)array_of(run->out, column[c].slot);
        if (target) memcpy(target + to * column[c].size, source + at * column[c].size, column[c].size);
    }
}

/* Appends `count` points from `first` on at out's point `to`; backward: the last one first. */
static void copy_points(const fact_run *run, uint64_t to, const mcd_arc_facts *from, uint64_t first,
                        uint64_t count, bool backward)
{
    mcd_arc_facts *const out = run->out;
    for (uint64_t i = 0; i < count; ++i, ++to) {
        const uint64_t at = backward ? first + count - 1 - i : first + i;
        ((int32_t *)out->shape_lon_e7)[to] = from->shape_lon_e7[at];
        ((int32_t *)out->shape_lat_e7)[to] = from->shape_lat_e7[at];
        if (out->shape_height_dm) ((int32_t *)out->shape_height_dm)[to] = from->shape_height_dm[at];
        if (out->shape_id) ((int64_t *)out->shape_id)[to] = from->shape_id[at];
    }
}

static void pack_kinds(const fact_run *run)
{
    const uint32_t *const kind = run->from->kind_of;
    uint32_t *const out = (uint32_t *)run->out->kind_of;
    size_t kept = 0, mirrors = run->kept_count;
    for (size_t o = 0; out && o < run->opposites->original_count; ++o)
        if (run->mirrored[o] == MCD_ROAD_NONE)
            out[kept++] = kind[o];
        else
            out[mirrors++] = mcd_fold(kind[o] - kind[run->mirrored[o]]);
}

/* Makes the offsets of the shapes that are kept. */
static macadam_status pack_offsets(const fact_run *run, macadam_error *error)
{
    uint64_t *first;
    if (!run->from->first_point) return MACADAM_OK;
    MCD_TRY(MCD_NEW(first, run->kept_count + 1, error));
    run->out->first_point = first;
    *first = 0;
    for (size_t o = 0; o < run->opposites->original_count; ++o)
        if (run->mirrored[o] == MCD_ROAD_NONE) first[1] = first[0] + count_points(run->from, o), ++first;
    return MACADAM_OK;
}

static macadam_status pack_facts(fact_run *run, macadam_error *error)
{
    const size_t originals = run->opposites->original_count;
    MCD_TRY(find_mirrored(run, error));
    MCD_TRY(pack_offsets(run, error));
    MCD_TRY(new_arrays(run, run->kept_count, error));
    for (size_t o = 0, kept = 0; o < originals; ++o) {
        MCD_TRY(mcd_watch_item(NULL, o, originals, error));
        if (run->mirrored[o] != MCD_ROAD_NONE) continue;
        copy_columns(run, kept, run->from, o);
        if (run->out->first_point)
            copy_points(run, run->out->first_point[kept], run->from, run->from->first_point[o],
                        count_points(run->from, o), false);
        ++kept;
    }
    pack_kinds(run);
    return MACADAM_OK;
}

/* Frees what a failed run made, or puts what it made in the place of the old facts. */
static macadam_status end_run(fact_run *run, mcd_arc_facts *facts, macadam_status status)
{
    mcd_free(run->mirrored);
    if (status) {
        mcd_own_facts_free(run->out);
        return status;
    }
    for (size_t c = 0; c < COLUMNS; ++c)
        memcpy((char *)facts + column[c].slot, (const char *)run->out + column[c].slot, sizeof(void *));
    return MACADAM_OK;
}

macadam_status mcd_facts_pack(mcd_arc_facts *own, mcd_arc_facts *facts, const mcd_opposites *opposites,
                              const uint8_t *is_mirror, macadam_error *error)
{
    fact_run run = {.out = own, .from = facts, .opposites = opposites, .is_mirror = is_mirror};
    *own = (mcd_arc_facts){0};
    return end_run(&run, facts, pack_facts(&run, error));
}

static void unpack_kinds(const fact_run *run)
{
    uint32_t *const out = (uint32_t *)run->out->kind_of;
    size_t kept = 0, mirrors = run->kept_count;
    for (size_t o = 0; out && o < run->opposites->original_count; ++o)
        out[o] = run->mirrored[o] == MCD_ROAD_NONE
                     ? run->from->kind_of[kept++]
                     : mcd_unfold(run->from->kind_of[mirrors++]) + out[run->mirrored[o]];
}

static void unpack_mirror(const fact_run *run, size_t o)
{
    mcd_arc_facts *const out = run->out;
    copy_columns(run, o, out, run->mirrored[o]);
    ((uint8_t *)out->against)[o] = !out->against[o];
    ((uint64_t *)out->number)[o] = mirrored_number(out->number[o], out->against[o]);
}

/* Makes the offsets of all shapes. */
static macadam_status unpack_offsets(const fact_run *run, macadam_error *error)
{
    const size_t originals = run->opposites->original_count;
    uint64_t *first;
    if (!run->from->first_point) return MACADAM_OK;
    MCD_TRY(MCD_NEW(first, originals + 1, error));
    run->out->first_point = first;
    first[0] = 0;
    for (size_t o = 0, kept = 0; o < originals; ++o)
        first[o + 1] =
            first[o] + (run->mirrored[o] == MCD_ROAD_NONE ? count_points(run->from, kept++)
                                                          : count_points(run->out, run->mirrored[o]));
    return MACADAM_OK;
}

/* `kept` is where an original has its facts, if it is not a mirror. */
static void unpack_shape(const fact_run *run, size_t o, size_t kept)
{
    const bool is_own = run->mirrored[o] == MCD_ROAD_NONE;
    const mcd_arc_facts *const from = is_own ? run->from : run->out;
    copy_points(run, run->out->first_point[o], from, from->first_point[is_own ? kept : run->mirrored[o]],
                count_points(run->out, o), !is_own);
}

static macadam_status unpack_facts(fact_run *run, macadam_error *error)
{
    const size_t originals = run->opposites->original_count;
    MCD_TRY(find_mirrored(run, error));
    MCD_TRY(unpack_offsets(run, error));
    MCD_TRY(new_arrays(run, originals, error));
    for (size_t o = 0, kept = 0; o < originals; ++o) {
        const bool is_own = run->mirrored[o] == MCD_ROAD_NONE;
        MCD_TRY(mcd_watch_item(NULL, o, originals, error));
        if (is_own)
            copy_columns(run, o, run->from, kept);
        else
            unpack_mirror(run, o);
        if (run->out->first_point) unpack_shape(run, o, kept);
        kept += is_own;
    }
    unpack_kinds(run);
    return MACADAM_OK;
}

macadam_status mcd_facts_unpack(mcd_arc_facts *own, mcd_arc_facts *facts, const mcd_opposites *opposites,
                                const uint8_t *is_mirror, macadam_error *error)
{
    fact_run run = {.out = own, .from = facts, .opposites = opposites, .is_mirror = is_mirror};
    *own = (mcd_arc_facts){0};
    return end_run(&run, facts, unpack_facts(&run, error));
}

void mcd_own_facts_free(mcd_arc_facts *facts)
{
    for (size_t c = 0; c < COLUMNS; ++c) mcd_free((void *)array_of(facts, column[c].slot));
    *facts = (mcd_arc_facts){0};
}
