/* opposite.h - pairs of originals that lead there and back: what one of them has follows from the other, mostly.
 *
 * Compact files use this. Weights are stored in three parts: those of originals without an opposite, in their order;
 * those of the other originals, less the weight of their opposite; those of all other arcs, less the weight of their
 * original, if they have one. Nothing is lost, whatever the weights are: differences are taken modulo 2^32. */
#ifndef MCD_ENGINE_FILE_OPPOSITE_H
#define MCD_ENGINE_FILE_OPPOSITE_H

#include "engine/base/parallel.h"
#include "engine/map/road.h"

/* Small differences of either sign become small numbers: 0, -1, 1, ... become 0, 1, 2, ... */
static inline uint32_t mcd_fold(uint32_t difference)
{
    return difference << 1 ^ (difference >> 31 ? UINT32_MAX : 0);
}

static inline uint32_t mcd_unfold(uint32_t folded)
{
    return folded >> 1 ^ (folded & 1 ? UINT32_MAX : 0);
}

typedef struct mcd_opposites {
    size_t original_count;
    size_t count; /* of originals that have one */
    uint32_t *
        arc; /* [original_count + 1] the arc of the graph that it is, ascending; then 0. NULL: no junction is split,
                    * and each arc is its own original */
    uint32_t
        *opposite; /* [original_count] an earlier original that leads back; MCD_ROAD_NONE: there is none */
} mcd_opposites;

/* Finds the opposites of a graph's originals. original[arc]: as in mcd_arc_facts. Of parallel originals between two
 * junctions, the first is the opposite of the first that leads back, and so on. Originals of junctions from which
 * many leave have none. Returns E_MEMORY or E_CANCELLED. Time: linear. */
macadam_status mcd_opposites_new(mcd_opposites *out, const mcd_graph *graph, const mcd_place_index *places,
                                 const uint32_t *original, size_t original_count,
                                 const mcd_parallel *parallel, macadam_error *error);
void mcd_opposites_free(mcd_opposites *opposites);

/* If it packs, reads weight[arc_count] and writes packed[arc_count]; otherwise reads packed and writes weight. Returns
 * E_MEMORY or E_CANCELLED. */
macadam_status mcd_weights_convert(mcd_weight *weight, mcd_weight *packed, bool packs, size_t arc_count,
                                   const uint32_t *original, const mcd_opposites *opposites,
                                   const mcd_parallel *parallel, macadam_error *error);

#endif
