/* paged.c - see paged.h.
 *
 * Blocks are pieces of regions: a region is a file without a name that is mapped whole and shared, so that its pages
 * can be given back to the system at any time: what they hold stays in the page cache, or on the disk. A region goes
 * with its last block. No piece of a region is used twice, so that all are zero at first.
 *
 * Every millisecond a thread that works looks how much memory is resident, between two tasks or where it asks its watch;
 * a thread of its own looks while the others do not. Near the bound, pages go back from one region after the other, in
 * a circle. Before a large block is made there is room for it.
 * Races: everything is under the lock, but for atomic counters. */
#include "engine/base/paged.h"

#include "engine/base/pager.h"
#include "engine/base/system/platform.h"
#include "engine/base/system/system.h"
#include "engine/base/types.h"
#include "engine/base/watch.h"

#include <stdatomic.h>

enum {
    REGION_BYTES = 32 << 20,
    OWN_BYTES = 4 << 20, /* a larger block has a region of its own */
    ALIGNMENT = 64,
    STEP_BYTES = 8 << 20, /* that are given back between two looks */
    LOOK_MS = 1,          /* between two looks */
    LOOK_NS = LOOK_MS * 1000000,
    MIB = 1 << 20,
    ROOM_MIB = 256, /* above the mark, or half of the bound */
    LEAST_MIB = 32  /* threads use that much between two looks, however small the bound is */
};

struct mcd_paged_region {
    mcd_paged_region *previous, *next; /* in the circle */
    char *data;
    size_t bytes, used, given_back, block_count;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_condition;
    pthread_t thread;
    uintptr_t thread_number; /* of the thread that watches now: one may still end as the next one starts */
    size_t user_count;
    uint64_t bound;
    char *path;
    mcd_paged_region *circle;  /* the region whose pages go back next; NULL: none */
    mcd_paged_region *current; /* small blocks come from it; may be NULL */
    macadam_status status;     /* how the bound has failed */
    macadam_error failure;
    atomic_bool is_full; /* is_full: pages are going back */
    _Atomic uint64_t unpaged_bytes;
    _Atomic uint64_t unpaged_most;
    _Atomic uint64_t next_look_ns;
} paging = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- regions, under the lock ---- */

static void insert(mcd_paged_region *region)
{
    mcd_paged_region *const at = paging.circle;
    region->next = at ? at : region;
    region->previous = at ? at->previous : region;
    region->previous->next = region->next->previous = region;
    if (!at) paging.circle = region;
}

static void remove_region(mcd_paged_region *region)
{
    if (paging.current == region) paging.current = NULL;
    if (paging.circle == region) paging.circle = region->next != region ? region->next : NULL;
    region->previous->next = region->next;
    region->next->previous = region->previous;
    mcd_platform_unmap_output(region->data, region->bytes);
    mcd_free(region);
}

static macadam_status map_region(mcd_paged_region *region, macadam_error *error)
{
    MCD_FREED_BY(mcd_platform_discard) mcd_output file = {0}; /* the mapping stays */
    void *data;
    MCD_TRY(mcd_platform_create(&file, paging.path, error));
    MCD_TRY(mcd_platform_map_output(&data, &file, region->bytes, error));
    region->data = data;
    return MACADAM_OK;
}

static mcd_paged_region *add_region(size_t bytes)
{
    mcd_paged_region *const region = mcd_allocate_zeroed(1, sizeof *region);
    if (!region) return NULL;
    region->bytes = bytes;
    macadam_error error;
    const macadam_status status = map_region(region, &error);
    if (status == MACADAM_OK) return insert(region), region;
    if (!paging.status) paging.status = status, paging.failure = error;
    mcd_free(region);
    return NULL;
}

/* Returns a region with this much room. */
static mcd_paged_region *find_room(size_t bytes)
{
    if (bytes >= OWN_BYTES) return add_region(bytes);
    mcd_paged_region *const current = paging.current;
    if (current && current->bytes - current->used >= bytes) return current;
    paging.current = NULL;
    if (current && current->block_count == 0) remove_region(current);
    return paging.current = add_region(REGION_BYTES);
}

