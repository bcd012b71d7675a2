/* closure.c - transitive closure: the graph's components are closed in bands of columns that fit the memory,
 * and each id gets one row. */
#include "engine/map/condensation.h"
#include "engine/file/npy.h"
#include "engine/base/options.h"
#include "engine/query/places/query.h"

enum { COLUMNS_LEAST = 512, ROWS_PER_TASK = 256 };

typedef struct closure_run {
    macadam_engine *engine;
    mcd_query query; /* of no weights */
    macadam_closure_request request;
    mcd_condensation condensation;
    uint32_t *column; /* [id_count]: the component that each id's column stands for */
    mcd_closure_job job;
    uint8_t *out;       /* the caller's rows */
    size_t row_bytes;   /* of the caller's */
    size_t first, last; /* columns of the band */
} closure_run;

/* ---- a band ---- */

static void copy_rows(void *argument, size_t first, size_t end)
{
    const closure_run *run = argument;
    const mcd_place_index *places = &run->engine->places;
    for (size_t i = first; i < end; ++i) {
        const uint32_t component = run->condensation.component[places->depart[i]];
        memcpy(run->out + i * run->row_bytes + run->first / 8, run->job.bits + component * run->job.stride,
               (run->last - run->first + 7) / 8);
    }
}

/* Closes the band of the next columns, with the device's backend or the processor's. */
static macadam_status run_band(closure_run *run, const mcd_backend **backend, macadam_error *error)
{
    run->job.column = run->column + run->first;
    run->job.column_count = run->last - run->first;
    macadam_status status;
    do {
        const mcd_backend *with = (*backend)->closure ? *backend : run->engine->host;
        run->job.device = with->device ? run->engine->device : NULL;
        status = with->closure(&run->job, error);
    } while (mcd_engine_falls_back(run->engine, backend, status, error));
    if (!status)
        mcd_parallel_for_ranges(&run->engine->parallel, run->engine->places.id_count, ROWS_PER_TASK,
                                copy_rows, run);
    return status;
}

/* ---- the request ---- */

/* Chooses how many columns' bits, for all components, fit the limit: a multiple of 512, or all columns. */
static macadam_status choose_columns(const closure_run *run, size_t *out, macadam_error *error)
{
    const size_t count = run->engine->places.id_count;
    const uint64_t limit = mcd_query_limit(&run->query),
                   least = (uint64_t)run->condensation.component_count * COLUMNS_LEAST / 8;
    MCD_TRY(mcd_scratch_check(least, limit, "a closure", error));
    *out = (count + COLUMNS_LEAST - 1) / COLUMNS_LEAST * COLUMNS_LEAST;
    if (least) *out = mcd_size_min(*out, limit / least * COLUMNS_LEAST);
    return MACADAM_OK;
}

static macadam_status run_bands(closure_run *run, macadam_error *error)
{
    const size_t id_count = run->engine->places.id_count;
    const mcd_backend *backend = mcd_engine_backend(run->engine);
    size_t columns;
    MCD_TRY(choose_columns(run, &columns, error));
    run->job.stride = columns / 64;
    MCD_TRY(mcd_query_take(&run->query,
                           run->condensation.component_count * run->job.stride * sizeof *run->job.bits,
                           "a closure", error));
    run->job.bits = run->query.block.memory;
    for (run->first = 0; run->first < id_count; run->first = run->last) {
        run->last = mcd_size_min(run->first + columns, id_count);
        MCD_TRY(run_band(run, &backend, error));
    }
    return MACADAM_OK;
}

static macadam_status find(closure_run *run, macadam_error *error)
{
    const mcd_place_index *places = &run->engine->places;
    mcd_condensation *found = &run->condensation;
    MCD_TRY(mcd_condensation_new(found, &run->engine->graph, error));
    MCD_TRY(MCD_NEW(run->column, places->id_count, error));
    for (size_t i = 0; i < places->id_count; ++i) run->column[i] = found->component[places->arrive[i]];
    run->job = (mcd_closure_job){
        .component_count = found->component_count,
        .level_count = found->level_count,
        .level_first = found->level_first,
        .first_out = found->first_out,
        .head = found->head,
        .memory_limit = run->request.memory_limit,
        .parallel = run->engine->parallel,
        .progress = mcd_watch_progress(),
    };
    return run_bands(run, error);
}

/* Writes the closure to run->out, or to the file at `path` if this is not NULL. */
static macadam_status write_closure(closure_run *run, const char *path, macadam_error *error)
{
    mcd_npy npy;
    const uint64_t id_count = run->engine->places.id_count;
    run->row_bytes = (id_count + 7) / 8;
    if (!path) return find(run, error);
    const char *const map = run->engine->file->name;
    MCD_TRY(macadam_output_check(path, &map, 1, error));
    const uint64_t shape[] = {id_count, run->row_bytes};
    MCD_TRY(mcd_npy_new(&npy, path, "|u1", 1, shape, 2, error));
    run->out = npy.data;
    return mcd_npy_end(&npy, find(run, error), error);
}

static void release(closure_run *run)
{
    mcd_free(run->column);
    mcd_condensation_free(&run->condensation);
    mcd_query_end(&run->query);
}

static macadam_status run_closure(macadam_engine *engine, const macadam_closure_request *request,
                                  uint8_t *bits, const char *path, macadam_error *error)
{
    MCD_FREED_BY(release)
    closure_run run = {.engine = engine, .request = MACADAM_CLOSURE_REQUEST_INIT, .out = bits};
    macadam_query given = MACADAM_QUERY_INIT;
    if (request)
        MCD_TRY(mcd_options_adopt(&run.request, sizeof run.request, request, "closure request", error));
    given.memory_limit = run.request.memory_limit;
    given.progress = run.request.progress, given.progress_context = run.request.progress_context;
    MCD_TRY(mcd_query_begin_arcs(&run.query, engine, engine ? engine->host : NULL, &given, false, error));
    return write_closure(&run, path, error);
}

macadam_status macadam_closure_find(uint8_t *bits, macadam_engine *engine,
                                    const macadam_closure_request *request, macadam_error *error)
{
    if (!bits) return mcd_fail_invalid(error, "no memory for the closure");
    return run_closure(engine, request, bits, NULL, error);
}

macadam_status macadam_closure_save(macadam_engine *engine, const macadam_closure_request *request,
                                    const char *path, macadam_error *error)
{
    if (!path) return mcd_fail_invalid(error, "no path for the closure");
    return run_closure(engine, request, NULL, path, error);
}
