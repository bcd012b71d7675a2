/* arc_weights.h - a metric's weights on the input arcs, for methods that need no hierarchy. */
#ifndef MCD_ENGINE_RUNTIME_ARC_WEIGHTS_H
#define MCD_ENGINE_RUNTIME_ARC_WEIGHTS_H

#include "kernels/backend.h"

/* Arrays that are made at first use. All zero: none are made. */
typedef struct mcd_arc_weights {
    mcd_arcs arcs;
    mcd_weight *open[2];            /* both closed on the same arcs; NULL: the given weights already are */
    mcd_graph *graph;               /* its own; NULL: it is borrowed */
    const mcd_device_table *device; /* of arcs.device */
} mcd_arc_weights;

/* Makes the weights of forward searches; borrows graph and weights. Both weights may be NULL, or only the companion. */
macadam_status mcd_arc_weights_make(mcd_arc_weights *out, const mcd_graph *graph, const mcd_weight *objective,
                                    const mcd_weight *companion, macadam_error *error);
/* Makes the graph of the arcs that a weight leaves open, without weights. */
macadam_status mcd_arc_weights_make_open(mcd_arc_weights *out, const mcd_graph *graph,
                                         const mcd_weight *weight, macadam_error *error);
/* Adds the weights of backward searches, which parents of forward ones need. Nothing to add without weights. */
macadam_status mcd_arc_weights_add_backward(mcd_arc_weights *weights, const mcd_parallel *parallel,
                                            macadam_error *error);
/* Adds the weights of the couples of neighbours, which are borrowed. */
macadam_status mcd_arc_weights_add_couples(mcd_arc_weights *weights, const mcd_node *high,
                                           const mcd_node *low, size_t count, const mcd_parallel *parallel,
                                           macadam_error *error);
/* Adds a copy on a device. */
macadam_status mcd_arc_weights_place(mcd_arc_weights *weights, const mcd_device_table *table,
                                     mcd_device *device, macadam_error *error);
void mcd_arc_weights_free(mcd_arc_weights *weights);

/* Lists the arcs whose weights differ. The caller frees *out with mcd_free. Returns E_MEMORY. */
macadam_status mcd_arc_weights_changed(uint32_t **out, size_t *count, const mcd_weights *a,
                                       const mcd_weights *b, macadam_error *error);

#endif