/* ---- the watch, under the lock ---- */

/* Gives back the pages of the next part of the circle. Returns whether the circle has been closed. */
static bool give_back(size_t *left)
{
    mcd_paged_region *const region = paging.circle;
    const size_t bytes = mcd_size_min(region->used - region->given_back, STEP_BYTES);
    const mcd_mapping mapping = {.data = region->data, .bytes = region->bytes};
    mcd_platform_forget(&mapping, region->given_back, region->given_back + bytes);
    region->given_back += bytes;
    *left -= mcd_size_min(*left, bytes);
    if (region->given_back < region->used) return false;
    region->given_back = 0;
    paging.circle = region->next;
    return *left == 0;
}

static size_t count_used(void)
{
    size_t used = 0;
    const mcd_paged_region *region = paging.circle;
    if (region) do
            used += region->used, region = region->next;
        while (region != paging.circle);
    return used;
}

/* Returns how many bytes of `bound` may be resident before pages go back. The rest is for those that threads use
 * between two looks: the system maps 16 pages of a file together. */
static uint64_t mark_of(uint64_t bound)
{
    const uint64_t least = (uint64_t)ROOM_MIB * MIB, share = bound / 16 * 3;
    return bound / 2 < least ? bound / 2 : bound - (share < least ? least : share);
}

/* If memory with `more` bytes is above the mark, gives pages back until it is a sixteenth of the bound below it, or all. */
static void shrink(uint64_t more)
{
    uint64_t resident = mcd_platform_resident_bytes(NULL);
    if (resident + more <= mark_of(paging.bound)) return;
    atomic_store(&paging.is_full, true);
    for (size_t left = count_used();
         paging.circle && resident + more > mark_of(paging.bound) - paging.bound / 16;) {
        if (give_back(&left)) break;
        resident = mcd_platform_resident_bytes(NULL);
    }
    atomic_store(&paging.is_full, false);
}

/* The rest of memory must fit beside the counted blocks, which take at most nine sixteenths of the bound, and pages in use. */
static void fail_bound(uint64_t unfiled)
{
    const uint64_t counted = atomic_load(&paging.unpaged_bytes),
                   rest = unfiled > counted ? unfiled - counted : 0;
    paging.status = mcd_fail(
        &paging.failure, MACADAM_E_LIMIT,
        "the import takes %llu MiB that cannot wait in files, too much for its limit of %llu MiB; it "
        "needs %llu MiB, or more for its later steps",
        (unsigned long long)(unfiled / MIB), (unsigned long long)(paging.bound / MIB),
        (unsigned long long)(rest * 16 / 5 / MIB + 1));
}

static void look(void)
{
    uint64_t unfiled;
    shrink(0);
    (void)mcd_platform_resident_bytes(&unfiled);
    if (unfiled > paging.bound - paging.bound / 8 && !paging.status) fail_bound(unfiled);
}

static void *watch(void *number)
{
    pthread_mutex_lock(&paging.lock);
    while (paging.user_count && paging.thread_number == (uintptr_t)number) {
        look();
        mcd_system_condition_wait(&paging.ended, &paging.lock, LOOK_MS);
    }
    pthread_mutex_unlock(&paging.lock);
    return NULL;
}

static void look_if_due(void)
{
    const uint64_t now = mcd_watch_now_ns();
    uint64_t next = atomic_load_explicit(&paging.next_look_ns, memory_order_relaxed);
    const bool is_full = atomic_load(&paging.is_full); /* this thread waits until it is not */
    const bool is_due =
        now >= next && atomic_compare_exchange_strong(&paging.next_look_ns, &next, now + LOOK_NS);
    if (!is_full && !is_due) return;
    MCD_HOLD(&paging.lock);
    if (paging.user_count && is_due) look();
}

/* Makes room for a large block, which is written soon. */
static void prepare(size_t bytes)
{
    if (bytes >= OWN_BYTES) shrink(mcd_size_min(bytes, paging.bound / 4));
}

/* ---- blocks ---- */

