/* device.h - which backend an engine computes with, the module that may provide one, and the data on its
 * device. */
#ifndef MCD_ENGINE_RUNTIME_DEVICE_H
#define MCD_ENGINE_RUNTIME_DEVICE_H

#include "engine/runtime/engine.h"

/* Opens the device of a new engine; that of "auto" when it pays (engine/query/places/dispatch.h). `name`: as in macadam_engine_options. */
macadam_status mcd_engine_choose_device(macadam_engine *engine, const char *name, macadam_error *error);
/* Pieces of roads that are made ready for a device in the time that a search for a point gains there: 367,000 take 19 ms beside 16
 * threads, and 2000 searches gain 0.14 to 0.2 (New York, an H200). Beside the calls, which lose less to it, they pay sooner. */
enum { MCD_PIECES_PER_POINT = 2, MCD_PIECES_BESIDE = 16 };
/* Bytes of a block of scratch that a device reads and writes itself. */
enum { MCD_PINNED_LEAST = 1 << 20 };
/* Returns whether the points that the processor has looked for have lost what the device's index of roads costs, if each pays for
 * `pieces_each`. */
bool mcd_engine_snap_pays(const macadam_engine *engine, uint64_t pieces_each);
/* Makes that index if it is not there, and pays beside the calls. If it fails, it is made after as many searches. */
void mcd_engine_place_snap(macadam_engine *engine);
/* Frees the index of roads on the device, which no call may be using. It is made again once enough searches would have been
 * faster with it. */
void mcd_engine_forget_snap(macadam_engine *engine);
/* Closes the device. Nothing of the engine may be in use. */
void mcd_engine_close_device(macadam_engine *engine);
/* Returns whether there is a device, and it is not lost. */
bool mcd_engine_has_device(const macadam_engine *engine);
/* Returns the name of the device in use. */
const char *mcd_engine_device_name(const macadam_engine *engine);

/* Returns why the processor computes although a device was allowed; NULL if none was, or if a device
 * computes. */
const char *mcd_engine_device_reason(const macadam_engine *engine);

/* Returns the backend that begins a call: that of the device that is open, or the processor's once it is lost. */
const mcd_backend *mcd_engine_backend(const macadam_engine *engine);
/* Returns whether a device of "auto" may be opened now: not after it failed; if it was full, after some seconds. */
bool mcd_engine_may_open_device(const macadam_engine *engine);
/* Opens the device of "auto" unless it is open; returns whether there is one, and it is not lost. */
bool mcd_engine_open_device(macadam_engine *engine);
/* Lets a device that was full be tried again now. */
void mcd_engine_retry_device(macadam_engine *engine);
/* Returns whether the processor should answer instead of the device, after a call with `*backend` ended with
 * `status`; *backend is then the processor's. A failure of the device is not an error of the caller's. */
bool mcd_engine_falls_back(macadam_engine *engine, const mcd_backend **backend, macadam_status status,
                           macadam_error *error);

/* Finds the value in jobs of the method that a request names, of those that the engine's device has; NULL: of "auto".
 * E_INVALID: it has no such method; the message lists those that it has. */
macadam_status mcd_engine_find_method(int *out, macadam_engine *engine, macadam_question question,
                                      const char *name, macadam_error *error);
/* Returns the name of a method whose value is given, and which the device has. */
const char *mcd_engine_method_name(const macadam_engine *engine, macadam_question question, int value);

/* Copies hierarchy and graph, which must be loaded, to the device unless they are already there. Under
 * `lock`. */
macadam_status mcd_engine_place_map(macadam_engine *engine, macadam_error *error);

/* Adds what the device takes to customize; once the sum is what the processor takes, returns true, and *sum_ns is 0. */
bool mcd_engine_outlasts_host(const macadam_engine *engine, double *sum_ns);

#endif
