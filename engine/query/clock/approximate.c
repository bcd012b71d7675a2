/* approximate.c - see approximate.h.
 *
 * Cells are computed by labels over sampled travel times (kernels/cpu/pairwise/clock_table.c). Their windows begin at multiples
 * of WINDOW_STEPS steps. The samples of the first ones are five minutes apart, and cover two hours and a half. Cells whose
 * ways take longer stay open; they are computed again with steps that are twice as long, until none is open. */
#include "engine/query/clock/approximate.h"

#include "engine/base/sort.h"
#include "engine/query/clock/cells.h"
#include "engine/runtime/clock.h"
#include "engine/runtime/load.h"

enum {
    WINDOW_STEPS = 3, /* a quarter of an hour: slots begin where windows do */
    ROWS_MEASURED = 4,
    MEMORY_SHARE = 4,
    PPM = 1000000,
};
static const uint32_t step_most = MCD_SAMPLE_STEP_LEAST << 8; /* its window is longer than any way */
static_assert((MCD_SAMPLES - 1 - WINDOW_STEPS) * ((uint64_t)MCD_SAMPLE_STEP_LEAST << 8) > MCD_WEIGHT_MAX,
              "no way is longer");

macadam_status mcd_approximate_check(const mcd_query *query, macadam_error *error)
{
    if (!query->timing.arcs || query->timing.direction != MCD_FORWARD)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "an approximate matrix without departures: only departures are approximated");
    if (query->joint)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "an approximate matrix of more than durations: only these are approximated");
    return MACADAM_OK;
}

/* ---- estimates ---- */

/* Lists the lanes that have open cells, by the beginning of their windows. */
static macadam_status list_open(const mcd_clock_costs *costs, size_t count, uint32_t step_ms, uint64_t *key,
                                size_t *open_count, macadam_error *error)
{
    MCD_OWNED uint64_t *scratch = NULL;
    const uint32_t window_ms = WINDOW_STEPS * step_ms;
    MCD_TRY(MCD_NEW(scratch, count, error));
    *open_count = 0;
    for (size_t l = 0; l < count; ++l) {
        const uint32_t *const cell = costs->objective + l * costs->column_count;
        size_t c = 0;
        while (c < costs->column_count && cell[c] != MCD_CELL_OPEN) ++c;
        if (c == costs->column_count) continue;
        key[(*open_count)++] = (uint64_t)(costs->instant[l] / window_ms * window_ms) << 32 | l;
    }
    return mcd_sort_bits(key, scratch, *open_count, 32, 64, NULL, error);
}

/* Computes the lanes row[0 .. count) of one window. */
static macadam_status compute_window(const mcd_clock_costs *costs, uint32_t begin, uint32_t step_ms,
                                     const uint32_t *row, size_t count, macadam_error *error)
{
    const mcd_query *const query = costs->query;
    macadam_engine *const engine = query->engine;
    MCD_FREED_BY(mcd_clock_bound_leave_at) mcd_clock_bound *bound = NULL;
    MCD_TRY(mcd_clock_samples_use(&bound, &query->version->clock->bounds, engine, query->timing.arcs, begin,
                                  step_ms, error));
    const mcd_clock_table_job job = {.hierarchy = &engine->hierarchy,
                                     .samples = &bound->samples,
                                     .lane = costs->lane,
                                     .instant = costs->instant,
                                     .row = row,
                                     .row_count = count,
                                     .column = costs->column,
                                     .column_count = costs->column_count,
                                     .objective = costs->objective,
                                     .is_last = step_ms == step_most,
                                     .parallel = engine->parallel,
                                     .progress = query->progress};
    return engine->host->clock_table(&job, error);
}

