/* conditions.c - see conditions.h. */
#include "engine/runtime/conditions.h"

#include "engine/base/options.h"
#include "engine/map/fence.h"
#include "engine/map/instant.h"
#include "engine/runtime/clock.h"
#include "engine/runtime/load.h"

/* Factors count in thousandths, so that weights stay integers on every machine. */
enum { THOUSANDTHS = 1000, FACTOR_MAX = 1000 };

enum { MEASURE_MAX = 1000 };

static const uint32_t all_flags = 2 * MACADAM_ROAD_PUSHED - 1;

/* Checked conditions and their key: equal sets have equal keys. Free it with free_conditions. */
typedef struct conditions {
    macadam_conditions given; /* borrows the caller's arrays */
    mcd_fence fence;
    uint32_t vehicle[MCD_LIMITS]; /* in the units of mcd_limit; 0: not limited */
    bool has_vehicle;
    mcd_timed_arc
        *timed; /* [timed_count] by ascending number: the arcs that change in the slot, or for the vehicle */
    size_t timed_count;
    const uint32_t *
        *shut; /* [shut_count] by ascending arc: the arcs shut in the slot, and those that open in it */
    size_t shut_count;
    const uint8_t
        *rate; /* of pattern p + 1 in the slot: rate[p * facts->pattern_slots]; NULL: no speeds change */
    size_t slot, slot_count; /* likewise: of the pattern */
    size_t first_slot;       /* with a clock: of the patterns' week */
    const mcd_week *week;    /* [week_count] when tags hold: of ordinary days, or of holidays */
    bool opens;              /* some arc opens in the slot: the companion changes too */
    bool is_duration;        /* the objective is one that finds paths: otherwise only closed roads count */
    bool has_clock; /* the clock moves along the way: what opens at times is open, and no other time holds */
    char *key;      /* [key_bytes] */
    size_t key_bytes;
} conditions;

/* Returns whether the conditions change anything. */
static bool change_anything(const macadam_conditions *given)
{
    return given->avoid || given->area_count || given->factor_count || given->height_m || given->width_m ||
           given->length_m || given->weight_t || given->axle_load_t || given->slot;
}

/* ---- checking ---- */

static macadam_status check_flags(const macadam_conditions *given, bool has_vehicle, const mcd_roads *roads,
                                  macadam_error *error)
{
    if (given->avoid & ~all_flags)
        return mcd_fail_invalid(error, "the flags to avoid are %#x; there are only %#x", given->avoid,
                                all_flags);
    if ((given->avoid || given->factor_count || has_vehicle) && !roads->facts->kind_of)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the file has no facts of its roads");
    return MACADAM_OK;
}

static bool is_class(const mcd_roads *roads, const char *name)
{
    const mcd_arc_facts *const facts = roads->facts;
    bool is_known = mcd_sign_is_class(name);
    for (size_t i = 0; i < facts->kind_count && !is_known; ++i) /* a profile may have classes of its own */
        is_known = strcmp(mcd_sign_text(facts, &facts->kind[i], MCD_KIND_CLASS), name) == 0;
    return is_known;
}

static macadam_status check_factors(const macadam_conditions *given, const mcd_roads *roads,
                                    macadam_error *error)
{
    if (given->factor_count && !given->factor)
        return mcd_fail_invalid(error, "no factors, but a count of %zu", given->factor_count);
    for (size_t i = 0; i < given->factor_count; ++i) {
        const macadam_class_factor *const factor = &given->factor[i];
        if (!factor->road_class || !factor->road_class[0])
            return mcd_fail_invalid(error, "factor %zu has no class of roads", i);
        if (factor->factor != 0 && !(factor->factor >= 1.0 / THOUSANDTHS && factor->factor <= FACTOR_MAX))
            return mcd_fail_invalid(error, "the factor of class \"%s\" is %g, not 0 or 0.001 to %d",
                                    factor->road_class, factor->factor, FACTOR_MAX);
        if (!is_class(roads, factor->road_class))
            return mcd_fail_invalid(error, "the class \"%s\" has a factor, but there are no such roads",
                                    factor->road_class);
    }
    return MACADAM_OK;
}

