/* snap_build.c - see snap_build.h. */
#include "engine/map/locality.h"
#include "engine/map/spread.h"
#include "engine/prepare/snap_build.h"
#include "engine/base/sort.h"

#include <stdlib.h>

enum {
    LARGE_MIN = 1000, /* a large component has at least this many nodes, */
    LARGE_SHARE = 10, /* or one for this many nodes of the largest one */
    CURVE_CELLS = 1 << 16,
    LON_HALF_E7 = 1800000000,
    NODES_PER_RANGE = 1 << 12,
    PIECES_PER_RANGE = MCD_SNAP_FANOUT << 9,
};

/* The pieces of the roads of some nodes; later those of all ranges before. */
typedef struct road_range {
    size_t piece_count, unindexed_count;
    mcd_snap_box box;
} road_range;

/* How the index has an arc: not, as a road, as one that is cut off, or as a ferry, which it leaves out. */
typedef enum road_use { USE_NONE, USE_ROAD, USE_CUT_OFF, USE_FERRY } road_use;

typedef struct snap_build {
    const mcd_roads *roads;
    const mcd_parallel *parallel;
    mcd_watch *watch;
    bool *leaves, *enters; /* [node_count]: whether the node leads to a large component, and whether one leads
                            * to it */
    mcd_snap_pieces pieces;
    uint8_t *use;            /* [arc_count] a road_use; only until roads are cut */
    road_range *range;       /* [node_count / NODES_PER_RANGE + 1] */
    uint64_t *key, *scratch; /* [pieces.count] place on the curve, then index into both arrays */
    const uint32_t *unsorted;
    uint32_t *sorted; /* one of both arrays */
} snap_build;

/* ---- roads that are cut off ---- */

static macadam_status find_cut_off(snap_build *build, const mcd_components *components, macadam_error *error)
{
    const mcd_graph *const graph = build->roads->graph;
    const size_t node_count = graph->node_count;
    uint32_t largest = 0;
    for (size_t c = 0; c < components->count; ++c)
        if (components->size[c] > largest) largest = components->size[c];
    const size_t least = mcd_size_min(largest / LARGE_SHARE + (largest % LARGE_SHARE > 0), LARGE_MIN);
    MCD_TRY(MCD_NEW(build->leaves, node_count, error));
    MCD_TRY(MCD_NEW(build->enters, node_count, error));
    for (size_t x = 0; x < node_count; ++x) {
        MCD_TRY(mcd_watch_item(build->watch, x, node_count, error));
        build->leaves[x] = build->enters[x] = components->size[components->component[x]] >= least;
    }
    MCD_TRY(mcd_spread(build->leaves, graph, true, build->parallel, build->watch, error));
    return mcd_spread(build->enters, graph, false, build->parallel, build->watch, error);
}

/* Returns whether a large component leads to the arc: to a copy of its tail from which it may be entered. */
static bool is_entered(const snap_build *build, mcd_node tail, uint32_t arc)
{
    const mcd_graph *const graph = build->roads->graph;
    const mcd_node arrive = mcd_road_arrival(build->roads, tail);
    if (arrive == tail) return build->enters[tail];
    for (mcd_arc xy = graph->first_in[arrive]; xy < graph->first_in[arrive + 1]; ++xy)
        if (build->enters[graph->tail[xy]] &&
            mcd_road_copy(build->roads, graph->tail[xy], arc) != MCD_ROAD_NONE)
            return true;
    return false;
}

/* Returns whether a road is cut off; `arc` is the one that a departure uses. */
static bool is_cut_off(const snap_build *build, mcd_node tail, uint32_t arc)
{
    const mcd_node head = build->roads->graph->head[arc];
    bool leaves = build->leaves[head], enters = is_entered(build, tail, arc);
    if (leaves && enters) return false;
    const uint32_t back = mcd_road_back(build->roads, tail, arc);
    if (back == MCD_ROAD_NONE) return true;
    const mcd_node back_tail = mcd_road_tail(build->roads->graph, back);
    leaves = leaves || build->leaves[build->roads->graph->head[back]];
    return !leaves || !(enters || is_entered(build, back_tail, back));
}