/* Does what mcd_clock_costs_run does, approximately. */
static macadam_status estimate(mcd_clock_costs *costs, size_t first, size_t count, macadam_error *error)
{
    MCD_OWNED uint64_t *key = NULL;
    MCD_OWNED uint32_t *row = NULL;
    MCD_TRY(MCD_NEW(key, count, error));
    MCD_TRY(MCD_NEW(row, count, error));
    mcd_clock_costs_lanes(costs, first, count);
    for (size_t i = 0; i < count * costs->column_count; ++i) costs->objective[i] = MCD_CELL_OPEN;
    for (uint32_t step_ms = MCD_SAMPLE_STEP_LEAST; step_ms <= step_most; step_ms *= 2) {
        size_t open;
        MCD_TRY(list_open(costs, count, step_ms, key, &open, error));
        for (size_t i = 0, end; i < open; i = end) {
            for (end = i; end < open && key[end] >> 32 == key[i] >> 32; ++end)
                row[end - i] = (uint32_t)key[end];
            MCD_TRY(compute_window(costs, (uint32_t)(key[i] >> 32), step_ms, row, end - i, error));
        }
    }
    return MACADAM_OK;
}

/* ---- the error ---- */

static void measure(mcd_measured *measured, uint32_t estimated, uint32_t exact)
{
    const uint64_t error = estimated > exact ? estimated - exact : exact - estimated;
    if (exact == 0 || (exact == MACADAM_UNREACHED && error == 0)) return;
    const bool differ = exact == MACADAM_UNREACHED || estimated == MACADAM_UNREACHED;
    const uint64_t ppm = differ ? PPM : error * PPM / exact;
    const uint32_t capped = ppm < UINT32_MAX ? (uint32_t)ppm : UINT32_MAX;
    ++measured->cells;
    measured->sum_ppm += capped;
    if (capped > measured->worst_ppm) measured->worst_ppm = capped;
}

macadam_approximation mcd_measured_report(const mcd_measured *measured)
{
    const uint64_t cells = measured->cells, mean = cells ? measured->sum_ppm / cells : 0;
    return (macadam_approximation){cells, (uint32_t)mean, measured->worst_ppm};
}

/* Searches the sources that are to be measured among those of the rectangle, and compares their cells. */
static macadam_status measure_rows(mcd_clock_costs *costs, const mcd_cells *cells, mcd_measured *measured,
                                   macadam_error *error)
{
    const mcd_lanes *const source = costs->search;
    const size_t parts = mcd_size_min(ROWS_MEASURED, source->place_count);
    for (size_t part = 0; part < parts; ++part) {
        const size_t place = mcd_part_first(source->place_count, part, parts),
                     lane = mcd_lanes_first(source, place);
        if (place < cells->row || place >= cells->row + cells->rows) continue;
        MCD_TRY(mcd_clock_costs_run(costs, lane, mcd_lanes_first(source, place + 1) - lane, error));
        for (size_t c = 0; c < cells->columns; ++c) {
            const mcd_weight exact = mcd_clock_costs_of(costs, place, cells->column + c).objective;
            measure(measured, cells->objective[(place - cells->row) * cells->stride + c],
                    mcd_clock_answer(exact));
        }
    }
    return MACADAM_OK;
}

/* ---- cells ---- */

macadam_status mcd_approximate_cells(const mcd_query *query, const mcd_lanes *source, const mcd_lanes *target,
                                     const mcd_cells *cells, mcd_measured *measured, macadam_error *error)
{
    MCD_TRY(mcd_engine_load(query->engine, MCD_LOAD_HIERARCHY, error));
    const size_t end = cells->row + cells->rows, label = query->engine->hierarchy.height,
                 lanes = mcd_lanes_first(source, end) - mcd_lanes_first(source, cells->row),
                 fit = mcd_query_limit(query) / MEMORY_SHARE /
                       (sizeof(uint32_t) * (8 * (cells->columns + 1) + label)),
                 band = mcd_size_max(mcd_lanes_most(source, 1), mcd_size_min(lanes, fit));
    MCD_FREED_BY(mcd_clock_costs_free) mcd_clock_costs costs = {.query = NULL};
    MCD_TRY(mcd_clock_costs_new(&costs, query, source, target, cells->column, cells->column + cells->columns,
                                band, false, error));
    for (size_t place = cells->row, next = place; place < end; place = next) {
        const size_t lane = mcd_lanes_first(source, place);
        while (next < end && mcd_lanes_first(source, next + 1) - lane <= costs.band) ++next;
        MCD_TRY(estimate(&costs, lane, mcd_lanes_first(source, next) - lane, error));
        mcd_clock_cells_write(&costs, cells, place, next - place);
    }
    return measure_rows(&costs, cells, measured, error);
}
