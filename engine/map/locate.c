/* locate.c - see locate.h. */
#include "engine/map/locate.h"

#include "engine/base/sort.h"
#include "engine/map/locality.h"

#include <stdatomic.h>

enum { PLACES_PER_TASK = 32, KEYS_PER_TASK = 256, KNOWN_PER_TASK = 2048 };

static const double default_radius_m = 1000;

/* ---- places on roads ---- */

/* Returns how many 2^-32ths of the arc lie before a place: 0 or all of them if the place is at an end. */
static uint64_t part_before(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t piece, double along)
{
    double before = 0, length = 0;
    const size_t piece_count = mcd_road_point_count(roads, arc) - 1;
    mcd_ellipsoid_place at;
    if (piece == 0 && along == 0) return 0; /* most roads of several are nearest at an end */
    if (piece + 1 == piece_count && along == 1) return MCD_ROAD_WHOLE;
    for (size_t i = 0; i < piece_count; ++i) {
        const double of_piece = mcd_road_piece_length(roads, tail, arc, i, &at);
        if (i == piece) before = length + along * of_piece;
        length += of_piece;
    }
    return mcd_snap_share(before, length);
}

/* Fills in the caller's description of the hit, whose status is known. */
static void describe(const mcd_locator *locator, const mcd_snap_hit *hit, mcd_node tail, mcd_node end,
                     macadam_snap *snap)
{
    const mcd_snap_line *const line = &hit->line;
    const mcd_arc_facts *const facts = locator->roads->facts;
    const uint32_t arc = hit->arc;
    const int64_t from = mcd_place_id_of(locator->places, tail),
                  to = mcd_place_id_of(locator->places, locator->roads->graph->head[arc]);
    const size_t first = locator->snap->piece[hit->entry] / 2;
    snap->id = end == tail ? from : to;
    for (size_t k = 0; k < 2; ++k) snap->node[k] = mcd_arc_point_id(facts, arc, first + k, from, to);
    mcd_road_between(line->from, line->to, hit->along, &snap->lon, &snap->lat);
    snap->distance_m = mcd_snap_metres(hit->square);
    snap->arc = mcd_arc_number(facts, arc);
    snap->way = mcd_arc_way(facts, arc);
    snap->name = mcd_arc_name(facts, arc);
}

/* Finds the arc back only if it is wanted, or gives the snap its number. */
static mcd_position position_of(const mcd_locator *locator, const mcd_snap_hit *hit, bool any_course,
                                bool wants_back, macadam_snap *snap)
{
    const mcd_roads *const roads = locator->roads;
    const uint32_t arc = hit->arc;
    const mcd_node tail = hit->tail, head = roads->graph->head[arc];
    const uint64_t before = part_before(roads, tail, arc, locator->snap->piece[hit->entry] / 2, hit->along);
    const mcd_node end = before < MCD_ROAD_WHOLE / 2 ? tail : head;
    mcd_position position = mcd_position_none;
    snap->status = MACADAM_PLACE_OK;
    if (!locator->only_status) describe(locator, hit, tail, end, snap);
    if ((before == 0 || before == MCD_ROAD_WHOLE) && any_course) {
        position.id = locator->places->node_place[end];
        return position;
    }
    if (hit->way[MCD_FORWARD]) position.arc[MCD_FORWARD] = arc;
    if (hit->way[MCD_BACKWARD] && (wants_back || !hit->way[MCD_FORWARD]))
        position.arc[MCD_BACKWARD] = mcd_road_back(roads, tail, arc);
    if (!hit->way[MCD_FORWARD] && !locator->only_status)
        snap->arc = mcd_arc_number(roads->facts, position.arc[MCD_BACKWARD]);
    position.before[MCD_FORWARD] = before;
    position.before[MCD_BACKWARD] = MCD_ROAD_WHOLE - before;
    return position;
}

int32_t mcd_position_potential(const mcd_position *position, const mcd_roads *roads, const int32_t *potential)
{
    for (int i = 0; i < 2; ++i) {
        const uint32_t arc = position->arc[i];
        if (arc != MCD_ROAD_NONE)
            return mcd_road_potential(roads, mcd_road_tail(roads->graph, arc), arc, position->before[i],
                                      potential);
    }
    return position->id == MCD_PLACE_NONE ? 0 : potential[position->id];
}