/* ---- boxes ---- */

/* Lets a box enclose a piece; one that crosses the antimeridian goes around the globe. */
static void enclose(mcd_snap_box *box, const mcd_snap_line *line)
{
    mcd_snap_enclose(box, line);
    if (llabs((int64_t)line->from.lon_e7 - line->to.lon_e7) > LON_HALF_E7)
        box->west_e7 = -LON_HALF_E7, box->east_e7 = LON_HALF_E7;
}

/* ---- pieces ---- */

static bool is_ferry(const mcd_arc_facts *facts, uint32_t arc)
{
    return facts->ferry && facts->ferry[mcd_arc_number(facts, arc) - 1];
}

/* Returns whether an arc that a departure uses stands for its road. */
static bool is_of_road(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const mcd_arc_facts *const facts = roads->facts;
    const uint32_t back = mcd_road_back(roads, tail, arc);
    return back == MCD_ROAD_NONE || mcd_arc_number(facts, arc) < mcd_arc_number(facts, back);
}

static road_use use_of(const snap_build *build, mcd_node tail, uint32_t arc)
{
    const mcd_roads *const roads = build->roads;
    if (!mcd_road_departs(roads, tail, arc) || !is_of_road(roads, tail, arc)) return USE_NONE;
    if (is_ferry(roads->facts, arc)) return USE_FERRY;
    return is_cut_off(build, tail, arc) ? USE_CUT_OFF : USE_ROAD;
}

static void count_pieces(void *argument, size_t first, size_t end)
{
    snap_build *const build = argument;
    const mcd_graph *const graph = build->roads->graph;
    road_range range = {.box = mcd_snap_nowhere};
    for (mcd_node x = (mcd_node)first; x < end; ++x)
        for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) {
            const uint32_t arc = (uint32_t)xy;
            const road_use use = use_of(build, x, arc);
            build->use[arc] = use;
            range.unindexed_count += use == USE_FERRY;
            if (use != USE_ROAD && use != USE_CUT_OFF) continue;
            const uint32_t piece_count = (uint32_t)mcd_road_point_count(build->roads, arc) - 1;
            range.piece_count += piece_count;
            for (uint32_t i = 0; i < piece_count; ++i) {
                const mcd_snap_line line = mcd_snap_line_of(build->roads, x, arc, i);
                enclose(&range.box, &line);
            }
        }
    build->range[first / NODES_PER_RANGE] = range;
}

static void list_pieces(void *argument, size_t first, size_t end)
{
    const snap_build *const build = argument;
    const mcd_snap_pieces *const pieces = &build->pieces;
    const mcd_arc *const first_out = build->roads->graph->first_out;
    road_range at = build->range[first / NODES_PER_RANGE];
    for (uint32_t arc = (uint32_t)first_out[first]; arc < first_out[end]; ++arc) {
        const road_use use = build->use[arc];
        if (use == USE_FERRY) pieces->unindexed[at.unindexed_count++] = arc;
        if (use != USE_ROAD && use != USE_CUT_OFF) continue;
        const uint32_t piece_count = (uint32_t)mcd_road_point_count(build->roads, arc) - 1;
        for (uint32_t i = 0; i < piece_count; ++i) {
            pieces->arc[at.piece_count] = arc;
            pieces->piece[at.piece_count++] = 2 * i + (use == USE_CUT_OFF);
        }
    }
}

/* Gives each range the place of its first piece. */
static void sum_ranges(snap_build *build, size_t range_count)
{
    mcd_snap_pieces *const pieces = &build->pieces;
    for (size_t i = 0; i < range_count; ++i) {
        const road_range range = build->range[i];
        build->range[i].piece_count = pieces->count;
        build->range[i].unindexed_count = pieces->unindexed_count;
        pieces->count += range.piece_count;
        pieces->unindexed_count += range.unindexed_count;
        mcd_snap_widen(&pieces->all, &range.box);
    }
}

