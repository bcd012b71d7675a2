/* matrix.cu - many-to-many costs. CPU twin: kernels/cpu/pairwise/matrix.c, which says why it is right.
 *
 * Method. Targets become panels once (panel.h). If they are too many for the GPU's memory, each call makes
 * them again in bands of columns. Targets also take the scratch of the rows, which then never wait. A call's
 * sources are divided among the GPUs, a GPU's sources into batches whose panels fit its memory, and a batch
 * into chunks of rows. Each chunk is sorted by itself, so its rows are neighbours in the caller's memory. A
 * chunk is a product (product.h), in sorted order, and a reordering into the caller's rows and columns. Rows
 * that stay are written in the GPU's own memory. The others are written to scratch and copied to the host
 * while the next chunk is computed.
 * Limit. The copy to the host: 4 bytes per cell and quantity through PCIe. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/pairwise/product.h"
#include "kernels/cuda/device/table.h"

#include <algorithm>
#include <optional>

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
    virtual void rows(const mcd_rows_job *job) const = 0;
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

template <class Cost> struct targets_of final : mcd_matrix_targets {
    host_array<mcd_lane> lane; /* [job.target_count]: a copy, if it outlives the preparation */
    size_t band_columns = 0;
    gpu_share share[GPUS_MAX]; /* by GPU: for all calls */
    /* By GPU, if one band has all columns; otherwise empty. Their making may not have ended: rows wait for it
     * only once their own panels are being made. */
    std::optional<gpu_call> making[GPUS_MAX];
    panels<Cost> kept[GPUS_MAX];

    ~targets_of() override
    {
        for (auto &call : making) call.reset(); /* waits: the panels are freed in no order */
    }

    void rows(const mcd_rows_job *job) const override;
    const gpu_weights &on(size_t g) const
    {
        return *job.weights->device->on[g];
    }
    size_t gpu_count() const
    {
        return job.weights->device->map->device->gpu_count;
    }
    bool one_band() const
    {
        return band_columns >= job.target_count;
    }

    /* Chooses the columns of a band that fit the GPU; at least a panel of either side. */
    void take_share(size_t g)
    {
        const uint64_t place = panels<Cost>::place_bytes(on(g)), cell = cell_bytes<Cost>();
        const uint64_t columns = round_up(job.target_count);
        gpu_call call(on(g).map->gpu);
        const uint64_t cells =
            mcd_size_max(rows_wanted(columns) * cell, staying_rows_wanted(columns) * sizeof(Cost));
        share[g].take(call, 2 * PANEL * place + PANEL * PANEL * cell,
                      (columns + BATCH_ROWS) * place + 2 * columns * cells, "a matrix");
        const uint64_t most = share[g].bytes() / 2 / (place + PANEL * cell);
        band_columns = mcd_size_min(band_columns, round_down(most));
    }

    void make_band(gpu_call &call, size_t g, size_t first, panels<Cost> *out) const
    {
        const size_t count = mcd_size_min(band_columns, job.target_count - first);
        out->make(call, on(g), MCD_BACKWARD, job.target + first, count, count);
    }

    void keep_band(size_t g)
    {
        gpu_call &call = making[g].emplace(on(g).map->gpu);
        call.is_scratch = true;
        make_band(call, g, 0, &kept[g]);
        kept[g].keep();
    }

    /* Keeps the lanes from which later calls make their bands. */
    void keep_lanes()
    {
        lane.allocate(job.target_count, "targets");
        std::copy_n(job.target, job.target_count, lane.get());
        job.target = lane.get();
    }

    void prepare()
    {
        band_columns = round_up(job.target_count);
        for (size_t g = 0; g < gpu_count(); ++g) /* in this order, which prevents circular waits */
            take_share(g);
        if (!one_band()) return keep_lanes();
        on_each_gpu(gpu_count(), [&](size_t g) { keep_band(g); });
    }
};

