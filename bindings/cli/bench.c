/* bench.c - `macadam bench`: what this machine does with an edge file, through the public interface alone.
 * Answers are compared with each other before anything is timed and again after the last update. Places
 * are drawn at random, the same ones every time. Where a device computes, requests are larger, and the
 * floor of a time is that of copying its answers to the host. */
#include "bindings/cli/bench_snap.h"
#include "bindings/cli/command.h"
#include "bindings/cli/console.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/measure.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACE_COUNT = 20000,
    WEIGHT_MAX = 100000, /* of updates */
    ROUTE_COUNT = 10000, /* pairs: place[i], place[ROUTE_COUNT + i] */
    PATH_COUNT = 1000,
    MATRIX_SMALL = 1000,
    MATRIX_LARGE = 4000, /* sources from place[0], targets from place[ROUTE_COUNT] */
    MATRIX_DEVICE = 10000,
    LANES_MIN = 16, /* a batch of trees: a multiple of this */
    LANES_HOST = 64,
    LANES_MAX = 1024, /* on a device */
    CHECK_SOURCES = 16,
    CHECK_TARGETS = 64,
    LIMITS = 8, /* of reach */
};
static const size_t tree_cells_max = (size_t)1 << 28; /* 1 GiB a quantity */

typedef struct bench_state {
    const cli_options *options;
    cli_session session;
    macadam_place place[PLACE_COUNT];
    uint32_t *value[MACADAM_QUANTITIES_MAX]; /* room for every answer, which a device reaches at full speed */
    uint32_t
        *there[MACADAM_QUANTITIES_MAX]; /* room for a batch of trees on the device; NULL: the host computes */
    bool is_on_device;
    size_t lanes, matrix_side; /* of the present measurement */
    macadam_order order;
    uint32_t limit[LIMITS];
    uint64_t node_count[LANES_MAX * LIMITS]; /* within each */
    uint64_t *arc;                           /* of the present update: arc_count numbers and weights */
    uint32_t *weight;
    size_t arc_count, arc_capacity;
    cli_measurements measurements;
} bench_state;

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t draw(uint64_t *state)
{
    uint64_t bits = *state += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

/* ---- work ---- */

static int open_and_close(void *context)
{
    const bench_state *const bench = context;
    cli_session session;
    const int status = cli_session_open(&session, bench->options);
    cli_session_close(&session);
    return status;
}

static int find_route(const bench_state *bench, const cli_session *session, size_t pair)
{
    const macadam_place waypoint[] = {bench->place[pair], bench->place[ROUTE_COUNT + pair]};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    macadam_route *route;
    macadam_error error = {""};
    const macadam_status status =
        macadam_route_find(session->engine, &session->query, &request, &route, &error);
    macadam_route_free(route);
    return cli_done(status, &error);
}

static int open_and_find_route(void *context)
{
    const bench_state *const bench = context;
    cli_session session;
    int status = cli_session_open_query(&session, bench->options);
    if (status == CLI_DONE) status = find_route(bench, &session, 0);
    cli_session_close(&session);
    return status;
}

static int find_one_route(void *context)
{
    const bench_state *const bench = context;
    return find_route(bench, &bench->session, 0);
}

static int grow_trees_into(const bench_state *bench, uint32_t *const *value)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = bench->place;
    request.source_count = bench->lanes;
    request.order = bench->order;
    macadam_error error = {""};
    return cli_done(macadam_tree(bench->session.engine, &bench->session.query, &request, value, NULL, &error),
                    &error);
}

static int grow_trees(void *context)
{
    const bench_state *const bench = context;
    return grow_trees_into(bench, bench->value);
}

static int grow_trees_there(void *context)
{
    const bench_state *const bench = context;
    return grow_trees_into(bench, bench->there);
}

static size_t tree_bytes(const bench_state *bench, size_t lanes)
{
    return lanes * bench->session.info.node_count * sizeof(uint32_t);
}

static int copy_trees(void *context)
{
    const bench_state *const bench = context;
    macadam_error error = {""};
    return cli_done(macadam_memory_read(bench->session.engine, bench->value[0], bench->there[0],
                                        tree_bytes(bench, bench->lanes), &error),
                    &error);
}

