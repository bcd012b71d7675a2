/* test_access.c - accessibility over macadam.h is what its definition says of the cells of a matrix: for every decay, in both
 * directions, with any threads and memory. That cells are right is for test_matrix.c. */
#include "tests/support/access_oracle.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { SOURCES = 70, COUNT = 90, COLUMNS = 3, PERCENTILES = 6, CELLS = SOURCES * COLUMNS };

static const double percentile[PERCENTILES] = {50, 100, 0, 33.333333, 90, 90};

static test_graph graph;
static fixture_engine fixture;
static macadam_place source[SOURCES], opportunity[COUNT];
static double amount[COUNT * COLUMNS];
static int64_t cost[2][SOURCES * COUNT]; /* [reverse][source * COUNT + i] */
static macadam_error error;

/* A source and some opportunities fail, some are there twice. */
static void set_up(void)
{
    test_rng rng = {1};
    uint32_t cell[SOURCES * COUNT], *const value[] = {cell};
    graph = graphs_make_named("town");
    fixture_open(&fixture, &graph, 2);
    for (size_t i = 0; i < SOURCES; ++i) source[i] = fixture_place(rng_below(&rng, graph.node_count));
    for (size_t i = 0; i < COUNT; ++i) {
        opportunity[i] = fixture_place(rng_below(&rng, graph.node_count));
        if (i % 9 == 4) opportunity[i] = opportunity[i - 1];
        if (i % 20 == 7) opportunity[i].id = INT64_MAX;
    }
    source[5].id = INT64_MAX;
    for (size_t column = 0; column < COLUMNS; ++column)
        access_amounts_draw(amount + column * COUNT, COUNT, &rng);
    for (size_t reverse = 0; reverse < 2; ++reverse) {
        const macadam_matrix_request matrix = {.size = sizeof matrix,
                                               .source = reverse ? opportunity : source,
                                               .source_count = reverse ? COUNT : SOURCES,
                                               .target = reverse ? source : opportunity,
                                               .target_count = reverse ? SOURCES : COUNT};
        FIXTURE_CALL(macadam_matrix_find_into, value, NULL, fixture.engine, NULL, &matrix);
        for (size_t s = 0; s < SOURCES; ++s)
            for (size_t i = 0; i < COUNT; ++i)
                cost[reverse][s * COUNT + i] =
                    macadam_cost(cell[reverse ? i * SOURCES + s : s * COUNT + i], false);
    }
}

static void tear_down(void)
{
    fixture_close(&fixture);
    test_graph_free(&graph);
}

TestSuite(access, .init = set_up, .fini = tear_down);

typedef struct answers {
    double access[CELLS], mean[CELLS];
    uint32_t percentile_cost[CELLS * PERCENTILES];
} answers;

static macadam_reach room(answers *out)
{
    macadam_reach reach = MACADAM_REACH_INIT;
    memset(out, 0x5a, sizeof *out);
    reach.access = out->access, reach.mean_cost = out->mean, reach.percentile_cost = out->percentile_cost;
    return reach;
}

static macadam_reach_request request(void)
{
    macadam_reach_request out = MACADAM_REACH_REQUEST_INIT;
    out.source = source, out.source_count = SOURCES;
    out.opportunity = opportunity, out.opportunity_count = COUNT;
    out.amount = amount, out.amount_count = COLUMNS;
    out.percentile = percentile, out.percentile_count = PERCENTILES;
    return out;
}

static void expect_right(const macadam_reach_request *asked, const macadam_reach *found)
{
    char why[ACCESS_ORACLE_WHY];
    for (size_t s = 0; s < asked->source_count; ++s)
        cr_assert(access_oracle_agrees(asked, found, s, cost[asked->reverse] + s * COUNT, false, why),
                  "%s, reverse %d", why, asked->reverse);
}

static void ask(const macadam_reach *answer, macadam_engine *engine, uint64_t memory_limit,
                const macadam_reach_request *asked)
{
    const macadam_query query = {.size = sizeof query, .memory_limit = memory_limit};
    FIXTURE_CALL(macadam_reach_find, answer, NULL, engine, &query, asked);
}

