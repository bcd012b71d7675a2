/* clock_samples.c - customization with travel times at the departures of a window.
 *
 * Method. As customize.c: from the bottom up, each node y relaxes its lower triangles, with vectors of samples in the place of
 * weights and the link of samples.h in the place of addition. A triangle that cannot lower any sample is skipped: the
 * least times of both arcs are known, and the highest one that they could lower.
 * Samples of input arcs. From the exact times half a step before and after, and one and a half: so neither side of a slot's
 * border counts more. The first sample is the time half a step after, because no way departs before. An arc that is
 * unreached once counts as closed.
 * Races. None: a node writes its own arcs and reads only those of finished nodes. */
#include "kernels/cpu/customize/customize.h"
#include "kernels/cpu/customize/samples.h"

#include "engine/base/watch.h"
#include "kernels/clock.h"

/* One row by depth and direction: y's arcs while they are gathered. */
typedef struct row_buffer {
    uint32_t *time; /* [2 * height][MCD_SAMPLES] */
    uint32_t *most; /* [2 * height] the highest of each */
} row_buffer;

/* An exact time: in which slot of the week, and how much of it remains. */
typedef struct sample_point {
    uint32_t instant;
    mcd_clock_moment moment;
} sample_point;

typedef struct samples_run {
    const mcd_samples_job *job;
    const mcd_schedule *schedule;
    const mcd_arc *first_up;
    mcd_clock_samples out;
    sample_point point[MCD_SAMPLES];
    uint64_t units_per_ms; /* times 2^32 */
    row_buffer *buffer;    /* per worker */
    uint32_t level;
    size_t task_count;
} samples_run;

/* ---- input arcs ---- */

static void place_points(samples_run *run)
{
    const mcd_samples_job *const job = run->job;
    run->units_per_ms = (UINT64_C(1) << (STEP_BITS + 32)) / job->step_ms;
    for (uint64_t i = 0; i < MCD_SAMPLES; ++i) {
        const uint32_t instant = (uint32_t)((job->begin + i * job->step_ms + job->step_ms / 2) % MCD_WEEK_MS);
        run->point[i] =
            (sample_point){instant, mcd_clock_moment_of(&job->arcs->patterns, instant, MCD_FORWARD)};
    }
}

static mcd_weight exact_time(const samples_run *run, const mcd_clock_arc *arc, const sample_point *point)
{
    const mcd_patterns *const patterns = &run->job->arcs->patterns;
    const uint32_t rate = arc->pattern ? mcd_clock_rate(patterns, arc->pattern, point->moment.slot) : 0;
    return mcd_clock_cost_in_slot(patterns, arc, point->instant, point->moment.left, rate, MCD_FORWARD);
}

/* Returns twice the sample between the times before[1] and after[0], of two before and two after: their mean, less an
 * eighth of the bend of all four, which interpolation would add. */
static uint64_t twice_sample(const uint32_t *before, const uint32_t *after, uint32_t step_ms)
{
    const uint64_t inner = (uint64_t)before[1] + after[0], outer = (uint64_t)before[0] + after[1];
    uint32_t least = UINT32_MAX, most = 0;
    for (int i = 0; i < 4; ++i) {
        const uint32_t time = i < 2 ? before[i] : after[i - 2];
        least = time < least ? time : least;
        most = time > most ? time : most;
    }
    return most / 4 <= least && most - least <= step_ms ? (5 * inner - outer) / 4 : inner;
}

/* Lowers the samples at `to` to those of an input arc. */
static void lower_to_input(const samples_run *run, uint32_t *to, const mcd_clock_arc *arc)
{
    const uint64_t scale = run->units_per_ms, half = UINT64_C(1) << 32;
    /* [i + 2] half a step after sample i; the first and the last are repeated */
    uint32_t exact[MCD_SAMPLES + 3], last = MCD_SAMPLES + 1;
    if (arc->own >= MCD_UNREACHED) return;
    for (uint32_t i = 2; i <= last; ++i) {
        exact[i] = i == 2 || arc->pattern ? exact_time(run, arc, &run->point[i - 2]) : exact[2];
        if (exact[i] >= MCD_UNREACHED) return;
    }
    exact[0] = exact[1] = exact[2], exact[last + 1] = exact[last];
    for (int i = 0; i < MCD_SAMPLES; ++i) {
        const uint64_t twice =
            arc->pattern ? twice_sample(&exact[i], &exact[i + 2], run->job->step_ms) : 2 * (uint64_t)exact[2];
        const uint32_t time = (uint32_t)((twice * scale + half) >> 33);
        to[i] = time < to[i] ? time : to[i];
    }
}