/* Measures are rounded to the units of limits, as those are. */
static macadam_status measure_vehicle(conditions *terms, macadam_error *error)
{
    const macadam_conditions *const given = &terms->given;
    const struct {
        const char *name;
        double measure;
    } row[MCD_LIMITS] = {[MCD_LIMIT_HEIGHT] = {"height", given->height_m},
                         [MCD_LIMIT_WIDTH] = {"width", given->width_m},
                         [MCD_LIMIT_LENGTH] = {"length", given->length_m},
                         [MCD_LIMIT_WEIGHT] = {"weight", given->weight_t},
                         [MCD_LIMIT_AXLE_LOAD] = {"axle load", given->axle_load_t}};
    for (int limit = 0; limit < MCD_LIMITS; ++limit) {
        if (!(row[limit].measure >= 0 && row[limit].measure <= MEASURE_MAX)) /* it is not NaN */
            return mcd_fail_invalid(error, "the vehicle's %s is %g, not 0 to %d", row[limit].name,
                                    row[limit].measure, MEASURE_MAX);
        terms->vehicle[limit] = (uint32_t)lrint(row[limit].measure * MCD_LIMIT_UNITS);
        terms->has_vehicle = terms->has_vehicle || terms->vehicle[limit];
    }
    return MACADAM_OK;
}

static uint32_t thousandths(const macadam_class_factor *factor)
{
    return (uint32_t)lrint(factor->factor * THOUSANDTHS);
}

/* ---- the key ---- */

/* Appends to the key; without a key only counts the bytes. */
static void append(conditions *terms, const void *data, size_t bytes)
{
    if (terms->key && bytes) memcpy(terms->key + terms->key_bytes, data, bytes);
    terms->key_bytes += bytes;
}

static void append_all(conditions *terms)
{
    const macadam_conditions *const given = &terms->given;
    const mcd_fence *const fence = &terms->fence;
    terms->key_bytes = 0;
    append(terms, &terms->is_duration, sizeof terms->is_duration);
    append(terms, &terms->has_clock, sizeof terms->has_clock);
    append(terms, &terms->first_slot, sizeof terms->first_slot);
    if (terms->has_clock) append(terms, &terms->week, sizeof terms->week);
    append(terms, &given->avoid, sizeof given->avoid);
    if (terms->rate) append(terms, &terms->slot, sizeof terms->slot);
    if (terms->rate) append(terms, &terms->slot_count, sizeof terms->slot_count);
    append(terms, terms->vehicle, sizeof terms->vehicle);
    append(terms, &terms->timed_count, sizeof terms->timed_count);
    append(terms, terms->timed, terms->timed_count * sizeof *terms->timed);
    append(terms, &terms->shut_count, sizeof terms->shut_count);
    for (size_t i = 0; i < terms->shut_count; ++i)
        append(terms, terms->shut[i], MCD_SHUT_WORDS * sizeof **terms->shut);
    append(terms, &given->factor_count, sizeof given->factor_count);
    for (size_t i = 0; i < given->factor_count; ++i) {
        const uint32_t factor = thousandths(&given->factor[i]);
        append(terms, given->factor[i].road_class, strlen(given->factor[i].road_class) + 1);
        append(terms, &factor, sizeof factor);
    }
    for (size_t a = 0; a < fence->area_count; ++a) {
        const size_t count = fence->first_side[a + 1] - fence->first_side[a];
        append(terms, &count, sizeof count);
        append(terms, fence->side + fence->first_side[a], count * sizeof *fence->side);
    }
}

/* ---- the slot ---- */

/* Finds which weeks hold in a slot, MCD_WEEK_SLOTS: at no particular time, for the vehicle. [0]: not a week, false. */
static macadam_status find_holding(bool **out, const conditions *terms, const mcd_arc_facts *facts,
                                   size_t slot, macadam_error *error)
{
    static const mcd_guard none;
    MCD_TRY(MCD_NEW(*out, facts->week_count + 1, error));
    (*out)[0] = false;
    for (size_t week = 0; week < facts->week_count; ++week) {
        const mcd_guard *const guard = facts->guard ? &facts->guard[week] : &none;
        const bool is_time =
            slot == MCD_WEEK_SLOTS ? guard->timeless : mcd_week_has(&terms->week[week], slot);
        /* an earlier one */
        (*out)[week + 1] = (is_time && mcd_guard_fits(guard, terms->vehicle)) || (*out)[guard->also];
    }
    return MACADAM_OK;
}

