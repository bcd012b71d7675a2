/* test_packed.c - places and copies of arcs come back as they were packed, and packed ones that lie are
 * refused. */
#include "tests/support/allocator.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"
#include "engine/file/check.h"
#include "engine/file/opposite.h"
#include "engine/file/packed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Junction 0 is whole: node 1. Junction 7 is split: it departs from node 3 and arrives at node 0; node 2 is a
 * copy. Arcs, by tail: 0: none; 1 -> 3 (number 3), 1 -> 2 (4); 2 -> 0 (arrival), 2 -> 1 (1);
 * 3 -> 0 (arrival), 3 -> 1 (1), 3 -> 1 (2). */
enum { NODES = 4, IDS = 2, ARCS = 7 };
static int64_t id[] = {0, 7};
static uint32_t node_place[] = {1, 0, 1, 1};
static mcd_node depart[] = {1, 3}, arrive[] = {1, 0};
static int32_t lon_e7[] = {5, 6, 5, 5}, lat_e7[] = {8, 9, 8, 8};
static int32_t height_dm[] = {120, -3};
static const mcd_place_index places = {NODES, IDS, id, depart, arrive, node_place, lon_e7, lat_e7, height_dm};
static uint64_t first_out[] = {0, 0, 2, 4, 7};
static mcd_node head[] = {2, 3, 0, 1, 0, 1, 1};
static const mcd_graph graph = {.node_count = NODES, .arc_count = ARCS, .first_out = first_out, .head = head};
static const uint32_t map_arc[] = {0, 1, 2, 3, 4, 5, 6};
static const uint64_t number[] = {4, 3, MCD_ARC_NONE, 1, MCD_ARC_NONE, 1, 2};

static const mcd_parallel two_threads = {.thread_count = 2};
static mcd_packed_places packed;
static mcd_packed_arcs arcs;
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    cr_assert_eq(mcd_places_pack(&packed, &places, &two_threads, &error), MACADAM_OK);
    cr_assert_eq(
        mcd_arcs_pack(&arcs, &graph, &places, map_arc, number, &(mcd_parallel){.thread_count = 2}, &error),
        MACADAM_OK);
}

