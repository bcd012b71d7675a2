/* route_scene.h - pairs on a test map, and routes between them by the CUDA backend and by the CPU's. */
#ifndef MCD_TESTS_SUPPORT_ROUTE_SCENE_H
#define MCD_TESTS_SUPPORT_ROUTE_SCENE_H

#include "tests/support/cuda_metric.h"

/* Modes: weights of the objective only, or pairs, with the companion requested or not. */
enum { ROUTE_MODES = 3, ROUTE_MODE_COMPANION = 2 };

typedef struct route_scene {
    kernel_map map;
    cuda_metric metric;
    bool joint; /* the companion is requested */
    size_t count;
    mcd_lane *source, *target; /* [count] */
    uint64_t *number;          /* [arc_count] route_scene_number_of; NULL: jobs have no numbers */
} route_scene;

/* The index-th of the kernel maps. */
void route_scene_make(route_scene *out, size_t map, int mode, const char *device);
/* A path of nodes that are eliminated one after the other: as high as it is long. */
void route_scene_make_tall(route_scene *out, int mode);
void route_scene_free(route_scene *scene);

/* Replaces the pairs by `count` others. */
void route_scene_set_pairs(route_scene *scene, size_t count);
/* The pairs become what the interface makes of places: one seed without costs. */
void route_scene_make_plain(route_scene *scene);

/* From now on, jobs have the numbers of arcs. */
void route_scene_number(route_scene *scene);

/* A backend's answers. */
typedef struct route_answers {
    uint32_t *objective, *companion;
    mcd_path *path;                /* copies; NULL: only costs */
    size_t count, taken, numbered; /* `numbered`: how many of those taken came as numbers */
    size_t refused_at; /* the pair whose path is refused with E_CANCELLED "refused"; SIZE_MAX: none */
} route_answers;

route_answers route_answers_make(const route_scene *scene, bool paths);
void route_answers_free(route_answers *answers);
macadam_status route_answers_ask(route_answers *answers, const route_scene *scene, const mcd_backend *with,
                                 macadam_error *error);
/* The CPU's. */
route_answers route_answers_of_host(const route_scene *scene, bool paths);

void route_scene_expect_equal(const route_scene *scene, const route_answers *cuda, const route_answers *host);
/* The CUDA backend answers as the CPU does. */
void route_scene_expect(const route_scene *scene, bool paths);

#endif
