/* clock_table.c - approximate durations by the clock: of lanes to nodes, by labels over sampled travel times.
 *
 * Method. The label of a lane is one instant for each depth of the elimination tree: its upward arcs are evaluated at the
 * instant of their lower end. The label of a column is a vector of samples for each depth, from there down to the node. A cell
 * is the least over the depths that both share of the column's time at the lane's instant, after that instant. Lanes are sorted by
 * node, so that the depths shared with a column fall from its place to either side, by the least of those that
 * neighbours share.
 * Layout. panel[group][depth][16]: instants of 16 lanes. A label of a column is [depth] samples with slopes. Columns are sorted,
 * too, because the arcs of neighbours' labels are mostly the same. Arrivals are [column][group][16] until all are known.
 * Races. None: a task writes its own group or its own column. */
#include "kernels/clock.h"
#include "kernels/cpu/customize/samples.h"
#include "kernels/cpu/device/phases.h"
#include "kernels/cpu/sweep/label.h"

#include "engine/base/sort.h"

typedef struct column_buffer {
    sloped *label;   /* [height] */
    uint32_t *most;  /* [height] the highest sample of each */
    uint32_t *limit; /* [lanes, up to whole groups] how many depths the lane shares with the column */
} column_buffer;

typedef struct table_run {
    const mcd_clock_table_job *job;
    const mcd_hierarchy *hierarchy; /* the job's */
    uint64_t *lane, *column;        /* [lane_count], [column_count] node and lane or column, ascending */
    size_t lane_count, group_count;
    uint32_t *common; /* [lane_count] the depths that a lane shares with the one before */
    uint32_t *panel, *arrival;
    column_buffer *buffer; /* per worker */
} table_run;

static mcd_node node_of(const table_run *run, size_t lane)
{
    return (mcd_node)(run->lane[lane] >> 32);
}

static uint32_t units_of(const table_run *run, uint64_t ms)
{
    const uint32_t step_ms = run->job->samples->step_ms;
    return (uint32_t)((ms * STEP_UNITS + step_ms / 2) / step_ms);
}

/* Returns when a lane starts, in units since the window's begin. */
static uint32_t start_of(const table_run *run, uint32_t lane)
{
    return units_of(run, (run->job->instant[lane] + MCD_WEEK_MS - run->job->samples->begin) % MCD_WEEK_MS);
}

/* ---- lanes ---- */

static macadam_status sort_all(table_run *run, mcd_watch *watch, macadam_error *error)
{
    const mcd_clock_table_job *const job = run->job;
    MCD_OWNED uint64_t *scratch = NULL;
    MCD_TRY(MCD_NEW(run->lane, job->row_count, error));
    MCD_TRY(MCD_NEW(run->column, job->column_count, error));
    MCD_TRY(MCD_NEW(scratch, mcd_size_max(job->row_count, job->column_count), error));
    for (size_t i = 0; i < job->row_count; ++i) {
        const mcd_node node = job->lane[job->row[i]].seed[0].node;
        if (node != MCD_NODE_NONE) run->lane[run->lane_count++] = (uint64_t)node << 32 | job->row[i];
    }
    for (size_t c = 0; c < job->column_count; ++c) run->column[c] = (uint64_t)job->column[c] << 32 | c;
    MCD_TRY(mcd_sort_bits(run->lane, scratch, run->lane_count, 32, 64, watch, error));
    MCD_TRY(mcd_sort_bits(run->column, scratch, job->column_count, 32, 64, watch, error));
    run->group_count = (run->lane_count + LANES - 1) / LANES;
    MCD_TRY(MCD_NEW(run->common, run->lane_count, error));
    for (size_t i = 1; i < run->lane_count; ++i)
        run->common[i] = MCD_KERNEL(common_depth)(run->hierarchy, node_of(run, i - 1), node_of(run, i));
    return MACADAM_OK;
}

