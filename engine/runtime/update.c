/* update.c - new weights for some or all arcs: customized beside those in use, then swapped in. */
#include "engine/runtime/device.h"
#include "engine/runtime/load.h"
#include "engine/runtime/kept_memory.h"
#include "engine/runtime/open.h"
#include "engine/runtime/conditions.h"
#include "engine/runtime/update_request.h"
#include "engine/base/grow.h"
#include "engine/base/options.h"

/* The changes of more upward arcs are not put in place while no question can begin. */
enum { IN_PLACE_MOST = 1 << 14 };

/* A device receives the changed arcs and their weights, at least twice the bytes of a weight each, and scatters them. */
enum { CHANGED_PART = 4 };

/* Of a ready file, no more arcs than one in this many are found page by page. */
enum { LOOKED_UP_PART = 64 };

/* ---- applying ---- */

/* An entry of the request, and how many arcs of one number it changes: an original, then its copies. */
typedef struct applied_entry {
    size_t entry, count;
} applied_entry;

typedef struct update_run {
    macadam_engine *engine;
    const macadam_update_request *request;
    size_t quantity[MCD_QUANTITY_MAX];   /* per requested quantity: its index */
    mcd_array *in_use[MCD_QUANTITY_MAX]; /* per quantity: its weights, if it is requested */
    const mcd_arc_index *index;
    bool uses_stored; /* the index is that of a ready file */
    bool is_light;    /* it reads no more of the file than the arcs of its numbers, and their weights */
    /* Not 0: the changes wait until the weights are read, and the lock is held; arcs have the numbers 1 to this one. */
    uint64_t last_number;
    applied_entry *applied;
    size_t applied_count, applied_capacity;
    /* [changed_count]: the arcs to change: those of each applied entry, then turns; some occur twice, and the last one
     * counts */
    uint32_t *changed;
    size_t changed_count, changed_capacity;
    mcd_turn_list turns;
    /* with the new prices of turns; `set` is the run's own if turns change */
    mcd_prices prices[MCD_QUANTITY_MAX];
    /* Per quantity and per metric: what is new; once it is in use, what it replaced. NULL: nothing. */
    mcd_patterns_in_use patterns; /* if the request has some: new, or replaced */
    mcd_array *array[MCD_QUANTITY_MAX];
    mcd_version *version[MCD_QUANTITY_MAX];
    mcd_recustomized found[MCD_QUANTITY_MAX]; /* per metric: what differs, if it is complete */
    mcd_version *conditioned;                 /* the replaced versions under conditions */
    bool is_locked;                           /* the engine's update_lock is held */
    bool is_ready;                            /* so is its lock */
    bool *is_known; /* [count + turn_count] the entry is on some map; NULL: each must be on this one */
} update_run;

/* Finds the quantities, and whether one of them is signed. */
static macadam_status find_quantities(update_run *run, bool *is_signed, macadam_error *error)
{
    const macadam_update_request *request = run->request;
    bool is_given[MCD_QUANTITY_MAX] = {false};
    *is_signed = false;
    for (size_t q = 0; q < request->quantity_count; ++q) {
        if (!request->quantity[q]) return mcd_fail_invalid(error, "the name of quantity %zu is missing", q);
        MCD_TRY(mcd_engine_find_quantity(run->engine, request->quantity[q], &run->quantity[q], error));
        const size_t index = run->quantity[q];
        if (is_given[index])
            return mcd_fail_invalid(error, "quantity \"%s\" is given twice", request->quantity[q]);
        is_given[index] = true;
        *is_signed |= run->engine->has_potential[index];
    }
    return MACADAM_OK;
}

static macadam_status begin_quantities(update_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    MCD_WATCH_HOLD(&engine->lock, error);
    for (size_t q = 0; q < run->request->quantity_count; ++q) {
        const size_t index = run->quantity[q];
        MCD_TRY((run->is_light ? mcd_engine_map_quantity : mcd_engine_read_quantity)(engine, index, error));
        run->in_use[index] = engine->quantity[index];
    }
    return MACADAM_OK;
}

/* Returns what entry `entry` gives an arc in quantity q of the request: MACADAM_WEIGHT_CLOSED, MACADAM_WEIGHT_IMPORTED or
 * a weight. That of a signed quantity is less the rise of its potential, and may be out of range. */
