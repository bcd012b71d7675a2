/* located.c - see located.h. */
#include "engine/query/places/located.h"

#include "engine/query/places/device_roads.h"
#include "engine/runtime/load.h"

enum {
    PLACES_PER_TASK = 1 << 14,
    PLACES_FIRST = 16,
    ROADS_LEAST = 512, /* places whose lanes a device makes */
};
#define PLACES_MAX UINT32_MAX /* lanes are counted in 32 bits */

typedef struct point_search {
    const macadam_place *place;
    atomic_bool found;
} point_search;

static void find_point(void *argument, size_t first, size_t end)
{
    point_search *search = argument;
    for (size_t i = first; i < end && !atomic_load_explicit(&search->found, memory_order_relaxed); ++i)
        if (search->place[i].kind == MACADAM_PLACE_POINT) atomic_store(&search->found, true);
}

/* Returns false if there are more places than can be located: they are refused before one is read. */
static bool has_point(const macadam_engine *engine, const macadam_place *place, size_t count)
{
    point_search search = {.place = place};
    if (!place || count >= PLACES_MAX) return false;
    find_point(
        &search, 0,
        mcd_size_min(count, PLACES_FIRST)); /* without threads: mostly, all places are points or none */
    mcd_parallel_for_ranges(&engine->parallel, atomic_load(&search.found) ? 0 : count, PLACES_PER_TASK,
                            find_point, &search);
    return atomic_load(&search.found);
}

mcd_need mcd_query_need(const macadam_engine *engine, const macadam_place *place, size_t count)
{
    return has_point(engine, place, count) ? MCD_NEED_WEIGHTS : MCD_NEED_COSTS;
}

mcd_locator mcd_query_locator(const mcd_query *query)
{
    const macadam_engine *const engine = query->engine;
    mcd_locator locator = {.places = &engine->places,
                           .radius_m = query->snap_radius_m,
                           .any_component = query->snap_any_component,
                           .drives_left = engine->metadata->drives_left};
    locator.weights = mcd_query_closures(query);
    if (engine->places.lon_e7) {
        locator.roads = &engine->roads;
        locator.snap = &engine->snap;
    }
    return locator;
}

/* ---- places ---- */

/* Sets the lifts of the objective or the companion, if its costs lie between potentials. */
static void lift_places(mcd_located *located, const mcd_query *query, bool companion)
{
    const mcd_roads *const roads = &query->engine->roads;
    const int32_t *const potential = mcd_query_potential(query, companion);
    for (size_t k = 0; potential && k < located->cut_off_count; ++k) {
        const size_t i = located->cut_off_place[k];
        mcd_position *const first = &located->position[i], *const second = &located->second[i].position;
        const int64_t above = (int64_t)mcd_position_potential(second, roads, potential) -
                              mcd_position_potential(first, roads, potential),
                      lift = located->end == MCD_DEPART ? above : -above;
        first->lift[companion] = lift > 0 ? (mcd_weight)lift : 0;
        second->lift[companion] = lift < 0 ? (mcd_weight)-lift : 0;
    }
}

static void lift_all(mcd_located *located, const mcd_query *query)
{
    lift_places(located, query, false);
    lift_places(located, query, true);
}

/* Lists the places that are cut off, and looks for ids. */
static macadam_status list_cut_off(mcd_located *out, macadam_error *error)
{
    for (size_t i = 0; i < out->list.count; ++i) {
        out->cut_off_count += mcd_located_is_cut_off(out, i);
        out->has_ids |= out->list.place[i].kind == MACADAM_PLACE_NODE;
    }
    if (out->cut_off_count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->cut_off_place, out->cut_off_count, error));
    for (size_t i = 0, k = 0; k < out->cut_off_count; ++i)
        if (mcd_located_is_cut_off(out, i)) out->cut_off_place[k++] = (uint32_t)i;
    return MACADAM_OK;
}

