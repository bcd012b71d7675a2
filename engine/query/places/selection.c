/* selection.c - see selection.h. */
#include "engine/query/places/selection.h"

#include "engine/base/memory.h"

enum { WORD = 64, SAMPLES = 64 };

void mcd_selection_depths(const mcd_hierarchy *hierarchy, const mcd_lanes *source, const mcd_lanes *target,
                          double *depth, double *common)
{
    uint64_t random = 1, depths = 0, commons = 0;
    for (size_t i = 0; i < SAMPLES; ++i) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const mcd_node s = source->lane[(random >> 33) % source->count].seed[0].node;
        mcd_node t = target->lane[(random >> 20) % target->count].seed[0].node;
        if (s == MCD_NODE_NONE || t == MCD_NODE_NONE) continue;
        depths += hierarchy->depth[t];
        while (t != MCD_NODE_NONE && !mcd_hierarchy_is_below(hierarchy, s, t)) t = hierarchy->parent[t];
        commons += t == MCD_NODE_NONE ? 0 : hierarchy->depth[t] + 1;
    }
    *depth = (double)depths / SAMPLES;
    *common = (double)commons / SAMPLES;
}

static void mark_ancestors(const mcd_hierarchy *hierarchy, const mcd_lane *target, size_t target_count,
                           size_t most, uint64_t *bit, size_t *count)
{
    for (size_t t = 0; t < target_count && *count <= most; ++t)
        for (mcd_node v = target[t].seed[0].node; v != MCD_NODE_NONE; v = hierarchy->parent[v]) {
            if (bit[v / WORD] >> v % WORD & 1) break;
            bit[v / WORD] |= UINT64_C(1) << v % WORD;
            ++*count;
        }
}

static void list_marked(const uint64_t *bit, size_t word_count, mcd_node *node)
{
    for (size_t w = 0; w < word_count; ++w)
        for (uint64_t rest = bit[w]; rest; rest &= rest - 1)
            *node++ = (mcd_node)(w * WORD + (size_t)__builtin_ctzll(rest));
}

/* Counts the marked nodes before each word. The index of a node is that count plus the bits below its own. */
static void number_words(const uint64_t *bit, size_t word_count, uint32_t *before)
{
    uint32_t count = 0;
    for (size_t w = 0; w < word_count; ++w) {
        before[w] = count;
        count += (uint32_t)__builtin_popcountll(bit[w]);
    }
}

macadam_status mcd_selection_new(mcd_selection *out, const mcd_hierarchy *hierarchy, const mcd_lane *target,
                                 size_t target_count, size_t most, macadam_error *error)
{
    MCD_OWNED uint64_t *bit = NULL;
    MCD_OWNED uint32_t *before = NULL;
    const size_t word_count = (size_t)hierarchy->node_count / WORD + 1;
    MCD_FREED_BY(mcd_selection_free) mcd_selection made = {0};
    *out = (mcd_selection){0};
    MCD_TRY(MCD_NEW_ZEROED(bit, word_count, error));
    MCD_TRY(MCD_NEW(before, word_count, error));
    mark_ancestors(hierarchy, target, target_count, most, bit, &made.count);
    if (made.count > most) return MCD_MOVE(*out, made);
    MCD_TRY(MCD_NEW(made.node, made.count, error));
    MCD_TRY(MCD_NEW(made.column, target_count, error));
    list_marked(bit, word_count, made.node);
    number_words(bit, word_count, before);
    for (size_t t = 0; t < target_count; ++t) {
        const mcd_node v = target[t].seed[0].node;
        made.column[t] = v == MCD_NODE_NONE
                             ? MCD_NODE_NONE
                             : before[v / WORD] + (uint32_t)__builtin_popcountll(
                                                      bit[v / WORD] & ((UINT64_C(1) << v % WORD) - 1));
    }
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_selection_free, mcd_selection, it->node, it->column)
