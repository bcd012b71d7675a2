/* matrix.c - matrices: turns places into lanes, and computes tiles that fit the available memory.
 *
 * A place may have several lanes, of which the backend takes the best; ways along a road that two places share compete with
 * them. */
#include "engine/query/tables/matrix.h"

#include "engine/query/clock/approximate.h"
#include "engine/query/clock/cells.h"
#include "engine/query/clock/instants.h"
#include "engine/query/places/same_road.h"
#include "engine/query/places/signed.h"
#include "engine/query/places/straight_line.h"
#include "engine/query/places/subnetwork.h"
#include "engine/query/places/device_fallback.h"
#include "engine/query/places/node_order.h"
#include "engine/query/places/selection.h"

enum {
    ROWS_LEAST = 16,    /* of a tile: a group of the CPU's kernels */
    TOUCHED_MAX = 128,  /* places: of more, all of a file's kept arcs are checked as soon (Milan, New York) */
    SIDE_MAX = 1 << 30, /* of a tile: indexes of its sources and targets have 32 bits */
};
/* large enough to keep threads busy, small enough to stream */
static const uint64_t tile_bytes_of_host = 64ull << 20;
/* 5 ms of transfer to the host, ten times the time for the labels before it */
static const uint64_t tile_bytes_of_device = 256ull << 20;

/* The state of a matrix request, answered to a callback or into the caller's memory. */
typedef struct matrix_run {
    const macadam_matrix_request *request;
    macadam_place_status *status;
    mcd_query *query;
    mcd_lanes source, target;
    mcd_same_road direct;
    mcd_located source_place, target_place;
    mcd_subnetwork_cells subnetworks;
    mcd_straight_line line;
    uint8_t *fallback; /* of a tile, if there is a fallback speed */
    bool worked;       /* the processor works on the backend's results */
    bool raw;          /* and needs raw ones and objectives, requested or not */
    size_t tile_rows, tile_columns;
    size_t row, column, band; /* the next tile, and the rows of its band: everything before it is delivered */
    uint32_t *const *value;   /* the caller's; NULL: tiles */
    mcd_division division;    /* how `value` is divided; usually no parts */
    uint32_t *tile[MACADAM_QUANTITIES_MAX]; /* within the query's block, or `own`; so is the next one */
    uint32_t *objective;                    /* of a tile, if they are needed but not requested */
    char *own;
    macadam_tile_callback callback;
    void *context;
    mcd_selection selection; /* for sweeps */
    mcd_measured measured;   /* of approximate rows so far */
    macadam_matrix_plan plan;
    /* [2] with a clock: the places, of which the caller hears before the first tile; else NULL */
    mcd_instants **reported;
} matrix_run;

/* Places an array of cells in `memory` from byte *at on, and lets *at pass it, by whole cache lines. */
static uint32_t *place(char *memory, uint64_t *at, uint64_t cells)
{
    const uint64_t first = *at;
    *at += (cells * sizeof(uint32_t) + 63) / 64 * 64;
    return memory ? (uint32_t *)(memory + first) : NULL;
}

/* Places the arrays of a tile: its quantities, unless they go straight to the caller, the objective if it is needed but
 * not requested, and the marks of straight lines. Returns how many bytes they take; memory: NULL to know only that. */
static uint64_t place_arrays(matrix_run *run, char *memory)
{
    const mcd_query *const query = run->query;
    const uint64_t columns = run->value ? run->target.place_count : run->tile_columns;
    uint64_t bytes = 0;
    for (size_t q = 0; q < query->quantity_count && !run->value; ++q)
        run->tile[q] = place(memory, &bytes, run->tile_rows * columns);
    if (run->raw && !mcd_query_asks(query, false))
        run->objective = place(memory, &bytes, run->tile_rows * columns);
    if (run->line.speed_ms > 0 && !run->value)
        run->fallback = (uint8_t *)place(memory, &bytes, (run->tile_rows * columns + 3) / 4);
    return bytes;
}

/* ---- by labels and products ---- */

