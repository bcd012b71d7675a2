/* problem.h - a matrix as the input of a solver of vehicle routing problems. Costs are whole seconds and metres. */
#ifndef MCD_BINDINGS_CLI_PROBLEM_H
#define MCD_BINDINGS_CLI_PROBLEM_H

#include "bindings/cli/place.h"

enum { CLI_PROBLEM_UNREACHED = 10000000 }; /* the cost of what cannot be reached: solvers know no infinity */

/* Writes the costs between `places`, of which the first is the depot; value: [quantity][row * places->count +
 * column]. Reports and returns an exit status.
 *   vroom    VROOM's JSON: the matrices of the profile "car", VROOM's default; a vehicle from and to the depot, a job for each
 *            other place, whose description is the place's name
 *   ortools  the data model of OR-tools' examples as JSON: time_matrix, distance_matrix, num_vehicles, depot */
int cli_problem_write(const cli_session *session, const cli_options *options, const cli_places *places,
                      const uint32_t *const *value);

#endif
