/* snap_index.c - see snap_index.h. */
#include "engine/map/snap_index.h"

#include "engine/base/memory.h"

size_t mcd_snap_levels(size_t piece_count, size_t first[MCD_SNAP_LEVELS_MAX + 1])
{
    size_t level = 0;
    first[0] = 0;
    for (size_t count = piece_count; count > 1 || level == 0; ++level) {
        count = (count + MCD_SNAP_FANOUT - 1) / MCD_SNAP_FANOUT;
        first[level + 1] = first[level] + count;
    }
    return level;
}

void mcd_snap_widen(mcd_snap_box *box, const mcd_snap_box *by)
{
    if (by->west_e7 < box->west_e7) box->west_e7 = by->west_e7;
    if (by->south_e7 < box->south_e7) box->south_e7 = by->south_e7;
    if (by->east_e7 > box->east_e7) box->east_e7 = by->east_e7;
    if (by->north_e7 > box->north_e7) box->north_e7 = by->north_e7;
}

void mcd_snap_enclose(mcd_snap_box *box, const mcd_snap_line *line)
{
    const mcd_point a = line->from, b = line->to;
    mcd_snap_widen(box, &(mcd_snap_box){a.lon_e7, a.lat_e7, a.lon_e7, a.lat_e7});
    mcd_snap_widen(box, &(mcd_snap_box){b.lon_e7, b.lat_e7, b.lon_e7, b.lat_e7});
}

void mcd_snap_fill_levels(mcd_snap_box *box, const size_t *first, size_t levels)
{
    for (size_t i = first[1]; i < first[levels]; ++i) box[i] = mcd_snap_nowhere;
    for (size_t level = 0; level + 1 < levels; ++level)
        for (size_t i = first[level]; i < first[level + 1]; ++i)
            mcd_snap_widen(&box[first[level + 1] + (i - first[level]) / MCD_SNAP_FANOUT], &box[i]);
}

mcd_snap_line mcd_snap_line_of(const mcd_roads *roads, mcd_node tail, uint32_t arc, uint32_t piece)
{
    return (mcd_snap_line){mcd_road_point(roads, tail, arc, piece),
                           mcd_road_point(roads, tail, arc, (size_t)piece + 1)};
}

mcd_node mcd_snap_tail(const mcd_roads *roads, const mcd_snap_index *index, size_t entry, mcd_node before)
{
    const uint32_t arc = index->arc[entry];
    if (arc >= roads->graph->arc_count ||
        (size_t)index->piece[entry] / 2 + 2 > mcd_road_point_count(roads, arc))
        return MCD_NODE_NONE;
    if (before != MCD_NODE_NONE) return before;
    const mcd_node tail = mcd_road_tail(roads->graph, arc);
    return mcd_road_departs(roads, tail, arc) ? tail : MCD_NODE_NONE;
}

macadam_status mcd_snap_lines_new(mcd_snap_index *index, macadam_error *error)
{
    const size_t leaf_count = index->piece_count / MCD_SNAP_FANOUT + 1;
    MCD_TRY(MCD_NEW(index->lines.leaf, leaf_count, error));
    const macadam_status status = MCD_NEW_ZEROED(index->lines.of_leaf, leaf_count, error);
    if (status) mcd_snap_lines_free(index);
    return status;
}

void mcd_snap_lines_free(mcd_snap_index *index)
{
    MCD_FREE_ALL(index->lines.leaf, index->lines.of_leaf);
    index->lines = (mcd_snap_lines){NULL, NULL};
}

enum { LEAF_UNKNOWN, LEAF_BEGUN, LEAF_KNOWN };

static void make_leaf(const mcd_roads *roads, const mcd_snap_index *index, size_t leaf, mcd_snap_leaf *out)
{
    for (size_t i = 0, entry = leaf * MCD_SNAP_FANOUT; i < mcd_snap_leaf_pieces(index, leaf); ++i, ++entry) {
        const uint32_t arc = index->arc[entry];
        const mcd_node before = i > 0 && arc == out->arc[i - 1] ? out->tail[i - 1] : MCD_NODE_NONE;
        out->arc[i] = arc;
        out->tail[i] = mcd_snap_tail(roads, index, entry, before);
        out->line[i] = out->tail[i] == MCD_NODE_NONE
                           ? (mcd_snap_line){0}
                           : mcd_snap_line_of(roads, out->tail[i], arc, index->piece[entry] / 2);
    }
}

const mcd_snap_leaf *mcd_snap_leaf_find(const mcd_roads *roads, const mcd_snap_index *index, size_t leaf,
                                        mcd_snap_leaf *own)
{
    const mcd_snap_lines *const lines = &index->lines;
    unsigned char unknown = LEAF_UNKNOWN;
    if (lines->of_leaf && atomic_load_explicit(&lines->of_leaf[leaf], memory_order_acquire) == LEAF_KNOWN)
        return &lines->leaf[leaf];
    make_leaf(roads, index, leaf, own);
    if (lines->of_leaf && atomic_compare_exchange_strong(&lines->of_leaf[leaf], &unknown, LEAF_BEGUN)) {
        lines->leaf[leaf] = *own;
        atomic_store_explicit(&lines->of_leaf[leaf], LEAF_KNOWN, memory_order_release);
    }
    return own;
}
