/* clock.c - trees with a clock on one thread or on a GPU: milliseconds a source to all nodes, with invented speed patterns.
 *
 *   clock FILE.mcd [SOURCES [DEVICE]]
 *   clock FILE.mcd box NODES     a matrix of NODES nodes in a 9 km box of New York, on Monday 07:30
 *   clock FILE.mcd routes [PAIRS]
 *   clock FILE.mcd approximate [NODES]
 *
 * The one with `approximate` measures an approximate matrix of NODES random nodes on Monday 07:30, and its error in 24 rows.
 *
 * The one with `routes` measures routes between random pairs, in milliseconds each, and those of 20 to 40 minutes. Costs and arcs
 * are compared with those of searches to all nodes.
 *
 * FILE.mcd has a duration and a distance, of DIMACS data: durations in units of 3.6 ms. The patterns are harsh and invented:
 * 300 weeks with rush hours at 0.3 to 0.6 of the fastest speed, drawn by a hash of an arc's class, area and direction; all
 * arcs of the fastest class follow them, then 80, 50 and 20 %. Departures are Monday 6 to 19. Trees (of a device, the first 16)
 * are compared with Dijkstra's, which evaluates the rule by itself, before a time is printed. Arcs and answers are in memory
 * that is allocated as the engine's is, with large pages. DEVICE is "cuda" or "cuda:N"; its
 * answers are copied into the host's pinned memory. */
#include "engine/base/memory.h"
#include "engine/runtime/device.h"
#include "engine/runtime/load.h"
#include "engine/runtime/version.h"
#include "kernels/clock.h"
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/clock_oracle.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MINUTE = 60000, WARM_RUNS = 10 };
enum { PATTERNS = 300, SLOTS = 672, AREAS = 30, RUNS = 5, HOUR = 3600000, CHECKED = 16 };

typedef struct clock_bench {
    macadam_engine *engine;
    const mcd_backend *backend;
    const mcd_graph *graph;
    uint32_t *own, *price, *pattern, *tail;
    const uint32_t *distance;
    uint32_t *distance_in;
    uint8_t *rate;
    mcd_clock_arc *record[2];
    mcd_clock_arcs arcs;
    clock_oracle_week week;
    mcd_lane *lane;
    uint32_t *instant, *cost;
    size_t lane_count;
} clock_bench;

/* ---- patterns ---- */

/* The speed at a time of day: as fast as at night but for two rush hours. */
static uint8_t draw_rate(uint64_t pattern, uint32_t slot)
{
    const uint32_t day = slot / 96, quarter = slot % 96;
    const uint64_t bits = rng_mix(pattern);
    const uint32_t depth[2] = {30 + bits % 31, 30 + (bits >> 8) % 31}; /* percent */
    const uint32_t middle[2] = {30 + (bits >> 16) % 7, 66 + (bits >> 24) % 9}, width = 4 + (bits >> 32) % 6;
    uint32_t percent = 80 + (uint32_t)(bits >> 40) % 21;
    if (quarter < 22 || quarter > 84) percent = 100;
    for (int rush = 0; rush < 2 && day < 5; ++rush) {
        const uint32_t away = quarter > middle[rush] ? quarter - middle[rush] : middle[rush] - quarter;
        const uint32_t at = depth[rush] + (100 - depth[rush]) * away / width;
        if (at < percent) percent = at;
    }
    return (uint8_t)(255 * percent / 100);
}

static void make_patterns(clock_bench *bench)
{
    bench->rate = checked_allocate(PATTERNS, SLOTS);
    for (uint32_t p = 0; p < PATTERNS; ++p)
        for (uint32_t slot = 0; slot < SLOTS; ++slot) bench->rate[p * SLOTS + slot] = draw_rate(p, slot);
    bench->arcs.patterns = (mcd_patterns){bench->rate, PATTERNS, SLOTS};
    bench->week = clock_oracle_week_make(bench->rate, PATTERNS, SLOTS);
}

