/* snap.h - the snap index: the roads that are nearest to a point.
 *
 * Roads are cut at their shape points into straight pieces. Each piece is in the index once, on the arc of
 * its road that has the smaller number. Pieces are sorted along the Hilbert curve. A leaf holds
 * MCD_SNAP_FANOUT consecutive pieces, and a box as many leaves or boxes: a packed R-tree without pointers,
 * full except for the last box of each level. (Roussopoulos, Leifker 1985; Kamel, Faloutsos 1993)
 *
 * The lines of a leaf are made when a search first looks at them: a process that asks little makes few.
 *
 * Distance. The plane is the equirectangular projection about the requested point: longitudes count as at its
 * latitude, the shorter way around the globe. That is exact near the point, where roads are looked for, and
 * an approximation far away. */
#ifndef MCD_ENGINE_MAP_SNAP_H
#define MCD_ENGINE_MAP_SNAP_H

#include "engine/map/road.h"

#include <stdatomic.h>

/* Part of the file format. */
enum { MCD_SNAP_FANOUT = 16, MCD_SNAP_LEVELS_MAX = 9 };

typedef struct mcd_snap_line {
    mcd_point from, to;
} mcd_snap_line;

/* If a piece crosses the antimeridian, its box goes around the globe. */
typedef struct mcd_snap_box {
    int32_t west_e7, south_e7, east_e7, north_e7;
} mcd_snap_box;

/* The lines of pieces, once they are made. */
typedef struct mcd_snap_lines {
    mcd_snap_line *line;   /* [piece_count] along the arc */
    atomic_uchar *of_leaf; /* per leaf whether its lines are made; NULL: lines are not kept */
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
/* Widens the box so that it encloses the line as well, which must not cross the antimeridian. */
void mcd_snap_enclose(mcd_snap_box *box, const mcd_snap_line *line);
/* Makes the boxes of all levels above the leaves from theirs. first[]: of mcd_snap_levels. */
void mcd_snap_fill_levels(mcd_snap_box *box, const size_t *first, size_t levels);

/* Returns a piece of an arc that leaves `tail`: its two ends as mcd_road_point has them. */
mcd_snap_line mcd_snap_line_of(const mcd_roads *roads, mcd_node tail, uint32_t arc, uint32_t piece);

/* Gets room for the lines of an index, so that each is made once. Returns E_MEMORY. */
macadam_status mcd_snap_lines_new(mcd_snap_index *index, macadam_error *error);
void mcd_snap_lines_free(mcd_snap_index *index);

/* The directions of travel that a place requests. */
typedef struct mcd_snap_course {
    double heading, tolerance; /* degrees, clockwise from north; a tolerance of 0: any heading */
    /* On two-way roads: 1 = the direction that has the place on its right, -1 = on its left, 0 = both. A
     * place on the road itself is on no side, and may be left both ways. */
    int curb;
} mcd_snap_course;

/* A place on a road. */
typedef struct mcd_snap_hit {
    double square; /* of the distance, which is in 1e-7 degrees of latitude */
    double along;  /* the position on the piece, from 0 to 1 */
    size_t entry;  /* the piece, as an index into snap_index */
    mcd_snap_line line;
    uint64_t number; /* the number of its arc */
    bool way[2];     /* whether the course allows travel along the arc, and back */
} mcd_snap_hit;

/* The leaves of an area, found once for several searches there. */
enum { MCD_SNAP_LEAVES_MAX = 64 };
typedef struct mcd_snap_area {
    size_t count;
    uint32_t leaf[MCD_SNAP_LEAVES_MAX];
    mcd_snap_box box[MCD_SNAP_LEAVES_MAX];
} mcd_snap_area;

/* Finds the leaves that searches from within `around` for at most `radius_m` need. Returns false if there are too
 * many, or if the area is near a pole or the antimeridian. Time: about that of two searches. */
bool mcd_snap_area_find(mcd_snap_area *out, const mcd_snap_index *index, const mcd_snap_box *around,
                        double radius_m);

/* One search of the index. */
typedef struct mcd_snap_search {
    const mcd_roads *roads;
    const mcd_snap_index *index;
    const mcd_weights *weights; /* closed roads are left out; NULL: none is closed */
    mcd_point at;
    double radius_m;
    bool connected; /* roads that are cut off are left out */
    mcd_snap_course course;
    const mcd_snap_area *area; /* it has `at`, and at least this radius; NULL: all leaves are searched */
} mcd_snap_search;

/* Returns whether the road of a piece is cut off. */
static inline bool mcd_snap_is_cut_off(const mcd_snap_index *index, size_t entry)
{
    return index->piece[entry] % 2;
}

enum { MCD_SNAP_HITS_MAX = 64 };

/* Finds the nearest place on each of up to `capacity` (at most MCD_SNAP_HITS_MAX) nearest roads on which the course allows
 * travel, nearest first. Of equally near roads the one with the smaller number comes first; of equally near pieces
 * the first one counts. Returns how many places there are. Time: a few microseconds. */
size_t mcd_snap_find(const mcd_snap_search *search, mcd_snap_hit *hit, size_t capacity);

/* Receives a piece, as an index into snap_index; false: no further pieces are wanted. */
typedef bool mcd_snap_take(void *context, size_t entry);
/* Calls `each` with each piece whose own bounding box meets `box`, in 1e-7 degrees, which may go on beyond 180 degrees;
 * with some of them repeatedly. Time: that of the pieces in the box, and a microsecond. */
void mcd_snap_find_in(const mcd_roads *roads, const mcd_snap_index *index, const macadam_box *box,
                      mcd_snap_take *each, void *context);
bool mcd_snap_line_meets(const mcd_snap_line *line, const macadam_box *box);

/* The roads that meet a hit's road where the hit is, if that is an end of it. */
typedef struct mcd_snap_meeting {
    bool is_nearer; /* the road of a hit before it does */
    bool goes_on;   /* and its street goes on there: under the same name, or no third road meets them */
} mcd_snap_meeting;

/* Compares hits of one search, as mcd_snap_find has them, and at most MCD_SNAP_HITS_MAX. */
void mcd_snap_meet(const mcd_snap_search *search, const mcd_snap_hit *hit, size_t count,
                   mcd_snap_meeting *out);

/* Like mcd_snap_find, but of a street in several pieces, only the nearest one counts. */
size_t mcd_snap_find_streets(const mcd_snap_search *search, mcd_snap_hit *hit, size_t capacity);

double mcd_snap_metres(double square);

#endif
