/* sweep.h - the downward sweep: the costs of all nodes in ascending order, for up to eight groups of 16 lanes
 * together. (Delling, Goldberg, Nowatzyk, Werneck 2011, PHAST)
 *
 * Method. The cost of node y is the least of its label (if a lane's root path goes through it) and of the
 * costs over its kept arcs from ancestors. Ids are a preorder, so one pass in ascending id order sees every
 * ancestor first.
 * Layout. The rows of the current root path lie on a stack indexed by depth, which stays in the nearest
 * caches. The caller decides where else a node's row goes. */
#ifndef MCD_KERNELS_CPU_SWEEP_SWEEP_H
#define MCD_KERNELS_CPU_SWEEP_SWEEP_H

#include "kernels/backend.h"
#include "kernels/cpu/device/carve.h"
#include "kernels/cpu/sweep/label.h"

/* Measured by tests/bench/ratios on New York and NE. */
enum {
    WIDTH = 4, /* groups of a pass: they share an arc's load and a node's branches */
    WIDTH_MAX = MCD_LANE_BITS == 32 && VEC_BYTES == 64 ? 8 : WIDTH, /* of lanes, if there are registers */
};

/* One pass's labels and its stack, for `width` groups. */
typedef struct sweep_scratch {
    cost *stack;                   /* [height * width * 16] */
    cost *panel[WIDTH_MAX];        /* [height * 16] */
    label_visit *visit[WIDTH_MAX]; /* [height * 16], descending */
    size_t visit_count[WIDTH_MAX]; /* visits not yet met: they are taken from the end */
} sweep_scratch;

/* The nodes to sweep: only[i] for first <= i < end, ascending; or, if `only` is NULL, the nodes i
 * themselves. Every ancestor of such a node comes before it in the span, or is on the stack already. */
typedef struct sweep_span {
    const mcd_node *only;
    size_t first, end;
} sweep_span;

/* Receives the costs of node y, the i-th of the span, for all groups. */
typedef void (*sweep_take)(void *context, size_t i, mcd_node y, const row *best, size_t width);

/* Carves the arrays that the labels of one group need. */
static inline void sweep_carve_labels(uintptr_t *memory, const mcd_hierarchy *hierarchy,
                                      sweep_scratch *scratch, size_t group)
{
    const size_t row_count = (size_t)hierarchy->height * LANES;
    scratch->panel[group] = carve(memory, row_count * sizeof(cost));
    scratch->visit[group] = carve(memory, row_count * sizeof(label_visit));
}

/* Computes the labels of a group of up to 16 lanes. */
static inline void sweep_label(const mcd_weights *weights, mcd_direction direction, const mcd_lane *lane,
                               size_t lane_count, sweep_scratch *scratch, size_t group)
{
    label_group labels;
    MCD_KERNEL(label_group_of)(&labels, weights->hierarchy, lane, lane_count);
    MCD_KERNEL(label)
    (&labels, weights, direction, lane, scratch->panel[group], scratch->visit[group],
     &scratch->visit_count[group]);
}

/* The next node with a label, over all groups of a pass. */
static inline mcd_node sweep_next_visit(const sweep_scratch *scratch, size_t width)
{
    mcd_node next = MCD_NODE_NONE;
    for (size_t g = 0; g < width; ++g) {
        if (scratch->visit_count[g] == 0) continue;
        const mcd_node node = scratch->visit[g][scratch->visit_count[g] - 1].node;
        if (node < next) next = node;
    }
    return next;
}

/* Skips the labels of nodes before y, which are not swept; returns the next node with a label. */
static inline mcd_node sweep_skip_visits(sweep_scratch *scratch, mcd_node y, size_t width)
{
    for (size_t g = 0; g < width; ++g)
        while (scratch->visit_count[g] > 0 && scratch->visit[g][scratch->visit_count[g] - 1].node < y)
            --scratch->visit_count[g];
    return sweep_next_visit(scratch, width);
}

/* Takes the labels of node y, which is next in some group. */
static inline void sweep_take_visits(sweep_scratch *scratch, mcd_node y, uint32_t depth, size_t width,
                                     row *best)
{
    for (size_t g = 0; g < width; ++g) {
        if (scratch->visit_count[g] == 0) continue;
        const label_visit visit = scratch->visit[g][scratch->visit_count[g] - 1];
        if (visit.node != y) continue;
        --scratch->visit_count[g];
        best[g] = row_hide(row_load(scratch->panel[g] + (size_t)depth * LANES), row_hide_all_but(visit.mask));
    }
}

/* `width` and `take` are compile-time constants at each call. */
static inline __attribute__((always_inline)) void sweep_nodes(const mcd_weights *weights,
                                                              mcd_direction direction, sweep_span span,
                                                              sweep_scratch *scratch, const size_t width,
                                                              sweep_take take, void *context)
{
    const mcd_search *search = &weights->search[!direction];
    const uint32_t *const arc_depth = search->depth, *const node_depth = weights->hierarchy->depth;
    cost *const stack = scratch->stack;
    const mcd_node *const only = span.only;
    mcd_node visited = sweep_next_visit(scratch, width);
    if (!only) visited = sweep_skip_visits(scratch, (mcd_node)span.first, width);
    mcd_arc xy = search->first[only ? 0 : span.first];
    for (size_t i = span.first; i < span.end; ++i) {
        const mcd_node y = only ? only[i] : (mcd_node)i;
        if (only) {
            xy = search->first[y];
            while (visited < y) visited = sweep_skip_visits(scratch, y, width);
        }
        row best[WIDTH_MAX];
#pragma GCC unroll 8
        for (size_t g = 0; g < width; ++g) best[g] = row_all(COST_UNREACHED);
        if (y == visited) {
            sweep_take_visits(scratch, y, node_depth[y], width, best);
            visited = sweep_next_visit(scratch, width);
        }
        for (const mcd_arc end = search->first[y + 1]; xy < end; ++xy) {
            const cost weight = cost_of(search->objective, search->companion, xy);
            const cost *const above = stack + arc_depth[xy] * width * LANES;
#pragma GCC unroll 8
            for (size_t g = 0; g < width; ++g)
                best[g] = row_relax(best[g], row_load(above + g * LANES), weight);
        }
#pragma GCC unroll 8
        for (size_t g = 0; g < width; ++g) row_store(stack + (node_depth[y] * width + g) * LANES, best[g]);
        take(context, i, y, best, width);
    }
}

#endif