/* Areas are ranges of ids, which are of neighbours. */
static uint32_t draw_pattern(const clock_bench *bench, uint32_t arc)
{
    static const uint32_t share[] = {100, 80, 50, 20};
    const uint64_t slowness = UINT64_C(100) * bench->own[arc] / (bench->distance[arc] * UINT64_C(18) / 5 + 1);
    const uint32_t class = slowness < 120 ? 0 : slowness < 145 ? 1 : slowness < 200 ? 2 : 3;
    const uint32_t tail = bench->tail[arc], head = bench->graph->head[arc];
    const uint32_t area = (uint32_t)((uint64_t)tail * AREAS / bench->graph->node_count);
    const uint64_t bits = rng_mix((uint64_t)tail << 32 | head);
    if (bits % 100 >= share[class]) return 0;
    return 1 + (uint32_t)(rng_mix((uint64_t)area << 8 | class << 4 | (head > tail) << 3 | (bits >> 32) % 4) %
                          PATTERNS);
}

/* ---- the arcs ---- */

static void make_records(clock_bench *bench)
{
    const mcd_graph *graph = bench->graph;
    for (int direction = 0; direction < 2; ++direction)
        bench->arcs.arc[direction] = bench->record[direction] =
            checked_memory(mcd_allocate(graph->arc_count, sizeof *bench->record[0]), graph->arc_count,
                           sizeof *bench->record[0]);
    bench->distance_in = checked_allocate(graph->arc_count, sizeof *bench->distance_in);
    bench->arcs.companion[MCD_FORWARD] = bench->distance;
    bench->arcs.companion[MCD_BACKWARD] = bench->distance_in;
    for (uint32_t i = 0; i < graph->arc_count; ++i) {
        const uint32_t arc = graph->in_arc[i];
        bench->distance_in[i] = bench->distance[arc];
        bench->record[MCD_FORWARD][i] = (mcd_clock_arc){graph->head[i], bench->own[i], 0, bench->pattern[i]};
        bench->record[MCD_BACKWARD][i] =
            (mcd_clock_arc){graph->tail[i], bench->own[arc], 0, bench->pattern[arc]};
    }
}

static void make_arcs(clock_bench *bench)
{
    mcd_version *version;
    mcd_array *distance;
    BENCH_CALL(mcd_version_find_loaded, &version, bench->engine, 0);
    BENCH_CALL(mcd_engine_load, bench->engine, MCD_LOAD_GRAPH);
    BENCH_CALL(mcd_engine_load, bench->engine, MCD_LOAD_PLACES);
    BENCH_CALL(mcd_engine_use_quantity, bench->engine, 1, &distance);
    const mcd_graph *graph = bench->graph = &bench->engine->graph;
    uint32_t **const fact[] = {&bench->own, &bench->price, &bench->pattern, &bench->tail};
    uint64_t sum = 0, timed = 0;
    bench->distance = distance->weight;
    for (int i = 0; i < 4; ++i) *fact[i] = checked_zeroed(graph->arc_count, sizeof **fact[i]);
    for (mcd_node x = 0; x < graph->node_count; ++x)
        for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) bench->tail[xy] = x;
    for (uint32_t arc = 0; arc < graph->arc_count; ++arc) {
        bench->own[arc] = (uint32_t)(version->weights.objective[arc] * UINT64_C(18) / 5);
        bench->pattern[arc] = draw_pattern(bench, arc);
        timed += bench->pattern[arc] > 0;
        sum += bench->own[arc];
    }
    bench->arcs.graph = graph;
    bench->arcs.own_mean = (mcd_weight)(sum / graph->arc_count + 1);
    make_records(bench);
    printf("%u nodes, %u arcs, %.1f %% of them timed, mean %u ms\n", graph->node_count, graph->arc_count,
           100.0 * (double)timed / graph->arc_count, bench->arcs.own_mean);
}

/* ---- trees ---- */

static void draw_lanes(clock_bench *bench)
{
    test_rng rng = {1};
    bench->lane = checked_allocate(bench->lane_count, sizeof *bench->lane);
    bench->instant = checked_allocate(bench->lane_count, sizeof *bench->instant);
    const size_t bytes = bench->lane_count * bench->graph->node_count * sizeof *bench->cost;
    if (bench->backend->device)
        BENCH_CALL(bench->backend->device->memory_new, (void **)&bench->cost, bench->engine->device, 0,
                   MCD_MEMORY_PINNED, bytes);
    else
        bench->cost = checked_memory(mcd_allocate(bytes, 1), bytes, 1);
    for (size_t i = 0; i < bench->lane_count; ++i) {
        bench->lane[i] = mcd_lane_of(rng_below(&rng, bench->graph->node_count));
        bench->instant[i] = 6 * HOUR + rng_below(&rng, 13 * HOUR);
    }
}