/* Lists the arcs that open at times of the week. */
static macadam_status list_opening(conditions *terms, const mcd_arc_facts *facts, macadam_error *error)
{
    if (terms->given.slot)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "a clock, and the slot \"%s\", which holds for the whole way", terms->given.slot);
    MCD_TRY(MCD_NEW(terms->shut, facts->shut_arc_count, error));
    for (size_t i = 0; i < facts->shut_arc_count; ++i) {
        const uint32_t *const shut = facts->shut_arc + i * facts->shut_words;
        if (shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS) terms->shut[terms->shut_count++] = shut;
    }
    terms->opens = terms->shut_count > 0;
    return MACADAM_OK;
}

/* Lists the arcs that change in the slot, or for the vehicle. Of the changes of an arc the strictest counts. */
static macadam_status list_timed(conditions *terms, const mcd_arc_facts *facts, macadam_error *error)
{
    const char *const given = terms->given.slot;
    if (!given && !(terms->has_vehicle && facts->guard)) return MACADAM_OK;
    const size_t fine = mcd_pattern_week_slots(facts->pattern_slots),
                 named = given ? mcd_instant_slot(given, fine) : 2 * fine,
                 slot = given ? named % fine / (fine / MCD_WEEK_SLOTS) : MCD_WEEK_SLOTS; /* of tags */
    if (given && named == 2 * fine)
        return mcd_fail_invalid(error, "the slot \"%s\" is not a day and a time, as Mo08:15", given);
    if (given && named >= fine && facts->week_holiday) terms->week = facts->week_holiday;
    if (given && terms->is_duration && facts->arc_pattern) {
        terms->slot_count = facts->pattern_slots;
        terms->slot = named % facts->pattern_slots; /* there may be no week of holidays */
        terms->rate = facts->pattern + terms->slot;
    }
    MCD_OWNED bool *holds = NULL;
    MCD_TRY(find_holding(&holds, terms, facts, slot, error));
    MCD_TRY(MCD_NEW(terms->timed, facts->timed_arc_count, error));
    for (size_t i = 0; i < facts->timed_arc_count; ++i) {
        const mcd_timed_arc *const timed = &facts->timed_arc[i];
        mcd_timed_arc *const last = terms->timed_count ? &terms->timed[terms->timed_count - 1] : NULL;
        if (!holds[timed->week + 1]) continue;
        if (!last || last->number != timed->number)
            terms->timed[terms->timed_count++] = *timed;
        else if (last->timed < timed->timed)
            *last = *timed;
    }
    MCD_TRY(MCD_NEW(terms->shut, facts->shut_arc_count, error));
    for (size_t i = 0; i < facts->shut_arc_count; ++i) {
        const uint32_t *const shut = facts->shut_arc + i * facts->shut_words;
        const mcd_when when = shut[MCD_SHUT_WHEN];
        const uint32_t week = when & (MCD_WHEN_OPENS - 1),
                       also = facts->guard ? facts->guard[week - 1].also : 0;
        const bool opens = when & MCD_WHEN_OPENS,
                   within = given && mcd_week_has(&terms->week[week - 1], slot);
        if (opens ? !within || holds[also] : !holds[week]) continue;
        terms->shut[terms->shut_count++] = shut;
        terms->opens = terms->opens || opens;
    }
    return MACADAM_OK;
}

typedef const uint32_t *shut_arc;
MCD_DEFINE_LOWER_BOUND(find_shut, shut_arc, [MCD_SHUT_ARC], uint32_t)

/* Returns what an arc that leaves `tail` weighs in the slot if it is shut then or opens then; its weight in
 * use if it is neither. `weight`: [arc_count] in use; `prices`: of the same quantity. */
static mcd_weight open_arc(const conditions *terms, const mcd_roads *roads, const mcd_prices *prices,
                           const mcd_weight *weight, mcd_node tail, uint32_t arc)
{
    const size_t first = find_shut(terms->shut, 0, terms->shut_count, arc);
    const uint32_t *const shut = first < terms->shut_count ? terms->shut[first] : NULL;
    if (!shut || shut[MCD_SHUT_ARC] != arc) return weight[arc];
    if (!(shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS)) return MCD_UNREACHED;
    if (weight[arc] != MCD_UNREACHED) return weight[arc]; /* an update has opened it */
    return mcd_prices_open(prices, weight, arc, mcd_road_original(roads, tail, arc));
}

/* Returns what tags in force and the slot's speed make of a weight, of which `whole` is the arc's own: the rest is paid
 * before the arc, and stays. The usual duration becomes the one in the slot: the longer one, of an arc with both.
 * MCD_UNREACHED: the arc stands still. */
