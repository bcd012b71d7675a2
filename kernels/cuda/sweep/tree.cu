/* tree.cu - one-to-all costs on GPUs: sweeps of as many lanes as fit, and delivery to the caller. CPU twin:
 * kernels/cpu/sweep/tree.c.
 *
 * If lanes stay on the GPU, the sweep itself writes them there. All others are swept in batches into
 * scratch. Rows are gathered from it by column while the batch before is on its way to the host. Divided
 * answers are as many jobs as parts; each runs on one GPU for its own memory. Columns of places are lanes here
 * (sources.h); a place that is cut off takes the costs that its second position decides before answers leave. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/sweep/sweep.h"
#include "kernels/cuda/sweep/top_labels.h"
#include "kernels/cuda/device/table.h"

enum {
    BATCH_LANES = 128,   /* lanes of rows for the host: more would not use more of the bus */
    DEVICE_LANES = 4096, /* lanes that stay on the GPU */
    GATHER_TILE = 32,    /* columns and lanes of a tile */
    GATHER_BLOCK = 256,
};

/* Gathers the rows of a batch: value[lane * column_count + i] from answer[node * stride + lane].
 * Grid    one block per tile of 32 columns and 32 lanes, transposed in shared memory: whole lines both ways.
 * Races   none: a cell is written once. */
static __global__ void gather_rows(const uint32_t *__restrict__ answer, size_t stride,
                                   const mcd_node *__restrict__ column, size_t column_count,
                                   size_t lane_count, uint32_t *value)
{
    __shared__ uint32_t tile[GATHER_TILE][GATHER_TILE + 1];
    const size_t lane_tiles = (lane_count + GATHER_TILE - 1) / GATHER_TILE;
    const size_t first_column = blockIdx.x / lane_tiles * GATHER_TILE;
    const size_t first_lane = blockIdx.x % lane_tiles * GATHER_TILE;
    const unsigned x = threadIdx.x % GATHER_TILE, y = threadIdx.x / GATHER_TILE;
    for (unsigned c = y; c < GATHER_TILE; c += GATHER_BLOCK / GATHER_TILE) {
        const size_t i = first_column + c;
        if (i >= column_count || first_lane + x >= lane_count) continue;
        tile[c][x] = answer[(column ? column[i] : i) * stride + first_lane + x];
    }
    __syncthreads();
    for (unsigned l = y; l < GATHER_TILE; l += GATHER_BLOCK / GATHER_TILE) {
        const size_t lane = first_lane + l;
        if (lane >= lane_count || first_column + x >= column_count) continue;
        value[lane * column_count + first_column + x] = tile[x][l];
    }
}

/* Writes costs from second positions over those that they decide: answer[node * stride + column].
 * Grid    one thread per node.
 * Races   none: a node's costs are one thread's. Limit  memory. */
static __global__ void take_second(cut_off_columns of, size_t node_count, size_t stride, uint32_t *answer)
{
    const size_t node = thread_index();
    if (node >= node_count) return;
    const uint32_t own = of.members.of_node[node];
    for (uint32_t column = of.begin; column < of.end(); ++column)
        if (of.decided_by(column).has(of.members, own))
            answer[node * stride + of.place_of(column)] = answer[node * stride + column];
}

/* A job's part for one GPU. */
struct tree_part {
    const mcd_tree_job &job;
    gpu_weights &weights;
    gpu_progress &progress;
    const lane_part lanes;
    bool stays;     /* lanes are written to the GPU's own memory */
    bool is_within; /* a call that holds scratch already */
};

struct tree_batch {
    size_t first, count; /* lanes of the part */
    int turn;
};