Test(access, every_decay_has_the_sums_means_and_percentiles_of_the_cells)
{
    answers found;
    test_rng rng = {2};
    for (size_t i = 0; i < 10 * ACCESS_ORACLE_DECAYS; ++i) {
        access_decay decay;
        macadam_reach_request asked = request();
        macadam_reach answer = room(&found);
        const int64_t near = cost[i % 2][rng_below(&rng, SOURCES * COUNT)];
        access_decay_draw(&decay, i % ACCESS_ORACLE_DECAYS, near == MACADAM_COST_NONE ? 40 : (double)near,
                          &rng);
        asked.reverse = i % 2, asked.decay = decay.given;
        if (i % 3) answer.percentile_cost = NULL;
        access_amounts_draw(amount + i % COLUMNS * COUNT, COUNT, &rng);
        ask(&answer, fixture.engine, 0, &asked);
        expect_right(&asked, &answer);
    }
}

/* The question with amounts that are rounded, of one direction, with percentiles or without. */
static macadam_reach_request rounded(const macadam_decay *decay, size_t way, macadam_reach *answer)
{
    macadam_reach_request asked = request();
    asked.decay = decay, asked.reverse = way % 2;
    if (way / 2) answer->percentile_cost = NULL;
    for (size_t i = 0; i < COUNT * COLUMNS; ++i) amount[i] = (double)(i % 13) / 7;
    return asked;
}

/* Less and less memory, down to tiles and bands of a few places. Returns how often there was enough. */
static size_t compare(macadam_engine *engine, const macadam_reach_request *asked, const macadam_reach *answer,
                      const answers *found, const answers *right)
{
    size_t times = 0;
    macadam_status status = MACADAM_OK;
    for (uint64_t limit = 64 << 20; !status; limit -= limit / 8, ++times) {
        const macadam_query query = {.size = sizeof query, .memory_limit = limit};
        status = macadam_reach_find(answer, NULL, engine, &query, asked, &error);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_LIMIT, "%s", error.message);
        if (!status) cr_assert_arr_eq(found, right, sizeof *found, "limit %zu", (size_t)limit);
    }
    cr_assert(strstr(error.message, "needs "), "%s", error.message);
    return times;
}

Test(access, threads_tiles_and_bands_give_equal_bits)
{
    static const unsigned threads[] = {1, 2, 7};
    const macadam_decay decay = {
        .size = sizeof decay, .kind = MACADAM_DECAY_LOGISTIC, .cutoff = 200, .width = 90};
    for (size_t way = 0; way < 4; ++way) {
        answers right, found;
        macadam_reach whole = room(&right), answer = room(&found);
        const macadam_reach_request asked = rounded(&decay, way, &whole);
        rounded(&decay, way, &answer);
        ask(&whole, fixture.engine, 0, &asked);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t) {
            SCOPED(macadam_engine_close_at)
            macadam_engine *const engine = fixture_open_file(fixture.path, threads[t]);
            cr_assert_gt(compare(engine, &asked, &answer, &found, &right), 20);
        }
    }
}

Test(access, a_limit_of_memory_that_nothing_fits_says_how_much_is_needed)
{
    answers found;
    const macadam_reach answer = room(&found);
    const macadam_reach_request asked = request();
    const macadam_query query = {.size = sizeof query, .memory_limit = 1000};
    cr_assert_eq(macadam_reach_find(&answer, NULL, fixture.engine, &query, &asked, &error), MACADAM_E_LIMIT);
    cr_assert(strstr(error.message, "accessibility needs ") && strstr(error.message, "the limit is 1000"),
              "%s", error.message);
}

/* ---- closed formulas ---- */

typedef struct one {
    double access, mean;
    uint32_t median;
} one;

/* One opportunity of the amount 8, at the cost 25. */
static one ask_one(const macadam_decay *decay)
{
    one out;
    size_t cell = 0;
    const double eight = 8, half = 50;
    while (cost[0][cell] == MACADAM_COST_NONE || cost[0][cell] < 2) ++cell;
    const macadam_reach_request asked = {.size = sizeof asked,
                                         .source = source + cell / COUNT,
                                         .source_count = 1,
                                         .opportunity = opportunity + cell % COUNT,
                                         .opportunity_count = 1,
                                         .amount = &eight,
                                         .amount_count = 1,
                                         .decay = decay,
                                         .percentile = &half,
                                         .percentile_count = 1};
    const macadam_reach answer = {
        .size = sizeof answer, .access = &out.access, .mean_cost = &out.mean, .percentile_cost = &out.median};
    FIXTURE_CALL(macadam_reach_find, &answer, NULL, fixture.engine, NULL, &asked);
    return out;
}

