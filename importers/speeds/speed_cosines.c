/* speed_cosines.c - see speed_cosines.h. */
#include "importers/speeds/speed_cosines.h"

#include <math.h>
#include <string.h>

enum { SLOTS = MCD_PATTERN_FINE_SLOTS, HALF_TURN = MCD_COSINE_COUNT / 2 };

void mcd_speed_cosines_fill(mcd_speed_cosines *out)
{
    for (int i = 0; i <= HALF_TURN / 2; ++i) {
        const int32_t cosine = (int32_t)lround(ldexp(cos(i * 3.14159265358979323846 / HALF_TURN), 30));
        out->cosine[i] = out->cosine[(MCD_COSINE_COUNT - i) % MCD_COSINE_COUNT] = cosine;
        out->cosine[HALF_TURN - i] = out->cosine[HALF_TURN + i] = -cosine;
    }
}

bool mcd_speed_cosines_read(int16_t *coefficient, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (int i = 0, bit_count = 0; i < MCD_COEFFICIENT_COUNT; ++text) {
        const char *const digit = *text ? strchr(digits, *text) : NULL;
        if (!digit) return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        bit_count += 6;
        if (bit_count >= 16) coefficient[i++] = (int16_t)(uint16_t)(bits >> (bit_count -= 16));
    }
    return strcmp(text, "==") == 0 || !*text;
}

/* Returns a sum of cosines, times 2^30, in thousandths of a km/h. */
static bool store(uint32_t *kmh_e3, int64_t sum)
{
    enum { CUT = 14, SCALE = 2064190 }; /* 1000 / sqrt(1008), times 2^16 */
    const int64_t speed = ((sum >> CUT) * SCALE + (INT64_C(1) << 31)) >> 32,
                  within = speed < MCD_DECODED_MIN ? MCD_DECODED_MIN
                           : speed > MCD_SPEED_MAX ? MCD_SPEED_MAX
                                                   : speed;
    *kmh_e3 = (uint32_t)within;
    return within != speed;
}

/* The odd cosines of a slot and of that as far from the week's other end differ only in their sign. */
bool mcd_speed_cosines_decode(uint32_t *kmh_e3, const mcd_speed_cosines *cosines, const int16_t *coefficient)
{
    const int32_t *const cosine = cosines->cosine;
    bool is_clamped = false;
    for (int slot = 0; slot < SLOTS / 2; ++slot) {
        const int step = 2 * slot + 1;
        int64_t sum[2] = {(int64_t)coefficient[0] * cosine[HALF_TURN / 4],
                          0}; /* its cosine is that of 45 degrees */
        for (int i = 1, at = step; i < MCD_COEFFICIENT_COUNT; ++i) {
            sum[i % 2] += (int64_t)coefficient[i] * cosine[at];
            at += step;
            if (at >= MCD_COSINE_COUNT) at -= MCD_COSINE_COUNT;
        }
        /* Sunday is the first day of this week, and the last one of a map's. */
        is_clamped |= store(&kmh_e3[(slot + SLOTS - MCD_SPEED_DAY_STEPS) % SLOTS], sum[0] + sum[1]);
        is_clamped |= store(&kmh_e3[SLOTS - 1 - slot - MCD_SPEED_DAY_STEPS], sum[0] - sum[1]);
    }
    return is_clamped;
}