/* A part while it runs. */
template <class Cost> struct tree_run {
    const tree_part &part;
    gpu_call &call;
    const mcd_tree_job &job = part.job;
    const size_t count = part.lanes.count, nodes = part.weights.map->hierarchy.node_count;
    uint32_t *const value[2] = {job.objective, job.companion};
    sweep_sources sources = {call,        part.weights,     *job.weights, job.first,
                             job.cut_off, part.lanes.first, count,        false};
    sweep_scratch<Cost> scratch = {sources.most()};
    /* Of lanes that do not stay: a batch's answers. */
    gpu_array<uint32_t> by_node[2] = {}; /* per quantity: [node * stride + lane] */
    gpu_array<uint32_t> rows[2][2] = {}; /* by turn and quantity: [lane * column_count + i] */
    gpu_array<mcd_node> column = {};

    void enqueue(size_t first, size_t lanes, const tree_sink<Cost> &sink, uint32_t lanes_max)
    {
        enqueue_sweep<Cost>(call, part.weights, job.direction, sources.at(first, lanes), &scratch, sink,
                            lanes_max);
    }

    void stay(size_t batch)
    {
        const bool aligned = (uintptr_t)job.objective % 16 == 0 && (uintptr_t)job.companion % 16 == 0;
        for (size_t done = 0; done < count; done += batch) {
            const size_t lanes = mcd_size_min(batch, count - done), first = part.lanes.first + done;
            const tree_sink<Cost> sink = {value_at(value[0], first),
                                          value_at(value[1], first),
                                          job.lane_count,
                                          (uint32_t)lanes,
                                          job.limit,
                                          job.raw};
            enqueue(done, lanes, sink, aligned && lanes % 4 == 0 ? 4 : 1);
            if (part.progress.is_asked()) call.synchronize();
            part.progress.step(lanes);
        }
        call.synchronize();
    }

    /* ---- rows and lanes for the host ---- */

    /* A single tree's answers by node are already a row. */
    bool needs_gathering() const
    {
        return !job.as_lanes && (job.column || sources.stride(count) > 1);
    }

    void enqueue_batch(const tree_batch &batch)
    {
        const sweep_places places = sources.at(batch.first, batch.count);
        const size_t stride = sources.stride(batch.first, batch.count);
        const tree_sink<Cost> sink = {by_node[0].get(), by_node[1].get(), stride,
                                      (uint32_t)stride, job.limit,        job.raw};
        enqueue(batch.first, batch.count, sink, 4);
        for (int q = 0; q < 2 && places.cut_off.count > 0; ++q)
            if (value[q])
                call.run("completing trees", one_thread_each(nodes), take_second, places.cut_off, nodes,
                         stride, by_node[q].get());
        const uint64_t tiles = blocks_of<uint64_t>(job.column_count, GATHER_TILE) *
                               blocks_of<uint64_t>(batch.count, GATHER_TILE);
        for (int q = 0; q < 2 && needs_gathering(); ++q)
            if (value[q])
                call.run("gathering rows", {tiles, GATHER_BLOCK}, gather_rows, by_node[q].get(), stride,
                         column.get(), job.column_count, batch.count, rows[batch.turn][q].get());
    }

    void deliver_batch(const tree_batch &batch)
    {
        const size_t first = part.lanes.first + batch.first, lanes = batch.count * sizeof(uint32_t);
        const size_t row = job.column_count * lanes, lane_row = job.lane_count * sizeof(uint32_t),
                     stride = sources.stride(batch.first, batch.count) * sizeof(uint32_t);
        for (int q = 0; q < 2; ++q) {
            if (!value[q]) continue;
            const uint32_t *const from = needs_gathering() ? rows[batch.turn][q].get() : by_node[q].get();
            deliver_rows(call,
                         job.as_lanes ? row_copy{value[q] + first, lane_row, from, lanes, nodes, stride}
                                      : row_copy{value[q] + first * job.column_count, row, from, row, 1},
                         &part.lanes.parallel);
        }
        call.check(cudaStreamSynchronize(call.copies), "copying answers");
    }

    void allocate_answers(size_t lanes)
    {
        static const char what[] = "allocating answers";
        if (job.column) column.copy(call, job.column, job.column_count, "copying columns");
        for (int q = 0; q < 2; ++q) {
            if (!value[q]) continue;
            by_node[q].allocate(call, nodes * sources.stride(lanes), what);
            for (int turn = 0; turn < 2 && !job.as_lanes; ++turn)
                rows[turn][q].allocate(call, lanes * job.column_count, what);
        }
    }

    /* Delivers each batch while the next one is computed. */
    void leave(size_t size)
    {
        tree_batch ready = {0, 0, 1};
        allocate_answers(size);
        for (size_t first = 0; first < count || ready.count > 0; first += size) {
            const tree_batch next = {first, first < count ? mcd_size_min(size, count - first) : 0,
                                     !ready.turn};
            const bool after = job.as_lanes && ready.count > 0; /* lanes have no second turn */
            call.order_copies();
            if (next.count > 0 && !after) enqueue_batch(next);
            if (ready.count > 0) deliver_batch(ready);
            part.progress.step(ready.count);
            if (next.count > 0 && after) enqueue_batch(next);
            ready = next;
        }
        call.synchronize();
    }

    /* Bytes on the GPU for each lane of a batch. */
    uint64_t lane_bytes() const
    {
        const uint64_t quantities = (uint64_t)(value[0] != nullptr) + (value[1] != nullptr);
        const uint64_t cells = nodes + (job.as_lanes ? 0 : 2 * job.column_count);
        return sweep_scratch_bytes<Cost>(*part.weights.map, scratch.most) +
               (part.stays ? 0 : cells * quantities * sizeof(uint32_t));
    }

    /* Sweeps as many lanes at a time as fit. */
    void run(gpu_share *share)
    {
        const uint64_t other = sources.bytes() + (job.column ? job.column_count * sizeof(mcd_node) : 0);
        const size_t most = mcd_size_min(count, part.stays ? DEVICE_LANES : BATCH_LANES);
        const size_t batch = take_lanes(call, share, lane_bytes(), most, sources, other, "trees");
        sources.copy(call, job.lane);
        part.stays ? stay(batch) : leave(batch);
    }
};

