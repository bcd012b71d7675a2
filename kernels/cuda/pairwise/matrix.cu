/* matrix.cu - many-to-many costs. CPU twin: kernels/cpu/pairwise/matrix.c, which says why it is right.
 *
 * Method. Targets become panels once (panel.h). If they are too many for the GPU's memory, each call makes
 * them again in bands of columns. Targets also take the scratch of the rows, which then never wait. A call's
 * sources are divided among the GPUs, a GPU's sources into batches whose panels fit its memory, and a batch
 * into chunks of rows. Each chunk is sorted by itself, so its rows are neighbours in the caller's memory. A
 * chunk is a product (product.h), in sorted order, and a reordering into the caller's rows and columns. Rows
 * that stay are written in the GPU's own memory. The others are written to scratch and copied to the host
 * while the next chunk is computed.
 * Limit. The copy to the host: 4 bytes per cell and quantity through
 * PCIe. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/pairwise/product.h"
#include "kernels/cuda/device/table.h"

enum {
    REORDER_BLOCK = 256,
    REORDER_LOADS = 4,       /* per thread, in flight */
    ROWS_PER_GPU = 256,      /* fewer are not worth another GPU */
    CHUNK_ROWS = 1024,       /* best: a panel of widely spread sources overlaps with most of the targets' */
    CHUNK_BYTES = 32 << 20,  /* bytes of answers: the copy then takes much longer than its start */
    STAYING_CELLS = 1 << 30, /* of a chunk that stays: panels of more sources overlap with fewer others */
    BATCH_ROWS = 1 << 16,    /* best: a batch's fixed work is then small beside the rest */
};

static size_t round_up(size_t count)
{
    return blocks_of<size_t>(count, PANEL) * PANEL;
}

/* Rounds down to whole panels, but to at least one. */
static size_t round_down(size_t count)
{
    return mcd_size_max(count / PANEL * PANEL, PANEL);
}

/* ---- targets ---- */

struct mcd_matrix_targets {
    mcd_matrix_job job;
    virtual ~mcd_matrix_targets() = default;
    virtual macadam_status rows(const mcd_rows_job *job, macadam_error *error) const = 0;
};

template <class Cost> struct targets_of final : mcd_matrix_targets {
    mcd_lane *lane = nullptr; /* [job.target_count]: a copy, if it outlives the preparation */
    size_t band_columns = 0;
    gpu_share share[GPUS_MAX];   /* by GPU: for all calls */
    panels<Cost> kept[GPUS_MAX]; /* by GPU, if one band has all columns; otherwise empty */

    ~targets_of() override
    {
        mcd_free(lane);
    }
    macadam_status rows(const mcd_rows_job *job, macadam_error *error) const override;
    mcd_device_weights *on() const
    {
        return job.weights->device;
    }
    size_t gpu_count() const
    {
        return on()->map->device->gpu_count;
    }
    bool one_band() const
    {
        return band_columns >= job.target_count;
    }
};

/* The bytes on a GPU of a cell and of its answers, which are there twice. */
template <class Cost> static constexpr uint64_t cell_bytes()
{
    return sizeof(Cost) + 2 * sizeof(Cost);
}

/* The rows of a chunk, were there memory enough: one that is copied to the host, and one that stays. */
static size_t rows_wanted(size_t columns)
{
    return round_up(mcd_size_max(CHUNK_ROWS, CHUNK_BYTES / (round_up(columns) * sizeof(uint32_t))));
}

static size_t staying_rows_wanted(size_t columns)
{
    return mcd_size_min(round_up(mcd_size_max(CHUNK_ROWS, STAYING_CELLS / round_up(columns))), BATCH_ROWS);
}

/* Chooses the columns of a band that fit the GPU; at least a panel of either side. */
template <class Cost>
static macadam_status take_share(targets_of<Cost> *targets, size_t g, macadam_error *error)
{
    const gpu_weights &weights = *targets->on()->on[g];
    const uint64_t place = panel_place_bytes<Cost>(weights), cell = cell_bytes<Cost>();
    const uint64_t columns = round_up(targets->job.target_count);
    gpu_call call(weights.map->gpu, error);
    gpu_share *const share = &targets->share[g];
    MCD_TRY(call.begin());
    const uint64_t cells =
        mcd_size_max(rows_wanted(columns) * cell, staying_rows_wanted(columns) * sizeof(Cost));
    MCD_TRY(share->take(call, 2 * PANEL * place + PANEL * PANEL * cell,
                        (columns + BATCH_ROWS) * place + 2 * columns * cells, "a matrix"));
    const uint64_t most = share->bytes() / 2 / (place + PANEL * cell);
    targets->band_columns = mcd_size_min(targets->band_columns, round_down(most));
    return MACADAM_OK;
}

