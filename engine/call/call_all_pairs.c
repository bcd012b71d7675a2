/* call_all_pairs.c - all-pairs requests: the engine's rows are serialized as they arrive; without a callback,
 * one tile holds all of them. */
#include "engine/call/call.h"

typedef struct all_pairs {
    mcd_call *call;
    size_t columns;
    macadam_status failed; /* why a tile was not delivered */
    macadam_error error;   /* and its message: the engine would overwrite the call's with its own */
} all_pairs;

static macadam_status send_tile(mcd_call *call, const macadam_tile *tile)
{
    mcd_columns columns;
    mcd_columns_borrow(&columns, call, tile->value, tile->rows * tile->columns);

    Macadam__V1__MatrixTile message = MACADAM__V1__MATRIX_TILE__INIT;
    message.row = tile->row;
    message.rows = tile->rows;
    message.columns = tile->columns;
    message.n_value = call->quantity_count;
    message.value = columns.list;
    Macadam__V1__Column next = MACADAM__V1__COLUMN__INIT;
    next.n_value = tile->rows * tile->columns;
    next.value = (uint32_t *)tile->next;
    if (tile->next) message.next = &next;
    return mcd_call_send_tile(call, &message.base);
}

static bool stream_tile(void *context, const macadam_tile *tile)
{
    all_pairs *all = context;
    all->failed = send_tile(all->call, tile);
    if (all->failed == MACADAM_OK) return true;
    all->error = *all->call->error;
    return false;
}

static macadam_status stream(all_pairs *all, const macadam_all_pairs_request *request)
{
    mcd_call *call = all->call;
    const macadam_status status =
        macadam_all_pairs(call->engine, &call->query, request, stream_tile, all, call->error);
    if (all->failed != MACADAM_OK) {
        *call->error = all->error;
        return all->failed;
    }
    MCD_TRY(status);
    return mcd_call_send_end(call);
}

static macadam_status send_whole(const all_pairs *all, const macadam_all_pairs_request *request)
{
    mcd_call *call = all->call;
    const size_t side = all->columns;
    uint32_t *value[MACADAM_QUANTITIES_MAX], *next = NULL;
    MCD_TRY(mcd_call_check_cells(call, side, request->next ? 2 * side : side));
    MCD_TRY(mcd_call_new_values(call, side * side, value));
    if (request->next) MCD_TRY(MCD_ARENA_NEW(&call->arena, next, side * side, call->error));
    MCD_TRY(macadam_all_pairs_into(call->engine, &call->query, request, value, next, call->error));
    macadam_tile tile = {.rows = side, .columns = side, .next = next};
    for (size_t q = 0; q < call->quantity_count; ++q) tile.value[q] = value[q];
    return send_tile(call, &tile);
}

macadam_status mcd_call_all_pairs(mcd_call *call, const Macadam__V1__AllPairsRequest *request)
{
    macadam_all_pairs_request own = MACADAM_ALL_PAIRS_REQUEST_INIT;
    macadam_info info = MACADAM_INFO_INIT;
    own.method = (macadam_tree_method)request->method;
    own.next = request->next;
    MCD_TRY(macadam_engine_info(call->engine, &info, call->error));
    all_pairs all = {.call = call, .columns = info.id_count};
    return call->part ? stream(&all, &own) : send_whole(&all, &own);
}
