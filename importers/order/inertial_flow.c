/* inertial_flow.c - see inertial_flow.h.
 *
 * Method: the vertices of a piece are sorted along an axis; the first quarter of their weight is a source,
 * the last quarter a sink, and the arcs of a least cut between them bisect it. Of the cuts along four axes,
 * the best has the least capacity in proportion to the weight of its lighter side. An axis is the difference
 * of the hops to two poles. The poles are two vertices far from each other for the first axis, and two more,
 * far from both, for the second; the others are the sum and the difference of these two. So no coordinates
 * are needed. A piece that is not connected is divided among its components. A flow is sent in rounds: the
 * hops to the sink are counted, then paths are searched for from each vertex of the source, depth first,
 * closer to the sink where they can. They need not be shortest paths: few rounds find all of them (4 where
 * Dinitz's levels take 30). Least cuts are the same whatever the flow.
 * (Schild and Sommer 2015, On Balanced Separators in Road Networks; rounds: Pothen and Fan 1990)
 * Least cuts of roads are exact where multilevel partitioning guesses: road_dissection.c has the figures.
 * Layout: all arrays are over the vertices or arcs of the whole graph; up to two trials run at a time.
 * Races: none: a task only uses its piece's range of the arrays, or of one trial's arrays. */
#include "importers/order/inertial_flow.h"
#include "importers/order/node_flow.h"

#include <stdlib.h>

enum {
    POLES = 4,
    TRIALS = 2,         /* at a time; one if there is one thread: each knows the cut that it has to beat */
    TERMINAL_SHARE = 4, /* a quarter; 0.2 and 0.3 make higher trees for some maps, 0.3 for grids too */
    AXIS_STEPS = 4,     /* at most this many values on an axis per vertex */
    ARCS_COMPARED = 8,  /* per vertex; few vertices have more, but one may have very many */
};

#define NONE UINT32_MAX

/* States of a vertex: SOURCE: no path may go there; from SINK on: hops to the sink, from 1; UNSEEN: not
 * found. */
#define SOURCE ((uint32_t)MCD_FLOW_SOURCE)
#define SINK   ((uint32_t)MCD_FLOW_SINK)
#define UNSEEN UINT32_MAX

/* A step of a path. */
typedef struct flow_step {
    uint32_t tail, arc, hops; /* hops: those of the arc's head */
} flow_step;

/* The scratch of one trial. */
typedef struct flow_trial {
    mcd_node_flow *by_nodes; /* NULL: by arcs, with `left`, `next` and `path` */
    uint32_t *left;          /* [arcs] residual capacity */
    uint32_t *role;          /* [vertices] SOURCE, SINK or UNSEEN */
    uint32_t *hops;          /* [vertices] */
    uint32_t *next;          /* [vertices] the first arc by which a path may continue */
    uint32_t *queue;         /* [vertices] */
    uint32_t *rim;           /* [vertices] */
    flow_step *path;         /* [vertices] */
    uint32_t *count;         /* [vertices * AXIS_STEPS] */
    uint8_t *side;           /* [vertices] */
    uint64_t *cut;           /* [vertices] by the first vertex of a piece; UINT64_MAX: not better */
    uint64_t *lighter;       /* [vertices] weight of the lighter side */
} flow_trial;

struct mcd_bisector {
    mcd_arena arena;         /* of all arrays */
    uint32_t *hops[POLES];   /* [vertices] */
    uint8_t *side;           /* [vertices] of the best cut */
    uint64_t *cut, *lighter; /* [vertices] as in a trial; 0: the piece was not connected and is done */
    flow_trial trial[TRIALS];
};

/* One call. */
typedef struct bisection {
    const mcd_bisector *bisector;
    const mcd_flow_graph *graph;
    const mcd_flow_piece *piece;
    const mcd_watch *watch;
    int axis, trials; /* the first axis that is tried now, and how many are tried */
} bisection;

/* ---- poles ---- */

/* Counts the hops from `start` to every vertex that it reaches. Returns the last vertex found, with its
 * hops. */
