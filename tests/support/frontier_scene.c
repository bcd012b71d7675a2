/* frontier_scene.c - see frontier_scene.h. */
#include "tests/support/frontier_scene.h"

#include "tests/support/checked.h"
#include "tests/support/frontier_oracle.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SOURCES = 5, LANES = 8 /* enough for two GPUs to search concurrently */, PAIRS = 12, FILLER = 0x5b };

static_assert(ORACLE_UNREACHED == MCD_COST_UNREACHED && ORACLE_UNREACHED == MCD_NODE_NONE,
              "answers are compared with the oracle's by memcmp");

/* ---- scenes ---- */

static void expect_ok(macadam_status status, const macadam_error *error, const frontier_scene *scene)
{
    cr_assert_eq(status, MACADAM_OK, "%s: %s", scene->name, error->message);
}

static void add_quantities(frontier_scene *scene, const test_graph *graph, const uint32_t *map_arc)
{
    for (int q = 0; q < 2; ++q) {
        mcd_weight *weight = mcd_allocate(graph->arc_count, sizeof *weight);
        for (size_t arc = 0; arc < graph->arc_count; ++arc) {
            const uint32_t value = graph->weight[q][map_arc[arc]];
            weight[arc] = value < MCD_UNREACHED ? value : MCD_UNREACHED;
        }
        scene->weight[q] = weight;
    }
}

static void close_alike(frontier_scene *scene)
{
    const size_t arc_count = scene->graph->arc_count;
    const mcd_weight *one = scene->weight[0], *other = scene->weight[1];
    for (int q = 0; q < 2; ++q) {
        scene->closed[q] = checked_allocate(arc_count, sizeof *scene->closed[q]);
        for (size_t arc = 0; arc < arc_count; ++arc)
            scene->closed[q][arc] = one[arc] == MCD_UNREACHED || other[arc] == MCD_UNREACHED
                                        ? MCD_UNREACHED
                                        : scene->weight[q][arc];
    }
}

static void add_metrics(frontier_scene *scene, const mcd_device_table *table, mcd_device *device)
{
    const mcd_parallel parallel = {2, NULL};
    const mcd_couples *pairs = &scene->pairs;
    macadam_error error;
    for (int joint = 0; joint < 2; ++joint) {
        mcd_arc_weights *const metric = &scene->metric[joint];
        expect_ok(mcd_arc_weights_make(metric, scene->graph, scene->weight[0],
                                       joint ? scene->weight[1] : NULL, &error),
                  &error, scene);
        expect_ok(mcd_arc_weights_add_backward(metric, &parallel, &error), &error, scene);
        expect_ok(
            mcd_arc_weights_add_couples(metric, pairs->high, pairs->low, pairs->count, &parallel, &error),
            &error, scene);
        if (device) expect_ok(mcd_arc_weights_place(metric, table, device, &error), &error, scene);
    }
}

void frontier_scene_make(frontier_scene *out, const test_graph *graph, const mcd_device_table *table,
                         mcd_device *device)
{
    const mcd_node node_count = (mcd_node)graph->node_count;
    macadam_error error;
    uint32_t *map_arc;
    FREED mcd_node *id_of = checked_allocate(node_count, sizeof *id_of);
    *out = (frontier_scene){.name = graph->name};
    for (mcd_node v = 0; v < node_count; ++v) id_of[v] = v;
    expect_ok(mcd_graph_new(&out->graph, &map_arc, node_count, graph->tail, graph->head, graph->arc_count,
                            id_of, NULL, NULL, &error),
              &error, out);
    out->tail = checked_allocate(graph->arc_count, sizeof *out->tail);
    for (size_t arc = 0; arc < graph->arc_count; ++arc) out->tail[arc] = graph->tail[map_arc[arc]];
    expect_ok(mcd_couples_new(&out->pairs, out->graph, &error), &error, out);
    add_quantities(out, graph, map_arc);
    close_alike(out);
    add_metrics(out, table, device);
    mcd_free(map_arc);
}

void frontier_scene_free(frontier_scene *scene)
{
    for (int i = 0; i < 2; ++i) {
        mcd_arc_weights_free(&scene->metric[i]);
        mcd_free(scene->weight[i]);
        free(scene->closed[i]);
    }
    mcd_couples_free(&scene->pairs);
    mcd_graph_free(scene->graph);
    free(scene->tail);
}

