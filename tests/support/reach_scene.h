/* reach_scene.h - reach on a test map, by the CUDA backend and by the CPU's. */
#ifndef MCD_TESTS_SUPPORT_REACH_SCENE_H
#define MCD_TESTS_SUPPORT_REACH_SCENE_H

#include "tests/support/cuda_metric.h"

#include "engine/include/macadam.h"

enum { REACH_SCENE_LANES = 300, REACH_SCENE_TARGETS = 2600 };

/* One map, and all that can be asked of it. */
typedef struct reach_scene {
    kernel_map map;
    cuda_metric metric;
    mcd_lane lane[REACH_SCENE_LANES];
    mcd_lane target[REACH_SCENE_TARGETS]; /* some failed, some repeated */
    uint8_t *counted;                     /* every third node is not */
    uint32_t *value;                      /* near 2^32 */
} reach_scene;

void reach_scene_make(reach_scene *out, size_t map, const char *device);
/* Of the largest map. */
void reach_scene_streets(reach_scene *out, const char *device);
void reach_scene_free(reach_scene *scene);

/* A question to a scene: `request` without places. */
typedef struct reach_question {
    mcd_direction direction;
    bool all_count, nodes; /* every node counts; arrays that need no limits are requested */
    bool several;          /* all nodes count, and every other place is of two lanes: 200 at most */
    unsigned without;      /* bit i: the i-th array of macadam_reach is not requested */
    macadam_reach_request request;
    mcd_weight limit[MACADAM_REACH_LIMITS_MAX];
    macadam_progress progress;
} reach_question;

/* Limits in no order, some of them costs of the scene; 0 and MCD_WEIGHT_MAX are among many. */
reach_question reach_scene_question(const reach_scene *scene, size_t sources, size_t limits, size_t targets,
                                    size_t nearest);

/* *out is reach_answer_free's, whatever is returned. */
macadam_status reach_scene_ask(const reach_scene *scene, const mcd_backend *with,
                               const reach_question *question, macadam_reach *out, macadam_error *error);
macadam_reach reach_scene_expected(const reach_scene *scene, const reach_question *question);
/* Asserts that the CUDA backend's answers are `expected`. */
void reach_scene_expect(const reach_scene *scene, const reach_question *question,
                        const macadam_reach *expected);

#endif