static int64_t given_weight(const update_run *run, size_t q, size_t entry, uint32_t arc)
{
    const macadam_engine *const engine = run->engine;
    const uint32_t value = run->request->value[q][entry];
    const int32_t *const potential = engine->potential[run->quantity[q]];
    const mcd_node *const place = engine->places.node_place;
    if (!potential) return value;
    if ((int32_t)value == MACADAM_SIGNED_UNREACHED) return MACADAM_WEIGHT_CLOSED;
    if ((int32_t)value == MACADAM_SIGNED_IMPORTED) return MACADAM_WEIGHT_IMPORTED;
    return (int64_t)(int32_t)value + potential[place[mcd_road_tail(&engine->graph, arc)]] -
           potential[place[engine->graph.head[arc]]];
}
static_assert((uint64_t)MACADAM_WEIGHT_MAX + 2 * MCD_POTENTIAL_MAX < MACADAM_WEIGHT_IMPORTED,
              "no weight is a word");

static macadam_status check_weights(const update_run *run, size_t entry, uint64_t number, uint32_t arc,
                                    macadam_error *error)
{
    for (size_t q = 0; q < run->request->quantity_count; ++q) {
        const int64_t weight = given_weight(run, q, entry, arc),
                      given = (int32_t)run->request->value[q][entry];
        if (weight >= MACADAM_WEIGHT_IMPORTED || (weight >= 0 && weight <= MACADAM_WEIGHT_MAX)) continue;
        return mcd_fail_invalid(
            error, "%s of entry %zu is %lld; the %s weight of arc %llu is %lld", run->request->quantity[q],
            entry, (long long)given, weight < 0 ? "least" : "largest", (unsigned long long)number,
            (long long)(weight < 0 ? given - weight : given - weight + MACADAM_WEIGHT_MAX));
    }
    return MACADAM_OK;
}

/* Applies an entry to the arcs of a number. */
static macadam_status apply_by_number(update_run *run, size_t entry, uint64_t number, macadam_error *error)
{
    if (run->uses_stored)
        MCD_TRY(
            mcd_touched_arcs(run->engine->file, run->index, number, run->engine->metadata->arc_count, error));
    const bool waits = run->last_number > 0;
    const mcd_arc_copies copies = waits ? (mcd_arc_copies){.count = 0} : mcd_arc_index_of(run->index, number);
    const size_t count = copies.count;
    if (waits ? number == 0 || number > run->last_number : count == 0)
        return mcd_fail(error, MACADAM_E_NOT_FOUND, "no arc has the number %llu (entry %zu)",
                        (unsigned long long)number, entry);
    if (!waits) MCD_TRY(check_weights(run, entry, number, *copies.arc, error));
    if (run->applied_count == run->applied_capacity)
        MCD_TRY(MCD_GROW(run->applied, run->applied_capacity,
                         mcd_size_max(run->request->count, run->applied_count + 1), error));
    if (run->changed_count + count > run->changed_capacity)
        MCD_TRY(MCD_GROW(run->changed, run->changed_capacity,
                         mcd_size_max(run->request->count, run->changed_count + count), error));
    run->applied[run->applied_count++] = (applied_entry){entry, count};
    if (run->request->changed) ++run->request->changed[entry];
    for (size_t i = 0; i < count; ++i) run->changed[run->changed_count++] = copies.arc[i];
    return MACADAM_OK;
}

/* Departures from an id use the originals of all its arcs. */
static macadam_status apply_by_ends(update_run *run, size_t entry, macadam_error *error)
{
    const macadam_engine *const engine = run->engine;
    const int64_t tail = run->request->tail[entry], head = run->request->head[entry];
    const size_t before = run->applied_count;
    const size_t from = mcd_place_find_id(&engine->places, tail),
                 to = mcd_place_find_id(&engine->places, head);
    const mcd_node x = from == MCD_PLACE_NONE ? 0 : engine->places.depart[from];
    for (mcd_arc xy = engine->graph.first_out[x];
         from != MCD_PLACE_NONE && xy < engine->graph.first_out[x + 1]; ++xy) {
        const uint64_t number = mcd_arc_number(&engine->facts, (uint32_t)xy);
        if (engine->places.node_place[engine->graph.head[xy]] == to && number != MCD_ARC_NONE)
            MCD_TRY(apply_by_number(run, entry, number, error));
    }
    if (run->applied_count > before) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_NOT_FOUND, "no arc leads from node %lld to node %lld (entry %zu)",
                    (long long)tail, (long long)head, entry);
}

