/* route.c - one route with its arcs, names and geometry, through several waypoints. */
#include "engine/arena.h"
#include "engine/memory.h"
#include "engine/options.h"
#include "engine/query.h"
#include "engine/road.h"

#include <math.h>
#include <string.h>

/* A route and everything that it points to. */
typedef struct owned_route {
    macadam_route route;
    mcd_arena arena;
} owned_route;

/* The legs' paths before they become a route. */
typedef struct route_run {
    const mcd_query *query;
    size_t leg_count;
    mcd_lane *depart, *arrive; /* per waypoint */
    uint32_t *objective, *companion;
    mcd_path *path; /* copies */
} route_run;

static void sum_values(const mcd_query *query, const route_run *run, macadam_route *route, macadam_leg *leg)
{
    uint64_t total[MACADAM_QUANTITIES_MAX] = {0};
    for (size_t l = 0; l < run->leg_count; ++l)
        for (size_t q = 0; q < query->quantity_count; ++q) {
            leg[l].value[q] = query->is_companion[q] ? run->companion[l] : run->objective[l];
            if (leg[l].value[q] == MACADAM_UNREACHED) total[q] = MACADAM_UNREACHED;
            total[q] += leg[l].value[q];
        }
    route->found = true;
    for (size_t q = 0; q < query->quantity_count; ++q) {
        route->found &= total[q] <= MCD_WEIGHT_MAX;
        route->value[q] = total[q] <= MCD_WEIGHT_MAX ? (uint32_t)total[q] : MACADAM_UNREACHED;
    }
}

static size_t point_count(const macadam_engine *engine, const route_run *run)
{
    size_t count = 0;
    for (size_t l = 0; l < run->leg_count; ++l)
        for (size_t i = 0; i < run->path[l].count; ++i) count += mcd_road_points(engine, run->path[l].arc[i]);
    return count;
}

static macadam_route_arc describe_arc(const mcd_query *query, uint32_t arc, mcd_node tail, mcd_shape *shape)
{
    const mcd_weights *weights = &query->metric->weights;
    const macadam_road road = mcd_road_describe(query->engine, arc, tail, shape);
    macadam_route_arc out = {.tail = road.tail,
                             .head = road.head,
                             .arc = road.arc,
                             .way = road.way,
                             .name = road.name,
                             .first_shape = road.first_shape,
                             .last_shape = road.last_shape};
    for (size_t q = 0; q < query->quantity_count; ++q)
        out.value[q] = query->is_companion[q] ? weights->companion[arc] : weights->objective[arc];
    return out;
}

/* The arcs of all legs, without the arrival arcs of split nodes. */
static macadam_status fill_arcs(owned_route *owned, const route_run *run, macadam_leg *leg,
                                macadam_error *error)
{
    const macadam_engine *engine = run->query->engine;
    macadam_route *route = &owned->route;
    macadam_route_arc *arc;
    mcd_shape shape;
    size_t arcs = 0;
    for (size_t l = 0; l < run->leg_count; ++l) arcs += run->path[l].count;
    MCD_TRY(MCD_ARENA_NEW(&owned->arena, arc, arcs, error));
    MCD_TRY(mcd_shape_new(&shape, &owned->arena, point_count(engine, run), error));
    for (size_t l = 0; l < run->leg_count; ++l) {
        mcd_node tail = run->depart[l].seed[0].node;
        leg[l].first_arc = route->arc_count;
        for (size_t i = 0; i < run->path[l].count; ++i) {
            const uint32_t number = run->path[l].arc[i];
            if (mcd_road_is_one(engine, number))
                arc[route->arc_count++] = describe_arc(run->query, number, tail, &shape);
            tail = engine->graph.head[number];
        }
        leg[l].last_arc = route->arc_count;
    }
    route->arc = arc;
    route->shape_count = shape.count;
    route->lon = shape.lon;
    route->lat = shape.lat;
    return MACADAM_OK;
}

static macadam_status take_legs(void *context, const mcd_path *path, size_t first, size_t count,
                                macadam_error *error)
{
    const route_run *run = context;
    for (size_t i = 0; i < count; ++i) {
        mcd_path *leg = &run->path[first + i];
        mcd_free(leg->arc);
        MCD_TRY(MCD_NEW(leg->arc, path[i].count, error));
        if (path[i].count) memcpy(leg->arc, path[i].arc, path[i].count * sizeof *leg->arc);
        leg->count = path[i].count;
    }
    return MACADAM_OK;
}

