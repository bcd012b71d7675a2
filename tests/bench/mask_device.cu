/* mask_device.cu - see mask_device.h.
 *
 * One thread a node. The first kernel of a level relaxes the arcs of the marked nodes into a second array,
 * the second one takes over what has changed and marks it; the host asks after every level whether there
 * was a change. A connection is searched from both ends together: a thread follows the arcs of its node for
 * each of the two ends that has marked it, so a level is one launch for both.
 * Races: marks and hops of a level are the same whichever thread writes them; costs fall by atomicMin. */
#include "tests/bench/mask_device.h"

#include "tests/bench/baseline.h"

enum {
    MASK_BLOCK = 256,
    MEETING = 2, /* place of the meeting among the flags */
};

struct mask_side {
    mcd_arc *first;
    mcd_node *head;
    uint8_t *marked, *updating;
    uint32_t *cost;
};

struct mask_device {
    mcd_node node_count;
    mask_side side[2]; /* from the source; from the target, against the arcs */
    mcd_weight *weight;
    uint32_t *updated; /* costs, before the nodes have them */
    unsigned *flag;    /* changed, by side; the length of a meeting */
};

extern "C" mask_device *mask_device_new(const mcd_arcs *arcs)
{
    const mcd_graph *from = arcs->graph;
    const size_t nodes = from->node_count, count = from->arc_count;
    mask_device *const graph = (mask_device *)checked_zeroed(1, sizeof *graph);
    graph->node_count = from->node_count;
    for (int s = 0; s < 2; ++s)
        graph->side[s] = {copy(s ? from->first_in : from->first_out, nodes + 1),
                          copy(s ? from->tail : from->head, count), copy<uint8_t>(nullptr, nodes),
                          copy<uint8_t>(nullptr, nodes), copy<uint32_t>(nullptr, nodes)};
    graph->weight = copy(arcs->objective[0], count);
    graph->updated = copy<uint32_t>(nullptr, nodes);
    graph->flag = copy<unsigned>(nullptr, MEETING + 1);
    return graph;
}

extern "C" void mask_device_free(mask_device *graph)
{
    for (const mask_side &side : graph->side) {
        void *const all[] = {side.first, side.head, side.marked, side.updating, side.cost};
        for (void *one : all) expect(cudaFree(one));
    }
    expect(cudaFree(graph->weight));
    expect(cudaFree(graph->updated));
    expect(cudaFree(graph->flag));
    free(graph);
}

/* One thread a node. */
static launch_shape shape_of(const mask_device *graph)
{
    return {blocks_of<uint64_t>(graph->node_count, MASK_BLOCK), MASK_BLOCK, 0, nullptr};
}

static void begin(mask_device *graph, int s, mcd_node node)
{
    const mask_side &side = graph->side[s];
    const uint32_t nothing = 0;
    expect(cudaMemset(side.marked, 0, graph->node_count));
    expect(cudaMemset(side.updating, 0, graph->node_count));
    expect(cudaMemset(side.cost, 0xff, graph->node_count * sizeof *side.cost));
    expect(cudaMemset(side.marked + node, 1, 1));
    expect(cudaMemcpy(side.cost + node, &nothing, sizeof nothing, cudaMemcpyHostToDevice));
}

static unsigned flag_after(const mask_device *graph, unsigned index)
{
    unsigned flag;
    expect(cudaGetLastError());
    expect(cudaMemcpy(&flag, graph->flag + index, sizeof flag, cudaMemcpyDeviceToHost));
    return flag;
}

static void take(const mask_device *graph, uint32_t *out)
{
    if (out)
        expect(cudaMemcpy(out, graph->side[0].cost, graph->node_count * sizeof *out, cudaMemcpyDeviceToHost));
}

/* ---- hops and connections ---- */

/* other: the other end's hops, or NULL; *meeting: the arcs between the ends, if this level's arcs are one
 * of them. */
static __device__ void expand_node(const mask_side &side, mcd_node tail, const uint32_t *other,
                                   unsigned *meeting)
{
    if (!side.marked[tail]) return;
    side.marked[tail] = 0;
    for (mcd_arc arc = side.first[tail]; arc < side.first[tail + 1]; ++arc) {
        const mcd_node head = side.head[arc];
        if (other && other[head] != UINT32_MAX) atomicMin(meeting, side.cost[tail] + 1 + other[head]);
        if (side.cost[head] != UINT32_MAX) continue;
        side.cost[head] = side.cost[tail] + 1;
        side.updating[head] = 1;
    }
}

