/* test_clock_local.c - matrices by the clock that search parts of the map are the oracle's. */
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"

#include "engine/runtime/load.h"

#include <criterion/criterion.h>

static macadam_matrix_plan found; /* by all matrices */

/* Asks for a matrix whose first part has a margin, in 1/1024 of the longest cost; 0: as usual. */
static void ask(const macadam_query *query, macadam_matrix_request *request, uint32_t margin,
                uint32_t *const *value)
{
    macadam_matrix_plan plan;
    request->plan = &plan;
    town.engine->forced_margin = margin;
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, town.engine, query, request);
    found.route_cells += plan.route_cells;
    found.part_searches += plan.part_searches;
    found.wide_part_searches += plan.wide_part_searches;
    found.map_searches += plan.map_searches;
    cr_assert(plan.part_ppm > 0 || plan.part_searches + plan.wide_part_searches == 0);
}

/* The matrix between all places at all instants and the first `others` places. */
static void check_matrix(macadam_query query, bool backward, size_t others, uint32_t margin)
{
    const macadam_clock clock = town_clock(backward, 0, TOWN_INSTANTS);
    uint32_t objective[TOWN_PLACES * TOWN_PLACES * TOWN_INSTANTS],
        companion[TOWN_PLACES * TOWN_PLACES * TOWN_INSTANTS];
    uint32_t *const value[2] = {objective, query.quantity_count > 1 ? companion : NULL};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    query.clock = &clock;
    request.source = request.target = town.place;
    request.source_count = backward ? others : TOWN_PLACES;
    request.target_count = backward ? TOWN_PLACES : others;
    ask(&query, &request, margin, value);
    for (size_t p = 0; p < TOWN_PLACES; ++p)
        for (size_t t = 0; t < TOWN_INSTANTS; ++t) {
            town_searches o = town_search(&town.position[p], town.instant[t], backward);
            for (size_t other = 0; other < others; ++other)
                town_expect(town_cost_to(&o, &town.position[p], &town.position[other]),
                            (const uint32_t *const *)value,
                            backward ? other * TOWN_PLACES * TOWN_INSTANTS + p * TOWN_INSTANTS + t
                                     : (p * TOWN_INSTANTS + t) * others + other,
                            backward ? "cell by arrival" : "cell");
            town_search_free(&o);
        }
}

/* Small and large parts; each town has other columns, and not always distances. */
static void check_parts(macadam_query query, bool backward)
{
    static const uint32_t margin[] = {1, 100, 1024};
    static size_t turn;
    for (size_t i = 0; i < sizeof margin / sizeof *margin; ++i, ++turn) {
        query.quantity_count = 1 + turn % 2;
        check_matrix(query, backward, 1 + turn / 2 % 3 * 3, margin[i]);
    }
}

/* To few places, with distances or without. */
static void check_routes(macadam_query query, bool backward)
{
    for (size_t others = 1; others <= 4; ++others) {
        query.quantity_count = 1 + others % 2;
        check_matrix(query, backward, others, 0);
    }
}

Test(clock, matrices_of_few_columns_are_the_oracles)
{
    town_check_all(check_routes);
    cr_assert_gt(found.route_cells, 10 * found.map_searches); /* these come before there are bounds */
}

Test(clock, matrices_by_parts_of_the_map_are_the_oracles)
{
    town_check_all(check_parts);
    cr_assert_gt(found.part_searches, 200);     /* with the first margin */
    cr_assert_gt(found.wide_part_searches, 50); /* with the second one, not with the first */
    cr_assert_gt(found.map_searches, 500);      /* with none */
}

/* Every arc takes a minute, so that there are many ways of least cost, which differ in distance. */
static void make_ties(test_rng *rng)
{
    enum { MOST = 4096 };
    static uint64_t number[MOST];
    static uint32_t duration[MOST], distance[MOST];
    mcd_array *open;
    size_t count = 0;
    FIXTURE_CALL(mcd_engine_use_quantity, town.engine, 0, &open);
    for (uint32_t a = 0; a < town.engine->graph.arc_count && count < MOST; ++a) {
        number[count] = mcd_arc_number(&town.engine->facts, a);
        duration[count] = 60000;
        distance[count] = 1 + rng_below(rng, 10000);
        count += number[count] != MCD_ARC_NONE && open->weight[a] != MCD_UNREACHED;
    }
    mcd_array_leave(open);
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    update.quantity = town_quantities, update.quantity_count = 2, update.arc = number, update.count = count;
    update.value = (const uint32_t *const[]){duration, distance};
    FIXTURE_CALL(macadam_update, town.engine, &update);
}

enum { EDGE_PLACES = 2 * TOWN_SIDE - 1 };

/* Between the places on two edges of the town, and one of them: a row (backward: a column). */
static void find_edges(macadam_query query, bool backward, size_t other, uint32_t margin,
                       uint32_t *const value[2])
{
    macadam_place place[EDGE_PLACES];
    const macadam_clock clock = town_clock(backward, 0, 1);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    for (int i = 0; i < EDGE_PLACES; ++i)
        place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE,
                                   .id = i < TOWN_SIDE ? 1 + i : 1 + (i - TOWN_SIDE + 1) * TOWN_SIDE};
    query.clock = &clock;
    request.source = backward ? place + other : place, request.source_count = backward ? 1 : EDGE_PLACES;
    request.target = backward ? place : place + other, request.target_count = backward ? EDGE_PLACES : 1;
    town.engine->profile[0]->has_hierarchy = margin;
    ask(&query, &request, margin, value);
    town.engine->profile[0]->has_hierarchy = true;
}

/* The way along the edges may take no longer than a shorter one outside the part. */
Test(clock, distances_of_ties_are_those_of_the_whole_map)
{
    static uint32_t cell[2][EDGE_PLACES], right[2][EDGE_PLACES];
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        test_rng rng = {seed};
        town_open(seed, false, 0);
        make_ties(&rng);
        town_draw_places(&rng);
        const macadam_query query = town_query(NULL);
        for (uint32_t i = 0; i < 16 * EDGE_PLACES; ++i) {
            find_edges(query, i % 2, i / 16, 1 + i / 2 % 8 * 100, (uint32_t *const[]){cell[0], cell[1]});
            find_edges(query, i % 2, i / 16, 0, (uint32_t *const[]){right[0], right[1]});
            for (size_t c = 0; c < EDGE_PLACES; ++c)
                for (size_t q = 0; q < 2; ++q)
                    cr_assert_eq(cell[q][c], right[q][c], "cell %zu, quantity %zu: %u instead of %u", c, q,
                                 cell[q][c], right[q][c]);
        }
        town_close();
    }
    cr_assert_gt(found.part_searches, 100);
}