static mcd_weight change_duration(const conditions *terms, const mcd_arc_facts *facts, uint32_t arc,
                                  const mcd_timed_arc *timed, mcd_weight weight, mcd_weight whole)
{
    const mcd_weight price = weight > whole ? weight - whole : 0, own = weight - price;
    const uint32_t pattern = terms->rate && own ? facts->arc_pattern[mcd_arc_original(facts, arc)] : 0;
    uint64_t then = timed ? mcd_timed_arc_duration(timed, own) : own;
    if (pattern) {
        const uint8_t rate = terms->rate[(pattern - 1) * facts->pattern_slots];
        if (rate == 0) return MCD_UNREACHED;
        const uint64_t slow = ((uint64_t)own * MCD_PATTERN_FASTEST + rate - 1) / rate;
        then = slow > then ? slow : then;
    }
    return then + price < MCD_WEIGHT_MAX ? (mcd_weight)(then + price) : MCD_WEIGHT_MAX;
}

MCD_DEFINE_LOWER_BOUND(find_timed, mcd_timed_arc, .number, uint64_t)

/* Returns what tags and speeds in force make of the weight of an arc that leaves `tail`. `in_use`: [arc_count] */
static mcd_weight weigh_timed(const conditions *terms, const mcd_roads *roads, const mcd_weight *in_use,
                              mcd_node tail, uint32_t arc, mcd_weight weight)
{
    const uint64_t number = mcd_arc_number(roads->facts, arc);
    const size_t first = find_timed(terms->timed, 0, terms->timed_count, number);
    const bool is_tagged = first < terms->timed_count && terms->timed[first].number == number;
    const mcd_timed_arc *const timed = is_tagged ? &terms->timed[first] : NULL;
    if (timed && timed->timed == MCD_UNREACHED) return MCD_UNREACHED;
    if (!terms->is_duration || (!timed && !terms->rate)) return weight;
    return change_duration(terms, roads->facts, arc, timed, weight,
                           in_use[mcd_road_original(roads, tail, arc)]);
}

/* Copies the facts, of which an update replaces the patterns. Their arrays may only be read under update_lock. */
static macadam_status copy_facts(mcd_arc_facts *out, macadam_engine *engine, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    *out = engine->facts;
    return MACADAM_OK;
}

/* `is_duration`: the objective whose weights are made is the duration. Returns E_INVALID (names the value),
 * or E_UNSUPPORTED if the map lacks the data that the conditions are about. Free *out on failure, too. */
static macadam_status new_conditions(conditions *out, const macadam_conditions *given, macadam_engine *engine,
                                     bool is_duration, mcd_use use, macadam_error *error)
{
    const mcd_roads *const roads = &engine->roads;
    mcd_arc_facts in_use;
    const mcd_arc_facts *const facts = &in_use;
    *out = (conditions){.given = *given, .is_duration = is_duration, .has_clock = use >= MCD_USE_CLOCK};
    MCD_TRY(copy_facts(&in_use, engine, error));
    const size_t week = mcd_pattern_week_slots(facts->pattern_slots);
    out->week = facts->week;
    if (use == MCD_USE_HOLIDAY && facts->pattern_slots > week) out->first_slot = week;
    if (use == MCD_USE_HOLIDAY && facts->week_holiday) out->week = facts->week_holiday;
    MCD_TRY(measure_vehicle(out, error));
    MCD_TRY(check_flags(given, out->has_vehicle, roads, error));
    MCD_TRY(check_factors(given, roads, error));
    if (given->area_count && !roads->places->lon_e7)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the file has no coordinates: it has no areas");
    MCD_TRY(out->has_clock ? list_opening(out, facts, error) : list_timed(out, facts, error));
    MCD_TRY(mcd_fence_new(&out->fence, given->area, given->area_count, error));
    append_all(out);
    MCD_TRY(MCD_NEW(out->key, out->key_bytes, error));
    append_all(out);
    return MACADAM_OK;
}

/* Returns whether they change anything on the map: a slot may meet no conditional tag. */
static bool changes_weights(const conditions *terms)
{
    macadam_conditions others = terms->given;
    others.slot = NULL;
    return terms->rate || terms->timed_count > 0 || terms->shut_count > 0 || change_anything(&others);
}

static void free_conditions(conditions *terms)
{
    mcd_fence_free(&terms->fence);
    MCD_FREE_ALL(terms->key, terms->timed, terms->shut);
    *terms = (conditions){.key = NULL};
}

