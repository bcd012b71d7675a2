/* nearest_of_cells.h - the nearest targets of each source, chosen from the cells of a matrix. */
#ifndef MCD_ENGINE_QUERY_TABLES_NEAREST_OF_CELLS_H
#define MCD_ENGINE_QUERY_TABLES_NEAREST_OF_CELLS_H

#include "engine/query/places/query.h"

/* Returns whether cells find the nearest targets in less time than trees do. */
bool mcd_nearest_of_cells_suits(const mcd_query *query, const macadam_reach_request *request,
                                const macadam_reach *answer);

/* Fills the nearest targets of `answer`, of places anywhere on roads: of source number i of the request, those of source
 * row[i] of the answer (NULL: i). `query` holds no scratch, then or afterwards. */
macadam_status mcd_nearest_of_cells_find(mcd_query *query, const macadam_reach_request *request,
                                         const uint32_t *row, const macadam_reach *answer,
                                         macadam_error *error);

#endif
