/* locate.c - see locate.h. */
#include "engine/map/locate.h"

#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/map/locality.h"

#include <math.h>

enum { PLACES_PER_TASK = 32, KEYS_PER_TASK = 256 };

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
    if (!(before > 0)) return 0;
    if (before >= length) return MCD_ROAD_WHOLE;
    const double part = before / length * (double)MCD_ROAD_WHOLE;
    if (part < 1) return 1;
    return part < (double)(MCD_ROAD_WHOLE - 1) ? (uint64_t)part : MCD_ROAD_WHOLE - 1;
}

/* Fills in the caller's description of the hit, whose status is known. */
static void describe(const mcd_locator *locator, const mcd_snap_hit *hit, mcd_node tail, mcd_node end,
                     macadam_snap *snap)
{
    const mcd_snap_line *const line = &hit->line;
    const mcd_arc_facts *const facts = locator->roads->facts;
    const uint32_t arc = locator->snap->arc[hit->entry];
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
    const uint32_t arc = locator->snap->arc[hit->entry];
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
                   .tolerance = place->heading_tolerance,
                   .curb = curb_of(locator, place->side)},
    };
    return true;
}

static size_t find_roads(const mcd_locator *locator, const macadam_place *place, bool connected,
                         mcd_snap_hit *hit, size_t capacity, macadam_place_status *status)
{
    mcd_snap_search search;
    return search_of(locator, place, connected, &search, status)
               ? mcd_snap_find_streets(&search, hit, capacity)
               : 0;
}

static bool asks_course(const macadam_place *place)
{
    return place->heading_tolerance != 0 || place->side != MACADAM_SIDE_ANY;
}

/* Says why a place whose nearest road is cut off is where it is: moved, or there is no other road. */
static void tell_cut_off(macadam_snap *snap, const mcd_snap_hit *nearest, bool moved)
{
    snap->status = moved ? MACADAM_PLACE_MOVED : MACADAM_PLACE_CUT_OFF;
    if (moved) snap->nearest_m = mcd_snap_metres(nearest->square);
}

/* *cut_off and *second: as mcd_outcome says. nearest: the place's, if it is a point and `status` is OK. Looks a second time
 * only where the nearest road is cut off. */
static mcd_position locate_one(const mcd_locator *locator, const macadam_place *place,
                               macadam_place_status status, const mcd_snap_hit *nearest, macadam_snap *snap,
                               uint32_t *cut_off, mcd_second *second)
{
    *snap = unknown_snap;
    *cut_off = MCD_ROAD_NONE;
    if (!mcd_place_is_current(place)) return mcd_position_none;
    if (place->kind == MACADAM_PLACE_NODE) return locate_id(locator, place->id, snap);
    snap->status = status;
    if (status) return mcd_position_none;
    mcd_snap_hit connected;
    const mcd_position at = position_of(locator, nearest, !asks_course(place), true, snap);
    if (!mcd_snap_is_cut_off(locator->snap, nearest->entry)) return at;
    *cut_off = locator->snap->arc[nearest->entry];
    const bool found = find_roads(locator, place, true, &connected, 1, &status) > 0;
    second->snap = unknown_snap;
    second->position =
        position_of(locator, found ? &connected : nearest, !asks_course(place), true, &second->snap);
    tell_cut_off(&second->snap, nearest, found);
    if (locator->any_component) return at;
    const mcd_second other = *second;
    *second = (mcd_second){at, *snap};
    *snap = other.snap;
    return other.position;
}

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
        (void)mcd_road_expect(locator->roads, locator->snap->arc[(others ? connected : hit)[i].entry]);
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
    size_t count;
    uint64_t *order; /* [count] of order_places(), or NULL */
} locate_work;

/* Returns the list of a place, and makes *i its index there. */
static const mcd_locate_list *list_of(const locate_work *work, size_t *i)
{
    if (*i < work->list[0].count) return &work->list[0];
    *i -= work->list[0].count;
    return &work->list[1];
}

static const macadam_place *place_at(const locate_work *work, size_t k)
{
    size_t i = work->order ? (uint32_t)work->order[k] : k;
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

/* At most PLACES_PER_TASK: the nearest roads of all, and then what is wanted of each. */
static void locate_range(void *argument, size_t first, size_t end)
{
    const locate_work *const work = argument;
    const mcd_locator *const locator = work->locator;
    mcd_snap_search search[PLACES_PER_TASK];
    mcd_snap_hit hit[PLACES_PER_TASK], *nearest = hit;
    macadam_place_status status[PLACES_PER_TASK];
    size_t count = 0;
    for (size_t k = first; k < end; ++k)
        count += search_of(locator, place_at(work, k), false, &search[count], &status[k - first]);
    if (count > 0) mcd_snap_find_nearest(search, count, hit);
    for (int step = 0; step < MCD_ROAD_BACK_STEPS; ++step)
        for (size_t i = 0; i < count; ++i)
            if (hit[i].entry != MCD_SNAP_NONE)
                mcd_road_expect_back(locator->roads, hit[i].tail, locator->snap->arc[hit[i].entry], step);
    for (size_t k = first; k < end; ++k) {
        size_t i = work->order ? (uint32_t)work->order[k] : k;
        const mcd_locate_list *const list = list_of(work, &i);
        const bool is_searched = status[k - first] == MACADAM_PLACE_TOO_FAR;
        macadam_snap snap;
        uint32_t cut_off;
        mcd_second second;
        if (is_searched && nearest->entry != MCD_SNAP_NONE) status[k - first] = MACADAM_PLACE_OK;
        const mcd_position position =
            locate_one(locator, &list->place[i], status[k - first], nearest, &snap, &cut_off, &second);
        nearest += is_searched;
        if (list->position) list->position[i] = position;
        if (list->outcome.snap) list->outcome.snap[i] = snap;
        if (list->outcome.status) list->outcome.status[i] = snap.status;
        if (list->outcome.cut_off) list->outcome.cut_off[i] = cut_off;
        if (list->outcome.second && cut_off != MCD_ROAD_NONE) list->outcome.second[i] = second;
    }
}

macadam_status mcd_locate(const mcd_locator *locator, const mcd_parallel *parallel,
                          const mcd_locate_list *list, size_t list_count, macadam_error *error)
{
    locate_work work = {.locator = locator};
    for (size_t k = 0; k < list_count; ++k) work.list[k] = list[k], work.count += list[k].count;
    macadam_status status = order_places(&work, parallel, error);
    if (!status)
        status = mcd_watch_for_ranges(parallel, work.count, PLACES_PER_TASK, locate_range, &work, error);
    mcd_free(work.order);
    return status;
}
