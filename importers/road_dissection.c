/* road_dissection.c - see road_dissection.h.
 *
 * Method: a junction that is split has a node for each road that arrives there. What separates two parts of
 * such a map best is the nodes of the roads between them, one for each direction, and seldom all nodes of a
 * junction. So junctions are dissected by cuts through roads, recursively: the graph of the junctions has the
 * least number of nodes that separate two of them as the capacity of their road (inertial_flow.h cuts it). A
 * separator covers the arcs that cross a cut: greedily, nodes with the most such arcs first.
 * Before that, blind alleys and chains are contracted into one of their ends: no least cut changes, as the
 * lightest road of a chain stays.
 * Layout: the nodes of a piece are a range of the order: those of its first side, of its second side, of its
 * separator. Its vertices, contracted junctions, and their arcs are ranges too, and those of its two sides
 * lie within them, in a second graph.
 * METIS on the nodes | this method, each with minimum degree behind: processor time, upward arcs, triangles,
 * height and mean depth of the elimination tree:
 *   Milan      1.00 s, 747 k, 4.20 M, 248, 147 | 0.30 s, 738 k, 3.96 M, 260, 144
 *   Malta      0.70 s, 566 k, 2.77 M, 199, 122 | 0.14 s, 561 k, 2.60 M, 183, 114
 *   Heidelberg 0.36 s, 305 k, 1.13 M, 111,  63 | 0.06 s, 301 k, 1.06 M, 110,  59
 * METIS on junctions, whole ones, is as fast, but its separators are half as large again.
 * Races: none: a task writes what belongs to the nodes and vertices of its piece, and reads no others' but,
 * while separators are sought, `slice`, and, while pieces are divided to the bottom, `home`, which stay then.
 * (Buchhold, Wagner, Zeitz, Zuendorf 2020, Customizable Contraction Hierarchies with Turn Costs) */
#include "importers/road_dissection.h"
#include "engine/memory.h"
#include "importers/inertial_flow.h"

#include <string.h>

enum {
    CONTRACTED_MAX = 40, /* nodes of contracted junctions, so that pieces stay divisible */
    ROUNDS = 10,         /* of contraction */
    PIECE_NODES = 100,   /* a piece of so many is left to minimum degree */
    PIECE_VERTICES = 3,  /* likewise */
    PIECES = 16,         /* of a level, for as many threads; each is then divided to the bottom by one */
    CROSSINGS_MAX = 16,  /* more are not told apart */
};

#define NONE UINT32_MAX

enum { FIRST, SECOND, SEPARATOR, SIDES };

typedef struct dissection {
    const mcd_split_map *map;
    size_t node_count;
    mcd_node *order;
    uint32_t vertex_count, arc_count; /* of the contracted graph */
    mcd_flow_graph graph[2]; /* of the pieces at even and at odd levels; contraction: before, after */
    mcd_bisector *bisector;
    uint32_t *vertex;     /* [node_count] of each node */
    uint32_t *slice;      /* [node_count] first_node of a node's piece; NONE: it is on a separator */
    uint32_t *home;       /* [node_count] that of the piece that one thread divides to the bottom; 0 before */
    uint32_t *crossing;   /* [node_count] arcs to the other side that are not covered yet */
    uint8_t *side;        /* [node_count] */
    mcd_node *moved;      /* [node_count] scratch of each range of the order */
    uint32_t *new_vertex; /* [vertex_count] scratch */
    uint32_t *new_arc;    /* [arc_count] scratch */
} dissection;

