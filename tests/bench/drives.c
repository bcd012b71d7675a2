/* drives.c - simulated drives along routes, followed by sessions and compared with the truth: docs/benchmarks/navigation.md.
 *
 *     drives FILE.mcd [DRIVES [SEED]]    DRIVES of each kind, 200 if it is not given
 *
 * followed.h says how drives are made. Found after: positions from where the traveller is three deviations off the route, on
 * average and at most. Late: not found with the third position farther away than errors can hide. Error: the median, what 99
 * of 100 are below, and the largest. Astray: positions whose place on the route is farther away than errors can hide. */
#include "tests/bench/bench.h"
#include "tests/support/followed.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const following =
    "| drives | number | km | positions | unsure | off the route, but on it | left it | found "
    "after | late | us a position |";
static const char *const telling = "| drives | steps | missed | missed in gaps | repeated | out of order | "
                                   "too early | arrived | error of the "
                                   "place, m | astray |";

static void print_head(const char *head)
{
    printf("\n%s\n|", head);
    for (const char *at = head + 1; *at; ++at)
        if (*at == '|') printf("---|");
    printf("\n");
}

static void print_following(const char *name, const followed_tally *it)
{
    printf("| %s | %zu | %.0f | %zu | %zu | %zu | %zu ", name, it->drives, it->metres / 1000, it->positions,
           it->unsure, it->false_off, it->departures);
    if (it->departures)
        printf("| %.1f, at most %zu | %zu ", it->delay_sum / (double)it->departures, it->delay_max, it->late);
    else
        printf("| | ");
    printf("| %.2f |\n", 1e6 * it->seconds / (double)it->positions);
}

static void print_telling(const char *name, const followed_tally *it)
{
    bench_sort(it->error, it->error_count);
    printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu | %zu of %zu | %.1f; %.1f; %.1f | %zu |\n", name,
           it->steps, it->missed, it->missed_in_gaps, it->repeated, it->disordered + it->early, it->hasty,
           it->arrivals - it->not_arrived - it->arrived_early, it->arrivals, it->error[it->error_count / 2],
           it->error[it->error_count / 100 * 99], it->error_max, it->astray);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: drives FILE.mcd [DRIVES [SEED]]\n");
        return 1;
    }
    const size_t drives = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 2026;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu"};
    macadam_engine *engine;
    followed_tally tally[FOLLOWED_KINDS];
    BENCH_CALL(macadam_engine_open, &engine, argv[1], &options);
    for (int kind = 0; kind < FOLLOWED_KINDS; ++kind)
        tally[kind] = followed_run(engine, (followed_kind)kind, drives, seed);
    print_head(following);
    for (int kind = 0; kind < FOLLOWED_KINDS; ++kind) print_following(followed_name[kind], &tally[kind]);
    print_head(telling);
    for (int kind = 0; kind < FOLLOWED_KINDS; ++kind) {
        print_telling(followed_name[kind], &tally[kind]);
        free(tally[kind].error);
    }
    macadam_engine_close(engine);
    return 0;
}
