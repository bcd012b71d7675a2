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

/* Lists the places that are cut off. Returns how many. */
static size_t list_cut_off(const mcd_located *located, uint32_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < located->list.count; ++i)
        if (located->cut_off[i] != MCD_ROAD_NONE) out[count++] = (uint32_t)i;
    return count;
}

/* Moves all places to their nearest roads, and remembers where they were. */
static macadam_status take_any(mcd_located *located, const mcd_query *query, macadam_error *error)
{
    uint32_t *place;
    MCD_TRY(MCD_NEW(located->fallback, located->list.count, error));
    memcpy(located->fallback, located->position, located->list.count * sizeof *located->position);
    MCD_TRY(MCD_NEW(place, located->list.count, error));
    const macadam_status status =
        mcd_located_move(located, query, place, list_cut_off(located, place), true, error);
    mcd_free(place);
    return status;
}

/* Potentials are told of one position a place: places have no second ones then. */
static bool has_potentials(const mcd_query *query)
{
    bool found = mcd_query_objective_potential(query);
    for (size_t q = 0; q < query->quantity_count; ++q) found = found || query->potential[q];
    return found;
}

static macadam_status locate_points(mcd_located *out, const mcd_query *query, macadam_error *error)
{
    const mcd_place_list *const list = &out->list;
    const bool stays = has_potentials(query);
    mcd_locator locator = locator_of(query);
    mcd_outcome outcome = list->outcome;
    locator.any_component = stays && query->snap_any_component;
    MCD_TRY(MCD_NEW(out->position, list->count, error));
    MCD_TRY(MCD_NEW(out->cut_off, list->count, error));
    outcome.cut_off = out->cut_off;
    MCD_TRY(mcd_locate(&locator, &query->engine->parallel, list->place, list->count, out->position, outcome,
                       error));
    for (size_t i = 0; i < list->count && stays; ++i) out->cut_off[i] = MCD_ROAD_NONE;
    for (size_t i = 0; i < list->count; ++i) out->has_cut_off |= out->cut_off[i] != MCD_ROAD_NONE;
    if (!out->has_cut_off) return MACADAM_OK;
    MCD_TRY(mcd_engine_load_components(query->engine, error));
    return query->snap_any_component ? take_any(out, query, error) : MACADAM_OK;
}

macadam_status mcd_locate_places(mcd_located *out, const mcd_query *query, const mcd_place_list *list,
                                 mcd_end end, const char *what, macadam_error *error)
{
    *out = (mcd_located){.list = *list, .end = end};
    if (list->count == 0 || !list->place) return mcd_fail(error, MACADAM_E_INVALID, "no %s", what);
    if (list->count >= PLACES_MAX)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu %ss are too many", list->count, what);
    const bool has_points = !query->no_points && has_point(query->engine, list->place, list->count);
    out->by_point = has_points || list->outcome.snap;
    if (has_points) MCD_TRY(mcd_engine_load_snap(query->engine, error));
    return out->by_point ? locate_points(out, query, error) : MACADAM_OK;
}

/* Returns whether the places have been located as sources: where a place is does not depend on what it is for. */
static bool is_same(const mcd_place_list *a, const mcd_place_list *b)
{
    return a->place == b->place && a->count == b->count && !a->outcome.status == !b->outcome.status &&
           !a->outcome.snap == !b->outcome.snap;
}

static macadam_status copy_located(mcd_located *out, const mcd_located *from, const mcd_place_list *list,
                                   macadam_error *error)
{
    const mcd_outcome *const to = &list->outcome, *const outcome = &from->list.outcome;
    *out = (mcd_located){
        .list = *list, .end = MCD_ARRIVE, .by_point = from->by_point, .has_cut_off = from->has_cut_off};
    if (!from->by_point) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->position, list->count, error));
    MCD_TRY(MCD_NEW(out->cut_off, list->count, error));
    memcpy(out->position, from->position, list->count * sizeof *out->position);
    memcpy(out->cut_off, from->cut_off, list->count * sizeof *out->cut_off);
    if (from->fallback) MCD_TRY(MCD_NEW(out->fallback, list->count, error));
    if (from->fallback) memcpy(out->fallback, from->fallback, list->count * sizeof *out->fallback);
    if (to->status) memcpy(to->status, outcome->status, list->count * sizeof *to->status);
    if (to->snap) memcpy(to->snap, outcome->snap, list->count * sizeof *to->snap);
    return MACADAM_OK;
}

/* The other side may need it, whatever this one is. */
static macadam_status keep_fallback(mcd_located *located, macadam_error *error)
{
    if (located->fallback || !located->by_point) return MACADAM_OK;
    MCD_TRY(MCD_NEW(located->fallback, located->list.count, error));
    memcpy(located->fallback, located->position, located->list.count * sizeof *located->position);
    return MACADAM_OK;
}

