/* all_pairs_tile.c - delivers rows of all pairs to the caller, whichever method made them: see
 * all_pairs.h. */
#include "engine/query/all_pairs.h"

macadam_status mcd_all_pairs_deliver(mcd_all_pairs *pairs, size_t rows, uint32_t *const *value,
                                     const uint32_t *next, macadam_error *error)
{
    macadam_tile tile = {.row = pairs->row, .rows = rows, .columns = pairs->id_count, .next = next};
    for (size_t q = 0; q < pairs->query->quantity_count; ++q) tile.value[q] = value[q];
    if (!pairs->tile(pairs->context, &tile))
        return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the callback that takes row %zu",
                        pairs->row);
    pairs->row += rows;
    return MACADAM_OK;
}
