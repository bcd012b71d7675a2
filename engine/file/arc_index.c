/* arc_index.c - see arc_index.h. Arcs are counted by number and then placed, on all threads and in any order. Then those of each
 * number are sorted. */
#include "engine/file/arc_index.h"

#include "engine/base/watch.h"

enum { PER_TASK = 1 << 14 }; /* arcs, nodes or numbers */

mcd_arc_copies mcd_arc_index_of(const mcd_arc_index *index, uint64_t number)
{
    if (number >= index->slot_count) return (mcd_arc_copies){NULL, 0};
    return (mcd_arc_copies){index->arc + index->first[number],
                            index->first[number + 1] - index->first[number]};
}

typedef struct index_run {
    const mcd_roads *roads;
    mcd_arc_index *index;
    uint64_t *departs; /* a bit of each arc: departures use it; if junctions are split */
    bool is_shared;    /* several threads add */
} index_run;

/* Adds 1, and returns the sum before. */
static uint32_t take(const index_run *run, uint32_t *sum)
{
    return run->is_shared ? __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED) : (*sum)++;
}

/* Counts the arcs. The slot of MCD_ARC_NONE is none. */
static void count_arcs(void *argument, size_t first, size_t end)
{
    const index_run run = *(const index_run *)argument;
    const mcd_arc_facts facts = *run.roads->facts;
    uint32_t *const count = run.index->first + 2;
    const size_t slot_count = run.index->slot_count;
    for (size_t arc = first; arc < end; ++arc) {
        const uint64_t slot = mcd_arc_number(&facts, (uint32_t)arc);
        if (slot < slot_count) take(&run, &count[slot]);
    }
}

static void mark_departing(const index_run *run, mcd_arc arc)
{
    const uint64_t bit = UINT64_C(1) << arc % 64;
    if (run->is_shared)
        __atomic_fetch_or(&run->departs[arc / 64], bit, __ATOMIC_RELAXED);
    else
        run->departs[arc / 64] |= bit;
}

/* Places the arcs of nodes, and moves the first of each number to that of the next one. */
static void place_arcs(void *argument, size_t first, size_t end)
{
    const index_run run = *(const index_run *)argument;
    const mcd_graph *const graph = run.roads->graph;
    const mcd_place_index *const places = run.roads->places;
    const mcd_arc_facts facts = *run.roads->facts;
    const mcd_arc_index index = *run.index;
    for (mcd_node v = (mcd_node)first; v < end; ++v) {
        const mcd_arc arc_end = graph->first_out[v + 1];
        const bool departs = facts.original && places->depart[places->node_place[v]] == v;
        for (mcd_arc arc = graph->first_out[v]; arc < arc_end; ++arc) {
            const uint64_t slot = mcd_arc_number(&facts, (uint32_t)arc);
            if (slot >= index.slot_count) continue;
            index.arc[take(&run, &index.first[slot + 1])] = (uint32_t)arc;
            if (departs) mark_departing(&run, arc);
        }
    }
}

static uint64_t key_of(const index_run *run, uint32_t arc)
{
    const bool departs = run->departs[arc / 64] >> arc % 64 & 1;
    return (uint64_t)!departs << 32 | arc;
}

/* Sorts the arcs of each number: there are few, and they are almost in order. */
static void sort_numbers(void *argument, size_t first, size_t end)
{
    const index_run *const run = argument;
    for (size_t number = first; number < end; ++number) {
        uint32_t *const arc = run->index->arc + run->index->first[number];
        const size_t count = run->index->first[number + 1] - run->index->first[number];
        for (size_t i = 1; i < count; ++i) {
            const uint32_t own = arc[i];
            size_t to = i;
            for (; to > 0 && key_of(run, arc[to - 1]) > key_of(run, own); --to) arc[to] = arc[to - 1];
            arc[to] = own;
        }
    }
}

static size_t count_slots(const mcd_roads *roads)
{
    const uint64_t *const number = roads->facts->number;
    size_t count = 0;
    for (size_t i = 0; i < roads->original_count; ++i)
        if (number[i] <= roads->graph->arc_count && number[i] >= count) count = (size_t)number[i] + 1;
    return count;
}

macadam_status mcd_arc_index_make(mcd_arc_index *index, const mcd_roads *roads, const mcd_parallel *parallel,
                                  macadam_error *error)
{
    MCD_OWNED uint64_t *departs = NULL;
    const size_t arc_count = roads->graph->arc_count;
    MCD_FREED_BY(mcd_arc_index_free) mcd_arc_index made = {.slot_count = 0};
    if (index->first) return MACADAM_OK;
    made.slot_count = count_slots(roads);
    MCD_TRY(MCD_NEW_ZEROED(departs, arc_count / 64 + 1, error));
    MCD_TRY(MCD_NEW_ZEROED(made.first, made.slot_count + 2, error));
    MCD_TRY(MCD_NEW(made.arc, arc_count, error));
    index_run run = {roads, &made, departs, parallel->thread_count > 1};
    MCD_TRY(mcd_watch_for_ranges(parallel, arc_count, PER_TASK, count_arcs, &run, error));
    for (size_t slot = 0; slot < made.slot_count; ++slot) made.first[slot + 2] += made.first[slot + 1];
    MCD_TRY(mcd_watch_for_ranges(parallel, roads->graph->node_count, PER_TASK, place_arcs, &run, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, made.slot_count, PER_TASK, sort_numbers, &run, error));
    return MCD_MOVE(*index, made);
}

MCD_DEFINE_FREE(mcd_arc_index_free, mcd_arc_index, it->first, it->arc)
