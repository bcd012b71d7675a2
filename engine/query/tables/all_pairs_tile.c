/* all_pairs_tile.c - delivers rows of all pairs to the caller, whichever method made them: see
 * all_pairs.h. */
#include "engine/query/tables/all_pairs.h"

#include "engine/query/places/signed.h"

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

macadam_status mcd_all_pairs_sign(const mcd_all_pairs *pairs, size_t row, size_t rows, uint32_t *const *value,
                                  macadam_error *error)
{
    const mcd_query *const query = pairs->query;
    const size_t count = pairs->id_count;
    for (size_t q = 0; q < query->quantity_count; ++q) {
        const int32_t *const potential = query->potential[q];
        if (!potential) continue;
        const mcd_sign_job job = {.value = value[q],
                                  .rows = rows,
                                  .columns = count,
                                  .stride = count,
                                  .row = potential + row,
                                  .column = potential};
        MCD_TRY(mcd_signed_apply(query, job, error));
    }
    return MACADAM_OK;
}
