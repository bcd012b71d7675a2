/* test_backends.c - every backend of this build that this processor runs, on 1 to 3 threads, gives the same
 * bits: the oracle's where answers are costs, the first backend's where they are weights and paths. It is one
 * file, because all tests share its maps and the list of backends. */
#include "tests/support/backends.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/kernel_map.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"
#include "engine/query/places/selection.h"
#include "kernels/basic.h"
#include "kernels/host/unique_path.h"
#include "kernels/host/unpack.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LANES_MAX = 128, LANES_OF_LARGE = 17, LARGE = 1000, ROUTE_LANES = 40, GUARD = 3 };

static const size_t lane_counts[] = {1, 2, 16, 17, 64, 100};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts };

TestSuite(backends, .init = backends_set_up, .fini = leak_expect_none);

/* ---- lanes, and the oracle's answers for them ---- */

/* One map with lanes and the oracle's costs. */
typedef struct scene {
    kernel_map map;
    kernel_metric metric;
    const char *what; /* for messages */
    bool joint;       /* the companion is requested too */
    size_t lane_max;
    mcd_lane lane[LANES_MAX];   /* ways to start or to end */
    mcd_lane target[LANES_MAX]; /* one seed of cost 0, as selections need */
    size_t stride;              /* of expected: the nodes, each lane as a source, as a target */
    /* [is the companion requested][direction][quantity][lane * stride + node]: a path whose companion is too large for
     * a cost exists for the objective only. */
    uint32_t *expected[2][2][2];
} scene;

/* Each lane becomes two nodes: one with arcs to its seeds, one with arcs from them. */
static void add_lane_nodes(const scene *s, test_graph *graph)
{
    const oracle_arcs arcs = kernel_map_arcs(&s->map);
    graph->node_count = s->stride;
    for (size_t i = 0; i < arcs.arc_count; ++i)
        test_graph_add(graph, arcs.tail[i], arcs.head[i], arcs.objective[i], arcs.companion[i]);
    for (uint32_t l = 0; l < s->lane_max; ++l)
        for (uint32_t i = 0; i < mcd_lane_seed_count(&s->lane[l]); ++i) {
            const mcd_seed seed = s->lane[l].seed[i];
            const uint32_t source = (uint32_t)arcs.node_count + l, target = source + (uint32_t)s->lane_max;
            test_graph_add(graph, source, seed.node, seed.objective, seed.companion);
            test_graph_add(graph, seed.node, target, seed.objective, seed.companion);
        }
}

static void ask_oracle(scene *s)
{
    SCOPED(test_graph_free) test_graph graph = {0};
    add_lane_nodes(s, &graph);
    const oracle_arcs arcs = test_graph_arcs(&graph, 0);
    for (int direction = 0; direction < 2; ++direction) {
        SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, direction == MCD_BACKWARD);
        for (int i = 0; i < 4; ++i)
            s->expected[i / 2][direction][i % 2] =
                checked_allocate(s->lane_max * s->stride, sizeof(uint32_t));
        for (size_t l = 0; l < s->lane_max; ++l) {
            const size_t root = s->map.graph->node_count + (direction == MCD_BACKWARD ? s->lane_max : 0) + l,
                         row = l * s->stride;
            oracle_tree(oracle, (uint32_t)root, 0, s->expected[0][direction][0] + row, NULL);
            oracle_tree(oracle, (uint32_t)root, 0, s->expected[1][direction][0] + row,
                        s->expected[1][direction][1] + row);
        }
    }
}

/* How a map may be queried: its weights are those of only the objective, or pairs; the companion is requested
 * or not. */
enum { MODES = 3 };

static void scene_make(scene *s, size_t map)
{
    test_rng rng = {map + 1};
    memset(s, 0, sizeof *s);
    kernel_maps_make(&s->map, map);
    const size_t node_count = s->map.graph->node_count;
    s->lane_max = node_count > LARGE ? LANES_OF_LARGE : LANES_MAX;
    s->stride = node_count + 2 * s->lane_max;
    for (size_t l = 0; l < s->lane_max; ++l) {
        s->lane[l] = kernel_map_lane(&s->map, &rng, l);
        s->target[l] = mcd_lane_of(node_count ? rng_below(&rng, (uint32_t)node_count) : MCD_NODE_NONE);
    }
    ask_oracle(s);
}

static void scene_free(scene *s)
{
    for (int i = 0; i < 8; ++i) free(s->expected[i / 4][i / 2 % 2][i % 2]);
    kernel_map_free(&s->map);
}

