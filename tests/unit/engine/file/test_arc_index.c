/* test_arc_index.c - an index of few numbers has the arcs that an index of all numbers has. */
#include "engine/file/arc_index.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>

/* Junctions of three arcs each, and a copy of every junction, which repeats all but the last of them. */
enum {
    JUNCTIONS = 300,
    NODES = 2 * JUNCTIONS,
    OUT = 3,
    ORIGINALS = OUT * JUNCTIONS,
    ARCS = ORIGINALS + 2 * JUNCTIONS
};

typedef struct arc_town {
    mcd_arc first_out[NODES + 1];
    mcd_node head[ARCS];
    uint32_t original[ARCS], node_place[NODES];
    mcd_node depart[JUNCTIONS];
    uint64_t number[ORIGINALS];
    mcd_graph graph;
    mcd_arc_facts facts;
    mcd_place_index places;
    mcd_roads roads;
} arc_town;

static void number_originals(arc_town *town)
{
    test_rng rng = {1};
    for (size_t i = 0; i < ORIGINALS; ++i) town->number[i] = i + 1;
    for (uint32_t i = ORIGINALS; i-- > 1;) {
        const uint32_t other = rng_below(&rng, i + 1);
        const uint64_t number = town->number[i];
        town->number[i] = town->number[other], town->number[other] = number;
    }
}

/* The copy of a junction comes before it or after it. */
static void make_town(arc_town *town)
{
    mcd_arc arc = 0;
    number_originals(town);
    for (mcd_node x = 0; x < NODES; ++x) {
        const uint32_t junction = x / 2;
        const bool is_copy = x % 2 == junction % 2;
        town->node_place[x] = junction;
        if (!is_copy) town->depart[junction] = x;
        town->first_out[x] = arc;
        for (uint32_t i = 0; i < (is_copy ? OUT - 1 : OUT); ++i, ++arc) {
            town->head[arc] = (x + 5 * i + 2) % NODES;
            town->original[arc] = OUT * junction + i;
        }
    }
    town->first_out[NODES] = arc;
    town->graph =
        (mcd_graph){.node_count = NODES, .arc_count = ARCS, .first_out = town->first_out, .head = town->head};
    town->facts = (mcd_arc_facts){.original = town->original, .number = town->number};
    town->places = (mcd_place_index){
        .id_count = JUNCTIONS, .node_count = NODES, .node_place = town->node_place, .depart = town->depart};
    town->roads = (mcd_roads){.graph = &town->graph, .places = &town->places, .facts = &town->facts};
}

/* Returns how many arcs have the number. */
static size_t check_number(const mcd_arc_index *index, const arc_town *town, uint64_t number)
{
    const mcd_arc_copies found = mcd_arc_index_of(index, number);
    size_t count = 0;
    for (uint32_t arc = 0; arc < ARCS; ++arc) count += town->number[town->original[arc]] == number;
    cr_assert_eq(found.count, count, "number %llu", (unsigned long long)number);
    for (size_t i = 0; i < count; ++i) {
        const mcd_node tail = mcd_road_tail(&town->graph, found.arc[i]);
        cr_assert_eq(town->number[town->original[found.arc[i]]], number);
        cr_assert_eq(mcd_road_departs(&town->roads, tail, found.arc[i]), i == 0);
        cr_assert(i < 2 || found.arc[i] > found.arc[i - 1]);
    }
    return count;
}

Test(arc_index, of_all_numbers_has_all_arcs)
{
    static arc_town town;
    macadam_error error;
    mcd_arc_index whole = {.slot_count = 0};
    make_town(&town);
    cr_assert_eq(mcd_arc_index_make(&whole, &town.roads, &error), MACADAM_OK);
    size_t count = 0;
    for (uint64_t number = 0; number < ARCS + 3; ++number) count += check_number(&whole, &town, number);
    cr_assert_eq(count, ARCS);
    cr_assert_eq(check_number(&whole, &town, UINT64_MAX), 0);
    mcd_arc_index_free(&whole);
}

/* Once few numbers have been looked for often, the index of all of them is made. */
Test(arc_index, of_few_numbers_has_their_arcs)
{
    static arc_town town;
    macadam_error error;
    mcd_arc_index whole = {.slot_count = 0};
    size_t passes = 0, found = 0;
    make_town(&town);
    for (bool is_pass = true; is_pass; ++passes) {
        const uint64_t number[] = {passes + 7, 3 * passes, UINT64_MAX, 3 * passes, ORIGINALS - passes, ARCS};
        mcd_arc_index few = {.slot_count = 0};
        const mcd_arc_index *index;
        cr_assert_eq(mcd_arc_index_find(&index, &whole, &few, &town.roads, number, 6, &error), MACADAM_OK);
        is_pass = index == &few;
        cr_assert_eq(is_pass, whole.first == NULL);
        for (size_t i = 0; i < 6; ++i) found += check_number(index, &town, number[i]);
        mcd_arc_index_free(&few);
    }
    cr_assert(passes > 2 && passes < 100);
    cr_assert_gt(found, 4 * passes);
    mcd_arc_index_free(&whole);
}

Test(arc_index, of_many_numbers_is_that_of_all)
{
    static arc_town town;
    macadam_error error;
    mcd_arc_index whole = {.slot_count = 0}, few = {.slot_count = 0};
    const mcd_arc_index *index;
    make_town(&town);
    cr_assert_eq(mcd_arc_index_find(&index, &whole, &few, &town.roads, town.number, ORIGINALS, &error),
                 MACADAM_OK);
    cr_assert_eq(index, &whole);
    for (uint64_t number = 0; number < ARCS + 3; ++number) check_number(index, &town, number);
    mcd_arc_index_free(&whole);
}
