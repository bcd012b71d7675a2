/* locate.h - from a place (a user's id, or a longitude and latitude) to a position on the map. */
#ifndef MCD_ENGINE_MAP_LOCATE_H
#define MCD_ENGINE_MAP_LOCATE_H

#include "engine/base/parallel.h"
#include "engine/map/snap.h"

/* Where a place is: at a junction, within a road, or nowhere. A point is at a junction if the nearest point
 * of its nearest road is an end of that road, unless the place requests a direction of travel. */
typedef struct mcd_position {
    size_t id;       /* the junction's index among the ids; MCD_PLACE_NONE: at no junction */
    uint32_t arc[2]; /* of the road, there and back, as departures use them; MCD_ROAD_NONE: not open, or not
                 * requested */
    uint64_t before[2]; /* how many 2^-32ths of each arc lie before the place; the two add up to 2^32 */
    /* Costs that searches which begin or end here add to their objective and companion:
     * engine/query/places/located.h */
    mcd_weight lift[2];
} mcd_position;

/* The position of a place that failed. */
static const mcd_position mcd_position_none = {
    MCD_PLACE_NONE, {MCD_ROAD_NONE, MCD_ROAD_NONE}, {0, 0}, {0, 0}};

/* Returns the road of a position that is not lifted. */
static inline mcd_nearest_road mcd_position_road(const mcd_position *position)
{
    const bool is_junction = position->id != MCD_PLACE_NONE,
               is_within = position->arc[0] != MCD_ROAD_NONE || position->arc[1] != MCD_ROAD_NONE;
    return (mcd_nearest_road){.before = position->before[0],
                              .arc = position->arc[0],
                              .back = position->arc[1],
                              .id = is_junction ? (uint32_t)position->id : MCD_ROAD_NONE,
                              .state = is_junction || is_within ? MCD_NEAREST_FOUND : MCD_NEAREST_TOO_FAR};
}

/* Returns the potential at a position, for potentials by id; 0 if the place failed. */
int32_t mcd_position_potential(const mcd_position *position, const mcd_roads *roads,
                               const int32_t *potential);

/* Another position of a place, and its description. */
typedef struct mcd_second {
    mcd_position position;
    macadam_snap snap;
} mcd_second;

/* Where the outcomes of places are reported; each array may be NULL. */
typedef struct mcd_outcome {
    macadam_place_status *status;
    macadam_snap *snap;
    /* An arc of the nearest road if that is cut off, wherever the place is then taken; else MCD_ROAD_NONE. */
    uint32_t *cut_off;
    mcd_second *second; /* of places that are cut off: where they would be if any_component were otherwise */
} mcd_outcome;

/* How places are located. */
typedef struct mcd_locator {
    const mcd_place_index *places;
    const mcd_roads *roads;     /* NULL without coordinates: points cannot be located */
    const mcd_snap_index *snap; /* NULL likewise */
    const mcd_weights *weights; /* NULL: no road is closed */
    double radius_m;            /* not negative; 0: 1000 */
    bool any_component;         /* roads that are cut off are as good as others */
    bool drives_left;
    bool only_status; /* of snaps, nothing else is wanted */
    /* Of the places of all lists, one after the other; NULL: nothing is known. Only with only_status. */
    const mcd_nearest_road *known;
    const mcd_nearest_road
        *known_connected; /* likewise, of places whose nearest road is cut off: the nearest that is not */
    /* Likewise, UNKNOWN before; those of points become known, unless the nearest is closed. NULL: not wanted, both. */
    mcd_nearest_road *learned, *learned_connected;
} mcd_locator;

/* Returns the search for a place on a device, whose limit is below 0 if the processor must locate the place. */
mcd_snap_point mcd_locate_point(const mcd_locator *locator, const macadam_place *place);

/* Returns whether a place uses only members that this version of macadam_place knows. */
static inline bool mcd_place_is_current(const macadam_place *place)
{
    return (place->reserved[0] | place->reserved[1]) == 0;
}

/* Places to be located. `position` may be NULL. */
typedef struct mcd_locate_list {
    const macadam_place *place;
    size_t count;
    mcd_position *position;
    mcd_outcome outcome;
} mcd_locate_list;
enum { MCD_LOCATE_LISTS_MAX = 2 };

/* Returns how many places some lists have together. */
static inline size_t mcd_locate_count(const mcd_locate_list *list, size_t list_count)
{
    size_t count = 0;
    for (size_t k = 0; k < list_count; ++k) count += list[k].count;
    return count;
}

/* Locates the places of one list or two: an id directly, a point at the nearest road. Returns
 * MACADAM_OK, E_MEMORY, or E_CANCELLED if the thread's own watch stops it. Time: a few microseconds per point; threads share
 * the places. */
macadam_status mcd_locate(const mcd_locator *locator, const mcd_parallel *parallel,
                          const mcd_locate_list *list, size_t list_count, macadam_error *error);

/* Finds up to `capacity` (at most MACADAM_SNAP_CANDIDATES_MAX) places on different streets that a point may
 * mean, nearest first; for an id, only its own place. Returns how many there are; if 0, snap[0] says why, if
 * there is room. */
size_t mcd_locate_candidates(const mcd_locator *locator, const macadam_place *place, macadam_snap *snap,
                             size_t capacity);

#endif
