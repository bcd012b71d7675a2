/* matrix.c - many-to-many costs.
 *
 * Method. The cost from s to t is the least sum of their labels over the ancestors that they share, which are
 * at the depths below common(s, t). Places sorted by node (a preorder) share long prefixes with their
 * neighbours. For places i < j in that order, common(i, j) is the least of the commons of the neighbours
 * between them: a range minimum. Sixteen sorted places make a panel. Two panels that lie apart share
 * common(last of the one, first of the other), limited by the depths that each member shares with the near
 * end of its panel (product.h). Panels that interleave are done member by member.
 * If places have several lanes, a group has several panels (panel.h).
 * Layout. The targets' panels are made once. A task takes 16 sources: it makes their labels, multiplies them
 * with every target panel into 16 sorted rows, and reorders the rows into the caller's order, or copies them if the
 * targets come in the order of their nodes.
 * Races. None: a task writes its own sources' rows. */
#include "kernels/cpu/device/phases.h"

#include "engine/base/watch.h"
#include "kernels/cpu/device/answer.h"
#include "kernels/cpu/sweep/label.h"
#include "kernels/cpu/pairwise/product.h"

/* ---- targets ---- */

static size_t group_count_of(size_t count)
{
    return (count + LANES - 1) / LANES;
}

static size_t group_size(size_t count, size_t group)
{
    return mcd_size_min(LANES, count - group * LANES);
}

static uint32_t panels_of_target(const mcd_matrix_targets *targets, size_t group)
{
    return (uint32_t)(targets->first_panel[group + 1] - targets->first_panel[group]);
}

static void label_target_group(void *argument, size_t group, MCD_UNUSED unsigned worker)
{
    mcd_matrix_targets *targets = argument;
    const uint32_t panel_count = panels_of_target(targets, group);
    const panel_group members = {
        .places = &targets->sorted,
        .first = group * LANES,
        .count = group_size(targets->sorted.count, group),
        .panel_count = panel_count,
        .depth_count = (uint32_t)(targets->first_row[group + 1] - targets->first_row[group]) / panel_count,
        .label = (cost *)targets->label + targets->first_row[group] * LANES,
    };
    MCD_KERNEL(panels)
    ((panel *)targets->panel + targets->first_panel[group], &members, targets->job.weights, MCD_BACKWARD);
}

static void place_slots(mcd_matrix_targets *targets)
{
    const sorted_lanes *sorted = &targets->sorted;
    const uint32_t unreached = (uint32_t)(targets->group_count * LANES); /* one slot past the sorted row */
    targets->is_sorted = true;
    for (size_t i = 0; i < targets->job.target_count; ++i) {
        targets->slot[sorted->origin[i]] = i < sorted->count ? (uint32_t)i : unreached;
        targets->is_sorted &= sorted->origin[i] == i;
    }
}

/* The depths of the longest root path of a group's lanes. */
static uint32_t deepest(const mcd_hierarchy *hierarchy, const sorted_lanes *places, size_t group)
{
    uint32_t depth_count = 0;
    for (size_t i = group * LANES, end = i + group_size(places->count, group); i < end; ++i)
        for (uint32_t k = 0; k < sorted_lane_count(places, i); ++k) {
            const mcd_node node = sorted_lane(places, i, k).seed[0].node;
            if (node != MCD_NODE_NONE && hierarchy->depth[node] >= depth_count)
                depth_count = hierarchy->depth[node] + 1;
        }
    return depth_count;
}

/* Decides where the panels and rows of each group are. */
static void place_groups(mcd_matrix_targets *targets)
{
    const sorted_lanes *const sorted = &targets->sorted;
    targets->first_panel[0] = targets->first_row[0] = 0;
    for (size_t g = 0; g < targets->group_count; ++g) {
        const uint32_t panels = sorted_lanes_most(sorted, g * LANES, group_size(sorted->count, g)),
                       depths = deepest(targets->job.weights->hierarchy, sorted, g);
        targets->first_panel[g + 1] = targets->first_panel[g] + panels;
        targets->first_row[g + 1] = targets->first_row[g] + (size_t)panels * depths;
    }
}

