/* top_labels.cu - see top_labels.h.
 *
 * Method. The host lists the top nodes: as many as their memory allows, by the size of their subtrees. Their
 * labels are those of lanes that begin at them.
 * Races   none: a thread writes its own entry.
 * Limit   that of label.cu, once for the weights: a thousandth of a million pairs' searches. */
#include "kernels/cuda/sweep/top_labels.h"

#include "kernels/cuda/sweep/label.h"
#include "kernels/cuda/sweep/layers.h"

#include <algorithm>

enum {
    TOP_CELLS = 1 << 23, /* rows times depths, at most; for small maps fewer: */
    TOP_CELLS_PER_ARC = 4,
    TOP_SUBTREE = 16, /* a top node's subtree has at least this many nodes */
    TOP_ALIGNED = 32, /* depths */
    /* By estimate, not measured: top labels take as long as searches of 20,000 lanes, and save most of a search. A call that
     * waits for a single search counts as CALL_LANES. */
    LANES_PAY = 1 << 16,
    CALL_LANES = 1 << 11,
};

/* ---- choice, on the host ---- */

/* Nodes of a sweep's upper layers, whose ancestors are in upper layers too. */
struct upper_list {
    host_array<mcd_node> node; /* ascending */
    size_t count = 0, layers = 0;
};

/* Lists as many whole layers as have at most `most` nodes. */
static void list_upper(gpu_call &call, const sweep_layers &of, size_t most, upper_list *out)
{
    while (out->layers < of.layer_count && of.layer[out->layers].is_top) {
        const sweep_layer &layer = of.layer[out->layers];
        const uint32_t end =
            call.fetch(of.first_walk.get() + layer.first_piece + layer.piece_count, "labels of top nodes");
        if (end > most) break;
        out->count = end, ++out->layers;
    }
    if (out->count == 0) return;
    host_array<top_node> top(out->count, "top nodes");
    out->node.allocate(out->count, "top nodes");
    call.copy(top.get(), of.top.get(), out->count, "labels of top nodes");
    call.synchronize();
    for (size_t i = 0; i < out->count; ++i) out->node[i] = top[i].node;
    std::sort(out->node.get(), out->node.get() + out->count);
}

/* Lists the upper nodes and those whose subtrees have at least `least` nodes. Returns how many there are, SIZE_MAX if more
 * than `most`. */
static size_t list_nodes(const mcd_hierarchy &hierarchy, const upper_list &upper, mcd_node least, size_t most,
                         mcd_lane *lane)
{
    size_t count = 0, before = 0;
    for (mcd_node x = 0; x < hierarchy.node_count;) {
        while (before < upper.count && upper.node[before] < x) ++before;
        const bool is_upper = before < upper.count && upper.node[before] == x;
        if (hierarchy.subtree_end[x] - x < least && !is_upper) {
            x = hierarchy.subtree_end[x];
            continue;
        }
        if (count == most) return SIZE_MAX;
        lane[count++] = {{{x++, 0, 0}, {MCD_NODE_NONE, 0, 0}}};
    }
    return count;
}

/* ---- rows, on the GPU ---- */

static __global__ void number_rows(const mcd_lane *lane, size_t count, uint32_t *row, mcd_node *node)
{
    const size_t i = thread_index();
    if (i >= count) return;
    node[i] = lane[i].seed[0].node;
    row[node[i]] = (uint32_t)i;
}

/* Turns nodes into their rows. */
static __global__ void take_rows(const uint32_t *row, size_t cells, uint32_t *above)
{
    const size_t i = thread_index();
    if (i < cells && above[i] != MCD_NODE_NONE) above[i] = row[above[i]];
}

template <class Cost>
static void fill(gpu_call &call, const gpu_weights &weights, const mcd_lane *host, size_t count,
                 top_labels *out)
{
    const char *const what = "labels of top nodes";
    const size_t cells = count * out->stride;
    gpu_array<mcd_lane> lane(call, host, count, what);
    gpu_allocate_all(call, what, out->row, weights.map->hierarchy.node_count, out->node, count, out->above,
                     cells, out->label[0], cells * sizeof(Cost), out->label[1], cells * sizeof(Cost));
    gpu_fill_all(call, 0xff, what, out->row, out->above);
    call.run(what, one_thread_each(count), number_rows, lane.get(), count, out->row.get(), out->node.get());
    for (int direction = 0; direction < 2; ++direction)
        enqueue_labels<Cost>(call, weights, (mcd_direction)direction, lane.get(), count,
                             (Cost *)out->label[direction].get(), direction == 0 ? out->above.get() : nullptr,
                             out->stride);
    call.run(what, one_thread_each(cells), take_rows, out->row.get(), cells, out->above.get());
    call.synchronize();
    gpu_keep_all(out->row, out->node, out->above, out->label[0], out->label[1]);
    out->count = count;
}

/* Without top nodes if there is no room for them. */
static void make(gpu_call &call, gpu_weights &weights, const mcd_hierarchy &hierarchy, bool joint,
                 top_labels *out)
{
    out->stride = blocks_of<size_t>(hierarchy.height, TOP_ALIGNED) * TOP_ALIGNED;
    const size_t cells = mcd_size_min(TOP_CELLS, TOP_CELLS_PER_ARC * (size_t)weights.count[MCD_FORWARD]);
    const size_t most = mcd_size_max(cells / mcd_size_max(out->stride, 1), 1);
    host_array<mcd_lane> lane(most, "top nodes");
    size_t count = SIZE_MAX;
    upper_list upper;
    list_upper(call, *weights.map->layers, most / 2, &upper);
    for (mcd_node least = TOP_SUBTREE; count == SIZE_MAX; least *= 2)
        count = list_nodes(hierarchy, upper, least, most, lane.get());
    const uint64_t bytes =
        (hierarchy.node_count + count) * sizeof(mcd_node) +
        count * out->stride * (sizeof(uint32_t) + 2 * (joint ? sizeof(uint64_t) : sizeof(uint32_t)));
    gpu_share room;
    if (count == 0 || bytes > gpu_stay_room(call.gpu) / 4) return;
    room.make_room(call, bytes, "labels of top nodes");
    out->upper_layers = upper.layers;
    (joint ? fill<uint64_t> : fill<uint32_t>)(call, weights, lane.get(), count, out);
}

const top_labels *top_labels_of(gpu_call &call, gpu_weights &weights, const mcd_hierarchy &hierarchy,
                                bool joint, bool is_worth)
{
    top_labels *found = weights.top[joint];
    if (!found && is_worth) {
        const auto fill = [&](top_labels *out) { make(call, weights, hierarchy, joint, out); };
        top_labels *const made = object_new<top_labels>("labels of top nodes", fill);
        if (weights.top[joint].compare_exchange_strong(found, made))
            found = made;
        else
            object_free(made); /* another call was faster */
    }
    return found && found->count > 0 ? found : nullptr;
}

void count_labels(gpu_weights &weights, const mcd_hierarchy &hierarchy, bool joint, size_t lanes)
{
    const uint64_t own = mcd_size_max(lanes, CALL_LANES), before = weights.labelled[joint].fetch_add(own);
    if (before >= LANES_PAY || before + own < LANES_PAY) return; /* one call makes them */
    gpu_call call(weights.map->gpu);
    top_labels_of(call, weights, hierarchy, joint, true);
}
