/* arc_index.c - see arc_index.h. */
#include "engine/runtime/arc_index.h"

#include "engine/base/memory.h"

#include <stdlib.h>

macadam_status mcd_arc_index_numbers(mcd_arc_index *index, const uint64_t *arc_number, uint32_t arc_count,
                                     macadam_error *error)
{
    const size_t count = (size_t)arc_count + 1;
    uint32_t *first, *arc;
    if (index->first) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(first, count + 2, error));
    const macadam_status status = MCD_NEW(arc, arc_count, error);
    if (status) {
        mcd_free(first);
        return status;
    }
    for (uint32_t i = 0; i < arc_count; ++i)
        if (arc_number[i] < count) ++first[arc_number[i] + 2];
    for (size_t number = 0; number < count; ++number) first[number + 2] += first[number + 1];
    for (uint32_t i = 0; i < arc_count; ++i)
        if (arc_number[i] < count) arc[first[arc_number[i] + 1]++] = i;
    index->number_count = count;
    index->first = first;
    index->arc = arc;
    return MACADAM_OK;
}

typedef struct id_key {
    int64_t id;
    mcd_node node;
} id_key;

static int compare_ids(const void *a, const void *b)
{
    const id_key *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->node > y->node) - (x->node < y->node);
}

macadam_status mcd_arc_index_ends(mcd_arc_index *index, const int64_t *node_id, size_t node_count,
                                  macadam_error *error)
{
    id_key *key;
    if (index->copy) return MACADAM_OK;
    MCD_TRY(MCD_NEW(key, node_count, error));
    const macadam_status status = MCD_NEW(index->copy, node_count, error);
    if (!status) {
        index->node_id = node_id;
        index->node_count = node_count;
        for (mcd_node v = 0; v < node_count; ++v) key[v] = (id_key){node_id[v], v};
        qsort(key, node_count, sizeof *key, compare_ids);
        for (size_t i = 0; i < node_count; ++i) index->copy[i] = key[i].node;
    }
    mcd_free(key);
    return status;
}

size_t mcd_arc_index_first_copy(const mcd_arc_index *index, int64_t id)
{
    size_t low = 0, high = index->node_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (index->node_id[index->copy[middle]] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void mcd_arc_index_free(mcd_arc_index *index)
{
    mcd_free(index->first);
    mcd_free(index->arc);
    mcd_free(index->copy);
    *index = (mcd_arc_index){0};
}