/* The pieces of one level. */
typedef struct dissection_level {
    dissection *run;
    const mcd_flow_graph *graph, *next_graph;
    const uint8_t *vertex_side;
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

static void swap_graphs(dissection *run)
{
    const mcd_flow_graph graph = run->graph[0];
    run->graph[0] = run->graph[1];
    run->graph[1] = graph;
}

/* Sorts each list of heads, by transposing the graph into itself. `next` is scratch of vertex_count. */
static void sort_heads(dissection *run, uint32_t *next)
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

/* The junction that all arcs into each node come from; NONE: there are several, or there is no arc. */
static macadam_status find_sources(uint32_t **out, const mcd_split_map *map, macadam_error *error)
{
    enum { SEVERAL = UINT32_MAX - 1 };
    const size_t node_count = map->graph->node_count;
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

/* One more node separates a and b, which are neighbours. Heads ascend. */
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

/* The nodes that separate two neighbours: those that their road alone arrives at, if there are such. */
static void set_capacities(const dissection *run, const uint32_t *source)
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

static macadam_status find_roads(mcd_neighbours *out, const mcd_split_map *map, macadam_error *error)
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

static macadam_status fill_junctions(dissection *run, const mcd_neighbours *junctions, macadam_error *error)
{
    mcd_flow_graph *const graph = &run->graph[0];
    run->vertex_count = (uint32_t)run->map->junction_count;
    run->arc_count = junctions->first[run->vertex_count];
    MCD_TRY(graph_new(graph, run->vertex_count, run->arc_count, error));
    MCD_TRY(graph_new(&run->graph[1], run->vertex_count, run->arc_count, error));
    for (size_t node = 0; node < run->node_count; ++node) {
        run->vertex[node] = run->map->junction[node];
        ++graph->weight[run->vertex[node]];
    }
    memset(graph->capacity, 0, run->arc_count * sizeof *graph->capacity);
    memcpy(graph->begin, junctions->first, run->vertex_count * sizeof *graph->begin);
    memcpy(graph->end, junctions->first + 1, run->vertex_count * sizeof *graph->end);
    memcpy(graph->head, junctions->neighbour, run->arc_count * sizeof *graph->head);
    return MACADAM_OK;
}

static macadam_status make_junctions(dissection *run, macadam_error *error)
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

/* into[v]: the neighbour that v is contracted into, along its road of the greatest capacity, or v itself. No
 * vertex that another one is contracted into goes away. Returns how many do. `weight` is scratch. */
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

/* Numbers the vertices that stay, and gives the others the number of what they go into. */
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

/* Builds run->graph[1] of the members, parallel roads added up. `place` is scratch of new_count. */
static void contract(dissection *run, const uint32_t *number, uint32_t new_count, const uint32_t *first,
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

/* The scratch of contractions: [junctions], but first: [junctions + 1]. */
typedef struct contraction {
    uint32_t *into, *number, *first, *member;
    uint8_t *stays;
} contraction;

static macadam_status contraction_new(contraction *scratch, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_NEW(scratch->into, count, error));
    MCD_TRY(MCD_NEW(scratch->number, count, error));
    MCD_TRY(MCD_NEW(scratch->first, count + 1, error));
    MCD_TRY(MCD_NEW(scratch->member, count, error));
    return MCD_NEW(scratch->stays, count, error);
}

static void contraction_free(contraction *scratch)
{
    mcd_free(scratch->into);
    mcd_free(scratch->number);
    mcd_free(scratch->first);
    mcd_free(scratch->member);
    mcd_free(scratch->stays);
}

/* Contracts in rounds until hardly a vertex goes. */
static macadam_status contract_chains(dissection *run, contraction *scratch, macadam_error *error)
{
    MCD_TRY(contraction_new(scratch, run->vertex_count, error));
    for (int round = 0; round < ROUNDS; ++round) {
        const uint32_t count = choose_contractions(&run->graph[0], run->vertex_count, scratch->into,
                                                   scratch->member, scratch->stays);
        if (count <= run->vertex_count / 100) break;
        const uint32_t left = number_contracted(scratch->into, scratch->number, run->vertex_count);
        list_members(scratch->number, run->vertex_count, left, scratch->first, scratch->member);
        contract(run, scratch->number, left, scratch->first, scratch->member, scratch->into);
        for (size_t node = 0; node < run->node_count; ++node)
            run->vertex[node] = scratch->number[run->vertex[node]];
        run->vertex_count = left;
        swap_graphs(run);
    }
    return MACADAM_OK;
}

/* Links the two directions of each arc. Heads ascend in each list, and so do the tails over all arcs. */
static void link_arcs(dissection *run, uint32_t *next)
{
    sort_heads(run, next);
    memcpy(next, run->graph[0].begin, run->vertex_count * sizeof *next);
    for (uint32_t k = 0; k < run->arc_count; ++k) run->graph[0].reverse[k] = next[run->graph[0].head[k]]++;
}

/* ---- separators ---- */

static bool is_across(const dissection *run, mcd_node node, mcd_node other)
{
    return run->home[other] == run->home[node] && run->slice[other] == run->slice[node] &&
           run->side[other] != SEPARATOR && run->side[other] != run->side[node];
}

static void cover(dissection *run, mcd_node node)
{
    const mcd_neighbours *const graph = run->map->graph;
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; ++k)
        if (is_across(run, node, graph->neighbour[k])) --run->crossing[graph->neighbour[k]];
    run->side[node] = SEPARATOR;
}

/* at_cut[vertex]: whether an arc from there crosses the cut. */
static void find_cut(const dissection_level *level, const mcd_flow_piece *piece, uint32_t *at_cut)
{
    const mcd_flow_graph *const graph = level->graph;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v) {
        at_cut[v] = false;
        for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k)
            at_cut[v] |= level->vertex_side[graph->head[k]] != level->vertex_side[v];
    }
}

