/* clock_bounds.c - see clock_bounds.h. */
#include "engine/runtime/clock_bounds.h"

#include "engine/runtime/load.h"
#include "kernels/clock.h"

enum {
    BOUNDS_MAX = sizeof((mcd_clock_bounds *)0)->bound / sizeof(mcd_clock_bound *),
    MEMORY_SHARE = 8, /* of the engine's limit: what the bounds of a version may take */
    ARCS_PER_TASK = 1 << 16,
    HOUR_MS = 3600000,
    STEPS = 4,                /* windows begin this often in their length, ... */
    STEP_LEAST = HOUR_MS / 4, /* ... but at most every quarter hour */
};

mcd_clock_window mcd_clock_window_of(uint32_t instant, mcd_direction direction, uint32_t hours,
                                     mcd_weight *room)
{
    const uint32_t length = hours * HOUR_MS, step = length / STEPS > STEP_LEAST ? length / STEPS : STEP_LEAST,
                   after = instant % step;
    const bool forward = direction == MCD_FORWARD;
    const uint32_t away = forward ? after : (step - after) % step,
                   begin = forward ? instant - away : instant + away + MCD_WEEK_MS - length;
    *room = length - away;
    return (mcd_clock_window){begin % MCD_WEEK_MS, length};
}

/* ---- weights ---- */

typedef struct bound_work {
    const mcd_clock_arc *arc;
    const uint8_t *fastest; /* [pattern] in the window */
    mcd_weight *weight;
} bound_work;

/* Finds the highest rate of each pattern, fastest[pattern], in the slots that the window has a part of. */
static void find_fastest(uint8_t *fastest, const mcd_patterns *patterns, mcd_clock_window window)
{
    const uint32_t slot_ms = MCD_WEEK_MS / patterns->slot_count, first = window.begin / slot_ms,
                   end = (uint32_t)((window.begin + (uint64_t)window.length_ms + slot_ms - 1) / slot_ms);
    for (uint32_t p = 0; p < patterns->pattern_count; ++p) {
        const uint8_t *const rate = patterns->rate + (size_t)p * patterns->slot_count;
        fastest[p + 1] = 0;
        for (uint32_t slot = first; slot < end; ++slot)
            if (rate[slot % patterns->slot_count] > fastest[p + 1])
                fastest[p + 1] = rate[slot % patterns->slot_count];
    }
}

/* An arc that stands still in the whole window is not passed in it. */
static void bound_range(void *argument, size_t first, size_t end)
{
    const bound_work *const work = argument;
    for (size_t i = first; i < end; ++i) {
        const mcd_clock_arc *const arc = &work->arc[i];
        const uint64_t rate = arc->pattern ? work->fastest[arc->pattern] : MCD_RATE_MAX;
        uint64_t least = arc->own;
        if (arc->own && arc->own < MCD_UNREACHED)
            least = rate ? ((uint64_t)MCD_RATE_MAX * arc->own + rate - 1) / rate : MCD_UNREACHED;
        work->weight[i] =
            least < MCD_UNREACHED ? mcd_weight_add((mcd_weight)least, arc->price) : MCD_UNREACHED;
    }
}

/* ---- making ---- */

static macadam_status customize(mcd_kept *out, macadam_engine *engine, const mcd_weight *weight,
                                macadam_error *error)
{
    MCD_FREED_BY(mcd_custom_free) mcd_custom custom = {0};
    MCD_TRY(mcd_engine_load_schedule(engine, error));
    const mcd_customize_job job = {.schedule = engine->schedule,
                                   .hierarchy = &engine->hierarchy,
                                   .graph = &engine->graph,
                                   .objective = weight,
                                   .witnesses = true,
                                   .parallel = engine->parallel,
                                   .progress = mcd_watch_progress()};
    MCD_TRY(engine->host->customize(&custom, &job, error));
    return engine->host->prune(out, &custom, &job, error);
}

