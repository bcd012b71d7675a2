/* schedule.c - see schedule.h. */
#include "kernels/cpu/schedule.h"

#include "engine/memory.h"

#include <string.h>

/* Calls for each node above the bottom subtrees, ascending. */
#define FOR_TOP_NODES(hierarchy, v)                                                                          \
    for (mcd_node v = 0, b = 0; v < (hierarchy)->node_count; ++v)                                            \
        if (b < (hierarchy)->bottom_count && (hierarchy)->bottom_root[b] == v)                               \
            v = (hierarchy)->subtree_end[(hierarchy)->bottom_root[b++]] - 1;                                 \
        else

macadam_status mcd_levels_new(mcd_levels *out, const mcd_hierarchy *hierarchy, macadam_error *error)
{
    *out = (mcd_levels){0};
    mcd_node node_count = 0;
    FOR_TOP_NODES(hierarchy, v)
    {
        ++node_count;
        if (hierarchy->level[v] >= out->count) out->count = hierarchy->level[v] + 1;
    }
    macadam_status status;
    if ((status = MCD_NEW_ZEROED(out->first, (size_t)out->count + 2, error)) ||
        (status = MCD_NEW(out->node, node_count, error))) {
        mcd_levels_free(out);
        return status;
    }
    FOR_TOP_NODES(hierarchy, v)++ out->first[hierarchy->level[v] + 2];
    for (uint32_t level = 0; level < out->count; ++level) out->first[level + 2] += out->first[level + 1];
    FOR_TOP_NODES(hierarchy, v) out->node[out->first[hierarchy->level[v] + 1]++] = v;
    return MACADAM_OK;
}

void mcd_levels_free(mcd_levels *levels)
{
    mcd_free(levels->first);
    mcd_free(levels->node);
    *levels = (mcd_levels){0};
}

macadam_status mcd_lower_new(mcd_lower *out, const mcd_hierarchy *hierarchy, macadam_error *error)
{
    *out = (mcd_lower){0};
    const mcd_node node_count = hierarchy->node_count;
    const mcd_arc up_count = hierarchy->first_up[node_count];
    macadam_status status;
    if ((status = MCD_NEW_ZEROED(out->first, (size_t)node_count + 2, error)) ||
        (status = MCD_NEW(out->node, up_count, error)) || (status = MCD_NEW(out->slot, up_count, error)) ||
        (status = MCD_NEW(out->up_depth, up_count, error))) {
        mcd_lower_free(out);
        return status;
    }
    for (mcd_arc xy = 0; xy < up_count; ++xy) ++out->first[(size_t)hierarchy->up_head[xy] + 2];
    for (mcd_node v = 0; v < node_count; ++v) out->first[v + 2] += out->first[v + 1];
    for (mcd_node x = 0; x < node_count; ++x)
        for (mcd_arc xy = hierarchy->first_up[x]; xy < hierarchy->first_up[x + 1]; ++xy) {
            const mcd_node y = hierarchy->up_head[xy];
            const mcd_arc entry = out->first[y + 1]++;
            out->node[entry] = x;
            out->slot[entry] = (uint32_t)(xy - hierarchy->first_up[x]);
            out->up_depth[xy] = hierarchy->depth[y];
        }
    return MACADAM_OK;
}

void mcd_lower_free(mcd_lower *lower)
{
    mcd_free(lower->first);
    mcd_free(lower->node);
    mcd_free(lower->slot);
    mcd_free(lower->up_depth);
    *lower = (mcd_lower){0};
}
