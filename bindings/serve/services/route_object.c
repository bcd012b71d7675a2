/* route_object.c - see route_object.h. */
#include "bindings/serve/services/route_object.h"
#include "bindings/formats/polyline.h"
#include "bindings/formats/route_json.h"

#include <math.h>
#include <stdlib.h>

/* ---- lines ---- */

static void add_points(mcd_line *line, const macadam_route *route, size_t first, size_t last)
{
    mcd_line_add(line, route->lon + first, route->lat + first,
                 route->height_m ? route->height_m + first : NULL, last - first);
}

static void add_leg(mcd_line *line, const macadam_route *route, size_t number)
{
    const macadam_leg *const leg = &route->leg[number];
    if (leg->first_arc == leg->end_arc && leg->first_arc == 0) {
        mcd_line_add(line, &route->waypoint[0].lon, &route->waypoint[0].lat, NULL, 1);
        return;
    }
    if (leg->first_arc == leg->end_arc) { /* where the arc before it ends */
        const size_t end = route->arc[leg->first_arc - 1].end_shape;
        add_points(line, route, end - 1, end);
        return;
    }
    const size_t first = route->arc[leg->first_arc].first_shape,
                 last = route->arc[leg->end_arc - 1].end_shape;
    add_points(line, route, first, last);
}

/* The value of "geometry". */
static void write_line(const serve_job *job, mcd_text *text, mcd_line *line)
{
    const serve_geometries geometries = job->request.geometries;
    if (geometries == SERVE_GEOJSON) {
        mcd_line_write_geometry(text, line);
        return;
    }
    mcd_line_double(line);
    mcd_text_add(text, "\"");
    mcd_polyline_write(text, line, geometries == SERVE_POLYLINE ? 1e5 : 1e6, true);
    mcd_text_add(text, "\"");
}

/* Writes the line of the legs first <= i < end. */
static void write_overview(serve_job *job, const macadam_route *route, size_t first, size_t end)
{
    mcd_line line = {0};
    for (size_t i = first; i < end; ++i) add_leg(&line, route, i);
    if (job->request.overview == SERVE_SIMPLIFIED) mcd_line_simplify(&line);
    mcd_text_json(&job->answer.body, "'geometry':");
    write_line(job, &job->answer.body, &line);
    mcd_line_free(&line);
}

/* ---- steps ---- */

static void write_steps(serve_job *job, const macadam_route *route, size_t leg)
{
    mcd_line line = {0};
    mcd_text geometry = {0};
    const mcd_step_form form = {.geometry = &geometry,
                                .instruction = job->request.library.text.language != NULL};
    mcd_text_json(&job->answer.body, "'steps':[");
    for (size_t i = route->leg[leg].first_step; i < route->leg[leg].end_step; ++i) {
        const macadam_step *const step = &route->step[i];
        const macadam_intersection *const at = &route->intersection[step->first_intersection];
        geometry.size = line.count = 0;
        add_points(&line, route, step->first_shape, step->end_shape);
        if (line.count == 0) mcd_line_add(&line, &at->lon, &at->lat, NULL, 1);
        write_line(job, &geometry, &line);
        mcd_text_put_step(&job->answer.body, route, step, &form);
    }
    mcd_text_add(&job->answer.body, "]");
    job->answer.body.failed |= geometry.failed;
    free(geometry.data);
    mcd_line_free(&line);
}

/* ---- annotations ---- */

/* Segments without a length are left out: the line has their point once. */
static bool has_length(const macadam_route *route, size_t segment)
{
    const macadam_route_arc *const arc = &route->arc[route->segment[segment].arc];
    const size_t point = arc->first_shape + segment - arc->first_segment;
    return !mcd_line_repeats(route->lon[point], route->lat[point], route->lon[point + 1],
                             route->lat[point + 1]);
}

