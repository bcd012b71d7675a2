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
 * Any other graph is dissected through its nodes: the bisector names those that separate (node_flow.h).
 * METIS on nodes | this method, both then by minimum degree: time, upward arcs, triangles, height, mean depth:
 *   Milan      1.00 s, 747 k, 4.20 M, 248, 147 | 0.10 s, 737 k, 3.90 M, 250, 143
 *   Malta      0.70 s, 566 k, 2.77 M, 199, 122 | 0.06 s, 560 k, 2.58 M, 181, 114
 *   Heidelberg 0.36 s, 305 k, 1.13 M, 111,  63 | 0.02 s, 301 k, 1.07 M, 110,  59
 * METIS on whole junctions is slower, and its separators are half as large again.
 * Races: none: a task writes only entries of its piece. Of others it reads only `slice` while separators are
 * searched for, and `home` while pieces are divided to the bottom; neither changes meanwhile.
 * (Buchhold, Wagner, Zeitz, Zuendorf 2020, Customizable Contraction Hierarchies with Turn Costs) */
#include "importers/order/road_dissection.h"
#include "importers/order/inertial_flow.h"
#include "importers/order/road_contraction.h"

enum {
    PIECE_NODES = 100,  /* smaller pieces of roads are left to minimum degree */
    NODE_PIECE = 16,    /* likewise by nodes: room for those that were eliminated before */
    PIECE_VERTICES = 3, /* likewise */
    PIECES = 16,        /* of a level, for as many threads; one thread then divides each to the bottom */
    CROSSINGS_MAX = 16, /* further crossings are not distinguished */
};

enum { FIRST, SECOND, SIDES };

struct mcd_dissection {
    mcd_contraction contraction;
    const mcd_neighbours *nodes; /* the neighbours of each node */
    bool by_nodes;               /* each vertex is a node; pieces are separated by vertices */
    mcd_node *order;
    uint32_t *block_end;
    mcd_bisector *bisector;
    mcd_arena arena;      /* of the arrays below */
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
    mcd_watch *watch;
} dissection_level;

/* ---- separators ---- */

/* Returns whether an arc crosses the cut: an arc between a cell's node that is on no separator and
 * `other`. */
static bool is_across(const dissection_level *level, uint32_t cell, mcd_node other)
{
    const mcd_dissection *const run = level->run;
    const uint32_t there = run->contraction.cell[other];
    return run->home[there] == run->home[cell] && run->slice[there] == run->slice[cell] &&
           level->side[run->vertex[there]] != level->side[run->vertex[cell]] && !run->separates[other];
}

static uint32_t count_crossings(const dissection_level *level, mcd_node node)
{
    const mcd_neighbours *const graph = level->run->nodes;
    const uint32_t cell = level->run->contraction.cell[node];
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
        for (uint32_t i = run->contraction.first[cell]; i < run->contraction.first[cell + 1]; ++i) {
            const mcd_node node = run->contraction.member[i];
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
    const uint32_t cell = run->contraction.cell[node];
    for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; ++k)
        if (is_across(level, cell, graph->neighbour[k])) --run->crossing[graph->neighbour[k]];
    run->separates[node] = true;
    --level->graph->weight[run->vertex[cell]];
}

/* Takes the nodes that the bisector chose. */
static uint32_t find_separators(const dissection_level *level, const mcd_flow_piece *piece, mcd_node *node)
{
    const mcd_dissection *const run = level->run;
    uint32_t count = 0;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v) {
        if (level->side[v] != MCD_SEPARATES) continue;
        node[count] = run->contraction.member[run->contraction.first[level->cell[v]]];
        run->separates[node[count++]] = true;
    }
    return count;
}

/* Chooses nodes that cover the arcs of the cut. */
static uint32_t cover_crossings(const dissection_level *level, const mcd_flow_piece *piece, mcd_node *node)
{
    const mcd_dissection *const run = level->run;
    const uint32_t count = find_crossings(level, piece, node);
    for (uint32_t least = CROSSINGS_MAX; least > 0; --least)
        for (uint32_t i = 0; i < count; ++i)
            if (!run->separates[node[i]] && run->crossing[node[i]] >= least) cover(level, node[i]);
    return count;
}