static uint64_t scratch_bytes(matrix_run *run)
{
    const mcd_query *query = run->query;
    const mcd_weights *weights = query->weights;
    const size_t workers = run->tile_rows <= ROWS_LEAST ? 1 : query->engine->parallel.thread_count;
    const mcd_matrix_size size = {{run->tile_rows, run->tile_columns},
                                  {mcd_lanes_most(&run->source, 1), mcd_lanes_most(&run->target, 1)}};
    return query->backend->matrix_scratch(weights, &size, workers, query->joint) + place_arrays(run, NULL);
}

/* A device needs host memory only for tiles, which it writes at full speed if they are in a block. */
static macadam_status take_product_memory(matrix_run *run, macadam_error *error)
{
    if (run->query->backend->device) {
        MCD_TRY(mcd_query_take(run->query, scratch_bytes(run), "a matrix", error));
        place_arrays(run, run->query->block.memory);
        return MACADAM_OK;
    }
    MCD_TRY(mcd_query_reserve(run->query, scratch_bytes(run), "a matrix", error));
    MCD_TRY(MCD_NEW(run->own, place_arrays(run, NULL), error));
    place_arrays(run, run->own);
    return MACADAM_OK;
}

/* Makes tiles smaller until they fit: first fewer rows, then fewer columns. The labels of the columns are
 * computed again for every band of rows. */
static void choose_tiles(matrix_run *run)
{
    const uint64_t limit = mcd_query_limit(run->query);
    const uint64_t wanted = run->query->backend->device ? tile_bytes_of_device : tile_bytes_of_host;
    const uint64_t row_bytes =
        (uint64_t)run->target.place_count * run->query->quantity_count * sizeof(uint32_t);
    run->tile_columns = mcd_size_min(run->target.place_count, SIDE_MAX);
    if (run->column > 0) { /* a band that is delivered in part keeps its rows */
        run->tile_rows = run->band;
    } else {
        run->tile_rows = mcd_size_min(run->source.place_count, SIDE_MAX);
        if (!run->value && row_bytes * run->tile_rows > wanted)
            run->tile_rows = mcd_size_min(run->tile_rows, mcd_size_max(ROWS_LEAST, wanted / row_bytes));
    }
    while (scratch_bytes(run) > limit && run->tile_rows > ROWS_LEAST && run->column == 0)
        run->tile_rows = (run->tile_rows + 1) / 2;
    while (scratch_bytes(run) > limit && run->tile_columns > ROWS_LEAST)
        run->tile_columns = (run->tile_columns + 1) / 2;
}

static macadam_status deliver(const matrix_run *run, const mcd_cells *cells, macadam_error *error)
{
    macadam_tile tile = {
        .row = cells->row, .rows = cells->rows, .column = cells->column, .columns = cells->columns};
    tile.fallback = run->fallback;
    for (size_t q = 0; q < run->query->quantity_count; ++q) tile.value[q] = run->tile[q];
    if (run->callback(run->context, &tile)) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of row %zu, column %zu",
                    cells->row, cells->column);
}

/* Returns the caller's divided memory from a column on. */
static mcd_division divide(const matrix_run *run, size_t column)
{
    mcd_division division = run->division;
    for (size_t p = 0; p < division.part_count; ++p) {
        if (division.objective[p]) division.objective[p] += column;
        if (division.companion[p]) division.companion[p] += column;
    }
    return division;
}

/* Returns the rectangle where the cells of the band's next `columns` columns go. */
static mcd_cells cells_of(const matrix_run *run, size_t columns)
{
    const size_t offset = run->value ? run->row * run->target.place_count + run->column : 0;
    uint32_t *const *const value = run->value ? run->value : (uint32_t *const *)run->tile;
    uint32_t *const objective = mcd_query_value(run->query, value, false);
    uint32_t *const companion = mcd_query_value(run->query, value, true);
    return (mcd_cells){.row = run->row,
                       .rows = run->band,
                       .column = run->column,
                       .columns = columns,
                       .objective = objective ? objective + offset : run->objective,
                       .companion = companion ? companion + offset : NULL,
                       .stride = run->value ? run->target.place_count : columns};
}

