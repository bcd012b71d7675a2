/* trip_costs.h - the costs of trips by the clock, which are searched as routes are (trip_search.h). */
#ifndef MCD_ENGINE_QUERY_PLACES_TRIP_COSTS_H
#define MCD_ENGINE_QUERY_PLACES_TRIP_COSTS_H

#include "engine/query/places/trip_search.h"

enum { MCD_TRIPS_AT_ONCE = 256 };

/* Finds sum[i], the cost of trip from + i, of at most MCD_TRIPS_AT_ONCE, on all threads, without the way along a road that both
 * places share. Trip number n leads from place n / columns after that of `first` to place n % columns after its other one;
 * columns = 0: each n places after it. *is_found is false if searches by the backend should answer instead, as in trip_search.h. */
macadam_status mcd_trips_find(const mcd_trip *first, size_t columns, size_t from, size_t count,
                              mcd_clock_sum *sum, bool *is_found, macadam_error *error);

/* Computes the costs of `count` pairs, of a source and a target each, whether over nodes or along the road that both share.
 * `companion` may be NULL. */
macadam_status mcd_clock_pairs(const mcd_query *query, const mcd_lanes *source, const mcd_lanes *target,
                               size_t count, uint32_t *objective, uint32_t *companion, macadam_error *error);

#endif