static void run_part(const tree_part &part)
{
    const bool joint = part.job.companion != nullptr;
    part.progress.step(0);
    if (!part.is_within) count_labels(part.weights, *part.job.weights->hierarchy, joint, part.lanes.count);
    gpu_share share;
    gpu_call call(part.weights.map->gpu);
    call.is_scratch = part.is_within;
    /* Before the scratch: a holder of scratch must not wait for room. */
    prepare_streams(call, part.weights, part.job.direction, joint, part.lanes.count,
                    part.stays ? DEVICE_LANES : BATCH_LANES, part.job.first);
    joint ? tree_run<uint64_t>{part, call}.run(&share) : tree_run<uint32_t>{part, call}.run(&share);
}

/* All lanes of a job, on one GPU. */
static lane_part all_lanes(const mcd_tree_job *job, size_t g)
{
    return {g, 0, job->lane_count, job->parallel};
}

/* The GPU in whose memory all answers are to stay, or -1. The row of a single tree is a lane too. */
static int find_owner(const mcd_tree_job *job)
{
    if (job->division || job->cut_off.inner || (!job->as_lanes && (job->lane_count > 1 || job->column)))
        return -1;
    gpu_call call(job->weights->device->on[0]->map->gpu);
    return owner_of_answers(call, job->objective, job->companion);
}

/* Runs a job whose answers all stay on the g-th GPU. */
static void run_at(size_t g, const mcd_tree_job *job, gpu_progress &progress)
{
    run_part({*job, weights_on(*job->weights->device, g), progress, all_lanes(job, g), true, false});
    progress.step(0);
}

void tree_within(const mcd_tree_job *job)
{
    gpu_progress progress(job->progress, "trees", job->lane_count);
    run_part({*job, *job->weights->device->on[0], progress, all_lanes(job, 0), false, true});
}

void mcd_cuda_tree(const mcd_tree_job *job)
{
    mcd_device_weights *const weights = job->weights->device;
    gpu_progress progress(job->progress, "trees", job->lane_count);
    if (job->only) fail(MACADAM_E_DEVICE, "restricted trees are the processor's");
    if (weights->on[0]->map->hierarchy.node_count == 0) return;
    const int owner = find_owner(job);
    for (size_t g = 0; g < weights->map->device->gpu_count && owner >= 0; ++g)
        if (weights->map->device->gpu[g].ordinal == owner) return run_at(g, job, progress);
    divide_lanes(weights, job->lane_count, job->parallel, progress, [&](const lane_part &lanes) {
        gpu_weights &on = weights_on(*weights, lanes.gpu);
        if (!job->division) return run_part({*job, on, progress, lanes, false, false});
        mcd_tree_job own = *job; /* each part is its own job */
        own.lane += lane_of(job->first, lanes.first), own.lane_count = lanes.count;
        if (own.first) own.first += lanes.first;
        own.objective = job->division->objective[lanes.gpu];
        own.companion = job->division->companion[lanes.gpu];
        const bool stays = own.as_lanes || (own.lane_count == 1 && !own.column);
        run_part({own, on, progress, {lanes.gpu, 0, lanes.count, lanes.parallel}, stays, false});
    });
}
