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

/* The originals of a map, or its arcs before any junction is split. All borrowed. */
typedef struct mcd_speed_roads {
    size_t count;
    const int64_t *way;     /* [count] */
    const uint8_t *against; /* [count] not 0: against the direction of the way */
    /* [count + 1], and by point. Without ids of points, speeds between nodes are found only where these are the ends. */
    const uint64_t *first_point;
    const int32_t *shape_lon_e7, *shape_lat_e7;
    const int64_t *shape_id;
    const mcd_node *tail, *head; /* [count] */
    const int64_t *id;           /* by node, as the coordinates */
    const int32_t *lon_e7, *lat_e7;
    const mcd_weight *duration_ms, *distance_cm; /* [count] */
} mcd_speed_roads;

/* Begins zeroed. */
typedef struct mcd_speed_result {
    mcd_weight *duration_ms; /* [count] */
    uint16_t *pattern;       /* [count] as pattern.h says */
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
