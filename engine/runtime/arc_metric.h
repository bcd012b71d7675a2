/* arc_metric.h - a metric's weights on the input arcs, for methods that need no hierarchy. Users are counted,
 * as in mcd_metric. */
#ifndef MCD_ENGINE_RUNTIME_ARC_METRIC_H
#define MCD_ENGINE_RUNTIME_ARC_METRIC_H

#include "engine/runtime/metric.h"

/* Arrays that are made from the weights at first use. */
typedef struct mcd_arc_metric {
    atomic_uint users;
    atomic_uint_least64_t settled_count; /* nodes that searches for single routes have settled */
    mcd_arcs arcs;
    mcd_quantity *objective, *companion; /* in use; both NULL: only the graph */
    mcd_weight *open[2];                 /* both closed on the same arcs; NULL: the quantities already are */
    mcd_graph *graph;                    /* its own; NULL: the engine's */
    const mcd_device_table *device;      /* of arcs.device */
} mcd_arc_metric;

/* Makes one with one user and the weights of forward searches. Uses the quantities; both may be NULL, or only
 * the companion. `graph` must outlive it. */
macadam_status mcd_arc_metric_new(mcd_arc_metric **out, const mcd_graph *graph, mcd_quantity *objective,
                                  mcd_quantity *companion, macadam_error *error);
/* Adds the weights of backward searches, which parents of forward ones need. */
macadam_status mcd_arc_metric_add_backward(mcd_arc_metric *metric, const mcd_parallel *parallel,
                                           macadam_error *error);
/* Adds the weights of the couples of neighbours, which are borrowed. */
macadam_status mcd_arc_metric_add_couples(mcd_arc_metric *metric, const mcd_node *high, const mcd_node *low,
                                          size_t count, const mcd_parallel *parallel, macadam_error *error);
mcd_arc_metric *mcd_arc_metric_use(mcd_arc_metric *metric);
/* The last user frees it. NULL is fine. */
void mcd_arc_metric_leave(mcd_arc_metric *metric);

#endif
