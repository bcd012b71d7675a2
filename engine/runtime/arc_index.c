/* arc_index.c - see arc_index.h. */
#include "engine/runtime/arc_index.h"

#include "engine/base/watch.h"

static macadam_status make(mcd_arc_index *index, const mcd_roads *roads, const mcd_node *departs,
                           macadam_error *error)
{
    const uint32_t arc_count = roads->graph->arc_count;
    index->number_count = (size_t)arc_count + 1;
    MCD_TRY(MCD_NEW_ZEROED(index->first, index->number_count + 2, error));
    MCD_TRY(MCD_NEW(index->arc, arc_count, error));
    for (uint32_t arc = 0; arc < arc_count; ++arc) {
        const uint64_t number = mcd_arc_number(roads->facts, arc);
        MCD_TRY(mcd_watch_item(NULL, arc, arc_count, error));
        if (number < index->number_count) ++index->first[number + 2];
    }
    for (size_t number = 0; number < index->number_count; ++number)
        index->first[number + 2] += index->first[number + 1];
    /* Puts the arcs that departures use first (pass 0), then their copies (pass 1). Moves the first of each number
     * to that of the next one. */
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t arc = 0; arc < arc_count; ++arc) {
            const uint64_t number = mcd_arc_number(roads->facts, arc);
            MCD_TRY(mcd_watch_item(NULL, arc, arc_count, error));
            if (number < index->number_count && (departs[arc] == MCD_NODE_NONE) == (pass == 1))
                index->arc[index->first[number + 1]++] = arc;
        }
    return MACADAM_OK;
}

macadam_status mcd_arc_index_make(mcd_arc_index *index, const mcd_roads *roads, macadam_error *error)
{
    MCD_OWNED mcd_node *departs = NULL;
    MCD_FREED_BY(mcd_arc_index_free) mcd_arc_index made = {0};
    if (index->first) return MACADAM_OK;
    MCD_TRY(mcd_road_departures(&departs, roads, error));
    MCD_TRY(make(&made, roads, departs, error));
    return MCD_MOVE(*index, made);
}

MCD_DEFINE_FREE(mcd_arc_index_free, mcd_arc_index, it->first, it->arc)