/* All arcs of a way in a direction, or those between two of its nodes. */
static macadam_status apply_by_way(update_run *run, size_t entry, macadam_error *error)
{
    const macadam_engine *const engine = run->engine;
    const macadam_update_request *const request = run->request;
    const int64_t way = request->way[entry], tail = request->tail ? request->tail[entry] : 0,
                  head = request->tail ? request->head[entry] : 0;
    const mcd_way_stretch stretch =
        request->tail
            ? mcd_way_arcs_between(&engine->way_arcs, way, mcd_place_find_id(&engine->places, tail),
                                   mcd_place_find_id(&engine->places, head))
            : mcd_way_arcs_along(&engine->way_arcs, way, request->direction ? request->direction[entry] : 0);
    for (size_t i = 0; i < stretch.count; ++i)
        MCD_TRY(
            apply_by_number(run, entry, mcd_way_stretch_arc(&engine->way_arcs, &stretch, i)->number, error));
    if (stretch.count) return MACADAM_OK;
    if (request->tail)
        return mcd_fail(error, MACADAM_E_NOT_FOUND,
                        "way %lld does not lead from node %lld to node %lld (entry %zu)", (long long)way,
                        (long long)tail, (long long)head, entry);
    return mcd_fail(error, MACADAM_E_NOT_FOUND, "no arc lies on way %lld%s (entry %zu)", (long long)way,
                    request->direction && request->direction[entry] ? " in this direction" : "", entry);
}

/* Takes the status of an entry or turn: another map may have what this one lacks. */
static macadam_status settle_known(const update_run *run, size_t i, macadam_status status,
                                   macadam_error *error)
{
    if (!run->is_known) return status;
    run->is_known[i] |= status == MACADAM_OK;
    if (status != MACADAM_E_NOT_FOUND) return status;
    mcd_recover(error);
    return MACADAM_OK;
}

static macadam_status apply_turns(update_run *run, macadam_error *error)
{
    const macadam_update_request *const request = run->request;
    for (size_t turn = 0; turn < request->turn_count; ++turn) {
        for (size_t q = 0; q < request->quantity_count; ++q)
            MCD_TRY(mcd_update_value_check(request->quantity[q], "turn", turn, request->turn_price[q][turn],
                                           error));
        const macadam_status status =
            mcd_turn_list_add(&run->turns, &run->engine->roads, run->index, request, turn, error);
        MCD_TRY(settle_known(run, request->count + turn, status, error));
    }
    MCD_TRY(mcd_turn_list_close(&run->turns, &run->engine->roads, request->turn_price,
                                request->quantity_count, error));
    MCD_TRY(MCD_GROW(run->changed, run->changed_capacity, run->changed_count + run->turns.count, error));
    for (size_t i = 0; i < run->turns.count; ++i)
        run->changed[run->changed_count++] = run->turns.turn[i].copy;
    return MACADAM_OK;
}

static macadam_status apply_entries(update_run *run, macadam_error *error)
{
    const macadam_update_request *request = run->request;
    for (size_t entry = 0; entry < request->count; ++entry) {
        for (size_t q = 0; q < request->quantity_count; ++q)
            if (!run->engine->potential[run->quantity[q]])
                MCD_TRY(mcd_update_value_check(request->quantity[q], "entry", entry, request->value[q][entry],
                                               error));
        const macadam_status status = request->arc   ? apply_by_number(run, entry, request->arc[entry], error)
                                      : request->way ? apply_by_way(run, entry, error)
                                                     : apply_by_ends(run, entry, error);
        MCD_TRY(settle_known(run, entry, status, error));
    }
    return MACADAM_OK;
}

/* Finds the indexes by which the request names arcs. */
static macadam_status find_index(update_run *run, macadam_error *error)
{
    const macadam_update_request *const request = run->request;
    macadam_engine *const engine = run->engine;
    const bool by_way = !request->arc && request->way;
    if (by_way && !engine->facts.way)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "%s names no ways", engine->file->name);
    if (by_way) MCD_TRY(mcd_way_arcs_make(&engine->way_arcs, &engine->roads, error));
    if (run->uses_stored) {
        run->index = &engine->stored_index;
        return run->index->first ? MACADAM_OK : mcd_touched_index(&engine->stored_index, engine->file, error);
    }
    run->index = &engine->arc_index;
    return mcd_engine_load(engine, MCD_LOAD_INDEX, error);
}

