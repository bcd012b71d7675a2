/* test_match.c - map matching finds the most plausible sequence of candidates, whatever the batch and the
 * number of threads, and reports what is wrong with bad points.
 *
 * The oracle takes the candidates from the engine and tries every sequence of them. Costs between candidates
 * come from Dijkstra's algorithm over the input arcs, and the penalties from their definition, which is written
 * down here a second time. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/oracle.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"
#include "engine/match/candidate.h"
#include "engine/query/places/lanes.h"
#include "engine/runtime/engine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 7, ROWS = 6, NODES = COLUMNS * ROWS, ARCS_MAX = 4 * NODES, POINTS = 5, STEP_E7 = 9000 };

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_error error;

/* ---- maps ---- */

/* Streets of 100 m by 70 m about a crooked grid. Some are one way, and all have their own speed. */
static void import_grid(void)
{
    static const char *const quantity[] = {"duration", "distance"}, *const unit[] = {"ms", "cm"};
    static uint32_t tail[ARCS_MAX], head[ARCS_MAX], duration[ARCS_MAX], distance[ARCS_MAX];
    static int32_t lon_e7[NODES], lat_e7[NODES];
    test_rng rng = {3};
    size_t count = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        lon_e7[i] = (int32_t)(i % COLUMNS * STEP_E7 + rng_below(&rng, 2000));
        lat_e7[i] = (int32_t)(i / COLUMNS * STEP_E7 * 7 / 10 + rng_below(&rng, 1500));
    }
    for (uint32_t i = 0; i < NODES; ++i)
        for (int down = 0; down < 2; ++down) {
            const uint32_t to = down ? i + COLUMNS : i + 1;
            if (down ? to >= NODES : to % COLUMNS == 0) continue;
            const double metres = hypot(lon_e7[i] - lon_e7[to], lat_e7[i] - lat_e7[to]) * 0.0111195;
            const uint32_t slow = 60 + rng_below(&rng, 240), ways = rng_below(&rng, 4);
            for (uint32_t back = 0; back < 2; ++back) {
                if (ways == back) continue; /* one way */
                tail[count] = back ? to : i;
                head[count] = back ? i : to;
                distance[count] = (uint32_t)lrint(metres * 100);
                duration[count] = (uint32_t)lrint(metres * slow);
                ++count;
            }
        }
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = NODES, input.arc_count = count;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = tail, input.head = head;
    input.quantity = quantity, input.unit = unit, input.quantity_count = 2;
    input.weight = (const uint32_t *const[]){duration, distance};
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
}

/* The id of the way from a junction of the grid to the next one in its row (down: in its column). */
static uint32_t way_of(uint32_t junction, bool down)
{
    return 1000 + 2 * junction + down;
}

/* A grid of streets as an OpenStreetMap file, with forbidden turns, so that its junctions are split. */
static void import_town(void)
{
    char map[FILES_PATH_BYTES + 16];
    snprintf(map, sizeof map, "%s/town.osm", folder);
    FILE *file = fopen(map, "w");
    test_rng rng = {9};
    fprintf(file, "<osm version='0.6'>\n");
    for (uint32_t i = 0; i < NODES; ++i)
        fprintf(file, "<node id='%u' version='1' lat='%.7f' lon='%.7f'/>\n", i + 1,
                (i / COLUMNS * STEP_E7 + rng_below(&rng, 1500)) * 1e-7,
                (i % COLUMNS * STEP_E7 + rng_below(&rng, 1500)) * 1e-7);
    for (uint32_t i = 0; i < NODES; ++i)
        for (int down = 0; down < 2; ++down) {
            const uint32_t to = down ? i + COLUMNS : i + 1;
            if (down ? to >= NODES : to % COLUMNS == 0) continue;
            fprintf(
                file,
                "<way id='%u' version='1'><nd ref='%u'/><nd ref='%u'/><tag k='highway' v='%s'/>%s</way>\n",
                way_of(i, down), i + 1, to + 1, rng_below(&rng, 3) ? "residential" : "primary",
                rng_below(&rng, 5) ? "" : "<tag k='oneway' v='yes'/>");
        }
    for (uint32_t i = 0; i + COLUMNS + 1 < NODES; i += 3)
        if ((i + 1) % COLUMNS > 1)
            fprintf(
                file,
                "<relation id='%u' version='1'><member type='way' ref='%u' role='from'/><member type='node' "
                "ref='%u' role='via'/><member type='way' ref='%u' role='to'/><tag k='type' "
                "v='restriction'/><tag k='restriction' v='no_right_turn'/></relation>\n",
                i + 1, way_of(i, false), i + 2, way_of(i + 1, true));
    fprintf(file, "</osm>\n");
    fclose(file);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, map, "car", &options);
}

