/* clock_bounds.h - lower bounds of durations by the clock, and samples of durations: for ways that lie within a window of
 * the week.
 *
 * In a window, an arc takes at least what it takes at the fastest speed there. Customized on the hierarchy, these weights
 * bound every way that begins and ends in the window. Nothing else is known of ways that leave it, so an answer found by
 * a bound counts only if it lies in the window. The window of a whole week bounds all ways. Samples are travel times
 * at departures of the window, which answer approximately. */
#ifndef MCD_ENGINE_RUNTIME_CLOCK_BOUNDS_H
#define MCD_ENGINE_RUNTIME_CLOCK_BOUNDS_H

#include "engine/runtime/engine.h"

/* From the instant `begin` (below MCD_WEEK_MS) on; at most a week. */
typedef struct mcd_clock_window {
    uint32_t begin, length_ms;
} mcd_clock_window;

static inline bool mcd_clock_window_is(mcd_clock_window a, mcd_clock_window b)
{
    return a.begin == b.begin && a.length_ms == b.length_ms;
}

/* Returns the window of some hours for ways from (MCD_BACKWARD: to) an instant. *room: how long they may take. */
mcd_clock_window mcd_clock_window_of(uint32_t instant, mcd_direction direction, uint32_t hours,
                                     mcd_weight *room);

typedef struct mcd_clock_bound {
    atomic_uint users;
    mcd_clock_window window;
    mcd_kept kept;
    mcd_weights weights;       /* the bounds: hierarchy, graph and `kept`, without children */
    mcd_clock_samples samples; /* instead of bounds */
} mcd_clock_bound;

enum { MCD_CLOCK_REQUESTS = 1021 };

/* Those that are made. Zeroed = empty, but for the lock. */
typedef struct mcd_clock_bounds {
    pthread_mutex_t lock;       /* of the list */
    mcd_clock_bound *bound[96]; /* [count] the last used one first */
    size_t count;
    uint8_t requests[MCD_CLOCK_REQUESTS]; /* by a hash of the window */
} mcd_clock_bounds;

/* Finds the bounds of a window, with one more user, or makes them at the request number `least` of the window: *out is
 * NULL at those before. 0: makes none, and does not count. `bounds` are those of `arcs`. The map needs a hierarchy. The
 * ones that were not used for long make room. Any number of threads may call it, under no lock. Time: to make them, a
 * customization. */
macadam_status mcd_clock_bound_request(mcd_clock_bound **out, mcd_clock_bounds *bounds,
                                       macadam_engine *engine, const mcd_clock_arcs *arcs,
                                       mcd_clock_window window, uint32_t least, macadam_error *error);
/* Finds or makes samples likewise, (*out)->samples, from `begin` on. No window of bounds is as long as theirs. */
macadam_status mcd_clock_samples_use(mcd_clock_bound **out, mcd_clock_bounds *bounds, macadam_engine *engine,
                                     const mcd_clock_arcs *arcs, uint32_t begin, uint32_t step_ms,
                                     macadam_error *error);
void mcd_clock_bound_leave(mcd_clock_bound *bound); /* NULL is fine */
MCD_DEFINE_FREE_AT(mcd_clock_bound_leave_at, mcd_clock_bound, mcd_clock_bound_leave)

/* Returns the bytes that they take. */
uint64_t mcd_clock_bounds_bytes(mcd_clock_bounds *bounds);
void mcd_clock_bounds_free(mcd_clock_bounds *bounds);

#endif
