/* height.c - see height.h.
 *
 * Method: the points whose heights are open, and those next to them, make a graph of straight pieces. Every point
 * keeps the two nearest of those with heights (anchors) and notifies its neighbours when they change, in a
 * queue, until nothing changes. Distances only shrink, so the result does not depend on the order. On a chain
 * of pieces between two anchors, this makes heights rise evenly. */
#include "importers/osm/roads/height.h"
#include "importers/base/incidence.h"
#include "engine/base/grow.h"
#include "engine/map/ellipsoid.h"

#include <math.h>
#include <stdio.h>

/* Facts of a point: it is of a road on the ground, or of another one; it has no height yet. */
enum { GROUNDED = 1, SPANNED = 2, OPEN = 4 };
enum {
    NEAREST = 2,
    OPEN_ALONG = MACADAM_ROAD_BRIDGE | MACADAM_ROAD_TUNNEL | MACADAM_ROAD_FERRY | MACADAM_ROAD_TRAIN
};

/* A point with a height, and how far it is; NONE: no point. */
typedef struct anchor {
    uint32_t point;
    double metres;
} anchor;
#define NONE UINT32_MAX

typedef struct span_graph {
    mcd_points *points;
    const mcd_ways *ways;
    mcd_arena arena;  /* of the arrays below, but the pieces */
    uint8_t *mark;    /* [point] GROUNDED, ... */
    uint32_t *number; /* [point] of those in the graph; NONE */
    uint32_t *member; /* [member_count] the points in the graph */
    size_t member_count;
    uint32_t *from, *to; /* [piece_count] the pieces with an open end, in both directions, by number */
    size_t piece_count, from_capacity, to_capacity;
    mcd_incidence out;
    anchor (*nearest)[NEAREST]; /* [member_count] */
    uint32_t *queue;            /* a ring of [member_count] */
    bool *queued;               /* [member_count] */
    size_t first, waiting;
} span_graph;

/* ---- the graph ---- */

static void mark_points(const span_graph *graph)
{
    const mcd_ways *const ways = graph->ways;
    for (size_t i = 0; i < ways->count; ++i) {
        const mcd_way *const way = &ways->way[i];
        const bool spans = ways->kinds.kind[way->kind[MCD_FORWARD]].flags & OPEN_ALONG;
        for (size_t ref = way[0].first_ref; ref < way[1].first_ref; ++ref)
            graph->mark[graph->ways->point[ref]] |= spans ? SPANNED : GROUNDED;
    }
    for (size_t point = 0; point < graph->points->count; ++point)
        if (graph->mark[point] == SPANNED || graph->points->height_dm[point] == MCD_HEIGHT_NONE)
            graph->mark[point] |= OPEN;
}

/* The number of a point in the graph, which is the next one if it is new. */
static uint32_t number_of(span_graph *graph, uint32_t point)
{
    if (graph->number[point] == NONE) {
        graph->number[point] = (uint32_t)graph->member_count;
        graph->member[graph->member_count++] = point;
    }
    return graph->number[point];
}

/* Lists the pieces with an open end. */
static macadam_status list_pieces(span_graph *graph, macadam_error *error)
{
    for (size_t i = 0; i < graph->ways->count; ++i) {
        const mcd_way *const way = &graph->ways->way[i];
        for (size_t ref = way[0].first_ref + 1; ref < way[1].first_ref; ++ref) {
            const uint32_t a = graph->ways->point[ref - 1], b = graph->ways->point[ref];
            const size_t count = graph->piece_count;
            if (!((graph->mark[a] | graph->mark[b]) & OPEN)) continue;
            if (!(graph->points->state[a] & graph->points->state[b] & MCD_POINT_PRESENT)) continue;
            MCD_TRY(MCD_GROW(graph->from, graph->from_capacity, count + 2, error));
            MCD_TRY(MCD_GROW(graph->to, graph->to_capacity, count + 2, error));
            graph->from[count] = graph->to[count + 1] = number_of(graph, a);
            graph->to[count] = graph->from[count + 1] = number_of(graph, b);
            graph->piece_count += 2;
        }
    }
    return MACADAM_OK;
}

/* ---- distances ---- */

static bool is_nearer(const anchor *a, const anchor *b)
{
    return a->point != NONE &&
           (b->point == NONE || a->metres < b->metres || (a->metres == b->metres && a->point < b->point));
}

/* Returns whether the point's nearest anchors change. */
static bool offer(anchor nearest[NEAREST], anchor offered)
{
    const size_t same = nearest[1].point == offered.point ? 1 : 0;
    if (nearest[same].point == offered.point) {
        if (!is_nearer(&offered, &nearest[same])) return false;
        nearest[same] = offered;
    } else {
        if (!is_nearer(&offered, &nearest[1])) return false;
        nearest[1] = offered;
    }
    if (is_nearer(&nearest[1], &nearest[0])) {
        const anchor first = nearest[0];
        nearest[0] = nearest[1];
        nearest[1] = first;
    }
    return true;
}

static void put(span_graph *graph, uint32_t member)
{
    if (graph->queued[member]) return;
    graph->queued[member] = true;
    graph->queue[(graph->first + graph->waiting++) % graph->member_count] = member;
}