static macadam_status make_bounds(mcd_clock_bound *bound, macadam_engine *engine, const mcd_clock_arcs *arcs,
                                  macadam_error *error)
{
    MCD_OWNED uint8_t *fastest = NULL;
    MCD_OWNED mcd_weight *weight = NULL;
    MCD_TRY(MCD_NEW(fastest, (size_t)arcs->patterns.pattern_count + 1, error));
    MCD_TRY(MCD_NEW(weight, arcs->graph->arc_count, error));
    find_fastest(fastest, &arcs->patterns, bound->window);
    bound_work work = {arcs->arc[MCD_FORWARD], fastest, weight};
    MCD_TRY(mcd_watch_for_ranges(&engine->parallel, arcs->graph->arc_count, ARCS_PER_TASK, bound_range, &work,
                                 error));
    MCD_TRY(customize(&bound->kept, engine, weight, error));
    bound->weights = (mcd_weights){.hierarchy = &engine->hierarchy,
                                   .graph = &engine->graph,
                                   .search = {bound->kept.search[0], bound->kept.search[1]}};
    return MACADAM_OK;
}

static macadam_status make_samples(mcd_clock_bound *bound, macadam_engine *engine, const mcd_clock_arcs *arcs,
                                   uint32_t step_ms, macadam_error *error)
{
    MCD_TRY(mcd_engine_load_schedule(engine, error));
    const mcd_samples_job job = {.schedule = engine->schedule,
                                 .arcs = arcs,
                                 .begin = bound->window.begin,
                                 .step_ms = step_ms,
                                 .parallel = engine->parallel,
                                 .progress = mcd_watch_progress()};
    return engine->host->clock_samples(&bound->samples, &job, error);
}

/* Under customize_lock, and with the schedule held. step_ms: of samples; 0: bounds. */
static macadam_status make(mcd_clock_bound **out, macadam_engine *engine, const mcd_clock_arcs *arcs,
                           mcd_clock_window window, uint32_t step_ms, macadam_error *error)
{
    MCD_FREED_BY(mcd_clock_bound_leave_at) mcd_clock_bound *bound = NULL;
    MCD_TRY(MCD_NEW_ZEROED(bound, 1, error));
    atomic_init(&bound->users, 1);
    bound->window = window;
    bound->weights.hierarchy = &engine->hierarchy;
    MCD_TRY(step_ms ? make_samples(bound, engine, arcs, step_ms, error)
                    : make_bounds(bound, engine, arcs, error));
    return MCD_MOVE(*out, bound);
}

/* ---- the list ---- */

static uint64_t bytes_of(const mcd_clock_bound *bound)
{
    const mcd_hierarchy *const hierarchy = bound->weights.hierarchy;
    const uint64_t first = 2 * sizeof(mcd_arc) * (hierarchy->node_count + UINT64_C(1)),
                   arcs = bound->kept.count[0] + bound->kept.count[1];
    if (bound->samples.least[MCD_BACKWARD])
        return 2 * hierarchy->first_up[hierarchy->node_count] * (MCD_SAMPLES + 1) * sizeof(uint32_t);
    return first + arcs * (sizeof(mcd_node) + sizeof(uint32_t) + sizeof(mcd_weight));
}

/* Under the lock. */
static uint64_t bytes_of_all(const mcd_clock_bounds *bounds)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < bounds->count; ++i) bytes += bytes_of(bounds->bound[i]);
    return bytes;
}

/* Under the lock: makes room at place 0 by moving the bounds before place `end`. */
static void put_first(mcd_clock_bounds *bounds, mcd_clock_bound *bound, size_t end)
{
    for (size_t i = end; i > 0; --i) bounds->bound[i] = bounds->bound[i - 1];
    bounds->bound[0] = bound;
}

