/* call_matrix.c - matrix requests. The engine's tiles are serialized as they arrive; without a callback, one
 * tile is the matrix. */
#include "engine/call/call.h"

typedef struct matrix {
    mcd_call *call;
    macadam_matrix_request request;
    macadam_place_status *status; /* the sources', then the targets' */
    macadam_status failed;        /* why a tile was not delivered */
    macadam_error error;          /* and its message: the engine would overwrite the call's with its own */
} matrix;

static macadam_status send_tile(const matrix *m, const macadam_tile *tile)
{
    mcd_columns columns;
    mcd_columns_borrow(&columns, m->call, tile->value, tile->rows * tile->columns);

    Macadam__V1__MatrixTile message = MACADAM__V1__MATRIX_TILE__INIT;
    message.row = tile->row;
    message.rows = tile->rows;
    message.column = tile->column;
    message.columns = tile->columns;
    message.n_value = m->call->quantity_count;
    message.value = columns.list;
    if (tile->column == 0) {
        message.n_source_status = tile->rows;
        message.source_status = mcd_place_statuses(m->status + tile->row);
    }
    if (tile->row == 0) {
        message.n_target_status = tile->columns;
        message.target_status = mcd_place_statuses(m->status + m->request.source_count + tile->column);
    }
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
        macadam_matrix(call->engine, &call->query, &m->request, m->status, take_tile, m, call->error);
    if (m->failed != MACADAM_OK) {
        *call->error = m->error;
        return m->failed;
    }
    MCD_TRY(status);
    return mcd_call_send_end(call);
}

static macadam_status send_whole(matrix *m)
{
    mcd_call *call = m->call;
    const size_t rows = m->request.source_count, columns = m->request.target_count;
    MCD_TRY(mcd_call_check_cells(call, rows, columns));
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    MCD_TRY(mcd_call_new_values(call, rows * columns, value));
    MCD_TRY(macadam_matrix_into(call->engine, &call->query, &m->request, value, m->status, call->error));
    macadam_tile tile = {.rows = rows, .columns = columns};
    for (size_t q = 0; q < call->quantity_count; ++q) tile.value[q] = value[q];
    return send_tile(m, &tile);
}

macadam_status mcd_call_matrix(mcd_call *call, const Macadam__V1__MatrixRequest *request)
{
    matrix m = {.call = call, .request = MACADAM_MATRIX_REQUEST_INIT};
    MCD_TRY(mcd_call_decode_places(call, "matrix.source", request->source, &m.request.source,
                                   &m.request.source_count));
    MCD_TRY(mcd_call_decode_places(call, "matrix.target", request->target, &m.request.target,
                                   &m.request.target_count));
    MCD_TRY(
        MCD_ARENA_NEW(&call->arena, m.status, m.request.source_count + m.request.target_count, call->error));
    return call->part ? stream(&m) : send_whole(&m);
}