/* Moves the separator to the end of the piece's range of the order. */
static void separate_piece(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const dissection_level *const level = argument;
    const mcd_dissection *const run = level->run;
    const mcd_flow_piece *const piece = &level->piece[index];
    mcd_node *const node = run->candidate + piece->first_node;
    const uint32_t count =
        run->by_nodes ? find_separators(level, piece, node) : cover_crossings(level, piece, node);
    uint32_t rank = piece->first_node + piece->node_count;
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

static void divide_piece(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    dissection_level *const level = argument;
    const mcd_flow_piece *const piece = &level->piece[index];
    mcd_flow_piece *const part = &level->part[2 * index];
    uint32_t vertex = piece->first_vertex, arc = piece->first_arc, node = piece->first_node;
    for (uint8_t side = FIRST; side < SIDES; ++side) {
        part[side] = (mcd_flow_piece){.first_vertex = vertex, .first_arc = arc, .first_node = node};
        part[side].node_count = number_side(level, piece, side, &vertex);
        part[side].vertex_count = vertex - part[side].first_vertex;
        arc = copy_arcs(level, piece, side, arc);
        node += part[side].node_count;
    }
    for (uint32_t k = piece->first_arc; k < arc; ++k)
        level->next_graph->reverse[k] = level->run->new_arc[level->next_graph->reverse[k]];
    for (uint8_t side = FIRST; side < SIDES; ++side)
        for (uint32_t v = part[side].first_vertex; v < part[side].first_vertex + part[side].vertex_count; ++v)
            level->run->slice[level->next_cell[v]] = part[side].first_node;
}

static bool is_divisible(const mcd_dissection *run, const mcd_flow_piece *piece)
{
    return piece->node_count > (run->by_nodes ? NODE_PIECE : PIECE_NODES) &&
           piece->vertex_count > PIECE_VERTICES;
}

/* Divides the pieces of a level into their parts. */
static macadam_status divide(dissection_level *level, const mcd_parallel *parallel, macadam_error *error)
{
    mcd_dissection *const run = level->run;
    level->graph = &run->contraction.graph[level->depth % 2], level->cell = run->cell_of[level->depth % 2];
    level->next_graph = &run->contraction.graph[(level->depth + 1) % 2];
    level->next_cell = run->cell_of[(level->depth + 1) % 2];
    MCD_TRY(mcd_bisect(&level->side, run->bisector, level->graph, level->piece, level->count, parallel,
                       level->watch, error));
    MCD_TRY(mcd_watch_for(level->watch, parallel, level->count, separate_piece, level, error));
    return mcd_watch_for(level->watch, parallel, level->count, divide_piece, level, error);
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
        if (is_divisible(level->run, &level->part[i])) insert_piece(level, &level->part[i]);
    ++level->depth;
}

/* Divides one piece down to the bottom, unless the watch stops it. */
static void dissect_piece(mcd_dissection *run, const mcd_flow_piece *piece, unsigned depth, mcd_watch *watch)
{
    static const mcd_parallel one_thread = {.thread_count = 1};
    dissection_level level = {.run = run, .piece = {*piece}, .count = 1, .depth = depth, .watch = watch};
    if (divide(&level, &one_thread, NULL) != MACADAM_OK) return;
    for (int side = FIRST; side <= SECOND; ++side)
        if (is_divisible(run, &level.part[side])) dissect_piece(run, &level.part[side], depth + 1, watch);
}

static void dissect_below(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const dissection_level *const level = argument;
    dissect_piece(level->run, &level->piece[index], level->depth, level->watch);
}

/* Writes the nodes that are on no separator, ascending, into their piece's range of the order. */
static void list_nodes(mcd_dissection *run)
{
    uint32_t *const next = run->block_end; /* temporarily, where each piece's next node goes */
    for (uint32_t rank = 0; rank < run->contraction.node_count; ++rank) next[rank] = rank;
    for (mcd_node node = 0; node < run->contraction.node_count; ++node)
        if (!run->separates[node]) run->order[next[run->slice[run->contraction.cell[node]]]++] = node;
}

macadam_status mcd_dissection_run(mcd_dissection *run, const mcd_neighbours *graph, mcd_node *order,
                                  uint32_t *block_end, const mcd_parallel *parallel, mcd_watch *watch,
                                  macadam_error *error)
{
    run->nodes = graph, run->order = order, run->block_end = block_end;
    dissection_level level = {.run = run, .count = 1, .watch = watch};
    level.piece[0] = (mcd_flow_piece){.vertex_count = run->contraction.vertex_count,
                                      .node_count = (uint32_t)run->contraction.node_count};
    if (!is_divisible(run, &level.piece[0])) level.count = 0;
    while (level.count > 0 && 2 * level.count <= PIECES) {
        MCD_TRY(divide(&level, parallel, error));
        descend(&level);
        size_t left = 0;
        for (size_t i = 0; i < level.count; ++i) left += level.piece[i].node_count;
        MCD_TRY(mcd_progress_step(watch->progress, watch->phase, run->contraction.node_count - left,
                                  run->contraction.node_count, error));
    }
    memcpy(run->home, run->slice, run->contraction.vertex_count * sizeof *run->home);
    MCD_TRY(mcd_watch_for(watch, parallel, level.count, dissect_below, &level, error));
    list_nodes(run);
    return MACADAM_OK;
}

/* ---- memory ---- */

macadam_status mcd_dissection_new(mcd_dissection **out, const mcd_road_graph *roads,
                                  const mcd_neighbours *nodes, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(MCD_NEW_ZEROED(*out, 1, error));
    mcd_dissection *const run = *out;
    run->by_nodes = !roads;
    MCD_TRY(mcd_contraction_new(&run->contraction, roads, nodes, watch, error));
    const size_t node_count = run->contraction.node_count, vertex_count = run->contraction.vertex_count;
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->cell_of[0], vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->cell_of[1], vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->vertex, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&run->arena, run->slice, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&run->arena, run->home, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&run->arena, run->separates, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->crossing, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->candidate, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->new_vertex, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->new_arc, run->contraction.arc_count, error));
    for (uint32_t v = 0; v < vertex_count; ++v) run->vertex[v] = run->cell_of[0][v] = v;
    return mcd_bisector_new(&run->bisector, vertex_count, run->contraction.arc_count, run->by_nodes, error);
}

void mcd_dissection_free(mcd_dissection *run)
{
    if (!run) return;
    mcd_arena_free(&run->arena);
    mcd_contraction_free(&run->contraction);
    mcd_bisector_free(run->bisector);
    mcd_free(run);
}