/* ---- weights ---- */

/* Returns the thousandths by which the weights of a kind of road are multiplied; the last factor for a class
 * counts. */
static uint32_t factor_of(const macadam_conditions *given, const mcd_arc_facts *facts, uint32_t arc)
{
    uint32_t factor = THOUSANDTHS;
    if (given->factor_count == 0) return factor;
    const char *const road_class = facts->names + facts->kind[mcd_arc_kind(facts, arc)].text[MCD_KIND_CLASS];
    for (size_t i = 0; i < given->factor_count; ++i)
        if (strcmp(given->factor[i].road_class, road_class) == 0) factor = thousandths(&given->factor[i]);
    return factor;
}

/* Returns whether a sign admits only smaller vehicles. */
static bool is_too_small(const conditions *terms, const mcd_arc_facts *facts, uint32_t arc)
{
    if (!terms->has_vehicle || !facts->limits) return false;
    const mcd_kind_limits *const limits = &facts->limits[mcd_arc_kind(facts, arc)];
    for (int limit = 0; limit < MCD_LIMITS; ++limit)
        if (limits->most[limit] && terms->vehicle[limit] > limits->most[limit]) return true;
    return false;
}

/* Returns the weight of an arc that leaves `tail` under the conditions, from what open_arc returned;
 * MCD_UNREACHED: it may not be used. `in_use`: [arc_count] */
static mcd_weight weigh_arc(const conditions *terms, const mcd_roads *roads, const mcd_weight *in_use,
                            mcd_node tail, uint32_t arc, mcd_weight weight)
{
    const macadam_conditions *const given = &terms->given;
    const mcd_arc_facts *const facts = roads->facts;
    if (mcd_arc_number(facts, arc) == MCD_ARC_NONE || weight == MCD_UNREACHED) return weight;
    if (terms->timed_count || terms->rate) weight = weigh_timed(terms, roads, in_use, tail, arc, weight);
    if (weight == MCD_UNREACHED) return weight;
    if (given->avoid && facts->kind[mcd_arc_kind(facts, arc)].flags & given->avoid) return MCD_UNREACHED;
    if (is_too_small(terms, facts, arc)) return MCD_UNREACHED;
    const uint32_t factor = factor_of(given, facts, arc);
    if (factor == 0 || mcd_fence_stops(&terms->fence, roads, tail, arc)) return MCD_UNREACHED;
    const uint64_t product = ((uint64_t)weight * factor + THOUSANDTHS / 2) / THOUSANDTHS;
    return product < MCD_WEIGHT_MAX ? (mcd_weight)product : MCD_WEIGHT_MAX;
}

/* ---- versions under conditions ----
 *
 * Updates forget them all, and both happen under update_lock: the weights from which a listed version was made are those
 * in use. */

enum {
    NODES_PER_TASK = 1 << 12,
    KEPT_SHARE = 4,        /* the versions kept may take so small a share of the memory limit */
    BYTES_PER_UP_ARC = 64, /* of both directions, at most: heads, depths, weights, children, basic weights */
};

/* Returns the bytes that a version takes at most; of one with a clock, what it takes now. */
static uint64_t bytes_of(const macadam_engine *engine, const mcd_version *version)
{
    const uint64_t clock = version->clock ? 2 * sizeof(mcd_clock_arc) + sizeof(mcd_weight) : 0;
    return engine->metadata->arc_count * (sizeof(mcd_weight) + clock) +
           (clock ? mcd_clock_bounds_bytes(&version->clock->bounds)
                  : engine->metadata->up_arc_count * (uint64_t)BYTES_PER_UP_ARC);
}

/* Under the lock: puts a version first, with one more user. Returns the list of those that no longer fit; the first one
 * always fits. */
static mcd_version *link_first(macadam_engine *engine, mcd_version *version)
{
    const uint64_t limit = engine->scratch.limit / KEPT_SHARE;
    uint64_t used = bytes_of(engine, version);
    version->next = engine->conditioned;
    engine->conditioned = mcd_version_use(version);
    mcd_version *last = version;
    for (; last->next && used + bytes_of(engine, last->next) <= limit; last = last->next)
        used += bytes_of(engine, last->next);
    mcd_version *const rest = last->next;
    last->next = NULL;
    return rest;
}

/* Under the lock: unlinks the version of a metric with this key. The list's user is the caller's now. NULL: there is
 * none. */
