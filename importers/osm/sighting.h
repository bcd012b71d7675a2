/* sighting.h - what parts of a file say of points, until it is their turn to be taken over. */
#ifndef MCD_IMPORTERS_OSM_SIGHTING_H
#define MCD_IMPORTERS_OSM_SIGHTING_H

#include "importers/osm/point.h"

/* Where a node lies that is a point, and how it is passed. */
typedef struct mcd_sighting {
    uint32_t point;
    int32_t lon_e7, lat_e7;
    uint16_t wait_s;
    uint8_t state;
} mcd_sighting;

/* What a part of the file says of points. */
typedef struct mcd_sightings {
    mcd_sighting *sighting;
    size_t count, capacity;
    size_t near;            /* points below it have smaller ids than the last node: most files ascend */
    uint64_t invalid_count; /* as in mcd_points */
    mcd_conditions conditions;
} mcd_sightings;

/* Appends what the node says, if it is one of the points. `sightings` begins zeroed. */
macadam_status mcd_sightings_add(mcd_sightings *sightings, const mcd_points *points,
                                 const mcd_profile *profile, const mcd_osm_node *node, macadam_error *error);

/* The points take over all of `sightings`, which is then empty, but keeps its memory. */
void mcd_sightings_apply(mcd_sightings *sightings, mcd_points *points);

void mcd_sightings_free(mcd_sightings *sightings);

#endif
