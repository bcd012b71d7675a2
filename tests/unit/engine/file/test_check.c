/* test_check.c - good sections pass; each broken rule is reported with section, element and value.
 *
 * The map: arcs 0>1 0>1 1>0 1>2 2>2 3>0, node 4 has none. Its hierarchy is made up, over six nodes in
 * preorder:
 *
 *      0         5      parent    - 0 1 1 0 -     up(1) = 0        depth  0 1 2 2 1 0
 *     / \               up(2) = 0 1   up(3) = 1   up(4) = 0        level  2 1 0 0 0 0
 *    1   4              subtree_end 5 4 3 4 5 6
 *   / \                 supernodes [0 1 2] [3] [4] [5]; bottom subtrees at 1, 4 and 5
 *  2   3                kept arcs 1>0 2>1 3>0 3>1 4>0 */
#include "engine/map/unindexed.h"
#include "engine/prepare/snap_build.h"
#include "tests/support/leak.h"
#include "tests/support/rng.h"
#include "tests/support/scoped.h"

#include "engine/base/memory.h"
#include "engine/file/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const mcd_parallel two_threads = {2, NULL};
static macadam_error error;
static const mcd_check check = {"map.mcd", &two_threads, &error};

static void set_up(void)
{
    allocator_install();
}

TestSuite(check, .init = set_up, .fini = leak_expect_none);

static void expect_ok(macadam_status status)
{
    cr_assert_eq(status, MACADAM_OK, "%s", error.message);
}

/* E_FILE, and a message that begins with file and section and names element and value. */
static void expect_bad(macadam_status status, const char *section, size_t element, long long value)
{
    char begin[256];
    snprintf(begin, sizeof begin, "map.mcd: section '%s': element %zu is %lld: ", section, element, value);
    cr_assert_eq(status, MACADAM_E_FILE, "expected: %s", begin);
    cr_assert_eq(strncmp(error.message, begin, strlen(begin)), 0, "'%s' is not '%s...'", error.message,
                 begin);
}

