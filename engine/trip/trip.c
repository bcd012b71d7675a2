/* trip.c - trips: the matrix between the stops, the order that it gives, and the route in that order.
 *
 * Every kind of trip is a tour: an open one has one more stop, from and to which all ways are free. Where a
 * trip has to begin and end is said by closing ways. Stops that were not found are left out before the matrix, and those
 * outside of the largest strongly connected component of its cells after it.
 *
 * With a clock, the matrix is that of the trip's own instant, and the route of the order that it gives follows the clock. Then
 * a matrix in which every stop has the instant at which that route is there gives another order, as long as its route is
 * faster. */
#include "engine/base/arena.h"
#include "engine/base/options.h"
#include "engine/runtime/open.h"
#include "engine/trip/tour.h"

enum { ROUNDS = 3 }; /* of matrices after the first, with a clock */

typedef struct trip_run {
    macadam_engine *engine;
    macadam_query query; /* the caller's, with the objective as first quantity */
    const char *quantity[MACADAM_QUANTITIES_MAX];
    const macadam_query *given;
    macadam_trip_request *request; /* of the stops that are not left out */
    macadam_place *place;          /* [stops] these */
    uint32_t *position;            /* [stops] theirs in the caller's request */
    macadam_trip *out;
    size_t count;        /* stops of the tour: with the one that opens it */
    uint32_t *cost;      /* [count * count] */
    uint32_t *companion; /* [stops * stops] NULL: it is not requested; its overflow counts in the route too */
    int64_t least;       /* what the costs of all legs lack: lift_costs */
    uint32_t *order;
    macadam_clock clock; /* of size 0: there is none */
    uint32_t *instant;   /* [stops] with a clock: when the best route so far is there */
} trip_run;

/* ---- the costs of the tour ---- */

static uint32_t *cell(const trip_run *run, size_t from, size_t to)
{
    return &run->cost[from * run->count + to];
}

/* Closes all ways to `to` but the one from `from`, and all from `from` but that. */
static void force(const trip_run *run, size_t from, size_t to)
{
    for (size_t i = 0; i < run->count; ++i) {
        if (i != from) *cell(run, i, to) = MCD_TOUR_CLOSED;
        if (i != to) *cell(run, from, i) = MCD_TOUR_CLOSED;
    }
}

/* Adds the rules of the request to the costs between stops. */
static void add_rules(const trip_run *run)
{
    const macadam_trip_request *request = run->request;
    const size_t stops = request->stop_count, last = stops - 1;
    for (size_t i = 0; i < stops && request->open; ++i) *cell(run, stops, i) = *cell(run, i, stops) = 0;
    if (stops == 1) return;
    if (request->open) {
        if (request->from_first) force(run, stops, 0);
        if (request->to_last) force(run, last, stops);
    } else if (request->from_first && request->to_last) {
        force(run, last, 0);
    }
}

/* Makes signed costs unsigned: each of them less the least one. Every order has as many legs, so the same one is best. */
static macadam_status lift_costs(trip_run *run, macadam_error *error)
{
    const macadam_engine *const engine = run->engine;
    const size_t cells = run->request->stop_count * run->request->stop_count;
    size_t objective;
    int64_t least = MACADAM_COST_NONE;
    MCD_TRY(mcd_engine_find_quantity(engine, run->quantity[0], &objective, error));
    if (!engine->has_potential[objective]) return MACADAM_OK;
    for (size_t i = 0; i < cells; ++i)
        if (macadam_cost(run->cost[i], true) < least) least = macadam_cost(run->cost[i], true);
    for (size_t i = 0; i < cells; ++i) {
        const int64_t cost = macadam_cost(run->cost[i], true);
        run->cost[i] = cost == MACADAM_COST_NONE ? MCD_TOUR_CLOSED : (uint32_t)(cost - least);
    }
    const size_t stops = run->request->stop_count;
    run->least = least * (int64_t)(stops == 1 ? 0 : stops - run->request->open);
    return MACADAM_OK;
}

