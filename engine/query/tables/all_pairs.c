/* all_pairs.c - all pairs: chooses the method, checks where answers go, and computes trees in bands of
 * rows. */
#include "engine/query/tables/all_pairs.h"

#include "engine/runtime/buffer.h"
#include "engine/file/npy.h"
#include "engine/base/options.h"
#include "engine/query/places/signed.h"
#include "engine/query/places/trees.h"

/* Rows of a band: at least this many per thread, per tile, and for a whole answer. */
enum { ROWS_OF_THREAD = 16, ROWS_OF_TILE = 64, ROWS_OF_WHOLE = 1024 };

/* ---- answers, whichever method makes them ---- */

macadam_status mcd_all_pairs_deliver(mcd_all_pairs *pairs, size_t rows, uint32_t *const *value,
                                     const uint32_t *next, macadam_error *error)
{
    macadam_tile tile = {.row = pairs->row, .rows = rows, .columns = pairs->id_count, .next = next};
    for (size_t q = 0; q < pairs->query->quantity_count; ++q) tile.value[q] = value[q];
    if (!pairs->tile(pairs->context, &tile))
        return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the callback that takes row %zu",
                        pairs->row);
    pairs->row += rows;
    return MACADAM_OK;
}

macadam_status mcd_all_pairs_sign(const mcd_all_pairs *pairs, size_t row, size_t rows, uint32_t *const *value,
                                  macadam_error *error)
{
    const mcd_query *const query = pairs->query;
    const size_t count = pairs->id_count;
    for (size_t q = 0; q < query->quantity_count; ++q) {
        const int32_t *const potential = query->potential[q];
        if (!potential) continue;
        const mcd_sign_job job = {.value = value[q],
                                  .rows = rows,
                                  .columns = count,
                                  .stride = count,
                                  .row = potential + row,
                                  .column = potential};
        MCD_TRY(mcd_signed_apply(query, job, error));
    }
    return MACADAM_OK;
}

/* ---- by trees ---- */

/* Computes the next rows, into the caller's memory or the tile at `tile`. */
static macadam_status run_band(mcd_all_pairs *pairs, const mcd_trees *trees, mcd_lane *lane, uint32_t *tile,
                               macadam_error *error)
{
    const mcd_query *query = pairs->query;
    const size_t count = mcd_size_min(trees->band, pairs->id_count - pairs->row);
    uint32_t *value[MACADAM_QUANTITIES_MAX] = {NULL};
    const mcd_lanes lanes = {.lane = lane};
    for (size_t l = 0; l < count; ++l) lane[l] = mcd_lane_of(query->engine->places.depart[pairs->row + l]);
    for (size_t q = 0; q < query->quantity_count; ++q)
        value[q] = pairs->value ? pairs->value[q] + pairs->row * pairs->id_count
                                : tile + q * trees->band * pairs->id_count;
    const mcd_row row = {mcd_query_value(query, value, false), mcd_query_value(query, value, true), NULL};
    MCD_TRY(mcd_trees_run(trees, &lanes, 0, count, &row, error));
    MCD_TRY(mcd_all_pairs_sign(pairs, pairs->row, count, value, error));
    if (!pairs->value) return mcd_all_pairs_deliver(pairs, count, value, NULL, error);
    pairs->row += count;
    return MACADAM_OK;
}

static macadam_status run_bands(mcd_all_pairs *pairs, const mcd_trees *trees, uint32_t *tile,
                                macadam_error *error)
{
    MCD_OWNED mcd_lane *lane = NULL;
    MCD_TRY(MCD_NEW(lane, trees->band, error));
    while (pairs->row < pairs->id_count) {
        mcd_query_part(pairs->query, pairs->row, mcd_size_min(pairs->row + trees->band, pairs->id_count),
                       pairs->id_count);
        MCD_TRY(mcd_progress_step(&pairs->query->progress, "finding all pairs", 0, 1, error));
        MCD_TRY(run_band(pairs, trees, lane, tile, error));
    }
    return MACADAM_OK;
}

static macadam_status run_trees(mcd_all_pairs *pairs, macadam_error *error)
{
    mcd_query *query = pairs->query;
    mcd_trees trees = {
        .query = query,
        .method = pairs->method,
        .direction = MCD_FORWARD,
        .limit = MCD_WEIGHT_MAX,
        .column = query->engine->places.arrive,
        .column_count = pairs->id_count,
    };
    const size_t least = ROWS_OF_THREAD * (size_t)query->engine->parallel.thread_count;
    const size_t rows = mcd_size_max(pairs->value ? ROWS_OF_WHOLE : ROWS_OF_TILE, least);
    const uint64_t tile_bytes = pairs->value ? 0 : pairs->id_count * query->quantity_count * sizeof(uint32_t);
    void *tile;
    if (pairs->id_count == 0) return MACADAM_OK;
    MCD_TRY(
        mcd_trees_fit(&trees, mcd_size_min(rows, pairs->id_count), 1, tile_bytes, &tile, "all pairs", error));
    return run_bands(pairs, &trees, tile, error);
}