/* ---- places ---- */

static const macadam_snap unknown_snap = {
    .status = MACADAM_PLACE_INVALID, .lon = NAN, .lat = NAN, .distance_m = NAN, .name = "", .nearest_m = NAN};

static mcd_position locate_id(const mcd_locator *locator, int64_t id, macadam_snap *snap)
{
    const mcd_place_index *const places = locator->places;
    mcd_position position = mcd_position_none;
    snap->status = MACADAM_PLACE_UNKNOWN_ID;
    snap->id = id;
    position.id = mcd_place_find_id(places, id);
    if (position.id == MCD_PLACE_NONE) return position;
    snap->status = MACADAM_PLACE_OK;
    snap->node[0] = snap->node[1] = id;
    snap->distance_m = 0;
    if (!places->lon_e7) return position;
    snap->lon = places->lon_e7[places->depart[position.id]] / 1e7;
    snap->lat = places->lat_e7[places->depart[position.id]] / 1e7;
    return position;
}

static bool is_course(const macadam_place *place)
{
    return isfinite(place->heading) && place->heading_tolerance >= 0 && place->heading_tolerance <= 180 &&
           place->radius_m >= 0 && isfinite(place->radius_m) &&
           (unsigned)place->side <= MACADAM_SIDE_OPPOSITE;
}

static double radius_of(const mcd_locator *locator, const macadam_place *place)
{
    if (place->radius_m > 0) return place->radius_m;
    return locator->radius_m == 0 ? default_radius_m : locator->radius_m;
}

/* As mcd_snap_course says. */
static double tolerance_of(const macadam_place *place)
{
    return place->heading_tolerance < 180 ? place->heading_tolerance : 0;
}

/* Likewise. */
static int curb_of(const mcd_locator *locator, macadam_side side)
{
    if (side == MACADAM_SIDE_ANY) return 0;
    return locator->drives_left == (side == MACADAM_SIDE_CURB) ? -1 : 1;
}

/* Makes the search for a place's roads; for those that are not cut off, if `connected`. The status says why there is none,
 * or why it finds none. A point counts to 1e-7 degrees, as the map's own. */
static bool search_of(const mcd_locator *locator, const macadam_place *place, bool connected,
                      mcd_snap_search *out, macadam_place_status *status)
{
    *status = MACADAM_PLACE_INVALID;
    if (!mcd_place_is_current(place) || place->kind != MACADAM_PLACE_POINT || !is_course(place)) return false;
    if (!(fabs(place->lon) <= 180 && fabs(place->lat) <= 90)) return false; /* neither is NaN */
    *status = MACADAM_PLACE_NO_COORDINATES;
    if (!locator->snap) return false;
    *status = MACADAM_PLACE_TOO_FAR;
    *out = (mcd_snap_search){
        .roads = locator->roads,
        .index = locator->snap,
        .at = {(int32_t)lrint(place->lon * 1e7), (int32_t)lrint(place->lat * 1e7)},
        .radius_m = radius_of(locator, place),
        .weights = locator->weights,
        .connected = connected,
        .course = {.heading = place->heading,
                   .tolerance = tolerance_of(place),
                   .curb = curb_of(locator, place->side)},
    };
    return true;
}

static bool asks_course(const macadam_place *place)
{
    return tolerance_of(place) != 0 || place->side != MACADAM_SIDE_ANY;
}

static size_t find_roads(const mcd_locator *locator, const macadam_place *place, bool connected,
                         mcd_snap_hit *hit, size_t capacity, macadam_place_status *status)
{
    mcd_snap_search search;
    return search_of(locator, place, connected, &search, status)
               ? mcd_snap_find_streets(&search, hit, capacity)
               : 0;
}

/* Says why a place whose nearest road is cut off is where it is: moved, or there is no other road. */
static void tell_cut_off(macadam_snap *snap, const mcd_snap_hit *nearest, bool moved)
{
    snap->status = moved ? MACADAM_PLACE_MOVED : MACADAM_PLACE_CUT_OFF;
    if (moved) snap->nearest_m = mcd_snap_metres(nearest->square);
}

/* Where a place is. */
typedef struct found_place {
    mcd_second at, second; /* second, cut_off: as in mcd_outcome */
    uint32_t cut_off;
} found_place;

