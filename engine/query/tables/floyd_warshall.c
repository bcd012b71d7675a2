/* floyd_warshall.c - all pairs by Floyd-Warshall: fills a matrix from the input arcs, closes it, and delivers
 * rows in the order of the ids.
 *
 * If every node belongs to one id, the matrix is in the order of the ids and lies where the answer will be:
 * in the caller's memory or a mapped file. If junctions are split, the matrix is over the file's nodes, in
 * scratch, and the answer's rows and columns are gathered from it. */
#include "engine/query/tables/all_pairs.h"

enum {
    ROWS_PER_TASK = 16,
    NODES_MAX = 1 << 28, /* bytes of two matrices fit 64 bits */
    PIVOTS = 512,        /* in the processor's panels at their largest */
    PIVOTS_LEAST = 64,
    NODES_ROUNDED = 32,
    TILE_CELLS = 1 << 24,
};

typedef struct dense_run {
    mcd_all_pairs *pairs;
    const mcd_graph *graph;
    const mcd_place_index *places;
    const mcd_weight *weight; /* of the arcs */
    bool split;               /* whether the matrix is over the file's nodes; otherwise it is over the ids */
    mcd_node *position;       /* [node_count]: a node's row and column; NULL: its number */
    uint32_t *hop;            /* [worker * node_count]: next hops of the row that a worker converts */
    mcd_dense_job job;
    uint32_t *scratch; /* in the host's memory; NULL: the query's block is used */
    uint32_t *tile;    /* gathered rows; NULL: no rows are gathered */
} dense_run;

/* ---- the matrix of the arcs ---- */

static void fill_row(const dense_run *run, size_t row)
{
    const mcd_node x = run->split ? (mcd_node)row : run->places->depart[row];
    uint32_t *const cost = run->job.cost + row * run->job.stride;
    for (size_t y = 0; y < run->job.node_count; ++y) cost[y] = MCD_UNREACHED;
    for (mcd_arc xy = run->graph->first_out[x]; xy < run->graph->first_out[x + 1]; ++xy) {
        const mcd_node y = run->graph->head[xy];
        uint32_t *const cell = &cost[run->position ? run->position[y] : y];
        if (run->weight[xy] < *cell) *cell = run->weight[xy]; /* a closed arc never lowers a cell */
    }
    cost[row] = 0;
}

static void fill_rows(void *argument, size_t first, size_t end)
{
    for (size_t row = first; row < end; ++row) fill_row(argument, row);
}

/* ---- whether 16 bits are enough ---- */

/* Finds the largest cost from (or to) the first node; any other node would do as well. Unreached beyond 16
 * bits. */
static macadam_status find_eccentricity(const dense_run *run, mcd_direction direction, uint32_t *out,
                                        macadam_error *error)
{
    const mcd_query *query = run->pairs->query;
    const mcd_backend *host = query->engine->host;
    const size_t nodes = run->job.node_count;
    const mcd_lane first = mcd_lane_of(0);
    MCD_OWNED uint32_t *cost = NULL;
    MCD_OWNED char *scratch = NULL;
    MCD_TRY(MCD_NEW(cost, nodes, error));
    mcd_sssp_job job = {.arcs = query->arcs,
                        .direction = direction,
                        .method = MCD_TREE_DIJKSTRA,
                        .lane = &first,
                        .lane_count = 1,
                        .limit = MCD_NARROW_UNREACHED - 1,
                        .column_count = nodes,
                        .lane_stride = nodes,
                        .column_stride = 1,
                        .objective = cost,
                        .parallel = run->job.parallel};
    MCD_TRY(MCD_NEW(scratch, host->sssp_scratch(&job), error));
    job.scratch = scratch;
    MCD_TRY(host->sssp(&job, error));
    *out = 0;
    for (size_t v = 0; v < nodes; ++v)
        if (cost[v] > *out) *out = cost[v];
    return MACADAM_OK;
}

/* A path via the first node bounds every cost. */
static macadam_status choose_width(dense_run *run, macadam_error *error)
{
    uint32_t to, from;
    if (run->job.node_count == 0) return MACADAM_OK;
    MCD_TRY(find_eccentricity(run, MCD_BACKWARD, &to, error));
    MCD_TRY(find_eccentricity(run, MCD_FORWARD, &from, error));
    run->job.narrow = (uint64_t)to + from < MCD_NARROW_UNREACHED;
    return MACADAM_OK;
}

