/* matrix.c - matrices over the interface: places to lanes, and tiles that fit the memory there is. */
#include "engine/memory.h"
#include "engine/options.h"
#include "engine/query.h"

enum { ROWS_LEAST = 16 }; /* of a tile: a group of the CPU's kernels */
static const uint64_t tile_bytes_wanted =
    64ull << 20; /* large enough to keep threads busy, small enough to stream */

/* A matrix on its way, to a callback or into the caller's memory. */
typedef struct matrix_run {
    mcd_query *query;
    mcd_lane *source, *target;
    size_t source_count, target_count;
    size_t tile_rows, tile_columns;
    uint32_t *const *value; /* the caller's; NULL: tiles */
    uint32_t *tile[MACADAM_QUANTITIES_MAX];
    macadam_tile_callback callback;
    void *context;
} matrix_run;

static uint64_t scratch_bytes(const matrix_run *run)
{
    const mcd_query *query = run->query;
    const uint64_t cells =
        run->value ? 0 : (uint64_t)run->tile_rows * run->tile_columns * query->quantity_count;
    mcd_weights const *weights = &query->metric->weights;
    return query->engine->backend->matrix_scratch(weights, run->tile_columns, run->tile_rows, query->pair) +
           cells * sizeof(uint32_t);
}

/* Narrower tiles need less: first fewer rows, then fewer columns, whose labels are made anew for every band of rows. */
static macadam_status choose_tiles(matrix_run *run, macadam_error *error)
{
    const uint64_t limit = mcd_query_limit(run->query);
    const uint64_t row_bytes = (uint64_t)run->target_count * run->query->quantity_count * sizeof(uint32_t);
    run->tile_rows = run->source_count;
    run->tile_columns = run->target_count;
    if (!run->value && row_bytes * run->tile_rows > tile_bytes_wanted)
        run->tile_rows =
            mcd_size_min(run->tile_rows, mcd_size_max(ROWS_LEAST, tile_bytes_wanted / row_bytes));
    while (scratch_bytes(run) > limit && run->tile_rows > ROWS_LEAST)
        run->tile_rows = (run->tile_rows + 1) / 2;
    while (scratch_bytes(run) > limit && run->tile_columns > ROWS_LEAST)
        run->tile_columns = (run->tile_columns + 1) / 2;
    return mcd_query_reserve(run->query, scratch_bytes(run), "a matrix", error);
}

static macadam_status deliver(const matrix_run *run, size_t row, size_t rows, size_t column, size_t columns,
                              macadam_error *error)
{
    macadam_tile tile = {.row = row, .rows = rows, .column = column, .columns = columns};
    for (size_t q = 0; q < run->query->quantity_count; ++q) tile.value[q] = run->tile[q];
    if (run->callback(run->context, &tile)) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of row %zu, column %zu", row,
                    column);
}

static macadam_status run_tile(const matrix_run *run, const mcd_matrix_targets *targets, size_t row,
                               size_t column, size_t columns, macadam_error *error)
{
    const size_t rows = mcd_size_min(run->tile_rows, run->source_count - row);
    const size_t offset = run->value ? row * run->target_count + column : 0;
    uint32_t *const *const value = run->value ? run->value : (uint32_t *const *)run->tile;
    uint32_t *const objective = mcd_query_value(run->query, value, false);
    uint32_t *const companion = mcd_query_value(run->query, value, true);
    const mcd_rows_job job = {
        .targets = targets,
        .source = run->source + row,
        .source_count = rows,
        .objective = objective ? objective + offset : NULL,
        .companion = companion ? companion + offset : NULL,
        .stride = run->value ? run->target_count : columns,
    };
    MCD_TRY(run->query->engine->backend->matrix_rows(&job, error));
    return run->value ? MACADAM_OK : deliver(run, row, rows, column, columns, error);
}

static macadam_status prepare_targets(const matrix_run *run, size_t column, mcd_matrix_targets **out,
                                      macadam_error *error)
{
    const mcd_query *query = run->query;
    const mcd_matrix_job job = {
        .weights = &query->metric->weights,
        .target = run->target + column,
        .target_count = mcd_size_min(run->tile_columns, run->target_count - column),
        .pair = query->pair,
        .parallel = query->engine->parallel,
        .progress = query->progress,
    };
    return query->engine->backend->matrix_targets_new(out, &job, error);
}

static macadam_status run_tiles(const matrix_run *run, macadam_error *error)
{
    const mcd_backend *backend = run->query->engine->backend;
    mcd_matrix_targets *targets = NULL;
    macadam_status status = MACADAM_OK;
    for (size_t row = 0; row < run->source_count && !status; row += run->tile_rows)
        for (size_t column = 0; column < run->target_count && !status; column += run->tile_columns) {
            if (run->tile_columns < run->target_count || !targets) {
                backend->matrix_targets_free(targets);
                if ((status = prepare_targets(run, column, &targets, error))) break;
            }
            status = run_tile(run, targets, row, column,
                              mcd_size_min(run->tile_columns, run->target_count - column), error);
        }
    backend->matrix_targets_free(targets);
    return status;
}

static macadam_status run_matrix(matrix_run *run, const macadam_matrix_request *request,
                                 macadam_place_status *status, macadam_error *error)
{
    run->source_count = request->source_count;
    run->target_count = request->target_count;
    MCD_TRY(mcd_query_lanes(run->query, request->source, request->source_count, MCD_DEPART, "source",
                            &run->source, status, error));
    MCD_TRY(mcd_query_lanes(run->query, request->target, request->target_count, MCD_ARRIVE, "target",
                            &run->target, status ? status + request->source_count : NULL, error));
    MCD_TRY(choose_tiles(run, error));
    for (size_t q = 0; !run->value && q < run->query->quantity_count; ++q)
        MCD_TRY(MCD_NEW(run->tile[q], run->tile_rows * run->tile_columns, error));
    return run_tiles(run, error);
}

static macadam_status answer(matrix_run *run, macadam_engine *engine, const macadam_query *given,
                             const macadam_matrix_request *request, macadam_place_status *status,
                             macadam_error *error)
{
    macadam_matrix_request own = MACADAM_MATRIX_REQUEST_INIT;
    mcd_query query;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "matrix request", error));
    run->query = &query;
    macadam_status failure = mcd_query_begin(&query, engine, given, false, error);
    if (!failure && run->value) failure = mcd_query_check_values(&query, run->value, error);
    if (!failure) failure = run_matrix(run, &own, status, error);
    mcd_free(run->source);
    mcd_free(run->target);
    for (size_t q = 0; q < MACADAM_QUANTITIES_MAX; ++q) mcd_free(run->tile[q]);
    mcd_query_end(&query);
    return failure;
}

macadam_status macadam_matrix(macadam_engine *engine, const macadam_query *query,
                              const macadam_matrix_request *request, macadam_place_status *status,
                              macadam_tile_callback tile, void *context, macadam_error *error)
{
    matrix_run run = {.callback = tile, .context = context};
    if (!tile) return mcd_fail(error, MACADAM_E_INVALID, "no callback for the tiles");
    return answer(&run, engine, query, request, status, error);
}

macadam_status macadam_matrix_into(macadam_engine *engine, const macadam_query *query,
                                   const macadam_matrix_request *request, uint32_t *const *value,
                                   macadam_place_status *status, macadam_error *error)
{
    matrix_run run = {.value = value};
    if (!value) return mcd_fail(error, MACADAM_E_INVALID, "no memory for the matrix");
    return answer(&run, engine, query, request, status, error);
}