/* Makes the costs of a rectangle signed. */
static macadam_status sign_cells(const matrix_run *run, const mcd_cells *cells, macadam_error *error)
{
    const mcd_query *const query = run->query;
    for (size_t q = 0; q < query->quantity_count; ++q) {
        const int32_t *const from = run->source.potential[query->is_companion[q]],
                             *const to = run->target.potential[query->is_companion[q]];
        if (!from) continue;
        const mcd_sign_job job = {
            .value = query->is_companion[q] ? cells->companion : cells->objective,
            .rows = cells->rows,
            .columns = cells->columns,
            .stride = cells->stride,
            .row = from + cells->row,
            .column = to + cells->column,
        };
        const mcd_division division = divide(run, cells->column);
        MCD_TRY(division.part_count ? mcd_signed_divided(query, q, &division, &job, false, error)
                                    : mcd_signed_apply(query, job, error));
    }
    return MACADAM_OK;
}

static mcd_rows_job rows_job(const matrix_run *run, const mcd_matrix_targets *targets, const mcd_cells *cells)
{
    return (mcd_rows_job){
        .targets = targets,
        .source = run->source.lane ? run->source.lane + mcd_lanes_first(&run->source, cells->row) : NULL,
        .source_node = run->source.node ? run->source.node + cells->row : NULL,
        .source_count = cells->rows,
        .parts = run->source.parts,
        .source_road = run->source.road ? run->source.road + cells->row : NULL,
        .first = run->source.first ? run->source.first + cells->row : NULL,
        .objective = cells->objective,
        .companion = cells->companion,
        .raw = run->raw,
        .stride = cells->stride,
    };
}

static macadam_status find_same_road(matrix_run *run, macadam_error *error)
{
    return mcd_same_road_new(&run->direct, &run->source, &run->target, &(mcd_parallel){1, NULL}, error);
}

/* The device merges the ways along places' roads, too. Divided answers have all rows. */
static macadam_status compute_on_device(matrix_run *run, const mcd_matrix_targets *targets,
                                        const mcd_cells *cells, macadam_error *error)
{
    MCD_FREED_BY(mcd_way_list_free) mcd_way_list ways = {NULL};
    const mcd_division division = divide(run, cells->column);
    if (!run->direct.source) MCD_TRY(find_same_road(run, error));
    for (size_t row = 0; row < cells->rows; row += ways.rows) {
        const mcd_cells rest = mcd_cells_rows(cells, row, cells->rows - row);
        MCD_TRY(mcd_same_road_list(&ways, &run->direct, &rest, division.part_count > 0,
                                   &run->query->engine->parallel, error));
        const mcd_cells part = mcd_cells_rows(&rest, 0, ways.rows);
        mcd_rows_job job = rows_job(run, targets, &part);
        job.way = ways.way;
        job.way_count = ways.count;
        if (division.part_count > 0) job.division = &division;
        MCD_TRY(run->query->backend->matrix_rows(&job, error));
    }
    return MACADAM_OK;
}

static macadam_status compute_cells(matrix_run *run, const mcd_matrix_targets *targets,
                                    const mcd_cells *cells, macadam_error *error)
{
    if (run->query->backend->device) return compute_on_device(run, targets, cells, error);
    const mcd_rows_job job = rows_job(run, targets, cells);
    return run->query->backend->matrix_rows(&job, error);
}

/* Tells which of all cells the next tile is. */
static void tell_part(const matrix_run *run, size_t columns)
{
    const uint64_t targets = run->target.place_count,
                   first = (uint64_t)run->row * targets + (uint64_t)run->band * run->column;
    mcd_query_part(run->query, first, first + (uint64_t)run->band * columns,
                   run->source.place_count * targets);
}

static void settle_task(void *argument, size_t r, unsigned worker)
{
    const mcd_cells row = mcd_cells_rows(argument, r, 1);
    (void)worker;
    mcd_cells_settle(row.objective, row.companion, row.columns);
}

static void apply_line(const matrix_run *run, const mcd_cells *cells)
{
    uint8_t *const given = run->value ? run->request->fallback : NULL;
    mcd_straight_line_apply(&run->line, run->query, cells,
                            given ? given + cells->row * cells->stride + cells->column : run->fallback);
}

