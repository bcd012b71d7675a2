/* sign.c - see sign.h. */
#include "importers/osm/roads/sign.h"

#include <math.h>

enum { SIGN_POINTS = 64 };
enum { MIDDLE_M = 1 }; /* a sign is for both directions unless it is nearer than this to one junction */

/* ---- waits ---- */

/* Metres along the way from a reference to the next junction, or where the way ends, in one direction. Signs
 * stand near their junction, so that few points are looked at. */
static double to_junction_m(const mcd_stretches *stretches, const mcd_way *way, size_t ref, int direction)
{
    const bool backward = direction == MCD_BACKWARD;
    const size_t end = backward ? way[0].first_ref : way[1].first_ref - 1;
    double metres = 0;
    for (size_t i = 0; i < SIGN_POINTS && ref != end; ++i) {
        const size_t next = backward ? ref - 1 : ref + 1;
        if (!mcd_stretches_has(stretches, next)) break;
        metres += mcd_stretches_piece_m(stretches, ref, next);
        ref = next;
        if (stretches->use[stretches->ways->point[ref]] == 2) return metres;
    }
    return ref == end ? metres : INFINITY;
}

/* Whether a sign within a road that names no direction is for those who pass it in this one. */
static bool concerns(const mcd_stretches *stretches, const mcd_way *way, size_t ref, int direction)
{
    if (way->passage.speed_kmh[MCD_BACKWARD - direction] == 0) return true;
    return to_junction_m(stretches, way, ref, direction) <=
           to_junction_m(stretches, way, ref, MCD_BACKWARD - direction) + MIDDLE_M;
}

uint16_t mcd_sign_wait_s(const mcd_stretches *stretches, const mcd_stretch *stretch, int direction)
{
    const size_t ref = direction == MCD_FORWARD ? stretch->last : stretch->first;
    const uint32_t point = stretches->ways->point[ref];
    const uint8_t state = stretches->points->state[point];
    if (!(state & MCD_POINT_WAITS << direction)) return 0;
    const bool at_junction = stretches->use[point] == 2;
    if (state & MCD_POINT_SIGN && !at_junction && !concerns(stretches, stretch->way, ref, direction))
        return 0;
    const bool minor = at_junction && state & MCD_POINT_MINOR;
    return (uint16_t)(stretches->points->wait_s[point] | (minor ? MCD_SIGN_MINOR : 0));
}

/* ---- limits ---- */

static void count_ways_at_signs(const mcd_stretches *stretches)
{
    const mcd_ways *const ways = stretches->ways;
    for (size_t i = 0; i < ways->count; ++i)
        for (size_t ref = ways->way[i].first_ref; ref < ways->way[i + 1].first_ref; ++ref) {
            mcd_limited_point *const at = mcd_points_limited(stretches->points, ways->point[ref]);
            const bool at_end = ref == ways->way[i].first_ref || ref + 1 == ways->way[i + 1].first_ref;
            if (at) at->way_ends += at_end ? 1 : 2;
        }
}

/* Gives the arcs of a stretch, from *arc on, the limits of the signs at its points, and the points' flags. A sign
 * at a junction does not say which road it limits; but a barrier, a ford or a toll booth there is on each of its
 * roads. The number of an exit is that of the ramp that begins there. */
static macadam_status limit_stretch(const mcd_stretches *stretches, const mcd_stretch *stretch,
                                    mcd_ways *ways, const mcd_map *map, size_t *arc, macadam_error *error)
{
    mcd_kinds *const kinds = &ways->kinds;
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction) {
        const size_t start = direction == MCD_FORWARD ? stretch->first : stretch->last;
        if (stretch->way->passage.speed_kmh[direction] == 0) continue;
        uint32_t *const kind = &map->arc_kind[(*arc)++];
        mcd_kind own = kinds->kind[*kind];
        const uint32_t pronunciation = kinds->pronunciation[*kind];
        mcd_kind_limits limits = kinds->limits[*kind];
        for (size_t ref = stretch->first; ref <= stretch->last; ++ref) {
            const mcd_limited_point *const at =
                mcd_points_limited(stretches->points, stretches->ways->point[ref]);
            if (at && (at->way_ends <= 2 || at->barrier)) mcd_kinds_tighten(&limits, &at->limits[direction]);
            if (at) own.flags |= at->flags;
            if (at && ref == start && *at->exit && own.flags & MACADAM_ROAD_LINK && !own.text[MCD_KIND_EXIT])
                MCD_TRY(mcd_kind_set_exit(&own, &ways->names, at->exit, error));
        }
        if (memcmp(&own, &kinds->kind[*kind], sizeof own) != 0 ||
            memcmp(&limits, &kinds->limits[*kind], sizeof limits) != 0)
            MCD_TRY(mcd_kinds_add(kinds, &own, &limits, pronunciation, kind, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_signs_limit(const mcd_stretches *stretches, mcd_ways *ways, mcd_map *map, mcd_watch *watch,
                               macadam_error *error)
{
    size_t arc = 0;
    if (stretches->points->limited.count == 0) return MACADAM_OK;
    count_ways_at_signs(stretches);
    for (size_t way = 0; way < stretches->ways->count; ++way) {
        MCD_TRY(mcd_watch_item(watch, way, stretches->ways->count, error));
        mcd_stretch stretch = mcd_stretch_before(stretches, way);
        while (mcd_stretch_next(stretches, &stretch))
            MCD_TRY(limit_stretch(stretches, &stretch, ways, map, &arc, error));
    }
    return MACADAM_OK;
}
