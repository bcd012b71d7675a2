/* tally.h - what places with several lanes or in sites reach, or any places by signed costs: their trees, summed on the
 * processor. */
#ifndef MCD_ENGINE_QUERY_TABLES_TALLY_H
#define MCD_ENGINE_QUERY_TABLES_TALLY_H

#include "engine/query/places/query.h"

/* Fills `answer` except for the nearest targets. `source` may have several lanes a place. `query` holds no
 * scratch, then or afterwards. */
macadam_status mcd_tally_find(mcd_query *query, const macadam_reach_request *request, const mcd_lanes *source,
                              const macadam_reach *answer, macadam_error *error);

#endif
