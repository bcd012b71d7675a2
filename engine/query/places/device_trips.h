/* device_trips.h - many trips that a device answers from their points: it looks for the roads, and makes and chooses the lanes
 * (mcd_route_job). */
#ifndef MCD_ENGINE_QUERY_PLACES_DEVICE_TRIPS_H
#define MCD_ENGINE_QUERY_PLACES_DEVICE_TRIPS_H

#include "engine/query/places/device_roads.h"
#include "engine/query/places/located.h"

/* Zeroed = empty; mcd_device_trips_free. */
typedef struct mcd_device_trips {
    mcd_device_roads
        roads; /* of the sources, then of the targets; without any, the processor must locate all places */
    uint32_t *
        rest; /* [rest_count] ascending: the trips that the device does not answer; their places are nowhere */
    size_t count, rest_count;
} mcd_device_trips;

/* Locates as many sources as targets by the device, and sets the status of each place. Left to the caller are trips from or to a place
 * that requests a direction of travel, or whose road is closed, and, if the query takes any component, cut off. Without roads,
 * because the places are few or the device cannot, nothing else is set. The query's scratch holds the roads. Free *out, on failure
 * too. */
macadam_status mcd_device_trips_find(mcd_device_trips *out, mcd_query *query, const mcd_place_list *source,
                                     const mcd_place_list *target, macadam_error *error);
void mcd_device_trips_free(mcd_device_trips *trips);

/* Adds the roads to a job, whose answers are set. */
void mcd_device_trips_job(const mcd_device_trips *trips, const mcd_query *query, mcd_route_job *job);

#endif
