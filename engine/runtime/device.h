/* device.h - which backend an engine computes with, the module that may bring one, and what lies on its
 * device. */
#ifndef MCD_ENGINE_RUNTIME_DEVICE_H
#define MCD_ENGINE_RUNTIME_DEVICE_H

#include "engine/runtime/engine.h"

/* Chooses the backend of a new engine and opens its device. `name`: as in macadam_engine_options. */
macadam_status mcd_engine_choose_device(macadam_engine *engine, const char *name, uint64_t memory_limit,
                                        macadam_error *error);
/* Nothing of the engine may be in use. */
void mcd_engine_close_device(macadam_engine *engine);
/* The name of the device in use. */
const char *mcd_engine_device_name(const macadam_engine *engine);

/* The backend to begin a call with: the device's, or the processor's once the device is lost. */
const mcd_backend *mcd_engine_backend(const macadam_engine *engine);
/* After a call with `*backend` that ended with `status`: whether the processor shall answer in the device's
 * place; *backend is then its. What the device failed of is no error of the caller's. */
bool mcd_engine_falls_back(const macadam_engine *engine, const mcd_backend **backend, macadam_status status);

/* Copies hierarchy and graph, which are loaded, to the device if they are not there yet. Under `lock`. */
macadam_status mcd_engine_place_map(macadam_engine *engine, macadam_error *error);
/* The same for a metric's weights, which are complete. Under `lock`. */
macadam_status mcd_engine_place_metric(macadam_engine *engine, mcd_metric *metric, macadam_error *error);

/* Brings weights that a device made, if only it has them, into the host's memory: from there or, if it is
 * lost, by customizing them again. Under no lock. */
macadam_status mcd_engine_bring_home(macadam_engine *engine, mcd_metric *metric, macadam_error *error);

#endif
