/* dense_rows.cu - see dense_rows.h. */
#include "kernels/cuda/dense/dense_rows.h"

#include "kernels/cuda/device/device.h"

enum {
    BAND_ROWS = 512,          /* of resident rows, at most: a product is more efficient with more pivots */
    BANDS_LEAST = 16,         /* smaller matrices have fewer pivots per band */
    PASSING_BAND_ROWS = 4096, /* most rows of a band of streamed rows: they use an eighth of the bus's rate */
    CHUNKS_OF_BAND = 4,
    CHUNK_BYTES = 64 << 20, /* of resident rows in transit */
    ROWS_PER_GPU = 2048,    /* fewer are not worth another GPU */
};

void dense_part::settle()
{
    (void)cudaSetDevice(call.gpu->ordinal);
    for (const cudaStream_t stream : {call.stream, in.copies, out.copies, ahead})
        if (stream) (void)cudaStreamSynchronize(stream);
}

dense_part::~dense_part()
{
    settle();
    if (ahead) (void)cudaStreamDestroy(ahead);
}

macadam_status enter(dense_part &part)
{
    return part.call.enter();
}

/* ---- the plan ---- */

/* Bytes on each GPU. */
static uint64_t bytes_needed(const dense_plan &plan)
{
    const uint64_t values = plan.paths ? 2 : 1, held = plan.resident ? plan.part_rows : plan.chunk_rows;
    const uint64_t steps = plan.band_rows / STEP, row = plan.words * values;
    uint64_t words = held * row + plan.column_words(held) + STEP * plan.band_rows + STEP * STEP;
    words += 2 * TURNS * plan.chunk_rows * plan.job->node_count * values;
    if (plan.paths || !plan.resident || plan.gpu_count > 1) words += TURNS * plan.band_rows * plan.words;
    if (plan.paths) words += TURNS * steps * STEP * STEP;
    if (plan.keeps_band()) words += plan.band_rows * row;
    return words * sizeof(uint32_t);
}

/* Bands of `rows`, whole ones for each GPU. */
static void divide(dense_plan *plan, size_t rows, size_t gpus)
{
    plan->band_rows = mcd_size_min(rows, plan->row_count);
    plan->gpu_count = mcd_size_min(gpus, plan->band_count());
    plan->part_rows = blocks_of(plan->band_count(), plan->gpu_count) * plan->band_rows;
    plan->gpu_count = blocks_of(plan->row_count, plan->part_rows);
}

static size_t round_up(size_t count)
{
    return blocks_of<size_t>(count, TILE) * TILE;
}

static bool fits_resident(dense_plan *plan, size_t gpus, uint64_t limit)
{
    const size_t wanted = round_up(plan->row_count / BANDS_LEAST);
    const size_t chunk = round_up(CHUNK_BYTES / sizeof(uint32_t) / plan->job->node_count);
    plan->resident = true;
    divide(plan, mcd_size_min(wanted, BAND_ROWS), gpus);
    plan->chunk_rows = mcd_size_min(chunk, plan->part_rows);
    return bytes_needed(*plan) <= limit;
}

static bool fits_passing(dense_plan *plan, size_t gpus, uint64_t limit)
{
    plan->resident = false;
    for (size_t rows = PASSING_BAND_ROWS; rows >= TILE; rows /= 2) {
        divide(plan, rows, gpus);
        plan->chunk_rows = mcd_size_max(rows / CHUNKS_OF_BAND, TILE);
        if (bytes_needed(*plan) <= limit) return true;
    }
    return false;
}

macadam_status make_plan(dense_plan *plan, const mcd_dense_job *job, macadam_error *error)
{
    const size_t gpus = job->device->gpu_count;
    uint64_t limit = job->memory_limit ? job->memory_limit : UINT64_MAX;
    plan->job = job;
    plan->paths = job->via != nullptr;
    plan->narrow = job->narrow && !plan->paths;
    plan->row_count = round_up(job->node_count);
    plan->words = round_up(blocks_of(job->node_count, costs_per_word(plan->narrow)));
    for (size_t g = 0; g < gpus; ++g) limit = mcd_size_min(limit, gpu_scratch_free(&job->device->gpu[g]));
    for (size_t g = mcd_size_max(mcd_size_min(job->node_count / ROWS_PER_GPU, gpus), 1); g <= gpus; ++g)
        if (fits_resident(plan, g, limit)) return MACADAM_OK;
    if (fits_passing(plan, gpus, limit)) return MACADAM_OK;
    const bool is_limit = job->memory_limit && bytes_needed(*plan) > job->memory_limit;
    return mcd_fail(error, is_limit ? MACADAM_E_LIMIT : MACADAM_E_DEVICE,
                    "all pairs of %zu nodes need %llu bytes of each device; the limit is %llu",
                    job->node_count, (unsigned long long)bytes_needed(*plan), (unsigned long long)limit);
}