size_t mcd_locate_candidates(const mcd_locator *locator, const macadam_place *place, macadam_snap *snap,
                             size_t capacity)
{
    mcd_snap_hit hit[MACADAM_SNAP_CANDIDATES_MAX], connected[MACADAM_SNAP_CANDIDATES_MAX];
    macadam_place_status status;
    bool some_cut_off = false;
    if (capacity == 0) return 0;
    snap[0] = unknown_snap;
    if (!mcd_place_is_current(place)) return 0;
    if (place->kind == MACADAM_PLACE_NODE)
        return locate_id(locator, place->id, snap).id == MCD_PLACE_NONE ? 0 : 1;
    size_t count = find_roads(locator, place, false, hit, capacity, &snap[0].status);
    for (size_t i = 0; i < count && !locator->any_component; ++i)
        some_cut_off |= mcd_snap_is_cut_off(locator->snap, hit[i].entry);
    const size_t others = some_cut_off ? find_roads(locator, place, true, connected, capacity, &status) : 0;
    if (others) count = others;
    for (size_t i = 0; i < count; ++i)
        (void)mcd_road_expect(locator->roads, (others ? connected : hit)[i].arc);
    for (size_t i = 0; i < count; ++i) {
        snap[i] = unknown_snap;
        (void)position_of(locator, others ? &connected[i] : &hit[i], !asks_course(place), false, &snap[i]);
        if (some_cut_off && mcd_snap_is_cut_off(locator->snap, hit[0].entry))
            tell_cut_off(&snap[i], &hit[0], others > 0);
    }
    return count;
}

/* Returns a place's cell along the Hilbert curve, in the upper half, and its index. */
static uint64_t key_of(const macadam_place *place, size_t i)
{
    const double cells_per_degree = 65535.0 / 360;
    const bool is_point =
        place->kind == MACADAM_PLACE_POINT && fabs(place->lon) <= 180 && fabs(place->lat) <= 90;
    const uint32_t east = is_point ? (uint32_t)((place->lon + 180) * cells_per_degree) : 0,
                   north = is_point ? (uint32_t)((place->lat + 90) * cells_per_degree) : 0;
    return (uint64_t)mcd_hilbert_index(east, north) << 32 | i;
}

typedef struct locate_work {
    const mcd_locator *locator;
    mcd_locate_list list[MCD_LOCATE_LISTS_MAX];
    size_t count;          /* of the places that are left */
    uint64_t *order;       /* [count] of order_places() or take_known(), or NULL */
    atomic_size_t unknown; /* of take_known() */
} locate_work;

/* Returns the list of a place, and makes *i its index there. */
static const mcd_locate_list *list_of(const locate_work *work, size_t *i)
{
    if (*i < work->list[0].count) return &work->list[0];
    *i -= work->list[0].count;
    return &work->list[1];
}

/* Returns the index of the k-th place that is located, counted over all lists. */
static size_t index_of(const locate_work *work, size_t k)
{
    return work->order ? (uint32_t)work->order[k] : k;
}

static const macadam_place *place_at(const locate_work *work, size_t k)
{
    size_t i = index_of(work, k);
    const mcd_locate_list *const list = list_of(work, &i);
    return &list->place[i];
}

static void key_range(void *argument, size_t first, size_t end)
{
    const locate_work *const work = argument;
    for (size_t i = first; i < end; ++i) {
        size_t at = i;
        const mcd_locate_list *const list = list_of(work, &at);
        work->order[i] = key_of(&list->place[at], i);
    }
}

/* Makes the order in which neighbours are located one after the other: what they read of the map is then near in memory.
 * `order` stays NULL if they are one task, or more than an index counts: they are located as they come. */
static macadam_status order_places(locate_work *work, const mcd_parallel *parallel, macadam_error *error)
{
    if (work->count <= PLACES_PER_TASK || work->count > UINT32_MAX) return MACADAM_OK;
    MCD_TRY(MCD_NEW(work->order, 2 * work->count, error));
    mcd_parallel_for_ranges(parallel, work->count, KEYS_PER_TASK, key_range, work);
    return mcd_sort_bits(work->order, work->order + work->count, work->count, 32, 64, NULL, error);
}

/* ---- roads that are known ---- */

