/* bellman_ford.h - least costs from seeds along all pairs of neighbours, until nothing changes. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_BELLMAN_FORD_H
#define MCD_KERNELS_CUDA_FRONTIER_BELLMAN_FORD_H

#include "kernels/cuda/device/grid.h"
#include "kernels/cuda/frontier/arcs.h"

/* Enqueues: dist[node] as for enqueue_frontier (kernels/cuda/frontier/frontier.h). */
template <class Cost>
void enqueue_bellman_ford(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, const mcd_lane &from,
                          rounds_state *state, Cost *dist);

#endif
