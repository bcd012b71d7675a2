/* opposite.c - see opposite.h. */
#include "engine/file/opposite.h"

#include "engine/base/watch.h"

enum {
    PLACES_PER_TASK = 1 << 13,
    LEAVING_MAX = 32 /* originals of a junction whose opposites are looked for */
};

/* ---- opposites ---- */

typedef struct pairing {
    const mcd_opposites *out;
    size_t place_count;
    uint32_t *first;      /* [place_count + 1] the originals that leave each departing node, in their order */
    uint32_t *rank;       /* [place_count] which departing node a place has */
    uint32_t *head_place; /* [original_count] */
} pairing;

MCD_DEFINE_STATIC_FREE(free_pairing, pairing, it->first, it->rank, it->head_place)

/* Returns the k-th original from `first` on that leads to a place; MCD_ROAD_NONE: there are fewer. */
static uint32_t find_leading_to(const pairing *run, uint32_t first, uint32_t end, uint32_t place, size_t k)
{
    for (uint32_t o = first; o < end; ++o)
        if (run->head_place[o] == place && k-- == 0) return o;
    return MCD_ROAD_NONE;
}

static void pair_place(const pairing *run, uint32_t place)
{
    const uint32_t first = run->first[run->rank[place]], end = run->first[run->rank[place] + 1];
    for (uint32_t o = first; o < end; ++o) {
        const uint32_t other = run->head_place[o], back = run->first[run->rank[other]],
                       back_end = run->first[run->rank[other] + 1];
        run->out->opposite[o] = MCD_ROAD_NONE;
        if (back >= first || end - first > LEAVING_MAX || back_end - back > LEAVING_MAX) continue;
        size_t k = 0;
        for (uint32_t before = first; before < o; ++before) k += run->head_place[before] == other;
        run->out->opposite[o] = find_leading_to(run, back, back_end, place, k);
    }
}

static void pair_places(void *argument, size_t first, size_t end)
{
    for (size_t place = first; place < end; ++place) pair_place(argument, (uint32_t)place);
}

macadam_status mcd_opposites_new(mcd_opposites *out, const mcd_graph *graph, const mcd_place_index *places,
                                 const uint32_t *original, size_t original_count,
                                 const mcd_parallel *parallel, macadam_error *error)
{
    MCD_FREED_BY(mcd_opposites_free) mcd_opposites made = {.original_count = original_count};
    MCD_FREED_BY(free_pairing) pairing run = {.out = &made, .place_count = places->id_count};
    *out = (mcd_opposites){0};
    MCD_TRY(MCD_NEW_ZEROED(made.arc, original_count + 1, error));
    MCD_TRY(MCD_NEW(made.opposite, original_count, error));
    MCD_TRY(MCD_NEW(run.first, run.place_count + 1, error));
    MCD_TRY(MCD_NEW(run.rank, run.place_count, error));
    MCD_TRY(MCD_NEW(run.head_place, original_count, error));
    /* The originals in the order of departing nodes. */
    uint32_t count = 0, departures = 0;
    for (mcd_node v = 0; v < graph->node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, graph->node_count, error));
        const uint32_t place = places->node_place[v];
        if (places->depart[place] != v) continue;
        run.rank[place] = departures;
        run.first[departures++] = count;
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc) {
            if (original && original[arc] == MCD_ROAD_NONE) continue;
            run.out->arc[count] = (uint32_t)arc;
            run.head_place[count++] = places->node_place[graph->head[arc]];
        }
    }
    run.first[departures] = count;
    MCD_TRY(mcd_watch_for_ranges(parallel, run.place_count, PLACES_PER_TASK, pair_places, &run, error));
    for (size_t o = 0; o < original_count; ++o) made.count += made.opposite[o] != MCD_ROAD_NONE;
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_opposites_free, mcd_opposites, it->arc, it->opposite)

/* ---- weights ---- */

/* The three parts of packed weights: `alone`, of originals without an opposite; `paired`, of those with one; `copies`, of
 * all other arcs. Each is a pass. The opposite of an original has none itself, so weights of originals without one come first,
 * then those of the others, then those of copies. Races: none: a task writes only what is its own, and reads only weights of
 * earlier passes. */
