/* job.c - see job.h. */
#define _GNU_SOURCE /* POLLRDHUP */
#include "bindings/serve/job.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum {
    SHORT_US = 3000,         /* estimated work of a request for which others may wait; more is long */
    STEPS_US = 400,          /* of a coordinate, in a city */
    ANNOTATIONS_US = 300,    /* likewise */
    NUMBER_US = 2,           /* of a result of /nearest */
    STREAM_CELLS = 16 << 20, /* a tile of the engine, which is in memory anyway */
};
static const double look_every_s = 0.02;

double serve_job_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool has_gone(int socket)
{
    struct pollfd state = {.fd = socket, .events = POLLRDHUP};
    return socket >= 0 && poll(&state, 1, 0) > 0 && state.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static bool may_go_on(void *context, const char *phase, uint64_t done, uint64_t total)
{
    serve_job *const job = context;
    const double now = serve_job_now();
    (void)phase, (void)done, (void)total;
    if (now - job->begun_s > job->settings->request_s) return false;
    if (now - job->looked_s < look_every_s) return true;
    job->looked_s = now;
    return !has_gone(job->socket);
}

const serve_service_row serve_services[SERVE_SERVICE_COUNT] = {
    [SERVE_ROUTE] = {"route", MCD_ROUTE, 100, 0, 0, serve_route},
    [SERVE_NEAREST] = {"nearest", MCD_SNAP, 50, 0, 0, serve_nearest},
    [SERVE_TABLE] = {"table", MCD_MATRIX, 15, 0.05f, 0, serve_table},
    [SERVE_MATCH] = {"match", MCD_MATCH, 30, 0, 0, serve_match},
    [SERVE_TRIP] = {"trip", MCD_TRIP, 100, 10, 0, serve_trip},
    [SERVE_ISOCHRONE] = {"isochrone", MCD_ISOCHRONE, 0, 0, 100, serve_isochrone},
    [SERVE_REACH] = {"reach", MCD_REACH, 0, 0, 100, serve_reach},
    [SERVE_TREE] = {"tree", MCD_TREE, INFINITY, 0, 0, serve_tree},
    [SERVE_TILE] = {"tile", 0, 0, 0, 2.5f, serve_tile},
    [SERVE_TRAFFIC] = {"traffic", 0, INFINITY, 0, 0, NULL},
};

/* The kind of costs that decides: of tables, the last one that is requested. */
static unsigned kind_of(const serve_request *request)
{
    const unsigned metric = request->metric ? request->metric + 1u : 0, kinds = request->annotations;
    if (request->service == SERVE_TABLE && kinds >> SERVE_PLAIN_KINDS)
        return 31 - (unsigned)__builtin_clz(kinds);
    return request->limit_count ? request->limited : metric;
}

/* Returns false if the map lacks the costs that decide. */
static bool open_query(serve_job *job)
{
    /* Fills what the requests for paths have in common: the parts of routes. */
    serve_request *const request = &job->request;
    macadam_route_request *const route = &request->library.route;
    macadam_match_request *const match = &request->library.match;
    macadam_trip_request *const trip = &request->library.trip;
    match->steps = trip->steps = route->steps;
    route->segments = match->segments = trip->segments = request->annotations != 0;
    route->totals = match->totals = trip->totals = request->metric != 0;
    route->costs_only = match->costs_only = trip->costs_only =
        request->overview == SERVE_NO_OVERVIEW && !route->steps && !request->annotations &&
        !request->metric && route->alternative_count == 0; /* the answer shows nothing of the roads */
    const unsigned kind = kind_of(&job->request);
    macadam_query *const query = &job->query;
    *query = job->request.library.query;
    query->metric = job->map->quantity[kind];
    query->quantity = job->map->quantity;
    query->quantity_count = SERVE_PLAIN_KINDS;
    query->snap_radius_m = fmin(job->settings->radius_m, SERVE_UNLIMITED_M);
    if (job->request.has_conditions) query->conditions = &job->request.library.conditions;
    const mcd_times *const times = &request->library.times;
    if (times->depart || times->arrive_by || times->each || times->utc_offset) query->clock = &job->clock;
    if (query->clock &&
        !serve_call(job, mcd_clock_read, &job->clock, times, serve_services[request->service].question))
        return false;
    query->progress = may_go_on;
    query->progress_context = job;
    job->answer.body.options = (macadam_format_options){.size = sizeof(macadam_format_options),
                                                        .quantity_count = SERVE_PLAIN_KINDS,
                                                        .quantity = job->map->quantity,
                                                        .per_unit = job->map->per_unit,
                                                        .language = job->request.library.text.language,
                                                        .units = job->request.library.text.units,
                                                        .lanes = job->request.library.text.lanes,
                                                        .mode = job->map->mode};
    return query->metric ||
           serve_refuse(job, "NotImplemented", "The map has no %s.", serve_kinds[kind].quantity);
}

bool serve_job_done(serve_job *job, macadam_status status)
{
    const bool is_timed = job->query.clock || job->request.library.approximate;
    if (is_timed && status == MACADAM_E_UNSUPPORTED) /* the client's times */
        return serve_answer_fail(&job->answer, 400, "NotImplemented", "%s", job->error.message);
    return status == MACADAM_OK || serve_answer_fail_library(&job->answer, status, &job->error);
}

bool serve_job_fail_memory(serve_job *job)
{
    return serve_answer_fail(&job->answer, 500, "InternalError", "not enough memory");
}

typedef struct serve_block {
    _Alignas(max_align_t) struct serve_block *before;
} serve_block;

void *serve_job_allocate(serve_job *job, size_t count, size_t element_bytes)
{
    size_t bytes;
    serve_block *const block = __builtin_mul_overflow(count, element_bytes, &bytes) ||
                                       __builtin_add_overflow(bytes, sizeof *block, &bytes)
                                   ? NULL
                                   : calloc(1, bytes);
    if (!block) {
        serve_job_fail_memory(job);
        return NULL;
    }
    block->before = job->block;
    job->block = block;
    return block + 1;
}

static void free_blocks(serve_job *job)
{
    while (job->block) {
        serve_block *const block = job->block;
        job->block = block->before;
        free(block);
    }
}

static size_t count_of(const serve_positions *positions, size_t all)
{
    return positions->count ? positions->count : all;
}

static size_t cells_of(const serve_request *request)
{
    return count_of(&request->sources, request->count) * count_of(&request->destinations, request->count);
}

static bool is_within(serve_job *job, const char *what, uint64_t amount, uint64_t most)
{
    return most == 0 || amount <= most ||
           serve_refuse(job, "TooBig",
                        "Number of %s %" PRIu64 " is higher than current maximum (%" PRIu64 ")", what, amount,
                        most);
}

/* Checks the limits of the settings. */
static bool check_size(serve_job *job)
{
    const serve_request *const request = &job->request;
    const serve_settings *const settings = job->settings;
    const struct {
        const char *what;
        uint64_t amount, most;
    } limits[SERVE_SERVICE_COUNT] =
        {
            [SERVE_ROUTE] = {"entries", request->count, settings->viaroute_most},
            [SERVE_NEAREST] = {"results", request->number, settings->nearest_most},
            [SERVE_TABLE] = {"table cells", cells_of(request),
                             (uint64_t)settings->table_most * settings->table_most},
            [SERVE_MATCH] = {"trace coordinates", request->count, settings->matching_most},
            [SERVE_TRIP] = {"trip coordinates", request->count, settings->trip_most},
        },
      *const limit = &limits[request->service];
    return is_within(job, limit->what, limit->amount, limit->most) &&
           is_within(job, "alternatives", request->library.route.alternative_count,
                     settings->alternatives_most);
}

void serve_job_answer(serve_job *job)
{
    const serve_service_row *const service = &serve_services[job->request.service];
    if (check_size(job) && open_query(job) && service->answer(job) && job->answer.status == 0)
        serve_answer_ok(&job->answer, serve_type_json);
    if (job->answer.body.failed) serve_job_fail_memory(job);
    free_blocks(job);
}

bool serve_job_is_streamed(const serve_job *job)
{
    const serve_request *const request = &job->request;
    const unsigned more = request->annotations & (request->annotations - 1); /* than one */
    return request->service == SERVE_TABLE && cells_of(request) > STREAM_CELLS &&
           (request->format == SERVE_ARROW || (request->format != SERVE_JSON && !more));
}

/* The area of a tile, or of what is reached within limits: about the square of the minutes. */
static double area_of(const serve_job *job)
{
    const serve_request *const request = &job->request;
    double most = 0, metres_per_minute = 1000, minutes;
    if (request->service == SERVE_TILE) return (double)serve_tile_area(job);
    for (size_t i = 0; i < request->limit_count; ++i) most = fmax(most, request->limit[i]);
    minutes = request->limited == 0 ? most / 60 : most / metres_per_minute;
    return (double)request->count * minutes * minutes;
}

bool serve_job_is_long(const serve_job *job)
{
    const serve_request *const request = &job->request;
    const serve_service_row *const row = &serve_services[request->service];
    const bool is_table = request->service == SERVE_TABLE;
    const double coordinate_us = row->coordinate_us + request->number * NUMBER_US +
                                 (request->library.route.steps ? STEPS_US : 0) +
                                 (request->annotations && !is_table ? ANNOTATIONS_US : 0);
    const double work_us =
        request->count * coordinate_us + cells_of(request) * row->cell_us + area_of(job) * row->area_us;
    return request->has_conditions || request->library.times.depart ||
           request->library.times.arrive_by || /* the weights may have to be computed */
           request->library.route.alternative_count > 0 || !(work_us <= SHORT_US);
}

void serve_job_free(serve_job *job)
{
    free_blocks(job);
    free((uint32_t *)job->clock.depart);
    serve_request_free(&job->request);
    serve_answer_free(&job->answer);
    serve_map_release(job->map);
    job->map = NULL;
}
