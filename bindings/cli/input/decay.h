/* decay.h - decays as the user writes them: KIND:COST[,COST]. */
#ifndef MCD_BINDINGS_CLI_INPUT_DECAY_H
#define MCD_BINDINGS_CLI_INPUT_DECAY_H

#include "bindings/cli/session.h"

/* Reads --decay, with a table if it names one. Reports and returns CLI_USAGE if it is not a decay. */
int cli_decay_read(macadam_decay *out, const cli_session *session);

#endif
