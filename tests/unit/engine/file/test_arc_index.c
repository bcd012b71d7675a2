/* test_arc_index.c - the index of arc numbers has each arc, the original first. */
#include "engine/file/arc_index.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>

/* Junctions of three arcs each, and a copy of every junction, which repeats all but the last of them. */
enum {
    JUNCTIONS = 20000, /* several threads share them */
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
    size_t count[ARCS + 3]; /* of the arcs of a number */
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
            ++town->count[town->number[town->original[arc]]];
        }
    }
    town->first_out[NODES] = arc;
    town->graph =
        (mcd_graph){.node_count = NODES, .arc_count = ARCS, .first_out = town->first_out, .head = town->head};
    town->facts = (mcd_arc_facts){.original = town->original, .number = town->number};
    town->places = (mcd_place_index){
        .id_count = JUNCTIONS, .node_count = NODES, .node_place = town->node_place, .depart = town->depart};
    town->roads = (mcd_roads){
        .graph = &town->graph, .places = &town->places, .facts = &town->facts, .original_count = ORIGINALS};
}

/* Returns how many arcs have the number. */
static size_t check_number(const mcd_arc_index *index, const arc_town *town, uint64_t number)
{
    const mcd_arc_copies found = mcd_arc_index_of(index, number);
    const size_t count = number < ARCS + 3 ? town->count[number] : 0;
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
    make_town(&town);
    for (unsigned threads = 1; threads < 4; ++threads) {
        const mcd_parallel parallel = {.thread_count = threads};
        mcd_arc_index index = {.slot_count = 0};
        size_t count = 0;
        cr_assert_eq(mcd_arc_index_make(&index, &town.roads, &parallel, &error), MACADAM_OK);
        for (uint64_t number = 0; number < ARCS + 3; ++number) count += check_number(&index, &town, number);
        cr_assert_eq(count, ARCS);
        cr_assert_eq(check_number(&index, &town, UINT64_MAX), 0);
        mcd_arc_index_free(&index);
    }
}
