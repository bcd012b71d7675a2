/* unique_path.c - see unique_path.h.
 *
 * Method. Two searches with joint costs and a heap each, forward from the source and backward from the
 * target, until the sum of their least keys exceeds the least cost of a meeting. The one with the smaller heap goes on. A
 * meeting is an arc xy, with x reached forward and y reached backward; the seeds of the lanes count as arcs from a node S before the
 * source, and to a node T after the target. (Dijkstra 1959; Nicholson 1966)
 * Why it is the only path. Let F and B be the least keys at the end: all nodes with a forward cost below F, or
 * with a backward cost below B, are settled, and F + B > cost. Suppose that a second shortest path leaves the
 * first one at a and comes back at b. If the forward cost of b is below F, two arcs gave b its label: its
 * label is marked as tied. If the backward cost of a is below B, likewise. Otherwise a is settled forward,
 * because cost - B < F. The last node of the second path that is settled forward is then a or after it, and
 * the next node is settled backward: the arc between them is a meeting of this cost that is not on the first
 * path. So a path without tied labels is the only one if all such meetings lie on it. Parallel arcs do not
 * count: everywhere, the first of the lightest is taken.
 * Layout. A near search reaches few nodes. Both directions' labels of these are stored together, one node after the other. */
#include "kernels/host/unique_path.h"

#include "engine/base/grow.h"
#include "engine/base/system/pages.h"
#include "engine/base/watch.h"

enum { WAYS = 4, MEETINGS_MAX = 64, WATCHED_NODES = 4096, REACHED_LEAST = 1024 };

#define TIED (UINT64_C(1) << 63) /* a flag of a label: a second arc gives the same cost */

/* A node that a search has reached, by mcd_direction. */
typedef struct reached {
    uint64_t label[2]; /* cost + 1, and TIED; 0: not reached */
    mcd_node from[2];  /* MCD_NODE_NONE: a seed */
    uint32_t arc[2];   /* from there */
} reached;

typedef struct heap_entry {
    mcd_joint key;
    mcd_node node;
} heap_entry;

/* One direction's search. Entries of nodes whose labels have become less stay in the heap. */
typedef struct search {
    heap_entry *seed; /* [seed_count] */
    size_t seed_count;
    heap_entry *heap;
    size_t count, capacity;
} search;

/* A meeting of the least cost so far. */
typedef struct meeting {
    mcd_node tail, head; /* MCD_NODE_NONE: S, or T */
    uint32_t arc;        /* if neither is */
} meeting;

typedef struct unique_run {
    const mcd_weights *weights;
    search search[2]; /* by mcd_direction */
    uint32_t *place;  /* [node_count]: of a node in `reached`; 0: neither search has reached it */
    reached *reached; /* in the order in which they were reached, after a zeroed entry */
    size_t reached_count, reached_capacity;
    mcd_joint cost;
    meeting meeting[MEETINGS_MAX];
    size_t meeting_count; /* MEETINGS_MAX + 1: there were more */
    uint64_t settled_count;
} unique_run;

/* ---- heaps ---- */

static macadam_status push(search *of, mcd_joint key, mcd_node node, macadam_error *error)
{
    if (of->count == of->capacity) MCD_TRY(MCD_GROW(of->heap, of->capacity, of->count + 1, error));
    size_t hole = of->count++;
    for (size_t above; hole > 0; hole = above) {
        above = (hole - 1) / WAYS;
        if (of->heap[above].key <= key) break;
        of->heap[hole] = of->heap[above];
    }
    of->heap[hole] = (heap_entry){key, node};
    return MACADAM_OK;
}

/* Returns the first of four entries that has the least key. */
static size_t least_of_four(const heap_entry *heap, size_t first)
{
    const size_t a = first + (heap[first + 1].key < heap[first].key),
                 b = first + 2 + (heap[first + 3].key < heap[first + 2].key);
    return heap[b].key < heap[a].key ? b : a;
}
static_assert(WAYS == 4, "each entry has four below it");

static void pop(search *of)
{
    const heap_entry last = of->heap[--of->count];
    size_t hole = 0;
    for (size_t child = 1; child < of->count; child = WAYS * hole + 1) {
        size_t least = child;
        if (child + WAYS <= of->count)
            least = least_of_four(of->heap, child);
        else
            for (size_t i = child + 1; i < of->count; ++i)
                if (of->heap[i].key < of->heap[least].key) least = i;
        if (of->heap[least].key >= last.key) break;
        of->heap[hole] = of->heap[least];
        hole = least;
    }
    of->heap[hole] = last;
}

