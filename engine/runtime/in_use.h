/* in_use.h - the weights that an engine computes with: those of its file, or those of the last update. */
#ifndef MCD_ENGINE_RUNTIME_IN_USE_H
#define MCD_ENGINE_RUNTIME_IN_USE_H

#include "engine/runtime/variant.h"

/* The parts of a metric that a call needs, as bits. */
typedef enum mcd_need {
    MCD_NEED_COSTS = 0,
    MCD_NEED_ROUTES = 1,  /* the top nodes */
    MCD_NEED_WEIGHTS = 2, /* graph and input weights */
    MCD_NEED_PATHS = 7,   /* all these, and the children, which unpacking needs */
    MCD_NEED_BASIC =
        8, /* with MCD_NEED_PATHS, for routes: basic weights are enough if there are no kept arcs */
    MCD_NEED_SEARCH =
        32, /* likewise: while nothing is customized, the first routes are searched on the arcs */
    MCD_NEED_PLACES = 16, /* and no part of the metric: no metric is used */
} mcd_need;

/* Makes the host's backend able to compute with a metric in use, wherever its weights lie. */
macadam_status mcd_engine_ready_on_host(macadam_engine *engine, mcd_metric *metric, mcd_need need,
                                        macadam_error *error);
/* Makes `backend` able to compute with the metric, or with its variant (may be NULL). */
macadam_status mcd_engine_use_metric(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                     mcd_variant *variant, mcd_need need, mcd_metric **out,
                                     macadam_error *error);
/* Finds whether a route should be searched on the arcs: nothing is customized, and all such searches together have
 * settled fewer nodes than the map has, so that customizing would have taken longer than they did. `variant` may be
 * NULL. */
macadam_status mcd_engine_should_search(bool *out, macadam_engine *engine, size_t index,
                                        const mcd_variant *variant, macadam_error *error);
/* Returns the metric's spans for `path_count` paths that the host will find. NULL until enough paths have
 * been requested to justify the cost of making spans. */
macadam_status mcd_engine_use_spans(macadam_engine *engine, mcd_metric *metric, size_t path_count,
                                    const mcd_spans **out, macadam_error *error);

/* The parts of a metric's weights on the input arcs that a call needs. Forward weights are always there. A
 * device gets all parts. */
typedef enum mcd_arc_need { MCD_ARCS_BACKWARD = 1, MCD_ARCS_COUPLES = 2 } mcd_arc_need;

/* These weights need no hierarchy. MCD_QUANTITY_MAX: only the graph. `variant` may be NULL. Release with
 * mcd_arc_metric_leave. */
macadam_status mcd_engine_use_arcs(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                   mcd_variant *variant, unsigned need, mcd_arc_metric **out,
                                   macadam_error *error);

#endif