template <class Cost> static mcd_matrix_targets *targets_new(const mcd_matrix_job *job)
{
    return object_new<targets_of<Cost>>("targets", [&](targets_of<Cost> *targets) {
        targets->job = *job;
        targets->prepare();
    });
}

mcd_matrix_targets *mcd_cuda_matrix_targets_new(const mcd_matrix_job *job)
{
    return job->joint ? targets_new<uint64_t>(job) : targets_new<uint32_t>(job);
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
                    value_at(answers.value[0], to), value_at(answers.value[1], to));
    }
}

/* Columns that are multiplied together. */
template <class Cost> struct target_band {
    const panels<Cost> *panel;
    size_t first, count;
};

/* The sources of a call that one GPU answers. Rows are counted from the first of them. */
template <class Cost> struct rows_part {
    const targets_of<Cost> &targets;
    const mcd_rows_job &job;
    const size_t g;
    gpu_call &call;
    gpu_progress &progress; /* in cells */
    const mcd_parallel parallel;
    uint32_t *const value[2] = {job.objective, job.companion};
    const bool stays = owner_of_answers(call, job.objective, job.companion) == call.gpu->ordinal;
    size_t batch_rows = 0, chunk_rows = 0;
    gpu_array<Cost> cell = {};             /* of a chunk, in the panels' order */
    gpu_array<uint32_t> answer[2][2] = {}; /* [turn][quantity] of a chunk, in the caller's; unless it stays */

    /* Divides rows into batches by the part of the share that the columns leave, and batches into chunks of
     * equal size. */
    void choose_chunks(size_t columns)
    {
        const uint64_t place = panels<Cost>::place_bytes(targets.on(g)), taken = round_up(columns) * place;
        const uint64_t bytes = targets.share[g].bytes(), half = (bytes - mcd_size_min(bytes, taken)) / 2;
        const size_t wanted = stays ? staying_rows_wanted(columns) : rows_wanted(columns);
        const uint64_t cell_bytes_there = stays ? sizeof(Cost) : cell_bytes<Cost>();
        const size_t rows = mcd_size_min(wanted, round_down(half / (round_up(columns) * cell_bytes_there)));
        chunk_rows = round_up(blocks_of(job.source_count, blocks_of(job.source_count, rows)));
        batch_rows = mcd_size_max(half / place / chunk_rows, 1) * chunk_rows;
    }

    void allocate_chunks(size_t columns)
    {
        cell.allocate(call, chunk_rows * round_up(columns), "cells of a matrix");
        for (auto &of_turn : answer)
            for (int q = 0; q < 2; ++q)
                if (value[q] && !stays)
                    of_turn[q].allocate(call, chunk_rows * columns, "answers of a matrix");
    }

    /* For a chunk that begins at `row`. */
    row_answers answers_of(const target_band<Cost> &band, size_t row, int turn) const
    {
        const size_t offset = row * job.stride + band.first;
        if (stays) return {{value_at(value[0], offset), value_at(value[1], offset)}, job.stride, job.raw};
        return {{answer[turn][0].get(), answer[turn][1].get()}, band.count, job.raw};
    }

    /* `row`: where the batch begins; `first`: counted from there. */
    void enqueue_chunk(const target_band<Cost> &band, const panels<Cost> &source, size_t row, size_t first,
                       size_t rows, int turn)
    {
        const size_t target_panels = blocks_of<size_t>(band.count, PANEL);
        const size_t segments = blocks_of<size_t>(band.count, reorder_shape<Cost>::COLUMNS);
        enqueue_product<Cost>(call, source.view(first / PANEL), blocks_of<size_t>(rows, PANEL),
                              band.panel->view(0), target_panels, cell.get());
        call.run("ordering the answers of a matrix",
                 {blocks_of<size_t>(rows, CELL_SOURCES) * segments, REORDER_BLOCK}, reorder_cells<Cost>,
                 cell.get(), target_panels * PANEL, source.order.get() + first, first, rows,
                 band.panel->slot.get(), band.count, (uint32_t)segments, answers_of(band, row + first, turn));
    }

    void deliver_chunk(const target_band<Cost> &band, size_t row, size_t rows, int turn)
    {
        for (int q = 0; q < 2; ++q)
            if (value[q])
                deliver_rows(call,
                             {value[q] + row * job.stride + band.first, job.stride * sizeof(uint32_t),
                              answer[turn][q].get(), band.count * sizeof(uint32_t), rows},
                             &parallel);
    }

    /* A chunk's copy is enqueued after the next chunk's work. The copy must not wait for that work, and the
     * work must not overwrite the answers of the chunk before. */
    void send_chunks(const target_band<Cost> &band, size_t row, size_t rows, const panels<Cost> &source)
    {
        enqueue_chunk(band, source, row, 0, mcd_size_min(chunk_rows, rows), 0);
        int turn = 0;
        for (size_t first = 0; first < rows; first += chunk_rows, turn ^= 1) {
            const size_t next = first + chunk_rows, count = mcd_size_min(chunk_rows, rows - first);
            call.order_copies();
            if (next < rows) {
                call.order_work();
                enqueue_chunk(band, source, row, next, mcd_size_min(chunk_rows, rows - next), turn ^ 1);
            }
            deliver_chunk(band, row + first, count, turn);
            progress.step(count * band.count);
        }
    }

    /* Chunks that stay are waited for at the end, or when progress is reported. */
    void keep_chunks(const target_band<Cost> &band, size_t row, size_t rows, const panels<Cost> &source)
    {
        for (size_t first = 0; first < rows; first += chunk_rows) {
            const size_t count = mcd_size_min(chunk_rows, rows - first);
            enqueue_chunk(band, source, row, first, count, 0);
            if (progress.is_asked()) call.synchronize();
            progress.step(count * band.count);
        }
    }

    /* Leaves no work in flight, even after a failure: the memory in use is freed next. */
    void run_batch(const target_band<Cost> &band, size_t row, size_t rows)
    {
        panels<Cost> source;
        try {
            source.make(call, targets.on(g), MCD_FORWARD, job.source + row, rows, chunk_rows);
            if (targets.making[g]) call.follow(*targets.making[g]);
            stays ? keep_chunks(band, row, rows, source) : send_chunks(band, row, rows, source);
            call.synchronize();
        } catch (...) {
            call.settle();
            throw;
        }
    }

    void run_band(const target_band<Cost> &band)
    {
        for (size_t row = 0; row < job.source_count; row += batch_rows)
            run_batch(band, row, mcd_size_min(batch_rows, job.source_count - row));
    }

    void run()
    {
        const size_t columns = targets.job.target_count, most = mcd_size_min(targets.band_columns, columns);
        call.is_scratch = true;
        choose_chunks(most);
        allocate_chunks(most);
        if (targets.one_band()) return run_band({&targets.kept[g], 0, columns});
        for (size_t first = 0; first < columns; first += most) {
            panels<Cost> made;
            targets.make_band(call, g, first, &made);
            run_band({&made, first, mcd_size_min(most, columns - first)});
        }
    }
};

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

template <class Cost> void targets_of<Cost>::rows(const mcd_rows_job *rows_job) const
{
    const size_t count = rows_job->source_count;
    const size_t parts = rows_job->division
                             ? rows_job->division->part_count
                             : mcd_size_min(gpu_count(), blocks_of<size_t>(count, ROWS_PER_GPU));
    gpu_progress progress(job.progress, "matrix", (uint64_t)count * job.target_count);
    if (count == 0 || job.target_count == 0) return;
    on_each_gpu(parts, progress, [&](size_t g) {
        progress.step(0);
        gpu_call call(on(g).map->gpu);
        const mcd_rows_job own = job_of_part(*rows_job, g, parts);
        rows_part<Cost>{*this, own, g, call, progress, parallel_of_gpu(job.parallel, g, parts)}.run();
    });
}

void mcd_cuda_matrix_rows(const mcd_rows_job *job)
{
    job->targets->rows(job);
}
