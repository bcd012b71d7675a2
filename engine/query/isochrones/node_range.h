/* node_range.h - the nodes within a limit of a place, found by a sweep that leaves out what lies beyond. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_NODE_RANGE_H
#define MCD_ENGINE_QUERY_ISOCHRONES_NODE_RANGE_H

#include "engine/base/watch.h"
#include "kernels/views.h"

/* Nodes and their costs. One worker uses a range for one place after the other. */
typedef struct mcd_node_range {
    uint64_t *within; /* a bit per node: its cost is at most the limit */
    mcd_weight *cost; /* [node_count]; only where the bit is set */
    mcd_node *node;   /* [count] ascending: the nodes whose bits are set */
    size_t count;
    mcd_node *kept_node;   /* [kept_count] ascending: the nodes of an earlier growth */
    mcd_weight *kept_cost; /* likewise */
    size_t kept_count, kept_capacity;
    mcd_weight
        *search_cost; /* [node_count] of one search with a clock, and its scratch; NULL until there is one */
    void *search_scratch;
} mcd_node_range;

/* Returns the bytes that a range holds on a map; it touches few of them while it is small. */
uint64_t mcd_node_range_bytes(mcd_node node_count);

/* Makes an empty range; free it with mcd_node_range_free, on failure too. */
macadam_status mcd_node_range_new(mcd_node_range *out, mcd_node node_count, macadam_error *error);
void mcd_node_range_free(mcd_node_range *range);

/* Fills the range with the nodes within `limit` of the lanes of one place. Returns MACADAM_OK, or E_CANCELLED if the
 * watch stops it. Time: the root paths of the seeds,
 * and a look at each node within the limit and at those around them. */
macadam_status mcd_node_range_grow(mcd_node_range *range, const mcd_weights *weights, mcd_direction direction,
                                   const mcd_lane *lane, size_t lane_count, mcd_weight limit,
                                   mcd_watch *watch, macadam_error *error);

/* Empties the range. */
void mcd_node_range_clear(mcd_node_range *range);
/* Adds the nodes whose cost, cost[node], is at most `limit`; the lower one of two costs counts. */
void mcd_node_range_take(mcd_node_range *range, mcd_node node_count, const mcd_weight *cost,
                         mcd_weight limit);

/* Keeps the nodes and their costs while the range grows from another place. Returns MACADAM_OK or E_MEMORY. */
macadam_status mcd_node_range_keep(mcd_node_range *range, macadam_error *error);

static inline bool mcd_node_range_has(const mcd_node_range *range, mcd_node node)
{
    return range->within[node / 64] >> node % 64 & 1;
}

#endif
