/* buffer.c - see buffer.h. */
#include "engine/runtime/buffer.h"

#include "engine/base/options.h"

/* Returns the part that holds `memory`, or NULL. */
static const mcd_buffer_part *part_of(const mcd_buffer *buffer, const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    for (size_t p = 0; p < buffer->part_count; ++p) {
        const uintptr_t first = (uintptr_t)buffer->part[p].memory;
        if (address == first || (first < address && address - first < buffer->part[p].bytes))
            return &buffer->part[p];
    }
    return NULL;
}

/* Under the lock: returns the link of the list that points to the block that holds `memory`. If it points to
 * NULL, the memory is the caller's own. */
static mcd_buffer **find(macadam_engine *engine, const void *memory)
{
    mcd_buffer **link = &engine->buffer;
    while (*link && !part_of(*link, memory)) link = &(*link)->next;
    return link;
}

mcd_buffer mcd_engine_buffer_of(macadam_engine *engine, const void *memory)
{
    engine = mcd_engine_eldest(engine);
    if (!__atomic_load_n(&engine->buffer, __ATOMIC_ACQUIRE))
        return (mcd_buffer){0}; /* many calls would wait */
    MCD_HOLD(&engine->buffer_lock);
    const mcd_buffer *const found = *find(engine, memory);
    return found ? *found : (mcd_buffer){0};
}

static bool is_device_memory(const mcd_buffer *buffer)
{
    return buffer->by_device && buffer->kind == MCD_MEMORY_DEVICE;
}

bool mcd_engine_reaches(macadam_engine *engine, const void *memory)
{
    if (!mcd_engine_eldest(engine)->device) return true;
    const mcd_buffer buffer = mcd_engine_buffer_of(engine, memory);
    return buffer.part_count ? !is_device_memory(&buffer) : mcd_platform_is_readable(memory);
}

/* ---- taking and freeing ---- */

static macadam_status allocate_part(mcd_buffer *buffer, macadam_engine *engine, uint64_t bytes,
                                    macadam_error *error)
{
    void *memory;
    const size_t p = buffer->part_count;
    if (buffer->by_device)
        MCD_TRY(engine->backend->device->memory_new(&memory, engine->device, p, buffer->kind, bytes, error));
    else if (!(memory = mcd_allocate(bytes, 1)))
        return mcd_fail_memory(error, bytes);
    buffer->part[p] = (mcd_buffer_part){memory, bytes};
    ++buffer->part_count;
    return MACADAM_OK;
}

static void release(const macadam_engine *engine, mcd_buffer *buffer)
{
    for (size_t p = 0; p < buffer->part_count; ++p)
        if (buffer->by_device)
            engine->backend->device->memory_free(engine->device, p, buffer->kind, buffer->part[p].memory);
        else
            mcd_free(buffer->part[p].memory);
    mcd_free(buffer);
}

/* Returns how many sources come before part p. */
static size_t first_source(const mcd_buffer *buffer, size_t p)
{
    return mcd_division_first(buffer->source_count, p, buffer->part_count);
}

static macadam_status allocate(mcd_buffer *buffer, macadam_engine *engine, uint64_t bytes,
                               macadam_error *error)
{
    const size_t sources = buffer->source_count;
    if (engine->dispatch.is_free) mcd_engine_open_device(engine); /* the caller has chosen */
    buffer->by_device = mcd_engine_has_device(engine);
    if (sources == 0) return allocate_part(buffer, engine, bytes, error);
    const size_t count =
        buffer->by_device
            ? mcd_division_parts(sources, engine->backend->device->gpus(engine->device, NULL, 0))
            : 1;
    for (size_t p = 0; p < count; ++p) {
        const size_t own = mcd_division_first(sources, p + 1, count) - mcd_division_first(sources, p, count);
        MCD_TRY(allocate_part(buffer, engine, own * buffer->source_bytes, error));
    }
    return MACADAM_OK;
}

/* Makes a new block as `shape` says, of `bytes` unless it is divided. */
static macadam_status new_buffer(void **out, macadam_engine *engine, mcd_buffer shape, uint64_t bytes,
                                 macadam_error *error)
{
    mcd_buffer *buffer;
    MCD_TRY(MCD_NEW(buffer, 1, error));
    *buffer = shape;
    const macadam_status status = allocate(buffer, engine, bytes, error);
    if (status) {
        release(engine, buffer);
        return status;
    }
    *out = buffer->part[0].memory;
    pthread_mutex_lock(&engine->buffer_lock);
    buffer->next = engine->buffer;
    __atomic_store_n(&engine->buffer, buffer, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&engine->buffer_lock);
    return MACADAM_OK;
}

