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

static macadam_status copy_hierarchy(gpu_call &call, gpu_map *map, const mcd_hierarchy *host)
{
    const size_t nodes = host->node_count;
    map->up_count = host->first_up[nodes];
    MCD_TRY(map->parent.copy(call, host->parent, nodes, "copying the hierarchy"));
    MCD_TRY(map->depth.copy(call, host->depth, nodes, "copying the hierarchy"));
    MCD_TRY(map->subtree_end.copy(call, host->subtree_end, nodes, "copying the hierarchy"));
    MCD_TRY(map->first_up.copy(call, host->first_up, nodes + 1, "copying the hierarchy"));
    MCD_TRY(map->up_head.copy(call, host->up_head, map->up_count, "copying the hierarchy"));
    MCD_TRY(map->supernode_first.copy(call, host->supernode_first, (size_t)host->supernode_count + 1,
                                      "copying the hierarchy"));
    map->hierarchy = *host;
    map->hierarchy.parent = map->parent.get();
    map->hierarchy.depth = map->depth.get();
    map->hierarchy.level = nullptr;
    map->hierarchy.subtree_end = map->subtree_end.get();
    map->hierarchy.first_up = map->first_up.get();
    map->hierarchy.up_head = map->up_head.get();
    map->hierarchy.supernode_first = map->supernode_first.get();
    map->hierarchy.bottom_root = nullptr;
    return MACADAM_OK;
}

static macadam_status copy_graph(gpu_call &call, gpu_map *map, const mcd_graph *host)
{
    const size_t nodes = host->node_count, arcs = host->arc_count;
    MCD_TRY(map->first_out.copy(call, host->first_out, nodes + 1, "copying the graph"));
    MCD_TRY(map->head.copy(call, host->head, arcs, "copying the graph"));
    map->has_graph = true;
    map->graph = {host->node_count, host->arc_count, map->first_out.get(), map->head.get(), nullptr,
                  nullptr,          nullptr};
    return MACADAM_OK;
}

static void free_map(gpu_map *map)
{
    if (!map) return;
    sweep_layers_free(map->layers);
    gpu_schedule_free(map->schedule);
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
    const macadam_status status =
        on_each_gpu(device->gpu_count, error, [&](size_t g, macadam_error *gpu_error) {
            MCD_TRY(object_new(&map->on[g], "a map", gpu_error));
            map->on[g]->gpu = &device->gpu[g];
            return new_map(map->on[g], hierarchy, graph, gpu_error);
        });
    if (status)
        mcd_cuda_map_free(map);
    else
        *out = map;
    return status;
}

void mcd_cuda_map_free(mcd_device_map *map)
{
    if (!map) return;
    for (gpu_map *on : map->on) free_map(on);
    object_free(map);
}

/* ---- weights ---- */

static macadam_status copy_search(gpu_call &call, gpu_search *search, const mcd_search *host, size_t nodes)
{
    const size_t count = host->first[nodes];
    MCD_TRY(search->first.copy(call, host->first, nodes + 1, "copying weights"));
    MCD_TRY(search->head.copy(call, host->head, count, "copying weights"));
    MCD_TRY(search->depth.copy(call, host->depth, count, "copying weights"));
    MCD_TRY(search->objective.copy(call, host->objective, count, "copying weights"));
    if (host->companion) MCD_TRY(search->companion.copy(call, host->companion, count, "copying weights"));
    return host->children ? search->children.copy(call, host->children, count, "copying weights")
                          : MACADAM_OK;
}

static uint64_t search_bytes(const mcd_search *host, size_t nodes)
{
    const uint64_t arc = 3 * sizeof(uint32_t) + (host->companion ? sizeof(mcd_weight) : 0) +
                         (host->children ? sizeof(uint64_t) : 0);
    return (nodes + 1) * sizeof(mcd_arc) + host->first[nodes] * arc;
}

static macadam_status new_weights(gpu_weights *weights, const mcd_weights *host, macadam_error *error)
{
    const size_t nodes = weights->map->hierarchy.node_count;
    gpu_call call(weights->map->gpu, error);
    MCD_TRY(call.begin());
    for (int direction = 0; direction < 2; ++direction) {
        MCD_TRY(copy_search(call, &weights->search[direction], &host->search[direction], nodes));
        weights->count[direction] = host->search[direction].first[nodes];
    }
    weights->joint = host->search[0].companion != nullptr;
    weights->has_children = host->search[0].children != nullptr;
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
    return new_on_each_gpu(out, map, error, [&](gpu_weights *on, macadam_error *gpu_error) {
        return new_weights(on, weights, gpu_error);
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

static macadam_status fetch_search(gpu_call &call, mcd_search *out, const gpu_weights &weights, int direction)
{
    const gpu_search &search = weights.search[direction];
    const size_t count = weights.count[direction];
    MCD_TRY(fetch(call, &out->first, search.first, (size_t)weights.map->hierarchy.node_count + 1));
    MCD_TRY(fetch(call, &out->head, search.head, count));
    MCD_TRY(fetch(call, &out->depth, search.depth, count));
    MCD_TRY(fetch(call, &out->objective, search.objective, count));
    if (weights.joint) MCD_TRY(fetch(call, &out->companion, search.companion, count));
    return weights.has_children ? fetch(call, &out->children, search.children, count) : MACADAM_OK;
}

macadam_status mcd_cuda_weights_fetch(mcd_kept *out, const mcd_device_weights *weights, macadam_error *error)
{
    *out = {};
    const gpu_weights &on = *weights->on[0];
    gpu_call call(on.map->gpu, error);
    macadam_status status = call.begin();
    for (int direction = 0; direction < 2 && !status; ++direction) {
        out->count[direction] = on.count[direction];
        status = fetch_search(call, &out->search[direction], on, direction);
    }
    if (!status) status = call.synchronize();
    return status;
}
