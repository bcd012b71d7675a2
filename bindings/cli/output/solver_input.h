/* solver_input.h - a matrix as the input of a solver of vehicle routing problems. Costs are whole seconds and metres. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_SOLVER_INPUT_H
#define MCD_BINDINGS_CLI_OUTPUT_SOLVER_INPUT_H

#include "bindings/cli/input/place.h"

/* Writes the costs between `places`, of which the first is the depot, to the file `path`; NULL: to standard output.
 * value: [quantity][row * places->count + column]. Solvers know no infinity, so every cell has a cost, which is 0 from a place
 * to itself. If cells have no path, --unreachable decides:
 *   skip     a stop is left out unless it has paths from and to the depot and every stop before it that stays
 *   fail     the exit status is CLI_USAGE
 *   cost     the cell has a cost that is larger than all others, and so small that a solver's sums do not overflow
 * Reports what is left out, and returns an exit status.
 *   vroom    VROOM's JSON: the matrices of the profile "car", VROOM's default; a vehicle from and to the depot, a job for each
 *            other place, whose id is its position in the file and whose description is its name
 *   ortools  the data model of OR-tools' examples as JSON: time_matrix, distance_matrix, num_vehicles, depot; if stops are
 *            left out, also stops: the positions in the file of those that are not */
int cli_solver_input_write(const cli_session *session, const cli_places *places, const uint32_t *const *value,
                           const char *path);

#endif