/* Lets lanes use what is known of the places. */
static void use_known(mcd_located *located, mcd_known_list *known, size_t first)
{
    if (known) atomic_fetch_add(&known->users, 1);
    located->known = known, located->known_first = first;
}

/* Locates the places of lists. Keeps their roads if they came before, and uses those that are kept. */
static macadam_status locate_lists(mcd_located *const *located, const mcd_query *query, mcd_locator *locator,
                                   const mcd_locate_list *list, size_t count, macadam_error *error)
{
    macadam_engine *const engine = query->engine;
    MCD_OWNED mcd_nearest_road *learned = NULL;
    mcd_device_roads of_device = {.road = NULL};
    mcd_known_call call;
    size_t places = 0;
    for (size_t k = 0; k < count; ++k) places += list[k].count;
    mcd_known_roads_find(&call, &engine->known_roads, locator, list, count);
    if (!call.list) mcd_device_roads_find(&of_device, query, locator, NULL, list, count);
    locator->known = call.list ? call.list->road : of_device.road;
    locator->known_connected = call.list ? call.list->road + places : of_device.connected;
    if (call.is_again && !call.list) learned = mcd_allocate_zeroed(2 * places, sizeof *learned);
    if (learned) { /* without memory, nothing is kept */
        if (of_device.road) memcpy(learned, of_device.road, places * sizeof *learned);
        for (size_t i = 0; of_device.road && i < places; ++i)
            if (learned[i].state == MCD_NEAREST_CUT_OFF) learned[places + i] = of_device.connected[i];
        locator->learned = learned, locator->learned_connected = learned + places;
    }
    const macadam_status status = mcd_locate(locator, &engine->parallel, list, count, error);
    for (size_t k = 0, first = 0; k < count; first += list[k++].count)
        use_known(located[k], call.list, first);
    mcd_known_roads_end(&call, &engine->known_roads, locator, list, count, status ? NULL : learned);
    mcd_device_roads_free(&of_device);
    return status;
}

/* Loads the components if a place may share a subnetwork with another one, which is then cut off, too, or an id. of_pairs: the
 * lists are the sources and the targets of pairs; else places beside them may be anything. */
static macadam_status find_subnetworks(mcd_located *const *located, size_t count, bool of_pairs,
                                       macadam_engine *engine, macadam_error *error)
{
    bool are_shared = false;
    for (size_t k = 0; k < count; ++k) {
        const mcd_located *const other = of_pairs ? located[!k] : NULL;
        are_shared |= located[k]->cut_off_count && (!other || other->cut_off_count || other->has_ids);
    }
    for (size_t k = 0; k < count; ++k) located[k]->has_subnetworks = are_shared;
    return are_shared ? mcd_engine_load(engine, MCD_LOAD_COMPONENTS, error) : MACADAM_OK;
}

/* Locates the places of those that have points, together: threads begin less often. */
static macadam_status locate_points(mcd_located *const *located, size_t count, bool of_pairs,
                                    const mcd_query *query, macadam_error *error)
{
    if (count == 0) return MACADAM_OK;
    mcd_locator locator = mcd_query_locator(query);
    mcd_locate_list list[MCD_LOCATE_LISTS_MAX];
    locator.only_status = true;
    for (size_t k = 0; k < count; ++k) {
        mcd_located *const out = located[k];
        MCD_TRY(MCD_NEW(out->position, out->list.count, error));
        MCD_TRY(MCD_NEW(out->cut_off, out->list.count, error));
        MCD_TRY(MCD_NEW(out->second, out->list.count, error));
        list[k] = (mcd_locate_list){out->list.place, out->list.count, out->position, out->list.outcome};
        list[k].outcome.cut_off = out->cut_off;
        list[k].outcome.second = out->second;
        locator.only_status &= !out->list.outcome.snap;
    }
    MCD_TRY(locate_lists(located, query, &locator, list, count, error));
    for (size_t k = 0; k < count; ++k) {
        MCD_TRY(list_cut_off(located[k], error));
        lift_all(located[k], query);
    }
    return find_subnetworks(located, count, of_pairs, query->engine, error);
}

