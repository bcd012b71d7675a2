/* stretch.c - see stretch.h. */
#include "importers/osm/roads/stretch.h"
#include "engine/map/ellipsoid.h"

/* ---- junctions ---- */

static void mark_point(const mcd_stretches *stretches, uint32_t point, bool at_end)
{
    const mcd_limited_point *const limited = mcd_points_limited(stretches->points, point);
    const bool junction =
        at_end || stretches->points->state[point] & (MCD_POINT_BLOCKED | MCD_POINT_DESTINATION_ONLY) ||
        stretches->use[point] > 0 || (limited && (limited->times.count || limited->crossing));
    stretches->use[point] = junction ? 2 : 1;
}

/* A present point counts if the way goes on from it to another; where it does so on one side only, the way
 * ends. */
static void mark_way(mcd_stretches *stretches, const mcd_way *way)
{
    bool missing = false;
    for (size_t ref = way[0].first_ref; ref < way[1].first_ref; ++ref) {
        const uint32_t point = stretches->ways->point[ref];
        if (!mcd_stretches_has(stretches, ref)) {
            mcd_report_at(stretches->report, 'n', stretches->points->id[point]);
            mcd_report_add(stretches->report, MCD_REPORT_MISSING_NODES);
            missing = true;
            continue;
        }
        const bool before = ref > way[0].first_ref && mcd_stretches_has(stretches, ref - 1);
        const bool behind = ref + 1 < way[1].first_ref && mcd_stretches_has(stretches, ref + 1);
        if (before || behind) mark_point(stretches, point, !before || !behind);
        if (!way->passage.ferry) stretches->points->state[point] |= MCD_POINT_LAND;
    }
    mcd_report_at(stretches->report, 'w', way->id);
    mcd_report_add_if(stretches->report, MCD_REPORT_CUT_WAYS, missing);
}

macadam_status mcd_stretches_new(mcd_stretches *out, mcd_arena *arena, const mcd_ways *ways,
                                 mcd_points *points, mcd_report *report, mcd_watch *watch,
                                 macadam_error *error)
{
    enum { WAYS_AT_ONCE = 512 };
    *out = (mcd_stretches){.ways = ways, .points = points, .report = report};
    MCD_TRY(MCD_ARENA_NEW_ZEROED(arena, out->use, points->count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->node, points->count, error));
    MCD_TRY(mcd_points_sort_limited(points, error));
    for (size_t i = 0; i < ways->count; ++i) {
        mark_way(out, &ways->way[i]);
        if (i % WAYS_AT_ONCE == 0) MCD_TRY(mcd_watch_step(watch, i, ways->count, error));
    }
    for (size_t point = 0; point < points->count; ++point) {
        MCD_TRY(mcd_watch_item(watch, point, points->count, error));
        /* a wait within a road lies between two arcs, so that no other route pays for a part of it */
        const bool waits = out->use[point] > 0 && points->wait_s[point] > 0;
        out->has_waits = out->has_waits || waits;
        out->node[point] = waits || out->use[point] == 2 ? (mcd_node)out->node_count++ : MCD_NODE_NONE;
    }
    return MACADAM_OK;
}

/* ---- stretches ---- */

mcd_stretch mcd_stretch_before(const mcd_stretches *stretches, size_t way)
{
    return (mcd_stretch){.way = &stretches->ways->way[way], .last = stretches->ways->way[way].first_ref};
}

bool mcd_stretch_next(const mcd_stretches *stretches, mcd_stretch *stretch)
{
    const size_t end = stretch->way[1].first_ref;
    size_t first = stretch->last;
    while (first + 1 < end &&
           !(mcd_stretches_has(stretches, first) && mcd_stretches_has(stretches, first + 1)))
        ++first;
    if (first + 1 >= end) return false;
    stretch->first = first;
    stretch->last = first + 1;
    /* where it ends is a node */
    while (stretches->node[stretches->ways->point[stretch->last]] == MCD_NODE_NONE) ++stretch->last;
    return true;
}

/* ---- lengths ---- */

double mcd_stretches_piece_m(const mcd_stretches *stretches, size_t from, size_t to)
{
    const mcd_points *const points = stretches->points;
    const uint32_t a = stretches->ways->point[from], b = stretches->ways->point[to];
    return mcd_ellipsoid_distance_m(points->lon_e7[a], points->lat_e7[a], points->lon_e7[b],
                                    points->lat_e7[b]);
}

double mcd_stretches_length_m(const mcd_stretches *stretches, size_t first, size_t last)
{
    double sum = 0;
    for (size_t ref = first; ref < last; ++ref) sum += mcd_stretches_piece_m(stretches, ref, ref + 1);
    return sum;
}

double mcd_stretches_way_m(const mcd_stretches *stretches, const mcd_way *way)
{
    for (size_t ref = way[0].first_ref; ref < way[1].first_ref; ++ref)
        if (!mcd_stretches_has(stretches, ref)) return 0;
    if (way[0].first_ref == way[1].first_ref) return 0;
    return mcd_stretches_length_m(stretches, way[0].first_ref, way[1].first_ref - 1);
}
