/* road_dissection.c - see road_dissection.h.
 *
 * Method: a junction that is split has a node for each road that arrives there. Two parts of such a map are
 * best separated by the nodes of the roads between them, one for each direction, and seldom by all nodes of a
 * junction. So junctions are dissected recursively by cuts through roads (inertial_flow.h). The capacity of a
 * road is the least number of nodes that separate its two junctions. A separator covers the arcs that cross a
 * cut: greedily, nodes with the most such arcs first. Before that, blind alleys and chains are contracted into
 * one of their ends: no least cut changes, because the lightest road of a chain stays.
 * Layout: the nodes of a piece are a range of the order: those of its first side, of its second side, of its
 * separator. Its vertices, contracted junctions, and their arcs are ranges too, and those of its two sides
 * lie within them, in a second graph. A vertex gets a new number there, but its nodes belong to a cell, which
 * keeps its number; so dividing a piece touches only the nodes at the cut.
 * METIS on nodes | this method, both then by minimum degree: time, upward arcs, triangles, height, mean depth:
 *   Milan      1.00 s, 747 k, 4.20 M, 248, 147 | 0.10 s, 737 k, 3.90 M, 250, 143
 *   Malta      0.70 s, 566 k, 2.77 M, 199, 122 | 0.06 s, 560 k, 2.58 M, 181, 114
 *   Heidelberg 0.36 s, 305 k, 1.13 M, 111,  63 | 0.02 s, 301 k, 1.07 M, 110,  59
 * METIS on whole junctions is slower, and its separators are half as large again.
 * Races: none: a task writes only entries of its piece. Of others it reads only `slice` while separators are
 * searched for, and `home` while pieces are divided to the bottom; neither changes meanwhile.
 * (Buchhold, Wagner, Zeitz, Zuendorf 2020, Customizable Contraction Hierarchies with Turn Costs) */
#include "importers/order/road_dissection.h"
#include "engine/base/memory.h"
#include "importers/order/inertial_flow.h"

#include <string.h>

enum {
    CONTRACTED_MAX = 40, /* nodes of contracted junctions, so that pieces stay divisible */
    ROUNDS = 10,         /* of contraction */
    PIECE_NODES = 100,   /* smaller pieces are left to minimum degree */
    PIECE_VERTICES = 3,  /* likewise */
    PIECES = 16,         /* of a level, for as many threads; one thread then divides each to the bottom */
    CROSSINGS_MAX = 16,  /* further crossings are not distinguished */
};

#define NONE UINT32_MAX

enum { FIRST, SECOND, SIDES };

struct mcd_dissection {
    const mcd_road_graph *map;
    const mcd_neighbours *nodes; /* the neighbours of each node */
    size_t node_count;
    mcd_node *order;
    uint32_t *block_end;
    uint32_t vertex_count, arc_count; /* of the contracted graph */
    mcd_flow_graph graph[2]; /* of the pieces at even and at odd levels; during contraction: before and
                              * after */
    mcd_bisector *bisector;
    uint32_t *cell;       /* [node_count] of each node: the vertex that first stood for it */
    uint32_t *first;      /* [vertex_count + 1] a cell's nodes are member[first[cell] .. first[cell + 1]) */
    mcd_node *member;     /* [node_count] */
    uint32_t *cell_of[2]; /* [vertex_count] of the vertices of graph[0] and graph[1] */
    uint32_t *vertex;     /* [vertex_count] the vertex that now stands for each cell */
    uint32_t *slice;      /* [vertex_count] first_node of a cell's piece */
    uint32_t *home;       /* [vertex_count] first_node of the piece that one thread divides to the bottom; 0
                         * before */
    bool *separates;      /* [node_count] whether a node is on a separator */
    uint32_t *crossing;   /* [node_count] arcs to the other side that are not covered yet */
    mcd_node *candidate;  /* [node_count] scratch of each range of the order */
    uint32_t *new_vertex; /* [vertex_count] scratch */
    uint32_t *new_arc;    /* [arc_count] scratch */
};

