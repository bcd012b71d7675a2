/* snap.c - see snap.h: the search. It is one file, because all its steps work on one run. */
#include "engine/map/snap.h"

#include "engine/base/clones.h"

#include <string.h>

static const double metres_per_e7 = 6371008.8 * 3.14159265358979323846 / 180 * 1e-7; /* mean radius, IUGG */
static const double radians_per_degree = 3.14159265358979323846 / 180;

static const double everywhere = 1e30; /* the square of more than any distance */

double mcd_snap_metres(double square)
{
    return sqrt(square) * metres_per_e7;
}

double mcd_snap_shrink(int32_t lat_e7)
{
    return cos(lat_e7 * 1e-7 * radians_per_degree);
}

double mcd_snap_limit(double radius_m)
{
    const double radius_e7 = radius_m / metres_per_e7;
    return radius_e7 * radius_e7;
}

/* Sets square[i] to the square of the distance to a line, and along[i] to where on the line the nearest point is. No branch:
 * the loop becomes vector instructions. */
static inline __attribute__((always_inline)) void measure_lines(const mcd_snap_plane *plane,
                                                                const mcd_snap_line *line, size_t count,
                                                                double *restrict square,
                                                                double *restrict along)
{
    double of_from[MCD_SNAP_FANOUT], of_to[MCD_SNAP_FANOUT];
    for (size_t i = 0; i < count; ++i) {
        const mcd_snap_distance distance = mcd_snap_measure(plane, &line[i]);
        along[i] = distance.along, square[i] = distance.inner;
        of_from[i] = distance.from, of_to[i] = distance.to;
    }
    for (size_t i = 0; i < count; ++i)
        square[i] = mcd_snap_nearest(along[i], square[i], of_from[i], of_to[i]);
}

MCD_CLONED static void bound_boxes(const mcd_snap_plane *plane, const mcd_snap_box *box, size_t count,
                                   double *bound)
{
    for (size_t i = 0; i < count; ++i) bound[i] = mcd_snap_bound(plane, &box[i]);
}

static bool is_beyond(double bound, double square)
{
    return bound > mcd_snap_reach(square);
}

/* ---- windows ---- */

/* Two corners of a box, or the ends of a line: two longitudes, each before its latitude. */
typedef int32_t corners __attribute__((vector_size(16)));
typedef uint64_t corner_pair __attribute__((vector_size(16)));

/* A box that does not go around the globe: each corner twice. */
typedef struct snap_window {
    corners low, high;
} snap_window;

/* Returns whether a box is on one side of a window, or a line that does not cross the antimeridian. */
static inline bool is_outside(const snap_window *window, const int32_t *corner)
{
    corners at;
    memcpy(&at, corner, sizeof at);
    const corner_pair low = (corner_pair)(at < window->low), high = (corner_pair)(at > window->high);
    return (low[0] & low[1]) | (high[0] & high[1]);
}

/* ---- streets ---- */

/* The ends of a hit's road, each as one number. */
typedef struct hit_ends {
    uint64_t end[2];
    int at; /* where the hit is; -1: between them */
} hit_ends;

static uint64_t as_number(mcd_point point)
{
    return (uint64_t)(uint32_t)point.lon_e7 << 32 | (uint32_t)point.lat_e7;
}

static hit_ends ends_of(const mcd_snap_search *search, const mcd_snap_hit *hit)
{
    const mcd_roads *const roads = search->roads;
    const uint32_t arc = hit->arc, piece = search->index->piece[hit->entry] / 2;
    const size_t last = mcd_road_point_count(roads, arc) - 1;
    const mcd_point from = piece == 0 ? hit->line.from : mcd_road_point(roads, hit->tail, arc, 0),
                    to = piece + 1 == last ? hit->line.to : mcd_road_point(roads, hit->tail, arc, last);
    return (hit_ends){{as_number(from), as_number(to)},
                      piece == 0 && hit->along == 0          ? 0
                      : piece + 1 == last && hit->along == 1 ? 1
                                                             : -1};
}

/* A course may leave out the piece of a road that is nearest. */
static bool has_course(const mcd_snap_search *search)
{
    return search->course.tolerance != 0 || search->course.curb != 0;
}

