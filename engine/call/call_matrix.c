/* call_matrix.c - matrix and all-pairs requests. The engine's tiles are serialized as they arrive; without a callback,
 * one tile is the matrix. */
#include "engine/call/call.h"

typedef struct matrix {
    mcd_call *call;
    macadam_matrix_request request;
    macadam_all_pairs_request all;
    size_t rows, columns;
    macadam_place_status *status;        /* the sources', then the targets'; NULL: all pairs */
    macadam_approximation approximation; /* if it is requested, as is: */
    macadam_matrix_plan plan;
    macadam_status failed; /* why a tile was not delivered */
    macadam_error error;   /* and its message: the engine would overwrite the call's with its own */
} matrix;

/* The statuses of a tile's rows or columns, of which `first` is the first; `side`: where those of its places begin. */
static macadam_status list_statuses(const matrix *m, size_t side, size_t first, size_t count, size_t times,
                                    const macadam_place_status **out)
{
    const uint64_t *const order = m->request.order;
    macadam_place_status *sorted;
    if (!order) return mcd_call_statuses(m->call, m->status + side, first, count, times, out);
    MCD_TRY(MCD_ARENA_NEW(&m->call->arena, sorted, count, m->call->error));
    for (size_t i = 0; i < count; ++i) sorted[i] = m->status[side + order[side + first + i]];
    *out = sorted;
    return MACADAM_OK;
}

static macadam_status send_tile(const matrix *m, const macadam_tile *tile)
{
    mcd_call *const call = m->call;
    const size_t cells = tile->rows * tile->columns;
    Macadam__V1__MatrixTile message = MACADAM__V1__MATRIX_TILE__INIT;
    MCD_TRY(MCD_CALL_FILL(call, tile, tile, 1, &message));
    MCD_BORROW(&message, value, mcd_call_columns(call, tile->value, cells), call->quantity_count);
    message.next = mcd_call_column(call, MACADAM_QUANTITIES_MAX, tile->next, cells);
    const macadam_place_status *status;
    const uint64_t *const order = m->request.order;
    const size_t sources = m->request.source_count;
    Macadam__V1__Approximation approximation = MACADAM__V1__APPROXIMATION__INIT;
    Macadam__V1__MatrixPlan plan = MACADAM__V1__MATRIX_PLAN__INIT;
    if (m->request.approximation) {
        MCD_TRY(MCD_CALL_FILL(call, approximation, &m->approximation, 1, &approximation));
        message.approximation = &approximation;
    }
    if (m->request.plan) {
        MCD_TRY(MCD_CALL_FILL(call, matrix_plan, &m->plan, 1, &plan));
        message.plan = &plan;
    }
    if (tile->fallback) message.fallback = (ProtobufCBinaryData){cells, (uint8_t *)tile->fallback};
    if (m->status && tile->column == 0) {
        MCD_TRY(list_statuses(m, 0, tile->row, tile->rows, mcd_call_departs(call), &status));
        MCD_BORROW(&message, source_status, status, tile->rows);
        if (order) MCD_BORROW(&message, source_order, order + tile->row, tile->rows);
    }
    if (m->status && tile->row == 0) {
        MCD_TRY(list_statuses(m, sources, tile->column, tile->columns, mcd_call_arrives(call), &status));
        MCD_BORROW(&message, target_status, status, tile->columns);
        if (order) MCD_BORROW(&message, target_order, order + sources + tile->column, tile->columns);
    }
    return mcd_call_send_tile(call, &message.base);
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
        m->status ? macadam_matrix_find(m->status, call->engine, &call->query, &m->request, take_tile, m,
                                        call->error)
                  : macadam_all_pairs_find(call->engine, &call->query, &m->all, take_tile, m, call->error);
    if (m->failed == MACADAM_OK) return status == MACADAM_OK ? mcd_call_send_end(call) : status;
    *call->error = m->error;
    return m->failed;
}

static macadam_status send_whole(matrix *m)
{
    mcd_call *call = m->call;
    uint32_t *value[MACADAM_QUANTITIES_MAX], *next = NULL;
    const size_t cells = m->rows * m->columns;
    MCD_TRY(mcd_call_check_cells(call, m->rows, m->all.next ? 2 * m->columns : m->columns));
    MCD_TRY(mcd_call_new_values(call, cells, value));
    if (m->all.next) MCD_TRY(MCD_ARENA_NEW(&call->arena, next, cells, call->error));
    if (m->request.fallback_speed_ms > 0)
        MCD_TRY(MCD_ARENA_NEW(&call->arena, m->request.fallback, cells, call->error));
    MCD_TRY(
        m->status
            ? macadam_matrix_find_into(value, m->status, call->engine, &call->query, &m->request, call->error)
            : macadam_all_pairs_find_into(value, next, call->engine, &call->query, &m->all, call->error));
    macadam_tile tile = {
        .rows = m->rows, .columns = m->columns, .next = next, .fallback = m->request.fallback};
    for (size_t q = 0; q < call->quantity_count; ++q) tile.value[q] = value[q];
    return send_tile(m, &tile);
}

macadam_status mcd_call_matrix(mcd_call *call, const Macadam__V1__MatrixRequest *request)
{
    matrix m = {.call = call};
    MCD_TRY(MCD_CALL_DECODE(call, "matrix", matrix_request, request, &m.request));
    if (request->approximate) m.request.approximation = &m.approximation;
    if (request->explain) m.request.plan = &m.plan;
    const size_t places = m.request.source_count + m.request.target_count;
    if (request->engine_order) MCD_TRY(MCD_ARENA_NEW(&call->arena, m.request.order, places, call->error));
    m.rows = m.request.source_count * mcd_call_departs(call);
    m.columns = m.request.target_count * mcd_call_arrives(call);
    MCD_TRY(MCD_ARENA_NEW(&call->arena, m.status, places, call->error));
    return call->part ? stream(&m) : send_whole(&m);
}

macadam_status mcd_call_all_pairs(mcd_call *call, const Macadam__V1__AllPairsRequest *request)
{
    matrix m = {.call = call};
    MCD_TRY(MCD_CALL_DECODE(call, "all_pairs", all_pairs_request, request, &m.all));
    MCD_TRY(mcd_call_count_ids(call, &m.rows));
    m.columns = m.rows;
    return call->part ? stream(&m) : send_whole(&m);
}