static macadam_status prepare(mcd_matrix_targets *targets, macadam_error *error)
{
    const mcd_matrix_job *job = &targets->job;
    cost *label;
    panel *panels;
    MCD_TRY(mcd_sorted_lanes_new(&targets->sorted, job->target, job->first, job->target_count, error));
    targets->group_count = group_count_of(targets->sorted.count);
    MCD_TRY(MCD_NEW(targets->slot, job->target_count, error));
    MCD_TRY(MCD_NEW(targets->first_panel, targets->group_count + 1, error));
    MCD_TRY(MCD_NEW(targets->first_row, targets->group_count + 1, error));
    place_slots(targets);
    place_groups(targets);
    MCD_TRY(MCD_NEW(label, targets->first_row[targets->group_count] * LANES, error));
    targets->label = label;
    MCD_TRY(MCD_NEW(panels, targets->first_panel[targets->group_count], error));
    targets->panel = panels;
    mcd_parallel_for(&job->parallel, targets->group_count, label_target_group, targets);
    return MACADAM_OK;
}

MCD_DEFINE_FREE_AT(free_at, mcd_matrix_targets, mcd_matrix_targets_free)

macadam_status MCD_KERNEL(matrix_targets_new)(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                              macadam_error *error)
{
    *out = NULL;
    MCD_FREED_BY(free_at) mcd_matrix_targets *targets = NULL;
    MCD_TRY(MCD_NEW_ZEROED(targets, 1, error));
    targets->job = *job;
    MCD_TRY(prepare(targets, error));
    return MCD_MOVE(*out, targets);
}

/* ---- commons of all places, by range minimum ---- */

/* Sources and targets merged by node, sources first among equals. */
typedef struct merged_places {
    uint32_t *source, *target; /* the i-th sorted source or target is at this merged position */
    uint32_t *least[32];       /* least[k][i]: the least common of the neighbours i - 1, i of [i, i + 2^k) */
    size_t count;
} merged_places;

/* node[i]: the node of the i-th of them all. */
static void merge(merged_places *out, const sorted_lanes *source, const sorted_lanes *target, mcd_node *node)
{
    size_t s = 0, t = 0;
    for (size_t i = 0; i < out->count; ++i) {
        const bool is_source = t == target->count || (s < source->count && source->lane[s].seed[0].node <=
                                                                               target->lane[t].seed[0].node);
        node[i] = is_source ? source->lane[s].seed[0].node : target->lane[t].seed[0].node;
        if (is_source)
            out->source[s++] = (uint32_t)i;
        else
            out->target[t++] = (uint32_t)i;
    }
}

/* merged_free() frees it, after a failure too. */
static macadam_status merged_new(merged_places *out, const mcd_hierarchy *hierarchy,
                                 const sorted_lanes *source, const sorted_lanes *target, macadam_error *error)
{
    MCD_OWNED mcd_node *node = NULL;
    *out = (merged_places){.count = source->count + target->count};
    MCD_TRY(MCD_NEW(node, out->count, error));
    MCD_TRY(MCD_NEW(out->source, source->count, error));
    MCD_TRY(MCD_NEW(out->target, target->count, error));
    MCD_TRY(MCD_NEW(out->least[0], out->count, error));
    merge(out, source, target, node);
    MCD_KERNEL(common_depths)(hierarchy, node, out->count, out->least[0]);
    for (int k = 1; (size_t)1 << k <= out->count; ++k) {
        const size_t half = (size_t)1 << (k - 1), end = out->count - 2 * half + 1;
        MCD_TRY(MCD_NEW(out->least[k], end, error));
        const uint32_t *below = out->least[k - 1];
        for (size_t i = 0; i < end; ++i)
            out->least[k][i] = below[i] < below[i + half] ? below[i] : below[i + half];
    }
    return MACADAM_OK;
}

/* The depths that the places at positions a < b share. */
static inline uint32_t merged_common(const merged_places *merged, uint32_t a, uint32_t b)
{
    const int k = 31 - __builtin_clz(b - a);
    const uint32_t x = merged->least[k][a + 1], y = merged->least[k][b + 1 - (UINT32_C(1) << k)];
    return x < y ? x : y;
}

/* ---- rows ---- */

typedef struct rows_scratch {
    cost *label;         /* [panel_count * height * 16]: the sources' panels */
    panel *panel;        /* [panel_count] */
    cost *masked;        /* [2 * height * 16] */
    uint32_t *sorted[2]; /* [16 * row_length]: objective, companion in the order of the sorted targets */
} rows_scratch;