/* *out is NULL if there is none. */
static macadam_status find(mcd_clock_bound **out, mcd_clock_bounds *bounds, mcd_clock_window window,
                           macadam_error *error)
{
    *out = NULL;
    MCD_WATCH_HOLD(&bounds->lock, error);
    for (size_t i = 0; i < bounds->count && !*out; ++i) {
        mcd_clock_bound *const bound = bounds->bound[i];
        if (!mcd_clock_window_is(bound->window, window)) continue;
        put_first(bounds, bound, i);
        atomic_fetch_add(&bound->users, 1);
        *out = bound;
    }
    return MACADAM_OK;
}

/* Lists one, with one more user. */
static void add(mcd_clock_bounds *bounds, mcd_clock_bound *bound, uint64_t limit)
{
    MCD_HOLD(&bounds->lock);
    atomic_fetch_add(&bound->users, 1);
    while (bounds->count == BOUNDS_MAX ||
           (bounds->count > 0 && bytes_of_all(bounds) + bytes_of(bound) > limit))
        mcd_clock_bound_leave(bounds->bound[--bounds->count]);
    put_first(bounds, bound, bounds->count++);
}

static macadam_status use(mcd_clock_bound **out, mcd_clock_bounds *bounds, macadam_engine *engine,
                          const mcd_clock_arcs *arcs, mcd_clock_window window, uint32_t step_ms,
                          macadam_error *error)
{
    MCD_TRY(find(out, bounds, window, error));
    if (*out) return MACADAM_OK;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_HIERARCHY, error));
    MCD_WATCH_HOLD(&engine->customize_lock, error);
    MCD_TRY(find(out, bounds, window, error)); /* another call may have made it */
    if (*out) return MACADAM_OK;
    mcd_engine_hold_schedule(engine);
    const macadam_status status = make(out, engine, arcs, window, step_ms, error);
    --engine->basic_count;
    MCD_TRY(status);
    add(bounds, *out, engine->scratch.limit / MEMORY_SHARE);
    return MACADAM_OK;
}

macadam_status mcd_clock_samples_use(mcd_clock_bound **out, mcd_clock_bounds *bounds, macadam_engine *engine,
                                     const mcd_clock_arcs *arcs, uint32_t begin, uint32_t step_ms,
                                     macadam_error *error)
{
    const mcd_clock_window window = {begin, (MCD_SAMPLES - 1) * step_ms};
    return use(out, bounds, engine, arcs, window, step_ms, error);
}

/* Counts a request unless `least` is 0; returns whether it is the `least`th one, and then starts again. */
static bool is_due(mcd_clock_bounds *bounds, mcd_clock_window window, uint32_t least)
{
    uint8_t *const count =
        &bounds->requests[(window.begin / 1000 + window.length_ms / 100) % MCD_CLOCK_REQUESTS];
    MCD_HOLD(&bounds->lock);
    if (least == 0 || ++*count < least) return false;
    *count = 0;
    return true;
}

macadam_status mcd_clock_bound_request(mcd_clock_bound **out, mcd_clock_bounds *bounds,
                                       macadam_engine *engine, const mcd_clock_arcs *arcs,
                                       mcd_clock_window window, uint32_t least, macadam_error *error)
{
    if (window.length_ms == MCD_WEEK_MS) window.begin = 0;
    MCD_TRY(find(out, bounds, window, error));
    if (*out || !is_due(bounds, window, least)) return MACADAM_OK;
    return use(out, bounds, engine, arcs, window, 0, error);
}

void mcd_clock_bound_leave(mcd_clock_bound *bound)
{
    if (!bound || atomic_fetch_sub(&bound->users, 1) > 1) return;
    mcd_kept_free(&bound->kept);
    mcd_clock_samples_free(&bound->samples);
    mcd_free(bound);
}

uint64_t mcd_clock_bounds_bytes(mcd_clock_bounds *bounds)
{
    MCD_HOLD(&bounds->lock);
    return bytes_of_all(bounds);
}

void mcd_clock_bounds_free(mcd_clock_bounds *bounds)
{
    for (size_t i = 0; i < bounds->count; ++i) mcd_clock_bound_leave(bounds->bound[i]);
    pthread_mutex_destroy(&bounds->lock);
}
