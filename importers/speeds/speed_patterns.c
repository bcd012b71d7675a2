/* speed_patterns.c - see speed_patterns.h. */
#include "importers/speeds/speed_patterns.h"

/* Returns the nearest of the steps down from the fastest, each at least 1 and a share of the one above it. */
static uint8_t coarsen(unsigned speed, unsigned coarseness)
{
    unsigned above = MCD_PATTERN_FASTEST, below = above;
    while (below > speed) {
        above = below;
        const unsigned step = (below << coarseness) / 256;
        below -= step ? step : 1;
    }
    if (below == 0) return 1;
    return (uint8_t)(above - speed < speed - below ? above : below);
}

static uint8_t speed_at(uint64_t time, uint64_t least, unsigned coarseness)
{
    if (time == MCD_TIME_STILL) return 0;
    if (time == least) return MCD_PATTERN_FASTEST;
    if (least == 0) return 1;
    const uint8_t speed = mcd_pattern_rate(least, time);
    return coarseness ? coarsen(speed, coarseness) : speed;
}

static uint64_t error_ppm(uint8_t speed, uint64_t time, uint64_t least)
{
    if (speed == 0 || least == 0) return 0;
    const double given = (double)least / (double)time, kept = (double)speed / MCD_PATTERN_FASTEST;
    return (uint64_t)(MCD_PPM * (kept > given ? kept - given : given - kept) / given + 0.5);
}

uint64_t mcd_pattern_of_times(uint8_t *pattern, const uint64_t *time, size_t slot_count, unsigned coarseness,
                              mcd_pattern_errors *errors)
{
    uint64_t least = MCD_TIME_STILL, ppm = 0;
    for (size_t i = 0; i < slot_count; ++i)
        if (time[i] < least) least = time[i];
    for (size_t i = 0; i < slot_count; ++i) {
        const bool is_new = i == 0 || time[i] != time[i - 1]; /* speeds change seldom */
        pattern[i] = is_new ? speed_at(time[i], least, coarseness) : pattern[i - 1];
        if (is_new) ppm = error_ppm(pattern[i], time[i], least);
        errors->sum_ppm += ppm;
        if (ppm > errors->worst_ppm) errors->worst_ppm = ppm;
    }
    errors->slots += slot_count;
    return least;
}
