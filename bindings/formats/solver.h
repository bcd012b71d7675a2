/* solver.h - costs between places as solvers of vehicle routing problems take them: whole seconds and metres. */
#ifndef MCD_BINDINGS_FORMATS_SOLVER_H
#define MCD_BINDINGS_FORMATS_SOLVER_H

#include "engine/include/macadam.h"

/* Costs of one quantity from every place to every place; the first one is the depot. */
typedef struct mcd_solver_costs {
    const uint32_t *value; /* [place_count * place_count] */
    size_t place_count;
    uint32_t per_unit; /* they are divided by it */
    bool is_signed;
} mcd_solver_costs;

/* Half units away from 0; 0 from a place to itself; MACADAM_COST_NONE without a path. */
int64_t mcd_solver_cost(const mcd_solver_costs *costs, size_t row, size_t column);
/* Chooses the places that have paths from and to every place that is chosen before them, in ascending order; returns how
 * many. stop: [place_count] their positions. */
size_t mcd_solver_choose(const mcd_solver_costs *costs, size_t *stop);
/* The cost of a cell without a path: solvers can add it, in 32 bits, once for each stop and twice for each of
 * as many vehicles. */
uint32_t mcd_solver_cost_max(size_t stop_count);

#endif