static uint32_t count_hops(const mcd_flow_graph *graph, const mcd_flow_piece *piece, uint32_t start,
                           uint32_t *hops, uint32_t *queue, uint32_t *reached, const mcd_watch *watch)
{
    uint32_t count = 0, i = 0, v = start;
    memset(hops + piece->first_vertex, 0xff, piece->vertex_count * sizeof *hops);
    hops[start] = 0;
    for (;; v = queue[i++]) {
        const uint32_t beyond = hops[v] + 1, end = graph->end[v];
        for (uint32_t k = graph->begin[v]; k < end; ++k) { /* without branches, which no processor could
                                                            * predict */
            const uint32_t head = graph->head[k], old = hops[head];
            hops[head] = old < beyond ? old : beyond;
            queue[count] = head; /* there is room: `start` is not in the queue */
            count += old > beyond;
        }
        if (i == count || (i % MCD_WATCH_ITEMS == 0 && !mcd_watch_goes_on(watch))) break;
    }
    *reached = count + 1;
    return v;
}

/* Finds a pole far from the first two; the last pole is also far from the third, and in the middle between
 * the first two. */
static uint32_t find_side_pole(const mcd_bisector *bisector, const mcd_flow_piece *piece, int pole)
{
    uint32_t *const *const hops = bisector->hops;
    uint32_t found = piece->first_vertex;
    int64_t best = INT64_MIN;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v) {
        const int64_t value = pole == 2 ? (hops[0][v] < hops[1][v] ? hops[0][v] : hops[1][v])
                                        : 2 * (int64_t)hops[2][v] - llabs((int64_t)hops[0][v] - hops[1][v]);
        if (value > best) best = value, found = v;
    }
    return found;
}

/* ---- a piece that is not connected ---- */

/* Numbers the components by their first vertices, in hops[1], and sums their weights in hops[2]. */
static uint32_t number_components(const mcd_bisector *bisector, const mcd_flow_graph *graph,
                                  const mcd_flow_piece *piece, uint32_t *queue)
{
    uint32_t *const hops = bisector->hops[0], *const number = bisector->hops[1];
    uint32_t *const weight = bisector->hops[2] + piece->first_vertex;
    uint32_t components = 0;
    memset(hops + piece->first_vertex, 0xff, piece->vertex_count * sizeof *hops);
    for (uint32_t start = piece->first_vertex; start < piece->first_vertex + piece->vertex_count; ++start) {
        if (hops[start] != NONE) continue;
        uint32_t count = 0;
        queue[count++] = start;
        hops[start] = 0;
        weight[components] = 0;
        for (uint32_t i = 0; i < count; ++i) {
            number[queue[i]] = components;
            weight[components] += graph->weight[queue[i]];
            for (uint32_t k = graph->begin[queue[i]]; k < graph->end[queue[i]]; ++k)
                if (hops[graph->head[k]] == NONE) hops[graph->head[k]] = 0, queue[count++] = graph->head[k];
        }
        ++components;
    }
    return components;
}

/* Separates the heaviest component from all others if it has half of the weight; otherwise, the first
 * components up to half of the weight from the rest. */
static void divide_components(const mcd_bisector *bisector, const mcd_flow_graph *graph,
                              const mcd_flow_piece *piece, uint32_t *queue)
{
    const uint32_t components = number_components(bisector, graph, piece, queue);
    uint32_t *const weight = bisector->hops[2] + piece->first_vertex, heaviest = 0;
    uint64_t total = 0, before = 0;
    for (uint32_t c = 0; c < components; ++c) {
        total += weight[c];
        if (weight[c] > weight[heaviest]) heaviest = c;
    }
    const bool alone = 2 * (uint64_t)weight[heaviest] >= total;
    for (uint32_t c = 0; c < components; ++c) {
        const uint32_t own = weight[c];
        weight[c] = alone ? c != heaviest : c > 0 && 2 * before >= total; /* from here on, the component's
                                                                           * side */
        before += own;
    }
    if (!alone) weight[components - 1] = 1;
    for (uint32_t v = piece->first_vertex; v < piece->first_vertex + piece->vertex_count; ++v)
        bisector->side[v] = (uint8_t)weight[bisector->hops[1][v]];
}

/* ---- source and sink ---- */

