/* couples.h - the couples of neighbours on a GPU, in the host's order.
 *
 * They are ordered by segments of the higher node, as many nodes as have their costs in a block's shared
 * memory; and within a segment by the lower node, so that a warp reads few lines of the lower nodes'
 * costs. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_COUPLES_H
#define MCD_KERNELS_CUDA_FRONTIER_COUPLES_H

#include "kernels/cuda/frontier/arc_array.h"

enum {
    SEGMENT_NODES = 1 << 14, /* MCD_COUPLE_SEGMENT (engine/map/graph.h) */
    SHORT_NONE = 0xffff,
    COUPLE_BYTES = 10, /* of each couple, besides its long weights */
};

/* The couples as kernels see them; [count] each. */
struct couples_view {
    size_t count;
    uint32_t segment_count;
    const mcd_arc *segment_first; /* [segment_count + 1] */
    const uint16_t *high;         /* the node's place within its segment */
    const mcd_node *low;
    const mcd_weight *up, *up_companion, *down, *down_companion; /* high -> low; low -> high */
    const uint16_t *short_up, *short_down; /* objectives of 16 bits, SHORT_NONE: closed; NULL: too large */
};

struct gpu_arc_couples {
    size_t count = 0;
    uint32_t segment_count = 0;
    gpu_array<mcd_arc> segment_first;
    arc_array<uint16_t> high;
    arc_array<mcd_node> low;
    arc_array<mcd_weight> up, up_companion, down, down_companion;
    arc_array<uint16_t> short_up, short_down;
    /* The couples as a search in that direction sees them: a backward one swaps up and down. */
    couples_view view(mcd_direction direction) const
    {
        couples_view out = {
            count,           segment_count,      segment_first.get(), high.get(),           low.get(),
            up.get(),        up_companion.get(), down.get(),          down_companion.get(), short_up.get(),
            short_down.get()};
        if (direction == MCD_BACKWARD) {
            std::swap(out.up, out.down), std::swap(out.up_companion, out.down_companion);
            std::swap(out.short_up, out.short_down);
        }
        return out;
    }
};

/* Enqueues the copy of `host`'s couples; does nothing if there are none. MACADAM_E_INVALID if they are not
 * in order. */
macadam_status couples_copy(gpu_arc_couples *out, gpu_call &call, arc_room *room, const mcd_arcs *host);

#endif