/* The pieces of one level. */
typedef struct dissection_level {
    mcd_dissection *run;
    const mcd_flow_graph *graph, *next_graph;
    uint32_t *cell, *next_cell; /* of the pieces' vertices */
    const uint8_t *side;        /* of the vertices */
    mcd_flow_piece piece[PIECES], part[2 * PIECES];
    size_t count;
    unsigned depth;
} dissection_level;

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

static void graph_free(mcd_flow_graph *graph)
{
    mcd_free(graph->weight);
    mcd_free(graph->begin);
    mcd_free(graph->end);
    mcd_free(graph->head);
    mcd_free(graph->capacity);
    mcd_free(graph->reverse);
    *graph = (mcd_flow_graph){0};
}

static void swap_graphs(mcd_dissection *run)
{
    const mcd_flow_graph graph = run->graph[0];
    run->graph[0] = run->graph[1];
    run->graph[1] = graph;
}

/* Sorts each list of heads, by transposing the graph into itself. `next` is scratch of vertex_count. */
static void sort_heads(mcd_dissection *run, uint32_t *next)
{
    const mcd_flow_graph *const graph = &run->graph[0], *const sorted = &run->graph[1];
    memcpy(next, graph->begin, run->vertex_count * sizeof *next);
    for (uint32_t v = 0; v < run->vertex_count; ++v)
        for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k) {
            const uint32_t at = next[graph->head[k]]++;
            sorted->head[at] = v;
            sorted->capacity[at] = graph->capacity[k];
        }
    memcpy(sorted->weight, graph->weight, run->vertex_count * sizeof *sorted->weight);
    memcpy(sorted->begin, graph->begin, run->vertex_count * sizeof *sorted->begin);
    memcpy(sorted->end, graph->end, run->vertex_count * sizeof *sorted->end);
    swap_graphs(run);
}

/* ---- junctions and their roads ---- */

/* Finds the junction from which all arcs into each node come; NONE: there are several, or there is no arc. */
static macadam_status find_sources(uint32_t **out, const mcd_road_graph *map, macadam_error *error)
{
    enum { SEVERAL = UINT32_MAX - 1 };
    const size_t node_count = map->node_count;
    MCD_TRY(MCD_NEW(*out, node_count, error));
    uint32_t *const source = *out;
    for (size_t node = 0; node < node_count; ++node) source[node] = NONE;
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        const uint32_t from = map->junction[map->tail[arc]], head = map->head[arc];
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
    uint32_t low = graph->begin[a], high = graph->end[a];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (graph->head[middle] <= b)
            low = middle;
        else
            high = middle;
    }
    ++graph->capacity[low];
}

/* Counts the nodes that separate two neighbours: those at which only their road arrives, if there are any. */
static void set_capacities(const mcd_dissection *run, const uint32_t *source)
{
    const mcd_flow_graph *const graph = &run->graph[0];
    const uint32_t *const junction = run->map->junction;
    memset(graph->capacity, 0, run->arc_count * sizeof *graph->capacity);
    for (size_t node = 0; node < run->node_count; ++node) {
        if (source[node] == NONE) continue;
        add_capacity(graph, source[node], junction[node]);
        add_capacity(graph, junction[node], source[node]);
    }
    for (uint32_t a = 0; a < run->vertex_count; ++a)
        for (uint32_t k = graph->begin[a]; k < graph->end[a]; ++k) {
            const uint32_t other = graph->weight[graph->head[k]];
            const uint32_t most = graph->weight[a] < other ? graph->weight[a] : other;
            if (graph->capacity[k] == 0 || graph->capacity[k] > most) graph->capacity[k] = most;
        }
}

static macadam_status find_roads(mcd_neighbours *out, const mcd_road_graph *map, macadam_error *error)
{
    mcd_node *tail = NULL, *head = NULL;
    macadam_status status = MCD_NEW(tail, map->arc_count, error);
    if (status == MACADAM_OK) status = MCD_NEW(head, map->arc_count, error);
    if (status == MACADAM_OK) {
        for (size_t arc = 0; arc < map->arc_count; ++arc) {
            tail[arc] = map->junction[map->tail[arc]];
            head[arc] = map->junction[map->head[arc]];
        }
        status = mcd_neighbours_new(out, map->junction_count, tail, head, map->arc_count, error);
    }
    mcd_free(tail);
    mcd_free(head);
    return status;
}

