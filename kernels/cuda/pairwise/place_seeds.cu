/* place_seeds.cu - see place_seeds.h. */
#include "kernels/cuda/pairwise/place_seeds.h"

#include "kernels/cuda/device/device.h"

const mcd_weight *arc_weights(gpu_call &call, gpu_weights &weights, bool companion, const mcd_weight *host)
{
    const gpu_array<mcd_weight> &own = companion ? weights.companion : weights.objective;
    gpu_array<mcd_weight> &copied = weights.copied[companion];
    gpu_share room;
    const size_t count = weights.map->graph.arc_count;
    if (!host) return nullptr;
    if (own.get()) return own.get();
    std::unique_lock<std::mutex> guard(weights.lock);
    if (copied.get()) return copied.get();
    guard.unlock(); /* while it waits for other calls' memory */
    room.make_room(call, count * sizeof *host, "weights of arcs");
    guard.lock();
    if (copied.get()) return copied.get();
    gpu_array<mcd_weight> copy(call, host, count, "copying weights of arcs");
    call.synchronize();
    copy.keep();
    copied = std::move(copy);
    return copied.get();
}

arc_costs arc_costs_of(gpu_call &call, gpu_weights &on, const mcd_weights &weights)
{
    return {arc_weights(call, on, false, weights.objective), arc_weights(call, on, true, weights.companion)};
}

place_roads place_roads_of(gpu_call &call, gpu_weights &on, const mcd_weights &weights,
                           const mcd_device_snap &snap)
{
    return {ends_of(snap), on.map->graph.head, on.map->hierarchy.subtree_end,
            arc_costs_of(call, on, weights)};
}
