/* annotation.c - see annotation.h. */
#include "bindings/serve/services/annotation.h"

#include <math.h>

/* Segments without a length are left out: the line has their point once. */
static bool has_length(const macadam_route *route, size_t segment)
{
    const macadam_route_arc *const arc = &route->arc[route->segment[segment].arc];
    const size_t point = arc->first_shape + segment - arc->first_segment;
    return route->lon[point] != route->lon[point + 1] || route->lat[point] != route->lat[point + 1];
}

static void write_speed(serve_job *job, const macadam_segment *segment)
{
    const double seconds = (double)segment->value[0] / job->map->per_unit[0];
    const double metres = (double)segment->value[1] / job->map->per_unit[1];
    mcd_text_decimal(&job->answer.body, seconds > 0 ? llround(10 * metres / seconds) : 0,
                     1); /* metres a second */
}

static void write_one(serve_job *job, const macadam_segment *segment, unsigned kind)
{
    mcd_text *const text = &job->answer.body;
    mcd_text_comma(text);
    if (kind == SERVE_DATASOURCES)
        mcd_text_add(text, "0");
    else if (kind == SERVE_SPEED)
        write_speed(job, segment);
    else if (kind == SERVE_NODES)
        mcd_text_integer(text, segment->to);
    else
        mcd_text_cost(text, segment->value[kind == SERVE_DISTANCE],
                      job->map->per_unit[kind == SERVE_DISTANCE]);
}

/* There is one node more than segments. */
static void write_kind(serve_job *job, const macadam_route *route, size_t first, size_t end, const char *name,
                       unsigned kind)
{
    mcd_text *const text = &job->answer.body;
    bool any = false;
    mcd_text_begin(text, name, "[");
    for (size_t i = first; i < end; ++i) {
        if (!has_length(route, i)) continue;
        if (kind == SERVE_NODES && !any) mcd_text_integer(text, route->segment[i].from);
        any = true;
        write_one(job, &route->segment[i], kind);
    }
    mcd_text_add(text, "]");
}

static size_t first_segment(const macadam_route *route, size_t arc)
{
    return arc < route->arc_count ? route->arc[arc].first_segment : route->segment_count;
}

bool serve_annotation_check(serve_job *job)
{
    macadam_info info = MACADAM_INFO_INIT;
    if (!(job->request.annotations & SERVE_NODES)) return true;
    macadam_engine_info(job->map->engine, &info, NULL);
    if (info.has_node_ids) return true;
    if (job->request.annotations & SERVE_ALL) {
        job->request.annotations &= ~(unsigned)SERVE_NODES;
        return true;
    }
    return serve_answer_fail(&job->answer, 400, "NotImplemented",
                             "The map does not keep the ids of nodes between junctions: annotations=nodes.");
}

void serve_annotation_write(serve_job *job, const macadam_route *route, const macadam_leg *leg)
{
    static const struct {
        const char *name;
        unsigned kind;
    } row[] = {{"duration", SERVE_DURATION}, {"distance", SERVE_DISTANCE},
               {"weight", SERVE_WEIGHT},     {"speed", SERVE_SPEED},
               {"nodes", SERVE_NODES},       {"datasources", SERVE_DATASOURCES}};
    const unsigned wanted = job->request.annotations;
    const size_t first = first_segment(route, leg->first_arc), end = first_segment(route, leg->last_arc);
    if (!wanted) return;
    mcd_text_begin(&job->answer.body, "annotation", "{");
    if (wanted & SERVE_METADATA)
        mcd_text_add(&job->answer.body, "\"metadata\":{\"datasource_names\":[\"map\"]}");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        if (wanted & row[i].kind) write_kind(job, route, first, end, row[i].name, row[i].kind);
    mcd_text_add(&job->answer.body, "}");
}