static macadam_status fill_junctions(mcd_dissection *run, const mcd_neighbours *junctions,
                                     macadam_error *error)
{
    mcd_flow_graph *const graph = &run->graph[0];
    run->vertex_count = (uint32_t)run->map->junction_count;
    run->arc_count = junctions->first[run->vertex_count];
    MCD_TRY(graph_new(graph, run->vertex_count, run->arc_count, error));
    MCD_TRY(graph_new(&run->graph[1], run->vertex_count, run->arc_count, error));
    for (size_t node = 0; node < run->node_count; ++node) ++graph->weight[run->map->junction[node]];
    memset(graph->capacity, 0, run->arc_count * sizeof *graph->capacity);
    memcpy(graph->begin, junctions->first, run->vertex_count * sizeof *graph->begin);
    memcpy(graph->end, junctions->first + 1, run->vertex_count * sizeof *graph->end);
    memcpy(graph->head, junctions->neighbour, run->arc_count * sizeof *graph->head);
    return MACADAM_OK;
}

static macadam_status make_junctions(mcd_dissection *run, macadam_error *error)
{
    mcd_neighbours junctions = {0};
    uint32_t *source = NULL, *next = NULL;
    macadam_status status = find_roads(&junctions, run->map, error);
    if (status == MACADAM_OK) status = fill_junctions(run, &junctions, error);
    mcd_neighbours_free(&junctions);
    if (status == MACADAM_OK) status = find_sources(&source, run->map, error);
    if (status == MACADAM_OK) status = MCD_NEW(next, run->vertex_count, error);
    if (status == MACADAM_OK) {
        sort_heads(run, next);
        set_capacities(run, source);
    }
    mcd_free(source);
    mcd_free(next);
    return status;
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
static void contract(mcd_dissection *run, const uint32_t *number, uint32_t new_count, const uint32_t *first,
                     const uint32_t *member, uint32_t *place)
{
    const mcd_flow_graph *const old = &run->graph[0];
    mcd_flow_graph *const made = &run->graph[1];
    uint32_t kept = 0;
    memset(place, 0xff, new_count * sizeof *place);
    for (uint32_t n = 0; n < new_count; ++n) {
        const uint32_t begin = made->begin[n] = kept;
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
}

/* The scratch of contractions: [junctions], except for first: [junctions + 1]. */
typedef struct contraction {
    uint32_t *vertex; /* of each junction */
    uint32_t *into, *number, *first, *member;
    uint8_t *stays;
} contraction;

static macadam_status contraction_new(contraction *scratch, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_NEW(scratch->vertex, count, error));
    MCD_TRY(MCD_NEW(scratch->into, count, error));
    MCD_TRY(MCD_NEW(scratch->number, count, error));
    MCD_TRY(MCD_NEW(scratch->first, count + 1, error));
    MCD_TRY(MCD_NEW(scratch->member, count, error));
    return MCD_NEW(scratch->stays, count, error);
}

static void contraction_free(contraction *scratch)
{
    mcd_free(scratch->vertex);
    mcd_free(scratch->into);
    mcd_free(scratch->number);
    mcd_free(scratch->first);
    mcd_free(scratch->member);
    mcd_free(scratch->stays);
}

/* Contracts in rounds until hardly any vertex disappears. */
static macadam_status contract_chains(mcd_dissection *run, contraction *scratch, macadam_error *error)
{
    MCD_TRY(contraction_new(scratch, run->vertex_count, error));
    for (uint32_t v = 0; v < run->vertex_count; ++v) scratch->vertex[v] = v;
    for (int round = 0; round < ROUNDS; ++round) {
        const uint32_t count = choose_contractions(&run->graph[0], run->vertex_count, scratch->into,
                                                   scratch->member, scratch->stays);
        if (count <= run->vertex_count / 100) break;
        const uint32_t left = number_contracted(scratch->into, scratch->number, run->vertex_count);
        list_members(scratch->number, run->vertex_count, left, scratch->first, scratch->member);
        contract(run, scratch->number, left, scratch->first, scratch->member, scratch->into);
        for (size_t junction = 0; junction < run->map->junction_count; ++junction)
            scratch->vertex[junction] = scratch->number[scratch->vertex[junction]];
        run->vertex_count = left;
        swap_graphs(run);
    }
    return MACADAM_OK;
}

/* Numbers the vertices by breadth-first searches, so that neighbours lie close to each other in memory. */
static void number_in_breadth(const mcd_flow_graph *graph, uint32_t vertex_count, uint32_t *number,
                              uint32_t *vertex)
{
    uint32_t count = 0;
    memset(number, 0xff, vertex_count * sizeof *number);
    for (uint32_t start = vertex_count; start-- > 0;) {
        if (number[start] != NONE) continue;
        uint32_t i = count;
        vertex[number[start] = count++] = start;
        for (; i < count; ++i)
            for (uint32_t k = graph->begin[vertex[i]]; k < graph->end[vertex[i]]; ++k)
                if (number[graph->head[k]] == NONE) vertex[number[graph->head[k]] = count++] = graph->head[k];
    }
}

/* Puts the vertices into this order and links the two directions of each arc: heads ascend in each list, and
 * so do the tails over all arcs. `next` is scratch. */
static void link_arcs(mcd_dissection *run, const uint32_t *number, const uint32_t *vertex, uint32_t *next)
{
    const mcd_flow_graph *const old = &run->graph[0], *const graph = &run->graph[1];
    uint32_t arc = 0;
    for (uint32_t n = 0; n < run->vertex_count; ++n) {
        graph->weight[n] = old->weight[vertex[n]];
        graph->begin[n] = next[n] = arc;
        graph->end[n] = arc += old->end[vertex[n]] - old->begin[vertex[n]];
    }
    for (uint32_t n = 0; n < run->vertex_count; ++n)
        for (uint32_t k = old->begin[vertex[n]]; k < old->end[vertex[n]]; ++k) {
            const uint32_t at = next[number[old->head[k]]]++;
            graph->head[at] = n;
            graph->capacity[at] = old->capacity[k];
        }
    memcpy(next, graph->begin, run->vertex_count * sizeof *next);
    for (uint32_t k = 0; k < arc; ++k) graph->reverse[k] = next[graph->head[k]]++;
    swap_graphs(run);
}

/* ---- separators ---- */

/* Returns whether an arc crosses the cut: an arc between a cell's node that is on no separator and
 * `other`. */
static bool is_across(const dissection_level *level, uint32_t cell, mcd_node other)
{
    const mcd_dissection *const run = level->run;
    const uint32_t there = run->cell[other];
    return run->home[there] == run->home[cell] && run->slice[there] == run->slice[cell] &&
           level->side[run->vertex[there]] != level->side[run->vertex[cell]] && !run->separates[other];
}

static uint32_t count_crossings(const dissection_level *level, mcd_node node)
{
    const mcd_neighbours *const graph = level->run->nodes;
    const uint32_t cell = level->run->cell[node];
    uint32_t count = 0;
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; ++k)
        count += is_across(level, cell, graph->neighbour[k]);
    return count;
}