/* ---- one node ---- */

static void begin_row(const samples_run *run, mcd_node y, const row_buffer *row_of_y)
{
    const mcd_graph *const graph = run->schedule->graph;
    const uint32_t *const depth = run->schedule->hierarchy->depth;
    const mcd_clock_arc *const arc = run->job->arcs->arc[MCD_FORWARD];
    for (mcd_arc up = run->first_up[y]; up < run->first_up[y + 1]; ++up) {
        uint32_t *const time =
            row_of_y->time + 2 * (size_t)run->schedule->hierarchy->up_depth[up] * MCD_SAMPLES;
        for (int i = 0; i < 2 * MCD_SAMPLES; ++i) time[i] = SAMPLES_NEVER;
    }
    for (mcd_arc i = graph->first_out[y]; i < graph->first_out[y + 1] && graph->head[i] < y; ++i)
        lower_to_input(run, row_of_y->time + 2 * (size_t)depth[graph->head[i]] * MCD_SAMPLES, &arc[i]);
    for (mcd_arc i = graph->first_in[y]; i < graph->first_in[y + 1] && graph->tail[i] < y; ++i)
        lower_to_input(run, row_of_y->time + (2 * (size_t)depth[graph->tail[i]] + 1) * MCD_SAMPLES,
                       &arc[graph->in_arc[i]]);
    for (mcd_arc up = run->first_up[y]; up < run->first_up[y + 1]; ++up)
        for (size_t at = 2 * (size_t)run->schedule->hierarchy->up_depth[up], i = at; i < at + 2; ++i) {
            const samples time = samples_load(row_of_y->time + i * MCD_SAMPLES);
            row_of_y->most[i] = samples_most(&time);
        }
}

/* Relaxes the triangles of bottom x and mid y, which is in x's `slot`. */
static void gather_bottom(const samples_run *run, const row_buffer *row_of_y, mcd_node x, uint32_t slot)
{
    const mcd_arc first_up = run->first_up[x];
    const uint32_t *const up = run->out.time[MCD_FORWARD] + first_up * MCD_SAMPLES,
                          *const down = run->out.time[MCD_BACKWARD] + first_up * MCD_SAMPLES,
                          *const least_up = run->out.least[MCD_FORWARD] + first_up,
                          *const least_down = run->out.least[MCD_BACKWARD] + first_up,
                          *const depth = run->schedule->hierarchy->up_depth + first_up;
    const samples yx = samples_load(down + slot * MCD_SAMPLES);
    sloped xy, xz;
    sloped_of(&xy, up + slot * MCD_SAMPLES);
    for (uint32_t t = 0; t < slot; ++t) {
        const size_t yz = 2 * (size_t)depth[t], zy = yz + 1;
        if (least_down[slot] + least_up[t] < row_of_y->most[yz]) {
            sloped_of(&xz, up + t * MCD_SAMPLES);
            row_of_y->most[yz] = samples_relax(row_of_y->time + yz * MCD_SAMPLES, &yx, &xz);
        }
        if (least_down[t] + least_up[slot] < row_of_y->most[zy]) {
            const samples zx = samples_load(down + t * MCD_SAMPLES);
            row_of_y->most[zy] = samples_relax(row_of_y->time + zy * MCD_SAMPLES, &zx, &xy);
        }
    }
}

