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

/* ---- the plan ---- */

void dense_arrays::lay_out(gpu_carver &carver, const dense_plan &plan)
{
    const size_t held = (plan.resident ? plan.part_rows : plan.chunk_rows),
                 band_words = plan.band_rows * plan.words;
    const size_t cells = plan.chunk_rows * plan.job->node_count, values = plan.paths ? 2 : 1;
    carver.take(&word, held * plan.words, &column, plan.column_words(held), &ahead_column,
                STEP * plan.band_rows, &diagonal, STEP * STEP);
    if (plan.paths) carver.take(&mark, held * plan.words);
    if (plan.keeps_band()) carver.take(&kept, band_words, &kept_mark, band_words);
    for (size_t turn = 0; turn < TURNS; ++turn) {
        if (plan.paths || !plan.resident || plan.gpu_count > 1) carver.take(&band[turn], band_words);
        if (plan.paths) carver.take(&found[turn], STEP * plan.band_rows);
        for (size_t v = 0; v < values; ++v) carver.take(&coming[turn][v], cells, &going[turn][v], cells);
    }
}

/* Bytes on each GPU. */
static uint64_t bytes_needed(const dense_plan &plan)
{
    return scratch_bytes<dense_arrays>(plan);
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

void make_plan(dense_plan *plan, const mcd_dense_job *job)
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
        if (fits_resident(plan, g, limit)) return;
    if (fits_passing(plan, gpus, limit)) return;
    const bool is_limit = job->memory_limit && bytes_needed(*plan) > job->memory_limit;
    fail(is_limit ? MACADAM_E_LIMIT : MACADAM_E_DEVICE,
         "all pairs of %zu nodes need %llu bytes of each device; the limit is %llu", job->node_count,
         (unsigned long long)bytes_needed(*plan), (unsigned long long)limit);
}

/* ---- parts ---- */

static void begin_part(const dense_plan &plan, dense_part &part)
{
    enum { BEFORE_ALL = -100 }; /* the driver takes the nearest priority that it has */
    part.call.check(cudaStreamCreateWithPriority(&part.ahead, cudaStreamNonBlocking, BEFORE_ALL),
                    "making a stream");
    part.share.take(part.call, bytes_needed(plan), bytes_needed(plan), "a matrix");
    part.in.is_scratch = part.out.is_scratch = true;
    part.arrays.allocate(part.call, "a matrix", plan);
    return part.call.check(cudaStreamSynchronize(part.call.stream),
                           "allocating a matrix"); /* for the use of all streams */
}

void make_parts(mcd_dense_run &run)
{
    const dense_plan &plan = run.plan;
    run.stored = host_new<gpu_event>(plan.chunk_count(), "chunks of a matrix");
    for (size_t c = 0; c < plan.chunk_count(); ++c) new (&run.stored[c]) gpu_event();
    for (size_t g = 0; g < plan.gpu_count; ++g) {
        dense_part &part = run.part.add(&plan.job->device->gpu[g]);
        part.first = g * plan.part_rows;
        part.end = mcd_size_min((g + 1) * plan.part_rows, plan.row_count);
        begin_part(plan, part);
    }
    if (plan.gpu_count > 1) peers_meet(plan.job->device);
}

/* ---- rows that come and go ---- */

dense_rows rows_from(const dense_plan &plan, const dense_rows &rows, size_t row)
{
    return {rows.word + row * plan.words, rows.mark ? rows.mark + row * plan.words : nullptr, plan.words};
}

dense_rows held_rows(const dense_plan &plan, const dense_part &part)
{
    return {part.arrays.word, part.arrays.mark, plan.words};
}

