/* upload.cu - see image.h: makes maps and weights on a GPU. */
#include "kernels/cuda/device/image.h"

#include "kernels/cuda/sweep/layers.h"
#include "kernels/cuda/customize/schedule.h"
#include "kernels/cuda/device/device.h"
#include "kernels/cuda/sweep/streams.h"
#include "kernels/cuda/sweep/top_labels.h"

/* ---- maps ---- */

/* Copies an array of the map; `pointer` becomes that on the GPU. */
template <class T>
static void copy_array(gpu_call &call, gpu_array<T> &array, const T *&pointer, size_t count)
{
    array.copy(call, pointer, count, "copying a map");
    pointer = array.get();
}

static void copy_hierarchy(gpu_call &call, gpu_map *map, const mcd_hierarchy *host)
{
    const size_t nodes = host->node_count;
    mcd_hierarchy &to = map->hierarchy;
    to = *host;
    to.level = nullptr, to.bottom_root = nullptr;
    map->up_count = host->first_up[nodes];
    copy_array(call, map->parent, to.parent, nodes);
    copy_array(call, map->depth, to.depth, nodes);
    copy_array(call, map->subtree_end, to.subtree_end, nodes);
    copy_array(call, map->first_up, to.first_up, nodes + 1);
    copy_array(call, map->up_head, to.up_head, map->up_count);
    copy_array(call, map->supernode_first, to.supernode_first, (size_t)host->supernode_count + 1);
}

static void copy_graph(gpu_call &call, gpu_map *map, const mcd_graph *host)
{
    map->has_graph = true;
    map->graph = {host->node_count, host->arc_count, host->first_out, host->head, nullptr, nullptr, nullptr};
    copy_array(call, map->first_out, map->graph.first_out, (size_t)host->node_count + 1);
    copy_array(call, map->head, map->graph.head, host->arc_count);
}

static void free_map(gpu_map *map)
{
    if (!map) return;
    object_free(map->layers);
    object_free(map->schedule);
    object_free(map);
}

/* An estimate, including the layers. */
static uint64_t map_bytes(const mcd_hierarchy *hierarchy, const mcd_graph *graph)
{
    const uint64_t nodes = hierarchy->node_count + (uint64_t)1;
    const uint64_t tree = nodes * (6 * sizeof(mcd_node) + sizeof(mcd_arc)) +
                          hierarchy->first_up[hierarchy->node_count] * sizeof(mcd_node);
    return graph ? tree + nodes * 2 * sizeof(mcd_arc) + graph->arc_count * 3 * sizeof(uint32_t) : tree;
}

static void fill_map(gpu_map *map, const mcd_hierarchy *hierarchy, const mcd_graph *graph)
{
    gpu_call call(map->gpu);
    copy_hierarchy(call, map, hierarchy);
    if (graph) copy_graph(call, map, graph);
    map->layers = sweep_layers_new(call, *hierarchy);
    call.synchronize();
}

/* Makes room on all GPUs before anything is copied to one, so that a lack of memory shows immediately. The
 * GPUs' order prevents circular waits. */
mcd_device_map *mcd_cuda_map_new(mcd_device *device, const mcd_hierarchy *hierarchy, const mcd_graph *graph)
{
    gpu_share room[GPUS_MAX];
    for (size_t g = 0; g < device->gpu_count; ++g) {
        gpu_call call(&device->gpu[g]);
        room[g].make_room(call, map_bytes(hierarchy, graph), "a map");
    }
    const auto fill = [&](mcd_device_map *map) {
        map->device = device;
        on_each_gpu(device->gpu_count, [&](size_t g) {
            map->on[g] = object_new<gpu_map>("a map");
            map->on[g]->gpu = &device->gpu[g];
            fill_map(map->on[g], hierarchy, graph);
        });
    };
    return object_new<mcd_device_map>("a map", fill, mcd_cuda_map_free);
}

void mcd_cuda_map_free(mcd_device_map *map)
{
    if (!map) return;
    for (gpu_map *on : map->on) free_map(on);
    object_free(map);
}

/* ---- weights ---- */

