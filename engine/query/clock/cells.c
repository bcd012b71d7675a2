/* cells.c - see cells.h. */
#include "engine/query/clock/cells.h"

#include "engine/query/clock/local_costs.h"
#include "engine/query/places/trip_costs.h"

/* Of tests/bench/clock.c, New York, 100 rows, one thread: trips to 1, 4 and 8 columns take 5, 29 and 59 ms in a box of 9 km, searches
 * 38, 58 and 62 ms; all over the map 394, 1434 and 3304 ms, and 713, 1452 and 1536 ms. */
enum { LANES_OF_THREAD = 64, LANES_OF_DEVICE = 4096, MEMORY_SHARE = 4, TRIPS_OF_SEARCH = 4 };

typedef struct cells_run {
    const mcd_clock_costs *costs;
    const mcd_cells *cells;
    size_t place; /* the first one that was searched */
    bool by_row;  /* searches begin at sources */
} cells_run;

static void write_cell(const mcd_cells *cells, size_t at, mcd_clock_sum cost)
{
    cells->objective[at] = mcd_clock_answer(cost.objective);
    if (cells->companion) cells->companion[at] = mcd_clock_answer(cost.companion);
}

static void write_place(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const cells_run *const run = argument;
    const mcd_cells *const cells = run->cells;
    const size_t place = run->place + index, count = run->by_row ? cells->columns : cells->rows;
    for (size_t i = 0; i < count; ++i) {
        const size_t r = run->by_row ? place - cells->row : i, c = run->by_row ? i : place - cells->column;
        write_cell(cells, r * cells->stride + c,
                   mcd_clock_costs_of(run->costs, place, run->costs->place + i));
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

/* Finds the cells as routes; *is_found is false if it does not pay (yet). */
static macadam_status find_trips(const mcd_trip *trips, const mcd_cells *cells, macadam_matrix_plan *plan,
                                 bool *is_found, macadam_error *error)
{
    const mcd_query *const query = trips->query;
    const bool by_row = query->timing.direction == MCD_FORWARD;
    const size_t count = cells->rows * cells->columns, others = by_row ? cells->columns : cells->rows;
    mcd_clock_sum sum[MCD_TRIPS_AT_ONCE];
    *is_found = others <= TRIPS_OF_SEARCH && !query->backend->device && !query->engine->forced_margin;
    for (size_t first = 0; first < count && *is_found; first += MCD_TRIPS_AT_ONCE) {
        const size_t now = mcd_size_min(MCD_TRIPS_AT_ONCE, count - first);
        MCD_TRY(mcd_trips_find(trips, others, first, now, sum, is_found, error));
        for (size_t i = 0; i < now && *is_found; ++i) {
            const size_t place = (first + i) / others, other = (first + i) % others;
            write_cell(cells, by_row ? place * cells->stride + other : other * cells->stride + place, sum[i]);
        }
    }
    plan->route_cells += *is_found ? count : 0;
    return MACADAM_OK;
}

macadam_status mcd_clock_cells(const mcd_query *query, const mcd_lanes *source, const mcd_lanes *target,
                               const mcd_cells *cells, macadam_matrix_plan *plan, macadam_error *error)
{
    const bool by_row = query->timing.direction == MCD_FORWARD;
    const mcd_lanes *const search = by_row ? source : target;
    const size_t first = by_row ? cells->row : cells->column,
                 end = first + (by_row ? cells->rows : cells->columns),
                 other = by_row ? cells->column : cells->row, others = by_row ? cells->columns : cells->rows;
    const mcd_trip trips = {query, search, by_row ? target : source, first, other, cells->companion, 0, NULL};
    MCD_FREED_BY(mcd_clock_costs_free) mcd_clock_costs costs = {.query = NULL};
    bool is_found;
    MCD_TRY(find_trips(&trips, cells, plan, &is_found, error));
    if (is_found) return MACADAM_OK;
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