typedef struct rows_run {
    const mcd_rows_job *job;
    sorted_lanes sources;
    merged_places merged;
    uint32_t panel_count; /* the most lanes of a source */
    size_t row_length; /* slots of a sorted row: whole groups and one that is unreached, padded to a line */
    rows_scratch *scratch; /* [worker_count] */
    size_t worker_count;
} rows_run;

/* The range of a group of sorted places among the merged ones. */
typedef struct span {
    size_t first, count; /* in its own side's order */
    uint32_t begin, end; /* merged positions of the first and the last member */
} span;

static span span_of(const uint32_t *position, size_t side_count, size_t group)
{
    const size_t first = group * LANES, count = group_size(side_count, group);
    return (span){first, count, position[first], position[first + count - 1]};
}

static void multiply_interleaved(const rows_run *run, row *cell, const panel *source, span s,
                                 const panel *target, span t)
{
    for (size_t i = 0; i < s.count; ++i) {
        const uint32_t at = run->merged.source[s.first + i];
        uint32_t limit[LANES] = {0};
        for (size_t j = 0; j < t.count; ++j) {
            const uint32_t other = run->merged.target[t.first + j];
            limit[j] =
                at < other ? merged_common(&run->merged, at, other) : merged_common(&run->merged, other, at);
        }
        MCD_KERNEL(product_member)(&cell[i], source, (uint32_t)i, target, limit);
    }
}

/* Multiplies one source panel and one target panel into the sorted rows. */
static void multiply(const rows_run *run, rows_scratch *scratch, uint32_t panel_count, span s,
                     size_t target_group)
{
    const mcd_matrix_targets *targets = run->job->targets;
    const merged_places *merged = &run->merged;
    const panel *const source = scratch->panel, *const target = (const panel *)targets->panel +
                                                                targets->first_panel[target_group];
    const span t = span_of(merged->target, targets->sorted.count, target_group);
    row cell[LANES];
    for (int i = 0; i < LANES; ++i) cell[i] = row_all(COST_UNREACHED);
    if (s.end < t.begin) MCD_KERNEL(product_apart)
    (cell, source, target, true, merged_common(merged, s.end, t.begin), scratch->masked);
    else if (t.end < s.begin) MCD_KERNEL(product_apart)(
        cell, source, target, false, merged_common(merged, t.end, s.begin), scratch->masked);
    else multiply_interleaved(run, cell, source, s, target, t);
    const uint32_t target_panels = panels_of_target(targets, target_group);
    if (panel_count > 1 || target_panels > 1) MCD_KERNEL(product_branches)
    (cell, targets->job.weights->hierarchy, source, panel_count, target, target_panels);
    for (size_t i = 0; i < s.count; ++i) {
        const size_t at = i * run->row_length + t.first;
        answer_row(cell[i], MCD_WEIGHT_MAX, run->job->raw, scratch->sorted[0] + at,
                   scratch->sorted[1] ? scratch->sorted[1] + at : NULL, line_store);
    }
}

static void reorder_row(const mcd_matrix_targets *targets, const uint32_t *sorted, uint32_t *value)
{
    const uint32_t *const slot = targets->slot;
    const size_t copied = targets->is_sorted ? targets->sorted.count : 0;
    memcpy(value, sorted, copied * sizeof *value);
    for (size_t t = copied; t < targets->job.target_count; ++t) value[t] = sorted[slot[t]];
}

static void run_source_group(void *argument, size_t group, unsigned worker)
{
    rows_run *run = argument;
    const mcd_rows_job *job = run->job;
    const mcd_weights *weights = job->targets->job.weights;
    const span s = span_of(run->merged.source, run->sources.count, group);
    rows_scratch *scratch = &run->scratch[worker];
    uint32_t *const value[2] = {job->objective, job->companion};
    const panel_group members = {
        .places = &run->sources,
        .first = s.first,
        .count = s.count,
        .panel_count = sorted_lanes_most(&run->sources, s.first, s.count),
        .depth_count = weights->hierarchy->height,
        .label = scratch->label,
    };
    MCD_KERNEL(panels)(scratch->panel, &members, weights, MCD_FORWARD);
    for (size_t t = 0; t < job->targets->group_count; ++t) multiply(run, scratch, members.panel_count, s, t);
    for (int q = 0; q < 2; ++q)
        for (size_t i = 0; value[q] && i < s.count; ++i)
            reorder_row(job->targets, scratch->sorted[q] + i * run->row_length,
                        value[q] + run->sources.origin[s.first + i] * job->stride);
}

