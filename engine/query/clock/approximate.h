/* approximate.h - a rectangle of approximate durations by the clock, with their error. */
#ifndef MCD_ENGINE_QUERY_CLOCK_APPROXIMATE_H
#define MCD_ENGINE_QUERY_CLOCK_APPROXIMATE_H

#include "engine/query/places/cells.h"
#include "engine/query/places/clock_costs.h"

/* The error of the cells that were compared with exact ones. Zeroed = none was. */
typedef struct mcd_measured {
    uint64_t cells, sum_ppm;
    uint32_t worst_ppm;
} mcd_measured;

/* Returns E_UNSUPPORTED unless the query has departures and reports only durations. */
macadam_status mcd_approximate_check(const mcd_query *query, macadam_error *error);
/* Writes approximate costs where mcd_clock_cells (cells.h) writes exact ones, and measures the error of up to four rows, the same
 * ones of all sources whatever the rectangles are. A cell depends only on its source, target and departure. */
macadam_status mcd_approximate_cells(const mcd_query *query, const mcd_lanes *source, const mcd_lanes *target,
                                     const mcd_cells *cells, mcd_measured *measured, macadam_error *error);
macadam_approximation mcd_measured_report(const mcd_measured *measured);

#endif