static macadam_engine *open_map(unsigned threads)
{
    macadam_engine *out;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = threads};
    FIXTURE_CALL(macadam_engine_open, &out, path, &options);
    return out;
}

static void set_up(void)
{
    allocator_install();
    files_new_path(folder, path, "map.mcd");
}

static void tear_down(void)
{
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
    files_remove_folder(folder);
}

TestSuite(match, .init = set_up, .fini = tear_down);

static macadam_matches *match(macadam_engine *engine, const char *metric, const macadam_match_request *given)
{
    macadam_matches *out;
    const macadam_query query = {.size = sizeof query, .metric = metric};
    FIXTURE_CALL(macadam_match_find, &out, engine, &query, given);
    return out;
}

/* A random walk of points, some tens of metres apart, within the map. */
static void walk(macadam_engine *engine, test_rng *rng, macadam_trace_point *point, size_t count)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    double lon = info.west + (info.east - info.west) * rng_below(rng, 1000) / 1000,
           lat = info.south + (info.north - info.south) * rng_below(rng, 1000) / 1000, time = 0;
    const double east = (rng_below(rng, 200) - 100.0) * 1e-5, north = (rng_below(rng, 200) - 100.0) * 1e-5;
    for (size_t i = 0; i < count; ++i) {
        point[i] = (macadam_trace_point){.lon = lon, .lat = lat, .time_s = time, .accuracy_m = 20};
        lon += east * rng_below(rng, 100) / 100;
        lat += north * rng_below(rng, 100) / 100;
        time += 4 + rng_below(rng, 30);
    }
}

/* ---- the oracle ---- */

typedef struct oracle_case {
    macadam_engine *engine;
    const mcd_weight *objective, *companion, *distance;
    bool is_duration, is_driven;
    test_oracle *dijkstra;
    macadam_trace_point point[POINTS];
    mcd_fix fix[POINTS];
    mcd_candidate candidate[POINTS][MCD_CANDIDATES_MAX];
    size_t count[POINTS];
    uint64_t penalty[POINTS][MCD_CANDIDATES_MAX][MCD_CANDIDATES_MAX]; /* to point i, from, to; max: none */
    bool reached[POINTS][MCD_CANDIDATES_MAX];
} oracle_case;

static uint64_t share(uint32_t weight, uint32_t before)
{
    return (uint64_t)weight * before >> 32;
}

/* The part of an arc between two candidates on it. */
static uint64_t between(const mcd_weight *weight, const mcd_candidate *a, const mcd_candidate *b)
{
    return share(weight[b->arc], b->before) - share(weight[a->arc], a->before);
}

/* The rest of the first arc and the part of the second one. */
static uint64_t ends(const mcd_weight *weight, const mcd_candidate *a, const mcd_candidate *b)
{
    return weight[a->arc] - share(weight[a->arc], a->before) + share(weight[b->arc], b->before);
}

/* The cheapest path from the head of one arc to a tail of the other: every copy of it, with what it costs
 * more. */
