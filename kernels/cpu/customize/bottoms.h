/* bottoms.h - the lower triangles of one upward arc, without lists of lower nodes.
 *
 * Method. A bottom has upward arcs to both ends of the arc. All other upward neighbours of a node are neighbours of its parent,
 * too. So a walk down the tree from the arc's lower end that leaves out the subtree of each node without one of the two arcs
 * meets all bottoms, ascending. */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_BOTTOMS_H
#define MCD_KERNELS_CPU_CUSTOMIZE_BOTTOMS_H

#include "kernels/views.h"

typedef struct mcd_bottoms {
    const mcd_hierarchy *hierarchy;
    mcd_node mid, top;          /* the ends of the arc */
    mcd_node next;              /* of the walk */
    mcd_arc mid_slot, top_slot; /* among the arcs of the last bottom: most often, also of the next one */
    mcd_node bottom;            /* the last one, and its arcs */
    mcd_arc to_mid, to_top;
} mcd_bottoms;

static inline mcd_bottoms mcd_bottoms_of(const mcd_hierarchy *hierarchy, mcd_node mid, mcd_node top)
{
    return (mcd_bottoms){.hierarchy = hierarchy, .mid = mid, .top = top, .next = mid + 1};
}

/* Returns the upward arc of x to `head`, or UINT64_MAX. *slot: where it may be among those of x; then, where it is. */
static inline mcd_arc mcd_bottoms_arc(const mcd_hierarchy *hierarchy, mcd_node x, mcd_node head,
                                      mcd_arc *slot)
{
    const mcd_arc first = hierarchy->first_up[x], end = hierarchy->first_up[x + 1];
    if (first + *slot < end && hierarchy->up_head[first + *slot] == head) return first + *slot;
    const mcd_arc at = mcd_lower_bound_u32(hierarchy->up_head, first, end, head);
    if (at == end || hierarchy->up_head[at] != head) return UINT64_MAX;
    *slot = at - first;
    return at;
}

/* Finds the next bottom and its arcs. Returns false if there are no more. */
static inline bool mcd_bottoms_next(mcd_bottoms *walk)
{
    const mcd_hierarchy *const hierarchy = walk->hierarchy;
    while (walk->next < hierarchy->subtree_end[walk->mid]) {
        const mcd_node x = walk->next;
        walk->to_mid = mcd_bottoms_arc(hierarchy, x, walk->mid, &walk->mid_slot);
        walk->to_top = walk->to_mid == UINT64_MAX ? UINT64_MAX
                                                  : mcd_bottoms_arc(hierarchy, x, walk->top, &walk->top_slot);
        walk->next = walk->to_top == UINT64_MAX ? hierarchy->subtree_end[x] : x + 1;
        walk->bottom = x;
        if (walk->to_top != UINT64_MAX) return true;
    }
    return false;
}

#endif
