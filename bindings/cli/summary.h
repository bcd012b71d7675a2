/* summary.h - a route as the roads it takes: arcs that follow each other under one name. */
#ifndef MCD_BINDINGS_CLI_SUMMARY_H
#define MCD_BINDINGS_CLI_SUMMARY_H

#include "engine/include/macadam.h"

/* Zeroed before the first. A stretch ends where the name changes, and at every waypoint. */
typedef struct cli_stretch {
    const char *name;           /* "" where the road has none */
    size_t first_arc, last_arc; /* first_arc <= i < last_arc */
    uint64_t value[MACADAM_QUANTITIES_MAX];
} cli_stretch;

/* The next stretch; false after the last one. */
bool cli_stretch_next(cli_stretch *stretch, const macadam_route *route, size_t quantity_count);

#endif
