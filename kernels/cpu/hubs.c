/* hubs.c - the labels of the hubs.
 *
 * Method. A search that climbs from a place meets first a few nodes with few arcs, then, on the upper part of
 * the root path, long separators whose nodes have many. Those upper nodes are few and shared by all places:
 * their labels are stored. A search then climbs to the hubs only. What lies above them enters through the
 * upward neighbours of the highest node that is none, whose stored labels give the rest, 16 depths at a time.
 * (Abraham, Delling, Goldberg, Werneck 2011, hub labels; here for the top of the hierarchy alone)
 * Layout. Labels by depth, in whole lines, in ascending order of their nodes.
 * Races: none. One task a direction; ancestors come first. */
#include "kernels/cpu/hubs.h"

#include "engine/memory.h"

#include <string.h>

enum {
    SIZE_LEAST = 64,    /* nodes in the subtree of a hub, or more */
    SIZE_CLASSES = 128, /* four for each power of two */
};

typedef struct hubs_run {
    const mcd_weights *weights;
    const uint32_t *line;
    mcd_weight *label[2];
} hubs_run;

static mcd_node subtree_size(const mcd_hierarchy *hierarchy, mcd_node node)
{
    return hierarchy->subtree_end[node] - node;
}

/* Ascends with the size. */
static uint32_t size_class(mcd_node size)
{
    const uint32_t log = 31 - (uint32_t)__builtin_clz(size);
    return 4 * log + (log < 2 ? 0 : size >> (log - 2) & 3);
}

static size_t line_count(uint32_t depth)
{
    return depth / LANES + 1;
}

/* The least class of the hubs' subtrees so that their labels have at most `line_max` lines. */
static uint32_t choose_class(const mcd_hierarchy *hierarchy, size_t line_max)
{
    size_t lines[SIZE_CLASSES] = {0}, sum = 0;
    for (mcd_node x = 0; x < hierarchy->node_count;) {
        const mcd_node size = subtree_size(hierarchy, x);
        lines[size_class(size)] += line_count(hierarchy->depth[x]);
        x = size < SIZE_LEAST ? hierarchy->subtree_end[x] : x + 1;
    }
    uint32_t least = SIZE_CLASSES;
    while (least > size_class(SIZE_LEAST) && sum + lines[least - 1] <= line_max) sum += lines[--least];
    return least;
}

/* Numbers the hubs' lines in ascending order of the nodes; returns how many there are. */
static size_t place_lines(const mcd_hierarchy *hierarchy, uint32_t class_least, uint32_t *line)
{
    size_t count = 0;
    memset(line, 0xff, hierarchy->node_count * sizeof *line);
    for (mcd_node x = 0; x < hierarchy->node_count;) {
        if (size_class(subtree_size(hierarchy, x)) < class_least) {
            x = hierarchy->subtree_end[x];
            continue;
        }
        line[x] = (uint32_t)count;
        count += line_count(hierarchy->depth[x]);
        ++x;
    }
    return count;
}

/* The label of hub x from those of its upward neighbours. */
static void label_hub(const hubs_run *run, mcd_direction direction, mcd_node x, uint32_t depth)
{
    const mcd_search *search = &run->weights->search[direction];
    mcd_weight *const label = run->label[direction] + (size_t)run->line[x] * LANES;
    for (size_t i = 0; i < line_count(depth); ++i) row_store(label + i * LANES, row_all(MCD_UNREACHED));
    for (mcd_arc xy = search->first[x]; xy < search->first[x + 1]; ++xy) {
        const mcd_weight *above = run->label[direction] + (size_t)run->line[search->head[xy]] * LANES;
        for (size_t i = 0; i < line_count(search->depth[xy]); ++i)
            row_store(label + i * LANES, row_relax(row_load(label + i * LANES), row_load(above + i * LANES),
                                                   search->objective[xy]));
    }
    label[depth] = 0;
}

