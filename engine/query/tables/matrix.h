/* matrix.h - the matrix that other questions are answered from. */
#ifndef MCD_ENGINE_QUERY_TABLES_MATRIX_H
#define MCD_ENGINE_QUERY_TABLES_MATRIX_H

#include "engine/query/places/query.h"

/* Computes a matrix as macadam_matrix_find does, with a query that has begun and holds no scratch. status (may be NULL): of the
 * sources, then of the targets. */
macadam_status mcd_matrix_tiles(mcd_query *query, const macadam_matrix_request *request,
                                macadam_place_status *status, macadam_tile_callback callback, void *context,
                                macadam_error *error);

#endif
