/* ways.h - the arcs and routes of matchings, and the answer to which they are added. */
#ifndef MCD_ENGINE_MATCH_WAYS_H
#define MCD_ENGINE_MATCH_WAYS_H

#include "engine/match/batch.h"
#include "engine/match/journey.h"

typedef struct mcd_owned_matches {
    macadam_matches matches;
    macadam_match_point *point;
    macadam_matching *matching; /* [matching_capacity] */
    uint64_t *arc;              /* [arc_capacity] */
    size_t matching_capacity, arc_capacity;
} mcd_owned_matches;

/* A request, and the batch of it that is being answered. */
typedef struct mcd_match_run {
    mcd_batch batch;
    mcd_owned_matches *out;
    uint32_t *waypoint; /* [waypoint_count] the fixes of journeys, in their order */
    uint32_t *before;   /* [waypoint_count] their positions on their arcs */
    size_t waypoint_count;
} mcd_match_run;

/* Makes room for `count` more elements of an array of `used`. */
#define MCD_MATCH_GROW(array, capacity, used, count, error)                                                  \
    ((used) + (count) <= (capacity) ? MACADAM_OK                                                             \
                                    : mcd_match_grow((void **)&(array), &(capacity), (used),                 \
                                                     (used) + (count), sizeof *(array), (error)))
macadam_status mcd_match_grow(void **array, size_t *capacity, size_t used, size_t wanted, size_t size,
                              macadam_error *error);

/* Both add to the matchings from `matching` on, whose waypoints are those of the batch. */
macadam_status mcd_match_add_arcs(mcd_match_run *run, size_t matching, macadam_error *error);
macadam_status mcd_match_add_routes(mcd_match_run *run, size_t matching, macadam_error *error);

#endif
