/* progress.c - one progress bar on standard error, for all phases of a command. */
#include "bindings/cli/output/progress.h"
#include "bindings/cli/console.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };
static const char erase_line[] = "\r\033[K";

static bool bar_wanted, bar_shown, answers;

void cli_progress_begin(const cli_options *options)
{
    bar_wanted = !cli_quiet && isatty(STDERR_FILENO);
    answers = !(options->command & (CLI_IMPORT | CLI_READY | CLI_UPDATE));
    cli_console_catch_interrupts();
}

void cli_progress_erase(void)
{
    if (bar_shown) fputs(erase_line, stderr);
    bar_shown = false;
}

int cli_done(macadam_status status)
{
    cli_progress_erase();
    return status == MACADAM_OK ? CLI_DONE : cli_fail_library(NULL, status);
}

/* ---- the bar ---- */

/* The phases in their order, and how long they take beside each other. Any other phase is the answer; in an
 * import, which has none, it has no share. */
typedef struct phase_share {
    const char *name;
    unsigned share;
} phase_share;

static const phase_share shares[] = {
    {"reading ways", 20},
    {"joining ways", 2},
    {"reading outlines", 4},
    {"reading nodes", 10},
    {"crossing areas", 1},
    {"cutting ways", 10},
    {"merging roads", 2},
    {"following restrictions", 2},
    {"following gates", 3},
    {"pricing turns", 8},
    {"splitting junctions", 8},
    {"reading weights", 30},
    {"numbering arcs", 2},
    {"reading coordinates", 10},
    {"copying arrays", 2},
    {"checking the map", 2},
    {"reading the order", 2},
    {"ordering nodes", 24},
    {"elimination tree", 2},
    {"sorting arcs", 3},
    {"graph", 4},
    {"opening", 1},
    {"loading", 8},
    {"customization", 8},
    {"pruning", 5},
    {"naming children", 3},
    {"writing", 15},
};
enum { SHARES = sizeof shares / sizeof *shares, SHARE_OF_ANSWER = 40 };

/* The bar never goes back: a phase takes its share of what is left when it begins. */
static struct bar {
    const char *phase;
    size_t index;        /* in `shares` */
    double from, to, at; /* parts of all: the phase's, and where the bar is */
} bar;

static void begin_phase(const char *phase)
{
    size_t index = 0;
    while (index < SHARES && strcmp(shares[index].name, phase) != 0) ++index;
    if (bar.phase && bar.index == SHARES && index == SHARES) return; /* an answer may have several phases */
    const unsigned share = index < SHARES ? shares[index].share : answers ? SHARE_OF_ANSWER : 0;
    unsigned left = share ? share : 1;
    for (size_t later = index + 1; later < SHARES; ++later) left += shares[later].share;
    if (answers && index < SHARES) left += SHARE_OF_ANSWER;
    bar = (struct bar){phase, index, bar.at, bar.at + (1 - bar.at) * share / left, bar.at};
}

static void show(const char *phase, uint64_t done, uint64_t total)
{
    static const char hashes[BAR_WIDTH + 1] = "########################################";
    if (!bar.phase || strcmp(bar.phase, phase) != 0) begin_phase(phase);
    const double part = total == 0     ? 0
                        : done < total ? (double)done / (double)total
                                       : 1,
                 at = bar.from + (bar.to - bar.from) * part;
    if (at > bar.at) bar.at = at;
    bar_shown = true;
    fprintf(stderr, "%s%-24s [%-*.*s] %3.0f %%", erase_line, phase, BAR_WIDTH, (int)(bar.at * BAR_WIDTH),
            hashes, bar.at * 100);
}

bool cli_progress(__attribute__((unused)) void *context, const char *phase, uint64_t done, uint64_t total)
{
    if (bar_wanted) show(phase, done, total);
    return !cli_console_is_interrupted();
}

bool cli_progress_ask(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return !cli_console_is_interrupted();
}

void cli_progress_report(__attribute__((unused)) void *context, const char *line)
{
    cli_progress_erase();
    if (!cli_quiet) cli_say("", line);
}

double cli_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int cli_compare_numbers(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}
