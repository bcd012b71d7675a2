/* clock.c - see clock.h.
 *
 * A speed is relative to the arc's weight under the conditions, in 2^-24ths. An arc with conditional tags has one for each
 * slot of the week; the fastest gives its weight, and the others, relative to that one, its pattern. Equal patterns are
 * shared. */
#include "engine/runtime/clock.h"

#include "kernels/clock.h"

enum {
    NODES_PER_TASK = 1 << 12,
    ARCS_PER_TASK = 1 << 16,
    SPEED_BITS = 24,
};

/* The patterns that are made. They are numbered after those of the map. */
typedef struct made_patterns {
    mcd_pattern_set set;
    size_t before;        /* patterns of the map */
    pthread_mutex_t lock; /* of all members */
    macadam_status status;
    macadam_error error;
} made_patterns;

typedef struct clock_work {
    const mcd_clock_source *source;
    const mcd_roads *roads;
    const mcd_weight *weight; /* [arc_count] under the conditions */
    mcd_weight *fastest;      /* [arc_count] NULL: no arc has conditional tags */
    const mcd_week *holds;    /* [week_count + 1] when the week holds for the vehicle; [0]: never */
    mcd_clock_arc *arc[2];
    mcd_weight *companion; /* of the reverse CSR; NULL: none */
    made_patterns *made;
} clock_work;

/* ---- patterns ---- */

/* Finds or adds a pattern. Under the lock. */
static macadam_status share_pattern(made_patterns *made, const uint8_t *pattern, uint32_t *number,
                                    macadam_error *error)
{
    MCD_TRY(mcd_pattern_set_add(&made->set, pattern, number, error));
    *number += (uint32_t)made->before + 1;
    if (*number <= MCD_PATTERNS_MAX) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                    "the map's speeds and conditional tags make more than %d patterns of the week",
                    MCD_PATTERNS_MAX);
}

static uint32_t number_of(made_patterns *made, const uint8_t *pattern)
{
    uint32_t number = 0;
    pthread_mutex_lock(&made->lock);
    if (!made->status) made->status = share_pattern(made, pattern, &number, &made->error);
    pthread_mutex_unlock(&made->lock);
    return number;
}

/* Returns the week of a pattern of the map. */
static const uint8_t *week_of(const mcd_clock_source *source, size_t pattern)
{
    const mcd_arc_facts *const facts = &source->engine->facts;
    return facts->pattern + pattern * facts->pattern_slots + source->first_slot;
}

/* ---- conditional tags ---- */

MCD_DEFINE_LOWER_BOUND(find_timed, mcd_timed_arc, .number, uint64_t)

