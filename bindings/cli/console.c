/* console.c - console.h for POSIX. */
#include "bindings/cli/console.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

/* Then the process ends: the system frees a large map faster than the library can, piece by piece. */
enum { PATIENCE_US = 60000 };

static volatile sig_atomic_t interrupt_signal;

/* A file that is opened takes the number of a closed stream, and messages would be written into an answer. So streams that
 * are closed are opened the wrong way round: reading or writing them still fails. */
static void open_closed_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* A file beyond the process's limit is an error of its write, like a full disk. */
void cli_console_begin(void)
{
    open_closed_streams();
    signal(SIGXFSZ, SIG_IGN);
}

static void end_process(__attribute__((unused)) int signal_number)
{
    cli_console_obey_interrupt();
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
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal_number, &action, NULL);
}

void cli_console_catch_interrupts(void)
{
    signal(SIGALRM, end_process);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

bool cli_console_is_interrupted(void)
{
    return interrupt_signal != 0;
}

void cli_console_obey_interrupt(void)
{
    if (!interrupt_signal) return;
    signal(interrupt_signal, SIG_DFL);
    raise(interrupt_signal);
}

long cli_console_processors(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}
