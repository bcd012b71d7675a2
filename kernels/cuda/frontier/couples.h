/* couples.h - the couples of neighbours on a GPU, in the host's order.
 *
 * They are ordered by segments of the higher node, as many nodes as have their costs in a block's shared
 * memory; and within a segment by the lower node, so that a warp reads few lines of the lower nodes'
 * costs. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_COUPLES_H
#define MCD_KERNELS_CUDA_FRONTIER_COUPLES_H

#include "kernels/cuda/device/arc_array.h"

#include <tuple>

enum {
    SEGMENT_NODES = 1 << 14, /* MCD_COUPLE_SEGMENT (engine/map/graph.h) */
    SHORT_NONE = 0xffff,
    COUPLE_BYTES = 10, /* of each couple, besides its long weights */
};

/* The couples as kernels see them; [count] each. Weight: mcd_weight, or uint16_t for objectives of 16 bits. */
template <class Weight> struct couples_view {
    size_t count;
    const mcd_arc *segment_first; /* [segment_count + 1] */
    const uint16_t *high;         /* the node's place within its segment */
    const mcd_node *low;
    const Weight *up, *down; /* objectives of high -> low, low -> high; SHORT_NONE or MCD_UNREACHED: closed */
    const mcd_weight *up_companion, *down_companion;
};

struct gpu_arc_couples {
    size_t count = 0;
    uint32_t segment_count = 0;
    gpu_array<mcd_arc> segment_first;
    arc_array<uint16_t> high;
    arc_array<mcd_node> low;
    /* high -> low; low -> high. Long objectives, short ones if all are short. */
    std::tuple<arc_array<mcd_weight>, arc_array<uint16_t>> objective[2];
    arc_array<mcd_weight> companion[2];
    bool are_short = false;
    /* The couples as a search in that direction sees them: a backward one swaps up and down. */
    template <class Weight> couples_view<Weight> view(int direction) const
    {
        return {count,
                segment_first.get(),
                high.get(),
                low.get(),
                std::get<arc_array<Weight>>(objective[direction]).get(),
                std::get<arc_array<Weight>>(objective[!direction]).get(),
                companion[direction].get(),
                companion[!direction].get()};
    }
};

/* Enqueues the copy of `host`'s couples; does nothing if there are none. MACADAM_E_INVALID if they are not
 * in order. */
void couples_copy(gpu_arc_couples *out, gpu_call &call, arc_room *room, const mcd_arcs *host);

#endif
