/* console_windows.c - console.h for Windows. The system calls the handler on a thread of its own. */
#include "bindings/cli/console.h"

#include <fcntl.h>
#include <io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <windows.h>

enum { PATIENCE_MS = 60 };
static const UINT status_interrupted = 0xC000013A; /* STATUS_CONTROL_C_EXIT */

static atomic_bool is_interrupted;

void cli_console_begin(void)
{
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}

/* Returns FALSE: the system then ends the process. */
static BOOL WINAPI interrupt(__attribute__((unused)) DWORD event)
{
    if (!atomic_exchange(&is_interrupted, true)) Sleep(PATIENCE_MS);
    return FALSE;
}

void cli_console_catch_interrupts(void)
{
    SetConsoleCtrlHandler(interrupt, TRUE);
}

bool cli_console_is_interrupted(void)
{
    return atomic_load_explicit(&is_interrupted, memory_order_relaxed);
}

void cli_console_obey_interrupt(void)
{
    if (cli_console_is_interrupted()) ExitProcess(status_interrupted);
}

long cli_console_processors(void)
{
    return (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}