/* The passes over a rectangle whose lanes are merged, and its delivery, however its cells were computed. */
static macadam_status finish_cells(const matrix_run *run, const mcd_cells *cells, macadam_error *error)
{
    if (run->request->plan) *run->request->plan = run->plan;
    const mcd_parallel *const parallel = &run->query->engine->parallel;
    const bool on_device = run->query->backend->device && !run->query->timing.arcs;
    if (!on_device) MCD_TRY(mcd_same_road_apply(&run->direct, cells, parallel, error));
    /* decides by what is reached, whatever its companion is */
    MCD_TRY(mcd_subnetwork_cells_apply(&run->subnetworks, cells, error));
    if (run->raw && cells->companion) mcd_parallel_for(parallel, cells->rows, settle_task, (void *)cells);
    MCD_TRY(sign_cells(run, cells, error));
    if (run->line.is_wanted) apply_line(run, cells);
    return run->value ? MACADAM_OK : deliver(run, cells, error);
}

static macadam_status run_tile(matrix_run *run, const mcd_matrix_targets *targets, size_t columns,
                               macadam_error *error)
{
    const mcd_cells cells = cells_of(run, columns);
    MCD_TRY(compute_cells(run, targets, &cells, error));
    if (run->column == 0) run->plan.label_rows += run->band;
    return finish_cells(run, &cells, error);
}

static macadam_status prepare_targets(const matrix_run *run, size_t column, mcd_matrix_targets **out,
                                      macadam_error *error)
{
    const mcd_query *query = run->query;
    const size_t end = mcd_size_min(column + run->tile_columns, run->target.place_count);
    const size_t first = mcd_lanes_first(&run->target, column);
    const mcd_matrix_job job = {
        .weights = query->weights,
        .target = run->target.lane ? run->target.lane + first : NULL,
        .target_node = run->target.node ? run->target.node + first : NULL,
        .target_count = end - column,
        .parts = run->target.parts,
        .target_road = run->target.road ? run->target.road + column : NULL,
        .snap = run->source.road || run->target.road ? query->engine->device_snap : NULL,
        .first = run->target.first ? run->target.first + column : NULL,
        .source_count = run->division.part_count > 0 ? 0 : mcd_lanes_most(&run->source, run->tile_rows),
        .joint = query->joint,
        .parallel = query->engine->parallel,
        .progress = query->progress,
    };
    return query->backend->matrix_targets_new(out, &job, error);
}

/* Runs the tiles from the next one on. */
static macadam_status run_tiles(matrix_run *run, macadam_error *error)
{
    const mcd_backend *backend = run->query->backend;
    mcd_matrix_targets *targets = NULL;
    macadam_status status = MACADAM_OK;
    for (; run->row < run->source.place_count && !status; run->row += run->band, run->column = 0) {
        if (run->column == 0) run->band = mcd_size_min(run->tile_rows, run->source.place_count - run->row);
        while (run->column < run->target.place_count) {
            const size_t columns = mcd_size_min(run->tile_columns, run->target.place_count - run->column);
            tell_part(run, columns);
            if (run->tile_columns < run->target.place_count || !targets) {
                backend->matrix_targets_free(targets);
                if ((status = prepare_targets(run, run->column, &targets, error))) break;
            }
            if ((status = run_tile(run, targets, columns, error))) break;
            run->column += columns;
        }
        if (status) break;
    }
    backend->matrix_targets_free(targets);
    return status;
}

/* ---- by restricted sweeps ---- */

/* Cycles of one core with AVX-512, measured by tests/bench/ratios on New York and NE; only their ratios
 * matter. */
static const double cycles_label = 30;     /* per node of a root path */
static const double cycles_product = 0.07; /* per cell and common depth */
static const double cycles_sweep = 1.2;    /* per node and lane */
enum { SWEEP_ROWS = 1024 };

/* Returns how many nodes a sweep may visit in `cycles`. */
static double sweep_nodes(const matrix_run *run, double depth, double cycles)
{
    const double lanes = (double)((run->source.place_count + ROWS_LEAST - 1) / ROWS_LEAST * ROWS_LEAST);
    return (cycles / lanes - cycles_label * depth) / cycles_sweep;
}

