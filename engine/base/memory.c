/* memory.c - see memory.h. The address that the hook returned is stored before each block. */
#include "engine/base/memory.h"

#include "engine/base/system/pages.h"

#include <stdlib.h>

enum { ALIGNMENT = 64, LARGE_BLOCK = 8 << 20 };

static void *default_allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void default_release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static const macadam_allocator default_allocator = {default_allocate, default_release, NULL};
static macadam_allocator allocator = {default_allocate, default_release, NULL};

void macadam_allocator_set(const macadam_allocator *hook)
{
    allocator = hook ? *hook : default_allocator;
}

const macadam_allocator *mcd_allocator(void)
{
    return &allocator;
}

/* Allocates with `take`, which has the signature of the hook. */
static void *allocate(void *(*take)(void *context, size_t bytes), size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, ALIGNMENT + sizeof(void *), &bytes))
        return NULL;
    void *block = take(allocator.context, bytes);
    if (!block) return NULL;
    const uintptr_t first = (uintptr_t)block + sizeof(void *);
    void **memory = (void **)((first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    memory[-1] = block;
    if (bytes >= LARGE_BLOCK) mcd_pages_make_large(memory, bytes - ALIGNMENT - sizeof(void *));
    return memory;
}

void *mcd_allocate(size_t count, size_t size)
{
    return allocate(allocator.allocate, count, size);
}

static void *default_allocate_zeroed(void *context, size_t bytes)
{
    (void)context;
    return calloc(1, bytes);
}

/* The system's fresh pages are zeroed already, and take no memory until they are used. */
void *mcd_allocate_zeroed(size_t count, size_t size)
{
    if (allocator.allocate == default_allocate) return allocate(default_allocate_zeroed, count, size);
    void *memory = mcd_allocate(count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void *mcd_reallocate(void *memory, size_t old_count, size_t new_count, size_t size)
{
    void *moved = mcd_allocate(new_count, size);
    if (!moved) return NULL;
    if (memory) memcpy(moved, memory, (old_count < new_count ? old_count : new_count) * size);
    mcd_free(memory);
    return moved;
}

char *mcd_duplicate(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = mcd_allocate(bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void mcd_free(void *memory)
{
    if (memory) allocator.release(allocator.context, ((void **)memory)[-1]);
}

void mcd_free_all(const void *const *memory, size_t count)
{
    for (size_t i = 0; i < count; ++i) mcd_free((void *)memory[i]);
}

void mcd_free_at(void *slot)
{
    void *memory;
    memcpy(&memory, slot, sizeof memory);
    mcd_free(memory);
}

void *mcd_library_allocate(void *failed_bytes, size_t bytes)
{
    void *const memory = mcd_allocate(bytes, 1);
    if (!memory && failed_bytes) *(size_t *)failed_bytes = bytes ? bytes : 1;
    return memory;
}

void mcd_library_free(void *unused, void *memory)
{
    (void)unused;
    mcd_free(memory);
}