static macadam_status apply_all(update_run *run, macadam_error *error)
{
    MCD_TRY(find_index(run, error));
    MCD_TRY(apply_entries(run, error));
    return apply_turns(run, error);
}

/* Makes the prices in use once those of the request's turns are. */
static macadam_status new_prices(update_run *run, size_t q, macadam_error *error)
{
    const size_t index = run->quantity[q];
    mcd_prices *const prices = &run->prices[index];
    MCD_TRY((run->is_light ? mcd_engine_map_prices : mcd_engine_load_prices)(run->engine, index, error));
    const mcd_prices *const old = &run->engine->prices[index];
    mcd_turn_price *set = NULL;
    size_t count = old->set_count;
    if (run->turns.count > 0)
        MCD_TRY(mcd_prices_with(&set, &count, old, &run->turns, run->request->turn_price[q], error));
    *prices = *old;
    if (set) prices->set = set, prices->set_count = count;
    return MACADAM_OK;
}

/* Makes quantity q of the request: the weights in use but for the arcs that change. If none differs, the array in use
 * stays. */
static macadam_status new_array(update_run *run, size_t q, macadam_error *error)
{
    const size_t index = run->quantity[q];
    mcd_prices *const prices = &run->prices[index];
    mcd_array **const array = &run->array[index];
    bool differs = false;
    MCD_TRY(new_prices(run, q, error));
    if (run->is_light)
        MCD_TRY(mcd_engine_touch_weights(run->engine, index, run->changed, run->changed_count, error));
    MCD_TRY(mcd_array_next(array, run->in_use[index], mcd_version_can_repair(run->engine, run->changed_count),
                           error));
    const uint32_t *arc = run->changed;
    for (size_t i = 0; i < run->applied_count; arc += run->applied[i++].count)
        differs |= mcd_prices_set(prices, *array, (mcd_arc_copies){arc, run->applied[i].count},
                                  (uint32_t)given_weight(run, q, run->applied[i].entry, *arc));
    for (size_t i = 0; i < run->turns.count; ++i) {
        const mcd_priced_turn turn = run->turns.turn[i];
        differs |= mcd_array_set(*array, turn.copy,
                                 mcd_weight_with_price((*array)->weight[turn.original],
                                                       mcd_prices_of(prices, turn.copy, turn.original)));
    }
    if (differs) return MACADAM_OK;
    mcd_array_keep_last(run->in_use[index], *array, NULL, 0); /* the next update takes its memory */
    mcd_array_leave(*array);
    *array = NULL;
    return MACADAM_OK;
}

/* Makes the patterns in use once those of the request are. */
static macadam_status new_patterns(update_run *run, macadam_error *error)
{
    const macadam_update_request *const request = run->request;
    const mcd_pattern_table given = {request->pattern_speed, request->pattern_count, request->slot_count};
    MCD_OWNED mcd_pattern_change *change = NULL;
    if (!request->pattern) return MACADAM_OK;
    MCD_TRY(MCD_NEW(change, run->applied_count, error));
    const uint32_t *arc = run->changed; /* an original comes before its copies */
    for (size_t i = 0; i < run->applied_count; arc += run->applied[i++].count) {
        const uint32_t original = mcd_arc_original(&run->engine->facts, *arc);
        if (original == MCD_ROAD_NONE) /* only in a file with a wrong index */
            return mcd_fail(error, MACADAM_E_FILE, "%s: section 'number_arc': arc %u has no original",
                            run->engine->file->name, *arc);
        change[i] = (mcd_pattern_change){original, request->pattern[run->applied[i].entry]};
    }
    return mcd_patterns_make(&run->patterns, &run->engine->roads, &given, change, run->applied_count, error);
}

/* Puts them in use. The versions with a clock, which borrow nothing of the old ones, end with the update. */
static void swap_patterns(update_run *run)
{
    mcd_arc_facts *const facts = &run->engine->facts;
    const mcd_patterns_in_use new = run->patterns;
    if (!new.arc_pattern) return;
    run->patterns = run->engine->patterns;
    run->engine->patterns = new;
    facts->arc_pattern = new.set.count ? new.arc_pattern : NULL;
    facts->pattern = new.set.value;
    facts->pattern_count = new.set.count, facts->pattern_slots = new.set.slot_count;
}

