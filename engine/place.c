/* place.c - see place.h. */
#include "engine/place.h"

#include "engine/memory.h"

#include <math.h>

enum { LOCATE_PART = 64, BUILD_TASKS_LEVEL = 6 };

static const double earth_radius_m = 6371008.8; /* mean, IUGG */
static const double default_radius_m = 1000;
static const double degrees_per_e7 = 1e-7;
static const double radians_per_degree = 3.14159265358979323846 / 180;

typedef enum tree_axis { AXIS_LON = 0, AXIS_LAT = 1 } tree_axis;

/* ---- building ---- */

typedef struct tree_point {
    int32_t coordinate[2]; /* by axis */
    mcd_node node;
} tree_point;

/* Ordered as (coordinate, node): no two points are equal, and the tree does not depend on the method. */
static inline uint64_t key_of(const tree_point *point, tree_axis axis)
{
    return (uint64_t)((int64_t)point->coordinate[axis] - INT32_MIN) << 32 | point->node;
}

/* Hoare's quickselect: puts the point of rank `wanted` in its place, lower ones before, higher ones
 * behind. */
static void select_point(tree_point *point_of, size_t first, size_t last, size_t wanted, tree_axis axis)
{
    uint64_t random = wanted;
    while (last - first > 1) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth's */
        const uint64_t pivot = key_of(&point_of[first + (random >> 32) % (last - first)], axis);
        size_t i = first, j = last; /* what is before i is <= pivot, what is from j on >= pivot */
        while (i < j) {
            while (key_of(&point_of[i], axis) < pivot) ++i;
            while (key_of(&point_of[j - 1], axis) > pivot) --j;
            if (i >= j) break;
            const tree_point swapped = point_of[i];
            point_of[i++] = point_of[j - 1];
            point_of[--j] = swapped;
        }
        if (wanted < j)
            last = j;
        else if (wanted >= i)
            first = i;
        else
            return;
    }
}

static void build_range(tree_point *point_of, size_t first, size_t last, tree_axis axis)
{
    while (last - first > MCD_PLACE_LEAF) {
        const size_t middle = mcd_place_middle(first, last);
        select_point(point_of, first, last, middle, axis);
        axis = !axis;
        build_range(point_of, first, middle, axis);
        first = middle + 1;
    }
}

typedef struct build_work {
    tree_point *point;
    size_t count;
    unsigned level; /* of the ranges that are being divided */
} build_work;

/* The range of the index-th subtree of `level`; where the tree is not so deep, of a leaf. */
static void find_range(const build_work *build, size_t index, size_t *first, size_t *last)
{
    *first = 0, *last = build->count;
    for (unsigned bit = build->level; bit-- > 0 && *last - *first > MCD_PLACE_LEAF;) {
        const size_t middle = mcd_place_middle(*first, *last);
        if (index >> bit & 1)
            *first = middle + 1;
        else
            *last = middle;
    }
}

static void divide_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const build_work *build = argument;
    size_t first, last;
    find_range(build, index, &first, &last);
    const tree_axis axis = build->level % 2;
    if (build->level == BUILD_TASKS_LEVEL)
        build_range(build->point, first, last, axis);
    else if (last - first > MCD_PLACE_LEAF)
        select_point(build->point, first, last, mcd_place_middle(first, last), axis);
}

macadam_status mcd_place_build(mcd_node *snap_node, const mcd_node *depart, size_t id_count,
                               const int32_t *lon_e7, const int32_t *lat_e7, const mcd_parallel *parallel,
                               macadam_error *error)
{
    build_work build = {.count = id_count};
    MCD_TRY(MCD_NEW(build.point, id_count, error));
    for (size_t i = 0; i < id_count; ++i)
        build.point[i] = (tree_point){{lon_e7[depart[i]], lat_e7[depart[i]]}, depart[i]};
    for (; build.level <= BUILD_TASKS_LEVEL; ++build.level)
        mcd_parallel_for(parallel, (size_t)1 << build.level, divide_task, &build);
    for (size_t i = 0; i < id_count; ++i) snap_node[i] = build.point[i].node;
    mcd_free(build.point);
    return MACADAM_OK;
}

/* ---- ids ---- */

size_t mcd_place_find_id(const mcd_place_index *index, int64_t id)
{
    const int64_t *ids = index->id;
    size_t count = index->id_count, first = 0;
    if (count == 0 || id < ids[0] || id > ids[count - 1]) return MCD_PLACE_NONE;
    const uint64_t distance = (uint64_t)id - (uint64_t)ids[0];
    if ((uint64_t)ids[count - 1] - (uint64_t)ids[0] == count - 1) return distance; /* no gaps */
    while (count > 1) { /* ids[first] <= id < ids[first + count] */
        const size_t half = count / 2;
        first += ids[first + half] <= id ? half : 0;
        count -= half;
    }
    return ids[first] == id ? first : MCD_PLACE_NONE;
}

