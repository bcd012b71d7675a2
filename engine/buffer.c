/* buffer.c - see buffer.h. */
#include "engine/buffer.h"

#include "engine/memory.h"
#include "engine/platform.h"

#include <string.h>

/* Under the lock: where the block that holds `memory` hangs in the list; *NULL: it is the caller's own. */
static mcd_buffer **find(macadam_engine *engine, const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    mcd_buffer **link = &engine->buffer;
    for (; *link; link = &(*link)->next) {
        const uintptr_t first = (uintptr_t)(*link)->memory;
        if (address == first || (first < address && address - first < (*link)->bytes)) break;
    }
    return link;
}

/* A copy of the block that holds `memory`; without memory if it is the caller's own. */
static mcd_buffer look_up(macadam_engine *engine, const void *memory)
{
    pthread_mutex_lock(&engine->lock);
    const mcd_buffer *const found = *find(engine, memory);
    const mcd_buffer copy = found ? *found : (mcd_buffer){0};
    pthread_mutex_unlock(&engine->lock);
    return copy;
}

static bool is_device_memory(const mcd_buffer *buffer)
{
    return buffer->by_device && buffer->kind == MCD_MEMORY_DEVICE;
}

bool mcd_engine_reaches(macadam_engine *engine, const void *memory)
{
    if (!engine->device) return true;
    const mcd_buffer buffer = look_up(engine, memory);
    return buffer.memory ? !is_device_memory(&buffer) : mcd_platform_is_readable(memory);
}

/* ---- taking and freeing ---- */

static macadam_status allocate(mcd_buffer *out, macadam_engine *engine, macadam_error *error)
{
    void *memory;
    out->by_device = mcd_engine_backend(engine) != engine->host;
    if (out->by_device)
        MCD_TRY(engine->backend->device->memory_new(&memory, engine->device, out->kind, out->bytes, error));
    else if (!(memory = mcd_allocate(out->bytes, 1)))
        return mcd_fail_memory(error, out->bytes, "answers");
    out->memory = memory;
    return MACADAM_OK;
}

static void release(const macadam_engine *engine, mcd_buffer *buffer)
{
    if (buffer->by_device)
        engine->backend->device->memory_free(engine->device, buffer->kind, buffer->memory);
    else
        mcd_free(buffer->memory);
    mcd_free(buffer);
}

macadam_status macadam_memory_new(void **out, macadam_engine *engine, macadam_memory_kind kind,
                                  uint64_t bytes, macadam_error *error)
{
    if (!out) return mcd_fail(error, MACADAM_E_INVALID, "no place for the memory");
    *out = NULL;
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    if (kind != MACADAM_MEMORY_DEVICE && kind != MACADAM_MEMORY_PINNED)
        return mcd_fail(error, MACADAM_E_INVALID, "unknown kind of memory %d", (int)kind);
    mcd_buffer *buffer;
    MCD_TRY(MCD_NEW(buffer, 1, error));
    *buffer = (mcd_buffer){.bytes = bytes,
                           .kind = kind == MACADAM_MEMORY_DEVICE ? MCD_MEMORY_DEVICE : MCD_MEMORY_PINNED};
    const macadam_status status = allocate(buffer, engine, error);
    if (status) {
        mcd_free(buffer);
        return status;
    }
    *out = buffer->memory;
    pthread_mutex_lock(&engine->lock);
    buffer->next = engine->buffer;
    engine->buffer = buffer;
    pthread_mutex_unlock(&engine->lock);
    return MACADAM_OK;
}

void macadam_memory_free(macadam_engine *engine, void *memory)
{
    if (!engine || !memory) return;
    pthread_mutex_lock(&engine->lock);
    mcd_buffer **const link = find(engine, memory);
    mcd_buffer *const buffer = *link && (*link)->memory == memory ? *link : NULL;
    if (buffer) *link = buffer->next;
    pthread_mutex_unlock(&engine->lock);
    if (buffer) release(engine, buffer);
}

void mcd_engine_free_buffers(macadam_engine *engine)
{
    while (engine->buffer) {
        mcd_buffer *const buffer = engine->buffer;
        engine->buffer = buffer->next;
        release(engine, buffer);
    }
}

/* ---- reading ---- */

static macadam_status check_extent(const mcd_buffer *buffer, const void *from, uint64_t bytes,
                                   macadam_error *error)
{
    if (!buffer->memory) return MACADAM_OK;
    const uint64_t offset = (uint64_t)((const char *)from - buffer->memory);
    if (offset <= buffer->bytes && bytes <= buffer->bytes - offset) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_INVALID, "%llu bytes from byte %llu on of memory of %llu bytes",
                    (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)buffer->bytes);
}

macadam_status macadam_memory_read(macadam_engine *engine, void *to, const void *from, uint64_t bytes,
                                   macadam_error *error)
{
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    if (bytes == 0) return MACADAM_OK;
    if (!to || !from) return mcd_fail(error, MACADAM_E_INVALID, "no memory to read %s", to ? "from" : "to");
    const mcd_buffer buffer = look_up(engine, from);
    MCD_TRY(check_extent(&buffer, from, bytes, error));
    const bool may_be_away = engine->device && (!buffer.memory || is_device_memory(&buffer));
    if (may_be_away && mcd_engine_backend(engine) != engine->host)
        return engine->backend->device->memory_read(engine->device, to, from, bytes, &engine->parallel,
                                                    error);
    if (may_be_away && !mcd_engine_reaches(engine, from))
        return mcd_fail(error, MACADAM_E_DEVICE, "the device is lost, and with it what lies in its memory");
    memcpy(to, from, bytes);
    return MACADAM_OK;
}
