/* console.h - what differs between operating systems for the command: streams, interrupts, processors. */
#ifndef MCD_BINDINGS_CLI_CONSOLE_H
#define MCD_BINDINGS_CLI_CONSOLE_H

#include <stdbool.h>

/* Makes the standard streams pass bytes on as they are. */
void cli_console_begin(void);
/* Catches interrupts from now on. If the library has not stopped 60 ms after an interrupt (it opens a FIFO,
 * waits for a disk, or orders nodes), or if it comes again, the process ends immediately: the file that it
 * was writing has no name yet. */
void cli_console_catch_interrupts(void);
bool cli_console_is_interrupted(void);
/* If the user interrupted, ends the process as the signal would have: for when all is cleaned up. */
void cli_console_obey_interrupt(void);
/* Returns how many processors the machine has. */
long cli_console_processors(void);

#endif
