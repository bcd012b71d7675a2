/* located.c - see located.h. */
#include "engine/query/located.h"

#include "engine/base/memory.h"
#include "engine/runtime/load.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_PER_TASK = 1 << 14 };
#define PLACES_MAX UINT32_MAX /* lanes are counted in 32 bits */

typedef struct point_search {
    const macadam_place *place;
    size_t count;
    atomic_bool found;
} point_search;

static void find_point(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    point_search *search = argument;
    const size_t first = index * PLACES_PER_TASK, end = mcd_size_min(first + PLACES_PER_TASK, search->count);
    bool found = false;
    for (size_t i = first; i < end; ++i) found |= search->place[i].kind == MACADAM_PLACE_POINT;
    if (found) atomic_store(&search->found, true);
}

/* Returns false if there are more places than can be located: they are refused before one is read. */
static bool has_point(const macadam_engine *engine, const macadam_place *place, size_t count)
{
    point_search search = {.place = place, .count = place && count < PLACES_MAX ? count : 0};
    mcd_parallel_for(&engine->parallel, (search.count + PLACES_PER_TASK - 1) / PLACES_PER_TASK, find_point,
                     &search);
    return atomic_load(&search.found);
}

mcd_need mcd_query_need(const macadam_engine *engine, const macadam_place *place, size_t count)
{
    return engine && has_point(engine, place, count) ? MCD_NEED_WEIGHTS : MCD_NEED_COSTS;
}

/* The engine must have loaded the data that its places need. */
static mcd_locator locator_of(const mcd_query *query)
{
    const macadam_engine *const engine = query->engine;
    mcd_locator locator = {.places = &engine->places,
                           .radius_m = query->snap_radius_m,
                           .any_component = query->snap_any_component,
                           .drives_left = engine->metadata->drives_left};
    locator.weights = mcd_query_closures(query);
    for (size_t q = 0; q < query->quantity_count; ++q) locator.potential[q] = query->potential[q];
    if (engine->places.lon_e7) {
        locator.roads = &engine->roads;
        locator.snap = &engine->snap;
    }
    return locator;
}

/* ---- places ---- */

/* Some of a query's places while they are being located. */
typedef struct located {
    mcd_place_list list;
    mcd_end end;
    bool by_point;          /* some place is a point, or the caller requests where places are */
    mcd_position *position; /* if so */
    bool asks_cut_off;
    uint32_t *cut_off; /* [count] as in mcd_outcome */
} located;

static macadam_status locate(located *out, const mcd_query *query, const char *what, macadam_error *error)
{
    const mcd_place_list *const list = &out->list;
    if (list->count == 0 || !list->place) return mcd_fail(error, MACADAM_E_INVALID, "no %s", what);
    if (list->count >= PLACES_MAX)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu %ss are too many", list->count, what);
    const bool has_points = !query->no_points && has_point(query->engine, list->place, list->count);
    out->by_point = has_points || list->outcome.snap;
    if (!out->by_point) return MACADAM_OK;
    if (has_points) MCD_TRY(mcd_engine_load_snap(query->engine, error));
    const mcd_locator locator = locator_of(query);
    mcd_outcome outcome = list->outcome;
    if (out->asks_cut_off) MCD_TRY(MCD_NEW(out->cut_off, list->count, error));
    outcome.cut_off = out->cut_off;
    MCD_TRY(MCD_NEW(out->position, list->count, error));
    return mcd_locate(&locator, &query->engine->parallel, list->place, list->count, out->position, outcome,
                      error);
}

/* Takes over the positions. */
static macadam_status make_lanes(located *from, const mcd_query *query, mcd_lanes *out, macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    const mcd_place_list *const list = &from->list;
    mcd_position *const position = from->position;
    from->position = NULL;
    if (!from->by_point)
        return mcd_lanes_of_ids(out, &engine->places, &engine->parallel, list->place, list->count, from->end,
                                list->outcome.status, error);
    return mcd_lanes_new(out, &engine->places, engine->places.lon_e7 ? &engine->roads : NULL,
                         mcd_query_weights(query), &engine->parallel, position, list->count, from->end,
                         error);
}

static void free_located(located *from)
{
    mcd_free(from->position);
    mcd_free(from->cut_off);
}