/* Checks a list of places, and loads what they need. */
static macadam_status begin_places(mcd_located *out, const mcd_query *query, const mcd_place_list *list,
                                   mcd_role role, bool reverse, macadam_error *error)
{
    const char *const what = role == MCD_SOURCES ? "source" : "target";
    *out = (mcd_located){.list = *list, .end = (role == MCD_SOURCES) == reverse ? MCD_ARRIVE : MCD_DEPART};
    if (list->count == 0 || !list->place) return mcd_fail_invalid(error, "no %s", what);
    if (list->count >= PLACES_MAX) return mcd_fail_invalid(error, "%zu %ss are too many", list->count, what);
    const bool has_points = !query->no_points && has_point(query->engine, list->place, list->count);
    out->by_point = has_points || list->outcome.snap;
    return has_points ? mcd_engine_load(query->engine, MCD_LOAD_SNAP, error) : MACADAM_OK;
}

macadam_status mcd_locate_places(mcd_located *out, const mcd_query *query, const mcd_place_list *list,
                                 mcd_role role, bool reverse, macadam_error *error)
{
    MCD_TRY(begin_places(out, query, list, role, reverse, error));
    return locate_points(&out, out->by_point, false, query, error);
}

static macadam_status copy_located(mcd_located *out, const mcd_located *from, const mcd_query *query,
                                   const mcd_place_list *list, macadam_error *error)
{
    const mcd_outcome *const to = &list->outcome, *const outcome = &from->list.outcome;
    *out = (mcd_located){.list = *list, .end = MCD_ARRIVE, .by_point = from->by_point};
    if (!from->by_point) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->position, list->count, error));
    MCD_TRY(MCD_NEW(out->cut_off, list->count, error));
    MCD_TRY(MCD_NEW(out->second, list->count, error));
    memcpy(out->position, from->position, list->count * sizeof *out->position);
    memcpy(out->cut_off, from->cut_off, list->count * sizeof *out->cut_off);
    MCD_TRY(list_cut_off(out, error));
    out->has_subnetworks = from->has_subnetworks;
    use_known(out, from->known, from->known_first);
    for (size_t k = 0; k < out->cut_off_count; ++k)
        out->second[out->cut_off_place[k]] = from->second[out->cut_off_place[k]];
    lift_all(out, query);
    if (to->status) memcpy(to->status, outcome->status, list->count * sizeof *to->status);
    if (to->snap) memcpy(to->snap, outcome->snap, list->count * sizeof *to->snap);
    return MACADAM_OK;
}

/* ---- subnetworks ---- */

/* Returns the node of a place that is an id, or MCD_NODE_NONE. */
static mcd_node node_of(const mcd_located *located, const macadam_engine *engine, size_t i)
{
    const macadam_place *const place = &located->list.place[i];
    const bool is_id = place->kind == MACADAM_PLACE_NODE && mcd_place_is_current(place);
    const size_t id = is_id ? mcd_place_find_id(&engine->places, place->id) : MCD_PLACE_NONE;
    if (id == MCD_PLACE_NONE) return MCD_NODE_NONE;
    return located->end == MCD_DEPART ? engine->places.depart[id] : engine->places.arrive[id];
}

static bool is_arrival(const mcd_place_index *places, mcd_node node)
{
    const uint32_t id = places->node_place[node];
    return places->arrive[id] == node && places->depart[id] != node;
}

bool mcd_subnetwork_has(const macadam_engine *engine, uint32_t subnetwork, mcd_node node)
{
    const mcd_graph *const graph = &engine->graph;
    const uint32_t *const component = engine->component;
    if (component[node] == subnetwork || !is_arrival(&engine->places, node))
        return component[node] == subnetwork;
    for (mcd_arc xy = graph->first_in[node]; xy < graph->first_in[node + 1]; ++xy)
        if (component[graph->tail[xy]] == subnetwork) return true;
    return false;
}

