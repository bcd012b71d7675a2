/* site.h - sites: small parts of the map that are cut off from the rest, such as a private estate whose gate is closed, or
 * an island.
 *
 * A point whose nearest road is cut off stands for two positions: that road, and the nearest road that is not cut off.
 * Which of them counts is a rule of pairs, so that a cost depends on its two places and on nothing else:
 * - If both places belong to one site (their nearest roads, or the nodes of the ids, lie on one strongly connected component),
 *   the cost is that of the way between their nearest roads.
 * - Otherwise, each is taken to the nearest road that is not cut off.
 * - A query that takes any component (macadam_query::snap_any_component) tries the nearest roads for the other pairs too, and
 *   takes the places to roads that are not cut off only if no way connects those.
 * Trips settle it before they have lanes. Rectangles, rows of trees and searches are computed from one position of each
 * place; then the costs of the second positions are written over those that they decide. */
#ifndef MCD_ENGINE_QUERY_PLACES_SITE_H
#define MCD_ENGINE_QUERY_PLACES_SITE_H

#include "engine/query/places/cells.h"
#include "engine/query/places/trips.h"

/* Moves the places of each pair, of equally many sources and targets, to where the rule takes them. */
macadam_status mcd_site_settle_pairs(mcd_located *source, mcd_located *target, const mcd_query *query,
                                     macadam_error *error);

/* Locates as many sources as targets, and makes the trip of each pair by that rule. Free *out with mcd_trips_free. */
macadam_status mcd_site_trips(mcd_trips *out, const mcd_query *query, const mcd_place_list *source,
                              const mcd_place_list *target, macadam_error *error);

/* Lists the sources of which some cost is not that between the positions of the places (mcd_located::position):
 * (*out)[*count] ascending. The caller frees *out. */
macadam_status mcd_site_deciding(uint32_t **out, size_t *count, const mcd_located *source,
                                 const mcd_located *target, const mcd_query *query, macadam_error *error);

/* ---- rectangles ---- */

/* The places of a rectangle that have second positions. */
typedef struct mcd_site_cells {
    const mcd_query *query;
    const mcd_located *source, *target; /* as they were located, for as long as cells are computed */
    bool matter;                        /* some cost may be that between second positions */
} mcd_site_cells;

mcd_site_cells mcd_site_cells_of(const mcd_query *query, const mcd_located *source,
                                 const mcd_located *target);

/* Computes the costs between second positions, and writes them over the cells that they decide. If they matter, the rectangle
 * has objectives. */
macadam_status mcd_site_cells_apply(const mcd_site_cells *sites, const mcd_cells *cells,
                                    macadam_error *error);

/* ---- searches from one place to all nodes ---- */

/* Those of a query's places whose nearest roads are cut off. Zeroed = none. */
typedef struct mcd_sites {
    size_t count;
    bool fills;          /* the query takes any component */
    uint32_t *place;     /* [count] ascending */
    uint32_t *component; /* [count] the site of each */
    mcd_lanes lanes;     /* from their second positions; its i-th place is place[i] */
} mcd_sites;

/* Returns whether the cost to a node is that from the second position: `within`: the node belongs to the place's site;
 * `reached`: it is reached from the first position. */
static inline bool mcd_sites_decide(const mcd_sites *sites, bool within, bool reached)
{
    return sites->fills ? !within && !reached : within;
}

/* Locates the places of a query that searches from each (MCD_DEPART), or to it, and makes their lanes, without a seed if
 * locating failed. Returns E_INVALID if there is no place. `what`: "source" or "target", for messages. If the query has no
 * weights, every arc is open and costs nothing. sites (NULL: not wanted; the lanes then are only those outside of sites):
 * those of the places. Free *out and *sites, on failure too. */
macadam_status mcd_query_lanes(const mcd_query *query, const mcd_place_list *list, mcd_end end,
                               const char *what, mcd_lanes *out, mcd_sites *sites, macadam_error *error);

/* Free *out, on failure too. */
macadam_status mcd_sites_new(mcd_sites *out, const mcd_located *located, const mcd_query *query,
                             macadam_error *error);
void mcd_sites_free(mcd_sites *sites);

/* Returns the index of a place among those in sites, or `count`. */
size_t mcd_sites_find(const mcd_sites *sites, size_t place);

/* Returns the site of a place, or MCD_SITE_NONE. */
static inline uint32_t mcd_sites_of(const mcd_sites *sites, size_t place)
{
    const size_t k = sites->count ? mcd_sites_find(sites, place) : 0;
    return k < sites->count ? sites->component[k] : MCD_SITE_NONE;
}

#endif
