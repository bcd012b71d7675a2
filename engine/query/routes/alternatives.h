/* alternatives.h - other good routes between two places: not much longer than the best one, different from it, and
 * without needless detours. */
#ifndef MCD_ENGINE_QUERY_ROUTES_ALTERNATIVES_H
#define MCD_ENGINE_QUERY_ROUTES_ALTERNATIVES_H

#include "engine/query/places/pairs.h"

/* Shares of the best route's cost. */
typedef struct mcd_alternative_rules {
    size_t count_max;
    double stretch;    /* an alternative is at most so much longer */
    double sharing;    /* it has at most so much in common with the routes before it */
    double optimality; /* each part of it up to this cost is a shortest path */
} mcd_alternative_rules;

/* The path of an alternative with its cost. The caller frees path.arc with mcd_free. */
typedef struct mcd_alternative {
    mcd_path path;
    uint32_t objective, companion; /* companion: 0 unless it is requested */
} mcd_alternative;

/* Finds alternatives to the first trip, which has been chosen and whose path is `best`, by ascending cost.
 * out[rules->count_max]; *count is how many there are, on failure too. */
macadam_status mcd_alternatives_find(mcd_alternative *out, size_t *count, const mcd_query *query,
                                     const mcd_pairs *trips, const mcd_path *best, uint32_t objective,
                                     const mcd_alternative_rules *rules, macadam_error *error);

#endif
