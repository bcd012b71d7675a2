/* call_found.c - the requests whose answer is one structure of macadam.h: route, trip, match, connect, isochrone, rings,
 * roads. */
#include "engine/call/call.h"

#include <math.h>

#include "engine/base/utf8.h"

static_assert((int)MACADAM__V1__MATCH_STATUS__MATCH_OMITTED == (int)MACADAM_MATCH_OMITTED,
              "a MatchStatus has the values of macadam_match_status");

enum { TEXT_BYTES = 1024 };

/* ---- routes ---- */

static int32_t branch_number(const macadam_intersection *at, size_t branch)
{
    return branch == MACADAM_BRANCH_NONE ? -1 : (int32_t)(branch - at->first_branch);
}

static macadam_status finish_intersection(mcd_call *call, const macadam_route *route,
                                          const macadam_intersection *at, Macadam__V1__Intersection *out)
{
    MCD_TRY(MCD_CALL_FILL(call, branch, &route->branch[at->first_branch], at->end_branch - at->first_branch,
                          out));
    out->in = branch_number(at, at->in);
    out->out = branch_number(at, at->out);
    return MCD_CALL_FILL(call, lane, &route->lane[at->first_lane], at->end_lane - at->first_lane, out);
}

static macadam_status finish_step(mcd_call *call, const macadam_route *route, const macadam_step *step,
                                  Macadam__V1__Step *out)
{
    const macadam_intersection *const at = &route->intersection[step->first_intersection];
    const size_t count = step->end_intersection - step->first_intersection;
    char text[TEXT_BYTES];
    if (call->text.language) {
        MCD_TRY(macadam_route_text(text, sizeof text, route, (size_t)(step - route->step), &call->text,
                                   call->error));
        MCD_TRY(MCD_ARENA_NEW(&call->arena, out->text, strlen(text) + 1, call->error));
        mcd_utf8_repair(strcpy(out->text, text));
    }
    out->type = (char *)macadam_maneuver_type_name(step->type); /* packing only reads them */
    out->modifier = (char *)macadam_modifier_name(step->modifier);
    MCD_TRY(MCD_CALL_FILL(call, road_facts, step->facts, 1, out));
    MCD_TRY(MCD_CALL_NEW_MESSAGES(call, macadam__v1__intersection__descriptor, count, &out->intersection));
    out->n_intersection = count;
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(MCD_CALL_FILL(call, intersection, &at[i], 1, out->intersection[i]));
        MCD_TRY(finish_intersection(call, route, &at[i], out->intersection[i]));
    }
    return MACADAM_OK;
}

macadam_status mcd_call_finish_route(mcd_call *call, const macadam_route *route, Macadam__V1__RouteReply *out)
{
    if (route->step_count == 0) out->leg->n_first_step = out->leg->n_end_step = 0;
    if (route->segment_count == 0) out->segment = NULL;
    for (size_t i = 0; i < route->alternative_count; ++i) out->alternative[i]->waypoint = NULL;
    for (size_t i = 0; i < route->step_count; ++i)
        MCD_TRY(finish_step(call, route, &route->step[i], out->step[i]));
    return MACADAM_OK;
}

/* ---- requests ---- */

/* Takes what a request says of the text of steps, and checks it although there may be no steps. */
static macadam_status take_text(mcd_call *call, const char *language, Macadam__V1__Units units, bool lanes)
{
    size_t i = 0;
    call->text.language = *language ? language : NULL;
    call->text.units = (macadam_units)units;
    call->text.lanes = lanes;
    if ((unsigned)units > MACADAM_UNITS_IMPERIAL)
        return mcd_fail_invalid(call->error, "%d is not a macadam_units", (int)units);
    while (*language && macadam_language_name(i) && strcmp(macadam_language_name(i), language) != 0) ++i;
    return macadam_language_name(i)
               ? MACADAM_OK
               : mcd_fail_invalid(call->error, "language \"%.16s\": not known", language);
}

#define TAKE_STEPS(call, request, typed)                                                                     \
    (typed)->steps = (request)->steps || *(request)->language;                                               \
    MCD_TRY(take_text(call, (request)->language, (request)->units, (request)->lane_phrases))