static bool is_at_cut(const dissection_level *level, uint32_t v)
{
    const mcd_flow_graph *const graph = level->graph;
    bool at_cut = false;
    for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k)
        at_cut |= level->side[graph->head[k]] != level->side[v];
    return at_cut;
}

/* Keeps the list ascending: of equals the lowest node wins, which makes the best separators. */
static void insert_node(mcd_node *list, uint32_t count, mcd_node node)
{
    for (; count > 0 && list[count - 1] > node; --count) list[count] = list[count - 1];
    list[count] = node;
}

/* Lists the piece's nodes that have an arc to the other side. */
static uint32_t find_crossings(const dissection_level *level, const mcd_flow_piece *piece,
                               mcd_node *candidate)
{
    const mcd_dissection *const run = level->run;
    uint32_t count = 0;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v) {
        if (!is_at_cut(level, v)) continue;
        const uint32_t cell = level->cell[v];
        for (uint32_t i = run->first[cell]; i < run->first[cell + 1]; ++i) {
            const mcd_node node = run->member[i];
            if (run->separates[node]) continue;
            run->crossing[node] = count_crossings(level, node);
            if (run->crossing[node] > 0) insert_node(candidate, count++, node);
        }
    }
    return count;
}

static void cover(const dissection_level *level, mcd_node node)
{
    const mcd_dissection *const run = level->run;
    const mcd_neighbours *const graph = run->nodes;
    const uint32_t cell = run->cell[node];
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; ++k)
        if (is_across(level, cell, graph->neighbour[k])) --run->crossing[graph->neighbour[k]];
    run->separates[node] = true;
    --level->graph->weight[run->vertex[cell]];
}