static macadam_status find_costs(trip_run *run, macadam_error *error)
{
    const size_t stops = run->request->stop_count;
    macadam_query query = run->query;
    macadam_clock clock = run->clock;
    run->count = stops + run->request->open;
    if (!run->cost) MCD_TRY(MCD_NEW(run->cost, run->count * run->count, error));
    if (run->instant) {
        const bool forward = clock.depart_count > 0;
        *(forward ? &clock.depart_count : &clock.arrive_count) = stops;
        *(forward ? &clock.depart : &clock.arrive_by) = run->instant;
        clock.each = true;
        query.clock = &clock;
    }
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = run->request->stop;
    request.source_count = request.target_count = stops;
    if (run->query.quantity_count > 1 && !run->companion)
        MCD_TRY(MCD_NEW(run->companion, stops * stops, error));
    uint32_t *const value[MACADAM_QUANTITIES_MAX] = {run->cost, run->companion};
    MCD_TRY(macadam_matrix_find_into(value, NULL, run->engine, &query, &request, error));
    MCD_TRY(lift_costs(run, error));
    for (size_t row = stops; row-- > 0;)
        memmove(run->cost + row * run->count, run->cost + row * stops, stops * sizeof *run->cost);
    return MACADAM_OK;
}

/* ---- the stops ---- */

/* Sets component[stop], and *largest to the largest component: of equal ones to that of the earliest stop. */
static macadam_status find_components(const trip_run *run, uint32_t *component, uint32_t *largest,
                                      uint32_t *size, macadam_error *error)
{
    const size_t stops = run->request->stop_count;
    MCD_FREED_BY(mcd_components_free) mcd_components found = {0};
    MCD_OWNED mcd_arc *first = NULL;
    MCD_OWNED mcd_node *head = NULL;
    mcd_arc count = 0;
    MCD_TRY(MCD_NEW_ZEROED(first, stops + 1, error));
    MCD_TRY(MCD_NEW(head, stops * stops, error));
    for (size_t x = 0; x < stops; ++x) {
        for (size_t y = 0; y < stops; ++y)
            if (*cell(run, x, y) != MCD_TOUR_CLOSED) head[count++] = (mcd_node)y;
        first[x + 1] = count;
    }
    const mcd_graph ways = {
        .node_count = (mcd_node)stops, .arc_count = count, .first_out = first, .head = head};
    MCD_TRY(mcd_components_new(&found, &ways, NULL, NULL, error));
    memcpy(component, found.component, stops * sizeof *component);
    *largest = 0;
    for (uint32_t i = 1; i < found.count; ++i)
        if (found.size[i] > found.size[*largest]) *largest = i;
    *size = found.size[*largest];
    return MACADAM_OK;
}

/* Leaves out the stops of other groups. Returns whether those that stay can be a trip. */
static bool keep(trip_run *run, macadam_snap *stop, const uint32_t *group, uint32_t kept)
{
    macadam_trip_request *const request = run->request;
    const size_t given = run->out->stop_count;
    size_t count = 0;
    for (size_t i = 0; i < request->stop_count; ++i) {
        const uint32_t at = run->position[i];
        if (group[i] == kept) {
            run->place[count] = run->place[i];
            run->position[count++] = at;
        } else if (macadam_place_is_found(stop[at].status)) {
            stop[at].status = MACADAM_PLACE_UNREACHED;
        }
    }
    request->stop_count = count;
    return (count == given || count > 1) && (!request->from_first || run->position[0] == 0) &&
           (!request->to_last || run->position[count - 1] == given - 1);
}

/* Lists the stops, and which were found: group[i]. */
static macadam_status list_stops(trip_run *run, const macadam_snap *stop, uint32_t *group,
                                 macadam_error *error)
{
    const size_t stops = run->request->stop_count;
    MCD_TRY(MCD_NEW(run->place, stops, error));
    MCD_TRY(MCD_NEW(run->position, stops, error));
    memcpy(run->place, run->request->stop, stops * sizeof *run->place);
    run->request->stop = run->place;
    for (size_t i = 0; i < stops; ++i) {
        run->position[i] = (uint32_t)i;
        group[i] = macadam_place_is_found(stop[i].status);
    }
    return MACADAM_OK;
}

