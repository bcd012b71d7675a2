/* buffer.h - memory that callers took for answers: whose it is, how it is divided, and whether the processor
 * may write there. */
#ifndef MCD_ENGINE_RUNTIME_BUFFER_H
#define MCD_ENGINE_RUNTIME_BUFFER_H

#include "engine/runtime/device.h"

typedef struct mcd_buffer_part {
    char *memory;
    uint64_t bytes;
} mcd_buffer_part;

/* A block of macadam_memory_new, or several of macadam_memory_new_divided; in the engine's list under its
 * lock. */
struct mcd_buffer {
    mcd_buffer *next;
    bool by_device; /* which gave it; else it is the library's own */
    mcd_memory_kind kind;
    size_t source_count; /* 0: not to be divided */
    uint64_t source_bytes;
    size_t part_count;
    mcd_buffer_part part[MCD_PARTS_MAX]; /* by the device's GPUs */
};

/* Frees what callers have left. */
void mcd_engine_free_buffers(macadam_engine *engine);

/* Whether the processor can answer into `memory`: not if it is a device's own, the caller's or the
 * engine's. */
bool mcd_engine_reaches(macadam_engine *engine, const void *memory);

/* A copy of the block that holds `memory`; of no parts if it is the caller's own. */
mcd_buffer mcd_engine_buffer_of(macadam_engine *engine, const void *memory);

#endif