template <class Cost>
static macadam_status make_band(gpu_call &call, const targets_of<Cost> *targets, const gpu_weights &weights,
                                size_t first, panels<Cost> *out)
{
    const size_t count = mcd_size_min(targets->band_columns, targets->job.target_count - first);
    return enqueue_panels(call, weights, MCD_BACKWARD, targets->job.target + first, count, count, out);
}

template <class Cost>
static macadam_status keep_band(targets_of<Cost> *targets, const gpu_weights &weights, panels<Cost> *out,
                                macadam_error *error)
{
    gpu_call call(weights.map->gpu, error);
    MCD_TRY(call.begin());
    call.is_scratch = true;
    MCD_TRY(make_band(call, targets, weights, 0, out));
    MCD_TRY(call.synchronize());
    out->keep();
    return MACADAM_OK;
}

/* Keeps the lanes from which later calls make their bands. */
template <class Cost> static macadam_status keep_lanes(targets_of<Cost> *targets, macadam_error *error)
{
    const size_t count = targets->job.target_count;
    MCD_TRY(host_new(&targets->lane, count, "targets", error));
    for (size_t t = 0; t < count; ++t) targets->lane[t] = targets->job.target[t];
    targets->job.target = targets->lane;
    return MACADAM_OK;
}

template <class Cost> static macadam_status prepare(targets_of<Cost> *targets, macadam_error *error)
{
    targets->band_columns = round_up(targets->job.target_count);
    for (size_t g = 0; g < targets->gpu_count(); ++g) /* in this order, which prevents circular waits */
        MCD_TRY(take_share(targets, g, error));
    if (!targets->one_band()) return keep_lanes(targets, error);
    return on_each_gpu(targets->gpu_count(), error, [&](size_t g, macadam_error *message) {
        return keep_band(targets, *targets->on()->on[g], &targets->kept[g], message);
    });
}

template <class Cost>
static macadam_status targets_new(mcd_matrix_targets **out, const mcd_matrix_job *job, macadam_error *error)
{
    targets_of<Cost> *targets;
    MCD_TRY(object_new(&targets, "targets", error));
    targets->job = *job;
    const macadam_status status = prepare(targets, error);
    if (status)
        object_free(targets);
    else
        *out = targets;
    return status;
}

macadam_status mcd_cuda_matrix_targets_new(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                           macadam_error *error)
{
    *out = nullptr;
    return job->joint ? targets_new<uint64_t>(out, job, error) : targets_new<uint32_t>(out, job, error);
}

void mcd_cuda_matrix_targets_free(mcd_matrix_targets *targets)
{
    object_free(targets);
}

/* ---- rows ---- */

/* Destination of rows of answers: value[quantity][row * stride + column]; either may be NULL. */
struct row_answers {
    uint32_t *value[2];
    size_t stride;
    bool raw;
};

/* The columns of a block that reorders. */
template <class Cost> struct reorder_shape {
    static constexpr unsigned STRIP = 16 / sizeof(Cost);        /* costs per load */
    static constexpr unsigned STRIPS = CELL_SOURCES / STRIP;    /* per column */
    static constexpr unsigned AT_ONCE = REORDER_BLOCK / STRIPS; /* columns that are loaded together */
    static constexpr unsigned COLUMNS = AT_ONCE * REORDER_LOADS;
    static constexpr unsigned LINE = COLUMNS + 8 / sizeof(Cost); /* so that stores meet no bank twice */
};

/* In   cells as product.h lays them out.
 * Grid one block per group of sources and COLUMNS of the caller's columns. A column's cells are read together,
 * wherever they lie, and turned in shared memory into pieces of rows.
 * Races none. Limit  memory: each cell is read once and each answer written once. */
