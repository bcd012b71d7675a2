/* speed_cosines.h - a week of speeds as Valhalla's predicted speeds have it: 200 coefficients of cosines (DCT-II) of the
 * 2,016 speeds of 5 minutes, from Sunday 00:00.
 *
 * All arithmetic after the table of cosines is on integers. The table holds whole numbers: cosines times 2^30, rounded. None
 * of these is so near a half that an error of the C library's cosine below 1e-14 changes it. So all machines agree. */
#ifndef MCD_IMPORTERS_SPEEDS_SPEED_COSINES_H
#define MCD_IMPORTERS_SPEEDS_SPEED_COSINES_H

#include "importers/speeds/speed_table.h"

enum {
    MCD_COSINE_COUNT = 4 * MCD_PATTERN_FINE_SLOTS, /* of a whole turn */
    MCD_COEFFICIENT_COUNT = 200,
    MCD_DECODED_MIN = 5000, /* 5 km/h, in thousandths: sharp dips decode to speeds near 0 and below */
};

typedef struct mcd_speed_cosines {
    int32_t cosine[MCD_COSINE_COUNT]; /* times 2^30 */
} mcd_speed_cosines;

void mcd_speed_cosines_fill(mcd_speed_cosines *out);

/* Reads 400 bytes in base64, numbers of 16 bits, high byte first. Returns whether the text is that. */
bool mcd_speed_cosines_read(int16_t *coefficient, const char *text);

/* Writes the speeds of the week, Monday 00:00 first, in thousandths of a km/h, from MCD_DECODED_MIN to MCD_SPEED_MAX.
 * kmh_e3: [MCD_PATTERN_FINE_SLOTS]. Returns whether one was outside. */
bool mcd_speed_cosines_decode(uint32_t *kmh_e3, const mcd_speed_cosines *cosines, const int16_t *coefficient);

#endif
