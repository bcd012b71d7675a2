/* maneuver.h - reads maneuver relations: what an instruction says where a route passes from a way over others to a way. */
#ifndef MCD_IMPORTERS_OSM_TURNS_MANEUVER_H
#define MCD_IMPORTERS_OSM_TURNS_MANEUVER_H

#include "engine/map/map.h"
#include "importers/osm/read/osm_object.h"
#include "importers/osm/rules/report.h"

typedef struct mcd_maneuvers {
    mcd_relation *relation;
    size_t count, capacity;
} mcd_maneuvers;

/* Whether these are the tags of a maneuver relation. */
bool mcd_maneuvers_want(const mcd_tags *tags);

/* Keeps the relation if it is a maneuver's. `maneuvers` begins zeroed. */
macadam_status mcd_maneuvers_add(mcd_maneuvers *maneuvers, mcd_report *report,
                                 const mcd_osm_relation *relation, macadam_error *error);

/* Moves the relations, sorted, to the map. */
void mcd_maneuvers_move(mcd_maneuvers *maneuvers, mcd_map *map);

#endif
