/* metric_write.c - see metric_write.h. */
#include "engine/prepare/metric_write.h"

#include "kernels/basic.h"

/* Gives a group of the kept arcs, the children or all other arrays, to the writer, which takes over both directions whatever it
 * returns. */
static macadam_status give_kept(mcd_edge_writer *writer, mcd_group group, const char *metric,
                                size_t node_count, const mcd_kept *kept, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_selector selector = {.group = group, .of = metric, .direction = (mcd_direction)direction};
        const mcd_counts counts = {
            .of = {[MCD_PER_NODE_END] = node_count + 1, [MCD_PER_KEPT_ARC] = kept->count[direction]}};
        const macadam_status given = mcd_sections_write(writer, &selector, &counts, &kept->search[direction],
                                                        true, status ? NULL : error);
        if (!status) status = given;
    }
    return status;
}

static macadam_status give_basic(mcd_edge_writer *writer, const char *metric, const mcd_custom *custom,
                                 const mcd_customize_job *job, macadam_error *error)
{
    const mcd_weights weights = {.hierarchy = job->hierarchy, .companion = job->companion};
    const size_t count = mcd_basic_words(&weights) * mcd_basic_arcs(&weights);
    mcd_weight *arrays;
    MCD_TRY(MCD_NEW(arrays, count, error));
    mcd_basic_spread(arrays, &weights, custom->cost, NULL, 0, &job->parallel);
    return mcd_sections_write_basic(writer, metric, arrays, count, job->objective, job->companion,
                                    job->graph->arc_count, error);
}

/* Gives arrays as soon as they are made, so that they are written while the rest is made. */
macadam_status mcd_write_metric(mcd_edge_writer *writer, const char *metric, bool has_basic,
                                const mcd_customize_job *job, macadam_error *error)
{
    MCD_FREED_BY(mcd_custom_free) mcd_custom custom = {0};
    const mcd_backend *backend = mcd_cpu_backend();
    MCD_TRY(backend->customize(&custom, job, error));
    if (has_basic) MCD_TRY(give_basic(writer, metric, &custom, job, error));
    MCD_FREED_BY(mcd_kept_free) mcd_kept kept = {0};
    MCD_TRY(backend->prune(&kept, &custom, job, error));
    const macadam_status status =
        give_kept(writer, MCD_GROUP_KEPT, metric, job->hierarchy->node_count, &kept, error);
    for (int direction = 0; direction < 2; ++direction) kept.search[direction] = (mcd_search){0};
    MCD_TRY(status);
    MCD_TRY(backend->name_children(&kept, &custom, job, error));
    const mcd_kept children = kept;
    mcd_clear(&kept, sizeof kept);
    return give_kept(writer, MCD_GROUP_CHILDREN, metric, job->hierarchy->node_count, &children, error);
}

macadam_status mcd_write_compact_weights(mcd_edge_writer *writer, const char *quantity,
                                         const mcd_weight *weight, size_t arc_count, const uint32_t *original,
                                         const mcd_opposites *opposites, const mcd_parallel *parallel,
                                         macadam_error *error)
{
    const mcd_selector selector = {.group = MCD_GROUP_COMPACT_WEIGHT, .of = quantity};
    const mcd_counts counts = {.of = {[MCD_PER_ARC] = arc_count}};
    MCD_OWNED mcd_weight *packed = NULL;
    mcd_weight *given;
    MCD_TRY(MCD_NEW(packed, arc_count, error));
    MCD_TRY(mcd_weights_convert((mcd_weight *)weight /* only read */, packed, true, arc_count, original,
                                opposites, parallel, error));
    MCD_MOVE(given, packed);
    return mcd_sections_write(writer, &selector, &counts, &given, true, error);
}
