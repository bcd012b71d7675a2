/* fix.c - see fix.h. */
#include "engine/match/fix.h"

enum {
    ACCURACY_LEAST_CM = 300, /* roads are drawn no better, whatever a receiver says */
    TIDY_CM = 1500,          /* as OSRM's tidy, which needs both */
    TIDY_MS = 5000,
    PAUSE_INTERVALS = 10, /* as OSRM's gaps=split */
    INTERVAL_LEAST_MS = 1000,
};
static const double default_accuracy_m = 5;
static const double time_max_s = 1e12; /* milliseconds and differences of times fit into 64 bits */
static const double speed_max_ms = 1000;

static bool is_valid(const macadam_trace_point *point)
{
    return fabs(point->lon) <= 180 && fabs(point->lat) <= 90 &&
           (isnan(point->time_s) || fabs(point->time_s) <= time_max_s) && point->accuracy_m >= 0 &&
           point->accuracy_m <= MACADAM_MATCH_ACCURACY_MAX && point->heading_accuracy >= 0 &&
           point->heading_accuracy <= 180 && isfinite(point->heading) && point->speed_ms >= 0 &&
           point->speed_ms <= speed_max_ms && (point->reserved[0] | point->reserved[1]) == 0;
}

static mcd_fix fix_of(const macadam_trace_point *point, double accuracy_m)
{
    mcd_fix out = {.status = MACADAM_MATCH_INVALID, .previous = MCD_FIX_NONE, .time_ms = MCD_TIME_NONE};
    if (!is_valid(point)) return out;
    const double accuracy = point->accuracy_m > 0 ? point->accuracy_m
                            : accuracy_m > 0      ? accuracy_m
                                                  : default_accuracy_m;
    out.status = MACADAM_MATCH_OK;
    out.at = (mcd_point){(int32_t)lrint(point->lon * 1e7), (int32_t)lrint(point->lat * 1e7)};
    out.accuracy_cm = (uint32_t)mcd_size_max(ACCURACY_LEAST_CM, (size_t)lrint(accuracy * 100));
    out.heading_accuracy = (uint32_t)ceil(point->heading_accuracy);
    out.heading = point->heading;
    out.speed_cms = (uint32_t)lrint(point->speed_ms * 100);
    if (!isnan(point->time_s)) out.time_ms = llrint(point->time_s * 1000);
    return out;
}

static uint32_t cm_of(double metres)
{
    return (uint32_t)lrint(metres * 100); /* at most half the globe: 2e9 */
}

static uint32_t line_between(const mcd_fix *from, const mcd_fix *to)
{
    return cm_of(mcd_road_length(from->at, to->at));
}

uint32_t mcd_fix_line_cm(const mcd_fix *fix, uint32_t from, uint32_t to)
{
    return fix[to].previous == from ? fix[to].line_cm : line_between(&fix[from], &fix[to]);
}

/* Whether the fix is too near to the last one that is kept. */
static bool is_crowded(const mcd_fix *kept, const mcd_fix *fix)
{
    const int64_t interval = mcd_fix_interval_ms(kept, fix);
    return (interval != MCD_TIME_NONE && interval < TIDY_MS) || line_between(kept, fix) < TIDY_CM;
}

/* Returns the value that would be number `at` of `count` times above -1 in ascending order, bit by bit. */
static int64_t nth_time(const int64_t *time, size_t count, size_t at)
{
    int64_t all = 0, out = 0;
    for (size_t i = 0; i < count; ++i) all |= time[i];
    for (int bit = all == 0 ? -1 : 63 - __builtin_clzll((uint64_t)all); bit >= 0; --bit) {
        const int64_t trial = out | INT64_C(1) << bit;
        size_t below = 0;
        for (size_t i = 0; i < count; ++i) below += time[i] < trial;
        if (below <= at) out = trial;
    }
    return out;
}

/* Returns the time after which the trace is split: from the median of the times between its fixes. A time that passed
 * over fixes without one is shared by its steps. */
static int64_t pause_of(const mcd_fix *fix, const mcd_trace *trace, int64_t *interval)
{
    int64_t known = MCD_TIME_NONE, steps = 0;
    size_t count = 0;
    for (size_t i = trace->first; i < trace->end; ++i) {
        if (fix[i].status) continue;
        ++steps;
        if (fix[i].time_ms == MCD_TIME_NONE) continue;
        if (known != MCD_TIME_NONE) interval[count++] = (fix[i].time_ms - known) / steps;
        known = fix[i].time_ms;
        steps = 0;
    }
    if (count == 0) return INT64_MAX;
    const int64_t median = nth_time(interval, count, count / 2);
    return PAUSE_INTERVALS * (median > INTERVAL_LEAST_MS ? median : INTERVAL_LEAST_MS);
}

/* Leaves out crowded fixes, but neither the first nor the last. */
static void tidy(mcd_fix *fix, const mcd_trace *trace)
{
    uint32_t kept = MCD_FIX_NONE, last = MCD_FIX_NONE;
    for (size_t i = trace->first; i < trace->end; ++i) {
        if (fix[i].status) continue;
        last = (uint32_t)i;
        if (kept != MCD_FIX_NONE && is_crowded(&fix[kept], &fix[i]))
            fix[i].status = MACADAM_MATCH_OMITTED;
        else
            kept = (uint32_t)i;
    }
    if (last != MCD_FIX_NONE) fix[last].status = MACADAM_MATCH_OK;
}

static mcd_ellipsoid_place place_of(const mcd_fix *fix)
{
    return mcd_ellipsoid_place_of(fix->at.lon_e7, fix->at.lat_e7);
}

void mcd_fixes_link(mcd_fix *fix, const mcd_trace *trace)
{
    uint32_t previous = MCD_FIX_NONE, known = MCD_FIX_NONE;
    mcd_ellipsoid_place place = {0}; /* of the fix `known` */
    for (size_t i = trace->first; i < trace->end; ++i) {
        if (fix[i].status) continue;
        if (previous != MCD_FIX_NONE && previous != fix[i].previous) {
            if (known != previous) place = place_of(&fix[previous]);
            const mcd_ellipsoid_place here = place_of(&fix[i]);
            fix[i].line_cm = cm_of(mcd_ellipsoid_between_m(&place, &here));
            fix[i].since_ms = mcd_fix_interval_ms(&fix[previous], &fix[i]);
            place = here;
            known = (uint32_t)i;
        }
        fix[i].previous = previous;
        previous = (uint32_t)i;
    }
}

void mcd_fixes_read(mcd_fix *fix, mcd_trace *trace, const macadam_trace_point *point,
                    const macadam_match_request *request, int64_t *interval)
{
    int64_t latest = MCD_TIME_NONE;
    for (size_t i = trace->first; i < trace->end; ++i) {
        fix[i] = fix_of(&point[i], request->accuracy_m);
        if (fix[i].status || fix[i].time_ms == MCD_TIME_NONE) continue;
        if (fix[i].time_ms < latest)
            fix[i].status = MACADAM_MATCH_TIME;
        else
            latest = fix[i].time_ms;
    }
    if (request->tidy) tidy(fix, trace);
    mcd_fixes_link(fix, trace);
    trace->pause_ms = request->gaps == MACADAM_MATCH_GAPS_SPLIT ? pause_of(fix, trace, interval) : INT64_MAX;
}