static double run(const clock_bench *bench, mcd_direction direction)
{
    const size_t node_count = bench->graph->node_count;
    mcd_clock_job job = {.tree = {.direction = direction,
                                  .lane = bench->lane,
                                  .lane_count = bench->lane_count,
                                  .limit = MCD_WEIGHT_MAX,
                                  .column_count = node_count,
                                  .lane_stride = node_count,
                                  .column_stride = 1,
                                  .objective = bench->cost,
                                  .parallel = {1, NULL}},
                         .arcs = &bench->arcs,
                         .instant = bench->instant};
    const size_t bytes = bench->backend->clock_scratch(&job);
    job.tree.scratch = bytes ? checked_memory(mcd_allocate(bytes, 1), bytes, 1) : NULL;
    const double begin = bench_seconds_now();
    BENCH_CALL(bench->backend->clock, &job);
    const double seconds = bench_seconds_now() - begin;
    mcd_free(job.tree.scratch);
    return seconds;
}

static void verify(const clock_bench *bench, mcd_direction direction)
{
    const mcd_graph *graph = bench->graph;
    const clock_oracle_arcs arcs = {graph->node_count, graph->arc_count, bench->tail,    graph->head,
                                    bench->own,        bench->price,     bench->pattern, NULL};
    FREED uint32_t *right = checked_allocate(graph->node_count, sizeof *right);
    uint64_t sum = 0;
    const size_t checked =
        bench->backend->device && bench->lane_count > CHECKED ? CHECKED : bench->lane_count;
    for (size_t i = 0; i < checked; ++i) {
        const oracle_seed seed = {bench->lane[i].seed[0].node, 0, 0};
        const uint32_t *cost = bench->cost + i * graph->node_count;
        clock_oracle_tree(&arcs, &bench->week, &seed, 1, bench->instant[i], direction == MCD_BACKWARD,
                          MCD_WEIGHT_MAX, right, NULL);
        for (mcd_node node = 0; node < graph->node_count; ++node) {
            sum += right[node] != ORACLE_UNREACHED ? right[node] : 0;
            if (cost[node] == right[node]) continue;
            fprintf(stderr, "lane %zu, node %u: %u instead of %u\n", i, node, cost[node], right[node]);
            exit(1);
        }
    }
    printf("%zu of %zu trees are compared and right; a trip takes %.1f min on average\n", checked,
           bench->lane_count, (double)sum / 60000 / (double)checked / graph->node_count);
}

static void measure(const clock_bench *bench, mcd_direction direction)
{
    double seconds[RUNS];
    run(bench, direction);
    verify(bench, direction);
    for (int i = 0; i < RUNS; ++i) seconds[i] = run(bench, direction);
    bench_sort(seconds, RUNS);
    printf("%s: %.3f ms a source to all nodes (%.3f - %.3f)\n",
           direction == MCD_FORWARD ? "forward" : "backward",
           1e3 * seconds[RUNS / 2] / (double)bench->lane_count, 1e3 * seconds[0] / (double)bench->lane_count,
           1e3 * seconds[RUNS - 1] / (double)bench->lane_count);
}

/* ---- matrices ---- */

/* Gives the engine the patterns, and the durations in milliseconds. */
static void give_patterns(const clock_bench *bench)
{
    const uint32_t count = bench->graph->arc_count;
    FREED uint64_t *arc = checked_allocate(count, sizeof *arc);
    FREED uint16_t *pattern = checked_allocate(count, sizeof *pattern);
    BENCH_CALL(mcd_engine_load, bench->engine, MCD_LOAD_FACTS);
    for (uint32_t i = 0; i < count; ++i) {
        arc[i] = mcd_arc_number(&bench->engine->facts, i);
        pattern[i] = (uint16_t)bench->pattern[i];
    }
    const char *const duration[] = {"duration"};
    const uint32_t *const value[] = {bench->own};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = count, request.quantity = duration, request.quantity_count = 1;
    request.value = value, request.pattern = pattern, request.pattern_speed = bench->rate;
    request.pattern_count = PATTERNS, request.slot_count = SLOTS;
    BENCH_CALL(macadam_update, bench->engine, &request);
}