typedef struct convert_run {
    mcd_weight *weight, *packed;
    bool packs; /* otherwise it unpacks */
    const uint32_t *original;
    const mcd_opposites *opposites;
    uint32_t *paired; /* [parts] how many of the originals before a part have an opposite */
} convert_run;

enum { CONVERT_PART = 1 << 13 }; /* originals, or arcs */

static void convert_alone(void *argument, size_t first, size_t end)
{
    const convert_run *const run = argument;
    const mcd_opposites *const opposites = run->opposites;
    mcd_weight *stored = run->packed + first - run->paired[first / CONVERT_PART];
    for (size_t o = first; o < end; ++o) {
        const bool is_alone = opposites->opposite[o] == MCD_ROAD_NONE;
        mcd_weight *const weight = &run->weight[opposites->arc[o]];
        if (!run->packs)
            *weight = *stored; /* of a paired original: replaced later */
        else if (is_alone)
            *stored = *weight;
        stored += is_alone;
    }
}

/* Converts a weight that is stored less `base`. */
static inline void convert_less(bool packs, mcd_weight *weight, mcd_weight *stored, mcd_weight base)
{
    if (packs)
        *stored = mcd_fold(*weight - base);
    else
        *weight = mcd_unfold(*stored) + base;
}

static void convert_paired(void *argument, size_t first, size_t end)
{
    const convert_run *const run = argument;
    const mcd_opposites *const opposites = run->opposites;
    mcd_weight *stored =
        run->packed + opposites->original_count - opposites->count + run->paired[first / CONVERT_PART];
    for (size_t o = first; o < end; ++o)
        if (opposites->opposite[o] != MCD_ROAD_NONE)
            convert_less(run->packs, &run->weight[opposites->arc[o]], stored++,
                         run->weight[opposites->arc[opposites->opposite[o]]]);
}

static void convert_copies(void *argument, size_t first, size_t end)
{
    static const mcd_weight nothing = 0;
    const convert_run *const run = argument;
    const mcd_opposites *const opposites = run->opposites;
    const uint32_t originals = (uint32_t)opposites->original_count;
    size_t next = mcd_lower_bound_u32(opposites->arc, 0, originals, (uint32_t)first);
    mcd_weight *stored = run->packed + originals + first - next;
    for (size_t arc = first; arc < end; ++arc, ++next) {
        const size_t own = next < originals ? mcd_size_min(opposites->arc[next], end) : end;
        for (; arc < own; ++arc) {
            const bool is_arrival = run->original[arc] == MCD_ROAD_NONE;
            const uint32_t of = opposites->arc[is_arrival ? originals : run->original[arc]];
            const mcd_weight *const base = is_arrival ? &nothing : &run->weight[of];
            convert_less(run->packs, &run->weight[arc], stored++, *base);
        }
    }
}

macadam_status mcd_weights_convert(mcd_weight *weight, mcd_weight *packed, bool packs, size_t arc_count,
                                   const uint32_t *original, const mcd_opposites *opposites,
                                   const mcd_parallel *parallel, macadam_error *error)
{
    const size_t count = opposites->original_count;
    MCD_OWNED uint32_t *paired = NULL;
    MCD_TRY(MCD_NEW(paired, count / CONVERT_PART + 1, error));
    /* The number of originals that have an opposite before each part. */
    uint32_t paired_count = 0;
    for (size_t o = 0; o < opposites->original_count; ++o) {
        if (o % CONVERT_PART == 0) paired[o / CONVERT_PART] = paired_count;
        paired_count += opposites->opposite[o] != MCD_ROAD_NONE;
    }
    convert_run run = {weight, packed, packs, original, opposites, paired};
    MCD_TRY(mcd_watch_for_ranges(parallel, count, CONVERT_PART, convert_alone, &run, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, count, CONVERT_PART, convert_paired, &run, error));
    if (!original) return MACADAM_OK;
    return mcd_watch_for_ranges(parallel, arc_count, CONVERT_PART, convert_copies, &run, error);
}
