/* dense_scene.c - see dense_scene.h. */
#include "tests/support/dense_scene.h"

#include "tests/support/checked.h"
#include "tests/support/oracle.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

#define ALWAYS UINT32_MAX
#define NEAR   (MCD_WEIGHT_MAX - 1000)
enum { PADDING = 5, FILLER = 0xa5 };

/* By size. Around the sizes of blocks and groups of all backends, sparse to complete, weights to the
 * limit. */
static const dense_kind kinds[] = {
    {"no node", 0, 0, 1, 1, 0, false, false},
    {"one node with a loop", 1, ALWAYS, 5, 5, 0, false, false},
    {"two nodes", 2, ALWAYS, 1, 9, 0, false, false},
    {"15 nodes, complete", 15, ALWAYS, 1, 100, 0, false, false},
    {"17 nodes in a circle of zeros", 17, ALWAYS / 8, 0, 0, 0, false, true},
    {"31 nodes, zeros", 31, ALWAYS / 4, 0, 3, ALWAYS / 2, false, false},
    {"33 nodes, nothing but zeros", 33, ALWAYS / 6, 0, 0, 0, false, false},
    {"64 nodes, no arc", 64, 0, 1, 1, 0, false, false},
    {"64 nodes, complete", 64, ALWAYS, 0, 1000, 0, false, true},
    {"65 nodes, near the limit", 65, ALWAYS / 9, NEAR, MCD_WEIGHT_MAX, ALWAYS / 4, false, false},
    {"96 nodes in a circle", 96, ALWAYS / 10, 1, 0x9000, 0, false, true},
    {"100 nodes apart", 100, ALWAYS / 20, 1, 50, ALWAYS / 8, true, false},
    {"128 nodes, near half the limit", 128, ALWAYS / 30, NEAR / 2, NEAR / 2 + 2000, 0, false, false},
    {"130 nodes, thin", 130, ALWAYS / 100, 1, 1000, 0, false, false},
    {"193 nodes, zeros in a circle", 193, ALWAYS / 40, 0, 2, ALWAYS / 2, false, true},
    {"257 nodes, complete and alike", 257, ALWAYS, 1, 2, 0, false, false},
    {"300 nodes apart, near the limit", 300, ALWAYS / 50, 1, MCD_WEIGHT_MAX, ALWAYS / 10, true, false},
    {"511 nodes, thin", 511, ALWAYS / 200, 0, 300, 0, false, false},
    {"530 nodes in a circle", 530, ALWAYS / 100, 1, 300, ALWAYS / 50, false, true},
    {"700 nodes, half complete", 700, ALWAYS / 2, 1, 1 << 20, 0, false, false},
    {"1100 nodes in a thin circle", 1100, ALWAYS / 500, 1, 600, ALWAYS / 100, false, true},
    {"2000 nodes, thin", 2000, ALWAYS / 400, 0, 1 << 24, ALWAYS / 100, false, false},
};
const dense_kind *const dense_kinds = kinds;

size_t dense_kinds_count(uint32_t node_max)
{
    size_t count = 0;
    while (count < sizeof kinds / sizeof *kinds && kinds[count].node_count <= node_max) ++count;
    return count;
}

/* ---- a graph ---- */

static uint32_t draw_weight(const dense_kind *kind, test_rng *rng)
{
    if (rng_next(rng) >> 32 < kind->zero_chance) return 0;
    return kind->weight_first + rng_below(rng, kind->weight_last - kind->weight_first + 1);
}

static void draw_arcs(dense_scene *scene)
{
    const dense_kind *kind = scene->kind;
    const size_t n = scene->node_count;
    test_rng rng = {n + kind->chance};
    for (size_t x = 0; x < n; ++x)
        for (size_t y = 0; y < n; ++y) {
            uint32_t *const arc = &scene->arc[x * scene->stride + y];
            *arc = MCD_UNREACHED;
            if (rng_next(&rng) >> 32 < kind->chance && !(kind->apart && x >= n / 2 && y < n / 2))
                *arc = draw_weight(kind, &rng);
            if (kind->circle && y == (x + 1) % n) *arc = kind->weight_last ? 1 + rng_below(&rng, 9) : 0;
            if (x == y) *arc = 0;
        }
}

/* The trees of all nodes, over the arcs of the matrix. */
static void grow_trees(dense_scene *scene)
{
    const size_t n = scene->node_count;
    uint32_t *const tail = checked_allocate(n * n, sizeof *tail),
                    *const head = checked_allocate(n * n, sizeof *head),
                    *const weight = checked_allocate(n * n, sizeof *weight);
    size_t count = 0;
    for (size_t x = 0; x < n; ++x)
        for (size_t y = 0; y < n; ++y) {
            if (scene->arc[x * scene->stride + y] == MCD_UNREACHED) continue;
            tail[count] = (uint32_t)x, head[count] = (uint32_t)y;
            weight[count++] = scene->arc[x * scene->stride + y];
        }
    test_oracle *oracle = oracle_new(&(oracle_arcs){n, count, tail, head, weight, NULL}, false);
    for (size_t x = 0; x < n; ++x)
        oracle_tree(oracle, (uint32_t)x, 0, scene->distance + x * scene->stride, NULL);
    oracle_free(oracle);
    free(tail), free(head), free(weight);
}

static void loop_plainly(dense_scene *scene)
{
    const size_t n = scene->node_count, stride = scene->stride;
    FREED uint64_t *const cost = checked_allocate(n * n, sizeof *cost);
    scene->via = checked_allocate(n * stride, sizeof *scene->via);
    memset(scene->via, 0xff, n * stride * sizeof *scene->via);
    for (size_t i = 0; i < n * n; ++i) cost[i] = scene->arc[i / n * stride + i % n];
    for (size_t k = 0; k < n; ++k)
        for (size_t x = 0; x < n; ++x)
            for (size_t y = 0; y < n; ++y)
                if (cost[x * n + k] + cost[k * n + y] < cost[x * n + y]) {
                    cost[x * n + y] = cost[x * n + k] + cost[k * n + y];
                    scene->via[x * stride + y] = (mcd_node)k;
                }
}

