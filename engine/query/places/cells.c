/* cells.c - see cells.h. */
#include "engine/query/places/cells.h"

#include "kernels/backend.h"

mcd_cells mcd_cells_rows(const mcd_cells *cells, size_t first, size_t count)
{
    mcd_cells part = *cells;
    part.row += first;
    part.rows = count;
    if (part.objective) part.objective += first * cells->stride;
    if (part.companion) part.companion += first * cells->stride;
    return part;
}

void mcd_cells_merge(uint32_t *restrict objective, uint32_t *restrict companion,
                     const uint32_t *restrict other_objective, const uint32_t *restrict other_companion,
                     size_t count)
{
    for (size_t k = 0; !companion && k < count; ++k)
        objective[k] = other_objective[k] < objective[k] ? other_objective[k] : objective[k];
    /* masks: a compiler makes vector instructions of them */
    for (size_t k = 0; companion && k < count; ++k) {
        const uint32_t less = 0 - (uint32_t)(other_objective[k] < objective[k]),
                       equal = 0 - (uint32_t)(other_objective[k] == objective[k]),
                       shorter = 0 - (uint32_t)(other_companion[k] < companion[k]),
                       better = less | (equal & shorter);
        objective[k] = (other_objective[k] & better) | (objective[k] & ~better);
        companion[k] = (other_companion[k] & better) | (companion[k] & ~better);
    }
}

void mcd_cells_settle(uint32_t *restrict objective, const uint32_t *restrict companion, size_t count)
{
    for (size_t k = 0; companion && k < count; ++k)
        objective[k] |= 0 - (uint32_t)(companion[k] == MCD_COST_UNREACHED);
}