/* Returns whether the targets are nodes, as sweeps need. */
static bool are_nodes(const matrix_run *run)
{
    for (size_t t = 0; t < run->target.place_count; ++t)
        if (run->target.lane[t].seed[0].node == MCD_NODE_NONE) return false;
    return !run->target.position && !run->source.first && !run->target.first;
}

/* Decides whether sweeps over the targets' ancestors beat labels and products: they do where targets are
 * many, and near each other or requested from few sources. Keeps the selection if so. */
static macadam_status choose_sweeps(matrix_run *run, bool *chosen, macadam_error *error)
{
    double depth, common;
    *chosen = false;
    if (run->query->backend->device || run->column > 0 || !are_nodes(run)) return MACADAM_OK;
    mcd_selection_depths(run->query->weights->hierarchy, &run->source, &run->target, &depth, &common);
    const double sources = (double)run->source.place_count, targets = (double)run->target.place_count;
    const double product =
        (sources + targets) * cycles_label * depth + sources * targets * common * cycles_product;
    const double most = sweep_nodes(run, depth, product);
    if (most < targets) return MACADAM_OK;
    MCD_TRY(mcd_selection_new(&run->selection, run->query->weights->hierarchy, run->target.lane,
                              run->target.place_count, (size_t)most, error));
    *chosen = run->selection.count <= (size_t)most;
    return MACADAM_OK;
}

/* `cells`: all targets of the rows. */
static mcd_tree_job sweep_job(const matrix_run *run, const mcd_cells *cells)
{
    const mcd_query *query = run->query;
    return (mcd_tree_job){
        .weights = query->weights,
        .direction = MCD_FORWARD,
        .lane = run->source.lane + cells->row,
        .lane_count = cells->rows,
        .limit = MCD_WEIGHT_MAX,
        .only = run->selection.node,
        .only_count = run->selection.count,
        .column = run->selection.column,
        .column_count = run->target.place_count,
        .objective = cells->objective,
        .companion = cells->companion,
        .raw = run->raw,
        .scratch = query->block.memory,
        .parallel = query->engine->parallel,
        .progress = query->progress,
    };
}

/* Takes the scratch of a band of rows and, after it, its tile. *fits = false: they do not fit, and labels
 * must be used. */
static macadam_status take_sweep_memory(matrix_run *run, bool *fits, macadam_error *error)
{
    const mcd_query *query = run->query;
    static _Alignas(64) uint32_t line[16]; /* stands for the arrays that do not exist yet */
    const uint64_t row_bytes = (uint64_t)run->target.place_count * query->quantity_count * sizeof(uint32_t);
    const size_t threads = query->engine->parallel.thread_count;
    run->tile_rows = mcd_size_min(run->source.place_count, SWEEP_ROWS);
    run->tile_columns = run->target.place_count;
    if (!run->value)
        run->tile_rows =
            mcd_size_min(run->tile_rows, mcd_size_max(ROWS_LEAST * threads, tile_bytes_of_host / row_bytes));
    const bool objective = run->raw || mcd_query_asks(query, false);
    const mcd_cells cells = {.rows = run->tile_rows,
                             .objective = objective ? line : NULL,
                             .companion = query->joint ? line : NULL};
    const mcd_tree_job job = sweep_job(run, &cells);
    const uint64_t scratch = query->backend->tree_scratch(&job);
    const uint64_t bytes = scratch + place_arrays(run, NULL);
    *fits = bytes <= mcd_query_limit(query);
    if (!*fits) return MACADAM_OK;
    MCD_TRY(mcd_query_take(run->query, bytes, "a matrix", error));
    place_arrays(run, (char *)query->block.memory + scratch);
    return MACADAM_OK;
}

static macadam_status run_sweeps(matrix_run *run, macadam_error *error)
{
    for (; run->row < run->source.place_count; run->row += run->band) {
        run->band = mcd_size_min(run->tile_rows, run->source.place_count - run->row);
        tell_part(run, run->target.place_count);
        const mcd_cells cells = cells_of(run, run->target.place_count);
        const mcd_tree_job job = sweep_job(run, &cells);
        MCD_TRY(run->query->backend->tree(&job, error));
        run->plan.sweep_rows += run->band;
        MCD_TRY(finish_cells(run, &cells, error));
    }
    return MACADAM_OK;
}

/* ---- by the clock ---- */