mcd_snap_point mcd_locate_point(const mcd_locator *locator, const macadam_place *place)
{
    mcd_snap_search search;
    macadam_place_status status;
    if (!search_of(locator, place, false, &search, &status) || asks_course(place))
        return (mcd_snap_point){.limit = -1};
    return (mcd_snap_point){search.at, mcd_snap_shrink(search.at.lat_e7), mcd_snap_limit(search.radius_m)};
}

static bool is_open(const mcd_locator *locator, uint32_t arc)
{
    return !locator->weights || mcd_arc_is_open(locator->weights, arc);
}

/* Returns whether a road is the nearest of the open ones: as the nearest of all is, if it is open. */
static bool is_settled(const mcd_locator *locator, const mcd_nearest_road *road)
{
    return road->state == MCD_NEAREST_TOO_FAR ||
           (road->state != MCD_NEAREST_UNKNOWN && is_open(locator, road->arc));
}

/* Returns the i-th of some roads, if there are any and it is settled. */
static const mcd_nearest_road *settled_road(const mcd_locator *locator, const mcd_nearest_road *road,
                                            size_t i)
{
    return road && is_settled(locator, &road[i]) ? &road[i] : NULL;
}

/* Returns the road that is known of a place; NULL: it must be looked for. */
static const mcd_nearest_road *known_road(const locate_work *work, size_t i)
{
    return settled_road(work->locator, work->locator->known, i);
}

/* Returns what is known of the roads that are not cut off. */
static const mcd_nearest_road *known_connected(const locate_work *work, size_t i)
{
    return settled_road(work->locator, work->locator->known_connected, i);
}

static mcd_position position_on(const mcd_nearest_road *road)
{
    mcd_position position = mcd_position_none;
    if (road->state == MCD_NEAREST_TOO_FAR) return position;
    if (road->id != MCD_ROAD_NONE)
        position.id = road->id;
    else
        position = (mcd_position){
            MCD_PLACE_NONE, {road->arc, road->back}, {road->before, MCD_ROAD_WHOLE - road->before}, {0, 0}};
    return position;
}

/* Lets a place whose nearest road is cut off be where it is moved to, unless all roads are as good. */
static void choose_position(const mcd_locator *locator, found_place *place)
{
    const mcd_second nearest = place->at;
    if (locator->any_component) return;
    place->at = place->second;
    place->second = nearest;
}

static macadam_place_status status_on(const mcd_nearest_road *road)
{
    return road->state == MCD_NEAREST_TOO_FAR ? MACADAM_PLACE_TOO_FAR : MACADAM_PLACE_OK;
}

/* Locates a place on its nearest road. */
static void locate_on(const mcd_nearest_road *road, found_place *out)
{
    out->at = (mcd_second){position_on(road), unknown_snap};
    out->at.snap.status = status_on(road);
    out->cut_off = road->state == MCD_NEAREST_CUT_OFF ? road->arc : MCD_ROAD_NONE;
}

/* Adds where else a place is whose road is cut off. */
static void add_connected(const mcd_locator *locator, const mcd_nearest_road *connected, found_place *out)
{
    out->second = out->at;
    out->second.snap.status = MACADAM_PLACE_CUT_OFF;
    if (connected->state == MCD_NEAREST_FOUND) {
        out->second.position = position_on(connected);
        out->second.snap.status = MACADAM_PLACE_MOVED;
    }
    choose_position(locator, out);
}

static bool is_learned(const mcd_locator *locator, const macadam_place *place)
{
    return locator->learned && place->kind == MACADAM_PLACE_POINT && !asks_course(place);
}

/* Returns what a search over all roads, open or not, has found for a place, which is then located. */
static mcd_nearest_road road_of(const mcd_locator *locator, const mcd_snap_hit *nearest,
                                const mcd_position *position)
{
    mcd_nearest_road road = {.state = MCD_NEAREST_TOO_FAR};
    if (nearest->entry == MCD_SNAP_NONE) return road;
    road.state = mcd_snap_is_cut_off(locator->snap, nearest->entry) ? MCD_NEAREST_CUT_OFF : MCD_NEAREST_FOUND;
    road.arc = nearest->arc, road.back = position->arc[MCD_BACKWARD];
    road.before = position->before[MCD_FORWARD];
    road.id = position->id == MCD_PLACE_NONE ? MCD_ROAD_NONE : (uint32_t)position->id;
    return road;
}