macadam_status mcd_query_lanes(const mcd_query *query, const macadam_place *place, size_t count, mcd_end end,
                               const char *what, mcd_lanes *out, mcd_outcome outcome, macadam_error *error)
{
    located places = {.list = {place, count, outcome}, .end = end};
    *out = (mcd_lanes){.end = end};
    macadam_status status = locate(&places, query, what, error);
    if (!status) status = make_lanes(&places, query, out, error);
    if (!status) status = mcd_lanes_widen(out, &query->engine->parallel, error);
    free_located(&places);
    return status;
}

/* ---- places that a query connects ---- */

#define NO_COMPONENT UINT32_MAX

/* Returns the component of the place's nearest road if that road is cut off, otherwise that of its id. */
static uint32_t component_of(const macadam_engine *engine, const located *from, size_t i)
{
    const mcd_place_index *const places = &engine->places;
    if (from->by_point && from->cut_off[i] != MCD_ROAD_NONE)
        return engine->components.component[engine->graph.head[from->cut_off[i]]];
    if (from->list.place[i].kind != MACADAM_PLACE_NODE) return NO_COMPONENT;
    const size_t id = mcd_place_find_id(places, from->list.place[i].id);
    return id == MCD_PLACE_NONE ? NO_COMPONENT : engine->components.component[places->depart[id]];
}

/* Moves a place to its nearest road if that road is cut off. */
static macadam_status take_to_nearest(located *of, const mcd_query *query, size_t i, macadam_error *error)
{
    if (!of->by_point || of->cut_off[i] == MCD_ROAD_NONE) return MACADAM_OK;
    const mcd_outcome *const all = &of->list.outcome;
    const mcd_outcome one = {.status = all->status ? &all->status[i] : NULL,
                             .snap = all->snap ? &all->snap[i] : NULL};
    const mcd_parallel alone = {1, NULL};
    mcd_locator locator = locator_of(query);
    locator.any_component = true;
    return mcd_locate(&locator, &alone, &of->list.place[i], 1, &of->position[i], one, error);
}

static bool has_cut_off(const located *of)
{
    bool found = false;
    for (size_t i = 0; of->by_point && i < of->list.count; ++i) found |= of->cut_off[i] != MCD_ROAD_NONE;
    return found;
}

/* Returns the one component of all places; NO_COMPONENT: there are several. */
static uint32_t common_component(const macadam_engine *engine, const located *of)
{
    const uint32_t first = component_of(engine, of, 0);
    for (size_t i = 1; i < of->list.count; ++i)
        if (component_of(engine, of, i) != first) return NO_COMPONENT;
    return first;
}

static macadam_status connect_each(located *source, located *target, const mcd_query *query,
                                   macadam_error *error)
{
    for (size_t i = 0; i < source->list.count; ++i) {
        const uint32_t component = component_of(query->engine, source, i);
        if (component == NO_COMPONENT || component != component_of(query->engine, target, i)) continue;
        MCD_TRY(take_to_nearest(source, query, i, error));
        MCD_TRY(take_to_nearest(target, query, i, error));
    }
    return MACADAM_OK;
}

static macadam_status connect_chain(located *source, located *target, const mcd_query *query,
                                    macadam_error *error)
{
    const uint32_t component = common_component(query->engine, source);
    if (component == NO_COMPONENT || component != common_component(query->engine, target)) return MACADAM_OK;
    for (size_t i = 0; i < source->list.count; ++i) MCD_TRY(take_to_nearest(source, query, i, error));
    for (size_t i = 0; i < target->list.count; ++i) MCD_TRY(take_to_nearest(target, query, i, error));
    return MACADAM_OK;
}

/* Returns whether the places have been located as sources: where a place is does not depend on what it is for. */
static bool is_same(const mcd_place_list *a, const mcd_place_list *b)
{
    return a->place == b->place && a->count == b->count && !a->outcome.status == !b->outcome.status &&
           !a->outcome.snap == !b->outcome.snap;
}