template <class Cost>
static __global__ void __launch_bounds__(REORDER_BLOCK)
    reorder_cells(const Cost *__restrict__ cell, size_t stride, const uint32_t *__restrict__ row_order,
                  size_t first_row, size_t rows, const uint32_t *__restrict__ column_slot, size_t columns,
                  uint32_t segments, row_answers answers)
{
    using shape = reorder_shape<Cost>;
    __shared__ Cost turned[CELL_SOURCES][shape::LINE];
    const size_t group = blockIdx.x / segments, first = (size_t)(blockIdx.x % segments) * shape::COLUMNS;
    const unsigned strip = threadIdx.x % shape::STRIPS, at = threadIdx.x / shape::STRIPS;
    const Cost *const from = cell + group * stride * CELL_SOURCES + strip * shape::STRIP;
    struct alignas(16) costs {
        Cost at[shape::STRIP];
    } loaded[REORDER_LOADS];
#pragma unroll
    for (unsigned k = 0; k < REORDER_LOADS; ++k) {
        const size_t column = min(first + k * shape::AT_ONCE + at, columns - 1);
        loaded[k] = *(const costs *)(from + (size_t)column_slot[column] * CELL_SOURCES);
    }
#pragma unroll
    for (unsigned k = 0; k < REORDER_LOADS; ++k)
#pragma unroll
        for (unsigned i = 0; i < shape::STRIP; ++i)
            turned[strip * shape::STRIP + i][k * shape::AT_ONCE + at] = loaded[k].at[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < CELL_SOURCES * shape::COLUMNS; i += REORDER_BLOCK) {
        const size_t source = group * CELL_SOURCES + i / shape::COLUMNS, column = first + i % shape::COLUMNS;
        if (source >= rows || column >= columns) continue;
        const size_t to = (row_order[source] - first_row) * answers.stride + column;
        answer_cost(turned[i / shape::COLUMNS][i % shape::COLUMNS], MCD_WEIGHT_MAX, answers.raw,
                    answers.value[0] ? answers.value[0] + to : nullptr,
                    answers.value[1] ? answers.value[1] + to : nullptr);
    }
}

/* The sources of a call that one GPU answers. */
template <class Cost> struct rows_part {
    const targets_of<Cost> *targets;
    const mcd_rows_job *job;
    const gpu_weights *weights;
    gpu_call *call;
    gpu_progress *progress; /* in cells */
    mcd_parallel parallel;
    bool stays = false; /* rows are written to the GPU's own memory */
    size_t batch_rows = 0, chunk_rows = 0;
    gpu_array<Cost> cell = {};             /* of a chunk, in the panels' order */
    gpu_array<uint32_t> answer[2][2] = {}; /* [turn][quantity] of a chunk, in the caller's; unless it stays */
};

/* Columns that are multiplied together. */
template <class Cost> struct target_band {
    const panels<Cost> *panel;
    size_t first, count;
};

/* Divides rows into batches by the part of the share that the columns leave, and batches into chunks of
 * equal size. */
template <class Cost> static void choose_chunks(rows_part<Cost> *part, uint64_t share_bytes)
{
    const targets_of<Cost> *targets = part->targets;
    const size_t count = part->job->source_count;
    const size_t columns = mcd_size_min(targets->band_columns, targets->job.target_count);
    const uint64_t place = panel_place_bytes<Cost>(*part->weights), taken = round_up(columns) * place;
    const uint64_t half = (share_bytes - mcd_size_min(share_bytes, taken)) / 2;
    const size_t wanted = part->stays ? staying_rows_wanted(columns) : rows_wanted(columns);
    const uint64_t cell = part->stays ? sizeof(Cost) : cell_bytes<Cost>();
    const size_t rows = mcd_size_min(wanted, round_down(half / (round_up(columns) * cell)));
    part->chunk_rows = round_up(blocks_of(count, blocks_of(count, rows)));
    const size_t most = half / place / part->chunk_rows;
    part->batch_rows = mcd_size_max(most, 1) * part->chunk_rows;
}

template <class Cost> static macadam_status allocate_chunks(rows_part<Cost> *part)
{
    const targets_of<Cost> *targets = part->targets;
    const uint32_t *const value[2] = {part->job->objective, part->job->companion};
    const size_t columns = mcd_size_min(targets->band_columns, targets->job.target_count);
    MCD_TRY(part->cell.allocate(*part->call, part->chunk_rows * round_up(columns), "cells of a matrix"));
    for (int turn = 0; turn < 2; ++turn)
        for (int q = 0; q < 2; ++q)
            if (value[q] && !part->stays)
                MCD_TRY(part->answer[turn][q].allocate(*part->call, part->chunk_rows * columns,
                                                       "answers of a matrix"));
    return MACADAM_OK;
}

