/* test_backends_reach.c - reach of every backend of this build that this processor runs, on 1 to 3 threads,
 * equals the trees' costs, summed here node by node. */
#include "tests/support/backends.h"
#include "tests/support/checked.h"
#include "tests/support/kernel_map.h"
#include "tests/support/reach_answer.h"
#include "tests/support/rng.h"

#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
    LANES_MAX = 330, /* more than one round of one thread */
    LANES_OF_LARGE = 33,
    LARGE = 5000,
    TARGETS = 40,
    LIMITS = MACADAM_REACH_LIMITS_MAX,
    FILLER = 0xab,
};

static const size_t lane_counts[] = {1, 16, 33, 100, LANES_MAX};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts };

TestSuite(reach, .init = backends_set_up, .fini = leak_expect_none);

/* ---- a map with its trees ---- */

typedef struct scene {
    kernel_map map;
    kernel_metric metric;
    size_t node_count, lane_max;
    mcd_lane lane[LANES_MAX], target[TARGETS];
    uint8_t *counted; /* every third node is not */
    uint32_t *value;
    uint32_t *tree[2]; /* [direction][lane * node_count + node] */
} scene;

/* One seed, sometimes with a cost; rarely none. */
static mcd_lane make_lane(const scene *s, test_rng *rng, size_t index, bool free)
{
    mcd_lane lane = mcd_lane_of(MCD_NODE_NONE);
    if (s->node_count == 0 || index % 16 == 5) return lane;
    lane.seed[0].node = rng_below(rng, (uint32_t)s->node_count);
    lane.seed[0].objective = free || index % 3 ? 0 : rng_below(rng, 500);
    return lane;
}

static void grow_trees(scene *s)
{
    for (int direction = 0; direction < 2; ++direction) {
        macadam_error error;
        s->tree[direction] = checked_allocate(s->lane_max * s->node_count, sizeof *s->tree[direction]);
        mcd_tree_job job = {.weights = &s->metric.weights,
                            .direction = (mcd_direction)direction,
                            .lane = s->lane,
                            .lane_count = s->lane_max,
                            .limit = MCD_WEIGHT_MAX,
                            .column_count = s->node_count,
                            .objective = s->tree[direction],
                            .parallel = {1, NULL}};
        job.scratch = mcd_allocate(backend[0]->tree_scratch(&job), 1);
        cr_assert_eq(backend[0]->tree(&job, &error), MACADAM_OK, "%s", error.message);
        mcd_free(job.scratch);
    }
}

static void scene_make(scene *s, size_t map)
{
    test_rng rng = {map + 1};
    memset(s, 0, sizeof *s);
    kernel_maps_make(&s->map, map);
    kernel_metric_make(&s->metric, &s->map, backend[0], 1, map % 2);
    s->node_count = s->map.graph->node_count;
    s->lane_max = s->node_count > LARGE ? LANES_OF_LARGE : LANES_MAX;
    s->counted = checked_allocate(s->node_count, 1);
    s->value = checked_allocate(s->node_count, sizeof *s->value);
    for (size_t v = 0; v < s->node_count; ++v) {
        s->counted[v] = v % 3 != 1;
        s->value[v] = v % 7 ? rng_below(&rng, UINT32_MAX) : UINT32_MAX;
    }
    for (size_t l = 0; l < s->lane_max; ++l) s->lane[l] = make_lane(s, &rng, l, false);
    for (size_t t = 0; t < TARGETS; ++t) s->target[t] = make_lane(s, &rng, t, true);
    for (size_t t = 1; t < TARGETS; t += 8) s->target[t] = s->target[t - 1]; /* equal costs */
    grow_trees(s);
}

static void scene_free(scene *s)
{
    free(s->counted);
    free(s->value);
    free(s->tree[0]);
    free(s->tree[1]);
    kernel_metric_free(&s->metric);
    kernel_map_free(&s->map);
}

/* ---- queries and comparisons ---- */

/* How a scene is queried: `request` without places. */
typedef struct asked {
    int direction;
    bool all_count, nodes; /* every node counts; only answers that need no limits are requested */
    macadam_reach_request request;
    mcd_weight limit[LIMITS];
} asked;

static macadam_reach expected_of(const scene *s, const asked *how)
{
    macadam_reach out = reach_answer_new(&how->request, how->nodes);
    uint32_t column[TARGETS], *cost = checked_allocate(s->node_count, sizeof *cost);
    for (size_t t = 0; t < TARGETS; ++t) column[t] = s->target[t].seed[0].node;
    for (size_t lane = 0; lane < how->request.source_count; ++lane) {
        const uint32_t *tree = s->tree[how->direction] + lane * s->node_count;
        for (size_t v = 0; v < s->node_count; ++v)
            cost[v] = how->all_count || s->counted[v] ? tree[v] : MCD_COST_UNREACHED;
        reach_answer_sum(&out, &how->request, lane, cost, s->node_count);
        reach_answer_list(&out, &how->request, lane, tree, column);
    }
    free(cost);
    return out;
}

