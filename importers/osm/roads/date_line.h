/* date_line.h - joins roads that the map cuts at the 180th meridian. */
#ifndef MCD_IMPORTERS_OSM_ROADS_DATE_LINE_H
#define MCD_IMPORTERS_OSM_ROADS_DATE_LINE_H

#include "importers/osm/roads/point.h"
#include "importers/osm/roads/way.h"

/* Joins the points at 180 degrees with those at -180 degrees and the same latitude, which are the same places, each by a
 * way of length 0: like one of the ways there, but open to all in both directions. `points` have been read. Returns
 * E_MEMORY. Time: a look at each point and, if some are at the meridian, at all ways. */
macadam_status mcd_date_line_join(mcd_ways *ways, const mcd_points *points, macadam_error *error);

#endif
