/* unpack.c - from kept arcs to input arcs.
 *
 * Method. One word per kept arc names the two arcs that it stands for, or its input arc. The first child is
 * followed immediately and the second waits on a stack. A child's lower end is deeper than the arc's own, so
 * the stack never holds more than the height of the tree. (Dibbelt et al. 2016, section 5.3) If an arc's span
 * is stored, the span is copied instead.
 * Checks. Children of a file may lead anywhere. Those that are followed are arcs, the stack is bounded, and the
 * input arcs of a path must follow each other.
 * Limit. Words and spans are scattered: without spans a path costs one cache miss per arc. Several paths are
 * unpacked in turn. Each prefetches its next read before the others' turns, so that the misses overlap. */
#include "kernels/host/unpack.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"

/* The data that the paths of a call share. */
typedef struct unpack_run {
    const uint64_t *word[2]; /* by mcd_direction: spans if there are any, otherwise children */
    const uint64_t *children[2];
    const uint32_t *span_arc; /* NULL: no spans */
    size_t height, count_max;
    const mcd_graph *checked; /* the graph in which paths are checked; NULL: they need no check */
    const mcd_weights *weights;
    mcd_arc kept_count[2]; /* by mcd_direction, if paths are checked */
    mcd_path *const *path;
    const uint64_t *chain;
    const size_t *first;
    size_t count, next_path;
} unpack_run;

/* One path in progress. */
typedef struct unpack_stream {
    mcd_path *path;
    const uint64_t *next, *end; /* the rest of its chain */
    uint64_t arc;               /* the current arc, whose word is being prefetched */
    uint64_t span;              /* if not 0, the current span, whose arcs are being prefetched */
    uint64_t *stack;
    size_t count;
} unpack_stream;

/* Makes `arc` the current one. */
static inline void take_arc(unpack_stream *stream, const unpack_run *run, uint64_t arc)
{
    __builtin_prefetch(&run->word[arc & 1][arc >> 1]);
    stream->arc = arc;
}

static inline void take_span(unpack_stream *stream, const unpack_run *run, uint64_t span)
{
    const uint32_t *arc = run->span_arc + mcd_span_first(span);
    __builtin_prefetch(arc);
    __builtin_prefetch(arc + mcd_span_count(span) - 1);
    stream->span = span;
}

/* Begins the next path that has arcs. False: there is none. */
static bool take_path(unpack_stream *stream, unpack_run *run)
{
    const size_t *const first = run->first;
    while (run->next_path < run->count && first[run->next_path] == first[run->next_path + 1])
        ++run->next_path;
    if (run->next_path == run->count) return false;
    const size_t i = run->next_path++;
    stream->path = run->path[i];
    stream->next = run->chain + first[i];
    stream->end = run->chain + first[i + 1];
    stream->count = 0;
    stream->span = 0;
    take_arc(stream, run, *stream->next++);
    return true;
}

/* Goes on after the current arc is on the path. *done: the path is complete, or longer than any can be. */
static inline void take_next(unpack_stream *stream, const unpack_run *run, bool *done)
{
    if (stream->path->count > run->count_max)
        *done = true;
    else if (stream->count > 0)
        take_arc(stream, run, stream->stack[--stream->count]);
    else if (stream->next < stream->end)
        take_arc(stream, run, *stream->next++);
    else
        *done = true;
}

static macadam_status append_span(unpack_stream *stream, const unpack_run *run, macadam_error *error)
{
    mcd_path *path = stream->path;
    const uint32_t count = mcd_span_count(stream->span);
    MCD_TRY(MCD_GROW(path->arc, path->capacity, path->count + count, error));
    memcpy(path->arc + path->count, run->span_arc + mcd_span_first(stream->span), count * sizeof *path->arc);
    path->count += count;
    stream->span = 0;
    return MACADAM_OK;
}

/* Returns whether the current arc's children exist: an input arc that follows the path's last one, or two kept arcs. */
static bool are_arcs(const unpack_stream *stream, const unpack_run *run, mcd_children children)
{
    const mcd_graph *const graph = run->checked;
    const mcd_path *const path = stream->path;
    if (children.first != MCD_CHILD_NONE)
        return children.first < run->kept_count[MCD_BACKWARD] &&
               children.second < run->kept_count[MCD_FORWARD];
    if (children.second >= graph->arc_count) return false;
    if (path->count == 0) return true;
    const mcd_node tail = graph->head[path->arc[path->count - 1]];
    return graph->first_out[tail] <= children.second && children.second < graph->first_out[tail + 1];
}

static macadam_status fail_path(const unpack_stream *stream, macadam_error *error)
{
    return mcd_fail(error, MACADAM_E_FILE, "the children of kept arc %llu are those of no path",
                    (unsigned long long)(stream->arc >> 1));
}

static inline macadam_status follow_children(unpack_stream *stream, const unpack_run *run, bool *done,
                                             macadam_error *error)
{
    const uint64_t *const word = &run->children[stream->arc & 1][stream->arc >> 1];
    if (run->checked && run->weights->check_read)
        MCD_TRY(run->weights->check_read(run->weights->check_context, word, error));
    const mcd_children children = mcd_children_of(*word);
    mcd_path *path = stream->path;
    if (run->checked && !are_arcs(stream, run, children)) return fail_path(stream, error);
    if (children.first == MCD_CHILD_NONE) {
        if (path->count == path->capacity)
            MCD_TRY(MCD_GROW(path->arc, path->capacity, path->count + 1, error));
        path->arc[path->count++] = children.second;
        take_next(stream, run, done);
        return MACADAM_OK;
    }
    if (stream->count > run->height) return fail_path(stream, error);
    __builtin_prefetch(&run->word[MCD_FORWARD][children.second]);
    stream->stack[stream->count++] = mcd_kept_arc(children.second, MCD_FORWARD);
    take_arc(stream, run, mcd_kept_arc(children.first, MCD_BACKWARD));
    return MACADAM_OK;
}