static uint64_t path_to(const oracle_case *c, const uint32_t *objective, const uint32_t *companion,
                        uint32_t arc)
{
    const mcd_graph *graph = &c->engine->graph;
    const mcd_arc_facts *facts = &c->engine->facts;
    uint64_t best = UINT64_MAX;
    for (mcd_node tail = 0; tail < graph->node_count; ++tail)
        for (mcd_arc copy = graph->first_out[tail]; copy < graph->first_out[tail + 1]; ++copy) {
            if (mcd_arc_number(facts, (uint32_t)copy) != mcd_arc_number(facts, arc) ||
                objective[tail] == ORACLE_UNREACHED)
                continue;
            const uint64_t sum = ((uint64_t)objective[tail] + c->objective[copy] - c->objective[arc]) << 32 |
                                 (companion[tail] + c->companion[copy] - c->companion[arc]);
            if (sum < best) best = sum;
        }
    return best;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The accuracies of a point and the one before it, of which 30 m each count. */
static uint64_t accuracies(const oracle_case *c, size_t to)
{
    return least(c->fix[to].accuracy_cm, 3000) + least(c->fix[to - 1].accuracy_cm, 3000);
}

/* The penalty of a way, or UINT64_MAX. */
static uint64_t price(const oracle_case *c, size_t to, uint64_t objective, uint64_t way_cm, uint64_t line_cm)
{
    const uint64_t time = (uint64_t)(c->fix[to].time_ms - c->fix[to - 1].time_ms),
                   slack = 3 * ((uint64_t)c->fix[to].accuracy_cm + c->fix[to - 1].accuracy_cm);
    if (way_cm > least(line_cm + 200000, 7000 * time / 1000 + slack)) return UINT64_MAX;
    const uint64_t penalty =
        (way_cm > line_cm ? way_cm - line_cm : line_cm - way_cm) * 1024 /
        (300 + line_cm / 10 + accuracies(c, to) / 5 + (time > 15000 ? (time - 15000) / 1000 * 100 : 0));
    return penalty + (c->is_duration ? objective * 1024 / (c->is_driven ? 5000 : 20000) : 0);
}

static void price_pair(oracle_case *c, size_t to, uint64_t limit, uint64_t line_cm)
{
    const size_t nodes = c->engine->graph.node_count;
    FREED uint32_t *objective = checked_allocate(nodes, sizeof *objective),
                   *companion = checked_allocate(nodes, sizeof *companion);
    for (size_t i = 0; i < c->count[to - 1]; ++i) {
        const mcd_candidate *a = &c->candidate[to - 1][i];
        oracle_tree(c->dijkstra, c->engine->graph.head[a->arc], 0, objective, companion);
        for (size_t k = 0; k < c->count[to]; ++k) {
            const mcd_candidate *b = &c->candidate[to][k];
            const int64_t behind = (int64_t)share(c->distance[a->arc], a->before) -
                                   (int64_t)share(c->distance[a->arc], b->before);
            uint64_t *out = &c->penalty[to][i][k];
            *out = UINT64_MAX;
            const bool forward = a->before <= b->before;
            if (a->arc == b->arc && (forward || behind <= 2 * (int64_t)accuracies(c, to))) {
                *out = price(c, to, forward ? between(c->objective, a, b) : between(c->objective, b, a),
                             forward ? between(c->distance, a, b) : 0, line_cm);
                continue;
            }
            const uint64_t way = path_to(c, objective, companion, b->arc);
            if (way >> 32 > limit) continue;
            *out = price(c, to, (way >> 32) + ends(c->objective, a, b),
                         (c->distance == c->objective ? way >> 32 : (uint32_t)way) + ends(c->distance, a, b),
                         line_cm);
        }
    }
}

/* Notes which candidates are reached; returns whether any is. One that is not may be where the traveller turns round. */
static bool reach(oracle_case *c, size_t to)
{
    bool any = false;
    for (size_t k = 0; k < c->count[to]; ++k) {
        c->reached[to][k] = false;
        for (size_t i = 0; i < c->count[to - 1]; ++i)
            c->reached[to][k] |= c->reached[to - 1][i] && c->penalty[to][i][k] != UINT64_MAX;
        any |= c->reached[to][k];
    }
    for (size_t k = 0; k < c->count[to]; ++k) {
        const uint32_t twin = c->candidate[to][k].twin;
        if (twin != MCD_FIX_NONE && c->reached[to][k]) c->reached[to][twin] = true;
    }
    return any;
}

static void price_all(oracle_case *c)
{
    for (size_t i = 0; i < c->count[0]; ++i) c->reached[0][i] = true;
    for (size_t to = 1; to < POINTS; ++to) {
        const uint64_t line_cm = mcd_fix_line_cm(c->fix, (uint32_t)to - 1, (uint32_t)to),
                       time = (uint64_t)(c->fix[to].time_ms - c->fix[to - 1].time_ms),
                       slack = 3 * ((uint64_t)c->fix[to].accuracy_cm + c->fix[to - 1].accuracy_cm),
                       longest = least(line_cm + 200000, 7000 * time / 1000 + slack);
        price_pair(c, to, c->is_duration ? time * 3 / 2 + 30000 : longest, line_cm);
        if (reach(c, to) || !c->is_duration) continue;
        price_pair(c, to, longest * 1000 / 400, line_cm);
        reach(c, to);
    }
}

/* The penalty from a candidate to one of the next point, perhaps after turning round; UINT64_MAX: there is no way. */
static uint64_t step(const oracle_case *c, size_t point, size_t from, size_t to)
{
    const uint32_t twin = c->candidate[point][from].twin;
    const uint64_t straight = c->penalty[point + 1][from][to],
                   back = point > 0 && twin != MCD_FIX_NONE ? c->penalty[point + 1][twin][to] : UINT64_MAX;
    return least(straight, back == UINT64_MAX ? back : back + (c->is_driven ? 10 : 1) * 1024);
}

/* The least penalty of all sequences that begin with `sum` and go on from candidate `from` of `point`. */
static uint64_t try_all(const oracle_case *c, size_t point, size_t from, uint64_t sum)
{
    uint64_t best = UINT64_MAX;
    sum += c->candidate[point][from].emission;
    if (point + 1 == POINTS) return sum;
    for (size_t to = 0; to < c->count[point + 1]; ++to)
        if (step(c, point, from, to) != UINT64_MAX)
            best = least(best, try_all(c, point + 1, to, sum + step(c, point, from, to)));
    return best;
}

/* The penalty of what the engine chose; UINT64_MAX: it did not match all points. */
static uint64_t penalty_of(const oracle_case *c, const macadam_matches *got)
{
    uint64_t sum = 0;
    size_t last = 0;
    for (size_t p = 0; p < POINTS; ++p) {
        if (got->point[p].status != MACADAM_MATCH_OK || got->point[p].matching != 0) return UINT64_MAX;
        size_t i = 0;
        while (mcd_arc_number(&c->engine->facts, c->candidate[p][i].arc) != got->point[p].snap.arc) ++i;
        if (p > 0) sum += step(c, p - 1, last, i);
        sum += c->candidate[p][i].emission;
        last = i;
    }
    return sum;
}

static bool prepare(oracle_case *c, test_rng *rng)
{
    const mcd_weights weights = {.objective = c->objective, .companion = c->companion};
    const mcd_candidate_search search = {&c->engine->roads, &c->engine->snap, &weights};
    MCD_OWNED mcd_road_memory *memory = NULL;
    mcd_trace trace = {0, POINTS, 0};
    int64_t interval[POINTS];
    size_t sequences = 1;
    const macadam_match_request request = {.size = sizeof request, .gaps = MACADAM_MATCH_GAPS_IGNORE};
    FIXTURE_CALL(mcd_road_memory_new, &memory);
    walk(c->engine, rng, c->point, POINTS);
    mcd_fixes_read(c->fix, &trace, c->point, &request, interval);
    for (size_t p = 0; p < POINTS; ++p) {
        c->count[p] = mcd_candidates_find(&search, memory, &c->fix[p], NULL, c->candidate[p]);
        sequences *= c->count[p];
    }
    return sequences > 0 && sequences < 300000;
}

static void expect_best(const char *metric, bool is_driven)
{
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    const char *const other = strcmp(metric, "duration") == 0 ? "distance" : "duration";
    macadam_trace_point anywhere[1] = {{.lon = 1}};
    macadam_match_request request = {.size = sizeof request, .point = anywhere, .point_count = 1};
    macadam_matches_free(match(engine, metric, &request)); /* loads what the oracle reads */
    macadam_matches_free(match(engine, other, &request));
    size_t objective, companion;
    FIXTURE_CALL(mcd_engine_find_quantity, engine, metric, &objective);
    FIXTURE_CALL(mcd_engine_find_quantity, engine, other, &companion);
    static oracle_case c;
    c = (oracle_case){.engine = engine, .is_duration = metric[1] == 'u', .is_driven = is_driven};
    c.objective = engine->quantity[objective]->weight;
    c.companion = engine->quantity[companion]->weight;
    c.distance = c.is_duration ? c.companion : c.objective;
    const mcd_graph *graph = &engine->graph;
    FREED uint32_t *tail = checked_allocate(graph->arc_count, sizeof *tail);
    for (mcd_node node = 0; node < graph->node_count; ++node)
        for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc) tail[arc] = node;
    const oracle_arcs arcs = {graph->node_count, graph->arc_count, tail,
                              graph->head,       c.objective,      c.companion};
    c.dijkstra = oracle_new(&arcs, false);
    test_rng rng = {11};
    size_t whole = 0, broken = 0;
    for (int trial = 0; trial < 150; ++trial) {
        if (!prepare(&c, &rng)) continue;
        price_all(&c);
        uint64_t best = UINT64_MAX;
        for (size_t i = 0; i < c.count[0]; ++i) best = least(best, try_all(&c, 0, i, 0));
        request = (macadam_match_request)MACADAM_MATCH_REQUEST_INIT;
        request.gaps = MACADAM_MATCH_GAPS_IGNORE;
        request.point = c.point, request.point_count = POINTS;
        macadam_matches *got = match(engine, metric, &request);
        const uint64_t chosen = penalty_of(&c, got);
        macadam_matches_free(got);
        if (chosen == UINT64_MAX) { /* also if an outlier is left out */
            ++broken;
            continue;
        }
        cr_assert_eq(chosen, best, "%s: trial %d: %ju, not %ju", metric, trial, (uintmax_t)chosen,
                     (uintmax_t)best);
        ++whole;
    }
    cr_assert(whole >= 20, "%s: %zu whole, %zu broken", metric, whole, broken);
    oracle_free(c.dijkstra);
}

