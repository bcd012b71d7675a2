/* connect.c - whether a path leads from one node to another: breadth-first search from both.
 *
 * Method. The side whose last level has fewer nodes makes its next level, until an arc leads from the last
 * level of one side to a node of the other. That node is in the other's last level: if it were in an earlier
 * one, the sides would have met before. So an arc between the last levels is the first meeting, and no level
 * needs to be finished. The hops are the levels made plus that arc. If a side's last level is empty, there is
 * no path.
 * The path. It is walked back from the target, each time to the smallest neighbour that is one hop nearer to
 * the source. On the source's side that neighbour is in the level before. On the target's side it must lie on
 * a path of fewest hops: those nodes are marked, from the arcs between the last levels to the target. */
#include "kernels/cpu/device/cpu.h"

#include "kernels/cpu/frontier/adjacency.h"
#include "kernels/cpu/frontier/bits.h"
#include "kernels/cpu/device/carve.h"

#include <string.h>

enum { PROGRESS_NODES = 1 << 22 }; /* nodes searched between two reports */

/* One end's search. */
typedef struct connect_side {
    adjacency leave, enter;
    uint64_t *reached;
    mcd_node *queue; /* [node_count]: all levels, one after the other; the last one begins at `first` */
    size_t first, end;
    uint32_t last; /* the last level's number */
} connect_side;

typedef struct connect_search {
    const mcd_connect_job *job;
    connect_side side[2]; /* by mcd_direction: from the source, from the target */
    uint32_t *level;      /* [node_count]: levels of nodes that one side reached; no node belongs to both */
    uint64_t *marked;     /* nodes of the target's side */
} connect_search;

static void begin_side(connect_search *search, mcd_direction direction, mcd_node start)
{
    const mcd_graph *graph = search->job->arcs->graph;
    connect_side *side = &search->side[direction];
    side->leave = adjacency_of(graph, direction);
    side->enter = adjacency_of(graph, direction_against(direction));
    memset(side->reached, 0, bits_words(graph->node_count) * sizeof *side->reached);
    bits_add(side->reached, start);
    search->level[start] = 0;
    side->queue[0] = start;
    side->end = 1;
}

/* Makes the next level of a side. Returns true if the sides meet; the level is then incomplete. */
static bool step(connect_search *search, connect_side *side, const connect_side *other)
{
    const size_t level_end = side->end;
    size_t end = level_end;
    for (size_t i = side->first; i < level_end; ++i) {
        const mcd_node x = side->queue[i];
        for (mcd_arc xy = side->leave.first[x]; xy < side->leave.first[x + 1]; ++xy) {
            const mcd_node y = side->leave.neighbour[xy];
            if (bits_has(other->reached, y)) return true;
            if (bits_has(side->reached, y)) continue;
            bits_add(side->reached, y);
            search->level[y] = side->last + 1;
            side->queue[end++] = y;
        }
    }
    side->first = level_end;
    side->end = end;
    ++side->last;
    return false;
}

static macadam_status search_both(connect_search *search, bool *met, macadam_error *error)
{
    connect_side *forward = &search->side[MCD_FORWARD], *backward = &search->side[MCD_BACKWARD];
    size_t reported = 0;
    *met = false;
    while (!*met && forward->first < forward->end && backward->first < backward->end) {
        const bool is_forward = forward->end - forward->first <= backward->end - backward->first;
        *met = is_forward ? step(search, forward, backward) : step(search, backward, forward);
        if (forward->end + backward->end < reported + PROGRESS_NODES) continue;
        reported = forward->end + backward->end;
        MCD_TRY(mcd_progress_step(&search->job->progress, "connect", reported,
                                  search->job->arcs->graph->node_count, error));
    }
    return MACADAM_OK;
}

/* ---- the path ---- */

/* Whether `node` is in that level of a side. A level that the meeting cut short has nodes too: its number
 * is above the side's last. */
static bool is_of(const connect_search *search, const connect_side *side, mcd_node node, uint32_t level)
{
    return bits_has(side->reached, node) && search->level[node] == level;
}

