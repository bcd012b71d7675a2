/* metric_write.c - see metric_write.h. */
#include "engine/prepare/metric_write.h"

#include "engine/base/memory.h"

macadam_status mcd_write_couple_weights(mcd_edge_writer *writer, const mcd_couples *couples,
                                        const mcd_graph *graph, const char *quantity,
                                        const mcd_weight *weight, const mcd_parallel *parallel,
                                        macadam_error *error)
{
    mcd_weight *up, *down;
    MCD_TRY(MCD_NEW(up, couples->count, error));
    const macadam_status status = MCD_NEW(down, couples->count, error);
    if (status) {
        mcd_free(up);
        return status;
    }
    mcd_couples_weigh(couples, graph, weight, parallel, up, down);
    mcd_counts counts = {{0}};
    counts.of[MCD_PER_COUPLE] = couples->count;
    const mcd_selector selector = {.group = MCD_GROUP_COUPLE_WEIGHTS, .of = quantity};
    return mcd_sections_give(writer, &selector, &counts, &(mcd_couple_weights){up, down}, error);
}

enum { BASIC_PARTS = 64 };

/* One metric's costs: weights, or joint costs if it has a companion. */
typedef struct basic_run {
    const void *cost;
    size_t up_count;
    mcd_weight *objective[2], *companion[2]; /* [up_count] by direction; companions are NULL without one */
} basic_run;

static void split_weights(const basic_run *run, size_t first, size_t end)
{
    const mcd_weight *const cost = run->cost;
    for (size_t up = first; up < end; ++up)
        for (size_t direction = 0; direction < 2; ++direction)
            run->objective[direction][up] = cost[2 * up + direction];
}

static void split_joint(const basic_run *run, size_t first, size_t end)
{
    const mcd_joint *const cost = run->cost;
    for (size_t up = first; up < end; ++up)
        for (size_t direction = 0; direction < 2; ++direction) {
            run->objective[direction][up] = mcd_joint_objective(cost[2 * up + direction]);
            run->companion[direction][up] = mcd_joint_companion(cost[2 * up + direction]);
        }
}

static void split_part(void *argument, size_t part, unsigned worker)
{
    const basic_run *const run = argument;
    (void)worker;
    (run->companion[0] ? split_joint : split_weights)(run, mcd_part_first(run->up_count, part, BASIC_PARTS),
                                                      mcd_part_first(run->up_count, part + 1, BASIC_PARTS));
}

/* Gives the arrays of a group, both directions, to the writer, which takes them over whatever it returns. */
static macadam_status give_both(mcd_edge_writer *writer, mcd_group group, const char *metric,
                                const mcd_counts counts[2], const void *const structure[2],
                                macadam_error *error)
{
    const mcd_selector forward = {.group = group, .of = metric, .direction = MCD_FORWARD},
                       backward = {.group = group, .of = metric, .direction = MCD_BACKWARD};
    const macadam_status status = mcd_sections_give(writer, &forward, &counts[0], structure[0], error),
                         second = mcd_sections_give(writer, &backward, &counts[1], structure[1],
                                                    status ? NULL : error);
    return status ? status : second;
}

static macadam_status write_basic(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                  const void *cost, macadam_error *error)
{
    const size_t up_count = job->hierarchy->first_up[job->hierarchy->node_count];
    basic_run run = {.cost = cost, .up_count = up_count};
    macadam_status status = MACADAM_OK;
    for (int direction = 0; direction < 2; ++direction) {
        if (!status) status = MCD_NEW(run.objective[direction], up_count, error);
        if (!status && job->companion) status = MCD_NEW(run.companion[direction], up_count, error);
    }
    for (int direction = 0; status && direction < 2; ++direction) {
        mcd_free(run.objective[direction]);
        mcd_free(run.companion[direction]);
    }
    if (status) return status;
    mcd_parallel_for(&job->parallel, BASIC_PARTS, split_part, &run);
    mcd_counts counts[2] = {0};
    counts[0].of[MCD_PER_UP_ARC] = counts[1].of[MCD_PER_UP_ARC] = up_count;
    const mcd_basic forward = {run.objective[0], run.companion[0]},
                    backward = {run.objective[1], run.companion[1]};
    return give_both(writer, MCD_GROUP_BASIC, metric, counts, (const void *[]){&forward, &backward}, error);
}

/* Gives a group of the kept arcs: the children, or all other arrays. */
static macadam_status give_kept(mcd_edge_writer *writer, mcd_group group, const char *metric,
                                size_t node_count, const mcd_kept *kept, macadam_error *error)
{
    mcd_counts counts[2] = {0};
    for (int direction = 0; direction < 2; ++direction) {
        counts[direction].of[MCD_PER_NODE_END] = node_count + 1;
        counts[direction].of[MCD_PER_KEPT_ARC] = kept->count[direction];
    }
    return give_both(writer, group, metric, counts, (const void *[]){&kept->search[0], &kept->search[1]},
                     error);
}

/* Gives arrays as soon as they are made, so that they are written while the rest is made. */
static macadam_status write_kept(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                 mcd_custom *custom, macadam_error *error)
{
    const mcd_backend *backend = mcd_cpu_backend();
    mcd_kept kept;
    MCD_TRY(backend->prune(&kept, custom, job, error));
    MCD_TRY(give_kept(writer, MCD_GROUP_KEPT, metric, job->hierarchy->node_count, &kept, error));
    for (int direction = 0; direction < 2; ++direction) kept.search[direction] = (mcd_search){0};
    const macadam_status status = backend->name_children(&kept, custom, job, error);
    if (!status)
        return give_kept(writer, MCD_GROUP_CHILDREN, metric, job->hierarchy->node_count, &kept, error);
    mcd_kept_free(&kept);
    return status;
}

macadam_status mcd_write_metric(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                macadam_error *error)
{
    mcd_custom custom;
    MCD_TRY(mcd_cpu_backend()->customize(&custom, job, error));
    macadam_status status = write_basic(writer, metric, job, custom.cost, error);
    if (!status) status = write_kept(writer, metric, job, &custom, error);
    mcd_custom_free(&custom);
    return status;
}
