/* snap.h - the snap index: the roads that are nearest to a point.
 *
 * Roads are cut at their shape points into straight pieces, each of which lies once in the index, on the arc
 * of its road that has the smaller number. Pieces are sorted along the Hilbert curve; a leaf holds as many as
 * MCD_SNAP_FANOUT that follow each other, a box as many leaves or boxes: a packed R-tree without pointers,
 * complete but for the last box of each level. (Roussopoulos, Leifker 1985; Kamel, Faloutsos 1993)
 *
 * Distance. The plane is the equirectangular projection about the given point: longitudes count as at its
 * latitude, the shorter way around the globe. That is exact near it, where roads are looked for, and plain
 * far away. */
#ifndef MCD_ENGINE_MAP_SNAP_H
#define MCD_ENGINE_MAP_SNAP_H

#include "engine/map/road.h"

/* Part of the file format. */
enum { MCD_SNAP_FANOUT = 16, MCD_SNAP_LEVELS_MAX = 9 };

typedef struct mcd_snap_line {
    mcd_point from, to;
} mcd_snap_line;

/* If a piece crosses the antimeridian, its box goes around the globe. */
typedef struct mcd_snap_box {
    int32_t west_e7, south_e7, east_e7, north_e7;
} mcd_snap_box;

/* Sections of an edge file, or the engine's own. */
typedef struct mcd_snap_index {
    size_t piece_count, box_count;
    const uint32_t *arc; /* [piece_count] that a departure uses */
    /* [piece_count] 2 * which one of the arc, counted from its tail; + 1 if the road is on a small component,
     * which leads to few others. */
    const uint32_t *piece;
    const mcd_snap_line *line; /* [piece_count] along the arc */
    const mcd_snap_box *box;   /* [box_count] of leaves, then level by level to the one of all */
} mcd_snap_index;

/* The levels of boxes: where each begins, and after the last one where it ends. Returns how many there
 * are. */
size_t mcd_snap_levels(size_t piece_count, size_t first[MCD_SNAP_LEVELS_MAX + 1]);

/* What encloses a piece. */
mcd_snap_box mcd_snap_box_of(const mcd_snap_line *line);

/* Which directions of travel a place asks for. */
typedef struct mcd_snap_course {
    double heading, tolerance; /* degrees, clockwise from north; a tolerance of 0: any heading */
    int curb; /* 1: on two-way roads the direction that has the place on its right, -1: on its left;
                                  0: both. A place on the road has none of the two sides. */
} mcd_snap_course;

/* A place on a road. */
typedef struct mcd_snap_hit {
    double square;   /* of the distance in 1e-7 degrees of latitude */
    double along;    /* of the piece, from 0 to 1 */
    size_t entry;    /* of the index: the piece */
    uint64_t number; /* of its arc */
    bool way[2];     /* whether the course allows to travel there, along the arc, or back */
} mcd_snap_hit;

/* A question to the index. */
typedef struct mcd_snap_search {
    const mcd_roads *roads;
    const mcd_snap_index *index;
    mcd_point at;
    double radius_m;
    bool any_component; /* false: roads of small components only if there is no other within the radius */
    mcd_snap_course course;
} mcd_snap_search;

/* The nearest place of each of the up to `capacity` nearest roads that the course allows to travel on,
 * nearest first, of equally near ones the one with the smaller number, of equally near pieces the first.
 * Returns how many there are. Time: some microseconds. */
size_t mcd_snap_find(const mcd_snap_search *search, mcd_snap_hit *hit, size_t capacity);

double mcd_snap_metres(double square);

#endif