static bool meets(const connect_search *search, mcd_node y)
{
    const connect_side *forward = &search->side[MCD_FORWARD], *backward = &search->side[MCD_BACKWARD];
    for (mcd_arc xy = backward->leave.first[y]; xy < backward->leave.first[y + 1]; ++xy)
        if (is_of(search, forward, backward->leave.neighbour[xy], forward->last)) return true;
    return false;
}

/* Marks the nodes of the target's side that are on paths of fewest hops. Levels lie in the queue one after
 * the other, so the loop goes through it backwards. */
static void mark(connect_search *search)
{
    connect_side *backward = &search->side[MCD_BACKWARD];
    memset(search->marked, 0, bits_words(search->job->arcs->graph->node_count) * sizeof *search->marked);
    for (size_t i = backward->end; i-- > backward->first;)
        if (meets(search, backward->queue[i])) bits_add(search->marked, backward->queue[i]);
    for (size_t i = backward->end; i-- > 0;) {
        const mcd_node x = backward->queue[i];
        if (!bits_has(search->marked, x)) continue;
        for (mcd_arc xy = backward->enter.first[x]; xy < backward->enter.first[x + 1]; ++xy) {
            const mcd_node y = backward->enter.neighbour[xy];
            if (search->level[x] > 0 && is_of(search, backward, y, search->level[x] - 1))
                bits_add(search->marked, y);
        }
    }
}

/* The smallest node before `y` on a path of fewest hops; `hops`: the hops of y. */
static mcd_node node_before(const connect_search *search, mcd_node y, uint32_t hops)
{
    const connect_side *forward = &search->side[MCD_FORWARD], *backward = &search->side[MCD_BACKWARD];
    const uint32_t all = forward->last + backward->last + 1;
    const mcd_node *tail = &backward->leave.neighbour[backward->leave.first[y]];
    while (hops - 1 <= forward->last
               ? !is_of(search, forward, *tail, hops - 1)
               : !(bits_has(search->marked, *tail) && is_of(search, backward, *tail, all - (hops - 1))))
        ++tail; /* one exists */
    return *tail;
}

static void write_path(connect_search *search, uint32_t hops)
{
    const mcd_connect_job *job = search->job;
    mcd_node node = job->target;
    mark(search);
    for (size_t i = hops;; --i) {
        if (i < job->path_capacity) job->path[i] = node;
        if (i == 0) return;
        node = node_before(search, node, (uint32_t)i);
    }
}

/* ---- the job ---- */

/* Lays the scratch out from `memory` on and returns its end, which is its size if `memory` is 0. */
static uintptr_t lay_out(const mcd_connect_job *job, uintptr_t memory, connect_search *search)
{
    const size_t nodes = job->arcs->graph->node_count, set_bytes = bits_words(nodes) * sizeof(uint64_t);
    for (int direction = 0; direction < 2; ++direction) {
        search->side[direction].queue = carve(&memory, nodes * sizeof(mcd_node));
        search->side[direction].reached = carve(&memory, set_bytes);
    }
    search->level = carve(&memory, nodes * sizeof *search->level);
    search->marked = carve(&memory, set_bytes);
    return memory;
}

size_t mcd_cpu_connect_scratch(const mcd_connect_job *job)
{
    connect_search search;
    return lay_out(job, 0, &search);
}

macadam_status mcd_cpu_connect(const mcd_connect_job *job, macadam_error *error)
{
    connect_search search = {.job = job};
    bool met;
    *job->hops = MCD_COST_UNREACHED;
    if (job->source == job->target) {
        *job->hops = 0;
        if (job->path && job->path_capacity) job->path[0] = job->source;
        return MACADAM_OK;
    }
    lay_out(job, (uintptr_t)job->scratch, &search);
    begin_side(&search, MCD_FORWARD, job->source);
    begin_side(&search, MCD_BACKWARD, job->target);
    MCD_TRY(search_both(&search, &met, error));
    if (!met) return MACADAM_OK;
    *job->hops = search.side[MCD_FORWARD].last + search.side[MCD_BACKWARD].last + 1;
    if (job->path) write_path(&search, *job->hops);
    return MACADAM_OK;
}
