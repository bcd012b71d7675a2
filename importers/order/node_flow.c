/* node_flow.c - see node_flow.h.
 *
 * Method: by Menger's theorem, a least separator has as many vertices as there are paths from the source to
 * the sink that share no vertex. Paths are added in rounds, as in inertial_flow.c: the hops to the sink are
 * counted, then a new path is searched for from each vertex of the source, depth first, closer to the sink
 * where it can. A new path may run against an old one for a while: it enters a vertex of the old path, goes
 * back along it, and leaves it at any vertex from where it came. So each vertex has two states: a path may
 * arrive there (`in`), or leave from there (`out`). Of a vertex without a path, who arrives may leave. On a
 * path, who arrives goes to `out` of the vertex before; who is at `out` may go on to `in`, further back. When
 * no path is found any more, the vertices that a search may leave but at which it may not arrive separate the
 * two, and all paths lead through them: those next to the sink as seen from there, and likewise from the
 * source. Layout: all arrays are over the vertices of the whole graph, with room for both states in `queue`.
 * Races: none: a call only uses its piece's range. */
#include "importers/order/node_flow.h"

/* Hops to the sink; CLOSED: no path may go there. */
#define CLOSED UINT32_C(0)
#define UNSEEN UINT32_MAX

/* Instead of the vertex before or after: the vertex is on no path; the path begins or ends with it. */
#define FREE UINT32_MAX
#define END  (UINT32_MAX - 1)

struct mcd_node_flow {
    uint32_t *in, *out;        /* [vertices] hops from the two states */
    uint32_t *before, *behind; /* [vertices] on the path through a vertex */
    uint32_t *next;            /* [vertices] the first arc by which a path may continue */
    uint32_t *queue;           /* [2 * vertices] vertices, for the state `out`: with OUT */
    uint32_t *path, *entered;  /* [vertices] the steps of a search: it leaves path[i], where it came by
                                * arriving at entered[i], which comes after it on an old path, or is the
                                * same */
};

#define OUT UINT32_C(0x80000000)

enum {
    ARCS_COMPARED = 8, /* per vertex; few vertices have more, but one may have very many */
};

/* ---- hops ---- */

/* Counts the hops to the sink from all states. Returns whether a vertex of the source is among them. */
static bool find_hops(const mcd_node_flow *flow, const mcd_flow_graph *graph, const mcd_flow_piece *piece,
                      const uint32_t *role, const mcd_flow_rim *rim, const mcd_watch *watch)
{
    const uint32_t first = piece->first_vertex, count = piece->vertex_count;
    uint32_t *const in = flow->in, *const out = flow->out, *const queue = flow->queue + 2 * (size_t)first;
    uint32_t end = 0;
    bool found = false;
    memset(in + first, 0xff, count * sizeof *in);
    memset(out + first, 0xff, count * sizeof *out);
    for (uint32_t i = 0; i < rim->sink_count; ++i) {
        out[rim->sink[i]] = 1;
        queue[end++] = rim->sink[i] | OUT;
    }
    for (uint32_t i = 0; i < end; ++i) {
        const uint32_t v = queue[i] & ~OUT;
        if (i % MCD_WATCH_ITEMS == MCD_WATCH_ITEMS - 1 && !mcd_watch_goes_on(watch)) return false;
        if (queue[i] & OUT) { /* `out` may be reached from `in` here, or from the vertex after it */
            const uint32_t from = flow->before[v] == FREE ? v : flow->behind[v];
            flow->next[v] = graph->begin[v];
            if (from == END || in[from] != UNSEEN) continue;
            in[from] = out[v] + 1;
            queue[end++] = from;
        } else { /* from `out` of each neighbour, and of itself if it is on a path */
            const uint32_t beyond = in[v] + 1;
            if (role[v] == MCD_FLOW_SOURCE) {
                found = true;
                continue;
            }
            for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k) {
                const uint32_t u = graph->head[k];
                if (out[u] != UNSEEN || role[u] == MCD_FLOW_SINK) continue;
                out[u] = beyond;
                queue[end++] = u | OUT;
            }
            if (flow->before[v] != FREE && out[v] == UNSEEN) {
                out[v] = beyond;
                queue[end++] = v | OUT;
            }
        }
    }
    return found;
}