Test(access, decays_have_the_values_of_their_formulas)
{
    const double c = ask_one(NULL).mean, table_cost[] = {c / 2, c, c, 2 * c},
                 table_weight[] = {1, .5, .25, 0};
    const struct {
        macadam_decay decay;
        double right;
    } cases[] = {
        {{.kind = MACADAM_DECAY_STEP, .cutoff = c}, 8},
        {{.kind = MACADAM_DECAY_STEP, .cutoff = c - 0.5}, 0},
        {{.kind = MACADAM_DECAY_LINEAR, .cutoff = c, .width = 1}, 4},
        {{.kind = MACADAM_DECAY_LINEAR, .cutoff = c + 1, .width = 4}, 6},
        {{.kind = MACADAM_DECAY_LINEAR, .cutoff = c + 3, .width = 4}, 8},
        {{.kind = MACADAM_DECAY_LINEAR, .cutoff = c - 3, .width = 4}, 0},
        {{.kind = MACADAM_DECAY_LOGISTIC, .cutoff = c, .width = c / 100}, 4},
        {{.kind = MACADAM_DECAY_LOGISTIC, .cutoff = 0, .width = c}, 16 / (1 + exp(acos(-1) / sqrt(3)))},
        {{.kind = MACADAM_DECAY_LOGISTIC, .cutoff = c, .width = 1e-6}, 4},
        {{.kind = MACADAM_DECAY_EXPONENTIAL, .cutoff = c}, 4},
        {{.kind = MACADAM_DECAY_EXPONENTIAL, .cutoff = c / 3}, 1},
        {{.kind = MACADAM_DECAY_GAUSSIAN, .width = c}, 8 * exp(-0.5)},
        {{.kind = MACADAM_DECAY_TABLE, .cost = table_cost, .weight = table_weight, .point_count = 4}, 4},
        {{.kind = MACADAM_DECAY_TABLE, .cost = table_cost + 2, .weight = table_weight + 2, .point_count = 1},
         2},
        {{.kind = MACADAM_DECAY_TABLE, .cost = table_cost, .weight = table_weight, .point_count = 1}, 0},
        {{.kind = MACADAM_DECAY_TABLE,
          .cost = (const double[]){0, 4 * c},
          .weight = (const double[]){1, 0},
          .point_count = 2},
         6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        macadam_decay decay = cases[i].decay;
        decay.size = sizeof decay;
        const one found = ask_one(&decay);
        cr_assert(fabs(found.access - cases[i].right) <= 8 * 0x1p-31, "case %zu: %.17g, not %.17g", i,
                  found.access, cases[i].right);
        cr_assert_eq(found.median, found.access > 0 ? (uint32_t)c : MACADAM_UNREACHED, "case %zu", i);
        cr_assert(found.access > 0 ? found.mean >= c && found.mean <= c : isnan(found.mean), "case %zu", i);
    }
}

Test(access, amounts_of_any_size_are_scaled)
{
    const double sizes[] = {1e300, 1e-250, 0x1p62, 0.1, 3};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        answers found;
        const macadam_reach answer = room(&found);
        macadam_reach_request asked = request();
        for (size_t i = 0; i < COUNT * COLUMNS; ++i) amount[i] = i % COUNT ? 0 : sizes[k];
        ask(&answer, fixture.engine, 0, &asked);
        for (size_t s = 0; s < SOURCES; ++s) {
            const double right = cost[0][s * COUNT] == MACADAM_COST_NONE ? 0 : sizes[k];
            cr_assert(found.access[s * COLUMNS] <= right && found.access[s * COLUMNS] >= right);
        }
    }
}

/* ---- places, other answers, and what is refused ---- */

