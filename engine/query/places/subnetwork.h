/* subnetwork.h - subnetworks: small parts of the map that are cut off from the rest, such as a private estate whose gate is closed, or
 * an island.
 *
 * A point whose nearest road is cut off stands for two positions: that road, and the nearest road that is not cut off.
 * Which of them counts is a rule of pairs, so that a cost depends on its two places and on nothing else:
 * - If both places belong to one subnetwork (their nearest roads, or the nodes of the ids, lie on one strongly connected component),
 *   the cost is that of the way between their nearest roads.
 * - Otherwise, each is taken to the nearest road that is not cut off.
 * - A query that takes any component (macadam_query::snap_any_component) tries the nearest roads for the other pairs too, and
 *   takes the places to roads that are not cut off only if no way connects those.
 * Trips settle it before they have lanes. Rectangles, rows of trees and searches are computed from one position of each
 * place; then the costs of the second positions are written over those that they decide. */
#ifndef MCD_ENGINE_QUERY_PLACES_SUBNETWORK_H
#define MCD_ENGINE_QUERY_PLACES_SUBNETWORK_H

#include "engine/query/places/cells.h"
#include "engine/query/places/pairs.h"

/* Moves the places of each pair, of equally many sources and targets, to where the rule takes them. */
macadam_status mcd_subnetwork_settle_pairs(mcd_located *source, mcd_located *target, const mcd_query *query,
                                           macadam_error *error);

/* Locates as many sources as targets, and makes the trip of each pair by that rule. Free *out with mcd_pairs_free. */
macadam_status mcd_subnetwork_pairs(mcd_pairs *out, const mcd_query *query, const mcd_place_list *source,
                                    const mcd_place_list *target, macadam_error *error);

/* Lists the sources of which some cost is not that between the positions of the places (mcd_located::position):
 * (*out)[*count] ascending. The caller frees *out. */
macadam_status mcd_subnetwork_deciding(uint32_t **out, size_t *count, const mcd_located *source,
                                       const mcd_located *target, const mcd_query *query,
                                       macadam_error *error);

/* ---- rectangles ---- */

/* The places of a rectangle, and its rows of which some cell is the cost between second positions: mcd_subnetwork_deciding. */
typedef struct mcd_subnetwork_cells {
    const mcd_query *query;
    const mcd_located *source, *target;
    const mcd_lanes *source_lanes, *target_lanes;
    uint32_t *row; /* [count] ascending */
    size_t count;
} mcd_subnetwork_cells;

/* Computes the costs between second positions, and writes them over the cells that they decide, settled. A query that takes
 * any component needs raw objectives for it; other cells may be settled. */
macadam_status mcd_subnetwork_cells_apply(const mcd_subnetwork_cells *subnetworks, const mcd_cells *cells,
                                          macadam_error *error);

/* Two places that belong to one subnetwork. */
typedef struct mcd_shared_pair {
    uint32_t source, target, cost; /* the objective between their second positions */
} mcd_shared_pair;

/* Lists the pairs of a rectangle's rows whose costs are those between second positions, ascending, unless a row has more than `most`:
 * then none. reverse: costs from targets to sources. Not of queries that take any component. The caller frees *out. */
macadam_status mcd_subnetwork_list(mcd_shared_pair **out, size_t *count,
                                   const mcd_subnetwork_cells *subnetworks, bool reverse, size_t most,
                                   macadam_error *error);

/* ---- searches from one place to all nodes ---- */

/* Returns what a device's searches to all nodes need to settle it; nothing of a query that takes any component. */
mcd_cut_off mcd_query_cut_off(const mcd_query *query, const mcd_lanes *lanes);

/* Returns whether the cost to a node is that from the second position: `within`: the node belongs to the place's subnetwork;
 * `reached`: it is reached from the first position. */
static inline bool mcd_subnetwork_decides(const mcd_query *query, bool within, bool reached)
{
    return query->snap_any_component ? !within && !reached : within;
}

#endif