static macadam_status allocate_rows(rows_run *run, macadam_error *error)
{
    const mcd_rows_job *job = run->job;
    const size_t height = job->targets->job.weights->hierarchy->height;
    MCD_TRY(MCD_NEW_ZEROED(run->scratch, run->worker_count, error));
    for (size_t w = 0; w < run->worker_count; ++w) {
        rows_scratch *scratch = &run->scratch[w];
        MCD_TRY(MCD_NEW(scratch->label, run->panel_count * height * LANES, error));
        MCD_TRY(MCD_NEW(scratch->panel, run->panel_count, error));
        MCD_TRY(MCD_NEW(scratch->masked, 2 * height * LANES, error));
        for (int q = 0; q < 2; ++q) {
            if (q == 1 && !job->companion) continue;
            MCD_TRY(MCD_NEW(scratch->sorted[q], LANES * run->row_length, error));
            for (size_t i = 0; i < LANES; ++i)
                scratch->sorted[q][i * run->row_length + job->targets->group_count * LANES] =
                    MCD_COST_UNREACHED;
        }
    }
    return MACADAM_OK;
}

static void free_rows(rows_run *run)
{
    for (size_t w = 0; run->scratch && w < run->worker_count; ++w)
        MCD_FREE_ALL(run->scratch[w].label, run->scratch[w].panel, run->scratch[w].masked,
                     run->scratch[w].sorted[0], run->scratch[w].sorted[1]);
    mcd_free(run->scratch);
    MCD_FREE_ALL(run->merged.source, run->merged.target);
    for (int k = 0; k < 32; ++k) mcd_free(run->merged.least[k]);
    mcd_sorted_lanes_free(&run->sources);
}

static macadam_status run_groups(rows_run *run, macadam_error *error)
{
    const mcd_rows_job *const rows = run->job;
    const mcd_matrix_job *job = &rows->targets->job;
    uint32_t *const value[2] = {rows->objective, rows->companion};
    mcd_watch watch = mcd_watch_of(&job->progress, "matrix");
    MCD_TRY(mcd_watch_for(&watch, &job->parallel, group_count_of(run->sources.count), run_source_group, run,
                          error));
    for (size_t s = run->sources.count; s < rows->source_count; ++s) /* failed */
        for (int q = 0; q < 2; ++q)
            for (size_t t = 0; value[q] && t < job->target_count; ++t)
                value[q][run->sources.origin[s] * rows->stride + t] = MCD_COST_UNREACHED;
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(matrix_rows)(const mcd_rows_job *job, macadam_error *error)
{
    const mcd_matrix_targets *targets = job->targets;
    const mcd_hierarchy *hierarchy = targets->job.weights->hierarchy;
    MCD_FREED_BY(free_rows)
    rows_run run = {.job = job,
                    .row_length = (targets->group_count + 1) * LANES,
                    .worker_count = job->source_count <= LANES ? 1 : targets->job.parallel.thread_count};
    MCD_TRY(mcd_sorted_lanes_new(&run.sources, job->source, job->first, job->source_count, error));
    run.panel_count = sorted_lanes_most(&run.sources, 0, run.sources.count);
    MCD_TRY(merged_new(&run.merged, hierarchy, &run.sources, &targets->sorted, error));
    MCD_TRY(allocate_rows(&run, error));
    return run_groups(&run, error);
}

size_t MCD_KERNEL(matrix_scratch)(const mcd_weights *weights, const mcd_matrix_size *size, size_t workers,
                                  bool joint)
{
    (void)joint; /* the width says it */
    const size_t sources = size->places[0], targets = size->places[1],
                 rows = weights->hierarchy->height * LANES * sizeof(cost), per_panel = rows + sizeof(panel);
    const size_t per_worker =
        size->lanes_most[0] * per_panel + 2 * rows + 2 * LANES * (targets + 2 * LANES) * sizeof(uint32_t);
    const size_t per_place = sizeof(mcd_lane) + 2 * sizeof(uint64_t) + 34 * sizeof(uint32_t);
    return group_count_of(targets) * (size->lanes_most[1] * per_panel + 2 * sizeof(size_t)) +
           (targets + sources) * per_place + workers * per_worker;
}