/* Waypoints that are passed without a stop: all are listed, or none. */
static macadam_status check_passes(const mcd_call *call, const char *name, size_t given, size_t count)
{
    if (given == 0 || given == count) return MACADAM_OK;
    return mcd_fail_invalid(call->error, "%s has %zu passes for %zu points", name, given, count);
}

static macadam_status take_points(mcd_call *call, const Macadam__V1__MatchRequest *request,
                                  macadam_match_request *out)
{
    macadam_trace_point *point;
    const size_t count = request->n_lon;
    if (request->n_lat != count)
        return mcd_fail_invalid(call->error, "match has %zu lon but %zu lat", count, request->n_lat);
    MCD_TRY(check_passes(call, "match", request->n_passes, count));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, point, count, call->error));
    for (size_t i = 0; i < count; ++i) point[i] = (macadam_trace_point){.time_s = NAN};
    out->point = point;
    out->point_count = count;
    return mcd_call_decode_columns(call, "match", &request->base, mcd_number_of_macadam_trace_point, count,
                                   point);
}

/* Sends the answer, and leaves the route to the caller. */
static macadam_status give_route(mcd_call *call, const ProtobufCMessage *answer, macadam_route **found)
{
    MCD_TRY(mcd_call_send(call, answer));
    *call->route = *found;
    *found = NULL;
    return MACADAM_OK;
}

/* The request `type` is decoded into `typed` and completed by `complete`; `find` gives *found, of which
 * `fill` makes the reply. */
#define ANSWER(name, message, type, complete, answer, find, fill)                                            \
    MCD_DEFINE_FREE_AT(free_##name, macadam_##answer, macadam_##answer##_free)                               \
    macadam_status mcd_call_##name(mcd_call *call, const Macadam__V1__##message##Request *request)           \
    {                                                                                                        \
        macadam_##type typed;                                                                                \
        MCD_FREED_BY(free_##name) macadam_##answer *found = NULL;                                            \
        Macadam__V1__##message##Reply reply;                                                                 \
        macadam__v1__##name##_reply__init(&reply);                                                           \
        MCD_TRY(MCD_CALL_DECODE(call, #name, type, request, &typed));                                        \
        complete;                                                                                            \
        MCD_TRY(find);                                                                                       \
        fill;                                                                                                \
        return mcd_call_send(call, &reply.base);                                                             \
    }
#define FIND(function) macadam_##function(&found, call->engine, &call->query, &typed, call->error)
/* Fills a part of the reply. */
#define FILL_OF(type, rows, count, out) MCD_TRY(MCD_CALL_FILL(call, type, rows, count, out))
#define FILL(type)                      FILL_OF(type, found, 1, &reply)

ANSWER(route, Route, route_request, TAKE_STEPS(call, request, &typed);
       MCD_TRY(check_passes(call, "route", request->n_passes,
                            request->waypoint ? request->waypoint->n_node + request->waypoint->n_lon : 0)),
       route, FIND(route_find), FILL(route);
       if (call->route) return give_route(call, &reply.base, &found))
ANSWER(trip, Trip, trip_request, TAKE_STEPS(call, request, &typed), trip, FIND(trip_find), FILL(trip))
ANSWER(match, Match, match_request, TAKE_STEPS(call, request, &typed);
       MCD_TRY(take_points(call, request, &typed)), matches, FIND(match_find), FILL(matches);
       FILL_OF(match_point, found->point, found->point_count, &reply))
ANSWER(connect, Connect, connection_request, , connection, FIND(connection_find), FILL(connection))
ANSWER(isochrone, Isochrone, isochrone_request, , isochrone, FIND(isochrone_find), FILL(isochrone);
       FILL_OF(reached_arc, found->arc, found->arc_count, &reply);
       FILL_OF(isochrone, found, 1, reply.road)) /* its points */
ANSWER(rings, Rings, rings_request, , rings, FIND(rings_find), FILL(rings))
ANSWER(roads, Roads, box, , roads, macadam_roads_find(&found, call->engine, &typed, call->error), FILL(roads);
       FILL_OF(roads, found, 1, reply.road)) /* its points */
