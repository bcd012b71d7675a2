/* gated_area.h - an oracle that finds, arc by arc, the roads that lie in gated areas because public roads
 * reach them only over destination-only ones. */
#ifndef MCD_TESTS_SUPPORT_RAW_GATED_AREA_H
#define MCD_TESTS_SUPPORT_RAW_GATED_AREA_H

#include "tests/support/raw/network.h"

#include <functional>

namespace raw
{

/* Whether a traveller may go through a node. */
enum class passing { open, gate, blocked };

/* Whether public roads do not lead from an arc to the core, or from there to it, though all roads do. */
struct gated_area {
    bool no_exit, no_entry;
};

/* The gated area of each of the arcs. `out` and `in` are the arcs at a node, `at` says what a node is. */
std::vector<gated_area> find_gated_areas(const std::vector<arc> &arcs,
                                         const std::function<const arc_list &(int64_t)> &out,
                                         const std::function<const arc_list &(int64_t)> &in,
                                         const std::function<passing(int64_t)> &at);

} // namespace raw

#endif