bool mcd_subnetwork_is_shared(const macadam_engine *engine, uint32_t one, uint32_t other, mcd_node node)
{
    if (one != MCD_SUBNETWORK_NONE && other != MCD_SUBNETWORK_NONE) return one == other;
    return node != MCD_NODE_NONE &&
           mcd_subnetwork_has(engine, one == MCD_SUBNETWORK_NONE ? other : one, node);
}

bool mcd_located_share_subnetwork(const mcd_located *source, size_t s, const mcd_located *target, size_t t,
                                  const macadam_engine *engine)
{
    const uint32_t from = mcd_located_subnetwork(source, engine, s),
                   to = mcd_located_subnetwork(target, engine, t);
    if (from == MCD_SUBNETWORK_NONE && to == MCD_SUBNETWORK_NONE) return false;
    const mcd_node node = from == MCD_SUBNETWORK_NONE ? node_of(source, engine, s)
                          : to == MCD_SUBNETWORK_NONE ? node_of(target, engine, t)
                                                      : MCD_NODE_NONE;
    return mcd_subnetwork_is_shared(engine, from, to, node);
}

macadam_status mcd_locate_both(mcd_located *source, mcd_located *target, const mcd_query *query,
                               const mcd_place_list *sources, const mcd_place_list *targets,
                               macadam_error *error)
{
    mcd_located *points[MCD_LOCATE_LISTS_MAX];
    size_t count = 0;
    const mcd_outcome *const left = &sources->outcome, *const right = &targets->outcome;
    *target = (mcd_located){.end = MCD_ARRIVE};
    /* Where a place is does not depend on what it is for. */
    const bool are_same = sources->place == targets->place && sources->count == targets->count &&
                          !left->status == !right->status && !left->snap == !right->snap;
    MCD_TRY(begin_places(source, query, sources, MCD_SOURCES, false, error));
    if (!are_same) MCD_TRY(begin_places(target, query, targets, MCD_TARGETS, false, error));
    if (source->by_point) points[count++] = source;
    if (target->by_point) points[count++] = target;
    MCD_TRY(locate_points(points, count, count == 2, query, error));
    return are_same ? copy_located(target, source, query, targets, error) : MACADAM_OK;
}

macadam_status mcd_locate_search(mcd_located *source, mcd_located *target, const mcd_query *query,
                                 const mcd_place_list *sources, const mcd_place_list *targets, bool reverse,
                                 macadam_error *error)
{
    mcd_located *points[MCD_LOCATE_LISTS_MAX];
    size_t count = 0;
    MCD_TRY(begin_places(source, query, sources, MCD_SOURCES, reverse, error));
    MCD_TRY(begin_places(target, query, targets, MCD_TARGETS, reverse, error));
    if (source->by_point) points[count++] = source;
    if (target->by_point) points[count++] = target;
    return locate_points(points, count, false, query, error);
}

void mcd_located_free(mcd_located *located)
{
    mcd_known_list_leave(located->known);
    MCD_FREE_ALL(located->position, located->cut_off, located->second, located->cut_off_place,
                 located->sorted_place);
    *located = (mcd_located){0};
}

mcd_position mcd_located_position(const mcd_located *located, const macadam_engine *engine, size_t i)
{
    mcd_position position = mcd_position_none;
    if (located->by_point) return located->position[i];
    const mcd_node node = node_of(located, engine, i);
    if (node != MCD_NODE_NONE) position.id = engine->places.node_place[node];
    return position;
}

void mcd_located_move(mcd_located *located, size_t i)
{
    if (!mcd_located_is_cut_off(located, i)) return;
    const mcd_second *const second = &located->second[i];
    const mcd_outcome *const outcome = &located->list.outcome;
    located->position[i] = second->position;
    if (outcome->status) outcome->status[i] = second->snap.status;
    if (outcome->snap) outcome->snap[i] = second->snap;
}

