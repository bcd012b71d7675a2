/* test_parallel.c - the parallel-for. */
#include "engine/base/parallel.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

enum { COUNT_MAX = 5000, WORKERS = 5 };

typedef struct record {
    atomic_uint calls[COUNT_MAX];
    atomic_bool busy[WORKERS];
    atomic_uint faults; /* a worker that there is not, or works twice at the same time */
} record;

static record seen;

static void note(void *argument, size_t index, unsigned worker)
{
    record *r = argument;
    if (index >= COUNT_MAX || worker >= WORKERS || atomic_exchange(&r->busy[worker], true)) {
        atomic_fetch_add(&r->faults, 1);
        return;
    }
    atomic_fetch_add(&r->calls[index], 1);
    atomic_store(&r->busy[worker], false);
}

static void expect_each_once(size_t count)
{
    cr_assert_eq(seen.faults, 0, "%zu indices", count);
    for (size_t i = 0; i < COUNT_MAX; ++i)
        cr_assert_eq(seen.calls[i], i < count, "index %zu of %zu", i, count);
    memset(&seen, 0, sizeof seen);
}

Test(parallel, every_index_comes_once_and_workers_never_overlap)
{
    static const size_t count[] = {0, 1, 2, WORKERS - 1, WORKERS, WORKERS + 1, COUNT_MAX};
    const mcd_parallel parallel = {WORKERS, NULL};
    for (size_t i = 0; i < sizeof count / sizeof *count; ++i) {
        mcd_parallel_for(&parallel, count[i], note, &seen);
        expect_each_once(count[i]);
    }
}

static void note_range(void *argument, size_t first, size_t end)
{
    record *r = argument;
    if (end <= first || end - first > 16 || first % 16) atomic_fetch_add(&r->faults, 1);
    for (size_t i = first; i < end; ++i) atomic_fetch_add(&r->calls[i], 1);
}

Test(parallel, every_item_is_in_one_range)
{
    static const size_t count[] = {0, 1, 15, 16, 17, COUNT_MAX};
    const mcd_parallel parallel = {WORKERS, NULL};
    for (size_t i = 0; i < sizeof count / sizeof *count; ++i) {
        mcd_parallel_for_ranges(&parallel, count[i], 16, note_range, &seen);
        expect_each_once(count[i]);
    }
}

static void expect_next(void *argument, size_t index, unsigned worker)
{
    size_t *next = argument;
    cr_assert(index == *next && worker == 0);
    ++*next;
}

Test(parallel, one_thread_takes_the_indices_in_order)
{
    const mcd_parallel parallel = {1, NULL};
    size_t next = 0;
    mcd_parallel_for(&parallel, COUNT_MAX, expect_next, &next);
    cr_assert_eq(next, COUNT_MAX);
}

static unsigned executor_calls;

/* Backwards: tasks must not mind. */
static void run_backwards(void *context, size_t count,
                          void (*task)(void *argument, size_t index, unsigned worker), void *argument)
{
    cr_assert_eq(context, &executor_calls);
    ++executor_calls;
    for (size_t i = count; i-- > 0;) task(argument, i, (unsigned)(i % 3));
}

Test(parallel, host_executor_runs_the_tasks)
{
    const macadam_executor executor = {3, run_backwards, &executor_calls};
    const mcd_parallel parallel = mcd_parallel_of(7, &executor);
    cr_assert_eq(parallel.thread_count, 3, "the executor's count wins");
    mcd_parallel_for(&parallel, 100, note, &seen);
    cr_assert_eq(executor_calls, 1);
    expect_each_once(100);
}

Test(parallel, there_is_always_a_thread)
{
    const macadam_executor executor = {0, run_backwards, &executor_calls};
    cr_assert_eq(mcd_parallel_of(0, &executor).thread_count, 1);
    cr_assert_geq(mcd_parallel_of(0, NULL).thread_count, 1);
    cr_assert_eq(mcd_parallel_of(6, NULL).thread_count, 6);
}

Test(parallel, parts_are_equal_to_one_and_cover_the_whole)
{
    for (size_t total = 0; total < 40; ++total)
        for (size_t count = 1; count < 12; ++count) {
            cr_assert_eq(mcd_part_first(total, 0, count), 0);
            cr_assert_eq(mcd_part_first(total, count, count), total);
            for (size_t i = 0; i < count; ++i) {
                const size_t size = mcd_part_first(total, i + 1, count) - mcd_part_first(total, i, count);
                cr_assert(size == total / count || size == total / count + 1, "part %zu of %zu", i, count);
            }
        }
    cr_assert_eq(mcd_part_first(SIZE_MAX, 3, 3), SIZE_MAX);
}