static macadam_status find_legs(route_run *run, const macadam_place *waypoint, macadam_error *error)
{
    const mcd_query *query = run->query;
    const size_t count = run->leg_count;
    MCD_TRY(mcd_query_lanes(query, waypoint, count, MCD_DEPART, "waypoint", &run->depart, NULL, error));
    MCD_TRY(mcd_query_lanes(query, waypoint + 1, count, MCD_ARRIVE, "waypoint", &run->arrive, NULL, error));
    MCD_TRY(MCD_NEW(run->objective, count, error));
    if (query->pair) MCD_TRY(MCD_NEW(run->companion, count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->path, count, error));
    const mcd_route_job job = {.weights = &query->metric->weights,
                               .source = run->depart,
                               .target = run->arrive,
                               .count = count,
                               .objective = run->objective,
                               .companion = run->companion,
                               .take = take_legs,
                               .take_context = run,
                               .parallel = query->engine->parallel,
                               .progress = query->progress};
    return query->backend->route(&job, error);
}

static macadam_status fill_route(owned_route *owned, route_run *run, const macadam_route_request *request,
                                 macadam_error *error)
{
    const mcd_query *query = run->query;
    macadam_snap *snap;
    macadam_leg *leg;
    owned->route.waypoint_count = request->waypoint_count;
    MCD_TRY(MCD_ARENA_NEW(&owned->arena, snap, request->waypoint_count, error));
    MCD_TRY(MCD_ARENA_NEW(&owned->arena, leg, run->leg_count, error));
    MCD_TRY(find_legs(run, request->waypoint, error));
    mcd_place_locate(&query->engine->places, &query->engine->parallel, request->waypoint,
                     request->waypoint_count, query->snap_radius_m, snap, NULL, NULL);
    for (size_t l = 0; l < run->leg_count; ++l) leg[l] = (macadam_leg){0};
    sum_values(query, run, &owned->route, leg);
    owned->route.waypoint = snap;
    owned->route.leg_count = run->leg_count;
    owned->route.leg = leg;
    return owned->route.found ? fill_arcs(owned, run, leg, error) : MACADAM_OK;
}

static macadam_status run_route(owned_route *owned, const mcd_query *query,
                                const macadam_route_request *request, macadam_error *error)
{
    if (request->waypoint_count < 2 || !request->waypoint)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu waypoints; a route has at least 2",
                        request->waypoint_count);
    route_run run = {.query = query, .leg_count = request->waypoint_count - 1};
    const macadam_status status = fill_route(owned, &run, request, error);
    mcd_free(run.depart);
    mcd_free(run.arrive);
    mcd_free(run.objective);
    mcd_free(run.companion);
    for (size_t l = 0; run.path && l < run.leg_count; ++l) mcd_free(run.path[l].arc);
    mcd_free(run.path);
    return status;
}

macadam_status macadam_route_find(macadam_engine *engine, const macadam_query *given,
                                  const macadam_route_request *request, macadam_route **out,
                                  macadam_error *error)
{
    macadam_route_request own = MACADAM_ROUTE_REQUEST_INIT;
    mcd_query query;
    owned_route *owned = NULL;
    if (!out) return mcd_fail(error, MACADAM_E_INVALID, "no place for the route");
    *out = NULL;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "route request", error));
    const mcd_backend *host = mcd_cpu_backend(); /* done before a device would have begun */
    macadam_status status = mcd_query_begin(&query, engine, host, given, MCD_NEED_PATHS, error);

    if (!status) status = MCD_NEW_ZEROED(owned, 1, error);
    if (!status) status = run_route(owned, &query, &own, error);
    mcd_query_end(&query);
    if (!status)
        *out = &owned->route;
    else if (owned)
        macadam_route_free(&owned->route);
    return status;
}

void macadam_route_free(macadam_route *route)
{
    if (!route) return;
    owned_route *owned = (owned_route *)route; /* its first member */
    mcd_arena_free(&owned->arena);
    mcd_free(owned);
}