/* ---- next hops ---- */

/* The chain y -> via -> via of that ... ends at the node after x on the way to y (backend.h). The next hop of
 * each node of the chain is on the path to the node before it. */
static void find_hops(const uint32_t *via, uint32_t *hop, size_t node_count)
{
    memset(hop, 0xff, node_count * sizeof *hop);
    for (size_t y = 0; y < node_count; ++y) {
        uint32_t end = (uint32_t)y;
        while (hop[end] == MCD_NODE_NONE && via[end] != MCD_NODE_NONE) end = via[end];
        const uint32_t first = hop[end] == MCD_NODE_NONE ? end : hop[end];
        for (uint32_t z = (uint32_t)y; hop[z] == MCD_NODE_NONE; z = via[z]) {
            hop[z] = first;
            if (via[z] == MCD_NODE_NONE) break;
        }
    }
}

static void replace_vias(void *argument, size_t row, unsigned worker)
{
    const dense_run *run = argument;
    const size_t node_count = run->job.node_count;
    uint32_t *const via = run->job.via + row * run->job.stride, *const hop = run->hop + worker * node_count;
    const uint32_t *const cost = run->job.cost + row * run->job.stride;
    find_hops(via, hop, node_count);
    for (size_t y = 0; y < node_count; ++y)
        via[y] = cost[y] == MCD_COST_UNREACHED || y == row ? MACADAM_UNREACHED : hop[y];
}

/* ---- answers ---- */

static void gather_row(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const dense_run *run = argument;
    const size_t id_count = run->pairs->id_count;
    const uint32_t *const from =
        run->job.cost + run->places->depart[run->pairs->row + index] * run->job.stride;
    uint32_t *const to = run->tile + index * id_count;
    for (size_t i = 0; i < id_count; ++i) to[i] = from[run->places->arrive[i]];
}

/* Returns how many rows make a tile large enough to keep threads busy and small enough to allocate. */
static size_t tile_rows(size_t id_count)
{
    return mcd_size_min(mcd_size_max(ROWS_PER_TASK, TILE_CELLS / mcd_size_max(id_count, 1)), id_count);
}

/* Copies the rows of the answer from the matrix, unless they are already in place. */
static macadam_status deliver(dense_run *run, macadam_error *error)
{
    mcd_all_pairs *pairs = run->pairs;
    const mcd_parallel *parallel = &run->job.parallel;
    const size_t row_count = pairs->id_count, most = tile_rows(pairs->id_count);
    if (pairs->value && run->split) {
        run->tile = pairs->value[0];
        mcd_parallel_for(parallel, row_count, gather_row, run);
    }
    if (pairs->value) return mcd_all_pairs_sign(pairs, 0, row_count, pairs->value, error);
    while (pairs->row < row_count) {
        const size_t rows = mcd_size_min(most, row_count - pairs->row), first = pairs->row * run->job.stride;
        if (run->split) mcd_parallel_for(parallel, rows, gather_row, run);
        uint32_t *const value[] = {run->split ? run->tile : run->job.cost + first};
        MCD_TRY(mcd_all_pairs_sign(pairs, pairs->row, rows, value, error));
        MCD_TRY(mcd_all_pairs_deliver(pairs, rows, value, run->job.via ? run->job.via + first : NULL, error));
    }
    return MACADAM_OK;
}

/* ---- memory ---- */

/* Bytes of a pivot in the processor's panels. */
static uint64_t pivot_bytes(uint64_t node_count)
{
    return (node_count + NODES_ROUNDED) * 2 * sizeof(uint32_t);
}

/* Takes scratch for the cells and for the processor's panels, in one piece. */
static macadam_status take_cells(dense_run *run, uint64_t cells, uint32_t **out, macadam_error *error)
{
    static const char what[] = "all pairs over a matrix";
    mcd_query *query = run->pairs->query;
    const uint64_t bytes = cells * sizeof **out, limit = mcd_query_limit(query);
    if (query->backend->device) {
        MCD_TRY(mcd_query_take(query, bytes, what, error));
        *out = query->block.memory;
        return MACADAM_OK;
    }
    const uint64_t pivot = pivot_bytes(run->job.node_count), left = bytes < limit ? limit - bytes : 0;
    run->job.memory_limit = mcd_size_max(mcd_size_min(left, pivot * PIVOTS), pivot * PIVOTS_LEAST);
    MCD_TRY(mcd_query_reserve(query, bytes + run->job.memory_limit, what, error));
    MCD_TRY(MCD_NEW(run->scratch, cells, error));
    *out = run->scratch;
    return MACADAM_OK;
}

