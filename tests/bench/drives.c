/* drives.c - simulated drives along routes, followed by sessions and compared with the truth: docs/benchmarks/guidance.md.
 *
 *     drives FILE.mcd [DRIVES [SEED]]    DRIVES of each kind, 200 if it is not given
 *
 * followed.h says how drives are made. Error: of the place along the route, its median, the value that 99 of 100 are below,
 * and the largest. Delay: positions from where the traveller is three deviations off the route until the status says so, on
 * average and at most. Late: not found with the third position farther away than errors can hide. */
#include "tests/bench/bench.h"
#include "tests/support/followed.h"

#include <stdio.h>
#include <stdlib.h>

static void print_row(const char *name, followed_tally *it)
{
    bench_sort(it->error, it->error_count);
    printf("| %s | %zu | %.0f | %zu | %zu | %.2f %% ", name, it->drives, it->metres / 1000, it->positions,
           it->false_off, it->positions ? 100.0 * (double)it->unsure / (double)it->positions : 0);
    if (it->departures)
        printf("| %zu | %.1f, %zu | %zu ", it->departures, it->delay_sum / (double)it->departures,
               it->delay_max, it->late);
    else
        printf("| - | - | %zu ", it->late);
    printf("| %zu | %zu | %zu | %zu | %zu | %zu of %zu | %.1f, %.1f, %.1f | %.2f |\n", it->steps, it->missed,
           it->missed_in_gaps, it->repeated, it->disordered + it->early,
           it->arrivals - it->not_arrived - it->arrived_early, it->arrivals, it->error[it->error_count / 2],
           it->error[it->error_count / 100 * 99], it->error_max, 1e6 * it->seconds / (double)it->positions);
    fflush(stdout);
    free(it->error);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: drives FILE.mcd [DRIVES [SEED]]\n");
        return 1;
    }
    macadam_engine *engine;
    BENCH_CALL(macadam_engine_open, &engine, argv[1],
               &(macadam_engine_options){.size = sizeof(macadam_engine_options), .device = "cpu"});
    printf("| drives | number | km | positions | false off | unsure | left | delay | late | steps | missed | "
           "missed in gaps "
           "| repeated | order | arrived | error, m | us |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int kind = 0; kind < FOLLOWED_KINDS; ++kind) {
        followed_tally tally =
            followed_run(engine, (followed_kind)kind, argc > 2 ? strtoul(argv[2], NULL, 10) : 200,
                         argc > 3 ? strtoul(argv[3], NULL, 10) : 2026);
        print_row(followed_name[kind], &tally);
    }
    macadam_engine_close(engine);
    return 0;
}