static oracle_arcs arcs_of(const frontier_scene *scene, bool joint)
{
    return (oracle_arcs){scene->graph->node_count,
                         scene->graph->arc_count,
                         scene->tail,
                         scene->graph->head,
                         joint ? scene->closed[0] : scene->weight[0],
                         joint ? scene->closed[1] : NULL};
}

/* Filled with what no answer is. */
static uint32_t *new_answer(size_t count)
{
    uint32_t *answer = checked_allocate(count, sizeof *answer);
    memset(answer, FILLER, count * sizeof *answer);
    return answer;
}

/* Some nodes, in any order, some of them twice. */
static mcd_node *draw_columns(const frontier_scene *scene, test_rng *rng, size_t count)
{
    mcd_node *column = checked_allocate(count, sizeof *column);
    for (size_t i = 0; i < count; ++i) column[i] = rng_below(rng, scene->graph->node_count);
    return column;
}

static void expect_row(const frontier_scene *scene, const char *what, const uint32_t *found,
                       const uint32_t *right, const mcd_node *column, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (found[i] != right[column ? column[i] : i])
            cr_assert_fail("%s, %s: %u instead of %u at %zu", scene->name, what, found[i],
                           right[column ? column[i] : i], i);
}

/* ---- hops ---- */

static void run_hops(const mcd_hops_job *job, const frontier_asked *asked, const frontier_scene *scene)
{
    macadam_error error;
    mcd_hops_job own = *job;
    const size_t bytes = asked->backend->hops_scratch(job);
    own.scratch = mcd_allocate(bytes, 1);
    memset(own.scratch, FILLER, bytes);
    expect_ok(asked->backend->hops(&own, &error), &error, scene);
    mcd_free(own.scratch);
}

static void compare_hops(const frontier_scene *scene, const mcd_hops_job *job)
{
    const oracle_arcs arcs = arcs_of(scene, false);
    FREED uint32_t *hops = checked_allocate(arcs.node_count, sizeof *hops),
                   *parent = checked_allocate(arcs.node_count, sizeof *parent);
    char what[120];
    for (size_t s = 0; s < job->source_count; ++s) {
        memset(hops, 0xff, arcs.node_count * sizeof *hops);
        if (job->source[s] != MCD_NODE_NONE)
            frontier_oracle_hops(&arcs, job->source[s], job->direction == MCD_BACKWARD, hops);
        for (size_t v = 0; v < arcs.node_count; ++v)
            if (hops[v] > job->limit) hops[v] = ORACLE_UNREACHED;
        frontier_oracle_hop_parents(&arcs, hops, job->direction == MCD_BACKWARD, parent);
        snprintf(what, sizeof what, "strategy %d, direction %d, limit %u, source %zu of %zu",
                 (int)job->strategy, (int)job->direction, job->limit, s, job->source_count);
        expect_row(scene, what, job->hops + s * job->column_count, hops, job->column, job->column_count);
        if (job->parent)
            expect_row(scene, what, job->parent + s * arcs.node_count, parent, NULL, arcs.node_count);
    }
}

static void check_hops(const frontier_scene *scene, const frontier_asked *asked, mcd_hops_job job,
                       test_rng *rng)
{
    const size_t node_count = scene->graph->node_count;
    mcd_node source[SOURCES], *column = NULL;
    for (size_t s = 0; s < SOURCES; ++s) source[s] = rng_below(rng, scene->graph->node_count);
    source[SOURCES - 1] = MCD_NODE_NONE;
    job.arcs = &scene->metric[0].arcs;
    job.source = source;
    job.parallel = (mcd_parallel){asked->threads, NULL};
    job.column_count = node_count;
    if (rng_below(rng, 2)) {
        job.column_count = rng_below(rng, 2 * scene->graph->node_count) + 1;
        job.column = column = draw_columns(scene, rng, job.column_count);
    }
    job.hops = new_answer(SOURCES * job.column_count);
    job.parent = rng_below(rng, 3) ? new_answer(SOURCES * node_count) : NULL;
    run_hops(&job, asked, scene);
    compare_hops(scene, &job);
    free(job.hops);
    free(job.parent);
    free(column);
}

static void check_strategy(const frontier_scene *scene, const frontier_asked *asked,
                           mcd_hops_strategy strategy, test_rng *rng)
{
    for (int direction = 0; direction < 2; ++direction)
        for (int limited = 0; limited < 2; ++limited)
            check_hops(scene, asked,
                       (mcd_hops_job){.strategy = strategy,
                                      .direction = (mcd_direction)direction,
                                      .limit = limited ? rng_below(rng, 9) : UINT32_MAX,
                                      .source_count = limited ? 1 : SOURCES},
                       rng);
}

