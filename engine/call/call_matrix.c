/* call_matrix.c - matrix and all-pairs requests. The engine's tiles are serialized as they arrive; without a callback,
 * one tile is the matrix. */
#include "engine/call/columns.h"

typedef struct matrix {
    mcd_call *call;
    macadam_matrix_request request;
    macadam_all_pairs_request all;
    size_t rows, columns;
    macadam_place_status *status; /* the sources', then the targets'; NULL: all pairs */
    macadam_status failed;        /* why a tile was not delivered */
    macadam_error error;          /* and its message: the engine would overwrite the call's with its own */
} matrix;

static macadam_status send_tile(const matrix *m, const macadam_tile *tile)
{
    mcd_columns columns;
    const size_t cells = tile->rows * tile->columns;
    mcd_columns_borrow(&columns, m->call, tile->value, cells);

    Macadam__V1__MatrixTile message = MACADAM__V1__MATRIX_TILE__INIT;
    MCD_TRY(MCD_CALL_FILL(m->call, mcd_of_tile, tile, 1, &message));
    message.n_value = m->call->quantity_count;
    message.value = columns.list;
    if (m->status && tile->column == 0) {
        message.n_source_status = tile->rows;
        message.source_status = mcd_place_statuses(m->status + tile->row);
    }
    if (m->status && tile->row == 0) {
        message.n_target_status = tile->columns;
        message.target_status = mcd_place_statuses(m->status + m->rows + tile->column);
    }
    Macadam__V1__Column next = mcd_column(tile->next, cells);
    if (tile->next) message.next = &next;
    return mcd_call_send_tile(m->call, &message.base);
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    matrix *m = context;
    m->failed = send_tile(m, tile);
    if (m->failed == MACADAM_OK) return true;
    m->error = *m->call->error;
    return false;
}

static macadam_status stream(matrix *m)
{
    mcd_call *call = m->call;
    const macadam_status status =
        m->status
            ? macadam_matrix(call->engine, &call->query, &m->request, m->status, take_tile, m, call->error)
            : macadam_all_pairs(call->engine, &call->query, &m->all, take_tile, m, call->error);
    if (m->failed == MACADAM_OK) return status == MACADAM_OK ? mcd_call_send_end(call) : status;
    *call->error = m->error;
    return m->failed;
}

static macadam_status send_whole(const matrix *m)
{
    mcd_call *call = m->call;
    uint32_t *value[MACADAM_QUANTITIES_MAX], *next = NULL;
    const size_t cells = m->rows * m->columns;
    MCD_TRY(mcd_call_check_cells(call, m->rows, m->all.next ? 2 * m->columns : m->columns));
    MCD_TRY(mcd_call_new_values(call, cells, value));
    if (m->all.next) MCD_TRY(MCD_ARENA_NEW(&call->arena, next, cells, call->error));
    MCD_TRY(m->status
                ? macadam_matrix_into(call->engine, &call->query, &m->request, value, m->status, call->error)
                : macadam_all_pairs_into(call->engine, &call->query, &m->all, value, next, call->error));
    macadam_tile tile = {.rows = m->rows, .columns = m->columns, .next = next};
    for (size_t q = 0; q < call->quantity_count; ++q) tile.value[q] = value[q];
    return send_tile(m, &tile);
}

macadam_status mcd_call_matrix(mcd_call *call, const Macadam__V1__MatrixRequest *request)
{
    matrix m = {.call = call, .request = MACADAM_MATRIX_REQUEST_INIT};
    MCD_TRY(mcd_call_decode_places(call, "matrix.source", request->source, &m.request.source, &m.rows));
    MCD_TRY(mcd_call_decode_places(call, "matrix.target", request->target, &m.request.target, &m.columns));
    m.request.source_count = m.rows;
    m.request.target_count = m.columns;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, m.status, m.rows + m.columns, call->error));
    return call->part ? stream(&m) : send_whole(&m);
}

macadam_status mcd_call_all_pairs(mcd_call *call, const Macadam__V1__AllPairsRequest *request)
{
    matrix m = {.call = call, .all = MACADAM_ALL_PAIRS_REQUEST_INIT};
    macadam_info info = MACADAM_INFO_INIT;
    m.all.method = (macadam_tree_method)request->method;
    m.all.next = request->next;
    MCD_TRY(macadam_engine_info(call->engine, &info, call->error));
    m.rows = m.columns = info.id_count;
    return call->part ? stream(&m) : send_whole(&m);
}
