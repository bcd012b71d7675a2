/* located.h - locates the places of a query on the map: where each search begins and ends.
 *
 * A point whose nearest road is cut off has two positions: on the nearest road that is not cut off, and on its nearest road,
 * within a site (engine/query/site.h). Which of them counts depends on the two places of a cost. */
#ifndef MCD_ENGINE_QUERY_LOCATED_H
#define MCD_ENGINE_QUERY_LOCATED_H

#include "engine/query/query.h"

/* Returns the data that mcd_query_lanes needs for these places, besides costs: weights if one is a point. */
mcd_need mcd_query_need(const macadam_engine *engine, const macadam_place *place, size_t count);

/* Places to depart from or to arrive at. */
typedef struct mcd_place_list {
    const macadam_place *place;
    size_t count;
    mcd_outcome outcome;
} mcd_place_list;

#define MCD_SITE_NONE UINT32_MAX /* of a place: no way to it could lead within a site */

/* Places with their positions. Zeroed = empty; mcd_located_free. */
typedef struct mcd_located {
    mcd_place_list list; /* borrowed */
    mcd_end end;
    bool by_point;     /* some place is a point, or the caller requests where places are */
    uint32_t *cut_off; /* [list.count] if so: as in mcd_outcome */
    bool has_cut_off;  /* some entry of it is an arc; the components are then loaded */
    mcd_position *
        position; /* [list.count] likewise: on roads that are not cut off, where there are any; if the query takes
                             * any component, on the nearest roads. */
    mcd_position *
        fallback; /* [list.count] for queries that take any component: on roads that are not cut off; NULL: as
                             * `position` */
} mcd_located;

/* Locates places. `what`: "source" or "target", for messages. Returns E_INVALID if there is no place. Free *out, on
 * failure too. */
macadam_status mcd_locate_places(mcd_located *out, const mcd_query *query, const mcd_place_list *list,
                                 mcd_end end, const char *what, macadam_error *error);
/* Locates sources and targets; if they are the same places, once. */
macadam_status mcd_locate_both(mcd_located *source, mcd_located *target, const mcd_query *query,
                               const mcd_place_list *sources, const mcd_place_list *targets,
                               macadam_error *error);
void mcd_located_free(mcd_located *located);

/* Returns the component that place i and another place must share to be connected within a site: that of its nearest
 * road if that is cut off, otherwise that of its id. MCD_SITE_NONE: the place is neither. The components must be
 * loaded: some place is cut off. */
uint32_t mcd_located_site(const mcd_located *located, const macadam_engine *engine, size_t i);

static inline bool mcd_located_is_cut_off(const mcd_located *located, size_t i)
{
    return located->by_point && located->cut_off[i] != MCD_ROAD_NONE;
}

/* Returns the position on roads that are not cut off, also after lanes have taken over the positions, but for places without
 * points. */
mcd_position mcd_located_fallback(const mcd_located *located, const macadam_engine *engine, size_t i);

/* Writes the positions of places (indexes place[count]): on their nearest roads, or on those that are not cut off. `tells`: the
 * outcomes of the list describe them from now on. */
macadam_status mcd_located_again(const mcd_located *located, const mcd_query *query, const uint32_t *place,
                                 size_t count, bool nearest, bool tells, mcd_position *out,
                                 macadam_error *error);
/* Moves places there. */
macadam_status mcd_located_move(mcd_located *located, const mcd_query *query, const uint32_t *place,
                                size_t count, bool nearest, macadam_error *error);

/* Makes the lanes of the places. Takes over their positions, but not the fallback. */
macadam_status mcd_located_lanes(mcd_located *located, const mcd_query *query, mcd_lanes *out,
                                 macadam_error *error);

#endif
