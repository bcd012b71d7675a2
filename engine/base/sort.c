/* sort.c - see sort.h. Numbers: a radix sort, least significant digit first; few of them: insertion. Items: short runs
 * are sorted and then merged. */
#include "engine/base/sort.h"

#include "engine/base/types.h"

#include <stdlib.h>

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS, FEW = 64 /* items: counting takes longer */ };

typedef struct digit {
    unsigned shift;
    uint64_t mask;
} digit;

static size_t value_of(const digit *by, uint64_t item)
{
    return item >> by->shift & by->mask;
}

/* Sets *moved to false if all items have the same digit; nothing is moved then. */
static macadam_status sort_by(const digit *by, const uint64_t *from, uint64_t *to, size_t count, bool *moved,
                              mcd_watch *watch, macadam_error *error)
{
    size_t first[DIGIT_VALUES + 1] = {0};
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, count, error));
        ++first[value_of(by, from[i]) + 1];
    }
    *moved = first[value_of(by, from[0]) + 1] != count;
    if (!*moved) return MACADAM_OK;
    for (size_t value = 0; value < DIGIT_VALUES; ++value) first[value + 1] += first[value];
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, count, error));
        to[first[value_of(by, from[i])]++] = from[i];
    }
    return MACADAM_OK;
}

/* By insertion. */
static void sort_few(uint64_t *item, size_t count, const digit *by)
{
    for (size_t i = 1; i < count; ++i) {
        const uint64_t moved = item[i];
        size_t at = i;
        for (; at > 0 && value_of(by, item[at - 1]) > value_of(by, moved); --at) item[at] = item[at - 1];
        item[at] = moved;
    }
}

macadam_status mcd_sort_bits(uint64_t *item, uint64_t *scratch, size_t count, unsigned first, unsigned end,
                             mcd_watch *watch, macadam_error *error)
{
    uint64_t *from = item, *to = scratch;
    if (count <= FEW && first < end) {
        sort_few(item, count, &(digit){first, UINT64_MAX >> (64 - (end - first))});
        return MACADAM_OK;
    }
    for (unsigned shift = first; shift < end && count > 0; shift += DIGIT_BITS) {
        const unsigned bits = end - shift < DIGIT_BITS ? end - shift : DIGIT_BITS;
        const digit by = {shift, (UINT64_C(1) << bits) - 1};
        bool moved;
        MCD_TRY(sort_by(&by, from, to, count, &moved, watch, error));
        if (!moved) continue;
        uint64_t *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != item) memcpy(item, from, count * sizeof *item);
    return MACADAM_OK;
}

/* ---- on all threads: each block counts its digits, and then has the places of its items ---- */

enum { BLOCKS = 64, BLOCK_ITEMS_MIN = 1 << 12 };

typedef struct block_sort {
    digit by;
    const uint64_t *from;
    uint64_t *to;
    size_t count;
    size_t (*place)[DIGIT_VALUES]; /* [BLOCKS]: how many items; then where the next one goes */
} block_sort;

static void count_block(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const block_sort *const sort = argument;
    size_t *const place = sort->place[index];
    memset(place, 0, sizeof sort->place[index]);
    for (size_t i = mcd_part_first(sort->count, index, BLOCKS);
         i < mcd_part_first(sort->count, index + 1, BLOCKS); ++i)
        ++place[value_of(&sort->by, sort->from[i])];
}

static void move_block(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const block_sort *const sort = argument;
    size_t *const place = sort->place[index];
    for (size_t i = mcd_part_first(sort->count, index, BLOCKS);
         i < mcd_part_first(sort->count, index + 1, BLOCKS); ++i)
        sort->to[place[value_of(&sort->by, sort->from[i])]++] = sort->from[i];
}

static void sum_blocks(const block_sort *sort)
{
    size_t next = 0;
    for (size_t value = 0; value < DIGIT_VALUES; ++value)
        for (size_t block = 0; block < BLOCKS; ++block) {
            const size_t count = sort->place[block][value];
            sort->place[block][value] = next;
            next += count;
        }
}

