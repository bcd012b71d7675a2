/* measure.c - times work: medians of several runs. */
#include "bindings/cli/commands/measure.h"
#include "bindings/cli/output/failure.h"

#include <stdlib.h>
#include <time.h>

enum { RUNS_MIN = 3, SECOND_DECIMALS = 9 };
static const double seconds_enough = 3;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare_seconds(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

int cli_measure(cli_measurements *measurements, const cli_measurement *what, int (*work)(bench_state *bench),
                bench_state *bench)
{
    cli_measurement *const out = &measurements->list[measurements->count];
    if (measurements->count == CLI_MEASUREMENTS_MAX) return CLI_DONE;
    *out = *what;
    int status = work(bench);
    double total = 0;
    while (status == CLI_DONE && out->runs < CLI_RUNS_MAX &&
           (out->runs < RUNS_MIN || total < seconds_enough)) {
        const double begin = now();
        status = work(bench);
        total += out->seconds[out->runs++] = now() - begin;
    }
    if (status != CLI_DONE) return status;
    qsort(out->seconds, out->runs, sizeof *out->seconds, compare_seconds);
    ++measurements->count;
    return CLI_DONE;
}

static double median(const cli_measurement *measurement)
{
    const size_t runs = measurement->runs;
    return (measurement->seconds[(runs - 1) / 2] + measurement->seconds[runs / 2]) / 2;
}

double cli_measurements_last_rate(const cli_measurements *measurements)
{
    const cli_measurement *const last = &measurements->list[measurements->count - 1];
    return (double)last->bytes / median(last);
}

/* The least time in which the answers can come; 0: not known. */
static double floor_of(const cli_measurements *measurements, const cli_measurement *one)
{
    return one->is_bounded && measurements->copy_rate > 0 ? (double)one->bytes / measurements->copy_rate : 0;
}

static void write_rates(cli_output *output, const cli_measurement *one, double floor_s)
{
    const double middle = median(one);
    const char *const then = one->count > 1 ? ", " : "  ";
    if (one->count > 1)
        cli_output_format(output, "  %.3g us each, %.4g %s a second", 1e6 * middle / (double)one->count,
                          (double)one->count / middle, one->unit);
    if (one->bytes > 0) cli_output_format(output, "%s%.3g GB/s", then, 1e-9 * (double)one->bytes / middle);
    if (floor_s > 0) cli_output_format(output, ", %.3g of the floor", middle / floor_s);
}

void cli_measurements_write_text(cli_output *output, const cli_measurements *measurements)
{
    cli_output_format(output, "%-40s %12s %12s %12s\n", "milliseconds", "median", "least", "most");
    for (size_t i = 0; i < measurements->count; ++i) {
        const cli_measurement *const one = &measurements->list[i];
        const double middle = median(one);
        cli_output_format(output, "%-40s %12.3f %12.3f %12.3f", one->name, 1e3 * middle,
                          1e3 * one->seconds[0], 1e3 * one->seconds[one->runs - 1]);
        write_rates(output, one, floor_of(measurements, one));
        cli_output_text(output, "\n");
    }
}

void cli_measurements_put(mcd_text *text, const cli_measurements *measurements)
{
    mcd_text_begin(text, "measurements", "[");
    for (size_t i = 0; i < measurements->count; ++i) {
        const cli_measurement *const one = &measurements->list[i];
        const double floor_s = floor_of(measurements, one);
        mcd_text_begin(text, NULL, "{");
        mcd_text_put_string(text, "name", one->name);
        mcd_text_put_string(text, "unit", one->unit);
        mcd_text_put_integer(text, "count", (int64_t)one->count);
        mcd_text_put_integer(text, "runs", (int64_t)one->runs);
        mcd_text_put_decimal(text, "median_s", median(one), SECOND_DECIMALS);
        mcd_text_put_decimal(text, "min_s", one->seconds[0], SECOND_DECIMALS);
        mcd_text_put_decimal(text, "max_s", one->seconds[one->runs - 1], SECOND_DECIMALS);
        mcd_text_put_decimal(text, "per_second", (double)one->count / median(one), 3);
        if (one->bytes > 0) mcd_text_put_integer(text, "bytes", (int64_t)one->bytes);
        if (floor_s > 0) mcd_text_put_decimal(text, "floor_s", floor_s, SECOND_DECIMALS);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
}
