/* upload.cu - see image.h: makes maps and weights on a GPU. */
#include "kernels/cuda/device/image.h"

#include "kernels/cuda/sweep/layers.h"
#include "kernels/cuda/customize/schedule.h"
#include "kernels/cuda/sweep/streams.h"

/* Makes room on all GPUs before anything is copied to one, so that a lack of memory shows immediately. The
 * GPUs' order prevents circular waits. */
static macadam_status make_room(mcd_device *device, gpu_share *room, uint64_t bytes, const char *what,
                                macadam_error *error)
{
    for (size_t g = 0; g < device->gpu_count; ++g) {
        gpu_call call(&device->gpu[g], error);
        MCD_TRY(call.begin());
        MCD_TRY(room[g].make_room(call, bytes, what));
    }
    return MACADAM_OK;
}

/* ---- maps ---- */

/* Copies an array of the map; `pointer` becomes that on the GPU. */
template <class T>
static macadam_status copy_array(gpu_call &call, gpu_array<T> &array, const T *&pointer, size_t count)
{
    MCD_TRY(array.copy(call, pointer, count, "copying a map"));
    pointer = array.get();
    return MACADAM_OK;
}

static macadam_status copy_hierarchy(gpu_call &call, gpu_map *map, const mcd_hierarchy *host)
{
    const size_t nodes = host->node_count;
    mcd_hierarchy &to = map->hierarchy;
    to = *host;
    to.level = nullptr, to.bottom_root = nullptr;
    map->up_count = host->first_up[nodes];
    MCD_TRY(copy_array(call, map->parent, to.parent, nodes));
    MCD_TRY(copy_array(call, map->depth, to.depth, nodes));
    MCD_TRY(copy_array(call, map->subtree_end, to.subtree_end, nodes));
    MCD_TRY(copy_array(call, map->first_up, to.first_up, nodes + 1));
    MCD_TRY(copy_array(call, map->up_head, to.up_head, map->up_count));
    return copy_array(call, map->supernode_first, to.supernode_first, (size_t)host->supernode_count + 1);
}

static macadam_status copy_graph(gpu_call &call, gpu_map *map, const mcd_graph *host)
{
    map->has_graph = true;
    map->graph = {host->node_count, host->arc_count, host->first_out, host->head, nullptr, nullptr, nullptr};
    MCD_TRY(copy_array(call, map->first_out, map->graph.first_out, (size_t)host->node_count + 1));
    return copy_array(call, map->head, map->graph.head, host->arc_count);
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

static macadam_status new_map(gpu_map *map, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                              macadam_error *error)
{
    gpu_call call(map->gpu, error);
    MCD_TRY(call.begin());
    MCD_TRY(copy_hierarchy(call, map, hierarchy));
    if (graph) MCD_TRY(copy_graph(call, map, graph));
    MCD_TRY(sweep_layers_new(&map->layers, call, *hierarchy));
    return call.synchronize();
}

macadam_status mcd_cuda_map_new(mcd_device_map **out, mcd_device *device, const mcd_hierarchy *hierarchy,
                                const mcd_graph *graph, macadam_error *error)
{
    *out = nullptr;
    mcd_device_map *map;
    gpu_share room[GPUS_MAX];
    MCD_TRY(make_room(device, room, map_bytes(hierarchy, graph), "a map", error));
    MCD_TRY(object_new(&map, "a map", error));
    map->device = device;
    return fill_on_each_gpu(out, map, device->gpu_count, "a map", mcd_cuda_map_free, error,
                            [&](size_t g, gpu_map *on, macadam_error *gpu_error) {
                                on->gpu = &device->gpu[g];
                                return new_map(on, hierarchy, graph, gpu_error);
                            });
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

static macadam_status copy_weights(gpu_weights *weights, const mcd_weights *host, macadam_error *error)
{
    gpu_call call(weights->map->gpu, error);
    MCD_TRY(call.begin());
    weights->joint = host->search[0].companion != nullptr;
    weights->has_children = host->search[0].children != nullptr;
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search &from = host->search[direction];
        weights->count[direction] = from.first[weights->map->hierarchy.node_count];
        MCD_TRY(weights->each_array(direction, [&](auto &array, auto member, size_t count) {
            return array.copy(call, from.*member, count, "copying weights");
        }));
    }
    return call.synchronize();
}

macadam_status mcd_cuda_weights_new(mcd_device_weights **out, mcd_device_map *map, const mcd_weights *weights,
                                    macadam_error *error)
{
    const size_t nodes = weights->hierarchy->node_count;
    gpu_share room[GPUS_MAX];
    *out = nullptr;
    MCD_TRY(make_room(map->device, room,
                      search_bytes(&weights->search[0], nodes) + search_bytes(&weights->search[1], nodes),
                      "weights", error));
    return new_weights(out, map, error, [&](size_t, gpu_weights *on, macadam_error *gpu_error) {
        return copy_weights(on, weights, gpu_error);
    });
}

static void free_weights(gpu_weights *weights)
{
    if (!weights) return;
    for (auto &streams : weights->streams)
        for (sweep_streams *stream : streams) object_free(stream);
    object_free(weights);
}

void mcd_cuda_weights_free(mcd_device_weights *weights)
{
    if (!weights) return;
    for (gpu_weights *on : weights->on) free_weights(on);
    object_free(weights);
}

/* ---- back to the host ---- */

template <class T>
static macadam_status fetch(gpu_call &call, const T **out, const gpu_array<T> &from, size_t count)
{
    T *host;
    MCD_TRY(host_new(&host, count, "weights", call.error));
    *out = host;
    return call.copy(host, from.get(), count, "fetching weights");
}

macadam_status mcd_cuda_weights_fetch(mcd_kept *out, const mcd_device_weights *weights, macadam_error *error)
{
    *out = {};
    gpu_weights &on = *weights->on[0];
    gpu_call call(on.map->gpu, error);
    MCD_TRY(call.begin());
    for (int direction = 0; direction < 2; ++direction) {
        out->count[direction] = on.count[direction];
        MCD_TRY(on.each_array(direction, [&](auto &array, auto member, size_t count) {
            return fetch(call, &(out->search[direction].*member), array, count);
        }));
    }
    return call.synchronize();
}
