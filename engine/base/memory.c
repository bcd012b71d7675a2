/* memory.c - see memory.h. Before each block are how many of its bytes count as not paged, and the address that the hook
 * returned; or its region and NULL. */
#include "engine/base/memory.h"

#include "engine/base/pager.h"
#include "engine/base/system/pages.h"

#include <assert.h>
#include <stdlib.h>

enum { ALIGNMENT = 64, LARGE_BLOCK = 8 << 20, COPY_BYTES = 4 << 20, SMALL_BLOCK = 1 << 14 };

/* Stored before a block. */
typedef struct block_header {
    union {
        size_t counted_bytes;
        mcd_paged_region *region;
    };
    void *block; /* the hook's; NULL: the block is paged */
} block_header;

static_assert(sizeof(block_header) <= ALIGNMENT, "it fits before the first aligned address");

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

static block_header *header_of(void *memory)
{
    return (block_header *)memory - 1;
}

static void *allocate_paged(const mcd_pager *pager, size_t bytes)
{
    mcd_paged_region *region;
    char *const block = pager->allocate(bytes, &region);
    if (!block) return NULL;
    *header_of(block + ALIGNMENT) = (block_header){.region = region};
    return block + ALIGNMENT;
}

/* Allocates with `take`, which has the signature of the hook. */
static void *allocate(void *(*take)(void *context, size_t bytes), size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, ALIGNMENT + sizeof(block_header), &bytes))
        return NULL;
    const mcd_pager *pager = bytes >= MCD_PAGED_LEAST ? mcd_pager_on() : NULL;
    if (pager && !pager->count(bytes)) {
        void *const paged = allocate_paged(pager, bytes);
        if (paged || mcd_pager_on()) return paged;
        pager = NULL; /* the bound has just ended */
    }
    void *block = take(allocator.context, bytes);
    if (!block && pager) pager->uncount(bytes);
    if (!block) return NULL;
    const uintptr_t first = (uintptr_t)block + sizeof(block_header);
    void *const memory = (void *)((first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    *header_of(memory) = (block_header){.counted_bytes = pager ? bytes : 0, .block = block};
    if (bytes >= LARGE_BLOCK) mcd_pages_make_large(memory, bytes - ALIGNMENT - sizeof(block_header));
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

/* The system's fresh pages are zeroed already, and take no memory until they are used. Small blocks are faster from malloc:
 * glibc's calloc takes none from its thread's cache. */
void *mcd_allocate_zeroed(size_t count, size_t size)
{
    size_t bytes;
    const bool is_small = !__builtin_mul_overflow(count, size, &bytes) && bytes <= SMALL_BLOCK;
    if (allocator.allocate == default_allocate && !is_small)
        return allocate(default_allocate_zeroed, count, size);
    void *memory = mcd_allocate(count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void *mcd_reallocate(void *memory, size_t old_count, size_t new_count, size_t size)
{
    void *moved = mcd_allocate(new_count, size);
    if (!moved) return NULL;
    const size_t bytes = memory ? (old_count < new_count ? old_count : new_count) * size : 0;
    for (size_t at = 0; at < bytes; at += COPY_BYTES) {
        memcpy((char *)moved + at, (const char *)memory + at,
               bytes - at < COPY_BYTES ? bytes - at : COPY_BYTES);
        mcd_pager_look();
    }
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
    if (!memory) return;
    const block_header header = *header_of(memory);
    if (!header.block) {
        mcd_pager_of_blocks()->free(header.region);
        return;
    }
    if (header.counted_bytes) mcd_pager_of_blocks()->uncount(header.counted_bytes);
    allocator.release(allocator.context, header.block);
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
