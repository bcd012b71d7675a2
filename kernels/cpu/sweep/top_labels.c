/* top_labels.c - the labels of the top nodes.
 *
 * Method. A search that climbs from a place first meets a few nodes with few arcs. Then, on the upper part of
 * the root path, it meets long separators whose nodes have many arcs. Those upper nodes are few and shared by
 * all places, so their labels are stored and a search climbs only to the top nodes. Let v be the highest node
 * on the path that is not a top node. The stored labels of v's upward neighbours give the rest, 16 depths at
 * a time. (Abraham, Delling, Goldberg, Werneck 2011, hub labels; here only for the top of the hierarchy)
 * Layout. Labels by depth, in whole lines, in ascending order of their nodes.
 * Races. None: there is one task per direction, and ancestors come first. */
#include "kernels/cpu/sweep/top_labels.h"

#include "engine/base/watch.h"
#include "kernels/cpu/sweep/label.h"

enum {
    SIZE_LEAST = 64,    /* a top node's subtree has at least this many nodes */
    SIZE_CLASSES = 128, /* four for each power of two */
};

typedef struct top_run {
    const mcd_weights *weights;
    const uint32_t *line;
    mcd_weight *label[2];
} top_run;

static mcd_node subtree_size(const mcd_hierarchy *hierarchy, mcd_node node)
{
    return hierarchy->subtree_end[node] - node;
}

/* The class of a subtree's size; it ascends with the size. */
static uint32_t size_class(mcd_node size)
{
    const uint32_t log = 31 - (uint32_t)__builtin_clz(size);
    return 4 * log + (log < 2 ? 0 : size >> (log - 2) & 3);
}

static size_t line_count(uint32_t depth)
{
    return depth / LANES + 1;
}

/* The least class of subtree sizes for which the top nodes' labels have at most `line_max` lines. */
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

/* Numbers the top nodes' lines in ascending order of the nodes; returns how many lines there are. */
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

/* Computes the label of top node x from those of its upward neighbours. */
static void label_top_node(const top_run *run, mcd_direction direction, mcd_node x, uint32_t depth)
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

static void label_direction(void *argument, size_t direction, MCD_UNUSED unsigned worker)
{
    const top_run *run = argument;
    const mcd_hierarchy *hierarchy = run->weights->hierarchy;
    for (mcd_node x = 0; x < hierarchy->node_count;) {
        if (run->line[x] == MCD_LINE_NONE) {
            x = hierarchy->subtree_end[x];
            continue;
        }
        if (!mcd_watch_goes_on(NULL)) return;
        label_top_node(run, (mcd_direction)direction, x, hierarchy->depth[x]);
        ++x;
    }
}

MCD_DEFINE_FREE_AT(free_at, mcd_top_labels, mcd_top_labels_free)

macadam_status MCD_KERNEL(top_labels_new)(mcd_top_labels **out, const mcd_weights *weights, size_t label_max,
                                          const mcd_parallel *parallel, macadam_error *error)
{
    *out = NULL;
    const mcd_hierarchy *hierarchy = weights->hierarchy;
    const size_t line_max = mcd_size_min(label_max / LANES, MCD_LINE_NONE);
    MCD_FREED_BY(free_at) mcd_top_labels *top_labels = NULL;
    uint32_t *line;
    top_run run = {.weights = weights};
    MCD_TRY(MCD_NEW_ZEROED(top_labels, 1, error));
    MCD_TRY(MCD_NEW(line, hierarchy->node_count, error));
    top_labels->line = run.line = line;
    const size_t count = place_lines(hierarchy, choose_class(hierarchy, line_max), line);
    for (int direction = 0; direction < 2; ++direction) {
        MCD_TRY(MCD_NEW(run.label[direction], count * LANES, error));
        top_labels->label[direction] = run.label[direction];
    }
    MCD_TRY(mcd_watch_for(NULL, parallel, 2, label_direction, &run, error));
    return MCD_MOVE(*out, top_labels);
}

/* ---- searches ---- */

/* Always inline: GCC drops calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_words(const uint32_t *first, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) __builtin_prefetch(first + i);
    if (count > 0) __builtin_prefetch(first + count - 1);
}

/* Prefetches the kept arcs of the root path. */
static inline __attribute__((always_inline)) void prefetch_arcs(const top_climb_end *end,
                                                                const mcd_search *search)
{
    for (uint32_t depth = end->top_depth_count; depth < end->depth_count; ++depth) {
        const mcd_arc first = search->first[end->root_path[depth]],
                      last = search->first[end->root_path[depth] + 1];
        prefetch_words(search->depth + first, last - first);
        prefetch_words(search->objective + first, last - first);
    }
}

static void begin_root_path(top_climb_end *end, const mcd_hierarchy *hierarchy, const mcd_lane *lane)
{
    end->lane = *lane;
    end->depth_count = end->top_depth_count = hierarchy->depth[lane->seed[0].node] + 1;
    end->below = MCD_NODE_NONE;
}

/* Steps from `node` to its parent unless it is a top node; returns the node reached. */
static inline mcd_node step_to_top(top_climb_end *end, const mcd_weights *weights, const mcd_search *search,
                                   mcd_node node)
{
    if (end->top_depth_count == 0 || weights->top_labels->line[node] != MCD_LINE_NONE) return node;
    __builtin_prefetch(&search->first[node]);
    end->root_path[--end->top_depth_count] = end->below = node;
    return weights->hierarchy->parent[node];
}

