/* speed_patterns.h - reduces the travel times of arcs over the week to patterns that arcs share.
 *
 * Two arcs share a pattern if all slots agree in 255ths of their fastest speeds. Where these are more patterns than a
 * file may have, near patterns become one: the speeds are rounded to coarser steps, of a share of the speed, and the times of
 * slots beside each other are averaged, unless nothing moves in one. */
#ifndef MCD_IMPORTERS_SPEEDS_SPEED_PATTERNS_H
#define MCD_IMPORTERS_SPEEDS_SPEED_PATTERNS_H

#include "engine/base/types.h"
#include "engine/map/pattern_set.h"

#define MCD_TIME_STILL UINT64_MAX          /* nothing moves in the slot */
#define MCD_TIME_MAX   (UINT64_C(1) << 55) /* of other times, so that 255 of them are a number */
enum { MCD_COARSENESS_MAX = 12, MCD_PPM = 1000000 };

/* How far the speeds of patterns are from those given, summed over arcs and slots. */
typedef struct mcd_pattern_errors {
    uint64_t slots, sum_ppm, worst_ppm; /* in millionths of the speed */
} mcd_pattern_errors;

/* Writes the pattern of the times that an arc takes in each slot, not all MCD_TIME_STILL, and returns the least time.
 * A speed that is not 0 stays so. coarseness: from 0, all 255ths, to MCD_COARSENESS_MAX, steps of half a speed and means of days. */
uint64_t mcd_pattern_of_times(uint8_t *pattern, const uint64_t *time, size_t slot_count, unsigned coarseness,
                              mcd_pattern_errors *errors);

#endif