/* The session's query for the objective alone, which is what reach knows. */
static macadam_query objective_query(const bench_state *bench)
{
    macadam_query query = bench->session.query;
    query.quantity_count = 0;
    return query;
}

static int find_reach(void *context)
{
    bench_state *const bench = context;
    const macadam_query query = objective_query(bench);
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = bench->place;
    request.source_count = bench->lanes;
    request.limit = bench->limit;
    request.limit_count = LIMITS;
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.node_count = bench->node_count;
    macadam_error error = {""};
    return cli_done(macadam_reach_find(bench->session.engine, &query, &request, &answer, NULL, &error),
                    &error);
}

static int fill_matrix(void *context)
{
    const bench_state *const bench = context;
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = bench->place;
    request.target = bench->place + ROUTE_COUNT;
    request.source_count = request.target_count = bench->matrix_side;
    macadam_error error = {""};
    return cli_done(macadam_matrix_into(bench->session.engine, &bench->session.query, &request, bench->value,
                                        NULL, &error),
                    &error);
}

static macadam_routes_request routes_request(const bench_state *bench, size_t count)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = bench->place;
    request.target = bench->place + ROUTE_COUNT;
    request.pair_count = count;
    return request;
}

static int cost_routes(void *context)
{
    const bench_state *const bench = context;
    const macadam_routes_request request = routes_request(bench, ROUTE_COUNT);
    macadam_error error = {""};
    return cli_done(
        macadam_routes(bench->session.engine, &bench->session.query, &request, bench->value, NULL, &error),
        &error);
}

static bool drop_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)context, (void)pair, (void)arc, (void)arc_count;
    return true;
}

static int unpack_routes(bench_state *bench, macadam_path_callback take)
{
    const macadam_routes_request request = routes_request(bench, PATH_COUNT);
    macadam_error error = {""};
    return cli_done(macadam_routes_paths(bench->session.engine, &bench->session.query, &request, bench->value,
                                         NULL, take, bench, &error),
                    &error);
}

static int find_paths(void *context)
{
    return unpack_routes(context, drop_path);
}

static macadam_status send_update(const bench_state *bench, macadam_error *error)
{
    const uint32_t *const weight = bench->weight;
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = bench->arc;
    request.count = bench->arc_count;
    request.quantity = &bench->session.query.metric;
    request.quantity_count = 1;
    request.value = &weight;
    return macadam_update(bench->session.engine, &request, error);
}

/* Each arc's weight changes every time. */
static int update_arcs(void *context)
{
    bench_state *const bench = context;
    macadam_error error = {""};
    for (size_t i = 0; i < bench->arc_count; ++i) bench->weight[i] = WEIGHT_MAX + 1 - bench->weight[i];
    return cli_done(send_update(context, &error), &error);
}

/* ---- arcs to update ---- */

static bool keep_arcs(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    bench_state *const bench = context;
    (void)pair;
    if (bench->arc_count + arc_count > bench->arc_capacity) {
        bench->arc_capacity = 2 * (bench->arc_count + arc_count);
        bench->arc = cli_reallocate(bench->arc, bench->arc_capacity, sizeof *bench->arc);
    }
    if (arc_count) memcpy(bench->arc + bench->arc_count, arc, arc_count * sizeof *arc);
    bench->arc_count += arc_count;
    return true;
}

