/* load.h - sections of an engine's file into views, each checked once, before its first use. */
#ifndef MCD_ENGINE_RUNTIME_LOAD_H
#define MCD_ENGINE_RUNTIME_LOAD_H

#include "engine/file/catalogue.h"
#include "engine/runtime/engine.h"

/* Who checks the engine's file. */
mcd_check mcd_engine_check(const macadam_engine *engine, macadam_error *error);

/* mcd_sections_read of the engine's file. */
macadam_status mcd_engine_read(macadam_engine *engine, const mcd_selector *selector, mcd_counts *counts,
                               void *structure, macadam_error *error);

/* Each loads what its name says if it is not there yet. */
macadam_status mcd_engine_load_graph(macadam_engine *engine, macadam_error *error);
macadam_status mcd_engine_load_hierarchy(macadam_engine *engine, macadam_error *error);
macadam_status mcd_engine_load_places(macadam_engine *engine, macadam_error *error);
macadam_status mcd_engine_load_facts(macadam_engine *engine, macadam_error *error); /* and graph and places */
macadam_status mcd_engine_load_couples(macadam_engine *engine, macadam_error *error);
macadam_status mcd_engine_load_snap(macadam_engine *engine, macadam_error *error); /* and facts; for points */

/* What customization needs; under update_lock, with hierarchy and graph loaded. */
macadam_status mcd_engine_load_schedule(macadam_engine *engine, macadam_error *error);

#endif
