/* tight_path.c - a path found arc by arc in a tree of costs.
 *
 * Why. Where cycles have weight 0, triangles tie with longer ones. A kept arc may then unpack into a path
 * that runs around such cycles, exponentially often in the worst case. An arc is tight if it leads from a
 * reached node to one whose cost is exactly the arc's weight more. All paths over tight arcs are shortest. A
 * breadth-first search backwards from the target over tight arcs finds one that repeats no node.
 * Ties. The fewest arcs, then the first tail. */
#include "kernels/host/tight_path.h"

#include "engine/base/memory.h"

typedef struct tight_search {
    const mcd_weights *weights;
    uint32_t *objective, *companion; /* costs from the source; companion NULL without one */
    uint32_t *next_arc; /* per visited node: the arc towards the target; UINT32_MAX: not visited */
    mcd_node *queue;
} tight_search;

static macadam_status find_costs(const tight_search *search, const mcd_lane *source, mcd_find_tree find_tree,
                                 macadam_error *error)
{
    const mcd_tree_job job = {.weights = search->weights,
                              .direction = MCD_FORWARD,
                              .lane = source,
                              .lane_count = 1,
                              .limit = MCD_WEIGHT_MAX,
                              .column_count = search->weights->hierarchy->node_count,
                              .objective = search->objective,
                              .companion = search->companion,
                              .parallel = {.thread_count = 1}};
    return find_tree(&job, error);
}

/* Whether arc `xy` from x to y is on a shortest path. Costs of unreached nodes exceed every sum. */
static bool is_tight(const tight_search *search, mcd_node x, uint32_t xy, mcd_node y)
{
    const mcd_weights *weights = search->weights;
    if (search->objective[x] == MCD_COST_UNREACHED) return false;
    if ((uint64_t)search->objective[x] + weights->objective[xy] != search->objective[y]) return false;
    return !search->companion ||
           (uint64_t)search->companion[x] + weights->companion[xy] == search->companion[y];
}

/* Whether a shortest path may begin at the node. */
static bool begins_at(const tight_search *search, const mcd_lane *source, mcd_node node)
{
    for (uint32_t s = 0; s < mcd_lane_seed_count(source); ++s) {
        const mcd_seed *seed = &source->seed[s];
        if (seed->node == node && seed->objective == search->objective[node] &&
            (!search->companion || seed->companion == search->companion[node]))
            return true;
    }
    return false;
}

/* The cheapest node of the target; the first of equals. */
static mcd_node choose_end(const tight_search *search, const mcd_lane *target)
{
    mcd_node best = target->seed[0].node;
    mcd_joint least = MCD_JOINT_UNREACHED;
    for (uint32_t s = 0; s < mcd_lane_seed_count(target); ++s) {
        const mcd_seed *seed = &target->seed[s];
        if (search->objective[seed->node] == MCD_COST_UNREACHED) continue;
        const mcd_joint there = mcd_joint_of(search->objective[seed->node],
                                             search->companion ? search->companion[seed->node] : 0);
        const mcd_joint sum =
            mcd_joint_add(there, mcd_joint_of(seed->objective, search->companion ? seed->companion : 0));
        if (sum >= least) continue;
        least = sum;
        best = seed->node;
    }
    return best;
}

/* Searches back from the target. Returns the first node of the source that it meets, or MCD_NODE_NONE. */
static mcd_node search_back(tight_search *search, const mcd_lane *source, mcd_node target)
{
    const mcd_graph *graph = search->weights->graph;
    mcd_node done = 0, count = 0;
    memset(search->next_arc, 0xff, graph->node_count * sizeof *search->next_arc);
    search->queue[count++] = target;
    for (; done < count; ++done) {
        const mcd_node y = search->queue[done];
        if (begins_at(search, source, y)) return y;
        for (mcd_arc i = graph->first_in[y]; i < graph->first_in[y + 1]; ++i) {
            const mcd_node x = graph->tail[i];
            if (x == target || search->next_arc[x] != UINT32_MAX || !is_tight(search, x, graph->in_arc[i], y))
                continue;
            search->next_arc[x] = graph->in_arc[i];
            search->queue[count++] = x;
        }
    }
    return MCD_NODE_NONE;
}

macadam_status mcd_tight_path(mcd_path *out, const mcd_weights *weights, bool joint, const mcd_lane *source,
                              const mcd_lane *target, mcd_find_tree find_tree, macadam_error *error)
{
    const size_t nodes = weights->hierarchy->node_count;
    MCD_OWNED uint32_t *memory = NULL;
    *out = (mcd_path){0};
    MCD_TRY(MCD_NEW(memory, 4 * nodes, error));
    tight_search search = {weights, memory, joint ? memory + nodes : NULL, memory + 2 * nodes,
                           memory + 3 * nodes};
    MCD_TRY(find_costs(&search, source, find_tree, error));
    const mcd_node last = choose_end(&search, target), first = search_back(&search, source, last);
    if (first == MCD_NODE_NONE)
        return mcd_fail(error, MACADAM_E_FILE, "no arcs lead to node %u at its cost", last);
    size_t count = 0;
    for (mcd_node at = first; at != last; at = weights->graph->head[search.next_arc[at]]) ++count;
    MCD_TRY(MCD_NEW(out->arc, count, error));
    out->capacity = count;
    for (mcd_node at = first; at != last; at = weights->graph->head[search.next_arc[at]])
        out->arc[out->count++] = search.next_arc[at];
    return MACADAM_OK;
}