/* at[depth * LANES]: the label of a lane. */
static void label_lane(const table_run *run, uint32_t lane, uint32_t *at)
{
    const mcd_clock_table_job *const job = run->job;
    const mcd_hierarchy *const hierarchy = run->hierarchy;
    const mcd_seed *const seed = job->lane[lane].seed;
    const uint32_t start = start_of(run, lane);
    for (int i = 0; i < MCD_SEEDS_MAX && seed[i].node != MCD_NODE_NONE; ++i) {
        uint32_t *const to = &at[(size_t)hierarchy->depth[seed[i].node] * LANES];
        const uint32_t instant = start + units_of(run, seed[i].objective);
        if (instant < *to) *to = instant;
    }
    for (mcd_node x = seed[0].node; x != MCD_NODE_NONE; x = hierarchy->parent[x]) {
        const uint32_t instant = at[(size_t)hierarchy->depth[x] * LANES];
        for (mcd_arc up = hierarchy->first_up[x]; up < hierarchy->first_up[x + 1]; ++up) {
            uint32_t *const to = &at[(size_t)hierarchy->depth[hierarchy->up_head[up]] * LANES];
            if (instant + job->samples->least[MCD_FORWARD][up] >= *to) continue;
            const uint32_t then =
                instant + samples_time(job->samples->time[MCD_FORWARD] + up * MCD_SAMPLES, instant);
            if (then < *to) *to = then;
        }
    }
}

static void label_lanes(void *argument, size_t group, MCD_UNUSED unsigned worker)
{
    const table_run *const run = argument;
    uint32_t *const panel = run->panel + group * run->hierarchy->height * LANES;
    for (size_t i = 0; i < (size_t)run->hierarchy->height * LANES; ++i) panel[i] = SAMPLES_NEVER;
    for (size_t i = group * LANES; i < mcd_size_min((group + 1) * LANES, run->lane_count); ++i)
        label_lane(run, (uint32_t)run->lane[i], panel + i % LANES);
}

/* ---- columns ---- */

static void label_column(const table_run *run, mcd_node node, const column_buffer *buffer)
{
    const mcd_hierarchy *const hierarchy = run->hierarchy;
    const mcd_clock_samples *const from = run->job->samples;
    for (uint32_t d = 0; d <= hierarchy->depth[node]; ++d) {
        buffer->most[d] = d < hierarchy->depth[node] ? SAMPLES_NEVER : 0;
        EACH_SAMPLE_VEC(i) buffer->label[d].time.vec[i] = vec_all(buffer->most[d]);
    }
    for (mcd_node x = node; x != MCD_NODE_NONE; x = hierarchy->parent[x]) {
        sloped *const below = &buffer->label[hierarchy->depth[x]];
        sloped_of(below, (const uint32_t *)&below->time);
        const uint32_t least = samples_least(&below->time);
        for (mcd_arc up = hierarchy->first_up[x]; up < hierarchy->first_up[x + 1]; ++up) {
            const uint32_t d = hierarchy->depth[hierarchy->up_head[up]];
            if (from->least[MCD_BACKWARD][up] + least >= buffer->most[d]) continue;
            const samples down = samples_load(from->time[MCD_BACKWARD] + up * MCD_SAMPLES);
            buffer->most[d] = samples_relax((uint32_t *)&buffer->label[d].time, &down, below);
        }
    }
}

/* limit[i]: the depths that lane i shares with a column. */
static void limit_lanes(const table_run *run, mcd_node node, uint32_t *limit)
{
    size_t low = 0;
    while (low < run->lane_count && node_of(run, low) < node) ++low;
    if (low < run->lane_count) limit[low] = MCD_KERNEL(common_depth)(run->hierarchy, node, node_of(run, low));
    for (size_t i = low + 1; i < run->lane_count; ++i)
        limit[i] = limit[i - 1] < run->common[i] ? limit[i - 1] : run->common[i];
    if (low > 0) limit[low - 1] = MCD_KERNEL(common_depth)(run->hierarchy, node_of(run, low - 1), node);
    for (size_t i = low; i-- > 1;) limit[i - 1] = limit[i] < run->common[i] ? limit[i] : run->common[i];
    for (size_t i = run->lane_count; i < run->group_count * LANES; ++i) limit[i] = 0;
}

/* Returns the arrivals of a group's lanes at the column. */
static row meet(const table_run *run, size_t group, const column_buffer *buffer)
{
    const uint32_t *const panel = run->panel + group * run->hierarchy->height * LANES;
    const row limit = row_load(buffer->limit + group * LANES);
    row best = row_all(SAMPLES_NEVER);
    uint32_t end = 0;
    for (int i = 0; i < LANES; ++i)
        if (buffer->limit[group * LANES + (size_t)i] > end) end = buffer->limit[group * LANES + (size_t)i];
    for (uint32_t d = 0; d < end; ++d) EACH_VEC(i)
        {
            const vec at = ((const vec *)(panel + (size_t)d * LANES))[i],
                      hidden = (vec)(limit.vec[i] <= vec_all(d)) & vec_all(SAMPLES_NEVER);
            best.vec[i] = vec_min(best.vec[i], (at + sloped_at(&buffer->label[d], at)) | hidden);
        }
    return best;
}