static int compare_arcs(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The arcs on random routes, each once. */
static int choose_arcs_on_routes(bench_state *bench)
{
    bench->arc_count = 0;
    const int status = unpack_routes(bench, keep_arcs);
    if (status != CLI_DONE || bench->arc_count == 0) return status;
    qsort(bench->arc, bench->arc_count, sizeof *bench->arc, compare_arcs);
    size_t kept = 0;
    for (size_t i = 0; i < bench->arc_count; ++i)
        if (i == 0 || bench->arc[i] != bench->arc[i - 1]) bench->arc[kept++] = bench->arc[i];
    bench->arc_count = kept;
    return CLI_DONE;
}

/* All arcs if their numbers have no gaps, else those on random routes; shuffled, with random weights. */
static int choose_arcs(bench_state *bench)
{
    const size_t count = bench->session.info.arc_count;
    uint64_t state = 2;
    bench->arc_count = bench->arc_capacity = count;
    bench->arc = cli_allocate(count, sizeof *bench->arc);
    bench->weight = cli_allocate(count, sizeof *bench->weight);
    for (size_t i = 0; i < count; ++i) {
        bench->arc[i] = i + 1;
        bench->weight[i] = 1 + (uint32_t)(draw(&state) % WEIGHT_MAX);
    }
    const macadam_status status = send_update(bench, NULL);
    if (status == MACADAM_E_NOT_FOUND) {
        CLI_TRY(choose_arcs_on_routes(bench));
    }
    for (size_t i = bench->arc_count; i > 1; --i) {
        const size_t other = draw(&state) % i;
        const uint64_t arc = bench->arc[i - 1];
        bench->arc[i - 1] = bench->arc[other];
        bench->arc[other] = arc;
    }
    return CLI_DONE;
}

/* ---- checks ---- */

static int fail_check(const bench_state *bench, size_t source, size_t target, const char *what)
{
    return cli_fail(CLI_RESOURCE, "wrong answer", "from node %lld to node %lld: %s differ",
                    (long long)bench->place[source].id, (long long)bench->place[ROUTE_COUNT + target].id,
                    what);
}

/* The values of the check's matrix, computed by `routes` and by `trees`. */
typedef struct bench_check {
    uint32_t *matrix[MACADAM_QUANTITIES_MAX], *routes[MACADAM_QUANTITIES_MAX];
    macadam_place source[CHECK_SOURCES * CHECK_TARGETS], target[CHECK_SOURCES * CHECK_TARGETS];
} bench_check;

static int compute_check(const bench_state *bench, bench_check *check)
{
    const cli_session *const session = &bench->session;
    macadam_error error = {""};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = bench->place;
    matrix.source_count = CHECK_SOURCES;
    matrix.target = bench->place + ROUTE_COUNT;
    matrix.target_count = CHECK_TARGETS;
    CLI_TRY(cli_done(
        macadam_matrix_into(session->engine, &session->query, &matrix, check->matrix, NULL, &error), &error));
    for (size_t i = 0; i < CHECK_SOURCES * CHECK_TARGETS; ++i) {
        check->source[i] = matrix.source[i / CHECK_TARGETS];
        check->target[i] = matrix.target[i % CHECK_TARGETS];
    }
    macadam_routes_request routes = MACADAM_ROUTES_REQUEST_INIT;
    routes.source = check->source;
    routes.target = check->target;
    routes.pair_count = CHECK_SOURCES * CHECK_TARGETS;
    CLI_TRY(cli_done(macadam_routes(session->engine, &session->query, &routes, check->routes, NULL, &error),
                     &error));
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    tree.source = bench->place;
    tree.source_count = CHECK_SOURCES;
    return cli_done(macadam_tree(session->engine, &session->query, &tree, bench->value, NULL, &error),
                    &error);
}

static int compare_check(const bench_state *bench, const bench_check *check)
{
    const cli_session *const session = &bench->session;
    for (size_t i = 0; i < CHECK_SOURCES * CHECK_TARGETS; ++i) {
        const size_t source = i / CHECK_TARGETS, target = i % CHECK_TARGETS;
        size_t node;
        cli_session_find_id(session, check->target[i].id, &node);
        for (size_t q = 0; q < session->quantity_count; ++q) {
            const uint32_t tree = bench->value[q][source * session->info.id_count + node];
            if (check->matrix[q][i] != check->routes[q][i])
                return fail_check(bench, source, target, "matrix and route");
            if (check->matrix[q][i] != tree) return fail_check(bench, source, target, "matrix and tree");
        }
    }
    return CLI_DONE;
}

/* Compares the counts of reach with those in trees; leaves limits spread over the trees' costs. */
static int verify_reach(bench_state *bench)
{
    const size_t id_count = bench->session.info.id_count, cells = CHECK_SOURCES * id_count;
    const macadam_query query = objective_query(bench);
    const uint32_t *const cost = bench->value[0];
    uint32_t cost_max = 0;
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    tree.source = bench->place;
    tree.source_count = bench->lanes = CHECK_SOURCES;
    macadam_error error = {""};
    CLI_TRY(cli_done(macadam_tree(bench->session.engine, &query, &tree, bench->value, NULL, &error), &error));
    for (size_t i = 0; i < cells; ++i)
        if (cost[i] != MACADAM_UNREACHED && cost[i] > cost_max) cost_max = cost[i];
    for (size_t i = 0; i < LIMITS; ++i) bench->limit[i] = (uint32_t)((uint64_t)cost_max * (i + 1) / LIMITS);
    CLI_TRY(find_reach(bench));
    for (size_t i = 0; i < cells; ++i)
        for (size_t l = 0; l < LIMITS; ++l)
            bench->node_count[i / id_count * LIMITS + l] -= cost[i] <= bench->limit[l];
    for (size_t i = 0; i < CHECK_SOURCES * LIMITS; ++i) {
        if (bench->node_count[i] == 0) continue;
        return cli_fail(CLI_RESOURCE, "wrong answer", "from node %lld within %u: reach and tree differ",
                        (long long)bench->place[i / LIMITS].id, bench->limit[i % LIMITS]);
    }
    return CLI_DONE;
}

/* Compares matrix, routes and trees, cell by cell, then reach. */
static int verify(bench_state *bench)
{
    bench_check *const check = cli_allocate(1, sizeof *check);
    for (size_t q = 0; q < bench->session.quantity_count; ++q) {
        check->matrix[q] = cli_allocate(CHECK_SOURCES * CHECK_TARGETS, sizeof *check->matrix[q]);
        check->routes[q] = cli_allocate(CHECK_SOURCES * CHECK_TARGETS, sizeof *check->routes[q]);
    }
    int status = compute_check(bench, check);
    if (status == CLI_DONE) status = compare_check(bench, check);
    if (status == CLI_DONE) status = verify_reach(bench);
    return status;
}

/* ---- the whole ---- */

static int measure_bytes(bench_state *bench, const char *name, size_t count, const char *unit, uint64_t bytes,
                         bool is_bounded, int (*work)(void *))
{
    cli_measurement what = {.unit = unit, .count = count, .bytes = bytes, .is_bounded = is_bounded};
    snprintf(what.name, sizeof what.name, "%s", name);
    if (!cli_progress(NULL, name, 0, 0)) return CLI_RESOURCE; /* interrupted: main ends the process */
    return cli_measure(&bench->measurements, &what, work, bench);
}

static int measure(bench_state *bench, const char *name, size_t count, const char *unit, int (*work)(void *))
{
    return measure_bytes(bench, name, count, unit, 0, false, work);
}

/* `cells` of each quantity come to the host. */
static int measure_cells(bench_state *bench, const char *name, size_t count, const char *unit, size_t cells,
                         int (*work)(void *))
{
    const uint64_t bytes = (uint64_t)cells * bench->session.quantity_count * sizeof(uint32_t);
    return measure_bytes(bench, name, count, unit, bytes, true, work);
}

static int measure_trees(bench_state *bench, size_t lanes, macadam_order order, const char *order_name)
{
    char name[48];
    bench->lanes = lanes;
    bench->order = order;
    snprintf(name, sizeof name, lanes == 1 ? "a tree" : "%zu trees, %s", lanes, order_name);
    const macadam_info *const info = &bench->session.info;
    const size_t column_count = order == MACADAM_ORDER_IDS ? info->id_count : info->node_count;
    return measure_cells(bench, name, lanes, "trees", lanes * column_count, grow_trees);
}

/* What it takes to bring lanes home, and to leave them where they are computed. */
static int measure_device(bench_state *bench, size_t lanes)
{
    char name[48];
    const size_t bytes = tree_bytes(bench, lanes);
    bench->lanes = lanes;
    bench->order = MACADAM_ORDER_LANES;
    snprintf(name, sizeof name, "a copy of %zu MB to the host", bytes / 1000000);
    CLI_TRY(measure_bytes(bench, name, 1, "copies", bytes, false, copy_trees));
    bench->measurements.copy_rate = cli_measurements_last_rate(&bench->measurements);
    snprintf(name, sizeof name, "%zu trees, lanes left on the device", lanes);
    return measure_bytes(bench, name, lanes, "trees", bytes * bench->session.quantity_count, false,
                         grow_trees_there);
}

static int measure_reach(bench_state *bench, size_t lanes)
{
    char name[48];
    bench->lanes = lanes;
    snprintf(name, sizeof name, "reach of %zu, %d limits", lanes, LIMITS);
    return measure(bench, name, lanes, "sources", find_reach);
}

static int measure_matrix(bench_state *bench, size_t side)
{
    char name[48];
    bench->matrix_side = side;
    snprintf(name, sizeof name, "matrix %zu x %zu", side, side);
    return measure_cells(bench, name, side * side, "cells", side * side, fill_matrix);
}

static int measure_update(bench_state *bench, size_t arc_count)
{
    char name[48];
    const size_t all = bench->arc_count;
    bench->arc_count = arc_count;
    snprintf(name, sizeof name, "update of %zu arc%s", arc_count, arc_count == 1 ? "" : "s");
    const int status = measure(bench, name, 1, "updates", update_arcs);
    bench->arc_count = all;
    return status;
}

static size_t trees_in_a_batch(const bench_state *bench)
{
    const size_t node_count = bench->session.info.node_count;
    size_t lanes = bench->is_on_device ? LANES_MAX : LANES_HOST;
    while (lanes > LANES_MIN && lanes * node_count > tree_cells_max) lanes -= LANES_MIN;
    return lanes;
}

static int measure_queries(bench_state *bench)
{
    const size_t lanes = trees_in_a_batch(bench);
    if (bench->is_on_device) CLI_TRY(measure_device(bench, lanes));
    CLI_TRY(measure(bench, "open", 1, "opens", open_and_close));
    CLI_TRY(measure(bench, "open, first route", 1, "opens", open_and_find_route));
    CLI_TRY(cli_bench_snap(&bench->measurements, &bench->session));
    CLI_TRY(measure(bench, "a route with its path", 1, "routes", find_one_route));
    CLI_TRY(measure_cells(bench, "10000 routes, costs", ROUTE_COUNT, "routes", ROUTE_COUNT, cost_routes));
    CLI_TRY(measure(bench, "1000 routes, paths", PATH_COUNT, "routes", find_paths));
    CLI_TRY(measure_trees(bench, 1, MACADAM_ORDER_IDS, ""));
    CLI_TRY(measure_trees(bench, lanes, MACADAM_ORDER_IDS, "rows by id"));
    CLI_TRY(measure_trees(bench, lanes, MACADAM_ORDER_LANES, "lanes"));
    CLI_TRY(measure_reach(bench, lanes));
    CLI_TRY(measure_matrix(bench, MATRIX_SMALL));
    CLI_TRY(measure_matrix(bench, MATRIX_LARGE));
    if (bench->is_on_device) CLI_TRY(measure_matrix(bench, MATRIX_DEVICE));
    return CLI_DONE;
}

static int measure_updates(bench_state *bench)
{
    const size_t hundredth = bench->session.info.arc_count / 100;
    CLI_TRY(choose_arcs(bench));
    if (0 < hundredth && hundredth < bench->arc_count) CLI_TRY(measure_update(bench, hundredth));
    return measure_update(bench, bench->arc_count);
}

static long threads_of(const cli_options *options)
{
    return options->engine.threads ? (long)options->engine.threads : cli_console_processors();
}

static void write_text(cli_output *output, const bench_state *bench)
{
    const macadam_info *const info = &bench->session.info;
    cli_output_format(output, "file      %s: %llu nodes, %llu arcs, height %u, %llu upward arcs\n",
                      bench->session.file, (unsigned long long)info->node_count,
                      (unsigned long long)info->arc_count, info->height,
                      (unsigned long long)info->up_arc_count);
    cli_output_format(output, "device    %s; %ld threads\n", info->device, threads_of(bench->options));
    cli_output_format(output, "metric    %s, %zu of its quantities\n", bench->session.query.metric,
                      bench->session.quantity_count);
    cli_output_format(
        output,
        "verified  %d cells: matrix = routes = trees; reach = trees; before and after the updates\n\n",
        CHECK_SOURCES * CHECK_TARGETS);
    cli_measurements_write_text(output, &bench->measurements);
}

static void write_json(cli_output *output, const bench_state *bench)
{
    const macadam_info *const info = &bench->session.info;
    mcd_text text = {0};
    mcd_text_begin(&text, NULL, "{");
    mcd_text_put_string(&text, "file", bench->session.file);
    mcd_text_put_integer(&text, "nodes", (int64_t)info->node_count);
    mcd_text_put_integer(&text, "arcs", (int64_t)info->arc_count);
    mcd_text_put_integer(&text, "height", info->height);
    mcd_text_put_integer(&text, "up_arcs", (int64_t)info->up_arc_count);
    mcd_text_put_string(&text, "device", info->device);
    mcd_text_put_integer(&text, "threads", threads_of(bench->options));
    mcd_text_put_string(&text, "metric", bench->session.query.metric);
    mcd_text_put_integer(&text, "quantities", (int64_t)bench->session.quantity_count);
    mcd_text_put_integer(&text, "verified_cells", CHECK_SOURCES * CHECK_TARGETS);
    cli_measurements_put(&text, &bench->measurements);
    mcd_text_add(&text, "}");
    cli_output_indented(output, &text);
}

static int write_report(const bench_state *bench)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, bench->options->output));
    if (bench->options->format == CLI_JSON)
        write_json(&output, bench);
    else
        write_text(&output, bench);
    return cli_output_close(&output, CLI_DONE);
}