macadam_status mcd_locate_both(mcd_located *source, mcd_located *target, const mcd_query *query,
                               const mcd_place_list *sources, const mcd_place_list *targets,
                               macadam_error *error)
{
    *target = (mcd_located){.end = MCD_ARRIVE};
    MCD_TRY(mcd_locate_places(source, query, sources, MCD_DEPART, "source", error));
    if (is_same(sources, targets))
        MCD_TRY(copy_located(target, source, targets, error));
    else
        MCD_TRY(mcd_locate_places(target, query, targets, MCD_ARRIVE, "target", error));
    if (!query->snap_any_component || (!source->has_cut_off && !target->has_cut_off)) return MACADAM_OK;
    MCD_TRY(keep_fallback(source, error));
    return keep_fallback(target, error);
}

void mcd_located_free(mcd_located *located)
{
    mcd_free(located->position);
    mcd_free(located->cut_off);
    mcd_free(located->fallback);
    *located = (mcd_located){.by_point = false};
}

/* ---- other positions ---- */

uint32_t mcd_located_site(const mcd_located *located, const macadam_engine *engine, size_t i)
{
    const mcd_place_index *const places = &engine->places;
    const macadam_place *const place = &located->list.place[i];
    if (mcd_located_is_cut_off(located, i))
        return engine->components.component[engine->graph.head[located->cut_off[i]]];
    const bool is_id = place->kind == MACADAM_PLACE_NODE && mcd_place_is_current(place);
    const size_t id = is_id ? mcd_place_find_id(places, place->id) : MCD_PLACE_NONE;
    return id == MCD_PLACE_NONE ? MCD_SITE_NONE : engine->components.component[places->depart[id]];
}

mcd_position mcd_located_fallback(const mcd_located *located, const macadam_engine *engine, size_t i)
{
    mcd_position position = mcd_position_none;
    if (located->by_point) return (located->fallback ? located->fallback : located->position)[i];
    position.id = mcd_place_find_id(&engine->places, located->list.place[i].id);
    return position;
}

/* Places that are located again. */
typedef struct relocation {
    macadam_place *place;
    macadam_place_status *status;
    macadam_snap *snap;
} relocation;

static macadam_status locate_again(relocation *again, const mcd_located *located, const mcd_query *query,
                                   const uint32_t *place, size_t count, bool nearest, mcd_position *out,
                                   macadam_error *error)
{
    mcd_locator locator = locator_of(query);
    locator.any_component = nearest;
    MCD_TRY(MCD_NEW(again->place, count, error));
    MCD_TRY(MCD_NEW(again->status, count, error));
    MCD_TRY(MCD_NEW(again->snap, count, error));
    for (size_t k = 0; k < count; ++k) again->place[k] = located->list.place[place[k]];
    return mcd_locate(&locator, &query->engine->parallel, again->place, count, out,
                      (mcd_outcome){.status = again->status, .snap = again->snap}, error);
}

macadam_status mcd_located_again(const mcd_located *located, const mcd_query *query, const uint32_t *place,
                                 size_t count, bool nearest, bool tells, mcd_position *out,
                                 macadam_error *error)
{
    relocation again = {NULL};
    const mcd_outcome *const all = &located->list.outcome;
    const macadam_status status = locate_again(&again, located, query, place, count, nearest, out, error);
    for (size_t k = 0; k < count && tells && !status; ++k) {
        if (all->status) all->status[place[k]] = again.status[k];
        if (all->snap) all->snap[place[k]] = again.snap[k];
    }
    mcd_free(again.place);
    mcd_free(again.status);
    mcd_free(again.snap);
    return status;
}

macadam_status mcd_located_move(mcd_located *located, const mcd_query *query, const uint32_t *place,
                                size_t count, bool nearest, macadam_error *error)
{
    mcd_position *position;
    if (count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW(position, count, error));
    const macadam_status status =
        mcd_located_again(located, query, place, count, nearest, true, position, error);
    for (size_t k = 0; k < count && !status; ++k) located->position[place[k]] = position[k];
    mcd_free(position);
    return status;
}

/* ---- lanes ---- */

macadam_status mcd_located_lanes(mcd_located *located, const mcd_query *query, mcd_lanes *out,
                                 macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    const mcd_place_list *const list = &located->list;
    mcd_position *const position = located->position;
    if (!located->by_point)
        return mcd_lanes_of_ids(out, &engine->places, &engine->parallel, list->place, list->count,
                                located->end, list->outcome.status, error);
    located->position = NULL;
    return mcd_lanes_new(out, &engine->places, engine->places.lon_e7 ? &engine->roads : NULL,
                         mcd_query_weights(query), &engine->parallel, position, list->count, located->end,
                         error);
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