static bool have_same_name(const mcd_snap_search *search, const mcd_snap_hit *a, const mcd_snap_hit *b)
{
    const mcd_arc_facts *const facts = search->roads->facts;
    const char *const name = mcd_arc_name(facts, a->arc), *const other = mcd_arc_name(facts, b->arc);
    return *name && (name == other || strcmp(name, other) == 0);
}

/* Hits of a search, and the ends of the roads of the first `known` ones. */
typedef struct hit_list {
    const mcd_snap_search *search;
    const mcd_snap_hit *hit;
    size_t count, known;
    hit_ends road[MCD_SNAP_HITS_MAX];
} hit_list;

/* Roads that meet where a hit is are not farther, unless a course leaves out their nearest pieces. */
static double reach_of(const mcd_snap_search *search, const mcd_snap_hit *hit)
{
    return has_course(search) ? everywhere : mcd_snap_reach(hit->square);
}

static mcd_snap_meeting meet(hit_list *list, size_t i)
{
    const double reach = reach_of(list->search, &list->hit[i]);
    uint64_t there = 0; /* a bit for each hit whose road ends where this one is */
    bool same_name = false;
    for (; list->known < list->count && list->hit[list->known].square <= reach; ++list->known)
        list->road[list->known] = ends_of(list->search, &list->hit[list->known]);
    if (list->road[i].at < 0) return (mcd_snap_meeting){false, false};
    const uint64_t at = list->road[i].end[list->road[i].at], own = UINT64_C(1) << i;
    for (size_t k = 0; k < list->known; ++k)
        there |= (uint64_t)((list->road[k].end[0] == at) | (list->road[k].end[1] == at)) << k;
    const uint64_t others = there & ~own, nearer = there & (own - 1);
    const bool is_one = (others & (others - 1)) == 0;
    for (uint64_t rest = is_one ? 0 : nearer; rest && !same_name; rest &= rest - 1)
        same_name = have_same_name(list->search, &list->hit[i], &list->hit[__builtin_ctzll(rest)]);
    return (mcd_snap_meeting){nearer != 0, nearer != 0 && (is_one || same_name)};
}

void mcd_snap_meet(const mcd_snap_search *search, const mcd_snap_hit *hit, size_t count,
                   mcd_snap_meeting *out)
{
    hit_list list = {.search = search, .hit = hit, .count = count};
    for (size_t i = 0; i < count; ++i) out[i] = meet(&list, i);
}

/* One hit of each street, among those that a search has found so far. */
typedef struct street_list {
    hit_list all;
    mcd_snap_hit *hit;
    size_t next, count, capacity; /* next: the first hit of `all` that has not been compared */
} street_list;

/* ---- the search ---- */

/* A box that is to be searched. */
typedef struct snap_below {
    double bound; /* as bound_boxes has it */
    uint32_t level, index;
} snap_below;
enum { BOXES_MAX = 128 }; /* of one search_box */

typedef struct snap_run {
    const mcd_snap_search *search;
    mcd_snap_plane plane;
    double limit; /* the square beyond which nothing is wanted */
    size_t level_first[MCD_SNAP_LEVELS_MAX + 1];
    mcd_snap_hit *hit; /* nearest first */
    uint32_t count, capacity;
    street_list *streets; /* NULL: all roads count */
} snap_run;

/* Numbers are far away in memory, and hardly two hits are equally near. */
static bool is_nearer(const mcd_snap_search *search, const mcd_snap_hit *a, const mcd_snap_hit *b)
{
    const uint32_t *const piece = search->index->piece;
    if (a->square != b->square) return a->square < b->square;
    const uint64_t number = mcd_arc_number(search->roads->facts, a->arc),
                   other = mcd_arc_number(search->roads->facts, b->arc);
    return number != other ? number < other : piece[a->entry] < piece[b->entry];
}

/* ---- the course ---- */

/* Returns whether the way has the requested heading, within the tolerance. */
static bool is_headed(const mcd_snap_course *course, mcd_snap_vector way)
{
    if (course->tolerance == 0) return true;
    if (way.east == 0 && way.north == 0) return false;
    const double degrees = atan2(way.east, way.north) / radians_per_degree;
    return fabs(remainder(degrees - course->heading, 360)) <= course->tolerance;
}

/* Returns a value above 0 if `b` points to the left of `a`, below 0 if to the right. */
static double turn_left(mcd_snap_vector a, mcd_snap_vector b)
{
    return a.east * b.north - a.north * b.east;
}