/* Gives each vertex of a piece its place on an axis, from 0 on; returns how many places there are. */
static uint32_t place_on_axis(const mcd_bisector *bisector, const mcd_flow_piece *piece, int axis,
                              uint32_t *place)
{
    static const uint32_t along_x[POLES] = {1, 0, 1, 1}, along_y[POLES] = {0, 1, 1, UINT32_MAX /* -1 */};
    const uint32_t first = piece->first_vertex, end = first + piece->vertex_count;
    const uint32_t middle = 2 * (piece->vertex_count - 1); /* no path has more hops than half of that */
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t v = first; v < end; ++v) {
        const uint32_t x = bisector->hops[0][v] - bisector->hops[1][v];
        const uint32_t y = bisector->hops[2][v] - bisector->hops[3][v];
        place[v] = middle + along_x[axis] * x + along_y[axis] * y;
        low = place[v] < low ? place[v] : low;
        high = place[v] > high ? place[v] : high;
    }
    for (uint32_t v = first; v < end; ++v) place[v] -= low;
    return high - low + 1;
}

/* Sorts the piece's vertices by their places into trial->queue, by counting. */
static uint32_t *sort_along(const mcd_bisector *bisector, const mcd_flow_piece *piece, int axis,
                            const flow_trial *trial)
{
    uint32_t *const sorted = trial->queue + piece->first_vertex, *const place = trial->hops;
    uint32_t *const count = trial->count + (size_t)AXIS_STEPS * piece->first_vertex;
    const uint32_t end = piece->first_vertex + piece->vertex_count;
    const uint32_t steps = place_on_axis(bisector, piece, axis, place);
    memset(count, 0, steps * sizeof *count);
    for (uint32_t v = piece->first_vertex; v < end; ++v) ++count[place[v]];
    for (uint32_t i = 1; i < steps; ++i) count[i] += count[i - 1];
    for (uint32_t v = end; v-- > piece->first_vertex;) sorted[--count[place[v]]] = v;
    return sorted;
}

/* Lists those of some vertices of one role that have neighbours of another role; returns how many there
 * are. */
static uint32_t find_rim(const mcd_flow_graph *graph, const uint32_t *role, const uint32_t *vertex,
                         uint32_t count, uint32_t *rim)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t v = vertex[i], end = graph->end[v];
        bool on_rim = false;
        for (uint32_t k = graph->begin[v]; k < end; ++k) on_rim |= role[graph->head[k]] != role[v];
        rim[found] = v;
        found += on_rim;
    }
    return found;
}

/* Marks at most half of the vertices as the source and half as the sink; at least one each. */
static mcd_flow_rim mark_terminals(const mcd_flow_graph *graph, const mcd_flow_piece *piece,
                                   const uint32_t *sorted, const flow_trial *trial)
{
    const uint32_t *const weight = graph->weight, count = piece->vertex_count;
    uint32_t sources = 0, sinks = 0;
    memset(trial->role + piece->first_vertex, 0xff, count * sizeof *trial->role);
    for (uint64_t sum = 0; sources < count / 2 && TERMINAL_SHARE * sum < piece->node_count; ++sources) {
        trial->role[sorted[sources]] = SOURCE;
        sum += weight[sorted[sources]];
    }
    for (uint64_t sum = 0; sinks < count / 2 && TERMINAL_SHARE * sum < piece->node_count; ++sinks) {
        trial->role[sorted[count - 1 - sinks]] = SINK;
        sum += weight[sorted[count - 1 - sinks]];
    }
    mcd_flow_rim rim = {.source = trial->rim + piece->first_vertex};
    rim.source_count = find_rim(graph, trial->role, sorted, sources, rim.source);
    rim.sink = rim.source + sources;
    rim.sink_count = find_rim(graph, trial->role, sorted + count - sinks, sinks, rim.sink);
    return rim;
}

/* ---- flow ---- */