void frontier_check_hops(const frontier_scene *scene, const frontier_asked *asked)
{
    test_rng rng = {asked->seed};
    if (scene->graph->node_count == 0) return;
    for (int strategy = MCD_HOPS_AUTO; strategy <= MCD_HOPS_TOP_DOWN; ++strategy)
        check_strategy(scene, asked, (mcd_hops_strategy)strategy, &rng);
}

void frontier_check_divided_hops(const frontier_scene *scene, const frontier_asked *asked)
{
    test_rng rng = {asked->seed};
    if (scene->graph->node_count > 0) check_strategy(scene, asked, MCD_HOPS_DIVIDED, &rng);
}

/* ---- connect ---- */

static void compare_path(const frontier_scene *scene, const mcd_connect_job *job, const uint32_t *hops)
{
    const oracle_arcs arcs = arcs_of(scene, false);
    FREED uint32_t *parent = checked_allocate(arcs.node_count, sizeof *parent);
    frontier_oracle_hop_parents(&arcs, hops, false, parent);
    mcd_node node = job->target;
    for (size_t i = hops[job->target]; i != SIZE_MAX; --i, node = parent[node])
        if (i < job->path_capacity)
            cr_assert_eq(job->path[i], node, "%s: %u to %u, path[%zu] is %u instead of %u", scene->name,
                         job->source, job->target, i, job->path[i], node);
}

static void check_connect(const frontier_scene *scene, const frontier_asked *asked, mcd_node source,
                          mcd_node target, size_t capacity)
{
    const oracle_arcs arcs = arcs_of(scene, false);
    uint32_t found, *hops = checked_allocate(arcs.node_count, sizeof *hops);
    macadam_error error;
    mcd_connect_job job = {.arcs = &scene->metric[0].arcs,
                           .source = source,
                           .target = target,
                           .hops = &found,
                           .path = new_answer(capacity + 1),
                           .path_capacity = capacity};
    job.scratch = mcd_allocate(asked->backend->connect_scratch(&job), 1);
    memset(job.scratch, FILLER, asked->backend->connect_scratch(&job));
    expect_ok(asked->backend->connect(&job, &error), &error, scene);
    frontier_oracle_hops(&arcs, source, false, hops);
    cr_assert_eq(found, hops[target], "%s: %u hops instead of %u from %u to %u", scene->name, found,
                 hops[target], source, target);
    if (found != MCD_COST_UNREACHED) compare_path(scene, &job, hops);
    cr_assert_eq(job.path[capacity], FILLER * 0x01010101U, "%s: written beyond the end", scene->name);
    mcd_free(job.scratch);
    free(job.path);
    free(hops);
}

void frontier_check_connect(const frontier_scene *scene, const frontier_asked *asked)
{
    test_rng rng = {asked->seed};
    const mcd_node node_count = scene->graph->node_count;
    for (int i = 0; i < PAIRS && node_count > 0; ++i) {
        const mcd_node source = rng_below(&rng, node_count),
                       target = i == 0 ? source : rng_below(&rng, node_count);
        check_connect(scene, asked, source, target, i % 4 == 3 ? rng_below(&rng, 6) : node_count);
    }
}

/* ---- trees ---- */

static mcd_lane draw_lane(const frontier_scene *scene, test_rng *rng, size_t index)
{
    const mcd_node node_count = scene->graph->node_count;
    mcd_lane lane = {{{MCD_NODE_NONE, 0, 0}, {MCD_NODE_NONE, 0, 0}}};
    if (index == 1) return lane;
    lane.seed[0].node = rng_below(rng, node_count);
    if (index % 2) return lane;
    lane.seed[0].objective = rng_below(rng, 40);
    lane.seed[0].companion = rng_below(rng, 40);
    const size_t count = 2 + index / 2 % (MCD_SEEDS_MAX - 1);
    for (size_t s = 1; s < count; ++s)
        lane.seed[s] = (mcd_seed){rng_below(rng, node_count), rng_below(rng, 40), rng_below(rng, 40)};
    if (count < MCD_SEEDS_MAX) lane.seed[count].node = MCD_NODE_NONE;
    return lane;
}