/* ---- the method ---- */

/* Times of the methods, in nanoseconds of one thread with AVX-512 or of one H200; only their ratios matter.
 * (tests/bench/all_pairs: grids and random graphs of up to 4,096 nodes) */
typedef struct pair_rates {
    double sweep, sweep_node, sweep_arc;    /* per tree, per node of it, per arc of the hierarchy */
    double search, search_node, search_arc; /* per tree by near-far, per node, per arc */
    double search_degree;                   /* at least this for each arc that a node has on average */
    double pivot, cell;                     /* per pivot of a dense matrix, per cell that it may lower */
} pair_rates;
static const pair_rates rates_of_host = {
    .sweep_node = 1.5, .sweep_arc = 0.018, .search_node = 20, .search_arc = 3.5, .cell = 0.033};
static const pair_rates rates_of_device = {.sweep = 950,
                                           .sweep_node = 0.34,
                                           .search = 300,
                                           .search_arc = 0.03,
                                           .search_degree = 35,
                                           .pivot = 1200,
                                           .cell = 0.0001};

/* Returns whether the dense matrix, if there is room for it, is faster than all trees: one pivot replaces one
 * tree. */
static bool is_dense_faster(const mcd_all_pairs *pairs, bool has_hierarchy)
{
    const mcd_query *query = pairs->query;
    const pair_rates *rates = query->backend->device ? &rates_of_device : &rates_of_host;
    const Macadam__V1__Metadata *facts = query->engine->metadata;
    const double nodes = (double)facts->node_count;
    const double sweep =
        rates->sweep + nodes * rates->sweep_node + (double)facts->up_arc_count * rates->sweep_arc;
    const double arcs = (double)facts->arc_count;
    const double search = rates->search + fmax(nodes * rates->search_node + arcs * rates->search_arc,
                                               arcs / fmax(nodes, 1) * rates->search_degree);
    return mcd_all_pairs_dense_bytes(pairs) <= mcd_query_limit(query) &&
           rates->pivot + nodes * nodes * rates->cell < (has_hierarchy ? sweep : search);
}

static macadam_status choose_method(const mcd_all_pairs *pairs, mcd_tree_method *out, macadam_error *error)
{
    const mcd_query *query = pairs->query;
    const bool has_hierarchy = query->engine->metadata->has_hierarchy;
    int method;
    MCD_TRY(mcd_engine_find_method(&method, query->engine, MACADAM_QUESTION_ALL_PAIRS, pairs->request.method,
                                   error));
    *out = (mcd_tree_method)method;
    if (*out == MCD_TREE_AUTO &&
        (pairs->request.next || (!query->joint && is_dense_faster(pairs, has_hierarchy))))
        *out = MCD_TREE_FLOYD_WARSHALL;
    if (*out == MCD_TREE_FLOYD_WARSHALL) {
        if (!query->joint) return MACADAM_OK;
        return mcd_fail_invalid(error, "Floyd-Warshall knows only the metric's objective");
    }
    if (pairs->request.next) return mcd_fail_invalid(error, "only Floyd-Warshall finds next hops");
    return mcd_trees_choose(out, query->engine, false, error);
}

/* ---- the request ---- */

/* Checks that there is memory for everything that is requested; for next hops, in the host's memory. */
static macadam_status check_memory(const mcd_all_pairs *pairs, macadam_error *error)
{
    MCD_TRY(mcd_query_check_values(pairs->query, pairs->value, error));
    if (!pairs->request.next) return MACADAM_OK;
    if (!pairs->next) return mcd_fail_invalid(error, "no memory for next hops");
    if (mcd_engine_reaches(pairs->query->engine, pairs->next)) return MACADAM_OK;
    return mcd_fail_invalid(error, "next hops are to lie in a device's memory");
}

/* Returns the data that the method needs, and the backend that tries first. */
static mcd_work work_of(macadam_engine *engine, mcd_tree_method method)
{
    if (method != MCD_TREE_FLOYD_WARSHALL)
        return mcd_trees_work(engine, method, MCD_NEED_COSTS, false, false);
    const mcd_backend *backend = mcd_engine_backend(engine);
    return (mcd_work){.backend = backend->floyd_warshall ? backend : engine->host,
                      .searches = true,
                      .on_host = true,
                      .need = MCD_ARCS_BACKWARD};
}

/* Settles what must be known before the query can begin. */
static macadam_status settle(mcd_all_pairs *pairs, macadam_engine *engine, const macadam_query *given,
                             mcd_work *work, macadam_error *error)
{
    MCD_FREED_BY(mcd_query_end) mcd_query query = {0};
    pairs->query = &query;
    MCD_TRY(mcd_query_begin(&query, engine, mcd_engine_backend(engine), given, MCD_NEED_PLACES, error));
    MCD_TRY(choose_method(pairs, &pairs->method, error));
    *work = work_of(engine, pairs->method);
    query.backend = work->backend;
    if (pairs->value) MCD_TRY(check_memory(pairs, error));
    pairs->id_count = engine->places.id_count;
    if (pairs->request.chosen)
        *pairs->request.chosen =
            mcd_engine_method_name(engine, MACADAM_QUESTION_ALL_PAIRS, (int)pairs->method);
    return MACADAM_OK;
}