/* ---- the order ---- */

/* Finds the order by the costs, to which it adds the rules: order[stop_count], and what it costs; MACADAM_COST_NONE: there is
 * none. */
static macadam_status find_order(trip_run *run, uint32_t *order, uint64_t *cost, macadam_error *error)
{
    const mcd_progress progress =
        mcd_engine_progress(run->engine, run->query.progress, run->query.progress_context);
    mcd_watch watch = mcd_watch_of(&progress, "trips");
    const mcd_tour_costs costs = {run->cost, run->count};
    if (!run->order) MCD_TRY(MCD_NEW(run->order, run->count, error));
    add_rules(run);
    uint64_t sum;
    MCD_TRY(mcd_tour_find(run->order, &sum, &costs, &watch, error));
    *cost = sum == UINT64_MAX ? MACADAM_COST_NONE : sum + (uint64_t)run->least; /* may be -1 */
    if (sum == UINT64_MAX) return MACADAM_OK;
    /* The stops in the trip's order, from those of the tour. */
    const macadam_trip_request *request = run->request;
    const size_t stops = request->stop_count;
    const uint32_t begin = request->open                              ? (uint32_t)stops
                           : request->to_last && !request->from_first ? (uint32_t)stops - 1
                                                                      : 0;
    size_t at = 0, first = 0;
    while (run->order[first] != begin) ++first;
    if (request->open || begin != 0) first = (first + 1) % run->count; /* the trip begins after it */
    for (size_t i = 0; i < run->count; ++i) {
        const uint32_t stop = run->order[(first + i) % run->count];
        if (stop < stops) order[at++] = stop;
    }
    return MACADAM_OK;
}

/* ---- the route ---- */

/* Stops are where the route passes them. The first one may be moved for the last leg only. */
static void report_stops(const macadam_trip *trip, macadam_snap *stop)
{
    const macadam_route *const route = trip->route;
    const macadam_snap *const last = &route->waypoint[route->waypoint_count - 1];
    for (size_t i = 0; i < trip->order_count; ++i) stop[trip->order[i]] = route->waypoint[i];
    const bool returns = route->waypoint_count > trip->order_count;
    if (returns && last->status == MACADAM_PLACE_MOVED) stop[trip->order[0]] = *last;
}

/* Finds the route of an order by the caller's query; by run->query only its costs. */
static macadam_status route_of(const trip_run *run, const macadam_query *query, const uint32_t *order,
                               macadam_route **out, macadam_error *error)
{
    const macadam_trip_request *request = run->request;
    const size_t stops = request->stop_count, count = stops + !request->open;
    MCD_OWNED macadam_place *waypoint = NULL;
    *out = NULL;
    if (count < 2) return MACADAM_OK;
    MCD_TRY(MCD_NEW(waypoint, count, error));
    for (size_t i = 0; i < count; ++i) waypoint[i] = request->stop[order[i % stops]];
    macadam_route_request own = MACADAM_ROUTE_REQUEST_INIT;
    own.via_turn = MACADAM_VIA_ANY; /* so that the legs cost what the order was chosen by */
    own.waypoint = waypoint;
    own.waypoint_count = count;
    own.costs_only = request->costs_only || query == &run->query;
    own.steps = request->steps;
    own.segments = request->segments;
    own.totals = request->totals;
    return macadam_route_find(out, run->engine, query, &own, error);
}

MCD_DEFINE_FREE_AT(free_route_at, macadam_route, macadam_route_free)

/* Finds what the route of an order costs by the clock, and when it is at each stop: it departs from a stop then (with an arrival,
 * it is there by then at the latest). */
