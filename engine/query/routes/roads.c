/* roads.c - the roads within a box, for drawing. */
#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/base/watch.h"
#include "engine/query/places/road_shape.h"

/* An arc that comes: of the two directions of a road the one with the smaller number. */
typedef struct road_arc {
    uint32_t arc;
    mcd_node tail;
} road_arc;

typedef struct roads_run {
    macadam_engine *engine;
    const macadam_box *box;
    road_arc *arc;
    size_t count, capacity, points;
    macadam_roads *out; /* until it is complete */
} roads_run;

static void free_run(roads_run *run)
{
    mcd_free(run->arc);
    macadam_roads_free(run->out);
}

/* Whether the arc is drawn: the first of those of its road that depart. */
static bool is_drawn(const macadam_engine *engine, uint32_t arc, mcd_node tail)
{
    if (!mcd_road_departs(&engine->roads, tail, arc)) return false;
    const uint32_t back = mcd_road_back(&engine->roads, tail, arc);
    return back == MCD_ROAD_NONE ||
           mcd_arc_number(&engine->facts, arc) < mcd_arc_number(&engine->facts, back);
}

/* Returns whether the bounding box of the arc's ends and points meets the box of the request, which may go on beyond 180
 * degrees. */
static bool is_within(const roads_run *run, uint32_t arc, mcd_node tail)
{
    const mcd_roads *const roads = &run->engine->roads;
    const macadam_box *box = run->box;
    mcd_snap_box around = mcd_snap_nowhere;
    for (uint32_t i = 0; i + 1 < mcd_road_point_count(roads, arc); ++i) {
        const mcd_snap_line line = mcd_snap_line_of(roads, tail, arc, i);
        mcd_snap_enclose(&around, &line);
    }
    bool meets = false;
    for (int turn = -360; turn <= 360; turn += 360)
        meets = meets ||
                (around.west_e7 <= (box->east + turn) * 1e7 && around.east_e7 >= (box->west + turn) * 1e7);
    return meets && around.south_e7 <= box->north * 1e7 && around.north_e7 >= box->south * 1e7;
}

/* Collects the arcs that are drawn. */
static macadam_status collect(roads_run *run, macadam_error *error)
{
    const mcd_graph *graph = &run->engine->graph;
    for (mcd_node tail = 0; tail < graph->node_count; ++tail) {
        MCD_TRY(mcd_watch_item(NULL, tail, graph->node_count, error));
        for (mcd_arc a = graph->first_out[tail]; a < graph->first_out[tail + 1]; ++a) {
            const uint32_t arc = (uint32_t)a;
            if (!is_within(run, arc, tail) || !is_drawn(run->engine, arc, tail)) continue;
            MCD_TRY(MCD_GROW(run->arc, run->capacity, run->count + 1, error));
            run->arc[run->count++] = (road_arc){arc, tail};
            run->points += mcd_road_shape_point_count(run->engine, arc);
        }
    }
    return MACADAM_OK;
}

static macadam_status describe(const roads_run *run, macadam_roads *out, macadam_error *error)
{
    macadam_road *road;
    mcd_shape shape;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), road, run->count, error));
    MCD_TRY(mcd_shape_new(&shape, mcd_answer_arena(out), run->points, error));
    for (size_t i = 0; i < run->count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, run->count, error));
        road[i] = mcd_road_shape_describe(run->engine, run->arc[i].arc, run->arc[i].tail, 0, MCD_ROAD_WHOLE,
                                          &shape);
    }
    *out = (macadam_roads){.road_count = run->count,
                           .road = road,
                           .shape_count = shape.count,
                           .lon = shape.lon,
                           .lat = shape.lat};
    return MACADAM_OK;
}

macadam_status macadam_roads_find(macadam_engine *engine, const macadam_box *box, macadam_roads **out,
                                  macadam_error *error)
{
    MCD_TRY(mcd_answer_clear(out, "roads", error));
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    if (!box || !(box->west <= box->east && box->south <= box->north))
        return mcd_fail(error, MACADAM_E_INVALID, "no box, or one whose west is east or south is north");
    MCD_FREED_BY(free_run) roads_run run = {.engine = engine, .box = box};
    MCD_WATCHED(watch, &engine->progress, "loading");
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    if (!engine->places.lon_e7)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "%s has no coordinates", engine->file->name);
    MCD_TRY(collect(&run, error));
    MCD_TRY(MCD_ANSWER_NEW(run.out, error));
    MCD_TRY(describe(&run, run.out, error));
    return MCD_MOVE(*out, run.out);
}

void macadam_roads_free(macadam_roads *roads)
{
    mcd_answer_free(roads);
}
