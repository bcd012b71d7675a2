/* update_request.c - see update_request.h. */
#include "engine/runtime/update_request.h"

#include "engine/map/map.h"
#include "engine/runtime/patterns.h"
#include "engine/runtime/prices.h"

macadam_status mcd_update_request_check(const macadam_update_request *request, macadam_error *error)
{
    if (request->count == 0 && request->turn_count == 0) return mcd_fail_invalid(error, "no arc to update");
    /* more than C lets an array hold */
    if (request->count > PTRDIFF_MAX / sizeof *request->tail ||
        request->turn_count > PTRDIFF_MAX / sizeof *request->tail)
        return mcd_fail_invalid(error, "%zu entries are more than an array can hold",
                                mcd_size_max(request->count, request->turn_count));
    if (request->count > 0 && !request->arc &&
        (!request->tail != !request->head || !(request->way || request->tail)))
        return mcd_fail_invalid(error, "neither numbers nor ends nor ways of arcs");
    for (size_t i = 0; i < request->count && request->way && request->direction; ++i)
        if (request->direction[i] < -1 || request->direction[i] > 1)
            return mcd_fail_invalid(error, "direction %d of entry %zu is not -1, 0 or 1",
                                    request->direction[i], i);
    MCD_TRY(mcd_patterns_check(request, error));
    if (request->pattern && request->quantity_count == 0 && request->turn_count == 0) return MACADAM_OK;
    if (request->quantity_count == 0 || request->quantity_count > MCD_QUANTITY_MAX || !request->quantity ||
        (request->count > 0 && !request->value))
        return mcd_fail_invalid(error, "%zu quantities to update; there must be 1 to %d",
                                request->quantity_count, MCD_QUANTITY_MAX);
    for (size_t q = 0; q < request->quantity_count && request->count > 0; ++q)
        if (!request->value[q]) return mcd_fail_invalid(error, "no values for quantity %zu", q);
    return mcd_turns_check(request, error);
}

macadam_status mcd_update_value_check(const char *quantity, const char *what, size_t entry, uint32_t value,
                                      macadam_error *error)
{
    if (value <= MACADAM_WEIGHT_MAX || value >= MACADAM_WEIGHT_IMPORTED) return MACADAM_OK;
    return mcd_fail_invalid(error, "%s of %s %zu is %u; the largest weight is %u", quantity, what, entry,
                            value, MACADAM_WEIGHT_MAX);
}
