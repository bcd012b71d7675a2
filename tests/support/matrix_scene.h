/* matrix_scene.h - matrices of a test map, by the CUDA backend and by the CPU's. */
#ifndef MCD_TESTS_SUPPORT_MATRIX_SCENE_H
#define MCD_TESTS_SUPPORT_MATRIX_SCENE_H

#include "tests/support/cuda_metric.h"

enum { MATRIX_SCENE_SIDE = 300, MATRIX_SCENE_LANES = 2 * MATRIX_SCENE_SIDE, MATRIX_SCENE_MODES = 3 };

/* One map, and one way to request it: weights of the objective only, or pairs, with the companion requested or not. */
typedef struct matrix_scene {
    kernel_map map;
    cuda_metric metric;
    bool joint;
    mcd_lane source[MATRIX_SCENE_LANES], target[MATRIX_SCENE_LANES];
    /* Of devices: places of one lane or two, and ways that compete, one a row. */
    bool several, raw;
    size_t first[2][MATRIX_SCENE_SIDE + 1]; /* by side */
    mcd_road_way way[MATRIX_SCENE_SIDE];
    bool as_nodes; /* likewise: jobs have these instead of lanes */
    mcd_node node[2][MATRIX_SCENE_LANES];
} matrix_scene;

void matrix_scene_make(matrix_scene *out, size_t map, int mode, const char *device);
/* Of the largest map. */
void matrix_scene_streets(matrix_scene *out, const char *device, int mode);
/* Lets its places have several lanes; if `raw`, answers are, too. */
void matrix_scene_make_several(matrix_scene *scene, bool raw);
/* Makes each place one node without costs, and gives devices the nodes. */
void matrix_scene_make_nodes(matrix_scene *scene);
/* Puts the places of both sides in the order of their nodes. */
void matrix_scene_sort(matrix_scene *scene);
void matrix_scene_free(matrix_scene *scene);

/* Rows and columns; unless `dense`, rows lie a few words apart, which stay as they were. */
typedef struct matrix_scene_shape {
    size_t sources, targets;
    bool dense;
} matrix_scene_shape;

/* In words, with what lies between the rows. */
size_t matrix_scene_cells(matrix_scene_shape shape);

mcd_matrix_job matrix_scene_job(const matrix_scene *scene, matrix_scene_shape shape);

/* Asks for many rows in two calls, and for none in the first one otherwise. value[q] may be NULL. */
macadam_status matrix_scene_ask(const matrix_scene *scene, const mcd_backend *with, const mcd_matrix_job *job,
                                matrix_scene_shape shape, uint32_t *const value[2], macadam_error *error);

/* Memory for the answers, filled with what none is; value[1] is NULL unless companions are requested. */
void matrix_scene_values(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *value[2]);
void matrix_scene_values_free(uint32_t *value[2]);
/* The same with the CPU's answers; of several lanes, those of its answers by lanes. */
void matrix_scene_expected(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *value[2]);
/* Asserts that the two are equal, where `value` is not NULL. */
void matrix_scene_expect(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *const value[2],
                         uint32_t *const expected[2]);

#endif