/* Of this process, so that others on the machine count less. */
static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

enum {
    BOX_METRES = 4500, /* half its side */
    BOX_MIDDLE_LON = -739700000,
    BOX_MIDDLE_LAT = 407300000,
    BOX_INSTANT = 7 * HOUR + HOUR / 2,
    METRES_NORTH = 1112, /* of 100,000 steps of a coordinate, there */
    METRES_EAST = 843,
    ROWS_VERIFIED = 10
};

typedef struct box_bench {
    clock_bench *bench;
    mcd_node *node; /* [node_count] drawn from those of the box */
    size_t node_count;
    uint32_t *cost, *companion; /* [node_count][node_count] */
} box_bench;

static void draw_nodes(box_bench *box)
{
    const macadam_engine *engine = box->bench->engine;
    const mcd_node node_count = box->bench->graph->node_count;
    FREED mcd_node *inside = checked_allocate(node_count, sizeof *inside);
    uint32_t count = 0;
    test_rng rng = {1};
    for (mcd_node v = 0; v < node_count; ++v) {
        const int64_t north = ((int64_t)engine->places.lat_e7[v] - BOX_MIDDLE_LAT) * METRES_NORTH / 100000,
                      east = ((int64_t)engine->places.lon_e7[v] - BOX_MIDDLE_LON) * METRES_EAST / 100000;
        if (north * north <= (int64_t)BOX_METRES * BOX_METRES &&
            east * east <= (int64_t)BOX_METRES * BOX_METRES)
            inside[count++] = v;
    }
    printf("%u nodes in a box of %d km\n", count, 2 * BOX_METRES / 1000);
    if (count < ROWS_VERIFIED || box->node_count < ROWS_VERIFIED) exit(1);
    box->node = checked_allocate(box->node_count, sizeof *box->node);
    for (size_t i = 0; i < box->node_count; ++i) box->node[i] = inside[rng_below(&rng, count)];
}

/* A matrix by a public call. With `everywhere` set, by searches on the whole map. */
static double run_box(const box_bench *box, mcd_direction direction, bool joint, bool everywhere)
{
    const clock_bench *bench = box->bench;
    FREED macadam_place *place = checked_zeroed(box->node_count, sizeof *place);
    const uint32_t instant = BOX_INSTANT;
    macadam_clock when = MACADAM_CLOCK_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    static const char *const quantity[] = {"duration", "distance"};
    *(direction == MCD_BACKWARD ? &when.arrive_by : &when.depart) = &instant;
    *(direction == MCD_BACKWARD ? &when.arrive_count : &when.depart_count) = 1;
    query.clock = &when;
    query.quantity = quantity, query.quantity_count = joint ? 2 : 1;
    for (size_t i = 0; i < box->node_count; ++i)
        place[i].id = mcd_place_id_of(&bench->engine->places, box->node[i]);
    request.source = request.target = place, request.source_count = request.target_count = box->node_count;
    bench->engine->profile[0]->has_hierarchy = !everywhere;
    const double begin = processor_seconds();
    BENCH_CALL(macadam_matrix_find_into, (uint32_t *const[]){box->cost, box->companion}, NULL, bench->engine,
               &query, &request);
    bench->engine->profile[0]->has_hierarchy = true;
    return processor_seconds() - begin;
}

