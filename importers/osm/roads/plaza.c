/* plaza.c - see plaza.h.
 *
 * Method: the outline of an area is one or more rings. A shortest walk over it bends only at corners that
 * stand in its way: those of the outer ring that point inward, and those of holes that point outward. So
 * entrances and such corners are joined by lines of sight; a line between two corners is needed only if it
 * touches both, that is if each corner's two edges lie on the same side of it. The signs of cross products
 * are exact in integers, and do not depend on how degrees of longitude and of latitude compare.
 * (Lozano-Perez, Wesley 1979: visibility graphs) */
#include "importers/osm/roads/plaza.h"
#include "engine/base/grow.h"
#include "engine/base/sort.h"

#include <stdlib.h>

enum {
    SPOTS_MAX = 100,     /* entrances and corners of an area */
    VERTICES_MAX = 4096, /* of its outline */
    PIECES_MAX = 512,    /* ways of its outline */
    /* the caller can stop the work each time that this many ways have been looked at */
    WAYS_AT_ONCE = 1 << 8,
    EXTENT_E7 = 1 << 24, /* from one vertex to another; a hundred kilometres are not a plaza */
};

/* ---- relations ---- */

bool mcd_plazas_want(const mcd_profile *profile, const mcd_tags *tags)
{
    mcd_passage passage;
    mcd_limits limits;
    return profile->areas == MCD_AREAS_CROSSED && mcd_tags_has(tags, "type", "multipolygon") &&
           mcd_profile_way(profile, tags, &passage, &limits) != MCD_WAY_NO_ROAD;
}

static macadam_status copy_text(const char **out, mcd_arena *arena, const char *text, macadam_error *error)
{
    char *copy;
    MCD_TRY(MCD_ARENA_NEW(arena, copy, strlen(text) + 1, error));
    *out = strcpy(copy, text);
    return MACADAM_OK;
}

