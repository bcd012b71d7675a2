/* call_tree.c - tree requests. A batch of sources is swept into one buffer, and sent in tiles of some
 * rows. */
#include "engine/call/call.h"
#include "engine/runtime/engine.h"

#include <inttypes.h>

enum {
    BATCH_BYTES = 1 << 30, /* a batch's costs, if there is no limit: as many lanes as fit */
    TILE_BYTES = 1 << 24,  /* one tile's costs: long enough to make the callback's cost vanish */
    LANES = 16,            /* a batch of fewer sources wastes vector lanes: macadam.h, MACADAM_ORDER_LANES */
};

typedef struct tree {
    mcd_call *call;
    macadam_tree_request request; /* holds all sources */
    size_t columns;
    size_t times;                            /* of each source, one row each */
    size_t batch_rows;                       /* sources */
    uint64_t limit;                          /* of memory, of which a batch is a part; 0: none */
    uint32_t *value[MACADAM_QUANTITIES_MAX]; /* [batch_rows * times * columns] */
    bool parents;                            /* whether parents are requested */
    uint32_t *parent;                        /* likewise, if they are */
    macadam_place_status *status;            /* [batch_rows] */
} tree;

/* Returns how many bytes one source needs. */
static uint64_t row_bytes_of(const tree *t)
{
    return (uint64_t)mcd_size_max(t->columns, 1) * t->times * sizeof(uint32_t) *
           (t->call->quantity_count + t->parents);
}

/* Half of the memory limit of the request, or of all calls, is for the batch's costs; the rest is for the engine. */
static macadam_status choose_batch(tree *t)
{
    mcd_call *call = t->call;
    const uint64_t row_bytes = row_bytes_of(t);
    const uint64_t own = call->query.memory_limit, engines = call->engine->memory_limit;
    const uint64_t limit = own && engines ? mcd_size_min(own, engines) : own + engines;
    uint64_t rows = (limit ? limit / 2 : BATCH_BYTES) / row_bytes;
    if (!rows && limit)
        return mcd_fail(call->error, MACADAM_E_LIMIT,
                        "a tree of one source needs %" PRIu64 " bytes of memory, the limit is %" PRIu64,
                        2 * row_bytes, limit);
    if (rows > LANES) rows -= rows % LANES;
    if (rows < LANES && !limit) rows = LANES;
    t->batch_rows = rows < t->request.source_count ? (size_t)rows : t->request.source_count;
    t->limit = limit;
    if (limit) call->query.memory_limit = limit - t->batch_rows * row_bytes;
    return MACADAM_OK;
}

static macadam_status new_batch(tree *t)
{
    MCD_TRY(MCD_ARENA_NEW(&t->call->arena, t->status, t->batch_rows, t->call->error));
    if (t->parents)
        MCD_TRY(
            MCD_ARENA_NEW(&t->call->arena, t->parent, t->batch_rows * t->times * t->columns, t->call->error));
    return mcd_call_new_values(t->call, t->batch_rows * t->times * t->columns, t->value);
}

static macadam_status compute(const tree *t, size_t row, size_t rows)
{
    macadam_tree_request request = t->request;
    request.source += row;
    request.source_count = rows;
    macadam_query query = t->call->query;
    macadam_clock clock = query.clock ? *query.clock : (macadam_clock)MACADAM_CLOCK_INIT;
    if (clock.each && rows < t->request.source_count) { /* the instants of these sources */
        query.clock = &clock;
        if (clock.depart_count) clock.depart += row, clock.depart_count = rows;
        if (clock.arrive_count) clock.arrive_by += row, clock.arrive_count = rows;
    }
    if (t->parents)
        return macadam_tree_find_parents(t->value, t->parent, t->status, t->call->engine, &query, &request,
                                         t->call->error);
    return macadam_tree_find(t->value, t->status, t->call->engine, &query, &request, t->call->error);
}

/* The engine knows nothing of the batch, which is a part of what the call may hold. */
static macadam_status add_batch(const tree *t, macadam_status status)
{
    const macadam_error engines = *t->call->error;
    if (status != MACADAM_E_LIMIT || !t->limit) return status;
    return mcd_fail(t->call->error, status, "%s; the costs of a batch hold %" PRIu64 " of %" PRIu64,
                    engines.message, t->limit - t->call->query.memory_limit, t->limit);
}

/* Sends the rows of `rows` sources of the batch from its source `first` on; `row`: the batch's first source in the
 * request. */
static macadam_status send_tile(const tree *t, size_t row, size_t first, size_t rows)
{
    const uint32_t *value[MACADAM_QUANTITIES_MAX];
    const macadam_place_status *status;
    const size_t begin = first * t->times * t->columns, cells = rows * t->times * t->columns;
    for (size_t q = 0; q < t->call->quantity_count; ++q) value[q] = t->value[q] + begin;
    Macadam__V1__TreeTile tile = MACADAM__V1__TREE_TILE__INIT;
    tile.row = (row + first) * t->times;
    tile.rows = rows * t->times;
    tile.columns = t->columns;
    MCD_TRY(mcd_call_statuses(t->call, t->status, first * t->times, rows * t->times, t->times, &status));
    MCD_BORROW(&tile, value, mcd_call_columns(t->call, value, cells), t->call->quantity_count);
    MCD_BORROW(&tile, source_status, status, rows * t->times);
    if (t->parents) tile.parent = mcd_call_column(t->call, MACADAM_QUANTITIES_MAX, t->parent + begin, cells);
    return mcd_call_send_tile(t->call, &tile.base);
}

static macadam_status stream(tree *t)
{
    MCD_TRY(choose_batch(t));
    MCD_TRY(new_batch(t));
    const size_t tile_rows = mcd_size_max(TILE_BYTES / row_bytes_of(t), 1);
    size_t row = 0;
    do { /* runs once even without sources, so that the engine reports the error */
        const size_t rows = mcd_size_min(t->batch_rows, t->request.source_count - row);
        MCD_TRY(add_batch(t, compute(t, row, rows)));
        for (size_t first = 0; first < rows; first += tile_rows)
            MCD_TRY(send_tile(t, row, first, mcd_size_min(tile_rows, rows - first)));
        row += rows;
    } while (row < t->request.source_count);
    return mcd_call_send_end(t->call);
}

static macadam_status send_whole(tree *t)
{
    MCD_TRY(
        mcd_call_check_cells(t->call, t->request.source_count * t->times, t->columns * (t->parents ? 2 : 1)));
    t->batch_rows = t->request.source_count;
    MCD_TRY(new_batch(t));
    MCD_TRY(compute(t, 0, t->batch_rows));
    return send_tile(t, 0, 0, t->batch_rows);
}

macadam_status mcd_call_tree(mcd_call *call, const Macadam__V1__TreeRequest *request)
{
    tree t = {.call = call, .parents = request->parents};
    MCD_TRY(MCD_CALL_DECODE(call, "tree", tree_request, request, &t.request));
    MCD_TRY(mcd_call_count_order(call, t.request.order, &t.columns));
    t.times = mcd_call_departs(call) * mcd_call_arrives(call);
    const macadam_clock *const clock = call->query.clock;
    if (clock && clock->each && clock->depart_count + clock->arrive_count != t.request.source_count)
        return mcd_fail_invalid(call->error,
                                "query.clock has %zu instants for %zu sources: each must have one",
                                clock->depart_count + clock->arrive_count, t.request.source_count);
    return call->part ? stream(&t) : send_whole(&t);
}
