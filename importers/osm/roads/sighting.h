/* sighting.h - the facts about points that a part of the file holds, until the points take them over in
 * order. */
#ifndef MCD_IMPORTERS_OSM_ROADS_SIGHTING_H
#define MCD_IMPORTERS_OSM_ROADS_SIGHTING_H

#include "importers/osm/roads/point.h"

/* The place of a node that is a point, and how one passes it. */
typedef struct mcd_sighting {
    uint32_t point;
    int32_t lon_e7, lat_e7;
    uint32_t version; /* of the node; 0: unknown */
    uint16_t wait_s;
    uint8_t state;
} mcd_sighting;

/* The facts that a part of the file holds. */
typedef struct mcd_sightings {
    mcd_sighting *sighting;
    size_t count, capacity;
    size_t near;            /* points below it have smaller ids than the last node: most files ascend */
    uint64_t invalid_count; /* as in mcd_points */
    mcd_conditions conditions;
    mcd_limited_points limited;
} mcd_sightings;

/* Appends the facts about a node if it is one of the points. `sightings` begins zeroed. */
macadam_status mcd_sightings_add(mcd_sightings *sightings, const mcd_points *points,
                                 const mcd_profile *profile, const mcd_osm_node *node, macadam_error *error);

/* Hands all of `sightings` over to the points: where points have versions, only what is newer than what they
 * know. `sightings` is then empty, but keeps its memory. */
macadam_status mcd_sightings_apply(mcd_sightings *sightings, mcd_points *points, macadam_error *error);

void mcd_sightings_free(mcd_sightings *sightings);

#endif
