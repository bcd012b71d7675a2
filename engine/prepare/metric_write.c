/* metric_write.c - see metric_write.h. */
#include "engine/prepare/metric_write.h"

#include "engine/base/memory.h"

#include <stdio.h>

const char *const mcd_direction_name[2] = {[MCD_FORWARD] = "forward", [MCD_BACKWARD] = "backward"};

void mcd_section_name(char name[MCD_SECTION_NAME_BYTES], const char *kind, const char *of,
                      const char *direction, const char *part)
{
    snprintf(name, MCD_SECTION_NAME_BYTES, "%s.%s%s%s%s%s", kind, of, direction ? "." : "",
             direction ? direction : "", part ? "." : "", part ? part : "");
}

/* Of one direction of a metric; of a quantity, without `direction`. */
static mcd_section_array section_of(const char *kind, const char *of, const char *direction, const char *part,
                                    size_t element_size, const void *data, size_t count)
{
    mcd_section_array section = {"", element_size, data, count};
    mcd_section_name(section.name, kind, of, direction, part);
    return section;
}

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
    const mcd_section_array array[] = {
        section_of("pair_up", quantity, NULL, NULL, 4, up, couples->count),
        section_of("pair_down", quantity, NULL, NULL, 4, down, couples->count)};
    return mcd_edge_writer_give_all(writer, array, sizeof array / sizeof array[0], error);
}

enum { BASIC_PARTS = 64, COLUMNS = 4 };

/* One metric's costs: weights, or joint costs if it has a companion. */
typedef struct basic_run {
    const void *cost;
    size_t up_count;
    mcd_weight *objective[2], *companion[2]; /* [up_count] by direction; companions: NULL without */
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

static macadam_status write_basic(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                  const void *cost, macadam_error *error)
{
    const size_t up_count = job->hierarchy->first_up[job->hierarchy->node_count];
    basic_run run = {.cost = cost, .up_count = up_count};
    mcd_section_array array[COLUMNS];
    macadam_status status = MACADAM_OK;
    for (int direction = 0; direction < 2; ++direction) {
        if (!status) status = MCD_NEW(run.objective[direction], up_count, error);
        if (!status && job->companion) status = MCD_NEW(run.companion[direction], up_count, error);
        const char *const name = mcd_direction_name[direction];
        array[2 * direction] =
            section_of("basic", metric, name, "objective", 4, run.objective[direction], up_count);
        array[2 * direction + 1] =
            section_of("basic", metric, name, "companion", 4, run.companion[direction], up_count);
    }
    if (status) {
        for (int i = 0; i < COLUMNS; ++i) mcd_free((void *)array[i].data);
        return status;
    }
    mcd_parallel_for(&job->parallel, BASIC_PARTS, split_part, &run);
    return mcd_edge_writer_give_all(writer, array, COLUMNS, error);
}

/* All arrays but the children become the writer's, whatever is returned. */
static macadam_status give_kept(mcd_edge_writer *writer, const char *metric, size_t node_count,
                                const mcd_kept *kept, macadam_error *error)
{
    enum { PARTS = 5 };
    mcd_section_array array[2 * PARTS];
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search *const search = &kept->search[direction];
        const size_t count = kept->count[direction];
        const char *const name = mcd_direction_name[direction];
        mcd_section_array *const given = array + PARTS * direction;
        given[0] = section_of("kept", metric, name, "first", 8, search->first, node_count + 1);
        given[1] = section_of("kept", metric, name, "head", 4, search->head, count);
        given[2] = section_of("kept", metric, name, "depth", 4, search->depth, count);
        given[3] = section_of("kept", metric, name, "objective", 4, search->objective, count);
        given[4] = section_of("kept", metric, name, "companion", 4, search->companion, count);
    }
    return mcd_edge_writer_give_all(writer, array, 2 * PARTS, error);
}

static macadam_status give_children(mcd_edge_writer *writer, const char *metric, const mcd_kept *kept,
                                    macadam_error *error)
{
    mcd_section_array array[2];
    for (int direction = 0; direction < 2; ++direction)
        array[direction] = section_of("kept", metric, mcd_direction_name[direction], "halves", 8,
                                      kept->search[direction].children, kept->count[direction]);
    return mcd_edge_writer_give_all(writer, array, 2, error);
}

/* What is made is given at once, to be written while the rest is made. */
static macadam_status write_kept(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                 mcd_custom *custom, macadam_error *error)
{
    const mcd_backend *backend = mcd_cpu_backend();
    mcd_kept kept;
    MCD_TRY(backend->prune(&kept, custom, job, error));
    MCD_TRY(give_kept(writer, metric, job->hierarchy->node_count, &kept, error));
    for (int direction = 0; direction < 2; ++direction) kept.search[direction] = (mcd_search){0};
    const macadam_status status = backend->name_children(&kept, custom, job, error);
    if (!status) return give_children(writer, metric, &kept, error);
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
