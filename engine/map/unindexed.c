/* unindexed.c - see unindexed.h. */
#include "engine/map/unindexed.h"

#include "engine/base/grow.h"
#include "engine/base/watch.h"

enum { ARCS_PER_TASK = 4096 };

typedef struct arc_run {
    const mcd_roads *roads;
    mcd_node *tail; /* [arc_count] of the arcs that may be listed; else MCD_NODE_NONE */
} arc_run;

/* Leaves out the arcs for which the arc back is in the index, or is listed. */
static void leave_out_backs(void *argument, size_t first, size_t end)
{
    const arc_run *const run = argument;
    const mcd_roads *const roads = run->roads;
    for (size_t i = first; i < end; ++i) {
        const uint32_t arc = (uint32_t)i;
        if (run->tail[arc] == MCD_NODE_NONE) continue;
        const uint32_t back = mcd_road_back(roads, run->tail[arc], arc);
        if (back != MCD_ROAD_NONE && mcd_arc_number(roads->facts, back) < mcd_arc_number(roads->facts, arc))
            run->tail[arc] = MCD_NODE_NONE;
    }
}

macadam_status mcd_unindexed_find(uint32_t **out, size_t *out_count, const mcd_roads *roads,
                                  const mcd_snap_index *index, const mcd_parallel *parallel,
                                  macadam_error *error)
{
    const size_t arc_count = roads->graph->arc_count;
    MCD_OWNED mcd_node *tail = NULL;
    MCD_OWNED uint32_t *found = NULL;
    size_t count = 0, capacity = 0;
    MCD_TRY(MCD_GROW(found, capacity, 1, error));
    MCD_TRY(mcd_road_departures(&tail, roads, error));
    for (size_t i = 0; i < index->piece_count; ++i)
        if (index->arc[i] < arc_count) tail[index->arc[i]] = MCD_NODE_NONE; /* else the file is damaged */
    MCD_TRY(mcd_watch_for_ranges(parallel, arc_count, ARCS_PER_TASK, leave_out_backs, &(arc_run){roads, tail},
                                 error));
    for (uint32_t arc = 0; arc < arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(NULL, arc, arc_count, error));
        if (tail[arc] == MCD_NODE_NONE) continue;
        MCD_TRY(MCD_GROW(found, capacity, count + 1, error));
        found[count++] = arc;
    }
    *out_count = count;
    return MCD_MOVE(*out, found);
}

macadam_status mcd_unindexed_new(mcd_unindexed *out, const mcd_roads *roads, const uint32_t *arc,
                                 size_t arc_count, macadam_error *error)
{
    MCD_OWNED mcd_unindexed_piece *piece = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < arc_count; ++i) {
        const mcd_node tail = mcd_road_tail(roads->graph, arc[i]);
        const uint32_t pieces = (uint32_t)mcd_road_point_count(roads, arc[i]) - 1;
        MCD_TRY(mcd_watch_item(NULL, i, arc_count, error));
        MCD_TRY(MCD_GROW(piece, capacity, count + pieces, error));
        for (uint32_t k = 0; k < pieces; ++k)
            piece[count++] = (mcd_unindexed_piece){arc[i], mcd_snap_line_of(roads, tail, arc[i], k)};
    }
    out->count = count;
    return MCD_MOVE(out->piece, piece);
}