/* Moves the separator to the end of the piece's range of the order. */
static void separate_piece(void *argument, size_t index, unsigned worker)
{
    const dissection_level *const level = argument;
    const mcd_dissection *const run = level->run;
    const mcd_flow_piece *const piece = &level->piece[index];
    mcd_node *const node = run->candidate + piece->first_node;
    const uint32_t count = find_crossings(level, piece, node);
    uint32_t rank = piece->first_node + piece->node_count;
    (void)worker;
    for (uint32_t least = CROSSINGS_MAX; least > 0; --least)
        for (uint32_t i = 0; i < count; ++i)
            if (!run->separates[node[i]] && run->crossing[node[i]] >= least) cover(level, node[i]);
    for (uint32_t i = 0; i < count; ++i)
        if (run->separates[node[i]]) run->order[--rank] = node[i];
}

/* ---- pieces ---- */

/* Numbers the vertices of a side from `next` on; returns for how many nodes they stand. */
static uint32_t number_side(const dissection_level *level, const mcd_flow_piece *piece, uint8_t side,
                            uint32_t *next)
{
    const mcd_dissection *const run = level->run;
    uint32_t node_count = 0;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v) {
        if (level->side[v] != side) continue;
        const uint32_t cell = level->cell[v];
        level->next_graph->weight[*next] = level->graph->weight[v];
        level->next_cell[*next] = cell;
        run->new_vertex[v] = run->vertex[cell] = (*next)++;
        node_count += level->graph->weight[v];
    }
    return node_count;
}

/* Copies the arcs within a side to the next graph, from `next` on. Returns where they end. */
static uint32_t copy_arcs(const dissection_level *level, const mcd_flow_piece *piece, uint8_t side,
                          uint32_t next)
{
    const mcd_flow_graph *const graph = level->graph, *const copy = level->next_graph;
    const uint32_t *const number = level->run->new_vertex;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v) {
        if (level->side[v] != side) continue;
        copy->begin[number[v]] = next;
        for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k) {
            const uint32_t head = graph->head[k];
            if (level->side[head] != side) continue;
            copy->head[next] = number[head];
            copy->capacity[next] = graph->capacity[k];
            copy->reverse[next] = graph->reverse[k]; /* still in the old numbers */
            level->run->new_arc[k] = next++;
        }
        copy->end[number[v]] = next;
    }
    return next;
}

static void set_slices(const dissection_level *level, const mcd_flow_piece *part)
{
    for (uint32_t v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v)
        level->run->slice[level->next_cell[v]] = part->first_node;
}

