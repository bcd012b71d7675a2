/* spare.h - weights that an update replaced. Once no query uses them, the next update brings them up to date
 * by what changed since and changes them, instead of copying the weights in use. */
#ifndef MCD_ENGINE_RUNTIME_SPARE_H
#define MCD_ENGINE_RUNTIME_SPARE_H

#include "engine/runtime/metric.h"

/* The last version but one of a quantity's weights, or of a metric's basic weights; all zero: none. */
typedef struct mcd_spare {
    mcd_quantity *quantity; /* with weights of its own; NULL: a metric, or none */
    mcd_metric *metric;     /* with basic weights; NULL if `cost` is not NULL */
    void *cost;             /* taken from the metric once nobody used it */
    uint32_t *changed;      /* [count]: the arcs (upward arcs) that differ in the version in use */
    size_t count;
    bool is_far; /* all may differ */
} mcd_spare;

/* Take over a replaced version, which may be NULL or without arrays of its own. `changed` is taken over, too;
 * NULL: all arcs may differ. So is the list of *found; if it is not complete, all upward arcs may differ. */
void mcd_spare_keep_quantity(mcd_spare *spare, mcd_quantity *replaced, uint32_t *changed, size_t count);
void mcd_spare_keep_metric(mcd_spare *spare, mcd_metric *replaced, mcd_recustomized *found);
/* If nobody uses a spare metric any longer, leaves all of it but its basic weights. */
void mcd_spare_settle(mcd_spare *spare);
void mcd_spare_drop(mcd_spare *spare);

/* Makes a copy of the weights in use, the caller's to change and free: from the spare if nobody uses it, else
 * anew. The spare is then gone. Time: that of what changed, or of all weights. */
macadam_status mcd_spare_take_weight(mcd_weight **out, mcd_spare *spare, const mcd_quantity *in_use,
                                     size_t arc_count, macadam_error *error);
macadam_status mcd_spare_take_cost(void **out, mcd_spare *spare, const mcd_metric *in_use,
                                   macadam_error *error);

#endif
