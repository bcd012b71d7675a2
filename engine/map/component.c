/* component.c - see component.h.
 *
 * With several threads, the component of one node is found first: the nodes to which its arcs lead, and from which arcs lead to it
 * (spread.h). In a map it holds almost all nodes that have arcs both ways. Most others are components of their own: no arc
 * leads from them, or to them, but for nodes of this component. Tarjan's search finds the components of the rest. */
#include "engine/map/component.h"

#include "engine/base/arena.h"
#include "engine/map/spread.h"

enum { NODES_PER_RANGE = 1 << 15 };

/* The state of one depth-first search over the nodes that have no component yet, or over junctions. Memory is zero, so that what is
 * not visited takes none. */
typedef struct scc_search {
    const mcd_graph *graph;
    const mcd_place_index *places; /* NULL: its nodes are those of the graph; else ids */
    mcd_node *low;                 /* the earliest node on `open` known to be reachable */
    mcd_node *open;                /* visited nodes whose component is not complete */
    mcd_node *path;                /* the nodes of the search's current path */
    mcd_arc *next;                 /* the next arc of each node on the path to look at */
    mcd_node *index;               /* order of visits, 1 .. n; 0: not visited */
    uint32_t *component;           /* one of its nodes; UINT32_MAX: not known */
    mcd_node node_count, visited, open_count, path_count, component_count;
} scc_search;

/* The node of the graph whose arcs are those of a node of the search. All roads leave the node from which a junction departs. */
static mcd_node departure_of(const scc_search *search, mcd_node node)
{
    return search->places ? search->places->depart[node] : node;
}

static void enter(scc_search *search, mcd_node node)
{
    search->low[node] = search->index[node] = ++search->visited;
    search->next[node] = search->graph->first_out[departure_of(search, node)];
    search->open[search->open_count++] = node;
    search->path[search->path_count++] = node;
}

/* `node` has been searched: if it is the root of its component, closes the component. */
static void leave(scc_search *search, mcd_node node)
{
    --search->path_count;
    if (search->low[node] == search->index[node]) {
        mcd_node first = search->open_count, least = node;
        do least = search->open[--first] < least ? search->open[first] : least;
        while (search->open[first] != node);
        while (search->open_count > first) search->component[search->open[--search->open_count]] = least;
        ++search->component_count;
    }
    if (search->path_count == 0) return;
    const mcd_node before = search->path[search->path_count - 1];
    if (search->low[node] < search->low[before]) search->low[before] = search->low[node];
}

static macadam_status search_from(scc_search *search, mcd_node start, mcd_watch *watch, macadam_error *error)
{
    enter(search, start);
    while (search->path_count > 0) {
        const mcd_node node = search->path[search->path_count - 1];
        if (search->next[node] == search->graph->first_out[departure_of(search, node) + 1]) {
            leave(search, node);
            continue;
        }
        const mcd_node to = search->graph->head[search->next[node]++],
                       head = search->places ? search->places->node_place[to] : to;
        if (search->component[head] != UINT32_MAX) continue;
        if (search->index[head] == 0) {
            enter(search, head);
            MCD_TRY(mcd_watch_item(watch, search->visited, search->node_count, error));
        } else if (search->index[head] < search->low[node]) {
            search->low[node] = search->index[head]; /* still open */
        }
    }
    return MACADAM_OK;
}

/* Searches all nodes that have no component. */
static macadam_status search_all(scc_search *search, mcd_watch *watch, macadam_error *error)
{
    const mcd_node node_count = search->node_count;
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {0};
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&memory, search->low, node_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&memory, search->open, node_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&memory, search->path, node_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&memory, search->next, node_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&memory, search->index, node_count, error));
    for (mcd_node v = 0; v < node_count; ++v) {
        MCD_TRY(mcd_watch_item(watch, v, node_count, error));
        if (search->component[v] == UINT32_MAX) MCD_TRY(search_from(search, v, watch, error));
    }
    return MACADAM_OK;
}

/* ---- the component of one node ---- */

typedef struct component_run {
    const mcd_graph *graph;
    bool *leads, *led;   /* [node_count] from the node of the largest component, and to it */
    uint32_t *component; /* [node_count] one of its nodes, the least one */
    mcd_node large;      /* the least node of the component that was found first */
} component_run;

static bool is_in_large(const component_run *run, mcd_node node)
{
    return run->leads[node] && run->led[node];
}