/* Runs `claim` for every map, mode, backend and number of threads. */
typedef void (*scene_claim)(const scene *s, const mcd_backend *backend, unsigned threads);

static void for_backends(scene *s, int mode, scene_claim claim)
{
    static const char *const what[MODES] = {"objective alone", "objective of pairs", "pairs"};
    kernel_metric_make(&s->metric, &s->map, backend[0], 1, mode != 0);
    s->what = what[mode];
    s->joint = mode == 2;
    for (size_t b = 0; b < backend_count; ++b)
        for (unsigned threads = 1; threads <= BACKEND_THREADS_MAX; ++threads) claim(s, backend[b], threads);
    kernel_metric_free(&s->metric);
}

static void for_all(scene_claim claim)
{
    for (size_t map = 0; map < kernel_maps_count(); ++map) {
        SCOPED(scene_free) scene s;
        scene_make(&s, map);
        for (int mode = 0; mode < MODES; ++mode) for_backends(&s, mode, claim);
    }
}

/* ---- trees ---- */

/* Answers of a call, filled beforehand with a value that no answer has. */
typedef struct answer {
    uint32_t *block[2], *value[2];
} answer;

/* Allocates answers `offset` words after an aligned address. */
static answer answer_make(const scene *s, size_t count, size_t offset)
{
    answer out = {{NULL, NULL}, {NULL, NULL}};
    for (int q = 0; q < (s->joint ? 2 : 1); ++q) {
        out.block[q] = mcd_allocate(count + offset, sizeof *out.block[q]);
        memset(out.block[q], 0xab, (count + offset) * sizeof *out.block[q]);
        out.value[q] = out.block[q] + offset;
    }
    return out;
}

static void answer_free(answer *a)
{
    mcd_free(a->block[0]);
    mcd_free(a->block[1]);
}

static void expect_cost(const scene *s, const mcd_tree_job *job, const char *name, const answer *a, size_t at,
                        size_t lane, mcd_node node)
{
    const uint32_t *const *const expected = (const uint32_t *const *)s->expected[s->joint][job->direction];
    const bool within = expected[0][lane * s->stride + node] <= job->limit;
    for (int q = 0; q < (s->joint ? 2 : 1); ++q) {
        const uint32_t cost = within ? expected[q][lane * s->stride + node] : MCD_COST_UNREACHED;
        if (a->value[q][at] == cost) continue;
        cr_assert_fail(
            "%s, %s, %s, %u threads, direction %d, %zu lanes: lane %zu node %u quantity %d: %u, not %u",
            s->map.name, s->what, name, job->parallel.thread_count, (int)job->direction, job->lane_count,
            lane, node, q, a->value[q][at], cost);
    }
}

/* Fills in the answers and the scratch. */
static void run_tree(const mcd_backend *with, mcd_tree_job *job, const answer *a)
{
    job->objective = a->value[0], job->companion = a->value[1];
    job->scratch = mcd_allocate(with->tree_scratch(job), 1);
    FIXTURE_CALL(with->tree, job);
    mcd_free(job->scratch);
}

static mcd_tree_job tree_job(const scene *s, int direction, size_t lane_count, unsigned threads)
{
    return (mcd_tree_job){.weights = &s->metric.weights,
                          .direction = (mcd_direction)direction,
                          .lane = s->lane,
                          .lane_count = lane_count,
                          .limit = MCD_WEIGHT_MAX,
                          .column_count = s->map.graph->node_count,
                          .parallel = {threads, NULL}};
}

static void expect_rows(const scene *s, const mcd_backend *with, mcd_tree_job *job, const mcd_node *node)
{
    SCOPED(answer_free) answer a = answer_make(s, job->lane_count * job->column_count, 0);
    run_tree(with, job, &a);
    for (size_t l = 0; l < job->lane_count; ++l)
        for (size_t i = 0; i < job->column_count; ++i)
            expect_cost(s, job, with->name, &a, l * job->column_count + i, l, node ? node[i] : (mcd_node)i);
}

static void rows(const scene *s, const mcd_backend *with, unsigned threads)
{
    for (int direction = 0; direction < 2; ++direction)
        for (size_t c = 0; c < LANE_COUNTS && lane_counts[c] <= s->lane_max; ++c) {
            mcd_tree_job job = tree_job(s, direction, lane_counts[c], threads);
            expect_rows(s, with, &job, NULL);
        }
}