/* All reach each other within less than what 16 bits hold. */
static bool fits_narrow(const dense_scene *scene)
{
    for (size_t x = 0; x < scene->node_count; ++x)
        for (size_t y = 0; y < scene->node_count; ++y)
            if (scene->distance[x * scene->stride + y] >= MCD_NARROW_UNREACHED) return false;
    return true;
}

void dense_scene_make(dense_scene *out, const dense_kind *kind, bool via)
{
    const size_t n = kind->node_count, stride = n + PADDING;
    *out = (dense_scene){.kind = kind, .node_count = n, .stride = stride};
    out->arc = checked_allocate(n * stride, sizeof *out->arc);
    memset(out->arc, FILLER, n * stride * sizeof *out->arc);
    out->distance = checked_allocate(n * stride, sizeof *out->distance);
    draw_arcs(out);
    grow_trees(out);
    if (via) loop_plainly(out);
    out->narrow = fits_narrow(out);
}

void dense_scene_free(dense_scene *scene)
{
    free(scene->arc);
    free(scene->distance);
    free(scene->via);
}

/* ---- jobs ---- */

mcd_dense_job dense_job_new(const dense_scene *scene, bool via)
{
    const size_t bytes = scene->node_count * scene->stride * sizeof(uint32_t);
    mcd_dense_job job = {.node_count = scene->node_count, .stride = scene->stride, .parallel = {1, NULL}};
    job.cost = checked_allocate(bytes, 1);
    memcpy(job.cost, scene->arc, bytes);
    if (via) job.via = checked_allocate(bytes, 1), memset(job.via, FILLER, bytes);
    return job;
}

void dense_job_free(mcd_dense_job *job)
{
    free(job->cost);
    free(job->via);
}

/* ---- answers ---- */

static void expect_untouched(const dense_scene *scene, const uint32_t *matrix, const char *what)
{
    uint32_t filler;
    memset(&filler, FILLER, sizeof filler);
    for (size_t x = 0; x < scene->node_count; ++x)
        for (size_t y = scene->node_count; y < scene->stride; ++y)
            cr_assert_eq(matrix[x * scene->stride + y], filler, "%s, %s: written behind row %zu",
                         scene->kind->name, what, x);
}

static void expect_cells(const dense_scene *scene, const uint32_t *found, const uint32_t *right,
                         const char *cells, const char *what)
{
    for (size_t x = 0; x < scene->node_count; ++x)
        for (size_t y = 0; y < scene->node_count; ++y) {
            const size_t i = x * scene->stride + y;
            if (found[i] != right[i])
                cr_assert_fail("%s, %s: %s %zu -> %zu is %u, not %u", scene->kind->name, what, cells, x, y,
                               found[i], right[i]);
        }
    expect_untouched(scene, found, what);
}

void dense_expect_distances(const dense_scene *scene, const mcd_dense_job *job, const char *what)
{
    expect_cells(scene, job->cost, scene->distance, "distance", what);
}

void dense_expect_via(const dense_scene *scene, const mcd_dense_job *job, const char *what)
{
    expect_cells(scene, job->via, scene->via, "via", what);
}

/* A path that is being followed. */
typedef struct path_walk {
    const dense_scene *scene;
    const mcd_dense_job *job;
    uint32_t *seen; /* [node]: the last path that has it, from 1 on */
    uint32_t path;
    uint64_t cost;
    const char *what;
} path_walk;

/* From x, which is passed, to y, which is passed by this. */
static void walk(path_walk *walker, size_t x, size_t y)
{
    const dense_scene *scene = walker->scene;
    const mcd_node via = walker->job->via[x * scene->stride + y];
    if (via != MCD_NODE_NONE) {
        cr_assert(via < scene->node_count && via != x && via != y, "%s, %s: via %u from %zu to %zu",
                  scene->kind->name, walker->what, via, x, y);
        walk(walker, x, via);
        walk(walker, via, y);
        return;
    }
    const uint32_t arc = scene->arc[x * scene->stride + y];
    if (arc == MCD_UNREACHED)
        cr_assert_fail("%s, %s: no arc %zu -> %zu", scene->kind->name, walker->what, x, y);
    if (walker->seen[y] == walker->path)
        cr_assert_fail("%s, %s: a path meets %zu twice", scene->kind->name, walker->what, y);
    walker->seen[y] = walker->path;
    walker->cost += arc;
}

void dense_expect_paths(const dense_scene *scene, const mcd_dense_job *job, const char *what)
{
    path_walk walker = {.scene = scene, .job = job, .what = what};
    walker.seen = checked_zeroed(scene->node_count, sizeof *walker.seen);
    for (size_t x = 0; x < scene->node_count; ++x)
        for (size_t y = 0; y < scene->node_count; ++y) {
            const uint32_t distance = scene->distance[x * scene->stride + y];
            if (x == y || distance == MCD_COST_UNREACHED) {
                cr_assert_eq(job->via[x * scene->stride + y], MCD_NODE_NONE);
                continue;
            }
            ++walker.path, walker.cost = 0;
            walker.seen[x] = walker.path;
            walk(&walker, x, y);
            cr_assert_eq(walker.cost, distance, "%s, %s: the path %zu -> %zu does not add up",
                         scene->kind->name, what, x, y);
        }
    free(walker.seen);
}
