/* cpu.c - the CPU's backends: one for each instruction set (isa.c), the best of this processor first. */
#include "kernels/cpu/device/cpu.h"

#include "engine/base/memory.h"

extern const mcd_backend mcd_baseline_backend, mcd_avx2_backend, mcd_avx512_backend;

const mcd_method mcd_cpu_methods[] = {
    {{"auto", "the fastest for the graph and the request"}, MCD_FOR_TREES, MCD_TREE_AUTO},
    {{"sweep", "trees down the hierarchy; by far the fastest, without parents"},
     MCD_FOR_TREES,
     MCD_TREE_SWEEP},
    {{"near-far", "frontiers by cost, along the arcs"}, MCD_FOR_TREES, MCD_TREE_NEAR_FAR},
    {{"bellman-ford", "all arcs until nothing changes; slow where paths have many arcs, as on roads"},
     MCD_FOR_TREES,
     MCD_TREE_BELLMAN_FORD},
    {{"dijkstra", "a search with a heap"}, MCD_FOR_TREES, MCD_TREE_DIJKSTRA},
    {{"floyd-warshall", "a dense matrix, for small or dense graphs; finds next hops"},
     MCD_FOR_ALL_PAIRS,
     MCD_TREE_FLOYD_WARSHALL},
    {{"auto", "the fastest: bottom-up"}, MCD_FOR_HOPS, MCD_HOPS_AUTO},
    {{"top-down", "the nodes of a level look for unreached heads"}, MCD_FOR_HOPS, MCD_HOPS_TOP_DOWN},
    {{"bottom-up", "in wide levels, the unreached nodes look for a reached neighbour"},
     MCD_FOR_HOPS,
     MCD_HOPS_BOTTOM_UP},
    {{NULL, NULL}, 0, 0},
};

size_t mcd_cpu_backends(const mcd_backend **out, size_t capacity)
{
    const mcd_backend *found[3];
    size_t count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        found[count++] = &mcd_avx512_backend;
    if (__builtin_cpu_supports("avx2")) found[count++] = &mcd_avx2_backend;
#endif
    found[count++] = &mcd_baseline_backend;
    for (size_t i = 0; i < count && i < capacity; ++i) out[i] = found[i];
    return count;
}

const mcd_backend *mcd_cpu_backend(void)
{
    const mcd_backend *best = NULL;
    mcd_cpu_backends(&best, 1);
    return best;
}

MCD_DEFINE_FREE(mcd_custom_free, mcd_custom, it->cost, it->witness, it->kept)
MCD_DEFINE_FREE(mcd_recustomized_free, mcd_recustomized, it->up, it->cost)

MCD_DEFINE_FREE(mcd_clock_samples_free, mcd_clock_samples, it->time[0], it->time[1], it->least[0],
                it->least[1])

void mcd_top_labels_free(mcd_top_labels *top_labels)
{
    if (!top_labels) return;
    MCD_FREE_ALL(top_labels->line, top_labels->label[MCD_FORWARD], top_labels->label[MCD_BACKWARD],
                 top_labels);
}

void mcd_spans_free(mcd_spans *spans)
{
    if (!spans) return;
    MCD_FREE_ALL(spans->span[MCD_FORWARD], spans->span[MCD_BACKWARD], spans->arc, spans);
}

void mcd_kept_free(mcd_kept *kept)
{
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search *search = &kept->search[direction];
        MCD_FREE_ALL(search->first, search->head, search->depth, search->objective, search->companion,
                     search->children);
    }
    *kept = (mcd_kept){0};
}
