/* parents.c - parents from final costs.
 *
 * A node's parent is the least neighbour with a tight arc to it that is nearer, or as near and of lower
 * rank (kernels/backend.h). Most nodes have a tight arc of a weight other than 0. Its tail is nearer, and
 * neighbours ascend, so the first such tail is the parent. The other nodes are ranked level by level,
 * along their tight arcs of weight 0, from the nodes that already have a parent. */
#include "kernels/cpu/frontier/sssp.h"

static const uint32_t unranked = UINT32_MAX;

/* The search's arcs and weights, read backwards. */
typedef struct parents_search {
    const sssp_search *search;
    adjacency enter;
    const mcd_weight *objective, *companion;
    mcd_node *parent;
    uint32_t *rank;
} parents_search;

static bool is_reached(const sssp_search *search, cost value)
{
    return value < search->bound && (MCD_LANE_BITS == 32 || cost_companion(value) < MCD_UNREACHED);
}

static bool is_seed(const sssp_search *search, mcd_node node)
{
    for (uint32_t i = 0; i < mcd_lane_seed_count(search->lane); ++i) {
        const mcd_seed *seed = &search->lane->seed[i];
        if (seed->node == node && seed_cost(seed->objective, seed->companion) == search->dist[node])
            return true;
    }
    return false;
}

/* The first neighbour with a tight arc of a weight other than 0. */
static mcd_node nearer_parent(const parents_search *at, mcd_node y)
{
    const cost *dist = at->search->dist;
    for (mcd_arc xy = at->enter.first[y]; xy < at->enter.first[y + 1]; ++xy) {
        const mcd_node x = at->enter.neighbour[xy];
        if (dist[x] < dist[y] && cost_relaxed(dist[x], cost_of(at->objective, at->companion, xy)) == dist[y])
            return x;
    }
    return MCD_NODE_NONE;
}

/* Gives rank 0 to nodes with a nearer parent. Returns how many reached nodes have no rank yet. */
static size_t place_nearer(const parents_search *at)
{
    const sssp_search *search = at->search;
    const mcd_node node_count = search->job->arcs->graph->node_count;
    size_t left = 0;
    for (mcd_node y = 0; y < node_count; ++y) {
        at->parent[y] = MCD_NODE_NONE;
        at->rank[y] = 0;
        if (!is_reached(search, search->dist[y]) || is_seed(search, y)) continue;
        at->parent[y] = nearer_parent(at, y);
        if (at->parent[y] != MCD_NODE_NONE) continue;
        at->rank[y] = unranked;
        ++left;
    }
    return left;
}

/* The first neighbour of that rank with an arc of weight 0 to y. */
static mcd_node equal_parent(const parents_search *at, mcd_node y, uint32_t rank)
{
    const cost *dist = at->search->dist;
    for (mcd_arc xy = at->enter.first[y]; xy < at->enter.first[y + 1]; ++xy) {
        const mcd_node x = at->enter.neighbour[xy];
        if (dist[x] == dist[y] && at->rank[x] == rank && cost_of(at->objective, at->companion, xy) == 0)
            return x;
    }
    return MCD_NODE_NONE;
}

/* Lists the nodes of rank 1, ascending. */
static size_t list_first_rank(const parents_search *at, mcd_node *queue)
{
    const mcd_node node_count = at->search->job->arcs->graph->node_count;
    size_t count = 0;
    for (mcd_node y = 0; y < node_count; ++y)
        if (at->rank[y] == unranked && equal_parent(at, y, 0) != MCD_NODE_NONE) queue[count++] = y;
    return count;
}

/* Ranks the unranked nodes to which an arc of weight 0 leads from x, and appends them to the queue. */
static size_t list_next_rank(const parents_search *at, mcd_node x, mcd_node *queue, size_t count)
{
    const sssp_search *search = at->search;
    for (mcd_arc xy = search->leave.first[x]; xy < search->leave.first[x + 1]; ++xy) {
        const mcd_node y = search->leave.neighbour[xy];
        if (at->rank[y] != unranked || search->dist[y] != search->dist[x] ||
            cost_of(search->objective, search->companion, xy) != 0)
            continue;
        at->rank[y] = at->rank[x] + 1;
        queue[count++] = y;
    }
    return count;
}

static void place_equal(const parents_search *at, mcd_node *queue)
{
    size_t count = list_first_rank(at, queue);
    for (size_t i = 0; i < count; ++i) at->rank[queue[i]] = 1;
    for (size_t i = 0; i < count; ++i) {
        const mcd_node y = queue[i];
        at->parent[y] = equal_parent(at, y, at->rank[y] - 1);
        count = list_next_rank(at, y, queue, count);
    }
}

void MCD_KERNEL(parents)(const sssp_search *search, mcd_node *parent, uint32_t *rank, mcd_node *queue)
{
    const mcd_arcs *arcs = search->job->arcs;
    const mcd_direction against = direction_against(search->job->direction);
    const parents_search at = {
        .search = search,
        .enter = adjacency_of(arcs->graph, against),
        .objective = arcs->objective[against],
        .companion = arcs->companion[against],
        .parent = parent,
        .rank = rank,
    };
    if (place_nearer(&at) > 0) place_equal(&at, queue);
}