static uint32_t count_crossings(const dissection *run, mcd_node node)
{
    const mcd_neighbours *const graph = run->map->graph;
    uint32_t count = 0;
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; ++k)
        count += is_across(run, node, graph->neighbour[k]);
    return count;
}

/* Gives the piece's nodes their sides and lists in run->moved those with an arc across. */
static uint32_t find_crossings(const dissection_level *level, const mcd_flow_piece *piece)
{
    dissection *const run = level->run;
    uint32_t *const at_cut = run->new_vertex; /* which is not in use yet */
    const mcd_node *const node = run->order + piece->first_node;
    uint32_t count = 0;
    find_cut(level, piece, at_cut);
    for (uint32_t i = 0; i < piece->node_count; ++i)
        run->side[node[i]] = level->vertex_side[run->vertex[node[i]]];
    for (uint32_t i = 0; i < piece->node_count; ++i) {
        run->crossing[node[i]] = at_cut[run->vertex[node[i]]] ? count_crossings(run, node[i]) : 0;
        if (run->crossing[node[i]] > 0) run->moved[piece->first_node + count++] = node[i];
    }
    return count;
}

static void separate_piece(void *argument, size_t index, unsigned worker)
{
    const dissection_level *const level = argument;
    dissection *const run = level->run;
    const mcd_flow_piece *const piece = &level->piece[index];
    const mcd_node *const node = run->moved + piece->first_node;
    const uint32_t count = find_crossings(level, piece);
    (void)worker;
    for (uint32_t least = CROSSINGS_MAX; least > 0; --least)
        for (uint32_t i = 0; i < count; ++i)
            if (run->side[node[i]] != SEPARATOR && run->crossing[node[i]] >= least) cover(run, node[i]);
}

/* ---- pieces ---- */

/* Sorts the piece's nodes by side; size[side] = how many there are. */
static void sort_nodes(dissection *run, const mcd_flow_piece *piece, uint32_t size[SIDES])
{
    mcd_node *const node = run->order + piece->first_node, *const moved = run->moved + piece->first_node;
    uint32_t next[SIDES];
    memset(size, 0, SIDES * sizeof *size);
    for (uint32_t i = 0; i < piece->node_count; ++i) ++size[run->side[node[i]]];
    next[FIRST] = 0, next[SECOND] = size[FIRST], next[SEPARATOR] = size[FIRST] + size[SECOND];
    for (uint32_t i = 0; i < piece->node_count; ++i) moved[next[run->side[node[i]]]++] = node[i];
    memcpy(node, moved, piece->node_count * sizeof *node);
}

