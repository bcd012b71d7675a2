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
                                      const char *quantity, const mcd_weight *weight, macadam_error *error)
{
    mcd_weight *up = NULL, *down = NULL;
    macadam_status status = MCD_NEW(up, pairs->count, error);
    if (!status) status = MCD_NEW(down, pairs->count, error);
    if (!status) {
        char name[MCD_SECTION_NAME_BYTES];
        mcd_pairs_weigh(pairs, graph, weight, up, down);
        mcd_section_name(name, "pair_up", quantity, NULL, NULL);
        status = mcd_edge_writer_section(writer, name, 4, up, pairs->count, error);
        mcd_section_name(name, "pair_down", quantity, NULL, NULL);
        if (!status) status = mcd_edge_writer_section(writer, name, 4, down, pairs->count, error);
    }
    mcd_free(up);
    mcd_free(down);
    return status;
}

/* Part `companion` of one direction's costs, which are weights, or pairs if the metric has a companion. */
static macadam_status write_costs(mcd_edge_writer *writer, const char *name, const mcd_customize_job *job,
                                  const void *cost, int direction, bool companion, macadam_error *error)
{
    enum { CHUNK = 1 << 14 };
    mcd_weight chunk[CHUNK];
    const size_t count = job->hierarchy->first_up[job->hierarchy->node_count];
    MCD_TRY(mcd_edge_writer_begin(writer, name, 4, error));
    for (size_t first = 0; first < count; first += CHUNK) {
        const size_t part = mcd_size_min(CHUNK, count - first);
        for (size_t i = 0; i < part; ++i) {
            const size_t at = 2 * (first + i) + (size_t)direction;
            if (!job->companion)
                chunk[i] = ((const mcd_weight *)cost)[at];
            else if (companion)
                chunk[i] = mcd_pair_companion(((const mcd_pair *)cost)[at]);
            else
                chunk[i] = mcd_pair_objective(((const mcd_pair *)cost)[at]);
        }
        MCD_TRY(mcd_edge_writer_append(writer, chunk, part, error));
    }
    return mcd_edge_writer_end(writer, error);
}

static macadam_status write_basic(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                  const void *cost, macadam_error *error)
{
    char name[MCD_SECTION_NAME_BYTES];
    for (int direction = 0; direction < 2; ++direction) {
        mcd_section_name(name, "basic", metric, mcd_direction_name[direction], "objective");
        MCD_TRY(write_costs(writer, name, job, cost, direction, false, error));
        mcd_section_name(name, "basic", metric, mcd_direction_name[direction], "companion");
        if (job->companion) MCD_TRY(write_costs(writer, name, job, cost, direction, true, error));
    }
    return MACADAM_OK;
}

static macadam_status write_kept(mcd_edge_writer *writer, const char *metric, size_t node_count,
                                 const mcd_kept *kept, macadam_error *error)
{
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search *search = &kept->search[direction];
        const struct {
            const char *part;
            size_t size;
            const void *data;
            size_t count;
        } section[] = {
            {"first", 8, search->first, node_count + 1},
            {"head", 4, search->head, kept->count[direction]},
            {"depth", 4, search->depth, kept->count[direction]},
            {"objective", 4, search->objective, kept->count[direction]},
            {"companion", 4, search->companion, kept->count[direction]},
            {"halves", 8, search->halves, kept->count[direction]},
        };
        for (size_t i = 0; i < sizeof section / sizeof section[0]; ++i) {
            char name[MCD_SECTION_NAME_BYTES];
            if (!section[i].data) continue; /* no companion */
            mcd_section_name(name, "kept", metric, mcd_direction_name[direction], section[i].part);
            MCD_TRY(mcd_edge_writer_section(writer, name, section[i].size, section[i].data, section[i].count,
                                            error));
        }
    }
    return MACADAM_OK;
}

macadam_status mcd_write_metric(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                macadam_error *error)
{
    const mcd_backend *backend = mcd_cpu_backend();
    mcd_custom custom;
    mcd_kept kept = {0};
    MCD_TRY(backend->customize(&custom, job, error));
    macadam_status status = write_basic(writer, metric, job, custom.cost, error);
    if (!status) status = backend->prune(&kept, &custom, job, error);
    mcd_custom_free(&custom);
    if (!status) status = write_kept(writer, metric, job->hierarchy->node_count, &kept, error);
    mcd_kept_free(&kept);
    return status;
}
