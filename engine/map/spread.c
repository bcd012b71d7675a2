/* spread.c - see spread.h. Breadth first: all threads share the nodes of a level, and append those of the next one to the
 * same list, each node once. */
#include "engine/map/spread.h"

#include <stdatomic.h>

enum { NODES_PER_TASK = 2048, FOUND_MAX = 256 };

typedef struct spread_run {
    bool *reached;
    const mcd_arc *first;
    const mcd_node *next;
    mcd_node *open;
    size_t level_first, level_end;
    atomic_size_t count; /* of `open` */
} spread_run;

static void append(spread_run *run, const mcd_node *found, size_t count)
{
    const size_t at = atomic_fetch_add_explicit(&run->count, count, memory_order_relaxed);
    memcpy(run->open + at, found, count * sizeof *found);
}

static void list_marked(void *argument, size_t first, size_t end)
{
    spread_run *const run = argument;
    mcd_node found[NODES_PER_TASK];
    size_t count = 0;
    for (size_t x = first; x < end; ++x)
        if (run->reached[x]) found[count++] = (mcd_node)x;
    append(run, found, count);
}

static bool mark(bool *reached)
{
    if (__atomic_load_n(reached, __ATOMIC_RELAXED)) return false;
    return !__atomic_exchange_n(reached, true, __ATOMIC_RELAXED);
}

static void spread_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    spread_run *const run = argument;
    const size_t first = run->level_first + index * NODES_PER_TASK,
                 end = mcd_size_min(first + NODES_PER_TASK, run->level_end);
    mcd_node found[FOUND_MAX];
    size_t count = 0;
    for (size_t i = first; i < end; ++i) {
        const mcd_node x = run->open[i];
        for (mcd_arc xy = run->first[x]; xy < run->first[x + 1]; ++xy) {
            if (!mark(&run->reached[run->next[xy]])) continue;
            if (count == FOUND_MAX) append(run, found, count), count = 0;
            found[count++] = run->next[xy];
        }
    }
    append(run, found, count);
}

macadam_status mcd_spread(bool *reached, const mcd_graph *graph, bool backward, const mcd_parallel *parallel,
                          mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED mcd_node *open = NULL;
    MCD_TRY(MCD_NEW(open, graph->node_count, error));
    spread_run run = {.reached = reached,
                      .first = backward ? graph->first_in : graph->first_out,
                      .next = backward ? graph->tail : graph->head,
                      .open = open};
    mcd_ranges nodes = {graph->node_count, NODES_PER_TASK, list_marked, &run};
    MCD_TRY(mcd_watch_for(watch, parallel, mcd_ranges_count(&nodes), mcd_ranges_do, &nodes, error));
    while (run.level_end < run.count) {
        run.level_first = run.level_end;
        run.level_end = run.count;
        const size_t tasks = (run.level_end - run.level_first + NODES_PER_TASK - 1) / NODES_PER_TASK;
        MCD_TRY(mcd_watch_for(watch, parallel, tasks, spread_part, &run, error));
    }
    return MACADAM_OK;
}
