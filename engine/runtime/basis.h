/* basis.h - basic weights from which those of other weights are made by partial customization. */
#ifndef MCD_ENGINE_RUNTIME_BASIS_H
#define MCD_ENGINE_RUNTIME_BASIS_H

#include "engine/runtime/engine.h"

/* A repair takes over these basic weights of `from`; all zero: a full customization. */
typedef struct mcd_basis {
    const mcd_metric *from; /* with basic weights */
    void *cost;             /* a copy of them, taken over */
    const uint32_t *changed;
    size_t changed_count; /* the arcs where the metric's weights differ; may repeat */
} mcd_basis;

/* Makes the basic weights of a metric that no other thread uses yet: by repairing those of the basis, unless
 * so much changes that a full customization is faster. *found: the upward arcs that then differ from `from`;
 * mcd_free its list. Under update_lock. `progress` may be NULL. */
macadam_status mcd_engine_customize_basic(macadam_engine *engine, mcd_metric *metric, mcd_basis *basis,
                                          const mcd_progress *progress, mcd_recustomized *found,
                                          macadam_error *error);

/* Returns whether so few arcs change that a repair can pay. */
bool mcd_engine_can_repair(const macadam_engine *engine, size_t changed_count);

/* Makes a variant's metric with basic weights, unless it has a metric: by repairing those of the metric that it
 * varies. Under no lock. */
macadam_status mcd_engine_ready_variant(macadam_engine *engine, mcd_variant *variant, macadam_error *error);

#endif
