/* measure.h - times work: medians of several runs. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "bindings/cli/json.h"

enum { CLI_RUNS_MAX = 9, CLI_MEASUREMENTS_MAX = 24 };

typedef struct cli_measurement {
    char name[48];
    const char *unit; /* plural of what one run does `count` of */
    size_t count, runs;
    double seconds[CLI_RUNS_MAX]; /* ascending */
} cli_measurement;

typedef struct cli_measurements {
    size_t count;
    cli_measurement list[CLI_MEASUREMENTS_MAX];
} cli_measurements;

/* Runs `work` once to warm up, then 3 to 9 times within a few seconds. `work` returns an exit status;
 * anything but CLI_DONE ends the measuring and is returned, and nothing is recorded. */
int cli_measure(cli_measurements *measurements, const char *name, size_t count, const char *unit,
                int (*work)(void *context), void *context);

void cli_measurements_write_text(cli_output *output, const cli_measurements *measurements);
cJSON *cli_measurements_json(const cli_measurements *measurements);

#endif
