/* site.h - the cells of a matrix between places of one site: places whose nearest roads are cut off from the
 * rest, but connected with each other. Such a pair is answered on these roads, as macadam_routes answers
 * it. */
#ifndef MCD_ENGINE_QUERY_SITE_H
#define MCD_ENGINE_QUERY_SITE_H

#include "engine/query/direct.h"
#include "engine/query/located.h"

/* Zeroed = empty. */
typedef struct mcd_sites {
    mcd_place_pair *pair; /* [count] by ascending source, then target */
    size_t count;
    uint32_t *objective, *companion; /* [count] each; companion is NULL if it is not requested */
} mcd_sites;

/* Computes the costs of the pairs. Takes over the pairs, on failure too; free *out with mcd_sites_free. */
macadam_status mcd_sites_new(mcd_sites *out, const mcd_query *query, const macadam_place *source,
                             const macadam_place *target, mcd_place_pair *pair, size_t count,
                             macadam_error *error);
void mcd_sites_free(mcd_sites *sites);

/* Writes those costs that lie in the rectangle into its cells. */
void mcd_sites_apply(const mcd_sites *sites, const mcd_cells *cells);

#endif
