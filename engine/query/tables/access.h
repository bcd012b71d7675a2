/* access.h - accessibility: the opportunities near each source, their mean cost and percentiles of it, summed up from the cells of
 * a matrix. */
#ifndef MCD_ENGINE_QUERY_TABLES_ACCESS_H
#define MCD_ENGINE_QUERY_TABLES_ACCESS_H

#include "engine/query/places/query.h"

static inline bool mcd_reach_asks_access(const macadam_reach *answer)
{
    return answer->access || answer->mean_cost || answer->percentile_cost;
}

/* Fills accessibility. status (may be NULL): of the sources, and from status_of_opportunity on, of the opportunities. `query`
 * must hold no scratch, and holds none afterwards. Returns E_INVALID for a request that macadam.h does not allow. */
macadam_status mcd_access_find(mcd_query *query, const macadam_reach_request *request,
                               const macadam_reach *answer, macadam_place_status *status,
                               macadam_place_status *status_of_opportunity, macadam_error *error);

#endif
