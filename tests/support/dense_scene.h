/* dense_scene.h - directed graphs as dense matrices, and the oracles of their closed matrices: repeated
 * Dijkstra, the plain triple loop, and paths followed node by node. */
#ifndef MCD_TESTS_SUPPORT_DENSE_SCENE_H
#define MCD_TESTS_SUPPORT_DENSE_SCENE_H

#include "kernels/backend.h"

/* A random graph: each of node_count^2 arcs, loops too, exists with probability `chance` in 2^32. */
typedef struct dense_kind {
    const char *name;
    uint32_t node_count, chance;
    uint32_t weight_first, weight_last; /* at random between */
    uint32_t zero_chance;               /* of 2^32: a weight is 0 instead */
    bool apart;                         /* the upper half of the nodes never leads to the lower one */
    bool circle; /* arcs x -> x + 1 of weight 1 to 9 as well: all nodes reach each other */
} dense_kind;

/* Kinds of at most `node_max` nodes are those below the index returned. */
size_t dense_kinds_count(uint32_t node_max);
extern const dense_kind *const dense_kinds;

typedef struct dense_scene {
    const dense_kind *kind;
    size_t node_count, stride; /* the stride is beyond the node count */
    uint32_t *arc;             /* [x * stride + y]: as a job begins */
    uint32_t *distance;        /* [x * stride + y]: by Dijkstra */
    mcd_node *via;             /* by the plain triple loop; NULL if it was not requested */
    bool narrow;               /* 16 bits do */
} dense_scene;

void dense_scene_make(dense_scene *out, const dense_kind *kind, bool via);
void dense_scene_free(dense_scene *scene);

/* A job over copies of the scene's matrix, filled behind the rows; dense_job_free. The rest of it, with the
 * device, is the caller's to set. */
mcd_dense_job dense_job_new(const dense_scene *scene, bool via);
void dense_job_free(mcd_dense_job *job);

/* Assert that a job's answer is the scene's, and that nothing was written behind the rows. */
void dense_expect_distances(const dense_scene *scene, const mcd_dense_job *job, const char *what);
void dense_expect_via(const dense_scene *scene, const mcd_dense_job *job, const char *what);
/* Every path exists, adds up and repeats no node. */
void dense_expect_paths(const dense_scene *scene, const mcd_dense_job *job, const char *what);

#endif
