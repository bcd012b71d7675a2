/* clock_scene.c - see clock_scene.h. */
#include "tests/support/clock_scene.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"
#include "engine/map/graph.h"
#include "kernels/clock.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { LANES = 5, FILLER = 0x5b, PATTERNS_MAX = 12, SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

static_assert(ORACLE_UNREACHED == MCD_COST_UNREACHED && ORACLE_UNREACHED == MCD_NODE_NONE &&
                  ORACLE_COST_END == MCD_UNREACHED,
              "answers are compared with the oracle's");

/* ---- scenes ---- */

static uint32_t draw_own(test_rng *rng)
{
    const uint32_t chance = rng_below(rng, 40);
    if (chance < 5) return 0;
    if (chance == 5) return MCD_UNREACHED;
    if (chance == 6) return MCD_WEIGHT_MAX - rng_below(rng, 20);
    if (chance == 7) return rng_below(rng, 3 * 24 * HOUR);
    if (chance < 14) return 15 * MINUTE + rng_below(rng, HOUR);
    return rng_below(rng, chance % 2 ? 10 * MINUTE : 10);
}

test_graph clock_random_graph(uint64_t seed)
{
    test_rng rng = {seed};
    const uint32_t node_count = 1 + rng_below(&rng, 60), arc_count = rng_below(&rng, 5 * node_count);
    test_graph graph = {.name = "random", .node_count = node_count};
    for (uint32_t i = 0; i < arc_count; ++i) {
        const uint32_t tail = rng_below(&rng, node_count), head = rng_below(&rng, node_count);
        const uint32_t own = draw_own(&rng),
                       companion = rng_below(&rng, 20) ? rng_below(&rng, 6) : MCD_WEIGHT_MAX;
        test_graph_add(&graph, tail, head, own, companion);
    }
    return graph;
}

/* Standstill, crawling, single open slots, nights, random speeds down to a tenth. */
static uint8_t draw_rate(test_rng *rng, uint32_t kind, uint32_t slot)
{
    switch (kind % 6) {
    case 0:
        return (uint8_t)(25 + rng_below(rng, 231));
    case 1:
        return rng_below(rng, 2) ? 0 : 255;
    case 2:
        return (uint8_t)(1 + rng_below(rng, 30));
    case 3:
        return 0;
    case 4:
        return slot / 30 % 2 ? 0 : 255;
    default:
        return 255;
    }
}

static void add_patterns(clock_scene *scene, test_rng *rng)
{
    mcd_patterns *patterns = &scene->arcs.patterns;
    const uint32_t slot_count = rng_below(rng, 2) ? 672 : 2016, count = 1 + rng_below(rng, PATTERNS_MAX);
    scene->rate = checked_allocate(count, slot_count);
    for (uint32_t p = 0; p < count; ++p) {
        for (uint32_t slot = 0; slot < slot_count; ++slot)
            scene->rate[p * slot_count + slot] = draw_rate(rng, p, slot);
        scene->rate[p * slot_count + rng_below(rng, slot_count)] = 255;
    }
    *patterns = (mcd_patterns){scene->rate, count, slot_count};
    scene->week = clock_oracle_week_make(scene->rate, count, slot_count);
}

static void add_records(clock_scene *scene)
{
    const mcd_graph *graph = scene->graph;
    for (int direction = 0; direction < 2; ++direction)
        scene->record[direction] = checked_allocate(graph->arc_count, sizeof *scene->record[0]);
    scene->companion_in = checked_allocate(graph->arc_count, sizeof *scene->companion_in);
    for (uint32_t i = 0; i < graph->arc_count; ++i) {
        const uint32_t arc = graph->in_arc[i];
        scene->companion_in[i] = scene->companion[arc];
        scene->record[MCD_FORWARD][i] =
            (mcd_clock_arc){graph->head[i], scene->own[i], scene->price[i], scene->pattern[i]};
        scene->record[MCD_BACKWARD][i] =
            (mcd_clock_arc){scene->tail[arc], scene->own[arc], scene->price[arc], scene->pattern[arc]};
    }
    scene->arcs.arc[MCD_FORWARD] = scene->record[MCD_FORWARD];
    scene->arcs.arc[MCD_BACKWARD] = scene->record[MCD_BACKWARD];
    scene->arcs.companion[MCD_FORWARD] = scene->companion;
    scene->arcs.companion[MCD_BACKWARD] = scene->companion_in;
}

static mcd_weight mean_of(const clock_scene *scene)
{
    uint64_t sum = 0, count = 1;
    for (uint32_t arc = 0; arc < scene->graph->arc_count; ++arc) {
        if (scene->own[arc] == MCD_UNREACHED) continue;
        sum += scene->own[arc];
        ++count;
    }
    return (mcd_weight)(sum / count + 1);
}

