/* nearest_of_cells.c - see nearest_of_cells.h. Each source keeps a heap of the least keys of its cells; a key is a cost (signed
 * ones in the order of unsigned numbers: signed.h) and, in its low half, the target's position. */
#include "engine/query/tables/nearest_of_cells.h"

#include "engine/base/top_k.h"
#include "engine/query/tables/matrix.h"
#include "engine/query/places/signed.h"

/* Cells take as long for a target as sweeping this many nodes for 16 lanes (New York). */
enum { TARGET_NODES = 50 };

bool mcd_nearest_of_cells_suits(const mcd_query *query, const macadam_reach_request *request,
                                const macadam_reach *answer)
{
    return !query->backend->device && !mcd_reach_asks_more(answer) &&
           request->target_count < query->weights->hierarchy->node_count / TARGET_NODES;
}

typedef struct shortlist {
    const macadam_reach_request *request;
    const mcd_parallel *parallel;
    uint64_t *key;   /* [source * nearest_count] */
    uint32_t *found; /* [source] */
    uint32_t zero;   /* a cost of 0 in keys: MCD_SIGNED_ZERO, or 0 */
    const macadam_tile *tile;
} shortlist;

MCD_DEFINE_STATIC_FREE(free_list, shortlist, it->key, it->found)

static void offer(const shortlist *list, size_t source, uint32_t cost, size_t target)
{
    const size_t capacity = list->request->nearest_count;
    uint64_t *const heap = list->key + source * capacity;
    const uint64_t key = (uint64_t)(cost ^ list->zero) << 32 | target;
    if (key >> 32 == MACADAM_UNREACHED || (list->found[source] == capacity && key >= heap[0])) return;
    mcd_top_k_put(heap, &list->found[source], capacity, key);
}

/* Offers the tile's cells of one source: a row, or, of costs to the sources, a column. */
static void offer_cells(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const shortlist *const list = argument;
    const macadam_tile *const tile = list->tile;
    const bool reverse = list->request->reverse;
    const size_t source = (reverse ? tile->column : tile->row) + index,
                 first = reverse ? tile->row : tile->column, count = reverse ? tile->rows : tile->columns,
                 step = reverse ? tile->columns : 1;
    const uint32_t *const cost = tile->value[0] + index * (reverse ? 1 : tile->columns);
    for (size_t i = 0; i < count; ++i) offer(list, source, cost[i * step], first + i);
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    shortlist *const list = context;
    list->tile = tile;
    mcd_parallel_for(list->parallel, list->request->reverse ? tile->columns : tile->rows, offer_cells, list);
    return true;
}

static void deliver(const shortlist *list, const macadam_reach *answer, size_t source, size_t row)
{
    const size_t nearest_count = list->request->nearest_count;
    uint64_t *const key = list->key + source * nearest_count;
    mcd_top_k_sort(key, list->found[source]);
    mcd_reach_deliver(answer, row, nearest_count, key, list->found[source]);
    for (size_t i = 0; answer->nearest_cost && i < nearest_count; ++i)
        answer->nearest_cost[row * nearest_count + i] ^= list->zero;
}

macadam_status mcd_nearest_of_cells_find(mcd_query *query, const macadam_reach_request *request,
                                         const uint32_t *row, const macadam_reach *answer,
                                         macadam_error *error)
{
    MCD_FREED_BY(free_list)
    shortlist list = {.request = request,
                      .parallel = &query->engine->parallel,
                      .zero = mcd_query_potential(query, false) ? MCD_SIGNED_ZERO : 0};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = request->reverse ? request->target : request->source;
    matrix.target = request->reverse ? request->source : request->target;
    matrix.source_count = request->reverse ? request->target_count : request->source_count;
    matrix.target_count = request->reverse ? request->source_count : request->target_count;
    MCD_TRY(MCD_NEW(list.key, request->source_count * request->nearest_count, error));
    MCD_TRY(MCD_NEW_ZEROED(list.found, request->source_count, error));
    MCD_TRY(mcd_matrix_tiles(query, &matrix, NULL, take_tile, &list, error));
    for (size_t source = 0; source < request->source_count; ++source)
        deliver(&list, answer, source, row ? row[source] : source);
    mcd_query_give_back(query);
    return MACADAM_OK;
}
