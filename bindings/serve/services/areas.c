/* areas.c - /isochrone/v1 and /reach/v1: what lies within limits of coordinates. */
#include "bindings/formats/scope.h"
#include "bindings/serve/services/stops.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The request of both services to the library. */
typedef struct area_question {
    serve_job *job;
    size_t kind;                              /* of costs: which of serve_kinds */
    macadam_place *place;                     /* [coordinates] */
    uint32_t limit[MACADAM_REACH_LIMITS_MAX]; /* in the map's units, ascending, each once */
    size_t limit_count;
} area_question;

static int compare_limits(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static bool settle_limits(area_question *question)
{
    const serve_request *const request = &question->job->request;
    if (request->limit_count == 0)
        return serve_refuse(question->job, "InvalidOptions",
                            "contours_minutes, contours_meters or contours_wh is needed.");
    for (size_t i = 0; i < request->limit_count; ++i) {
        const double limit = request->limit[i] * question->job->map->per_unit[question->kind];
        question->limit[i] = limit < MACADAM_WEIGHT_MAX ? (uint32_t)llround(limit) : MACADAM_WEIGHT_MAX;
    }
    qsort(question->limit, request->limit_count, sizeof question->limit[0], compare_limits);
    for (size_t i = 0; i < request->limit_count; ++i)
        if (i == 0 || question->limit[i] > question->limit[i - 1])
            question->limit[question->limit_count++] = question->limit[i];
    return true;
}

static bool open_question(area_question *question, serve_job *job)
{
    *question = (area_question){.job = job, .kind = job->request.limited};
    job->query.quantity = &job->query.metric;
    job->query.quantity_count = 1;
    return settle_limits(question) && (question->place = serve_stops_places(job));
}

/* ---- isochrones ---- */

/* The text, unless there is none, becomes the answer. */
static bool adopt(serve_job *job, macadam_status status, const macadam_text *text)
{
    if (!serve_job_done(job, status)) return false;
    serve_answer_ok(&job->answer, serve_type_geojson);
    job->answer.body = (mcd_text){.data = text->data, .size = text->size, .capacity = text->size};
    return true;
}

static macadam_format_options format_of(const area_question *question)
{
    const serve_map *const map = question->job->map;
    return (macadam_format_options){.size = sizeof(macadam_format_options),
                                    .quantity_count = 1,
                                    .quantity = &map->quantity[question->kind],
                                    .per_unit = &map->per_unit[question->kind],
                                    .is_signed = &map->is_signed[question->kind]};
}

static bool answer_polygons(area_question *question)
{
    serve_job *const job = question->job;
    const macadam_format_options options = format_of(question);
    MCD_SCOPED(rings) rings = NULL;
    macadam_text text = {0};
    macadam_rings_request request = job->request.library.rings;
    request.source = question->place;
    request.source_count = job->request.count;
    request.reverse = job->request.library.reverse;
    request.limit = question->limit;
    request.limit_count = question->limit_count;
    return serve_call(job, macadam_rings_find, &rings, job->map->engine, &job->query, &request) &&
           serve_stops_check_all(job, rings->source) &&
           adopt(job, macadam_format_rings_geojson(&text, rings, question->limit, &options, &job->error),
                 &text);
}

/* The arcs that are reached, as lines. */
static bool answer_lines(area_question *question)
{
    serve_job *const job = question->job;
    const macadam_format_options options = format_of(question);
    MCD_SCOPED(isochrone) isochrone = NULL;
    macadam_text text = {0};
    const macadam_isochrone_request request = {.size = sizeof request,
                                               .source = question->place[0],
                                               .reverse = job->request.library.reverse,
                                               .limit = question->limit[question->limit_count - 1]};
    const macadam_rings_request *const rings = &job->request.library.rings;
    if (job->request.count > 1 || rings->disjoint || rings->width_m > 0)
        return serve_refuse(job, "InvalidOptions", "polygons=false takes one coordinate, and not %s.",
                            rings->width_m > 0 ? "width" : "disjoint");
    return serve_call(job, macadam_isochrone_find, &isochrone, job->map->engine, &job->query, &request) &&
           serve_stops_check_all(job, &isochrone->source) &&
           adopt(job, macadam_format_isochrone_geojson(&text, isochrone, &options, &job->error), &text);
}

bool serve_isochrone(serve_job *job)
{
    area_question question;
    return open_question(&question, job) &&
           (job->request.polygons ? answer_polygons(&question) : answer_lines(&question));
}

/* ---- reach ---- */

static bool find_reach(area_question *question, macadam_snap **snap, macadam_reach *found)
{
    serve_job *const job = question->job;
    const size_t count = job->request.count;
    const macadam_reach_request request = {.size = sizeof request,
                                           .source = question->place,
                                           .source_count = count,
                                           .reverse = job->request.library.reverse,
                                           .limit = question->limit,
                                           .limit_count = question->limit_count};
    return (*snap = serve_stops_snap(job, question->place)) &&
           (found->node_count =
                serve_job_allocate(job, count, question->limit_count * sizeof *found->node_count)) &&
           (found->reached = serve_job_allocate(job, count, sizeof *found->reached)) &&
           (found->eccentricity = serve_job_allocate(job, count, sizeof *found->eccentricity)) &&
           serve_call(job, macadam_reach_find, found, NULL, job->map->engine, &job->query, &request);
}

bool serve_reach(serve_job *job)
{
    area_question question;
    macadam_snap *snap;
    macadam_reach found = MACADAM_REACH_INIT;
    if (!open_question(&question, job) || !find_reach(&question, &snap, &found)) return false;
    const uint32_t per_unit = job->map->per_unit[question.kind];
    mcd_text *const text = &job->answer.body;
    mcd_text_json(text, "{'code':'Ok','limits':[");
    for (size_t i = 0; i < question.limit_count; ++i)
        mcd_text_comma(text), mcd_text_cost(text, question.limit[i], per_unit);
    mcd_text_add(text, "],\"sources\":[");
    for (size_t source = 0; source < job->request.count; ++source) {
        const uint64_t *const node_count = found.node_count + source * question.limit_count;
        mcd_text_json(text, "{");
        serve_stops_write_members(job, &(serve_stop){.position = source, .snap = &snap[source]});
        mcd_text_json(text, "'nodes':[");
        for (size_t i = 0; i < question.limit_count; ++i) mcd_text_json(text, "%" PRIu64, node_count[i]);
        mcd_text_json(text, "],'reached':%" PRIu64 ",'eccentricity':", found.reached[source]);
        mcd_text_cost(text, macadam_cost(found.eccentricity[source], job->map->is_signed[question.kind]),
                      per_unit);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]}");
    return true;
}
