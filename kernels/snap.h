/* snap.h - the road that is nearest to a point: the arithmetic of the search, which the processor and devices share.
 *
 * All devices find the same bits if their compilers fuse no multiplication with an addition. The cosine of a latitude is the
 * exception: libraries differ, so the processor computes it for devices, too. engine/map/snap.h has the rule about
 * distances. */
#ifndef MCD_KERNELS_SNAP_H
#define MCD_KERNELS_SNAP_H

#include "kernels/views.h"

#include <math.h>

#define MCD_WHOLE_E7   3600000000.0        /* once around the globe */
#define MCD_ROAD_WHOLE (UINT64_C(1) << 32) /* a whole arc in 2^-32ths */
#define MCD_ROAD_NONE  UINT32_MAX          /* no arc; graphs have fewer arcs than this */

/* Part of the file format. */
enum { MCD_SNAP_FANOUT = 16, MCD_SNAP_LEVELS_MAX = 9 };

typedef struct mcd_point {
    int32_t lon_e7, lat_e7;
} mcd_point;

typedef struct mcd_snap_line {
    mcd_point from, to;
} mcd_snap_line;

/* If a piece crosses the antimeridian, its box goes around the globe. */
typedef struct mcd_snap_box {
    int32_t west_e7, south_e7, east_e7, north_e7;
} mcd_snap_box;

/* How much is known of the nearest road of a point that requests no direction of travel, whether that road is open or not. */
typedef enum mcd_nearest_state {
    MCD_NEAREST_UNKNOWN, /* it must be looked for */
    MCD_NEAREST_FOUND,
    MCD_NEAREST_TOO_FAR, /* no road is within the radius */
    MCD_NEAREST_CUT_OFF, /* found, but the road is cut off: a place on it has another position, too */
} mcd_nearest_state;

/* The point's position on that road. */
typedef struct mcd_nearest_road {
    uint64_t before; /* how many 2^-32ths of `arc` are before the position */
    uint32_t arc;    /* of the road: one that a departure uses */
    uint32_t back;   /* MCD_ROAD_NONE: it is a one-way road */
    uint32_t id;     /* the index of the junction, if the position is at an end; else MCD_ROAD_NONE */
    uint32_t state;  /* mcd_nearest_state; unless a road is found, nothing else counts */
} mcd_nearest_road;

/* ---- the plane about a point ---- */

typedef struct mcd_snap_plane {
    double lon_e7, lat_e7, shrink; /* of longitudes */
} mcd_snap_plane;

typedef struct mcd_snap_vector {
    double east, north;
} mcd_snap_vector;

/* Returns the shorter way around the globe. A sum with 1.5 * 2^52 has no fraction; a little more than the globe
 * leaves half of it as it is. */
MCD_INLINE double mcd_snap_wrapped(double lon_e7)
{
    const double rounds = lon_e7 * (1 / (MCD_WHOLE_E7 + 0.5)) + 0x1.8p52 - 0x1.8p52;
    return lon_e7 - rounds * MCD_WHOLE_E7;
}

MCD_INLINE mcd_snap_vector mcd_snap_project(const mcd_snap_plane *plane, mcd_point point)
{
    const mcd_snap_vector out = {mcd_snap_wrapped(point.lon_e7 - plane->lon_e7) * plane->shrink,
                                 point.lat_e7 - plane->lat_e7};
    return out;
}

MCD_INLINE double mcd_snap_square(mcd_snap_vector v)
{
    return v.east * v.east + v.north * v.north;
}

MCD_INLINE mcd_snap_vector mcd_snap_step(const mcd_snap_plane *plane, const mcd_snap_line *line)
{
    const mcd_snap_vector out = {mcd_snap_wrapped((double)line->to.lon_e7 - line->from.lon_e7) *
                                     plane->shrink,
                                 (double)line->to.lat_e7 - line->from.lat_e7};
    return out;
}

/* The distance of a line, squared, and where on it the nearest point is: `along` is 0 at `from`, 1 at `to`. */
typedef struct mcd_snap_distance {
    double along, inner, from, to; /* of squares: that by which `along` decides counts */
} mcd_snap_distance;

MCD_INLINE mcd_snap_distance mcd_snap_measure(const mcd_snap_plane *plane, const mcd_snap_line *line)
{
    const double tiny = 1e-300; /* less than the square of any length above 0, by far */
    const mcd_snap_vector from = mcd_snap_project(plane, line->from), step = mcd_snap_step(plane, line);
    const double length = mcd_snap_square(step), dot = -(from.east * step.east + from.north * step.north),
                 positive = dot <= 0 ? 0 : dot, part = positive >= length ? length : positive,
                 along = part / (length + tiny);
    const mcd_snap_vector nearest = {from.east + along * step.east, from.north + along * step.north};
    const mcd_snap_distance out = {along, mcd_snap_square(nearest), mcd_snap_square(from),
                                   mcd_snap_square(mcd_snap_project(plane, line->to))};
    return out;
}

