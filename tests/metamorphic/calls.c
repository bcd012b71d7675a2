/* calls.c - macadam_call answers as the typed calls do. */
#include "tests/metamorphic/metamorphic.h"

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

#include <math.h>
#include <string.h>

/* The places in columns, with all columns of points. */
static void fill_places(Macadam__V1__Places *out, const macadam_place *place, size_t count)
{
    macadam__v1__places__init(out);
    out->node = meta_memory(count, sizeof *out->node);
    out->kind = meta_memory(count, sizeof *out->kind);
    out->side = meta_memory(count, sizeof *out->side);
    double **const column[] = {&out->lon, &out->lat, &out->heading, &out->heading_tolerance, &out->radius_m};
    for (size_t i = 0; i < 5; ++i) *column[i] = meta_memory(count, sizeof **column[i]);
    size_t points = 0;
    for (size_t i = 0; i < count; ++i) {
        const macadam_place *const p = &place[i];
        out->kind[i] = (Macadam__V1__Places__Kind)p->kind;
        if (p->kind == MACADAM_PLACE_NODE) {
            out->node[out->n_node++] = p->id;
            continue;
        }
        out->lon[points] = p->lon, out->lat[points] = p->lat;
        out->heading[points] = p->heading, out->heading_tolerance[points] = p->heading_tolerance;
        out->radius_m[points] = p->radius_m, out->side[points++] = (Macadam__V1__Places__Side)p->side;
    }
    out->n_kind = count;
    out->n_lon = out->n_lat = out->n_heading = out->n_heading_tolerance = out->n_radius_m = out->n_side =
        points;
}

static Macadam__V1__Conditions *conditions_of(const macadam_conditions *c)
{
    Macadam__V1__Conditions *const out = meta_memory(1, sizeof *out);
    macadam__v1__conditions__init(out);
    out->avoid = c->avoid, out->height_m = c->height_m, out->slot = (char *)c->slot;
    out->area = meta_memory(c->area_count, sizeof *out->area);
    for (size_t i = 0; i < c->area_count; ++i) {
        Macadam__V1__Area *const area = out->area[out->n_area++] = meta_memory(1, sizeof *area);
        macadam__v1__area__init(area);
        area->lon = (double *)c->area[i].lon, area->n_lon = c->area[i].point_count;
        area->lat = (double *)c->area[i].lat, area->n_lat = c->area[i].point_count;
    }
    out->factor = meta_memory(c->factor_count, sizeof *out->factor);
    for (size_t i = 0; i < c->factor_count; ++i) {
        Macadam__V1__ClassFactor *const factor = out->factor[out->n_factor++] =
            meta_memory(1, sizeof *factor);
        macadam__v1__class_factor__init(factor);
        factor->road_class = (char *)c->factor[i].road_class, factor->factor = c->factor[i].factor;
    }
    return out;
}

static void fill_query(Macadam__V1__Query *out, const meta_case *c)
{
    macadam__v1__query__init(out);
    out->metric = (char *)c->map->info.metric[c->metric];
    out->quantity = (char **)c->quantity, out->n_quantity = c->quantity_count;
    out->snap_any_component = c->any;
    if (c->conditions) out->conditions = conditions_of(c->conditions);
}

/* Returns NULL after a failure, else a reply to be freed. */
static Macadam__V1__Reply *call(const meta_case *c, const Macadam__V1__Request *request, char why[META_WHY])
{
    uint8_t *const data = meta_memory(macadam__v1__request__get_packed_size(request), 1);
    const size_t size = macadam__v1__request__pack(request, data);
    macadam_bytes bytes = {NULL, 0};
    macadam_error error;
    const bool works =
        meta_ok(macadam_call(&bytes, c->engine, data, size, NULL, NULL, &error), &error, "macadam_call", why);
    Macadam__V1__Reply *const reply = works ? macadam__v1__reply__unpack(NULL, bytes.size, bytes.data) : NULL;
    macadam_bytes_free(&bytes);
    return reply;
}