static void uncount(size_t bytes)
{
    atomic_fetch_sub_explicit(&paging.unpaged_bytes, bytes, memory_order_relaxed);
}

static bool count(size_t bytes)
{
    const uint64_t most = atomic_load_explicit(&paging.unpaged_most, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&paging.unpaged_bytes, bytes, memory_order_relaxed) + bytes > most) {
        uncount(bytes);
        return false;
    }
    if (bytes < OWN_BYTES) return true;
    MCD_HOLD(&paging.lock);
    if (paging.user_count) prepare(bytes);
    return true;
}

static void *allocate(size_t bytes, mcd_paged_region **region)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    MCD_HOLD(&paging.lock);
    *region = NULL;
    if (!paging.user_count) return NULL;
    prepare(bytes);
    *region = find_room(bytes);
    if (!*region) return NULL;
    ++(*region)->block_count;
    void *const block = (*region)->data + (*region)->used;
    (*region)->used += bytes;
    return block;
}

static void release(mcd_paged_region *region)
{
    MCD_HOLD(&paging.lock);
    if (--region->block_count == 0 && region != paging.current) remove_region(region);
}

/* ---- bounds ---- */

static const mcd_pager pager = {
    .count = count, .uncount = uncount, .allocate = allocate, .free = release, .look = look_if_due};

bool mcd_paged_is_on(void)
{
    return mcd_pager_on() != NULL;
}

static void set_bound(uint64_t bound)
{
    paging.bound = bound;
    atomic_store(&paging.unpaged_most, mark_of(bound) - bound / 4); /* a quarter: pages, and the rest */
}

/* Under the lock, for the first bound. */
static macadam_status start(const char *path, uint64_t bound, macadam_error *error)
{
    paging.path = mcd_duplicate(path);
    if (!paging.path) return mcd_fail_memory(error, strlen(path) + 1);
    paging.status = MACADAM_OK;
    set_bound(bound);
    if (!paging.has_condition) mcd_system_condition_init(&paging.ended);
    paging.has_condition = true;
    paging.user_count = 1;
    if (mcd_platform_start_thread(&paging.thread, watch, (void *)++paging.thread_number))
        return mcd_pager_install(&pager, true), MACADAM_OK;
    paging.user_count = 0;
    mcd_free(paging.path);
    return mcd_fail(error, MACADAM_E_MEMORY, "cannot start a thread that watches memory");
}

macadam_status mcd_paged_begin(const char *path, uint64_t bound, macadam_error *error)
{
    const uint64_t resident = mcd_platform_resident_bytes(NULL);
    if (resident == 0) return MACADAM_OK;
    MCD_HOLD(&paging.lock);
    const uint64_t least = paging.user_count ? 0 : (uint64_t)LEAST_MIB * MIB;
    if (resident >= bound || bound - resident < least)
        return mcd_fail(
            error, MACADAM_E_LIMIT,
            "a memory limit of %llu bytes is less than the %llu MiB that this process takes already and "
            "%llu MiB for its work",
            (unsigned long long)bound, (unsigned long long)(resident / MIB),
            (unsigned long long)(least / MIB));
    if (paging.user_count == 0) return start(path, bound, error);
    ++paging.user_count;
    if (bound < paging.bound) set_bound(bound);
    return MACADAM_OK;
}

void mcd_paged_end(void)
{
    pthread_mutex_lock(&paging.lock);
    const bool is_last = paging.user_count == 1;
    if (paging.user_count) --paging.user_count;
    if (is_last) {
        mcd_pager_install(&pager, false);
        if (paging.current && paging.current->block_count == 0) remove_region(paging.current);
        paging.current = NULL;
        mcd_free(paging.path);
        pthread_cond_broadcast(&paging.ended);
    }
    const pthread_t thread = paging.thread;
    pthread_mutex_unlock(&paging.lock);
    if (is_last) pthread_join(thread, NULL);
}

macadam_status mcd_paged_check(macadam_error *error)
{
    MCD_HOLD(&paging.lock);
    if (paging.status && error) *error = paging.failure;
    return paging.status;
}