static void divide_piece(void *argument, size_t index, unsigned worker)
{
    dissection_level *const level = argument;
    const mcd_flow_piece *const piece = &level->piece[index];
    mcd_flow_piece *const part = &level->part[2 * index];
    uint32_t vertex = piece->first_vertex, arc = piece->first_arc, node = piece->first_node;
    (void)worker;
    for (uint8_t side = FIRST; side < SIDES; ++side) {
        part[side] = (mcd_flow_piece){.first_vertex = vertex, .first_arc = arc, .first_node = node};
        part[side].node_count = number_side(level, piece, side, &vertex);
        part[side].vertex_count = vertex - part[side].first_vertex;
        arc = copy_arcs(level, piece, side, arc);
        node += part[side].node_count;
    }
    for (uint32_t k = piece->first_arc; k < arc; ++k)
        level->next_graph->reverse[k] = level->run->new_arc[level->next_graph->reverse[k]];
    for (uint8_t side = FIRST; side < SIDES; ++side) set_slices(level, &part[side]);
}

static bool is_divisible(const mcd_flow_piece *piece)
{
    return piece->node_count > PIECE_NODES && piece->vertex_count > PIECE_VERTICES;
}

/* Divides the pieces of a level into their parts. */
static void divide(dissection_level *level, const mcd_parallel *parallel)
{
    mcd_dissection *const run = level->run;
    level->graph = &run->graph[level->depth % 2], level->cell = run->cell_of[level->depth % 2];
    level->next_graph = &run->graph[(level->depth + 1) % 2];
    level->next_cell = run->cell_of[(level->depth + 1) % 2];
    level->side = mcd_bisect(run->bisector, level->graph, level->piece, level->count, parallel);
    mcd_parallel_for(parallel, level->count, separate_piece, level);
    mcd_parallel_for(parallel, level->count, divide_piece, level);
}

/* The largest pieces come first, so that threads finish the last ones at about the same time. */
static void insert_piece(dissection_level *level, const mcd_flow_piece *piece)
{
    size_t at = level->count++;
    for (; at > 0 && level->piece[at - 1].node_count < piece->node_count; --at)
        level->piece[at] = level->piece[at - 1];
    level->piece[at] = *piece;
}

/* Continues with the divisible parts, which are the pieces of the next level. */
static void descend(dissection_level *level)
{
    const size_t part_count = 2 * level->count;
    level->count = 0;
    for (size_t i = 0; i < part_count; ++i)
        if (is_divisible(&level->part[i])) insert_piece(level, &level->part[i]);
    ++level->depth;
}

static size_t nodes_of(const dissection_level *level)
{
    size_t count = 0;
    for (size_t i = 0; i < level->count; ++i) count += level->piece[i].node_count;
    return count;
}

/* Divides one piece down to the bottom. */
static void dissect_piece(mcd_dissection *run, const mcd_flow_piece *piece, unsigned depth)
{
    static const mcd_parallel one_thread = {.thread_count = 1};
    dissection_level level = {.run = run, .piece = {*piece}, .count = 1, .depth = depth};
    divide(&level, &one_thread);
    for (int side = FIRST; side <= SECOND; ++side)
        if (is_divisible(&level.part[side])) dissect_piece(run, &level.part[side], depth + 1);
}

static void dissect_below(void *argument, size_t index, unsigned worker)
{
    const dissection_level *const level = argument;
    (void)worker;
    dissect_piece(level->run, &level->piece[index], level->depth);
}

/* Writes the nodes that are on no separator, ascending, into their piece's range of the order. */
static void list_nodes(mcd_dissection *run)
{
    uint32_t *const next = run->block_end; /* temporarily, where each piece's next node goes */
    for (uint32_t rank = 0; rank < run->node_count; ++rank) next[rank] = rank;
    for (mcd_node node = 0; node < run->node_count; ++node)
        if (!run->separates[node]) run->order[next[run->slice[run->cell[node]]]++] = node;
}