static macadam_status cut_roads(snap_build *build, macadam_error *error)
{
    const mcd_graph *const graph = build->roads->graph;
    mcd_snap_pieces *const pieces = &build->pieces;
    const size_t nodes = graph->node_count, range_count = (nodes + NODES_PER_RANGE - 1) / NODES_PER_RANGE;
    MCD_TRY(MCD_NEW(build->use, graph->arc_count, error));
    MCD_TRY(MCD_NEW(build->range, range_count, error));
    MCD_TRY(mcd_watch_for_ranges(build->parallel, nodes, NODES_PER_RANGE, count_pieces, build, error));
    sum_ranges(build, range_count);
    if (pieces->count > UINT32_MAX)
        return mcd_fail_invalid(error,
                                "%zu straight pieces of roads are more than the %u that can be indexed",
                                pieces->count, UINT32_MAX);
    MCD_TRY(MCD_NEW(pieces->unindexed, pieces->unindexed_count, error));
    MCD_TRY(MCD_NEW(pieces->arc, pieces->count, error));
    MCD_TRY(MCD_NEW(pieces->piece, pieces->count, error));
    return mcd_watch_for_ranges(build->parallel, nodes, NODES_PER_RANGE, list_pieces, build, error);
}

/* ---- the curve ---- */

/* Returns the cell of the middle between `a` and `b` in low..high. */
static uint32_t cell_of(int32_t a, int32_t b, int32_t low, int32_t high)
{
    const int64_t twice = (int64_t)a + b - 2 * (int64_t)low, range = 2 * ((int64_t)high - low);
    return range == 0 ? 0 : (uint32_t)(twice * (CURVE_CELLS - 1) / range);
}

static void find_keys(void *argument, size_t first, size_t end)
{
    const snap_build *const build = argument;
    const mcd_snap_box all = build->pieces.all;
    const mcd_graph *const graph = build->roads->graph;
    mcd_node tail = mcd_road_tail(graph, build->pieces.arc[first]);
    for (size_t i = first; i < end; ++i) {
        while (build->pieces.arc[i] >= graph->first_out[tail + 1]) ++tail;
        const mcd_snap_line line =
            mcd_snap_line_of(build->roads, tail, build->pieces.arc[i], build->pieces.piece[i] / 2);
        const mcd_point a = line.from, b = line.to;
        const uint32_t x = cell_of(a.lon_e7, b.lon_e7, all.west_e7, all.east_e7),
                       y = cell_of(a.lat_e7, b.lat_e7, all.south_e7, all.north_e7);
        build->key[i] = (uint64_t)mcd_hilbert_index(x, y) << 32 | i;
    }
}

static macadam_status for_pieces(snap_build *build, mcd_range_task task, macadam_error *error)
{
    return mcd_watch_for_ranges(build->parallel, build->pieces.count, PIECES_PER_RANGE, task, build, error);
}

static macadam_status sort_pieces(snap_build *build, macadam_error *error)
{
    MCD_TRY(MCD_NEW(build->key, build->pieces.count, error));
    MCD_TRY(MCD_NEW(build->scratch, build->pieces.count, error));
    MCD_TRY(for_pieces(build, find_keys, error));
    return mcd_sort_bits_on(build->parallel, build->key, build->scratch, build->pieces.count, 32, 64,
                            build->watch, error);
}

/* ---- the index ---- */

/* The pieces of some leaves. */
typedef struct box_run {
    const mcd_snap_index *index;
    const mcd_roads *roads;
    const mcd_node *tail;
    mcd_snap_box *box;
} box_run;

