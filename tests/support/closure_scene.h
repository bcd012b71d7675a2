/* closure_scene.h - graphs without cycles, by level, and what a search reaches from each of their nodes. */
#ifndef MCD_TESTS_SUPPORT_CLOSURE_SCENE_H
#define MCD_TESTS_SUPPORT_CLOSURE_SCENE_H

#include "kernels/backend.h"

typedef struct closure_scene {
    const char *name;
    uint32_t component_count, level_count;
    size_t column_count, stride; /* the stride is beyond the columns' words */
    uint32_t *level_first, *head, *column;
    mcd_arc *first_out;
    uint8_t *reached; /* [component * component_count + other] */
} closure_scene;

size_t closure_kinds_count(void);
void closure_scene_make(closure_scene *out, size_t kind);
void closure_scene_free(closure_scene *scene);

/* A job over filled rows; the rest of it, with the device, is the caller's to set. */
mcd_closure_job closure_job_new(const closure_scene *scene);
void closure_job_free(mcd_closure_job *job);

/* Asserts that each bit is right, and that nothing was written behind the rows. */
void closure_expect(const closure_scene *scene, const mcd_closure_job *job, const char *what);

#endif
