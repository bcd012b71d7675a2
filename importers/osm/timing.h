/* timing.h - what conditional tags (KEY:conditional) make of a way in slots of the week: its speeds, or that it is
 * closed. The profile reads the way's tags once more as they are in force then; so all keys that it knows count. */
#ifndef MCD_IMPORTERS_OSM_TIMING_H
#define MCD_IMPORTERS_OSM_TIMING_H

#include "engine/base/status.h"
#include "engine/map/week.h"
#include "importers/osm/condition.h"
#include "importers/osm/profile.h"

/* A way in some slots; the slots of the changes of a way are disjoint. */
typedef struct mcd_timing {
    mcd_week week;
    double speed_kmh[MCD_DIRECTIONS]; /* 0: closed in that direction */
} mcd_timing;

typedef struct mcd_timings {
    mcd_timing *timing; /* [count] */
    size_t count, capacity;
} mcd_timings;

/* Appends what differs from `usual`, the passage without conditional tags; NULL: the way is closed without them, and
 * nothing is appended. What is closed stays closed, and only residents' roads stay theirs: this is counted. */
macadam_status mcd_timings_read(mcd_timings *timings, const mcd_profile *profile, const mcd_tags *tags,
                                const mcd_passage *usual, mcd_conditions *conditions, macadam_error *error);

void mcd_timings_free(mcd_timings *timings);

#endif