/* ---- points ---- */

/* The haversine of an angle: sin^2(angle / 2). It ascends with the angle up to 180 degrees. */
static inline double haversine(double degrees)
{
    const double sine = sin(degrees * (radians_per_degree / 2));
    return sine * sine;
}

/* The angle between two meridians: 0 to 180 degrees. */
static inline double meridian_angle(double a, double b)
{
    const double angle = fabs(a - b);
    return angle > 180 ? 360 - angle : angle;
}

/* The circle of the nearest node so far, or of the radius, is within `window`: so many degrees of
 * longitude and of latitude to both sides of the point. */
typedef struct point_search {
    const mcd_place_index *index;
    double coordinate[2]; /* of the point, in degrees, by axis */
    double cos_lat;
    double best; /* haversine of the circle's radius */
    double window[2];
    mcd_node node; /* the nearest so far */
} point_search;

/* Where the nodes of a subtree are, and how many degrees that is from the point. */
typedef struct tree_region {
    double low[2], high[2], gap[2];
} tree_region;

/* What is rounded differently, windows and bounds on one side and distances on the other, differs by less
 * than this: at worst by the root of a double's precision, where an arc sine is close to 90 degrees. */
static const double rounding = 1 + 1e-6;

/* At a longitude window's ends meridians touch the circle (Napier's rule). None do if a pole is inside,
 * and near a pole cosines have too few digits to tell. */
static void shrink(point_search *search, double best)
{
    search->best = best;
    search->window[AXIS_LON] = search->window[AXIS_LAT] = 180;
    if (best >= 1) return;
    search->window[AXIS_LAT] = 2 * asin(sqrt(best)) / radians_per_degree * rounding;
    const double sine = 2 * sqrt(best * (1 - best)); /* of the radius */
    if (best < 0.5 && search->cos_lat > 1e-5 && sine < 0.99 * search->cos_lat)
        search->window[AXIS_LON] = asin(sine / search->cos_lat) / radians_per_degree * rounding;
}

static void visit(point_search *search, mcd_node node)
{
    const mcd_place_index *index = search->index;
    const double lat = index->lat_e7[node] * degrees_per_e7;
    const double lat_gap = fabs(lat - search->coordinate[AXIS_LAT]);
    const double lon_gap = meridian_angle(index->lon_e7[node] * degrees_per_e7, search->coordinate[AXIS_LON]);
    if (lat_gap > search->window[AXIS_LAT] || lon_gap > search->window[AXIS_LON]) return;
    const double found =
        haversine(lat_gap) + search->cos_lat * cos(lat * radians_per_degree) * haversine(lon_gap);
    const bool tie_won = found == search->best && (search->node == MCD_NODE_NONE ||
                                                   index->node_id[node] < index->node_id[search->node]);
    if (!(found < search->best || tie_won)) return;
    search->node = node;
    shrink(search, found);
}

/* Gives `region` its gap on the axis on which it was narrowed. */
static void measure(const point_search *search, tree_region *region, tree_axis axis)
{
    const double at = search->coordinate[axis], low = region->low[axis], high = region->high[axis];
    region->gap[axis] = 0;
    if (at >= low && at <= high) return;
    region->gap[axis] = axis == AXIS_LAT ? fmin(fabs(at - low), fabs(at - high))
                                         : fmin(meridian_angle(at, low), meridian_angle(at, high));
}

/* Whether the circle cannot reach the region. If that lies beyond a corner, the window is not all that can
 * be said: hav(distance) = hav(lat gap) + cos(lat) cos(other lat) hav(lon gap), and no term is smaller
 * than the region's least. */
static bool is_beyond(const point_search *search, const tree_region *region)
{
    const double lon_gap = region->gap[AXIS_LON], lat_gap = region->gap[AXIS_LAT];
    if (lon_gap > search->window[AXIS_LON] || lat_gap > search->window[AXIS_LAT]) return true;
    if (lon_gap == 0 || lat_gap == 0) return false;
    const double polar_lat = fmax(fabs(region->low[AXIS_LAT]), fabs(region->high[AXIS_LAT]));
    const double bound =
        haversine(lat_gap) + search->cos_lat * cos(polar_lat * radians_per_degree) * haversine(lon_gap);
    return bound > search->best * rounding;
}

