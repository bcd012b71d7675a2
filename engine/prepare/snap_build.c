/* snap_build.c - see snap_build.h. */
#include "engine/map/locality.h"
#include "engine/prepare/snap_build.h"
#include "engine/base/grow.h"
#include "engine/base/sort.h"

#include <stdlib.h>

enum {
    LARGE_MIN = 1000, /* a large component has at least this many nodes, */
    LARGE_SHARE = 10, /* or one for this many nodes of the largest one */
    CURVE_CELLS = 1 << 16,
    LON_HALF_E7 = 1800000000,
};

typedef struct snap_build {
    const mcd_roads *roads;
    mcd_watch *watch;
    bool *leaves, *enters; /* [node_count]: whether the node leads to a large component, and whether one leads
                            * to it */
    mcd_snap_pieces pieces;
    uint64_t *key, *scratch; /* [pieces.count] place on the curve, then index into both arrays */
} snap_build;

/* ---- roads that are cut off ---- */

/* Marks the nodes of large components, and all nodes from which (backward) or to which they lead. */
static macadam_status spread_from_large(const snap_build *build, const mcd_components *components,
                                        uint32_t largest, bool backward, bool *reached, mcd_node *open,
                                        macadam_error *error)
{
    const mcd_graph *const graph = build->roads->graph;
    const mcd_arc *const first = backward ? graph->first_in : graph->first_out;
    const mcd_node *const next = backward ? graph->tail : graph->head;
    size_t count = 0, taken = 0;
    for (mcd_node x = 0; x < graph->node_count; ++x) {
        const uint32_t size = components->size[components->component[x]];
        reached[x] = size >= LARGE_MIN || (uint64_t)size * LARGE_SHARE >= largest;
        if (reached[x]) open[count++] = x;
    }
    while (count > 0) {
        const mcd_node x = open[--count];
        MCD_TRY(mcd_watch_item(build->watch, taken++, graph->node_count, error));
        for (mcd_arc xy = first[x]; xy < first[x + 1]; ++xy)
            if (!reached[next[xy]]) {
                reached[next[xy]] = true;
                open[count++] = next[xy];
            }
    }
    return MACADAM_OK;
}

static macadam_status find_cut_off(snap_build *build, const mcd_components *components, macadam_error *error)
{
    const mcd_graph *const graph = build->roads->graph;
    MCD_OWNED mcd_node *open = NULL;
    uint32_t largest = 0;
    for (size_t c = 0; c < components->count; ++c)
        if (components->size[c] > largest) largest = components->size[c];
    MCD_TRY(MCD_NEW(build->leaves, graph->node_count, error));
    MCD_TRY(MCD_NEW(build->enters, graph->node_count, error));
    MCD_TRY(MCD_NEW(open, graph->node_count, error));
    MCD_TRY(spread_from_large(build, components, largest, true, build->leaves, open, error));
    return spread_from_large(build, components, largest, false, build->enters, open, error);
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

static void cut_road(snap_build *build, mcd_node tail, uint32_t arc)
{
    const uint32_t cut_off = is_cut_off(build, tail, arc);
    const uint32_t piece_count = (uint32_t)mcd_road_point_count(build->roads, arc) - 1;
    for (uint32_t i = 0; i < piece_count; ++i) {
        const mcd_snap_line line = mcd_snap_line_of(build->roads, tail, arc, i);
        enclose(&build->pieces.all, &line);
        build->pieces.arc[build->pieces.count] = arc;
        build->pieces.piece[build->pieces.count++] = 2 * i + cut_off;
    }
}

static macadam_status cut_roads(snap_build *build, macadam_error *error)
{
    const mcd_graph *const graph = build->roads->graph;
    const size_t originals = build->roads->original_count;
    const uint64_t *const first_point = build->roads->facts->first_point;
    const size_t most = originals + (first_point ? first_point[originals] : 0); /* an upper bound */
    mcd_snap_pieces *const pieces = &build->pieces;
    size_t capacity = 0;
    MCD_TRY(MCD_GROW(pieces->unindexed, capacity, 1, error));
    MCD_TRY(MCD_NEW(build->pieces.arc, most, error));
    MCD_TRY(MCD_NEW(build->pieces.piece, most, error));
    for (mcd_node x = 0; x < graph->node_count; ++x) {
        MCD_TRY(mcd_watch_item(build->watch, x, graph->node_count, error));
        for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) {
            const uint32_t arc = (uint32_t)xy;
            if (!mcd_road_departs(build->roads, x, arc) || !is_of_road(build->roads, x, arc)) continue;
            if (is_ferry(build->roads->facts, arc)) {
                MCD_TRY(MCD_GROW(pieces->unindexed, capacity, pieces->unindexed_count + 1, error));
                pieces->unindexed[pieces->unindexed_count++] = arc;
            } else
                cut_road(build, x, arc);
        }
    }
    if (build->pieces.count <= UINT32_MAX) return MACADAM_OK;
    return mcd_fail_invalid(error, "%zu straight pieces of roads are more than the %u that can be indexed",
                            build->pieces.count, UINT32_MAX);
}

