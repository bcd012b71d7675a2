/* arc_weights.c - see arc_weights.h. */
#include "engine/runtime/arc_weights.h"

#include "engine/map/graph.h"

enum { PART = 1 << 16 }; /* arcs or couples per task */

/* ---- the weights of forward searches ---- */

/* An arc that is closed for one quantity is closed for the metric. */
static bool is_closed(const mcd_arcs *arcs, size_t arc)
{
    const mcd_weight *companion = arcs->companion[MCD_FORWARD];
    return arcs->objective[MCD_FORWARD][arc] == MCD_UNREACHED ||
           (companion && companion[arc] == MCD_UNREACHED);
}

static bool closes_alike(const mcd_arcs *arcs)
{
    const mcd_weight *objective = arcs->objective[MCD_FORWARD], *companion = arcs->companion[MCD_FORWARD];
    if (!companion) return true;
    uint32_t unlike = 0;
    for (uint32_t arc = 0; arc < arcs->graph->arc_count; ++arc)
        unlike |= (objective[arc] == MCD_UNREACHED) ^ (companion[arc] == MCD_UNREACHED);
    return !unlike;
}

static macadam_status close_alike(mcd_arc_weights *weights, macadam_error *error)
{
    mcd_arcs *arcs = &weights->arcs;
    const size_t count = arcs->graph->arc_count;
    MCD_TRY(MCD_NEW(weights->open[0], count, error));
    MCD_TRY(MCD_NEW(weights->open[1], count, error));
    for (size_t arc = 0; arc < count; ++arc) {
        const bool closed = is_closed(arcs, arc);
        weights->open[0][arc] = closed ? MCD_UNREACHED : arcs->objective[MCD_FORWARD][arc];
        weights->open[1][arc] = closed ? MCD_UNREACHED : arcs->companion[MCD_FORWARD][arc];
    }
    arcs->objective[MCD_FORWARD] = weights->open[0];
    arcs->companion[MCD_FORWARD] = weights->open[1];
    return MACADAM_OK;
}

static void measure(mcd_arcs *arcs)
{
    uint64_t sum = 0, open_count = 0;
    for (uint32_t arc = 0; arc < arcs->graph->arc_count; ++arc) {
        const mcd_weight objective = arcs->objective[MCD_FORWARD][arc];
        if (objective == MCD_UNREACHED) continue;
        sum += objective;
        ++open_count;
        arcs->has_zero |= objective == 0;
    }
    arcs->objective_mean = sum ? (mcd_weight)((sum + open_count - 1) / open_count) : 1;
}

macadam_status mcd_arc_weights_make(mcd_arc_weights *out, const mcd_graph *graph, const mcd_weight *objective,
                                    const mcd_weight *companion, macadam_error *error)
{
    MCD_FREED_BY(mcd_arc_weights_free)
    mcd_arc_weights made = {.arcs = {.graph = graph,
                                     .objective = {objective},
                                     .companion = {objective ? companion : NULL},
                                     .objective_mean = 1}};
    *out = (mcd_arc_weights){.graph = NULL};
    if (objective && !closes_alike(&made.arcs)) MCD_TRY(close_alike(&made, error));
    if (objective) measure(&made.arcs);
    return MCD_MOVE(*out, made);
}

macadam_status mcd_arc_weights_make_open(mcd_arc_weights *out, const mcd_graph *graph,
                                         const mcd_weight *weight, macadam_error *error)
{
    MCD_OWNED mcd_node *tail = NULL, *head = NULL, *same = NULL;
    MCD_OWNED uint32_t *map_arc = NULL;
    mcd_graph *open;
    size_t count = 0;
    MCD_TRY(MCD_NEW(tail, graph->arc_count, error));
    MCD_TRY(MCD_NEW(head, graph->arc_count, error));
    MCD_TRY(MCD_NEW(same, graph->node_count, error));
    for (mcd_node v = 0; v < graph->node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, graph->node_count, error));
        same[v] = v;
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc) {
            if (weight[arc] == MCD_UNREACHED) continue;
            tail[count] = v;
            head[count++] = graph->head[arc];
        }
    }
    MCD_TRY(mcd_graph_new(&open, &map_arc, graph->node_count, tail, head, count, same, NULL, NULL, error));
    *out = (mcd_arc_weights){.arcs = {.graph = open, .objective_mean = 1}, .graph = open};
    return MACADAM_OK;
}

/* ---- the weights of backward searches ---- */

typedef struct gather_work {
    const mcd_graph *graph;
    const mcd_weight *from;
    mcd_weight *to;
} gather_work;

static void gather_range(void *argument, size_t first, size_t end)
{
    const gather_work *work = argument;
    for (size_t i = first; i < end; ++i) work->to[i] = work->from[work->graph->in_arc[i]];
}

static macadam_status gather(const mcd_weight **out, const mcd_arcs *arcs, const mcd_weight *from,
                             const mcd_parallel *parallel, macadam_error *error)
{
    MCD_OWNED mcd_weight *to = NULL;
    MCD_TRY(MCD_NEW(to, arcs->graph->arc_count, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, arcs->graph->arc_count, PART, gather_range,
                                 &(gather_work){arcs->graph, from, to}, error));
    return MCD_MOVE(*out, to);
}