/* Returns the first piece of the hit's arc that has a length, from `piece` on in steps of `by`; {0, 0} if there is
 * none. */
static mcd_snap_vector step_from(const snap_run *run, const mcd_snap_hit *hit, size_t piece, int by)
{
    const mcd_roads *const roads = run->search->roads;
    const uint32_t arc = hit->arc;
    const size_t piece_count = mcd_road_point_count(roads, arc) - 1;
    mcd_snap_vector step = {0, 0};
    for (; mcd_snap_square(step) == 0 && piece < piece_count; piece += (size_t)by) /* below 0, it wraps */
        step = mcd_snap_step(&run->plane,
                             &(const mcd_snap_line){mcd_road_point(roads, hit->tail, arc, piece),
                                                    mcd_road_point(roads, hit->tail, arc, piece + 1)});
    return step;
}

/* Returns a value above 0 if the place is to the left of the arc, below 0 if to the right, 0 on it. If the
 * arc's nearest point is a bend, the place is on the outer side. The two pieces decide this more exactly
 * where the road turns little, and disagree where it turns back. */
static double left_of_road(const snap_run *run, const mcd_snap_hit *hit)
{
    const mcd_snap_index *const index = run->search->index;
    const mcd_snap_line *const line = &hit->line;
    const mcd_snap_vector from = mcd_snap_project(&run->plane, hit->along == 1 ? line->to : line->from),
                          place = {-from.east, -from.north}; /* as seen from the bend */
    if (hit->along > 0 && hit->along < 1) return turn_left(mcd_snap_step(&run->plane, line), place);
    const size_t behind = index->piece[hit->entry] / 2 + (hit->along == 1);
    const mcd_snap_vector before_bend = step_from(run, hit, behind - 1, -1),
                          behind_bend = step_from(run, hit, behind, 1);
    const double first = turn_left(before_bend, place), second = turn_left(behind_bend, place);
    if (mcd_snap_square(before_bend) == 0) return second;
    if (mcd_snap_square(behind_bend) == 0 || first * second > 0) return first;
    return mcd_snap_square(place) == 0 ? 0 : turn_left(behind_bend, before_bend);
}

/* Leaves out the ways that are closed; returns whether one is left. Beside an open way, the way back is not looked at. */
static bool leave_closed(const snap_run *run, mcd_snap_hit *hit)
{
    const mcd_weights *const weights = run->search->weights;
    const uint32_t arc = hit->arc;
    if (!weights || (hit->way[MCD_FORWARD] && mcd_arc_is_open(weights, arc))) return true;
    const uint32_t back =
        hit->way[MCD_BACKWARD] ? mcd_road_back(run->search->roads, hit->tail, arc) : MCD_ROAD_NONE;
    hit->way[MCD_FORWARD] = false;
    hit->way[MCD_BACKWARD] = back != MCD_ROAD_NONE && mcd_arc_is_open(weights, back);
    return hit->way[MCD_BACKWARD];
}

/* Whether the course allows to travel on the road at all. */
static bool choose_ways(const snap_run *run, mcd_snap_hit *hit)
{
    const mcd_snap_course *const course = &run->search->course;
    const mcd_roads *const roads = run->search->roads;
    hit->way[MCD_FORWARD] = hit->way[MCD_BACKWARD] = true;
    if (course->tolerance == 0 && course->curb == 0) return true;
    const mcd_snap_vector step = mcd_snap_step(&run->plane, &hit->line);
    hit->way[MCD_FORWARD] = is_headed(course, step);
    hit->way[MCD_BACKWARD] = mcd_road_back(roads, hit->tail, hit->arc) != MCD_ROAD_NONE;
    const double left = course->curb != 0 && hit->way[MCD_BACKWARD] ? left_of_road(run, hit) : 0;
    if (left != 0) {
        hit->way[MCD_FORWARD] = hit->way[MCD_FORWARD] && left * course->curb < 0;
        hit->way[MCD_BACKWARD] = left * course->curb > 0;
    }
    hit->way[MCD_BACKWARD] =
        hit->way[MCD_BACKWARD] && is_headed(course, (mcd_snap_vector){-step.east, -step.north});
    return hit->way[MCD_FORWARD] || hit->way[MCD_BACKWARD];
}