/* ---- parts ---- */

static macadam_status allocate_transfer(const dense_plan &plan, dense_part &part, transfer &transfer)
{
    const size_t cells = plan.chunk_rows * plan.job->node_count;
    MCD_TRY(transfer.cost.allocate(part.call, cells, "costs on their way"));
    if (plan.paths) MCD_TRY(transfer.mark.allocate(part.call, cells, "paths on their way"));
    return MACADAM_OK;
}

static macadam_status allocate_rows(const dense_plan &plan, dense_part &part)
{
    const size_t held = plan.resident ? part.end - part.first : plan.chunk_rows;
    const size_t band = plan.band_rows * plan.words, steps = plan.band_rows / STEP;
    MCD_TRY(part.word.allocate(part.call, held * plan.words, "a matrix"));
    if (plan.paths) MCD_TRY(part.mark.allocate(part.call, held * plan.words, "paths of a matrix"));
    MCD_TRY(gpu_allocate_all(part.call, "columns of pivots", part.column, plan.column_words(held),
                             part.ahead_column, STEP * plan.band_rows));
    MCD_TRY(part.diagonal.allocate(part.call, STEP * STEP, "a block of pivots"));
    for (size_t turn = 0; turn < TURNS; ++turn) {
        if (plan.paths || !plan.resident || plan.gpu_count > 1)
            MCD_TRY(part.band[turn].allocate(part.call, band, "rows of pivots"));
        if (plan.paths)
            MCD_TRY(part.found[turn].allocate(part.call, steps * STEP * STEP, "columns of pivots"));
        MCD_TRY(allocate_transfer(plan, part, part.coming[turn]));
        MCD_TRY(allocate_transfer(plan, part, part.going[turn]));
    }
    if (!plan.keeps_band()) return MACADAM_OK;
    MCD_TRY(part.kept.allocate(part.call, band, "rows of pivots"));
    return part.kept_mark.allocate(part.call, band, "paths of pivots");
}

static macadam_status begin_part(const dense_plan &plan, dense_part &part)
{
    enum { BEFORE_ALL = -100 }; /* the driver takes the nearest priority that it has */
    MCD_TRY(part.call.begin());
    MCD_TRY(part.in.begin());
    MCD_TRY(part.out.begin());
    CUDA_TRY(part.call, cudaStreamCreateWithPriority(&part.ahead, cudaStreamNonBlocking, BEFORE_ALL),
             "making a stream");
    MCD_TRY(part.share.take(part.call, bytes_needed(plan), bytes_needed(plan), "a matrix"));
    part.in.is_scratch = part.out.is_scratch = true;
    MCD_TRY(allocate_rows(plan, part));
    return part.call.check(cudaStreamSynchronize(part.call.stream),
                           "allocating a matrix"); /* for the use of all streams */
}

macadam_status make_parts(mcd_dense_run &run, macadam_error *error)
{
    const dense_plan &plan = run.plan;
    MCD_TRY(host_new(&run.stored, plan.chunk_count(), "chunks of a matrix", error));
    for (size_t c = 0; c < plan.chunk_count(); ++c) new (&run.stored[c]) gpu_event();
    for (size_t g = 0; g < plan.gpu_count; ++g) {
        run.part[g].emplace(&plan.job->device->gpu[g], error);
        run.part[g]->first = g * plan.part_rows;
        run.part[g]->end = mcd_size_min((g + 1) * plan.part_rows, plan.row_count);
        MCD_TRY(begin_part(plan, *run.part[g]));
    }
    return plan.gpu_count > 1 ? peers_meet(plan.job->device, error) : MACADAM_OK;
}

/* ---- rows that come and go ---- */

dense_rows rows_from(const dense_plan &plan, const dense_rows &rows, size_t row)
{
    return {rows.word + row * plan.words, rows.mark ? rows.mark + row * plan.words : nullptr, plan.words};
}

dense_rows held_rows(const dense_plan &plan, const dense_part &part)
{
    return {part.word.get(), part.mark.get(), plan.words};
}

/* Sends the rows that are ready. Call it after enqueuing later work: it may wait for a copy. */
static macadam_status send_late(mcd_dense_run &run, dense_part &part)
{
    const dense_plan &plan = run.plan;
    const mcd_dense_job *job = plan.job;
    const size_t row = part.late_row, count = plan.given(row, part.late_end), n = job->node_count;
    transfer &going = part.going[part.going_turn ^ 1];
    if (row == part.late_end) return MACADAM_OK;
    part.late_row = part.late_end;
    MCD_TRY(going.ready.wait(part.out, part.out.copies));
    const size_t pitch = job->stride * sizeof(uint32_t), row_bytes = n * sizeof(uint32_t);
    MCD_TRY(deliver_rows(part.out, {job->cost + row * job->stride, pitch, going.cost.get(), row_bytes, count},
                         &job->parallel));
    if (plan.paths)
        MCD_TRY(deliver_rows(part.out,
                             {job->via + row * job->stride, pitch, going.mark.get(), row_bytes, count},
                             &job->parallel));
    MCD_TRY(going.done.record(part.out, part.out.copies));
    return plan.resident ? MACADAM_OK : run.stored[row / plan.chunk_rows].record(part.out, part.out.copies);
}