/* The nearer half comes first: what it finds shuts out most of the rest. */
static void search_range(point_search *search, size_t first, size_t last, tree_axis axis,
                         const tree_region *region)
{
    const mcd_node *snap_node = search->index->snap_node;
    if (last - first <= MCD_PLACE_LEAF) {
        for (size_t i = first; i < last; ++i) visit(search, snap_node[i]);
        return;
    }
    const size_t middle = mcd_place_middle(first, last);
    const mcd_node node = snap_node[middle];
    tree_region half[2] = {*region, *region};
    half[0].high[axis] = half[1].low[axis] =
        (axis == AXIS_LON ? search->index->lon_e7 : search->index->lat_e7)[node] * degrees_per_e7;
    measure(search, &half[0], axis);
    measure(search, &half[1], axis);
    const int near = half[1].gap[axis] < half[0].gap[axis];
    for (int i = 0; i < 2; ++i) {
        const int side = i == 0 ? near : !near;
        if (!is_beyond(search, &half[side]))
            search_range(search, side ? middle + 1 : first, side ? last : middle, !axis, &half[side]);
        if (i == 0) visit(search, node);
    }
}

static mcd_node find_nearest(const mcd_place_index *index, double lon, double lat, double radius_m,
                             double *distance_m)
{
    const double half_angle = radius_m / (2 * earth_radius_m), sine = sin(half_angle);
    point_search search = {.index = index,
                           .coordinate = {lon, lat},
                           .cos_lat = cos(lat * radians_per_degree),
                           .node = MCD_NODE_NONE};
    shrink(&search, half_angle < radians_per_degree * 90 ? sine * sine : 2);
    const tree_region all = {.low = {-180, -90}, .high = {180, 90}};
    search_range(&search, 0, index->id_count, AXIS_LON, &all);
    if (search.node != MCD_NODE_NONE) *distance_m = 2 * earth_radius_m * asin(sqrt(fmin(search.best, 1)));
    return search.node;
}

/* ---- places ---- */

/* The position of the place's id, or MCD_PLACE_NONE and why. */
static size_t locate_point(const mcd_place_index *index, const macadam_place *place, double radius_m,
                           macadam_snap *snap)
{
    snap->status = MACADAM_PLACE_INVALID;
    if (!(fabs(place->lon) <= 180 && fabs(place->lat) <= 90)) return MCD_PLACE_NONE; /* neither is NaN */
    snap->status = MACADAM_PLACE_NO_COORDINATES;
    if (!index->snap_node) return MCD_PLACE_NONE;
    snap->status = MACADAM_PLACE_TOO_FAR;
    const mcd_node node = find_nearest(index, place->lon, place->lat, radius_m, &snap->distance_m);
    return node == MCD_NODE_NONE ? MCD_PLACE_NONE : mcd_place_find_id(index, index->node_id[node]);
}

static size_t locate_one(const mcd_place_index *index, const macadam_place *place, double radius_m,
                         macadam_snap *snap)
{
    size_t found = MCD_PLACE_NONE;
    *snap = (macadam_snap){MACADAM_PLACE_INVALID, 0, NAN, NAN, NAN};
    if (place->kind == MACADAM_PLACE_POINT) {
        found = locate_point(index, place, radius_m, snap);
    } else if (place->kind == MACADAM_PLACE_NODE) {
        snap->status = MACADAM_PLACE_UNKNOWN_ID;
        snap->id = place->id;
        found = mcd_place_find_id(index, place->id);
        if (found != MCD_PLACE_NONE) snap->distance_m = 0;
    }
    if (found == MCD_PLACE_NONE) return found;
    snap->status = MACADAM_PLACE_OK;
    snap->id = index->id[found];
    if (index->lon_e7) {
        snap->lon = index->lon_e7[index->depart[found]] * degrees_per_e7;
        snap->lat = index->lat_e7[index->depart[found]] * degrees_per_e7;
    }
    return found;
}

typedef struct locate_work {
    const mcd_place_index *index;
    const macadam_place *place;
    size_t count;
    double radius_m;
    macadam_snap *snap;
    mcd_node *depart, *arrive;
} locate_work;

static void locate_part(void *argument, size_t part, unsigned worker)
{
    (void)worker;
    const locate_work *work = argument;
    const mcd_place_index *index = work->index;
    const size_t first = part * LOCATE_PART, last = mcd_size_min(first + LOCATE_PART, work->count);
    for (size_t i = first; i < last; ++i) {
        macadam_snap snap;
        const size_t found = locate_one(index, &work->place[i], work->radius_m, &snap);
        if (work->snap) work->snap[i] = snap;
        if (work->depart) work->depart[i] = found == MCD_PLACE_NONE ? MCD_NODE_NONE : index->depart[found];
        if (work->arrive) work->arrive[i] = found == MCD_PLACE_NONE ? MCD_NODE_NONE : index->arrive[found];
    }
}

void mcd_place_locate(const mcd_place_index *index, const mcd_parallel *parallel, const macadam_place *place,
                      size_t count, double radius_m, macadam_snap *snap, mcd_node *depart, mcd_node *arrive)
{
    locate_work work = {index, place, count, radius_m, snap, depart, arrive};
    if (radius_m == 0) work.radius_m = default_radius_m;
    mcd_parallel_for(parallel, (count + LOCATE_PART - 1) / LOCATE_PART, locate_part, &work);
}