static void customize_node(const samples_run *run, mcd_node y, const row_buffer *row_of_y)
{
    const mcd_schedule *const schedule = run->schedule;
    begin_row(run, y, row_of_y);
    for (mcd_arc i = schedule->first_lower[y]; i < schedule->first_lower[y + 1]; ++i)
        gather_bottom(run, row_of_y, schedule->lower[i], schedule->lower_slot[i] & ~MCD_SAME_TOPS);
    for (mcd_arc up = run->first_up[y]; up < run->first_up[y + 1]; ++up)
        for (size_t direction = 0; direction < 2; ++direction) {
            const size_t from = 2 * (size_t)schedule->hierarchy->up_depth[up] + direction;
            const samples time = samples_load(row_of_y->time + from * MCD_SAMPLES);
            samples_store(run->out.time[direction] + up * MCD_SAMPLES, &time);
            run->out.least[direction][up] = samples_least(&time);
        }
}

/* ---- all nodes ---- */

static void customize_subtrees(void *argument, size_t index, unsigned worker)
{
    const samples_run *const run = argument;
    const mcd_hierarchy *const hierarchy = run->schedule->hierarchy;
    const size_t first = index * MCD_SUBTREES_PER_TASK,
                 end = mcd_size_min(first + MCD_SUBTREES_PER_TASK, hierarchy->bottom_count);
    for (size_t b = first; b < end; ++b)
        for (mcd_node y = hierarchy->subtree_end[hierarchy->bottom_root[b]]; y-- > hierarchy->bottom_root[b];)
            customize_node(run, y, &run->buffer[worker]);
}

static void customize_level_part(void *argument, size_t index, unsigned worker)
{
    const samples_run *const run = argument;
    const mcd_schedule *const schedule = run->schedule;
    const size_t size = mcd_level_size(schedule, run->level),
                 end = mcd_part_first(size, index + 1, run->task_count);
    for (size_t i = mcd_part_first(size, index, run->task_count); i < end; ++i)
        customize_node(run, schedule->level_node[schedule->level_first[run->level] + i],
                       &run->buffer[worker]);
}

static macadam_status run_all(samples_run *run, macadam_error *error)
{
    const mcd_samples_job *const job = run->job;
    const size_t workers = job->parallel.thread_count, height = run->schedule->hierarchy->height;
    mcd_watch watch = mcd_watch_of(&job->progress, "customization");
    for (size_t w = 0; w < workers; ++w) {
        MCD_TRY(MCD_NEW(run->buffer[w].time, 2 * height * MCD_SAMPLES, error));
        MCD_TRY(MCD_NEW(run->buffer[w].most, 2 * height, error));
    }
    MCD_TRY(mcd_watch_for(&watch, &job->parallel, mcd_subtree_tasks(run->schedule->hierarchy),
                          customize_subtrees, run, error));
    for (run->level = 0; run->level < run->schedule->level_count; ++run->level) {
        run->task_count = mcd_tasks_of(mcd_level_size(run->schedule, run->level), workers);
        MCD_TRY(mcd_watch_for(&watch, &job->parallel, run->task_count, customize_level_part, run, error));
    }
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(clock_samples)(mcd_clock_samples *out, const mcd_samples_job *job,
                                         macadam_error *error)
{
    const size_t up_count = job->schedule->hierarchy->first_up[job->schedule->hierarchy->node_count];
    samples_run run = {.job = job, .schedule = job->schedule, .first_up = job->schedule->hierarchy->first_up};
    run.out = (mcd_clock_samples){.begin = job->begin, .step_ms = job->step_ms};
    place_points(&run);
    macadam_status status = MACADAM_OK;
    for (int direction = 0; direction < 2 && !status; ++direction) {
        status = MCD_NEW(run.out.time[direction], up_count * MCD_SAMPLES, error);
        if (!status) status = MCD_NEW(run.out.least[direction], up_count, error);
    }
    if (!status) status = MCD_NEW_ZEROED(run.buffer, job->parallel.thread_count, error);
    if (!status) status = run_all(&run, error);
    for (size_t w = 0; run.buffer && w < job->parallel.thread_count; ++w)
        MCD_FREE_ALL(run.buffer[w].time, run.buffer[w].most);
    mcd_free(run.buffer);
    if (status) mcd_clock_samples_free(&run.out);
    *out = run.out;
    return status;
}
