/* nearest_targets.h - targets of which the nearest are found by label minima (kernels/cpu/sweep/minima.c) or, on a device, by
 * sweeps (reach). */
#ifndef MCD_ENGINE_QUERY_TABLES_NEAREST_TARGETS_H
#define MCD_ENGINE_QUERY_TABLES_NEAREST_TARGETS_H

#include "engine/query/places/query.h"

/* Returns whether the nearest targets of a request can be found so, with the query's backend, and faster than by trees or a
 * matrix: on the host, if nothing else is requested; on a device, if a target may be within a road. */
bool mcd_nearest_targets_suits(const mcd_query *query, const macadam_reach_request *request,
                               const macadam_reach *answer);

/* Finds them. On a device the same sweeps fill the other answers, too. Gives back the query's scratch. */
macadam_status mcd_nearest_targets_reach(mcd_query *query, const macadam_reach_request *request,
                                         const macadam_reach *answer, macadam_place_status *status,
                                         macadam_error *error);

#endif