Test(match, no_sequence_of_candidates_is_more_plausible)
{
    import_grid();
    expect_best("duration", false);
    expect_best("distance", false);
}

Test(match, no_sequence_is_more_plausible_where_junctions_are_split)
{
    import_town();
    macadam_info info = MACADAM_INFO_INIT;
    macadam_engine *engine = open_map(1);
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert(info.node_count > info.id_count);
    macadam_engine_close(engine);
    expect_best("duration", true);
    expect_best("distance", true);
}

/* ---- batches ---- */

enum { TRACES = 300, TRACE_POINTS = 40 };

static void expect_same_point(const macadam_match_point *a, const macadam_match_point *b, size_t at)
{
    cr_assert_eq(a->status, b->status, "point %zu", at);
    cr_assert_eq(a->waypoint, b->waypoint, "point %zu", at);
    cr_assert_eq(a->alternatives, b->alternatives, "point %zu", at);
    cr_assert_eq(a->snap.arc, b->snap.arc, "point %zu", at);
    cr_assert_eq(memcmp(&a->along, &b->along, sizeof a->along), 0, "point %zu", at);
}

Test(match, an_answer_depends_neither_on_the_batch_nor_on_the_threads)
{
    import_grid();
    macadam_engine *one = open_map(1), *three = open_map(3);
    static macadam_trace_point point[TRACES * TRACE_POINTS];
    size_t first[TRACES + 1] = {0};
    test_rng rng = {5};
    for (size_t t = 0; t < TRACES; ++t) {
        first[t + 1] = first[t] + t % (TRACE_POINTS + 1);
        walk(one, &rng, point + first[t], first[t + 1] - first[t]);
    }
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    request.point = point, request.point_count = first[TRACES];
    request.first = first, request.trace_count = TRACES;
    request.arcs = true;
    macadam_matches *a = match(one, NULL, &request), *b = match(three, NULL, &request);
    cr_assert_eq(a->matching_count, b->matching_count);
    cr_assert_eq(a->arc_count, b->arc_count);
    cr_assert(a->arc_count > 0);
    cr_assert_eq(memcmp(a->arc, b->arc, a->arc_count * sizeof *a->arc), 0);
    for (size_t p = 0; p < first[TRACES]; ++p) expect_same_point(&a->point[p], &b->point[p], p);
    for (size_t t = 1, matching = 0; t < TRACES; ++t) {
        macadam_match_request alone = MACADAM_MATCH_REQUEST_INIT;
        alone.point = point + first[t], alone.point_count = first[t + 1] - first[t];
        alone.arcs = alone.routes = true;
        if (alone.point_count == 0) continue;
        SCOPED(macadam_matches_free_at) macadam_matches *c = match(three, NULL, &alone);
        for (size_t p = 0; p < alone.point_count; ++p)
            expect_same_point(&a->point[first[t] + p], &c->point[p], first[t] + p);
        for (size_t m = 0; m < c->matching_count; ++m, ++matching) {
            const macadam_matching *of_all = &a->matching[matching], *of_one = &c->matching[m];
            cr_assert_eq(of_all->trace, t);
            cr_assert_eq(of_all->end_arc - of_all->first_arc, of_one->end_arc - of_one->first_arc);
            cr_assert_eq(memcmp(a->arc + of_all->first_arc, c->arc + of_one->first_arc,
                                (of_one->end_arc - of_one->first_arc) * sizeof *a->arc),
                         0);
            cr_assert(of_one->route->found);
            cr_assert_eq(of_one->route->leg_count, of_one->waypoint_count - 1);
            cr_assert_eq(llrint(of_one->duration_s * 1000), of_one->route->value[0]);
        }
    }
    macadam_matches_free(a);
    macadam_matches_free(b);
    macadam_engine_close(one);
    macadam_engine_close(three);
}

