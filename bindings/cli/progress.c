/* progress.c - a progress bar on standard error. An interrupt asks the library to stop. If the library has
 * not stopped after 150 ms (it opens a FIFO, waits for a disk, or orders nodes), or if the signal comes
 * again, the process ends at once: the file that it was writing has no name yet. */
#include "bindings/cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, PATIENCE_US = 150000 };
static const char erase_line[] = "\r\033[K";

static volatile sig_atomic_t interrupt_signal;
static bool quiet, bar_wanted, bar_shown;

static void end_process(int signal_number)
{
    (void)signal_number;
    cli_progress_obey_interrupt();
}

static void interrupt(int signal_number)
{
    const struct itimerval patience = {.it_value = {.tv_usec = PATIENCE_US}};
    interrupt_signal = signal_number;
    setitimer(ITIMER_REAL, &patience, NULL);
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
    signal(SIGALRM, end_process);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

void cli_progress_erase(void)
{
    if (bar_shown) fputs(erase_line, stderr);
    bar_shown = false;
}

void cli_progress_end(void)
{
    cli_progress_erase();
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
    cli_progress_erase();
    if (!quiet) fprintf(stderr, "%s\n", line);
}
