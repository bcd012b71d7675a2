/* plaza.h - open areas that one crosses: along their outline, and straight over from one entrance to another.
 *
 * An area is a closed way with area=yes, or a relation of type=multipolygon, that the profile's tables know
 * as a road. (https://wiki.openstreetmap.org/wiki/Tag:highway=pedestrian) */
#ifndef MCD_IMPORTERS_OSM_ROADS_PLAZA_H
#define MCD_IMPORTERS_OSM_ROADS_PLAZA_H

#include "importers/osm/roads/point.h"
#include "importers/osm/roads/way.h"

/* A relation's area. */
typedef struct mcd_plaza {
    int64_t id;
    mcd_tags tags;
} mcd_plaza;

/* A way of an area's outline. */
typedef struct mcd_plaza_member {
    int64_t way;
    uint32_t plaza; /* by number, from 1 */
    bool inner;     /* of the outline of a hole */
} mcd_plaza_member;

typedef struct mcd_plazas {
    mcd_arena arena; /* of the tags */
    mcd_plaza *plaza;
    mcd_plaza_member *member; /* by way after mcd_plazas_close */
    size_t count, capacity, member_count, member_capacity;
} mcd_plazas;

/* Whether these are the tags of a relation that is such an area, closed or not, and the profile crosses areas. */
bool mcd_plazas_want(const mcd_profile *profile, const mcd_tags *tags);

/* Keeps the relation if it is such an area. `plazas` begins zeroed. Returns
 * E_MEMORY. */
macadam_status mcd_plazas_add(mcd_plazas *plazas, mcd_report *report, const mcd_profile *profile,
                              const mcd_osm_relation *relation, macadam_error *error);

/* No more are added: orders the members. */
void mcd_plazas_close(mcd_plazas *plazas);

/* Appends a way to `ways` once for each area whose outline it belongs to. Threads: any number. */
macadam_status mcd_plazas_take_way(const mcd_plazas *plazas, mcd_ways *ways, const mcd_profile *profile,
                                   const mcd_osm_way *way, macadam_error *error);

/* Adds the lines over all areas of `ways`, as ways of two nodes, and reports the areas. Two entrances, that is
 * nodes that other ways or areas have too, are joined if each is in sight of the other; corners that hide one
 * from the other are joined as well, so that the shortest walks lie on the lines. An area of too many edges,
 * entrances and corners is not crossed. `points` have been read. Time: linear, but for areas: their edges
 * times up to half the square of the limit. Returns E_MEMORY. */
macadam_status mcd_plazas_cross(const mcd_plazas *plazas, mcd_report *report, mcd_ways *ways,
                                const mcd_points *points, mcd_watch *watch, macadam_error *error);

void mcd_plazas_free(mcd_plazas *plazas);

#endif
