/* road_speeds.h - applies speeds over the week to the roads of an OpenStreetMap map. */
#ifndef MCD_IMPORTERS_OSM_ROADS_ROAD_SPEEDS_H
#define MCD_IMPORTERS_OSM_ROADS_ROAD_SPEEDS_H

#include "engine/map/map.h"
#include "importers/osm/rules/profile.h"
#include "importers/osm/rules/report.h"
#include "importers/speeds/speed_arcs.h"

/* Returns whether speeds are about the profile's traveller: speeds are those of motor vehicles. */
bool mcd_road_speeds_concern(const mcd_speed_table *table, const mcd_profile *profile);

/* Makes durations those at the fastest speed of the week, and gives arcs patterns; preferences change as durations do. The
 * map is not split yet, and has ids of shape points if the table has speeds between nodes. Ways and nodes that are not on
 * the map are reported. Returns E_MEMORY, E_CANCELLED, E_UNSUPPORTED. */
macadam_status mcd_road_speeds_apply(mcd_map *map, const mcd_speed_table *table, mcd_report *report,
                                     mcd_watch *watch, macadam_error *error);

/* Reports what a table has made of a map. */
void mcd_road_speeds_report(mcd_report *report, const mcd_speed_table *table, const mcd_speed_result *result);

#endif