void clock_scene_make(clock_scene *out, const test_graph *graph, uint64_t seed)
{
    test_rng rng = {seed};
    const mcd_node node_count = (mcd_node)graph->node_count;
    FREED mcd_node *id_of = checked_allocate(node_count, sizeof *id_of);
    uint32_t *map_arc, **const fact[] = {&out->tail, &out->own, &out->price, &out->pattern, &out->companion};
    macadam_error error;
    *out = (clock_scene){0};
    for (mcd_node v = 0; v < node_count; ++v) id_of[v] = v;
    cr_assert_eq(mcd_graph_new(&out->graph, &map_arc, node_count, graph->tail, graph->head, graph->arc_count,
                               id_of, NULL, NULL, &error),
                 MACADAM_OK, "%s", error.message);
    add_patterns(out, &rng);
    for (int i = 0; i < 5; ++i) *fact[i] = checked_allocate(graph->arc_count, sizeof **fact[i]);
    for (size_t arc = 0; arc < graph->arc_count; ++arc) {
        const uint32_t price = rng_below(&rng, 10);
        out->tail[arc] = graph->tail[map_arc[arc]];
        out->own[arc] = graph->weight[0][map_arc[arc]];
        out->companion[arc] = graph->weight[1][map_arc[arc]];
        out->price[arc] = price > 2 ? 0 : price == 0 ? rng_below(&rng, HOUR) : rng_below(&rng, 20 * SECOND);
        out->pattern[arc] = rng_below(&rng, 3) ? 1 + rng_below(&rng, out->arcs.patterns.pattern_count) : 0;
    }
    mcd_free(map_arc);
    add_records(out);
    out->arcs.graph = out->graph;
    out->arcs.own_mean = mean_of(out);
}

void clock_scene_free(clock_scene *scene)
{
    clock_oracle_week_free(&scene->week);
    mcd_graph_free(scene->graph);
    void *const array[] = {scene->tail,      scene->own,       scene->price,
                           scene->pattern,   scene->companion, scene->rate,
                           scene->record[0], scene->record[1], scene->companion_in};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; ++i) free(array[i]);
}

/* ---- checks ---- */

static mcd_lane draw_lane(const clock_scene *scene, test_rng *rng, size_t index)
{
    mcd_lane lane = {{{MCD_NODE_NONE, 0, 0}, {MCD_NODE_NONE, 0, 0}}};
    if (index == 1) return lane;
    const uint32_t count = index % 2 ? 1 : 1 + rng_below(rng, MCD_SEEDS_MAX - 1);
    for (uint32_t s = 0; s < count; ++s)
        lane.seed[s] = (mcd_seed){rng_below(rng, scene->graph->node_count),
                                  index == 0 ? 0 : rng_below(rng, 5 * MINUTE), rng_below(rng, 40)};
    lane.seed[count].node = MCD_NODE_NONE;
    return lane;
}

static uint32_t draw_instant(const clock_scene *scene, test_rng *rng)
{
    const uint32_t slot_count = scene->arcs.patterns.slot_count;
    switch (rng_below(rng, 4)) {
    case 0:
        return MCD_WEEK_MS - 1 - rng_below(rng, 10 * MINUTE);
    case 1:
        return rng_below(rng, slot_count) * (MCD_WEEK_MS / slot_count);
    case 2:
        return rng_below(rng, 10 * MINUTE);
    default:
        return rng_below(rng, MCD_WEEK_MS);
    }
}

static void expect_row(const mcd_clock_job *job, const char *quantity, size_t lane, const uint32_t *value,
                       const uint32_t *right)
{
    if (!value) return;
    for (size_t i = 0; i < job->tree.column_count; ++i) {
        const uint32_t node = job->tree.column ? job->tree.column[i] : (uint32_t)i,
                       found = value[lane * job->tree.lane_stride + i * job->tree.column_stride];
        if (found != right[node])
            cr_assert(false, "direction %d, limit %u, lane %zu at %u, %s of node %u: %u instead of %u",
                      (int)job->tree.direction, job->tree.limit, lane, job->instant[lane], quantity, node,
                      found, right[node]);
    }
}

static void expect_parents(const mcd_clock_job *job, size_t lane, const uint32_t *right)
{
    const size_t node_count = job->arcs->graph->node_count;
    for (size_t node = 0; node < node_count; ++node)
        if (job->tree.parent[lane * node_count + node] != right[node])
            cr_assert(false, "direction %d, limit %u, lane %zu, node %zu: parent %u instead of %u",
                      (int)job->tree.direction, job->tree.limit, lane, node,
                      job->tree.parent[lane * node_count + node], right[node]);
}

