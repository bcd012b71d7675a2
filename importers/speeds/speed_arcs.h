/* speed_arcs.h - what a table of speeds makes of the arcs of a map: durations at the fastest speed of the week, and
 * patterns.
 *
 * An arc has the speeds of its way and direction. Those of two nodes that are next to each other on the arc come before
 * these; the arc then takes the sum of the times of its pieces, each as long as its share of the arc's length. A
 * slot that no speed names keeps the arc's duration. */
#ifndef MCD_IMPORTERS_SPEEDS_SPEED_ARCS_H
#define MCD_IMPORTERS_SPEEDS_SPEED_ARCS_H

#include "engine/base/watch.h"
#include "importers/speeds/speed_table.h"

/* The arcs of a map, of which each has one number. All borrowed. */
typedef struct mcd_speed_roads {
    size_t count;
    const int64_t *way;     /* [count] */
    const uint8_t *against; /* [count] not 0: against the direction of the way */
    /* The nodes of arc i are first_node[i] .. first_node[i + 1], both ends included, with their ids and the metres from
     * its tail. NULL if no speeds are between nodes. */
    const uint64_t *first_node;
    const int64_t *node;
    const double *node_m;
    const mcd_weight *duration_ms, *distance_cm; /* [count] */
} mcd_speed_roads;

/* Begins zeroed. */
typedef struct mcd_speed_result {
    mcd_weight *duration_ms; /* [count] */
    uint16_t *pattern;       /* [count] as pattern.h says */
    bool *applies;           /* [count] the arc has speeds */
    mcd_pattern_set set;
    uint8_t *found[MCD_SPEED_KINDS]; /* [rows of the table] 1 at the first row of a key that is on the map */
    uint8_t *still;   /* [rows of ways] 1 at the first row of a way that never moves: its arcs stay */
    size_t arc_count; /* that have speeds */
    mcd_pattern_errors errors;
} mcd_speed_result;

/* Applies a closed table. Returns E_MEMORY, E_CANCELLED, or E_UNSUPPORTED if even the coarsest patterns are too
 * many. Free *out on failure too. */
macadam_status mcd_speed_arcs_apply(mcd_speed_result *out, const mcd_speed_table *table,
                                    const mcd_speed_roads *roads, mcd_watch *watch, macadam_error *error);
void mcd_speed_result_free(mcd_speed_result *result);

#endif