static void expect_message(macadam_status status, const char *message)
{
    cr_assert_eq(status, MACADAM_E_FILE);
    cr_assert_not_null(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
}

/* Sets `place` to `value` while `call` is checked. */
#define EXPECT_BAD(place, new_value, section, element, call)                                                 \
    do {                                                                                                     \
        const __typeof__(place) kept_value = (place);                                                        \
        (place) = (__typeof__(place))(new_value);                                                            \
        expect_bad((call), (section), (element), (long long)(place));                                        \
        (place) = kept_value;                                                                                \
        expect_ok(call);                                                                                     \
    } while (0)

/* The same, where the broken rule shows at another element. */
#define EXPECT_BAD_AT(place, new_value, section, element, shown, call)                                       \
    do {                                                                                                     \
        const __typeof__(place) kept_value = (place);                                                        \
        (place) = (__typeof__(place))(new_value);                                                            \
        expect_bad((call), (section), (element), (shown));                                                   \
        (place) = kept_value;                                                                                \
        expect_ok(call);                                                                                     \
    } while (0)

/* ---- single arrays ---- */

enum { MANY = 100000 };
static uint64_t many_offsets[MANY + 1];
static uint32_t many[MANY];
static int32_t many_signed[MANY];

Test(check, offsets_begin_at_0_ascend_and_end_at_the_count)
{
    uint64_t first[] = {0, 2, 2, 5};
    EXPECT_BAD(first[0], 1, "first", 0, mcd_check_offsets(check, "first", first, 3, 5));
    EXPECT_BAD(first[1], 3, "first", 1, mcd_check_offsets(check, "first", first, 3, 5));
    EXPECT_BAD_AT(first[2], 1, "first", 1, 2, mcd_check_offsets(check, "first", first, 3, 5));
    EXPECT_BAD(first[3], 4, "first", 3, mcd_check_offsets(check, "first", first, 3, 5));
    first[1] = UINT64_MAX;
    cr_assert_eq(mcd_check_offsets(check, "first", first, 3, 5), MACADAM_E_FILE);
    cr_assert_not_null(strstr(error.message, "18446744073709551615"), "%s", error.message);
}

Test(check, offsets_of_nothing_are_one_zero)
{
    uint64_t first[] = {0};
    EXPECT_BAD(first[0], 1, "first", 0, mcd_check_offsets(check, "first", first, 0, 0));
}

Test(check, bad_element_is_found_wherever_it_is)
{
    for (size_t i = 0; i <= MANY; ++i) many_offsets[i] = i;
    test_rng rng = {1};
    for (int time = 0; time < 100; ++time) {
        const size_t i = 1 + rng_below(&rng, MANY - 1);
        EXPECT_BAD(many_offsets[i], MANY + 1, "first", i,
                   mcd_check_offsets(check, "first", many_offsets, MANY, MANY));
        EXPECT_BAD(many[i], 9, "head", i, mcd_check_below(check, "head", many, MANY, 9));
        EXPECT_BAD(many_signed[i], -8, "lat_e7", i, mcd_check_range(check, "lat_e7", many_signed, MANY, 7));
    }
}

Test(check, first_of_several_bad_elements_is_reported)
{
    many[70] = 9, many[71] = 10, many[MANY - 1] = 11;
    expect_bad(mcd_check_below(check, "head", many, MANY, 9), "head", 70, 9);
}

Test(check, weights_have_31_bits)
{
    mcd_weight weight[] = {0, MCD_WEIGHT_MAX, MCD_UNREACHED};
    EXPECT_BAD(weight[1], MCD_UNREACHED + 1, "weight.duration", 1,
               mcd_check_weights(check, "weight.duration", weight, 3));
}

Test(check, coordinates_have_two_ends)
{
    int32_t lon[] = {-MCD_LON_MAX_E7, MCD_LON_MAX_E7};
    EXPECT_BAD(lon[0], -MCD_LON_MAX_E7 - 1, "lon_e7", 0,
               mcd_check_range(check, "lon_e7", lon, 2, MCD_LON_MAX_E7));
    EXPECT_BAD(lon[1], MCD_LON_MAX_E7 + 1, "lon_e7", 1,
               mcd_check_range(check, "lon_e7", lon, 2, MCD_LON_MAX_E7));
    EXPECT_BAD(lon[1], INT32_MIN, "lon_e7", 1, mcd_check_range(check, "lon_e7", lon, 2, MCD_LON_MAX_E7));
}

/* ---- the map ---- */

Test(check, ids_ascend)
{
    int64_t id[] = {-5, 0, 9};
    expect_ok(mcd_check_ids(check, id, 3));
    EXPECT_BAD(id[1], -5, "id", 1, mcd_check_ids(check, id, 3));
    EXPECT_BAD(id[2], -1, "id", 2, mcd_check_ids(check, id, 3));
}

static uint64_t first_out[] = {0, 2, 4, 5, 6, 6};
static mcd_node head[] = {1, 1, 0, 2, 2, 0};

static macadam_status check_graph(void)
{
    const mcd_graph graph = {.node_count = 5, .arc_count = 6, .first_out = first_out, .head = head};
    return mcd_check_graph(check, &graph);
}

Test(check, heads_of_each_tail_ascend)
{
    expect_ok(check_graph());
    EXPECT_BAD(first_out[5], 5, "first_out", 5, check_graph());
    EXPECT_BAD(head[3], 5, "head", 3, check_graph());
    EXPECT_BAD_AT(head[2], 3, "head", 3, 2, check_graph());
}

Test(check, names_end_within_their_pool)
{
    char names[] = "\0Rue Grimaldi"; /* and the NUL that ends it */
    names[0] = 'x';
    expect_message(mcd_check_names(check, names, 14), "section 'names': its 14 bytes");
    names[0] = '\0';
    cr_expect_eq(mcd_check_names(check, names, 14), MACADAM_OK);
    expect_message(mcd_check_names(check, names, 13), "section 'names': its 13 bytes");
    expect_message(mcd_check_names(check, names, 0), "section 'names': its 0 bytes");
    names[5] = '\xe9'; /* Latin-1 */
    expect_message(mcd_check_names(check, names, 14), "section 'names': byte 5 is not UTF-8");
}

Test(check, kinds_have_their_words_in_the_pool_of_names)
{
    uint32_t arc_kind[] = {0, 1, 1};
    mcd_kind kind[] = {{.flags = 0}, {.text = {1, 1, 3, 3, 5, 7}}};
    char names[] = "\0a\0b\0c\0"; /* and the NUL that ends it */
    EXPECT_BAD(arc_kind[2], 2, "arc_kind", 2, mcd_check_kinds(check, arc_kind, 3, kind, NULL, 2, names, 8));
    expect_message(mcd_check_kinds(check, arc_kind, 3, kind, NULL, 2, names, 7),
                   "section 'kind': text 5 of kind 1 is at byte 7 of 7, where no name begins");
    names[4] = 'b';
    expect_message(mcd_check_kinds(check, arc_kind, 3, kind, NULL, 2, names, 8),
                   "section 'kind': text 4 of kind 1 is at byte 5 of 8, where no name begins");
    expect_message(mcd_check_kinds(check, arc_kind, 0, kind, NULL, 0, names, 8), "section 'kind': 0 kinds: ");
}

/* ---- the hierarchy ---- */

#define NONE MCD_NODE_NONE
static mcd_node parent[] = {NONE, 0, 1, 1, 0, NONE}, subtree_end[] = {5, 4, 3, 4, 5, 6};
static uint32_t depth[] = {0, 1, 2, 2, 1, 0}, level[] = {2, 1, 0, 0, 0, 0};
static uint64_t first_up[] = {0, 0, 1, 3, 4, 5, 5};
static mcd_node up_head[] = {0, 0, 1, 1, 0}, supernode_first[] = {0, 3, 4, 5, 6}, bottom_root[] = {1, 4, 5};
static mcd_hierarchy tree = {.node_count = 6,
                             .height = 3,
                             .parent = parent,
                             .depth = depth,
                             .level = level,
                             .subtree_end = subtree_end,
                             .first_up = first_up,
                             .up_head = up_head,
                             .supernode_count = 4,
                             .bottom_count = 3,
                             .supernode_first = supernode_first,
                             .bottom_root = bottom_root};

static uint8_t speed[2 * MCD_PATTERN_SLOTS];

Test(check, patterns_are_whole_have_a_fastest_slot_and_are_there)
{
    uint16_t arc_pattern[] = {0, 2, 1};
    mcd_pattern_table table = {speed, 2, MCD_PATTERN_SLOTS};
    speed[MCD_PATTERN_SLOTS - 1] = speed[MCD_PATTERN_SLOTS] = MCD_PATTERN_FASTEST;
    expect_ok(mcd_check_patterns(check, &table, sizeof speed, arc_pattern, 3));
    EXPECT_BAD(arc_pattern[1], 3, "arc_pattern", 1,
               mcd_check_patterns(check, &table, sizeof speed, arc_pattern, 3));
    expect_message(mcd_check_patterns(check, &table, sizeof speed + 1, arc_pattern, 3),
                   "section 'pattern': its 1345 bytes are not at most 65535 patterns of 672 slots");
    speed[MCD_PATTERN_SLOTS] = 254;
    expect_message(mcd_check_patterns(check, &table, sizeof speed, arc_pattern, 3),
                   "section 'pattern': pattern 1 never has the fastest speed, 255");
    table = (mcd_pattern_table){speed, 1, 2 * MCD_PATTERN_SLOTS}; /* two weeks */
    expect_ok(mcd_check_patterns(check, &table, sizeof speed, arc_pattern, 1));
    expect_message(mcd_check_patterns(check, &table, MCD_PATTERN_SLOTS, arc_pattern, 1),
                   "section 'pattern': its 672 bytes are not at most 65535 patterns of 1344 slots");
    table = (mcd_pattern_table){speed, MCD_PATTERNS_MAX + 1, MCD_PATTERN_SLOTS};
    expect_message(mcd_check_patterns(check, &table, table.count * MCD_PATTERN_SLOTS, arc_pattern, 3),
                   "are not at most 65535 patterns");
}

static macadam_status check_tree(void)
{
    const macadam_status status = mcd_check_tree(check, &tree);
    return status ? status : mcd_check_upward(check, &tree, 5);
}

Test(check, good_hierarchy_passes)
{
    expect_ok(check_tree());
}

Test(check, parents_are_before_their_children_in_one_preorder)
{
    EXPECT_BAD(parent[3], 3, "parent", 3, check_tree());
    EXPECT_BAD(parent[3], 6, "parent", 3, check_tree());
    EXPECT_BAD(parent[3], 0, "parent", 3, check_tree());
    EXPECT_BAD(parent[4], NONE, "parent", 4, check_tree());
    EXPECT_BAD_AT(parent[5], 4, "depth", 5, 0, check_tree());
}

Test(check, root_within_a_tree_is_refused)
{
    parent[4] = NONE, depth[4] = 0;
    expect_bad(check_tree(), "parent", 4, (long long)NONE);
}

/* Draws a number below `count` from *code. */
static uint32_t take_digit(size_t *code, uint32_t count)
{
    const uint32_t digit = (uint32_t)(*code % count);
    *code /= count;
    return digit;
}

/* All forests of five nodes whose parents come first, with all subtree ends: right are those that end a subtree after its root's
 * descendants. */
Test(check, subtrees_are_the_descendants_of_their_roots)
{
    enum { NODES = 5, FORESTS = 120, ENDS = 3125 };
    size_t good = 0;
    for (size_t i = 0; i < FORESTS * ENDS; ++i) {
        mcd_node above[NODES], end[NODES];
        uint32_t levels[NODES];
        bool is_right = true;
        size_t code = i;
        for (mcd_node x = 0; x < NODES; ++x) {
            above[x] = take_digit(&code, x + 1) - 1; /* NONE for 0 */
            levels[x] = above[x] == NONE ? 0 : levels[above[x]] + 1;
            end[x] = 1 + take_digit(&code, NODES);
        }
        for (mcd_node x = 0; x < NODES; ++x)
            for (mcd_node y = 0; y < NODES; ++y) {
                mcd_node at = y;
                while (at != NONE && at != x) at = above[at];
                is_right &= (at == x) == (y >= x && y < end[x]);
            }
        const mcd_hierarchy forest = {
            .node_count = NODES, .height = NODES, .parent = above, .depth = levels, .subtree_end = end};
        cr_assert_eq(mcd_check_tree(check, &forest) == MACADAM_OK, is_right, "%zu", i);
        good += is_right;
    }
    cr_expect_eq(good, 42, "%zu", good); /* Catalan's number */
}

Test(check, node_after_the_last_tree_is_a_root)
{
    parent[5] = 0, depth[5] = 1; /* though 0's subtree ends before it */
    expect_bad(check_tree(), "parent", 5, 0);
}

Test(check, subtrees_are_ranges_of_their_nodes)
{
    EXPECT_BAD(subtree_end[3], 3, "subtree_end", 3, check_tree());
    EXPECT_BAD(subtree_end[5], 7, "subtree_end", 5, check_tree());
    EXPECT_BAD_AT(subtree_end[1], 3, "parent", 3, 1, check_tree());
    EXPECT_BAD_AT(subtree_end[2], 5, "subtree_end", 1, 4, check_tree());
}

Test(check, depths_and_levels_count_from_parent_and_child)
{
    EXPECT_BAD(depth[0], 1, "depth", 0, check_tree());
    EXPECT_BAD(depth[3], 1, "depth", 3, check_tree());
    EXPECT_BAD(depth[3], 0, "depth", 3, check_tree());
    EXPECT_BAD(level[0], 3, "level", 0, check_tree());
    EXPECT_BAD(level[0], 1, "level", 0, check_tree());
    EXPECT_BAD(level[5], UINT32_MAX, "level", 5, check_tree());
    tree.height = 2;
    expect_bad(check_tree(), "depth", 2, 2);
}

Test(check, upward_neighbours_ascend_to_the_parent_and_are_the_parents)
{
    EXPECT_BAD(first_up[6], 4, "first_up", 6, check_tree());
    EXPECT_BAD_AT(up_head[0], 5, "parent", 1, 0, check_tree());
    EXPECT_BAD_AT(up_head[1], 1, "up_head", 2, 1, check_tree());
    EXPECT_BAD_AT(up_head[2], 0, "parent", 2, 1, check_tree());
    EXPECT_BAD_AT(first_up[4], 3, "parent", 3, 1, check_tree());
}

Test(check, roots_have_no_upward_neighbours)
{
    first_up[5] = 4; /* 4>0 is now 5>0 */
    parent[4] = NONE, depth[4] = 0, subtree_end[0] = 4;
    expect_bad(check_tree(), "up_head", 4, 0);
}

Test(check, upward_neighbour_that_the_parent_lacks_is_refused)
{
    /* 3 is a child of 2 now, which has no upward arc to 0 any more */
    mcd_node chain_up[] = {0, 1, 0, 2, 0};
    uint64_t chain_first[] = {0, 0, 1, 2, 4, 5, 5};
    parent[3] = 2, depth[3] = 3, subtree_end[2] = 4, level[2] = 1, level[1] = 2, level[0] = 3;
    tree.height = 4, tree.up_head = chain_up, tree.first_up = chain_first;
    expect_bad(check_tree(), "up_head", 2, 0);
}

Test(check, input_arcs_have_upward_arcs)
{
    static const uint64_t out[] = {0, 1, 1, 3, 4, 5, 6}, in[] = {0, 2, 4, 4, 4, 5, 6};
    static const mcd_node to[] = {4, 0, 1, 1, 0, 5}, from[] = {2, 4, 2, 3, 0, 5}; /* 5 -> 5 is a loop */
    mcd_graph graph = {
        .node_count = 6, .arc_count = 6, .first_out = out, .head = to, .first_in = in, .tail = from};
    expect_ok(mcd_check_inputs(check, &tree, &graph));
    EXPECT_BAD_AT(up_head[1], 1, "first_up", 2, 1, mcd_check_inputs(check, &tree, &graph));
    EXPECT_BAD_AT(up_head[3], 0, "first_up", 3, 3, mcd_check_inputs(check, &tree, &graph));
}

/* A chain of 40 nodes, each with all nodes above it as upward neighbours but for the last, which lacks
 * node 5; below that a leaf with two upward neighbours, `far` and its parent. */
static macadam_status check_leaf_of_a_long_chain(mcd_node far)
{
    enum { CHAIN = 40, NODES = CHAIN + 1 };
    mcd_node chain_parent[NODES], chain_end[NODES], chain_up[NODES * NODES],
        chain_super[] = {0, CHAIN - 1, CHAIN, NODES};
    uint32_t chain_depth[NODES], chain_level[NODES];
    uint64_t chain_first[NODES + 1] = {0}, count = 0;
    for (mcd_node x = 0; x < NODES; ++x) {
        chain_parent[x] = x == 0 ? NONE : x - 1;
        chain_end[x] = NODES, chain_depth[x] = x, chain_level[x] = CHAIN - x;
        for (mcd_node y = 0; y < x; ++y)
            if (x < CHAIN ? x != CHAIN - 1 || y != 5 : y == far || y == CHAIN - 1) chain_up[count++] = y;
        chain_first[x + 1] = count;
    }
    const mcd_hierarchy chain = {.node_count = NODES,
                                 .height = NODES,
                                 .parent = chain_parent,
                                 .depth = chain_depth,
                                 .level = chain_level,
                                 .subtree_end = chain_end,
                                 .first_up = chain_first,
                                 .up_head = chain_up,
                                 .supernode_count = 3,
                                 .supernode_first = chain_super};
    const macadam_status status = mcd_check_tree(check, &chain);
    return status ? status : mcd_check_upward(check, &chain, count);
}

Test(check, few_upward_neighbours_are_looked_up_among_very_many)
{
    for (mcd_node far = 0; far < 39; ++far)
        if (far != 5) expect_ok(check_leaf_of_a_long_chain(far));
    expect_bad(check_leaf_of_a_long_chain(5), "up_head", 779, 5);
}

Test(check, supernodes_are_nested_chains_that_cover_the_nodes)
{
    EXPECT_BAD(supernode_first[0], 1, "supernode_first", 0, check_tree());
    EXPECT_BAD(supernode_first[4], 5, "supernode_first", 4, check_tree());
    EXPECT_BAD_AT(supernode_first[1], 4, "supernode_first", 2, 4, check_tree());
    EXPECT_BAD(supernode_first[2], UINT32_MAX, "supernode_first", 2, check_tree());
    supernode_first[1] = 4, supernode_first[2] = 5, supernode_first[3] = 6, tree.supernode_count = 3;
    expect_bad(check_tree(), "supernode_first", 0, 0); /* 3 is not a child of 2 */
}

Test(check, bottom_subtrees_are_disjoint)
{
    EXPECT_BAD(bottom_root[2], 6, "bottom_root", 2, check_tree());
    EXPECT_BAD(bottom_root[1], 3, "bottom_root", 1, check_tree());
    EXPECT_BAD_AT(bottom_root[0], 5, "bottom_root", 1, 4, check_tree());
}

/* ---- kept arcs ---- */

static uint64_t kept_first[] = {0, 0, 1, 2, 4, 5, 5};
static mcd_node kept_head[] = {0, 1, 0, 1, 0};
static uint32_t kept_depth[] = {0, 1, 0, 1, 0};
static mcd_weight objective[] = {0, 7, MCD_WEIGHT_MAX, 3, 4}, companion[] = {0, 1, MCD_UNREACHED, 3, 4};

static macadam_status check_search(void)
{
    const mcd_search search = {kept_first, kept_head, kept_depth, objective, companion, NULL};
    return mcd_check_search(check, "kept.q.forward", &tree, &search, 5);
}

Test(check, kept_arcs_lead_to_ancestors)
{
    expect_ok(check_search());
    EXPECT_BAD(kept_first[6], 6, "kept.q.forward.first", 6, check_search());
    EXPECT_BAD_AT(kept_first[3], 5, "kept.q.forward.first", 3, 5, check_search());
    EXPECT_BAD(kept_head[1], 2, "kept.q.forward.head", 1, check_search());
    EXPECT_BAD(kept_head[1], UINT32_MAX, "kept.q.forward.head", 1, check_search());
    EXPECT_BAD(kept_head[4], 1, "kept.q.forward.head", 4, check_search()); /* above 4, but no ancestor */
    EXPECT_BAD(kept_head[3], 0, "kept.q.forward.head", 3, check_search());
    EXPECT_BAD(kept_depth[2], 1, "kept.q.forward.depth", 2, check_search());
}

Test(check, kept_costs_are_reached)
{
    EXPECT_BAD(objective[2], MCD_UNREACHED, "kept.q.forward.objective", 2, check_search());
    EXPECT_BAD(companion[2], MCD_UNREACHED + 1, "kept.q.forward.companion", 2, check_search());
}

Test(check, search_may_lack_depths_and_companion)
{
    const mcd_search search = {kept_first, kept_head, NULL, objective, NULL, NULL};
    expect_ok(mcd_check_search(check, "kept.q.forward", &tree, &search, 5));
}

/* Kept arcs 1>0, 2>1, 3>0, 3>1, 4>0 and, backward, 0>1, 1>2, 1>3, 0>4. 1>0 is 1>3>0, 0>1 the input arc 0,
 * others too. */
Test(check, children_begin_and_end_where_their_arc_does)
{
    uint64_t backward_first[] = {0, 0, 1, 2, 3, 4, 4}, out[] = {0, 2, 4, 5, 7, 8, 8};
    mcd_node backward_head[] = {0, 1, 1, 0}, arc_head[] = {1, 4, 2, 3, 1, 0, 1, 0};
    uint64_t forward[] = {mcd_children_pack(2, 2), mcd_children_pack(MCD_CHILD_NONE, 4),
                          mcd_children_pack(MCD_CHILD_NONE, 5), mcd_children_pack(MCD_CHILD_NONE, 6),
                          mcd_children_pack(MCD_CHILD_NONE, 7)};
    uint64_t backward[] = {mcd_children_pack(MCD_CHILD_NONE, 0), mcd_children_pack(MCD_CHILD_NONE, 2),
                           mcd_children_pack(MCD_CHILD_NONE, 3), mcd_children_pack(MCD_CHILD_NONE, 1)};
    const mcd_graph graph = {.node_count = 6, .arc_count = 8, .first_out = out, .head = arc_head};
    const mcd_weights weights = {
        .hierarchy = &tree,
        .graph = &graph,
        .search = {{.first = kept_first, .head = kept_head, .children = forward},
                   {.first = backward_first, .head = backward_head, .children = backward}}};
#define CHECK_CHILDREN(direction) mcd_check_children(check, "kept.q", &weights, (direction))
    expect_ok(CHECK_CHILDREN(MCD_FORWARD));
    expect_ok(CHECK_CHILDREN(MCD_BACKWARD));
    EXPECT_BAD(forward[0], mcd_children_pack(4, 2), "kept.q.halves", 0, CHECK_CHILDREN(MCD_FORWARD));
    EXPECT_BAD(forward[0], mcd_children_pack(2, 5), "kept.q.halves", 0, CHECK_CHILDREN(MCD_FORWARD));
    EXPECT_BAD(forward[0], mcd_children_pack(3, 2), "kept.q.halves", 0, CHECK_CHILDREN(MCD_FORWARD));
    EXPECT_BAD(forward[0], mcd_children_pack(2, 3), "kept.q.halves", 0, CHECK_CHILDREN(MCD_FORWARD));
    EXPECT_BAD(forward[0], mcd_children_pack(2, 4), "kept.q.halves", 0,
               CHECK_CHILDREN(MCD_FORWARD)); /* 1>3, 4>0 */
    EXPECT_BAD(backward[2], mcd_children_pack(2, 3), "kept.q.halves", 2, CHECK_CHILDREN(MCD_BACKWARD));
    expect_message((backward[1] = mcd_children_pack(MCD_CHILD_NONE, 3), CHECK_CHILDREN(MCD_BACKWARD)),
                   "element 1");
    expect_message((forward[2] = mcd_children_pack(MCD_CHILD_NONE, 8), CHECK_CHILDREN(MCD_FORWARD)),
                   "element 2");
    expect_message((forward[2] = mcd_children_pack(MCD_CHILD_NONE, 7), CHECK_CHILDREN(MCD_FORWARD)),
                   "element 2");
}

/* ---- coordinates and the snap index ---- */

/* A chain of two-way roads between places in disorder, 0 - 1 - 2 - ..., each of one bend. */
enum { PLACES = 3000, CHAIN_ARCS = 2 * (PLACES - 1) };
static int64_t place_id[PLACES];
static mcd_node place_node[PLACES], chain_head[CHAIN_ARCS], chain_tail[CHAIN_ARCS];
static mcd_arc chain_out[PLACES + 1], chain_in[PLACES + 1];
static uint32_t chain_in_arc[CHAIN_ARCS];
static uint64_t chain_number[CHAIN_ARCS], chain_shape[CHAIN_ARCS + 1];
static uint8_t chain_ferry[CHAIN_ARCS];
static int32_t lon_e7[PLACES], lat_e7[PLACES], bend_lon_e7[CHAIN_ARCS], bend_lat_e7[CHAIN_ARCS];
static mcd_graph chain = {.first_out = chain_out,
                          .head = chain_head,
                          .first_in = chain_in,
                          .tail = chain_tail,
                          .in_arc = chain_in_arc};
static mcd_place_index places = {.id = place_id,
                                 .depart = place_node,
                                 .arrive = place_node,
                                 .node_place = place_node,
                                 .lon_e7 = lon_e7,
                                 .lat_e7 = lat_e7};
static const mcd_arc_facts chain_facts = {.number = chain_number,
                                          .ferry = chain_ferry,
                                          .first_point = chain_shape,
                                          .shape_lon_e7 = bend_lon_e7,
                                          .shape_lat_e7 = bend_lat_e7};
static mcd_roads chain_roads = {&chain, &places, &chain_facts, 0};

static void add_chain_arc(mcd_node from, mcd_node to)
{
    const uint32_t arc = chain.arc_count++, road = from < to ? from : to;
    chain_head[arc] = to;
    chain_number[arc] = arc + 1;
    bend_lon_e7[arc] = lon_e7[road] + 10, bend_lat_e7[arc] = lat_e7[road] + 10;
    chain_shape[arc + 1] = arc + 1;
}

/* The reverse CSR is not looked at. */
static void make_chain(size_t count)
{
    test_rng rng = {count};
    places.node_count = places.id_count = chain.node_count = (mcd_node)count;
    chain.arc_count = 0;
    for (size_t i = 0; i < count; ++i) {
        place_id[i] = place_node[i] = (mcd_node)i;
        lon_e7[i] = (int32_t)rng_below(&rng, 100000), lat_e7[i] = (int32_t)rng_below(&rng, 100000);
    }
    for (mcd_node i = 0; i < count; ++i) {
        chain_out[i] = chain.arc_count;
        if (i > 0) add_chain_arc(i, i - 1);
        if (i + 1 < count) add_chain_arc(i, i + 1);
    }
    chain_out[count] = chain.arc_count;
    chain_roads.original_count = chain.arc_count;
}

static mcd_snap_index make_index(size_t count)
{
    mcd_snap_index index;
    mcd_snap_pieces pieces;
    make_chain(count);
    mcd_components components;
    expect_ok(mcd_components_new(&components, &chain, NULL, NULL, &error));
    expect_ok(mcd_snap_pieces_new(&pieces, &chain_roads, &components, &two_threads, NULL, &error));
    mcd_free(pieces.unindexed);
    expect_ok(mcd_snap_index_sort(&index, &pieces, &chain_roads, &two_threads, NULL, &error));
    mcd_components_free(&components);
    cr_assert_eq(index.piece_count, count > 1 ? 2 * (count - 1) : 0);
    return index;
}

static macadam_status check_snap(const mcd_snap_index *index)
{
    mcd_node *tail;
    expect_ok(mcd_road_departures(&tail, &chain_roads, &error));
    const macadam_status status = mcd_check_snap(check, &chain_roads, tail, index);
    mcd_free(tail);
    return status;
}

Test(check, snap_indices_that_are_built_pass)
{
    static const size_t count[] = {0, 1, 2, 3, 8, 9, 10, 100, 128, 129, 130, 137, PLACES};
    for (size_t i = 0; i < sizeof count / sizeof *count; ++i) {
        SCOPED(mcd_snap_index_free) mcd_snap_index index = make_index(count[i]);
        expect_ok(check_snap(&index));
    }
}

#define CHECK_SNAP() check_snap(&index)

Test(check, pieces_of_the_snap_index_are_those_of_arcs)
{
    SCOPED(mcd_snap_index_free) mcd_snap_index index = make_index(PLACES);
    uint32_t *const arc = (uint32_t *)index.arc, *const piece = (uint32_t *)index.piece;
    EXPECT_BAD(arc[17], chain.arc_count, "snap_arc", 17, CHECK_SNAP());
    EXPECT_BAD(piece[4000], 4, "snap_piece", 4000, CHECK_SNAP());
    chain_number[arc[3]] = MCD_ARC_NONE;
    expect_message(CHECK_SNAP(), "an arc that no departure uses");
    chain_number[arc[3]] = arc[3] + 1;
    expect_ok(CHECK_SNAP());
}

/* Each seventh road is a ferry. The list is that of an import, which has the ferries, and that of a file's index. */
Test(check, roads_that_the_snap_index_leaves_out_are_ferries)
{
    enum { EVERY = 7 };
    const mcd_parallel one_thread = {1, NULL};
    SCOPED(mcd_snap_index_free) mcd_snap_index index;
    mcd_snap_pieces pieces;
    mcd_components components;
    uint32_t *found;
    size_t count;
    make_chain(PLACES);
    for (mcd_node i = 0; i + 1 < PLACES; i += EVERY)
        for (mcd_arc arc = chain_out[i]; arc < chain_out[i + 2]; ++arc)
            chain_ferry[arc] = arc < chain_out[i + 1] ? chain_head[arc] == i + 1 : chain_head[arc] == i;
    expect_ok(mcd_components_new(&components, &chain, NULL, NULL, &error));
    expect_ok(mcd_snap_pieces_new(&pieces, &chain_roads, &components, &two_threads, NULL, &error));
    MCD_OWNED uint32_t *made = pieces.unindexed;
    expect_ok(mcd_snap_index_sort(&index, &pieces, &chain_roads, &two_threads, NULL, &error));
    expect_ok(mcd_unindexed_find(&found, &count, &chain_roads, &index, &one_thread, &error));
    cr_assert_eq(pieces.unindexed_count, (PLACES - 2) / EVERY + 1);
    cr_assert_eq(count, pieces.unindexed_count);
    cr_expect_arr_eq(found, made, count * sizeof *found);
    for (size_t i = 0; i < count; ++i) cr_expect_eq(chain_head[found[i]], (mcd_node)(EVERY * i + 1));
    EXPECT_BAD(found[5], chain.arc_count, "unindexed_arc", 5,
               mcd_check_unindexed(check, &chain_roads, found, count));
    chain_number[found[3]] = MCD_ARC_NONE;
    expect_message(mcd_check_unindexed(check, &chain_roads, found, count), "an arc that no departure uses");
    mcd_free(found);
    mcd_components_free(&components);
}

static size_t find_near(const mcd_snap_index *index, mcd_snap_hit *hit, size_t capacity)
{
    const mcd_snap_search search = {
        .roads = &chain_roads, .index = index, .at = {50000, 50000}, .radius_m = 1000};
    return mcd_snap_find(&search, hit, capacity);
}

Test(check, pieces_of_arcs_that_no_departure_uses_are_not_found)
{
    SCOPED(mcd_snap_index_free) mcd_snap_index index = make_index(PLACES);
    mcd_snap_hit before, after[2];
    cr_assert_eq(find_near(&index, &before, 1), 1);
    chain_number[before.arc] = MCD_ARC_NONE;
    cr_assert_eq(find_near(&index, after, 2), 2);
    for (size_t i = 0; i < 2; ++i) cr_expect_neq(after[i].arc, before.arc);
}

Test(check, lines_that_are_kept_are_those_that_are_made)
{
    enum { FOUND = 64 };
    SCOPED(mcd_snap_index_free) mcd_snap_index index = make_index(PLACES);
    mcd_snap_hit made[FOUND], kept[FOUND];
    const size_t count = find_near(&index, made, FOUND);
    expect_ok(mcd_snap_lines_new(&index, &error));
    for (int again = 0; again < 2; ++again) {
        cr_assert_eq(find_near(&index, kept, FOUND), count);
        for (size_t i = 0; i < count; ++i) {
            cr_expect_eq(kept[i].entry, made[i].entry);
            cr_expect_arr_eq(&kept[i].line, &made[i].line, sizeof made[i].line);
        }
    }
}

/* ---- changed arcs ---- */

Test(check, changed_arcs_ascend_and_have_weights_and_prices)
{
    enum { COUNT = 4 };
    mcd_changed_arc changed[COUNT] = {
        {0, 0, MCD_PRICE_IMPORTED}, {2, MCD_UNREACHED, 0}, {3, 7, MCD_UNREACHED}, {5, MCD_WEIGHT_MAX, 12}};
#define CHECK(arc_count) mcd_check_changed(check, "changed_arc.duration", changed, COUNT, arc_count)
    expect_ok(CHECK(6));
    expect_message(CHECK(5), "entry 3 has arc 5 of 5");
    changed[2].arc = 2;
    expect_message(CHECK(6), "section 'changed_arc.duration': entry 2 has arc 2");
    changed[2] = (mcd_changed_arc){3, MCD_UNREACHED + 1, 0};
    expect_message(CHECK(6), "entry 2 has arc 3 of 6, weight 2147483648");
    changed[2] = (mcd_changed_arc){3, 7, MCD_UNREACHED + 1};
    expect_message(CHECK(6), "and price 2147483648");
#undef CHECK
}