static void report(const locate_work *work, size_t i, const found_place *found)
{
    const mcd_locate_list *const list = list_of(work, &i);
    if (list->position) list->position[i] = found->at.position;
    if (list->outcome.snap) list->outcome.snap[i] = found->at.snap;
    if (list->outcome.status) list->outcome.status[i] = found->at.snap.status;
    if (list->outcome.cut_off) list->outcome.cut_off[i] = found->cut_off;
    if (list->outcome.second && found->cut_off != MCD_ROAD_NONE) list->outcome.second[i] = found->second;
}

/* Locates a place if its road is known, and is not cut off; or if the nearest that is not is known, too. */
static bool locate_known(const locate_work *work, size_t i)
{
    const mcd_nearest_road *const road = known_road(work, i);
    found_place found;
    if (!road) return false;
    if (road->state != MCD_NEAREST_CUT_OFF) {
        const mcd_locate_list *const list = list_of(work, &i);
        if (list->position) list->position[i] = position_on(road);
        if (list->outcome.status) list->outcome.status[i] = status_on(road);
        if (list->outcome.cut_off) list->outcome.cut_off[i] = MCD_ROAD_NONE;
        return true;
    }
    const mcd_nearest_road *const connected = known_connected(work, i);
    if (!connected) return false;
    locate_on(road, &found);
    add_connected(work->locator, connected, &found);
    report(work, i, &found);
    return true;
}

static void take_known_range(void *argument, size_t first, size_t end)
{
    locate_work *const work = argument;
    for (size_t i = first; i < end; ++i)
        if (!locate_known(work, i)) work->order[atomic_fetch_add(&work->unknown, 1)] = i;
}

/* Locates the places whose roads are known. The others are left. */
static macadam_status take_known(locate_work *work, const mcd_parallel *parallel, macadam_error *error)
{
    MCD_TRY(MCD_NEW(work->order, work->count, error));
    mcd_parallel_for_ranges(parallel, work->count, KNOWN_PER_TASK, take_known_range, work);
    work->count = atomic_load(&work->unknown);
    return MACADAM_OK;
}

/* ---- searches ---- */

/* Looks for the nearest open road, unless *hit is that of all roads and is open. learns: it is the nearest of all; becomes false if
 * that one is closed. */
static void find_open(const mcd_locator *locator, mcd_snap_search *search, mcd_snap_hit *hit, bool *learns)
{
    if (!*learns || hit->entry == MCD_SNAP_NONE || is_open(locator, hit->arc)) return;
    *learns = false;
    search->weights = locator->weights;
    hit->entry = MCD_SNAP_NONE;
    (void)mcd_snap_find(search, hit, 1);
}

/* Locates a place on the road that was found, if any. */
static void locate_found(const mcd_locator *locator, mcd_snap_search *search, mcd_snap_hit *hit,
                         const macadam_place *place, mcd_nearest_road *learned, mcd_second *out)
{
    bool learns = learned;
    find_open(locator, search, hit, &learns);
    *out = (mcd_second){mcd_position_none, unknown_snap};
    out->snap.status = MACADAM_PLACE_TOO_FAR;
    if (hit->entry != MCD_SNAP_NONE)
        out->position = position_of(locator, hit, !asks_course(place), true, &out->snap);
    if (learns) *learned = road_of(locator, hit, &out->position);
}

/* Locates a place for which a search was made: for its nearest road; for one that is not cut off, if the nearest is known. Looks a
 * second time only where the nearest road is cut off. */
