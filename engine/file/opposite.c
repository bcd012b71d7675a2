/* opposite.c - see opposite.h. */
#include "engine/file/opposite.h"

#include "engine/base/watch.h"

enum {
    NODES_PER_TASK = 1 << 13,
    LEAVING_MAX = 32 /* originals of a junction whose opposites are looked for */
};

/* ---- opposites ---- */

typedef struct pairing {
    mcd_opposites *out;
    const mcd_graph *graph;
    const mcd_place_index *places;
    const uint32_t *original;
    const mcd_watch *watch;
    /* If junctions are split; else nodes and arcs are those of the graph. */
    uint32_t *
        first; /* [node_count + 1] the originals that leave each node, none if it does not depart; in their order */
    mcd_node *to; /* [original_count] the departing node of the place to which it leads */
} pairing;

MCD_DEFINE_STATIC_FREE(free_pairing, pairing, it->first, it->to)

static uint32_t first_of(const pairing *run, mcd_node node)
{
    return run->first ? run->first[node] : (uint32_t)run->graph->first_out[node];
}

/* Returns the k-th original from `first` on that leads to a node; MCD_ROAD_NONE: there are fewer. */
static uint32_t find_leading_to(const mcd_node *to, uint32_t first, uint32_t end, mcd_node node, size_t k)
{
    for (uint32_t o = first; o < end; ++o)
        if (to[o] == node && k-- == 0) return o;
    return MCD_ROAD_NONE;
}

static void pair_node(const pairing *run, const mcd_node *to, mcd_node node)
{
    const uint32_t first = first_of(run, node), end = first_of(run, node + 1);
    uint32_t *const opposite = run->out->opposite;
    for (uint32_t o = first; o < end; ++o) {
        const mcd_node other = to[o];
        opposite[o] = MCD_ROAD_NONE;
        if (other >= node || end - first > LEAVING_MAX) continue;
        const uint32_t back = first_of(run, other), back_end = first_of(run, other + 1);
        if (back_end - back > LEAVING_MAX) continue;
        size_t k = 0;
        for (uint32_t before = first; before < o; ++before) k += to[before] == other;
        opposite[o] = find_leading_to(to, back, back_end, node, k);
    }
}

static void pair_nodes(void *argument, size_t first, size_t end)
{
    const pairing *const run = argument;
    for (size_t node = first; node < end; ++node)
        pair_node(run, run->to ? run->to : run->graph->head, (mcd_node)node);
}

/* Returns the first original that leaves the node or one after it; if there is none, how many there are. */
static uint32_t next_original(const pairing *run, size_t node)
{
    for (; node < run->graph->node_count; ++node)
        for (mcd_arc arc = run->graph->first_out[node]; arc < run->graph->first_out[node + 1]; ++arc)
            if (run->original[arc] != MCD_ROAD_NONE &&
                run->places->depart[run->places->node_place[node]] == node)
                return run->original[arc];
    return (uint32_t)run->out->original_count;
}

/* Lists the originals of a range of nodes. They are in the order of departing nodes. */
static void list_originals(void *argument, size_t first, size_t end)
{
    const pairing *const run = argument;
    const mcd_graph *const graph = run->graph;
    const uint32_t *const place = run->places->node_place, *const depart = run->places->depart;
    uint32_t *const listed = run->out->arc, *const to = run->to, count = next_original(run, first);
    for (size_t v = first; v < end; ++v) {
        run->first[v] = count;
        if (v % MCD_WATCH_ITEMS == 0 && !mcd_watch_goes_on(run->watch)) return;
        if (depart[place[v]] != v) continue;
        for (mcd_arc arc = graph->first_out[v], last = graph->first_out[v + 1]; arc < last; ++arc) {
            if (run->original[arc] == MCD_ROAD_NONE) continue;
            listed[count] = (uint32_t)arc;
            to[count++] = depart[place[graph->head[arc]]];
        }
    }
}

/* A range is long, because it may search far for its first original. */
static macadam_status list_all_originals(pairing *run, const mcd_parallel *parallel, macadam_error *error)
{
    const size_t node_count = run->graph->node_count, original_count = run->out->original_count;
    MCD_TRY(MCD_NEW_ZEROED(run->out->arc, original_count + 1, error));
    MCD_TRY(MCD_NEW(run->first, node_count + 1, error));
    MCD_TRY(MCD_NEW(run->to, original_count, error));
    run->first[node_count] = (uint32_t)original_count;
    return mcd_watch_for_ranges(parallel, node_count, mcd_range_length(parallel, node_count, NODES_PER_TASK),
                                list_originals, run, error);
}

macadam_status mcd_opposites_new(mcd_opposites *out, const mcd_graph *graph, const mcd_place_index *places,
                                 const uint32_t *original, size_t original_count,
                                 const mcd_parallel *parallel, macadam_error *error)
{
    MCD_FREED_BY(mcd_opposites_free) mcd_opposites made = {.original_count = original_count};
    MCD_FREED_BY(free_pairing)
    pairing run = {&made, graph, places, original, .watch = mcd_watch_find(NULL)};
    *out = (mcd_opposites){0};
    if (original) MCD_TRY(list_all_originals(&run, parallel, error));
    MCD_TRY(MCD_NEW(made.opposite, original_count, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, graph->node_count, NODES_PER_TASK, pair_nodes, &run, error));
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

static size_t arc_of(const mcd_opposites *opposites, size_t original)
{
    return opposites->arc ? opposites->arc[original] : original;
}

static void convert_alone(void *argument, size_t first, size_t end)
{
    const convert_run *const run = argument;
    const mcd_opposites *const opposites = run->opposites;
    mcd_weight *stored = run->packed + first - run->paired[first / CONVERT_PART];
    for (size_t o = first; o < end; ++o) {
        const bool is_alone = opposites->opposite[o] == MCD_ROAD_NONE;
        mcd_weight *const weight = &run->weight[arc_of(opposites, o)];
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
            convert_less(run->packs, &run->weight[arc_of(opposites, o)], stored++,
                         run->weight[arc_of(opposites, opposites->opposite[o])]);
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
    for (size_t first = 0; first < count; first += CONVERT_PART) {
        const size_t end = mcd_size_min(first + CONVERT_PART, count);
        paired[first / CONVERT_PART] = paired_count;
        for (size_t o = first; o < end; ++o) paired_count += opposites->opposite[o] != MCD_ROAD_NONE;
    }
    convert_run run = {weight, packed, packs, original, opposites, paired};
    MCD_TRY(mcd_watch_for_ranges(parallel, count, CONVERT_PART, convert_alone, &run, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, count, CONVERT_PART, convert_paired, &run, error));
    if (!original) return MACADAM_OK;
    return mcd_watch_for_ranges(parallel, arc_count, CONVERT_PART, convert_copies, &run, error);
}
