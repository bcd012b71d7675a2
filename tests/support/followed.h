/* followed.h - simulated drives, followed by sessions and compared with the truth. Used by a test and by the table of
 * tests/bench. */
#ifndef MCD_TESTS_SUPPORT_FOLLOWED_H
#define MCD_TESTS_SUPPORT_FOLLOWED_H

#include "tests/support/drive.h"

/* Kinds of drives. */
typedef enum followed_kind {
    FOLLOWED_PLAIN,      /* along the route, a position a second */
    FOLLOWED_BARE,       /* likewise; neither heading nor speed nor accuracy is known */
    FOLLOWED_COARSE,     /* an accuracy of 30 m */
    FOLLOWED_SPARSE,     /* a position each 5 seconds */
    FOLLOWED_GAPS,       /* with gaps of up to 90 s */
    FOLLOWED_ROUND_TRIP, /* to a place and back */
    FOLLOWED_BACK_GAPS,  /* to a place and back, with gaps */
    FOLLOWED_WHITE,      /* errors of 10 m that are not correlated; only places */
    FOLLOWED_DOUBLED,    /* likewise of 5 m, and each position twice */
    FOLLOWED_FAST,       /* ten positions a second; only places */
    FOLLOWED_UNLIMITED,  /* errors of a normal distribution without a limit */
    FOLLOWED_WRONG_TURN, /* he takes another road at a junction */
    FOLLOWED_TURN_BACK,  /* he turns round and drives back */
    FOLLOWED_KINDS
} followed_kind;
extern const char *const followed_name[FOLLOWED_KINDS];

/* The outcome of the drives of a kind. */
typedef struct followed_tally {
    size_t drives, positions;
    double metres;
    size_t false_off;  /* positions off the route while the traveller was on it */
    size_t unsure;     /* positions on the route that were unsure */
    size_t departures; /* from the route */
    size_t late;       /* found after more than three positions beyond what errors can hide */
    double delay_sum;  /* positions from where he is 3 deviations off the route, until it is found */
    size_t delay_max;
    double delay_metres_max;                    /* of a traveller who turned back: how far he came */
    size_t steps, missed, repeated, disordered; /* instructions said now */
    size_t missed_in_gaps;                      /* passed while no position came, or within errors */
    size_t early;                               /* kinds of a step not in the order far, near, now */
    size_t hasty; /* said now more than 10 s and 30 m before, besides errors; not after gaps */
    size_t arrivals, not_arrived, arrived_early;
    double error_max; /* of the place along the route, in metres */
    size_t error_count;
    size_t astray;  /* positions whose place is farther away than errors can hide */
    double *error;  /* [error_count] */
    double seconds; /* of the processor, in sessions */
} followed_tally;

/* Simulates `drives` drives of a kind between random nodes of the map. The caller frees tally.error. */
followed_tally followed_run(macadam_engine *engine, followed_kind kind, size_t drives, uint64_t seed);

#endif
