/* unindexed.c - see unindexed.h. */
#include "engine/map/unindexed.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/watch.h"

macadam_status mcd_unindexed_new(mcd_unindexed *out, const mcd_roads *roads, const mcd_snap_index *index,
                                 macadam_error *error)
{
    const size_t arc_count = roads->graph->arc_count;
    MCD_OWNED mcd_node *tail = NULL;
    MCD_OWNED uint32_t *list = NULL;
    size_t count = 0, capacity = 0;
    MCD_TRY(mcd_road_departures(&tail, roads, error));
    for (size_t i = 0; i < index->piece_count; ++i) tail[index->arc[i]] = MCD_NODE_NONE;
    for (uint32_t arc = 0; arc < arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(NULL, arc, arc_count, error));
        const uint32_t back = tail[arc] == MCD_NODE_NONE ? arc : mcd_road_back(roads, tail[arc], arc);
        if (back != MCD_ROAD_NONE && mcd_arc_number(roads->facts, back) <= mcd_arc_number(roads->facts, arc))
            continue;
        MCD_TRY(MCD_GROW(list, capacity, count + 1, error));
        list[count++] = arc;
    }
    out->count = count;
    return MCD_MOVE(out->arc, list);
}