static macadam_status approximate_cells(matrix_run *run, const mcd_cells *cells, macadam_error *error)
{
    if (run->row == 0) run->measured = (mcd_measured){0};
    MCD_TRY(mcd_approximate_cells(run->query, &run->source, &run->target, cells, &run->measured, error));
    *run->request->approximation = mcd_measured_report(&run->measured);
    run->plan.approximate_rows += cells->rows;
    return MACADAM_OK;
}

static macadam_status run_clock_tiles(matrix_run *run, macadam_error *error)
{
    const size_t columns = run->target.place_count;
    for (; run->row < run->source.place_count; run->row += run->band) {
        run->band = mcd_size_min(run->tile_rows, run->source.place_count - run->row);
        tell_part(run, columns);
        const mcd_cells cells = cells_of(run, columns);
        MCD_TRY(run->request->approximation
                    ? approximate_cells(run, &cells, error)
                    : mcd_clock_cells(run->query, &run->source, &run->target, &cells, &run->plan, error));
        MCD_TRY(finish_cells(run, &cells, error));
    }
    return MACADAM_OK;
}

/* Runs tiles of whole rows; with arrivals, for which each tile repeats the searches, as few as there is memory for. */
static macadam_status run_by_clock(matrix_run *run, macadam_error *error)
{
    const uint64_t row_bytes = (uint64_t)run->target.place_count * (run->query->quantity_count + 1) *
                               sizeof(uint32_t),
                   most = run->query->timing.direction == MCD_FORWARD ? tile_bytes_of_host
                                                                      : mcd_query_limit(run->query) / 2;
    run->tile_columns = run->target.place_count;
    run->tile_rows = mcd_size_min(run->source.place_count,
                                  run->value ? SIDE_MAX : mcd_size_max(ROWS_LEAST, most / row_bytes));
    MCD_TRY(mcd_query_reserve(run->query, place_arrays(run, NULL), "a matrix", error));
    MCD_TRY(MCD_NEW(run->own, place_arrays(run, NULL), error));
    place_arrays(run, run->own);
    return run_clock_tiles(run, error);
}

/* ---- the request ---- */

static macadam_status run_tiled(matrix_run *run, macadam_error *error)
{
    bool sweeps;
    if (run->query->timing.arcs) return run_by_clock(run, error);
    MCD_TRY(choose_sweeps(run, &sweeps, error));
    if (sweeps) MCD_TRY(take_sweep_memory(run, &sweeps, error));
    if (sweeps) return run_sweeps(run, error);
    choose_tiles(run);
    MCD_TRY(take_product_memory(run, error));
    return run_tiles(run, error);
}

/* Runs into memory that the processor can work on. */
static macadam_status run_staged(matrix_run *run, macadam_error *error)
{
    MCD_FREED_BY(mcd_stage_free) mcd_stage stage = {.cells = 0};
    uint32_t *const *const given = run->value;
    MCD_TRY(
        mcd_query_stage(&stage, run->query, given, run->source.place_count * run->target.place_count, error));
    run->value = stage.value;
    const macadam_status status = run_tiled(run, error);
    run->value = given;
    return status ? status : mcd_query_unstage(&stage, run->query, error);
}

static macadam_status sort_places(matrix_run *run, uint64_t *order, macadam_error *error)
{
    mcd_located *const source = &run->source_place, *const target = &run->target_place;
    MCD_TRY(mcd_node_order_sort(order, source, &run->source, target, error));
    return mcd_node_order_sort(order + run->source.place_count, target, &run->target, source, error);
}

/* Finds the pairs of places on one road, and within one subnetwork. Of known lanes, those on one road are found while the device has
 * the labels of the targets. */
static macadam_status relate_places(void *argument, size_t index, macadam_error *error)
{
    matrix_run *const run = argument;
    mcd_subnetwork_cells *const of = &run->subnetworks;
    if (index == 1)
        return mcd_subnetwork_deciding(&of->row, &of->count, of->source, of->target, of->query, error);
    return run->source.parts.part ? MACADAM_OK : find_same_road(run, error);
}