/* Numbers the piece's vertices anew, side by side; returns how many are on the first one. */
static uint32_t number_vertices(const dissection_level *level, const mcd_flow_piece *piece)
{
    const uint32_t first = piece->first_vertex, end = first + piece->vertex_count;
    uint32_t *const number = level->run->new_vertex, next = first;
    for (uint32_t v = first; v < end; ++v)
        if (level->vertex_side[v] == FIRST) number[v] = next++;
    const uint32_t count = next - first;
    for (uint32_t v = first; v < end; ++v)
        if (level->vertex_side[v] == SECOND) number[v] = next++;
    return count;
}

/* Copies the vertices of a side, with the arcs within it, to the next graph, from arc `next` on. Returns
 * where they end. */
static uint32_t copy_side(const dissection_level *level, const mcd_flow_piece *piece, uint8_t side,
                          uint32_t next)
{
    const mcd_flow_graph *const graph = level->graph, *const copy = level->next_graph;
    const uint32_t *const number = level->run->new_vertex;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v) {
        if (level->vertex_side[v] != side) continue;
        copy->begin[number[v]] = next;
        for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k) {
            if (level->vertex_side[graph->head[k]] != side) continue;
            copy->head[next] = number[graph->head[k]];
            copy->capacity[next] = graph->capacity[k];
            copy->reverse[next] = graph->reverse[k]; /* in the old numbers */
            level->run->new_arc[k] = next++;
        }
        copy->end[number[v]] = next;
        copy->weight[number[v]] = 0;
    }
    return next;
}

/* Puts the nodes of one side into their piece. */
static void enter_piece(const dissection_level *level, const mcd_flow_piece *piece)
{
    const dissection *const run = level->run;
    for (uint32_t i = piece->first_node; i < piece->first_node + piece->node_count; ++i) {
        const mcd_node node = run->order[i];
        run->slice[node] = piece->first_node;
        run->vertex[node] = run->new_vertex[run->vertex[node]];
        ++level->next_graph->weight[run->vertex[node]];
    }
}

static void divide_piece(void *argument, size_t index, unsigned worker)
{
    dissection_level *const level = argument;
    dissection *const run = level->run;
    const mcd_flow_piece *const piece = &level->piece[index];
    mcd_flow_piece *const part = &level->part[2 * index];
    uint32_t size[SIDES];
    (void)worker;
    sort_nodes(run, piece, size);
    const uint32_t vertices = number_vertices(level, piece);
    const uint32_t middle = copy_side(level, piece, FIRST, piece->first_arc);
    const uint32_t end = copy_side(level, piece, SECOND, middle);
    for (uint32_t k = piece->first_arc; k < end; ++k)
        level->next_graph->reverse[k] = run->new_arc[level->next_graph->reverse[k]];
    part[FIRST] =
        (mcd_flow_piece){piece->first_vertex, vertices, piece->first_arc, piece->first_node, size[FIRST]};
    part[SECOND] = (mcd_flow_piece){piece->first_vertex + vertices, piece->vertex_count - vertices, middle,
                                    piece->first_node + size[FIRST], size[SECOND]};
    const uint32_t separator = piece->first_node + size[FIRST] + size[SECOND];
    for (uint32_t i = separator; i < piece->first_node + piece->node_count; ++i)
        run->slice[run->order[i]] = NONE;
    enter_piece(level, &part[FIRST]);
    enter_piece(level, &part[SECOND]);
}

static bool is_divisible(const mcd_flow_piece *piece)
{
    return piece->node_count > PIECE_NODES && piece->vertex_count > PIECE_VERTICES;
}