/* Compares some rows with the oracle's. */
static void verify_box(const box_bench *box, mcd_direction direction, bool joint)
{
    const clock_bench *bench = box->bench;
    const mcd_graph *graph = bench->graph;
    const clock_oracle_arcs arcs = {graph->node_count, graph->arc_count, bench->tail,    graph->head,
                                    bench->own,        bench->price,     bench->pattern, bench->distance};
    FREED uint32_t *right = checked_allocate(graph->node_count, sizeof *right);
    FREED uint32_t *along = checked_allocate(graph->node_count, sizeof *along);
    for (size_t row = 0; row < box->node_count; row += box->node_count / ROWS_VERIFIED) {
        const oracle_seed seed = {box->node[row], 0, 0};
        clock_oracle_tree(&arcs, &bench->week, &seed, 1, BOX_INSTANT, direction == MCD_BACKWARD,
                          MCD_WEIGHT_MAX, right, joint ? along : NULL);
        for (size_t i = 0; i < box->node_count; ++i) {
            const size_t n = box->node_count, cell = direction == MCD_FORWARD ? row * n + i : i * n + row;
            if (box->cost[cell] == right[box->node[i]] &&
                (!joint || box->companion[cell] == along[box->node[i]]))
                continue;
            fprintf(stderr, "cell %zu of row %zu: %u instead of %u\n", i, row, box->cost[cell],
                    right[box->node[i]]);
            exit(1);
        }
    }
}

static void measure_box(const box_bench *box, mcd_direction direction, bool joint, bool everywhere)
{
    double seconds[RUNS];
    for (int i = 0; i < 3; ++i) run_box(box, direction, joint, everywhere);
    verify_box(box, direction, joint);
    for (int i = 0; i < RUNS; ++i) seconds[i] = run_box(box, direction, joint, everywhere);
    bench_sort(seconds, RUNS);
    printf("%s, %s, %s: %zu x %zu in %.0f ms (%.0f - %.0f)\n",
           direction == MCD_FORWARD ? "forward" : "backward", joint ? "with distances" : "durations",
           everywhere ? "on the whole map" : "as planned", box->node_count, box->node_count,
           1e3 * seconds[RUNS / 2], 1e3 * seconds[0], 1e3 * seconds[RUNS - 1]);
}

static void measure_boxes(clock_bench *bench, size_t node_count)
{
    box_bench box = {.bench = bench, .node_count = node_count};
    draw_nodes(&box);
    box.cost = checked_allocate(node_count * node_count, sizeof *box.cost);
    box.companion = checked_allocate(node_count * node_count, sizeof *box.companion);
    give_patterns(bench);
    for (int i = 0; i < 8; ++i) measure_box(&box, i & 2 ? MCD_BACKWARD : MCD_FORWARD, i & 4, i & 1);
}

/* ---- routes ---- */

typedef struct routes_bench {
    macadam_place *source, *target;
    uint32_t *instant, *cost, *right;
    uint64_t *path, *right_path; /* a hash of each path */
    size_t count;
} routes_bench;

static bool keep_hash(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < arc_count; ++i) hash = rng_mix(hash ^ arc[i]);
    ((uint64_t *)context)[pair] = hash;
    return true;
}

/* With `everywhere` set, by searches to all nodes. Returns the seconds. */
static double find_routes(const clock_bench *bench, const routes_bench *routes, bool backward,
                          bool everywhere, uint32_t *cost, uint64_t *path)
{
    macadam_clock when = MACADAM_CLOCK_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    *(backward ? &when.arrive_by : &when.depart) = routes->instant;
    *(backward ? &when.arrive_count : &when.depart_count) = routes->count;
    when.each = true;
    query.clock = &when;
    request.source = routes->source, request.target = routes->target, request.pair_count = routes->count;
    bench->engine->profile[0]->has_hierarchy = !everywhere;
    const double begin = processor_seconds();
    BENCH_CALL(macadam_routes_find_paths, (uint32_t *const[]){cost}, NULL, bench->engine, &query, &request,
               keep_hash, path);
    bench->engine->profile[0]->has_hierarchy = true;
    return processor_seconds() - begin;
}

static void compare_routes(const routes_bench *routes)
{
    for (size_t i = 0; i < routes->count; ++i) {
        if (routes->cost[i] == routes->right[i] && routes->path[i] == routes->right_path[i]) continue;
        fprintf(stderr, "pair %zu: %u instead of %u, or other arcs\n", i, routes->cost[i], routes->right[i]);
        exit(1);
    }
}