static size_t seeds_of(const mcd_lane *lane, oracle_seed *seed)
{
    size_t count = 0;
    for (uint32_t i = 0; i < mcd_lane_seed_count(lane); ++i)
        seed[count++] = (oracle_seed){lane->seed[i].node, lane->seed[i].objective, lane->seed[i].companion};
    return count;
}

/* One quantity of a lane's answer, from wherever it lies. */
static uint32_t *row_of(const mcd_sssp_job *job, const uint32_t *value, size_t lane)
{
    uint32_t *row = checked_allocate(job->column_count, sizeof *row);
    for (size_t i = 0; i < job->column_count; ++i)
        row[i] = value[lane * job->lane_stride + i * job->column_stride];
    return row;
}

static void compare_value(const frontier_scene *scene, const char *what, const mcd_sssp_job *job,
                          const uint32_t *value, const uint32_t *right, size_t lane)
{
    if (!value) return;
    FREED uint32_t *row = row_of(job, value, lane);
    expect_row(scene, what, row, right, job->column, job->column_count);
}

static void compare_lane(const frontier_scene *scene, const mcd_sssp_job *job, size_t lane)
{
    const bool joint = job->companion, reverse = job->direction == MCD_BACKWARD;
    const oracle_arcs arcs = arcs_of(scene, job->arcs->companion[MCD_FORWARD]);
    const uint32_t limit = job->limit == MCD_WEIGHT_MAX ? 0 : job->limit;
    uint32_t *right[3];
    oracle_seed seed[MCD_SEEDS_MAX];
    const size_t seed_count = seeds_of(&job->lane[lane], seed);
    char what[160];
    for (int i = 0; i < 3; ++i) right[i] = checked_allocate(arcs.node_count, sizeof *right[i]);
    frontier_oracle_tree(&arcs, seed, seed_count, reverse, limit, right[0], joint ? right[1] : NULL);
    frontier_oracle_parents(&arcs, seed, seed_count, reverse, right[0], joint ? right[1] : NULL, right[2]);
    snprintf(what, sizeof what, "method %d, direction %d, limit %u, delta %u, lane %zu of %zu, %s",
             (int)job->method, (int)job->direction, job->limit, job->delta, lane, job->lane_count,
             joint ? "pairs" : "objectives");
    compare_value(scene, what, job, job->objective, right[0], lane);
    compare_value(scene, what, job, job->companion, right[1], lane);
    if (job->parent)
        expect_row(scene, what, job->parent + lane * arcs.node_count, right[2], NULL, arcs.node_count);
    for (int i = 0; i < 3; ++i) free(right[i]);
}

static void run_sssp(const mcd_sssp_job *job, const frontier_asked *asked, const frontier_scene *scene)
{
    macadam_error error;
    mcd_sssp_job own = *job;
    const size_t bytes = asked->backend->sssp_scratch(job);
    own.scratch = mcd_allocate(bytes, 1);
    memset(own.scratch, FILLER, bytes);
    expect_ok(asked->backend->sssp(&own, &error), &error, scene);
    mcd_free(own.scratch);
}

static void check_sssp(const frontier_scene *scene, const frontier_asked *asked, mcd_sssp_job job, bool joint,
                       test_rng *rng)
{
    const size_t node_count = scene->graph->node_count;
    mcd_lane lane[LANES];
    FREED mcd_node *column = NULL;
    for (size_t i = 0; i < LANES; ++i) lane[i] = draw_lane(scene, rng, i);
    job.arcs = &scene->metric[joint || rng_below(rng, 2)].arcs;
    job.lane = lane;
    job.parallel = (mcd_parallel){asked->threads, NULL};
    job.column_count = node_count;
    if (rng_below(rng, 2)) {
        job.column_count = rng_below(rng, 2 * scene->graph->node_count) + 1;
        job.column = column = draw_columns(scene, rng, job.column_count);
    }
    const bool as_lanes = rng_below(rng, 2);
    job.lane_stride = as_lanes ? 1 : job.column_count;
    job.column_stride = as_lanes ? job.lane_count : 1;
    const size_t cells = job.lane_count * job.column_count;
    if (!joint || rng_below(rng, 3)) job.objective = new_answer(cells);
    if (joint) job.companion = new_answer(cells);
    if (rng_below(rng, 2)) job.parent = new_answer(job.lane_count * node_count);
    run_sssp(&job, asked, scene);
    for (size_t i = 0; i < job.lane_count; ++i) compare_lane(scene, &job, i);
    free(job.objective);
    free(job.companion);
    free(job.parent);
}