static uint32_t *value_at(uint32_t *value, size_t offset)
{
    return value ? value + offset : nullptr;
}

/* For a chunk that begins at `row` of the part's sources. */
template <class Cost>
static row_answers answers_of(const rows_part<Cost> *part, const target_band<Cost> &band, size_t row,
                              int turn)
{
    const mcd_rows_job *job = part->job;
    const size_t offset = row * job->stride + band.first;
    if (part->stays)
        return {{value_at(job->objective, offset), value_at(job->companion, offset)}, job->stride, job->raw};
    return {{part->answer[turn][0].get(), part->answer[turn][1].get()}, band.count, job->raw};
}

/* `row`: counted from the part's sources; `first`: from the batch's. */
template <class Cost>
static macadam_status enqueue_chunk(const rows_part<Cost> *part, const target_band<Cost> &band,
                                    const panels<Cost> &source, size_t row, size_t first, size_t rows,
                                    int turn)
{
    gpu_call &call = *part->call;
    const size_t source_panels = blocks_of<size_t>(rows, PANEL);
    const size_t target_panels = blocks_of<size_t>(band.count, PANEL);
    const size_t segments = blocks_of<size_t>(band.count, reorder_shape<Cost>::COLUMNS);
    MCD_TRY(enqueue_product(call, source.view(first / PANEL), source_panels, band.panel->view(0),
                            target_panels, part->cell.get()));
    return call.run(
        "ordering the answers of a matrix", {blocks_of<size_t>(rows, CELL_SOURCES) * segments, REORDER_BLOCK},
        reorder_cells<Cost>, part->cell.get(), target_panels * PANEL, source.order.get() + first, first, rows,
        band.panel->slot.get(), band.count, (uint32_t)segments, answers_of(part, band, row + first, turn));
}

/* `row`: counted from the part's sources. */
template <class Cost>
static macadam_status deliver_chunk(const rows_part<Cost> *part, const target_band<Cost> &band, size_t row,
                                    size_t rows, int turn)
{
    const mcd_rows_job *job = part->job;
    uint32_t *const value[2] = {job->objective, job->companion};
    for (int q = 0; q < 2; ++q)
        if (value[q])
            MCD_TRY(deliver_rows(*part->call,
                                 {value[q] + row * job->stride + band.first, job->stride * sizeof(uint32_t),
                                  part->answer[turn][q].get(), band.count * sizeof(uint32_t), rows},
                                 &part->parallel));
    return MACADAM_OK;
}

/* A chunk's copy is enqueued after the next chunk's work. The copy must not wait for that work, and the
 * work must not overwrite the answers of the chunk before. */
template <class Cost>
static macadam_status send_chunks(rows_part<Cost> *part, const target_band<Cost> &band, size_t row,
                                  size_t rows, const panels<Cost> &source)
{
    gpu_call &call = *part->call;
    const size_t chunk = part->chunk_rows;
    MCD_TRY(enqueue_chunk(part, band, source, row, 0, mcd_size_min(chunk, rows), 0));
    int turn = 0;
    for (size_t first = 0; first < rows; first += chunk, turn ^= 1) {
        const size_t next = first + chunk, count = mcd_size_min(chunk, rows - first);
        MCD_TRY(call.order_copies());
        if (next < rows) {
            MCD_TRY(call.order_work());
            MCD_TRY(enqueue_chunk(part, band, source, row, next, mcd_size_min(chunk, rows - next), turn ^ 1));
        }
        MCD_TRY(deliver_chunk(part, band, row + first, count, turn));
        MCD_TRY(part->progress->step(count * band.count, call.error));
    }
    return MACADAM_OK;
}

/* Chunks that stay are waited for at the end, or when progress is reported. */
template <class Cost>
static macadam_status keep_chunks(rows_part<Cost> *part, const target_band<Cost> &band, size_t row,
                                  size_t rows, const panels<Cost> &source)
{
    for (size_t first = 0; first < rows; first += part->chunk_rows) {
        const size_t count = mcd_size_min(part->chunk_rows, rows - first);
        MCD_TRY(enqueue_chunk(part, band, source, row, first, count, 0));
        if (part->progress->is_asked()) MCD_TRY(part->call->synchronize());
        MCD_TRY(part->progress->step(count * band.count, part->call->error));
    }
    return MACADAM_OK;
}