Test(backends, rows_are_the_oracles)
{
    for_all(rows);
}

/* Columns repeat nodes and leave others out. */
static void columns(const scene *s, const mcd_backend *with, unsigned threads)
{
    mcd_node column[LANES_MAX];
    if (s->map.graph->node_count == 0) return;
    for (size_t i = 0; i < s->lane_max; ++i) column[i] = s->target[i].seed[0].node;
    for (size_t c = 0; c < LANE_COUNTS && lane_counts[c] <= s->lane_max; ++c) {
        mcd_tree_job job = tree_job(s, MCD_FORWARD, lane_counts[c], threads);
        job.column = column, job.column_count = s->lane_max;
        expect_rows(s, with, &job, column);
    }
}

/* Columns leave nodes out. */
static void distinct_columns(const scene *s, const mcd_backend *with, unsigned threads)
{
    mcd_node column[LANES_MAX];
    const mcd_node node_count = s->map.graph->node_count;
    const size_t count = mcd_size_min((node_count + 1) / 2, LANES_MAX);
    for (size_t i = 0; i < count; ++i) column[i] = node_count - 1 - 2 * (mcd_node)i;
    for (size_t c = 0; c < LANE_COUNTS && lane_counts[c] <= s->lane_max; ++c) {
        mcd_tree_job job = tree_job(s, MCD_FORWARD, lane_counts[c], threads);
        job.column = column, job.column_count = count;
        expect_rows(s, with, &job, column);
    }
}

Test(backends, rows_of_distinct_columns_are_the_oracles)
{
    for_all(distinct_columns);
}

Test(backends, rows_of_asked_columns_are_the_oracles)
{
    for_all(columns);
}

static void limited(const scene *s, const mcd_backend *with, unsigned threads)
{
    static const size_t counts[] = {1, 17};
    static const mcd_weight limit[] = {1, 60, 2000, MCD_WEIGHT_MAX - 1};
    for (int i = 0; i < 8; ++i) {
        mcd_tree_job job = tree_job(s, i / 2 % 2, counts[i % 2], threads);
        job.limit = limit[i / 2];
        expect_rows(s, with, &job, NULL);
    }
}

Test(backends, costs_above_the_limit_are_unreached)
{
    for_all(limited);
}

static void lanes(const scene *s, const mcd_backend *with, unsigned threads)
{
    const size_t node_count = s->map.graph->node_count;
    for (int direction = 0; direction < 2; ++direction)
        for (size_t lane_count = 16; lane_count <= s->lane_max; lane_count *= 2)
            for (size_t offset = 0; offset < 2; ++offset) {
                mcd_tree_job job = tree_job(s, direction, lane_count, threads);
                SCOPED(answer_free) answer a = answer_make(s, node_count * lane_count, offset);
                job.as_lanes = true;
                run_tree(with, &job, &a);
                for (mcd_node node = 0; node < node_count; ++node)
                    for (size_t l = 0; l < lane_count; ++l)
                        expect_cost(s, &job, with->name, &a, node * lane_count + l, l, node);
            }
}

Test(backends, lanes_are_the_oracles_aligned_or_not)
{
    for_all(lanes);
}

/* A selection of too many nodes has no arrays. */
static void expect_most(const scene *s, size_t target_count, size_t count)
{
    for (size_t most = count - 1; most <= count; ++most) {
        macadam_error error;
        SCOPED(mcd_selection_free) mcd_selection selection;
        cr_assert_eq(mcd_selection_new(&selection, s->map.hierarchy, s->target, target_count, most, &error),
                     0);
        cr_assert_eq(selection.count > most, most < count);
        cr_assert_eq(selection.node == NULL, most < count);
    }
}

static void restricted(const scene *s, const mcd_backend *with, unsigned threads)
{
    mcd_node node[LANES_MAX];
    if (s->map.graph->node_count == 0) return;
    for (size_t t = 0; t < LANE_COUNTS && lane_counts[t] <= s->lane_max; ++t) {
        macadam_error error;
        SCOPED(mcd_selection_free) mcd_selection selection;
        cr_assert_eq(
            mcd_selection_new(&selection, s->map.hierarchy, s->target, lane_counts[t], SIZE_MAX, &error), 0);
        expect_most(s, lane_counts[t], selection.count);
        for (size_t i = 0; i < lane_counts[t]; ++i) node[i] = s->target[i].seed[0].node;
        for (int direction = 0; direction < 2; ++direction)
            for (size_t c = t % 2; c < LANE_COUNTS && lane_counts[c] <= s->lane_max; c += 2) {
                mcd_tree_job job = tree_job(s, direction, lane_counts[c], threads);
                job.only = selection.node, job.only_count = selection.count;
                job.column = selection.column, job.column_count = lane_counts[t];
                expect_rows(s, with, &job, node);
            }
    }
}