/* ---- the curve ---- */

/* Returns the cell of the middle between `a` and `b` in low..high. */
static uint32_t cell_of(int32_t a, int32_t b, int32_t low, int32_t high)
{
    const int64_t twice = (int64_t)a + b - 2 * (int64_t)low, range = 2 * ((int64_t)high - low);
    return range == 0 ? 0 : (uint32_t)(twice * (CURVE_CELLS - 1) / range);
}

static macadam_status sort_pieces(snap_build *build, macadam_error *error)
{
    const mcd_snap_box all = build->pieces.all;
    const mcd_arc *const first_out = build->roads->graph->first_out;
    mcd_node tail = 0;
    MCD_TRY(MCD_NEW(build->key, build->pieces.count, error));
    MCD_TRY(MCD_NEW(build->scratch, build->pieces.count, error));
    for (size_t i = 0; i < build->pieces.count; ++i) {
        MCD_TRY(mcd_watch_item(build->watch, i, build->pieces.count, error));
        while (build->pieces.arc[i] >= first_out[tail + 1]) ++tail;
        const mcd_snap_line line =
            mcd_snap_line_of(build->roads, tail, build->pieces.arc[i], build->pieces.piece[i] / 2);
        const mcd_point a = line.from, b = line.to;
        const uint32_t x = cell_of(a.lon_e7, b.lon_e7, all.west_e7, all.east_e7),
                       y = cell_of(a.lat_e7, b.lat_e7, all.south_e7, all.north_e7);
        build->key[i] = (uint64_t)mcd_hilbert_index(x, y) << 32 | i;
    }
    return mcd_sort_bits(build->key, build->scratch, build->pieces.count, 32, 64, build->watch, error);
}

/* ---- the index ---- */

macadam_status mcd_snap_boxes_new(mcd_snap_index *index, const mcd_roads *roads, macadam_error *error)
{
    mcd_snap_box *box;
    MCD_OWNED mcd_node *tail = NULL;
    size_t first[MCD_SNAP_LEVELS_MAX + 1];
    const size_t levels = mcd_snap_levels(index->piece_count, first);
    index->box_count = first[levels];
    MCD_TRY(MCD_NEW(box, index->box_count, error));
    index->box = box;
    MCD_TRY(mcd_road_departures(&tail, roads, error));
    for (size_t leaf = 0; leaf < first[1]; ++leaf) box[leaf] = mcd_snap_nowhere;
    for (size_t i = 0; i < index->piece_count; ++i) {
        const uint32_t arc = index->arc[i];
        const mcd_snap_line line = mcd_snap_line_of(roads, tail[arc], arc, index->piece[i] / 2);
        enclose(&box[i / MCD_SNAP_FANOUT], &line);
    }
    mcd_snap_fill_levels(box, first, levels);
    return MACADAM_OK;
}

/* Sorts an array of the build; the array as it was is freed, so that only one of them is in memory twice. */
#define SORT_ARRAY(sorted, array)                                                                            \
    do {                                                                                                     \
        MCD_TRY(MCD_NEW(sorted, build->pieces.count, error));                                                \
        out->array = (sorted);                                                                               \
        for (size_t i = 0; i < build->pieces.count; ++i) {                                                   \
            MCD_TRY(mcd_watch_item(build->watch, i, build->pieces.count, error));                            \
            (sorted)[i] = build->pieces.array[(uint32_t)build->key[i]];                                      \
        }                                                                                                    \
        mcd_free(build->pieces.array), build->pieces.array = NULL;                                           \
    } while (0)

static macadam_status fill_index(mcd_snap_index *out, snap_build *build, macadam_error *error)
{
    uint32_t *arc, *piece;
    out->piece_count = build->pieces.count;
    SORT_ARRAY(arc, arc);
    SORT_ARRAY(piece, piece);
    mcd_free(build->key), build->key = NULL;
    MCD_TRY(mcd_watch_step(build->watch, build->pieces.count, build->pieces.count, error));
    return mcd_snap_boxes_new(out, build->roads, error);
}

MCD_DEFINE_STATIC_FREE(free_build, snap_build, it->leaves, it->enters, it->pieces.arc, it->pieces.piece,
                       it->pieces.unindexed, it->key, it->scratch)

macadam_status mcd_snap_pieces_new(mcd_snap_pieces *out, const mcd_roads *roads,
                                   const mcd_components *components, mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(free_build)
    snap_build build = {.roads = roads, .watch = watch, .pieces.all = mcd_snap_nowhere};
    *out = (mcd_snap_pieces){0};
    MCD_TRY(find_cut_off(&build, components, error));
    MCD_TRY(cut_roads(&build, error));
    return MCD_MOVE(*out, build.pieces);
}

macadam_status mcd_snap_index_sort(mcd_snap_index *out, mcd_snap_pieces *pieces, const mcd_roads *roads,
                                   mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(free_build) snap_build build = {.roads = roads, .watch = watch, .pieces = *pieces};
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