macadam_status mcd_sort_bits_on(const mcd_parallel *parallel, uint64_t *item, uint64_t *scratch, size_t count,
                                unsigned first, unsigned end, mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED size_t(*place)[DIGIT_VALUES] = NULL;
    if (parallel->thread_count == 1 || count < (size_t)BLOCKS * BLOCK_ITEMS_MIN)
        return mcd_sort_bits(item, scratch, count, first, end, watch, error);
    MCD_TRY(MCD_NEW(place, BLOCKS, error));
    block_sort sort = {.from = item, .to = scratch, .count = count, .place = place};
    for (unsigned shift = first; shift < end; shift += DIGIT_BITS) {
        const unsigned bits = end - shift < DIGIT_BITS ? end - shift : DIGIT_BITS;
        sort.by = (digit){shift, (UINT64_C(1) << bits) - 1};
        MCD_TRY(mcd_watch_for(watch, parallel, BLOCKS, count_block, &sort, error));
        sum_blocks(&sort);
        MCD_TRY(mcd_watch_for(watch, parallel, BLOCKS, move_block, &sort, error));
        uint64_t *const sorted = sort.to;
        sort.to = (uint64_t *)sort.from;
        sort.from = sorted;
    }
    if (sort.from != item) memcpy(item, sort.from, count * sizeof *item);
    return MACADAM_OK;
}

/* ---- by comparison: runs are sorted, then merged two by two; threads find their part of two runs by bisection ---- */

enum {
    RUN_ITEMS = 1 << 12,        /* qsort takes about a millisecond for a run */
    PART_ITEMS = 2 * RUN_ITEMS, /* that a task merges; they are all of the same two runs */
};

/* Runs of `length` items of `from` are merged into longer ones of `to`. */
typedef struct merging {
    char *from, *to;
    size_t count, size, length;
    int (*compare)(const void *, const void *);
} merging;

static void sort_run(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const merging *const run = argument;
    const size_t first = index * run->length;
    qsort(run->from + first * run->size, mcd_size_min(run->length, run->count - first), run->size,
          run->compare);
}

static bool is_ordered(const merging *run, size_t a, size_t b)
{
    return run->compare(run->from + a * run->size, run->from + b * run->size) <= 0;
}

/* Returns how many of the first `count` items of two runs together are of the run first .. middle - 1. The other one ends
 * at `end`. */
static size_t count_of_first(const merging *run, size_t first, size_t middle, size_t end, size_t count)
{
    size_t least = count > end - middle ? count - (end - middle) : 0,
           most = mcd_size_min(count, middle - first);
    if (middle == end || is_ordered(run, middle - 1, middle)) return most;
    while (least < most) {
        const size_t half = least + (most - least) / 2;
        if (is_ordered(run, first + half, middle + count - half - 1))
            least = half + 1;
        else
            most = half;
    }
    return least;
}

static void merge_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const merging *const run = argument;
    const size_t size = run->size, pair = 2 * run->length, at = index * PART_ITEMS, first = at - at % pair;
    const size_t middle = mcd_size_min(first + run->length, run->count),
                 end = mcd_size_min(first + pair, run->count), part_end = mcd_size_min(at + PART_ITEMS, end);
    size_t a = first + count_of_first(run, first, middle, end, at - first), b = middle + (at - a);
    for (size_t to = at; to < part_end; ++to) {
        const bool takes_a = b == end || (a < middle && is_ordered(run, a, b));
        memcpy(run->to + to * size, run->from + (takes_a ? a++ : b++) * size, size);
    }
}

macadam_status mcd_sort_on(const mcd_parallel *parallel, void *item, size_t count, size_t size,
                           int (*compare)(const void *, const void *), mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED char *scratch = NULL;
    merging run = {item, NULL, count, size, RUN_ITEMS, compare};
    unsigned rounds = 0;
    while ((size_t)RUN_ITEMS << rounds < count) ++rounds;
    if (rounds % 2 == 1) run.length = PART_ITEMS; /* so that the last round merges into `item` */
    MCD_TRY(mcd_watch_for(watch, parallel, (count + run.length - 1) / run.length, sort_run, &run, error));
    if (count <= run.length) return MACADAM_OK;
    run.to = scratch = mcd_allocate(count, size);
    if (!scratch) return mcd_fail_memory(error, count * size);
    for (; run.length < count; run.length *= 2) {
        MCD_TRY(
            mcd_watch_for(watch, parallel, (count + PART_ITEMS - 1) / PART_ITEMS, merge_part, &run, error));
        char *const merged = run.to;
        run.to = run.from;
        run.from = merged;
    }
    return MACADAM_OK;
}

macadam_status mcd_sort(void *item, size_t count, size_t size, int (*compare)(const void *, const void *),
                        mcd_watch *watch, macadam_error *error)
{
    return mcd_sort_on(&(mcd_parallel){.thread_count = 1}, item, count, size, compare, watch, error);
}