/* Returns whether all of these arcs are loops or join the node to the large component. */
static bool is_apart(const component_run *run, mcd_node node, const mcd_arc *first, const mcd_node *other)
{
    mcd_arc at = first[node];
    while (at < first[node + 1] && (other[at] == node || is_in_large(run, other[at]))) ++at;
    return at == first[node + 1];
}

static void place_range(void *argument, size_t first, size_t end)
{
    component_run *const run = argument;
    const mcd_graph *const graph = run->graph;
    for (mcd_node v = (mcd_node)first; v < end; ++v) {
        const bool is_single =
            is_apart(run, v, graph->first_out, graph->head) || is_apart(run, v, graph->first_in, graph->tail);
        run->component[v] = is_in_large(run, v) ? run->large : is_single ? v : UINT32_MAX;
    }
}

/* Returns a node with arcs both ways, from the middle on. */
static mcd_node find_middle(const mcd_graph *graph)
{
    mcd_node v = graph->node_count / 2;
    while (v < graph->node_count &&
           (graph->first_out[v] == graph->first_out[v + 1] || graph->first_in[v] == graph->first_in[v + 1]))
        ++v;
    return v < graph->node_count ? v : 0;
}

/* Gives a component to most nodes. */
static macadam_status find_large(component_run *run, const mcd_parallel *parallel, mcd_watch *watch,
                                 macadam_error *error)
{
    const mcd_graph *const graph = run->graph;
    MCD_OWNED bool *leads = NULL, *led = NULL;
    const mcd_node from = find_middle(graph);
    MCD_TRY(MCD_NEW_ZEROED(leads, graph->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(led, graph->node_count, error));
    leads[from] = led[from] = true;
    run->leads = leads, run->led = led;
    MCD_TRY(mcd_spread(leads, graph, false, parallel, watch, error));
    MCD_TRY(mcd_spread(led, graph, true, parallel, watch, error));
    for (run->large = 0; !is_in_large(run, run->large);) ++run->large;
    return mcd_watch_for_ranges(parallel, graph->node_count, NODES_PER_RANGE, place_range, run, error);
}

/* Renumbers by the least member, which comes first, and counts sizes. */
static macadam_status number_components(mcd_components *out, mcd_node node_count, mcd_watch *watch,
                                        macadam_error *error)
{
    MCD_OWNED mcd_node *number = NULL; /* of a component whose least node it is */
    MCD_TRY(MCD_NEW(number, node_count, error));
    for (mcd_node v = 0; v < node_count; ++v)
        if (out->component[v] == v) number[v] = out->count++;
    MCD_TRY(MCD_NEW_ZEROED(out->size, out->count, error));
    for (mcd_node v = 0; v < node_count; ++v) {
        MCD_TRY(mcd_watch_item(watch, v, node_count, error));
        ++out->size[out->component[v] = number[out->component[v]]];
    }
    return MACADAM_OK;
}

macadam_status mcd_components_new(mcd_components *out, const mcd_graph *graph, const mcd_parallel *parallel,
                                  mcd_watch *watch, macadam_error *error)
{
    const mcd_node node_count = graph->node_count;
    MCD_FREED_BY(mcd_components_free) mcd_components found = {0};
    *out = (mcd_components){0};
    MCD_TRY(MCD_NEW(found.component, node_count, error));
    memset(found.component, 0xff, node_count * sizeof *found.component); /* UINT32_MAX */
    component_run run = {.graph = graph, .component = found.component};
    scc_search search = {.graph = graph, .component = found.component, .node_count = node_count};
    if (parallel && parallel->thread_count > 1 && node_count > 0)
        MCD_TRY(find_large(&run, parallel, watch, error));
    MCD_TRY(search_all(&search, watch, error));
    MCD_TRY(number_components(&found, node_count, watch, error));
    return MCD_MOVE(*out, found);
}

macadam_status mcd_components_of_junctions(size_t *out, const mcd_graph *graph, const mcd_place_index *places,
                                           mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED uint32_t *component = NULL;
    MCD_TRY(MCD_NEW(component, places->id_count, error));
    memset(component, 0xff, places->id_count * sizeof *component);
    scc_search search = {
        .graph = graph, .places = places, .component = component, .node_count = (mcd_node)places->id_count};
    MCD_TRY(search_all(&search, watch, error));
    *out = search.component_count;
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_components_free, mcd_components, it->component, it->size)