/* ---- lanes ---- */

/* Lets the lanes have the second positions, too. */
static macadam_status add_second(const mcd_located *located, const macadam_engine *engine, mcd_lanes *out,
                                 macadam_error *error)
{
    MCD_TRY(MCD_NEW(out->subnetwork, out->place_count, error));
    MCD_TRY(MCD_NEW(out->second, out->place_count, error));
    for (size_t i = 0; i < out->place_count; ++i) {
        out->subnetwork[i] = mcd_located_subnetwork(located, engine, i);
        if (out->subnetwork[i] != MCD_SUBNETWORK_NONE) out->second[i] = located->second[i].position;
    }
    return MACADAM_OK;
}

static int32_t potential_at(const mcd_query *query, const mcd_lanes *lanes, size_t place, bool companion)
{
    const int32_t *const of_id = mcd_query_potential(query, companion);
    if (lanes->position) {
        const mcd_position *const position = &lanes->position[place];
        const int32_t lift = (int32_t)position->lift[companion];
        return mcd_position_potential(position, &query->engine->roads, of_id) +
               (lanes->end == MCD_DEPART ? lift : -lift);
    }
    const mcd_node node = mcd_lanes_at(lanes, mcd_lanes_first(lanes, place)).seed[0].node;
    return node == MCD_NODE_NONE ? 0 : of_id[query->engine->places.node_place[node]];
}

macadam_status mcd_query_add_potentials(const mcd_query *query, mcd_lanes *lanes, macadam_error *error)
{
    for (int companion = 0; companion < 2; ++companion) {
        if (!mcd_query_potential(query, companion)) continue;
        MCD_TRY(MCD_NEW(lanes->potential[companion], lanes->place_count, error));
        for (size_t i = 0; i < lanes->place_count; ++i)
            lanes->potential[companion][i] = potential_at(query, lanes, i, companion);
    }
    return MACADAM_OK;
}

/* Sets all of *out that lanes are made from; of ids, makes the lanes. */
static macadam_status begin_lanes(mcd_located *located, const mcd_query *query, mcd_lane_use use,
                                  mcd_lanes *out, macadam_error *error)
{
    macadam_engine *const engine = query->engine;
    const mcd_place_list *const list = &located->list;
    const bool apart = use >= MCD_NODES_OF_PAIRS;
    if (!located->by_point) {
        MCD_TRY(mcd_lanes_of_ids(out, &engine->places, &engine->parallel, list->place, list->count,
                                 located->end, use <= MCD_LANES_OF_PAIRS || apart, list->outcome.status,
                                 error));
        out->timing = query->timing;
        out->instant = list->instant;
        return MACADAM_OK;
    }
    *out = (mcd_lanes){.end = located->end,
                       .roads = engine->places.lon_e7 ? &engine->roads : NULL,
                       .weights = query->weights,
                       .place_count = list->count,
                       .timing = query->timing,
                       .instant = list->instant,
                       .apart = apart,
                       .position = located->position,
                       .known = located->known,
                       .known_first = located->known_first};
    located->position = NULL;
    if ((use == MCD_LANES_TO_ALL || use == MCD_NODES_TO_ALL) && located->cut_off_count)
        MCD_TRY(add_second(located, engine, out, error));
    return MACADAM_OK;
}

macadam_status mcd_located_lanes(mcd_located *located, const mcd_query *query, mcd_lane_use use,
                                 mcd_lanes *out, macadam_error *error)
{
    macadam_engine *const engine = query->engine;
    MCD_TRY(begin_lanes(located, query, use, out, error));
    if (located->by_point) MCD_TRY(mcd_lanes_make(&out, 1, engine, &engine->parallel, NULL, NULL, error));
    return mcd_query_add_potentials(query, out, error);
}

