/* journey.h - journeys: the parts of a trace that are matched, as positions that never go back. */
#ifndef MCD_ENGINE_MATCH_JOURNEY_H
#define MCD_ENGINE_MATCH_JOURNEY_H

#include "engine/match/viterbi.h"

/* The connected fixes of one journey, in their order. */
typedef struct mcd_journey {
    const uint32_t *fix; /* [count] */
    size_t count;        /* at least 2 */
} mcd_journey;

/* The sums of a journey. */
typedef struct mcd_journey_sum {
    uint64_t objective, distance_cm; /* of the way */
    uint64_t line_cm;                /* of the straight lines between the fixes */
} mcd_journey_sum;

/* A position of a journey, as the traveller arrives and as the traveller departs: in the other direction after a turn. */
typedef struct mcd_match_stop {
    uint32_t arc[2], before[2]; /* by mcd_end; 2^-32ths of the arc, before it */
} mcd_match_stop;

/* Sets stop[i] to the position of the i-th candidate: of one that stands, that of the candidate before it. Returns the
 * sums. */
mcd_journey_sum mcd_journey_walk(const mcd_journey *journey, const mcd_move_search *search,
                                 const mcd_choice *choice, mcd_match_stop *stop);

/* Returns how probable it is that the way is right, from the lengths of way and lines: from 0 to 1. (OSRM's
 * classifier) */
double mcd_journey_confidence(const mcd_journey_sum *sum);

/* Returns the candidate of a fix at which the traveller arrives, or from which the traveller departs. */
static inline const mcd_candidate *mcd_chosen(const mcd_move_search *search, const mcd_choice *choice,
                                              uint32_t fix, mcd_end end)
{
    const mcd_candidate *const of = search->list[fix].candidate, *const out = &of[choice[fix].candidate];
    return end == MCD_ARRIVE && out->turned ? &of[out->twin] : out;
}

#endif