/* ---- customizing ---- */

/* If few arcs change, starts from the weights in use, provided that the device made them. */
static macadam_status customize_on_device(update_run *run, const mcd_version *in_use, mcd_version *version,
                                          macadam_error *error)
{
    macadam_engine *engine = run->engine;
    mcd_renew_job job = {
        .customize = mcd_version_job(version, engine),
        .changed = run->changed,
        .changed_count = run->changed_count,
    };
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    const macadam_status status = mcd_engine_place_map(engine, error);
    if (run->changed_count < engine->graph.arc_count / CHANGED_PART) job.base = in_use->weights.device;
    pthread_mutex_unlock(&engine->lock);
    MCD_TRY(status);
    version->device = engine->backend->device;
    MCD_TRY(version->device->weights_renew(&version->weights.device, engine->device_map, &job, error));
    version->is_placed = true;
    return MACADAM_OK;
}

/* Makes basic weights beside those in use, of which a repair has found the changes. */
static macadam_status next_basic(update_run *run, const mcd_basic *in_use, mcd_version *version,
                                 macadam_error *error)
{
    mcd_basic *basic;
    const mcd_weights weights = mcd_version_basic_weights(version, run->engine);
    MCD_TRY(mcd_basic_next(&basic, in_use, &weights, &run->found[version->metric], &run->engine->parallel,
                           error));
    version->basic = basic;
    return MACADAM_OK;
}

/* If few change and no call uses those in use, they change where they are, once the update is in use. */
static macadam_status repair_basic(update_run *run, mcd_version *version, const mcd_repair *repair,
                                   macadam_error *error)
{
    mcd_recustomized *const found = &run->found[version->metric];
    MCD_TRY(mcd_version_repair(found, version, run->engine, repair, error));
    if (!found->is_complete)
        mcd_recustomized_free(found);
    else if (found->count > IN_PLACE_MOST || atomic_load(&repair->from->users) > 1)
        return next_basic(run, repair->from, version, error);
    return MACADAM_OK;
}

/* Notes an update that a device can make. Returns whether the host makes basic weights instead: with "auto", once the device has
 * spent as long on updates whose repair would be short. The next ones are then repairs. */
static bool should_make_basic(const update_run *run, const mcd_version *in_use, mcd_version *version)
{
    const bool is_long = version->long_repair && run->changed_count >= version->long_repair;
    version->renewed_ns = in_use->renewed_ns;
    return run->engine->dispatch.is_free && !is_long &&
           mcd_version_can_repair(run->engine, run->changed_count) &&
           mcd_engine_outlasts_host(run->engine, &version->renewed_ns);
}

static macadam_status load_versions(mcd_version *in_use, mcd_version *version, macadam_engine *engine,
                                    macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    MCD_TRY(mcd_version_load(in_use, engine, error));
    return mcd_version_load(version, engine, error);
}

/* On the device, if there is one; with "auto", if it has the weights in use. On the host from the basic weights in use, if
 * there are any: after the device too, if a repair is short, so that both can answer afterwards. With "auto", a short repair is
 * enough: a question that gains by the device places the weights there. Without weights to start from, the host leaves it to the
 * questions that need it, or to the thread that is making the weights in use: the first routes are searched on the arcs. */
