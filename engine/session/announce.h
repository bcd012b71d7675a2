/* announce.h - when the instructions of a route are said. */
#ifndef MCD_ENGINE_SESSION_ANNOUNCE_H
#define MCD_ENGINE_SESSION_ANNOUNCE_H

#include "engine/session/track.h"

typedef struct mcd_announced_step {
    double along, seconds; /* where and when it begins, from the start of the route */
    bool arrives;          /* it is an arrival */
    uint8_t said;          /* how it was said last, apart from now: a macadam_guide_say */
} mcd_announced_step;

/* Each step is said to be done now, once, and in order. Before that, the next one is said to be near, and before that far,
 * unless too little is left until what is said then. */
typedef struct mcd_announcer {
    mcd_announced_step *step; /* [count] in the order of travel; borrowed */
    size_t count;
    double lead_s[MACADAM_GUIDE_NOW + 1]; /* how long before, by macadam_guide_say */
    size_t next;     /* the first step that begins beyond the traveller, or the last one */
    size_t said_end; /* steps before it were said now, or were passed without */
} mcd_announcer;

/* The traveller. */
typedef struct mcd_announce_moment {
    double along;
    const mcd_sighting *sighting;
    double speed_ms;
    double interval_s; /* since the last position; 0: not known */
    bool is_new;       /* he has come to the route, or back to it: what is in front of him is said again */
    bool is_end;       /* he has arrived: all that is left is said */
} mcd_announce_moment;

/* Sets which steps are to be said, and how; nothing if none are. */
void mcd_announce(macadam_guide_state *out, mcd_announcer *announcer, const mcd_announce_moment *moment);

#endif
