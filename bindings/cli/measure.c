/* measure.c - times work: medians of several runs. */
#include "bindings/cli/measure.h"
#include "bindings/cli/failure.h"

#include <stdlib.h>
#include <time.h>

enum { RUNS_MIN = 3 };
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

int cli_measure(cli_measurements *measurements, const char *name, size_t count, const char *unit,
                int (*work)(void *context), void *context)
{
    cli_measurement *const out = &measurements->list[measurements->count];
    if (measurements->count == CLI_MEASUREMENTS_MAX) return CLI_DONE;
    *out = (cli_measurement){.unit = unit, .count = count};
    snprintf(out->name, sizeof out->name, "%s", name);
    int status = work(context);
    double total = 0;
    while (status == CLI_DONE && out->runs < CLI_RUNS_MAX &&
           (out->runs < RUNS_MIN || total < seconds_enough)) {
        const double begin = now();
        status = work(context);
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

void cli_measurements_write_text(cli_output *output, const cli_measurements *measurements)
{
    cli_output_format(output, "%-40s %12s %12s %12s\n", "milliseconds", "median", "least", "most");
    for (size_t i = 0; i < measurements->count; ++i) {
        const cli_measurement *const one = &measurements->list[i];
        const double middle = median(one);
        cli_output_format(output, "%-40s %12.3f %12.3f %12.3f", one->name, 1e3 * middle,
                          1e3 * one->seconds[0], 1e3 * one->seconds[one->runs - 1]);
        if (one->count > 1) {
            cli_output_format(output, "  %.3g us each, %.4g %s a second", 1e6 * middle / (double)one->count,
                              (double)one->count / middle, one->unit);
        }
        cli_output_text(output, "\n");
    }
}

cJSON *cli_measurements_json(const cli_measurements *measurements)
{
    cJSON *const array = cJSON_CreateArray();
    for (size_t i = 0; i < measurements->count; ++i) {
        const cli_measurement *const one = &measurements->list[i];
        cJSON *const object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", one->name);
        cJSON_AddStringToObject(object, "unit", one->unit);
        cli_json_add_integer(object, "count", (int64_t)one->count);
        cli_json_add_integer(object, "runs", (int64_t)one->runs);
        cJSON_AddNumberToObject(object, "median_s", median(one));
        cJSON_AddNumberToObject(object, "min_s", one->seconds[0]);
        cJSON_AddNumberToObject(object, "max_s", one->seconds[one->runs - 1]);
        cJSON_AddNumberToObject(object, "per_second", (double)one->count / median(one));
        cJSON_AddItemToArray(array, object);
    }
    return array;
}
