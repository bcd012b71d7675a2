/* tour.h - tours: cheap orders in which to visit all stops once and return, over costs that may differ by
 * direction. */
#ifndef MCD_ENGINE_TRIP_TOUR_H
#define MCD_ENGINE_TRIP_TOUR_H

#include "engine/base/watch.h"

#define MCD_TOUR_CLOSED UINT32_MAX /* a cost: there is no way */

enum { MCD_TOUR_EXACT_MAX = 13 }; /* stops for which the best tour is found */

/* Costs from each stop to each other. */
typedef struct mcd_tour_costs {
    const uint32_t *cost; /* [from * count + to] */
    size_t count;         /* at least 1 */
} mcd_tour_costs;

/* Writes the stops in the order of a tour that begins with stop 0. *total: its cost, with the return;
 * UINT64_MAX: every tour that was found needs a way that is closed. Of up to MCD_TOUR_EXACT_MAX stops, the
 * tour is the best one. Always gives the same tour. Returns E_MEMORY or E_CANCELLED. Time: 20 ms for 100
 * stops, 1 s for 500. */
macadam_status mcd_tour_find(uint32_t *order, uint64_t *total, const mcd_tour_costs *costs, mcd_watch *watch,
                             macadam_error *error);

#endif
