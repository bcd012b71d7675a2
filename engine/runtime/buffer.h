/* buffer.h - memory that callers allocated for answers: who owns it, how it is divided, and whether the
 * processor may write to it. */
#ifndef MCD_ENGINE_RUNTIME_BUFFER_H
#define MCD_ENGINE_RUNTIME_BUFFER_H

#include "engine/runtime/device.h"

typedef struct mcd_buffer_part {
    char *memory;
    uint64_t bytes;
} mcd_buffer_part;

/* A block of macadam_memory_new, or several of macadam_memory_new_divided. The engine's lock guards the
 * engine's list of them. */
struct mcd_buffer {
    mcd_buffer *next;
    bool by_device; /* whether the device allocated it; otherwise the library did */
    mcd_memory_kind kind;
    size_t source_count; /* 0: cannot be divided */
    uint64_t source_bytes;
    size_t part_count;
    mcd_buffer_part part[MCD_PARTS_MAX]; /* by the device's GPUs */
};

/* Frees the blocks that callers have not freed. */
void mcd_engine_free_buffers(macadam_engine *engine);

/* Returns whether the processor can write answers to `memory`: not if it is a device's own memory, whether
 * the caller or the engine allocated it. */
bool mcd_engine_reaches(macadam_engine *engine, const void *memory);

/* Returns a copy of the block that holds `memory`; without parts if it is the caller's own memory. */
mcd_buffer mcd_engine_buffer_of(macadam_engine *engine, const void *memory);

#endif