static void compare_lane(const clock_scene *scene, const mcd_clock_job *job, size_t lane)
{
    const mcd_graph *graph = scene->graph;
    const bool reverse = job->tree.direction == MCD_BACKWARD;
    const clock_oracle_arcs arcs = {graph->node_count, graph->arc_count, scene->tail,    graph->head,
                                    scene->own,        scene->price,     scene->pattern, scene->companion};
    FREED uint32_t *objective = checked_allocate(graph->node_count, sizeof *objective);
    FREED uint32_t *whole =
        checked_allocate(graph->node_count, sizeof *whole); /* also if companions are saturated */
    FREED uint32_t *companion = checked_allocate(graph->node_count, sizeof *companion);
    FREED uint32_t *parent = checked_allocate(graph->node_count, sizeof *parent);
    FREED uint32_t *weight = checked_allocate(graph->arc_count, sizeof *weight);
    oracle_seed seed[MCD_SEEDS_MAX];
    const uint32_t seed_count = mcd_lane_seed_count(&job->tree.lane[lane]);
    for (uint32_t i = 0; i < seed_count; ++i) {
        const mcd_seed *from = &job->tree.lane[lane].seed[i];
        seed[i] = (oracle_seed){from->node, from->objective, from->companion};
    }
    clock_oracle_tree(&arcs, &scene->week, seed, seed_count, job->instant[lane], reverse, job->tree.limit,
                      whole, NULL);
    clock_oracle_tree(&arcs, &scene->week, seed, seed_count, job->instant[lane], reverse, job->tree.limit,
                      objective, job->tree.companion ? companion : NULL);
    expect_row(job, "objective", lane, job->tree.objective, job->tree.raw ? whole : objective);
    expect_row(job, "companion", lane, job->tree.companion, companion);
    if (!job->tree.parent) return;
    clock_oracle_weights(&arcs, &scene->week, objective, job->instant[lane], reverse, weight);
    const oracle_arcs tight = {
        graph->node_count, graph->arc_count, scene->tail,
        graph->head,       weight,           job->tree.companion ? scene->companion : NULL};
    frontier_oracle_parents(&tight, seed, seed_count, reverse, objective,
                            job->tree.companion ? companion : NULL, parent);
    expect_parents(job, lane, parent);
}

static uint32_t *new_answer(size_t count)
{
    return memset(checked_allocate(count, sizeof(uint32_t)), FILLER, count * sizeof(uint32_t));
}

static void run(mcd_clock_job *job, const mcd_backend *backend)
{
    macadam_error error;
    const size_t bytes = backend->clock_scratch(job);
    job->tree.scratch = memset(mcd_allocate(bytes, 1), FILLER, bytes);
    cr_assert_eq(backend->clock(job, &error), MACADAM_OK, "%s", error.message);
    mcd_free(job->tree.scratch);
}

static void check_job(const clock_scene *scene, const mcd_backend *backend, mcd_clock_job job, bool joint,
                      test_rng *rng)
{
    const uint32_t node_count = scene->graph->node_count;
    mcd_lane lane[LANES];
    uint32_t instant[LANES];
    FREED mcd_node *column = checked_allocate(2 * (size_t)node_count, sizeof *column);
    for (size_t i = 0; i < job.tree.lane_count; ++i) {
        lane[i] = draw_lane(scene, rng, i);
        instant[i] = draw_instant(scene, rng);
    }
    job.arcs = &scene->arcs;
    job.tree.lane = lane;
    job.instant = instant;
    job.tree.column_count = node_count;
    if (rng_below(rng, 2)) {
        job.tree.column_count = 1 + rng_below(rng, rng_below(rng, 2) ? 2 : 2 * node_count);
        for (size_t i = 0; i < job.tree.column_count; ++i) column[i] = rng_below(rng, node_count);
        job.tree.column = column;
    }
    const bool as_lanes = rng_below(rng, 2);
    job.tree.lane_stride = as_lanes ? 1 : job.tree.column_count;
    job.tree.column_stride = as_lanes ? job.tree.lane_count : 1;
    const size_t cells = job.tree.lane_count * job.tree.column_count;
    FREED uint32_t *objective = !joint || rng_below(rng, 3) ? new_answer(cells) : NULL;
    FREED uint32_t *companion = joint ? new_answer(cells) : NULL;
    const bool wants_parents = rng_below(rng, 2) && !backend->device; /* the host finds them */
    FREED uint32_t *parent = wants_parents ? new_answer(job.tree.lane_count * node_count) : NULL;
    job.tree.objective = objective;
    job.tree.companion = companion;
    job.tree.parent = parent;
    run(&job, backend);
    for (size_t i = 0; i < job.tree.lane_count; ++i) compare_lane(scene, &job, i);
}

void clock_check(const clock_scene *scene, const mcd_backend *backend, unsigned threads, uint64_t seed)
{
    test_rng rng = {seed};
    for (int i = 0; i < 8; ++i) {
        const bool joint = i & 1, is_limited = i & 4;
        check_job(
            scene, backend,
            (mcd_clock_job){.tree = {.direction = i & 2 ? MCD_BACKWARD : MCD_FORWARD,
                                     .limit = is_limited ? 1 + rng_below(&rng, 3 * HOUR) : MCD_WEIGHT_MAX,
                                     .raw = rng_below(&rng, 2),
                                     .lane_count = is_limited ? 1 + rng_below(&rng, LANES) : LANES,
                                     .parallel = {threads, NULL}}},
            joint, &rng);
    }
}
