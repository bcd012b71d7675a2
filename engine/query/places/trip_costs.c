/* trip_costs.c - see trip_costs.h.
 *
 * The calling thread finds the first trip, and makes the bounds that pay for as many requests as there are trips. All threads
 * find the others with the bounds that are there. */
#include "engine/query/places/trip_costs.h"

typedef struct trip_worker {
    mcd_trip_search search;
    bool lacks; /* some trip was not found */
    macadam_status status;
    macadam_error error;
} trip_worker;

typedef struct trips_run {
    trip_worker *worker; /* [threads] */
    size_t threads, columns, from;
    mcd_trip first;
    mcd_clock_sum *sum;
    mcd_watch watch;
} trips_run;

static void free_run(trips_run *run)
{
    for (size_t w = 0; run->worker && w < run->threads; ++w) mcd_trip_search_free(&run->worker[w].search);
    mcd_free(run->worker);
}

static void find_trip(void *argument, size_t index, unsigned number)
{
    const trips_run *const run = argument;
    trip_worker *const worker = &run->worker[number];
    const size_t at = run->from + index, columns = run->columns;
    mcd_trip trip = run->first;
    bool is_found = false;
    if (worker->status || worker->lacks) return;
    trip.place += columns ? at / columns : at;
    trip.other_place += columns ? at % columns : at;
    worker->status =
        mcd_trip_search_find(&worker->search, &trip, &run->sum[index], &is_found, &worker->error);
    worker->lacks = !is_found;
}

macadam_status mcd_trips_find(const mcd_trip *first, size_t columns, size_t from, size_t count,
                              mcd_clock_sum *sum, bool *is_found, macadam_error *error)
{
    const mcd_parallel *const parallel = &first->query->engine->parallel;
    MCD_FREED_BY(free_run)
    trips_run run = {.threads = parallel->thread_count,
                     .columns = columns,
                     .from = from,
                     .first = *first,
                     .sum = sum,
                     .watch = mcd_watch_of(&first->query->progress, "trees")};
    run.first.watch = &run.watch;
    run.first.requests = (uint32_t)count;
    MCD_TRY(MCD_NEW_ZEROED(run.worker, run.threads, error));
    find_trip(&run, 0, 0);
    run.first.requests = 0;
    ++run.from, ++run.sum;
    if (!run.worker->status && !run.worker->lacks)
        MCD_TRY(mcd_watch_for(&run.watch, parallel, count - 1, find_trip, &run, error));
    *is_found = true;
    for (const trip_worker *worker = run.worker; worker < run.worker + run.threads; ++worker) {
        if (worker->status) return mcd_fail(error, worker->status, "%s", worker->error.message);
        *is_found = *is_found && !worker->lacks;
    }
    return MACADAM_OK;
}

/* ---- pairs ---- */

/* Finds the costs by searches of the backend. */
static macadam_status search_pairs(const mcd_trip *trips, size_t first, size_t count, mcd_clock_sum *sum,
                                   macadam_error *error)
{
    MCD_FREED_BY(mcd_clock_costs_free) mcd_clock_costs costs = {.query = NULL};
    const size_t lane = mcd_lanes_first(trips->search, first),
                 lanes = mcd_lanes_first(trips->search, first + count) - lane;
    MCD_TRY(mcd_clock_costs_new(&costs, trips->query, trips->search, trips->other, first, first + count,
                                lanes, trips->joint, error));
    MCD_TRY(mcd_clock_costs_run(&costs, lane, lanes, error));
    for (size_t i = 0; i < count; ++i) sum[i] = mcd_clock_costs_of(&costs, first + i, first + i);
    return MACADAM_OK;
}

/* Writes the better one of both ways of a pair. */
static void write_pair(mcd_clock_sum cost, const mcd_road_part *direct, uint32_t *objective,
                       uint32_t *companion)
{
    const mcd_weight along = companion ? direct->companion : 0;
    if (mcd_joint_of(direct->objective, along) < mcd_joint_of(cost.objective, cost.companion))
        cost = (mcd_clock_sum){direct->objective, along, MCD_NODE_NONE};
    const bool reached = cost.objective < MCD_UNREACHED && cost.companion < MCD_UNREACHED;
    *objective = reached ? cost.objective : MACADAM_UNREACHED;
    if (companion) *companion = reached ? cost.companion : MACADAM_UNREACHED;
}

macadam_status mcd_clock_pairs(const mcd_query *query, const mcd_lanes *source, const mcd_lanes *target,
                               size_t count, uint32_t *objective, uint32_t *companion, macadam_error *error)
{
    const bool forward = query->timing.direction == MCD_FORWARD;
    const mcd_trip trips = {.query = query,
                            .search = forward ? source : target,
                            .other = forward ? target : source,
                            .joint = companion};
    mcd_clock_sum sum[MCD_TRIPS_AT_ONCE];
    for (size_t first = 0; first < count; first += MCD_TRIPS_AT_ONCE) {
        const size_t now = mcd_size_min(MCD_TRIPS_AT_ONCE, count - first);
        bool is_found;
        MCD_TRY(mcd_trips_find(&trips, 0, first, now, sum, &is_found, error));
        if (!is_found) MCD_TRY(search_pairs(&trips, first, now, sum, error));
        for (size_t i = 0; i < now; ++i) {
            const mcd_road_part direct = mcd_clock_direct(source, target, first + i);
            write_pair(sum[i], &direct, &objective[first + i], companion ? &companion[first + i] : NULL);
        }
    }
    return MACADAM_OK;
}
