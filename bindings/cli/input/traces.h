/* traces.h - traces of timed points. */
#ifndef MCD_BINDINGS_CLI_INPUT_TRACES_H
#define MCD_BINDINGS_CLI_INPUT_TRACES_H

#include "engine/include/macadam.h"

/* The points of all traces, in the order of the file. */
typedef struct cli_traces {
    size_t count, capacity;
    macadam_trace_point *point; /* [count] */
    size_t trace_count, trace_capacity;
    size_t *first; /* [trace_count + 1] */
    char **name;   /* [trace_count] */
} cli_traces;

/* A point about which nothing is known. */
macadam_trace_point cli_trace_point_unknown(void);
/* The points that follow belong to a new trace. */
void cli_traces_begin(cli_traces *traces, const char *name, size_t bytes);
void cli_traces_add(cli_traces *traces, const macadam_trace_point *point);

#endif
