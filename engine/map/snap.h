/* snap.h - searches of the snap index: the roads that are nearest to a point.
 *
 * Distance. The plane is the equirectangular projection about the requested point: longitudes count as at its
 * latitude, the shorter way around the globe. That is exact near the point, where roads are looked for, and
 * an approximation far away. */
#ifndef MCD_ENGINE_MAP_SNAP_H
#define MCD_ENGINE_MAP_SNAP_H

#include "engine/map/snap_index.h"

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
    uint32_t arc;  /* as the index has it */
    mcd_node tail; /* of its arc */
    bool way[2];   /* whether the course allows travel along the arc, and back */
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

/* Finds the nearest place of each search, on any road: hit[i].entry is MCD_SNAP_NONE if there is none. Searches without an
 * area. Time: less than that of searches one after the other, which wait for memory. */
#define MCD_SNAP_NONE SIZE_MAX
void mcd_snap_find_nearest(const mcd_snap_search *search, size_t count, mcd_snap_hit *hit);

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
/* Returns by how much shorter a degree of longitude is at a latitude than on the equator. */
double mcd_snap_shrink(int32_t lat_e7);
/* Returns the square of a distance, as hits have it. */
double mcd_snap_limit(double radius_m);

#endif