/* Sets where the lanes of places begin, by their numbers. */
static macadam_status set_first(mcd_lanes *lanes, const uint32_t *count, macadam_error *error)
{
    for (size_t i = lanes->count = 0; i < lanes->place_count; ++i) lanes->count += count[i];
    if (lanes->count == lanes->place_count) return MACADAM_OK;
    MCD_TRY(MCD_NEW(lanes->first, lanes->place_count + 1, error));
    lanes->first[0] = 0;
    for (size_t i = 0; i < lanes->place_count; ++i) lanes->first[i + 1] = lanes->first[i] + count[i];
    return MACADAM_OK;
}

/* Counts the lanes that the device makes of roads; on maps without copies of junctions each place has one. */
static macadam_status count_lanes(mcd_lanes *const both[2], const mcd_query *query, macadam_error *error)
{
    MCD_OWNED uint32_t *lanes = NULL;
    const size_t count[2] = {both[0]->road ? both[0]->place_count : 0,
                             both[1]->road ? both[1]->place_count : 0};
    const bool are_single = query->weights->hierarchy->node_count == query->engine->places.id_count;
    for (int k = 0; k < 2; ++k)
        if (both[k]->road) both[k]->count = count[k];
    if (are_single || count[0] + count[1] == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW(lanes, count[0] + count[1], error));
    const mcd_lane_count_job job = {.weights = query->weights,
                                    .snap = query->engine->device_snap,
                                    .source = both[0]->road,
                                    .target = both[1]->road,
                                    .source_count = count[0],
                                    .target_count = count[1],
                                    .lanes = lanes,
                                    .parallel = query->engine->parallel};
    MCD_TRY(query->backend->count_lanes(&job, error));
    if (both[0]->road) MCD_TRY(set_first(both[0], lanes, error));
    return both[1]->road ? set_first(both[1], lanes + count[0], error) : MACADAM_OK;
}

/* Returns whether the query's device can make the lanes of places from their roads (mcd_reach_job, mcd_matrix_job). */
static bool device_makes_lanes(const mcd_query *query)
{
    const macadam_engine *const engine = query->engine;
    int number;
    return query->backend->device && engine->device_snap && engine->has_device_ends &&
           query->weights->objective && !query->weights->check_read && !mcd_query_potential(query, false) &&
           !mcd_query_potential(query, true) && query->backend->device->gpus(engine->device, &number, 1) == 1;
}

