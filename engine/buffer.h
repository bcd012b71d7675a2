/* buffer.h - memory that callers took for answers: whose it is, and whether the processor may write there. */
#ifndef MCD_BUFFER_H
#define MCD_BUFFER_H

#include "engine/device.h"

/* A block of macadam_memory_new, in the engine's list under its lock. */
struct mcd_buffer {
    mcd_buffer *next;
    char *memory;
    uint64_t bytes;
    bool by_device; /* which gave it; else it is the library's own */
    mcd_memory_kind kind;
};

/* Frees what callers have left. */
void mcd_engine_free_buffers(macadam_engine *engine);

/* Whether the processor can answer into `memory`: not if it is a device's own, the caller's or the engine's. */
bool mcd_engine_reaches(macadam_engine *engine, const void *memory);

#endif