static mcd_version *unlink_version(macadam_engine *engine, size_t metric, const conditions *terms)
{
    for (mcd_version **link = &engine->conditioned; *link; link = &(*link)->next) {
        mcd_version *const found = *link;
        if (found->metric != metric || found->key_bytes != terms->key_bytes ||
            memcmp(found->key, terms->key, terms->key_bytes) != 0)
            continue;
        *link = found->next;
        return found;
    }
    return NULL;
}

void mcd_versions_leave(mcd_version *version)
{
    while (version) {
        mcd_version *const next = version->next;
        mcd_version_leave(version);
        version = next;
    }
}

mcd_version *mcd_engine_take_versions(macadam_engine *engine)
{
    mcd_version *const all = engine->conditioned;
    engine->conditioned = NULL;
    return all;
}

void mcd_engine_forget_versions(macadam_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    mcd_version *const all = mcd_engine_take_versions(engine);
    pthread_mutex_unlock(&engine->lock);
    mcd_versions_leave(all);
}

/* Lists `made`, or, if it is NULL, the version with this key, as the last used one. *out: it, with one more user; NULL:
 * there is none. */
static macadam_status list(mcd_version **out, mcd_version *made, macadam_engine *engine, size_t metric,
                           const conditions *terms, macadam_error *error)
{
    mcd_version *rest = NULL;
    *out = NULL;
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    mcd_version *const version = made ? made : unlink_version(engine, metric, terms);
    if (version) rest = link_first(engine, version);
    pthread_mutex_unlock(&engine->lock);
    mcd_versions_leave(rest);
    *out = version;
    return MACADAM_OK;
}

typedef struct weigh_work {
    const conditions *terms;
    const mcd_roads *roads;
    const mcd_prices *prices;
    size_t quantity;
    bool is_companion; /* what opens is all that counts */
    const mcd_weight *from;
    mcd_weight *to;
} weigh_work;

static void weigh_range(void *argument, size_t first, size_t end)
{
    const weigh_work *const work = argument;
    const mcd_graph *const graph = work->roads->graph;
    for (size_t v = first; v < end; ++v)
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc) {
            const mcd_weight open =
                open_arc(work->terms, work->roads, work->prices, work->from, (mcd_node)v, (uint32_t)arc);
            work->to[arc] = work->is_companion ? open
                                               : weigh_arc(work->terms, work->roads, work->from, (mcd_node)v,
                                                           (uint32_t)arc, open);
        }
}

/* Makes a quantity under the conditions from the one in use. Under update_lock. */
static macadam_status weigh_quantity(mcd_array **out, macadam_engine *engine, weigh_work work,
                                     macadam_error *error)
{
    const size_t arc_count = engine->graph.arc_count;
    mcd_array *in_use;
    MCD_TRY(mcd_engine_load_prices(engine, work.quantity, error));
    MCD_TRY(mcd_engine_load_quantity(engine, work.quantity, &in_use, error));
    work.prices = &engine->prices[work.quantity];
    work.from = in_use->weight;
    MCD_OWNED mcd_weight *to = NULL;
    MCD_TRY(MCD_NEW(to, arc_count, error));
    work.to = to;
    MCD_TRY(mcd_watch_for_ranges(&engine->parallel, engine->graph.node_count, NODES_PER_TASK, weigh_range,
                                 &work, error));
    to = NULL; /* the array takes it over */
    return mcd_array_new(out, work.to, work.to, arc_count, 1, error);
}

/* Makes what a version needs for searches with a clock. Under update_lock. */
static macadam_status add_clock(mcd_version *version, macadam_engine *engine, const conditions *terms,
                                const size_t quantity[2], macadam_error *error)
{
    mcd_array *in_use[2] = {NULL, NULL};
    for (int q = 0; q < 2 && quantity[q] != SIZE_MAX; ++q)
        MCD_TRY(mcd_engine_load_quantity(engine, quantity[q], &in_use[q], error));
    const mcd_clock_source source = {.engine = engine,
                                     .in_use = {in_use[0]->weight, in_use[1] ? in_use[1]->weight : NULL},
                                     .companion = version->companion,
                                     .vehicle = terms->vehicle,
                                     .week = terms->week,
                                     .first_slot = terms->first_slot};
    return mcd_clock_new(&version->clock, &source, &version->objective, error);
}

MCD_DEFINE_FREE_AT(leave_at, mcd_version, mcd_version_leave)

