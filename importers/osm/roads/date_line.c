/* date_line.c - see date_line.h. */
#include "importers/osm/roads/date_line.h"
#include "engine/base/grow.h"
#include "engine/base/sort.h"

#include <stdlib.h>

enum { MERIDIAN_E7 = 1800000000 };

/* A point of a way at the meridian. */
typedef struct edge_point {
    int64_t place; /* by latitude, then from west to east */
    uint32_t point;
    size_t way;
} edge_point;

MCD_DEFINE_COMPARE_TWO(compare_places, edge_point, place, point)

static bool is_at_edge(const mcd_points *points, size_t point)
{
    return abs(points->lon_e7[point]) == MERIDIAN_E7 && points->state[point] & MCD_POINT_PRESENT;
}

/* Looks like a way, but is open to all in both directions; a road if one of the two is. It has no length, so that any
 * speed will do. */
static mcd_way link_of(const mcd_way *way, const mcd_way *other)
{
    mcd_way link = {.id = way->id, .kind = {way->kind[0], way->kind[1]}};
    link.passage = (mcd_passage){.speed_kmh = {1, 1}, .class_kmh = way->passage.class_kmh};
    link.passage.ferry = way->passage.ferry && other->passage.ferry;
    if (link.passage.ferry) link.id = 0; /* its line's duration is shared out by the ids of ways */
    return link;
}

/* Joins the points of one place, sorted: each with the first one of the other side, if there is one. */
static macadam_status join_place(mcd_ways *ways, const edge_point *first, const edge_point *end,
                                 macadam_error *error)
{
    const edge_point *east = first;
    while (east < end && east->place == first->place) ++east;
    for (const edge_point *at = first; at < end && east < end; ++at) {
        if (at == east || (at > first && at->point == at[-1].point)) continue;
        const edge_point *const west = at < east ? at : first, *const other = at < east ? east : at;
        const mcd_way link = link_of(&ways->way[west->way], &ways->way[other->way]);
        MCD_TRY(mcd_ways_append_line(ways, &link, west->point, other->point, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_date_line_join(mcd_ways *ways, const mcd_points *points, macadam_error *error)
{
    MCD_OWNED edge_point *edge = NULL;
    size_t count = 0, capacity = 0;
    for (size_t point = 0; point < points->count; ++point) count += is_at_edge(points, point);
    if (count < 2) return MACADAM_OK;
    count = 0;
    for (size_t way = 0; way < ways->count; ++way)
        for (size_t ref = ways->way[way].first_ref; ref < ways->way[way + 1].first_ref; ++ref) {
            const uint32_t point = ways->point[ref];
            if (!is_at_edge(points, point)) continue;
            MCD_TRY(MCD_GROW(edge, capacity, count + 1, error));
            edge[count++] =
                (edge_point){2 * (int64_t)points->lat_e7[point] + (points->lon_e7[point] > 0), point, way};
        }
    qsort(edge, count, sizeof *edge, compare_places);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && edge[end].place <= (edge[first].place | 1);) ++end;
        MCD_TRY(join_place(ways, edge + first, edge + end, error));
    }
    return MACADAM_OK;
}
