/* roads.c - the roads within a box, for drawing. */
#include "engine/base/options.h"
#include "engine/query/places/box_roads.h"
#include "engine/query/places/road_shape.h"

typedef struct roads_run {
    macadam_engine *engine;
    mcd_box_roads found;
    macadam_roads *out; /* until it is complete */
} roads_run;

static void free_run(roads_run *run)
{
    mcd_free(run->found.road);
    macadam_roads_free(run->out);
}

static macadam_status describe(const roads_run *run, macadam_roads *out, macadam_error *error)
{
    const mcd_box_road *const found = run->found.road;
    const size_t count = run->found.count;
    size_t points = 0;
    macadam_road *road;
    mcd_shape shape;
    for (size_t i = 0; i < count; ++i) points += mcd_road_shape_point_count(run->engine, found[i].arc);
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), road, count, error));
    MCD_TRY(mcd_shape_new(&shape, mcd_answer_arena(out), points, error));
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, count, error));
        road[i] =
            mcd_road_shape_describe(run->engine, found[i].arc, found[i].tail, 0, MCD_ROAD_WHOLE, &shape);
    }
    *out = (macadam_roads){
        .road_count = count, .road = road, .shape_count = shape.count, .lon = shape.lon, .lat = shape.lat};
    return MACADAM_OK;
}

macadam_status macadam_roads_find(macadam_roads **out, macadam_engine *engine, const macadam_box *box,
                                  macadam_error *error)
{
    MCD_TRY(mcd_answer_clear(out, "roads", error));
    MCD_FREED_BY(free_run) roads_run run = {.engine = engine};
    MCD_WATCHED(watch, engine ? &engine->progress : NULL, "loading");
    MCD_TRY(mcd_box_roads_find(&run.found, engine, box, error));
    MCD_TRY(MCD_ANSWER_NEW(run.out, error));
    MCD_TRY(describe(&run, run.out, error));
    return MCD_MOVE(*out, run.out);
}

void macadam_roads_free(macadam_roads *roads)
{
    mcd_answer_free(roads);
}
