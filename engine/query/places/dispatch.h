/* dispatch.h - where the questions of an engine are answered: with device "auto", each by the backend that is estimated to
 * answer it first (engine/runtime/rates.h); with a named device, by that, unless other calls keep it busy so long that the
 * processor would be faster.
 *
 * A device is opened, the map placed there and weights copied to it or customized when that pays: immediately for a question
 * that gains more by itself; for many small ones, once they have together lost as much as it takes, and then beside the
 * calls. So a choice never costs more than twice the best one, whatever questions come. The same goes for weights that only
 * the device has and the processor would have to make, and for basic weights on the processor, which updates of few arcs repair
 * (engine/runtime/update.c). */
#ifndef MCD_ENGINE_QUERY_PLACES_DISPATCH_H
#define MCD_ENGINE_QUERY_PLACES_DISPATCH_H

#include "engine/runtime/rates.h"
#include "engine/runtime/version.h"

/* Lets the host's kept arcs of a version be made beside the calls, or only basic weights; returns false if there is no thread
 * for it. */
bool mcd_engine_prepare_beside(macadam_engine *engine, mcd_version *version, bool basic);
/* Lets what pays beside the calls be made, if there may be a thread for it. */
void mcd_engine_work_beside(macadam_engine *engine);
/* Notes that a route is searched on the arcs. Once such searches have together taken as long as basic weights take on all
 * threads, lets these be made beside the calls; after an update, immediately. */
void mcd_engine_customize_beside(macadam_engine *engine, mcd_version *version);
/* Notes how many nodes a search on the arcs has settled. Once that has taken as long as basic weights take on all threads, lets
 * them be made beside it. Returns whether the weights on the hierarchy are there, so that it can end. */
bool mcd_engine_overtakes(macadam_engine *engine, mcd_version *version, uint64_t settled_count);
/* Notes a question for the host. If a version has no kept arcs, and all its questions together have lost as much as it takes
 * to make them, lets them be made beside the calls. Returns whether the question needs them itself: it would lose as much, or
 * there is no thread for it. */
bool mcd_engine_should_prune(macadam_engine *engine, mcd_version *version, mcd_need need,
                             const mcd_amount *amount);
/* Returns whether there may be something to choose for an engine now. */
bool mcd_engine_may_choose(const macadam_engine *engine);
/* Returns the backend for a question over a version of the weights. `otherwise`: unless there is a
 * choice. Not under the engine's lock. */
const mcd_backend *mcd_engine_choose(macadam_engine *engine, mcd_version *version, const mcd_amount *amount,
                                     const mcd_backend *otherwise);

#endif