static __global__ void expand(mask_side side, mcd_node node_count)
{
    const mcd_node tail = blockIdx.x * MASK_BLOCK + threadIdx.x;
    if (tail < node_count) expand_node(side, tail, nullptr, nullptr);
}

/* Both ends' level. A meeting is never too short. A path of 2 i + 1 arcs is met in level i, where its i-th nodes
 * from both ends have their hops; one of 2 i + 2 arcs there or in the next level. */
static __global__ void expand_both(mask_side from, mask_side to, mcd_node node_count, unsigned *meeting)
{
    const mcd_node tail = blockIdx.x * MASK_BLOCK + threadIdx.x;
    if (tail >= node_count) return;
    expand_node(from, tail, to.cost, meeting);
    expand_node(to, tail, from.cost, meeting);
}

static __global__ void mark(mask_side side, mcd_node node_count, unsigned *changed)
{
    const mcd_node node = blockIdx.x * MASK_BLOCK + threadIdx.x;
    if (node >= node_count || !side.updating[node]) return;
    side.updating[node] = 0;
    side.marked[node] = 1;
    *changed = 1;
}

static void take_over_marks(mask_device *graph, int s)
{
    expect(launch(shape_of(graph), mark, graph->side[s], graph->node_count, graph->flag + s));
}

extern "C" bool mask_device_hops(mask_device *graph, mcd_node source, double end, uint32_t *out)
{
    begin(graph, 0, source);
    do {
        if (bench_seconds_now() > end) return false;
        expect(cudaMemset(graph->flag, 0, sizeof *graph->flag));
        expect(launch(shape_of(graph), expand, graph->side[0], graph->node_count));
        take_over_marks(graph, 0);
    } while (flag_after(graph, 0));
    take(graph, out);
    return true;
}

extern "C" bool mask_device_connect(mask_device *graph, mcd_node source, mcd_node target, double end,
                                    uint32_t *hops)
{
    *hops = 0;
    if (source == target) return true;
    begin(graph, 0, source);
    begin(graph, 1, target);
    expect(cudaMemset(graph->flag + MEETING, 0xff, sizeof *graph->flag));
    while (bench_seconds_now() <= end) {
        expect(cudaMemset(graph->flag, 0, 2 * sizeof *graph->flag));
        expect(launch(shape_of(graph), expand_both, graph->side[0], graph->side[1], graph->node_count,
                      graph->flag + MEETING));
        take_over_marks(graph, 0);
        take_over_marks(graph, 1);
        unsigned flag[MEETING + 1];
        expect(cudaGetLastError());
        expect(cudaMemcpy(flag, graph->flag, sizeof flag, cudaMemcpyDeviceToHost));
        *hops = flag[MEETING];
        if (*hops != UINT32_MAX || !flag[0] || !flag[1]) return true;
    }
    return false;
}

/* ---- costs ---- */

static __global__ void relax(mask_side side, mcd_node node_count, const mcd_weight *weight, uint32_t *updated)
{
    const mcd_node tail = blockIdx.x * MASK_BLOCK + threadIdx.x;
    if (tail >= node_count || !side.marked[tail]) return;
    side.marked[tail] = 0;
    for (mcd_arc arc = side.first[tail]; arc < side.first[tail + 1]; ++arc)
        if (weight[arc] < MCD_UNREACHED) atomicMin(updated + side.head[arc], side.cost[tail] + weight[arc]);
}

static __global__ void take_over(mask_side side, mcd_node node_count, const uint32_t *updated,
                                 unsigned *changed)
{
    const mcd_node node = blockIdx.x * MASK_BLOCK + threadIdx.x;
    if (node >= node_count || updated[node] >= side.cost[node]) return;
    side.cost[node] = updated[node];
    side.marked[node] = 1;
    *changed = 1;
}

extern "C" bool mask_device_sssp(mask_device *graph, mcd_node source, double end, uint32_t *out)
{
    const mask_side &side = graph->side[0];
    begin(graph, 0, source);
    expect(cudaMemset(graph->updated, 0xff, graph->node_count * sizeof *graph->updated));
    do {
        if (bench_seconds_now() > end) return false;
        expect(cudaMemset(graph->flag, 0, sizeof *graph->flag));
        expect(launch(shape_of(graph), relax, side, graph->node_count, graph->weight, graph->updated));
        expect(launch(shape_of(graph), take_over, side, graph->node_count, graph->updated, graph->flag));
    } while (flag_after(graph, 0));
    take(graph, out);
    return true;
}