static void measure_routes(const clock_bench *bench, const routes_bench *routes, bool backward,
                           const char *which)
{
    double seconds[RUNS];
    uint64_t sum = 0;
    if (routes->count == 0) return;
    const double everywhere = find_routes(bench, routes, backward, true, routes->right, routes->right_path);
    for (int i = 0; i < WARM_RUNS; ++i) {
        find_routes(bench, routes, backward, false, routes->cost, routes->path);
        compare_routes(routes);
    }
    for (int i = 0; i < RUNS; ++i)
        seconds[i] = find_routes(bench, routes, backward, false, routes->cost, routes->path);
    compare_routes(routes);
    bench_sort(seconds, RUNS);
    for (size_t i = 0; i < routes->count; ++i)
        sum += routes->cost[i] == MACADAM_UNREACHED ? 0 : routes->cost[i];
    const double each = 1e3 / (double)routes->count;
    printf("%s, %s: %zu routes of %.1f min on average, %.3f ms each (%.3f - %.3f), %.2f ms by searches to "
           "all nodes\n",
           which, backward ? "by arrival" : "by departure", routes->count,
           (double)sum / MINUTE / (double)routes->count, each * seconds[RUNS / 2], each * seconds[0],
           each * seconds[RUNS - 1], each * everywhere);
}

/* Keeps the pairs of half an hour. */
static void keep_short(routes_bench *routes)
{
    size_t kept = 0;
    for (size_t i = 0; i < routes->count; ++i) {
        if (routes->cost[i] < 20 * MINUTE || routes->cost[i] > 40 * MINUTE) continue;
        routes->source[kept] = routes->source[i];
        routes->target[kept] = routes->target[i];
        routes->instant[kept++] = routes->instant[i];
    }
    routes->count = kept;
}

static void measure_all_routes(const clock_bench *bench, size_t count)
{
    test_rng rng = {7};
    routes_bench routes = {.count = count};
    const size_t id_count = bench->engine->places.id_count;
    const int64_t *const id = macadam_engine_ids(bench->engine, NULL);
    routes.source = checked_zeroed(count, sizeof *routes.source);
    routes.target = checked_zeroed(count, sizeof *routes.target);
    uint32_t **const array[] = {&routes.instant, &routes.cost, &routes.right};
    for (int i = 0; i < 3; ++i) *array[i] = checked_allocate(count, sizeof **array[i]);
    routes.path = checked_allocate(count, sizeof *routes.path);
    routes.right_path = checked_allocate(count, sizeof *routes.right_path);
    for (size_t i = 0; i < count; ++i) {
        routes.source[i].id = id[rng_below(&rng, (uint32_t)id_count)];
        routes.target[i].id = id[rng_below(&rng, (uint32_t)id_count)];
        routes.instant[i] = 6 * HOUR + rng_below(&rng, 13 * HOUR);
    }
    measure_routes(bench, &routes, true, "random pairs");
    measure_routes(bench, &routes, false, "random pairs");
    keep_short(&routes);
    measure_routes(bench, &routes, false, "20 to 40 minutes");
}

/* ---- approximate matrices ---- */

enum { ROWS_COMPARED = 24 };

typedef struct approximate_bench {
    macadam_place *source, *target;
    uint32_t *cost, *right;
    size_t count;
} approximate_bench;

static double find_matrix(const clock_bench *bench, const approximate_bench *of, size_t first, size_t rows,
                          macadam_approximation *approximation, uint32_t *cost)
{
    const uint32_t depart = BOX_INSTANT;
    macadam_clock when = MACADAM_CLOCK_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    when.depart = &depart, when.depart_count = 1;
    query.clock = &when;
    request.source = of->source + first, request.source_count = rows;
    request.target = of->target, request.target_count = of->count;
    request.approximation = approximation;
    const double begin = processor_seconds();
    BENCH_CALL(macadam_matrix_find_into, (uint32_t *const[]){cost}, NULL, bench->engine, &query, &request);
    return processor_seconds() - begin;
}

