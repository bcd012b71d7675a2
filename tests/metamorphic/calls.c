/* calls.c - macadam_call answers as the typed calls do. */
#include "tests/metamorphic/metamorphic.h"

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

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

static void fill_query(Macadam__V1__Query *out, const meta_case *c)
{
    macadam__v1__query__init(out);
    out->metric = (char *)c->map->info.metric[c->metric];
    out->quantity = (char **)c->quantity, out->n_quantity = c->quantity_count;
    out->snap_any_component = c->any;
}

/* Returns NULL after a failure, else a reply to be freed. */
static Macadam__V1__Reply *call(const meta_case *c, const Macadam__V1__Request *request, char why[META_WHY])
{
    uint8_t *const data = meta_memory(macadam__v1__request__get_packed_size(request), 1);
    const size_t size = macadam__v1__request__pack(request, data);
    macadam_bytes bytes = {NULL, 0};
    macadam_error error;
    const bool works =
        meta_ok(macadam_call(c->engine, data, size, NULL, NULL, &bytes, &error), &error, "macadam_call", why);
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
    if (c->conditions) return META_SKIPPED;
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

/* A route through all sources: its legs and arcs. */
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
    if (c->conditions || c->source_count < 2) return META_SKIPPED;
    typed.waypoint = c->source, typed.waypoint_count = c->source_count;
    if (!meta_ok(macadam_route_find(c->engine, &typed_query, &typed, &route, &error), &error, "route", why))
        return META_FAILS;
    fill_query(&query, c);
    fill_places(&waypoint, c->source, c->source_count);
    macadam__v1__route_request__init(&ask);
    ask.waypoint = &waypoint;
    macadam__v1__request__init(&request);
    request.query = &query;
    request.ask_case = MACADAM__V1__REQUEST__ASK_ROUTE, request.route = &ask;
    Macadam__V1__Reply *const reply = call(c, &request, why);
    bool same = reply && reply->route->found == route->found;
    for (size_t l = 0; same && l < route->leg_count; ++l)
        for (size_t q = 0; q < meta_columns_of(&typed_query); ++q)
            same &= reply->route->leg->value[q]->value[l] == route->leg[l].value[q];
    for (size_t a = 0; same && a < route->arc_count; ++a)
        same &= reply->route->arc->number[a] == route->arc[a].arc;
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
