/* fix.h - fixes: the points of traces, checked and in integers. */
#ifndef MCD_ENGINE_MATCH_FIX_H
#define MCD_ENGINE_MATCH_FIX_H

#include "engine/base/parallel.h"
#include "engine/map/road.h"

#define MCD_FIX_NONE UINT32_MAX

typedef struct mcd_fix {
    mcd_point at;
    macadam_match_status status; /* OK: it is to be matched */
    uint32_t accuracy_cm;        /* the standard deviation: at least 300 */
    uint32_t heading_accuracy;   /* in degrees; 0: there is no heading */
    uint32_t speed_cms;          /* centimetres per second; 0: not known */
    uint32_t previous;           /* the OK fix of the trace before it; MCD_FIX_NONE: it is the first */
    uint32_t line_cm;            /* the straight line from there */
    double heading;
    int64_t time_ms;  /* MCD_TIME_NONE: not known */
    int64_t since_ms; /* the time from the fix before; likewise */
} mcd_fix;

#define MCD_TIME_NONE INT64_MIN

/* The fixes first <= i < end of one trace. */
typedef struct mcd_trace {
    size_t first, end;
    int64_t pause_ms; /* a longer time between fixes splits the trace; INT64_MAX: none does */
} mcd_trace;

/* Reads the points of one trace into fix[first ... end), whose indexes are those of `point`. `interval` is
 * scratch for end - first numbers. */
void mcd_fixes_read(mcd_fix *fix, mcd_trace *trace, const macadam_trace_point *point,
                    const macadam_match_request *request, int64_t *interval);

/* Makes each OK fix know the one before it, after others have lost that status. */
void mcd_fixes_link(mcd_fix *fix, const mcd_trace *trace);

/* Returns the length of the straight line from one fix of a trace to a later one in centimetres. */
uint32_t mcd_fix_line_cm(const mcd_fix *fix, uint32_t from, uint32_t to);

/* Returns the time from one fix to another in milliseconds, or MCD_TIME_NONE. */
static inline int64_t mcd_fix_interval_ms(const mcd_fix *from, const mcd_fix *to)
{
    if (from->time_ms == MCD_TIME_NONE || to->time_ms == MCD_TIME_NONE) return MCD_TIME_NONE;
    return to->time_ms - from->time_ms;
}

#endif
