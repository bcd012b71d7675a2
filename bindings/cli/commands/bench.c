/* bench.c - `macadam bench`: measures this machine with an edge file, through the public interface only.
 * Answers are compared with each other before anything is timed and again after the last update. Places
 * are drawn at random, the same ones every time. Where a device computes, requests are larger, and the
 * floor of a time is that of copying its answers to the host. */
#include "bindings/cli/command.h"
#include "bindings/cli/console.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

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
    CHECK_CELLS = CHECK_SOURCES * CHECK_TARGETS,
    LIMITS = 8,           /* of reach */
    POINT_COUNT = 100000, /* snapped together; the first ones also one by one */
    POINTS_CHECKED = 1000,
    POINT_STEPS = 1000,
};
static const size_t tree_cells_max = (size_t)1 << 28; /* 1 GiB a quantity */
static const double step_degrees = 1e-6;

enum { RUNS_MIN = 3, RUNS_MAX = 9, MEASUREMENTS_MAX = 24 };
static const double seconds_enough = 3;

typedef struct bench_measurement {
    char name[48];
    const char *unit; /* plural of what one run does `count` of */
    size_t count, runs;
    uint64_t bytes;           /* of answers that a run writes; 0: not known */
    double floor_s;           /* the least time in which they can come to the host; 0: not known */
    double seconds[RUNS_MAX]; /* ascending */
    double median_s;
} bench_measurement;