/* Returns a zeroed one for a node that neither search has reached. */
static const reached *labels_of(const unique_run *run, mcd_node node)
{
    return &run->reached[run->place[node]];
}

static mcd_joint cost_at(const unique_run *run, mcd_direction direction, mcd_node node)
{
    return (labels_of(run, node)->label[direction] & ~TIED) - 1;
}

/* Drops entries that are outdated. Returns the least key; UINT64_MAX: every node is settled. */
static mcd_joint least_key(unique_run *run, mcd_direction direction)
{
    search *const of = &run->search[direction];
    while (of->count > 0 && of->heap[0].key != cost_at(run, direction, of->heap[0].node)) pop(of);
    return of->count ? of->heap[0].key : UINT64_MAX;
}

/* Returns where the first arc of a node, in the direction of a search, is stored. */
static const mcd_arc *first_arc(const unique_run *run, mcd_direction direction, mcd_node node)
{
    const mcd_graph *const graph = run->weights->graph;
    return (direction == MCD_FORWARD ? graph->first_out : graph->first_in) + node;
}

/* Labels a node, and puts it in the heap. */
static macadam_status reach(unique_run *run, mcd_direction direction, mcd_node node, mcd_joint cost,
                            mcd_node from, uint32_t arc, macadam_error *error)
{
    uint32_t *const place = &run->place[node];
    if (!*place) {
        MCD_TRY(MCD_GROW(run->reached, run->reached_capacity, run->reached_count + 1, error));
        *place = (uint32_t)run->reached_count++;
        run->reached[*place] = (reached){{0}, {0}, {0}};
    }
    reached *const at = &run->reached[*place];
    __builtin_prefetch(first_arc(run, direction, node));
    at->label[direction] = cost + 1, at->from[direction] = from, at->arc[direction] = arc;
    return push(&run->search[direction], cost, node, error);
}

/* ---- searching ---- */

static void offer_meeting(unique_run *run, mcd_joint cost, meeting offered)
{
    if (mcd_joint_objective(cost) >= MCD_UNREACHED || cost > run->cost) return;
    if (cost < run->cost) run->meeting_count = 0;
    run->cost = cost;
    for (size_t i = 0; i < mcd_size_min(run->meeting_count, MEETINGS_MAX);
         ++i) /* parallel: the first counts */
        if (run->meeting[i].tail == offered.tail && run->meeting[i].head == offered.head) return;
    if (run->meeting_count < MEETINGS_MAX)
        run->meeting[run->meeting_count++] = offered;
    else
        run->meeting_count = MEETINGS_MAX + 1;
}

static macadam_status begin_both(unique_run *run, macadam_error *error)
{
    const size_t node_count = run->weights->graph->node_count;
    MCD_TRY(MCD_NEW_ZEROED(run->place, node_count, error));
    mcd_pages_make_small(run->place, node_count * sizeof *run->place);
    MCD_TRY(MCD_GROW(run->reached, run->reached_capacity, REACHED_LEAST, error));
    run->reached[run->reached_count++] = (reached){{0}, {0}, {0}};
    return MACADAM_OK;
}

static macadam_status begin(unique_run *run, mcd_direction direction, const mcd_lane *lane, size_t lane_count,
                            macadam_error *error)
{
    search *const own = &run->search[direction];
    MCD_TRY(MCD_NEW(own->seed, lane_count * MCD_SEEDS_MAX, error));
    for (size_t l = 0; l < lane_count; ++l)
        for (uint32_t s = 0; s < mcd_lane_seed_count(&lane[l]); ++s) { /* their nodes are distinct */
            const mcd_seed *const seed = &lane[l].seed[s];
            const mcd_joint cost =
                mcd_joint_of(seed->objective, run->weights->companion ? seed->companion : 0);
            if (mcd_joint_objective(cost) >= MCD_UNREACHED) continue;
            own->seed[own->seed_count++] = (heap_entry){cost, seed->node};
            MCD_TRY(reach(run, direction, seed->node, cost, MCD_NODE_NONE, 0, error));
        }
    return MACADAM_OK;
}