static macadam_status locate(matrix_run *run, const mcd_place_list *sources, const mcd_place_list *targets,
                             macadam_error *error)
{
    const mcd_query *const query = run->query;
    mcd_located *const source = &run->source_place, *const target = &run->target_place;
    MCD_TRY(mcd_locate_both(source, target, query, sources, targets, error));
    /* nodes are an eighteenth of lanes; places are sorted with lanes of their own */
    const mcd_lane_use use = !query->backend->device || query->timing.arcs ? MCD_LANES_OF_CELLS
                             : run->request->order                         ? MCD_LANES_OF_PAIRS
                                                                           : MCD_LANES_ON_DEVICE;
    run->subnetworks = (mcd_subnetwork_cells){query, source, target, &run->source, &run->target, NULL, 0};
    MCD_TRY(mcd_located_lanes_both((mcd_located *const[]){source, target}, query, (mcd_lane_use[]){use, use},
                                   (mcd_lanes *const[]){&run->source, &run->target},
                                   run->request->order ? NULL : relate_places, run, error));
    if (run->request->order) {
        MCD_TRY(sort_places(run, run->request->order, error));
        for (size_t i = 0; i < MCD_LANES_BESIDE; ++i) MCD_TRY(relate_places(run, i, error));
    }
    for (size_t i = 0; run->reported && i < 2; ++i) mcd_instants_report(run->reported[i]);
    run->line.departs = sources->count / run->request->source_count;
    run->line.arrives = targets->count / run->request->target_count;
    return MACADAM_OK;
}

/* The processor's sweeps, too, relax only arcs of the places' ancestors. */
static macadam_status touch_lanes(const matrix_run *run, macadam_error *error)
{
    MCD_TRY(mcd_query_touch(run->query, MCD_FORWARD, run->source.lane, run->source.node, run->source.count,
                            error));
    return mcd_query_touch(run->query, MCD_BACKWARD, run->target.lane, run->target.node, run->target.count,
                           error);
}

static macadam_status run_places(matrix_run *run, const mcd_place_list *source, const mcd_place_list *target,
                                 macadam_error *error)
{
    const bool has_clock = run->query->timing.arcs, on_host = has_clock || !run->query->backend->device;
    MCD_TRY(locate(run, source, target, error));
    run->worked = has_clock || (on_host && run->direct.count > 0) || run->subnetworks.count > 0;
    /* a device settles answers, unless their being unreached decides about subnetworks */
    run->raw = run->worked && (on_host || run->query->snap_any_component);
    if ((run->worked || run->line.is_wanted) && run->division.part_count > 0)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "%s, and answers in divided memory",
                        run->worked ? "places on roads that are cut off"
                                    : "a fallback speed, its marks or a scale factor");
    if (!has_clock) MCD_TRY(touch_lanes(run, error));
    return (run->worked || run->line.is_wanted) && run->value ? run_staged(run, error)
                                                              : run_tiled(run, error);
}

/* With a clock, rows are found one by one, and straight lines are written by the caller's places. */
static macadam_status check_order(const matrix_run *run, macadam_error *error)
{
    const bool has_clock = run->query->timing.arcs;
    if (!run->request->order || !(has_clock || run->line.is_wanted)) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the engine's order, and %s",
                    has_clock ? "a clock" : "a fallback speed, its marks or a scale factor");
}

/* With a clock, answers for each place at each of its instants. */
static macadam_status run_instants(matrix_run *run, const mcd_place_list *source,
                                   const mcd_place_list *target, macadam_error *error)
{
    MCD_FREED_BY(mcd_instants_free) mcd_instants from = {.times = 0}, to = {.times = 0};
    MCD_TRY(mcd_instants_new(&from, run->query, source, MCD_SOURCES, false, error));
    MCD_TRY(mcd_instants_new(&to, run->query, target, MCD_TARGETS, false, error));
    run->reported = (mcd_instants *[]){&from, &to};
    const macadam_status status = run_places(run, &from.list, &to.list, error);
    run->reported = NULL;
    return status;
}