macadam_status mcd_dissection_run(mcd_dissection *run, const mcd_neighbours *graph, mcd_node *order,
                                  uint32_t *block_end, const mcd_parallel *parallel,
                                  const mcd_progress *progress, macadam_error *error)
{
    run->nodes = graph, run->order = order, run->block_end = block_end;
    dissection_level level = {.run = run, .count = 1};
    level.piece[0] =
        (mcd_flow_piece){.vertex_count = run->vertex_count, .node_count = (uint32_t)run->node_count};
    if (!is_divisible(&level.piece[0])) level.count = 0;
    while (level.count > 0 && 2 * level.count <= PIECES) {
        divide(&level, parallel);
        descend(&level);
        MCD_TRY(mcd_progress_step(progress, "ordering nodes", run->node_count - nodes_of(&level),
                                  run->node_count, error));
    }
    memcpy(run->home, run->slice, run->vertex_count * sizeof *run->home);
    mcd_watch watch = mcd_watch_of(progress, "ordering nodes");
    MCD_TRY(mcd_watch_for(&watch, parallel, level.count, dissect_below, &level, error));
    list_nodes(run);
    return MACADAM_OK;
}

/* ---- the contracted map ---- */

static macadam_status allocate(mcd_dissection *run, macadam_error *error)
{
    MCD_TRY(MCD_NEW(run->cell, run->node_count, error));
    MCD_TRY(MCD_NEW(run->first, (size_t)run->vertex_count + 1, error));
    MCD_TRY(MCD_NEW(run->member, run->node_count, error));
    MCD_TRY(MCD_NEW(run->cell_of[0], run->vertex_count, error));
    MCD_TRY(MCD_NEW(run->cell_of[1], run->vertex_count, error));
    MCD_TRY(MCD_NEW(run->vertex, run->vertex_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->slice, run->vertex_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->home, run->vertex_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->separates, run->node_count, error));
    MCD_TRY(MCD_NEW(run->crossing, run->node_count, error));
    MCD_TRY(MCD_NEW(run->candidate, run->node_count, error));
    MCD_TRY(MCD_NEW(run->new_vertex, run->vertex_count, error));
    MCD_TRY(MCD_NEW(run->new_arc, run->arc_count, error));
    return mcd_bisector_new(&run->bisector, run->vertex_count, run->arc_count, error);
}

/* Makes a cell for each contracted vertex, with its last number. */
static void fill_cells(mcd_dissection *run, const uint32_t *vertex_of_junction, const uint32_t *number)
{
    for (size_t node = 0; node < run->node_count; ++node)
        run->cell[node] = number[vertex_of_junction[run->map->junction[node]]];
    list_members(run->cell, (uint32_t)run->node_count, run->vertex_count, run->first, run->member);
    for (uint32_t v = 0; v < run->vertex_count; ++v) run->vertex[v] = run->cell_of[0][v] = v;
}

static macadam_status prepare(mcd_dissection *run, macadam_error *error)
{
    contraction scratch = {0};
    MCD_TRY(make_junctions(run, error));
    macadam_status status = contract_chains(run, &scratch, error);
    if (status == MACADAM_OK) status = allocate(run, error);
    if (status == MACADAM_OK) {
        number_in_breadth(&run->graph[0], run->vertex_count, scratch.number, scratch.member);
        link_arcs(run, scratch.number, scratch.member, scratch.into);
        fill_cells(run, scratch.vertex, scratch.number);
    }
    contraction_free(&scratch);
    return status;
}

macadam_status mcd_dissection_new(mcd_dissection **out, const mcd_road_graph *roads, macadam_error *error)
{
    *out = NULL;
    mcd_dissection *run;
    MCD_TRY(MCD_NEW_ZEROED(run, 1, error));
    run->map = roads, run->node_count = roads->node_count;
    const macadam_status status = prepare(run, error);
    if (status != MACADAM_OK) mcd_dissection_free(run), run = NULL;
    *out = run;
    return status;
}

void mcd_dissection_free(mcd_dissection *run)
{
    if (!run) return;
    void *const array[] = {run->cell,      run->first,      run->member, run->cell_of[0], run->cell_of[1],
                           run->vertex,    run->slice,      run->home,   run->separates,  run->crossing,
                           run->candidate, run->new_vertex, run->new_arc};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; ++i) mcd_free(array[i]);
    graph_free(&run->graph[0]);
    graph_free(&run->graph[1]);
    mcd_bisector_free(run->bisector);
    mcd_free(run);
}