Test(access, statuses_are_those_of_all_places_and_other_answers_stay_the_same)
{
    answers found;
    macadam_reach answer = room(&found);
    macadam_reach_request asked = request();
    macadam_place_status status[SOURCES + 2 + COUNT];
    uint64_t reached[2][SOURCES];
    uint32_t nearest[2][SOURCES];
    asked.target = opportunity, asked.target_count = 2, asked.nearest_count = 1;
    for (size_t reverse = 0; reverse < 2; ++reverse) {
        asked.reverse = reverse;
        answer.reached = reached[0], answer.nearest_cost = nearest[0];
        memset(status, 0x5a, sizeof status);
        FIXTURE_CALL(macadam_reach_find, &answer, status, fixture.engine, NULL, &asked);
        expect_right(&asked, &answer);
        for (size_t i = 0; i < SOURCES + 2 + COUNT; ++i) {
            const macadam_place *const place =
                i < SOURCES ? &source[i] : &opportunity[(i - SOURCES - 2) % COUNT];
            if (i >= SOURCES && i < SOURCES + 2) continue;
            cr_assert_eq(status[i], place->id == INT64_MAX ? MACADAM_PLACE_UNKNOWN_ID : MACADAM_PLACE_OK,
                         "%zu", i);
        }
        cr_assert(status[SOURCES] == MACADAM_PLACE_OK && status[SOURCES + 1] == MACADAM_PLACE_OK);
        cr_assert(isnan(found.mean[5 * COLUMNS]) && found.access[5 * COLUMNS] <= 0);
        cr_assert_eq(found.percentile_cost[5 * COLUMNS * PERCENTILES], MACADAM_UNREACHED);
        const macadam_reach others = {
            .size = sizeof others, .reached = reached[1], .nearest_cost = nearest[1]};
        FIXTURE_CALL(macadam_reach_find, &others, NULL, fixture.engine, NULL, &asked);
        cr_assert_arr_eq(reached[0], reached[1], sizeof reached[0]);
        cr_assert_arr_eq(nearest[0], nearest[1], sizeof nearest[0]);
    }
}

Test(access, opportunities_have_statuses_without_accessibility)
{
    macadam_place_status status[SOURCES + COUNT];
    uint64_t reached[SOURCES];
    const macadam_reach answer = {.size = sizeof answer, .reached = reached};
    macadam_reach_request asked = request();
    for (size_t reverse = 0; reverse < 2; ++reverse) {
        asked.reverse = reverse;
        memset(status, 0x5a, sizeof status);
        FIXTURE_CALL(macadam_reach_find, &answer, status, fixture.engine, NULL, &asked);
        for (size_t i = 0; i < COUNT; ++i)
            cr_assert_eq(status[SOURCES + i],
                         opportunity[i].id == INT64_MAX ? MACADAM_PLACE_UNKNOWN_ID : MACADAM_PLACE_OK);
    }
}

Test(access, a_sum_beyond_double_is_refused)
{
    answers found;
    const macadam_reach answer = room(&found);
    const macadam_reach_request asked = request();
    for (size_t i = 0; i < COUNT; ++i) amount[COUNT + i] = i < 2 ? 1e308 : 0;
    cr_assert_eq(macadam_reach_find(&answer, NULL, fixture.engine, NULL, &asked, &error), MACADAM_E_LIMIT);
    cr_assert(strstr(error.message, "amounts of column 1 "), "%s", error.message);
    amount[COUNT + 1] = 0.7e308;
    ask(&answer, fixture.engine, 0, &asked);
    for (size_t i = 0; i < CELLS; ++i) cr_assert(isfinite(found.access[i]));
}

static void refuse(const macadam_reach_request *asked, const char *words)
{
    answers found;
    macadam_reach answer = room(&found);
    answer.percentile_cost = asked->percentile_count == 2 ? NULL : answer.percentile_cost;
    cr_assert_eq(macadam_reach_find(&answer, NULL, fixture.engine, NULL, asked, &error), MACADAM_E_INVALID,
                 "%s", words);
    cr_assert(strstr(error.message, words), "\"%s\" is not in: %s", words, error.message);
}

