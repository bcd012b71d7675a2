/* snap_index.h - the snap index: the pieces of roads, by where they are.
 *
 * Roads are cut at their shape points into straight pieces. Each piece is in the index once, on the arc of
 * its road that has the smaller number. Pieces are sorted along the Hilbert curve. A leaf holds
 * MCD_SNAP_FANOUT consecutive pieces, and a box as many leaves or boxes: a packed R-tree without pointers,
 * full except for the last box of each level. (Roussopoulos, Leifker 1985; Kamel, Faloutsos 1993)
 *
 * The lines of a leaf are made when a search first looks at them: a process that asks little makes few. */
#ifndef MCD_ENGINE_MAP_SNAP_INDEX_H
#define MCD_ENGINE_MAP_SNAP_INDEX_H

#include "engine/map/road.h"

#include <stdatomic.h>

/* A leaf, as searches read it: together in memory, because most of the time of a search goes into waiting for it. */
typedef struct mcd_snap_leaf {
    mcd_snap_line line[MCD_SNAP_FANOUT]; /* of its pieces, along the arc */
    uint32_t arc[MCD_SNAP_FANOUT];       /* as the index has it */
    mcd_node tail[MCD_SNAP_FANOUT];      /* as mcd_snap_tail returns it: searches leave out a damaged piece */
} mcd_snap_leaf;

/* The leaves, once they are made. */
typedef struct mcd_snap_lines {
    mcd_snap_leaf *leaf;
    atomic_uchar *of_leaf; /* per leaf whether it is made; NULL: leaves are not kept */
} mcd_snap_lines;

/* Sections of an edge file, or arrays that the engine made, and the lines. */
typedef struct mcd_snap_index {
    size_t piece_count, box_count;
    const uint32_t *arc; /* [piece_count] the arc, one that a departure uses */
    /* [piece_count] 2 * the piece's number on the arc, counted from its tail; + 1 if the road is cut off. */
    const uint32_t *piece;
    const mcd_snap_box *box; /* [box_count] boxes of leaves, then level by level up to the root */
    mcd_snap_lines lines;
} mcd_snap_index;

/* Sets first[] to where each level of boxes begins, and after the last one to where it ends. Returns how many
 * levels there are. */
size_t mcd_snap_levels(size_t piece_count, size_t first[MCD_SNAP_LEVELS_MAX + 1]);

/* Encloses nothing. */
static const mcd_snap_box mcd_snap_nowhere = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
/* Widens the box so that it encloses the other one. */
void mcd_snap_widen(mcd_snap_box *box, const mcd_snap_box *by);
/* Widens the box so that it encloses the line as well, which must not cross the antimeridian. */
void mcd_snap_enclose(mcd_snap_box *box, const mcd_snap_line *line);
/* Makes the boxes of all levels above the leaves from theirs. first[]: of mcd_snap_levels. */
void mcd_snap_fill_levels(mcd_snap_box *box, const size_t *first, size_t levels);

/* Returns a piece of an arc that leaves `tail`: its two ends as mcd_road_point has them. */
mcd_snap_line mcd_snap_line_of(const mcd_roads *roads, mcd_node tail, uint32_t arc, uint32_t piece);

/* Returns the tail of a piece's arc; MCD_NODE_NONE: there is no such piece, or no departure uses its arc: the file is damaged.
 * `before`: the tail of the same arc, if it is known. */
mcd_node mcd_snap_tail(const mcd_roads *roads, const mcd_snap_index *index, size_t entry, mcd_node before);

/* Gets room for the leaves of an index, so that each is made once. Returns E_MEMORY. */
macadam_status mcd_snap_lines_new(mcd_snap_index *index, macadam_error *error);
void mcd_snap_lines_free(mcd_snap_index *index);

/* Returns how many pieces a leaf has. */
static inline size_t mcd_snap_leaf_pieces(const mcd_snap_index *index, size_t leaf)
{
    return mcd_size_min(MCD_SNAP_FANOUT, index->piece_count - leaf * MCD_SNAP_FANOUT);
}

/* Returns a leaf. The first search that looks at it keeps it; until it has, others make `own`. */
const mcd_snap_leaf *mcd_snap_leaf_find(const mcd_roads *roads, const mcd_snap_index *index, size_t leaf,
                                        mcd_snap_leaf *own);

#endif