/* Takes a hit if it is nearer than that of its road and than the last one. */
static void take(snap_run *run, mcd_snap_hit *hit)
{
    uint32_t at = 0;
    while (at < run->count && run->hit[at].arc != hit->arc) ++at;
    if (at < run->count && !is_nearer(run->search, hit, &run->hit[at])) return;
    size_t to = at;
    while (to > 0 && is_nearer(run->search, hit, &run->hit[to - 1])) --to;
    if (to == run->capacity || !choose_ways(run, hit) || !leave_closed(run, hit)) return;
    if (at == run->capacity) --at;
    if (at == run->count) ++run->count;
    memmove(&run->hit[to + 1], &run->hit[to], (at - to) * sizeof *hit);
    run->hit[to] = *hit;
    if (run->count == run->capacity) run->limit = run->hit[run->count - 1].square;
}

/* `take` and `meet` read all over the map. */
static void expect_arc(const mcd_snap_search *search, uint32_t arc)
{
    const mcd_weights *const weights = search->weights;
    __builtin_prefetch(&search->roads->graph->head[arc]);
    if (search->roads->facts->original) __builtin_prefetch(&search->roads->facts->original[arc]);
    if (weights) __builtin_prefetch(&weights->objective[arc]);
    if (weights && weights->companion) __builtin_prefetch(&weights->companion[arc]);
}

/* Some pieces of a leaf, and how far they are. */
typedef struct leaf_part {
    const mcd_snap_leaf *leaf;
    size_t entry, first, count; /* entry: of the leaf's first piece; first: of the part, in the leaf */
    double square[MCD_SNAP_FANOUT], along[MCD_SNAP_FANOUT];
} leaf_part;

MCD_CLONED static void measure_leaf(const mcd_snap_plane *plane, leaf_part *part)
{
    measure_lines(plane, part->leaf->line, part->count, part->square, part->along);
}

/* Returns a bit for each piece whose square is at most `most`. */
static uint32_t within(const leaf_part *part, double most)
{
    uint32_t some = 0;
    for (size_t k = 0; k < part->count; ++k) some |= (uint32_t)(part->square[k] <= most) << k;
    return some;
}

/* Takes the k-th piece, which is within the limit. */
static void take_piece(snap_run *run, const leaf_part *part, size_t k)
{
    const mcd_snap_leaf *const leaf = part->leaf;
    const size_t i = part->first + k, entry = part->entry + i;
    if (leaf->tail[i] != MCD_NODE_NONE &&
        !(run->search->connected && mcd_snap_is_cut_off(run->search->index, entry)))
        take(run, &(mcd_snap_hit){part->square[k],
                                  part->along[k],
                                  entry,
                                  leaf->line[i],
                                  leaf->arc[i],
                                  leaf->tail[i],
                                  {true, true}});
}

/* Takes the pieces whose bits are set. */
static void take_some(snap_run *run, const leaf_part *part, uint32_t some)
{
    for (uint32_t rest = some; rest; rest &= rest - 1)
        expect_arc(run->search, part->leaf->arc[__builtin_ctz(rest)]);
    for (; some; some &= some - 1) {
        const size_t k = (size_t)__builtin_ctz(some);
        if (part->square[k] <= run->limit) take_piece(run, part, k);
    }
}

/* Searches the nearest piece first: if one hit is wanted, hardly any other is then near enough. */
static void search_whole(snap_run *run, leaf_part *part)
{
    double nearest = run->limit;
    measure_leaf(&run->plane, part);
    for (size_t k = 0; k < part->count; ++k) nearest = part->square[k] < nearest ? part->square[k] : nearest;
    const uint32_t first = within(part, nearest);
    take_some(run, part, first);
    if (run->limit > nearest) take_some(run, part, within(part, run->limit) & ~first);
}

/* Searches the pieces of a leaf within a window, or all of them. */
static void search_leaf(snap_run *run, size_t leaf, const snap_window *near)
{
    mcd_snap_leaf own;
    leaf_part part; /* not initialized: its numbers are many */
    part.leaf = mcd_snap_leaf_find(run->search->roads, run->search->index, leaf, &own);
    part.entry = leaf * MCD_SNAP_FANOUT;
    part.first = 0;
    part.count = mcd_snap_leaf_pieces(run->search->index, leaf);
    if (!near) search_whole(run, &part);
    for (; near && part.first < part.count; ++part.first) {
        const mcd_snap_line *const line = &part.leaf->line[part.first];
        if (is_outside(near, &line->from.lon_e7)) continue;
        measure_lines(&run->plane, line, 1, part.square, part.along);
        if (part.square[0] <= run->limit) take_piece(run, &part, 0);
    }
}