static macadam_status customize(update_run *run, mcd_version *in_use, mcd_version *version,
                                macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    mcd_basic *const basic = in_use->basic;
    const mcd_repair repair = {basic, run->changed, run->changed_count};
    const bool can_wait = !basic;
    bool is_repaired = basic && mcd_version_can_repair(engine, run->changed_count);
    const mcd_backend *backend = mcd_engine_backend(engine);
    engine->dispatch.host_lost_ns = 0;
    if (engine->device_map) engine->dispatch.lost_ns = 0; /* for lack of weights that are now replaced */
    version->long_repair = in_use->long_repair;
    if (can_wait && !backend->device) return MACADAM_OK;
    MCD_TRY(mcd_engine_load(engine, backend->device ? MCD_LOAD_HIERARCHY : MCD_LOAD_UPWARD, error));
    MCD_TRY(load_versions(in_use, version, engine, error));
    if (backend->device && engine->dispatch.is_free && is_repaired) {
        MCD_TRY(repair_basic(run, version, &repair, error));
        if (run->found[version->metric].is_complete) return MACADAM_OK;
        version->long_repair = run->changed_count;
        is_repaired = false;
    }
    if (backend->device && (!engine->dispatch.is_free || in_use->is_placed) &&
        !should_make_basic(run, in_use, version)) {
        macadam_status status = customize_on_device(run, in_use, version, error);
        if (!mcd_engine_falls_back(engine, &backend, status, error)) {
            if (!status && is_repaired) status = repair_basic(run, version, &repair, error);
            if (!status || status != MACADAM_E_MEMORY || !version->is_placed) return status;
            mcd_recover(error); /* the device has the weights */
            return MACADAM_OK;
        }
    }
    if (is_repaired) MCD_TRY(repair_basic(run, version, &repair, error));
    if (run->found[version->metric].is_complete || (can_wait && !backend->device)) return MACADAM_OK;
    if (basic) mcd_array_forget_last(basic->arrays); /* its memory can be used again */
    return mcd_version_make_basic(version, engine, error);
}

/* Finds whether a metric is customized now: the first one, and those that queries have used or are using. The first query
 * that uses another one customizes it. */
static macadam_status is_wanted(macadam_engine *engine, const mcd_version *in_use, bool *out,
                                macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    *out = in_use->metric == 0 || atomic_load(&in_use->users) > 1 || in_use->has_kept || in_use->basic ||
           in_use->weights.device;
    return MACADAM_OK;
}

/* If instructions have been requested over the weights in use: finds where roads are closed now. */
static macadam_status next_closed(const update_run *run, const mcd_version *in_use, mcd_version *version,
                                  macadam_error *error)
{
    const _Atomic uint64_t *const before = in_use->closed;
    _Atomic uint64_t *closed;
    if (!before || !mcd_version_can_repair(run->engine, run->changed_count)) return MACADAM_OK;
    const mcd_weights weights = {.objective = version->objective->weight,
                                 .companion = version->companion ? version->companion->weight : NULL};
    MCD_TRY(mcd_junctions_closed_next(&closed, before, &run->engine->roads, &weights, run->changed,
                                      run->changed_count, error));
    version->closed = closed;
    return MACADAM_OK;
}

static macadam_status new_version(update_run *run, size_t metric, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    const size_t companion = mcd_engine_companion(engine, metric);
    mcd_array *const new_objective = run->array[mcd_engine_objective(engine, metric)],
                     *const new_companion = companion == SIZE_MAX ? NULL : run->array[companion];
    mcd_version **const version = &run->version[metric];
    mcd_version *in_use;
    bool wanted;
    if (!new_objective && !new_companion) return MACADAM_OK;
    MCD_TRY(mcd_version_find_used(&in_use, engine, metric, error));
    MCD_TRY(mcd_version_new(version, engine, metric, new_objective ? new_objective : in_use->objective,
                            new_companion ? new_companion : in_use->companion, error));
    MCD_TRY(next_closed(run, in_use, *version, error));
    MCD_TRY(is_wanted(engine, in_use, &wanted, error));
    return wanted && engine->metadata->has_hierarchy ? customize(run, in_use, *version, error) : MACADAM_OK;
}

static macadam_status renew(update_run *run, macadam_error *error)
{
    bool differs = false;
    for (size_t q = 0; q < run->request->quantity_count; ++q) {
        MCD_TRY(new_array(run, q, error));
        differs |= run->array[run->quantity[q]] || run->turns.count > 0;
    }
    if (!differs) run->changed_count = 0;
    for (size_t m = 0; m < run->engine->metadata->n_metric; ++m) MCD_TRY(new_version(run, m, error));
    return MACADAM_OK;
}

#define SWAP(type, a, b)                                                                                     \
    do {                                                                                                     \
        type swapped = (a);                                                                                  \
        (a) = (b);                                                                                           \
        (b) = swapped;                                                                                       \
    } while (0)

