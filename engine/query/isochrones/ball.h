/* ball.h - the nodes within a limit of a place, found by a sweep that leaves out what lies beyond. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_BALL_H
#define MCD_ENGINE_QUERY_ISOCHRONES_BALL_H

#include "engine/base/watch.h"
#include "kernels/views.h"

/* Nodes and their costs. One worker uses a ball for one place after the other. */
typedef struct mcd_ball {
    uint64_t *within; /* a bit per node: its cost is at most the limit */
    mcd_weight *cost; /* [node_count]; only where the bit is set */
    mcd_node *node;   /* [count] ascending: the nodes whose bits are set */
    size_t count;
    mcd_node *kept_node;   /* [kept_count] ascending: the nodes of an earlier growth */
    mcd_weight *kept_cost; /* likewise */
    size_t kept_count, kept_capacity;
} mcd_ball;

/* Returns the bytes that a ball holds on a map; it touches few of them while it is small. */
uint64_t mcd_ball_bytes(mcd_node node_count);

/* Makes an empty ball; free it with mcd_ball_free, on failure too. */
macadam_status mcd_ball_new(mcd_ball *out, mcd_node node_count, macadam_error *error);
void mcd_ball_free(mcd_ball *ball);

/* Fills the ball with the nodes within `limit` of the lanes of one place. Returns MACADAM_OK, or E_CANCELLED if the
 * watch stops it. Time: the root paths of the seeds,
 * and a look at each node within the limit and at those around them. */
macadam_status mcd_ball_grow(mcd_ball *ball, const mcd_weights *weights, mcd_direction direction,
                             const mcd_lane *lane, size_t lane_count, mcd_weight limit, mcd_watch *watch,
                             macadam_error *error);

/* Keeps the nodes and their costs while the ball grows from another place. Returns MACADAM_OK or E_MEMORY. */
macadam_status mcd_ball_keep(mcd_ball *ball, macadam_error *error);

static inline bool mcd_ball_has(const mcd_ball *ball, mcd_node node)
{
    return ball->within[node / 64] >> node % 64 & 1;
}

#endif