static uint64_t search_bytes(const mcd_search *host, size_t nodes)
{
    const uint64_t arc = 3 * sizeof(uint32_t) + (host->companion ? sizeof(mcd_weight) : 0) +
                         (host->children ? sizeof(uint64_t) : 0);
    return (nodes + 1) * sizeof(mcd_arc) + host->first[nodes] * arc;
}

static void copy_weights(gpu_call &call, gpu_weights *weights, const mcd_weights *host)
{
    weights->joint = host->search[0].companion != nullptr;
    weights->has_children = host->search[0].children != nullptr;
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search &from = host->search[direction];
        weights->count[direction] = from.first[weights->map->hierarchy.node_count];
        weights->each_array(direction, [&](auto &array, auto member, size_t count) {
            array.copy(call, from.*member, count, "copying weights");
        });
    }
    call.synchronize();
}

mcd_device_weights *mcd_cuda_weights_new(mcd_device_map *map, const mcd_weights *weights)
{
    const size_t nodes = weights->hierarchy->node_count;
    gpu_share room;
    gpu_call call(&map->device->gpu[0]);
    room.make_room(call, search_bytes(&weights->search[0], nodes) + search_bytes(&weights->search[1], nodes),
                   "weights");
    return new_weights(map, [&](gpu_weights *on) { copy_weights(call, on, weights); });
}

/* The weights that an update needs stay on the first GPU. */
static void copy_from(gpu_call &call, gpu_weights *to, gpu_weights &from)
{
    to->joint = from.joint, to->has_children = from.has_children;
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search view = from.search[direction].view();
        to->count[direction] = from.count[direction];
        to->each_array(direction, [&](auto &array, auto member, size_t count) {
            array.allocate(call, count, "allocating weights");
            call.check(cudaMemcpyPeerAsync(array.get(), call.gpu->ordinal, view.*member,
                                           from.map->gpu->ordinal, count * sizeof *array.get(), call.stream),
                       "copying weights");
        });
    }
    call.synchronize();
    for (int direction = 0; direction < 2; ++direction)
        to->each_array(direction, [](auto &array, auto, size_t) { array.keep(); });
}

gpu_weights &weights_on(mcd_device_weights &weights, size_t g)
{
    gpu_weights &first = *weights.on[0];
    if (g == 0) return first;
    const std::lock_guard<std::mutex> guard(weights.lock[g]);
    if (weights.on[g]) return *weights.on[g];
    uint64_t bytes = 0;
    for (int direction = 0; direction < 2; ++direction)
        first.each_array(direction,
                         [&](auto &array, auto, size_t count) { bytes += count * sizeof *array.get(); });
    peers_meet(weights.map->device);
    gpu_share room;
    gpu_call call(&weights.map->device->gpu[g]);
    room.make_room(call, bytes, "weights");
    weights.on[g] = object_new<gpu_weights>("weights", [&](gpu_weights *on) {
        on->map = weights.map->on[g];
        copy_from(call, on, first);
    });
    return *weights.on[g];
}

static void free_weights(gpu_weights *weights)
{
    if (!weights) return;
    for (auto &of_search : weights->streams)
        for (auto &streams : of_search)
            for (sweep_streams *stream : streams) object_free(stream);
    for (auto &top : weights->top) object_free(top.load());
    object_free(weights);
}

void mcd_cuda_weights_free(mcd_device_weights *weights)
{
    if (!weights) return;
    for (gpu_weights *on : weights->on) free_weights(on);
    object_free(weights);
}

/* ---- back to the host ---- */

template <class T> static void fetch(gpu_call &call, const T **out, const gpu_array<T> &from, size_t count)
{
    T *const host = host_new<T>(count, "weights");
    *out = host;
    call.copy(host, from.get(), count, "fetching weights");
}

void mcd_cuda_weights_fetch(mcd_kept *out, const mcd_device_weights *weights)
{
    *out = {};
    gpu_weights &on = *weights->on[0];
    gpu_call call(on.map->gpu);
    for (int direction = 0; direction < 2; ++direction) {
        out->count[direction] = on.count[direction];
        on.each_array(direction, [&](auto &array, auto member, size_t count) {
            fetch(call, &(out->search[direction].*member), array, count);
        });
    }
    call.synchronize();
}
