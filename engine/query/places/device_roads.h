/* device_roads.h - the nearest roads of many points, looked for by a device. */
#ifndef MCD_ENGINE_QUERY_PLACES_DEVICE_ROADS_H
#define MCD_ENGINE_QUERY_PLACES_DEVICE_ROADS_H

#include "engine/runtime/device.h"

/* Returns the roads of the places of all lists, as mcd_locator.known has them, if the backend's device looks for them. NULL:
 * the processor must, because the places are few, or the device has no snap index, or no memory. It gets the index once as many
 * points have been located as take the processor as long. The caller frees the roads with mcd_free. */
mcd_nearest_road *mcd_device_roads_find(macadam_engine *engine, const mcd_backend *backend,
                                        const mcd_locator *locator, const mcd_locate_list *list,
                                        size_t list_count);

#endif
