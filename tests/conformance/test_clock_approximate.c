/* test_clock_approximate.c - approximate matrices by the clock, of towns with harsh speeds: what is reached is the oracle's,
 * no measured row is worse than reported, and a cell depends on nothing else of the call. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"

#include "engine/runtime/clock.h"
#include "engine/runtime/conditions.h"
#include "engine/runtime/load.h"
#include "kernels/clock.h"
#include "kernels/cpu/device/cpu.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = TOWN_PLACES * TOWN_INSTANTS,
    CELLS = ROWS * TOWN_PLACES,
    ROWS_MEASURED = 4,
    THREADS = 8,
    PPM = 1000000
};

typedef struct approximate_case {
    macadam_query query;
    macadam_clock clock;
    macadam_matrix_request request;
    macadam_approximation approximation;
} approximate_case;

/* All places at all instants. */
static void make_case(approximate_case *out, const macadam_query *query)
{
    *out = (approximate_case){.query = *query, .request = MACADAM_MATRIX_REQUEST_INIT};
    out->clock = town_clock(false, 0, TOWN_INSTANTS);
    out->query.clock = &out->clock, out->query.quantity_count = 1;
    out->request.source = out->request.target = town.place;
    out->request.source_count = out->request.target_count = TOWN_PLACES;
    out->request.approximation = &out->approximation;
}

static macadam_status find(const approximate_case *of, uint32_t *cell, macadam_error *error)
{
    return macadam_matrix_find_into((uint32_t *const[]){cell}, NULL, town.engine, &of->query, &of->request,
                                    error);
}

/* ---- cells and their error ---- */

static bool is_measured(size_t row)
{
    for (size_t part = 0; part < ROWS_MEASURED; ++part)
        if (row == ROWS / ROWS_MEASURED * part + (part < ROWS % ROWS_MEASURED ? part : ROWS % ROWS_MEASURED))
            return true;
    return false;
}

static void check_cell(uint32_t found, uint64_t right, uint64_t worst_ppm, bool measured)
{
    cr_assert_eq(found == MACADAM_UNREACHED, right >= TOWN_NEVER, "%u, but %zu", found, (size_t)right);
    if (found == MACADAM_UNREACHED) return;
    const uint64_t error = found > right ? found - right : right - found;
    cr_assert(right > 0 || found == 0);
    if (measured)
        cr_assert_leq(error * PPM, (worst_ppm + 1) * right, "%u instead of %zu", found, (size_t)right);
}

static void check_cells(const approximate_case *of, const uint32_t *cell)
{
    for (size_t row = 0; row < ROWS; ++row) {
        const size_t p = row / TOWN_INSTANTS;
        town_searches o = town_search(&town.position[p], town.instant[row % TOWN_INSTANTS], false);
        for (size_t t = 0; t < TOWN_PLACES; ++t)
            check_cell(cell[row * TOWN_PLACES + t],
                       town_cost_to(&o, &town.position[p], &town.position[t]).cost,
                       of->approximation.worst_ppm, is_measured(row));
        town_search_free(&o);
    }
    cr_assert_gt(of->approximation.cells, 0);
    cr_assert_leq(of->approximation.mean_ppm, of->approximation.worst_ppm);
}

/* A single source and target at one instant give the cell, too. */
static void check_law(const approximate_case *all, const uint32_t *cell)
{
    for (size_t i = 0; i < CELLS; i += 37) {
        approximate_case one = *all;
        uint32_t found;
        one.clock = town_clock(false, i / TOWN_PLACES % TOWN_INSTANTS, 1);
        one.query.clock = &one.clock, one.request.approximation = &one.approximation;
        one.request.source = &town.place[i / TOWN_PLACES / TOWN_INSTANTS], one.request.source_count = 1;
        one.request.target = &town.place[i % TOWN_PLACES], one.request.target_count = 1;
        FIXTURE_CALL(find, &one, &found);
        cr_assert_eq(found, cell[i], "cell %zu: %u, in the matrix %u", i, found, cell[i]);
    }
}

/* ---- refusals ---- */

static void check_refused(const approximate_case *of, const char *what)
{
    macadam_error error;
    uint32_t cell[2 * CELLS];
    cr_assert_eq(macadam_matrix_find_into((uint32_t *const[]){cell, cell + CELLS}, NULL, town.engine,
                                          &of->query, &of->request, &error),
                 MACADAM_E_UNSUPPORTED);
    cr_assert(strstr(error.message, what), "%s", error.message);
}

static void check_refusals(const macadam_query *query)
{
    approximate_case of;
    make_case(&of, query);
    of.query.quantity_count = 2;
    check_refused(&of, "durations");
    of.query.quantity_count = 1, of.clock = town_clock(true, 0, 1);
    check_refused(&of, "departures");
    of.query.clock = NULL;
    check_refused(&of, "departures");
}

static void check(macadam_query query, bool backward)
{
    approximate_case all;
    uint32_t cell[CELLS];
    if (backward) {
        check_refusals(&query);
        return;
    }
    make_case(&all, &query);
    FIXTURE_CALL(find, &all, cell);
    check_cells(&all, cell);
    check_law(&all, cell);
}

Test(clock_approximate, cells_are_within_the_reported_error)
{
    town_check_all(check);
}

/* ---- a town of its own ---- */

static void set_up(void)
{
    test_rng rng = {3};
    town_open(3, true, MCD_WEEK_SLOTS);
    town_draw_places(&rng);
}

static void tear_down(void)
{
    town_close();
}

TestSuite(clock_approximate_town, .init = set_up, .fini = tear_down);

/* ---- kernels ---- */

typedef struct kernel_answer {
    mcd_clock_samples samples;
    uint32_t cell[TOWN_NODES * TOWN_NODES];
} kernel_answer;