/* Makes a version under the conditions: the objective's weights; the companion's are those in use unless arcs open. Takes
 * over the key. */
static macadam_status make(mcd_version **out, macadam_engine *engine, size_t metric, conditions *terms,
                           macadam_error *error)
{
    weigh_work work = {
        .terms = terms, .roads = &engine->roads, .quantity = mcd_engine_objective(engine, metric)};
    const size_t companion = mcd_engine_companion(engine, metric);
    MCD_FREED_BY(leave_at) mcd_version *version = NULL;
    MCD_TRY(mcd_version_new(&version, engine, metric, NULL, NULL, error));
    version->key_bytes = terms->key_bytes;
    MCD_MOVE(version->key, terms->key);
    MCD_TRY(changes_weights(terms)
                ? weigh_quantity(&version->objective, engine, work, error)
                : mcd_engine_use_quantity(engine, work.quantity, &version->objective, error));
    work.quantity = companion;
    work.is_companion = true;
    if (companion != SIZE_MAX)
        MCD_TRY(terms->opens ? weigh_quantity(&version->companion, engine, work, error)
                             : mcd_engine_use_quantity(engine, companion, &version->companion, error));
    if (terms->has_clock)
        MCD_TRY(add_clock(version, engine, terms,
                          (size_t[2]){mcd_engine_objective(engine, metric), companion}, error));
    MCD_TRY(list(out, version, engine, metric, terms, error));
    version = NULL; /* it is the caller's */
    return MACADAM_OK;
}

/* One call at a time makes a version, for all calls that want the same one. */
static macadam_status find_or_make(mcd_version **out, macadam_engine *engine, size_t metric,
                                   conditions *terms, mcd_use use, macadam_error *error)
{
    MCD_TRY(list(out, NULL, engine, metric, terms, error));
    if (*out) return MACADAM_OK;
    MCD_WATCH_HOLD(&engine->update_lock, error);
    MCD_FREED_BY(free_conditions) conditions before = *terms; /* an update may have replaced the patterns */
    MCD_TRY(new_conditions(terms, &before.given, engine, before.is_duration, use, error));
    MCD_TRY(list(out, NULL, engine, metric, terms, error));
    return *out ? MACADAM_OK : make(out, engine, metric, terms, error);
}

/* *out is NULL if the conditions change nothing; to know which arcs are open, only if there are none. */
static macadam_status use_conditioned(mcd_version **out, macadam_engine *engine, size_t metric,
                                      const macadam_conditions *given, mcd_use use, macadam_error *error)
{
    const bool reported = use == MCD_USE_REPORTED, has_clock = use >= MCD_USE_CLOCK;
    macadam_conditions own = MACADAM_CONDITIONS_INIT;
    MCD_FREED_BY(free_conditions) conditions terms = {.key = NULL};
    if (given) MCD_TRY(mcd_options_adopt(&own, sizeof own, given, "conditions", error));
    if (reported) own.factor_count = 0;
    if (!change_anything(&own) && !has_clock) return MACADAM_OK;
    if (has_clock) MCD_TRY(mcd_engine_load(engine, MCD_LOAD_GRAPH, error));
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    const bool is_duration = !reported && strcmp(engine->metric_name[metric], "duration") == 0;
    MCD_TRY(new_conditions(&terms, &own, engine, is_duration, use, error));
    const bool is_used = has_clock || use == MCD_USE_GRAPH || changes_weights(&terms);
    return is_used ? find_or_make(out, engine, metric, &terms, use, error) : MACADAM_OK;
}

macadam_status mcd_engine_use_version(mcd_version **out, macadam_engine *engine, size_t metric,
                                      const macadam_conditions *given, mcd_use use, macadam_error *error)
{
    for (;;) {
        const uint64_t updates = atomic_load(&engine->update_count);
        mcd_version *in_use;
        *out = NULL;
        if (given || use >= MCD_USE_CLOCK) MCD_TRY(use_conditioned(out, engine, metric, given, use, error));
        if (*out) return MACADAM_OK;
        MCD_WATCH_HOLD(&engine->lock, error);
        if (atomic_load(&engine->update_count) != updates)
            continue; /* the conditions may change these weights */
        MCD_TRY(mcd_version_find(&in_use, engine, use == MCD_USE_GRAPH ? MCD_QUANTITY_MAX : metric, error));
        *out = mcd_version_use(in_use);
        return MACADAM_OK;
    }
}