static macadam_status copy_located(located *out, const located *from, macadam_error *error)
{
    const size_t count = from->list.count;
    const mcd_outcome *const to = &out->list.outcome, *const outcome = &from->list.outcome;
    out->by_point = from->by_point;
    if (!from->by_point) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->position, count, error));
    MCD_TRY(MCD_NEW(out->cut_off, count, error));
    memcpy(out->position, from->position, count * sizeof *out->position);
    memcpy(out->cut_off, from->cut_off, count * sizeof *out->cut_off);
    if (to->status) memcpy(to->status, outcome->status, count * sizeof *to->status);
    if (to->snap) memcpy(to->snap, outcome->snap, count * sizeof *to->snap);
    return MACADAM_OK;
}

/* Locates both. *found: some place's nearest road is cut off, so that connections matter. */
static macadam_status locate_both(const mcd_query *query, located *source, located *target, bool *found,
                                  macadam_error *error)
{
    MCD_TRY(locate(source, query, "source", error));
    if (is_same(&source->list, &target->list))
        MCD_TRY(copy_located(target, source, error));
    else
        MCD_TRY(locate(target, query, "target", error));
    bool stays = query->snap_any_component; /* potentials are told of one position a place */
    for (size_t q = 0; q < query->quantity_count; ++q) stays = stays || query->potential[q];
    *found = !stays && (has_cut_off(source) || has_cut_off(target));
    return *found ? mcd_engine_load_components(query->engine, error) : MACADAM_OK;
}

static macadam_status make_both(located *source, located *target, const mcd_query *query, mcd_lanes *from,
                                mcd_lanes *to, macadam_error *error)
{
    MCD_TRY(make_lanes(source, query, from, error));
    return make_lanes(target, query, to, error);
}

macadam_status mcd_query_lanes_between(const mcd_query *query, const mcd_place_list *source,
                                       const mcd_place_list *target, mcd_pairing pairing, mcd_lanes *from,
                                       mcd_lanes *to, macadam_error *error)
{
    located start = {.list = *source, .end = MCD_DEPART, .asks_cut_off = true},
            end = {.list = *target, .end = MCD_ARRIVE, .asks_cut_off = true};
    *from = (mcd_lanes){.end = MCD_DEPART};
    *to = (mcd_lanes){.end = MCD_ARRIVE};
    bool found = false;
    macadam_status status = locate_both(query, &start, &end, &found, error);
    if (!status && found)
        status = (pairing == MCD_PAIRING_EACH ? connect_each : connect_chain)(&start, &end, query, error);
    if (!status) status = make_both(&start, &end, query, from, to, error);
    free_located(&start);
    free_located(&end);
    return status;
}

/* ---- pairs of a matrix ---- */

/* A target with its component; targets whose nearest road is cut off come first. */
typedef struct site_target {
    uint32_t component, target;
    bool by_id;
} site_target;

static int compare_targets(const void *a, const void *b)
{
    const site_target *x = a, *y = b;
    if (x->component != y->component) return x->component < y->component ? -1 : 1;
    if (x->by_id != y->by_id) return x->by_id ? 1 : -1;
    return (x->target > y->target) - (x->target < y->target);
}

static bool is_by_id(const located *of, size_t i)
{
    return !of->by_point || of->cut_off[i] == MCD_ROAD_NONE;
}

static size_t list_targets(site_target *out, const macadam_engine *engine, const located *target)
{
    size_t count = 0;
    for (size_t t = 0; t < target->list.count; ++t) {
        const uint32_t component = component_of(engine, target, t);
        if (component != NO_COMPONENT)
            out[count++] = (site_target){component, (uint32_t)t, is_by_id(target, t)};
    }
    qsort(out, count, sizeof *out, compare_targets);
    return count;
}

