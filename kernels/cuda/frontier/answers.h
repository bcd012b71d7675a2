/* answers.h - the jobs of searches from lanes, by costs or by hops, and how their answers leave a GPU. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_ANSWERS_H
#define MCD_KERNELS_CUDA_FRONTIER_ANSWERS_H

#include "kernels/cuda/frontier/arcs.h"

/* A search's job: an mcd_sssp_job, or an mcd_hops_job as trees of hops. */
struct lanes_job : mcd_sssp_job {
    explicit lanes_job(const mcd_sssp_job &job) : mcd_sssp_job(job)
    {
    }
    explicit lanes_job(const mcd_hops_job &job);
    const mcd_hops_job *hops = nullptr; /* NULL: by costs. Otherwise `lane` is NULL: see lane_at() */
    mcd_lane lane_at(size_t i) const
    {
        return hops ? mcd_lane_of(hops->source[i]) : lane[i];
    }
    const char *phase() const
    {
        return hops ? "breadth-first searches" : "trees";
    }
    /* Where the answers of a quantity go; NULL: not requested. */
    uint32_t *wanted(int quantity) const
    {
        return quantity ? companion : objective;
    }
    unsigned quantity_count() const
    {
        return (objective != nullptr) + (companion != nullptr);
    }
    /* Whether the nodes' single costs, in their order, are a lane's answer. */
    bool is_plain() const
    {
        return !column && !companion && objective && column_stride == 1;
    }
};

/* Whether kernels can write the answers where the caller wants them: in this GPU's memory. */
bool answers_stay(gpu_call &call, const lanes_job &job);

/* Lanes that are answered together. */
struct lane_batch {
    size_t first, count;
    unsigned turn; /* buffers of one turn are filled while those of the other are delivered */
};

/* A GPU's part of the answers: a range of the columns, and its own nodes' parents. */
struct lane_answers {
    const lanes_job *job = nullptr;
    node_range own = {0, 0};
    size_t first = 0, count = 0; /* columns */
    bool stay = false;           /* in the caller's memory */
    gpu_array<mcd_node> column;
    gpu_array<uint32_t> value[2][2]; /* by turn and quantity */

    /* Takes the g-th of `gpus` shares of the columns; a job without columns has those of own nodes.
     * `lanes`: of a batch; 0: the answers are plain, and deliver() is given them. */
    void allocate(gpu_call &call, const lanes_job &of_job, node_range own_nodes, size_t g, size_t gpus,
                  size_t lanes, unsigned turns);
    /* The job of kernels that write a batch's answers; the lanes are not set. */
    mcd_sssp_job on_gpu(const lane_batch &batch) const;
    /* Sends a batch's answers, as deliver_rows does; `plain`: see allocate(). */
    void deliver(gpu_call &call, const lane_batch &batch, const mcd_parallel &parallel,
                 const uint32_t *plain = nullptr) const;
    /* Sends own nodes' parents, which are given by node, likewise. */
    void deliver_parents(gpu_call &call, size_t lane, const mcd_node *parent) const;
};

/* Calls answer(batch), which enqueues the answers of `count` lanes from the first-th on, for at most `most` lanes at a
 * time, and delivers each batch while the next one is searched for. */
template <class Answer>
void answer_batches(gpu_call &call, const lane_answers &answers, const lane_batch &all, size_t most,
                    const mcd_parallel &parallel, gpu_progress *progress, const Answer &answer)
{
    const size_t end = all.first + all.count;
    lane_batch ready = {all.first, 0, 1};
    for (size_t first = all.first; first < end || ready.count > 0;) {
        const lane_batch next = {first, mcd_size_min(most, end - first), !ready.turn};
        progress->step(ready.count);
        if (ready.count > 0 && !answers.stay) call.order_copies();
        if (next.count > 0) answer(next);
        if (ready.count > 0 && !answers.stay) {
            answers.deliver(call, ready, parallel);
            call.check(cudaStreamSynchronize(call.copies), "copying answers");
        }
        ready = next;
        first += next.count;
    }
    call.synchronize();
}

/* Enqueues the answers to the k-th lane of on_gpu()'s job, from costs by node. */
template <class Cost>
void enqueue_answers(gpu_call &call, const Cost *dist, const mcd_sssp_job &job, size_t k);

/* Enqueues and sends the answers to one lane, from costs by node; without columns, from the first own node on.
 * stay: the caller has the costs. */
template <class Cost>
void answer_one(gpu_call &call, const lane_answers &answers, size_t lane, const Cost *dist,
                const mcd_node *parent, bool stay);

#endif