static macadam_status run_matrix(matrix_run *run, macadam_error *error)
{
    const macadam_matrix_request *const request = run->request;
    macadam_place_status *const status = run->status;
    MCD_TRY(mcd_straight_line_new(&run->line, run->query, request, error));
    MCD_TRY(check_order(run, error));
    macadam_snap *const snap = run->line.snap ? run->line.snap : request->snap;
    const mcd_outcome source_outcome = {.status = status, .snap = snap};
    const mcd_outcome target_outcome = {.status = status ? status + request->source_count : NULL,
                                        .snap = snap ? snap + request->source_count : NULL};
    const mcd_place_list source = {request->source, request->source_count, source_outcome, NULL};
    const mcd_place_list target = {request->target, request->target_count, target_outcome, NULL};
    if (request->approximation) MCD_TRY(mcd_approximate_check(run->query, error));
    return run->query->timing.arcs ? run_instants(run, &source, &target, error)
                                   : run_places(run, &source, &target, error);
}

static void release(matrix_run *run)
{
    mcd_lanes_free(&run->source);
    mcd_lanes_free(&run->target);
    mcd_same_road_free(&run->direct);
    mcd_located_free(&run->source_place);
    mcd_located_free(&run->target_place);
    mcd_free(run->subnetworks.row);
    run->subnetworks.row = NULL;
    mcd_straight_line_free(&run->line);
    mcd_free(run->own);
    run->own = NULL;
    run->objective = NULL, run->fallback = NULL;
    mcd_selection_free(&run->selection);
}

/* Each part holds all of its rows, so there is one tile from top to bottom. */
static macadam_status divide_answers(matrix_run *run, macadam_error *error)
{
    const macadam_matrix_request *const request = run->request;
    const uint64_t row_bytes = (uint64_t)request->target_count * sizeof(uint32_t);
    MCD_TRY(
        mcd_query_divide(run->query, run->value, request->source_count, row_bytes, &run->division, error));
    if (run->division.part_count == 0 || request->source_count <= SIDE_MAX) return MACADAM_OK;
    return mcd_fail_invalid(error, "%zu sources into divided memory; at most %d", request->source_count,
                            (int)SIDE_MAX);
}

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    matrix_run *const run = argument;
    run->query = query;
    macadam_status status = run->value ? divide_answers(run, error) : MACADAM_OK;
    if (!status) status = run_matrix(run, error);
    release(run);
    return status;
}

macadam_status mcd_matrix_tiles(mcd_query *query, const macadam_matrix_request *request,
                                macadam_place_status *status, macadam_tile_callback callback, void *context,
                                macadam_error *error)
{
    matrix_run run = {.request = request, .status = status, .callback = callback, .context = context};
    return attempt(&run, query, error);
}

static macadam_status answer(matrix_run *run, macadam_engine *engine, const macadam_query *given,
                             const macadam_matrix_request *request, macadam_error *error)
{
    macadam_matrix_request own = MACADAM_MATRIX_REQUEST_INIT;
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "matrix request", error));
    mcd_work work = {
        .backend = mcd_engine_backend(engine),
        .amount = {MCD_RATED_MATRIX, own.source_count, own.target_count},
        .need = mcd_query_need(engine, own.source, own.source_count) |
                mcd_query_need(engine, own.target, own.target_count),
        .value = run->value,
        .takes_clock = true,
        .clock_on_device = true,
    };
    if (!own.approximation && own.source_count + own.target_count <= TOUCHED_MAX)
        work.need |= MCD_NEED_TOUCHED;
    run->request = &own;
    return mcd_query_with_fallback(engine, &work, given, attempt, run, error);
}

macadam_status macadam_matrix_find(macadam_place_status *status, macadam_engine *engine,
                                   const macadam_query *query, const macadam_matrix_request *request,
                                   macadam_tile_callback tile, void *context, macadam_error *error)
{
    matrix_run run = {.status = status, .callback = tile, .context = context};
    if (!tile) return mcd_fail_invalid(error, "no callback for the tiles");
    return answer(&run, engine, query, request, error);
}

macadam_status macadam_matrix_find_into(uint32_t *const *value, macadam_place_status *status,
                                        macadam_engine *engine, const macadam_query *query,
                                        const macadam_matrix_request *request, macadam_error *error)
{
    matrix_run run = {.status = status, .value = value};
    if (!value) return mcd_fail_invalid(error, "no memory for the matrix");
    return answer(&run, engine, query, request, error);
}
