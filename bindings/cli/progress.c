/* progress.c - a progress bar on standard error. An interrupt asks the library to stop, so that no half file
 * is left behind; a second one ends the process at once. */
#include "bindings/cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };
static const char erase_line[] = "\r\033[K";

static volatile sig_atomic_t interrupt_signal;
static bool quiet, bar_wanted, bar_shown;

static void interrupt(int signal_number)
{
    interrupt_signal = signal_number;
}

static void catch_signal(int signal_number)
{
    struct sigaction before, action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(signal_number, &action, NULL);
    }
}

void cli_progress_begin(const cli_options *options)
{
    quiet = options->quiet;
    bar_wanted = !quiet && isatty(STDERR_FILENO);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

static void erase(void)
{
    if (bar_shown) fputs(erase_line, stderr);
    bar_shown = false;
}

void cli_progress_end(void)
{
    erase();
}

void cli_progress_obey_interrupt(void)
{
    if (!interrupt_signal) return;
    signal(interrupt_signal, SIG_DFL);
    raise(interrupt_signal);
}

static void show(const char *phase, uint64_t done, uint64_t total)
{
    static const char hashes[BAR_WIDTH + 1] = "########################################";
    bar_shown = true;
    if (total == 0) {
        fprintf(stderr, "%s%s ...", erase_line, phase);
    } else {
        const double part = done < total ? (double)done / (double)total : 1;
        fprintf(stderr, "%s%-24s [%-*.*s] %3.0f %%", erase_line, phase, BAR_WIDTH, (int)(part * BAR_WIDTH),
                hashes, part * 100);
    }
}

bool cli_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context;
    if (bar_wanted) show(phase, done, total);
    return !interrupt_signal;
}

void cli_progress_report(void *context, const char *line)
{
    (void)context;
    erase();
    if (!quiet) fprintf(stderr, "%s\n", line);
}