/* Cells of scratch: gathered rows, next hops, and the matrices, unless these lie in the caller's memory. */
typedef struct dense_cells {
    uint64_t tile, hops, matrices;
} dense_cells;

static dense_cells count_cells(const mcd_all_pairs *pairs)
{
    const macadam_engine *const engine = pairs->query->engine;
    const uint64_t nodes = engine->places.node_count, ids = engine->places.id_count;
    const bool next = pairs->request.next, split = ids < nodes;
    return (dense_cells){.tile = split && !pairs->value ? tile_rows(ids) * ids : 0,
                         .hops = next ? nodes * engine->parallel.thread_count : 0,
                         .matrices = split || !pairs->value ? nodes * nodes * (next ? 2 : 1) : 0};
}

uint64_t mcd_all_pairs_dense_bytes(const mcd_all_pairs *pairs)
{
    const dense_cells cells = count_cells(pairs);
    return (cells.tile + cells.hops + cells.matrices) * sizeof(uint32_t) +
           pivot_bytes(pairs->query->engine->places.node_count) * PIVOTS_LEAST;
}

static macadam_status take_memory(dense_run *run, macadam_error *error)
{
    const mcd_all_pairs *pairs = run->pairs;
    const uint64_t nodes = run->job.node_count;
    const dense_cells cells = count_cells(pairs);
    uint32_t *scratch;
    MCD_TRY(take_cells(run, cells.tile + cells.hops + cells.matrices, &scratch, error));
    run->tile = scratch;
    run->hop = scratch + cells.tile;
    run->job.cost = cells.matrices ? run->hop + cells.hops : pairs->value[0];
    if (pairs->request.next) run->job.via = cells.matrices ? run->job.cost + nodes * nodes : pairs->next;
    return MACADAM_OK;
}

/* ---- the request ---- */

static macadam_status find(dense_run *run, macadam_error *error)
{
    const mcd_query *query = run->pairs->query;
    const size_t nodes = run->job.node_count;
    if (!run->split) {
        MCD_TRY(MCD_NEW(run->position, run->graph->node_count, error));
        for (size_t i = 0; i < run->places->id_count; ++i)
            run->position[run->places->depart[i]] = (mcd_node)i;
    }
    MCD_TRY(take_memory(run, error));
    mcd_parallel_for_ranges(&run->job.parallel, nodes, ROWS_PER_TASK, fill_rows, run);
    run->job.device = query->backend->device ? query->engine->device : NULL;
    MCD_TRY(query->backend->floyd_warshall(&run->job, error));
    if (run->job.via) mcd_parallel_for(&run->job.parallel, nodes, replace_vias, run);
    return deliver(run, error);
}

static macadam_status check(const dense_run *run, macadam_error *error)
{
    if (run->split && run->pairs->request.next)
        return mcd_fail(
            error, MACADAM_E_UNSUPPORTED,
            "there are no next hops where turn restrictions split junctions: %zu nodes for %zu ids",
            run->places->node_count, run->places->id_count);
    if (run->places->node_count <= NODES_MAX) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_LIMIT, "a matrix over %zu nodes has more bytes than can be counted",
                    run->places->node_count);
}

MCD_DEFINE_STATIC_FREE(release, dense_run, it->position, it->scratch)

macadam_status mcd_all_pairs_dense(mcd_all_pairs *pairs, macadam_error *error)
{
    macadam_engine *engine = pairs->query->engine;
    MCD_FREED_BY(release)
    dense_run run = {.pairs = pairs,
                     .graph = &engine->graph,
                     .weight = pairs->query->arcs->objective[MCD_FORWARD],
                     .places = &engine->places,
                     .split = engine->places.id_count < engine->places.node_count};
    run.job = (mcd_dense_job){.node_count = engine->places.node_count,
                              .stride = engine->places.node_count,
                              .memory_limit = pairs->query->memory_limit,
                              .parallel = engine->parallel,
                              .progress = pairs->query->progress};
    MCD_TRY(check(&run, error));
    MCD_TRY(choose_width(&run, error));
    return find(&run, error);
}