Test(access, bad_amounts_and_counts_are_named)
{
    const double bad[] = {-1, NAN, INFINITY};
    const char *const words[] = {"amount 3 of column 1 is -1", "amount 3 of column 1 is nan",
                                 "amount 3 of column 1 is inf"};
    for (size_t i = 0; i < 3; ++i) {
        const macadam_reach_request asked = request();
        amount[COUNT + 3] = bad[i];
        refuse(&asked, words[i]);
    }
    amount[COUNT + 3] = 0;
    macadam_reach_request asked = request();
    asked.amount_count = 17;
    refuse(&asked, "17 columns of amounts, at most 16");
    asked.amount_count = 0;
    refuse(&asked, "without amounts");
    asked = request(), asked.amount = NULL;
    refuse(&asked, "without amounts");
    asked = request(), asked.opportunity_count = 0;
    refuse(&asked, "without opportunities");
    asked = request(), asked.opportunity = NULL;
    refuse(&asked, "opportunities, but no array of them");
    asked = request(), asked.source_count = 0;
    refuse(&asked, "without sources");
    asked = request(), asked.percentile_count = 17;
    refuse(&asked, "17 percentiles, at most 16");
    asked = request(), asked.percentile_count = 0;
    refuse(&asked, "without percentiles");
    asked = request(), asked.percentile = (const double[]){50, 100.5}, asked.percentile_count = 2;
    refuse(&asked, "percentile 1 is 100.5, not in 0..100");
    asked.percentile = (const double[]){NAN, 50};
    refuse(&asked, "percentile 0 is nan");
    asked.percentile_count = 1;
    refuse(&asked, "percentile 0 is nan");
    asked.percentile = NULL;
    refuse(&asked, "1 percentiles are requested without an array");
    asked.percentile_count = 2;
    refuse(&asked, "2 percentiles are requested without an array");
    asked = request(), asked.opportunity_count = SIZE_MAX / 16;
    refuse(&asked, "opportunities are too many");
    asked = request(), asked.source_count = SIZE_MAX / 16;
    refuse(&asked, "sources are too many");
    asked = request(),
    asked.target_count = SIZE_MAX / 16; /* statuses of opportunities come after the targets' */
    refuse(&asked, "targets, but no array of them");
    asked.target = asked.source;
    refuse(&asked, "targets are too many");
}

Test(access, bad_decays_are_named)
{
    const double down[] = {5, 4}, high[] = {1, 1.5}, two[] = {0, 1}, no[] = {0, NAN};
    const struct {
        macadam_decay decay;
        const char *words;
    } cases[] = {
        {{.kind = MACADAM_DECAY_STEP, .cutoff = -1}, "cutoff is -1, not a number from 0"},
        {{.kind = MACADAM_DECAY_STEP, .cutoff = INFINITY}, "cutoff is inf"},
        {{.kind = MACADAM_DECAY_LINEAR, .cutoff = 5, .width = 0}, "width is 0, not a number from 1e-06"},
        {{.kind = MACADAM_DECAY_LOGISTIC, .cutoff = NAN, .width = 1}, "cutoff is nan"},
        {{.kind = MACADAM_DECAY_LOGISTIC, .cutoff = 5, .width = -2}, "width is -2"},
        {{.kind = MACADAM_DECAY_EXPONENTIAL, .cutoff = 0}, "cutoff is 0, not a number from 1e-06"},
        {{.kind = MACADAM_DECAY_GAUSSIAN, .width = NAN}, "width is nan"},
        {{.kind = MACADAM_DECAY_TABLE}, "no points"},
        {{.kind = MACADAM_DECAY_TABLE, .cost = down, .weight = two, .point_count = 2},
         "cost 1 of the decay's table is 4"},
        {{.kind = MACADAM_DECAY_TABLE, .cost = no, .weight = two, .point_count = 2},
         "cost 1 of the decay's table is nan"},
        {{.kind = MACADAM_DECAY_TABLE, .cost = two, .weight = high, .point_count = 2},
         "weight 1 of the decay's table is 1.5"},
        {{.kind = MACADAM_DECAY_TABLE, .cost = two, .weight = no, .point_count = 2},
         "weight 1 of the decay's table is nan"},
        {{.kind = (macadam_decay_kind)9}, "9 is not a kind of decay"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        macadam_decay decay = cases[i].decay;
        macadam_reach_request asked = request();
        asked.decay = &decay;
        refuse(&asked, "size");
        decay.size = sizeof decay;
        refuse(&asked, cases[i].words);
    }
}
