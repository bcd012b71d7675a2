/* device_trips.h - the costs of many trips that a device answers from their points: it looks for the roads, makes the lanes, and
 * takes the best ones. */
#ifndef MCD_ENGINE_QUERY_PLACES_DEVICE_TRIPS_H
#define MCD_ENGINE_QUERY_PLACES_DEVICE_TRIPS_H

#include "engine/query/places/located.h"

/* Answers the trips between as many sources as targets whose roads the device finds: objective[i], companion[i] (may be NULL), and
 * the status of each place. Lists the others, ascending: the caller answers them; these are the trips from or to a place that requests a direction of travel, or
 * whose road is closed or cut off. *rest is the caller's: mcd_free. *done is false, and nothing is answered, if the processor must
 * locate all places, because they are few, or the device cannot. */
macadam_status mcd_device_trips(bool *done, uint32_t **rest, size_t *rest_count, const mcd_query *query,
                                const mcd_place_list *source, const mcd_place_list *target,
                                uint32_t *objective, uint32_t *companion, macadam_error *error);

#endif