/* Returns what the segments of arcs take without the prices of turns: an arc's own duration, divided by length. */
static uint32_t *own_durations(serve_job *job, const macadam_route *route, const macadam_leg *leg)
{
    const size_t first = mcd_route_first_segment(route, leg->first_arc);
    uint32_t *const own =
        serve_job_allocate(job, mcd_route_first_segment(route, leg->end_arc) - first, sizeof *own);
    for (size_t a = leg->first_arc; own && a < leg->end_arc; ++a) {
        const macadam_route_arc *const arc = &route->arc[a];
        const size_t end = mcd_route_first_segment(route, a + 1);
        const double whole = (double)arc->value[0] - arc->price[0];
        double metres = 0, until = 0;
        for (size_t i = arc->first_segment; i < end; ++i) metres += route->segment[i].length_m;
        for (size_t i = arc->first_segment; metres > 0 && i < end; ++i) {
            const double before = until;
            until += route->segment[i].length_m / metres * whole;
            own[i - first] = (uint32_t)(llround(until) - llround(before));
        }
    }
    return own;
}

static void write_value(serve_job *job, const macadam_segment *segment, uint32_t duration, unsigned kind)
{
    mcd_text *const text = &job->answer.body;
    const uint32_t *const per_unit = job->map->per_unit;
    mcd_text_comma(text);
    if (kind == SERVE_DATASOURCES)
        mcd_text_add(text, "0");
    else if (kind == SERVE_SPEED) /* metres a second */
        mcd_text_decimal(text, duration ? llround(10 * segment->length_m * per_unit[0] / duration) : 0, 1);
    else if (kind == SERVE_NODES)
        mcd_text_integer(text, segment->to);
    else if (kind == SERVE_DISTANCE)
        mcd_text_cost(text, segment->value[1], per_unit[1]);
    else
        mcd_text_cost(text, duration, per_unit[0]);
}

/* There is one node more than segments. */
static void write_kind(serve_job *job, const macadam_route *route, const macadam_leg *leg,
                       const uint32_t *duration, const char *name, unsigned kind)
{
    mcd_text *const text = &job->answer.body;
    const size_t first = mcd_route_first_segment(route, leg->first_arc),
                 end = mcd_route_first_segment(route, leg->end_arc);
    bool any = false;
    mcd_text_json(text, "%s:[", name);
    for (size_t i = first; i < end; ++i) {
        if (!has_length(route, i)) continue;
        if (kind == SERVE_NODES && !any) mcd_text_integer(text, route->segment[i].from);
        any = true;
        write_value(job, &route->segment[i], duration[i - first], kind);
    }
    mcd_text_add(text, "]");
}

bool serve_route_object_check(serve_job *job)
{
    macadam_info info = MACADAM_INFO_INIT;
    if (!(job->request.annotations & SERVE_NODES)) return true;
    macadam_engine_info(&info, job->map->engine, NULL);
    if (info.has_node_ids) return true;
    if (job->request.annotations & SERVE_ALL) {
        job->request.annotations &= ~(unsigned)SERVE_NODES;
        return true;
    }
    return serve_refuse(job, "NotImplemented",
                        "The map does not keep the ids of nodes between junctions: annotations=nodes.");
}

/* Writes "annotation":{...} of a leg, as far as the request wants it, from the segments of the route. */
static void write_annotation(serve_job *job, const macadam_route *route, size_t leg)
{
    static const struct {
        const char *name;
        unsigned kind;
    } row[] = {{"datasources", SERVE_DATASOURCES}, {"weight", SERVE_WEIGHT},     {"nodes", SERVE_NODES},
               {"distance", SERVE_DISTANCE},       {"duration", SERVE_DURATION}, {"speed", SERVE_SPEED}};
    const unsigned wanted = job->request.annotations;
    const uint32_t *const duration = wanted ? own_durations(job, route, &route->leg[leg]) : NULL;
    if (!duration) return;
    mcd_text_json(&job->answer.body, "'annotation':{");
    if (wanted & SERVE_METADATA) mcd_text_json(&job->answer.body, "'metadata':{'datasource_names':['map']}");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        if (wanted & row[i].kind)
            write_kind(job, route, &route->leg[leg], duration, row[i].name, row[i].kind);
    mcd_text_add(&job->answer.body, "}");
}

