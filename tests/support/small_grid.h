/* small_grid.h - a grid of two-way streets as an edge file. */
#ifndef MCD_TESTS_SUPPORT_SMALL_GRID_H
#define MCD_TESTS_SUPPORT_SMALL_GRID_H

#include "engine/include/macadam.h"

#define SMALL_GRID_ARCS(side) (4 * (side) * ((side)-1))

/* Imports side * side nodes, by rows, 0.001 degrees apart; their ids are 0, 1, 2, ... The quantities are "duration" and
 * "distance": `weight`, by arc, or, if it is NULL, small numbers, of which no duration is below `least`. */
macadam_status small_grid_import(uint32_t side, uint32_t least, const uint32_t *const weight[2],
                                 const macadam_import_options *options, macadam_error *error);

#endif
