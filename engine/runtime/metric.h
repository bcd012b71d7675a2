/* metric.h - weights in use, with counted users: those of the file, or those that an update made. */
#ifndef MCD_ENGINE_RUNTIME_METRIC_H
#define MCD_ENGINE_RUNTIME_METRIC_H

#include "kernels/backend.h"

#include <stdatomic.h>

/* One quantity's weights of the input arcs. */
typedef struct mcd_quantity {
    atomic_uint users;
    const mcd_weight *weight;               /* [arc_count] */
    mcd_weight *owned;                      /* NULL: the file's */
    atomic_size_t zero_count, closed_count; /* weights of 0, and of closed arcs; SIZE_MAX: not counted yet */
} mcd_quantity;

/* A metric's weights on the hierarchy. */
typedef struct mcd_metric {
    atomic_uint users;
    mcd_weights weights;
    mcd_weights basic_weights; /* `basic` is NULL: there are none; else constant, and enough for routes */
    mcd_custom basic;          /* owns the basic weights */
    atomic_uint_least64_t basic_route_count; /* routes found over them */
    mcd_quantity *objective,
        *companion;  /* used by the metric; NULL until they are requested, or without a companion */
    bool has_closed; /* some arc is closed, of those that `weights` has */
    _Atomic(uint64_t *) closed; /* mcd_junctions_closed; NULL until steps are requested */
    bool lacks_children;        /* whether the file's children are missing, until paths are requested */
    atomic_bool is_home;        /* the host has searches of `weights`; mcd_metric_is_home */
    mcd_kept kept; /* empty if the weights are the file's, or if only the device that made them has
                          * them */
    const mcd_device_table *device; /* of weights.device */
    mcd_top_labels *top_labels;     /* NULL until the host has to find routes */
    mcd_spans *spans;               /* NULL until enough paths are requested to justify them */
    uint64_t path_count;            /* paths that the host has found, until there are spans */
} mcd_metric;

/* Makes one with one user. Takes over `owned`, on failure too. */
macadam_status mcd_quantity_new(mcd_quantity **out, const mcd_weight *weight, mcd_weight *owned,
                                macadam_error *error);
mcd_quantity *mcd_quantity_use(mcd_quantity *quantity);
/* Returns how many of its weights are 0; counts them the first time. */
size_t mcd_quantity_zeros(mcd_quantity *quantity, size_t arc_count);
/* Returns how many of them close their arc, likewise. */
size_t mcd_quantity_closed(mcd_quantity *quantity, size_t arc_count);
/* The last user frees it. NULL is fine. */
void mcd_quantity_leave(mcd_quantity *quantity);

/* Makes one with one user and without weights. */
macadam_status mcd_metric_new(mcd_metric **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                              macadam_error *error);
/* Uses the input arcs' weights, which paths need; companion may be NULL. */
void mcd_metric_use_quantities(mcd_metric *metric, mcd_quantity *objective, mcd_quantity *companion);
/* Takes over the basic weights that customization made of the metric's quantities, which are in use. Only before other
 * threads use the metric. The schedule must outlive it. */
void mcd_metric_keep_basic(mcd_metric *metric, const mcd_custom *basic, const mcd_schedule *schedule);
/* Returns whether the host has searches. If not, only a device has them, or they are not made yet. Needs no lock. */
bool mcd_metric_is_home(const mcd_metric *metric);
/* Takes over searches in the host's memory. */
void mcd_metric_keep(mcd_metric *metric, const mcd_kept *kept);
/* Returns the job that customizes a metric's quantities on the host, with witnesses. It asks the thread's
 * own watch. */
mcd_customize_job mcd_metric_job(const mcd_metric *metric, const mcd_schedule *schedule,
                                 const mcd_parallel *parallel);
/* Does this job, prunes and names children, for mcd_metric_keep. */
macadam_status mcd_metric_customize(mcd_kept *out, const mcd_metric *metric, const mcd_schedule *schedule,
                                    const mcd_parallel *parallel, macadam_error *error);
mcd_metric *mcd_metric_use(mcd_metric *metric);
void mcd_metric_leave(mcd_metric *metric);

#endif