/* ---- matchings and their routes ---- */

/* Points that stand or move on slowly, and are wrong by a few centimetres: some go back by less than one. */
static void drift(test_rng *rng, macadam_trace_point *point, size_t count)
{
    double lon = rng_below(rng, 5 * STEP_E7), lat = rng_below(rng, 3 * STEP_E7);
    const double east = rng_below(rng, 200) - 100.0, north = rng_below(rng, 200) - 100.0;
    for (size_t i = 0; i < count; ++i) {
        point[i] = (macadam_trace_point){.lon = (lon + rng_below(rng, 5)) * 1e-7,
                                         .lat = (lat + rng_below(rng, 5)) * 1e-7,
                                         .time_s = (double)i};
        if (rng_below(rng, 2)) continue;
        lon += east;
        lat += north;
    }
}

Test(match, a_matching_is_as_long_as_its_route)
{
    import_grid();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    static const char *const both[] = {"duration", "distance"};
    macadam_query query = MACADAM_QUERY_INIT;
    query.metric = both[0], query.quantity = both, query.quantity_count = 2;
    macadam_trace_point point[TRACE_POINTS];
    const macadam_match_request request = {
        .size = sizeof request, .point = point, .point_count = TRACE_POINTS, .routes = true};
    test_rng rng = {5};
    size_t count = 0;
    for (int trial = 0; trial < TRACES; ++trial) {
        SCOPED(macadam_matches_free_at) macadam_matches *got = NULL;
        drift(&rng, point, TRACE_POINTS);
        FIXTURE_CALL(macadam_match_find, &got, engine, &query, &request);
        for (size_t m = 0; m < got->matching_count; ++m, ++count) {
            const macadam_matching *const matching = &got->matching[m];
            cr_assert(matching->route->found, "trial %d", trial);
            cr_assert_eq(llround(matching->duration_s * 1000), matching->route->value[0], "trial %d", trial);
            cr_assert_eq(llround(matching->distance_m * 100), matching->route->value[1], "trial %d", trial);
        }
    }
    cr_assert(count > TRACES / 2, "%zu matchings", count);
}

