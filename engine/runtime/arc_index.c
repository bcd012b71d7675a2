/* arc_index.c - see arc_index.h. */
#include "engine/runtime/arc_index.h"

#include "engine/base/memory.h"
#include "engine/base/watch.h"

/* Returns the key of an item. */
typedef size_t (*item_key)(const void *context, uint32_t item);

/* Lists items by key: those of key k are (*item)[(*first)[k] .. (*first)[k + 1]), ascending. Keys from `key_count` on
 * are left out. */
static macadam_status sort_items(uint32_t **first, uint32_t **item, uint32_t item_count, size_t key_count,
                                 item_key key_of, const void *context, macadam_error *error)
{
    uint32_t *begin, *sorted = NULL;
    MCD_TRY(MCD_NEW_ZEROED(begin, key_count + 2, error));
    macadam_status status = MCD_NEW(sorted, item_count, error);
    for (uint32_t i = 0; i < item_count && !status; ++i) {
        const size_t key = key_of(context, i);
        if (key < key_count) ++begin[key + 2];
        status = mcd_watch_item(NULL, i, item_count, error);
    }
    for (size_t key = 0; key < key_count; ++key) begin[key + 2] += begin[key + 1];
    for (uint32_t i = 0; i < item_count && !status; ++i) {
        const size_t key = key_of(context, i);
        if (key < key_count) sorted[begin[key + 1]++] = i;
        status = mcd_watch_item(NULL, i, item_count, error);
    }
    if (status) {
        mcd_free(begin);
        mcd_free(sorted);
        return status;
    }
    *first = begin;
    *item = sorted;
    return MACADAM_OK;
}

static size_t number_of(const void *facts, uint32_t arc)
{
    return mcd_arc_number(facts, arc);
}

macadam_status mcd_arc_index_numbers(mcd_arc_index *index, const mcd_arc_facts *facts, uint32_t arc_count,
                                     macadam_error *error)
{
    if (index->first) return MACADAM_OK;
    index->number_count = (size_t)arc_count + 1;
    return sort_items(&index->first, &index->arc, arc_count, index->number_count, number_of, facts, error);
}

static size_t place_of(const void *places, uint32_t node)
{
    return ((const mcd_place_index *)places)->node_place[node];
}

macadam_status mcd_arc_index_ends(mcd_arc_index *index, const mcd_place_index *places, macadam_error *error)
{
    if (index->node) return MACADAM_OK;
    return sort_items(&index->first_node, &index->node, places->node_count, places->id_count, place_of,
                      places, error);
}

void mcd_arc_index_free(mcd_arc_index *index)
{
    mcd_free(index->first);
    mcd_free(index->arc);
    mcd_free(index->first_node);
    mcd_free(index->node);
    *index = (mcd_arc_index){0};
}
