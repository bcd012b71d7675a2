/* dense_rows.h - the rows of a dense matrix on GPUs: how they are divided, which rows each GPU holds, and
 * how they are copied from and to the caller's memory. pivot.h defines words. */
#ifndef MCD_KERNELS_CUDA_DENSE_DENSE_ROWS_H
#define MCD_KERNELS_CUDA_DENSE_DENSE_ROWS_H

#include "kernels/cuda/device/image.h"
#include "kernels/cuda/dense/pivot.h"

#include <optional>

enum { TURNS = 2 };

/* An event that is created when it is first recorded; before that it is not waited for. */
class gpu_event
{
  public:
    gpu_event() = default;
    gpu_event(const gpu_event &) = delete;
    ~gpu_event()
    {
        if (event_) (void)cudaEventDestroy(event_);
    }
    macadam_status record(gpu_call &call, cudaStream_t stream)
    {
        if (!event_)
            CUDA_TRY(call, cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
        return call.check(cudaEventRecord(event_, stream), "recording an event");
    }
    macadam_status wait(gpu_call &call, cudaStream_t stream) const
    {
        return event_ ? call.check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event")
                      : MACADAM_OK;
    }
    macadam_status wait_here(gpu_call &call) const
    {
        return event_ ? call.check(cudaEventSynchronize(event_), "computing") : MACADAM_OK;
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/* How a job is divided. Rows and words are padded to multiples of TILE. */
struct dense_plan {
    const mcd_dense_job *job;
    bool narrow, paths;
    bool resident; /* each GPU holds its rows from the beginning to the end; otherwise rows pass through */
    size_t gpu_count;
    size_t row_count, words, band_rows, chunk_rows;
    size_t part_rows; /* rows of a GPU, a multiple of band_rows */

    size_t band_count() const
    {
        return blocks_of(row_count, band_rows);
    }
    size_t band_first(size_t band) const
    {
        return mcd_size_min(band * band_rows, row_count);
    }
    size_t chunk_count() const
    {
        return blocks_of(row_count, chunk_rows);
    }
    size_t chunk_end(size_t row, size_t end) const
    {
        return mcd_size_min(row + chunk_rows, end);
    }
    /* The number of rows among row <= r < end that are not padding. */
    size_t given(size_t row, size_t end) const
    {
        return mcd_size_min(end, job->node_count) - mcd_size_min(row, job->node_count);
    }
    /* How many of `count` pivots lower rows together. */
    size_t at_once(size_t count) const
    {
        return paths ? (size_t)STEP : count;
    }
    /* Words of memory that the products of a row range need for its columns of pivots. */
    size_t column_words(size_t rows) const
    {
        return at_once(band_rows) * rows;
    }
    bool keeps_band() const
    {
        return paths && !resident;
    }
};

/* Costs and marks on their way between the caller's memory and a GPU. */
struct transfer {
    gpu_array<uint32_t> cost, mark; /* a chunk, without padding */
    gpu_event ready, done;          /* it is filled; it is emptied */
};

/* A GPU's rows first <= row < end. */
struct dense_part {
    dense_part(mcd_gpu *gpu, macadam_error *error) : call(gpu, error), in(gpu, error), out(gpu, error)
    {
    }
    ~dense_part();
    /* Waits for all enqueued work. */
    void settle();
    gpu_share share;
    gpu_call call;    /* rows are lowered on its stream */
    gpu_call in, out; /* and copied on the streams of copies of these */
    cudaStream_t ahead = nullptr;
    size_t first = 0, end = 0;
    gpu_array<uint32_t> word, mark;      /* all rows, or a chunk */
    gpu_array<uint32_t> band[TURNS];     /* rows of pivots, if they are not among the rows above */
    gpu_array<uint32_t> found[TURNS];    /* pivot_rows.found_columns */
    gpu_array<uint32_t> kept, kept_mark; /* while a band is eliminated: rows that pass, with paths */
    gpu_array<uint32_t> column, ahead_column, diagonal;
    transfer coming[TURNS], going[TURNS];
    size_t coming_turn = 0, going_turn = 0;
    size_t late_row = 0, late_end = 0; /* rows that are ready to be sent; equal if there are none */
    gpu_event lowered, eliminated[TURNS], stepped[TURNS];
};

struct mcd_dense_run {
    dense_plan plan = {};
    std::optional<dense_part> part[GPUS_MAX];
    gpu_event *stored = nullptr; /* by chunk of rows that pass: its rows have been sent */
    bool has_marks = false;      /* once rows have been sent, the caller's memory holds their marks */

    mcd_dense_run() = default;
    mcd_dense_run(const mcd_dense_run &) = delete;
    /* Parts write into each other's memory: none is freed before all have finished. */
    ~mcd_dense_run()
    {
        for (std::optional<dense_part> &one : part)
            if (one) one->settle();
        for (std::optional<dense_part> &one : part) one.reset();
        for (size_t c = 0; stored && c < plan.chunk_count(); ++c) stored[c].~gpu_event();
        mcd_free(stored);
    }
    dense_part &owner(size_t row)
    {
        return *part[row / plan.part_rows];
    }
};

/* Makes this part's GPU current, for the work enqueued next. */
macadam_status enter(dense_part &part);

/* The view of `rows` from `row` on, and of all rows that a part holds: its own, or the chunk that passes. */
dense_rows rows_from(const dense_plan &plan, const dense_rows &rows, size_t row);
dense_rows held_rows(const dense_plan &plan, const dense_part &part);

/* Divides the job by the memory that is free; MACADAM_E_LIMIT says how much it needs. Then makes the
 * parts. */
macadam_status make_plan(dense_plan *plan, const mcd_dense_job *job, macadam_error *error);
macadam_status make_parts(mcd_dense_run &run, macadam_error *error);

/* Enqueues the copy of rows row <= r < end, at most a chunk of a part's rows, to the beginning of `to`. */
macadam_status bring(mcd_dense_run &run, dense_part &part, const dense_rows &to, size_t row, size_t end);
/* Enqueues the preparation of such rows, at the beginning of `from`, for sending, and sends those that
 * were ready before. It may wait for these, so prepare well ahead. */
macadam_status send(mcd_dense_run &run, dense_part &part, const dense_rows &from, size_t row, size_t end);

/* Copies resident rows in at the beginning and out at the end; sends the last rows that pass. */
macadam_status move_rows(mcd_dense_run &run, bool come);
/* Waits for all parts. */
macadam_status settle(mcd_dense_run &run);

#endif
