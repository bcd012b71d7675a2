/* replay.h - drives a route again on the raw file, and finds whether it keeps to the roads and to their
 * rules. */
#ifndef MCD_TESTS_SUPPORT_RAW_REPLAY_H
#define MCD_TESTS_SUPPORT_RAW_REPLAY_H

#include "tests/support/raw/network.h"

#include "engine/include/macadam.h"

namespace raw
{

/* The fault of a route whose arcs are these of the network, in order; "" if there is none. Looks at the
 * points and ends of the arcs, at what may follow what, at each relation, and at the sums; `value` is in the
 * order of the quantities. */
std::string replay(const network &roads, const macadam_route &route, const arc_list &driven);

} // namespace raw

#endif
