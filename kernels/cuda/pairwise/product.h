/* product.h - the min-plus product of panels. CPU twin: kernels/cpu/pairwise/product.h. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_PRODUCT_H
#define MCD_KERNELS_CUDA_PAIRWISE_PRODUCT_H

#include "kernels/cuda/pairwise/panel.h"

enum { CELL_SOURCES = 16 }; /* of a group: its cells of one target lie side by side, in whole sectors */

/* Enqueues cell[(s / CELL_SOURCES * targets + t) * CELL_SOURCES + s % CELL_SOURCES], targets = target_panels *
 * PANEL: the cost of every source s of the first source_panels and every target t of the first target_panels,
 * places in the order of the panels. A cost is unreached if its
 * objective is at least MCD_UNREACHED, and its companion is saturated if that is; neither is clamped to
 * MCD_UNREACHED. */
template <class Cost>
void enqueue_product(gpu_call &call, const panel_view<Cost> &source, size_t source_panels,
                     const panel_view<Cost> &target, size_t target_panels, Cost *cell);

/* Rows of answers: value[quantity][row * stride + column]; either may be NULL. */
struct row_answers {
    uint32_t *value[2];
    size_t stride;
    bool raw;
};

/* Enqueues the same product of `rows` sources and `columns` targets, and writes its answers instead of cells. */
template <class Cost>
void enqueue_answers(gpu_call &call, const panel_view<Cost> &source, size_t rows,
                     const panel_view<Cost> &target, size_t columns, const row_answers &answers);

/* Returns whether a product has enough pairs of panels to fill the GPU without dividing their depths: answers are not
 * divided. */
template <class Cost> bool product_fills(const gpu_call &call, size_t source_panels, size_t target_panels);

#endif