/* Adds the boxes below one that may hold something near; returns how many. */
static size_t open_box(const snap_run *run, const snap_below *at, snap_below *out)
{
    const size_t first = at->index * MCD_SNAP_FANOUT, below = run->level_first[at->level - 1],
                 count = mcd_size_min(MCD_SNAP_FANOUT, run->level_first[at->level] - below - first);
    const double reach = mcd_snap_reach(run->limit);
    double bound[MCD_SNAP_FANOUT];
    size_t added = 0;
    bound_boxes(&run->plane, &run->search->index->box[below + first], count, bound);
    for (size_t i = 0; i < count; ++i) { /* no branch, which no processor could predict */
        out[added] = (snap_below){bound[i], at->level - 1, (uint32_t)(first + i)};
        added += bound[i] <= reach;
    }
    return added;
}

/* Keeps the hits of further streets that nothing beyond `bound` can change. If they are enough, nothing else is wanted. */
static void keep_streets(snap_run *run, double bound)
{
    street_list *const list = run->streets;
    list->all.count = run->count;
    for (; list->next < run->count && list->count < list->capacity; ++list->next) {
        if (!is_beyond(bound, reach_of(run->search, &run->hit[list->next]))) return;
        if (!meet(&list->all, list->next).goes_on) list->hit[list->count++] = run->hit[list->next];
    }
    if (list->count == list->capacity) run->limit = -1;
}

/* Boxes that are to be searched, and the next one of them. */
typedef struct box_list {
    snap_below box[BOXES_MAX], next;
    size_t count;
} box_list;

/* Lets the processor fetch what a box holds. */
static void expect_box(const snap_run *run, const snap_below *at)
{
    const mcd_snap_index *const index = run->search->index;
    const void *first = &index->lines.leaf[at->index];
    size_t bytes = sizeof *index->lines.leaf;
    if (at->level > 0) {
        bytes = MCD_SNAP_FANOUT * sizeof *index->box;
        first = &index->box[run->level_first[at->level - 1] + (size_t)at->index * MCD_SNAP_FANOUT];
    } else {
        __builtin_prefetch(&index->piece[(size_t)at->index * MCD_SNAP_FANOUT]);
        if (!index->lines.of_leaf) return;
    }
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)first + i);
}

/* Chooses the nearest box as the next one; returns false if nothing else is wanted. */
static bool choose_box(snap_run *run, box_list *list)
{
    size_t nearest = 0;
    double bound = INFINITY;
    if (list->count == 0) return false;
    for (size_t i = 0; i < list->count; ++i) { /* no branch, either */
        nearest = list->box[i].bound < bound ? i : nearest;
        bound = list->box[i].bound < bound ? list->box[i].bound : bound;
    }
    list->next = list->box[nearest];
    if (run->streets) keep_streets(run, fmin(bound, run->limit)); /* hits at the limit find no room */
    if (is_beyond(bound, run->limit)) return false;
    list->box[nearest] = list->box[--list->count];
    expect_box(run, &list->next);
    return true;
}

/* Begins to search what box `index` of a level holds, nearest first: early hits exclude most of the rest. */
static bool begin_box(snap_run *run, box_list *list, uint32_t level, uint32_t index)
{
    list->count = 1;
    list->box[0] = (snap_below){0, level, index};
    return choose_box(run, list);
}

/* Searches the next box; returns false after the last one. If too many boxes are to be searched, one is searched completely
 * before the next. */
static bool search_next(snap_run *run, box_list *list)
{
    const snap_below at = list->next;
    street_list *const streets = run->streets;
    if (at.level == 0)
        search_leaf(run, at.index, NULL);
    else if (list->count + MCD_SNAP_FANOUT <= BOXES_MAX)
        list->count += open_box(run, &at, &list->box[list->count]);
    else {
        box_list below;
        run->streets = NULL; /* other boxes may be nearer than those in there */
        for (bool goes_on = begin_box(run, &below, at.level, at.index); goes_on;)
            goes_on = search_next(run, &below);
        run->streets = streets;
    }
    return choose_box(run, list);
}

