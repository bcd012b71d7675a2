/* conditions.h - the conditions of a query, checked, what they make of an arc's weight, and the versions of weights under
 * conditions, which are kept so that the next query with the same conditions is as fast as one without. */
#ifndef MCD_ENGINE_RUNTIME_CONDITIONS_H
#define MCD_ENGINE_RUNTIME_CONDITIONS_H

#include "engine/map/fence.h"
#include "engine/runtime/engine.h"
#include "engine/runtime/version.h"

/* Checked conditions and their key: equal sets have equal keys. Free it with mcd_conditions_free. */
typedef struct mcd_conditions {
    macadam_conditions given; /* borrows the caller's arrays */
    mcd_fence fence;
    uint32_t vehicle[MCD_LIMITS]; /* in the units of mcd_limit; 0: not limited */
    bool has_vehicle;
    mcd_timed_arc
        *timed; /* [timed_count] by ascending number: the arcs that change in the departure's slot */
    size_t timed_count;
    const uint32_t *
        *shut; /* [shut_count] by ascending arc: the arcs shut in the slot, and those that open in it */
    size_t shut_count;
    bool opens;       /* some arc opens in the slot: the companion changes too */
    bool is_duration; /* the objective is one that finds paths: otherwise only closed roads count */
    char *key;        /* [key_bytes] */
    size_t key_bytes;
} mcd_conditions;

/* Returns whether the conditions change anything. */
static inline bool mcd_conditions_apply(const macadam_conditions *given)
{
    return given->avoid || given->area_count || given->factor_count || given->height_m || given->width_m ||
           given->length_m || given->weight_t || given->axle_load_t || given->departure;
}

/* `is_duration`: the objective whose weights are made is the duration. Returns E_INVALID (names the value),
 * or E_UNSUPPORTED if the map lacks the data that the conditions are about. Free *out with mcd_conditions_free, on failure too. */
macadam_status mcd_conditions_new(mcd_conditions *out, const macadam_conditions *given,
                                  const mcd_roads *roads, bool is_duration, macadam_error *error);
/* Returns whether they change anything on the map: a departure may meet no conditional tag. */
bool mcd_conditions_matter(const mcd_conditions *terms);
void mcd_conditions_free(mcd_conditions *terms);

/* Returns what an arc that leaves `tail` weighs in the departure's slot if it is shut then or opens then; its weight in
 * use if it is neither. `weight`: [arc_count] in use; `prices`: of the same quantity. */
mcd_weight mcd_conditions_open(const mcd_conditions *terms, const mcd_roads *roads, const mcd_prices *prices,
                               const mcd_weight *weight, mcd_node tail, uint32_t arc);

/* Returns the weight of an arc that leaves `tail` under the conditions, from what mcd_conditions_open returned;
 * MCD_UNREACHED: it may not be used. `in_use`: [arc_count] */
mcd_weight mcd_conditions_weigh(const mcd_conditions *terms, const mcd_roads *roads, const mcd_weight *in_use,
                                mcd_node tail, uint32_t arc, mcd_weight weight);

/* ---- versions ---- */

/* The use of weights in a query. */
typedef enum mcd_use {
    MCD_USE_PATHS,    /* to find paths */
    MCD_USE_REPORTED, /* to sum them up: factors and slower times do not count, as for a companion */
    MCD_USE_GRAPH     /* only to know which arcs are open */
} mcd_use;

/* Finds or makes the version of a metric under conditions, with one more user; without conditions, or if they change
 * nothing, the one in use. Time: the first time under conditions one look at every arc; the customization follows when
 * costs are requested. */
macadam_status mcd_engine_use_version(mcd_version **out, macadam_engine *engine, size_t metric,
                                      const macadam_conditions *given, mcd_use use, macadam_error *error);

/* Forgets all versions under conditions: they are outdated, or their memory is wanted. Users keep theirs. */
void mcd_engine_forget_versions(macadam_engine *engine);
/* Under the lock: empties their list. The caller then leaves those that were in it: mcd_versions_leave. */
mcd_version *mcd_engine_take_versions(macadam_engine *engine);
void mcd_versions_leave(mcd_version *version);

#endif
