/* check_children.c - checks that each kept arc is unpacked into a path: see check.h. */
#include "engine/file/check_rule.h"

typedef struct children_rule_argument {
    const mcd_weights *weights;
    mcd_direction direction;
} children_rule_argument;

/* Returns whether both children belong to one node below x and join the arc's ends there. */
static bool is_triangle(const children_rule_argument *a, mcd_node x, mcd_node tail, mcd_node head,
                        mcd_children children)
{
    const mcd_search *backward = &a->weights->search[MCD_BACKWARD],
                     *forward = &a->weights->search[MCD_FORWARD];
    const mcd_node end = a->weights->hierarchy->subtree_end[x];
    if (children.first < backward->first[x + 1] || children.first >= backward->first[end]) return false;
    if (children.second < forward->first[x + 1] || children.second >= forward->first[end]) return false;
    if (backward->head[children.first] != tail || forward->head[children.second] != head) return false;
    const mcd_node bottom =
        (mcd_node)mcd_lower_bound_u64(forward->first, x + 2, end, children.second + (mcd_arc)1) - 1;
    return backward->first[bottom] <= children.first && children.first < backward->first[bottom + 1];
}

static bool is_input(const children_rule_argument *a, mcd_node tail, mcd_node head, uint32_t arc)
{
    const mcd_graph *graph = a->weights->graph;
    return graph->first_out[tail] <= arc && arc < graph->first_out[tail + 1] && graph->head[arc] == head;
}

static inline bool children_rule(const void *argument, size_t x, mcd_finding *out)
{
    const children_rule_argument *a = argument;
    const mcd_search *search = &a->weights->search[a->direction];
    for (mcd_arc i = search->first[x]; i < search->first[x + 1]; ++i) {
        const mcd_node low = (mcd_node)x, high = search->head[i];
        const mcd_node tail = a->direction == MCD_FORWARD ? low : high,
                       head = a->direction == MCD_FORWARD ? high : low;
        const mcd_children children = mcd_children_of(search->children[i]);
        if (children.first == MCD_CHILD_NONE ? !is_input(a, tail, head, children.second)
                                             : !is_triangle(a, low, tail, head, children))
            return mcd_broken(out, ".halves", i, search->children[i],
                              "no path from the arc's tail to its head");
    }
    return false;
}
MCD_SCAN_OF(children_rule)

macadam_status mcd_check_children(mcd_check check, const char *prefix, const mcd_weights *weights,
                                  mcd_direction direction)
{
    const children_rule_argument argument = {.weights = weights, .direction = direction};
    return MCD_CHECK_RULE(check, prefix, children_rule, &argument, weights->hierarchy->node_count);
}