static const mcd_clock_arcs *clock_arcs(void)
{
    static mcd_version *version;
    FIXTURE_CALL(mcd_engine_use_version, &version, town.engine, 0, NULL, MCD_USE_CLOCK);
    FIXTURE_CALL(mcd_engine_load, town.engine, MCD_LOAD_HIERARCHY);
    FIXTURE_CALL(mcd_engine_load_schedule, town.engine);
    return &version->clock->arcs;
}

static macadam_status run_kernels(kernel_answer *out, const mcd_clock_arcs *arcs, const mcd_backend *with,
                                  unsigned threads, macadam_error *error)
{
    mcd_lane lane[TOWN_NODES];
    mcd_node column[TOWN_NODES];
    uint32_t instant[TOWN_NODES], row[TOWN_NODES];
    const mcd_samples_job job = {.schedule = town.engine->schedule,
                                 .arcs = arcs,
                                 .begin = 7 * 3600000,
                                 .step_ms = MCD_SAMPLE_STEP_LEAST,
                                 .parallel = {threads, NULL}};
    for (uint32_t i = 0; i < TOWN_NODES; ++i) {
        lane[i] = mcd_lane_of((i * 7919) % town.engine->graph.node_count);
        column[i] = (i * 104729 + 5) % town.engine->graph.node_count;
        instant[i] = job.begin + i * 1000, row[i] = i;
        for (uint32_t c = 0; c < TOWN_NODES; ++c) out->cell[i * TOWN_NODES + c] = MCD_CELL_OPEN;
    }
    MCD_TRY(with->clock_samples(&out->samples, &job, error));
    const mcd_clock_table_job table = {.hierarchy = &town.engine->hierarchy,
                                       .samples = &out->samples,
                                       .lane = lane,
                                       .instant = instant,
                                       .row = row,
                                       .row_count = TOWN_NODES,
                                       .column = column,
                                       .column_count = TOWN_NODES,
                                       .objective = out->cell,
                                       .is_last = true,
                                       .parallel = {threads, NULL}};
    return with->clock_table(&table, error);
}

static void expect_equal(const kernel_answer *a, const kernel_answer *b)
{
    const mcd_hierarchy *const hierarchy = &town.engine->hierarchy;
    const size_t up_count = hierarchy->first_up[hierarchy->node_count];
    for (int direction = 0; direction < 2; ++direction)
        for (size_t i = 0; i < up_count * MCD_SAMPLES; ++i)
            cr_assert_eq(a->samples.time[direction][i], b->samples.time[direction][i], "sample %zu", i);
    cr_assert_arr_eq(a->cell, b->cell, sizeof a->cell);
}

Test(clock_approximate_town, processors_and_threads_give_the_same_bits)
{
    static const unsigned threads[] = {1, 2, 8};
    const mcd_backend *backend[3];
    const size_t count = mcd_cpu_backends(backend, 3);
    const mcd_clock_arcs *const arcs = clock_arcs();
    kernel_answer first, other;
    size_t reached = 0;
    FIXTURE_CALL(run_kernels, &first, arcs, backend[0], 1);
    for (size_t i = 0; i < 3 * count; ++i) {
        FIXTURE_CALL(run_kernels, &other, arcs, backend[i / 3], threads[i % 3]);
        expect_equal(&first, &other);
        mcd_clock_samples_free(&other.samples);
    }
    for (size_t i = 0; i < TOWN_NODES * TOWN_NODES; ++i) reached += first.cell[i] < MCD_UNREACHED;
    cr_assert_gt(reached, TOWN_NODES);
    mcd_clock_samples_free(&first.samples);
}

Test(clock_approximate_town, every_allocation_that_fails_is_reported)
{
    const mcd_clock_arcs *const arcs = clock_arcs();
    kernel_answer answer;
    for (size_t nth = 1;; ++nth) {
        const size_t alive = allocator_live_count();
        answer.samples = (mcd_clock_samples){0};
        allocator_fail(nth);
        const macadam_status status = run_kernels(&answer, arcs, town.engine->host, 2, NULL);
        const bool has_failed = allocator_has_failed();
        allocator_fail(0);
        mcd_clock_samples_free(&answer.samples);
        cr_assert_eq(allocator_live_count(), alive, "allocation %zu", nth);
        cr_assert_eq(status, has_failed ? MACADAM_E_MEMORY : MACADAM_OK, "allocation %zu", nth);
        if (!has_failed) break;
    }
}

/* ---- concurrent calls ---- */

typedef struct concurrent_case {
    approximate_case of;
    uint32_t cell[CELLS];
    macadam_status status;
} concurrent_case;

static void *find_concurrently(void *argument)
{
    concurrent_case *const one = argument;
    for (int i = 0; i < 3 && !one->status; ++i) one->status = find(&one->of, one->cell, NULL);
    return NULL;
}

Test(clock_approximate_town, concurrent_calls_share_windows)
{
    const macadam_query query = town_query(NULL);
    concurrent_case *const all = checked_zeroed(THREADS, sizeof *all);
    uint32_t cell[CELLS];
    pthread_t thread[THREADS];
    for (size_t i = 0; i < THREADS; ++i) {
        make_case(&all[i].of, &query);
        all[i].of.query.clock = &all[i].of.clock, all[i].of.request.approximation = &all[i].of.approximation;
        cr_assert_eq(pthread_create(&thread[i], NULL, find_concurrently, &all[i]), 0);
    }
    for (size_t i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
    FIXTURE_CALL(find, &all[0].of, cell);
    for (size_t i = 0; i < THREADS; ++i) {
        cr_assert_eq(all[i].status, MACADAM_OK);
        cr_assert_arr_eq(all[i].cell, cell, sizeof cell);
    }
    free(all);
}
