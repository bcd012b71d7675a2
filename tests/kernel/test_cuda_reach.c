/* test_cuda_reach.c - reach of the CUDA backend has the bits of the CPU's. */
#include "tests/support/reach_answer.h"
#include "tests/support/reach_scene.h"

#include <criterion/criterion.h>

enum { LARGE = 300, LANES_OF_LARGE = 33, LANES_OF_SMALL = 130, TARGETS = 40, ALL_ANSWERS = 255 };

static void expect(const reach_scene *s, const reach_question *question)
{
    SCOPED(reach_answer_free) macadam_reach right = reach_scene_expected(s, question);
    reach_scene_expect(s, question, &right);
}

static size_t lanes_of(const reach_scene *s, size_t wanted)
{
    const size_t most = s->map.graph->node_count > LARGE ? LANES_OF_LARGE : LANES_OF_SMALL;
    return wanted < most ? wanted : most;
}

static void for_all(const char *device, size_t step, void (*claim)(const reach_scene *s))
{
    for (size_t map = 0; map < kernel_maps_count(); map += step) {
        SCOPED(reach_scene_free) reach_scene s;
        reach_scene_make(&s, map, device);
        claim(&s);
    }
}

static void by_lanes(const reach_scene *s)
{
    static const size_t counts[] = {1, 33, 64, LANES_OF_SMALL};
    for (size_t c = 0; c < sizeof counts / sizeof *counts && counts[c] <= lanes_of(s, counts[c]); ++c)
        for (int reverse = 0; reverse < 2; ++reverse) {
            reach_question question = reach_scene_question(s, counts[c], 4, TARGETS, 3);
            question.direction = reverse ? MCD_BACKWARD : MCD_FORWARD;
            expect(s, &question);
        }
}

Test(cuda_reach, of_any_lanes_is_the_processors)
{
    for_all("cuda", 1, by_lanes);
}

static void by_several(const reach_scene *s)
{
    static const size_t counts[] = {1, 3, 21, 64};
    for (size_t c = 0; c < sizeof counts / sizeof *counts && counts[c] * 3 / 2 <= lanes_of(s, LANES_OF_SMALL);
         ++c) {
        reach_question question = reach_scene_question(s, counts[c], 4, TARGETS, 3);
        question.several = question.all_count = true;
        expect(s, &question);
    }
}

Test(cuda_reach, of_places_of_several_lanes_has_their_best)
{
    for_all("cuda", 2, by_several);
    for_all("cuda:all", 7, by_several);
}

Test(cuda_reach, of_all_devices_is_that_of_one)
{
    for_all("cuda:all", 5, by_lanes);
}

static void by_limits(const reach_scene *s)
{
    static const size_t counts[] = {0, 1, 4, 5, MACADAM_REACH_LIMITS_MAX};
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; ++c) {
        reach_question question =
            reach_scene_question(s, c % 3 == 1 ? 1 : lanes_of(s, 40), counts[c / 2], 0, 0);
        question.all_count = c % 3 == 0;
        if (c % 2) question.request.value = NULL;
        expect(s, &question);
    }
}

Test(cuda_reach, any_number_of_limits_in_any_order)
{
    for_all("cuda", 1, by_limits);
}

static void by_nearest(const reach_scene *s)
{
    static const size_t counts[] = {1, TARGETS - 9, TARGETS + 9};
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; ++c) {
        reach_question question =
            reach_scene_question(s, c % 4 == 1 ? 1 : lanes_of(s, 7), 0, TARGETS, counts[c / 2]);
        question.nodes = c % 2;
        expect(s, &question);
    }
}

Test(cuda_reach, nearest_targets_are_by_cost_then_position)
{
    for_all("cuda", 1, by_nearest);
}

/* There are more targets than fit into a block, so they are sorted again and again. */
Test(cuda_reach, nearest_of_many_targets)
{
    static const size_t counts[] = {1, 300, MACADAM_REACH_NEAREST_MAX};
    SCOPED(reach_scene_free) reach_scene s;
    reach_scene_streets(&s, "cuda");
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        reach_question question = reach_scene_question(&s, 5, 0, REACH_SCENE_TARGETS, counts[c]);
        expect(&s, &question);
    }
}

/* There are more lanes than threads, so a thread has several of them. */
Test(cuda_reach, of_many_lanes)
{
    static const size_t limits[] = {0, 3, 16};
    SCOPED(reach_scene_free) reach_scene s;
    reach_scene_streets(&s, "cuda");
    for (size_t l = 0; l < sizeof limits / sizeof *limits; ++l) {
        reach_question question =
            reach_scene_question(&s, REACH_SCENE_LANES, limits[l], TARGETS, TARGETS / 2);
        expect(&s, &question);
        question.request.value = NULL;
        expect(&s, &question);
    }
}

/* Requests only each answer, and all except each. */
static void some_answers(const reach_scene *s)
{
    for (unsigned i = 0; i < 8; ++i)
        for (int alone = 0; alone < 2; ++alone) {
            reach_question question = reach_scene_question(s, lanes_of(s, 3 + i), 2, TARGETS, 5);
            question.without = alone ? ALL_ANSWERS & ~(1u << i) : 1u << i;
            expect(s, &question);
        }
}

Test(cuda_reach, any_answer_may_be_left_out)
{
    for_all("cuda", 4, some_answers);
}

static bool stop(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(cuda_reach, receiver_of_progress_may_cancel)
{
    macadam_error error;
    macadam_reach found;
    SCOPED(reach_scene_free) reach_scene s;
    reach_scene_streets(&s, "cuda:all");
    reach_question question = reach_scene_question(&s, REACH_SCENE_LANES, 4, TARGETS, 3);
    question.progress = stop;
    cr_assert_eq(reach_scene_ask(&s, s.metric.cuda, &question, &found, &error), MACADAM_E_CANCELLED);
    cr_assert_str_not_empty(error.message);
    reach_answer_free(&found);
}
