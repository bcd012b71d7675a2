/* test_scratch.c - the budget of scratch memory, and blocks kept from call to call. */
#include "tests/support/allocator.h"

#include "engine/runtime/scratch.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

static mcd_scratch scratch;
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    mcd_scratch_init(&scratch, 1000);
}

static void tear_down(void)
{
    mcd_scratch_destroy(&scratch);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(scratch, .init = set_up, .fini = tear_down);

static mcd_block take(uint64_t bytes)
{
    mcd_block block = {.preferred = true};
    cr_assert_eq(mcd_scratch_take(&scratch, bytes, "a test", &block, &error), MACADAM_OK, "%s",
                 error.message);
    cr_assert_geq(block.bytes, bytes);
    cr_assert_eq((uintptr_t)block.memory % 64, 0);
    memset(block.memory, 0, bytes);
    return block;
}

Test(scratch, block_that_was_given_back_is_taken_again)
{
    mcd_block block = take(500);
    void *const memory = block.memory;
    mcd_scratch_give_back(&scratch, &block);
    cr_assert_null(block.memory);
    block = take(300);
    cr_assert_eq(block.memory, memory);
    mcd_scratch_give_back(&scratch, &block);
}

Test(scratch, smallest_kept_block_that_fits_is_taken)
{
    mcd_block large = take(400), middling = take(200), small = take(50);
    void *const wanted = middling.memory;
    mcd_scratch_give_back(&scratch, &large);
    mcd_scratch_give_back(&scratch, &middling);
    mcd_scratch_give_back(&scratch, &small);
    mcd_block block = take(100);
    cr_assert_eq(block.memory, wanted);
    mcd_scratch_give_back(&scratch, &block);
}

Test(scratch, kept_blocks_make_way_for_a_larger_one)
{
    mcd_block block = take(600);
    mcd_scratch_give_back(&scratch, &block);
    block = take(1000); /* would wait forever for the kept one */
    mcd_scratch_give_back(&scratch, &block);
    cr_assert_eq(mcd_scratch_reserve(&scratch, 1000, "a test", &error), MACADAM_OK);
    mcd_scratch_release(&scratch, 1000);
}

Test(scratch, no_more_blocks_are_kept_than_said)
{
    enum { BLOCKS = MCD_BLOCKS_KEPT + 3 };
    mcd_block block[BLOCKS];
    for (uint64_t i = 0; i < BLOCKS; ++i) block[i] = take(10 * (i + 1));
    for (int i = 0; i < BLOCKS; ++i) mcd_scratch_give_back(&scratch, &block[i]);
    cr_assert_eq(allocator_live_count(), MCD_BLOCKS_KEPT);
    cr_assert_eq(scratch.used, 70 + 60 + 50 + 40, "the largest are kept");
}

Test(scratch, request_above_the_limit_fails_immediately_and_names_both)
{
    mcd_block block = {.preferred = true}, held = take(900);
    cr_assert_eq(mcd_scratch_reserve(&scratch, 1001, "a tree", &error), MACADAM_E_LIMIT);
    cr_assert_str_eq(error.message, "a tree needs 1001 bytes of memory, the limit is 1000");
    cr_assert_eq(mcd_scratch_take(&scratch, UINT64_MAX, "a tree", &block, &error), MACADAM_E_LIMIT);
    cr_assert_null(block.memory);
    mcd_scratch_give_back(&scratch, &held);
}

Test(scratch, failed_allocation_takes_nothing_from_the_budget)
{
    mcd_block block = {.preferred = true};
    allocator_fail(1);
    cr_assert_eq(mcd_scratch_take(&scratch, 800, "a test", &block, &error), MACADAM_E_MEMORY);
    cr_assert_null(block.memory);
    cr_assert_eq(scratch.used, 0);
}

/* ---- a preferred source ---- */

/* One block at a time, from an array. */
typedef struct array_source {
    _Alignas(64) char memory[512];
    bool taken;
} array_source;

static void *take_array(void *context, uint64_t bytes)
{
    array_source *source = context;
    if (source->taken || bytes > sizeof source->memory) return NULL;
    source->taken = true;
    return source->memory;
}

static void free_array(void *context, void *memory)
{
    array_source *source = context;
    cr_assert_eq(memory, source->memory);
    cr_assert(source->taken, "freed twice");
    source->taken = false;
}

Test(scratch, preferred_source_serves_as_long_as_it_can)
{
    static array_source source;
    mcd_scratch_prefer(&scratch, (mcd_scratch_source){take_array, free_array, &source});
    mcd_block preferred = take(300), other = take(300);
    cr_assert_eq(preferred.memory, source.memory);
    cr_assert_neq(other.memory, source.memory);
    mcd_scratch_give_back(&scratch, &other);
    mcd_scratch_give_back(&scratch, &preferred);
    cr_assert_eq(mcd_scratch_reserve(&scratch, 1000, "a test", &error), MACADAM_OK, "drops what is kept");
    cr_assert(!source.taken);
    cr_assert_eq(allocator_live_count(), 0);
    mcd_scratch_release(&scratch, 1000);
    preferred = take(500);
    cr_assert_eq(preferred.memory, source.memory);
    mcd_scratch_give_back(&scratch, &preferred); /* kept: freed with the scratch */
}

Test(scratch, preferred_source_serves_only_who_prefers_it)
{
    static array_source source;
    mcd_scratch_prefer(&scratch, (mcd_scratch_source){take_array, free_array, &source});
    mcd_block own = {.preferred = false};
    cr_assert_eq(mcd_scratch_take(&scratch, 300, "a test", &own, &error), MACADAM_OK);
    cr_assert(!source.taken && !own.preferred);
    mcd_scratch_give_back(&scratch, &own);
}

Test(scratch, no_bytes_need_no_block)
{
    mcd_block block = {.preferred = true};
    cr_assert_eq(mcd_scratch_take(&scratch, 0, "a test", &block, &error), MACADAM_OK);
    cr_assert_null(block.memory);
    mcd_scratch_give_back(&scratch, &block);
}

/* ---- waiting ---- */

static void *reserve_most(void *got)
{
    macadam_error own;
    if (mcd_scratch_reserve(&scratch, 800, "a test", &own) == MACADAM_OK) *(volatile bool *)got = true;
    return NULL;
}

/* Starts a reserve that cannot have its bytes yet; it is given time to take them wrongly. */
static pthread_t start_waiting(volatile bool *got)
{
    const struct timespec pause = {0, 50 * 1000 * 1000};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, reserve_most, (void *)got), 0);
    nanosleep(&pause, NULL);
    pthread_mutex_lock(&scratch.lock);
    cr_assert_leq(scratch.used, 1000);
    cr_assert(!*got);
    pthread_mutex_unlock(&scratch.lock);
    return thread;
}

Test(scratch, waiting_reserve_gets_what_another_releases)
{
    static volatile bool got;
    cr_assert_eq(mcd_scratch_reserve(&scratch, 600, "a test", &error), MACADAM_OK);
    pthread_t thread = start_waiting(&got);
    mcd_scratch_release(&scratch, 600);
    pthread_join(thread, NULL);
    cr_assert(got);
    cr_assert_eq(scratch.used, 800);
    mcd_scratch_release(&scratch, 800);
}

Test(scratch, waiting_reserve_gets_a_block_that_is_given_back)
{
    static volatile bool got;
    mcd_block block = take(600);
    pthread_t thread = start_waiting(&got);
    mcd_scratch_give_back(&scratch, &block);
    pthread_join(thread, NULL);
    cr_assert(got);
    cr_assert_eq(allocator_live_count(), 0, "the kept block stood in the way");
    mcd_scratch_release(&scratch, 800);
}