/* ---- bad points ---- */

Test(match, bad_points_have_statuses_and_the_others_are_matched)
{
    import_grid();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    macadam_trace_point point[8];
    for (int i = 0; i < 8; ++i)
        point[i] = (macadam_trace_point){
            .lon = 0.0001 + 0.0002 * i, .lat = 0.0001, .time_s = 10 * i, .accuracy_m = 20};
    point[1].lon = NAN;
    point[2].time_s = -5;
    point[3].lon = 100;
    point[5].reserved[1] = 1;
    point[6] = point[4];
    macadam_match_request request = {.size = sizeof request, .point = point, .point_count = 8};
    macadam_matches *got = match(engine, NULL, &request);
    static const macadam_match_status expected[8] = {
        MACADAM_MATCH_OK, MACADAM_MATCH_INVALID, MACADAM_MATCH_TIME, MACADAM_MATCH_NO_ROAD,
        MACADAM_MATCH_OK, MACADAM_MATCH_INVALID, MACADAM_MATCH_OK,   MACADAM_MATCH_OK};
    for (int i = 0; i < 8; ++i) cr_assert_eq(got->point[i].status, expected[i], "point %d", i);
    cr_assert_eq(got->matching_count, 1);
    cr_assert_eq(got->matching[0].waypoint_count, 4);
    macadam_matches_free(got);
    request.point_count = 1;
    got = match(engine, NULL, &request);
    cr_assert_eq(got->point[0].status, MACADAM_MATCH_UNCONNECTED);
    cr_assert_eq(got->matching_count, 0);
    macadam_matches_free(got);
}

