/* dense_rows.h - the rows of a dense matrix on GPUs: how they are divided, what each GPU holds, how rows come from
 * the caller's memory and go there. pivot.h says what words are. */
#ifndef MCD_KERNELS_CUDA_DENSE_DENSE_ROWS_H
#define MCD_KERNELS_CUDA_DENSE_DENSE_ROWS_H

#include "kernels/cuda/device/image.h"
#include "kernels/cuda/dense/pivot.h"

#include <optional>

enum { TURNS = 2 };

/* An event that is made when it is first recorded; until then nobody waits for it. */
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
    bool resident; /* each GPU holds its rows from the beginning to the end */
    size_t gpu_count;
    size_t row_count, words, band_rows, chunk_rows;
    size_t part_rows; /* a GPU's, a multiple of band_rows */

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
    /* Rows among row <= r < end that are not padding. */
    size_t given(size_t row, size_t end) const
    {
        return mcd_size_min(end, job->node_count) - mcd_size_min(row, job->node_count);
    }
    /* Pivots of `count` that rows are lowered by at once. */
    size_t at_once(size_t count) const
    {
        return paths ? (size_t)STEP : count;
    }
    /* Words that are at hand for the products of a row range: its columns of pivots. */
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
    gpu_array<uint32_t> cost, mark; /* of a chunk, without padding */
    gpu_event ready, done;          /* is filled; is emptied */
};

/* A GPU's rows first <= row < end. */
struct dense_part {
    dense_part(mcd_gpu *gpu, macadam_error *error) : call(gpu, error), in(gpu, error), out(gpu, error)
    {
    }
    ~dense_part();
    /* Waits for all that is enqueued. */
    void settle();
    gpu_share share;
    gpu_call call;    /* rows are lowered on its stream */
    gpu_call in, out; /* and come and go on these ones' copies */
    cudaStream_t ahead = nullptr;
    size_t first = 0, end = 0;
    gpu_array<uint32_t> word, mark;      /* all rows, or a chunk */
    gpu_array<uint32_t> band[TURNS];     /* rows of pivots, where they are not among the rows above */
    gpu_array<uint32_t> found[TURNS];    /* pivot_rows.found_columns */
    gpu_array<uint32_t> kept, kept_mark; /* the band being eliminated: rows that pass, with paths */
    gpu_array<uint32_t> column, ahead_column, diagonal;
    transfer coming[TURNS], going[TURNS];
    size_t coming_turn = 0, going_turn = 0;
    size_t late_row = 0, late_end = 0; /* rows that are ready to go; none: equal */
    gpu_event lowered, eliminated[TURNS], stepped[TURNS];
};

struct dense_run {
    dense_plan plan = {};
    std::optional<dense_part> part[GPUS_MAX];
    gpu_event *stored = nullptr; /* by chunk of rows that pass: they have gone */
    bool has_marks = false;      /* the caller's memory has: they have gone once */

    dense_run() = default;
    dense_run(const dense_run &) = delete;
    /* Parts write into each other: none goes before all have done. */
    ~dense_run()
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

/* What follows is enqueued on this part's GPU. */
macadam_status enter(dense_part &part);

/* The rows of `rows` from `row` on, and all that a part holds: its rows, or the chunk that passes. */
dense_rows rows_from(const dense_plan &plan, const dense_rows &rows, size_t row);
dense_rows held_rows(const dense_plan &plan, const dense_part &part);

/* Divides the job, by the memory that there is; E_LIMIT says what it needs. Then makes the parts. */
macadam_status make_plan(dense_plan *plan, const mcd_dense_job *job, macadam_error *error);
macadam_status make_parts(dense_run &run, macadam_error *error);

/* Enqueues that rows row <= r < end, at most a chunk of those of a part, come to where `to` begins. */
macadam_status bring(dense_run &run, dense_part &part, const dense_rows &to, size_t row, size_t end);
/* Enqueues that such rows, which `from` begins with, become ready to go; those that were ready before go. It
 * may wait for these: they are to be some way ahead. */
macadam_status send(dense_run &run, dense_part &part, const dense_rows &from, size_t row, size_t end);

/* Rows that stay come in the beginning and go in the end; the last ones that pass go. */
macadam_status move_rows(dense_run &run, bool come);
/* Waits for all. */
macadam_status settle(dense_run &run);

#endif