static void tear_down(void)
{
    mcd_packed_places_free(&packed);
    mcd_packed_arcs_free(&arcs);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(packed, .init = set_up, .fini = tear_down);

static macadam_status unpack(mcd_place_index *out)
{
    *out = (mcd_place_index){.node_count = NODES, .id_count = IDS};
    return mcd_places_unpack(out, &packed, "map.mcd", &two_threads, &error);
}

Test(packed, places_come_back)
{
    mcd_place_index found;
    cr_assert_eq(unpack(&found), MACADAM_OK, "%s", error.message);
    cr_expect_eq(found.id, id);
    cr_expect_eq(memcmp(found.node_place, node_place, sizeof node_place), 0);
    cr_expect_eq(memcmp(found.depart, depart, sizeof depart), 0);
    cr_expect_eq(memcmp(found.arrive, arrive, sizeof arrive), 0);
    cr_expect_eq(memcmp(found.lon_e7, lon_e7, sizeof lon_e7), 0);
    cr_expect_eq(memcmp(found.lat_e7, lat_e7, sizeof lat_e7), 0);
    cr_expect_eq(memcmp(found.height_dm, height_dm, sizeof height_dm), 0);
    mcd_places_free(&found);
}

static void expect_refused(const char *message)
{
    mcd_place_index found;
    cr_expect_eq(unpack(&found), MACADAM_E_FILE, "%s", message);
    cr_expect(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
    mcd_places_free(&found);
}

Test(packed, every_id_has_one_departing_and_one_arriving_node)
{
    uint8_t *const role = (uint8_t *)packed.role;
    uint32_t *const departure = (uint32_t *)packed.departure, *const of_id = (uint32_t *)packed.departure_id;
    role[2] = MCD_ROLE_ARRIVES;
    expect_refused("section 'node_role': element 2 is 2: its id arrives at another node");
    role[2] = MCD_ROLE_DEPARTS;
    expect_refused("section 'departure': element 3 is 1: departing nodes are not in their order");
    role[2] = 0, role[0] = 0;
    expect_refused("section 'node_role': 2 nodes depart and 1 arrive, but there are 2 ids");
    role[0] = MCD_ROLE_ARRIVES;
    departure[2] = IDS;
    expect_refused("section 'departure': element 2 is 2: no departing node");
    departure[2] = 1;
    role[0] = 0, of_id[1] = 0;
    expect_refused("section 'departure_id': element 1 is 0: the id of two departing nodes");
    of_id[1] = IDS;
    expect_refused("section 'departure_id': element 1 is 2: no id");
}

Test(packed, copies_name_their_originals)
{
    static const uint32_t original[] = {0, 1, MCD_ROAD_NONE, 2, MCD_ROAD_NONE, 2, 3};
    static const uint16_t copy[] = {1, 2, 0, 1, 0, 1, 2};
    static const uint32_t source[] = {3, 2, 0, 1};
    cr_assert_eq(arcs.original_count, 4);
    cr_expect_eq(memcmp(arcs.original, original, sizeof original), 0);
    cr_expect_eq(memcmp(arcs.copy, copy, sizeof copy), 0);
    cr_expect_eq(memcmp(arcs.source, source, sizeof source), 0);
    uint32_t *found;
    size_t count;
    cr_assert_eq(mcd_arcs_unpack(&found, &count, arcs.copy, &graph, &places, "map.mcd", &two_threads, &error),
                 MACADAM_OK);
    cr_expect_eq(count, 4);
    cr_expect_eq(memcmp(found, original, sizeof original), 0);
    mcd_free(found);
}

Test(packed, copies_of_no_arc_are_refused)
{
    uint32_t *found;
    size_t count;
    arcs.copy[3] = 3; /* two arcs leave junction 7 */
    cr_expect_eq(mcd_arcs_unpack(&found, &count, arcs.copy, &graph, &places, "map.mcd", &two_threads, &error),
                 MACADAM_E_FILE);
    cr_expect(strstr(error.message, "section 'arc_copy': element 3 is 3"), "%s", error.message);
    arcs.copy[3] = 1, arcs.copy[5] = 2; /* the first original is the first one */
    cr_expect_eq(mcd_arcs_unpack(&found, &count, arcs.copy, &graph, &places, "map.mcd", &two_threads, &error),
                 MACADAM_E_FILE);
    cr_expect(strstr(error.message, "section 'arc_copy': element 5 is 2"), "%s", error.message);
}

/* More nodes than two ranges have. Most ids have several nodes, and some have no arc; the second half of the nodes departs from
 * only one. */
Test(packed, originals_are_the_same_on_any_number_of_threads)
{
    enum { MANY = 50000, LEAVING = 3 };
    static uint32_t of_node[MANY], leave[MANY], same_arc[LEAVING * MANY];
    static uint64_t first[MANY + 1], own[LEAVING * MANY];
    static mcd_node to[LEAVING * MANY], enter[MANY];
    test_rng rng = {.state = 52};
    uint32_t ids = 0;
    for (mcd_node v = 0; v < MANY; ++v) {
        const bool departing = v < MANY / 2 ? rng_below(&rng, 3) > 0 || v == 0 : v == MANY - 10;
        of_node[v] = departing ? ids : rng_below(&rng, ids);
        if (departing) leave[ids] = enter[ids] = v, ++ids;
        first[v + 1] = first[v];
        for (uint32_t k = rng_below(&rng, LEAVING + 1); departing && k > 0; --k) {
            own[first[v + 1]] = rng_below(&rng, 5) ? first[v + 1] + 1 : MCD_ARC_NONE;
            to[first[v + 1]++] = rng_below(&rng, MANY);
        }
    }
    const mcd_graph many = {
        .node_count = MANY, .arc_count = (uint32_t)first[MANY], .first_out = first, .head = to};
    const mcd_place_index at = {
        .node_count = MANY, .id_count = ids, .depart = leave, .arrive = enter, .node_place = of_node};
    mcd_packed_arcs made;
    uint32_t *found, bad = 0;
    size_t count;
    for (uint32_t arc = 0; arc < many.arc_count; ++arc) same_arc[arc] = arc;
    cr_assert_eq(mcd_arcs_pack(&made, &many, &at, same_arc, own, &two_threads, &error), MACADAM_OK);
    for (unsigned threads = 1; threads <= 4; ++threads) {
        const mcd_parallel some = {.thread_count = threads};
        mcd_opposites back;
        cr_assert_eq(mcd_arcs_unpack(&found, &count, made.copy, &many, &at, "map.mcd", &some, &error),
                     MACADAM_OK);
        cr_assert_eq(count, made.original_count);
        cr_assert_eq(memcmp(found, made.original, many.arc_count * sizeof *found), 0);
        cr_assert_eq(mcd_opposites_new(&back, &many, &at, found, count, &some, &error), MACADAM_OK);
        for (uint32_t arc = 0; arc < many.arc_count; ++arc)
            cr_assert(found[arc] == MCD_ROAD_NONE || back.arc[found[arc]] == arc, "arc %u", arc);
        mcd_opposites_free(&back);
        mcd_free(found);
    }
    while (made.copy[bad] == 0) ++bad;
    made.copy[bad] = made.copy[many.arc_count / 2] = 9; /* the first one is named */
    for (unsigned threads = 1; threads <= 4; ++threads) {
        const mcd_parallel some = {.thread_count = threads};
        char name[40];
        snprintf(name, sizeof name, "'arc_copy': element %u is 9", bad);
        cr_assert_eq(mcd_arcs_unpack(&found, &count, made.copy, &many, &at, "map.mcd", &some, &error),
                     MACADAM_E_FILE);
        cr_expect(strstr(error.message, name), "%s", error.message);
    }
    mcd_packed_arcs_free(&made);
}

/* ---- as a ready file stores them ---- */

static void expect_places_refused(uint32_t *element, uint32_t value, const char *message)
{
    const mcd_parallel parallel = {.thread_count = 1};
    const uint32_t before = *element;
    *element = value;
    cr_expect_eq(mcd_check_places((mcd_check){"map.mcd", &parallel, &error}, &places), MACADAM_E_FILE);
    cr_expect(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
    *element = before;
}

Test(packed, stored_places_have_a_departing_and_an_arriving_node_each)
{
    const mcd_parallel parallel = {.thread_count = 1};
    cr_expect_eq(mcd_check_places((mcd_check){"map.mcd", &parallel, &error}, &places), MACADAM_OK);
    expect_places_refused(&node_place[2], IDS, "section 'node_place': element 2 is 2: no id");
    expect_places_refused(&depart[1], NODES, "section 'depart': element 1 is 4: no node");
    expect_places_refused(&depart[1], 1, "section 'depart': element 1 is 1: a node of another id");
    expect_places_refused(&arrive[0], NODES, "section 'arrive': element 0 is 4: no node");
    expect_places_refused(&arrive[0], 2, "section 'arrive': element 0 is 2: a node of another id");
}

static macadam_status check_copies(size_t count)
{
    const mcd_parallel parallel = {.thread_count = 1};
    return mcd_check_copies((mcd_check){"map.mcd", &parallel, &error}, arcs.original, count, &graph, &places);
}

static void expect_original_refused(size_t arc, uint32_t value, const char *message)
{
    const uint32_t before = arcs.original[arc];
    arcs.original[arc] = value;
    cr_expect_eq(check_copies(4), MACADAM_E_FILE, "arc %zu", arc);
    cr_expect(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
    arcs.original[arc] = before;
}

Test(packed, stored_originals_leave_the_id_of_their_copies)
{
    cr_expect_eq(check_copies(4), MACADAM_OK, "%s", error.message);
    expect_original_refused(0, 1, "section 'arc_original': element 0 is 1: originals are not in their order");
    expect_original_refused(3, 1, "section 'arc_original': element 3 is 1: no such arc leaves the junction");
    expect_original_refused(3, 4, "section 'arc_original': element 3 is 4: no such arc leaves the junction");
    expect_original_refused(6, MCD_ROAD_NONE,
                            "section 'arc_original': 3 originals, but there are numbers of 4");
    cr_expect_eq(check_copies(5), MACADAM_E_FILE);
}

Test(packed, stored_originals_have_numbers_or_none)
{
    const mcd_parallel parallel = {.thread_count = 1};
    const mcd_check check = {"map.mcd", &parallel, &error};
    cr_expect_eq(mcd_check_originals(check, arcs.original, 4, ARCS), MACADAM_OK, "%s", error.message);
    cr_expect_eq(mcd_check_originals(check, arcs.original, 3, ARCS), MACADAM_E_FILE);
    cr_expect(strstr(error.message, "section 'arc_original': element 6 is 3: no original"), "%s",
              error.message);
    arcs.original[2] = MCD_ROAD_NONE - 1;
    cr_expect_eq(mcd_check_originals(check, arcs.original, SIZE_MAX, ARCS), MACADAM_E_FILE);
}