/* The host fills the matrix, so the matrix lies in the host's memory first. */
static macadam_status run_dense(mcd_all_pairs *pairs, macadam_error *error)
{
    MCD_FREED_BY(mcd_stage_free) mcd_stage stage = {.cells = 0};
    uint32_t *const *const given = pairs->value;
    if (!given) return mcd_all_pairs_dense(pairs, error);
    MCD_TRY(mcd_query_stage(&stage, pairs->query, given, pairs->id_count * pairs->id_count, error));
    pairs->value = stage.value;
    const macadam_status status = mcd_all_pairs_dense(pairs, error);
    pairs->value = given;
    return status ? status : mcd_query_unstage(&stage, pairs->query, error);
}

/* A second try goes on with the first row that is not yet delivered. */
static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    mcd_all_pairs *pairs = argument;
    pairs->query = query;
    return pairs->method == MCD_TREE_FLOYD_WARSHALL ? run_dense(pairs, error) : run_trees(pairs, error);
}

static macadam_status answer(mcd_all_pairs *pairs, macadam_engine *engine, const macadam_query *given,
                             macadam_error *error)
{
    mcd_work work;
    MCD_TRY(settle(pairs, engine, given, &work, error));
    work.value = pairs->value;
    work.amount = pairs->method == MCD_TREE_FLOYD_WARSHALL
                      ? (mcd_amount){MCD_RATED_DENSE, pairs->id_count, pairs->id_count}
                      : mcd_trees_amount(engine, pairs->method, pairs->id_count, false);
    return mcd_query_with_fallback(engine, &work, given, attempt, pairs, error);
}

static macadam_status adopt(mcd_all_pairs *pairs, const macadam_all_pairs_request *request,
                            macadam_error *error)
{
    pairs->request = (macadam_all_pairs_request)MACADAM_ALL_PAIRS_REQUEST_INIT;
    return mcd_options_adopt(&pairs->request, sizeof pairs->request, request, "all pairs request", error);
}

macadam_status macadam_all_pairs_find(macadam_engine *engine, const macadam_query *query,
                                      const macadam_all_pairs_request *request, macadam_tile_callback tile,
                                      void *context, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    mcd_all_pairs pairs = {.tile = tile, .context = context};
    if (!tile) return mcd_fail_invalid(error, "no callback for the tiles");
    MCD_TRY(adopt(&pairs, request, error));
    return answer(&pairs, engine, query, error);
}

macadam_status macadam_all_pairs_find_into(uint32_t *const *value, uint32_t *next, macadam_engine *engine,
                                           const macadam_query *query,
                                           const macadam_all_pairs_request *request, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    mcd_all_pairs pairs = {.value = value, .next = next};
    if (!value) return mcd_fail_invalid(error, "no memory for all pairs");
    MCD_TRY(adopt(&pairs, request, error));
    return answer(&pairs, engine, query, error);
}

/* Whether a quantity that the query requests may be negative. */
static macadam_status any_signed(bool *out, const macadam_engine *engine, const macadam_query *query,
                                 macadam_error *error)
{
    const char *const objective = query && query->metric ? query->metric : engine->metric_name[0];
    const size_t count = query ? query->quantity_count : 0;
    *out = false;
    for (size_t i = 0; i < (count ? count : 1); ++i) {
        size_t quantity;
        MCD_TRY(mcd_engine_find_quantity(engine, count ? query->quantity[i] : objective, &quantity, error));
        *out |= engine->has_potential[quantity];
    }
    return MACADAM_OK;
}

macadam_status macadam_all_pairs_save(macadam_engine *engine, const macadam_query *query,
                                      const macadam_all_pairs_request *request, const char *path,
                                      macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    mcd_all_pairs pairs = {0};
    mcd_npy npy;
    bool is_signed;
    if (!path) return mcd_fail_invalid(error, "no path for all pairs");
    const char *const map = engine->file->name;
    MCD_TRY(macadam_output_check(path, &map, 1, error));
    MCD_TRY(adopt(&pairs, request, error));
    const bool two = pairs.request.next || (query && query->quantity_count == 2);
    const uint64_t count = engine->metadata->id_count, shape[] = {2, count, count};
    MCD_TRY(any_signed(&is_signed, engine, query, error));
    MCD_TRY(mcd_npy_new(&npy, path, is_signed ? "<i4" : "<u4", sizeof(uint32_t), two ? shape : shape + 1,
                        two ? 3 : 2, error));
    uint32_t *const second = (uint32_t *)npy.data + (two ? count * count : 0);
    uint32_t *const value[MACADAM_QUANTITIES_MAX] = {npy.data, second};
    pairs.value = value, pairs.next = second;
    return mcd_npy_end(&npy, answer(&pairs, engine, query, error), error);
}
