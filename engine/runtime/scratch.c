/* scratch.c - see scratch.h. */
#include "engine/runtime/scratch.h"

#include "engine/base/system/system.h"
#include "engine/base/watch.h"

enum { ASK_MS = 20 }; /* while it waits */

void mcd_scratch_init(mcd_scratch *scratch, uint64_t limit)
{
    *scratch = (mcd_scratch){.limit = limit};
    pthread_mutex_init(&scratch->lock, NULL);
    mcd_system_condition_init(&scratch->freed);
}

static void *allocate_block(mcd_scratch *scratch, uint64_t bytes, bool *preferred)
{
    pthread_mutex_lock(&scratch->lock);
    const mcd_scratch_source source = scratch->preferred;
    pthread_mutex_unlock(&scratch->lock);
    void *memory = *preferred && source.allocate ? source.allocate(source.context, bytes) : NULL;
    *preferred = memory;
    return memory ? memory : mcd_allocate(bytes, 1);
}

/* The block may be empty. */
static void free_block(const mcd_scratch *scratch, const mcd_block *block)
{
    if (block->preferred)
        scratch->preferred.release(scratch->preferred.context, block->memory);
    else
        mcd_free(block->memory);
}

void mcd_scratch_destroy(mcd_scratch *scratch)
{
    for (size_t i = 0; i < MCD_BLOCKS_KEPT; ++i) free_block(scratch, &scratch->kept[i]);
    pthread_mutex_destroy(&scratch->lock);
    pthread_cond_destroy(&scratch->freed);
}

/* Under the lock: frees a kept block; returns false if there is none. */
static bool drop_block(mcd_scratch *scratch)
{
    for (size_t i = 0; i < MCD_BLOCKS_KEPT; ++i) {
        mcd_block *block = &scratch->kept[i];
        if (!block->memory) continue;
        free_block(scratch, block);
        scratch->used -= block->bytes;
        *block = (mcd_block){0};
        return true;
    }
    return false;
}

void mcd_scratch_prefer(mcd_scratch *scratch, mcd_scratch_source source)
{
    MCD_HOLD(&scratch->lock);
    while (drop_block(scratch)) continue;
    scratch->preferred = source;
}

macadam_status mcd_scratch_check(uint64_t bytes, uint64_t limit, const char *what, macadam_error *error)
{
    if (bytes <= limit) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_LIMIT, "%s needs %llu bytes of memory, the limit is %llu", what,
                    (unsigned long long)bytes, (unsigned long long)limit);
}

/* Under the lock: waits for memory of other calls, and then asks the thread's own watch. */
static macadam_status wait_for_others(mcd_scratch *scratch, macadam_error *error)
{
    mcd_system_condition_wait(&scratch->freed, &scratch->lock, ASK_MS);
    pthread_mutex_unlock(&scratch->lock);
    const macadam_status status = mcd_watch_step(NULL, 0, 1, error);
    pthread_mutex_lock(&scratch->lock);
    return status;
}

static macadam_status reserve(mcd_scratch *scratch, uint64_t bytes, const char *what, macadam_error *error)
{
    MCD_TRY(mcd_scratch_check(bytes, scratch->limit, what, error));
    while (scratch->limit - scratch->used < bytes)
        if (!drop_block(scratch)) MCD_TRY(wait_for_others(scratch, error));
    scratch->used += bytes;
    return MACADAM_OK;
}

macadam_status mcd_scratch_reserve(mcd_scratch *scratch, uint64_t bytes, const char *what,
                                   macadam_error *error)
{
    MCD_HOLD(&scratch->lock);
    return reserve(scratch, bytes, what, error);
}

void mcd_scratch_release(mcd_scratch *scratch, uint64_t bytes)
{
    MCD_HOLD(&scratch->lock);
    scratch->used -= bytes;
    pthread_cond_broadcast(&scratch->freed);
}

/* Under the lock: finds the smallest kept block that fits. */
static bool find_block(mcd_scratch *scratch, uint64_t bytes, mcd_block *out)
{
    mcd_block *best = NULL;
    for (size_t i = 0; i < MCD_BLOCKS_KEPT; ++i) {
        mcd_block *block = &scratch->kept[i];
        if (block->memory && block->bytes >= bytes && (!best || block->bytes < best->bytes)) best = block;
    }
    if (!best) return false;
    *out = *best;
    *best = (mcd_block){0};
    return true;
}

macadam_status mcd_scratch_take(mcd_scratch *scratch, uint64_t bytes, const char *what, mcd_block *out,
                                macadam_error *error)
{
    const bool prefers = out->preferred;
    *out = (mcd_block){0};
    if (bytes == 0) return MACADAM_OK;
    pthread_mutex_lock(&scratch->lock);
    const bool found = find_block(scratch, bytes, out);
    const macadam_status status = found ? MACADAM_OK : reserve(scratch, bytes, what, error);
    pthread_mutex_unlock(&scratch->lock);
    if (found || status) return status;
    out->bytes = bytes;
    out->preferred = prefers;
    out->memory = allocate_block(scratch, bytes, &out->preferred);
    for (bool dropped = true; !out->memory && dropped;) { /* kept blocks may take up the memory that is
                                                           * missing */
        pthread_mutex_lock(&scratch->lock);
        dropped = drop_block(scratch);
        pthread_mutex_unlock(&scratch->lock);
        out->preferred = prefers;
        if (dropped) out->memory = allocate_block(scratch, bytes, &out->preferred);
    }
    if (!out->memory) {
        *out = (mcd_block){0};
        mcd_scratch_release(scratch, bytes);
        return mcd_fail_memory(error, bytes);
    }
    return MACADAM_OK;
}

void mcd_scratch_give_back(mcd_scratch *scratch, mcd_block *block)
{
    if (!block->memory) return;
    pthread_mutex_lock(&scratch->lock);
    mcd_block *least = &scratch->kept[0];
    for (size_t i = 1; i < MCD_BLOCKS_KEPT; ++i)
        if (scratch->kept[i].bytes < least->bytes) least = &scratch->kept[i];
    if (block->bytes > least->bytes) { /* keeps the largest */
        const mcd_block replaced = *least;
        *least = *block;
        *block = replaced;
    }
    free_block(scratch, block);
    scratch->used -= block->bytes;
    *block = (mcd_block){0};
    pthread_cond_broadcast(&scratch->freed);
    pthread_mutex_unlock(&scratch->lock);
}

uint64_t mcd_scratch_kept(mcd_scratch *scratch)
{
    uint64_t bytes = 0;
    MCD_HOLD(&scratch->lock);
    for (size_t i = 0; i < MCD_BLOCKS_KEPT; ++i) bytes += scratch->kept[i].bytes;
    return bytes;
}

void mcd_scratch_trim(mcd_scratch *scratch)
{
    MCD_HOLD(&scratch->lock);
    while (drop_block(scratch)) continue;
    pthread_cond_broadcast(&scratch->freed);
}
