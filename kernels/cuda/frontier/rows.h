/* rows.h - trees of many lanes on graphs with many arcs per node: an arc is read once for all lanes. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_ROWS_H
#define MCD_KERNELS_CUDA_FRONTIER_ROWS_H

#include "kernels/cuda/device/scratch.h"
#include "kernels/cuda/frontier/arcs.h"

enum { ROW_LANES = 32 }; /* lanes of one search */

/* How the search goes on, on the GPU. */
struct rows_state {
    unsigned arrived;  /* at the grid's barrier */
    unsigned count[3]; /* parts in the list, by round % 3 */
};

struct rows_arrays {
    unsigned char *cost; /* [node * ROW_LANES + lane] */
    rows_state *state;
    uint32_t *listed[2]; /* a bit per node: the next round's list has it; by round % 2 */
    uint64_t *part[2];   /* lists, likewise */
    void lay_out(gpu_carver &carver, const gpu_arcs &arcs, bool joint);
};

/* Whether the lanes of such a graph are searched together. */
bool rows_pay(const gpu_arcs &arcs, size_t lane_count);

/* Enqueues the answers to a job of at most ROW_LANES lanes whose arrays are on the GPU; its column_stride is 1. */
void enqueue_rows(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, const rows_arrays &arrays);

#endif
