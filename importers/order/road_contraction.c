/* road_contraction.c - see road_contraction.h.
 *
 * Method: blind alleys and chains are contracted into one of their ends, in rounds. No least cut changes,
 * because the lightest road of a chain stays. The capacity of a road is the least number of nodes that
 * separate its two junctions. */
#include "importers/order/road_contraction.h"
#include "engine/base/grow.h"

enum {
    CONTRACTED_MAX = 40, /* nodes of contracted junctions, so that pieces stay divisible */
    ROUNDS = 10,         /* of contraction */
};

#define NONE UINT32_MAX

/* ---- graphs ---- */

static macadam_status graph_new(mcd_flow_graph *graph, size_t vertex_count, size_t arc_count,
                                macadam_error *error)
{
    MCD_TRY(MCD_NEW_ZEROED(graph->weight, vertex_count, error));
    MCD_TRY(MCD_NEW(graph->begin, vertex_count, error));
    MCD_TRY(MCD_NEW(graph->end, vertex_count, error));
    MCD_TRY(MCD_NEW(graph->head, arc_count, error));
    MCD_TRY(MCD_NEW(graph->capacity, arc_count, error));
    return MCD_NEW(graph->reverse, arc_count, error);
}

MCD_DEFINE_STATIC_FREE(graph_free, mcd_flow_graph, it->weight, it->begin, it->end, it->head, it->capacity,
                       it->reverse)

/* Gives back the memory of the vertices and arcs that were contracted. */
static macadam_status shrink_graph(mcd_flow_graph *graph, size_t vertex_count, size_t arc_count,
                                   macadam_error *error)
{
    uint32_t **const of_vertex[] = {&graph->weight, &graph->begin, &graph->end},
                     **const of_arc[] = {&graph->head, &graph->capacity, &graph->reverse};
    for (size_t i = 0; i < 3; ++i) {
        MCD_TRY(MCD_SHRINK(*of_vertex[i], vertex_count, error));
        MCD_TRY(MCD_SHRINK(*of_arc[i], arc_count, error));
    }
    return MACADAM_OK;
}

static void swap_graphs(mcd_contraction *run)
{
    const mcd_flow_graph graph = run->graph[0];
    run->graph[0] = run->graph[1];
    run->graph[1] = graph;
}

/* Sorts each list of heads, by transposing the graph into itself. `next` is scratch of vertex_count. */
static macadam_status sort_heads(mcd_contraction *run, uint32_t *next, macadam_error *error)
{
    const mcd_flow_graph *const graph = &run->graph[0], *const sorted = &run->graph[1];
    memcpy(next, graph->begin, run->vertex_count * sizeof *next);
    for (uint32_t v = 0; v < run->vertex_count; ++v) {
        MCD_TRY(mcd_watch_item(run->watch, v, run->vertex_count, error));
        for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k) {
            const uint32_t at = next[graph->head[k]]++;
            sorted->head[at] = v;
            sorted->capacity[at] = graph->capacity[k];
        }
    }
    memcpy(sorted->weight, graph->weight, run->vertex_count * sizeof *sorted->weight);
    memcpy(sorted->begin, graph->begin, run->vertex_count * sizeof *sorted->begin);
    memcpy(sorted->end, graph->end, run->vertex_count * sizeof *sorted->end);
    swap_graphs(run);
    return MACADAM_OK;
}

/* ---- junctions and their roads ---- */

/* Finds the junction from which all arcs into each node come; NONE: there are several, or there is no arc. */
static macadam_status find_sources(uint32_t *source, const mcd_road_graph *map, mcd_watch *watch,
                                   macadam_error *error)
{
    enum { SEVERAL = UINT32_MAX - 1 };
    const size_t node_count = map->node_count;
    for (size_t node = 0; node < node_count; ++node) source[node] = NONE;
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        const uint32_t from = map->junction[map->tail[arc]], head = map->head[arc];
        MCD_TRY(mcd_watch_item(watch, arc, map->arc_count, error));
        if (from == map->junction[head]) continue;
        source[head] = source[head] == NONE || source[head] == from ? from : (uint32_t)SEVERAL;
    }
    for (size_t node = 0; node < node_count; ++node)
        if (source[node] == (uint32_t)SEVERAL) source[node] = NONE;
    return MACADAM_OK;
}

