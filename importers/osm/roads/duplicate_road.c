/* duplicate_road.c - see duplicate_road.h.
 *
 * Method: segments are listed by their lower node. Most nodes have no two segments to the same higher node;
 * the segments of the others are sorted by all that counts, and of equal neighbours the first stays. */
#include "importers/osm/roads/duplicate_road.h"
#include "engine/base/grow.h"
#include "engine/base/sort.h"

#include <stdlib.h>

/* A segment that may be equal to another. Its arcs follow each other in the map. */
typedef struct duplicate {
    const struct duplicate_search *search;
    mcd_node low, high;
    int64_t way;    /* 0: it is not needed */
    mcd_arc arc[2]; /* from low to high, and back; MCD_ARC_NONE: there is none */
} duplicate;

typedef struct duplicate_search {
    mcd_map *map;
    mcd_segments *segments;
    mcd_arena arena; /* of the arrays below */
    int64_t *named;  /* [named_count] ascending */
    size_t named_count;
    mcd_arc *begin; /* [segment_count] the first arc of each segment */
    mcd_node *low;  /* [segment_count] */
    size_t segment_count;
    mcd_incidence at;     /* segments by their lower node */
    mcd_node *mark;       /* [node_count] */
    duplicate *candidate; /* not of the arena */
    size_t candidate_count, candidate_capacity;
    bool *gone; /* [arc_count] */
    mcd_watch *watch;
} duplicate_search;

/* ---- what is equal ---- */

static int compare_numbers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

MCD_DEFINE_COMPARE(compare_ids, int64_t, )

static int compare_shapes(const mcd_map *map, mcd_arc x, mcd_arc y)
{
    const uint64_t count = mcd_map_shape_count(map, x + 1);
    if (count != mcd_map_shape_count(map, y + 1)) return count < mcd_map_shape_count(map, y + 1) ? -1 : 1;
    const size_t bytes = count * sizeof *map->shape_lon_e7;
    if (bytes == 0) return 0;
    const uint64_t at_x = map->first_shape[x], at_y = map->first_shape[y];
    const int order = memcmp(map->shape_lon_e7 + at_x, map->shape_lon_e7 + at_y, bytes);
    return order ? order : memcmp(map->shape_lat_e7 + at_x, map->shape_lat_e7 + at_y, bytes);
}

/* Compares the facts that conditions of a query are about. */
static int compare_kinds(const mcd_map *map, uint32_t x, uint32_t y)
{
    const mcd_kind *const a = &map->kind[x], *const b = &map->kind[y];
    int order = compare_numbers(a->flags, b->flags);
    if (!order) order = compare_numbers(a->text[MCD_KIND_CLASS], b->text[MCD_KIND_CLASS]);
    return order || !map->kind_limits
               ? order
               : memcmp(&map->kind_limits[x], &map->kind_limits[y], sizeof *map->kind_limits);
}

MCD_DEFINE_LOWER_BOUND(find_changes, mcd_timed_arc, .number, uint64_t)

/* Compares what two arcs weigh in slots of the week, and for larger vehicles. */
static int compare_changes(const mcd_map *map, mcd_arc x, mcd_arc y)
{
    const mcd_timed_arc *const timed = map->timed_arc;
    const size_t count = map->timed_arc_count;
    size_t i = find_changes(timed, 0, count, x + 1), k = find_changes(timed, 0, count, y + 1);
    for (;; ++i, ++k) {
        const bool is_of_x = i < count && timed[i].number == x + 1,
                   is_of_y = k < count && timed[k].number == y + 1;
        if (!is_of_x || !is_of_y) return is_of_x - is_of_y;
        int order = compare_numbers(timed[i].week, timed[k].week);
        if (!order) order = compare_numbers(timed[i].timed, timed[k].timed);
        if (order) return order;
    }
}

static int compare_arcs(const duplicate_search *search, mcd_arc x, mcd_arc y)
{
    if (x == MCD_ARC_NONE || y == MCD_ARC_NONE) return (x == MCD_ARC_NONE) - (y == MCD_ARC_NONE);
    const mcd_map *const map = search->map;
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity) {
        const int order = compare_numbers(map->weight[quantity][x], map->weight[quantity][y]);
        if (order) return order;
    }
    int order = mcd_segments_compare(search->segments, x, y);
    if (!order) order = compare_kinds(map, map->arc_kind[x], map->arc_kind[y]);
    if (!order) order = compare_changes(map, x, y);
    if (!order && map->arc_when) order = compare_numbers(map->arc_when[x], map->arc_when[y]);
    return order ? order : compare_shapes(map, x, y);
}

