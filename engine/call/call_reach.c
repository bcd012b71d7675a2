/* call_reach.c - reach requests: every answer that the request's fields allow, in one reply. */
#include "engine/call/call.h"

typedef struct reach {
    mcd_call *call;
    macadam_reach_request request;
    macadam_reach answer;
    macadam_place_status *status; /* the sources', then the targets' */
} reach;

/* Checks that there are as many values as ids, or none. */
static macadam_status decode_values(reach *r, const Macadam__V1__Column *value)
{
    macadam_info info = MACADAM_INFO_INIT;
    MCD_TRY(macadam_engine_info(r->call->engine, &info, r->call->error));
    if (value && value->n_value != info.id_count)
        return mcd_fail(r->call->error, MACADAM_E_INVALID, "reach.value has %zu values for %llu ids",
                        value->n_value, (unsigned long long)info.id_count);
    r->request.value = value ? value->value : NULL;
    return MACADAM_OK;
}

static macadam_status decode(reach *r, const Macadam__V1__ReachRequest *request)
{
    mcd_call *call = r->call;
    MCD_TRY(mcd_call_decode_places(call, "reach.source", request->source, &r->request.source,
                                   &r->request.source_count));
    MCD_TRY(mcd_call_decode_places(call, "reach.target", request->target, &r->request.target,
                                   &r->request.target_count));
    MCD_TRY(decode_values(r, request->value));
    r->request.reverse = request->reverse;
    r->request.limit = request->limit;
    r->request.limit_count = request->n_limit;
    r->request.nearest_count = request->nearest;
    return MACADAM_OK;
}

/* Allocates nothing for limits or ranks that the engine refuses. */
static macadam_status new_answer(reach *r)
{
    const macadam_reach_request *request = &r->request;
    const size_t sources = request->source_count;
    const size_t cells = sources * mcd_size_min(request->limit_count, MACADAM_REACH_LIMITS_MAX);
    const size_t near = sources * mcd_size_min(request->nearest_count, MACADAM_REACH_NEAREST_MAX);
    mcd_arena *arena = &r->call->arena;
    macadam_error *error = r->call->error;
    MCD_TRY(mcd_call_check_cells(r->call, cells + near, 1));
    MCD_TRY(MCD_ARENA_NEW(arena, r->status, sources + request->target_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, r->answer.reached, sources, error));
    MCD_TRY(MCD_ARENA_NEW(arena, r->answer.eccentricity, sources, error));
    MCD_TRY(MCD_ARENA_NEW(arena, r->answer.cost_sum, sources, error));
    if (cells) MCD_TRY(MCD_ARENA_NEW(arena, r->answer.node_count, cells, error));
    if (cells && request->value) MCD_TRY(MCD_ARENA_NEW(arena, r->answer.value_sum, cells, error));
    if (!near) return MACADAM_OK;
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
    Macadam__V1__ReachReply message = MACADAM__V1__REACH_REPLY__INIT;
    message.n_node_count = answer->node_count ? cells : 0;
    message.node_count = answer->node_count;
    message.n_value_sum = answer->value_sum ? cells : 0;
    message.value_sum = answer->value_sum;
    message.n_reached = message.n_eccentricity = message.n_cost_sum = sources;
    message.reached = answer->reached;
    message.eccentricity = answer->eccentricity;
    message.cost_sum = answer->cost_sum;
    message.n_nearest_found = answer->nearest_found ? sources : 0;
    message.nearest_found = answer->nearest_found;
    message.n_nearest_position = message.n_nearest_cost = pack_nearest(r);
    message.nearest_position = answer->nearest_position;
    message.nearest_cost = answer->nearest_cost;
    message.n_source_status = sources;
    message.source_status = mcd_place_statuses(r->status);
    message.n_target_status = r->request.target_count;
    message.target_status = mcd_place_statuses(r->status + sources);
    return mcd_call_send(r->call, &message.base);
}

macadam_status mcd_call_reach(mcd_call *call, const Macadam__V1__ReachRequest *request)
{
    reach r = {.call = call, .request = MACADAM_REACH_REQUEST_INIT, .answer = MACADAM_REACH_INIT};
    MCD_TRY(decode(&r, request));
    MCD_TRY(new_answer(&r));
    MCD_TRY(macadam_reach_find(call->engine, &call->query, &r.request, &r.answer, r.status, call->error));
    return send_reach(&r);
}