/* Counts one more node that separates the neighbours a and b. Heads ascend. */
static void add_capacity(const mcd_flow_graph *graph, uint32_t a, uint32_t b)
{
    ++graph->capacity[mcd_lower_bound_u32(graph->head, graph->begin[a] + 1, graph->end[a], b + 1) - 1];
}

/* Counts the nodes that separate two neighbours: those at which only their road arrives, if there are any. */
static macadam_status set_capacities(const mcd_contraction *run, const uint32_t *source, macadam_error *error)
{
    const mcd_flow_graph *const graph = &run->graph[0];
    const uint32_t *const junction = run->map->junction;
    memset(graph->capacity, 0, run->arc_count * sizeof *graph->capacity);
    for (size_t node = 0; node < run->node_count; ++node) {
        MCD_TRY(mcd_watch_item(run->watch, node, run->node_count, error));
        if (source[node] == NONE) continue;
        add_capacity(graph, source[node], junction[node]);
        add_capacity(graph, junction[node], source[node]);
    }
    for (uint32_t a = 0; a < run->vertex_count; ++a) {
        MCD_TRY(mcd_watch_item(run->watch, a, run->vertex_count, error));
        for (uint32_t k = graph->begin[a]; k < graph->end[a]; ++k) {
            const uint32_t other = graph->weight[graph->head[k]];
            const uint32_t most = graph->weight[a] < other ? graph->weight[a] : other;
            if (graph->capacity[k] == 0 || graph->capacity[k] > most) graph->capacity[k] = most;
        }
    }
    return MACADAM_OK;
}

/* Makes both graphs, the first one of these neighbours. */
static macadam_status fill_graph(mcd_contraction *run, const mcd_neighbours *list, macadam_error *error)
{
    const mcd_flow_graph *const graph = &run->graph[0];
    run->vertex_count = (uint32_t)list->node_count;
    run->arc_count = list->first[list->node_count];
    for (int i = 0; i < 2; ++i) MCD_TRY(graph_new(&run->graph[i], run->vertex_count, run->arc_count, error));
    for (uint32_t k = 0; k < run->arc_count; ++k) graph->capacity[k] = 1;
    memcpy(graph->begin, list->first, run->vertex_count * sizeof *graph->begin);
    memcpy(graph->end, list->first + 1, run->vertex_count * sizeof *graph->end);
    memcpy(graph->head, list->neighbour, run->arc_count * sizeof *graph->head);
    for (size_t node = 0; node < run->node_count; ++node)
        ++graph->weight[run->map ? run->map->junction[node] : node];
    return MACADAM_OK;
}

static macadam_status fill_junctions(mcd_contraction *run, macadam_error *error)
{
    MCD_FREED_BY(mcd_neighbours_free) mcd_neighbours junctions = {0};
    const mcd_road_graph *const map = run->map;
    MCD_TRY(mcd_neighbours_new(&junctions, map->junction_count, map->junction, map->tail, map->head,
                               map->arc_count, run->watch, error));
    return fill_graph(run, &junctions, error);
}

static macadam_status make_junctions(mcd_contraction *run, macadam_error *error)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    uint32_t *source, *next;
    MCD_TRY(fill_junctions(run, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, source, run->node_count, error));
    MCD_TRY(find_sources(source, run->map, run->watch, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, next, run->vertex_count, error));
    MCD_TRY(sort_heads(run, next, error));
    return set_capacities(run, source, error);
}

/* ---- contraction ---- */

/* Sets into[v] to the neighbour into which v is contracted, along its road of the greatest capacity, or to v
 * itself. No vertex into which another one is contracted is itself contracted. Returns how many are. `weight`
 * is scratch. */
static uint32_t choose_contractions(const mcd_flow_graph *graph, uint32_t vertex_count, uint32_t *into,
                                    uint32_t *weight, uint8_t *stays)
{
    uint32_t count = 0;
    memset(stays, 0, vertex_count);
    memcpy(weight, graph->weight, vertex_count * sizeof *weight);
    for (uint32_t v = 0; v < vertex_count; ++v) into[v] = v;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        const uint32_t begin = graph->begin[v], degree = graph->end[v] - begin;
        if (degree < 1 || degree > 2 || stays[v]) continue;
        const uint32_t other =
            graph->head[begin + (degree == 2 && graph->capacity[begin + 1] > graph->capacity[begin])];
        if (into[other] != other || weight[v] + weight[other] > CONTRACTED_MAX) continue;
        into[v] = other;
        weight[other] += weight[v];
        stays[other] = true;
        ++count;
    }
    return count;
}

