/* kept_memory.h - the memory that an engine keeps between calls, and how it is given back. */
#ifndef MCD_ENGINE_RUNTIME_KEPT_MEMORY_H
#define MCD_ENGINE_RUNTIME_KEPT_MEMORY_H

#include "engine/runtime/engine.h"

/* Memory in bytes, of all GPUs together. */
typedef struct mcd_held {
    uint64_t in_use; /* of GPUs: the map, weights, running calls */
    uint64_t idle;   /* of GPUs, kept for later calls */
    uint64_t host;   /* of the host, kept for later calls */
} mcd_held;

mcd_held mcd_engine_held(macadam_engine *engine);

/* Makes the basic weights of a version, or its kept arcs, while others use it, too, and the engine is open. A failure is left
 * to the call that needs the same. */
void mcd_engine_make_beside(macadam_engine *engine, mcd_version *version, bool basic);

/* Every call that computes ends with this. It gives back immediately what exceeds the memory limit, and lets
 * the rest go back when the engine has been idle for a while. Basic weights are then pruned. */
void mcd_engine_keep_memory(macadam_engine *engine);

#endif
