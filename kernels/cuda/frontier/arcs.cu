/* arcs.cu - see arcs.h. */
#include "kernels/cuda/frontier/arcs.h"

enum {
    ARCS_BLOCK = 256,
    BYTES_PER_NODE = 512, /* kept free for slots and searches */
};

/* One thread per offset; they become relative to the first one. 32 bits are enough, since there are fewer
 * than 2^32 arcs. */
static __global__ void narrow_offsets(const mcd_arc *__restrict__ from, size_t count, uint32_t *to)
{
    const size_t i = (size_t)blockIdx.x * ARCS_BLOCK + threadIdx.x;
    if (i < count) to[i] = (uint32_t)(from[i] - from[0]);
}

static void copy_offsets(gpu_call &call, gpu_array<uint32_t> *out, const mcd_arc *from, size_t count)
{
    gpu_array<mcd_arc> wide(call, from, count, "copying the graph");
    out->allocate(call, count, "copying the graph");
    const mcd_arc *const offsets = wide.get();
    call.run("copying the graph", {blocks_of<uint64_t>(count, ARCS_BLOCK), ARCS_BLOCK}, narrow_offsets,
             offsets, count, out->get());
}

template <class T>
static void copy_if(gpu_call &call, arc_room *room, arc_array<T> *out, const T *from, size_t first,
                    size_t count)
{
    if (from) out->copy(call, room, from + first, count, "copying weights");
}

/* Bytes of all arrays by arcs, and of what making them takes. */
static uint64_t arcs_bytes(const mcd_arcs *host)
{
    const uint64_t quantities = host->companion[MCD_FORWARD] ? 2 : 1;
    return 2 * (1 + quantities) * host->graph->arc_count * sizeof(mcd_weight) +
           (COUPLE_BYTES + 2 * quantities * sizeof(mcd_weight)) * host->couple_count;
}

/* The memory that the arcs may take on a GPU, so that searches still have what they need. */
static uint64_t room_for_arcs(mcd_gpu *gpu, const mcd_arcs *host)
{
    const uint64_t all = gpu_stay_room(gpu), kept = (uint64_t)BYTES_PER_NODE * host->graph->node_count;
    return all > kept ? all - kept : 0;
}

static void make_room(gpu_call &call, const mcd_arcs *host, gpu_share *share, arc_room *room)
{
    room->bytes = room_for_arcs(call.gpu, host);
    share->make_room(call, mcd_size_min(room->bytes, arcs_bytes(host)), "arcs");
}

/* Whether some GPU of several has no room for all arcs. */
static bool must_be_partitioned(mcd_device *device, const mcd_arcs *host)
{
    for (size_t g = 0; g < device->gpu_count && device->gpu_count > 1; ++g)
        if (room_for_arcs(&device->gpu[g], host) < arcs_bytes(host)) return true;
    return false;
}

/* The first own node of the g-th GPU; the count of nodes if there is no such GPU. */
static mcd_node first_own(const mcd_graph *graph, size_t g, size_t gpu_count)
{
    const double nodes = graph->node_count, arcs = 2.0 * (double)graph->arc_count;
    mcd_node low = 0, high = graph->node_count;
    if (g == gpu_count) return high;
    while (low < high) {
        const mcd_node middle = low + (high - low) / 2;
        const double before = (double)(graph->first_out[middle] + graph->first_in[middle]);
        if ((middle / nodes + (arcs > 0 ? before / arcs : 1)) / 2 * (double)gpu_count < (double)g)
            low = middle + 1;
        else
            high = middle;
    }
    return low / WARP * WARP;
}

node_range own_nodes(const mcd_graph *graph, size_t g, size_t gpu_count)
{
    return {first_own(graph, g, gpu_count), first_own(graph, g + 1, gpu_count)};
}