static void tell_neighbours(span_graph *graph, uint32_t member)
{
    const mcd_points *const points = graph->points;
    for (mcd_arc i = graph->out.first[member]; i < graph->out.first[member + 1]; ++i) {
        const uint32_t next = graph->to[graph->out.arc[i]];
        const uint32_t a = graph->member[member], b = graph->member[next];
        if (!(graph->mark[b] & OPEN)) continue;
        const double metres = mcd_ellipsoid_distance_m(points->lon_e7[a], points->lat_e7[a],
                                                       points->lon_e7[b], points->lat_e7[b]);
        bool changes = false;
        for (size_t k = 0; k < NEAREST; ++k) {
            const anchor *const known = &graph->nearest[member][k];
            if (known->point != NONE)
                changes |= offer(graph->nearest[next], (anchor){known->point, known->metres + metres});
        }
        if (changes) put(graph, next);
    }
}

static macadam_status spread(span_graph *graph, mcd_watch *watch, macadam_error *error)
{
    for (uint32_t member = 0; member < graph->member_count; ++member) {
        for (size_t k = 0; k < NEAREST; ++k) graph->nearest[member][k] = (anchor){NONE, 0};
        if (graph->mark[graph->member[member]] & OPEN) continue;
        graph->nearest[member][0].point = graph->member[member];
        put(graph, member);
    }
    for (size_t step = 0; graph->waiting > 0; ++step) {
        MCD_TRY(mcd_watch_item(watch, step, 0, error));
        const uint32_t member = graph->queue[graph->first];
        graph->first = (graph->first + 1) % graph->member_count;
        --graph->waiting;
        graph->queued[member] = false;
        tell_neighbours(graph, member);
    }
    return MACADAM_OK;
}

/* ---- heights ---- */

static int32_t height_between(const int32_t *height_dm, const anchor nearest[NEAREST])
{
    const double sum = nearest[0].metres + nearest[1].metres, near_dm = height_dm[nearest[0].point];
    if (nearest[1].point == NONE || sum == 0) return (int32_t)near_dm;
    return (int32_t)lround(near_dm + (height_dm[nearest[1].point] - near_dm) * (nearest[0].metres / sum));
}

static void fill(const span_graph *graph, mcd_report *report)
{
    int32_t *const height_dm = graph->points->height_dm;
    for (size_t point = 0; point < graph->points->count; ++point) {
        if (!(graph->mark[point] & OPEN) || !(graph->points->state[point] & MCD_POINT_PRESENT)) continue;
        const uint32_t number = graph->number[point];
        const anchor *const nearest = number == NONE ? NULL : graph->nearest[number];
        const bool spans = graph->mark[point] & SPANNED && !(graph->mark[point] & GROUNDED);
        if (nearest && nearest->point != NONE) {
            height_dm[point] = height_between(height_dm, nearest);
            mcd_report_count(report, spans ? MCD_REPORT_SPANNED : MCD_REPORT_FILLED, 1);
        } else if (height_dm[point] == MCD_HEIGHT_NONE) {
            height_dm[point] = 0;
            mcd_report_count(report, MCD_REPORT_AT_SEA, 1);
        }
    }
}

static void free_graph(span_graph *graph)
{
    MCD_FREE_ALL(graph->from, graph->to);
    mcd_arena_free(&graph->arena);
}

macadam_status mcd_heights_new(mcd_report *report, mcd_points *points, const mcd_ways *ways,
                               const char *folder, const mcd_parallel *parallel, mcd_watch *watch,
                               macadam_error *error)
{
    const mcd_terrain_points terrain = {points->lon_e7, points->lat_e7, points->state, MCD_POINT_PRESENT,
                                        points->count};
    mcd_terrain found = {0};
    MCD_TRY(MCD_ARENA_NEW(&points->arena, points->height_dm, points->count, error));
    MCD_TRY(mcd_terrain_sample(points->height_dm, &found, folder, &terrain, parallel, watch, error));
    mcd_report_count(report, MCD_REPORT_TILES, found.tile_count);
    mcd_report_count(report, MCD_REPORT_MISSING_TILES, found.missing_count);
    mcd_report_count(report, MCD_REPORT_VOIDS, found.void_count);
    snprintf(report->tile, sizeof report->tile, ", such as %s", found.missing);
    MCD_FREED_BY(free_graph) span_graph graph = {.points = points, .ways = ways};
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&graph.arena, graph.mark, graph.points->count, error));
    mark_points(&graph);
    MCD_TRY(MCD_ARENA_NEW(&graph.arena, graph.number, graph.points->count, error));
    MCD_TRY(MCD_ARENA_NEW(&graph.arena, graph.member, graph.points->count, error));
    for (size_t point = 0; point < graph.points->count; ++point) graph.number[point] = NONE;
    MCD_TRY(list_pieces(&graph, error));
    const size_t count = graph.member_count;
    MCD_TRY(mcd_incidence_new(&graph.out, &graph.arena, count, graph.from, graph.piece_count, NULL, watch,
                              error));
    MCD_TRY(MCD_ARENA_NEW(&graph.arena, graph.nearest, count, error));
    MCD_TRY(MCD_ARENA_NEW(&graph.arena, graph.queue, count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&graph.arena, graph.queued, count, error));
    MCD_TRY(spread(&graph, watch, error));
    fill(&graph, report);
    return MACADAM_OK;
}