Test(backends, restricted_rows_are_the_oracles)
{
    for_all(restricted);
}

/* ---- routes and matrices ---- */

static uint32_t expected_of_pair(const scene *s, int quantity, size_t source, size_t target)
{
    const size_t node = s->map.graph->node_count + s->lane_max + target;
    return s->expected[s->joint][MCD_FORWARD][quantity][source * s->stride + node];
}

static void routes_over(const scene *s, const mcd_backend *with, unsigned threads, const mcd_weights *weights)
{
    const size_t side = mcd_size_min(s->lane_max, ROUTE_LANES), count = side * side;
    FREED mcd_lane *source = checked_allocate(count, sizeof *source),
                   *target = checked_allocate(count, sizeof *target);
    SCOPED(answer_free) answer a = answer_make(s, count, 0);
    for (size_t i = 0; i < count; ++i) source[i] = s->lane[i / side], target[i] = s->lane[i % side];
    for (size_t first = 0, part = 1; first < count; first += part, part = part * 3 + 1) {
        if (part > count - first) part = count - first;
        const mcd_route_job job = {.weights = weights,
                                   .source = source + first,
                                   .target = target + first,
                                   .count = part,
                                   .objective = a.value[0] + first,
                                   .companion = s->joint ? a.value[1] + first : NULL,
                                   .parallel = {threads, NULL}};
        FIXTURE_CALL(with->route, &job);
    }
    for (size_t i = 0; i < count; ++i)
        for (int q = 0; q < (s->joint ? 2 : 1); ++q)
            if (a.value[q][i] != expected_of_pair(s, q, i / side, i % side))
                cr_assert_fail("%s, %s, %s, %u threads%s: pair %zu quantity %d: %u, not %u", s->map.name,
                               s->what, with->name, threads, weights->top_labels ? ", top_labels" : "", i, q,
                               a.value[q][i], expected_of_pair(s, q, i / side, i % side));
}

/* Makes the scene's weights with as many top nodes as possible; NULL if the backend has none. */
static mcd_top_labels *make_top_labels(mcd_weights *out, const scene *s, const mcd_backend *with,
                                       unsigned threads)
{
    mcd_top_labels *top_labels;
    const mcd_parallel parallel = {threads, NULL};
    *out = s->metric.weights;
    if (!with->top_labels_new) return NULL;
    FIXTURE_CALL(with->top_labels_new, &top_labels, out, SIZE_MAX, &parallel);
    out->top_labels = top_labels;
    return top_labels;
}

static void routes(const scene *s, const mcd_backend *with, unsigned threads)
{
    mcd_weights weights;
    mcd_top_labels *top_labels = make_top_labels(&weights, s, with, threads);
    routes_over(s, with, threads, &s->metric.weights);
    routes_over(s, with, threads, &weights);
    mcd_top_labels_free(top_labels);
}

Test(backends, route_costs_are_the_oracles)
{
    for_all(routes);
}

/* The numbers of rows and columns are not multiples of any vector, and the memory is wider than the columns. */
static void matrix(const scene *s, const mcd_backend *with, unsigned threads)
{
    for (size_t c = 0; c < LANE_COUNTS && lane_counts[c] <= s->lane_max; ++c) {
        macadam_error error;
        mcd_matrix_targets *targets;
        const size_t target_count = lane_counts[c], source_count = c % 2 ? s->lane_max : 7;
        const size_t stride = target_count + GUARD;
        const mcd_matrix_job job = {.weights = &s->metric.weights,
                                    .target = s->lane,
                                    .target_count = target_count,
                                    .joint = s->joint,
                                    .parallel = {threads, NULL}};
        cr_assert_eq(with->matrix_targets_new(&targets, &job, &error), MACADAM_OK);
        SCOPED(answer_free) answer a = answer_make(s, source_count * stride, 0);
        const mcd_rows_job rows_job = {.targets = targets,
                                       .source = s->lane,
                                       .source_count = source_count,
                                       .objective = a.value[0],
                                       .companion = a.value[1],
                                       .stride = stride};
        cr_assert_eq(with->matrix_rows(&rows_job, &error), MACADAM_OK);
        with->matrix_targets_free(targets);
        for (size_t i = 0; i < source_count * stride; ++i)
            for (int q = 0; q < (s->joint ? 2 : 1); ++q) {
                const uint32_t cost = i % stride < target_count
                                          ? expected_of_pair(s, q, i / stride, i % stride)
                                          : UINT32_C(0xabababab);
                if (a.value[q][i] == cost) continue;
                cr_assert_fail(
                    "%s, %s, %s, %u threads, %zu targets: row %zu column %zu quantity %d: %u, not %u",
                    s->map.name, s->what, with->name, threads, target_count, i / stride, i % stride, q,
                    a.value[q][i], cost);
            }
    }
}

