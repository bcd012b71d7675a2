/* check_children.c - whether what kept arcs are unpacked into is a path: see check.h. */
#include "engine/file/check_rule.h"

typedef struct halves_rule_argument {
    const mcd_weights *weights;
    mcd_direction direction;
} halves_rule_argument;

/* The lower end of kept arc `index`, which is one of a node in low <= node < high. */
static mcd_node lower_end(const mcd_search *search, mcd_arc index, mcd_node low, mcd_node high)
{
    while (high - low > 1) {
        const mcd_node middle = low + (high - low) / 2;
        if (search->first[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Both halves belong to one node below x, and join the arc's ends there. */
static bool is_triangle(const halves_rule_argument *a, mcd_node x, mcd_node tail, mcd_node head,
                        mcd_halves half)
{
    const mcd_search *backward = &a->weights->search[MCD_BACKWARD],
                     *forward = &a->weights->search[MCD_FORWARD];
    const mcd_node end = a->weights->hierarchy->subtree_end[x];
    if (half.first < backward->first[x + 1] || half.first >= backward->first[end]) return false;
    if (half.second < forward->first[x + 1] || half.second >= forward->first[end]) return false;
    if (backward->head[half.first] != tail || forward->head[half.second] != head) return false;
    const mcd_node bottom = lower_end(forward, half.second, x + 1, end);
    return backward->first[bottom] <= half.first && half.first < backward->first[bottom + 1];
}

static bool is_input(const halves_rule_argument *a, mcd_node tail, mcd_node head, uint32_t arc)
{
    const mcd_graph *graph = a->weights->graph;
    return graph->first_out[tail] <= arc && arc < graph->first_out[tail + 1] && graph->head[arc] == head;
}

static inline bool halves_rule(const void *argument, size_t x, mcd_finding *out)
{
    const halves_rule_argument *a = argument;
    const mcd_search *search = &a->weights->search[a->direction];
    for (mcd_arc i = search->first[x]; i < search->first[x + 1]; ++i) {
        const mcd_node low = (mcd_node)x, high = search->head[i];
        const mcd_node tail = a->direction == MCD_FORWARD ? low : high,
                       head = a->direction == MCD_FORWARD ? high : low;
        const mcd_halves half = mcd_halves_of(search->halves[i]);
        if (half.first == MCD_HALF_NONE ? !is_input(a, tail, head, half.second)
                                        : !is_triangle(a, low, tail, head, half))
            return mcd_broken(out, ".halves", i, search->halves[i],
                              "no path from the arc's tail to its head");
    }
    return false;
}
MCD_SCAN_OF(halves_rule)

macadam_status mcd_check_halves(const mcd_check *check, const char *prefix, const mcd_weights *weights,
                                mcd_direction direction)
{
    const halves_rule_argument argument = {.weights = weights, .direction = direction};
    return MCD_CHECK_RULE(check, prefix, halves_rule, &argument, weights->hierarchy->node_count);
}
