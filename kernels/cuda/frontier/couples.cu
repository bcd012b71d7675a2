/* couples.cu - see couples.h. */
#include "kernels/cuda/frontier/couples.h"

#include <algorithm>

static const char copying[] = "copying couples";

/* Finds the first couple of each segment, or of a later one. */
static void copy_segments(gpu_arc_couples *out, gpu_call &call, const mcd_node *high)
{
    const auto goes_before = [](mcd_node a, mcd_node b) { return a / SEGMENT_NODES < b / SEGMENT_NODES; };
    if (!std::is_sorted(high, high + out->count, goes_before))
        fail(MACADAM_E_INVALID, "the couples of neighbours are not in order");
    const host_array<mcd_arc> first((size_t)out->segment_count + 1, copying);
    for (uint32_t s = 0; s < out->segment_count; ++s)
        first[s] = std::lower_bound(high, high + out->count, s * SEGMENT_NODES, goes_before) - high;
    first[out->segment_count] = out->count;
    out->segment_first.copy(call, first.get(), (size_t)out->segment_count + 1, copying);
    call.synchronize();
}

/* Copies narrow(from[i]) in 16 bits. */
template <class Narrow>
static void copy_short(gpu_call &call, arc_room *room, arc_array<uint16_t> *out, const uint32_t *from,
                       size_t count, const Narrow &narrow)
{
    const host_array<uint16_t> made(count, copying);
    std::transform(from, from + count, made.get(), narrow);
    out->copy(call, room, made.get(), count, copying);
    call.synchronize();
}

/* Whether all open arcs have short objectives. */
static bool are_short(const mcd_weight *weight, size_t count)
{
    return std::all_of(weight, weight + count, [](mcd_weight objective) {
        return objective < SHORT_NONE || objective >= MCD_UNREACHED;
    });
}

/* Stores short objectives, which halve the bytes read, if all fit. The long ones are then only for joint
 * weights. */
static void copy_objectives(gpu_arc_couples *out, gpu_call &call, arc_room *room,
                            const mcd_weight *const (&from)[2], bool joint)
{
    if (!from[0]) return;
    out->are_short = are_short(from[0], out->count) && are_short(from[1], out->count);
    for (int i = 0; i < 2; ++i) {
        auto &to = out->objective[i];
        if (out->are_short)
            copy_short(call, room, &std::get<1>(to), from[i], out->count, [](mcd_weight objective) {
                return (uint16_t)std::min<mcd_weight>(objective, SHORT_NONE);
            });
        if (!out->are_short || joint) std::get<0>(to).copy(call, room, from[i], out->count, copying);
    }
}

void couples_copy(gpu_arc_couples *out, gpu_call &call, arc_room *room, const mcd_arcs *host)
{
    const mcd_weight *const companion[] = {host->couple_up_companion, host->couple_down_companion};
    if (!host->couple_high || host->couple_count == 0) return;
    out->count = host->couple_count;
    out->segment_count = blocks_of(host->graph->node_count, (mcd_node)SEGMENT_NODES);
    copy_segments(out, call, host->couple_high);
    copy_short(call, room, &out->high, host->couple_high, out->count,
               [](mcd_node node) { return (uint16_t)(node % SEGMENT_NODES); });
    out->low.copy(call, room, host->couple_low, out->count, copying);
    copy_objectives(out, call, room, {host->couple_up, host->couple_down}, companion[0]);
    for (int i = 0; i < 2 && companion[0]; ++i)
        out->companion[i].copy(call, room, companion[i], out->count, copying);
}