/* Sends the rows that are ready. Call it after enqueuing later work: it may wait for a copy. */
static void send_late(mcd_dense_run &run, dense_part &part)
{
    const dense_plan &plan = run.plan;
    const mcd_dense_job *job = plan.job;
    const size_t row = part.late_row, count = plan.given(row, part.late_end), turn = part.going_turn ^ 1;
    if (row == part.late_end) return;
    part.late_row = part.late_end;
    part.going[turn].ready.wait(part.out, part.out.copies);
    for (int mark = 0; mark <= plan.paths; ++mark)
        deliver_rows(part.out,
                     {plan.value(row, mark), job->stride * sizeof(uint32_t), part.arrays.going[turn][mark],
                      job->node_count * sizeof(uint32_t), count},
                     &job->parallel);
    part.going[turn].done.record(part.out, part.out.copies);
    if (!plan.resident) run.stored[row / plan.chunk_rows].record(part.out, part.out.copies);
}

/* Enqueues the copy of a chunk's marks into rows of the matrix, or out of them. */
static void copy_marks(gpu_call &call, uint32_t *to, size_t to_words, const uint32_t *from, size_t from_words,
                       size_t words, size_t rows)
{
    if (rows == 0) return;
    call.check(cudaMemcpy2DAsync(to, to_words * sizeof *to, from, from_words * sizeof *from,
                                 words * sizeof *to, rows, cudaMemcpyDeviceToDevice, call.stream),
               "copying paths");
}

void send(mcd_dense_run &run, dense_part &part, const dense_rows &from, size_t row, size_t end)
{
    const dense_plan &plan = run.plan;
    const size_t count = plan.given(row, end), n = plan.job->node_count, turn = part.going_turn;
    uint32_t *const *const chunk = part.arrays.going[turn];
    part.going[turn].done.wait(part.call, part.call.stream);
    enqueue_unpack({part.call, part.call.stream, plan.narrow}, from, count, n, chunk[0]);
    if (plan.paths) copy_marks(part.call, chunk[1], n, from.mark, plan.words, n, count);
    part.going[turn].ready.record(part.call, part.call.stream);
    send_late(run, part);
    part.going_turn ^= 1;
    part.late_row = row, part.late_end = end;
}

void bring(mcd_dense_run &run, dense_part &part, const dense_rows &to, size_t row, size_t end)
{
    const dense_plan &plan = run.plan;
    const mcd_dense_job *job = plan.job;
    const size_t count = plan.given(row, end), n = job->node_count, turn = part.coming_turn;
    uint32_t *const *const chunk = part.arrays.coming[turn];
    transfer &coming = part.coming[turn];
    part.coming_turn ^= 1;
    if (part.late_row == row) send_late(run, part);
    coming.done.wait(part.in, part.in.copies);
    if (!plan.resident) run.stored[row / plan.chunk_rows].wait(part.in, part.in.copies);
    for (int mark = 0; mark <= run.has_marks; ++mark)
        supply_rows(
            part.in,
            {chunk[mark], job->stride * sizeof(uint32_t), plan.value(row, mark), n * sizeof(uint32_t), count},
            &job->parallel);
    coming.ready.record(part.in, part.in.copies);
    coming.ready.wait(part.call, part.call.stream);
    enqueue_pack({part.call, part.call.stream, plan.narrow}, chunk[0], count, n, to, end - row);
    if (plan.paths) part.call.fill(to.mark, 0xff, (end - row) * to.stride, "clearing paths");
    if (run.has_marks) copy_marks(part.call, to.mark, to.stride, chunk[1], n, n, count);
    coming.done.record(part.call, part.call.stream);
}

void move_rows(mcd_dense_run &run, bool come)
{
    const dense_plan &plan = run.plan;
    const auto move = [&](dense_part &part) {
        for (size_t row = part.first; row < part.end && plan.resident; row += plan.chunk_rows) {
            const dense_rows chunk = rows_from(plan, held_rows(plan, part), row - part.first);
            const size_t end = plan.chunk_end(row, part.end);
            come ? bring(run, part, chunk, row, end) : send(run, part, chunk, row, end);
        }
        return send_late(run, part);
    };
    run.part.each(move);
}
