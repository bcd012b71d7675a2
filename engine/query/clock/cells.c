/* cells.c - see cells.h. */
#include "engine/query/clock/cells.h"

#include "engine/query/clock/local_costs.h"

enum { LANES_OF_THREAD = 64, LANES_OF_DEVICE = 4096, MEMORY_SHARE = 4 };

typedef struct cells_run {
    const mcd_clock_costs *costs;
    const mcd_cells *cells;
    size_t place; /* the first one that was searched */
    bool by_row;  /* searches begin at sources */
} cells_run;

static void write_place(void *argument, size_t index, unsigned worker)
{
    const cells_run *const run = argument;
    const mcd_cells *const cells = run->cells;
    const size_t place = run->place + index, count = run->by_row ? cells->columns : cells->rows;
    (void)worker;
    for (size_t i = 0; i < count; ++i) {
        const size_t r = run->by_row ? place - cells->row : i, c = run->by_row ? i : place - cells->column,
                     at = r * cells->stride + c;
        const mcd_clock_sum cost = mcd_clock_costs_of(run->costs, place, run->costs->place + i);
        cells->objective[at] = cost.objective < MCD_UNREACHED ? cost.objective : MACADAM_UNREACHED;
        if (cells->companion)
            cells->companion[at] = cost.companion < MCD_UNREACHED ? cost.companion : MACADAM_UNREACHED;
    }
}

void mcd_clock_cells_write(const mcd_clock_costs *costs, const mcd_cells *cells, size_t place, size_t count)
{
    cells_run run = {costs, cells, place, costs->query->timing.direction == MCD_FORWARD};
    mcd_parallel_for(&costs->query->engine->parallel, count, write_place, &run);
}

/* Returns the most lanes of a band: some for each thread, and at least those of any place. */
static size_t band_of(const mcd_query *query, const mcd_lanes *search, size_t others)
{
    const size_t wanted = query->backend->device
                              ? LANES_OF_DEVICE
                              : LANES_OF_THREAD * (size_t)query->engine->parallel.thread_count,
                 fit = mcd_query_limit(query) / MEMORY_SHARE / (8 * sizeof(mcd_joint) * (others + 1));
    return mcd_size_max(mcd_lanes_most(search, 1), mcd_size_min(wanted, fit));
}

macadam_status mcd_clock_cells(const mcd_query *query, const mcd_lanes *source, const mcd_lanes *target,
                               const mcd_cells *cells, macadam_matrix_plan *plan, macadam_error *error)
{
    const bool by_row = query->timing.direction == MCD_FORWARD;
    const mcd_lanes *const search = by_row ? source : target;
    const size_t first = by_row ? cells->row : cells->column,
                 end = first + (by_row ? cells->rows : cells->columns),
                 other = by_row ? cells->column : cells->row, others = by_row ? cells->columns : cells->rows;
    MCD_FREED_BY(mcd_clock_costs_free) mcd_clock_costs costs = {.query = NULL};
    MCD_TRY(mcd_clock_costs_new(&costs, query, search, by_row ? target : source, other, other + others,
                                band_of(query, search, others), cells->companion, error));
    MCD_FREED_BY(mcd_local_costs_free) mcd_local_costs local = {.costs = NULL};
    MCD_TRY(mcd_local_costs_new(&local, &costs, mcd_lanes_first(search, first), mcd_lanes_first(search, end),
                                plan, error));
    for (size_t place = first, next = first; place < end; place = next) {
        const size_t lane = mcd_lanes_first(search, place), band = mcd_local_costs_band(&local);
        do ++next;
        while (next < end && mcd_lanes_first(search, next + 1) - lane <= band);
        MCD_TRY(mcd_local_costs_run(&local, lane, mcd_lanes_first(search, next) - lane, error));
        mcd_clock_cells_write(&costs, cells, place, next - place);
    }
    return MACADAM_OK;
}