macadam_status macadam_memory_new(void **out, macadam_engine *engine, macadam_memory_kind kind,
                                  uint64_t bytes, macadam_error *error)
{
    MCD_TRY(mcd_answer_clear(out, "memory", error));
    if (!engine) return mcd_fail_invalid(error, "no engine");
    engine = mcd_engine_eldest(engine);
    if (kind != MACADAM_MEMORY_DEVICE && kind != MACADAM_MEMORY_PINNED)
        return mcd_fail_invalid(error, "unknown kind of memory %d", (int)kind);
    const mcd_buffer shape = {.kind = kind == MACADAM_MEMORY_DEVICE ? MCD_MEMORY_DEVICE : MCD_MEMORY_PINNED};
    return new_buffer(out, engine, shape, bytes, error);
}

macadam_status macadam_memory_new_divided(void **out, macadam_engine *engine, size_t source_count,
                                          uint64_t source_bytes, macadam_error *error)
{
    MCD_TRY(mcd_answer_clear(out, "memory", error));
    if (!engine) return mcd_fail_invalid(error, "no engine");
    engine = mcd_engine_eldest(engine);
    if (source_count == 0 || source_count > UINT32_MAX || source_bytes > SIZE_MAX / source_count)
        return mcd_fail_invalid(error, "memory for %zu sources of %llu bytes", source_count,
                                (unsigned long long)source_bytes);
    const mcd_buffer shape = {
        .kind = MCD_MEMORY_DEVICE, .source_count = source_count, .source_bytes = source_bytes};
    return new_buffer(out, engine, shape, 0, error);
}

macadam_status macadam_memory_part_at(macadam_memory_part *out, macadam_engine *engine, const void *memory,
                                      size_t index, macadam_error *error)
{
    macadam_memory_part known = MACADAM_MEMORY_PART_INIT;
    int number[MCD_PARTS_MAX] = {-1};
    if (!engine) return mcd_fail_invalid(error, "no engine");
    /* checks the caller's size */
    MCD_TRY(mcd_options_adopt(&known, sizeof known, out, "memory part", error));
    const mcd_buffer buffer = mcd_engine_buffer_of(engine, memory);
    if (buffer.source_count == 0 || buffer.part[0].memory != memory)
        return mcd_fail_invalid(error, "no divided memory begins there");
    if (index >= buffer.part_count)
        return mcd_fail_invalid(error, "no part %zu of memory in %zu", index, buffer.part_count);
    if (buffer.by_device) engine->backend->device->gpus(engine->device, number, MCD_PARTS_MAX);
    const macadam_memory_part part = {
        .size = known.size,
        .part_count = buffer.part_count,
        .device = number[index],
        .memory = buffer.part[index].memory,
        .first_source = first_source(&buffer, index),
        .source_count = first_source(&buffer, index + 1) - first_source(&buffer, index),
    };
    memcpy(out, &part, part.size);
    return MACADAM_OK;
}

void macadam_memory_free(macadam_engine *engine, void *memory)
{
    if (!engine || !memory) return;
    engine = mcd_engine_eldest(engine);
    pthread_mutex_lock(&engine->buffer_lock);
    mcd_buffer **const link = find(engine, memory);
    mcd_buffer *const buffer = *link && (*link)->part[0].memory == memory ? *link : NULL;
    if (buffer) __atomic_store_n(link, buffer->next, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&engine->buffer_lock);
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
    const mcd_buffer_part *const part = part_of(buffer, from);
    if (!part) return MACADAM_OK;
    const uint64_t offset = (uint64_t)((const char *)from - part->memory);
    if (offset <= part->bytes && bytes <= part->bytes - offset) return MACADAM_OK;
    return mcd_fail_invalid(error, "%llu bytes from byte %llu on of memory of %llu bytes",
                            (unsigned long long)bytes, (unsigned long long)offset,
                            (unsigned long long)part->bytes);
}

macadam_status macadam_memory_read(void *to, macadam_engine *engine, const void *from, uint64_t bytes,
                                   macadam_error *error)
{
    if (!engine) return mcd_fail_invalid(error, "no engine");
    if (bytes == 0) return MACADAM_OK;
    if (!to || !from) return mcd_fail_invalid(error, "no memory to read %s", to ? "from" : "to");
    const mcd_buffer buffer = mcd_engine_buffer_of(engine, from);
    MCD_TRY(check_extent(&buffer, from, bytes, error));
    const bool may_be_away = engine->device && (!buffer.part_count || is_device_memory(&buffer));
    if (may_be_away && mcd_engine_backend(engine) != engine->host)
        return engine->backend->device->memory_read(engine->device, to, from, bytes, &engine->parallel,
                                                    error);
    if (may_be_away && !mcd_engine_reaches(engine, from))
        return mcd_fail(error, MACADAM_E_DEVICE, "the device is lost, and with it what lies in its memory");
    memcpy(to, from, bytes);
    return MACADAM_OK;
}
