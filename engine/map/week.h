/* week.h - times of a week in slots of 15 minutes, Monday 00:00 first, and what roads are like at them. */
#ifndef MCD_ENGINE_MAP_WEEK_H
#define MCD_ENGINE_MAP_WEEK_H

#include "engine/map/kind.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    MCD_SLOT_MINUTES = 15,
    MCD_DAY_SLOTS = 24 * 60 / MCD_SLOT_MINUTES,
    MCD_WEEK_SLOTS = 7 * MCD_DAY_SLOTS,
    MCD_WEEK_WORDS = MCD_WEEK_SLOTS / 32,
    MCD_WEEKS = 2, /* an ordinary one, and one of public holidays */
};

/* A set of slots, as an edge file holds it. */
typedef struct mcd_week {
    uint32_t word[MCD_WEEK_WORDS]; /* slot s is bit s % 32 of word[s / 32] */
} mcd_week;

static inline bool mcd_week_has(const mcd_week *week, size_t slot)
{
    return week->word[slot / 32] >> slot % 32 & 1;
}

static inline void mcd_week_add(mcd_week *week, size_t slot)
{
    week->word[slot / 32] |= UINT32_C(1) << slot % 32;
}

static inline void mcd_week_unite(mcd_week *sum, const mcd_week *part)
{
    for (size_t w = 0; w < MCD_WEEK_WORDS; ++w) sum->word[w] |= part->word[w];
}

static inline void mcd_weeks_unite(mcd_week sum[MCD_WEEKS], const mcd_week part[MCD_WEEKS])
{
    for (int i = 0; i < MCD_WEEKS; ++i) mcd_week_unite(&sum[i], &part[i]);
}

/* Keeps the slots that are in both. */
static inline void mcd_weeks_meet(mcd_week kept[MCD_WEEKS], const mcd_week other[MCD_WEEKS])
{
    for (size_t w = 0; w < MCD_WEEK_WORDS; ++w)
        for (int i = 0; i < MCD_WEEKS; ++i) kept[i].word[w] &= other[i].word[w];
}

/* The conditions of a week besides its slots, as an edge file holds them. All 0: there are none. */
typedef struct mcd_guard {
    /* only for vehicles that exceed each of these, in the units of mcd_limit; 0: any */
    uint32_t above[MCD_LIMITS];
    uint32_t timeless; /* 1: where no slot is given, too */
    uint32_t also; /* the number of an earlier week, plus 1, whose times count as well; 0: there is none */
} mcd_guard;

/* Returns whether a vehicle of these measures, 0 = not limited, is one of those that a guard is about. */
static inline bool mcd_guard_fits(const mcd_guard *guard, const uint32_t vehicle[MCD_LIMITS])
{
    bool fits = true;
    for (int limit = 0; limit < MCD_LIMITS; ++limit)
        fits = fits && (!guard->above[limit] || vehicle[limit] > guard->above[limit]);
    return fits;
}

/* The times and the vehicles for which something holds. */
typedef struct mcd_period {
    mcd_week week[MCD_WEEKS];
    mcd_guard guard;
} mcd_period;

/* The weight of an arc in some slots, as an edge file holds it. */
typedef struct mcd_timed_arc {
    uint32_t number;       /* of the arc */
    uint32_t week;         /* when: a number of a week */
    uint32_t usual, timed; /* its duration at other times, and then; timed = MCD_UNREACHED: it is closed */
} mcd_timed_arc;

/* Returns how long an arc that now takes `own` takes in those slots, if it is not closed. An update may have made the arc
 * faster than usual; then the change is relative. */
static inline uint64_t mcd_timed_arc_duration(const mcd_timed_arc *timed, uint32_t own)
{
    return own >= timed->usual ? (uint64_t)own - timed->usual + timed->timed
                               : (uint64_t)own * timed->timed / timed->usual;
}

/* When an arc is shut. 0: never. A number of a week, plus 1: in that week's slots, and as its guard says. With
 * MCD_WHEN_OPENS: in all others, and where no slot is given; then the weeks that the guard adds are times when it is
 * shut all the same. */
typedef uint32_t mcd_when;
enum { MCD_WHEN_OPENS = 1 << 29 };

/* An arc that is shut in some slots, as an edge file holds it: its number in the graph, when (mcd_when), and what it
 * weighs where it opens: a number for each quantity. */
enum { MCD_SHUT_ARC, MCD_SHUT_WHEN, MCD_SHUT_WORDS };

extern const char mcd_week_days[7][3]; /* "Mo", "Tu", ... */

/* Returns the day, 0 = Monday, that two letters ("Mo", "Tu", ...) name; 7 if they name none. */
size_t mcd_week_day(const char *letters);

#endif
