/* call_reach.c - reach, hops and closure requests: what is reached, in one reply. */
#include "engine/call/call.h"

typedef struct reach {
    mcd_call *call;
    macadam_reach_request request;
    macadam_reach answer;
    macadam_place_status *status; /* the sources', the targets' and the opportunities' */
} reach;

/* ---- reach ---- */

/* The amounts become columns, of which each has one per opportunity. */
static macadam_status decode_amounts(reach *r, const Macadam__V1__ReachRequest *request)
{
    const size_t opportunities = r->request.opportunity_count, given = request->n_amount;
    const Macadam__V1__Decay *const decay = request->decay;
    r->request.amount_count = opportunities ? given / opportunities : 0;
    if (r->request.amount_count * opportunities != given)
        return mcd_fail_invalid(r->call->error, "reach.amount has %zu numbers for %zu opportunities", given,
                                opportunities);
    if (decay && decay->n_cost != decay->n_weight)
        return mcd_fail_invalid(r->call->error, "reach.decay has %zu cost but %zu weight", decay->n_cost,
                                decay->n_weight);
    return MACADAM_OK;
}

static macadam_status decode(reach *r, const Macadam__V1__ReachRequest *request)
{
    const Macadam__V1__Column *const value = request->value;
    size_t id_count;
    MCD_TRY(MCD_CALL_DECODE(r->call, "reach", reach_request, request, &r->request));
    MCD_TRY(mcd_call_count_ids(r->call, &id_count));
    if (value && value->n_value != id_count)
        return mcd_fail_invalid(r->call->error, "reach.value has %zu values for %zu ids", value->n_value,
                                id_count);
    r->request.value = value ? value->value : NULL;
    return decode_amounts(r, request);
}

/* Allocates nothing for limits or ranks that the engine refuses. Asks for all that the request is about, so that the
 * engine refuses it if a part is missing. */
static macadam_status new_answer(reach *r)
{
    const macadam_reach_request *request = &r->request;
    const bool has_access = request->opportunity_count || request->percentile_count || request->decay;
    const size_t sources = request->source_count;
    const size_t cells = sources * mcd_size_min(request->limit_count, MACADAM_REACH_LIMITS_MAX);
    const size_t near = sources * mcd_size_min(request->nearest_count, MACADAM_REACH_NEAREST_MAX);
    const size_t sums = sources * mcd_size_min(request->amount_count, MACADAM_REACH_AMOUNTS_MAX);
    const size_t percentiles = sums * mcd_size_min(request->percentile_count, MACADAM_REACH_PERCENTILES_MAX);
    mcd_arena *arena = &r->call->arena;
    macadam_error *error = r->call->error;
    MCD_TRY(mcd_call_check_cells(r->call, cells + near + 4 * sums + percentiles, 1));
    MCD_TRY(
        MCD_ARENA_NEW(arena, r->status, sources + request->target_count + request->opportunity_count, error));
    if (has_access) {
        MCD_TRY(MCD_ARENA_NEW(arena, r->answer.access, sums, error));
        MCD_TRY(MCD_ARENA_NEW(arena, r->answer.mean_cost, sums, error));
    }
    if (percentiles) MCD_TRY(MCD_ARENA_NEW(arena, r->answer.percentile_cost, percentiles, error));
    if (cells || !has_access) { /* trees would take much longer than accessibility */
        MCD_TRY(MCD_ARENA_NEW(arena, r->answer.reached, sources, error));
        MCD_TRY(MCD_ARENA_NEW(arena, r->answer.eccentricity, sources, error));
        MCD_TRY(MCD_ARENA_NEW(arena, r->answer.cost_sum, sources, error));
    }
    if (cells) MCD_TRY(MCD_ARENA_NEW(arena, r->answer.node_count, cells, error));
    if (request->value) MCD_TRY(MCD_ARENA_NEW(arena, r->answer.value_sum, cells, error));
    if (!request->nearest_count && !request->target_count) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(arena, r->answer.nearest_found, sources, error));
    MCD_TRY(MCD_ARENA_NEW(arena, r->answer.nearest_position, near, error));
    return MCD_ARENA_NEW(arena, r->answer.nearest_cost, near, error);
}

