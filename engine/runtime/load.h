/* load.h - loads sections of an engine's file into views and checks each once, before its first use. */
#ifndef MCD_ENGINE_RUNTIME_LOAD_H
#define MCD_ENGINE_RUNTIME_LOAD_H

#include "engine/file/catalogue.h"
#include "engine/runtime/engine.h"

/* Returns the context for checks of the engine's file. */
mcd_check mcd_engine_check(const macadam_engine *engine, macadam_error *error);

/* Calls mcd_sections_read on the engine's file. `counts`: NULL for those of its metadata. */
macadam_status mcd_engine_read(macadam_engine *engine, const mcd_selector *selector, mcd_counts *counts,
                               void *structure, macadam_error *error);

/* Returns whether the file has basic weights of a metric that repairs can begin with. */
static inline bool mcd_engine_stores_basic(const macadam_engine *engine, size_t metric)
{
    const size_t companion = mcd_engine_companion(engine, metric);
    return mcd_sections_have_basic(engine->file, engine->metric_name[metric],
                                   companion == SIZE_MAX ? NULL : engine->quantity_name[companion]);
}

/* Returns the largest number of an arc: all smaller ones are those of arcs, too. 0: only the arcs' facts have it. */
uint64_t mcd_engine_last_number(const macadam_engine *engine);

/* Loads a part, and what it needs, unless it is loaded. */
macadam_status mcd_engine_load(macadam_engine *engine, mcd_load part, macadam_error *error);

/* With MCD_LOAD_ARRIVALS: makes sure that the reverse arcs of a node are checked. Any thread. */
macadam_status mcd_engine_touch_arrivals(macadam_engine *engine, mcd_node node, macadam_error *error);

/* Make what queries use from the packed places and copies of arcs of the file; the graph is loaded for the second. The caller frees
 * *out. Return E_MEMORY, E_FILE or E_CANCELLED. */
macadam_status mcd_engine_unpack_places(mcd_place_index *out, macadam_engine *engine, macadam_error *error);
macadam_status mcd_engine_unpack_originals(uint32_t **out, size_t *original_count, macadam_engine *engine,
                                           macadam_error *error);

/* Count a call, before it loads anything, for which macadam_engine_trim leaves what it may read. */
static inline macadam_engine *mcd_engine_enter(macadam_engine *engine)
{
    ++engine->user_count;
    return engine;
}
static inline void mcd_engine_leave(macadam_engine *const *slot)
{
    --(*slot)->user_count;
}

const macadam_road_facts *mcd_engine_make_road_facts(const macadam_engine *engine, size_t kind);
/* Returns what answers say of a kind of roads, which is made when it is first needed. There are road_facts; not under the
 * lock. */
static inline const macadam_road_facts *mcd_engine_road_facts(const macadam_engine *engine, size_t kind)
{
    const macadam_road_facts *const out = &engine->road_facts[kind];
    return __atomic_load_n(&out->name, __ATOMIC_ACQUIRE) ? out : mcd_engine_make_road_facts(engine, kind);
}

/* Loads the data that customization needs. Under update_lock, or between mcd_engine_hold_schedule and --basic_count. */
macadam_status mcd_engine_load_schedule(macadam_engine *engine, macadam_error *error);
/* Keeps it, once it is loaded, until the caller lowers engine->basic_count. Not under the lock. */
void mcd_engine_hold_schedule(macadam_engine *engine);
/* Under update_lock and the lock: frees it, unless it is needed. */
void mcd_engine_shed_schedule(macadam_engine *engine);

/* Under the lock: finds a quantity in the file unless its weights are in use, and makes its pending changes. Those of a ready
 * file are not checked. */
macadam_status mcd_engine_map_quantity(macadam_engine *engine, size_t index, macadam_error *error);
/* Under the lock: finds the file's weights of a quantity, and checks them, unless they were. */
macadam_status mcd_engine_file_weights(macadam_engine *engine, size_t index, const mcd_weight **out,
                                       macadam_error *error);
/* Under the lock: does the same as mcd_engine_map_quantity, and checks the file's weights. */
macadam_status mcd_engine_read_quantity(macadam_engine *engine, size_t index, macadam_error *error);
/* Returns the weights in use, with one more user; release them with mcd_array_leave. */
macadam_status mcd_engine_use_quantity(macadam_engine *engine, size_t index, mcd_array **out,
                                       macadam_error *error);
/* Under update_lock: the same without a user. They remain in use. */
macadam_status mcd_engine_load_quantity(macadam_engine *engine, size_t index, mcd_array **out,
                                        macadam_error *error);

/* Loads the prices of a quantity, with the facts loaded. */
macadam_status mcd_engine_load_prices(macadam_engine *engine, size_t index, macadam_error *error);
/* Does the same without a check of the file's weights; of the facts, those of shut arcs are enough. */
macadam_status mcd_engine_map_prices(macadam_engine *engine, size_t index, macadam_error *error);
/* Checks the weights of some arcs in the file, once the prices are loaded. */
macadam_status mcd_engine_touch_weights(macadam_engine *engine, size_t index, const uint32_t *arc,
                                        size_t count, macadam_error *error);

/* Returns the ids by id, or by node: macadam_engine_ids, macadam_engine_node_ids. Asks the engine's callback. */
macadam_status mcd_engine_find_ids(macadam_engine *engine, bool by_node, const int64_t **out,
                                   macadam_error *error);

#endif