/* Handles the current arc or span. */
static inline macadam_status step(unpack_stream *stream, const unpack_run *run, bool *done,
                                  macadam_error *error)
{
    if (stream->span) {
        MCD_TRY(append_span(stream, run, error));
        take_next(stream, run, done);
        return MACADAM_OK;
    }
    const uint64_t span = run->span_arc ? run->word[stream->arc & 1][stream->arc >> 1] : 0;
    if (mcd_span_count(span) == 0) return follow_children(stream, run, done, error);
    take_span(stream, run, span);
    return MACADAM_OK;
}

macadam_status mcd_unpack(mcd_path *const *path, const uint64_t *chain, const size_t *first, size_t count,
                          const mcd_weights *weights, const mcd_spans *spans, uint64_t *stack,
                          macadam_error *error)
{
    unpack_run run = {.weights = weights,
                      .span_arc = spans ? spans->arc : NULL,
                      .height = weights->hierarchy->height,
                      .checked = weights->checks_paths && !spans ? weights->graph : NULL,
                      .count_max = weights->hierarchy->node_count,
                      .path = path,
                      .chain = chain,
                      .first = first,
                      .count = count};
    for (int direction = 0; direction < 2; ++direction) {
        run.children[direction] = weights->search[direction].children;
        if (run.checked)
            run.kept_count[direction] = weights->search[direction].first[weights->hierarchy->node_count];
        run.word[direction] = spans ? spans->span[direction] : run.children[direction];
    }
    unpack_stream stream[MCD_UNPACK_STREAMS];
    size_t active = 0;
    for (; active < MCD_UNPACK_STREAMS; ++active) {
        stream[active].stack = stack + active * (run.height + 1);
        if (!take_path(&stream[active], &run)) break;
    }
    while (active > 0)
        for (size_t s = 0; s < active;) {
            bool done = false;
            MCD_TRY(step(&stream[s], &run, &done, error));
            if (!done || take_path(&stream[s], &run))
                ++s;
            else if (s != --active) { /* the last stream takes the place of one that has no more paths */
                unpack_stream last = stream[active];
                stream[active].stack = stream[s].stack;
                stream[s] = last;
            }
        }
    return MACADAM_OK;
}

/* ---- paths with zero-weight cycles ---- */

/* Open addressing: the end of the last arc of the path that leads to a node, counted in arcs. */
typedef struct node_table {
    mcd_node *node;
    size_t *end;
    size_t mask;
} node_table;

static size_t *table_slot(const node_table *table, mcd_node node)
{
    size_t slot = node * UINT64_C(0x9e3779b97f4a7c15) >> 20 & table->mask;
    while (table->node[slot] != node && table->node[slot] != MCD_NODE_NONE) slot = (slot + 1) & table->mask;
    table->node[slot] = node;
    return &table->end[slot];
}

/* A shortest path comes back to a node only by arcs of weight 0, at least two of them. */
static bool may_come_back(const mcd_path *path, const mcd_weight *objective)
{
    for (size_t i = 1; i < path->count; ++i)
        if (objective[path->arc[i - 1]] == 0 && objective[path->arc[i]] == 0) return true;
    return false;
}

/* The node of the source that the path's first arc leaves. */
static mcd_node first_node(const mcd_path *path, const mcd_graph *graph, const mcd_lane *source)
{
    uint32_t s = 0;
    while (s + 1 < mcd_lane_seed_count(source) &&
           (path->arc[0] < graph->first_out[source->seed[s].node] ||
            path->arc[0] >= graph->first_out[source->seed[s].node + 1]))
        ++s;
    return source->seed[s].node;
}

macadam_status mcd_path_simplify(mcd_path *path, const mcd_weights *weights, const mcd_lane *source,
                                 macadam_error *error)
{
    if (!weights->has_zero || !may_come_back(path, weights->objective)) return MACADAM_OK;
    const mcd_graph *graph = weights->graph;
    const mcd_node first = first_node(path, graph, source);
    size_t mask = 15;
    while (mask < 4 * path->count) mask = 2 * mask + 1;
    MCD_OWNED mcd_node *node = NULL;
    MCD_OWNED size_t *end = NULL;
    MCD_TRY(MCD_NEW(node, mask + 1, error));
    MCD_TRY(MCD_NEW(end, mask + 1, error));
    node_table table = {node, end, mask};
    memset(node, 0xff, (mask + 1) * sizeof *node);
    const size_t arc_count = path->count;
    *table_slot(&table, first) = 0;
    for (size_t i = 0; i < arc_count; ++i) *table_slot(&table, graph->head[path->arc[i]]) = i + 1;
    path->count = 0;
    for (size_t i = *table_slot(&table, first); i < arc_count;
         i = *table_slot(&table, graph->head[path->arc[i]]))
        path->arc[path->count++] = path->arc[i];
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_path_free, mcd_path, it->arc)
