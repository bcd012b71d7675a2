/* device_roads.h - the nearest roads of many points, looked for by a device. */
#ifndef MCD_ENGINE_QUERY_PLACES_DEVICE_ROADS_H
#define MCD_ENGINE_QUERY_PLACES_DEVICE_ROADS_H

#include "engine/query/places/query.h"

/* Zeroed = empty; mcd_device_roads_free. */
typedef struct mcd_device_roads {
    mcd_nearest_road *
        road; /* of the places of all lists, as mcd_locator.known has them; NULL: the processor must look for them */
    mcd_nearest_road *connected; /* likewise, as mcd_locator.known_connected; of other places undefined */
    mcd_scratch *scratch;
    mcd_block block; /* of the scratch: the roads, where the device reads and writes them at full speed */
    void *own;       /* the roads, if there is no block for them */
} mcd_device_roads;

/* Lets the query's device look for the roads of all lists. weights: closed roads stay unknown (mcd_nearest_job). It finds none if
 * the places are few, or if the device has no snap index, or no memory. The index is made beside calls once the processor has
 * looked for an eighth of the time that it takes; within a call, once for all of it. Free *out. */
void mcd_device_roads_find(mcd_device_roads *out, const mcd_query *query, const mcd_locator *locator,
                           const mcd_weights *weights, const mcd_locate_list *list, size_t list_count);
void mcd_device_roads_free(mcd_device_roads *roads);

#endif
