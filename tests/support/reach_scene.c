/* reach_scene.c - see reach_scene.h. */
#include "tests/support/reach_scene.h"

#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/reach_answer.h"

#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

static mcd_lane make_target(const reach_scene *scene, test_rng *rng, size_t index)
{
    const mcd_node node_count = scene->map.graph->node_count;
    mcd_lane lane = mcd_lane_of(MCD_NODE_NONE);
    if (index % 8 == 1) return scene->target[index - 1]; /* equal costs, or both failed */
    if (node_count > 0 && index % 16 != 6) lane.seed[0].node = rng_below(rng, node_count);
    return lane;
}

void reach_scene_make(reach_scene *out, size_t map, const char *device)
{
    test_rng rng = {map + 3};
    kernel_maps_make(&out->map, map);
    cuda_metric_make(&out->metric, &out->map, device, map % 2);
    const size_t nodes = out->map.graph->node_count;
    out->counted = checked_allocate(nodes, sizeof *out->counted);
    out->value = checked_allocate(nodes, sizeof *out->value);
    for (size_t v = 0; v < nodes; ++v) {
        out->counted[v] = v % 3 != 1;
        out->value[v] = v % 7 ? UINT32_MAX - rng_below(&rng, 1000) : rng_below(&rng, 9);
    }
    for (size_t l = 0; l < REACH_SCENE_LANES; ++l) out->lane[l] = kernel_map_lane(&out->map, &rng, l);
    for (size_t t = 0; t < REACH_SCENE_TARGETS; ++t) out->target[t] = make_target(out, &rng, t);
}

void reach_scene_streets(reach_scene *out, const char *device)
{
    enum { LARGEST = 1 }; /* of the maps behind the hostile graphs */
    reach_scene_make(out, graphs_count() + LARGEST, device);
}

void reach_scene_free(reach_scene *scene)
{
    free(scene->counted);
    free(scene->value);
    cuda_metric_free(&scene->metric);
    kernel_map_free(&scene->map);
}

/* The cost of some pair; MCD_UNREACHED may be among them. */
static mcd_weight some_cost(const reach_scene *scene, mcd_direction direction, test_rng *rng)
{
    const mcd_lane *lane = &scene->lane[rng_below(rng, REACH_SCENE_LANES)];
    const mcd_lane *target = &scene->target[rng_below(rng, REACH_SCENE_TARGETS)];
    macadam_error error;
    uint32_t cost;
    const mcd_route_job job = {.weights = &scene->metric.metric.weights,
                               .source = direction == MCD_FORWARD ? lane : target,
                               .target = direction == MCD_FORWARD ? target : lane,
                               .count = 1,
                               .objective = &cost,
                               .parallel = {1, NULL}};
    cr_assert_eq(mcd_cpu_backend()->route(&job, &error), MACADAM_OK, "%s", error.message);
    return cost;
}

reach_question reach_scene_question(const reach_scene *scene, size_t sources, size_t limits, size_t targets,
                                    size_t nearest)
{
    test_rng rng = {sources + limits};
    reach_question out = {.nodes = true, .request = MACADAM_REACH_REQUEST_INIT};
    out.direction = (sources + limits) % 2 ? MCD_BACKWARD : MCD_FORWARD;
    out.request.source_count = sources;
    out.request.limit_count = limits;
    out.request.value = scene->value;
    out.request.target_count = targets;
    out.request.nearest_count = nearest;
    for (size_t i = 0; i < limits; ++i) {
        const uint32_t cost = some_cost(scene, out.direction, &rng);
        out.limit[i] = cost > MCD_WEIGHT_MAX || i == 3 ? MCD_WEIGHT_MAX : i == 5 ? 0 : cost;
        if (i % 4 == 1 && out.limit[i]) --out.limit[i];
    }
    return out;
}

static void drop(macadam_reach *answer, unsigned without)
{
    static const size_t at[] = {
        offsetof(macadam_reach, node_count),    offsetof(macadam_reach, value_sum),
        offsetof(macadam_reach, reached),       offsetof(macadam_reach, eccentricity),
        offsetof(macadam_reach, nearest_found), offsetof(macadam_reach, nearest_position),
        offsetof(macadam_reach, nearest_cost),  offsetof(macadam_reach, cost_sum)};
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        FREED void *array = NULL;
        if (!(without >> i & 1)) continue;
        memcpy(&array, (char *)answer + at[i], sizeof array);
        memset((char *)answer + at[i], 0, sizeof array);
    }
}

/* Place i has the lanes from this one on. */
static size_t first_lane(size_t i)
{
    return i + i / 2;
}