/* Numbers the vertices that stay, and gives each other vertex the number of the one into which it is
 * contracted. */
static uint32_t number_contracted(uint32_t *into, uint32_t *number, uint32_t vertex_count)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < vertex_count; ++v)
        if (into[v] == v) number[v] = count++;
    for (uint32_t v = 0; v < vertex_count; ++v)
        if (into[v] != v) number[v] = number[into[v]];
    return count;
}

/* Lists the vertices by their new numbers: member[first[n] .. first[n + 1]). */
static void list_members(const uint32_t *number, uint32_t vertex_count, uint32_t new_count, uint32_t *first,
                         uint32_t *member)
{
    memset(first, 0, ((size_t)new_count + 1) * sizeof *first);
    for (uint32_t v = 0; v < vertex_count; ++v) ++first[number[v]];
    for (uint32_t n = 1; n <= new_count; ++n) first[n] += first[n - 1];
    for (uint32_t v = vertex_count; v-- > 0;) member[--first[number[v]]] = v;
}

/* Builds run->graph[1] of the members, with the capacities of parallel roads added up. `place` is scratch of
 * new_count. */
static macadam_status contract(mcd_contraction *run, const uint32_t *number, uint32_t new_count,
                               const uint32_t *first, const uint32_t *member, uint32_t *place,
                               macadam_error *error)
{
    const mcd_flow_graph *const old = &run->graph[0];
    mcd_flow_graph *const made = &run->graph[1];
    uint32_t kept = 0;
    memset(place, 0xff, new_count * sizeof *place);
    for (uint32_t n = 0; n < new_count; ++n) {
        const uint32_t begin = made->begin[n] = kept;
        MCD_TRY(mcd_watch_item(run->watch, n, new_count, error));
        made->weight[n] = 0;
        for (uint32_t i = first[n]; i < first[n + 1]; ++i) {
            made->weight[n] += old->weight[member[i]];
            for (uint32_t k = old->begin[member[i]]; k < old->end[member[i]]; ++k) {
                const uint32_t head = number[old->head[k]];
                if (head == n) continue;
                if (place[head] == NONE || place[head] < begin) {
                    made->head[kept] = head;
                    made->capacity[kept] = 0;
                    place[head] = kept++;
                }
                made->capacity[place[head]] += old->capacity[k];
            }
        }
        made->end[n] = kept;
    }
    run->arc_count = kept;
    return MACADAM_OK;
}

/* The scratch of contractions: [junctions], except for first: [junctions + 1]. */
typedef struct contraction_scratch {
    uint32_t *vertex; /* of each junction */
    uint32_t *into, *number, *first, *member;
    uint8_t *stays;
} contraction_scratch;

/* Contracts in rounds until hardly any vertex disappears. */
static macadam_status contract_chains(mcd_contraction *run, contraction_scratch *scratch,
                                      macadam_error *error)
{
    for (int round = 0; round < ROUNDS; ++round) {
        const uint32_t count = choose_contractions(&run->graph[0], run->vertex_count, scratch->into,
                                                   scratch->member, scratch->stays);
        MCD_TRY(mcd_watch_step(run->watch, (uint64_t)round, ROUNDS, error));
        if (count <= run->vertex_count / 100) break;
        const uint32_t left = number_contracted(scratch->into, scratch->number, run->vertex_count);
        list_members(scratch->number, run->vertex_count, left, scratch->first, scratch->member);
        MCD_TRY(mcd_watch_step(run->watch, (uint64_t)round, ROUNDS, error));
        MCD_TRY(contract(run, scratch->number, left, scratch->first, scratch->member, scratch->into, error));
        for (size_t junction = 0; junction < run->map->junction_count; ++junction)
            scratch->vertex[junction] = scratch->number[scratch->vertex[junction]];
        run->vertex_count = left;
        swap_graphs(run);
    }
    return MACADAM_OK;
}

/* Numbers the vertices by breadth-first searches, so that neighbours lie close to each other in memory. */
static macadam_status number_in_breadth(const mcd_contraction *run, uint32_t *number, uint32_t *vertex,
                                        macadam_error *error)
{
    const mcd_flow_graph *const graph = &run->graph[0];
    const uint32_t vertex_count = run->vertex_count;
    uint32_t count = 0;
    memset(number, 0xff, vertex_count * sizeof *number);
    for (uint32_t start = vertex_count; start-- > 0;) {
        if (number[start] != NONE) continue;
        uint32_t i = count;
        vertex[number[start] = count++] = start;
        for (; i < count; ++i) {
            MCD_TRY(mcd_watch_item(run->watch, i, vertex_count, error));
            for (uint32_t k = graph->begin[vertex[i]]; k < graph->end[vertex[i]]; ++k)
                if (number[graph->head[k]] == NONE) vertex[number[graph->head[k]] = count++] = graph->head[k];
        }
    }
    return MACADAM_OK;
}

