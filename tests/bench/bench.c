/* bench.c - see bench.h. */
#define _GNU_SOURCE /* the name of the program */
#include "tests/bench/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *value, size_t count)
{
    qsort(value, count, sizeof *value, compare_values);
}

void bench_print_first(double begin)
{
    printf("until any answer, from opening on: %.2f ms\n", 1e3 * (bench_seconds_now() - begin));
    fflush(stdout);
}

void bench_expect_ok(macadam_status status, const macadam_error *error)
{
    if (status == MACADAM_OK) return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, error->message);
    exit(1);
}
