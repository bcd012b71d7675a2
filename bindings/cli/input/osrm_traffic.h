/* osrm_traffic.h - the files by which OSRM's programs take traffic: speeds of segments and penalties of turns, without a header. */
#ifndef MCD_BINDINGS_CLI_INPUT_OSRM_TRAFFIC_H
#define MCD_BINDINGS_CLI_INPUT_OSRM_TRAFFIC_H

#include "bindings/cli/input/csv.h"
#include "bindings/cli/session.h"

/* The contents of a file, as durations of arcs or prices of turns. All arrays are the caller's to free; NULL:
 * not of this file. */
typedef struct cli_osrm {
    uint64_t *arc;            /* [count] */
    int64_t *from, *via, *to; /* [count] */
    uint32_t *value;          /* [count] ms */
    size_t count;
    size_t entry_count, unknown_count; /* lines of the file, and those that are not on the map */
    bool ignores;                      /* lines have a rate or a weight */
} cli_osrm;

/* Reads lines from,to,km/h[,rate] from the current record on, as mcd_speeds has them. Reports bad lines. */
int cli_osrm_segments(cli_osrm *out, cli_csv *csv, const cli_session *session);

/* Reads lines from,via,to,seconds[,weight] likewise: nodes, and the price of the turn. */
int cli_osrm_turns(cli_osrm *out, cli_csv *csv, const cli_session *session);

/* Warns of entries that are not on the map, `unknown` more than were counted so far, and of columns that do not count. */
void cli_osrm_report(const cli_osrm *osrm, const cli_csv *csv, size_t unknown);

#endif