/* Counts the hops to the sink over arcs with residual capacity. Returns whether some source reaches it. */
static bool find_hops(const mcd_flow_graph *graph, const mcd_flow_piece *piece, const flow_trial *trial,
                      const mcd_flow_rim *rim, const mcd_watch *watch)
{
    uint32_t *const hops = trial->hops, *const queue = trial->queue + piece->first_vertex;
    uint32_t count = rim->sink_count;
    bool found = false;
    memcpy(hops + piece->first_vertex, trial->role + piece->first_vertex, piece->vertex_count * sizeof *hops);
    memcpy(queue, rim->sink, count * sizeof *queue);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t v = queue[i], beyond = hops[v] + 1, end = graph->end[v];
        if (i % MCD_WATCH_ITEMS == MCD_WATCH_ITEMS - 1 && !mcd_watch_goes_on(watch)) return false;
        for (uint32_t k = graph->begin[v]; k < end; ++k) {
            const uint32_t tail = graph->head[k], old = hops[tail];
            const bool open = trial->left[k] != 2 * graph->capacity[k]; /* from there to v */
            const uint32_t offered = open ? beyond : UNSEEN;
            hops[tail] = old < offered ? old : offered;
            queue[count] = tail; /* there is room: no source is in the queue */
            count += old > offered;
            found |= open & (old == SOURCE);
        }
        trial->next[v] = graph->begin[v];
    }
    return found;
}

/* Returns v's arc to the vertex that is closest to the sink, among a few at a time; NONE: no path continues
 * there. */
static uint32_t next_arc(const mcd_flow_graph *graph, const flow_trial *trial, uint32_t v)
{
    const uint32_t end = graph->end[v];
    for (uint32_t first = trial->next[v]; first < end; trial->next[v] = first += ARCS_COMPARED) {
        uint32_t best = UNSEEN - SINK, found = NONE;
        for (uint32_t k = first; k < end && k < first + ARCS_COMPARED; ++k) {
            const uint32_t hops = trial->hops[graph->head[k]] - SINK; /* wraps for SOURCE */
            const bool better = (trial->left[k] > 0) & (hops < best);
            best = better ? hops : best;
            found = better ? k : found;
        }
        if (found != NONE) return found;
    }
    return NONE;
}

/* Sends as much as a path can take; returns the first arc that is then full. */
static uint32_t fill_path(const mcd_flow_graph *graph, const flow_trial *trial, const flow_step *path,
                          uint32_t length, uint64_t *sum)
{
    uint32_t flow = NONE, full = 0;
    for (uint32_t i = length; i-- > 0;)
        if (trial->left[path[i].arc] <= flow) flow = trial->left[path[i].arc], full = i;
    for (uint32_t i = 0; i < length; ++i) {
        trial->left[path[i].arc] -= flow;
        trial->left[graph->reverse[path[i].arc]] += flow;
    }
    for (uint32_t i = full; i < length; ++i) trial->hops[graph->head[path[i].arc]] = path[i].hops;
    *sum += flow;
    return full;
}

/* Adds to `sum` the flow along paths from one vertex of the source. A path closes each vertex that it enters:
 * it does not enter it again, and if it finds no way on from there, neither does any other path. */
static void send_from(const mcd_flow_graph *graph, const mcd_flow_piece *piece, const flow_trial *trial,
                      uint32_t source, uint64_t *sum)
{
    flow_step *const path = trial->path + piece->first_vertex;
    uint32_t length = 0, v = source;
    trial->next[source] = graph->begin[source];
    for (;;) {
        const uint32_t k = next_arc(graph, trial, v);
        if (k != NONE) {
            const uint32_t tail = v;
            v = graph->head[k];
            path[length++] = (flow_step){tail, k, trial->hops[v]};
            if (trial->hops[v] != SINK) {
                trial->hops[v] = SOURCE;
                continue;
            }
            length = fill_path(graph, trial, path, length, sum);
            v = path[length].tail;
        } else if (length > 0) {
            v = path[--length].tail;
        } else {
            return;
        }
    }
}

/* Returns the flow from source to sink; stops once it is more than `limit`, or when the watch says so. */
static uint64_t send_flow(const mcd_flow_graph *graph, const mcd_flow_piece *piece, const flow_trial *trial,
                          const mcd_flow_rim *rim, uint64_t limit, const mcd_watch *watch)
{
    const uint32_t arc_end = graph->end[piece->first_vertex + piece->vertex_count - 1];
    uint64_t sum = 0;
    memcpy(trial->left + piece->first_arc, graph->capacity + piece->first_arc,
           (arc_end - piece->first_arc) * sizeof *trial->left);
    while (sum <= limit && find_hops(graph, piece, trial, rim, watch))
        for (uint32_t i = 0; i < rim->source_count && sum <= limit && mcd_watch_goes_on(watch); ++i)
            send_from(graph, piece, trial, rim->source[i], &sum);
    return sum;
}