/* ---- paths ---- */

/* Returns a neighbour of v where a path may arrive, the closest to the sink of a few; FREE: there is none. */
static uint32_t next_neighbour(const mcd_node_flow *flow, const mcd_flow_graph *graph, const uint32_t *role,
                               uint32_t v)
{
    const uint32_t end = graph->end[v];
    for (uint32_t first = flow->next[v]; first < end; flow->next[v] = first += ARCS_COMPARED) {
        uint32_t best = UNSEEN, found = FREE;
        for (uint32_t k = first; k < end && k < first + ARCS_COMPARED; ++k) {
            const uint32_t u = graph->head[k], hops = flow->in[u];
            if (hops == CLOSED || hops >= best || role[u] == MCD_FLOW_SOURCE) continue;
            best = hops;
            found = u;
        }
        if (found != FREE) return found;
    }
    return FREE;
}

/* Returns the next vertex where a search may arrive that is about to leave v: a neighbour, or v itself, to go
 * back along its path. It cannot arrive there again. */
static uint32_t arrive_next(const mcd_node_flow *flow, const mcd_flow_graph *graph, const uint32_t *role,
                            uint32_t v)
{
    uint32_t u = next_neighbour(flow, graph, role, v);
    const bool has_path = flow->before[v] != FREE && flow->before[v] != END;
    if (u == FREE && has_path && flow->in[v] != CLOSED && flow->in[v] != UNSEEN) u = v;
    if (u != FREE) flow->in[u] = CLOSED;
    return u;
}

/* Makes the steps of a search a path, and parts of the old ones that it went back along free. */
static void lay_path(const mcd_node_flow *flow, const uint32_t *path, const uint32_t *entered,
                     uint32_t length)
{
    flow->before[path[0]] = END;
    for (uint32_t i = 1; i < length; ++i) {
        const uint32_t from = path[i - 1], to = entered[i];
        if (from == to) {
            flow->before[from] = flow->behind[from] = FREE;
        } else {
            flow->behind[from] = to;
            flow->before[to] = from;
        }
    }
    flow->behind[path[length - 1]] = END;
}

/* Lays one more path from a vertex of the source, if there is one. */
static bool send_from(const mcd_node_flow *flow, const mcd_flow_graph *graph, const mcd_flow_piece *piece,
                      const uint32_t *role, uint32_t source)
{
    uint32_t *const path = flow->path + piece->first_vertex;
    uint32_t *const entered = flow->entered + piece->first_vertex;
    uint32_t length = 1;
    if (flow->before[source] != FREE || flow->in[source] == UNSEEN) return false;
    path[0] = entered[0] = source;
    while (length > 0) {
        const uint32_t v = path[length - 1];
        if (role[v] == MCD_FLOW_SINK) {
            lay_path(flow, path, entered, length);
            return true;
        }
        const uint32_t u = arrive_next(flow, graph, role, v);
        if (u == FREE) {
            --length;
            continue;
        }
        const uint32_t leave = flow->before[u] == FREE ? u : flow->before[u];
        if (flow->out[leave] == CLOSED) continue;
        flow->out[leave] = CLOSED;
        entered[length] = u;
        path[length++] = leave;
    }
    return false;
}

uint64_t mcd_node_flow_send(const mcd_node_flow *flow, const mcd_flow_graph *graph,
                            const mcd_flow_piece *piece, const uint32_t *role, const mcd_flow_rim *rim,
                            uint64_t limit, const mcd_watch *watch)
{
    const uint32_t first = piece->first_vertex, count = piece->vertex_count;
    uint64_t sum = 0;
    memset(flow->before + first, 0xff, count * sizeof *flow->before);
    memset(flow->behind + first, 0xff, count * sizeof *flow->behind);
    while (sum <= limit && find_hops(flow, graph, piece, role, rim, watch))
        for (uint32_t i = 0; i < rim->source_count && sum <= limit && mcd_watch_goes_on(watch); ++i)
            sum += send_from(flow, graph, piece, role, rim->source[i]);
    return sum;
}

