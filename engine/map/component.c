/* component.c - see component.h. */
#include "engine/map/component.h"

#include "engine/base/arena.h"

/* The state of one depth-first search over all nodes. */
typedef struct scc_search {
    const mcd_graph *graph;
    const bool *is_arrival; /* the arrival node of a split junction leads back to its copies; NULL: only arcs
                             * lead on */
    mcd_node *low;          /* 0: not visited; else 1 + the earliest node on `open` known to be reachable */
    mcd_node *open;         /* visited nodes whose component is not complete */
    mcd_node *path;         /* the nodes of the search's current path */
    mcd_arc *next;          /* the next arc of each node on the path to look at */
    mcd_node *index;        /* order of visits, 1 .. n */
    uint32_t *component;
    mcd_node visited, open_count, path_count, component_count;
} scc_search;

/* Where a node leads: to its arcs' heads, or to the copies whose arrival node it is. */
typedef struct ways_on {
    const mcd_arc *first;
    const mcd_node *node;
} ways_on;

static ways_on ways_of(const scc_search *search, mcd_node node)
{
    const mcd_graph *const graph = search->graph;
    if (search->is_arrival && search->is_arrival[node]) return (ways_on){graph->first_in, graph->tail};
    return (ways_on){graph->first_out, graph->head};
}

static void enter(scc_search *search, mcd_node node)
{
    search->low[node] = search->index[node] = ++search->visited;
    search->next[node] = ways_of(search, node).first[node];
    search->open[search->open_count++] = node;
    search->path[search->path_count++] = node;
}

/* `node` has been searched: if it is the root of its component, closes the component. */
static void leave(scc_search *search, mcd_node node)
{
    --search->path_count;
    if (search->low[node] == search->index[node]) {
        mcd_node member;
        do {
            member = search->open[--search->open_count];
            search->component[member] = search->component_count;
        } while (member != node);
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
        const ways_on ways = ways_of(search, node);
        if (search->next[node] == ways.first[node + 1]) {
            leave(search, node);
            continue;
        }
        const mcd_node head = ways.node[search->next[node]++];
        if (search->index[head] == 0) {
            enter(search, head);
            MCD_TRY(mcd_watch_item(watch, search->visited, search->graph->node_count, error));
        } else if (search->component[head] == UINT32_MAX && search->index[head] < search->low[node]) {
            search->low[node] = search->index[head]; /* still open */
        }
    }
    return MACADAM_OK;
}

/* Renumbers by the smallest member and counts sizes; `number` is scratch of component_count. */
static macadam_status number_components(mcd_components *out, mcd_node node_count, uint32_t *number,
                                        mcd_watch *watch, macadam_error *error)
{
    uint32_t next = 0;
    for (mcd_node c = 0; c < out->count; ++c) number[c] = UINT32_MAX, out->size[c] = 0;
    for (mcd_node v = 0; v < node_count; ++v) {
        uint32_t *renamed = &number[out->component[v]];
        MCD_TRY(mcd_watch_item(watch, v, node_count, error));
        if (*renamed == UINT32_MAX) *renamed = next++;
        out->component[v] = *renamed;
        ++out->size[*renamed];
    }
    return MACADAM_OK;
}

/* `is_arrival` may be NULL. */
static macadam_status find_components(mcd_components *out, const mcd_graph *graph, const bool *is_arrival,
                                      mcd_watch *watch, macadam_error *error)
{
    const mcd_node node_count = graph->node_count;
    MCD_FREED_BY(mcd_components_free) mcd_components found = {0};
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {0};
    scc_search search = {.graph = graph, .is_arrival = is_arrival};
    *out = (mcd_components){0};
    MCD_TRY(MCD_ARENA_NEW(&memory, search.low, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, search.open, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, search.path, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, search.next, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, search.index, node_count, error));
    MCD_TRY(MCD_NEW(found.component, node_count, error));
    search.component = found.component;
    for (mcd_node v = 0; v < node_count; ++v) search.index[v] = 0, search.component[v] = UINT32_MAX;
    for (mcd_node v = 0; v < node_count; ++v)
        if (search.index[v] == 0) MCD_TRY(search_from(&search, v, watch, error));
    found.count = search.component_count;
    MCD_TRY(MCD_NEW(found.size, found.count, error));
    MCD_TRY(number_components(&found, node_count, search.open, watch, error));
    return MCD_MOVE(*out, found);
}

macadam_status mcd_components_new(mcd_components *out, const mcd_graph *graph, mcd_watch *watch,
                                  macadam_error *error)
{
    return find_components(out, graph, NULL, watch, error);
}

macadam_status mcd_components_of_junctions(size_t *out, const mcd_graph *graph, const mcd_place_index *places,
                                           mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED bool *is_arrival = NULL;
    MCD_FREED_BY(mcd_components_free) mcd_components components = {0};
    MCD_TRY(MCD_NEW_ZEROED(is_arrival, graph->node_count, error));
    for (size_t i = 0; i < places->id_count; ++i)
        is_arrival[places->arrive[i]] = places->arrive[i] != places->depart[i];
    MCD_TRY(find_components(&components, graph, is_arrival, watch, error));
    *out = components.count;
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_components_free, mcd_components, it->component, it->size)
