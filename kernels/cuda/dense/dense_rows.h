/* dense_rows.h - the rows of a dense matrix on GPUs: how they are divided, which rows each GPU holds, and
 * how they are copied from and to the caller's memory. pivot.h defines words. */
#ifndef MCD_KERNELS_CUDA_DENSE_DENSE_ROWS_H
#define MCD_KERNELS_CUDA_DENSE_DENSE_ROWS_H

#include "kernels/cuda/device/image.h"
#include "kernels/cuda/device/parts.h"
#include "kernels/cuda/device/scratch.h"
#include "kernels/cuda/dense/pivot.h"

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
    void record(gpu_call &call, cudaStream_t stream)
    {
        if (!event_) call.check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
        call.check(cudaEventRecord(event_, stream), "recording an event");
    }
    void wait(gpu_call &call, cudaStream_t stream) const
    {
        if (event_) call.check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event");
    }
    void wait_here(gpu_call &call) const
    {
        if (event_) call.check(cudaEventSynchronize(event_), "computing");
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
    /* The caller's costs and marks of a row. */
    uint32_t *value(size_t row, int mark) const
    {
        return (mark ? job->via : job->cost) + row * job->stride;
    }
};

/* A GPU's arrays; those that the plan does not need are NULL. */
struct dense_arrays {
    uint32_t *word, *mark;      /* all rows, or a chunk */
    uint32_t *band[TURNS];      /* rows of pivots, if they are not among the rows above */
    uint32_t *found[TURNS];     /* pivot_rows.found_columns */
    uint32_t *kept, *kept_mark; /* while a band is eliminated: rows that pass, with paths */
    uint32_t *column, *ahead_column, *diagonal;
    /* Chunks of costs and of marks, without padding, that come from the caller's memory and go there. */
    uint32_t *coming[TURNS][2], *going[TURNS][2];
    void lay_out(gpu_carver &carver, const dense_plan &plan);
};

/* Orders the uses of a chunk that comes or goes. */
struct transfer {
    gpu_event ready, done; /* it is filled; it is emptied */
};

/* A GPU's rows first <= row < end. */
struct dense_part : gpu_part { /* rows are lowered on the call's stream */
    dense_part(mcd_gpu *gpu, size_t the_index) : gpu_part(gpu, the_index), in(gpu), out(gpu)
    {
    }
    ~dense_part();
    void settle();
    gpu_share share;
    gpu_call in, out; /* rows are copied on the streams of copies of these */
    cudaStream_t ahead = nullptr;
    size_t first = 0, end = 0;
    gpu_scratch<dense_arrays> arrays;
    transfer coming[TURNS], going[TURNS];
    size_t coming_turn = 0, going_turn = 0;
    size_t late_row = 0, late_end = 0; /* rows that are ready to be sent; equal if there are none */
    gpu_event lowered, eliminated[TURNS], stepped[TURNS];
};

struct mcd_dense_run {
    dense_plan plan = {};
    gpu_parts<dense_part> part;
    gpu_event *stored = nullptr; /* by chunk of rows that pass: its rows have been sent */
    bool has_marks = false;      /* once rows have been sent, the caller's memory holds their marks */

    ~mcd_dense_run()
    {
        part.settle();
        for (size_t c = 0; stored && c < plan.chunk_count(); ++c) stored[c].~gpu_event();
        mcd_free(stored);
    }
    dense_part &owner(size_t row)
    {
        return part[row / plan.part_rows];
    }
};

/* The view of `rows` from `row` on, and of all rows that a part holds: its own, or the chunk that passes. */
dense_rows rows_from(const dense_plan &plan, const dense_rows &rows, size_t row);
dense_rows held_rows(const dense_plan &plan, const dense_part &part);

/* Divides the job by the memory that is free; MACADAM_E_LIMIT says how much it needs. Then makes the
 * parts. */
void make_plan(dense_plan *plan, const mcd_dense_job *job);
void make_parts(mcd_dense_run &run);

/* Enqueues the copy of rows row <= r < end, at most a chunk of a part's rows, to the beginning of `to`. */
void bring(mcd_dense_run &run, dense_part &part, const dense_rows &to, size_t row, size_t end);
/* Enqueues the preparation of such rows, at the beginning of `from`, for sending, and sends those that
 * were ready before. It may wait for these, so prepare well ahead. */
void send(mcd_dense_run &run, dense_part &part, const dense_rows &from, size_t row, size_t end);

/* Copies resident rows in at the beginning and out at the end; sends the last rows that pass. */
void move_rows(mcd_dense_run &run, bool come);

#endif