static macadam_reach run(const scene *s, const asked *how, const mcd_backend *with, unsigned threads)
{
    macadam_error error;
    mcd_reach_job job = {.weights = &s->metric.weights,
                         .direction = (mcd_direction)how->direction,
                         .lane = s->lane,
                         .lane_count = how->request.source_count,
                         .limit = how->limit,
                         .limit_count = how->request.limit_count,
                         .counted = how->all_count ? NULL : s->counted,
                         .value = how->request.value,
                         .target = s->target,
                         .target_count = TARGETS,
                         .nearest_count = how->request.nearest_count,
                         .answer = reach_answer_new(&how->request, how->nodes),
                         .parallel = {threads, NULL}};
    job.scratch = mcd_allocate(with->reach_scratch(&job), 1);
    memset(job.scratch, FILLER, with->reach_scratch(&job));
    cr_assert_eq(with->reach(&job, &error), MACADAM_OK, "%s", error.message);
    mcd_free(job.scratch);
    return job.answer;
}

static void compare(const scene *s, const asked *how, const mcd_backend *with, unsigned threads,
                    const macadam_reach *right)
{
    char where[200];
    snprintf(where, sizeof where, "%s, %s, %u threads, direction %d, %zu lanes, %zu limits, %zu nearest",
             s->map.name, with->name, threads, how->direction, how->request.source_count,
             how->request.limit_count, how->request.nearest_count);
    SCOPED(reach_answer_free) macadam_reach found = run(s, how, with, threads);
    reach_answer_compare(&found, right, &how->request, where);
}

/* Runs one kind of query on every map, backend and number of threads. */
static void for_all(void (*ask)(asked *how, const scene *s, size_t variant), size_t variants)
{
    for (size_t map = 0; map < kernel_maps_count(); ++map) {
        SCOPED(scene_free) scene s;
        scene_make(&s, map);
        for (size_t variant = 0; variant < variants; ++variant) {
            asked how = {.nodes = true, .request = MACADAM_REACH_REQUEST_INIT};
            how.request.limit = how.limit;
            how.request.target_count = TARGETS;
            ask(&how, &s, variant);
            SCOPED(reach_answer_free) macadam_reach right = expected_of(&s, &how);
            for (size_t b = 0; b < backend_count; ++b)
                for (unsigned threads = 1; threads <= BACKEND_THREADS_MAX; ++threads)
                    compare(&s, &how, backend[b], threads, &right);
        }
    }
}

/* Limits that fall on costs, beside them, and at both ends, in no order. */
static void draw_limits(asked *how, const scene *s, size_t count)
{
    test_rng rng = {count};
    how->request.limit_count = count;
    for (size_t i = 0; i < count; ++i) {
        const size_t cells = s->lane_max * s->node_count;
        uint32_t cost = cells ? s->tree[how->direction][rng_below(&rng, (uint32_t)cells)] : 7;
        if (i % 4 == 1 && cost) --cost;
        how->limit[i] = cost > MCD_WEIGHT_MAX || i == 9 ? MCD_WEIGHT_MAX : i == 5 ? 0 : cost;
    }
}

static void by_lanes(asked *how, const scene *s, size_t variant)
{
    how->direction = variant % 2;
    how->request.source_count = mcd_size_min(lane_counts[variant / 2], s->lane_max);
    how->request.value = s->value;
    draw_limits(how, s, 4);
}

Test(reach, counts_sums_and_eccentricities_are_the_trees)
{
    for_all(by_lanes, 2 * LANE_COUNTS);
}

static void by_limits(asked *how, const scene *s, size_t variant)
{
    static const size_t counts[] = {0, 1, LIMITS, LIMITS};
    how->request.source_count = mcd_size_min(20, s->lane_max);
    how->all_count = true;
    how->request.value = variant % 2 ? s->value : NULL;
    draw_limits(how, s, counts[variant]);
}

Test(reach, any_number_of_limits_in_any_order)
{
    for_all(by_limits, 4);
}

static void by_nearest(asked *how, const scene *s, size_t variant)
{
    static const size_t counts[] = {1, 3, TARGETS, TARGETS + 9};
    how->direction = variant % 2;
    how->request.source_count = mcd_size_min(variant == 3 ? 130 : 17, s->lane_max);
    how->request.nearest_count = counts[variant];
    how->nodes = variant % 2 == 0;
    draw_limits(how, s, variant % 2 ? 0 : 2);
}

Test(reach, nearest_targets_are_the_trees_by_cost_then_position)
{
    for_all(by_nearest, 4);
}