/* Follows `arc` from x, which is settled, to y; backward from its head. */
static macadam_status follow(unique_run *run, mcd_direction direction, const heap_entry *x, uint32_t arc,
                             mcd_node y, macadam_error *error)
{
    const mcd_weights *const weights = run->weights;
    const mcd_weight companion = weights->companion ? weights->companion[arc] : 0;
    if (x->node == y || !mcd_arc_is_open(weights, arc)) return MACADAM_OK;
    const mcd_joint sum = mcd_joint_add(x->key, mcd_joint_of(weights->objective[arc], companion));
    if (mcd_joint_objective(sum) >= MCD_UNREACHED) return MACADAM_OK;
    if (labels_of(run, y)->label[!direction])
        offer_meeting(run, mcd_joint_add(sum, cost_at(run, !direction, y)),
                      direction == MCD_FORWARD ? (meeting){x->node, y, arc} : (meeting){y, x->node, arc});
    reached *const at = &run->reached[run->place[y]];
    if (at->label[direction] && sum >= cost_at(run, direction, y)) {
        if (sum == cost_at(run, direction, y) && at->from[direction] != x->node) at->label[direction] |= TIED;
        return MACADAM_OK;
    }
    return reach(run, direction, y, sum, x->node, arc, error);
}

/* Offers the meetings of x, which is settled, with seeds of the other end. */
static void offer_seeds(unique_run *run, mcd_direction direction, const heap_entry *x)
{
    const search *const other = &run->search[!direction];
    for (size_t s = 0; s < other->seed_count; ++s)
        if (other->seed[s].node == x->node)
            offer_meeting(run, mcd_joint_add(x->key, other->seed[s].key),
                          direction == MCD_FORWARD ? (meeting){x->node, MCD_NODE_NONE, 0}
                                                   : (meeting){MCD_NODE_NONE, x->node, 0});
}

/* Fetches the arcs of the node that is likely to be settled next. */
static void fetch_arcs(const unique_run *run, mcd_direction direction)
{
    const mcd_graph *const graph = run->weights->graph;
    const bool forward = direction == MCD_FORWARD;
    const mcd_node next = run->search[direction].heap[0].node;
    const mcd_arc first = *first_arc(run, direction, next);
    __builtin_prefetch(&(forward ? graph->head : graph->tail)[first]);
    if (!forward) {
        __builtin_prefetch(&graph->in_arc[first]);
        return;
    }
    __builtin_prefetch(&run->weights->objective[first]);
    if (run->weights->companion) __builtin_prefetch(&run->weights->companion[first]);
}

static macadam_status settle_least(unique_run *run, mcd_direction direction, macadam_error *error)
{
    search *const own = &run->search[direction];
    const mcd_graph *const graph = run->weights->graph;
    const heap_entry x = own->heap[0];
    pop(own);
    ++run->settled_count;
    if (own->count > 0) fetch_arcs(run, direction);
    offer_seeds(run, direction, &x);
    if (direction == MCD_FORWARD)
        for (mcd_arc arc = graph->first_out[x.node]; arc < graph->first_out[x.node + 1]; ++arc)
            MCD_TRY(follow(run, direction, &x, (uint32_t)arc, graph->head[arc], error));
    else
        for (mcd_arc i = graph->first_in[x.node]; i < graph->first_in[x.node + 1]; ++i)
            MCD_TRY(follow(run, direction, &x, graph->in_arc[i], graph->tail[i], error));
    return MACADAM_OK;
}

static macadam_status search_both(unique_run *run, const mcd_progress *progress, macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(progress, "paths");
    const mcd_node node_count = run->weights->graph->node_count;
    mcd_joint key[2] = {least_key(run, MCD_FORWARD), least_key(run, MCD_BACKWARD)};
    while (key[0] != UINT64_MAX && key[1] != UINT64_MAX && mcd_joint_add(key[0], key[1]) <= run->cost) {
        const mcd_direction next =
            run->search[MCD_FORWARD].count <= run->search[MCD_BACKWARD].count ? MCD_FORWARD : MCD_BACKWARD;
        if (run->settled_count % WATCHED_NODES == 0)
            MCD_TRY(mcd_watch_step(&watch, run->settled_count, 2 * (uint64_t)node_count, error));
        MCD_TRY(settle_least(run, next, error));
        key[next] = least_key(run, next);
    }
    return MACADAM_OK;
}

/* ---- the path ---- */

/* Returns how many arcs lead from a seed to a node; none to MCD_NODE_NONE. Sets *seed to that seed's node. */
static size_t count_arcs(const unique_run *run, mcd_direction direction, mcd_node node, mcd_node *seed)
{
    size_t count = 0;
    for (*seed = node; node != MCD_NODE_NONE; ++count) {
        *seed = node;
        node = labels_of(run, node)->from[direction];
    }
    return count ? count - 1 : 0;
}