macadam_status send(mcd_dense_run &run, dense_part &part, const dense_rows &from, size_t row, size_t end)
{
    const dense_plan &plan = run.plan;
    gpu_call &call = part.call;
    const size_t count = plan.given(row, end), n = plan.job->node_count, row_bytes = n * sizeof(uint32_t);
    transfer &going = part.going[part.going_turn];
    MCD_TRY(going.done.wait(call, call.stream));
    MCD_TRY(enqueue_unpack(call, call.stream, plan.narrow, from, count, n, going.cost.get()));
    if (plan.paths && count > 0)
        CUDA_TRY(call,
                 cudaMemcpy2DAsync(going.mark.get(), row_bytes, from.mark, plan.words * sizeof(uint32_t),
                                   row_bytes, count, cudaMemcpyDeviceToDevice, call.stream),
                 "copying paths");
    MCD_TRY(going.ready.record(call, call.stream));
    MCD_TRY(send_late(run, part));
    part.going_turn ^= 1;
    part.late_row = row, part.late_end = end;
    return MACADAM_OK;
}

static macadam_status bring_marks(mcd_dense_run &run, dense_part &part, const transfer &coming,
                                  const dense_rows &to, size_t row_count, size_t given)
{
    gpu_call &call = part.call;
    const size_t row_bytes = run.plan.job->node_count * sizeof(uint32_t);
    CUDA_TRY(call, cudaMemsetAsync(to.mark, 0xff, row_count * to.stride * sizeof(uint32_t), call.stream),
             "clearing paths");
    if (!run.has_marks || given == 0) return MACADAM_OK;
    return call.check(cudaMemcpy2DAsync(to.mark, to.stride * sizeof(uint32_t), coming.mark.get(), row_bytes,
                                        row_bytes, given, cudaMemcpyDeviceToDevice, call.stream),
                      "copying paths");
}

macadam_status bring(mcd_dense_run &run, dense_part &part, const dense_rows &to, size_t row, size_t end)
{
    const dense_plan &plan = run.plan;
    const mcd_dense_job *job = plan.job;
    const size_t count = plan.given(row, end), n = job->node_count;
    const size_t pitch = job->stride * sizeof(uint32_t), row_bytes = n * sizeof(uint32_t);
    transfer &coming = part.coming[part.coming_turn];
    part.coming_turn ^= 1;
    if (part.late_row == row) MCD_TRY(send_late(run, part));
    MCD_TRY(coming.done.wait(part.in, part.in.copies));
    if (!plan.resident) MCD_TRY(run.stored[row / plan.chunk_rows].wait(part.in, part.in.copies));
    MCD_TRY(supply_rows(part.in, {coming.cost.get(), job->cost + row * job->stride, pitch, row_bytes, count},
                        &job->parallel));
    if (run.has_marks)
        MCD_TRY(supply_rows(part.in,
                            {coming.mark.get(), job->via + row * job->stride, pitch, row_bytes, count},
                            &job->parallel));
    MCD_TRY(coming.ready.record(part.in, part.in.copies));
    MCD_TRY(coming.ready.wait(part.call, part.call.stream));
    MCD_TRY(enqueue_pack(part.call, part.call.stream, plan.narrow, coming.cost.get(), count, n, to, end - row,
                         plan.words));
    if (plan.paths) MCD_TRY(bring_marks(run, part, coming, to, end - row, count));
    return coming.done.record(part.call, part.call.stream);
}

macadam_status move_rows(mcd_dense_run &run, bool come)
{
    const dense_plan &plan = run.plan;
    for (size_t g = 0; g < plan.gpu_count; ++g) {
        dense_part &part = *run.part[g];
        MCD_TRY(enter(part));
        for (size_t row = part.first; row < part.end && plan.resident; row += plan.chunk_rows) {
            const dense_rows chunk = rows_from(plan, held_rows(plan, part), row - part.first);
            const size_t end = plan.chunk_end(row, part.end);
            MCD_TRY(come ? bring(run, part, chunk, row, end) : send(run, part, chunk, row, end));
        }
        MCD_TRY(send_late(run, part));
    }
    return MACADAM_OK;
}

macadam_status settle(mcd_dense_run &run)
{
    for (size_t g = 0; g < run.plan.gpu_count; ++g) {
        dense_part &part = *run.part[g];
        MCD_TRY(enter(part));
        MCD_TRY(part.call.synchronize());
        MCD_TRY(part.out.synchronize());
    }
    return MACADAM_OK;
}
