/* call_routes.c - routes requests: the costs of many pairs and, if requested, their paths one after
 * another. */
#include "engine/base/grow.h"
#include "engine/call/call.h"

typedef struct paths {
    uint64_t *length; /* per pair */
    uint64_t *arc;
    size_t arc_count, capacity;
    macadam_status failed; /* why a path was not kept */
    macadam_error error;   /* and its message: the engine would overwrite the call's with its own */
} paths;

static macadam_status reserve_arcs(paths *p, size_t more)
{
    if (more > MCD_REPLY_BYTES_MAX - p->arc_count) /* an arc takes at least a byte */
        return mcd_fail(&p->error, MACADAM_E_LIMIT,
                        "the paths have more arcs than one Reply can hold: split the request");
    return MCD_GROW(p->arc, p->capacity, p->arc_count + more, &p->error);
}

static bool take_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    paths *p = context;
    p->failed = reserve_arcs(p, arc_count);
    if (p->failed != MACADAM_OK) return false;
    if (arc_count) memcpy(p->arc + p->arc_count, arc, arc_count * sizeof *arc);
    p->arc_count += arc_count;
    p->length[pair] = arc_count;
    return true;
}

static macadam_status find_paths(mcd_call *call, const macadam_routes_request *request, size_t times,
                                 uint32_t *const *value, macadam_place_status *status, paths *p)
{
    MCD_TRY(MCD_ARENA_NEW(&call->arena, p->length, request->pair_count * times, call->error));
    const macadam_status found = macadam_routes_find_paths(value, status, call->engine, &call->query, request,
                                                           take_path, p, call->error);
    if (p->failed == MACADAM_OK) return found;
    *call->error = p->error;
    return p->failed;
}

/* Each pair has `times` entries. */
static macadam_status send_routes(mcd_call *call, size_t pair_count, size_t times, uint32_t *const *value,
                                  const macadam_place_status *place_status, const paths *p)
{
    const size_t count = pair_count * times;
    const macadam_place_status *source, *target;
    MCD_TRY(mcd_call_statuses(call, place_status, 0, count, times, &source));
    MCD_TRY(mcd_call_statuses(call, place_status + pair_count, 0, count, times, &target));
    Macadam__V1__RoutesReply routes = MACADAM__V1__ROUTES_REPLY__INIT;
    MCD_BORROW(&routes, value, mcd_call_columns(call, (const uint32_t *const *)value, count),
               call->quantity_count);
    MCD_BORROW(&routes, source_status, source, count);
    MCD_BORROW(&routes, target_status, target, count);
    MCD_BORROW(&routes, path_arcs, p->length, count);
    MCD_BORROW(&routes, arc, p->arc, p->arc_count);
    return mcd_call_send(call, &routes.base);
}

static size_t count_places(const Macadam__V1__Places *places)
{
    return places ? places->n_node + places->n_lon : 0;
}

macadam_status mcd_call_routes(mcd_call *call, const Macadam__V1__RoutesRequest *request)
{
    macadam_routes_request typed;
    MCD_TRY(MCD_CALL_DECODE(call, "routes", routes_request, request, &typed));
    if (count_places(request->source) != count_places(request->target))
        return mcd_fail_invalid(call->error, "routes has %zu sources but %zu targets",
                                count_places(request->source), count_places(request->target));
    const size_t times = mcd_call_departs(call) * mcd_call_arrives(call);
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    MCD_TRY(mcd_call_check_cells(call, typed.pair_count, times));
    MCD_TRY(mcd_call_new_values(call, typed.pair_count * times, value));
    macadam_place_status *place_status;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, place_status, 2 * typed.pair_count, call->error));

    paths p = {0};
    macadam_status status = request->paths ? find_paths(call, &typed, times, value, place_status, &p)
                                           : macadam_routes_find(value, place_status, call->engine,
                                                                 &call->query, &typed, call->error);
    if (status == MACADAM_OK) status = send_routes(call, typed.pair_count, times, value, place_status, &p);
    mcd_free(p.arc);
    return status;
}