/* ---- the two least cuts ---- */

/* Gives the vertices that the source reaches the source's role; none of them has hops to the sink. */
static void mark_reached(const mcd_flow_graph *graph, const mcd_flow_piece *piece, const flow_trial *trial,
                         const mcd_flow_rim *rim)
{
    uint32_t *const queue = trial->queue + piece->first_vertex, *const hops = trial->hops;
    uint32_t count = rim->source_count;
    memcpy(queue, rim->source, count * sizeof *queue);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t end = graph->end[queue[i]];
        for (uint32_t k = graph->begin[queue[i]]; k < end; ++k) {
            const uint32_t head = graph->head[k];
            const uint32_t enters = (trial->left[k] > 0) & (hops[head] == UNSEEN);
            hops[head] &= enters - 1; /* SOURCE if it enters */
            queue[count] = head;      /* there is room: no sink is in the queue */
            count += enters;
        }
    }
}

/* Takes the more balanced one of the cuts next to the source and next to the sink; returns the weight of its
 * lighter side. */
static uint64_t take_side(const mcd_flow_graph *graph, const mcd_flow_piece *piece, const flow_trial *trial,
                          const mcd_flow_rim *rim)
{
    const uint32_t first = piece->first_vertex, end = first + piece->vertex_count, *const hops = trial->hops;
    uint64_t total = piece->node_count, at_source = 0, at_sink = 0;
    mark_reached(graph, piece, trial, rim);
    for (uint32_t v = first; v < end; ++v) {
        at_source += hops[v] == SOURCE ? graph->weight[v] : 0;
        at_sink += hops[v] - SINK < UNSEEN - SINK ? graph->weight[v] : 0;
    }
    const uint64_t by_source = mcd_size_min(at_source, total - at_source),
                   by_sink = mcd_size_min(at_sink, total - at_sink);
    for (uint32_t v = first; v < end; ++v)
        trial->side[v] = by_source > by_sink ? hops[v] != SOURCE : hops[v] - SINK < UNSEEN - SINK;
    return by_source > by_sink ? by_source : by_sink;
}

/* ---- the tasks ---- */

static void set_poles(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const bisection *const run = argument;
    const mcd_bisector *const bisector = run->bisector;
    const mcd_flow_piece *const piece = &run->piece[index];
    uint32_t *const queue = bisector->trial[0].queue + piece->first_vertex;
    uint32_t reached, pole = piece->first_vertex;
    pole = count_hops(run->graph, piece, pole, bisector->hops[0], queue, &reached, run->watch);
    if (!mcd_watch_goes_on(run->watch)) return;
    bisector->cut[piece->first_vertex] = reached < piece->vertex_count ? 0 : UINT64_MAX;
    if (reached < piece->vertex_count) {
        divide_components(bisector, run->graph, piece, queue);
        return;
    }
    for (int i = 0; i < POLES; ++i) {
        if (i >= 2) pole = find_side_pole(bisector, piece, i);
        pole = count_hops(run->graph, piece, pole, bisector->hops[i], queue, &reached, run->watch);
    }
}

/* Returns the capacity that a cut of any balance must not exceed to be better. */
static uint64_t limit_of(const mcd_bisector *bisector, const mcd_flow_piece *piece)
{
    const uint64_t cut = bisector->cut[piece->first_vertex];
    if (cut == UINT64_MAX || bisector->lighter[piece->first_vertex] == 0) return UINT64_MAX;
    return cut * piece->node_count / (2 * bisector->lighter[piece->first_vertex]);
}