static void search_area(snap_run *run, const mcd_snap_area *area)
{
    const mcd_point at = run->search->at;
    const double reach = sqrt(run->limit) * (1 + 1e-6) + 1;
    const int32_t north = (int32_t)reach, east = (int32_t)(reach / run->plane.shrink) + 1,
                  low[2] = {at.lon_e7 - east, at.lat_e7 - north},
                  high[2] = {at.lon_e7 + east, at.lat_e7 + north};
    const snap_window near = {{low[0], low[1], low[0], low[1]}, {high[0], high[1], high[0], high[1]}};
    for (size_t i = 0; i < area->count; ++i) {
        const mcd_snap_box *const box = &area->box[i];
        if (is_outside(&near, &box->west_e7)) continue;
        const bool crosses = (double)box->east_e7 - box->west_e7 > MCD_WHOLE_E7 / 2; /* the antimeridian */
        search_leaf(run, area->leaf[i], crosses ? NULL : &near);
    }
}

/* Begins a search of all leaves; returns false if there is nothing to search. */
static bool begin(snap_run *run, box_list *list)
{
    const mcd_snap_search *const search = run->search;
    const size_t levels = mcd_snap_levels(search->index->piece_count, run->level_first);
    run->plane = (mcd_snap_plane){search->at.lon_e7, search->at.lat_e7, mcd_snap_shrink(search->at.lat_e7)};
    run->limit = mcd_snap_limit(search->radius_m);
    return search->index->piece_count > 0 && run->capacity > 0 &&
           (search->area || begin_box(run, list, (uint32_t)levels - 1, 0));
}

static void find(snap_run *run)
{
    box_list list;
    bool goes_on = begin(run, &list);
    if (goes_on && run->search->area)
        search_area(run, run->search->area);
    else
        while (goes_on) goes_on = search_next(run, &list);
}

size_t mcd_snap_find(const mcd_snap_search *search, mcd_snap_hit *hit, size_t capacity)
{
    snap_run run = {.search = search, .hit = hit, .capacity = (uint32_t)capacity};
    find(&run);
    return run.count;
}

enum { CONCURRENT = 4 };

void mcd_snap_find_nearest(const mcd_snap_search *search, size_t count, mcd_snap_hit *hit)
{
    snap_run run[CONCURRENT];
    box_list list[CONCURRENT];
    bool goes_on[CONCURRENT] = {false};
    size_t begun = 0, active = 0;
    do
        for (size_t k = 0; k < CONCURRENT; ++k) {
            if (goes_on[k]) active -= !(goes_on[k] = search_next(&run[k], &list[k]));
            for (; !goes_on[k] && begun < count; ++begun) {
                run[k] = (snap_run){.search = &search[begun], .hit = &hit[begun], .capacity = 1};
                hit[begun].entry = MCD_SNAP_NONE;
                active += goes_on[k] = begin(&run[k], &list[k]);
            }
        }
    while (active > 0);
}

size_t mcd_snap_find_streets(const mcd_snap_search *search, mcd_snap_hit *hit, size_t capacity)
{
    mcd_snap_hit all[MCD_SNAP_HITS_MAX];
    if (capacity <= 1) return mcd_snap_find(search, hit, capacity);
    for (size_t most = has_course(search) ? MCD_SNAP_HITS_MAX : 3 * capacity + 2;; most *= 2) {
        street_list list = {.all = {.search = search, .hit = all}, .hit = hit, .capacity = capacity};
        snap_run run = {.search = search,
                        .hit = all,
                        .capacity = mcd_size_min(most, MCD_SNAP_HITS_MAX),
                        .streets = &list};
        find(&run);
        const bool is_cut = run.count == run.capacity && run.count < MCD_SNAP_HITS_MAX;
        keep_streets(&run, is_cut ? run.limit : INFINITY);
        if (!is_cut || list.count == capacity) return list.count;
    }
}

/* ---- areas ---- */

typedef struct area_run {
    const mcd_snap_index *index;
    double west, south, east, north; /* in 1e-7 degrees */
    size_t level_first[MCD_SNAP_LEVELS_MAX + 1];
    bool (*take)(const struct area_run *run, size_t leaf); /* false: no further leaves are wanted */
    void *out;                                             /* for `take` */
} area_run;

static bool overlaps(const area_run *run, const mcd_snap_box *box)
{
    return box->west_e7 <= run->east && box->east_e7 >= run->west && box->south_e7 <= run->north &&
           box->north_e7 >= run->south;
}