/* Divides the pieces of a level into its parts. */
static void divide(dissection_level *level, const mcd_parallel *parallel)
{
    dissection *const run = level->run;
    level->graph = &run->graph[level->depth % 2];
    level->next_graph = &run->graph[(level->depth + 1) % 2];
    level->vertex_side = mcd_bisect(run->bisector, level->graph, level->piece, level->count, parallel);
    mcd_parallel_for(parallel, level->count, separate_piece, level);
    mcd_parallel_for(parallel, level->count, divide_piece, level);
}

/* Goes on with the divisible parts, which are pieces of the next level. */
static void descend(dissection_level *level)
{
    const size_t part_count = 2 * level->count;
    level->count = 0;
    for (size_t i = 0; i < part_count; ++i)
        if (is_divisible(&level->part[i])) level->piece[level->count++] = level->part[i];
    ++level->depth;
}

static size_t nodes_of(const dissection_level *level)
{
    size_t count = 0;
    for (size_t i = 0; i < level->count; ++i) count += level->piece[i].node_count;
    return count;
}

/* Divides one piece down to the bottom. */
static void dissect_piece(dissection *run, const mcd_flow_piece *piece, unsigned depth)
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

static macadam_status dissect(dissection *run, const mcd_parallel *parallel, const mcd_progress *progress,
                              macadam_error *error)
{
    dissection_level level = {.run = run, .count = 1};
    level.piece[0] =
        (mcd_flow_piece){.vertex_count = run->vertex_count, .node_count = (uint32_t)run->node_count};
    if (!is_divisible(&level.piece[0])) return MACADAM_OK;
    while (level.count > 0 && 2 * level.count <= PIECES) {
        divide(&level, parallel);
        descend(&level);
        MCD_TRY(mcd_progress_step(progress, "ordering nodes", run->node_count - nodes_of(&level),
                                  run->node_count, error));
    }
    memcpy(run->home, run->slice, run->node_count * sizeof *run->home);
    mcd_parallel_for(parallel, level.count, dissect_below, &level);
    return MACADAM_OK;
}

/* ---- all ---- */

static macadam_status allocate(dissection *run, macadam_error *error)
{
    MCD_TRY(MCD_NEW(run->vertex, run->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->slice, run->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->home, run->node_count, error));
    MCD_TRY(MCD_NEW(run->crossing, run->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->side, run->node_count, error));
    return MCD_NEW(run->moved, run->node_count, error);
}

static macadam_status allocate_scratch(dissection *run, macadam_error *error)
{
    MCD_TRY(MCD_NEW(run->new_vertex, run->vertex_count, error));
    MCD_TRY(MCD_NEW(run->new_arc, run->arc_count, error));
    return mcd_bisector_new(&run->bisector, run->vertex_count, run->arc_count, error);
}

static macadam_status order_map(dissection *run, const mcd_parallel *parallel, const mcd_progress *progress,
                                macadam_error *error)
{
    contraction scratch = {0};
    MCD_TRY(allocate(run, error));
    MCD_TRY(make_junctions(run, error));
    macadam_status status = contract_chains(run, &scratch, error);
    if (status == MACADAM_OK) link_arcs(run, scratch.number);
    contraction_free(&scratch);
    MCD_TRY(status);
    MCD_TRY(allocate_scratch(run, error));
    for (mcd_node node = 0; node < run->node_count; ++node) run->order[node] = node;
    return dissect(run, parallel, progress, error);
}

macadam_status mcd_road_dissection(mcd_node *order, const mcd_split_map *map, const mcd_parallel *parallel,
                                   const mcd_progress *progress, macadam_error *error)
{
    dissection run = {.map = map, .node_count = map->graph->node_count, .order = order};
    const macadam_status status = order_map(&run, parallel, progress, error);
    void *const array[] = {run.vertex, run.slice, run.home,       run.crossing,
                           run.side,   run.moved, run.new_vertex, run.new_arc};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; ++i) mcd_free(array[i]);
    graph_free(&run.graph[0]);
    graph_free(&run.graph[1]);
    mcd_bisector_free(run.bisector);
    return status;
}
