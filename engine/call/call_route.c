/* call_route.c - route requests: one route with its path, in columns. */
#include "engine/call/call.h"

#include <math.h>

/* The messages of one reply, kept together until the reply is packed. */
typedef struct route_reply {
    Macadam__V1__RouteReply route;
    Macadam__V1__Legs leg;
    Macadam__V1__RouteArcs arc;
    Macadam__V1__Segments segment;
    mcd_columns leg_value, arc_value, segment_value;
} route_reply;

static macadam_status encode_legs(mcd_call *call, const macadam_route *route, route_reply *out)
{
    const size_t count = route->leg_count;
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    MCD_TRY(mcd_call_new_values(call, count, value));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->leg.first_arc, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->leg.last_arc, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->leg.first_step, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->leg.last_step, count, call->error));
    out->leg.n_first_step = out->leg.n_last_step = route->step_count ? count : 0;
    for (size_t i = 0; i < count; ++i) {
        const macadam_leg *leg = &route->leg[i];
        for (size_t q = 0; q < call->quantity_count; ++q) value[q][i] = leg->value[q];
        out->leg.first_arc[i] = leg->first_arc;
        out->leg.last_arc[i] = leg->last_arc;
        out->leg.first_step[i] = leg->first_step;
        out->leg.last_step[i] = leg->last_step;
    }
    mcd_columns_borrow(&out->leg_value, call, (const uint32_t *const *)value, count);
    out->leg.n_value = call->quantity_count;
    out->leg.value = out->leg_value.list;
    out->leg.n_first_arc = out->leg.n_last_arc = count;
    return MACADAM_OK;
}

static macadam_status new_arcs(mcd_call *call, size_t count, Macadam__V1__RouteArcs *out)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->tail, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->head, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->number, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->way, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->first_shape, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->last_shape, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->name, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->names, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->from, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->to, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->price, count * call->quantity_count, call->error));
    out->n_tail = out->n_head = out->n_number = out->n_way = out->n_first_shape = out->n_last_shape = count;
    out->n_from = out->n_to = count;
    out->n_price = count * call->quantity_count;
    return MACADAM_OK;
}

static macadam_status encode_arcs(mcd_call *call, const macadam_route *route, route_reply *out)
{
    const size_t count = route->arc_count;
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    MCD_TRY(mcd_call_new_values(call, count, value));
    MCD_TRY(new_arcs(call, count, &out->arc));
    for (size_t i = 0; i < count; ++i) {
        const macadam_route_arc *arc = &route->arc[i];
        out->arc.tail[i] = arc->tail;
        out->arc.head[i] = arc->head;
        out->arc.number[i] = arc->arc;
        out->arc.way[i] = arc->way;
        out->arc.first_shape[i] = arc->first_shape;
        out->arc.last_shape[i] = arc->last_shape;
        out->arc.from[i] = arc->from;
        out->arc.to[i] = arc->to;
        MCD_TRY(mcd_call_encode_name(call, arc->name, out->arc.name, &out->arc.n_name, out->arc.names,
                                     &out->arc.n_names));
        for (size_t q = 0; q < call->quantity_count; ++q) {
            value[q][i] = arc->value[q];
            out->arc.price[i * call->quantity_count + q] = arc->price[q];
        }
    }
    mcd_columns_borrow(&out->arc_value, call, (const uint32_t *const *)value, count);
    out->arc.n_value = call->quantity_count;
    out->arc.value = out->arc_value.list;
    return MACADAM_OK;
}

static macadam_status encode_heights(mcd_call *call, const macadam_route *route, Macadam__V1__RouteReply *out)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->height_dm, route->shape_count, call->error));
    for (size_t i = 0; i < route->shape_count; ++i)
        out->height_dm[i] = (int32_t)lround(route->height_m[i] * 10);
    out->n_height_dm = route->shape_count;
    return MACADAM_OK;
}

