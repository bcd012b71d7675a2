/* variant.h - a metric's weights under a query's conditions, kept so that the next query with the same
 * conditions is as fast as one without. */
#ifndef MCD_ENGINE_RUNTIME_VARIANT_H
#define MCD_ENGINE_RUNTIME_VARIANT_H

#include "engine/runtime/engine.h"

/* A metric under one set of conditions. The variants of an engine form a list, the last used first. */
struct mcd_variant {
    mcd_variant *next;     /* under the engine's lock; so are the three below, made at first use */
    mcd_metric *metric;    /* on the hierarchy */
    mcd_arc_metric *arcs;  /* on the input arcs */
    mcd_arc_metric *graph; /* only the open arcs */
    atomic_uint users;
    size_t index; /* of the metric that it varies */
    char *key;    /* [key_bytes] of the conditions */
    size_t key_bytes;
    mcd_quantity *objective, *companion; /* companion: NULL without one */
};

/* Finds or makes the variant of a metric, with one more user. *out is NULL if `given` is NULL or changes
 * nothing. `reported`: the metric finds no paths, so factors and slower times do not count, as for a
 * companion. Time: the first time one look at every arc; the customization follows when costs are requested. */
macadam_status mcd_engine_use_variant(macadam_engine *engine, size_t index, const macadam_conditions *given,
                                      bool reported, mcd_variant **out, macadam_error *error);
/* The last user frees it. NULL is fine. */
void mcd_variant_leave(mcd_variant *variant);
/* Leaves the variant and those that follow it. */
void mcd_variants_leave(mcd_variant *variant);

/* Forgets all variants: their weights are outdated, or their memory is wanted. Users keep theirs. */
void mcd_engine_forget_variants(macadam_engine *engine);
/* Under the lock: empties the list. The caller leaves the variants that it held: mcd_variants_leave. */
mcd_variant *mcd_engine_take_variants(macadam_engine *engine);

#endif