static void label_direction(void *argument, size_t direction, unsigned worker)
{
    const hubs_run *run = argument;
    const mcd_hierarchy *hierarchy = run->weights->hierarchy;
    (void)worker;
    for (mcd_node x = 0; x < hierarchy->node_count;) {
        if (run->line[x] == MCD_LINE_NONE) {
            x = hierarchy->subtree_end[x];
            continue;
        }
        label_hub(run, (mcd_direction)direction, x, hierarchy->depth[x]);
        ++x;
    }
}

macadam_status MCD_KERNEL(hubs_new)(mcd_hubs **out, const mcd_weights *weights, size_t label_max,
                                    const mcd_parallel *parallel, macadam_error *error)
{
    *out = NULL;
    const mcd_hierarchy *hierarchy = weights->hierarchy;
    mcd_hubs *hubs;
    uint32_t *line;
    hubs_run run = {.weights = weights};
    MCD_TRY(MCD_NEW_ZEROED(hubs, 1, error));
    macadam_status status = MCD_NEW(line, hierarchy->node_count, error);
    if (!status) {
        const size_t line_max = mcd_size_min(label_max / LANES, MCD_LINE_NONE);
        const size_t count = place_lines(hierarchy, choose_class(hierarchy, line_max), line);
        for (int direction = 0; direction < 2 && !status; ++direction)
            status = MCD_NEW(run.label[direction], count * LANES, error);
    }
    hubs->line = run.line = line;
    for (int direction = 0; direction < 2; ++direction) hubs->label[direction] = run.label[direction];
    if (!status)
        mcd_parallel_for(parallel, 2, label_direction, &run), *out = hubs;
    else
        mcd_hubs_free(hubs);
    return status;
}

/* ---- searches ---- */

static void lower_by(mcd_weight *label, const mcd_weight *hub_label, uint32_t depth, uint32_t depth_count)
{
    const mcd_weight to_hub = label[depth];
    if (to_hub >= MCD_UNREACHED) return;
    const size_t lines = mcd_size_min(line_count(depth), (depth_count + LANES - 1) / LANES);
    for (size_t i = 0; i < lines; ++i)
        row_store(label + i * LANES,
                  row_relax(row_load(label + i * LANES), row_load(hub_label + i * LANES), to_hub));
}

/* The misses of all hubs at once. */
static void prefetch(const mcd_weights *weights, const mcd_weight *label, const mcd_node *hub, size_t count,
                     uint32_t depth_count)
{
    for (size_t i = 0; i < count; ++i)
        for (uint32_t d = 0; d < depth_count; d += LANES)
            __builtin_prefetch(label + (size_t)weights->hubs->line[hub[i]] * LANES + d);
}

void MCD_KERNEL(hubs_lower)(mcd_weight *label, const mcd_weights *weights, mcd_direction direction,
                            const mcd_lane *lane, mcd_node below, uint32_t depth_count)
{
    const mcd_hierarchy *hierarchy = weights->hierarchy;
    const mcd_weight *const hub_label = weights->hubs->label[direction];
    const uint32_t *const line = weights->hubs->line;
    if (below != MCD_NODE_NONE) {
        const mcd_node *hub = hierarchy->up_head + hierarchy->first_up[below];
        const size_t count = hierarchy->first_up[below + 1] - hierarchy->first_up[below];
        prefetch(weights, hub_label, hub, count, depth_count);
        for (size_t i = 0; i < count; ++i)
            lower_by(label, hub_label + (size_t)line[hub[i]] * LANES, hierarchy->depth[hub[i]], depth_count);
    }
    for (int s = 0; s < 2; ++s) {
        const mcd_node node = lane->seed[s].node;
        if (node != MCD_NODE_NONE && line[node] != MCD_LINE_NONE)
            lower_by(label, hub_label + (size_t)line[node] * LANES, hierarchy->depth[node], depth_count);
    }
}