/* Puts the vertices into this order and links the two directions of each arc: heads ascend in each list, and
 * so do the tails over all arcs. `next` is scratch. */
static macadam_status link_arcs(mcd_contraction *run, const uint32_t *number, const uint32_t *vertex,
                                uint32_t *next, macadam_error *error)
{
    const mcd_flow_graph *const old = &run->graph[0], *const graph = &run->graph[1];
    uint32_t arc = 0;
    for (uint32_t n = 0; n < run->vertex_count; ++n) {
        MCD_TRY(mcd_watch_item(run->watch, n, run->vertex_count, error));
        graph->weight[n] = old->weight[vertex[n]];
        graph->begin[n] = next[n] = arc;
        graph->end[n] = arc += old->end[vertex[n]] - old->begin[vertex[n]];
    }
    for (uint32_t n = 0; n < run->vertex_count; ++n) {
        MCD_TRY(mcd_watch_item(run->watch, n, run->vertex_count, error));
        for (uint32_t k = old->begin[vertex[n]]; k < old->end[vertex[n]]; ++k) {
            const uint32_t at = next[number[old->head[k]]]++;
            graph->head[at] = n;
            graph->capacity[at] = old->capacity[k];
        }
    }
    memcpy(next, graph->begin, run->vertex_count * sizeof *next);
    for (uint32_t k = 0; k < arc; ++k) {
        MCD_TRY(mcd_watch_item(run->watch, k, arc, error));
        graph->reverse[k] = next[graph->head[k]]++;
    }
    swap_graphs(run);
    return MACADAM_OK;
}

/* ---- cells ---- */

/* Makes a cell for each contracted vertex, with its last number. */
static macadam_status make_cells(mcd_contraction *run, const contraction_scratch *scratch,
                                 macadam_error *error)
{
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->cell, run->node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->first, (size_t)run->vertex_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->member, run->node_count, error));
    for (size_t node = 0; node < run->node_count; ++node) {
        const size_t junction = run->map ? run->map->junction[node] : node;
        MCD_TRY(mcd_watch_item(run->watch, node, run->node_count, error));
        run->cell[node] = scratch->number[scratch->vertex[junction]];
    }
    list_members(run->cell, (uint32_t)run->node_count, run->vertex_count, run->first, run->member);
    return MACADAM_OK;
}

static macadam_status make_vertices(mcd_contraction *run, macadam_error *error)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    contraction_scratch scratch;
    const size_t count = run->vertex_count;
    MCD_TRY(MCD_ARENA_NEW(&arena, scratch.vertex, count, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, scratch.into, count, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, scratch.number, count, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, scratch.first, count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, scratch.member, count, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, scratch.stays, count, error));
    for (uint32_t v = 0; v < count; ++v) scratch.vertex[v] = v;
    if (run->map) MCD_TRY(contract_chains(run, &scratch, error));
    MCD_TRY(number_in_breadth(run, scratch.number, scratch.member, error));
    MCD_TRY(link_arcs(run, scratch.number, scratch.member, scratch.into, error));
    for (int i = 0; i < 2 && run->map; ++i)
        MCD_TRY(shrink_graph(&run->graph[i], run->vertex_count, run->arc_count, error));
    return make_cells(run, &scratch, error);
}

macadam_status mcd_contraction_new(mcd_contraction *out, const mcd_road_graph *roads,
                                   const mcd_neighbours *nodes, mcd_watch *watch, macadam_error *error)
{
    *out = (mcd_contraction){
        .map = roads, .node_count = roads ? roads->node_count : nodes->node_count, .watch = watch};
    MCD_TRY(roads ? make_junctions(out, error) : fill_graph(out, nodes, error));
    return make_vertices(out, error);
}

void mcd_contraction_free(mcd_contraction *contraction)
{
    graph_free(&contraction->graph[0]);
    graph_free(&contraction->graph[1]);
    mcd_arena_free(&contraction->arena);
    *contraction = (mcd_contraction){0};
}