/* Takes the leaves below box `index` of a level; returns false if one is refused. */
static bool take_leaves(const area_run *run, size_t level, size_t index)
{
    if (!overlaps(run, &run->index->box[run->level_first[level] + index])) return true;
    if (level == 0) return run->take(run, index);
    const size_t first = index * MCD_SNAP_FANOUT,
                 below = run->level_first[level] - run->level_first[level - 1];
    for (size_t i = first; i < mcd_size_min(first + MCD_SNAP_FANOUT, below); ++i)
        if (!take_leaves(run, level - 1, i)) return false;
    return true;
}

static bool keep_leaf(const area_run *run, size_t leaf)
{
    mcd_snap_area *const out = run->out;
    if (out->count == MCD_SNAP_LEAVES_MAX) return false;
    out->leaf[out->count] = (uint32_t)leaf;
    out->box[out->count++] = run->index->box[leaf];
    return true;
}

bool mcd_snap_area_find(mcd_snap_area *out, const mcd_snap_index *index, const mcd_snap_box *around,
                        double radius_m)
{
    static const double slack = 1 + 1e-5, least_shrink = 0.01; /* the slack is above all roundings */
    const double lat = fmax(fabs((double)around->south_e7), fabs((double)around->north_e7)),
                 shrink = cos(lat * 1e-7 * radians_per_degree), north = radius_m / metres_per_e7 * slack + 1,
                 east = north / shrink;
    area_run run = {.index = index,
                    .west = around->west_e7 - east,
                    .south = around->south_e7 - north,
                    .east = around->east_e7 + east,
                    .north = around->north_e7 + north,
                    .take = keep_leaf,
                    .out = out};
    const size_t levels = mcd_snap_levels(index->piece_count, run.level_first);
    out->count = 0;
    if (index->piece_count == 0) return true;
    if (!(shrink > least_shrink && run.west > -MCD_WHOLE_E7 / 2 && run.east < MCD_WHOLE_E7 / 2)) return false;
    return take_leaves(&run, levels - 1, 0);
}

/* ---- boxes ---- */

bool mcd_snap_line_meets(const mcd_snap_line *line, const macadam_box *box)
{
    const double middle_e7 = (box->west + box->east) / 2, reach_e7 = (box->east - box->west) / 2;
    if ((line->from.lat_e7 > box->north && line->to.lat_e7 > box->north) ||
        (line->from.lat_e7 < box->south && line->to.lat_e7 < box->south))
        return false;
    const double from = mcd_snap_wrapped(line->from.lon_e7 - middle_e7),
                 to = from + mcd_snap_wrapped((double)line->to.lon_e7 - line->from.lon_e7);
    return (from <= reach_e7 || to <= reach_e7) && (from >= -reach_e7 || to >= -reach_e7);
}

typedef struct box_run {
    const mcd_snap_search *search;
    const macadam_box *box;
    mcd_snap_take *each;
    void *context;
} box_run;

static bool take_pieces(const area_run *run, size_t leaf)
{
    const box_run *const at = run->out;
    mcd_snap_leaf own;
    const mcd_snap_leaf *const found = mcd_snap_leaf_find(at->search->roads, run->index, leaf, &own);
    for (size_t i = 0; i < mcd_snap_leaf_pieces(run->index, leaf); ++i)
        if (found->tail[i] != MCD_NODE_NONE && mcd_snap_line_meets(&found->line[i], at->box) &&
            !at->each(at->context, leaf * MCD_SNAP_FANOUT + i))
            return false;
    return true;
}

void mcd_snap_find_in(const mcd_roads *roads, const mcd_snap_index *index, const macadam_box *box,
                      mcd_snap_take *each, void *context)
{
    const mcd_snap_search search = {.roads = roads, .index = index};
    box_run within = {&search, box, each, context};
    area_run run = {
        .index = index, .south = box->south, .north = box->north, .take = take_pieces, .out = &within};
    const size_t levels = mcd_snap_levels(index->piece_count, run.level_first);
    bool goes_on = index->piece_count > 0;
    for (int turn = -1; turn <= 1 && goes_on; ++turn) {
        run.west = box->west + turn * MCD_WHOLE_E7;
        run.east = box->east + turn * MCD_WHOLE_E7;
        goes_on = take_leaves(&run, levels - 1, 0);
    }
}