typedef struct bench_state {
    cli_session session;
    macadam_query objective; /* for the objective only, which is what reach knows */
    macadam_place place[PLACE_COUNT];
    uint32_t *value[MACADAM_QUANTITIES_MAX]; /* room for every answer, which a device reaches at full speed */
    uint32_t *there[MACADAM_QUANTITIES_MAX]; /* room for a batch of trees on the device */
    bool is_on_device;
    macadam_tree_request tree; /* of the present measurement, as those that follow */
    macadam_matrix_request matrix;
    macadam_routes_request routes;
    macadam_reach_request reach;
    uint32_t limit[LIMITS];
    uint64_t node_count[LANES_MAX * LIMITS]; /* within each */
    uint64_t *arc;                           /* of the present update: arc_count numbers and weights */
    uint32_t *weight;
    size_t arc_count;
    macadam_place *point; /* [POINT_COUNT] those of the file's nodes in turn, each moved by up to 100 m */
    macadam_snap *snap;
    bench_measurement measured[MEASUREMENTS_MAX];
    size_t measured_count;
    double copy_rate; /* bytes a second, from a device to the host; 0: not known, or the host computes */
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

/* Work that is one call of the library. */
#define DEFINE_WORK(name, ...)                                                                               \
    static int name(bench_state *bench)                                                                      \
    {                                                                                                        \
        return cli_call(__VA_ARGS__);                                                                        \
    }

static int open_and_close(bench_state *bench)
{
    CLI_SCOPED_SESSION session;
    return cli_session_open(&session, bench->session.options);
}

static int find_route(const bench_state *bench, const cli_session *session)
{
    const macadam_place waypoint[] = {bench->place[0], bench->place[ROUTE_COUNT]};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    MCD_SCOPED(route) route = NULL;
    return cli_call(macadam_route_find, &route, session->engine, &session->query, &request);
}

static int open_and_find_route(bench_state *bench)
{
    CLI_SCOPED_SESSION session;
    CLI_TRY(cli_session_open_query(&session, bench->session.options));
    return find_route(bench, &session);
}

static int find_one_route(bench_state *bench)
{
    return find_route(bench, &bench->session);
}

DEFINE_WORK(grow_trees, macadam_tree_find, bench->value, NULL, bench->session.engine, &bench->session.query,
            &bench->tree)
DEFINE_WORK(grow_trees_there, macadam_tree_find, bench->there, NULL, bench->session.engine,
            &bench->session.query, &bench->tree)

static size_t tree_bytes(const bench_state *bench, size_t lanes)
{
    return lanes * bench->session.info.node_count * sizeof(uint32_t);
}

DEFINE_WORK(copy_trees, macadam_memory_read, bench->value[0], bench->session.engine, bench->there[0],
            tree_bytes(bench, bench->tree.source_count))

static int find_reach(bench_state *bench)
{
    const macadam_reach answer = {.size = sizeof answer, .node_count = bench->node_count};
    return cli_call(macadam_reach_find, &answer, NULL, bench->session.engine, &bench->objective,
                    &bench->reach);
}

DEFINE_WORK(fill_matrix, macadam_matrix_find_into, bench->value, NULL, bench->session.engine,
            &bench->session.query, &bench->matrix)
DEFINE_WORK(cost_routes, macadam_routes_find, bench->value, NULL, bench->session.engine,
            &bench->session.query, &bench->routes)

DEFINE_WORK(find_paths, macadam_routes_find_paths, bench->value, NULL, bench->session.engine,
            &bench->session.query, &bench->routes, cli_drop_path, NULL)
DEFINE_WORK(snap_points, macadam_snap_find, bench->snap, bench->session.engine, &bench->session.query,
            bench->point, POINT_COUNT)

/* Each arc's weight changes every time. */
static int update_arcs(bench_state *bench)
{
    const uint32_t *const weight = bench->weight;
    const macadam_update_request request = {.size = sizeof request,
                                            .arc = bench->arc,
                                            .count = bench->arc_count,
                                            .quantity = &bench->session.query.metric,
                                            .quantity_count = 1,
                                            .value = &weight};
    for (size_t i = 0; i < bench->arc_count; ++i) bench->weight[i] = WEIGHT_MAX + 1 - bench->weight[i];
    return cli_call(macadam_update, bench->session.engine, &request);
}

/* ---- arcs to update ---- */

static bool keep_arc(void *context, const macadam_arc *arc)
{
    bench_state *const bench = context;
    bench->arc[bench->arc_count++] = arc->arc;
    return true;
}

/* ---- checks ---- */

#define fail_check(...) cli_fail(CLI_RESOURCE, "wrong answer", __VA_ARGS__)

/* Whether the first cells of the answer are those of the trees. */
static int compare_cells(const bench_state *bench, uint32_t (*tree)[CHECK_CELLS], const char *what)
{
    for (size_t q = 0; q < bench->session.quantity_count; ++q)
        for (size_t i = 0; i < CHECK_CELLS; ++i)
            if (bench->value[q][i] != tree[q][i])
                return fail_check("from node %lld to node %lld: %s and tree differ",
                                  (long long)bench->place[i / CHECK_TARGETS].id,
                                  (long long)bench->place[ROUTE_COUNT + i % CHECK_TARGETS].id, what);
    return CLI_DONE;
}

/* Compares the cells of a small matrix by trees, as a matrix and by routes. */
static int verify_cells(bench_state *bench)
{
    uint32_t tree[MACADAM_QUANTITIES_MAX][CHECK_CELLS];
    macadam_place *const source = cli_allocate(2 * CHECK_CELLS, sizeof *source), *const target =
                                                                                     source + CHECK_CELLS;
    bench->tree.source_count = CHECK_SOURCES;
    bench->tree.order = MACADAM_ORDER_IDS;
    CLI_TRY(grow_trees(bench));
    for (size_t i = 0; i < CHECK_CELLS; ++i) {
        size_t node;
        source[i] = bench->place[i / CHECK_TARGETS],
        target[i] = bench->place[ROUTE_COUNT + i % CHECK_TARGETS];
        cli_session_find_id(&bench->session, target[i].id, &node);
        for (size_t q = 0; q < bench->session.quantity_count; ++q)
            tree[q][i] = bench->value[q][i / CHECK_TARGETS * bench->session.info.id_count + node];
    }
    bench->matrix.source_count = CHECK_SOURCES, bench->matrix.target_count = CHECK_TARGETS;
    CLI_TRY(fill_matrix(bench));
    CLI_TRY(compare_cells(bench, tree, "matrix"));
    const macadam_routes_request request = {
        .size = sizeof request, .source = source, .target = target, .pair_count = CHECK_CELLS};
    CLI_TRY(cli_call(macadam_routes_find, bench->value, NULL, bench->session.engine, &bench->session.query,
                     &request));
    return compare_cells(bench, tree, "route");
}

static int verify(bench_state *bench)
{
    CLI_TRY(verify_cells(bench));
    /* Compares the counts of reach with those in trees; leaves limits spread over the trees' costs. */
    const size_t id_count = bench->session.info.id_count, cells = CHECK_SOURCES * id_count;
    const uint32_t *const cost = bench->value[0];
    uint32_t cost_max = 0;
    CLI_TRY(cli_call(macadam_tree_find, bench->value, NULL, bench->session.engine, &bench->objective,
                     &bench->tree));
    for (size_t i = 0; i < cells; ++i)
        if (cost[i] != MACADAM_UNREACHED && cost[i] > cost_max) cost_max = cost[i];
    for (size_t i = 0; i < LIMITS; ++i) bench->limit[i] = (uint32_t)((uint64_t)cost_max * (i + 1) / LIMITS);
    bench->reach.source_count = CHECK_SOURCES;
    CLI_TRY(find_reach(bench));
    for (size_t i = 0; i < cells; ++i)
        for (size_t l = 0; l < LIMITS; ++l)
            bench->node_count[i / id_count * LIMITS + l] -= cost[i] <= bench->limit[l];
    for (size_t i = 0; i < CHECK_SOURCES * LIMITS; ++i)
        if (bench->node_count[i] > 0)
            return fail_check("from node %lld within %u: reach and tree differ",
                              (long long)bench->place[i / LIMITS].id, bench->limit[i % LIMITS]);
    return CLI_DONE;
}

/* ---- measurements ---- */

/* Runs `work` once to warm up, then 3 to 9 times within a few seconds. One run does `count` of a unit and writes `bytes`
 * (0: not known). `format`, ...: its name. Anything but CLI_DONE ends the measuring and is returned. */
__attribute__((format(printf, 6, 7))) static int measure(bench_state *bench, int (*work)(bench_state *),
                                                         size_t count, const char *unit, uint64_t bytes,
                                                         const char *format, ...)
{
    bench_measurement *const out = &bench->measured[bench->measured_count];
    double total = 0, *const seconds = out->seconds;
    va_list arguments;
    *out = (bench_measurement){.unit = unit, .count = count, .bytes = bytes};
    va_start(arguments, format);
    vsnprintf(out->name, sizeof out->name, format, arguments);
    va_end(arguments);
    if (!cli_progress(NULL, out->name, 0, 0)) return CLI_RESOURCE; /* interrupted: main ends the process */
    CLI_TRY(work(bench));
    while (out->runs < RUNS_MAX && (out->runs < RUNS_MIN || total < seconds_enough)) {
        const double begin = cli_now();
        CLI_TRY(work(bench));
        total += seconds[out->runs++] = cli_now() - begin;
    }
    qsort(seconds, out->runs, sizeof *seconds, cli_compare_numbers);
    out->median_s = (seconds[(out->runs - 1) / 2] + seconds[out->runs / 2]) / 2;
    out->floor_s = bench->copy_rate > 0 ? (double)bytes / bench->copy_rate : 0;
    ++bench->measured_count;
    return CLI_DONE;
}

static void write_text(cli_output *output, const bench_measurement *one)
{
    const double middle = one->median_s;
    cli_output_format(output, "%-40s %12.3f %12.3f %12.3f", one->name, 1e3 * middle, 1e3 * one->seconds[0],
                      1e3 * one->seconds[one->runs - 1]);
    if (one->count > 1)
        cli_output_format(output, "  %.3g us each, %.4g %s a second", 1e6 * middle / (double)one->count,
                          (double)one->count / middle, one->unit);
    if (one->bytes > 0)
        cli_output_format(output, "%s%.3g GB/s", one->count > 1 ? ", " : "  ",
                          1e-9 * (double)one->bytes / middle);
    if (one->floor_s > 0) cli_output_format(output, ", %.3g of the floor", middle / one->floor_s);
    cli_output_text(output, "\n");
}

static void write_json(mcd_text *text, const bench_measurement *one)
{
    mcd_text_json(text,
                  "{'name':%s,'unit':%s,'count':%zu,'runs':%zu,'median_s':%.9f,'min_s':%.9f,'max_s':%.9f,"
                  "'per_second':%.3f",
                  one->name, one->unit, one->count, one->runs, one->median_s, one->seconds[0],
                  one->seconds[one->runs - 1], (double)one->count / one->median_s);
    if (one->bytes > 0) mcd_text_json(text, "'bytes':%" PRIu64, one->bytes);
    if (one->floor_s > 0) mcd_text_json(text, "'floor_s':%.9f", one->floor_s);
    mcd_text_add(text, "}");
}

/* ---- points ---- */

static bool is_same(const macadam_snap *a, const macadam_snap *b)
{
    if (a->status != b->status) return false;
    return !macadam_place_is_found(a->status) ||
           (a->arc == b->arc && a->lon == b->lon && a->lat == b->lat && a->distance_m == b->distance_m);
}

static int measure_points(bench_state *bench)
{
    if (!bench->session.info.has_coordinates) return CLI_DONE;
    /* Nodes snap to themselves: that gives their coordinates. */
    bench->point = cli_allocate(POINT_COUNT, sizeof *bench->point);
    bench->snap = cli_allocate(POINT_COUNT, sizeof *bench->snap);
    for (size_t i = 0; i < POINT_COUNT; ++i)
        bench->point[i].id = bench->session.id[i % bench->session.info.id_count];
    CLI_TRY(snap_points(bench));
    for (size_t i = 0; i < POINT_COUNT; ++i)
        bench->point[i] = (macadam_place){
            .kind = MACADAM_PLACE_POINT,
            .id = bench->point[i].id,
            .lon = bench->snap[i].lon + step_degrees * (double)(i * 7919 % POINT_STEPS),
            .lat = bench->snap[i].lat + step_degrees * (double)(i * 104729 % POINT_STEPS),
        };
    CLI_TRY(snap_points(bench));
    for (size_t i = 0; i < POINTS_CHECKED; ++i) {
        macadam_snap single;
        CLI_TRY(cli_call(macadam_snap_find, &single, bench->session.engine, &bench->session.query,
                         &bench->point[i], 1));
        if (!is_same(&single, &bench->snap[i]))
            return fail_check("%.7f,%.7f snaps otherwise among others", bench->point[i].lon,
                              bench->point[i].lat);
    }
    return measure(bench, snap_points, POINT_COUNT, "points", 0, "%d points snapped", POINT_COUNT);
}

/* ---- the whole ---- */

/* Bytes of cells of every quantity. */
static uint64_t bytes_of(const bench_state *bench, size_t cells)
{
    return (uint64_t)cells * bench->session.quantity_count * sizeof(uint32_t);
}

static int measure_trees(bench_state *bench, size_t lanes, macadam_order order, const char *order_name)
{
    const macadam_info *const info = &bench->session.info;
    const size_t columns = order == MACADAM_ORDER_IDS ? info->id_count : info->node_count;
    const uint64_t bytes = bytes_of(bench, lanes * columns);
    bench->tree.source_count = lanes;
    bench->tree.order = order;
    if (lanes == 1) return measure(bench, grow_trees, 1, "trees", bytes, "a tree");
    return measure(bench, grow_trees, lanes, "trees", bytes, "%zu trees, %s", lanes, order_name);
}

/* Measures trees whose lanes are brought to the host, and trees that stay where they are computed. */
static int measure_device(bench_state *bench, size_t lanes)
{
    const size_t bytes = tree_bytes(bench, lanes);
    const bench_measurement *const copy = &bench->measured[bench->measured_count];
    bench->tree.source_count = lanes;
    bench->tree.order = MACADAM_ORDER_LANES;
    CLI_TRY(measure(bench, copy_trees, 1, "copies", bytes, "a copy of %zu MB to the host", bytes / 1000000));
    CLI_TRY(measure(bench, grow_trees_there, lanes, "trees", bytes * bench->session.quantity_count,
                    "%zu trees, lanes left on the device", lanes));
    bench->copy_rate = (double)bytes / copy->median_s;
    return CLI_DONE;
}

static int measure_matrix(bench_state *bench, size_t side)
{
    bench->matrix.source_count = bench->matrix.target_count = side;
    return measure(bench, fill_matrix, side * side, "cells", bytes_of(bench, side * side), "matrix %zu x %zu",
                   side, side);
}

static int measure_update(bench_state *bench, size_t arc_count)
{
    const size_t all = bench->arc_count;
    bench->arc_count = arc_count;
    const int status = measure(bench, update_arcs, 1, "updates", 0, "update of %zu arc%s", arc_count,
                               arc_count == 1 ? "" : "s");
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
    CLI_TRY(measure(bench, open_and_close, 1, "opens", 0, "open"));
    CLI_TRY(measure(bench, open_and_find_route, 1, "opens", 0, "open, first route"));
    CLI_TRY(measure_points(bench));
    CLI_TRY(measure(bench, find_one_route, 1, "routes", 0, "a route with its path"));
    bench->routes.pair_count = ROUTE_COUNT;
    CLI_TRY(measure(bench, cost_routes, ROUTE_COUNT, "routes", bytes_of(bench, ROUTE_COUNT),
                    "%d routes, costs", ROUTE_COUNT));
    bench->routes.pair_count = PATH_COUNT;
    CLI_TRY(measure(bench, find_paths, PATH_COUNT, "routes", 0, "%d routes, paths", PATH_COUNT));
    CLI_TRY(measure_trees(bench, 1, MACADAM_ORDER_IDS, ""));
    CLI_TRY(measure_trees(bench, lanes, MACADAM_ORDER_IDS, "rows by id"));
    CLI_TRY(measure_trees(bench, lanes, MACADAM_ORDER_LANES, "lanes"));
    bench->reach.source_count = lanes;
    CLI_TRY(measure(bench, find_reach, lanes, "sources", 0, "reach of %zu, %d limits", lanes, LIMITS));
    CLI_TRY(measure_matrix(bench, MATRIX_SMALL));
    CLI_TRY(measure_matrix(bench, MATRIX_LARGE));
    return bench->is_on_device ? measure_matrix(bench, MATRIX_DEVICE) : CLI_DONE;
}

static int measure_updates(bench_state *bench)
{
    const size_t hundredth = bench->session.info.arc_count / 100;
    /* All arcs, shuffled, with random weights. */
    const size_t most = bench->session.info.arc_count;
    uint64_t state = 2;
    bench->arc = cli_allocate(most, sizeof *bench->arc);
    bench->weight = cli_allocate(most, sizeof *bench->weight);
    CLI_TRY(cli_call(macadam_arcs_list, bench->session.engine, keep_arc, bench));
    for (size_t i = 0; i < bench->arc_count; ++i)
        bench->weight[i] = 1 + (uint32_t)(draw(&state) % WEIGHT_MAX);
    for (size_t i = bench->arc_count; i > 1; --i) {
        const size_t other = draw(&state) % i;
        const uint64_t arc = bench->arc[i - 1];
        bench->arc[i - 1] = bench->arc[other];
        bench->arc[other] = arc;
    }
    if (0 < hundredth && hundredth < bench->arc_count) CLI_TRY(measure_update(bench, hundredth));
    return measure_update(bench, bench->arc_count);
}

static void report_text(cli_output *output, const bench_state *bench, int threads)
{
    const macadam_info *const info = &bench->session.info;
    cli_output_format(output, "file      %s: %llu nodes, %llu arcs, height %u, %llu upward arcs\n",
                      bench->session.file, (unsigned long long)info->node_count,
                      (unsigned long long)info->arc_count, info->height,
                      (unsigned long long)info->up_arc_count);
    cli_output_format(output, "device    %s; %d threads\n", info->device, threads);
    cli_output_format(output, "metric    %s, %zu of its quantities\n", bench->session.query.metric,
                      bench->session.quantity_count);
    cli_output_format(
        output,
        "verified  %d cells: matrix = routes = trees; reach = trees; before and after the updates\n\n",
        CHECK_CELLS);
    cli_output_format(output, "%-40s %12s %12s %12s\n", "milliseconds", "median", "least", "most");
    for (size_t i = 0; i < bench->measured_count; ++i) write_text(output, &bench->measured[i]);
}

static void report_json(cli_output *output, const bench_state *bench, int threads)
{
    const macadam_info *const info = &bench->session.info;
    mcd_text text = {0};
    mcd_text_json(&text, "{'file':%s", bench->session.file);
    mcd_record_write(&text, MCD_STRUCTURE(info),
                     "nodes=node_count,arcs=arc_count,height,up_arcs=up_arc_count,device", info);
    mcd_text_json(&text, "'threads':%d,'metric':%s,'quantities':%zu,'verified_cells':%d,'measurements':[",
                  threads, bench->session.query.metric, bench->session.quantity_count, CHECK_CELLS);
    for (size_t i = 0; i < bench->measured_count; ++i) write_json(&text, &bench->measured[i]);
    mcd_text_add(&text, "]}");
    cli_output_indented(output, &text);
}

static int report(const bench_state *bench)
{
    const cli_options *const options = bench->session.options;
    const int threads = (int)(options->engine.threads ? options->engine.threads : cli_console_processors());
    cli_output output;
    CLI_TRY(cli_output_open(&output, options->output));
    (options->format == MCD_JSON ? report_json : report_text)(&output, bench, threads);
    return cli_output_close(&output, CLI_DONE);
}

static int allocate(bench_state *bench, uint32_t **out, macadam_memory_kind kind, size_t cells)
{
    void *memory;
    const macadam_status status =
        macadam_memory_new(&memory, bench->session.engine, kind, cells * sizeof **out, &cli_error);
    *out = memory;
    return cli_done(status);
}

/* Room for every answer. */
static int allocate_all(bench_state *bench)
{
    const size_t side = bench->is_on_device ? MATRIX_DEVICE : MATRIX_LARGE;
    /* nodes are at least as many as ids */
    const size_t tree_cells = trees_in_a_batch(bench) * bench->session.info.node_count;
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
    bench->session.query.progress = cli_progress_ask; /* the bar shows what is measured */
    bench->objective = bench->session.query;
    bench->objective.quantity_count = 0;
    const macadam_place *const source = bench->place, *const target = source + ROUTE_COUNT;
    bench->tree = (macadam_tree_request){.size = sizeof bench->tree, .source = source};
    bench->matrix =
        (macadam_matrix_request){.size = sizeof bench->matrix, .source = source, .target = target};
    bench->routes =
        (macadam_routes_request){.size = sizeof bench->routes, .source = source, .target = target};
    bench->reach = (macadam_reach_request){
        .size = sizeof bench->reach, .source = source, .limit = bench->limit, .limit_count = LIMITS};
    CLI_TRY(allocate_all(bench));
    cli_progress_begin(bench->session.options);
    int status = verify(bench);
    if (status == CLI_DONE) status = measure_queries(bench);
    if (status == CLI_DONE) status = measure_updates(bench);
    if (status == CLI_DONE) status = verify(bench);
    cli_progress_erase();
    /* a device that failed is not named */
    macadam_engine_info(&bench->session.info, bench->session.engine, NULL);
    return status == CLI_DONE ? report(bench) : status;
}

int cli_bench(const cli_options *options)
{
    if (options->calibrate) return cli_calibrate(options);
    bench_state *const bench = cli_allocate(1, sizeof *bench);
    int status = cli_session_open_query(&bench->session, options);
    if (status == CLI_DONE) status = run(bench);
    cli_session_close(&bench->session);
    return status;
}
