/* road.h - roads as they lie on the ground: a stretch between two junctions, open one way or both, which is
 * one arc, or one arc and the arc back.
 *
 * Where junctions are split, several arcs bear one number. A road is meant by those that a departure uses:
 * they leave the nodes that ids depart from, and each number has one of them. */
#ifndef MCD_ENGINE_MAP_ROAD_H
#define MCD_ENGINE_MAP_ROAD_H

#include "engine/map/place.h"
#include "kernels/views.h"

/* What answers name arcs by. Optional arrays are NULL. Sections of an edge file, borrowed. */
typedef struct mcd_arc_facts {
    const uint64_t *arc_number;
    const int64_t *arc_way;
    const uint32_t *arc_name;
    const char *names;
    const uint8_t *ferry; /* as of a map; NULL once a file is opened */
    const uint64_t *first_shape;
    const int32_t *shape_lon_e7, *shape_lat_e7;
} mcd_arc_facts;

/* A map with its roads; the places have coordinates. */
typedef struct mcd_roads {
    const mcd_graph *graph;
    const mcd_place_index *places;
    const mcd_arc_facts *facts;
} mcd_roads;

typedef struct mcd_point {
    int32_t lon_e7, lat_e7;
} mcd_point;

#define MCD_ROAD_NONE UINT32_MAX /* no arc: there are fewer */

/* Time: a binary search over the nodes. */
mcd_node mcd_road_tail(const mcd_graph *graph, uint32_t arc);

/* How many points an arc has, both end nodes included: at least 2. */
static inline size_t mcd_road_point_count(const mcd_roads *roads, uint32_t arc)
{
    const uint64_t *const first_shape = roads->facts->first_shape;
    return 2 + (first_shape ? first_shape[arc + 1] - first_shape[arc] : 0);
}

/* The i-th point of an arc that leaves `tail`. */
mcd_point mcd_road_point(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i);

#define MCD_WHOLE_E7 3600000000.0 /* once around the globe */

/* A point in degrees, so far (0 to 1) along a straight piece. */
void mcd_road_between(mcd_point from, mcd_point to, double along, double *lon, double *lat);

/* The length of a straight piece in 1e-7 degrees of latitude: longitudes count as in its middle. */
double mcd_road_length(mcd_point from, mcd_point to);

#define MCD_ROAD_WHOLE (UINT64_C(1) << 32) /* the 2^-32ths of an arc */

/* The points, in degrees, of the part of an arc between two of its 2^-32ths, where it begins and where it
 * ends included. Returns how many there are: at least 2, at most mcd_road_point_count. */
size_t mcd_road_cut(const mcd_roads *roads, uint32_t arc, uint64_t from, uint64_t to, double *lon,
                    double *lat);

/* Whether a departure uses the arc. */
bool mcd_road_departs(const mcd_roads *roads, mcd_node tail, uint32_t arc);

/* The node at which one arrives at the id of `node`: all its copies have an arc to it, if there are
 * copies. */
mcd_node mcd_road_arrival(const mcd_roads *roads, mcd_node node);

/* The copy of an arc that leaves `tail`, or MCD_ROAD_NONE. */
uint32_t mcd_road_copy(const mcd_roads *roads, mcd_node tail, uint32_t arc);

enum { MCD_ROAD_PAIRED_MAX = 256 };

/* The arc back on the road of an arc that a departure uses, or MCD_ROAD_NONE. It has the same way and the
 * same points in reverse; of several that do, the first in the file goes with the first, the second with the
 * second. So the arc back of the arc back is the arc. Of the arcs from one node to another (if that is split,
 * of all arcs from the one) those after the first MCD_ROAD_PAIRED_MAX are one-way roads, for what pairs them
 * looks at all before them. Time: some binary searches. */
uint32_t mcd_road_back(const mcd_roads *roads, mcd_node tail, uint32_t arc);

#endif