/* Lets the device make lanes that it is to use; it is not worth its calls for few, and known places keep theirs. */
static macadam_status choose_roads(mcd_lanes *const both[2], const mcd_query *query,
                                   const mcd_lane_use use[2], macadam_error *error)
{
    const bool are_many = both[0]->place_count + both[1]->place_count >= ROADS_LEAST;
    for (int k = 0; k < 2; ++k) {
        const bool pays =
            use[k] == MCD_ROADS || (use[k] == MCD_LANES_ON_DEVICE && are_many && !both[k]->known);
        if (pays && both[k]->position && device_makes_lanes(query))
            MCD_TRY(MCD_NEW(both[k]->road, both[k]->place_count, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_located_lanes_both(mcd_located *const located[2], const mcd_query *query,
                                      const mcd_lane_use use[2], mcd_lanes *const out[2],
                                      mcd_lanes_beside beside, void *argument, macadam_error *error)
{
    macadam_engine *const engine = query->engine;
    mcd_lanes *made[MCD_LANES_TOGETHER];
    size_t count = 0;
    for (int k = 0; k < 2; ++k) {
        MCD_TRY(begin_lanes(located[k], query, use[k], out[k], error));
        if (located[k]->by_point) made[count++] = out[k];
    }
    const bool are_known = use[0] == MCD_LANES_ON_DEVICE && mcd_lanes_take_known(out);
    if (!are_known) {
        MCD_TRY(choose_roads(out, query, use, error));
        MCD_TRY(mcd_lanes_make(made, count, engine, &engine->parallel, beside, argument, error));
        if (use[0] == MCD_LANES_ON_DEVICE) MCD_TRY(count_lanes(out, query, error));
    }
    for (size_t i = 0; are_known && beside && i < MCD_LANES_BESIDE; ++i) MCD_TRY(beside(argument, i, error));
    for (int k = 0; k < 2; ++k) MCD_TRY(mcd_query_add_potentials(query, out[k], error));
    return MACADAM_OK;
}

macadam_status mcd_query_lanes(const mcd_query *query, const mcd_place_list *list, mcd_role role,
                               bool reverse, mcd_lanes *out, macadam_error *error)
{
    MCD_FREED_BY(mcd_located_free) mcd_located located = {0};
    *out = (mcd_lanes){.count = 0};
    MCD_TRY(mcd_locate_places(&located, query, list, role, reverse, error));
    return mcd_located_lanes(&located, query, MCD_LANES_TO_ALL, out, error);
}

/* ---- the interface ---- */

/* A point needs the weights, because roads may be closed; but nothing that is made of all of them. */
static macadam_status begin_snap(mcd_query *query, macadam_engine *engine, const macadam_query *given,
                                 bool has_points, macadam_error *error)
{
    if (mcd_query_has_clock(given))
        return mcd_query_begin_clock(query, engine, engine->host, given, NULL, error);
    MCD_TRY(mcd_query_begin_version(query, engine, given, has_points, error));
    if (!has_points) return MACADAM_OK;
    MCD_WATCH_HOLD(&engine->lock, error);
    MCD_TRY(mcd_version_load(query->version, engine, error));
    query->weights = &query->version->weights;
    return MACADAM_OK;
}

/* Locates each of `count` places or, if `found` is wanted, up to `capacity` candidates of one. */
static macadam_status snap_all(macadam_engine *engine, const macadam_query *given, const macadam_place *place,
                               size_t count, macadam_snap *snap, size_t capacity, size_t *found,
                               macadam_error *error)
{
    MCD_FREED_BY(mcd_query_end) mcd_query query = {0};
    const bool has_points = has_point(engine, place, count);
    MCD_TRY(begin_snap(&query, engine, given, has_points, error));
    if (has_points) MCD_TRY(mcd_engine_load(engine, MCD_LOAD_SNAP, error));
    const mcd_locator locator = mcd_query_locator(&query);
    if (!found)
        return mcd_locate(&locator, &engine->parallel, &(mcd_locate_list){place, count, NULL, {.snap = snap}},
                          1, error);
    *found = mcd_locate_candidates(&locator, place, snap, capacity);
    return MACADAM_OK;
}

macadam_status macadam_snap_find(macadam_snap *snap, macadam_engine *engine, const macadam_query *query,
                                 const macadam_place *place, size_t count, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    if (count >= PLACES_MAX) return mcd_fail_invalid(error, "%zu places are too many", count);
    if (count && (!place || !snap)) return mcd_fail_invalid(error, "no memory for %zu places", count);
    return snap_all(engine, query, place, count, snap, 0, NULL, error);
}

macadam_status macadam_snap_find_candidates(macadam_snap *snap, size_t *count, macadam_engine *engine,
                                            const macadam_query *query, const macadam_place *place,
                                            size_t capacity, macadam_error *error)
{
    if (!count) return mcd_fail_invalid(error, "no place for the count of candidates");
    *count = 0;
    MCD_TRY(mcd_engine_of_query(&engine, query, error));
    if (!place || !snap) return mcd_fail_invalid(error, "no place, or no memory for candidates");
    if (capacity < 1 || capacity > MACADAM_SNAP_CANDIDATES_MAX)
        return mcd_fail_invalid(error, "%zu candidates are requested, not 1 to %d", capacity,
                                MACADAM_SNAP_CANDIDATES_MAX);
    return snap_all(engine, query, place, 1, snap, capacity, count, error);
}
