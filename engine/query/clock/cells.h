/* cells.h - a rectangle of durations by the clock. */
#ifndef MCD_ENGINE_QUERY_CLOCK_CELLS_H
#define MCD_ENGINE_QUERY_CLOCK_CELLS_H

#include "engine/query/places/cells.h"
#include "engine/query/places/clock_costs.h"

/* Writes raw costs (cells.h) of ways over nodes: ways along a road that two places share compete later. Searches run band by
 * band, as many as the query's memory allows, and are counted in the plan. */
macadam_status mcd_clock_cells(const mcd_query *query, const mcd_lanes *source, const mcd_lanes *target,
                               const mcd_cells *cells, macadam_matrix_plan *plan, macadam_error *error);

/* Writes the cells of `count` places from `place` on, whose lanes were searched: rows, or with arrivals columns. */
void mcd_clock_cells_write(const mcd_clock_costs *costs, const mcd_cells *cells, size_t place, size_t count);

#endif
