/* incidence.c - see incidence.h. A counting sort: all threads place arcs, in any order, and then sort those of each node. */
#include "importers/base/incidence.h"

#include <stdlib.h>

enum { ARCS_PER_TASK = 1 << 14, NODES_PER_TASK = 1 << 13, FEW = 16 };

typedef struct incidence_run {
    const mcd_node *end;
    mcd_arc *first, *arc;
} incidence_run;

static void count_arcs(void *argument, size_t first, size_t end)
{
    const incidence_run *const run = argument;
    for (size_t arc = first; arc < end; ++arc)
        __atomic_fetch_add(&run->first[run->end[arc] + (size_t)1], 1, __ATOMIC_RELAXED);
}

static void place_arcs(void *argument, size_t first, size_t end)
{
    const incidence_run *const run = argument;
    for (size_t arc = first; arc < end; ++arc)
        run->arc[__atomic_fetch_add(&run->first[run->end[arc]], 1, __ATOMIC_RELAXED)] = arc;
}

MCD_DEFINE_COMPARE(compare, mcd_arc, )

static void sort_list(mcd_arc *arc, size_t count)
{
    size_t sorted = 1;
    while (sorted < count && arc[sorted - 1] < arc[sorted]) ++sorted;
    if (sorted < count && count > FEW) {
        qsort(arc, count, sizeof *arc, compare);
        return;
    }
    for (; sorted < count; ++sorted) {
        const mcd_arc moved = arc[sorted];
        size_t at = sorted;
        for (; at > 0 && arc[at - 1] > moved; --at) arc[at] = arc[at - 1];
        arc[at] = moved;
    }
}

static void sort_lists(void *argument, size_t first, size_t end)
{
    const incidence_run *const run = argument;
    for (size_t node = first; node < end; ++node)
        sort_list(run->arc + run->first[node], run->first[node + 1] - run->first[node]);
}

macadam_status mcd_incidence_new(mcd_incidence *out, mcd_arena *arena, size_t node_count, const mcd_node *end,
                                 size_t arc_count, const mcd_parallel *parallel, mcd_watch *watch,
                                 macadam_error *error)
{
    static const mcd_parallel one_thread = {.thread_count = 1};
    MCD_TRY(MCD_ARENA_NEW_ZEROED(arena, out->first, node_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->arc, arc_count, error));
    incidence_run run = {end, out->first, out->arc};
    mcd_ranges arcs = {arc_count, ARCS_PER_TASK, count_arcs, &run},
               nodes = {node_count, NODES_PER_TASK, sort_lists, &run};
    if (!parallel) parallel = &one_thread;
    MCD_TRY(mcd_watch_for(watch, parallel, mcd_ranges_count(&arcs), mcd_ranges_do, &arcs, error));
    for (size_t node = 1; node <= node_count; ++node) out->first[node] += out->first[node - 1];
    arcs.task = place_arcs;
    MCD_TRY(mcd_watch_for(watch, parallel, mcd_ranges_count(&arcs), mcd_ranges_do, &arcs, error));
    memmove(out->first + 1, out->first, node_count * sizeof *out->first);
    out->first[0] = 0;
    return mcd_watch_for(watch, parallel, mcd_ranges_count(&nodes), mcd_ranges_do, &nodes, error);
}