/* Returns the first target of the component, or `count`. */
static size_t first_of(const site_target *target, size_t count, uint32_t component)
{
    size_t first = 0, last = count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (target[middle].component < component)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Counts, or lists, the pairs in which at least one place is not an id. */
static size_t list_pairs(const macadam_engine *engine, const located *source, const site_target *target,
                         size_t target_count, mcd_place_pair *out)
{
    size_t count = 0;
    for (size_t s = 0; s < source->list.count; ++s) {
        const uint32_t component = component_of(engine, source, s);
        if (component == NO_COMPONENT) continue;
        for (size_t t = first_of(target, target_count, component);
             t < target_count && target[t].component == component &&
             !(target[t].by_id && is_by_id(source, s));
             ++t) {
            if (out) out[count] = (mcd_place_pair){(uint32_t)s, target[t].target};
            ++count;
        }
    }
    return count;
}

static macadam_status find_pairs(const macadam_engine *engine, const located *source, const located *target,
                                 mcd_place_pair **pair, size_t *count, macadam_error *error)
{
    site_target *list;
    MCD_TRY(MCD_NEW(list, target->list.count, error));
    const size_t target_count = list_targets(list, engine, target);
    *count = list_pairs(engine, source, list, target_count, NULL);
    const macadam_status status = MCD_NEW(*pair, *count, error);
    if (!status) list_pairs(engine, source, list, target_count, *pair);
    mcd_free(list);
    return status;
}

macadam_status mcd_query_lanes_of_matrix(const mcd_query *query, const mcd_place_list *source,
                                         const mcd_place_list *target, mcd_lanes *from, mcd_lanes *to,
                                         mcd_place_pair **pair, size_t *count, macadam_error *error)
{
    located start = {.list = *source, .end = MCD_DEPART, .asks_cut_off = true},
            end = {.list = *target, .end = MCD_ARRIVE, .asks_cut_off = true};
    *from = (mcd_lanes){.end = MCD_DEPART};
    *to = (mcd_lanes){.end = MCD_ARRIVE};
    *pair = NULL;
    *count = 0;
    bool found = false;
    macadam_status status = locate_both(query, &start, &end, &found, error);
    if (!status && found) status = find_pairs(query->engine, &start, &end, pair, count, error);
    if (!status) status = make_both(&start, &end, query, from, to, error);
    if (!status) status = mcd_lanes_widen(from, &query->engine->parallel, error);
    if (!status) status = mcd_lanes_widen(to, &query->engine->parallel, error);
    free_located(&start);
    free_located(&end);
    return status;
}

/* ---- the interface ---- */

/* A point needs the weights: roads may be closed. */
static macadam_status begin_snap(mcd_query *out, macadam_engine *engine, const macadam_query *given,
                                 const macadam_place *place, size_t count, macadam_error *error)
{
    *out = (mcd_query){0};
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    const bool has_points = has_point(engine, place, count);
    MCD_TRY(mcd_query_begin_arcs(out, engine, engine->host, given, has_points, 0, error));
    return has_points ? mcd_engine_load_snap(engine, error) : MACADAM_OK;
}

macadam_status macadam_snap_places(macadam_engine *engine, const macadam_query *query,
                                   const macadam_place *place, size_t count, macadam_snap *snap,
                                   macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    mcd_query own;
    if (count >= PLACES_MAX) return mcd_fail(error, MACADAM_E_INVALID, "%zu places are too many", count);
    if (count && (!place || !snap))
        return mcd_fail(error, MACADAM_E_INVALID, "no memory for %zu places", count);
    macadam_status status = begin_snap(&own, engine, query, place, count, error);
    if (!status) {
        const mcd_locator locator = locator_of(&own);
        status =
            mcd_locate(&locator, &engine->parallel, place, count, NULL, (mcd_outcome){.snap = snap}, error);
    }
    mcd_query_end(&own);
    return status;
}

macadam_status macadam_snap_candidates(macadam_engine *engine, const macadam_query *query,
                                       const macadam_place *place, size_t capacity, macadam_snap *snap,
                                       size_t *count, macadam_error *error)
{
    mcd_query own;
    if (!count) return mcd_fail(error, MACADAM_E_INVALID, "no place for the count of candidates");
    *count = 0;
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    if (!place || !snap) return mcd_fail(error, MACADAM_E_INVALID, "no place, or no memory for candidates");
    if (capacity < 1 || capacity > MACADAM_SNAP_CANDIDATES_MAX)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu candidates are requested, not 1 to %d", capacity,
                        MACADAM_SNAP_CANDIDATES_MAX);
    const macadam_status status = begin_snap(&own, engine, query, place, 1, error);
    if (!status) {
        const mcd_locator locator = locator_of(&own);
        *count = mcd_locate_candidates(&locator, place, snap, capacity);
    }
    mcd_query_end(&own);
    return status;
}
