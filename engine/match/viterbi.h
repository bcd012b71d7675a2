/* viterbi.h - the most plausible sequence of candidates along a trace, with new beginnings where there is
 * none. */
#ifndef MCD_ENGINE_MATCH_VITERBI_H
#define MCD_ENGINE_MATCH_VITERBI_H

#include "engine/match/transition.h"

/* The decision for a fix. */
typedef struct mcd_choice {
    uint32_t from;      /* the fix before it on the best ways to its candidates; MCD_FIX_NONE: a beginning */
    uint32_t candidate; /* the one that is chosen; MCD_FIX_NONE: none is */
    uint32_t alternatives; /* how many others lead to a candidate at the end of the journey */
} mcd_choice;

/* The state of a trace between two calls. */
typedef struct mcd_viterbi {
    mcd_trace trace;
    size_t next;      /* the fix that is looked at next */
    uint32_t last;    /* the last fix that is connected; MCD_FIX_NONE: none is */
    uint32_t broken;  /* the first fix after it that is not; MCD_FIX_NONE: none */
    uint32_t skipped; /* how many are not */
    int64_t known_ms; /* the last known time of the journey; MCD_TIME_NONE: none is known */
    uint32_t untimed; /* how many connected fixes came later, without a time */
} mcd_viterbi;

/* The transitions of the moves to the fixes first <= i < end, from the OK fixes before them. */
typedef struct mcd_transitions {
    size_t first, end;
    const size_t *first_cell; /* [i - first]; SIZE_MAX: there are none */
    const mcd_transition *cell;
} mcd_transitions;

void mcd_viterbi_begin(mcd_viterbi *out, const mcd_trace *trace);

/* Goes on until all fixes below `end` are looked at, or `watch` says no. At the end of the trace the choices
 * are complete. Moves that are not prepared are computed. Returns E_CANCELLED or E_MEMORY. */
macadam_status mcd_viterbi_advance(mcd_viterbi *viterbi, const mcd_move_search *search,
                                   const mcd_transitions *transitions, size_t end, mcd_choice *choice,
                                   const mcd_watch *watch, macadam_error *error);

#endif