static macadam_status time_route(trip_run *run, const uint32_t *order, uint64_t *cost, macadam_error *error)
{
    const bool forward = run->clock.depart_count > 0;
    const size_t stops = run->request->stop_count;
    MCD_FREED_BY(free_route_at) macadam_route *route = NULL;
    const uint32_t given = forward ? run->clock.depart[0] : run->clock.arrive_by[0],
                   week = given / MACADAM_WEEK_MS * MACADAM_WEEK_MS;
    int64_t now = given - week;
    MCD_TRY(route_of(run, &run->query, order, &route, error));
    *cost = !route ? 0 : route->found ? route->value[0] : MACADAM_COST_NONE;
    for (size_t i = 0; *cost != MACADAM_COST_NONE && i < stops; ++i) {
        const size_t legs = route ? route->leg_count : 0, at = forward ? i : legs - i;
        run->instant[order[at % stops]] = week + (uint32_t)now;
        if (i < legs) now += forward ? route->leg[i].value[0] : -(int64_t)route->leg[at - 1].value[0];
        now = (now % MACADAM_WEEK_MS + MACADAM_WEEK_MS) % MACADAM_WEEK_MS;
    }
    return MACADAM_OK;
}

/* Chooses the order by the clock. */
static macadam_status follow_clock(trip_run *run, uint32_t *order, macadam_error *error)
{
    const size_t stops = run->request->stop_count;
    MCD_OWNED uint32_t *next = NULL;
    uint64_t cost;
    MCD_TRY(MCD_NEW(next, stops, error));
    MCD_TRY(MCD_NEW(run->instant, stops, error));
    memcpy(next, order, stops * sizeof *next);
    run->out->cost = MACADAM_COST_NONE;
    for (int round = 0;; ++round) {
        MCD_TRY(time_route(run, next, &cost, error));
        if (cost >= run->out->cost) return MACADAM_OK;
        run->out->cost = cost;
        memcpy(order, next, stops * sizeof *next);
        if (round == ROUNDS) return MACADAM_OK;
        MCD_TRY(find_costs(run, error));
        MCD_TRY(find_order(run, next, &cost, error));
        if (cost == MACADAM_COST_NONE || memcmp(next, order, stops * sizeof *next) == 0) return MACADAM_OK;
    }
}

static macadam_status find_route(const trip_run *run, uint32_t *order, macadam_snap *stop,
                                 macadam_error *error)
{
    macadam_trip *const out = run->out;
    macadam_route *route;
    MCD_TRY(route_of(run, run->given, order, &route, error));
    out->route = route;
    out->found = !route || route->found; /* else no route costs as much */
    if (!out->found) return MACADAM_OK;
    out->order = order;
    out->order_count = run->request->stop_count;
    for (size_t i = 0; i < out->order_count; ++i) order[i] = run->position[order[i]];
    if (route) report_stops(out, stop);
    return MACADAM_OK;
}

/* Puts the objective before the other requested quantity. */
static macadam_status choose_quantities(trip_run *run, macadam_error *error)
{
    macadam_query *const query = &run->query;
    size_t metric = 0, count = 1;
    if (query->metric) MCD_TRY(mcd_engine_find_metric(run->engine, query->metric, &metric, error));
    run->quantity[0] = run->engine->metric_name[metric];
    const char *const companion = run->engine->metric_companion[metric];
    const bool is_read =
        query->quantity && query->quantity_count <= MACADAM_QUANTITIES_MAX; /* else a route is refused */
    for (size_t q = 0; is_read && q < query->quantity_count; ++q)
        if (query->quantity[q] && companion && strcmp(query->quantity[q], companion) == 0 && count == 1)
            run->quantity[count++] = companion;
    query->quantity = run->quantity;
    query->quantity_count = count;
    return MACADAM_OK;
}

/* Finds the order of the stops that were found; if there is none, of those that all reach each other. `group` is scratch. */
static macadam_status order_stops(trip_run *run, macadam_snap *stop, uint32_t *order, uint32_t *group,
                                  macadam_error *error)
{
    uint32_t largest, size;
    uint64_t *const cost = &run->out->cost;
    MCD_TRY(find_costs(run, error));
    MCD_TRY(find_components(run, group, &largest, &size, error));
    const bool is_whole = size == run->request->stop_count;
    *cost = MACADAM_COST_NONE;
    if (is_whole || run->request->open) MCD_TRY(find_order(run, order, cost, error));
    if (is_whole || *cost != MACADAM_COST_NONE || size < 2 || !keep(run, stop, group, largest))
        return MACADAM_OK;
    MCD_TRY(find_costs(run, error));
    return find_order(run, order, cost, error);
}

