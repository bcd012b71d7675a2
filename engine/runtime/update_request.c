/* update_request.c - see update_request.h. */
#include "engine/runtime/update_request.h"

#include "engine/base/grow.h"
#include "engine/runtime/load.h"
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

/* ---- changes that wait ---- */

/* No more wait than one for this many arcs: they then take the memory of the weights. */
enum { PENDING_PART = sizeof(mcd_pending_change) / sizeof(mcd_weight) };

/* Returns whether a version has a quantity, or is to have it. */
static bool is_read(const macadam_engine *engine, size_t quantity)
{
    for (size_t m = 0; m < engine->metadata->n_metric; ++m)
        if (engine->version[m] &&
            (mcd_engine_objective(engine, m) == quantity || mcd_engine_companion(engine, m) == quantity))
            return true;
    return engine->quantity[quantity];
}

/* Makes room, if the changes can wait. */
static macadam_status make_room(uint64_t *last_number, macadam_engine *engine,
                                const macadam_update_request *request, const size_t *quantity,
                                macadam_error *error)
{
    const size_t most = engine->metadata->arc_count / PENDING_PART;
    const uint64_t last = mcd_engine_last_number(engine);
    if (last == 0 || request->count > most) return MACADAM_OK;
    for (size_t q = 0; q < request->quantity_count; ++q)
        if (engine->has_potential[quantity[q]] || is_read(engine, quantity[q]) ||
            engine->pending[quantity[q]].count > most - request->count)
            return MACADAM_OK;
    for (size_t q = 0; q < request->quantity_count; ++q) {
        mcd_pending *const pending = &engine->pending[quantity[q]];
        MCD_TRY(MCD_GROW(pending->change, pending->capacity, pending->count + request->count, error));
    }
    *last_number = last;
    return MACADAM_OK;
}

macadam_status mcd_pending_begin(uint64_t *last_number, macadam_engine *engine,
                                 const macadam_update_request *request, const size_t *quantity,
                                 macadam_error *error)
{
    *last_number = 0;
    if (!request->arc || request->pattern || request->turn_count > 0 || engine->is_ready) return MACADAM_OK;
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    const macadam_status status = make_room(last_number, engine, request, quantity, error);
    if (*last_number == 0) pthread_mutex_unlock(&engine->lock);
    return status;
}

void mcd_pending_add(macadam_engine *engine, const macadam_update_request *request, const size_t *quantity,
                     size_t entry)
{
    for (size_t q = 0; q < request->quantity_count; ++q) {
        mcd_pending *const pending = &engine->pending[quantity[q]];
        pending->change[pending->count++] =
            (mcd_pending_change){request->arc[entry], request->value[q][entry]};
    }
}
