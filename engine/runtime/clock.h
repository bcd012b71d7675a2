/* clock.h - the arcs of a version for searches whose clock moves along the way: weights at the fastest of the week, prices,
 * and patterns of speeds. Conditional tags become patterns, too. */
#ifndef MCD_ENGINE_RUNTIME_CLOCK_H
#define MCD_ENGINE_RUNTIME_CLOCK_H

#include "engine/runtime/clock_bounds.h"

typedef struct mcd_clock {
    mcd_clock_arcs arcs;
    mcd_clock_arc *arc[2];          /* by mcd_direction: owned */
    mcd_weight *companion;          /* of the reverse CSR: owned */
    uint8_t *pattern;               /* owned: an update may replace those in use */
    const mcd_device_table *device; /* of arcs.device */
    mcd_clock_bounds bounds;
} mcd_clock;

/* The weights of which the arcs are made. */
typedef struct mcd_clock_source {
    macadam_engine *engine;
    const mcd_weight
        *in_use[2]; /* [arc_count] of duration and companion (NULL: none), whatever the conditions are */
    const mcd_array *companion; /* under them; NULL: none */
    const uint32_t *vehicle;    /* [MCD_LIMITS] its measures, by which tags hold; 0: not limited */
    const mcd_week *week;       /* [week_count] when tags hold: of ordinary days, or of holidays */
    size_t first_slot;          /* of the map's patterns: where the week begins that counts */
} mcd_clock_source;

/* Makes the arcs from the weights `*objective` under the conditions, in which what opens at times is open and no other
 * time holds. *objective becomes the weights at the fastest of the week, in which an arc is closed if it is always.
 * Returns E_UNSUPPORTED if there are more patterns than 16 bits count. Free *out with mcd_clock_free. Time: one look at
 * every arc, and one at the week of those with conditional tags. */
macadam_status mcd_clock_new(mcd_clock **out, const mcd_clock_source *source, mcd_array **objective,
                             macadam_error *error);
/* Copies the arcs to the device, unless they are there. */
macadam_status mcd_clock_place(mcd_clock *clock, const mcd_device_table *table, mcd_device *device,
                               macadam_error *error);
void mcd_clock_free(mcd_clock *clock); /* NULL is fine */

#endif
