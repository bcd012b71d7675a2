/* voyage.h - relations of ferries (type=route, route=ferry) that say how long the whole line takes. */
#ifndef MCD_IMPORTERS_OSM_ROADS_VOYAGE_H
#define MCD_IMPORTERS_OSM_ROADS_VOYAGE_H

#include "importers/osm/read/osm_file.h"
#include "importers/osm/roads/way.h"

typedef struct mcd_voyage {
    int64_t id;          /* of the relation */
    size_t first, count; /* its ways are member[first .. first + count) */
    double duration_s;   /* of them all, in each direction */
} mcd_voyage;

typedef struct mcd_voyages {
    mcd_voyage *voyage;
    int64_t *member; /* ids of ways */
    size_t count, capacity, member_count, member_capacity;
} mcd_voyages;

/* Keeps the relation if it is a ferry's and has a duration. `voyages` begins zeroed. */
macadam_status mcd_voyages_add(mcd_voyages *voyages, const mcd_osm_relation *relation, macadam_error *error);

/* Appends all of `part`, which is then empty, but keeps its memory. */
macadam_status mcd_voyages_append(mcd_voyages *voyages, mcd_voyages *part, macadam_error *error);

/* Orders them by their ids. */
void mcd_voyages_sort(mcd_voyages *voyages);

/* Shares a voyage's duration out by length among its ways that have none of their own. A voyage counts only
 * if all of its ways are ferries of `ways` with all of their points. length_m returns 0 for a way that lacks
 * points. */
macadam_status mcd_voyages_share(const mcd_voyages *voyages, mcd_ways *ways,
                                 double (*length_m)(const void *context, const mcd_way *way),
                                 const void *context, macadam_error *error);

void mcd_voyages_free(mcd_voyages *voyages);

#endif
