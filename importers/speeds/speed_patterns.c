/* speed_patterns.c - see speed_patterns.h. */
#include "importers/speeds/speed_patterns.h"

/* How patterns become coarser: steps of 2^`step` in 256 of a speed, and means of `slots` of a week of
 * MCD_PATTERN_SLOTS; 1: each slot keeps its time, also a slot of 5 minutes. */
static const struct {
    uint8_t step, slots;
} coarse[MCD_COARSENESS_MAX + 1] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1},  {4, 2}, {5, 2},
                                    {5, 4}, {6, 4}, {6, 8}, {7, 8}, {7, 24}, {7, 96}};

static void average(uint64_t *out, const uint64_t *time, size_t count)
{
    uint64_t mean = 0;
    for (size_t i = 0; i < count; ++i) {
        if (time[i] == MCD_TIME_STILL) mean = MCD_TIME_STILL;
        if (mean != MCD_TIME_STILL) mean += time[i] / count;
    }
    for (size_t i = 0; i < count; ++i) out[i] = mean == MCD_TIME_STILL ? time[i] : mean;
}

/* Returns the nearest of the steps down from the fastest, each at least 1 and a share of the one above it. */
static uint8_t coarsen(unsigned speed, unsigned step_bits)
{
    unsigned above = MCD_PATTERN_FASTEST, below = above;
    while (below > speed) {
        above = below;
        const unsigned step = (below << step_bits) / 256;
        below -= step ? step : 1;
    }
    if (below == 0) return 1;
    return (uint8_t)(above - speed < speed - below ? above : below);
}

static uint8_t speed_at(uint64_t time, uint64_t least, unsigned step_bits)
{
    if (time == MCD_TIME_STILL) return 0;
    if (time == least) return MCD_PATTERN_FASTEST;
    if (least == 0) return 1;
    const uint8_t speed = mcd_pattern_rate(least, time);
    return step_bits ? coarsen(speed, step_bits) : speed;
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
    const size_t slots = coarse[coarseness].slots,
                 part = slots > 1 ? slots * mcd_pattern_week_slots(slot_count) / MCD_PATTERN_SLOTS : 1;
    uint64_t least = MCD_TIME_STILL, ppm = 0, means[MCD_PATTERN_SLOTS_MAX];
    const uint64_t *const mean = part > 1 ? means : time;
    for (size_t first = 0; part > 1 && first < slot_count; first += part)
        average(means + first, time + first, part);
    for (size_t i = 0; i < slot_count; ++i)
        if (mean[i] < least) least = mean[i];
    for (size_t i = 0; i < slot_count; ++i) {
        const bool is_new =
            i == 0 || time[i] != time[i - 1] || mean[i] != mean[i - 1]; /* speeds change seldom */
        pattern[i] = is_new ? speed_at(mean[i], least, coarse[coarseness].step) : pattern[i - 1];
        if (is_new) ppm = error_ppm(pattern[i], time[i], least);
        errors->sum_ppm += ppm;
        if (ppm > errors->worst_ppm) errors->worst_ppm = ppm;
    }
    errors->slots += slot_count;
    return least;
}
