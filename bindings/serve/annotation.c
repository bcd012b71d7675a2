/* annotation.c - see annotation.h. */
#include "bindings/serve/annotation.h"
#include "bindings/serve/stops.h"

#include <math.h>

/* The stretches of an arc in the order of travel. */
typedef struct stretches {
    const macadam_route *route;
    const macadam_route_arc *arc;
    size_t point;                           /* where the stretch begins */
    double length_m, done_m;                /* of the arc, and of its stretches so far */
    uint64_t spent[MACADAM_QUANTITIES_MAX]; /* costs of the stretches so far */
    uint64_t value[MACADAM_QUANTITIES_MAX]; /* costs of this stretch */
} stretches;

static double length_at(const macadam_route *route, size_t point)
{
    return serve_stops_metres(route->lon[point], route->lat[point], route->lon[point + 1],
                              route->lat[point + 1]);
}

static bool is_repeated(const macadam_route *route, size_t point)
{
    return route->lon[point] == route->lon[point + 1] && route->lat[point] == route->lat[point + 1];
}

static void begin(stretches *at, const macadam_route *route, const macadam_route_arc *arc)
{
    *at = (stretches){.route = route, .arc = arc, .point = arc->first_shape};
    for (size_t i = arc->first_shape; i + 1 < arc->last_shape; ++i) at->length_m += length_at(route, i);
}

/* The next stretch that has a length. The last one takes what is left of the costs. */
static bool next(stretches *at)
{
    const size_t last = at->arc->last_shape;
    while (at->point + 1 < last && is_repeated(at->route, at->point)) ++at->point;
    if (at->point + 1 >= last) return false;
    at->done_m += length_at(at->route, at->point);
    size_t rest = ++at->point;
    while (rest + 1 < last && is_repeated(at->route, rest)) ++rest;
    const double part = rest + 1 >= last || at->length_m == 0 ? 1 : at->done_m / at->length_m;
    for (size_t q = 0; q < MACADAM_QUANTITIES_MAX; ++q) {
        const uint64_t until = (uint64_t)llround(part * at->arc->value[q]);
        at->value[q] = until - at->spent[q];
        at->spent[q] = until;
    }
    return true;
}

static void write_speed(serve_job *job, const stretches *at)
{
    const double seconds = (double)at->value[0] / job->map->per_unit[0];
    const double metres = (double)at->value[1] / job->map->per_unit[1];
    mcd_text_decimal(&job->answer.body, seconds > 0 ? llround(10 * metres / seconds) : 0,
                     1); /* metres a second */
}

static void write_one(serve_job *job, const stretches *at, unsigned kind)
{
    mcd_text *const text = &job->answer.body;
    mcd_text_comma(text);
    if (kind == SERVE_DATASOURCES)
        mcd_text_add(text, "0");
    else if (kind == SERVE_SPEED)
        write_speed(job, at);
    else
        mcd_text_cost(text, at->value[kind == SERVE_DISTANCE], job->map->per_unit[kind == SERVE_DISTANCE]);
}

static void write_kind(serve_job *job, const macadam_route *route, const macadam_leg *leg, const char *name,
                       unsigned kind)
{
    stretches at;
    mcd_text_begin(&job->answer.body, name, "[");
    for (size_t i = leg->first_arc; i < leg->last_arc; ++i) {
        begin(&at, route, &route->arc[i]);
        while (next(&at)) write_one(job, &at, kind);
    }
    mcd_text_add(&job->answer.body, "]");
}

void serve_annotation_write(serve_job *job, const macadam_route *route, const macadam_leg *leg)
{
    static const struct {
        const char *name;
        unsigned kind;
    } row[] = {{"duration", SERVE_DURATION},
               {"distance", SERVE_DISTANCE},
               {"weight", SERVE_WEIGHT},
               {"speed", SERVE_SPEED},
               {"datasources", SERVE_DATASOURCES}};
    const unsigned wanted = job->request.annotations;
    if (!wanted) return;
    mcd_text_begin(&job->answer.body, "annotation", "{");
    if (wanted & SERVE_METADATA)
        mcd_text_add(&job->answer.body, "\"metadata\":{\"datasource_names\":[\"map\"]}");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        if (wanted & row[i].kind) write_kind(job, route, leg, row[i].name, row[i].kind);
    mcd_text_add(&job->answer.body, "}");
}
