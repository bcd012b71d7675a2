/* arc_index.c - see arc_index.h. */
#include "engine/runtime/arc_index.h"

#include "engine/base/memory.h"
#include "engine/base/watch.h"

/* first: [count + 2], zeroed. Numbers that no arc may have are left out. */
static macadam_status sort_numbers(const mcd_arc_facts *facts, uint32_t arc_count, size_t count,
                                   uint32_t *first, uint32_t *arc, macadam_error *error)
{
    for (uint32_t i = 0; i < arc_count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, arc_count, error));
        if (mcd_arc_number(facts, i) < count) ++first[mcd_arc_number(facts, i) + 2];
    }
    for (size_t number = 0; number < count; ++number) first[number + 2] += first[number + 1];
    for (uint32_t i = 0; i < arc_count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, arc_count, error));
        if (mcd_arc_number(facts, i) < count) arc[first[mcd_arc_number(facts, i) + 1]++] = i;
    }
    return MACADAM_OK;
}

macadam_status mcd_arc_index_numbers(mcd_arc_index *index, const mcd_arc_facts *facts, uint32_t arc_count,
                                     macadam_error *error)
{
    const size_t count = (size_t)arc_count + 1;
    uint32_t *first, *arc = NULL;
    if (index->first) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(first, count + 2, error));
    macadam_status status = MCD_NEW(arc, arc_count, error);
    if (!status) status = sort_numbers(facts, arc_count, count, first, arc, error);
    if (status) {
        mcd_free(first);
        mcd_free(arc);
        return status;
    }
    index->number_count = count;
    index->first = first;
    index->arc = arc;
    return MACADAM_OK;
}

static macadam_status sort_nodes(const mcd_place_index *places, uint32_t *first, mcd_node *node,
                                 macadam_error *error)
{
    for (mcd_node v = 0; v < places->node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, places->node_count, error));
        ++first[places->node_place[v] + 2];
    }
    for (size_t i = 0; i < places->id_count; ++i) first[i + 2] += first[i + 1];
    for (mcd_node v = 0; v < places->node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, places->node_count, error));
        node[first[places->node_place[v] + 1]++] = v;
    }
    return MACADAM_OK;
}

macadam_status mcd_arc_index_ends(mcd_arc_index *index, const mcd_place_index *places, macadam_error *error)
{
    uint32_t *first;
    mcd_node *node = NULL;
    if (index->node) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(first, places->id_count + 2, error));
    macadam_status status = MCD_NEW(node, places->node_count, error);
    if (!status) status = sort_nodes(places, first, node, error);
    if (status) {
        mcd_free(first);
        mcd_free(node);
        return status;
    }
    index->first_node = first;
    index->node = node;
    index->node_count = places->node_count;
    return MACADAM_OK;
}

void mcd_arc_index_free(mcd_arc_index *index)
{
    mcd_free(index->first);
    mcd_free(index->arc);
    mcd_free(index->first_node);
    mcd_free(index->node);
    *index = (mcd_arc_index){0};
}