static macadam_status encode_segments(mcd_call *call, const macadam_route *route, route_reply *out)
{
    Macadam__V1__Segments *const segment = &out->segment;
    const size_t count = route->segment_count;
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    if (count == 0) return MACADAM_OK;
    MCD_TRY(mcd_call_new_values(call, count, value));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, segment->arc, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, segment->from, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, segment->to, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, segment->length_m, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, segment->speed_kmh, count, call->error));
    segment->n_arc = segment->n_from = segment->n_to = segment->n_length_m = segment->n_speed_kmh = count;
    for (size_t i = 0; i < count; ++i) {
        const macadam_segment *const from = &route->segment[i];
        for (size_t q = 0; q < call->quantity_count; ++q) value[q][i] = from->value[q];
        segment->arc[i] = from->arc;
        segment->from[i] = from->from;
        segment->to[i] = from->to;
        segment->length_m[i] = from->length_m;
        segment->speed_kmh[i] = from->speed_kmh;
    }
    mcd_columns_borrow(&out->segment_value, call, (const uint32_t *const *)value, count);
    segment->n_value = call->quantity_count;
    segment->value = out->segment_value.list;
    out->route.segment = segment;
    return MACADAM_OK;
}

/* Fills `out` in the call's arena; not the waypoints. */
static macadam_status encode_way(mcd_call *call, const macadam_route *route, const char *language,
                                 Macadam__V1__RouteReply **out)
{
    route_reply *own;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, own, 1, call->error));
    *own = (route_reply){
        .route = MACADAM__V1__ROUTE_REPLY__INIT,
        .leg = MACADAM__V1__LEGS__INIT,
        .arc = MACADAM__V1__ROUTE_ARCS__INIT,
        .segment = MACADAM__V1__SEGMENTS__INIT,
    };
    MCD_TRY(encode_legs(call, route, own));
    MCD_TRY(encode_arcs(call, route, own));
    MCD_TRY(encode_segments(call, route, own));
    MCD_TRY(mcd_call_encode_points(call, route->lon, route->lat, route->shape_count, &own->route.lon_e7,
                                   &own->route.lat_e7));
    own->route.n_lon_e7 = own->route.n_lat_e7 = route->shape_count;
    if (route->height_m) MCD_TRY(encode_heights(call, route, &own->route));
    MCD_TRY(mcd_call_encode_steps(call, route, language, &own->route));
    own->route.found = route->found;
    own->route.reason = (Macadam__V1__RouteReason)route->reason;
    own->route.reason_waypoint = route->reason_waypoint;
    own->route.n_value = call->quantity_count;
    own->route.value = (uint32_t *)route->value; /* packing only reads it */
    own->route.n_total = route->total_count;
    own->route.total = (int64_t *)route->total; /* likewise */
    own->route.leg = &own->leg;
    own->route.arc = &own->arc;
    *out = &own->route;
    return MACADAM_OK;
}

macadam_status mcd_call_encode_route(mcd_call *call, const macadam_route *route, const char *language,
                                     Macadam__V1__RouteReply **out)
{
    MCD_TRY(encode_way(call, route, language, out));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, (*out)->waypoint, 1, call->error));
    return mcd_call_encode_snaps(call, route->waypoint, route->waypoint_count, (*out)->waypoint);
}

static macadam_status send_route(mcd_call *call, const macadam_route *route, const char *language)
{
    Macadam__V1__RouteReply *out;
    MCD_TRY(mcd_call_encode_route(call, route, language, &out));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->alternative, route->alternative_count, call->error));
    for (size_t i = 0; i < route->alternative_count; ++i)
        MCD_TRY(encode_way(call, route->alternative[i], language, &out->alternative[i]));
    out->n_alternative = route->alternative_count;

    Macadam__V1__Reply reply = MACADAM__V1__REPLY__INIT;
    reply.answer_case = MACADAM__V1__REPLY__ANSWER_ROUTE;
    reply.route = out;
    return mcd_call_send(call, &reply);
}

macadam_status mcd_call_route(mcd_call *call, const Macadam__V1__RouteRequest *request)
{
    macadam_route_request typed = MACADAM_ROUTE_REQUEST_INIT;
    MCD_TRY(mcd_call_decode_places(call, "route.waypoint", request->waypoint, &typed.waypoint,
                                   &typed.waypoint_count));
    typed.steps = request->steps || *request->language;
    typed.segments = request->segments;
    typed.totals = request->totals;
    typed.costs_only = request->costs_only;
    typed.via_turn = (macadam_via_turn)request->via_turn;
    typed.alternative_count = request->alternatives;
    typed.alternative_stretch = request->alternative_stretch;
    typed.alternative_sharing = request->alternative_sharing;
    typed.alternative_optimality = request->alternative_optimality;
    macadam_route *route;
    MCD_TRY(macadam_route_find(call->engine, &call->query, &typed, &route, call->error));
    const macadam_status status = send_route(call, route, request->language);
    macadam_route_free(route);
    return status;
}
