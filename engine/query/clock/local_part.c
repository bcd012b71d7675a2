/* local_part.c - see local_part.h. */
#include "engine/query/clock/local_part.h"

#include "engine/base/watch.h"

macadam_status mcd_local_part_add(mcd_weight *detour, const mcd_weights *bound, mcd_direction direction,
                                  const mcd_node *near, size_t count, mcd_weight *dist, macadam_error *error)
{
    const mcd_search *const up = &bound->search[direction], *const down = &bound->search[direction ^ 1];
    const mcd_node node_count = bound->hierarchy->node_count;
    for (mcd_node x = 0; x < node_count; ++x) dist[x] = MCD_UNREACHED;
    for (size_t i = 0; i < count; ++i) dist[near[i]] = 0;
    for (mcd_node x = node_count; x-- > 0;) { /* a parent's number is lower */
        MCD_TRY(mcd_watch_item(NULL, x, node_count, error));
        for (mcd_arc arc = up->first[x]; dist[x] < MCD_UNREACHED && arc < up->first[x + 1]; ++arc) {
            const mcd_weight over = dist[x] + up->objective[arc];
            if (over < dist[up->head[arc]]) dist[up->head[arc]] = over;
        }
    }
    for (mcd_node x = 0; x < node_count; ++x) {
        mcd_weight least = dist[x];
        MCD_TRY(mcd_watch_item(NULL, x, node_count, error));
        for (mcd_arc arc = down->first[x]; arc < down->first[x + 1]; ++arc) {
            const mcd_weight over = dist[down->head[arc]] + down->objective[arc];
            if (over < least) least = over;
        }
        dist[x] = least;
        detour[x] = mcd_weight_add(detour[x], least);
    }
    return MACADAM_OK;
}

/* Numbers the nodes inside, and counts the arcs that leave them. */
static size_t number_inside(mcd_local_part *part, const mcd_arc *first, mcd_node node_count,
                            const mcd_weight *detour, mcd_weight margin)
{
    size_t arc_count = 0;
    for (mcd_node x = 0; x < node_count; ++x) {
        part->number[x] = detour[x] <= margin ? part->inside_count++ : MCD_NODE_NONE;
        if (detour[x] <= margin) arc_count += first[x + 1] - first[x];
    }
    return arc_count;
}

/* Numbers the border in the map's order. */
static void number_border(mcd_local_part *part, const mcd_clock_arc *arc, const mcd_arc *first,
                          mcd_node node_count)
{
    const mcd_node on_border = MCD_NODE_NONE - 1;
    static_assert(MCD_NODE_NONE == UINT32_MAX, "the number before it is not a node either");
    for (mcd_node x = 0; x < node_count; ++x)
        for (mcd_arc i = first[x]; part->number[x] < part->inside_count && i < first[x + 1]; ++i)
            if (part->number[arc[i].end] == MCD_NODE_NONE && arc[i].own < MCD_UNREACHED)
                part->number[arc[i].end] = on_border;
    part->node_count = part->inside_count;
    for (mcd_node x = 0; x < node_count; ++x)
        if (part->number[x] == on_border) part->number[x] = part->node_count++;
}

static void copy_arcs(mcd_local_part *part, const mcd_clock_arcs *arcs, mcd_direction direction,
                      const mcd_arc *first)
{
    mcd_arc count = 0;
    for (mcd_node v = 0; v < part->node_count; ++v) {
        const mcd_node x = part->node[v];
        part->first[v] = count;
        for (mcd_arc i = first[x]; v < part->inside_count && i < first[x + 1]; ++i) {
            mcd_clock_arc arc = arcs->arc[direction][i];
            if (arc.own == MCD_UNREACHED) continue;
            part->end[count] = arc.end = part->number[arc.end];
            if (part->companion) part->companion[count] = arcs->companion[direction][i];
            part->arc[count++] = arc;
        }
    }
    part->first[part->node_count] = count;
}

macadam_status mcd_local_part_new(mcd_local_part *out, const mcd_clock_arcs *arcs, mcd_direction direction,
                                  const mcd_weight *detour, mcd_weight margin, macadam_error *error)
{
    const mcd_node node_count = arcs->graph->node_count;
    const mcd_arc *const first = direction == MCD_FORWARD ? arcs->graph->first_out : arcs->graph->first_in;
    *out = (mcd_local_part){.inside_count = 0};
    MCD_TRY(MCD_NEW(out->number, node_count, error));
    const size_t arc_count = number_inside(out, first, node_count, detour, margin);
    number_border(out, arcs->arc[direction], first, node_count);
    MCD_TRY(MCD_NEW(out->node, out->node_count, error));
    for (mcd_node x = 0; x < node_count; ++x)
        if (out->number[x] != MCD_NODE_NONE) out->node[out->number[x]] = x;
    MCD_TRY(MCD_NEW(out->first, (size_t)out->node_count + 1, error));
    MCD_TRY(MCD_NEW(out->end, arc_count, error));
    MCD_TRY(MCD_NEW(out->arc, arc_count, error));
    if (arcs->companion[direction]) MCD_TRY(MCD_NEW(out->companion, arc_count, error));
    copy_arcs(out, arcs, direction, first);
    return MACADAM_OK;
}

void mcd_local_part_arcs(const mcd_local_part *part, const mcd_clock_arcs *map, mcd_direction direction,
                         mcd_graph *graph, mcd_clock_arcs *out)
{
    *graph =
        (mcd_graph){.node_count = part->node_count, .arc_count = (uint32_t)part->first[part->node_count]};
    *(direction == MCD_FORWARD ? &graph->first_out : &graph->first_in) = part->first;
    *(direction == MCD_FORWARD ? &graph->head : &graph->tail) = part->end;
    *out = (mcd_clock_arcs){.graph = graph, .own_mean = map->own_mean, .patterns = map->patterns};
    out->arc[direction] = part->arc;
    out->companion[direction] = part->companion;
}

MCD_DEFINE_FREE(mcd_local_part_free, mcd_local_part, it->node, it->number, it->first, it->end, it->arc,
                it->companion)
