/* tree.c - /tree/v1: durations between a coordinate and all nodes, at each of several times. */
#include "bindings/formats/cost_array.h"
#include "bindings/serve/services/table_json.h"
#include "bindings/serve/services/stops.h"

#include <stdio.h>

enum { SHAPE_BYTES = 64 };

/* Returns how many rows each coordinate has. */
static size_t times_of(const serve_job *job)
{
    const size_t times = job->clock.depart_count + job->clock.arrive_count; /* of one kind */
    return times && !job->clock.each ? times : 1;
}

/* {"code":"Ok","ids":[...],"durations":[[...]]}: a row a coordinate; of several times, [coordinate][time][node]. */
static bool write_json(serve_job *job, const uint32_t *value)
{
    mcd_text *const text = &job->answer.body;
    const size_t columns = job->map->info.id_count, count = job->request.count, times = times_of(job);
    const int64_t *const id = macadam_engine_ids(job->map->engine, &job->error);
    if (!id) return serve_job_done(job, MACADAM_E_FILE);
    mcd_text_json(text, "{'code':'Ok','ids':[");
    for (size_t i = 0; i < columns; ++i) mcd_text_comma(text), mcd_text_integer(text, id[i]);
    mcd_text_add(text, "],\"durations\":");
    serve_table_json_write(text, value, times > 1 ? count : 0, times > 1 ? times : count, columns,
                           job->map->per_unit[0], false);
    mcd_text_add(text, "}");
    return true;
}

static bool write_binary(serve_job *job, const uint32_t *value)
{
    char shape[SHAPE_BYTES];
    const size_t columns = job->map->info.id_count, times = times_of(job), rows = job->request.count * times;
    if (times > 1)
        snprintf(shape, sizeof shape, "(%zu,%zu,%zu,)", job->request.count, times, columns);
    else
        snprintf(shape, sizeof shape, "(%zu,%zu,)", rows, columns);
    serve_answer_ok(&job->answer, serve_type_binary);
    if (job->request.format == SERVE_NPY) mcd_npy_header(&job->answer.body, "<u4", shape);
    mcd_text_bytes(&job->answer.body, (const char *)value, rows * columns * sizeof *value);
    return true;
}

bool serve_tree(serve_job *job)
{
    const size_t count = job->request.count, columns = job->map->info.id_count, rows = count * times_of(job);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    uint32_t *value;
    if ((double)rows * (double)columns * (sizeof *value + SERVE_CELL_BYTES) > job->answer_bytes)
        return serve_refuse(job, "TooBig", "Too many tree coordinates");
    if (!(request.source = serve_stops_places(job)) || !serve_stops_snap(job, request.source) ||
        !(value = serve_job_allocate(job, rows, columns * sizeof *value)))
        return false;
    job->query.quantity_count = 1;
    request.source_count = count;
    request.reverse = job->request.library.reverse;
    if (!serve_call(job, macadam_tree_find, &value, NULL, job->map->engine, &job->query, &request))
        return false;
    return job->request.format == SERVE_JSON ? write_json(job, value) : write_binary(job, value);
}