/* Returns whether a node that the path passes at this cost has a tied label. */
static bool is_tied(const unique_run *run, mcd_direction direction, mcd_node node, mcd_joint cost)
{
    return labels_of(run, node)->label[direction] == (TIED | (cost + 1));
}

/* Returns whether the path from the seed `node` has a tied label. */
static bool has_tie(const unique_run *run, const mcd_path *path, mcd_node node)
{
    const mcd_weights *const weights = run->weights;
    mcd_joint before = cost_at(run, MCD_FORWARD, node);
    for (size_t i = 0;;
         ++i) { /* no half of `before` is larger than that of the cost, which is not saturated */
        if (is_tied(run, MCD_FORWARD, node, before) || is_tied(run, MCD_BACKWARD, node, run->cost - before))
            return true;
        if (i == path->count) return false;
        const uint32_t arc = path->arc[i];
        before += mcd_joint_of(weights->objective[arc], weights->companion ? weights->companion[arc] : 0);
        node = weights->graph->head[arc];
    }
}

/* Returns whether a meeting lies on the path between two seeds. */
static bool is_on_path(const mcd_path *path, mcd_node first, mcd_node last, const meeting *at)
{
    if (at->tail == MCD_NODE_NONE) return at->head == first;
    if (at->head == MCD_NODE_NONE) return at->tail == last;
    for (size_t i = 0; i < path->count; ++i)
        if (path->arc[i] == at->arc) return true;
    return false;
}

/* Makes the path over the first meeting, and finds out whether it is the only one. */
static macadam_status make_path(const unique_run *run, mcd_unique_path *out, macadam_error *error)
{
    const meeting at = run->meeting[0];
    mcd_path *const path = &out->path;
    mcd_node first, last;
    const size_t before = count_arcs(run, MCD_FORWARD, at.tail, &first),
                 behind = count_arcs(run, MCD_BACKWARD, at.head, &last);
    const bool is_arc = at.tail != MCD_NODE_NONE && at.head != MCD_NODE_NONE;
    if (first == MCD_NODE_NONE) first = at.head;
    if (last == MCD_NODE_NONE) last = at.tail;
    MCD_TRY(MCD_NEW(path->arc, before + is_arc + behind, error));
    path->capacity = before + is_arc + behind;
    mcd_node node = at.tail;
    for (size_t i = before; i-- > 0; node = labels_of(run, node)->from[MCD_FORWARD])
        path->arc[i] = labels_of(run, node)->arc[MCD_FORWARD];
    path->count = before;
    if (is_arc) path->arc[path->count++] = at.arc;
    for (node = at.head; path->count < path->capacity; node = labels_of(run, node)->from[MCD_BACKWARD])
        path->arc[path->count++] = labels_of(run, node)->arc[MCD_BACKWARD];
    out->is_known = run->meeting_count <= MEETINGS_MAX && !has_tie(run, path, first);
    for (size_t i = 1; i < run->meeting_count && out->is_known; ++i)
        out->is_known = is_on_path(path, first, last, &run->meeting[i]);
    return MACADAM_OK;
}

macadam_status mcd_unique_path_find(mcd_unique_path *out, const mcd_weights *weights, const mcd_lane *from,
                                    size_t from_count, const mcd_lane *to, size_t to_count,
                                    const mcd_progress *progress, macadam_error *error)
{
    unique_run run = {.weights = weights, .cost = MCD_JOINT_UNREACHED};
    *out = (mcd_unique_path){.is_known = true};
    macadam_status status = begin_both(&run, error);
    if (!status) status = begin(&run, MCD_FORWARD, from, from_count, error);
    if (!status) status = begin(&run, MCD_BACKWARD, to, to_count, error);
    if (!status) status = search_both(&run, progress, error);
    out->cost = run.cost;
    out->settled_count = run.settled_count;
    if (!status && run.cost < MCD_JOINT_UNREACHED) {
        if (mcd_joint_companion(run.cost) >= MCD_UNREACHED)
            out->is_known = false;
        else
            status = make_path(&run, out, error);
    }
    for (int direction = 0; direction < 2; ++direction) {
        mcd_free(run.search[direction].seed);
        mcd_free(run.search[direction].heap);
    }
    MCD_FREE_ALL(run.place, run.reached);
    return status;
}
