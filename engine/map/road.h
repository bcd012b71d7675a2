/* road.h - roads as they lie on the ground: a road is a stretch between two junctions, open one way or both
 * ways. It is one arc, or one arc and the arc back.
 *
 * Where junctions are split, several arcs bear one number. A road is identified by the arcs that departures
 * use: these leave the nodes from which ids depart, and each number has one of them. */
#ifndef MCD_ENGINE_MAP_ROAD_H
#define MCD_ENGINE_MAP_ROAD_H

#include "engine/base/status.h"
#include "engine/map/kind.h"
#include "engine/map/place.h"
#include "kernels/views.h"

/* The facts by which answers name arcs. Optional arrays are NULL. Sections of an edge file, borrowed. */
typedef struct mcd_arc_facts {
    const uint64_t *arc_number;
    const int64_t *arc_way;
    const uint32_t *arc_kind;
    const mcd_kind *kind;
    const char *names;
    const uint8_t *ferry; /* as in a map; NULL once a file is opened */
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

/* Returns the name of an arc's road, or its ref if it has no name, or "". */
static inline const char *mcd_arc_name(const mcd_arc_facts *facts, uint32_t arc)
{
    if (!facts->arc_kind) return "";
    const uint32_t *const text = facts->kind[facts->arc_kind[arc]].text;
    return facts->names + (text[MCD_KIND_NAME] ? text[MCD_KIND_NAME] : text[MCD_KIND_REF]);
}

#define MCD_ROAD_NONE UINT32_MAX /* no arc; graphs have fewer arcs than this */

/* Returns the tail of an arc. Time: a binary search over the nodes. */
mcd_node mcd_road_tail(const mcd_graph *graph, uint32_t arc);

/* Returns how many points an arc has, including both end nodes: at least 2. */
static inline size_t mcd_road_point_count(const mcd_roads *roads, uint32_t arc)
{
    const uint64_t *const first_shape = roads->facts->first_shape;
    return 2 + (first_shape ? first_shape[arc + 1] - first_shape[arc] : 0);
}

/* Returns the i-th point of an arc that leaves `tail`. */
mcd_point mcd_road_point(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i);

#define MCD_WHOLE_E7 3600000000.0 /* once around the globe */

/* Returns, in degrees, the point at the fraction `along` (0 to 1) of a straight piece. */
void mcd_road_between(mcd_point from, mcd_point to, double along, double *lon, double *lat);

/* Returns the length of a straight piece in metres, on the ellipsoid as the importer measures it: the lengths
 * of parts of an arc agree with the arc's. */
double mcd_road_length(mcd_point from, mcd_point to);

#define MCD_ROAD_WHOLE (UINT64_C(1) << 32) /* a whole arc in 2^-32ths */

/* Writes the points, in degrees, of the part of an arc between two of its 2^-32ths, including both ends of
 * the part. Returns how many there are: at least 2, at most mcd_road_point_count. */
size_t mcd_road_cut(const mcd_roads *roads, uint32_t arc, uint64_t from, uint64_t to, double *lon,
                    double *lat);

/* Returns whether a departure uses the arc. */
bool mcd_road_departs(const mcd_roads *roads, mcd_node tail, uint32_t arc);

/* Makes *out[arc], the tail of each arc that a departure uses, MCD_NODE_NONE for all other arcs; the caller
 * frees it with mcd_free. Time: linear. */
macadam_status mcd_road_departures(mcd_node **out, const mcd_roads *roads, macadam_error *error);

/* Returns the node at which one arrives at the id of `node`. If the id has copies, each has an arc to it. */
mcd_node mcd_road_arrival(const mcd_roads *roads, mcd_node node);

/* Returns the copy of an arc that leaves `tail`, or MCD_ROAD_NONE. */
uint32_t mcd_road_copy(const mcd_roads *roads, mcd_node tail, uint32_t arc);

/* Returns the copy of an arc that a departure uses. Time: a binary search over the ids, and a look at the
 * arcs there. */
uint32_t mcd_road_original(const mcd_roads *roads, mcd_node tail, uint32_t arc);

enum { MCD_ROAD_PAIRED_MAX = 256 };

/* Returns the arc back on the same road, or MCD_ROAD_NONE. `arc` must be one that a departure uses. The arc
 * back has the same way and the same points in reverse. If several arcs do, the first in the file is paired
 * with the first, the second with the second, so that the arc back of the arc back is the arc itself. Only
 * the first MCD_ROAD_PAIRED_MAX arcs from one node to another (from a split node: all its arcs) are paired;
 * any further ones are one-way roads, because pairing examines only that many. Time: some binary searches. */
uint32_t mcd_road_back(const mcd_roads *roads, mcd_node tail, uint32_t arc);

#endif
