/* allocator.c - see allocator.h. Requests come from several threads. */
#include "tests/support/allocator.h"

#include "engine/include/macadam.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t live_count;
static atomic_long requests_left; /* until the one that fails; 0 or less: none will */
static atomic_bool has_failed;

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    if (atomic_load(&requests_left) > 0 && atomic_fetch_sub(&requests_left, 1) == 1) {
        has_failed = true;
        return NULL;
    }
    void *memory = malloc(bytes);
    if (memory) ++live_count;
    return memory;
}

static void release(void *context, void *memory)
{
    (void)context;
    if (memory) --live_count;
    free(memory);
}

void allocator_install(void)
{
    static const macadam_allocator hook = {allocate, release, NULL};
    macadam_allocator_set(&hook);
}

void allocator_fail(size_t nth)
{
    has_failed = false;
    requests_left = (long)nth;
}

bool allocator_has_failed(void)
{
    return has_failed;
}

size_t allocator_live_count(void)
{
    return live_count;
}
