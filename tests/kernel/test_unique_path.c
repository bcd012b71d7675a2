/* test_unique_path.c - a near search on a large map uses little memory. */
#include "engine/base/memory.h"
#include "kernels/host/unique_path.h"
#include "tests/support/checked.h"

#include <criterion/criterion.h>
#include <sys/resource.h>

enum { NODES = 1 << 20, STOPS = 8, BYTES_MOST = 12 << 20 };

#ifdef __APPLE__
enum { PEAK_UNIT = 1 };
#else
enum { PEAK_UNIT = 1024 };
#endif

static long peak_bytes(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return PEAK_UNIT * used.ru_maxrss;
}

/* A street over nodes that are far apart in memory; no other node has arcs. A large page under each would be cleared. */
Test(unique_path, a_near_search_uses_little_of_a_large_map)
{
    FREED mcd_arc *const first = checked_zeroed(NODES + 1, sizeof *first);
    mcd_node head[STOPS - 1], tail[STOPS - 1];
    uint32_t in_arc[STOPS - 1];
    mcd_weight weight[STOPS - 1];
    FREED mcd_arc *const first_in = checked_zeroed(NODES + 1, sizeof *first_in);
    for (mcd_node i = 0; i + 1 < STOPS; ++i) {
        tail[i] = i * (NODES / STOPS), head[i] = (i + 1) * (NODES / STOPS);
        in_arc[i] = i, weight[i] = 1;
    }
    for (size_t v = 1; v <= NODES; ++v) {
        first[v] = (v - 1) / (NODES / STOPS) + 1;
        first_in[v] = (v - 1) / (NODES / STOPS);
        if (first[v] > STOPS - 1) first[v] = STOPS - 1;
    }
    const mcd_graph graph = {.node_count = NODES,
                             .arc_count = STOPS - 1,
                             .first_out = first,
                             .head = head,
                             .first_in = first_in,
                             .tail = tail,
                             .in_arc = in_arc};
    const mcd_weights weights = {.graph = &graph, .objective = weight};
    const mcd_lane from = mcd_lane_of(0), to = mcd_lane_of(head[STOPS - 2]);
    mcd_unique_path found;
    macadam_error error;
    const long before = peak_bytes();
    cr_assert_eq(mcd_unique_path_find(&found, &weights, &from, 1, &to, 1, NULL, &error), MACADAM_OK);
    const long used = peak_bytes() - before;
    cr_expect_eq(mcd_joint_objective(found.cost), STOPS - 1);
    cr_expect_eq(found.path.count, STOPS - 1);
    cr_expect_lt(used, BYTES_MOST, "%ld bytes", used);
    mcd_free(found.path.arc);
}