/* Compares some rows with exact ones. */
static void compare_rows(const clock_bench *bench, const approximate_bench *of)
{
    const size_t rows = of->count < ROWS_COMPARED ? of->count : ROWS_COMPARED;
    double *const error = checked_allocate(rows * of->count, sizeof *error), sum = 0, exact_s = 0;
    size_t cells = 0, below = 0;
    for (size_t i = 0; i < rows; ++i) {
        const size_t row = i * of->count / rows;
        exact_s += find_matrix(bench, of, row, 1, NULL, of->right);
        for (size_t c = 0; c < of->count; ++c) {
            const double right = of->right[c], cost = of->cost[row * of->count + c];
            if (of->right[c] == 0 || of->right[c] == MACADAM_UNREACHED) continue;
            error[cells] = cost < right ? (right - cost) / right : (cost - right) / right;
            below += cost < right;
            sum += error[cells++];
        }
    }
    bench_sort(error, cells);
    printf("%zu cells of %zu rows: error %.3f %% on average, p99 %.2f %%, worst %.2f %%, %.0f %% of them too "
           "low; "
           "an exact row takes %.1f ms\n",
           cells, rows, 100 * sum / (double)cells, 100 * error[cells * 99 / 100], 100 * error[cells - 1],
           100.0 * (double)below / (double)cells, 1e3 * exact_s / (double)rows);
    free(error);
}

static void measure_approximate(const clock_bench *bench, size_t count)
{
    test_rng rng = {1};
    approximate_bench of = {.count = count};
    double seconds[RUNS];
    macadam_approximation approximation;
    const int64_t *const id = macadam_engine_ids(bench->engine, NULL);
    of.source = checked_zeroed(count, sizeof *of.source);
    of.target = checked_zeroed(count, sizeof *of.target);
    of.cost = checked_allocate(count * count, sizeof *of.cost);
    of.right = checked_allocate(count, sizeof *of.right);
    for (size_t i = 0; i < 2 * count; ++i)
        (i < count ? &of.source[i] : &of.target[i - count])->id =
            id[rng_below(&rng, (uint32_t)bench->engine->places.id_count)];
    find_matrix(bench, &of, 0, 1, NULL, of.right);
    const double first = find_matrix(bench, &of, 0, count, &approximation, of.cost);
    for (int i = 0; i < RUNS; ++i) seconds[i] = find_matrix(bench, &of, 0, count, &approximation, of.cost);
    compare_rows(bench, &of);
    bench_sort(seconds, RUNS);
    printf("approximate: %zu x %zu in %.3f s (%.3f - %.3f), the first time %.3f s; it reports %u ppm on "
           "average, "
           "%u at worst, in %llu cells\n",
           count, count, seconds[RUNS / 2], seconds[0], seconds[RUNS - 1], first, approximation.mean_ppm,
           approximation.worst_ppm, (unsigned long long)approximation.cells);
}

int main(int count, char **argument)
{
    const size_t box = count > 3 && strcmp(argument[2], "box") == 0 ? strtoul(argument[3], NULL, 10) : 0;
    const bool routes = count > 2 && strcmp(argument[2], "routes") == 0,
               approximate = count > 2 && strcmp(argument[2], "approximate") == 0;
    clock_bench bench = {.lane_count = box || routes || approximate ? 1
                                       : count > 2                  ? strtoul(argument[2], NULL, 10)
                                                                    : 16};
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    if (count < 2 || bench.lane_count == 0) {
        fprintf(
            stderr,
            "usage: clock FILE.mcd [SOURCES [DEVICE] | box NODES | routes [PAIRS] | approximate [NODES]]\n");
        return 2;
    }
    options.threads = 1;
    options.device = count > 3 && !box && !routes && !approximate ? argument[3] : "cpu";
    BENCH_CALL(macadam_engine_open, &bench.engine, argument[1], &options);
    make_patterns(&bench);
    make_arcs(&bench);
    bench.backend = mcd_engine_backend(bench.engine);
    if (bench.backend->device)
        BENCH_CALL(bench.backend->device->clock_new, &bench.arcs.device, bench.engine->device, &bench.arcs);
    if (routes || approximate) {
        const size_t given = count > 3 ? strtoul(argument[3], NULL, 10) : 0;
        give_patterns(&bench);
        routes ? measure_all_routes(&bench, given ? given : 400)
               : measure_approximate(&bench, given ? given : 1000);
        return 0;
    }
    draw_lanes(&bench);
    printf("%s, %s, 1 thread\n", argument[1],
           bench.backend->device ? mcd_engine_device_name(bench.engine) : bench.engine->host->name);
    if (box) measure_boxes(&bench, box);
    if (box) return 0;
    measure(&bench, MCD_FORWARD);
    measure(&bench, MCD_BACKWARD);
    return 0;
}