Test(match, a_pause_splits_a_trace_unless_it_is_ignored)
{
    import_grid();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    macadam_trace_point point[6];
    for (int i = 0; i < 6; ++i)
        point[i] = (macadam_trace_point){.lon = 0.0001 + 0.0002 * i,
                                         .lat = 0.0001,
                                         .time_s = 10 * i + (i > 2 ? 200 : 0),
                                         .accuracy_m = 20};
    macadam_match_request request = {.size = sizeof request, .point = point, .point_count = 6};
    macadam_matches *got = match(engine, NULL, &request);
    cr_assert_eq(got->matching_count, 2);
    cr_assert_eq(got->point[3].matching, 1);
    cr_assert_eq(got->point[3].waypoint, 0);
    macadam_matches_free(got);
    request.gaps = MACADAM_MATCH_GAPS_IGNORE;
    got = match(engine, NULL, &request);
    cr_assert_eq(got->matching_count, 1);
    macadam_matches_free(got);
    request.tidy = true;
    for (int i = 1; i < 5; ++i) point[i] = point[0];
    got = match(engine, NULL, &request);
    for (int i = 1; i < 5; ++i) cr_assert_eq(got->point[i].status, MACADAM_MATCH_OMITTED, "point %d", i);
    cr_assert_eq(got->matching[0].waypoint_count, 2);
    macadam_matches_free(got);
}

/* The number of matchings of points on a street, 10 s apart, with a pause before number `pause` (0: none), of which those
 * from `first` to `last` have no time. */
static size_t count_parts(macadam_engine *engine, int pause, int first, int last)
{
    enum { STEPS = 20 };
    macadam_trace_point point[STEPS];
    for (int i = 0; i < STEPS; ++i)
        point[i] = (macadam_trace_point){
            .lon = 0.0001 + 0.0001 * i,
            .lat = 0.0001,
            .time_s = i >= first && i <= last ? NAN : 10 * i + (pause && i >= pause ? 2000 : 0),
            .accuracy_m = 20};
    const macadam_match_request request = {.size = sizeof request, .point = point, .point_count = STEPS};
    SCOPED(macadam_matches_free_at) macadam_matches *got = match(engine, NULL, &request);
    return got->matching_count;
}

Test(match, points_without_a_time_neither_hide_a_pause_nor_make_one)
{
    import_grid();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    for (int first = 5; first <= 12; ++first)
        for (int last = first - 1; last <= 14; ++last) {
            cr_assert_eq(count_parts(engine, 10, first, last), 2, "%d to %d", first, last);
            cr_assert_eq(count_parts(engine, 0, first, last), 1, "%d to %d", first, last);
        }
    cr_assert_eq(count_parts(engine, 0, 3, 18), 1);
}