static void locate_searched(const locate_work *work, mcd_snap_search *search, mcd_snap_hit *hit, size_t i,
                            const macadam_place *place, found_place *out)
{
    const mcd_locator *const locator = work->locator;
    const mcd_nearest_road *const known = known_road(work, i);
    const bool learns = is_learned(locator, place);
    macadam_place_status status;
    mcd_snap_hit nearest = *hit; /* its distance counts only if snaps are wanted: then nothing is known */
    if (known)
        locate_on(known, out);
    else {
        locate_found(locator, search, hit, place, learns ? &locator->learned[i] : NULL, &out->at);
        const bool is_cut_off = hit->entry != MCD_SNAP_NONE && mcd_snap_is_cut_off(locator->snap, hit->entry);
        out->cut_off = is_cut_off ? hit->arc : MCD_ROAD_NONE;
        if (!is_cut_off) return;
        nearest = *hit;
        (void)search_of(locator, place, true, search, &status);
        if (learns) search->weights = NULL;
        hit->entry = MCD_SNAP_NONE;
        (void)mcd_snap_find(search, hit, 1);
    }
    locate_found(locator, search, hit, place, learns ? &locator->learned_connected[i] : NULL, &out->second);
    const bool is_moved = hit->entry != MCD_SNAP_NONE;
    if (!is_moved) out->second = out->at;
    tell_cut_off(&out->second.snap, &nearest, is_moved);
    choose_position(locator, out);
}

/* Locates an id, or a point for which there is no search, for the reason that `status` says. */
static void locate_other(const mcd_locator *locator, const macadam_place *place, macadam_place_status status,
                         found_place *out)
{
    out->at = (mcd_second){mcd_position_none, unknown_snap};
    out->cut_off = MCD_ROAD_NONE;
    if (!mcd_place_is_current(place)) return;
    out->at.snap.status = status;
    if (place->kind == MACADAM_PLACE_NODE) out->at.position = locate_id(locator, place->id, &out->at.snap);
}

/* ---- many places ---- */

/* The state of a task: of at most PLACES_PER_TASK places, the roads that are looked for. */
typedef struct locate_task {
    size_t count; /* of searches */
    mcd_snap_search search[PLACES_PER_TASK];
    mcd_snap_hit hit[PLACES_PER_TASK];
    macadam_place_status status[PLACES_PER_TASK]; /* by place; TOO_FAR: there is a search for it */
} locate_task;

/* Looks for the roads of places: the nearest one, or the nearest that is not cut off. */
static void search_roads(const locate_work *work, locate_task *task, size_t first, size_t end)
{
    const mcd_locator *const locator = work->locator;
    task->count = 0;
    for (size_t k = first; k < end; ++k) {
        mcd_snap_search *const search = &task->search[task->count];
        const macadam_place *const place = place_at(work, k);
        task->status[k - first] = MACADAM_PLACE_OK;
        const bool connected = known_road(work, index_of(work, k)); /* the nearest is known, and cut off */
        task->count += search_of(locator, place, connected, search, &task->status[k - first]);
        if (is_learned(locator, place)) search->weights = NULL;
    }
    if (task->count > 0) mcd_snap_find_nearest(task->search, task->count, task->hit);
    for (int step = 0; step < MCD_ROAD_BACK_STEPS; ++step)
        for (size_t i = 0; i < task->count; ++i)
            if (task->hit[i].entry != MCD_SNAP_NONE)
                mcd_road_expect_back(locator->roads, task->hit[i].tail, task->hit[i].arc, step);
}

/* The nearest roads of all, and then what is wanted of each. */
static void locate_range(void *argument, size_t first, size_t end)
{
    const locate_work *const work = argument;
    locate_task task; /* not initialized: it is large */
    found_place found;
    size_t searched = 0;
    search_roads(work, &task, first, end);
    for (size_t k = first; k < end; ++k) {
        const size_t i = index_of(work, k);
        const macadam_place_status status = task.status[k - first];
        if (status == MACADAM_PLACE_TOO_FAR) {
            locate_searched(work, &task.search[searched], &task.hit[searched], i, place_at(work, k), &found);
            ++searched;
        } else
            locate_other(work->locator, place_at(work, k), status, &found);
        report(work, i, &found);
    }
}

macadam_status mcd_locate(const mcd_locator *locator, const mcd_parallel *parallel,
                          const mcd_locate_list *list, size_t list_count, macadam_error *error)
{
    locate_work work = {.locator = locator, .count = mcd_locate_count(list, list_count)};
    for (size_t k = 0; k < list_count; ++k) work.list[k] = list[k];
    macadam_status status =
        locator->known ? take_known(&work, parallel, error) : order_places(&work, parallel, error);
    if (!status)
        status = mcd_watch_for_ranges(parallel, work.count, PLACES_PER_TASK, locate_range, &work, error);
    mcd_free(work.order);
    return status;
}