static macadam_status find_trip(trip_run *run, macadam_error *error)
{
    const macadam_trip_request *request = run->request;
    MCD_OWNED uint32_t *group = NULL;
    macadam_snap *stop;
    uint32_t *order;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(run->out), stop, request->stop_count, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(run->out), order, request->stop_count, error));
    MCD_TRY(macadam_snap_find(stop, run->engine, &run->query, request->stop, request->stop_count, error));
    run->out->stop_count = request->stop_count;
    run->out->stop = stop;
    MCD_TRY(MCD_NEW(group, request->stop_count, error));
    MCD_TRY(list_stops(run, stop, group, error));
    if (!keep(run, stop, group, true)) return MACADAM_OK;
    MCD_TRY(order_stops(run, stop, order, group, error));
    if (run->out->cost == MACADAM_COST_NONE) return MACADAM_OK;
    if (run->clock.size) MCD_TRY(follow_clock(run, order, error));
    return find_route(run, order, stop, error);
}

static macadam_status adopt_clock(trip_run *run, macadam_error *error)
{
    if (!run->query.clock) return MACADAM_OK;
    MCD_TRY(mcd_options_adopt(&run->clock, sizeof run->clock, run->query.clock, "clock", error));
    const size_t count = run->clock.depart_count + run->clock.arrive_count;
    if (count != 1) return mcd_fail_invalid(error, "%zu instants of a clock; a trip has one", count);
    run->clock.size = sizeof run->clock;
    run->clock.each = false;
    run->query.clock = &run->clock;
    return MACADAM_OK;
}

static macadam_status check_request(const macadam_trip_request *request, macadam_error *error)
{
    if (request->stop_count < 1 || request->stop_count > MACADAM_TRIP_STOPS_MAX || !request->stop)
        return mcd_fail_invalid(error, "%zu stops; a trip has 1 to %d", request->stop_count,
                                MACADAM_TRIP_STOPS_MAX);
    if (request->open && request->from_first && request->to_last && request->stop_count == 1)
        return mcd_fail_invalid(error, "an open trip from the first stop to the last needs two stops");
    return MACADAM_OK;
}

/* Finds a route between any two places: it fails if the caller's query is bad. */
static macadam_status check_query(const trip_run *run, macadam_error *error)
{
    static const macadam_place any[2];
    MCD_FREED_BY(free_route_at) macadam_route *route = NULL;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = any;
    request.waypoint_count = 2;
    request.costs_only = true;
    return macadam_route_find(&route, run->engine, run->given, &request, error);
}

static void release(trip_run *run)
{
    MCD_FREE_ALL(run->cost, run->companion, run->order, run->instant, run->place, run->position);
    macadam_trip_free(run->out);
}

macadam_status macadam_trip_find(macadam_trip **out, macadam_engine *engine, const macadam_query *query,
                                 const macadam_trip_request *request, macadam_error *error)
{
    macadam_trip_request own = MACADAM_TRIP_REQUEST_INIT;
    MCD_FREED_BY(release) trip_run run = {.query = MACADAM_QUERY_INIT, .given = query, .request = &own};
    MCD_TRY(mcd_answer_clear(out, "trip", error));
    MCD_TRY(mcd_request_begin(&engine, query, &own, sizeof own, request, "trip request", error));
    run.engine = engine;
    MCD_TRY(check_request(&own, error));
    if (query) MCD_TRY(mcd_options_adopt(&run.query, sizeof run.query, query, "query", error));
    run.query.size = sizeof run.query;
    MCD_TRY(adopt_clock(&run, error));
    MCD_TRY(choose_quantities(&run, error));
    MCD_TRY(MCD_ANSWER_NEW(run.out, error));
    MCD_TRY(find_trip(&run, error));
    if (!run.out->route) MCD_TRY(check_query(&run, error));
    return MCD_MOVE(*out, run.out);
}

void macadam_trip_free(macadam_trip *trip)
{
    if (trip) macadam_route_free((macadam_route *)trip->route);
    mcd_answer_free(trip);
}