/* ---- the two least separators ---- */

/* Closes the states that a path from the source reaches; none of them has hops to the sink. */
static void close_reached(const mcd_node_flow *flow, const mcd_flow_graph *graph, const mcd_flow_piece *piece,
                          const mcd_flow_rim *rim)
{
    uint32_t *const queue = flow->queue + 2 * (size_t)piece->first_vertex, end = 0;
    for (uint32_t i = 0; i < rim->source_count; ++i) {
        flow->in[rim->source[i]] = CLOSED;
        queue[end++] = rim->source[i];
    }
    for (uint32_t i = 0; i < end; ++i) {
        const uint32_t v = queue[i] & ~OUT;
        if (!(queue[i] & OUT)) {
            const uint32_t leave = flow->before[v] == FREE ? v : flow->before[v];
            if (leave == END || flow->out[leave] == CLOSED) continue;
            flow->out[leave] = CLOSED;
            queue[end++] = leave | OUT;
            continue;
        }
        for (uint32_t k = graph->begin[v]; k < graph->end[v]; ++k) {
            const uint32_t u = graph->head[k];
            if (flow->in[u] == CLOSED) continue;
            flow->in[u] = CLOSED;
            queue[end++] = u;
        }
        if (flow->before[v] != FREE && flow->in[v] != CLOSED) {
            flow->in[v] = CLOSED;
            queue[end++] = v;
        }
    }
}

/* Where a vertex is if the separator is next to the source. */
static uint8_t side_by_source(const mcd_node_flow *flow, const uint32_t *role, uint32_t v)
{
    if (flow->out[v] == CLOSED) return 0;
    if (flow->in[v] == CLOSED) return MCD_SEPARATES;
    return role[v] != MCD_FLOW_SOURCE;
}

/* Where a vertex is if the separator is next to the sink. */
static uint8_t side_by_sink(const mcd_node_flow *flow, const uint32_t *role, uint32_t v)
{
    if (flow->in[v] != CLOSED && flow->in[v] != UNSEEN) return 1;
    if (flow->out[v] != CLOSED && flow->out[v] != UNSEEN) return MCD_SEPARATES;
    return role[v] == MCD_FLOW_SINK;
}

uint64_t mcd_node_flow_take_side(const mcd_node_flow *flow, const mcd_flow_graph *graph,
                                 const mcd_flow_piece *piece, const uint32_t *role, const mcd_flow_rim *rim,
                                 uint8_t *side)
{
    const uint32_t first = piece->first_vertex, end = first + piece->vertex_count;
    uint64_t by_source[MCD_SEPARATES + 1] = {0}, by_sink[MCD_SEPARATES + 1] = {0};
    close_reached(flow, graph, piece, rim);
    for (uint32_t v = first; v < end; ++v) {
        ++by_source[side_by_source(flow, role, v)];
        ++by_sink[side_by_sink(flow, role, v)];
    }
    const uint64_t lighter_by_source = by_source[0] < by_source[1] ? by_source[0] : by_source[1];
    const uint64_t lighter_by_sink = by_sink[0] < by_sink[1] ? by_sink[0] : by_sink[1];
    const bool take_source = lighter_by_source > lighter_by_sink;
    for (uint32_t v = first; v < end; ++v)
        side[v] = take_source ? side_by_source(flow, role, v) : side_by_sink(flow, role, v);
    return take_source ? lighter_by_source : lighter_by_sink;
}

/* ---- memory ---- */

macadam_status mcd_node_flow_new(mcd_node_flow **out, mcd_arena *arena, size_t vertex_count,
                                 macadam_error *error)
{
    mcd_node_flow *flow;
    MCD_TRY(MCD_ARENA_NEW(arena, flow, 1, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->in, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->out, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->before, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->behind, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->next, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->queue, 2 * vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->path, vertex_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, flow->entered, vertex_count, error));
    *out = flow;
    return MACADAM_OK;
}