Test(backends, matrices_are_the_oracles)
{
    for_all(matrix);
}

/* Asks for the matrix between the first lanes of a scene, or between the places that have them. */
static answer ask_matrix(const scene *s, const mcd_backend *with, unsigned threads, const size_t *first,
                         size_t count)
{
    macadam_error error;
    mcd_matrix_targets *targets;
    const answer a = answer_make(s, count * count, 0);
    const mcd_matrix_job job = {.weights = &s->metric.weights,
                                .target = s->lane,
                                .target_count = count,
                                .first = first,
                                .joint = s->joint,
                                .parallel = {threads, NULL}};
    cr_assert_eq(with->matrix_targets_new(&targets, &job, &error), MACADAM_OK);
    const mcd_rows_job rows = {.targets = targets,
                               .source = s->lane,
                               .source_count = count,
                               .first = first,
                               .objective = a.value[0],
                               .companion = a.value[1],
                               .raw = true,
                               .stride = count};
    cr_assert_eq(with->matrix_rows(&rows, &error), MACADAM_OK);
    with->matrix_targets_free(targets);
    return a;
}

static uint64_t answer_at(const answer *a, size_t cell)
{
    return (uint64_t)a->value[0][cell] << 32 | (a->value[1] ? a->value[1][cell] : 0);
}

/* Places have one to four lanes, whose root paths join anywhere or nowhere. */
static void matrix_of_places(const scene *s, const mcd_backend *with, unsigned threads)
{
    size_t first[LANES_MAX + 1] = {0}, places = 0;
    for (; first[places] < s->lane_max; ++places) {
        const bool failed = s->lane[first[places]].seed[0].node == MCD_NODE_NONE;
        first[places + 1] = mcd_size_min(first[places] + (failed ? 1 : 1 + places % 4), s->lane_max);
    }
    SCOPED(answer_free) answer lanes = ask_matrix(s, with, threads, NULL, s->lane_max);
    SCOPED(answer_free) answer a = ask_matrix(s, with, threads, first, places);
    for (size_t cell = 0; cell < places * places; ++cell) {
        uint64_t best = UINT64_MAX;
        for (size_t i = first[cell / places]; i < first[cell / places + 1]; ++i)
            for (size_t k = first[cell % places]; k < first[cell % places + 1]; ++k) {
                const uint64_t cost = answer_at(&lanes, i * s->lane_max + k);
                if (cost < best) best = cost;
            }
        cr_assert_eq(answer_at(&a, cell), best, "%s, %s, %s, %u threads: row %zu column %zu", s->map.name,
                     s->what, with->name, threads, cell / places, cell % places);
    }
}

Test(backends, places_cost_what_the_best_of_their_lanes_cost)
{
    for_all(matrix_of_places);
}

/* Matrices that follow each other have some of their lanes in common, and one of them is large. */
static void small_matrices(const scene *s, const mcd_backend *with, unsigned threads)
{
    enum { COUNT = 40, SIDE = 7, ROWS_MAX = 50 };
    mcd_small_matrix small[COUNT];
    uint32_t lane[COUNT + ROWS_MAX], cells = 0;
    for (uint32_t i = 0; i < COUNT + ROWS_MAX; ++i) lane[i] = i * i / 3 % (uint32_t)s->lane_max;
    for (uint32_t m = 0; m < COUNT; cells += small[m++].source_count * SIDE)
        small[m] = (mcd_small_matrix){m, m == 9 ? ROWS_MAX : m % SIDE, 2 * m, SIDE, 40 * m * m, cells};
    SCOPED(answer_free) answer a = answer_make(s, cells, 0);
    const mcd_matrices_job job = {&s->metric.weights, s->lane,    s->lane,      lane, lane, small, COUNT,
                                  a.value[0],         a.value[1], {threads, 0}, {0}};
    FIXTURE_CALL(with->matrices, &job);
    for (size_t m = 0; m < COUNT; ++m)
        for (size_t i = 0, end = small[m].source_count * SIDE; i < end * (s->joint + 1u); ++i) {
            const uint32_t from = lane[m + i % end / SIDE], to = lane[2 * m + i % SIDE];
            const bool near = expected_of_pair(s, 0, from, to) <= small[m].limit;
            cr_assert_eq(a.value[i / end][small[m].first_cell + i % end],
                         near ? expected_of_pair(s, (int)(i / end), from, to) : MCD_COST_UNREACHED);
        }
}

