/* test_cuda_reach_emulated.c - reach on a device that has little memory, and with any order of threads: each
 * call gives the right answer or a status. See test_device_failures.c for devices without memory or lost. */
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/reach_answer.h"
#include "tests/support/reach_scene.h"

#include "tests/support/checked.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LANES = 70, TARGETS = 60 };

static reach_question everything(const reach_scene *s)
{
    return reach_scene_question(s, LANES, 4, TARGETS, TARGETS / 3);
}

Test(cuda_reach_emulated, order_of_threads_changes_nothing)
{
    for (size_t map = 0; map < kernel_maps_count(); map += 3) {
        SCOPED(reach_scene_free) reach_scene s;
        reach_scene_make(&s, map, "cuda");
        for (size_t lanes = 1; lanes <= LANES; lanes += LANES - 1) {
            const reach_question question = reach_scene_question(&s, lanes, 4, TARGETS, TARGETS / 3);
            SCOPED(reach_answer_free) macadam_reach right = reach_scene_expected(&s, &question);
            cuda_emulator_set_reversed(1);
            reach_scene_expect(&s, &question, &right);
            cuda_emulator_set_reversed(0);
        }
    }
}

/* Queries a device of `bytes`, and compares the answers; *calls: of the runtime. */
static macadam_status ask_within(const reach_scene *s, const reach_question *question,
                                 const macadam_reach *right, size_t bytes, size_t *calls)
{
    macadam_error error;
    SCOPED(reach_answer_free) macadam_reach found;
    cuda_emulator_set_memory(bytes);
    const size_t before = cuda_emulator_call_count();
    const macadam_status status = reach_scene_ask(s, s->metric.cuda, question, &found, &error);
    if (!status) {
        reach_answer_compare(&found, right, &question->request, "little memory");
        *calls = cuda_emulator_call_count() - before;
    }
    return status;
}

/* Runs with less and less memory, until there is not enough; then with just enough. */
Test(cuda_reach_emulated, little_memory_divides_it)
{
    enum { BYTES_MOST = 64 << 20, BYTES_NEAR = 16 << 10 };
    SCOPED(reach_scene_free) reach_scene s;
    size_t calls_least, calls;
    reach_scene_streets(&s, "cuda");
    const reach_question question = everything(&s);
    SCOPED(reach_answer_free) macadam_reach right = reach_scene_expected(&s, &question);
    size_t enough = BYTES_MOST, little = 0;
    cr_assert_eq(ask_within(&s, &question, &right, enough, &calls_least), MACADAM_OK);
    calls = calls_least;
    while (enough - little > BYTES_NEAR) {
        const size_t bytes = little ? little + (enough - little) / 2 : enough / 8 * 7;
        const macadam_status status = ask_within(&s, &question, &right, bytes, &calls);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_DEVICE);
        if (status)
            little = bytes;
        else
            enough = bytes;
    }
    cr_assert_gt(little, 0);
    cr_assert_not(s.metric.cuda->device->lost(s.metric.device));
    cr_assert_gt(calls, 3 * calls_least, "%zu calls, %zu with plenty", calls, calls_least);
    cuda_emulator_reset();
}

/* Runs trees in little memory beside that of their answers: just enough, by halves. They are equal, and take more batches. */
static void expect_narrower(const reach_scene *s, const mcd_tree_job *job, const uint32_t *right,
                            uint32_t *found)
{
    /* so little that each call looks at what is free, once the room of before is forgotten */
    enum { BYTES_MOST = 8 << 20, BYTES_NEAR = 1 << 13, FORGOTTEN_US = 150000 };
    const mcd_device_table *const device = s->metric.cuda->device;
    const size_t bytes_found = job->lane_count * job->column_count * sizeof *found;
    size_t calls_least = 0, calls = 0, little = 0;
    usleep(FORGOTTEN_US);
    for (size_t enough = BYTES_MOST, bytes = enough; enough - little > BYTES_NEAR;
         bytes = little + (enough - little) / 2) {
        macadam_error error;
        const size_t before = cuda_emulator_call_count();
        cuda_emulator_set_memory(bytes);
        const macadam_status status = s->metric.cuda->tree(job, &error);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_DEVICE, "%s", error.message);
        if (status) {
            little = bytes;
            continue;
        }
        calls = cuda_emulator_call_count() - before;
        calls_least = calls_least ? calls_least : calls;
        enough = bytes;
        FIXTURE_CALL(device->memory_read, s->metric.device, found, job->objective, bytes_found,
                     &job->parallel);
        cr_assert_eq(memcmp(found, right, bytes_found), 0);
        memset(found, 0, bytes_found);
    }
    cr_assert_gt(little, 0);
    cr_assert_gt(calls, calls_least, "%zu calls, %zu with plenty", calls, calls_least);
    cuda_emulator_reset();
}

/* Of more trees than a device has room for, all come, in narrower batches: rows, lanes for the host, and lanes that stay on the
 * device; of places of two lanes, too. */
Test(cuda_reach_emulated, little_memory_divides_trees)
{
    enum { TREES = 40 };
    SCOPED(reach_scene_free) reach_scene s;
    reach_scene_streets(&s, "cuda");
    size_t first[TREES + 1];
    const mcd_backend *const cuda = s.metric.cuda;
    const size_t nodes = s.map.graph->node_count, cells = TREES * nodes;
    for (size_t i = 0; i <= TREES; ++i) first[i] = 2 * i;
    FREED uint32_t *const right = checked_zeroed(cells, 4), *const found = checked_zeroed(cells, 4),
                          *const host = checked_zeroed(cells, 4);
    for (int lanes = 0; lanes < 2; ++lanes)
        for (int stays = 0; stays <= lanes; ++stays) {
            void *memory;
            FIXTURE_CALL(cuda->device->memory_new, &memory, s.metric.device, 0, MCD_MEMORY_DEVICE, cells * 4);
            mcd_tree_job job = {.weights = &s.metric.metric.weights,
                                .lane = s.lane,
                                .lane_count = TREES,
                                .first = first,
                                .limit = MCD_WEIGHT_MAX,
                                .as_lanes = lanes,
                                .column_count = nodes,
                                .objective = right,
                                .parallel = {1, NULL}};
            FIXTURE_CALL(cuda->tree, &job);
            job.objective = stays ? memory : host;
            expect_narrower(&s, &job, right, found);
            cuda->device->memory_free(s.metric.device, 0, MCD_MEMORY_DEVICE, memory);
        }
}