static meta_verdict call_is_matrix(const meta_case *c, char why[META_WHY])
{
    Macadam__V1__Request request;
    Macadam__V1__Query query;
    Macadam__V1__MatrixRequest matrix;
    Macadam__V1__Places source, target;
    meta_table typed, called;
    if (!meta_matrix_of(&typed, c, c->engine, why)) return META_FAILS;
    fill_query(&query, c);
    fill_places(&source, c->source, c->source_count);
    fill_places(&target, c->target, c->target_count);
    macadam__v1__matrix_request__init(&matrix);
    matrix.source = &source, matrix.target = &target;
    macadam__v1__request__init(&request);
    request.query = &query;
    request.ask_case = MACADAM__V1__REQUEST__ASK_MATRIX, request.matrix = &matrix;
    Macadam__V1__Reply *const reply = call(c, &request, why);
    if (!reply) return META_FAILS;
    const Macadam__V1__MatrixTile *const tile = reply->matrix;
    called = typed;
    called.status = meta_memory(typed.rows + typed.columns, sizeof *called.status);
    for (size_t i = 0; i < typed.rows; ++i) called.status[i] = (macadam_place_status)tile->source_status[i];
    for (size_t i = 0; i < typed.columns; ++i)
        called.status[typed.rows + i] = (macadam_place_status)tile->target_status[i];
    for (size_t q = 0; q < typed.quantity_count; ++q) called.value[q] = tile->value[q]->value;
    const meta_verdict verdict = meta_same(&typed, &called, "macadam_call", why);
    macadam__v1__reply__free_unpacked(reply, NULL);
    return verdict;
}

static bool is_same_speed(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

/* Whether the reply has the route's legs, arcs, segments, totals and heights. */
static bool is_same_route(const Macadam__V1__RouteReply *reply, const macadam_route *route, size_t columns)
{
    bool same = reply->found == route->found && reply->arc->n_number == route->arc_count &&
                reply->n_total == route->total_count &&
                reply->n_height_dm == (route->height_m ? route->shape_count : 0);
    for (size_t q = 0; same && q < columns; ++q) {
        for (size_t l = 0; l < route->leg_count; ++l)
            same &= reply->leg->value[q]->value[l] == route->leg[l].value[q];
        for (size_t a = 0; a < route->arc_count; ++a)
            same &= reply->arc->value[q]->value[a] == route->arc[a].value[q];
        for (size_t i = 0; i < route->segment_count; ++i)
            same &= reply->segment->value[q]->value[i] == route->segment[i].value[q];
    }
    for (size_t a = 0; same && a < route->arc_count; ++a) same = reply->arc->number[a] == route->arc[a].arc;
    for (size_t i = 0; same && i < route->segment_count; ++i)
        same = reply->segment->from[i] == route->segment[i].from &&
               reply->segment->to[i] == route->segment[i].to &&
               reply->segment->arc[i] == route->segment[i].arc &&
               is_same_speed(reply->segment->speed_kmh[i], route->segment[i].speed_kmh);
    for (size_t q = 0; same && q < route->total_count; ++q) same = reply->total[q] == route->total[q];
    for (size_t i = 0; same && i < reply->n_height_dm; ++i)
        same = fabs(reply->height_dm[i] / 10.0 - route->height_m[i]) <= 0.051; /* rounded */
    return same;
}

/* A route through all sources. */
static meta_verdict call_is_route(const meta_case *c, char why[META_WHY])
{
    Macadam__V1__Request request;
    Macadam__V1__Query query;
    Macadam__V1__RouteRequest ask;
    Macadam__V1__Places waypoint;
    const macadam_query typed_query = meta_query(c);
    macadam_route_request typed = MACADAM_ROUTE_REQUEST_INIT;
    macadam_route *route;
    macadam_error error;
    if (c->source_count < 2) return META_SKIPPED;
    typed.waypoint = c->source, typed.waypoint_count = c->source_count;
    typed.segments = typed.totals = true;
    if (!meta_ok(macadam_route_find(&route, c->engine, &typed_query, &typed, &error), &error, "route", why))
        return META_FAILS;
    fill_query(&query, c);
    fill_places(&waypoint, c->source, c->source_count);
    macadam__v1__route_request__init(&ask);
    ask.waypoint = &waypoint, ask.segments = ask.totals = true;
    macadam__v1__request__init(&request);
    request.query = &query;
    request.ask_case = MACADAM__V1__REQUEST__ASK_ROUTE, request.route = &ask;
    Macadam__V1__Reply *const reply = call(c, &request, why);
    const bool same = reply && is_same_route(reply->route, route, meta_columns_of(&typed_query));
    if (reply && !same) meta_fail(why, "macadam_call has another route, of %u", route->value[0]);
    macadam_route_free(route);
    if (reply) macadam__v1__reply__free_unpacked(reply, NULL);
    return same ? META_HOLDS : META_FAILS;
}

const meta_relation meta_calls[] = {
    {"call_is_matrix", call_is_matrix, 6, 4, 12, 12},
    {"call_is_route", call_is_route, 6, 4, 6, 1},
    {0},
};