static void try_axis(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const bisection *const run = argument;
    const int number = (int)(index % (size_t)run->trials), axis = run->axis + number;
    const mcd_flow_piece *const piece = &run->piece[index / (size_t)run->trials];
    const flow_trial *const trial = &run->bisector->trial[number];
    const uint32_t of = piece->first_vertex;
    if (run->bisector->cut[of] == 0) return;
    const uint32_t *const sorted = sort_along(run->bisector, piece, axis, trial);
    const mcd_flow_rim rim = mark_terminals(run->graph, piece, sorted, trial);
    const uint64_t limit = limit_of(run->bisector, piece);
    trial->cut[of] = trial->by_nodes ? mcd_node_flow_send(trial->by_nodes, run->graph, piece, trial->role,
                                                          &rim, limit, run->watch)
                                     : send_flow(run->graph, piece, trial, &rim, limit, run->watch);
    if (trial->cut[of] > limit || !mcd_watch_goes_on(run->watch))
        trial->cut[of] = UINT64_MAX;
    else if (trial->by_nodes)
        trial->lighter[of] =
            mcd_node_flow_take_side(trial->by_nodes, run->graph, piece, trial->role, &rim, trial->side);
    else
        trial->lighter[of] = take_side(run->graph, piece, trial, &rim);
}

static void choose_cut(const mcd_bisector *best, const mcd_flow_piece *piece, int trials)
{
    const uint32_t of = piece->first_vertex;
    if (best->cut[of] == 0) return;
    for (int i = 0; i < trials; ++i) {
        const flow_trial *const trial = &best->trial[i];
        if (trial->cut[of] == UINT64_MAX) continue;
        if (best->cut[of] != UINT64_MAX &&
            trial->cut[of] * best->lighter[of] >= best->cut[of] * trial->lighter[of])
            continue;
        best->cut[of] = trial->cut[of];
        best->lighter[of] = trial->lighter[of];
        memcpy(best->side + of, trial->side + of, piece->vertex_count);
    }
}

macadam_status mcd_bisect(const uint8_t **side, const mcd_bisector *bisector, const mcd_flow_graph *graph,
                          const mcd_flow_piece *piece, size_t piece_count, const mcd_parallel *parallel,
                          mcd_watch *watch, macadam_error *error)
{
    bisection run = {.bisector = bisector, .graph = graph, .piece = piece, .watch = watch};
    run.trials = parallel->thread_count > 1 ? TRIALS : 1;
    *side = bisector->side;
    MCD_TRY(mcd_watch_for(watch, parallel, piece_count, set_poles, &run, error));
    for (; run.axis < POLES; run.axis += run.trials) {
        MCD_TRY(mcd_watch_for(watch, parallel, (size_t)run.trials * piece_count, try_axis, &run, error));
        for (size_t i = 0; i < piece_count; ++i) choose_cut(bisector, &piece[i], run.trials);
    }
    return MACADAM_OK;
}

/* ---- memory ---- */

static macadam_status trial_new(flow_trial *trial, mcd_arena *arena, size_t vertex_count, size_t arc_count,
                                bool by_nodes, macadam_error *error)
{
    if (by_nodes) {
        MCD_TRY(mcd_node_flow_new(&trial->by_nodes, arena, vertex_count, error));
    } else {
        MCD_TRY(MCD_ARENA_NEW(arena, trial->left, arc_count, error));
        MCD_TRY(MCD_ARENA_NEW(arena, trial->next, vertex_count, error));
        MCD_TRY(MCD_ARENA_NEW(arena, trial->path, vertex_count, error));
    }
    MCD_TRY(MCD_ARENA_NEW(arena, trial->hops, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, trial->queue, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, trial->count, AXIS_STEPS * vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, trial->role, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, trial->rim, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, trial->side, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, trial->cut, vertex_count, error));
    return MCD_ARENA_NEW(arena, trial->lighter, vertex_count, error);
}

macadam_status mcd_bisector_new(mcd_bisector **out, size_t vertex_count, size_t arc_count, bool by_nodes,
                                macadam_error *error)
{
    MCD_TRY(MCD_NEW_ZEROED(*out, 1, error));
    mcd_bisector *const bisector = *out;
    mcd_arena *const arena = &bisector->arena;
    for (int i = 0; i < POLES; ++i) MCD_TRY(MCD_ARENA_NEW(arena, bisector->hops[i], vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, bisector->side, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, bisector->cut, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, bisector->lighter, vertex_count, error));
    for (int i = 0; i < TRIALS; ++i)
        MCD_TRY(trial_new(&bisector->trial[i], arena, vertex_count, arc_count, by_nodes, error));
    return MACADAM_OK;
}

void mcd_bisector_free(mcd_bisector *bisector)
{
    if (bisector) mcd_arena_free(&bisector->arena);
    mcd_free(bisector);
}