static macadam_status copy_tags(mcd_tags *out, mcd_arena *arena, const mcd_tags *tags, macadam_error *error)
{
    mcd_tag *copy;
    MCD_TRY(MCD_ARENA_NEW(arena, copy, tags->count, error));
    *out = (mcd_tags){.tag = copy, .count = tags->count, .absent = tags->absent};
    for (size_t i = 0; i < tags->count; ++i) {
        MCD_TRY(copy_text(&copy[i].key, arena, tags->tag[i].key, error));
        MCD_TRY(copy_text(&copy[i].value, arena, tags->tag[i].value, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_plazas_add(mcd_plazas *plazas, mcd_report *report, const mcd_profile *profile,
                              const mcd_osm_relation *relation, macadam_error *error)
{
    MCD_FREED_BY(mcd_ways_free) mcd_ways timings = {.count = 0};
    mcd_plaza added = {.id = relation->id};
    mcd_way way;
    mcd_limits limits;
    mcd_way_use use;
    if (!mcd_plazas_want(profile, &relation->tags)) return MACADAM_OK;
    mcd_report_at(report, 'r', relation->id);
    MCD_TRY(mcd_ways_read(&timings, report, profile, &relation->tags, &way, &limits, &use, error));
    if (use != MCD_WAY_OPEN) return MACADAM_OK;
    MCD_TRY(MCD_GROW(plazas->plaza, plazas->capacity, plazas->count + 1, error));
    MCD_TRY(MCD_GROW(plazas->member, plazas->member_capacity, plazas->member_count + relation->member_count,
                     error));
    MCD_TRY(copy_tags(&added.tags, &plazas->arena, &relation->tags, error));
    plazas->plaza[plazas->count++] = added;
    for (size_t i = 0; i < relation->member_count; ++i) {
        const mcd_osm_member *const member = &relation->member[i];
        if (member->type != 'w') continue;
        plazas->member[plazas->member_count++] =
            (mcd_plaza_member){member->id, (uint32_t)plazas->count, strcmp(member->role, "inner") == 0};
    }
    return MACADAM_OK;
}

MCD_DEFINE_COMPARE_TWO(compare_members, mcd_plaza_member, way, plaza)

void mcd_plazas_close(mcd_plazas *plazas)
{
    if (plazas->member_count > 0)
        qsort(plazas->member, plazas->member_count, sizeof *plazas->member, compare_members);
}

void mcd_plazas_free(mcd_plazas *plazas)
{
    MCD_FREE_ALL(plazas->plaza, plazas->member);
    mcd_arena_free(&plazas->arena);
    *plazas = (mcd_plazas){0};
}

/* The first member of the way, or where it would be. */
MCD_DEFINE_LOWER_BOUND(find_member, mcd_plaza_member, .way, int64_t)

static bool is_member(const mcd_plazas *plazas, int64_t way)
{
    const size_t at = find_member(plazas->member, 0, plazas->member_count, way);
    return at < plazas->member_count && plazas->member[at].way == way;
}

macadam_status mcd_plazas_take_way(const mcd_plazas *plazas, mcd_ways *ways, const mcd_profile *profile,
                                   const mcd_osm_way *way, macadam_error *error)
{
    MCD_FREED_BY(mcd_report_free)
    mcd_report again = {.few = true}; /* the relation was reported when it came */
    for (size_t at = find_member(plazas->member, 0, plazas->member_count, way->id);
         at < plazas->member_count && plazas->member[at].way == way->id; ++at) {
        const mcd_plaza_member *const member = &plazas->member[at];
        const mcd_plaza *const plaza = &plazas->plaza[member->plaza - 1];
        mcd_way added = {.id = way->id, .plaza = member->plaza, .inner = member->inner};
        mcd_limits limits;
        mcd_way_use use; /* it is open */
        MCD_TRY(mcd_ways_read(ways, &again, profile, &plaza->tags, &added, &limits, &use, error));
        MCD_TRY(mcd_ways_append(ways, &added, &plaza->tags, profile, limits.most, way->node, way->node_count,
                                error));
    }
    return MACADAM_OK;
}

/* ---- outlines ---- */

/* A corner of the outline, between its neighbours along the ring. */
typedef struct vertex {
    uint32_t point;
    int64_t x, y; /* 1e-7 degrees from the area's first vertex */
    uint32_t before, after;
} vertex;

typedef struct area_crosser {
    const mcd_plazas *plazas;
    mcd_report *report;
    mcd_ways *ways;
    const mcd_points *points;
    uint32_t *owner;   /* [point count] a number of the first area that has the point */
    bool *is_entrance; /* [point count] */
    vertex vertex[VERTICES_MAX];
    size_t vertex_count;
    const vertex *spot[SPOTS_MAX]; /* places where lines of sight end */
    size_t spot_count;
    mcd_watch *watch;
} area_crosser;

static size_t end_of(const area_crosser *crosser, size_t way)
{
    return crosser->ways->way[way + 1].first_ref;
}

static uint32_t first_point(const area_crosser *crosser, size_t way)
{
    return crosser->ways->point[crosser->ways->way[way].first_ref];
}

static uint32_t last_point(const area_crosser *crosser, size_t way)
{
    return crosser->ways->point[end_of(crosser, way) - 1];
}

/* Whether an outline has a place for another vertex there. */
static bool add_vertex(area_crosser *crosser, uint32_t point)
{
    const mcd_points *const points = crosser->points;
    if (crosser->vertex_count == VERTICES_MAX || !(points->state[point] & MCD_POINT_PRESENT)) return false;
    const uint32_t origin = crosser->vertex_count > 0 ? crosser->vertex[0].point : point;
    const vertex added = {.point = point,
                          .x = (int64_t)points->lon_e7[point] - points->lon_e7[origin],
                          .y = (int64_t)points->lat_e7[point] - points->lat_e7[origin]};
    if (llabs(added.x) > EXTENT_E7 / 2 || llabs(added.y) > EXTENT_E7 / 2) return false;
    crosser->vertex[crosser->vertex_count++] = added;
    return true;
}

/* All points of a way but the last one, in either direction. */
static bool add_piece(area_crosser *crosser, size_t way, bool backward)
{
    const size_t first = crosser->ways->way[way].first_ref, last = end_of(crosser, way) - 1;
    for (size_t i = 0; i < last - first; ++i)
        if (!add_vertex(crosser, crosser->ways->point[backward ? last - i : first + i])) return false;
    return true;
}

/* Twice the area of the ring, above 0 if it runs counter-clockwise. */
static int64_t signed_area(const vertex *ring, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const vertex *const a = &ring[i], *const b = &ring[(i + 1) % count];
        sum += a->x * b->y - a->y * b->x;
    }
    return sum;
}

/* Joins the neighbours of a ring so that the open space lies to the left. */
static bool close_ring(area_crosser *crosser, size_t first, bool inner)
{
    vertex *const ring = crosser->vertex + first;
    const size_t count = crosser->vertex_count - first;
    if (count < 3) return false;
    const bool reversed = (signed_area(ring, count) > 0) == inner;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t next = (uint32_t)(first + (i + 1) % count);
        const uint32_t previous = (uint32_t)(first + (i + count - 1) % count);
        ring[i].before = reversed ? next : previous;
        ring[i].after = reversed ? previous : next;
    }
    return true;
}

/* Follows pieces of the same role from the first unused one until it closes. */
static bool follow_ring(area_crosser *crosser, const size_t *piece, size_t count, size_t begin, bool *used)
{
    const mcd_way *const way = crosser->ways->way;
    const size_t first = crosser->vertex_count;
    const uint32_t start = first_point(crosser, piece[begin]);
    uint32_t at = last_point(crosser, piece[begin]);
    used[begin] = true;
    if (!add_piece(crosser, piece[begin], false)) return false;
    while (at != start) {
        size_t next = 0;
        while (next < count &&
               (used[next] || way[piece[next]].inner != way[piece[begin]].inner ||
                (first_point(crosser, piece[next]) != at && last_point(crosser, piece[next]) != at)))
            ++next;
        if (next == count) return false;
        const bool backward = first_point(crosser, piece[next]) != at;
        used[next] = true;
        if (!add_piece(crosser, piece[next], backward)) return false;
        at = backward ? first_point(crosser, piece[next]) : last_point(crosser, piece[next]);
    }
    return close_ring(crosser, first, way[piece[begin]].inner);
}

static bool follow_rings(area_crosser *crosser, const size_t *piece, size_t count)
{
    bool used[PIECES_MAX] = {false};
    crosser->vertex_count = 0;
    for (size_t i = 0; i < count; ++i)
        if (!used[i] && !follow_ring(crosser, piece, count, i, used)) return false;
    return true;
}

/* ---- sight ---- */

/* Above 0: c lies to the left of the line from a to b. */
static int64_t side_of(const vertex *a, const vertex *b, const vertex *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static bool is_between(int64_t a, int64_t x, int64_t b)
{
    return a < b ? a <= x && x <= b : b <= x && x <= a;
}

static bool has_point(const vertex *a, const vertex *b, const vertex *other)
{
    return other->point == a->point || other->point == b->point;
}

/* Whether the edge from p to q stops those who look from a to b: it crosses the line, or p lies on it. */
static bool hides(const vertex *a, const vertex *b, const vertex *p, const vertex *q)
{
    const int64_t p_side = side_of(a, b, p), q_side = side_of(a, b, q);
    if (!has_point(a, b, p) && p_side == 0 && is_between(a->x, p->x, b->x) && is_between(a->y, p->y, b->y))
        return true;
    if (has_point(a, b, p) || has_point(a, b, q) || (p_side > 0) == (q_side > 0) || p_side == 0 ||
        q_side == 0)
        return false;
    const int64_t a_side = side_of(p, q, a), b_side = side_of(p, q, b);
    return a_side != 0 && b_side != 0 && (a_side > 0) != (b_side > 0);
}

/* Whether the middle of the line lies on the open space: an odd number of edges is north of it. */
static bool is_open_between(const area_crosser *crosser, const vertex *a, const vertex *b)
{
    const int64_t x = a->x + b->x, y = a->y + b->y; /* all doubled */
    bool odd = false;
    for (size_t i = 0; i < crosser->vertex_count; ++i) {
        const vertex *const p = &crosser->vertex[i], *const q = &crosser->vertex[p->after];
        if ((2 * p->x > x) == (2 * q->x > x)) continue;
        const int64_t cross = 2 * (q->x - p->x) * (y - 2 * p->y) - 2 * (q->y - p->y) * (x - 2 * p->x);
        odd = odd != ((q->x > p->x) == (cross < 0));
    }
    return odd;
}

static bool sees(const area_crosser *crosser, const vertex *a, const vertex *b)
{
    for (size_t i = 0; i < crosser->vertex_count; ++i)
        if (hides(a, b, &crosser->vertex[i], &crosser->vertex[crosser->vertex[i].after])) return false;
    return is_open_between(crosser, a, b);
}

/* Whether a shortest walk can come along the line from `other` to the corner and then go around the corner. */
static bool touches(const area_crosser *crosser, const vertex *corner, const vertex *other)
{
    const int64_t before = side_of(other, corner, &crosser->vertex[corner->before]),
                  after = side_of(other, corner, &crosser->vertex[corner->after]);
    return !(before > 0 && after < 0) && !(before < 0 && after > 0);
}

/* ---- lines ---- */

static bool find_spots(area_crosser *crosser)
{
    crosser->spot_count = 0;
    for (size_t i = 0; i < crosser->vertex_count; ++i) {
        const vertex *const at = &crosser->vertex[i];
        const bool bends = side_of(&crosser->vertex[at->before], at, &crosser->vertex[at->after]) < 0;
        if (!bends && !crosser->is_entrance[at->point]) continue;
        if (crosser->spot_count == SPOTS_MAX) return false;
        crosser->spot[crosser->spot_count++] = at;
    }
    return true;
}

static macadam_status add_lines(area_crosser *crosser, size_t outline, macadam_error *error)
{
    mcd_way line = crosser->ways->way[outline];
    line.plaza = 0;
    for (size_t i = 0; i < crosser->spot_count; ++i)
        for (size_t j = i + 1; j < crosser->spot_count; ++j) {
            const vertex *const a = crosser->spot[i], *const b = crosser->spot[j];
            const uint32_t b_at = (uint32_t)(b - crosser->vertex);
            const bool useful = crosser->is_entrance[a->point] || crosser->is_entrance[b->point] ||
                                (touches(crosser, a, b) && touches(crosser, b, a));
            if (a->before == b_at || a->after == b_at || a->point == b->point || !useful ||
                !sees(crosser, a, b))
                continue;
            MCD_TRY(mcd_ways_append_line(crosser->ways, &line, a->point, b->point, error));
        }
    return MACADAM_OK;
}

static macadam_status cross_area(area_crosser *crosser, const size_t *piece, size_t count,
                                 macadam_error *error)
{
    mcd_report *const report = crosser->report;
    const mcd_way *const way = &crosser->ways->way[piece[0]];
    const bool own = way->plaza == MCD_WAY_PLAZA_OWN;
    mcd_report_at(report, own ? 'w' : 'r', own ? way->id : crosser->plazas->plaza[way->plaza - 1].id);
    if (count > PIECES_MAX || !follow_rings(crosser, piece, count)) {
        const bool large = count > PIECES_MAX || crosser->vertex_count == VERTICES_MAX;
        mcd_report_add(report, large ? MCD_REPORT_LARGE_PLAZAS : MCD_REPORT_TORN_PLAZAS);
    } else if (!find_spots(crosser)) {
        mcd_report_add(report, MCD_REPORT_LARGE_PLAZAS);
    } else {
        mcd_report_count(report, MCD_REPORT_PLAZAS, 1);
        return add_lines(crosser, piece[0], error);
    }
    return MACADAM_OK;
}

/* ---- all areas ---- */

/* A way of an outline, by its area. */
typedef struct outline {
    uint32_t plaza;
    size_t way;
} outline;

MCD_DEFINE_COMPARE_TWO(compare_outlines, outline, plaza, way)

/* A number of the area that an outline way belongs to. */
static uint32_t area_of(const mcd_way *way, size_t index)
{
    return way->plaza == MCD_WAY_PLAZA_OWN ? (uint32_t)index + 1 : UINT32_MAX - way->plaza;
}

/* Entrances are points of other ways, and of several areas. A relation's member that is a road of its own
 * runs along the outline: it is not an entrance. */
static macadam_status find_entrances(area_crosser *crosser, macadam_error *error)
{
    const mcd_ways *const ways = crosser->ways;
    for (size_t i = 0; i < ways->count; ++i) {
        const mcd_way *const way = &ways->way[i];
        if (i % WAYS_AT_ONCE == 0) MCD_TRY(mcd_watch_step(crosser->watch, i, ways->count, error));
        if (way->plaza == 0 && is_member(crosser->plazas, way->id)) continue;
        for (size_t ref = way[0].first_ref; ref < way[1].first_ref; ++ref) {
            const uint32_t point = crosser->ways->point[ref], area = area_of(way, i);
            if (way->plaza == 0 || (crosser->owner[point] != 0 && crosser->owner[point] != area))
                crosser->is_entrance[point] = true;
            else
                crosser->owner[point] = area;
        }
    }
    return MACADAM_OK;
}

static macadam_status cross_areas(area_crosser *crosser, const outline *outlines, size_t count,
                                  macadam_error *error)
{
    size_t piece[PIECES_MAX];
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && outlines[end].plaza == outlines[first].plaza &&
                          (end == first || outlines[first].plaza != MCD_WAY_PLAZA_OWN);
             ++end)
            if (end - first < PIECES_MAX) piece[end - first] = outlines[end].way;
        MCD_TRY(mcd_watch_step(crosser->watch, first, count, error));
        MCD_TRY(cross_area(crosser, piece, end - first, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_plazas_cross(const mcd_plazas *plazas, mcd_report *report, mcd_ways *ways,
                                const mcd_points *points, mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    area_crosser *crosser;
    outline *outlines, *next;
    size_t count = 0;
    for (size_t i = 0; i < ways->count; ++i) {
        /* of a way that is also a relation's the relation knows the holes */
        mcd_way *const way = &ways->way[i];
        MCD_TRY(mcd_watch_item(watch, i, ways->count, error));
        if (way->plaza == MCD_WAY_PLAZA_OWN && is_member(plazas, way->id)) way->plaza = 0;
        count += way->plaza != 0;
    }
    if (count == 0) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(&arena, outlines, count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&arena, crosser, 1, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&arena, crosser->owner, points->count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&arena, crosser->is_entrance, points->count, error));
    crosser->plazas = plazas;
    crosser->report = report;
    crosser->ways = ways;
    crosser->points = points;
    crosser->watch = watch;
    next = outlines;
    for (size_t i = 0; i < ways->count; ++i)
        if (ways->way[i].plaza != 0) *next++ = (outline){ways->way[i].plaza, i};
    qsort(outlines, count, sizeof *outlines, compare_outlines);
    MCD_TRY(find_entrances(crosser, error));
    return cross_areas(crosser, outlines, count, error);
}