macadam_status mcd_arc_weights_add_backward(mcd_arc_weights *weights, const mcd_parallel *parallel,
                                            macadam_error *error)
{
    mcd_arcs *arcs = &weights->arcs;
    const mcd_weight *const objective = arcs->objective[MCD_FORWARD], *const companion =
                                                                          arcs->companion[MCD_FORWARD];
    if (companion && !arcs->companion[MCD_BACKWARD])
        MCD_TRY(gather(&arcs->companion[MCD_BACKWARD], arcs, companion, parallel, error));
    if (!objective || arcs->objective[MCD_BACKWARD]) return MACADAM_OK;
    return gather(&arcs->objective[MCD_BACKWARD], arcs, objective, parallel, error);
}

/* ---- couples ---- */

typedef struct couple_work {
    const mcd_arcs *arcs;
    const mcd_node *high, *low;
    mcd_weight *up, *down, *up_companion, *down_companion; /* companions may be NULL */
} couple_work;

static mcd_joint least_weight(const mcd_arcs *arcs, mcd_node tail, mcd_node head)
{
    const mcd_graph *graph = arcs->graph;
    const mcd_weight *objective = arcs->objective[MCD_FORWARD], *companion = arcs->companion[MCD_FORWARD];
    const mcd_arc end = graph->first_out[tail + 1];
    mcd_joint least = MCD_JOINT_UNREACHED;
    for (mcd_arc arc = mcd_graph_first_arc(graph, tail, head); arc < end && graph->head[arc] == head; ++arc) {
        const mcd_joint weight = mcd_joint_of(objective[arc], companion ? companion[arc] : 0);
        if (weight < least) least = weight;
    }
    return least;
}

static void put(mcd_joint weight, mcd_weight *objective, mcd_weight *companion)
{
    *objective = mcd_joint_objective(weight);
    if (companion) *companion = mcd_joint_companion(weight);
}

static void weigh_range(void *argument, size_t first, size_t end)
{
    const couple_work *work = argument;
    for (size_t i = first; i < end; ++i) {
        put(least_weight(work->arcs, work->high[i], work->low[i]), &work->up[i],
            work->up_companion ? &work->up_companion[i] : NULL);
        put(least_weight(work->arcs, work->low[i], work->high[i]), &work->down[i],
            work->down_companion ? &work->down_companion[i] : NULL);
    }
}

macadam_status mcd_arc_weights_add_couples(mcd_arc_weights *weights, const mcd_node *high,
                                           const mcd_node *low, size_t count, const mcd_parallel *parallel,
                                           macadam_error *error)
{
    mcd_arcs *arcs = &weights->arcs;
    const bool joint = arcs->companion[MCD_FORWARD];
    MCD_OWNED mcd_weight *up = NULL, *down = NULL, *up_companion = NULL, *down_companion = NULL;
    if (!arcs->objective[MCD_FORWARD] || arcs->couple_high) return MACADAM_OK;
    MCD_TRY(MCD_NEW(up, count, error));
    MCD_TRY(MCD_NEW(down, count, error));
    if (joint) MCD_TRY(MCD_NEW(up_companion, count, error));
    if (joint) MCD_TRY(MCD_NEW(down_companion, count, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, count, PART, weigh_range,
                                 &(couple_work){arcs, high, low, up, down, up_companion, down_companion},
                                 error));
    arcs->couple_count = count;
    arcs->couple_high = high;
    arcs->couple_low = low;
    MCD_MOVE(arcs->couple_up, up);
    MCD_MOVE(arcs->couple_up_companion, up_companion);
    MCD_MOVE(arcs->couple_down, down);
    return MCD_MOVE(arcs->couple_down_companion, down_companion);
}

/* ---- all ---- */

macadam_status mcd_arc_weights_place(mcd_arc_weights *weights, const mcd_device_table *table,
                                     mcd_device *device, macadam_error *error)
{
    if (weights->arcs.device) return MACADAM_OK;
    weights->device = table;
    return table->arcs_new(&weights->arcs.device, device, &weights->arcs, error);
}

void mcd_arc_weights_free(mcd_arc_weights *weights)
{
    const mcd_arcs *arcs = &weights->arcs;
    if (arcs->device) weights->device->arcs_free(arcs->device);
    MCD_FREE_ALL(arcs->objective[MCD_BACKWARD], arcs->companion[MCD_BACKWARD], arcs->couple_up,
                 arcs->couple_up_companion, arcs->couple_down, arcs->couple_down_companion, weights->open[0],
                 weights->open[1]);
    mcd_graph_free(weights->graph);
    *weights = (mcd_arc_weights){.graph = NULL};
}

/* ---- what differs ---- */

static bool differs(const mcd_weights *a, const mcd_weights *b, size_t arc)
{
    return a->objective[arc] != b->objective[arc] || (a->companion && a->companion[arc] != b->companion[arc]);
}

macadam_status mcd_arc_weights_changed(uint32_t **out, size_t *count, const mcd_weights *a,
                                       const mcd_weights *b, macadam_error *error)
{
    const size_t arc_count = a->graph->arc_count;
    size_t total = 0;
    *count = 0;
    for (size_t arc = 0; arc < arc_count; ++arc) total += differs(a, b, arc);
    MCD_TRY(MCD_NEW(*out, total, error));
    for (size_t arc = 0; arc < arc_count; ++arc)
        if (differs(a, b, arc)) (*out)[(*count)++] = (uint32_t)arc;
    return MACADAM_OK;
}