static void fill_leaves(void *argument, size_t first, size_t end)
{
    const box_run *const run = argument;
    for (size_t i = first; i < end; ++i) {
        const uint32_t arc = run->index->arc[i];
        const mcd_snap_line line =
            mcd_snap_line_of(run->roads, run->tail[arc], arc, run->index->piece[i] / 2);
        if (i % MCD_SNAP_FANOUT == 0) run->box[i / MCD_SNAP_FANOUT] = mcd_snap_nowhere;
        enclose(&run->box[i / MCD_SNAP_FANOUT], &line);
    }
}

macadam_status mcd_snap_boxes_new(mcd_snap_index *index, const mcd_roads *roads, const mcd_parallel *parallel,
                                  macadam_error *error)
{
    mcd_snap_box *box;
    MCD_OWNED mcd_node *tail = NULL;
    size_t first[MCD_SNAP_LEVELS_MAX + 1];
    const size_t levels = mcd_snap_levels(index->piece_count, first);
    index->box_count = first[levels];
    MCD_TRY(MCD_NEW(box, index->box_count, error));
    index->box = box;
    MCD_TRY(mcd_road_departures(&tail, roads, error));
    box_run run = {index, roads, tail, box};
    MCD_TRY(mcd_watch_for_ranges(parallel, index->piece_count, PIECES_PER_RANGE, fill_leaves, &run, error));
    mcd_snap_fill_levels(box, first, levels);
    return MACADAM_OK;
}

static void sort_range(void *argument, size_t first, size_t end)
{
    const snap_build *const build = argument;
    for (size_t i = first; i < end; ++i) build->sorted[i] = build->unsorted[(uint32_t)build->key[i]];
}

/* Sorts an array of the build, which is freed, so that only one of them is in memory twice. */
static macadam_status sort_array(uint32_t **sorted, snap_build *build, uint32_t **array, macadam_error *error)
{
    MCD_TRY(MCD_NEW(*sorted, build->pieces.count, error));
    build->sorted = *sorted, build->unsorted = *array;
    MCD_TRY(for_pieces(build, sort_range, error));
    mcd_free(*array);
    *array = NULL;
    return MACADAM_OK;
}

static macadam_status fill_index(mcd_snap_index *out, snap_build *build, macadam_error *error)
{
    out->piece_count = build->pieces.count;
    MCD_TRY(sort_array((uint32_t **)&out->arc, build, &build->pieces.arc, error));
    MCD_TRY(sort_array((uint32_t **)&out->piece, build, &build->pieces.piece, error));
    mcd_free(build->key), build->key = NULL;
    return mcd_snap_boxes_new(out, build->roads, build->parallel, error);
}

MCD_DEFINE_STATIC_FREE(free_build, snap_build, it->leaves, it->enters, it->pieces.arc, it->pieces.piece,
                       it->pieces.unindexed, it->use, it->range, it->key, it->scratch)

macadam_status mcd_snap_pieces_new(mcd_snap_pieces *out, const mcd_roads *roads,
                                   const mcd_components *components, const mcd_parallel *parallel,
                                   mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(free_build)
    snap_build build = {.roads = roads, .parallel = parallel, .watch = watch, .pieces.all = mcd_snap_nowhere};
    *out = (mcd_snap_pieces){0};
    MCD_TRY(find_cut_off(&build, components, error));
    MCD_TRY(cut_roads(&build, error));
    return MCD_MOVE(*out, build.pieces);
}

macadam_status mcd_snap_index_sort(mcd_snap_index *out, mcd_snap_pieces *pieces, const mcd_roads *roads,
                                   const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(free_build)
    snap_build build = {.roads = roads, .parallel = parallel, .watch = watch, .pieces = *pieces};
    MCD_FREED_BY(mcd_snap_index_free) mcd_snap_index made = {0};
    *out = (mcd_snap_index){0};
    build.pieces.unindexed = NULL;
    pieces->arc = pieces->piece = NULL;
    MCD_TRY(sort_pieces(&build, error));
    mcd_free(build.scratch), build.scratch = NULL;
    MCD_TRY(fill_index(&made, &build, error));
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_snap_index_free, mcd_snap_index, it->arc, it->piece, it->box)