/* Leaves no work in flight, even after a failure: the memory in use is freed next. */
template <class Cost>
static macadam_status run_batch(rows_part<Cost> *part, const target_band<Cost> &band, size_t row, size_t rows)
{
    panels<Cost> source;
    macadam_status status = enqueue_panels(*part->call, *part->weights, MCD_FORWARD, part->job->source + row,
                                           rows, part->chunk_rows, &source);
    if (!status)
        status = part->stays ? keep_chunks(part, band, row, rows, source)
                             : send_chunks(part, band, row, rows, source);
    if (!status) return part->call->synchronize();
    (void)cudaStreamSynchronize(part->call->stream);
    (void)cudaStreamSynchronize(part->call->copies);
    return status;
}

template <class Cost> static macadam_status run_band(rows_part<Cost> *part, const target_band<Cost> &band)
{
    const size_t count = part->job->source_count;
    for (size_t row = 0; row < count; row += part->batch_rows)
        MCD_TRY(run_batch(part, band, row, mcd_size_min(part->batch_rows, count - row)));
    return MACADAM_OK;
}

template <class Cost> static macadam_status find_whether_it_stays(rows_part<Cost> *part)
{
    uint32_t *const value[2] = {part->job->objective, part->job->companion};
    part->stays = true;
    for (int q = 0; q < 2; ++q) {
        int owner = part->call->gpu->ordinal;
        if (value[q]) MCD_TRY(owner_of_memory(*part->call, value[q], &owner));
        part->stays &= owner == part->call->gpu->ordinal;
    }
    return MACADAM_OK;
}

template <class Cost> static macadam_status run_part(rows_part<Cost> *part, size_t g)
{
    const targets_of<Cost> *targets = part->targets;
    const size_t columns = targets->job.target_count;
    MCD_TRY(part->progress->step(0, part->call->error));
    MCD_TRY(part->call->begin());
    part->call->is_scratch = true;
    MCD_TRY(find_whether_it_stays(part));
    choose_chunks(part, targets->share[g].bytes());
    MCD_TRY(allocate_chunks(part));
    if (targets->one_band()) return run_band(part, target_band<Cost>{&targets->kept[g], 0, columns});
    for (size_t first = 0; first < columns; first += targets->band_columns) {
        panels<Cost> made;
        MCD_TRY(make_band(*part->call, targets, *part->weights, first, &made));
        MCD_TRY(run_band(part, {&made, first, mcd_size_min(targets->band_columns, columns - first)}));
    }
    return MACADAM_OK;
}

/* The sources of one GPU, as a job. */
static mcd_rows_job job_of_part(const mcd_rows_job &job, size_t g, size_t parts)
{
    mcd_rows_job own = job;
    const size_t first = mcd_division_first(job.source_count, g, parts);
    own.source += first;
    own.source_count = mcd_division_first(job.source_count, g + 1, parts) - first;
    own.objective = job.division ? job.division->objective[g] : value_at(job.objective, first * job.stride);
    own.companion = job.division ? job.division->companion[g] : value_at(job.companion, first * job.stride);
    return own;
}

template <class Cost>
macadam_status targets_of<Cost>::rows(const mcd_rows_job *rows_job, macadam_error *error) const
{
    const size_t count = rows_job->source_count;
    const size_t parts = rows_job->division
                             ? rows_job->division->part_count
                             : mcd_size_min(gpu_count(), blocks_of<size_t>(count, ROWS_PER_GPU));
    gpu_progress progress(job.progress, "matrix", (uint64_t)count * job.target_count);
    if (count == 0 || job.target_count == 0) return MACADAM_OK;
    return on_each_gpu(parts, progress, error, [&](size_t g, macadam_error *message) {
        gpu_call call(on()->on[g]->map->gpu, message);
        const mcd_rows_job own = job_of_part(*rows_job, g, parts);
        rows_part<Cost> part = {this,  &own,      on()->on[g],
                                &call, &progress, parallel_of_gpu(job.parallel, g, parts)};
        return run_part(&part, g);
    });
}

macadam_status mcd_cuda_matrix_rows(const mcd_rows_job *job, macadam_error *error)
{
    return job->targets->rows(job, error);
}