/* Lists both root paths in turn, so that their misses overlap; top_node[direction] becomes the lowest top
 * node. */
static void note_root_paths(top_climb *climb, const mcd_weights *weights, mcd_node top_node[2])
{
    const mcd_search *const search = weights->search;
    mcd_node before[2];
    do {
        for (int direction = 0; direction < 2; ++direction) {
            before[direction] = top_node[direction];
            top_node[direction] =
                step_to_top(&climb->end[direction], weights, &search[direction], top_node[direction]);
        }
    } while (top_node[MCD_FORWARD] != before[MCD_FORWARD] || top_node[MCD_BACKWARD] != before[MCD_BACKWARD]);
}

static void note_top_nodes(top_climb_end *end, const mcd_weights *weights, mcd_direction direction,
                           uint32_t common)
{
    const mcd_hierarchy *hierarchy = weights->hierarchy;
    const mcd_top_labels *top_labels = weights->top_labels;
    end->top_count = 0;
    if (end->below != MCD_NODE_NONE)
        for (mcd_arc i = hierarchy->first_up[end->below]; i < hierarchy->first_up[end->below + 1]; ++i)
            end->top_node[end->top_count++] = hierarchy->up_head[i];
    for (uint32_t s = 0; s < mcd_lane_seed_count(&end->lane); ++s) {
        const mcd_node node = end->lane.seed[s].node;
        if (top_labels->line[node] != MCD_LINE_NONE) end->top_node[end->top_count++] = node;
    }
    for (size_t i = 0; i < end->top_count; ++i)
        prefetch_words(mcd_top_label(top_labels, direction, end->top_node[i]), common);
}

void MCD_KERNEL(top_climb_begin)(top_climb *climb, const mcd_weights *weights, const mcd_lane *source,
                                 const mcd_lane *target)
{
    top_climb_end *const forward = &climb->end[MCD_FORWARD], *const backward = &climb->end[MCD_BACKWARD];
    if (source->seed[0].node == MCD_NODE_NONE || target->seed[0].node == MCD_NODE_NONE) return;
    mcd_node top_node[2] = {source->seed[0].node, target->seed[0].node};
    begin_root_path(forward, weights->hierarchy, source);
    begin_root_path(backward, weights->hierarchy, target);
    note_root_paths(climb, weights, top_node);
    climb->meets_below = forward->below == backward->below && forward->below != MCD_NODE_NONE;
    climb->common =
        top_node[MCD_FORWARD] == MCD_NODE_NONE || top_node[MCD_BACKWARD] == MCD_NODE_NONE
            ? 0
            : MCD_KERNEL(common_depth)(weights->hierarchy, top_node[MCD_BACKWARD], top_node[MCD_FORWARD]);
    prefetch_arcs(forward, &weights->search[MCD_FORWARD]);
    prefetch_arcs(backward, &weights->search[MCD_BACKWARD]);
    note_top_nodes(forward, weights, MCD_FORWARD, climb->common);
    note_top_nodes(backward, weights, MCD_BACKWARD, climb->common);
}

/* Relaxes the nodes that are not top nodes. It has no branches on costs: whether an arc improves a label
 * cannot be predicted. */
static void relax_root_path(const top_climb_end *end, const mcd_weights *weights, const mcd_search *search,
                            mcd_weight *restrict label)
{
    mcd_label_begin(label, end->depth_count, weights->hierarchy, &end->lane);
    for (uint32_t depth = end->depth_count; depth-- > end->top_depth_count;) {
        const mcd_node node = end->root_path[depth];
        const mcd_weight to_node = label[depth];
        for (mcd_arc xy = search->first[node], last = search->first[node + 1]; xy < last; ++xy) {
            mcd_weight *const above = &label[search->depth[xy]];
            *above = cost_min(*above, to_node + search->objective[xy]); /* does not wrap: types.h */
        }
    }
}

static void lower_by_top_label(mcd_weight *label, const mcd_weight *top_label, uint32_t depth,
                               uint32_t depth_count)
{
    const mcd_weight to_top = label[depth];
    if (to_top >= MCD_UNREACHED) return;
    const size_t lines = mcd_size_min(line_count(depth), (depth_count + LANES - 1) / LANES);
    for (size_t i = 0; i < lines; ++i)
        row_store(label + i * LANES,
                  row_relax(row_load(label + i * LANES), row_load(top_label + i * LANES), to_top));
}

mcd_weight MCD_KERNEL(top_climb_search)(const top_climb *climb, const mcd_weights *weights,
                                        mcd_weight *const label[2])
{
    for (int direction = 0; direction < 2; ++direction) {
        const top_climb_end *end = &climb->end[direction];
        relax_root_path(end, weights, &weights->search[direction], label[direction]);
        for (size_t i = 0; i < end->top_count; ++i)
            lower_by_top_label(label[direction],
                               mcd_top_label(weights->top_labels, (mcd_direction)direction, end->top_node[i]),
                               weights->hierarchy->depth[end->top_node[i]], climb->common);
    }
    mcd_weight best = MCD_UNREACHED;
    for (uint32_t d = 0; d < climb->common; ++d)
        best = cost_min(best, label[MCD_FORWARD][d] + label[MCD_BACKWARD][d]);
    return best;
}
