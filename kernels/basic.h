/* basic.h - the basic weights of all upward arcs, as searches and repairs read them and ready files store them: with an array for
 * each direction and quantity.
 *
 * A search over all upward arcs finds the costs that one over kept arcs finds: the arcs that pruning leaves out are on no
 * shortest path, or a kept path costs the same. */
#ifndef MCD_KERNELS_BASIC_H
#define MCD_KERNELS_BASIC_H

#include "engine/base/parallel.h"
#include "kernels/views.h"

/* The arrays of a hierarchy: [the words of an arc][upward arcs]. First those of the forward search: objective, and companion
 * if there is one; then those of the backward search. */
static inline size_t mcd_basic_words(const mcd_weights *weights)
{
    return weights->companion ? 4 : 2;
}

/* Returns the number of upward arcs. */
static inline size_t mcd_basic_arcs(const mcd_weights *weights)
{
    return weights->hierarchy->first_up[weights->hierarchy->node_count];
}

/* Fills in the arrays: those of the arcs up[i], whose costs are cost[2 * i + direction] (mcd_custom.cost); if `up` is NULL, of all
 * arcs. */
void mcd_basic_spread(mcd_weight *arrays, const mcd_weights *weights, const void *cost, const uint32_t *up,
                      size_t count, const mcd_parallel *parallel);

/* Lets `weights` search over all upward arcs by these arrays. */
void mcd_basic_search(mcd_weights *weights, const mcd_weight *arrays);

#endif
