/* bellman_ford.c - one-to-all costs by rounds over all couples of neighbours, until a round changes nothing.
 *
 * Each couple is read once for both of its arcs, and a round sees its own changes. Couples are ordered by
 * segments of their nodes, so that a round touches few distinct parts of the costs at a time. (Kolganov
 * 2014) Rounds go forwards and backwards in turn: one round completes a path of ascending or descending
 * nodes. (Yen 1970) */
#include "kernels/cpu/frontier/sssp.h"

/* The weights of a couple in the search's direction: those out of the higher node, and out of the lower
 * one. */
typedef struct couple_weights {
    const mcd_weight *up, *up_companion, *down, *down_companion;
} couple_weights;

static couple_weights weights_of(const mcd_arcs *arcs, mcd_direction direction)
{
    const couple_weights forward = {arcs->couple_up, arcs->couple_up_companion, arcs->couple_down,
                                    arcs->couple_down_companion};
    return direction == MCD_FORWARD
               ? forward
               : (couple_weights){forward.down, forward.down_companion, forward.up, forward.up_companion};
}

static bool run_round(const sssp_search *search, const couple_weights *weights, bool descending)
{
    const mcd_arcs *arcs = search->job->arcs;
    const mcd_node *high = arcs->couple_high, *low = arcs->couple_low;
    cost *const dist = search->dist;
    bool changed = false;
    for (size_t count = 0; count < arcs->couple_count; ++count) {
        const size_t i = descending ? arcs->couple_count - 1 - count : count;
        const cost from_high = dist[high[i]], from_low = dist[low[i]];
        const cost at_low = cost_relaxed(from_high, cost_of(weights->up, weights->up_companion, i));
        const cost at_high = cost_relaxed(from_low, cost_of(weights->down, weights->down_companion, i));
        if (at_low < from_low) dist[low[i]] = at_low, changed = true;
        if (at_high < from_high) dist[high[i]] = at_high, changed = true;
    }
    return changed;
}

static void lowered(void *context, MCD_UNUSED mcd_node node)
{
    *(bool *)context = true;
}

void MCD_KERNEL(bellman_ford)(const sssp_search *search)
{
    const couple_weights weights = weights_of(search->job->arcs, search->job->direction);
    bool changed = false;
    sssp_seed(search, lowered, &changed);
    for (bool descending = false; changed && mcd_watch_goes_on(search->watch); descending = !descending)
        changed = run_round(search, &weights, descending);
}
