/* bench_snap.h - what `macadam bench` measures of snapping. */
#ifndef MCD_BINDINGS_CLI_COMMANDS_BENCH_SNAP_H
#define MCD_BINDINGS_CLI_COMMANDS_BENCH_SNAP_H

#include "bindings/cli/commands/measure.h"
#include "bindings/cli/session.h"

/* Measures how long many points near roads take to snap, after the first of them were snapped one by one to
 * the same. Does nothing for a file without coordinates. */
int cli_bench_snap(cli_measurements *measurements, const cli_session *session);

#endif
