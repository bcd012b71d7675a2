/* measure.h - times work: medians of several runs. */
#ifndef MCD_BINDINGS_CLI_COMMANDS_MEASURE_H
#define MCD_BINDINGS_CLI_COMMANDS_MEASURE_H

#include "bindings/cli/output/output.h"

enum { CLI_RUNS_MAX = 9, CLI_MEASUREMENTS_MAX = 24 };

typedef struct cli_measurement {
    char name[48];
    const char *unit; /* plural of what one run does `count` of */
    size_t count, runs;
    uint64_t bytes;               /* of answers that a run writes; 0: not known */
    bool is_bounded;              /* they come to the host at copy_rate at most */
    double seconds[CLI_RUNS_MAX]; /* ascending */
} cli_measurement;

typedef struct bench_state bench_state;

typedef struct cli_measurements {
    size_t count;
    double copy_rate; /* bytes a second, from a device to the host; 0: the host computes */
    cli_measurement list[CLI_MEASUREMENTS_MAX];
} cli_measurements;

/* Runs `work` once to warm up, then 3 to 9 times within a few seconds; `what` is the measurement but for
 * the times. `work` returns an exit status; anything but CLI_DONE ends the measuring and is returned, and
 * nothing is recorded. */
int cli_measure(cli_measurements *measurements, const cli_measurement *what, int (*work)(bench_state *bench),
                bench_state *bench);
/* Bytes a second of the last measurement, by its median. */
double cli_measurements_last_rate(const cli_measurements *measurements);

void cli_measurements_write_text(cli_output *output, const cli_measurements *measurements);
/* Puts them into an object of JSON. */
void cli_measurements_put(mcd_text *text, const cli_measurements *measurements);

#endif