/* Under the lock: makes copies of the basic weights that calls have begun to use. The last step that may fail. */
static macadam_status settle(update_run *run, macadam_error *error)
{
    for (size_t m = 0; m < MCD_QUANTITY_MAX; ++m) {
        mcd_version *const version = run->version[m];
        const mcd_version *const in_use = run->engine->version[m];
        if (!run->found[m].is_complete || version->basic) continue;
        if (atomic_load(&in_use->users) == 1 && mcd_basic_is_free(in_use->basic)) continue;
        MCD_TRY(next_basic(run, in_use->basic, version, error));
    }
    return MACADAM_OK;
}

/* Takes over the basic weights in use, and changes them. */
static void take_basic(update_run *run, size_t metric)
{
    mcd_version *const version = run->version[metric];
    const mcd_weights weights = mcd_version_basic_weights(version, run->engine);
    mcd_basic *const basic = atomic_exchange(&run->engine->version[metric]->basic, NULL);
    mcd_basic_change(basic, &weights, &run->found[metric], &run->engine->parallel);
    version->basic = basic;
}

/* Under the lock: leaves the replaced weights in the run, which releases them outside. */
static void swap_in(update_run *run)
{
    macadam_engine *engine = run->engine;
    for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i) {
        if (run->prices[i].is_loaded) SWAP(mcd_prices, engine->prices[i], run->prices[i]);
        if (run->array[i]) SWAP(mcd_array *, engine->quantity[i], run->array[i]);
        if (run->found[i].is_complete && !run->version[i]->basic) take_basic(run, i);
        if (run->version[i]) SWAP(mcd_version *, engine->version[i], run->version[i]);
    }
    swap_patterns(run);
    if (!mcd_version_can_repair(engine, run->changed_count)) engine->dispatch.is_outdated = true;
    run->conditioned = mcd_engine_take_versions(engine);
    atomic_fetch_add(&engine->update_count, 1);
}

/* Keeps the replaced arrays for the next update. */
static void keep_replaced(update_run *run)
{
    macadam_engine *const engine = run->engine;
    for (size_t m = 0; m < MCD_QUANTITY_MAX; ++m) {
        const mcd_basic *const basic = run->version[m] ? engine->version[m]->basic : NULL,
                               *const last = run->version[m] ? run->version[m]->basic : NULL;
        if (basic && last) mcd_basic_keep_last(basic, last, &run->found[m]);
    }
    const bool is_far = !mcd_version_can_repair(engine, run->changed_count);
    for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) {
        if (!run->array[q]) continue;
        mcd_array_keep_last(engine->quantity[q], run->array[q], run->changed,
                            is_far ? MCD_ARRAY_ALL : run->changed_count);
    }
}

/* Finds what the run needs of a file: under update_lock. */
static macadam_status load(update_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    const macadam_update_request *const request = run->request;
    bool is_signed;
    MCD_TRY(find_quantities(run, &is_signed, error));
    MCD_TRY(mcd_pending_begin(&run->last_number, engine, request, run->quantity, error));
    run->is_ready = run->last_number > 0;
    if (run->is_ready) return MACADAM_OK;
    run->uses_stored = request->turn_count == 0 &&
                       (engine->stored_index.first ||
                        mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_INDEX})) &&
                       !engine->arc_index.first &&
                       request->count <= engine->metadata->arc_count / LOOKED_UP_PART;
    run->is_light = run->uses_stored && request->arc && !request->pattern && !is_signed;
    MCD_TRY(mcd_engine_load(engine, run->is_light ? MCD_LOAD_SHUT : MCD_LOAD_FACTS, error));
    return request->turn_count ? mcd_engine_load(engine, MCD_LOAD_GRAPH, error) : MACADAM_OK;
}

/* Prepares the new weights beside those in use; takes the engine's update_lock. */
static macadam_status prepare(update_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    mcd_engine_retry_device(engine);
    MCD_TRY(mcd_watch_lock(&engine->update_lock, error));
    run->is_locked = true;
    MCD_TRY(load(run, error));
    if (run->last_number > 0) return apply_entries(run, error);
    MCD_TRY(begin_quantities(run, error));
    MCD_TRY(apply_all(run, error));
    MCD_TRY(new_patterns(run, error));
    return run->changed_count ? renew(run, error) : MACADAM_OK;
}