static int allocate(const bench_state *bench, uint32_t **out, macadam_memory_kind kind, size_t cells)
{
    void *memory;
    macadam_error error = {""};
    const macadam_status status =
        macadam_memory_new(&memory, bench->session.engine, kind, cells * sizeof **out, &error);
    *out = memory;
    return cli_done(status, &error);
}

/* Room for every answer. */
static int allocate_all(bench_state *bench)
{
    const size_t side = bench->is_on_device ? MATRIX_DEVICE : MATRIX_LARGE;
    const size_t tree_cells =
        trees_in_a_batch(bench) * bench->session.info.node_count; /* nodes are at least as many as ids */
    for (size_t q = 0; q < bench->session.quantity_count; ++q) {
        CLI_TRY(allocate(bench, &bench->value[q], MACADAM_MEMORY_PINNED,
                         tree_cells > side * side ? tree_cells : side * side));
        if (bench->is_on_device)
            CLI_TRY(allocate(bench, &bench->there[q], MACADAM_MEMORY_DEVICE, tree_cells));
    }
    return CLI_DONE;
}

static int run(bench_state *bench)
{
    const macadam_info *const info = &bench->session.info;
    if (info->id_count == 0) return cli_fail_usage("%s has no nodes to measure", bench->session.file);
    uint64_t state = 1;
    for (size_t i = 0; i < PLACE_COUNT; ++i)
        bench->place[i].id = bench->session.id[draw(&state) % info->id_count];
    bench->is_on_device = strncmp(info->device, "cpu", 3) != 0;
    CLI_TRY(allocate_all(bench));
    cli_progress_begin(bench->options);
    bench->session.query.progress = cli_progress_ask; /* the bar shows what is measured */
    int status = verify(bench);
    if (status == CLI_DONE) status = measure_queries(bench);
    if (status == CLI_DONE) status = measure_updates(bench);
    if (status == CLI_DONE) status = verify(bench);
    cli_progress_end();
    macadam_engine_info(bench->session.engine, &bench->session.info,
                        NULL); /* a device that failed is not named */
    return status == CLI_DONE ? write_report(bench) : status;
}

int cli_bench(const cli_options *options)
{
    bench_state *const bench = cli_allocate(1, sizeof *bench);
    bench->options = options;
    int status = cli_session_open_query(&bench->session, options);
    if (status == CLI_DONE) status = run(bench);
    cli_session_close(&bench->session);
    return status;
}
