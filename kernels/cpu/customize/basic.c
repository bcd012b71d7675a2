/* basic.c - see kernels/basic.h. */
#include "kernels/basic.h"

enum { ARCS_PER_TASK = 1 << 14 };

typedef struct spread_run {
    const mcd_weights *weights;
    const void *cost;
    const uint32_t *up;
    mcd_weight *objective[2], *companion[2]; /* by mcd_direction */
} spread_run;

static void spread_joint(const spread_run *run, size_t first, size_t end)
{
    const mcd_joint *const cost = run->cost;
    for (size_t i = first; i < end; ++i) {
        const size_t arc = run->up ? run->up[i] : i;
        for (size_t direction = 0; direction < 2; ++direction) {
            run->objective[direction][arc] = mcd_joint_objective(cost[2 * i + direction]);
            run->companion[direction][arc] = mcd_joint_companion(cost[2 * i + direction]);
        }
    }
}

static void spread_objective(const spread_run *run, size_t first, size_t end)
{
    const mcd_weight *const cost = run->cost;
    for (size_t i = first; i < end; ++i) {
        const size_t arc = run->up ? run->up[i] : i;
        for (size_t direction = 0; direction < 2; ++direction)
            run->objective[direction][arc] = cost[2 * i + direction];
    }
}

static void spread_range(void *argument, size_t first, size_t end)
{
    const spread_run *const run = argument;
    (run->weights->companion ? spread_joint : spread_objective)(run, first, end);
}

void mcd_basic_spread(mcd_weight *arrays, const mcd_weights *weights, const void *cost, const uint32_t *up,
                      size_t count, const mcd_parallel *parallel)
{
    const size_t up_count = mcd_basic_arcs(weights), words = mcd_basic_words(weights);
    spread_run run = {.weights = weights, .cost = cost, .up = up};
    for (size_t direction = 0; direction < 2; ++direction) {
        run.objective[direction] = arrays + direction * words / 2 * up_count;
        run.companion[direction] = run.objective[direction] + up_count;
    }
    mcd_parallel_for_ranges(parallel, up ? count : up_count, ARCS_PER_TASK, spread_range, &run);
}

void mcd_basic_search(mcd_weights *weights, const mcd_weight *arrays)
{
    const size_t up_count = mcd_basic_arcs(weights), words = mcd_basic_words(weights);
    weights->is_basic = true;
    for (size_t direction = 0; direction < 2; ++direction) {
        const mcd_weight *const objective = arrays + direction * words / 2 * up_count;
        weights->search[direction] =
            (mcd_search){.first = weights->hierarchy->first_up,
                         .head = weights->hierarchy->up_head,
                         .depth = weights->hierarchy->up_depth,
                         .objective = objective,
                         .companion = weights->companion ? objective + up_count : NULL};
    }
}