static void copy_arcs(gpu_arcs *arcs, const mcd_arcs *host)
{
    const mcd_graph *graph = host->graph;
    const node_range own = arcs->own;
    gpu_share share;
    arc_room room;
    gpu_call call(arcs->gpu);
    make_room(call, host, &share, &room);
    arcs->node_count = graph->node_count;
    arcs->arc_count = graph->arc_count;
    arcs->has_zero = host->has_zero;
    arcs->objective_mean = host->objective_mean;
    for (int direction = 0; direction < 2; ++direction) {
        gpu_side *side = &arcs->side[direction];
        const bool forward = direction == MCD_FORWARD;
        const mcd_arc *const offset = forward ? graph->first_out : graph->first_in;
        const mcd_arc first = offset[own.first];
        const size_t count = offset[own.end] - first;
        copy_offsets(call, &side->first, offset + own.first, (size_t)own.end - own.first + 1);
        side->head.copy(call, &room, (forward ? graph->head : graph->tail) + first, count,
                        "copying the graph");
        copy_if(call, &room, &side->objective, host->objective[direction], first, count);
        copy_if(call, &room, &side->companion, host->companion[direction], first, count);
    }
    if (own.end - own.first == graph->node_count) couples_copy(&arcs->couples, call, &room, host);
    call.synchronize();
}

mcd_device_arcs *mcd_cuda_arcs_new(mcd_device *device, const mcd_arcs *arcs)
{
    const auto fill = [&](mcd_device_arcs *made) {
        made->device = device;
        made->is_partitioned = must_be_partitioned(device, arcs);
        const size_t parts = made->is_partitioned ? device->gpu_count : 1;
        on_each_gpu(device->gpu_count, [&](size_t g) {
            made->on[g] = object_new<gpu_arcs>("arcs");
            made->on[g]->gpu = &device->gpu[g];
            made->on[g]->own = own_nodes(arcs->graph, g % parts, parts);
            copy_arcs(made->on[g], arcs);
        });
    };
    return object_new<mcd_device_arcs>("arcs", fill, mcd_cuda_arcs_free);
}

void mcd_cuda_arcs_free(mcd_device_arcs *arcs)
{
    if (!arcs) return;
    for (gpu_arcs *on : arcs->on) object_free(on);
    object_free(arcs);
}

/* ---- slots ---- */

/* One thread per slot. */
template <class Slot> static __global__ void fill_slots(side_view side, unsigned shift, Slot *slot)
{
    const size_t at = (size_t)blockIdx.x * ARCS_BLOCK + threadIdx.x;
    const mcd_node node = (mcd_node)(at >> shift);
    const uint32_t i = at & ((1u << shift) - 1);
    if (node >= side.node_count) return;
    const uint32_t arc = side.first[node] + i, end = side.first[node + 1];
    Slot out = {};
    out.head = SLOT_EMPTY;
    if (arc < end) out = Slot::at(side, arc);
    if (arc + 1 < end && i + 1 == 1u << shift) out.head = SLOT_MORE;
    slot[at] = out;
}

template <class Slot> slots_view<Slot> slots_of(gpu_call &call, gpu_arcs &arcs, mcd_direction direction)
{
    const unsigned shift = arcs.is_narrow() ? SLOT_SHIFT_NARROW : SLOT_SHIFT_WIDE;
    const size_t count = (size_t)arcs.node_count << shift;
    const auto make = [&](gpu_array<Slot> &made) {
        made.allocate(call, count, "allocating slots");
        call.run("making slots", {blocks_of<uint64_t>(count, ARCS_BLOCK), ARCS_BLOCK}, fill_slots<Slot>,
                 arcs.view(direction), shift, made.get());
    };
    return {make_once(call, arcs, &std::get<gpu_array<Slot>>(arcs.side[direction].slots), make), shift};
}

template decltype(slots_of<hop_slot>) slots_of<hop_slot>;
template decltype(slots_of<weight_slot<uint32_t>>) slots_of<weight_slot<uint32_t>>;
template decltype(slots_of<weight_slot<uint64_t>>) slots_of<weight_slot<uint64_t>>;
