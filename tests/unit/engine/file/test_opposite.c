/* test_opposite.c - originals that lead back are found, and packed weights and facts come back as they were. */
#include "tests/support/allocator.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"
#include "engine/file/mirror.h"

#include <criterion/criterion.h>
#include <string.h>

/* Places 0, 1 and 2, in the order of the nodes 2, 0 and 1; junction 0 is split: node 3 is a copy.
 *
 *      node 2 (place 0)  <-- two roads -->  node 0 (place 1)  --one way-->  node 1 (place 2)
 *      node 3 (place 0)  ---- copies -->    node 0
 *
 * Arcs by tail, and their originals:  0 -> 1 (0), 0 -> 2 (1), 0 -> 3 (2);  1 -> 1 (3), a loop;
 * 2 -> 0 (4), 2 -> 0 (5);  3 -> 0 (4), 3 -> 2 (arrival). */
enum { NODES = 4, PLACES = 3, ARCS = 8, ORIGINALS = 6, NONE = MCD_ROAD_NONE };
static int64_t id[] = {10, 20, 30};
static uint32_t node_place[] = {1, 2, 0, 0};
static mcd_node depart[] = {2, 0, 1}, arrive[] = {2, 0, 1};
static const mcd_place_index places = {NODES, PLACES, id, depart, arrive, node_place, NULL, NULL, NULL};
static uint64_t first_out[] = {0, 3, 4, 6, 8};
static mcd_node head[] = {1, 2, 3, 1, 0, 0, 0, 2};
static const mcd_graph graph = {.node_count = NODES, .arc_count = ARCS, .first_out = first_out, .head = head};
static const uint32_t original[] = {0, 1, 2, 3, 4, 5, 4, NONE};
static const mcd_parallel parallel = {.thread_count = 1};

/* The two roads are the ways 7 and 8. On the way back, way 8 has another kind and another shape. */
static uint64_t number[] = {5, 1, 3, 6, 2, 4};
static int64_t way[] = {9, 7, 8, 9, 7, 8};
static uint8_t against[] = {0, 0, 0, 0, 1, 1};
static uint32_t kind[] = {1, 2, 3, 1, 4, 3};
static uint64_t first_point[] = {0, 0, 2, 3, 3, 5, 6};
static int32_t lon_e7[] = {100, 200, 300, 200, 100, 301}, lat_e7[] = {1, 2, 3, 2, 1, 3};
static int32_t height_dm[] = {5, 6, 7, 6, 5, 7};
static int64_t shape_id[] = {50, 51, 52, 51, 50, 52};
static mcd_arc_facts facts = {.number = number,
                              .way = way,
                              .against = against,
                              .kind_of = kind,
                              .first_point = first_point,
                              .shape_lon_e7 = lon_e7,
                              .shape_lat_e7 = lat_e7,
                              .shape_height_dm = height_dm,
                              .shape_id = shape_id};

static mcd_opposites opposites;
static macadam_error error;

static macadam_status find(void)
{
    return mcd_opposites_new(&opposites, &graph, &places, original, ORIGINALS, &parallel, &error);
}

static void set_up(void)
{
    allocator_install();
    cr_assert_eq(find(), MACADAM_OK);
}

