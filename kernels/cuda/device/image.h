/* image.h - the maps and weights that stay on a GPU while their engine is open, as views for kernels.
 *
 * The views are those of kernels/views.h with device pointers: first, head, depth ... mean the same as on
 * the host. Kernels take them by value. */
#ifndef MCD_KERNELS_CUDA_DEVICE_IMAGE_H
#define MCD_KERNELS_CUDA_DEVICE_IMAGE_H

#include "kernels/cuda/device/gpus.h"

#include <atomic>
#include <memory>

struct sweep_layers;  /* layers.h: how a tree is swept */
struct sweep_streams; /* streams.h: a search's arcs in the order of the sweep */
struct gpu_schedule;  /* schedule.h: the order and lists of customization */
struct top_labels;    /* top_view.h: where searches end */

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
    std::mutex lock;                     /* guards the members below */
    gpu_schedule *schedule = nullptr;    /* NULL until the first customization */
    gpu_array<uint64_t> number;          /* of each arc; empty until paths need it: unpack.h */
    gpu_array<uint32_t> member, several; /* node_members; empty until a place is cut off: sources.h */
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
    std::atomic<top_labels *> top[2] = {};  /* by joint; NULL until many searches need them */
    std::atomic<uint64_t> labelled[2] = {}; /* by joint: the searches so far (count_labels) */
    std::mutex lock;                        /* guards the members below */
    sweep_streams *streams[2][2][2] = {};   /* by search, joint and of_one; NULL until a tree needs them */
    gpu_array<uint32_t> length[2];          /* per kept arc, in input arcs: unpack.h */
    /* The host's objectives and companions per input arc, if the GPU has not made the weights; empty until they are needed. */
    gpu_array<mcd_weight> copied[2];
    std::atomic<int> has_zero = {
        -1}; /* whether some arc with a number costs nothing; -1: not known: unpack.h */

    /* Calls visit(array, the same array in mcd_search, its number of elements) for each array that the weights have of
     * a direction. */
    template <class Visit> void each_array(int direction, const Visit &visit)
    {
        gpu_search &of = search[direction];
        const size_t arcs = count[direction];
        visit(of.first, &mcd_search::first, (size_t)map->hierarchy.node_count + 1);
        visit(of.head, &mcd_search::head, arcs);
        visit(of.depth, &mcd_search::depth, arcs);
        visit(of.objective, &mcd_search::objective, arcs);
        if (joint) visit(of.companion, &mcd_search::companion, arcs);
        if (has_children) visit(of.children, &mcd_search::children, arcs);
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
    gpu_weights *on[GPUS_MAX] = {}; /* on the first GPU; on the others once weights_on has been called */
    std::mutex lock[GPUS_MAX];      /* guards on[g] of the others */
};

/* Returns the weights on a GPU, which copies them from the first GPU if it does not have them yet. The call must not hold
 * scratch there. */
gpu_weights &weights_on(mcd_device_weights &weights, size_t g);

mcd_device_map *mcd_cuda_map_new(mcd_device *device, const mcd_hierarchy *hierarchy, const mcd_graph *graph);
void mcd_cuda_map_free(mcd_device_map *map);
mcd_device_weights *mcd_cuda_weights_new(mcd_device_map *map, const mcd_weights *weights);
void mcd_cuda_weights_fetch(mcd_kept *out, const mcd_device_weights *weights);
void mcd_cuda_weights_free(mcd_device_weights *weights);

template <class T> void object_free(T *object)
{
    if (!object) return;
    object->~T();
    mcd_free(object);
}

/* Makes an object in the library's memory. */
template <class T> T *object_new(const char *what)
{
    return new (host_new<T>(1, what)) T();
}

/* Makes an object and calls fill(object); if that fails, calls free(object). */
template <class T, class Fill>
T *object_new(const char *what, const Fill &fill, void (*free)(T *) = object_free<T>)
{
    std::unique_ptr<T, void (*)(T *)> object(object_new<T>(what), free);
    fill(object.get());
    return object.release();
}

/* Makes the weights on the first GPU: fill(its part). */
template <class Fill> mcd_device_weights *new_weights(mcd_device_map *map, const Fill &fill)
{
    return object_new<mcd_device_weights>(
        "weights",
        [&](mcd_device_weights *weights) {
            weights->map = map;
            weights->on[0] = object_new<gpu_weights>("weights");
            weights->on[0]->map = map->on[0];
            fill(weights->on[0]);
        },
        mcd_cuda_weights_free);
}

/* Returns the ends of a snap index's roads, with device pointers. */
const mcd_road_ends &ends_of(const mcd_device_snap &snap);

/* Returns how many lanes the first `place` places have. first: by place; NULL: each has one (backend.h). */
inline size_t lane_of(const size_t *first, size_t place)
{
    return first ? first[place] - first[0] : place;
}

/* Returns the most lanes of one of `count` places. */
inline size_t most_lanes(const size_t *first, size_t count)
{
    size_t most = 1;
    for (size_t i = 0; first && i < count; ++i) most = mcd_size_max(most, first[i + 1] - first[i]);
    return most;
}

#endif