/* Moves the results of all sources together, without gaps; returns how many there are. */
static size_t pack_nearest(const reach *r)
{
    const macadam_reach *answer = &r->answer;
    size_t packed = 0;
    for (size_t s = 0; answer->nearest_found && s < r->request.source_count; ++s)
        for (size_t rank = 0; rank < answer->nearest_found[s]; ++rank, ++packed) {
            const size_t from = s * r->request.nearest_count + rank;
            answer->nearest_position[packed] = answer->nearest_position[from];
            answer->nearest_cost[packed] = answer->nearest_cost[from];
        }
    return packed;
}

static macadam_status send_reach(const reach *r)
{
    const macadam_reach *answer = &r->answer;
    const size_t sources = r->request.source_count, cells = sources * r->request.limit_count;
    const size_t nearest = pack_nearest(r), targets = r->request.target_count,
                 sums = sources * r->request.amount_count;
    Macadam__V1__ReachReply message = MACADAM__V1__REACH_REPLY__INIT;
    MCD_BORROW(&message, node_count, answer->node_count, cells);
    MCD_BORROW(&message, value_sum, answer->value_sum, cells);
    MCD_BORROW(&message, reached, answer->reached, sources);
    MCD_BORROW(&message, eccentricity, answer->eccentricity, sources);
    MCD_BORROW(&message, cost_sum, answer->cost_sum, sources);
    MCD_BORROW(&message, nearest_found, answer->nearest_found, sources);
    MCD_BORROW(&message, nearest_position, answer->nearest_position, nearest);
    MCD_BORROW(&message, nearest_cost, answer->nearest_cost, nearest);
    MCD_BORROW(&message, source_status, r->status, sources);
    MCD_BORROW(&message, target_status, r->status + sources, targets);
    MCD_BORROW(&message, opportunity_status, r->status + sources + targets, r->request.opportunity_count);
    MCD_BORROW(&message, access, answer->access, sums);
    MCD_BORROW(&message, mean_cost, answer->mean_cost, sums);
    MCD_BORROW(&message, percentile_cost, answer->percentile_cost, sums * r->request.percentile_count);
    return mcd_call_send(r->call, &message.base);
}

macadam_status mcd_call_reach(mcd_call *call, const Macadam__V1__ReachRequest *request)
{
    reach r = {.call = call, .answer = MACADAM_REACH_INIT};
    MCD_TRY(decode(&r, request));
    MCD_TRY(new_answer(&r));
    MCD_TRY(macadam_reach_find(&r.answer, r.status, call->engine, &call->query, &r.request, call->error));
    return send_reach(&r);
}

/* ---- hops ---- */

macadam_status mcd_call_hops(mcd_call *call, const Macadam__V1__HopsRequest *request)
{
    macadam_hops_request own;
    macadam_place_status *status;
    uint32_t *hops, *parent = NULL;
    size_t id_count;
    MCD_TRY(MCD_CALL_DECODE(call, "hops", hops_request, request, &own));
    MCD_TRY(mcd_call_count_ids(call, &id_count));
    const size_t cells = own.source_count * id_count;
    MCD_TRY(mcd_call_check_cells(call, own.source_count, id_count * (request->parents ? 2 : 1)));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, status, own.source_count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, hops, cells, call->error));
    if (request->parents) MCD_TRY(MCD_ARENA_NEW(&call->arena, parent, cells, call->error));
    MCD_TRY(macadam_hops_find(hops, parent, status, call->engine, &call->query, &own, call->error));

    Macadam__V1__HopsReply message = MACADAM__V1__HOPS_REPLY__INIT;
    message.hops = mcd_call_column(call, 0, hops, cells);
    message.parent = mcd_call_column(call, 1, parent, cells);
    MCD_BORROW(&message, source_status, status, own.source_count);
    return mcd_call_send(call, &message.base);
}

/* ---- closure ---- */

macadam_status mcd_call_closure(mcd_call *call, const Macadam__V1__ClosureRequest *request)
{
    (void)request; /* it has no fields */
    macadam_closure_request own = MACADAM_CLOSURE_REQUEST_INIT;
    Macadam__V1__ClosureReply message = MACADAM__V1__CLOSURE_REPLY__INIT;
    size_t id_count;
    own.memory_limit = call->query.memory_limit;
    MCD_TRY(mcd_call_count_ids(call, &id_count));
    const size_t row_bytes = (id_count + 7) / 8;
    MCD_TRY(mcd_call_check_cells(call, id_count, (row_bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t)));
    message.ids = id_count;
    message.bits.len = id_count * row_bytes;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, message.bits.data, message.bits.len, call->error));
    MCD_TRY(macadam_closure_find(message.bits.data, call->engine, &own, call->error));
    return mcd_call_send(call, &message.base);
}
