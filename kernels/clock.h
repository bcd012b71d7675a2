/* clock.h - how long an arc takes when its speed changes over the week: the rule of all searches with a clock.
 *
 * An instant is a number of milliseconds since Monday 00:00; the week repeats. A slot of the week has a rate r: the speed
 * in 1/255 of the week's fastest, which takes `own` milliseconds. An arc entered at t is left at the least whole
 * millisecond T >= t at which the integral of r over [t, T] reaches 255 * own. So an arc that is entered later is never
 * left earlier (FIFO). Backward, an arc left by T is entered at the latest whole t with that integral: the latest
 * one from which the arc is left by T, so the two are exact inverses. A rate of 0 is a standstill; it counts. */
#ifndef MCD_KERNELS_CLOCK_H
#define MCD_KERNELS_CLOCK_H

#include "kernels/views.h"

#define MCD_WEEK_MS  UINT32_C(604800000)
#define MCD_RATE_MAX 255 /* the week's fastest speed */

/* The instant of a search after `elapsed` ms; backward, from the end of four weeks, so that it does not fall below 0. */
MCD_INLINE uint32_t mcd_clock_instant(uint32_t base, mcd_weight elapsed, mcd_direction direction)
{
    return direction == MCD_FORWARD ? base + elapsed : base + 4 * MCD_WEEK_MS - elapsed;
}
static_assert(4 * (uint64_t)MCD_WEEK_MS > MCD_WEIGHT_MAX, "no search goes back further than four weeks");
static_assert(MCD_WEEK_MS + (uint64_t)MCD_WEIGHT_MAX + MCD_WEEK_MS < UINT32_MAX &&
                  UINT64_C(6) * MCD_WEEK_MS < UINT32_MAX,
              "instants fit, also one week later");

/* Returns the time that an arc of a pattern takes, from the slot where `left` ms remain in the direction of the search; for
 * arcs that cross a slot's border. The third walk through a week follows the walks that are the same. */
MCD_INLINE uint64_t mcd_clock_walk(const uint8_t *rate, uint32_t slot_count, uint32_t slot, uint32_t left,
                                   uint64_t need, mcd_direction direction)
{
    const uint32_t slot_ms = MCD_WEEK_MS / slot_count;
    uint64_t passed = 0, need_then = 0;
    for (uint32_t walked = 0;; ++walked) {
        const uint32_t most = rate[slot] * left;
        if (most >= need) return passed + ((uint32_t)need + rate[slot] - 1) / rate[slot];
        need -= most;
        passed += left;
        left = slot_ms;
        if (direction == MCD_FORWARD)
            slot = slot + 1 < slot_count ? slot + 1 : 0;
        else
            slot = slot > 0 ? slot - 1 : slot_count - 1;
        if (walked == 0) need_then = need;
        if (walked == slot_count) { /* one whole week since then */
            const uint64_t in_week = need_then - need;
            if (in_week == 0) return UINT64_MAX;
            passed += (need - 1) / in_week * MCD_WEEK_MS;
            need -= (need - 1) / in_week * in_week;
        }
    }
}

/* Returns the time from entering an arc to leaving it: forward, if it is entered at `instant`; backward, if it is left by
 * then at the latest possible entry. MCD_UNREACHED: that much or more. `instant` is below 2^32 less a week, `own` below
 * MCD_UNREACHED, and `pattern` is one of the patterns. */
MCD_INLINE mcd_weight mcd_clock_duration(const mcd_patterns *patterns, uint32_t pattern, uint32_t instant,
                                         mcd_weight own, mcd_direction direction)
{
    const uint32_t slot_ms = MCD_WEEK_MS / patterns->slot_count;
    const uint32_t at = direction == MCD_FORWARD ? instant : instant + MCD_WEEK_MS - 1;
    const uint32_t left = direction == MCD_FORWARD ? slot_ms - at % slot_ms : at % slot_ms + 1;
    const uint8_t *rate = patterns->rate + (size_t)(pattern - 1) * patterns->slot_count;
    if (own == 0) return 0;
    const uint64_t passed = mcd_clock_walk(rate, patterns->slot_count, at / slot_ms % patterns->slot_count,
                                           left, (uint64_t)MCD_RATE_MAX * own, direction);
    return passed < MCD_UNREACHED ? (mcd_weight)passed : MCD_UNREACHED;
}

/* Returns price and duration of an arc for a search at `instant`: forward, the price is paid first; backward, last.
 * MCD_UNREACHED: that much or more, or closed. */
MCD_INLINE mcd_weight mcd_clock_cost(const mcd_patterns *patterns, const mcd_clock_arc *arc, uint32_t instant,
                                     mcd_direction direction)
{
    mcd_weight duration = arc->own;
    if (arc->pattern && duration < MCD_UNREACHED) {
        const uint32_t paid = direction == MCD_FORWARD ? arc->price % MCD_WEEK_MS : 0;
        duration =
            mcd_clock_duration(patterns, arc->pattern, instant % MCD_WEEK_MS + paid, duration, direction);
    }
    const mcd_weight sum = duration + arc->price; /* both below 2^31 */
    return sum < MCD_UNREACHED ? sum : MCD_UNREACHED;
}

/* Returns the speed of a pattern in a slot. */
MCD_INLINE uint32_t mcd_clock_rate(const mcd_patterns *patterns, uint32_t pattern, uint32_t slot)
{
    return patterns->rate[(size_t)(pattern - 1) * patterns->slot_count + slot];
}

/* The slot of an instant, and how much of it remains in the direction of the search. */
typedef struct mcd_clock_moment {
    uint32_t slot, left;
} mcd_clock_moment;

MCD_INLINE mcd_clock_moment mcd_clock_moment_of(const mcd_patterns *patterns, uint32_t instant,
                                                mcd_direction direction)
{
    const uint32_t slot_ms = MCD_WEEK_MS / patterns->slot_count,
                   at = direction == MCD_FORWARD ? instant : instant - 1, begin = at / slot_ms * slot_ms,
                   passed = instant - begin;
    return (mcd_clock_moment){at / slot_ms % patterns->slot_count,
                              direction == MCD_FORWARD ? slot_ms - passed : passed};
}

/* mcd_clock_cost, faster for arcs that are entered and left in the slot of the instant, in which their speed is `rate`
 * and of which `left` ms remain; the rate does not count without a pattern. */
MCD_INLINE mcd_weight mcd_clock_cost_in_slot(const mcd_patterns *patterns, const mcd_clock_arc *arc,
                                             uint32_t instant, uint32_t left, uint32_t rate,
                                             mcd_direction direction)
{
    const uint32_t paid = direction == MCD_FORWARD ? arc->price : 0;
    const uint64_t need = (uint64_t)MCD_RATE_MAX * arc->own;
    if (arc->pattern == 0) {
        const mcd_weight sum = arc->own + arc->price;
        return sum < MCD_UNREACHED ? sum : MCD_UNREACHED;
    }
    if (rate == 0 || paid >= left || need > (uint64_t)rate * (left - paid))
        return mcd_clock_cost(patterns, arc, instant, direction);
    return ((uint32_t)need + rate - 1) / rate + arc->price; /* at most `left` */
}

/* Returns whether an arc lowers the cost `at` its end if it is passed at the fastest speed from the cost `before` on. */
MCD_INLINE bool mcd_clock_may_lower(const mcd_clock_arc *arc, mcd_weight before, mcd_weight at)
{
    return (uint64_t)before + arc->own + arc->price < at;
}

#endif
