/* pocket.h - an oracle that finds, arc by arc, the roads that lie in pockets because public roads
 * reach them only over destination-only ones. */
#ifndef MCD_TESTS_SUPPORT_RAW_POCKET_H
#define MCD_TESTS_SUPPORT_RAW_POCKET_H

#include "tests/support/raw/network.h"

#include <functional>

namespace raw
{

/* What a node is for those who go through it. */
enum class passing { open, gate, blocked };

/* Which of the arcs lie in pockets. `out` and `in` are the arcs at a node, `at` says what a node is. */
std::vector<bool> find_pockets(const std::vector<arc> &arcs,
                               const std::function<const arc_list &(int64_t)> &out,
                               const std::function<const arc_list &(int64_t)> &in,
                               const std::function<passing(int64_t)> &at);

} // namespace raw

#endif