static int compare_facts(const duplicate *x, const duplicate *y)
{
    int order = compare_numbers(x->low, y->low);
    if (!order) order = compare_numbers(x->high, y->high);
    if (!order) order = compare_numbers(x->way, y->way);
    for (int direction = 0; direction < 2 && !order; ++direction)
        order = compare_arcs(x->search, x->arc[direction], y->arc[direction]);
    return order;
}

static mcd_arc first_arc(const duplicate *x)
{
    return x->arc[0] < x->arc[1] ? x->arc[0] : x->arc[1];
}

static int compare_duplicates(const void *a, const void *b)
{
    const int order = compare_facts(a, b);
    return order ? order : (first_arc(a) > first_arc(b)) - (first_arc(a) < first_arc(b));
}

/* ---- candidates ---- */

static macadam_status list_segments(duplicate_search *search, macadam_error *error)
{
    const mcd_map *const map = search->map;
    const uint32_t *const of_arc = search->segments->of_arc;
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(search->watch, arc, map->arc_count, error));
        if (arc > 0 && of_arc[arc - 1] == of_arc[arc]) continue;
        search->begin[search->segment_count] = arc;
        search->low[search->segment_count++] =
            map->tail[arc] < map->head[arc] ? map->tail[arc] : map->head[arc];
    }
    return MACADAM_OK;
}

static mcd_node high_of(const duplicate_search *search, mcd_arc segment)
{
    const mcd_map *const map = search->map;
    const mcd_arc arc = search->begin[segment];
    return map->tail[arc] < map->head[arc] ? map->head[arc] : map->tail[arc];
}

/* Whether two segments of the node lead to the same higher one. */
static bool has_parallels(const duplicate_search *search, mcd_node node)
{
    for (mcd_arc i = search->at.first[node]; i < search->at.first[node + 1]; ++i) {
        mcd_node *const mark = &search->mark[high_of(search, search->at.arc[i])];
        if (*mark == node) return true;
        *mark = node;
    }
    return false;
}

/* The way, if it distinguishes the segment from others: a ferry's line goes on where its way or its name
 * does. */
static int64_t way_of(const duplicate_search *search, mcd_arc arc)
{
    const int64_t way = search->map->arc_way[arc];
    if (search->segments->ferry[arc]) return way;
    const size_t at = mcd_lower_bound(search->named, 0, search->named_count, way);
    return at < search->named_count && search->named[at] == way ? way : 0;
}

/* The two arcs of a loop stay in the file's order. */
static duplicate duplicate_of(const duplicate_search *search, mcd_arc segment)
{
    const mcd_map *const map = search->map;
    const mcd_arc begin = search->begin[segment];
    const mcd_arc end = segment + 1 < search->segment_count ? search->begin[segment + 1] : map->arc_count;
    duplicate out = {search,
                     search->low[segment],
                     high_of(search, segment),
                     way_of(search, begin),
                     {MCD_ARC_NONE, MCD_ARC_NONE}};
    for (mcd_arc arc = begin; arc < end; ++arc)
        out.arc[out.low == out.high ? arc - begin : map->tail[arc] != out.low] = arc;
    return out;
}

static macadam_status find_candidates(duplicate_search *search, macadam_error *error)
{
    const mcd_map *const map = search->map;
    const mcd_incidence *const at = &search->at;
    for (mcd_node node = 0; node < map->node_count; ++node) search->mark[node] = MCD_NODE_NONE;
    for (mcd_node node = 0; node < map->node_count; ++node) {
        MCD_TRY(mcd_watch_item(search->watch, node, map->node_count, error));
        if (!has_parallels(search, node)) continue;
        MCD_TRY(MCD_GROW(search->candidate, search->candidate_capacity,
                         search->candidate_count + at->first[node + 1] - at->first[node], error));
        for (mcd_arc i = at->first[node]; i < at->first[node + 1]; ++i)
            search->candidate[search->candidate_count++] = duplicate_of(search, at->arc[i]);
    }
    return MACADAM_OK;
}

/* ---- merging ---- */

static macadam_status mark_gone(duplicate_search *search, bool *any, macadam_error *error)
{
    mcd_report *const report = search->segments->report;
    MCD_TRY(mcd_sort(search->candidate, search->candidate_count, sizeof *search->candidate,
                     compare_duplicates, search->watch, error));
    for (size_t i = 1; i < search->candidate_count; ++i) {
        const duplicate *const x = &search->candidate[i];
        if (compare_facts(&search->candidate[i - 1], x) != 0) continue;
        *any = true;
        for (int direction = 0; direction < 2; ++direction)
            if (x->arc[direction] != MCD_ARC_NONE) search->gone[x->arc[direction]] = true;
        mcd_report_at(report, 'w', search->map->arc_way[x->arc[x->arc[0] == MCD_ARC_NONE]]);
        mcd_report_add(report, MCD_REPORT_DUPLICATES);
    }
    return MACADAM_OK;
}

