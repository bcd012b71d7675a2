/* located.h - locates the places of a query on the map: where each search begins and ends. */
#ifndef MCD_ENGINE_QUERY_LOCATED_H
#define MCD_ENGINE_QUERY_LOCATED_H

#include "engine/query/query.h"

/* Returns the data that mcd_query_lanes needs for these places, besides costs: weights if one is a point. */
mcd_need mcd_query_need(const macadam_engine *engine, const macadam_place *place, size_t count);

/* Locates places: makes the lanes of each, without a seed if locating it failed. Free *out with
 * mcd_lanes_free. Returns E_INVALID if there is no place. `what`: "source" or "target", for messages. If the
 * query has no weights, every arc is open and costs nothing. */
macadam_status mcd_query_lanes(const mcd_query *query, const macadam_place *place, size_t count, mcd_end end,
                               const char *what, mcd_lanes *out, mcd_outcome outcome, macadam_error *error);

/* Which places a query connects with each other. */
typedef enum mcd_pairing {
    MCD_PAIRING_EACH, /* each source with the target of the same number */
    MCD_PAIRING_CHAIN /* all: each target is the next source */
} mcd_pairing;

/* A pair of places, by their indexes among the sources and the targets. */
typedef struct mcd_place_pair {
    uint32_t source, target;
} mcd_place_pair;

/* Places to depart from and to arrive at. */
typedef struct mcd_place_list {
    const macadam_place *place;
    size_t count;
    mcd_outcome outcome;
} mcd_place_list;

/* Does the same for sources and targets; places that are all ids have nodes instead of lanes. If the nearest roads
 * of places that the query connects are cut off, but all lie on one strongly connected component, the places move
 * to these roads: a route within a fenced site stays there. (OSRM's rule of small components) */
macadam_status mcd_query_lanes_between(const mcd_query *query, const mcd_place_list *source,
                                       const mcd_place_list *target, mcd_pairing pairing, mcd_lanes *from,
                                       mcd_lanes *to, macadam_error *error);
/* Does the same for a query that connects every source with every target. The places stay where they are;
 * *pair lists the *count pairs that must be connected on their nearest roads, by ascending source, then
 * target. The caller frees *pair. */
macadam_status mcd_query_lanes_of_matrix(const mcd_query *query, const mcd_place_list *source,
                                         const mcd_place_list *target, mcd_lanes *from, mcd_lanes *to,
                                         mcd_place_pair **pair, size_t *count, macadam_error *error);

#endif