static void check_method(const frontier_scene *scene, const frontier_asked *asked, mcd_tree_method method)
{
    test_rng rng = {asked->seed};
    if (scene->graph->node_count == 0) return;
    for (int joint = 0; joint < 2; ++joint)
        for (int direction = 0; direction < 2; ++direction)
            for (int limited = 0; limited < 2; ++limited)
                check_sssp(scene, asked,
                           (mcd_sssp_job){.method = method,
                                          .direction = (mcd_direction)direction,
                                          .limit = limited ? 1 + rng_below(&rng, 300) : MCD_WEIGHT_MAX,
                                          .delta = rng_below(&rng, 3) ? 0 : 1 + rng_below(&rng, 90),
                                          .lane_count = limited ? 1 + rng_below(&rng, LANES) : LANES},
                           joint, &rng);
    const mcd_sssp_job alone = {
        .method = method, .limit = MCD_WEIGHT_MAX, .lane_count = 1}; /* all threads search */
    check_sssp(scene, asked, alone, rng_below(&rng, 2), &rng);
}

void frontier_check_near_far(const frontier_scene *scene, const frontier_asked *asked)
{
    check_method(scene, asked, MCD_TREE_NEAR_FAR);
}

void frontier_check_bellman_ford(const frontier_scene *scene, const frontier_asked *asked)
{
    check_method(scene, asked, MCD_TREE_BELLMAN_FORD);
}

void frontier_check_dijkstra(const frontier_scene *scene, const frontier_asked *asked)
{
    check_method(scene, asked, MCD_TREE_DIJKSTRA);
}

void frontier_check_many(const frontier_scene *scene, const frontier_asked *asked)
{
    enum { MANY = 40 };
    test_rng rng = {asked->seed};
    mcd_lane lane[MANY];
    const size_t node_count = scene->graph->node_count;
    for (size_t i = 0; i < MANY; ++i) lane[i] = draw_lane(scene, &rng, i);
    for (int joint = 0; joint < 2; ++joint) {
        const mcd_sssp_job job = {.arcs = &scene->metric[joint].arcs,
                                  .method = MCD_TREE_NEAR_FAR,
                                  .lane = lane,
                                  .lane_count = MANY,
                                  .limit = MCD_WEIGHT_MAX,
                                  .column_count = node_count,
                                  .lane_stride = node_count,
                                  .column_stride = 1,
                                  .objective = new_answer(MANY * node_count),
                                  .companion = joint ? new_answer(MANY * node_count) : NULL,
                                  .parallel = {asked->threads, NULL}};
        run_sssp(&job, asked, scene);
        for (size_t i = 0; i < MANY; ++i) compare_lane(scene, &job, i);
        free(job.objective);
        free(job.companion);
    }
}

/* ---- random graphs ---- */

static uint32_t draw_weight(test_rng *rng)
{
    const uint32_t chance = rng_below(rng, 40);
    if (chance < 8) return 0;
    if (chance == 8) return MCD_UNREACHED;
    if (chance == 9) return MCD_WEIGHT_MAX - rng_below(rng, 20);
    return rng_below(rng, chance % 2 ? 4 : 60);
}

/* arcs.cu keeps 512 bytes a node free. A copy of the arcs with one quantity takes 16 bytes each, at least. */
uint64_t frontier_memory_for_parts(const test_graph *graph)
{
    return UINT64_C(512) * graph->node_count + UINT64_C(15) * graph->arc_count;
}

test_graph frontier_generated_graph(const generate_graph *how, const char *name)
{
    test_graph graph = {.name = name, .node_count = how->node_count};
    for (uint64_t i = 0; i < how->arc_count; ++i) {
        const generate_arc arc = generate_arc_at(how, i);
        test_graph_add(&graph, arc.tail, arc.head, arc.weight, arc.tail % 7);
    }
    return graph;
}

test_graph frontier_random_graph(uint64_t seed)
{
    test_rng rng = {seed};
    const uint32_t node_count = 1 + rng_below(&rng, 60), arc_count = rng_below(&rng, 5 * node_count);
    test_graph graph = {.name = "random", .node_count = node_count};
    for (uint32_t i = 0; i < arc_count; ++i) {
        const uint32_t tail = rng_below(&rng, node_count), head = rng_below(&rng, node_count);
        const uint32_t weight = draw_weight(&rng), other = draw_weight(&rng);
        test_graph_add(&graph, tail, head, weight, other);
    }
    return graph;
}