static void compute_column(void *argument, size_t c, unsigned worker)
{
    const table_run *const run = argument;
    const column_buffer *const buffer = &run->buffer[worker];
    const mcd_node node = (mcd_node)(run->column[c] >> 32);
    label_column(run, node, buffer);
    limit_lanes(run, node, buffer->limit);
    for (size_t group = 0; group < run->group_count; ++group)
        row_store(run->arrival + (c * run->group_count + group) * LANES, meet(run, group, buffer));
}

/* Writes the cells of a group that are known now. */
static void write_group(void *argument, size_t group, MCD_UNUSED unsigned worker)
{
    const table_run *const run = argument;
    const mcd_clock_table_job *const job = run->job;
    const size_t first = group * LANES, count = mcd_size_min(LANES, run->lane_count - first);
    uint32_t start[LANES];
    for (size_t i = 0; i < count; ++i) start[i] = start_of(run, (uint32_t)run->lane[first + i]);
    for (size_t c = 0; c < job->column_count; ++c)
        for (size_t i = 0; i < count; ++i) {
            const uint32_t at = run->arrival[(c * run->group_count + group) * LANES + i];
            uint32_t *const cell = &job->objective[(uint32_t)run->lane[first + i] * job->column_count +
                                                   (uint32_t)run->column[c]];
            if (*cell != MCD_CELL_OPEN || (at > LAST_INSTANT && at < SAMPLES_NEVER && !job->is_last))
                continue;
            const uint64_t ms =
                ((uint64_t)(at - start[i]) * job->samples->step_ms + STEP_UNITS / 2) / STEP_UNITS;
            *cell = at < SAMPLES_NEVER && ms < MCD_UNREACHED ? (uint32_t)ms : MCD_UNREACHED;
        }
}

/* ---- the whole ---- */

static macadam_status run_all(table_run *run, macadam_error *error)
{
    const mcd_clock_table_job *const job = run->job;
    const size_t height = run->hierarchy->height;
    mcd_watch watch = mcd_watch_of(&job->progress, "approximate cells");
    MCD_TRY(sort_all(run, &watch, error));
    MCD_TRY(MCD_NEW(run->panel, run->group_count * height * LANES, error));
    MCD_TRY(MCD_NEW(run->arrival, job->column_count * run->group_count * LANES, error));
    for (size_t w = 0; w < job->parallel.thread_count; ++w) {
        MCD_TRY(MCD_NEW(run->buffer[w].label, height, error));
        MCD_TRY(MCD_NEW(run->buffer[w].most, height, error));
        MCD_TRY(MCD_NEW(run->buffer[w].limit, run->group_count * LANES, error));
    }
    MCD_TRY(mcd_watch_for(&watch, &job->parallel, run->group_count, label_lanes, run, error));
    MCD_TRY(mcd_watch_for(&watch, &job->parallel, job->column_count, compute_column, run, error));
    return mcd_watch_for(&watch, &job->parallel, run->group_count, write_group, run, error);
}

macadam_status MCD_KERNEL(clock_table)(const mcd_clock_table_job *job, macadam_error *error)
{
    table_run run = {.job = job, .hierarchy = job->hierarchy};
    macadam_status status = MCD_NEW_ZEROED(run.buffer, job->parallel.thread_count, error);
    for (size_t i = 0; i < job->row_count; ++i)
        if (job->lane[job->row[i]].seed[0].node == MCD_NODE_NONE)
            for (size_t c = 0; c < job->column_count; ++c)
                job->objective[job->row[i] * job->column_count + c] = MCD_UNREACHED;
    if (!status) status = run_all(&run, error);
    for (size_t w = 0; run.buffer && w < job->parallel.thread_count; ++w)
        MCD_FREE_ALL(run.buffer[w].label, run.buffer[w].most, run.buffer[w].limit);
    MCD_FREE_ALL(run.buffer, run.lane, run.column, run.common, run.panel, run.arrival);
    return status;
}
