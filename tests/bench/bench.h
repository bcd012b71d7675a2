/* bench.h - what programs that measure share: the clock, the order of times, and giving up. */
#ifndef MCD_TESTS_BENCH_BENCH_H
#define MCD_TESTS_BENCH_BENCH_H

#include "engine/include/macadam.h"

/* Of a clock that never goes back. */
double bench_seconds_now(void);

/* Ascending. */
void bench_sort(double *value, size_t count);

/* Prints the time since `begin`, before a file was opened, when its first question is answered. */
void bench_print_first(double begin);

/* Exits with the message if `status` is not MACADAM_OK. */
void bench_expect_ok(macadam_status status, const macadam_error *error);
/* The same of a call with these arguments and, as the last one, an error of its own. */
#define BENCH_CALL(function, ...)                                                                            \
    do {                                                                                                     \
        macadam_error call_error;                                                                            \
        bench_expect_ok(function(__VA_ARGS__, &call_error), &call_error);                                    \
    } while (0)

#endif