/* Returns the first entry of an arc among the shut ones. */
static size_t find_shut(const mcd_arc_facts *facts, uint32_t arc)
{
    size_t low = 0, high = facts->shut_arc_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (facts->shut_arc[middle * facts->shut_words + MCD_SHUT_ARC] < arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The speeds of an arc over the week: [slots] in 2^-24ths of the speed by which its weight is meant. */
typedef struct week_speeds {
    size_t slots, per_slot; /* those within a slot of the tags' week */
    uint64_t speed[MCD_PATTERN_FINE_SLOTS];
} week_speeds;

/* Slows the slots down in which tags of the arc hold. Of several tags the strictest counts. */
static void apply_timed(const clock_work *work, uint64_t number, mcd_weight own, bool has_pattern,
                        week_speeds *week)
{
    const mcd_arc_facts *const facts = work->roads->facts;
    const size_t first = find_timed(facts->timed_arc, 0, facts->timed_arc_count, number);
    const mcd_timed_arc *in_slot[MCD_WEEK_SLOTS] = {NULL};
    for (size_t i = first; i < facts->timed_arc_count && facts->timed_arc[i].number == number; ++i)
        for (size_t s = 0; s < MCD_WEEK_SLOTS; ++s)
            if (mcd_week_has(&work->holds[facts->timed_arc[i].week + 1], s) &&
                (!in_slot[s] || in_slot[s]->timed < facts->timed_arc[i].timed))
                in_slot[s] = &facts->timed_arc[i];
    for (size_t s = 0; s < week->slots; ++s) {
        const mcd_timed_arc *const timed = in_slot[s / week->per_slot];
        if (!timed) continue;
        const uint64_t duration = mcd_timed_arc_duration(timed, own),
                       then = timed->timed == MCD_UNREACHED
                                  ? 0
                                  : ((uint64_t)own << SPEED_BITS) / (duration ? duration : 1);
        if (then < week->speed[s] || (own && !has_pattern)) week->speed[s] = then;
    }
}

/* Returns whether updates have opened an arc for good: in both quantities, as without a clock. */
static bool is_opened(const mcd_clock_source *source, uint32_t arc)
{
    return source->in_use[0][arc] != MCD_UNREACHED &&
           (!source->in_use[1] || source->in_use[1][arc] != MCD_UNREACHED);
}

/* Stops in the slots in which the arc is shut. */
static void apply_shut(const clock_work *work, uint32_t arc, week_speeds *week)
{
    const mcd_arc_facts *const facts = work->roads->facts;
    for (size_t i = find_shut(facts, arc); i < facts->shut_arc_count; ++i) {
        const uint32_t *const shut = facts->shut_arc + i * facts->shut_words;
        if (shut[MCD_SHUT_ARC] != arc) break;
        const uint32_t number = shut[MCD_SHUT_WHEN] & (MCD_WHEN_OPENS - 1),
                       also = facts->guard ? facts->guard[number - 1].also : 0;
        const bool opens = shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS;
        if (opens && is_opened(work->source, arc)) continue;
        for (size_t s = 0; s < week->slots; ++s) {
            const size_t slot = s / week->per_slot;
            if (opens ? !mcd_week_has(&work->source->week[number - 1], slot) ||
                            mcd_week_has(&work->holds[also], slot)
                      : mcd_week_has(&work->holds[number], slot))
                week->speed[s] = 0;
        }
    }
}

/* Finds when each week holds for the vehicle. */
static void find_holding(mcd_week *holds, const mcd_clock_source *source)
{
    static const mcd_guard none;
    const mcd_arc_facts *const facts = &source->engine->facts;
    holds[0] = (mcd_week){{0}};
    for (size_t week = 0; week < facts->week_count; ++week) {
        const mcd_guard *const guard = facts->guard ? &facts->guard[week] : &none;
        holds[week + 1] = mcd_guard_fits(guard, source->vehicle) ? source->week[week] : holds[0];
        mcd_week_unite(&holds[week + 1], &holds[guard->also]); /* an earlier one */
    }
}

/* ---- arcs ---- */

/* Makes the weight and the pattern of an arc of its speeds. If tags make it faster at times, the weight is one with which
 * the arc takes its usual time in the other slots, to less than 255 / rate milliseconds, although rates are rounded. An arc
 * with a pattern of the map keeps its weight and its rates, even if it is closed in its fastest slots. An arc that stops
 * weighs at least 1: where it is closed, one waits, however short it is. */
static void take_speeds(const clock_work *work, mcd_clock_arc *arc, const week_speeds *week)
{
    uint8_t pattern[MCD_PATTERN_FINE_SLOTS];
    uint64_t fastest = 0;
    bool is_constant = true, stops = false;
    for (size_t s = 0; s < week->slots; ++s) fastest = week->speed[s] > fastest ? week->speed[s] : fastest;
    if (fastest == 0) {
        arc->own = MCD_UNREACHED;
        return;
    }
    if (arc->pattern) fastest = UINT64_C(1) << SPEED_BITS;
    for (size_t s = 0; s < week->slots; ++s) {
        pattern[s] = mcd_pattern_rate(week->speed[s], fastest);
        is_constant = is_constant && pattern[s] == MCD_RATE_MAX;
        stops = stops || pattern[s] == 0;
    }
    const uint64_t usual = mcd_pattern_rate(UINT64_C(1) << SPEED_BITS, fastest),
                   own = fastest >> SPEED_BITS && usual
                             ? arc->own * usual / MCD_RATE_MAX
                             : (((uint64_t)arc->own << SPEED_BITS) + fastest / 2) / fastest;
    arc->own = own < MCD_WEIGHT_MAX ? (mcd_weight)own : MCD_WEIGHT_MAX;
    if (stops && arc->own == 0) arc->own = 1;
    arc->pattern = is_constant ? 0 : number_of(work->made, pattern);
}

static bool has_times(const mcd_arc_facts *facts, uint32_t arc, uint64_t number)
{
    const size_t timed = find_timed(facts->timed_arc, 0, facts->timed_arc_count, number),
                 shut = find_shut(facts, arc);
    return (timed < facts->timed_arc_count && facts->timed_arc[timed].number == number) ||
           (shut < facts->shut_arc_count && facts->shut_arc[shut * facts->shut_words + MCD_SHUT_ARC] == arc);
}

static void apply_times(const clock_work *work, mcd_clock_arc *out, uint32_t arc, uint32_t original,
                        uint64_t number)
{
    const uint8_t *const given = out->pattern ? week_of(work->source, out->pattern - 1) : NULL;
    const mcd_weight in_use = work->source->in_use[0][original];
    week_speeds week = {.slots = work->made->set.slot_count,
                        .per_slot = work->made->set.slot_count / MCD_WEEK_SLOTS};
    for (size_t s = 0; s < week.slots; ++s)
        week.speed[s] = (((uint64_t)(given ? given[s] : MCD_RATE_MAX)) << SPEED_BITS) / MCD_RATE_MAX;
    apply_timed(work, number, in_use == MCD_UNREACHED ? out->own : in_use, given, &week);
    apply_shut(work, arc, &week);
    take_speeds(work, out, &week);
}

/* Makes an arc that leaves `tail`. */
static void make_arc(const clock_work *work, mcd_node tail, uint32_t arc)
{
    const mcd_roads *const roads = work->roads;
    const mcd_arc_facts *const facts = roads->facts;
    const uint64_t number = mcd_arc_number(facts, arc);
    const mcd_weight weight = work->weight[arc];
    const mcd_array *const companion = work->source->companion;
    mcd_clock_arc *const out = &work->arc[MCD_FORWARD][arc];
    *out = (mcd_clock_arc){.end = roads->graph->head[arc], .own = weight};
    if (companion && companion->weight[arc] == MCD_UNREACHED) out->own = MCD_UNREACHED;
    if (out->own == MCD_UNREACHED || number == MCD_ARC_NONE) return;
    const uint32_t original = mcd_road_original(roads, tail, arc);
    out->price = weight > work->weight[original] ? weight - work->weight[original] : 0;
    out->own = weight - out->price;
    if (facts->arc_pattern) out->pattern = facts->arc_pattern[mcd_arc_original(facts, arc)];
    if (!work->fastest || !has_times(facts, arc, number)) return;
    apply_times(work, out, arc, original, number);
    work->fastest[arc] = mcd_weight_with_price(out->own, (int32_t)out->price);
}

static void make_range(void *argument, size_t first, size_t end)
{
    const clock_work *const work = argument;
    const mcd_graph *const graph = work->roads->graph;
    for (size_t v = first; v < end; ++v)
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc)
            make_arc(work, (mcd_node)v, (uint32_t)arc);
}

/* The same arcs, in the order of the reverse CSR. */
static void turn_range(void *argument, size_t first, size_t end)
{
    const clock_work *const work = argument;
    const mcd_graph *const graph = work->roads->graph;
    for (size_t i = first; i < end; ++i) {
        work->arc[MCD_BACKWARD][i] = work->arc[MCD_FORWARD][graph->in_arc[i]];
        work->arc[MCD_BACKWARD][i].end = graph->tail[i];
        if (work->companion) work->companion[i] = work->source->companion->weight[graph->in_arc[i]];
    }
}

/* ---- all ---- */

/* Puts the patterns of the map and those that were made together. */
static macadam_status join_patterns(mcd_clock *clock, const mcd_clock_source *source,
                                    const mcd_pattern_set *made, macadam_error *error)
{
    const size_t slots = made->slot_count, before = source->engine->facts.pattern_count,
                 count = before + made->count;
    MCD_TRY(MCD_NEW(clock->pattern, count * slots, error));
    for (size_t p = 0; p < before; ++p) memcpy(clock->pattern + p * slots, week_of(source, p), slots);
    if (made->count) memcpy(clock->pattern + before * slots, made->value, made->count * slots);
    clock->arcs.patterns = (mcd_patterns){clock->pattern, (uint32_t)count, (uint32_t)slots};
    return MACADAM_OK;
}

/* Makes the arcs of both directions. */
static macadam_status make_arcs(clock_work *work, macadam_error *error)
{
    const macadam_engine *const engine = work->source->engine;
    const mcd_parallel *const parallel = &engine->parallel;
    MCD_TRY(
        mcd_watch_for_ranges(parallel, engine->graph.node_count, NODES_PER_TASK, make_range, work, error));
    if (work->made->status) return mcd_fail(error, work->made->status, "%s", work->made->error.message);
    return mcd_watch_for_ranges(parallel, engine->graph.arc_count, ARCS_PER_TASK, turn_range, work, error);
}

static void free_made(made_patterns *made)
{
    mcd_pattern_set_free(&made->set);
    pthread_mutex_destroy(&made->lock);
}

/* Makes the arcs, and the weights at the fastest of the week if arcs have conditional tags. */
static macadam_status make(mcd_clock *clock, clock_work *work, mcd_array **objective, macadam_error *error)
{
    const macadam_engine *const engine = work->source->engine;
    const mcd_arc_facts *const facts = &engine->facts;
    const size_t arc_count = engine->graph.arc_count;
    MCD_FREED_BY(free_made)
    made_patterns made = {.set.slot_count = mcd_pattern_week_slots(facts->pattern_slots),
                          .before = facts->pattern_count,
                          .lock = PTHREAD_MUTEX_INITIALIZER};
    MCD_OWNED mcd_week *holds = NULL;
    MCD_OWNED mcd_weight *fastest = NULL;
    work->made = &made;
    if (facts->timed_arc_count || facts->shut_arc_count) {
        MCD_TRY(MCD_NEW(holds, facts->week_count + 1, error));
        MCD_TRY(MCD_NEW(fastest, arc_count, error));
        find_holding(holds, work->source);
        memcpy(fastest, work->weight, arc_count * sizeof *fastest);
    }
    work->holds = holds;
    work->fastest = fastest;
    MCD_TRY(make_arcs(work, error));
    MCD_TRY(join_patterns(clock, work->source, &made.set, error));
    if (!fastest) return MACADAM_OK;
    fastest = NULL; /* the array takes it over */
    mcd_array_leave(*objective);
    *objective = NULL;
    return mcd_array_new(objective, work->fastest, work->fastest, arc_count, 1, error);
}

static mcd_weight mean_of(const clock_work *work)
{
    uint64_t sum = 0, count = 0;
    for (size_t i = 0; i < work->roads->graph->arc_count; ++i) {
        const mcd_weight own = work->arc[MCD_FORWARD][i].own;
        sum += own == MCD_UNREACHED ? 0 : own;
        count += own != MCD_UNREACHED;
    }
    return sum ? (mcd_weight)((sum + count - 1) / count) : 1;
}

MCD_DEFINE_FREE_AT(free_at, mcd_clock, mcd_clock_free)

macadam_status mcd_clock_new(mcd_clock **out, const mcd_clock_source *source, mcd_array **objective,
                             macadam_error *error)
{
    const macadam_engine *const engine = source->engine;
    const mcd_graph *const graph = &engine->graph;
    MCD_FREED_BY(free_at) mcd_clock *clock = NULL;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(clock, 1, error));
    pthread_mutex_init(&clock->bounds.lock, NULL);
    for (int direction = 0; direction < 2; ++direction)
        MCD_TRY(MCD_NEW(clock->arc[direction], graph->arc_count, error));
    if (source->companion) MCD_TRY(MCD_NEW(clock->companion, graph->arc_count, error));
    clock_work work = {.source = source,
                       .roads = &engine->roads,
                       .weight = (*objective)->weight,
                       .arc = {clock->arc[0], clock->arc[1]},
                       .companion = clock->companion};
    MCD_TRY(make(clock, &work, objective, error));
    clock->arcs.graph = graph;
    clock->arcs.own_mean = mean_of(&work);
    clock->arcs.arc[MCD_FORWARD] = clock->arc[MCD_FORWARD];
    clock->arcs.arc[MCD_BACKWARD] = clock->arc[MCD_BACKWARD];
    clock->arcs.companion[MCD_FORWARD] = source->companion ? source->companion->weight : NULL;
    clock->arcs.companion[MCD_BACKWARD] = clock->companion;
    return MCD_MOVE(*out, clock);
}

macadam_status mcd_clock_place(mcd_clock *clock, const mcd_device_table *table, mcd_device *device,
                               macadam_error *error)
{
    if (clock->arcs.device) return MACADAM_OK;
    clock->device = table;
    return table->clock_new(&clock->arcs.device, device, &clock->arcs, error);
}

void mcd_clock_free(mcd_clock *clock)
{
    if (!clock) return;
    if (clock->arcs.device) clock->device->clock_free(clock->arcs.device);
    mcd_clock_bounds_free(&clock->bounds);
    MCD_FREE_ALL(clock->arc[0], clock->arc[1], clock->companion, clock->pattern, clock);
}