Test(backends, small_matrices_are_the_oracles)
{
    for_all(small_matrices);
}

/* ---- paths ---- */

typedef struct found_paths {
    mcd_path path[LANES_MAX];
    size_t taken;
    uint32_t objective[LANES_MAX], companion[LANES_MAX];
} found_paths;

/* Copies paths; they come in the order of the pairs, each once. */
static macadam_status take_paths(void *context, const mcd_path *path, size_t first, size_t count,
                                 macadam_error *error)
{
    (void)error;
    found_paths *out = context;
    cr_assert_eq(first, out->taken);
    for (size_t i = 0; i < count; ++i) {
        mcd_path *copy = &out->path[first + i];
        copy->arc = mcd_allocate(path[i].count, sizeof *copy->arc);
        if (path[i].count) memcpy(copy->arc, path[i].arc, path[i].count * sizeof *copy->arc);
        copy->count = path[i].count;
    }
    out->taken += count;
    return MACADAM_OK;
}

/* Finds the paths from each target to the next. */
static void find_paths(found_paths *out, const scene *s, const mcd_backend *with, unsigned threads,
                       const mcd_weights *weights, const mcd_spans *spans)
{
    memset(out, 0, sizeof *out);
    const mcd_route_job job = {.weights = weights,
                               .source = s->target,
                               .target = s->target + 1,
                               .count = s->lane_max - 1,
                               .objective = out->objective,
                               .companion = s->joint ? out->companion : NULL,
                               .spans = spans,
                               .take = take_paths,
                               .take_context = out,
                               .parallel = {threads, NULL}};
    FIXTURE_CALL(with->route, &job);
    cr_assert_eq(out->taken, job.count);
}

static void free_paths(const scene *s, found_paths *paths)
{
    for (size_t i = 0; i + 1 < s->lane_max; ++i) mcd_free(paths->path[i].arc);
}

/* Expects a path from target i to the next one, with the costs that came with it. */
static void expect_path(const scene *s, const found_paths *paths, size_t i)
{
    const mcd_path *path = &paths->path[i];
    mcd_node at = s->target[i].seed[0].node;
    uint64_t objective = 0, companion = 0;
    if (paths->objective[i] == MCD_COST_UNREACHED) {
        cr_assert_eq(path->count, 0, "%s: path %zu leads nowhere", s->map.name, i);
        return;
    }
    for (size_t k = 0; k < path->count; ++k) {
        const uint32_t arc = path->arc[k];
        cr_assert_lt(arc, s->map.graph->arc_count, "%s", s->map.name);
        cr_assert_eq(s->map.tail[arc], at, "%s: arc %zu of path %zu", s->map.name, k, i);
        at = s->map.graph->head[arc];
        objective += s->map.weight[0][arc], companion += s->map.weight[1][arc];
    }
    cr_assert_eq(at, s->target[i + 1].seed[0].node, "%s: the end of path %zu", s->map.name, i);
    cr_assert_eq(objective, paths->objective[i], "%s: path %zu", s->map.name, i);
    if (s->joint) cr_assert_eq(companion, paths->companion[i], "%s: path %zu", s->map.name, i);
}

static void own_paths(const scene *s, const mcd_backend *with, unsigned threads)
{
    found_paths paths;
    find_paths(&paths, s, with, threads, &s->metric.weights, NULL);
    for (size_t i = 0; i + 1 < s->lane_max; ++i) expect_path(s, &paths, i);
    free_paths(s, &paths);
}

Test(backends, paths_have_the_costs_that_come_with_them)
{
    for_all(own_paths);
}

