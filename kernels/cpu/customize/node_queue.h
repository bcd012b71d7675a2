/* node_queue.h - a set of nodes that gives back its largest: bits, and bits that say which words of bits are
 * not 0, and so on. (van Emde Boas 1975, with words of 64 bits) */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_NODE_QUEUE_H
#define MCD_KERNELS_CPU_CUSTOMIZE_NODE_QUEUE_H

#include "engine/base/memory.h"
#include "engine/base/types.h"

enum { MCD_QUEUE_LEVELS = 6 }; /* 64 ** 6 is more than there are nodes */

typedef struct mcd_node_queue {
    uint64_t *word[MCD_QUEUE_LEVELS]; /* word[0] owns all of them */
    int level_count;
} mcd_node_queue;

/* Makes an empty queue of nodes below `node_count`; mcd_free word[0]. */
static inline macadam_status mcd_node_queue_new(mcd_node_queue *out, size_t node_count, macadam_error *error)
{
    size_t first[MCD_QUEUE_LEVELS], total = 0, count = node_count;
    uint64_t *word;
    *out = (mcd_node_queue){.level_count = 0};
    do {
        count = (count + 63) / 64;
        first[out->level_count++] = total;
        total += count;
    } while (count > 1);
    MCD_TRY(MCD_NEW_ZEROED(word, total + 1, error));
    for (int level = 0; level < out->level_count; ++level) out->word[level] = word + first[level];
    return MACADAM_OK;
}

static inline void mcd_node_queue_push(const mcd_node_queue *queue, mcd_node node)
{
    size_t at = node;
    for (int level = 0; level < queue->level_count; ++level, at /= 64) {
        uint64_t *const word = &queue->word[level][at / 64];
        const uint64_t bit = UINT64_C(1) << at % 64;
        if (*word & bit) return;
        *word |= bit;
    }
}

/* Returns the largest node, which is then no longer in the queue; MCD_NODE_NONE: the queue is empty. */
static inline mcd_node mcd_node_queue_pop(const mcd_node_queue *queue)
{
    size_t at = 0;
    for (int level = queue->level_count; level-- > 0;) {
        const uint64_t word = queue->word[level][at];
        if (word == 0) return MCD_NODE_NONE; /* only the highest word can be 0 */
        at = at * 64 + 63 - (size_t)__builtin_clzll(word);
    }
    const mcd_node node = (mcd_node)at;
    for (int level = 0; level < queue->level_count; ++level, at /= 64) {
        uint64_t *const word = &queue->word[level][at / 64];
        *word &= ~(UINT64_C(1) << at % 64);
        if (*word) break;
    }
    return node;
}

#endif
