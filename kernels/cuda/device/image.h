/* image.h - the maps and weights that stay on a GPU while their engine is open, as views for kernels.
 *
 * The views are those of kernels/views.h with device pointers: first, head, depth ... mean the same as on
 * the host. Kernels take them by value. */
#ifndef MCD_KERNELS_CUDA_DEVICE_IMAGE_H
#define MCD_KERNELS_CUDA_DEVICE_IMAGE_H

#include "kernels/cuda/device/gpus.h"

#include <new>

struct sweep_layers;  /* layers.h: how a tree is swept */
struct sweep_streams; /* streams.h: a search's arcs in the order of the sweep */
struct gpu_schedule;  /* schedule.h: the order and lists of customization */

/* A hierarchy and, if has_graph, its graph on one GPU. */
struct gpu_map {
    mcd_gpu *gpu = nullptr;
    /* Device pointers; NULL for arrays that no kernel reads. */
    mcd_hierarchy hierarchy = {};
    mcd_graph graph = {};
    bool has_graph = false;
    mcd_arc up_count = 0;

    gpu_array<mcd_node> parent, subtree_end, up_head, supernode_first, head;
    gpu_array<uint32_t> depth;
    gpu_array<mcd_arc> first_up, first_out;

    sweep_layers *layers = nullptr;
    std::mutex lock;                  /* guards the members below */
    gpu_schedule *schedule = nullptr; /* NULL until the first customization */
};

/* The kept arcs of one direction on one GPU. */
struct gpu_search {
    gpu_array<mcd_arc> first;
    gpu_array<mcd_node> head;
    gpu_array<uint32_t> depth;
    gpu_array<mcd_weight> objective, companion;
    gpu_array<uint64_t> children;
    mcd_search view() const
    {
        return {first.get(), head.get(), depth.get(), objective.get(), companion.get(), children.get()};
    }
};

/* A metric's weights on one GPU. */
struct gpu_weights {
    gpu_map *map = nullptr;
    gpu_search search[2]; /* by mcd_direction */
    mcd_arc count[2] = {};
    bool joint = false; /* there is a companion */
    bool has_children = false;
    /* Per input arc if the GPU made the weights, otherwise empty: the base of an update. */
    gpu_array<mcd_weight> objective, companion;
    std::mutex lock;                   /* guards the members below */
    sweep_streams *streams[2][2] = {}; /* by search and joint; NULL until a tree needs them */
    bool has_length = false;           /* see unpack.h */
    gpu_array<uint32_t> length[2];     /* per kept arc, in input arcs */

    /* Calls visit(array, the same array in mcd_search, its number of elements) for each array that the weights have of
     * a direction, until one fails. */
    template <class Visit> macadam_status each_array(int direction, const Visit &visit)
    {
        gpu_search &of = search[direction];
        const size_t arcs = count[direction];
        MCD_TRY(visit(of.first, &mcd_search::first, (size_t)map->hierarchy.node_count + 1));
        MCD_TRY(visit(of.head, &mcd_search::head, arcs));
        MCD_TRY(visit(of.depth, &mcd_search::depth, arcs));
        MCD_TRY(visit(of.objective, &mcd_search::objective, arcs));
        if (joint) MCD_TRY(visit(of.companion, &mcd_search::companion, arcs));
        return has_children ? visit(of.children, &mcd_search::children, arcs) : MACADAM_OK;
    }
};

/* The maps or weights on every GPU of a device. */
struct mcd_device {
    size_t gpu_count = 0;
    mcd_gpu gpu[GPUS_MAX];
    char name[128] = "";
    std::mutex lock; /* guards the members below */
    bool have_met = false;
    bool reaches[GPUS_MAX][GPUS_MAX] = {}; /* [g][peer]: kernels of g reach the memory of peer */
};

struct mcd_device_map {
    mcd_device *device = nullptr;
    gpu_map *on[GPUS_MAX] = {};
};

struct mcd_device_weights {
    mcd_device_map *map = nullptr;
    gpu_weights *on[GPUS_MAX] = {};
};

macadam_status mcd_cuda_map_new(mcd_device_map **out, mcd_device *device, const mcd_hierarchy *hierarchy,
                                const mcd_graph *graph, macadam_error *error);
void mcd_cuda_map_free(mcd_device_map *map);
macadam_status mcd_cuda_weights_new(mcd_device_weights **out, mcd_device_map *map, const mcd_weights *weights,
                                    macadam_error *error);
macadam_status mcd_cuda_weights_fetch(mcd_kept *out, const mcd_device_weights *weights, macadam_error *error);
void mcd_cuda_weights_free(mcd_device_weights *weights);

/* Makes an object in the library's memory; NULL and MACADAM_E_MEMORY if there is none. */
template <class T> macadam_status object_new(T **out, const char *what, macadam_error *error)
{
    void *const memory = mcd_allocate(1, sizeof(T));
    *out = memory ? new (memory) T() : nullptr;
    return memory ? MACADAM_OK : mcd_fail_memory(error, sizeof(T), what);
}

template <class T> void object_free(T *object)
{
    if (!object) return;
    object->~T();
    mcd_free(object);
}

/* Makes the part of a whole (weights, a map) on each GPU: make(g, the part, error). If one fails, frees the whole. */
template <class Whole, class Make>
macadam_status fill_on_each_gpu(Whole **out, Whole *whole, size_t gpu_count, const char *what,
                                void (*free)(Whole *), macadam_error *error, const Make &make)
{
    const macadam_status status = on_each_gpu(gpu_count, error, [&](size_t g, macadam_error *gpu_error) {
        MCD_TRY(object_new(&whole->on[g], what, gpu_error));
        return make(g, whole->on[g], gpu_error);
    });
    if (status)
        free(whole);
    else
        *out = whole;
    return status;
}

/* Makes weights; make(g, the part, error) fills the part of each GPU. */
template <class Make>
macadam_status new_weights(mcd_device_weights **out, mcd_device_map *map, macadam_error *error,
                           const Make &make)
{
    mcd_device_weights *weights;
    *out = nullptr;
    MCD_TRY(object_new(&weights, "weights", error));
    weights->map = map;
    return fill_on_each_gpu(out, weights, map->device->gpu_count, "weights", mcd_cuda_weights_free, error,
                            [&](size_t g, gpu_weights *on, macadam_error *gpu_error) {
                                on->map = map->on[g];
                                return make(g, on, gpu_error);
                            });
}

#endif
