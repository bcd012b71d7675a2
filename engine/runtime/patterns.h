/* patterns.h - the patterns of speed that updates give to arcs, in place of the file's. */
#ifndef MCD_ENGINE_RUNTIME_PATTERNS_H
#define MCD_ENGINE_RUNTIME_PATTERNS_H

#include "engine/map/pattern_set.h"
#include "engine/map/road.h"

/* The patterns of all originals. All zero: those of the file. */
typedef struct mcd_patterns_in_use {
    uint16_t *arc_pattern; /* [original_count] */
    mcd_pattern_set set;
} mcd_patterns_in_use;

/* New patterns for some originals: one of `given`, by its place there, plus 1; 0: none. */
typedef struct mcd_pattern_change {
    uint32_t original;
    uint16_t pattern;
} mcd_pattern_change;

/* Makes the patterns in use once some originals change; of two changes of one, the later counts. All other originals keep
 * theirs, and patterns that no original has any more go. Returns E_UNSUPPORTED if there are too many, or E_MEMORY. */
macadam_status mcd_patterns_make(mcd_patterns_in_use *out, const mcd_roads *roads,
                                 const mcd_pattern_table *given, const mcd_pattern_change *change,
                                 size_t count, macadam_error *error);
/* Fails unless the patterns that a request gives, if any, are right. */
macadam_status mcd_patterns_check(const macadam_update_request *request, macadam_error *error);
void mcd_patterns_free(mcd_patterns_in_use *patterns);

#endif
