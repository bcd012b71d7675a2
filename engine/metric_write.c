/* metric_write.c - see metric_write.h. */
#include "engine/metric_write.h"

#include "engine/memory.h"

#include <stdio.h>

const char *const mcd_direction_name[2] = {[MCD_FORWARD] = "forward", [MCD_BACKWARD] = "backward"};

void mcd_section_name(char name[MCD_SECTION_NAME_BYTES], const char *kind, const char *of,
                      const char *direction, const char *part)
{
    snprintf(name, MCD_SECTION_NAME_BYTES, "%s.%s%s%s%s%s", kind, of, direction ? "." : "",
             direction ? direction : "", part ? "." : "", part ? part : "");
}

macadam_status mcd_write_pair_weights(mcd_edge_writer *writer, const mcd_pairs *pairs, const mcd_graph *graph,
                                      const char *quantity, const mcd_weight *weight,
                                      const mcd_parallel *parallel, macadam_error *error)
{
    mcd_weight *up, *down;
    MCD_TRY(MCD_NEW(up, pairs->count, error));
    const macadam_status status = MCD_NEW(down, pairs->count, error);
    if (status) {
        mcd_free(up);
        return status;
    }
    mcd_pairs_weigh(pairs, graph, weight, parallel, up, down);
    mcd_section_array array[] = {{"", 4, up, pairs->count}, {"", 4, down, pairs->count}};
    mcd_section_name(array[0].name, "pair_up", quantity, NULL, NULL);
    mcd_section_name(array[1].name, "pair_down", quantity, NULL, NULL);
    return mcd_edge_writer_give_all(writer, array, sizeof array / sizeof array[0], error);
}

enum { COLUMN_PARTS = 64 };

/* Part `companion` of one direction's costs, which are weights, or pairs if the metric has a companion. */
typedef struct cost_column {
    const mcd_customize_job *job;
    const void *cost;
    int direction;
    bool companion;
    mcd_weight *weight; /* [upward arcs] */
} cost_column;

static size_t up_count_of(const mcd_customize_job *job)
{
    return job->hierarchy->first_up[job->hierarchy->node_count];
}

static void fill_part(void *argument, size_t part, unsigned worker)
{
    const cost_column *const column = argument;
    const size_t count = up_count_of(column->job), end = mcd_part_first(count, part + 1, COLUMN_PARTS);
    (void)worker;
    for (size_t i = mcd_part_first(count, part, COLUMN_PARTS); i < end; ++i) {
        const size_t at = 2 * i + (size_t)column->direction;
        if (!column->job->companion)
            column->weight[i] = ((const mcd_weight *)column->cost)[at];
        else if (column->companion)
            column->weight[i] = mcd_pair_companion(((const mcd_pair *)column->cost)[at]);
        else
            column->weight[i] = mcd_pair_objective(((const mcd_pair *)column->cost)[at]);
    }
}

static macadam_status write_column(mcd_edge_writer *writer, const char *name, cost_column column,
                                   macadam_error *error)
{
    const size_t count = up_count_of(column.job);
    MCD_TRY(MCD_NEW(column.weight, count, error));
    mcd_parallel_for(&column.job->parallel, COLUMN_PARTS, fill_part, &column);
    return mcd_edge_writer_give(writer, name, 4, column.weight, count, error);
}

static macadam_status write_basic(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                  const void *cost, macadam_error *error)
{
    char name[MCD_SECTION_NAME_BYTES];
    for (int direction = 0; direction < 2; ++direction) {
        mcd_section_name(name, "basic", metric, mcd_direction_name[direction], "objective");
        MCD_TRY(write_column(writer, name, (cost_column){job, cost, direction, false, NULL}, error));
        mcd_section_name(name, "basic", metric, mcd_direction_name[direction], "companion");
        if (job->companion)
            MCD_TRY(write_column(writer, name, (cost_column){job, cost, direction, true, NULL}, error));
    }
    return MACADAM_OK;
}

enum { SEARCH_PARTS = 6 };

static void list_search(mcd_section_array array[SEARCH_PARTS], const char *metric, int direction,
                        const mcd_search *search, size_t node_count, size_t count)
{
    const struct {
        const char *name;
        size_t size;
        const void *data;
        size_t count;
    } part[SEARCH_PARTS] = {
        {"first", 8, search->first, node_count + 1}, {"head", 4, search->head, count},
        {"depth", 4, search->depth, count},          {"objective", 4, search->objective, count},
        {"companion", 4, search->companion, count},  {"halves", 8, search->halves, count},
    };
    for (size_t i = 0; i < SEARCH_PARTS; ++i) {
        array[i] = (mcd_section_array){"", part[i].size, part[i].data, part[i].count};
        mcd_section_name(array[i].name, "kept", metric, mcd_direction_name[direction], part[i].name);
    }
}

/* All arrays become the writer's, whatever is returned. */
static macadam_status give_kept(mcd_edge_writer *writer, const char *metric, size_t node_count,
                                const mcd_kept *kept, macadam_error *error)
{
    mcd_section_array array[2 * SEARCH_PARTS];
    for (int direction = 0; direction < 2; ++direction)
        list_search(array + SEARCH_PARTS * direction, metric, direction, &kept->search[direction], node_count,
                    kept->count[direction]);
    return mcd_edge_writer_give_all(writer, array, 2 * SEARCH_PARTS, error);
}

macadam_status mcd_write_metric(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                macadam_error *error)
{
    const mcd_backend *backend = mcd_cpu_backend();
    mcd_custom custom;
    mcd_kept kept;
    MCD_TRY(backend->customize(&custom, job, error));
    macadam_status status = write_basic(writer, metric, job, custom.cost, error);
    if (!status) status = backend->prune(&kept, &custom, job, error);
    mcd_custom_free(&custom);
    return status ? status : give_kept(writer, metric, job->hierarchy->node_count, &kept, error);
}