static void move_shape(mcd_map *map, mcd_arc to, mcd_arc from)
{
    const uint64_t count = mcd_map_shape_count(map, from + 1), first = map->first_shape[from];
    memmove(map->shape_lon_e7 + map->first_shape[to], map->shape_lon_e7 + first,
            count * sizeof *map->shape_lon_e7);
    memmove(map->shape_lat_e7 + map->first_shape[to], map->shape_lat_e7 + first,
            count * sizeof *map->shape_lat_e7);
    if (map->shape_height_dm)
        memmove(map->shape_height_dm + map->first_shape[to], map->shape_height_dm + first,
                count * sizeof *map->shape_height_dm);
    if (map->shape_id)
        memmove(map->shape_id + map->first_shape[to], map->shape_id + first, count * sizeof *map->shape_id);
    map->first_shape[to + 1] = map->first_shape[to] + count;
}

static void move_arc(duplicate_search *search, mcd_arc to, mcd_arc from)
{
    mcd_map *const map = search->map;
    move_shape(map, to, from);
    map->tail[to] = map->tail[from];
    map->head[to] = map->head[from];
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        map->weight[quantity][to] = map->weight[quantity][from];
    map->arc_number[to] = to + 1;
    map->arc_way[to] = map->arc_way[from];
    map->against[to] = map->against[from];
    map->arc_kind[to] = map->arc_kind[from];
    if (map->arc_when) map->arc_when[to] = map->arc_when[from];
    mcd_segments_move(search->segments, to, from);
}

/* How many changes in slots of the week have been looked at, and how many of them are kept. */
typedef struct timed_cursor {
    size_t read, kept;
} timed_cursor;

/* Renumbers the changes of an arc; to = MCD_ARC_NONE drops them. */
static void move_changes(const duplicate_search *search, mcd_arc to, mcd_arc from, timed_cursor *at)
{
    mcd_timed_arc *const timed = search->map->timed_arc;
    for (; at->read < search->map->timed_arc_count && timed[at->read].number == from + 1; ++at->read) {
        if (to == MCD_ARC_NONE) continue;
        timed[at->kept] = timed[at->read];
        timed[at->kept++].number = (uint32_t)to + 1;
    }
}

static macadam_status close_gaps(duplicate_search *search, macadam_error *error)
{
    mcd_arc kept = 0;
    timed_cursor timed = {0, 0};
    for (mcd_arc arc = 0; arc < search->map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(search->watch, arc, search->map->arc_count, error));
        move_changes(search, search->gone[arc] ? MCD_ARC_NONE : kept, arc, &timed);
        if (!search->gone[arc]) move_arc(search, kept++, arc);
    }
    search->map->timed_arc_count = timed.kept;
    search->map->arc_count = search->map->number_count = kept;
    return MACADAM_OK;
}

static macadam_status list_named(duplicate_search *search, const int64_t *named, size_t count,
                                 macadam_error *error)
{
    search->named_count = count;
    MCD_TRY(MCD_ARENA_NEW(&search->arena, search->named, count, error));
    if (count == 0) return MACADAM_OK;
    memcpy(search->named, named, count * sizeof *named);
    qsort(search->named, count, sizeof *named, compare_ids);
    return MACADAM_OK;
}

static void free_search(duplicate_search *search)
{
    mcd_free(search->candidate);
    mcd_arena_free(&search->arena);
}

macadam_status mcd_duplicate_roads_merge(mcd_segments *segments, mcd_map *map, const int64_t *named,
                                         size_t count, mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(free_search) duplicate_search search = {.map = map, .segments = segments, .watch = watch};
    bool any = false;
    MCD_TRY(MCD_ARENA_NEW(&search.arena, search.begin, map->arc_count, error));
    MCD_TRY(MCD_ARENA_NEW(&search.arena, search.low, map->arc_count, error));
    MCD_TRY(MCD_ARENA_NEW(&search.arena, search.mark, map->node_count, error));
    MCD_TRY(list_segments(&search, error));
    MCD_TRY(mcd_incidence_new(&search.at, &search.arena, map->node_count, search.low, search.segment_count,
                              NULL, search.watch, error));
    MCD_TRY(list_named(&search, named, count, error));
    MCD_TRY(find_candidates(&search, error));
    if (search.candidate_count == 0) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&search.arena, search.gone, map->arc_count, error));
    MCD_TRY(mark_gone(&search, &any, error));
    return any ? close_gaps(&search, error) : MACADAM_OK;
}