macadam_status reach_scene_ask(const reach_scene *scene, const mcd_backend *with,
                               const reach_question *question, macadam_reach *out, macadam_error *error)
{
    size_t first[REACH_SCENE_LANES];
    *out = reach_answer_new(&question->request, question->nodes);
    drop(out, question->without);
    for (size_t i = 0; i < REACH_SCENE_LANES; ++i) first[i] = first_lane(i);
    mcd_reach_job job = {.weights = &scene->metric.metric.weights,
                         .direction = question->direction,
                         .lane = scene->lane,
                         .lane_count = question->request.source_count,
                         .first = question->several ? first : NULL,
                         .limit = question->limit,
                         .limit_count = question->request.limit_count,
                         .counted = question->all_count ? NULL : scene->counted,
                         .value = question->request.value,
                         .target = question->several ? scene->lane : scene->target,
                         .target_first = question->several ? first : NULL,
                         .target_count = question->request.target_count,
                         .nearest_count = question->request.nearest_count,
                         .answer = *out,
                         .parallel = {2, NULL},
                         .progress = {question->progress, NULL}};
    const size_t scratch_bytes = with->reach_scratch(&job);
    if (scratch_bytes > 0) job.scratch = checked_allocate(scratch_bytes / 64 + 2, 64);
    FREED void *const scratch = job.scratch;
    job.scratch = (void *)(((uintptr_t)scratch + 63) / 64 * 64);
    const macadam_status status = with->reach(&job, error);
    return status;
}

/* The cost of the t-th target, from those of all nodes. */
static uint32_t cost_to(const reach_scene *scene, const uint32_t *cost, size_t t)
{
    uint32_t best = MACADAM_UNREACHED;
    for (size_t l = first_lane(t); l < first_lane(t + 1); ++l)
        for (uint32_t s = 0; s < mcd_lane_seed_count(&scene->lane[l]); ++s) {
            const mcd_seed *const seed = &scene->lane[l].seed[s];
            const uint64_t sum = (uint64_t)cost[seed->node] + seed->objective;
            if (sum <= MCD_WEIGHT_MAX && sum < best) best = (uint32_t)sum;
        }
    return best;
}

/* By the least costs of each place's lanes. */
static macadam_reach expected_of_several(const reach_scene *scene, const reach_question *question)
{
    const size_t nodes = scene->map.graph->node_count, count = question->request.source_count;
    FREED uint32_t *const cost = checked_allocate(first_lane(count) * nodes, sizeof *cost);
    macadam_reach_request request = question->request;
    macadam_reach out = reach_answer_new(&request, question->nodes);
    uint32_t to[REACH_SCENE_TARGETS], column[REACH_SCENE_TARGETS];
    mcd_tree_job job = {.weights = &scene->metric.metric.weights,
                        .direction = question->direction,
                        .lane = scene->lane,
                        .lane_count = first_lane(count),
                        .limit = MCD_WEIGHT_MAX,
                        .column_count = nodes,
                        .objective = cost,
                        .parallel = {1, NULL}};
    FREED void *const scratch = checked_allocate(mcd_cpu_backend()->tree_scratch(&job) / 64 + 2, 64);
    job.scratch = (void *)(((uintptr_t)scratch + 63) / 64 * 64);
    FIXTURE_CALL(mcd_cpu_backend()->tree, &job);
    request.limit = question->limit;
    for (size_t i = 0; i < count; ++i) {
        uint32_t *const row = cost + first_lane(i) * nodes;
        for (size_t v = 0; first_lane(i + 1) - first_lane(i) == 2 && v < nodes; ++v)
            row[v] = row[nodes + v] < row[v] ? row[nodes + v] : row[v];
        reach_answer_sum(&out, &request, i, row, nodes);
        for (size_t t = 0; t < request.target_count; ++t)
            column[t] = (uint32_t)t, to[t] = cost_to(scene, row, t);
        reach_answer_list(&out, &request, i, to, column);
    }
    return out;
}

macadam_reach reach_scene_expected(const reach_scene *scene, const reach_question *question)
{
    macadam_reach out;
    if (question->several) return expected_of_several(scene, question);
    FIXTURE_CALL(reach_scene_ask, scene, mcd_cpu_backend(), question, &out);
    return out;
}

void reach_scene_expect(const reach_scene *scene, const reach_question *question,
                        const macadam_reach *expected)
{
    char where[200];
    SCOPED(reach_answer_free) macadam_reach found;
    FIXTURE_CALL(reach_scene_ask, scene, scene->metric.cuda, question, &found);
    snprintf(where, sizeof where, "%s, direction %d, %zu lanes, %zu limits, %zu nearest of %zu, without %x",
             scene->map.name, (int)question->direction, question->request.source_count,
             question->request.limit_count, question->request.nearest_count, question->request.target_count,
             question->without);
    reach_answer_compare(&found, expected, &question->request, where);
}
