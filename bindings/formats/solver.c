/* solver.c - see solver.h. */
#include "bindings/formats/solver.h"

int64_t mcd_solver_cost(const mcd_solver_costs *costs, size_t row, size_t column)
{
    const int64_t unit = costs->per_unit, half = unit / 2;
    const int64_t cost = macadam_cost(costs->value[row * costs->place_count + column], costs->is_signed);
    if (row == column) return 0;
    return cost == MACADAM_COST_NONE ? cost : (cost < 0 ? cost - half : cost + half) / unit;
}

size_t mcd_solver_choose(const mcd_solver_costs *costs, size_t *stop)
{
    size_t count = 0;
    for (size_t i = 0; i < costs->place_count; ++i) {
        size_t k = 0;
        while (k < count && mcd_solver_cost(costs, i, stop[k]) != MACADAM_COST_NONE &&
               mcd_solver_cost(costs, stop[k], i) != MACADAM_COST_NONE)
            ++k;
        if (k == count) stop[count++] = i;
    }
    return count;
}

uint32_t mcd_solver_cost_max(size_t stop_count)
{
    return (uint32_t)(UINT32_MAX / (3 * stop_count));
}
