/* condensation.c - see condensation.h.
 *
 * Method. The arcs between components are listed by head. Levels are then found from the lowest up: a
 * component gets its level when the last of its heads has one. Going through the heads in the new order and
 * appending each to its tails' lists leaves those lists ascending, with repetitions side by side. */
#include "engine/map/condensation.h"

#include "engine/map/component.h"
#include "engine/base/arena.h"

/* Component numbers are those of the search, except where a comment says `new`. */
typedef struct condensing {
    const mcd_graph *graph;
    const mcd_components *components;
    mcd_arena *memory; /* of the arrays */
    mcd_arc *first_in; /* [count + 1] */
    uint32_t *tail;    /* of the arcs between components, by head */
    uint32_t *open;    /* [count]: how many arcs lead to heads whose level is not known yet */
    uint32_t *last;    /* [count]: by new number, the head that was appended last */
    uint32_t *by_new;  /* [count]: by new number */
} condensing;

/* Returns whether arc `xy` of x leads to another component, and sets *other to it. */
static bool leaves(const condensing *work, mcd_node x, mcd_arc xy, uint32_t *other)
{
    *other = work->components->component[work->graph->head[xy]];
    return *other != work->components->component[x];
}

/* Offsets are counted one place too far, because placing the arcs moves them down. */
static macadam_status list_by_head(condensing *work, macadam_error *error)
{
    const mcd_graph *graph = work->graph;
    const uint32_t count = work->components->count;
    uint32_t head;
    MCD_TRY(MCD_ARENA_NEW(work->memory, work->first_in, (size_t)count + 2, error));
    MCD_TRY(MCD_ARENA_NEW(work->memory, work->open, count, error));
    memset(work->first_in, 0, ((size_t)count + 2) * sizeof *work->first_in);
    memset(work->open, 0, count * sizeof *work->open);
    for (mcd_node x = 0; x < graph->node_count; ++x)
        for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy)
            if (leaves(work, x, xy, &head))
                ++work->first_in[head + 2], ++work->open[work->components->component[x]];
    for (uint32_t c = 0; c < count; ++c) work->first_in[c + 2] += work->first_in[c + 1];
    MCD_TRY(MCD_ARENA_NEW(work->memory, work->tail, work->first_in[(size_t)count + 1], error));
    for (mcd_node x = 0; x < graph->node_count; ++x)
        for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy)
            if (leaves(work, x, xy, &head))
                work->tail[work->first_in[head + 1]++] = work->components->component[x];
    return MACADAM_OK;
}

/* by_new lists the components whose level is known, one level after another. */
static macadam_status find_levels(condensing *work, mcd_condensation *out, macadam_error *error)
{
    const uint32_t count = work->components->count;
    uint32_t listed = 0;
    MCD_TRY(MCD_ARENA_NEW(work->memory, work->by_new, count, error));
    MCD_TRY(MCD_NEW(out->level_first, (size_t)count + 1, error));
    for (uint32_t c = 0; c < count; ++c)
        if (work->open[c] == 0) work->by_new[listed++] = c;
    out->level_first[0] = 0;
    for (uint32_t first = 0; first < listed;) {
        const uint32_t end = listed;
        out->level_first[++out->level_count] = end;
        for (; first < end; ++first) {
            const uint32_t c = work->by_new[first];
            for (mcd_arc i = work->first_in[c]; i < work->first_in[c + 1]; ++i)
                if (--work->open[work->tail[i]] == 0) work->by_new[listed++] = work->tail[i];
        }
    }
    return MACADAM_OK;
}

/* Counts each head once per tail; once they are counted, appends it to the tail's list. `number`: the new
 * ones. */
static void append_heads(const condensing *work, mcd_condensation *out, const uint32_t *number)
{
    for (uint32_t c = 0; c < out->component_count; ++c) work->last[c] = MCD_NODE_NONE;
    for (uint32_t head = 0; head < out->component_count; ++head) {
        const uint32_t c = work->by_new[head];
        for (mcd_arc i = work->first_in[c]; i < work->first_in[c + 1]; ++i) {
            const uint32_t tail = number[work->tail[i]];
            if (work->last[tail] == head) continue;
            work->last[tail] = head;
            if (out->head)
                out->head[out->first_out[tail + 1]++] = head;
            else
                ++out->first_out[tail + 2];
        }
    }
}

static macadam_status list_heads(condensing *work, mcd_condensation *out, macadam_error *error)
{
    const uint32_t count = out->component_count;
    uint32_t *const number = work->open; /* all zero by now */
    MCD_TRY(MCD_ARENA_NEW(work->memory, work->last, count, error));
    MCD_TRY(MCD_NEW_ZEROED(out->first_out, (size_t)count + 2, error));
    for (uint32_t c = 0; c < count; ++c) number[work->by_new[c]] = c;
    append_heads(work, out, number);
    for (uint32_t c = 0; c < count; ++c) out->first_out[c + 2] += out->first_out[c + 1];
    MCD_TRY(MCD_NEW(out->head, out->first_out[(size_t)count + 1], error));
    append_heads(work, out, number);
    MCD_TRY(MCD_NEW(out->component, work->graph->node_count, error));
    for (mcd_node x = 0; x < work->graph->node_count; ++x)
        out->component[x] = number[work->components->component[x]];
    return MACADAM_OK;
}

macadam_status mcd_condensation_new(mcd_condensation *out, const mcd_graph *graph, macadam_error *error)
{
    MCD_FREED_BY(mcd_components_free) mcd_components components = {0};
    MCD_FREED_BY(mcd_condensation_free) mcd_condensation made = {0};
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {0};
    condensing work = {.graph = graph, .components = &components, .memory = &memory};
    *out = (mcd_condensation){0};
    MCD_TRY(mcd_components_new(&components, graph, NULL, NULL, error));
    made.component_count = components.count;
    MCD_TRY(list_by_head(&work, error));
    MCD_TRY(find_levels(&work, &made, error));
    MCD_TRY(list_heads(&work, &made, error));
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_condensation_free, mcd_condensation, it->component, it->level_first, it->first_out,
                it->head)