/* Expects the paths of the first backend, without top nodes and spans. */
static void expect_same_paths(const scene *s, const mcd_backend *with, const found_paths *paths)
{
    found_paths first;
    find_paths(&first, s, backend[0], 1, &s->metric.weights, NULL);
    for (size_t i = 0; i + 1 < s->lane_max; ++i) {
        cr_assert_eq(paths->objective[i], first.objective[i]);
        cr_assert_eq(paths->companion[i], first.companion[i]);
        cr_assert_eq(paths->path[i].count, first.path[i].count, "%s, %s: path %zu", s->map.name, with->name,
                     i);
        cr_assert(paths->path[i].count == 0 || memcmp(paths->path[i].arc, first.path[i].arc,
                                                      paths->path[i].count * sizeof(uint32_t)) == 0,
                  "%s, %s: path %zu", s->map.name, with->name, i);
    }
    free_paths(s, &first);
}

static void paths_over_top(const scene *s, const mcd_backend *with, unsigned threads)
{
    found_paths paths;
    mcd_weights weights;
    mcd_top_labels *top_labels = make_top_labels(&weights, s, with, threads);
    find_paths(&paths, s, with, threads, &weights, NULL);
    expect_same_paths(s, with, &paths);
    free_paths(s, &paths);
    mcd_top_labels_free(top_labels);
}

Test(backends, paths_are_equal_over_hubs_or_not)
{
    for_all(paths_over_top);
}

static mcd_spans *make_spans(const scene *s, const mcd_backend *with, unsigned threads)
{
    mcd_spans *spans;
    const mcd_parallel parallel = {threads, NULL};
    FIXTURE_CALL(with->spans_new, &spans, &s->metric.weights, &parallel);
    return spans;
}

static void paths_by_spans(const scene *s, const mcd_backend *with, unsigned threads)
{
    found_paths paths;
    if (!with->spans_new) return;
    mcd_spans *spans = make_spans(s, with, threads);
    find_paths(&paths, s, with, threads, &s->metric.weights, spans);
    expect_same_paths(s, with, &paths);
    free_paths(s, &paths);
    mcd_spans_free(spans);
}

Test(backends, paths_are_equal_by_spans_or_halves)
{
    for_all(paths_by_spans);
}

/* ---- basic weights ---- */

static void routes_over_basic(const scene *s, const mcd_backend *with, unsigned threads)
{
    found_paths paths;
    if (with != backend[0] || threads != 2) return; /* one implementation serves all */
    SCOPED(mcd_custom_free)
    mcd_custom custom = kernel_map_customize(&s->map, with, 1, s->metric.weights.companion != NULL);
    mcd_weights weights = s->metric.weights;
    const size_t count = mcd_basic_words(&weights) * mcd_basic_arcs(&weights);
    FREED mcd_weight *const arrays = checked_allocate(count + 1, sizeof *arrays);
    mcd_basic_spread(arrays, &weights, custom.cost, NULL, 0, &(mcd_parallel){1, NULL});
    mcd_basic_search(&weights, arrays);
    routes_over(s, with, threads, &weights);
    find_paths(&paths, s, with, threads, &weights, NULL);
    expect_same_paths(s, with, &paths);
    free_paths(s, &paths);
}

Test(backends, basic_weights_give_the_answers_of_kept_arcs)
{
    for_all(routes_over_basic);
}

/* ---- unique paths ---- */

static mcd_unique_path find_unique(const scene *s, const mcd_lane *from, const mcd_lane *to)
{
    mcd_weights weights = s->metric.weights;
    mcd_unique_path found;
    weights.hierarchy = NULL;
    FIXTURE_CALL(mcd_unique_path_find, &found, &weights, from, 1, to, 1, NULL);
    return found;
}

static void expect_unique_cost(const scene *s, size_t source, size_t target)
{
    mcd_unique_path found = find_unique(s, &s->lane[source], &s->lane[target]);
    const uint32_t objective = expected_of_pair(s, 0, source, target);
    if (found.is_known && found.cost == MCD_JOINT_UNREACHED)
        cr_assert_eq(objective, MCD_COST_UNREACHED, "%s: pair %zu %zu", s->map.name, source, target);
    else if (found.is_known)
        cr_assert(
            mcd_joint_objective(found.cost) == objective &&
                (!s->joint || mcd_joint_companion(found.cost) == expected_of_pair(s, 1, source, target)),
            "%s, %s: pair %zu %zu", s->map.name, s->what, source, target);
    mcd_path_free(&found.path);
}

