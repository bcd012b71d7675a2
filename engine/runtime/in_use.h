/* in_use.h - the weights that an engine computes with: those of its file, or those of the last update. */
#ifndef MCD_ENGINE_RUNTIME_IN_USE_H
#define MCD_ENGINE_RUNTIME_IN_USE_H

#include "engine/runtime/engine.h"

/* What a call needs of a metric: bits. */
typedef enum mcd_need {
    MCD_NEED_COSTS = 0,
    MCD_NEED_ROUTES = 1,  /* the top nodes */
    MCD_NEED_WEIGHTS = 2, /* graph and input weights */
    MCD_NEED_PATHS = 7,   /* all these, and what unpacking needs: children */
    MCD_NEED_PLACES = 16, /* and nothing of the metric: none is in use */
} mcd_need;

/* The weights in use, with one more user: mcd_quantity_leave, mcd_metric_leave. */
macadam_status mcd_engine_use_quantity(macadam_engine *engine, size_t index, mcd_quantity **out,
                                       macadam_error *error);
/* Makes the host's backend able to compute with a metric that is in use, wherever its weights lie. */
macadam_status mcd_engine_ready_on_host(macadam_engine *engine, mcd_metric *metric, mcd_need need,
                                        macadam_error *error);
/* For `backend` to compute with. */
macadam_status mcd_engine_use_metric(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                     mcd_need need, mcd_metric **out, macadam_error *error);
/* The metric's spans for `path_count` paths that the host is to find: NULL while those requested so far would
 * not pay for making them. */
macadam_status mcd_engine_use_spans(macadam_engine *engine, mcd_metric *metric, size_t path_count,
                                    const mcd_spans **out, macadam_error *error);

/* What a call needs of a metric's weights on the input arcs; forward ones are always there. A device gets
 * all of it. */
typedef enum mcd_arc_need { MCD_ARCS_BACKWARD = 1, MCD_ARCS_COUPLES = 2 } mcd_arc_need;

/* They need no hierarchy. MCD_QUANTITY_MAX: only the graph. mcd_arc_metric_leave. */
macadam_status mcd_engine_use_arcs(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                   unsigned need, mcd_arc_metric **out, macadam_error *error);

#endif