Test(match, bad_requests_are_refused)
{
    import_grid();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    macadam_trace_point point[2] = {{0}};
    macadam_matches *out;
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    cr_assert_eq(macadam_match_find(&out, engine, NULL, &request, &error), MACADAM_E_INVALID);
    request.point = point, request.point_count = 2;
    cr_assert_eq(macadam_match_find(NULL, engine, NULL, &request, &error), MACADAM_E_INVALID);
    cr_assert_eq(macadam_match_find(&out, NULL, NULL, &request, &error), MACADAM_E_INVALID);
    request.accuracy_m = NAN;
    cr_assert_eq(macadam_match_find(&out, engine, NULL, &request, &error), MACADAM_E_INVALID);
    request.accuracy_m = 0;
    const size_t backwards[3] = {0, 3, 2};
    request.first = backwards, request.trace_count = 2;
    cr_assert_eq(macadam_match_find(&out, engine, NULL, &request, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "trace 1 ends before it begins");
}

Test(match, parts_of_routes_are_refused_without_routes)
{
    import_grid();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    const macadam_trace_point point[2] = {{.lon = 1}, {.lon = 2}};
    const bool passes[2] = {false};
    for (int routes = 0; routes < 2; ++routes) {
        const macadam_match_request good = {
            .size = sizeof good, .point = point, .point_count = 2, .routes = routes};
        macadam_match_request part[5] = {good, good, good, good, good};
        part[0].steps = part[1].segments = part[2].totals = part[3].costs_only = true;
        part[4].passes = passes;
        for (size_t i = 0; i < 5; ++i) {
            SCOPED(macadam_matches_free_at) macadam_matches *out;
            cr_expect_eq(macadam_match_find(&out, engine, NULL, &part[i], &error),
                         routes ? MACADAM_OK : MACADAM_E_INVALID, "part %zu: %s", i, error.message);
        }
    }
}

/* ---- failures ---- */

enum { JUMPS = 20000 };

/* Points all over the map and beyond it, at times that stand still, with every status among them. */
static void jump(macadam_trace_point *point, size_t count)
{
    test_rng rng = {21};
    for (size_t i = 0; i < count; ++i) {
        point[i] = (macadam_trace_point){.lon = rng_below(&rng, 700) * 1e-5,
                                         .lat = rng_below(&rng, 400) * 1e-5,
                                         .time_s = (double)(i / 40),
                                         .accuracy_m = rng_below(&rng, 40)};
        if (i % 17 == 0) point[i].time_s = NAN;
        if (i % 101 == 0) point[i].lat = INFINITY;
    }
}

Test(match, each_failing_allocation_fails_the_call_and_leaves_nothing)
{
    import_grid();
    static macadam_trace_point point[60];
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    jump(point, 30);
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(1);
    test_rng rng = {6};
    walk(engine, &rng, point + 30, 30);
    const size_t first[3] = {0, 30, 60};
    request.point = point, request.point_count = 60;
    request.first = first, request.trace_count = 2;
    request.arcs = request.routes = request.steps = true;
    bool failed = true;
    for (size_t nth = 1; failed; ++nth) {
        SCOPED(macadam_matches_free_at) macadam_matches *out = NULL;
        allocator_fail(nth);
        const macadam_status status = macadam_match_find(&out, engine, NULL, &request, &error);
        failed = allocator_has_failed();
        allocator_fail(0);
        cr_assert_eq(out == NULL, status != MACADAM_OK, "allocation %zu", nth);
        if (status) cr_assert_eq(status, MACADAM_E_MEMORY, "allocation %zu: %s", nth, error.message);
        if (status) cr_assert(failed, "%s", error.message);
    }
}

static bool stop(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    return (*(size_t *)context)-- > 0;
}

Test(match, a_trace_of_leaps_ends_and_can_be_cancelled)
{
    import_grid();
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_map(2);
    FREED macadam_trace_point *point = checked_allocate(JUMPS, sizeof *point);
    jump(point, JUMPS);
    const macadam_match_request request = {
        .size = sizeof request, .point = point, .point_count = JUMPS, .arcs = true};
    macadam_matches *out = match(engine, NULL, &request);
    cr_assert_eq(out->point_count, JUMPS);
    for (size_t i = 0; i < JUMPS; i += 101) cr_assert_eq(out->point[i].status, MACADAM_MATCH_INVALID);
    macadam_matches_free(out);
    for (size_t calls = 0; calls < 4; ++calls) {
        size_t left = calls;
        const macadam_query query = {.size = sizeof query, .progress = stop, .progress_context = &left};
        cr_assert_eq(macadam_match_find(&out, engine, &query, &request, &error), MACADAM_E_CANCELLED);
        cr_assert_null(out);
    }
    const macadam_query query = {.size = sizeof query, .memory_limit = 1 << 20};
    cr_assert_eq(macadam_match_find(&out, engine, &query, &request, &error), MACADAM_E_LIMIT);
}