static void tear_down(void)
{
    mcd_opposites_free(&opposites);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(opposite, .init = set_up, .fini = tear_down);

Test(opposite, the_later_of_two_that_lead_there_and_back_has_one)
{
    static const uint32_t arc[] = {0, 1, 2, 3, 4, 5}, back[] = {NONE, NONE, NONE, NONE, 1, 2};
    cr_expect_eq(memcmp(opposites.arc, arc, sizeof arc), 0);
    cr_expect_eq(memcmp(opposites.opposite, back, sizeof back), 0);
    cr_expect_eq(opposites.count, 2);
}

static macadam_status convert(mcd_weight *weight, mcd_weight *packed, bool packs)
{
    return mcd_weights_convert(weight, packed, packs, ARCS, original, &opposites, &parallel, &error);
}

Test(opposite, any_weights_come_back)
{
    test_rng rng = {.state = 1};
    for (int round = 0; round < 1000; ++round) {
        mcd_weight weight[ARCS], packed[ARCS], found[ARCS];
        for (int i = 0; i < ARCS; ++i) weight[i] = rng_below(&rng, round % 2 ? 9 : UINT32_MAX);
        cr_assert_eq(convert(weight, packed, true), MACADAM_OK);
        cr_assert_eq(convert(found, packed, false), MACADAM_OK);
        cr_assert_eq(memcmp(found, weight, sizeof weight), 0);
    }
}

/* A ring of junctions with roads ahead to the next ones, most of them both ways, some twice. */
Test(opposite, where_no_junction_is_split_nodes_are_places)
{
    enum { RING = 20000, WAYS = 10 };
    static mcd_arc first[RING + 1];
    static mcd_node to[WAYS * RING], itself[RING];
    static uint32_t all[WAYS * RING];
    mcd_opposites split = {0}, whole = {0};
    test_rng rng = {.state = 3};
    for (mcd_node v = 0; v < RING; ++v) {
        itself[v] = v;
        first[v + 1] = first[v];
        for (int ahead = -2; ahead <= 2; ++ahead)
            for (uint32_t times = rng_below(&rng, 8) ? 1 : rng_below(&rng, 3); times > 0; --times)
                to[first[v + 1]++] = (mcd_node)((int)(v + RING) + ahead) % RING;
    }
    const mcd_graph ring = {
        .node_count = RING, .arc_count = (uint32_t)first[RING], .first_out = first, .head = to};
    const mcd_place_index at = {.node_count = RING, .id_count = RING, .depart = itself, .node_place = itself};
    for (uint32_t arc = 0; arc < ring.arc_count; ++arc) all[arc] = arc;
    for (unsigned threads = 1; threads <= 3; ++threads) {
        const mcd_parallel some = {.thread_count = threads};
        cr_assert_eq(mcd_opposites_new(&split, &ring, &at, all, ring.arc_count, &some, &error), MACADAM_OK);
        cr_assert_eq(mcd_opposites_new(&whole, &ring, &at, NULL, ring.arc_count, &some, &error), MACADAM_OK);
        cr_assert(split.arc && !whole.arc && whole.count > RING && whole.count == split.count);
        cr_assert_eq(memcmp(whole.opposite, split.opposite, ring.arc_count * sizeof *whole.opposite), 0);
        mcd_opposites_free(&split);
        mcd_opposites_free(&whole);
    }
}

/* More than one thread does in a task: every third arc is an original, every other original of the second half leads back. */
Test(opposite, weights_come_back_on_any_number_of_threads)
{
    enum { MANY = 100000, MANY_ORIGINALS = MANY / 3 };
    static uint32_t of[MANY], arc[MANY_ORIGINALS + 1], opposite[MANY_ORIGINALS];
    static mcd_weight weight[MANY], packed[MANY], found[MANY];
    mcd_opposites many = {.original_count = MANY_ORIGINALS, .arc = arc, .opposite = opposite};
    test_rng rng = {.state = 2};
    for (uint32_t o = 0; o < MANY_ORIGINALS; ++o) {
        const bool leads_back = o >= MANY_ORIGINALS / 2 && o % 2;
        arc[o] = 3 * o + (uint32_t)rng_below(&rng, 3);
        opposite[o] = leads_back ? o - MANY_ORIGINALS / 2 : NONE;
        many.count += leads_back;
    }
    for (uint32_t a = 0; a < MANY; ++a) {
        weight[a] = (mcd_weight)rng_below(&rng, UINT32_MAX);
        of[a] = rng_below(&rng, 4) ? (uint32_t)rng_below(&rng, MANY_ORIGINALS) : NONE;
    }
    for (uint32_t o = 0; o < MANY_ORIGINALS; ++o) of[arc[o]] = o;
    cr_assert_eq(mcd_weights_convert(weight, packed, true, MANY, of, &many, &parallel, &error), MACADAM_OK);
    for (unsigned threads = 1; threads <= 5; ++threads) {
        const mcd_parallel some = {.thread_count = threads};
        memset(found, 0, sizeof found);
        cr_assert_eq(mcd_weights_convert(found, packed, false, MANY, of, &many, &some, &error), MACADAM_OK);
        cr_assert_eq(memcmp(found, weight, sizeof weight), 0);
    }
}

Test(opposite, weights_are_stored_less_those_that_they_follow)
{
    static mcd_weight weight[] = {10, 20, 30, 40, 21, 29, 24, 8};
    static const mcd_weight right[] = {10, 20, 30, 40, 2 /* 21 = 20 + 1 */, 1 /* 29 = 30 - 1 */, 6, 16};
    mcd_weight packed[ARCS];
    cr_assert_eq(convert(weight, packed, true), MACADAM_OK);
    cr_expect_eq(memcmp(packed, right, sizeof right), 0);
}

/* Junctions that many originals leave would take too long. */
Test(opposite, stars_have_none)
{
    enum { LEAVES = 100, STAR = LEAVES + 1 };
    mcd_node star_head[2 * LEAVES], node[STAR];
    uint64_t first[STAR + 1] = {0, LEAVES};
    for (mcd_node v = 0; v < STAR; ++v) node[v] = v;
    for (mcd_node v = 1; v < STAR; ++v)
        star_head[v - 1] = v, star_head[LEAVES + v - 1] = 0, first[v + 1] = LEAVES + v;
    const mcd_graph star = {
        .node_count = STAR, .arc_count = 2 * LEAVES, .first_out = first, .head = star_head};
    const mcd_place_index all = {
        .node_count = STAR, .id_count = STAR, .depart = node, .arrive = node, .node_place = node};
    mcd_opposites found;
    cr_assert_eq(mcd_opposites_new(&found, &star, &all, NULL, 2 * LEAVES, &parallel, &error), MACADAM_OK);
    cr_expect_eq(found.count, 0);
    mcd_opposites_free(&found);
}

static void expect_facts_come_back(const uint8_t *is_mirror)
{
    mcd_arc_facts found = facts, packed, own;
    cr_assert_eq(mcd_facts_convert(&packed, &found, &opposites, is_mirror, true, &error), MACADAM_OK);
    cr_assert_eq(mcd_facts_convert(&own, &found, &opposites, is_mirror, false, &error), MACADAM_OK);
    mcd_own_facts_free(&packed);
#define EXPECT_SAME(member, array) cr_expect_eq(memcmp(found.member, array, sizeof array), 0, #member)
    EXPECT_SAME(number, number);
    EXPECT_SAME(way, way);
    EXPECT_SAME(against, against);
    EXPECT_SAME(kind_of, kind);
    EXPECT_SAME(first_point, first_point);
    EXPECT_SAME(shape_lon_e7, lon_e7);
    EXPECT_SAME(shape_lat_e7, lat_e7);
    EXPECT_SAME(shape_height_dm, height_dm);
    EXPECT_SAME(shape_id, shape_id);
    mcd_own_facts_free(&own);
}

Test(opposite, only_a_road_of_the_same_shape_is_a_mirror)
{
    uint8_t *is_mirror;
    size_t count;
    cr_assert_eq(mcd_mirrors_find(&is_mirror, &count, &facts, &opposites, &error), MACADAM_OK);
    cr_expect_eq(count, 1);
    cr_expect(is_mirror[0] && !is_mirror[1]);
    expect_facts_come_back(is_mirror);
    mcd_free(is_mirror);
}

/* One fact of the mirror changes, and it is none any more. */
Test(opposite, every_fact_of_a_mirror_follows_from_its_opposite)
{
    void *const fact[] = {&number[4], &way[4],       &against[4], &lon_e7[3],
                          &lat_e7[4], &height_dm[3], &shape_id[4]};
    for (size_t i = 0; i < sizeof fact / sizeof fact[0]; ++i) {
        uint8_t *is_mirror;
        size_t count;
        *(uint8_t *)fact[i] ^= 1;
        cr_assert_eq(mcd_mirrors_find(&is_mirror, &count, &facts, &opposites, &error), MACADAM_OK);
        cr_expect_eq(count, 0, "fact %zu", i);
        expect_facts_come_back(is_mirror);
        mcd_free(is_mirror);
        *(uint8_t *)fact[i] ^= 1;
    }
}

Test(opposite, each_allocation_may_fail)
{
    static const uint8_t is_mirror[] = {1, 0};
    mcd_arc_facts all = facts, packed, found;
    cr_assert_eq(mcd_facts_convert(&packed, &all, &opposites, is_mirror, true, &error), MACADAM_OK);
    mcd_opposites_free(&opposites);
    size_t nth = 1;
    for (; allocator_fail(nth), find() == MACADAM_E_MEMORY; ++nth) continue;
    cr_expect_gt(nth, 3);
    for (nth = 1; allocator_fail(nth),
        mcd_facts_convert(&found, &all, &opposites, is_mirror, false, &error) == MACADAM_E_MEMORY;
         ++nth)
        continue;
    allocator_fail(0);
    cr_expect_gt(nth, 8);
    mcd_own_facts_free(&packed);
    mcd_own_facts_free(&found);
}
