/* tree.cu - one-to-all costs on GPUs: sweeps of as many lanes as fit, and delivery to the caller. CPU twin:
 * kernels/cpu/sweep/tree.c.
 *
 * If lanes stay on the GPU, the sweep itself writes them there. All others are swept in batches into
 * scratch. Rows are gathered from it by column while the batch before is on its way to the host. Divided
 * answers are as many jobs as parts; each runs on one GPU for its own memory. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/sweep/sweep.h"
#include "kernels/cuda/device/table.h"

enum {
    BATCH_LANES = 128,   /* lanes of rows for the host: more would not use more of the bus */
    DEVICE_LANES = 4096, /* lanes that stay on the GPU */
    GATHER_TILE = 32,    /* columns and lanes of a tile */
    GATHER_BLOCK = 256,
};

/* A job's part for one GPU. */
struct tree_part {
    const mcd_tree_job *job;
    gpu_weights *weights;
    gpu_progress *progress;
    size_t first, count; /* lanes */
    mcd_parallel parallel;
    bool stays;     /* lanes are written to the GPU's own memory */
    bool is_within; /* a call that holds scratch already */
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

static uint32_t *value_at(uint32_t *value, size_t offset)
{
    return value ? value + offset : nullptr;
}

template <class Cost>
static auto sink_of(uint32_t *objective, uint32_t *companion, size_t stride, size_t lane_count,
                    const mcd_tree_job *job)
{
    if constexpr (sizeof(Cost) == 8)
        return joint_sink{objective, companion, stride, (uint32_t)lane_count, job->limit, job->raw};
    else
        return objective_sink{objective, stride, (uint32_t)lane_count, job->limit};
}

/* ---- lanes that stay on the GPU ---- */

template <class Cost>
static macadam_status stay(gpu_call &call, const tree_part &part, const mcd_lane *lane, size_t batch)
{
    const mcd_tree_job *job = part.job;
    sweep_scratch<Cost> scratch;
    const bool aligned = (uintptr_t)job->objective % 16 == 0 && (uintptr_t)job->companion % 16 == 0;
    for (size_t done = 0; done < part.count; done += batch) {
        const size_t count = mcd_size_min(batch, part.count - done);
        const auto sink =
            sink_of<Cost>(value_at(job->objective, part.first + done),
                          value_at(job->companion, part.first + done), job->lane_count, count, job);
        MCD_TRY(enqueue_sweep<Cost>(call, *part.weights, job->direction, lane + done, count, &scratch, sink,
                                    aligned && count % 4 == 0 ? 4 : 1));
        if (part.progress->is_asked()) MCD_TRY(call.synchronize());
        MCD_TRY(part.progress->step(count, call.error));
    }
    return call.synchronize();
}

/* ---- rows and lanes for the host ---- */

/* A batch's answers on the GPU. */
struct tree_answers {
    gpu_array<uint32_t> lanes[2];   /* per quantity: [node * stride + lane] */
    gpu_array<uint32_t> rows[2][2]; /* by turn and quantity: [lane * column_count + i] */
    gpu_array<mcd_node> column;
};

struct tree_batch {
    size_t first, count; /* lanes of the part */
    int turn;
};

static uint32_t *wanted(const mcd_tree_job *job, int quantity)
{
    return quantity ? job->companion : job->objective;
}

/* A single tree's answers by node are already a row. */
static bool needs_gathering(const tree_part &part)
{
    return !part.job->as_lanes && (part.job->column || part.count > 1);
}

template <class Cost>
static macadam_status enqueue_batch(gpu_call &call, const tree_part &part, const mcd_lane *lane,
                                    const tree_batch &batch, sweep_scratch<Cost> *scratch,
                                    tree_answers *answers)
{
    const mcd_tree_job *job = part.job;
    const size_t stride = sweep_stride(batch.count);
    const auto sink = sink_of<Cost>(answers->lanes[0].get(), answers->lanes[1].get(), stride, stride, job);
    MCD_TRY(enqueue_sweep<Cost>(call, *part.weights, job->direction, lane + batch.first, batch.count, scratch,
                                sink, 4));
    const uint64_t tiles =
        blocks_of<uint64_t>(job->column_count, GATHER_TILE) * blocks_of<uint64_t>(batch.count, GATHER_TILE);
    for (int q = 0; q < 2 && needs_gathering(part); ++q) {
        if (!wanted(job, q)) continue;
        const uint32_t *const from = answers->lanes[q].get();
        const mcd_node *const column = job->column ? answers->column.get() : nullptr;
        MCD_TRY(call.run("gathering rows", {tiles, GATHER_BLOCK}, gather_rows, from, stride, column,
                         job->column_count, batch.count, answers->rows[batch.turn][q].get()));
    }
    return MACADAM_OK;
}

static const uint32_t *rows_of(const tree_part &part, const tree_answers &answers, const tree_batch &batch,
                               int quantity)
{
    return needs_gathering(part) ? answers.rows[batch.turn][quantity].get() : answers.lanes[quantity].get();
}

static macadam_status deliver_batch(gpu_call &call, const tree_part &part, const tree_batch &batch,
                                    const tree_answers &answers)
{
    const mcd_tree_job *job = part.job;
    const size_t lane = part.first + batch.first, stride = sweep_stride(batch.count);
    for (int q = 0; q < 2; ++q) {
        uint32_t *const value = wanted(job, q);
        if (!value) continue;
        if (!job->as_lanes) {
            const size_t bytes = batch.count * job->column_count * sizeof *value;
            MCD_TRY(deliver_rows(
                call, {value + lane * job->column_count, bytes, rows_of(part, answers, batch, q), bytes, 1},
                &part.parallel));
            CUDA_TRY(call, cudaStreamSynchronize(call.copies), "copying answers");
            continue;
        }
        CUDA_TRY(call,
                 cudaMemcpy2DAsync(value + lane, job->lane_count * sizeof *value, answers.lanes[q].get(),
                                   stride * sizeof *value, batch.count * sizeof *value,
                                   part.weights->map->hierarchy.node_count, cudaMemcpyDefault, call.stream),
                 "copying answers");
        MCD_TRY(call.synchronize());
    }
    return MACADAM_OK;
}

static macadam_status allocate_answers(gpu_call &call, const tree_part &part, size_t lane_count,
                                       tree_answers *answers)
{
    const mcd_tree_job *job = part.job;
    const size_t nodes = part.weights->map->hierarchy.node_count;
    if (job->column) MCD_TRY(answers->column.copy(call, job->column, job->column_count, "copying columns"));
    for (int q = 0; q < 2; ++q) {
        if (!wanted(job, q)) continue;
        MCD_TRY(answers->lanes[q].allocate(call, nodes * sweep_stride(lane_count), "allocating answers"));
        for (int turn = 0; turn < 2 && !job->as_lanes; ++turn)
            MCD_TRY(
                answers->rows[turn][q].allocate(call, lane_count * job->column_count, "allocating answers"));
    }
    return MACADAM_OK;
}

/* Delivers each batch while the next one is computed. */
template <class Cost>
static macadam_status leave(gpu_call &call, const tree_part &part, const mcd_lane *lane, size_t size)
{
    const mcd_tree_job *job = part.job;
    sweep_scratch<Cost> scratch;
    tree_answers answers;
    tree_batch ready = {0, 0, 1};
    MCD_TRY(allocate_answers(call, part, size, &answers));
    for (size_t first = 0; first < part.count || ready.count > 0; first += size) {
        const tree_batch next = {first, first < part.count ? mcd_size_min(size, part.count - first) : 0,
                                 !ready.turn};
        MCD_TRY(call.order_copies());
        if (next.count > 0 && !(job->as_lanes && ready.count > 0))
            MCD_TRY(enqueue_batch(call, part, lane, next, &scratch, &answers));
        if (ready.count > 0) MCD_TRY(deliver_batch(call, part, ready, answers));
        MCD_TRY(part.progress->step(ready.count, call.error));
        if (next.count > 0 && job->as_lanes && ready.count > 0)
            MCD_TRY(enqueue_batch(call, part, lane, next, &scratch, &answers));
        ready = next;
    }
    return call.synchronize();
}

/* Bytes on the GPU for each lane of a batch. */
static uint64_t lane_bytes(const tree_part &part)
{
    const mcd_tree_job *job = part.job;
    const gpu_map &map = *part.weights->map;
    const uint64_t quantities = (uint64_t)(job->objective != nullptr) + (job->companion != nullptr);
    const uint64_t rows = job->as_lanes ? 0 : 2 * job->column_count;
    const uint64_t sweep =
        job->companion ? sweep_scratch_bytes<uint64_t>(map) : sweep_scratch_bytes<uint32_t>(map);
    return part.stays ? sweep : sweep + (map.hierarchy.node_count + rows) * quantities * sizeof(uint32_t);
}

/* Bytes besides those of lanes. */
static uint64_t other_bytes(const tree_part &part)
{
    return part.count * sizeof(mcd_lane) + (part.job->column ? part.job->column_count * sizeof(mcd_node) : 0);
}

/* Sweeps a part, `batch` lanes at a time. */
static macadam_status sweep_part(gpu_call &call, const tree_part &part, size_t batch)
{
    const mcd_tree_job *job = part.job;
    gpu_array<mcd_lane> lane;
    MCD_TRY(lane.copy(call, job->lane + part.first, part.count, "copying sources"));
    if (job->companion)
        return part.stays ? stay<uint64_t>(call, part, lane.get(), batch)
                          : leave<uint64_t>(call, part, lane.get(), batch);
    return part.stays ? stay<uint32_t>(call, part, lane.get(), batch)
                      : leave<uint32_t>(call, part, lane.get(), batch);
}

static macadam_status run_part(const tree_part &part, macadam_error *error)
{
    const mcd_tree_job *job = part.job;
    gpu_share share;
    gpu_call call(part.weights->map->gpu, error);
    const sweep_streams *streams; /* made before the scratch: a holder of scratch must not wait for room */
    size_t batch;
    MCD_TRY(part.progress->step(0, error));
    MCD_TRY(call.begin());
    call.is_scratch = part.is_within;
    MCD_TRY(sweep_streams_of(&streams, call, *part.weights, !job->direction, job->companion != nullptr));
    MCD_TRY(take_lanes(call, &share, lane_bytes(part),
                       mcd_size_min(part.count, part.stays ? DEVICE_LANES : BATCH_LANES), other_bytes(part),
                       "trees", &batch));
    return sweep_part(call, part, batch);
}

/* *owner: the GPU in whose memory all answers are to stay, or -1. The row of a single tree is a lane too. */
static macadam_status find_owner(const mcd_tree_job *job, int *owner, macadam_error *error)
{
    int of[2] = {-1, -1};
    *owner = -1;
    if (!job->as_lanes && (job->lane_count > 1 || job->column)) return MACADAM_OK;
    gpu_call call(job->weights->device->on[0]->map->gpu, error);
    MCD_TRY(call.begin());
    for (int q = 0; q < 2; ++q)
        if (wanted(job, q)) MCD_TRY(owner_of_memory(call, wanted(job, q), &of[q]));
    const int first = wanted(job, 0) ? 0 : 1;
    if (!wanted(job, 1) || of[1] == of[first]) *owner = of[first];
    return MACADAM_OK;
}

/* Runs a job whose answers all stay on the g-th GPU. */
static macadam_status run_at(size_t g, const mcd_tree_job *job, gpu_progress *progress, macadam_error *error)
{
    MCD_TRY(run_part(
        {job, job->weights->device->on[g], progress, 0, job->lane_count, job->parallel, true, false}, error));
    return progress->step(0, error);
}

/* Runs each part of a divided job as its own job. */
static macadam_status run_divided(const mcd_tree_job *job, gpu_progress *progress, macadam_error *error)
{
    return divide_lanes(job->weights->device, job->lane_count, job->parallel, *progress, error,
                        [&](const lane_part &lanes, macadam_error *gpu_error) {
                            mcd_tree_job own = *job;
                            own.lane += lanes.first, own.lane_count = lanes.count;
                            own.objective = job->division->objective[lanes.gpu];
                            own.companion = job->division->companion[lanes.gpu];
                            const bool stays = own.as_lanes || (own.lane_count == 1 && !own.column);
                            return run_part({&own, job->weights->device->on[lanes.gpu], progress, 0,
                                             lanes.count, lanes.parallel, stays, false},
                                            gpu_error);
                        });
}

macadam_status tree_within(const mcd_tree_job *job, macadam_error *error)
{
    gpu_progress progress(job->progress, "trees", job->lane_count);
    return run_part(
        {job, job->weights->device->on[0], &progress, 0, job->lane_count, job->parallel, false, true}, error);
}

macadam_status mcd_cuda_tree(const mcd_tree_job *job, macadam_error *error)
{
    const mcd_device_weights *weights = job->weights->device;
    gpu_progress progress(job->progress, "trees", job->lane_count);
    int owner;
    if (job->only) return mcd_fail(error, MACADAM_E_DEVICE, "restricted trees are the processor's");
    if (weights->on[0]->map->hierarchy.node_count == 0) return MACADAM_OK;
    if (job->division) return run_divided(job, &progress, error);
    MCD_TRY(find_owner(job, &owner, error));
    for (size_t g = 0; g < weights->map->device->gpu_count && owner >= 0; ++g)
        if (weights->map->device->gpu[g].ordinal == owner) return run_at(g, job, &progress, error);
    return divide_lanes(weights, job->lane_count, job->parallel, progress, error,
                        [&](const lane_part &lanes, macadam_error *gpu_error) {
                            return run_part({job, weights->on[lanes.gpu], &progress, lanes.first, lanes.count,
                                             lanes.parallel, false, false},
                                            gpu_error);
                        });
}