/* Returns the square. The ends are used unrounded, so that lines that meet there are equally far. */
MCD_INLINE double mcd_snap_nearest(double along, double inner, double from, double to)
{
    const double at = along == 1 ? to : inner;
    return along == 0 ? from : at;
}

/* ---- lower bounds ---- */

MCD_INLINE double mcd_snap_lesser(double a, double b)
{
    return a < b ? a : b;
}

MCD_INLINE double mcd_snap_greater(double a, double b)
{
    return a > b ? a : b;
}

/* Returns a lower bound on the square of the distance to all that is within a box. */
MCD_INLINE double mcd_snap_bound(const mcd_snap_plane *plane, const mcd_snap_box *box)
{
    const double west = box->west_e7 - plane->lon_e7, east = plane->lon_e7 - box->east_e7,
                 south = box->south_e7 - plane->lat_e7, north = plane->lat_e7 - box->north_e7;
    const double around = MCD_WHOLE_E7 + mcd_snap_lesser(west, east); /* the other way around the globe */
    const double direct = mcd_snap_greater(mcd_snap_greater(west, east), 0);
    const mcd_snap_vector gap = {mcd_snap_lesser(direct, around) * plane->shrink,
                                 mcd_snap_greater(mcd_snap_greater(south, north), 0)};
    return mcd_snap_square(gap);
}

/* Returns the greatest bound of something that may be as near as this: bounds and distances are rounded differently. */
MCD_INLINE double mcd_snap_reach(double square)
{
    return square * (1 + 1e-6) + 1e-6;
}

/* ---- positions ---- */

/* Returns how many 2^-32ths of an arc of `whole` metres are before a place within it, after `before` metres. */
MCD_INLINE uint64_t mcd_snap_share(double before, double whole)
{
    if (!(before > 0)) return 0;
    if (before >= whole) return MCD_ROAD_WHOLE;
    const double part = before / whole * (double)MCD_ROAD_WHOLE;
    if (part < 1) return 1;
    return part < (double)(MCD_ROAD_WHOLE - 1) ? (uint64_t)part : MCD_ROAD_WHOLE - 1;
}

/* ---- on devices ---- */

/* A piece of a road, as the end of a search needs it. */
typedef struct mcd_snap_piece {
    uint64_t number;              /* of the arc: of equally near roads the smaller one counts */
    double before, length, whole; /* metres of the arc before the piece, of the piece, and of the arc */
    uint32_t arc, back;           /* back: along the road the other way, or MCD_ROAD_NONE */
    uint32_t id[2];               /* of the junctions at the arc's tail and head */
    uint32_t piece;               /* as in the index: twice its number, + 1 if the road is cut off */
    bool is_first, is_last;       /* of the arc */
} mcd_snap_piece;

/* A node from which a search reaches a place within an arc, and the copy of the arc that leaves this node. */
typedef struct mcd_arrival {
    mcd_node tail;
    uint32_t copy;
} mcd_arrival;

enum { MCD_ARRIVALS_MAX = 32 }; /* of an arc */

/* Where searches leave the places of roads, and reach them. */
typedef struct mcd_road_ends {
    size_t arc_count, id_count;
    const mcd_node *depart, *arrive; /* [id_count] */
    const uint32_t *first_arrival;   /* [arc_count + 1] the arrivals of each arc that departures use */
    const mcd_arrival *arrival; /* NULL: some arc has more than MCD_ARRIVALS_MAX, and there are no ends */
    uint32_t arrival_most;      /* of an arc */
} mcd_road_ends;

/* A snap index (engine/map/snap_index.h), complete. */
typedef struct mcd_snap_tree {
    size_t piece_count, level_count;
    size_t level_first[MCD_SNAP_LEVELS_MAX + 1]; /* of boxes; at last their number */
    const mcd_snap_box *box;
    const mcd_snap_line *line;   /* [piece_count] */
    const mcd_snap_piece *piece; /* [piece_count] */
    mcd_road_ends ends;
} mcd_snap_tree;

/* A point whose nearest road is looked for. */
typedef struct mcd_snap_point {
    mcd_point at;
    double shrink; /* of longitudes there */
    double limit;  /* the square beyond which nothing is wanted; below 0: the road stays unknown */
} mcd_snap_point;

#endif