/* Puts the new weights in use. */
static void finish(update_run *run)
{
    if (run->changed_count || run->patterns.arc_pattern) swap_in(run);
    for (size_t i = 0; run->last_number > 0 && i < run->applied_count; ++i)
        mcd_pending_add(run->engine, run->request, run->quantity, run->applied[i].entry);
    pthread_mutex_unlock(&run->engine->lock);
    run->is_ready = false;
    if (run->changed_count) keep_replaced(run);
}

static void end(update_run *run)
{
    if (run->is_ready) pthread_mutex_unlock(&run->engine->lock);
    for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i)
        if (run->prices[i].set && run->prices[i].set != run->engine->prices[i].set)
            mcd_free(run->prices[i].set);
    if (run->is_locked) pthread_mutex_unlock(&run->engine->update_lock);
    MCD_FREE_ALL(run->changed, run->applied, run->turns.turn);
    mcd_patterns_free(&run->patterns);
    for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i) {
        mcd_recustomized_free(&run->found[i]);
        mcd_version_leave(run->version[i]);
        mcd_array_leave(run->array[i]);
    }
    mcd_versions_leave(run->conditioned);
    mcd_engine_keep_memory(run->engine);
}

/* Counts the entries and turns that no profile has, or fails at the first one. */
static macadam_status check_known(const update_run *run, macadam_error *error)
{
    const macadam_update_request *const request = run->request;
    const size_t count = request->count;
    if (request->unknown_count) *request->unknown_count = 0;
    for (size_t i = 0; i < count + request->turn_count; ++i) {
        if (run->is_known[i]) continue;
        if (!request->unknown_count)
            return mcd_fail(error, MACADAM_E_NOT_FOUND, "no profile of the file has %s %zu",
                            i < count ? "an arc for entry" : "turn", i < count ? i : i - count);
        ++*request->unknown_count;
    }
    return MACADAM_OK;
}

typedef struct update_runs {
    update_run *run;
    size_t count;
} update_runs;

static void end_all(update_runs *runs)
{
    while (runs->count > 0) end(&runs->run[--runs->count]);
    mcd_free(runs->run);
}

/* Prepares the weights of one profile or of all, and takes all locks, before any are put in use. Every call that takes
 * several engines' locks takes them in the order of the profiles. */
static macadam_status update(macadam_engine *engine, const macadam_update_request *request,
                             macadam_error *error)
{
    const bool all = request->all_profiles;
    const size_t most = all ? engine->profile_count : 1;
    MCD_FREED_BY(end_all) update_runs runs = {.count = 0};
    MCD_OWNED bool *is_known = NULL;
    if (all && (request->arc || request->turn_from))
        return mcd_fail_invalid(error, "arc numbers are a profile's own: they cannot hold for all");
    if (all || request->unknown_count)
        MCD_TRY(MCD_NEW_ZEROED(is_known, request->count + request->turn_count, error));
    MCD_TRY(MCD_NEW_ZEROED(runs.run, most, error));
    if (request->changed) memset(request->changed, 0, request->count * sizeof *request->changed);
    while (runs.count < most) {
        update_run *const run = &runs.run[runs.count];
        *run = (update_run){.engine = engine, .request = request, .is_known = is_known};
        if (all) MCD_TRY(mcd_engine_sibling(engine, runs.count, &run->engine, error));
        ++runs.count;
        MCD_TRY(prepare(run, error));
    }
    if (is_known) MCD_TRY(check_known(runs.run, error));
    for (size_t i = 0; i < runs.count; ++i) {
        if (runs.run[i].is_ready) continue;
        MCD_TRY(mcd_watch_lock(&runs.run[i].engine->lock, error));
        runs.run[i].is_ready = true;
    }
    for (size_t i = 0; i < runs.count; ++i) MCD_TRY(settle(&runs.run[i], error));
    for (size_t i = 0; i < runs.count; ++i) finish(&runs.run[i]);
    return MACADAM_OK;
}

macadam_status macadam_update(macadam_engine *engine, const macadam_update_request *request,
                              macadam_error *error)
{
    macadam_update_request own = MACADAM_UPDATE_REQUEST_INIT;
    if (!engine) return mcd_fail_invalid(error, "no engine");
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "update request", error));
    MCD_TRY(mcd_update_request_check(&own, error));
    const mcd_progress progress = mcd_engine_progress(engine, own.progress, own.progress_context);
    MCD_WATCHED(watch, &progress, "loading");
    return update(engine, &own, error);
}