/* ---- legs ---- */

static const char *name_of(const macadam_step *step)
{
    return step->facts->name[0] ? step->facts->name : step->facts->ref;
}

/* The longest step whose road has a name, and another one than `other`; NULL if there is none. */
static const macadam_step *longest_of(const macadam_route *route, const macadam_leg *leg, const char *other)
{
    const macadam_step *longest = NULL;
    for (size_t i = leg->first_step; i < leg->end_step; ++i) {
        const macadam_step *const step = &route->step[i];
        if (!name_of(step)[0] || (other && strcmp(name_of(step), other) == 0)) continue;
        if (!longest || step->value[1] > longest->value[1]) longest = step;
    }
    return longest;
}

/* "summary": the names of the two major roads, in the order of travel. */
static void write_summary(serve_job *job, const macadam_route *route, size_t number)
{
    mcd_text summary = {0};
    const macadam_leg *const leg = &route->leg[number];
    const macadam_step *first = longest_of(route, leg, NULL);
    const macadam_step *second = first ? longest_of(route, leg, name_of(first)) : NULL;
    if (second && second < first) {
        const macadam_step *const swapped = first;
        first = second, second = swapped;
    }
    if (first) mcd_text_add(&summary, name_of(first));
    if (second) mcd_text_add(&summary, ", "), mcd_text_add(&summary, name_of(second));
    mcd_text_bytes(&summary, "", 1);
    mcd_text_json(&job->answer.body, "'summary':%s", summary.failed ? "" : summary.data);
    free(summary.data);
}

/* The weight of everything is its duration. */
static void write_cost(serve_job *job, const char *name, const uint32_t *value, size_t quantity)
{
    mcd_text_json(&job->answer.body, "%s:", name);
    mcd_text_value(&job->answer.body, quantity, value[quantity]);
}

/* In OSRM's order, which is another one for legs with an annotation or a geometry. */
static void write_leg(serve_job *job, const macadam_route *route, size_t leg)
{
    const bool by_legs = job->request.overview == SERVE_BY_LEGS,
               has_more = job->request.annotations || by_legs;
    const uint32_t *const value = route->leg[leg].value;
    mcd_text_json(&job->answer.body, "{");
    write_annotation(job, route, leg);
    if (by_legs) write_overview(job, route, leg, leg + 1);
    if (!has_more) write_steps(job, route, leg);
    write_cost(job, has_more ? "duration" : "weight", value, 0);
    write_summary(job, route, leg);
    write_cost(job, has_more ? "weight" : "duration", value, 0);
    write_cost(job, "distance", value, 1);
    if (has_more) write_steps(job, route, leg);
    mcd_text_add(&job->answer.body, "}");
}

void serve_route_object_write_members(serve_job *job, const macadam_route *route)
{
    mcd_text_json(&job->answer.body, "'legs':[");
    for (size_t i = 0; i < route->leg_count; ++i) write_leg(job, route, i);
    mcd_text_json(&job->answer.body, "],'weight_name':'duration'");
    if (job->request.overview < SERVE_NO_OVERVIEW) write_overview(job, route, 0, route->leg_count);
    write_cost(job, "weight", route->value, 0);
    mcd_text_costs(&job->answer.body, route->value);
    mcd_text_put_climbs(&job->answer.body, route);
    for (size_t kind = 0; route->total && kind < SERVE_KINDS; ++kind) {
        if (job->query.metric != job->map->quantity[kind]) continue;
        mcd_text_json(&job->answer.body, "%s:", serve_kinds[kind].member);
        mcd_text_cost(&job->answer.body, route->total[job->map->number[kind]], job->map->per_unit[kind]);
    }
}
