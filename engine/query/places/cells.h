/* cells.h - rectangles of costs, and how two costs of one cell become the better one. */
#ifndef MCD_ENGINE_QUERY_PLACES_CELLS_H
#define MCD_ENGINE_QUERY_PLACES_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A rectangle of costs: of places in rows and columns, or of columns that are nodes or ids. */
typedef struct mcd_cells {
    size_t row, rows, column, columns; /* places */
    uint32_t *objective,
        *companion; /* [r * stride + c] from the rectangle's first cell on; either may be NULL:
                                        * not wanted */
    size_t stride;
} mcd_cells;

/* Returns the part of a rectangle from its row `first` on, of `count` rows. */
mcd_cells mcd_cells_rows(const mcd_cells *cells, size_t first, size_t count);

/* Cells whose costs compete are raw (kernels/backend.h) until the best is known: the objective counts first, then the
 * companion, and a saturated one comes last. */

/* Replaces cell i by a cost that is better. `companion` may be NULL. */
static inline void mcd_cells_take_better(uint32_t *objective, uint32_t *companion, size_t i,
                                         uint32_t new_objective, uint32_t new_companion)
{
    const bool better = new_objective < objective[i] ||
                        (new_objective == objective[i] && companion && new_companion < companion[i]);
    if (!better) return;
    objective[i] = new_objective;
    if (companion) companion[i] = new_companion;
}

/* Replaces the `count` cells of a row by those of another row where these are better: the lanes of one place. `companion`
 * and `other_companion` may be NULL together. */
void mcd_cells_merge(uint32_t *restrict objective, uint32_t *restrict companion,
                     const uint32_t *restrict other_objective, const uint32_t *restrict other_companion,
                     size_t count);

/* Ends that: of `count` cells whose best costs are known, makes those unreached whose companion is saturated.
 * `companion` may be NULL. */
void mcd_cells_settle(uint32_t *restrict objective, const uint32_t *restrict companion, size_t count);

#endif
