/* test_clock.h - clocks for watches (mcd_watch_set_clock), so that no test depends on the speed of the machine. */
#ifndef MCD_TESTS_SUPPORT_TEST_CLOCK_H
#define MCD_TESTS_SUPPORT_TEST_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

static atomic_uint_least64_t test_clock_ns;

/* It moves when the test says so. */
static inline uint64_t test_clock_now(void)
{
    return test_clock_ns;
}

static inline void test_clock_pass_ms(uint64_t ms)
{
    test_clock_ns += ms * 1000000;
}

/* It moves by a second whenever it is read: every place that could ask asks. */
static inline uint64_t test_clock_always_due(void)
{
    return test_clock_ns += 1000000000;
}

#endif
