/* place.h - from a place (a user's id, or a longitude and latitude) to nodes.
 *
 * The snap index is a k-d tree over longitude and latitude without pointers: an order of the nodes that the
 * user can ask for (one per id: where it departs). The middle of a range divides it: what stands before it
 * has no larger coordinate, what stands behind no smaller one; then come the two halves, by the other
 * coordinate. The whole range is divided by longitude. (Bentley 1975, Multidimensional Binary Search Trees)
 * Distances are those of great circles, and so is the bound that decides which halves need no look: neither
 * the poles nor the antimeridian are a case of their own. */
#ifndef MCD_PLACE_H
#define MCD_PLACE_H

#include "engine/parallel.h"
#include "engine/types.h"

/* Part of the file format (8: bounds for less cost more than a look at the nodes). */
enum { MCD_PLACE_LEAF = 8 };

/* Sections of an edge file, borrowed. */
typedef struct mcd_place_index {
    size_t node_count, id_count;
    const int64_t *id;               /* [id_count] ascending */
    const mcd_node *depart, *arrive; /* [id_count] */
    const int64_t *node_id;          /* [node_count] */
    const int32_t *lon_e7, *lat_e7;  /* [node_count], NULL without coordinates */
    const mcd_node *snap_node;       /* [id_count]: the k-d tree; NULL without coordinates */
} mcd_place_index;

/* The middle of a range that is not empty: the root of its subtree. */
static inline size_t mcd_place_middle(size_t first, size_t last)
{
    return first + (last - first) / 2;
}

/* Fills snap_node[id_count] with the k-d tree of `depart`. Coordinates are per node. Returns E_MEMORY if
 * there is none for 12 bytes an id. Time: n log n. */
macadam_status mcd_place_build(mcd_node *snap_node, const mcd_node *depart, size_t id_count,
                               const int32_t *lon_e7, const int32_t *lat_e7, const mcd_parallel *parallel,
                               macadam_error *error);

#define MCD_PLACE_NONE SIZE_MAX
/* The position of `id` among the ids, or MCD_PLACE_NONE. */
size_t mcd_place_find_id(const mcd_place_index *index, int64_t id);

/* Locates place[i] for i < count: an id by itself, a point by the nearest node within radius_m metres (0 =
 * 1000; not negative), of equally near ones that with the smallest id. snap[i] says what was found; depart[i]
 * and arrive[i] are the nodes, MCD_NODE_NONE if the place failed. snap, depart and arrive may each be NULL.
 * Time: some microseconds a point. */
void mcd_place_locate(const mcd_place_index *index, const mcd_parallel *parallel, const macadam_place *place,
                      size_t count, double radius_m, macadam_snap *snap, mcd_node *depart, mcd_node *arrive);

#endif