static size_t known_count, unsure_count;

static void unique_paths(const scene *s, const mcd_backend *with, unsigned threads)
{
    found_paths paths;
    if (with != backend[0] || threads > 1) return;
    for (size_t i = 0; i + 1 < s->lane_max; ++i) expect_unique_cost(s, i, i + 1);
    find_paths(&paths, s, with, 1, &s->metric.weights, NULL);
    for (size_t i = 0; i + 1 < s->lane_max; ++i) {
        mcd_unique_path found = find_unique(s, &s->target[i], &s->target[i + 1]);
        if (found.is_known)
            cr_assert(found.path.count == paths.path[i].count &&
                          (found.path.count == 0 || memcmp(found.path.arc, paths.path[i].arc,
                                                           found.path.count * sizeof(uint32_t)) == 0),
                      "%s, %s: path %zu", s->map.name, s->what, i);
        ++*(found.is_known ? &known_count : &unsure_count);
        mcd_path_free(&found.path);
    }
    free_paths(s, &paths);
}

Test(backends, a_path_that_is_the_only_one_is_found_without_a_hierarchy)
{
    known_count = unsure_count = 0;
    for_all(unique_paths);
    cr_assert_gt(known_count, unsure_count, "%zu known, %zu unsure", known_count, unsure_count);
    cr_assert_gt(unsure_count, 0, "no map has two paths of the same cost");
}

/* ---- customization ---- */

static void expect_same(const void *a, const void *b, size_t bytes, const char *map, const char *what)
{
    cr_assert_eq(!a, !b, "%s: %s", map, what);
    cr_assert(!a || memcmp(a, b, bytes) == 0, "%s: %s differ", map, what);
}

static void expect_same_search(const kernel_map *map, const kernel_metric *a, const kernel_metric *b,
                               int direction)
{
    const mcd_search *x = &a->kept.search[direction], *y = &b->kept.search[direction];
    const size_t count = a->kept.count[direction], word = sizeof(uint32_t);
    cr_assert_eq(count, b->kept.count[direction], "%s", map->name);
    expect_same(x->first, y->first, (map->graph->node_count + (size_t)1) * sizeof *x->first, map->name,
                "lists");
    expect_same(x->head, y->head, count * word, map->name, "heads");
    expect_same(x->depth, y->depth, count * word, map->name, "depths");
    expect_same(x->objective, y->objective, count * word, map->name, "objectives");
    expect_same(x->companion, y->companion, count * word, map->name, "companions");
    expect_same(x->children, y->children, count * sizeof *x->children, map->name, "halves");
}

Test(backends, kept_arcs_are_equal)
{
    for (size_t m = 0; m < kernel_maps_count(); ++m)
        for (int pair = 0; pair < 2; ++pair) {
            SCOPED(kernel_map_free) kernel_map map;
            kernel_metric first, other;
            kernel_maps_make(&map, m);
            kernel_metric_make(&first, &map, backend[0], 1, pair);
            for (size_t b = 0; b < backend_count; ++b)
                for (unsigned threads = 1; threads <= BACKEND_THREADS_MAX; ++threads) {
                    kernel_metric_make(&other, &map, backend[b], threads, pair);
                    for (int direction = 0; direction < 2; ++direction)
                        expect_same_search(&map, &first, &other, direction);
                    kernel_metric_free(&other);
                }
            kernel_metric_free(&first);
        }
}

Test(backends, basic_costs_and_witnesses_are_equal)
{
    for (size_t m = 0; m < kernel_maps_count(); ++m)
        for (int pair = 0; pair < 2; ++pair) {
            SCOPED(kernel_map_free) kernel_map map;
            kernel_maps_make(&map, m);
            const size_t count = 2 * map.hierarchy->first_up[map.graph->node_count];
            SCOPED(mcd_custom_free) mcd_custom first = kernel_map_customize(&map, backend[0], 1, pair);
            for (size_t b = 0; b < backend_count; ++b)
                for (unsigned threads = 1; threads <= BACKEND_THREADS_MAX; ++threads) {
                    SCOPED(mcd_custom_free)
                    mcd_custom other = kernel_map_customize(&map, backend[b], threads, pair);
                    expect_same(first.cost, other.cost, count * (pair ? 8 : 4), map.name, "costs");
                    expect_same(first.witness, other.witness, count * sizeof(mcd_node), map.name,
                                "witnesses");
                }
        }
}
