/* test_speed_cosines.c - weeks of speeds as cosines: beside a transform in floating point that shares no code with them, and
 * beside Valhalla's own decoder. */
#include "importers/speeds/speed_cosines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2016, COEFFICIENTS = 200, SUNDAY = 6 * 288 };

static const double pi = 3.14159265358979323846;
static mcd_speed_cosines cosines;
static uint32_t kmh_e3[SLOTS];

/* Returns the speed of a slot from Monday on. */
static double speed_of(const int16_t *coefficient, int slot)
{
    const int from_sunday = (slot + 288) % SLOTS;
    double sum = coefficient[0] / sqrt(2);
    for (int k = 1; k < COEFFICIENTS; ++k) sum += coefficient[k] * cos(pi / SLOTS * (from_sunday + 0.5) * k);
    return sum * sqrt(2.0 / SLOTS);
}

Test(speed_cosines, the_table_does_not_depend_on_the_last_bits_of_cosines)
{
    mcd_speed_cosines_fill(&cosines);
    for (int i = 0; i < 4 * SLOTS; ++i) {
        const double exact = cos(2 * pi * i / (4 * SLOTS)) * 1073741824,
                     fraction = fabs(exact - trunc(exact));
        cr_assert_lt(fabs(exact - cosines.cosine[i]), 0.5, "%d", i);
        cr_assert_gt(fabs(fraction - 0.5), 1e-14 * 1073741824, "%d", i);
    }
}

Test(speed_cosines, decoded_speeds_are_those_of_the_transform)
{
    int16_t coefficient[COEFFICIENTS];
    mcd_speed_cosines_fill(&cosines);
    srand(1);
    for (int round = 0; round < 20; ++round) {
        const int spread = round == 0 ? 32767 : 1 + rand() % 60;
        bool is_outside = false;
        for (int k = 0; k < COEFFICIENTS; ++k) coefficient[k] = (int16_t)(rand() % (2 * spread) - spread);
        coefficient[0] = (int16_t)(round == 0 ? 32767 : 1000 + rand() % 4000);
        const bool is_clamped = mcd_speed_cosines_decode(kmh_e3, &cosines, coefficient);
        for (int slot = 0; slot < SLOTS; ++slot) {
            const double speed = speed_of(coefficient, slot), within = fmin(fmax(speed, 5), 1000);
            is_outside |= speed != within;
            cr_assert_lt(fabs(kmh_e3[slot] - 1000 * within), 1, "%d: %u, not %f", slot, kmh_e3[slot], speed);
        }
        cr_expect_eq(is_clamped, is_outside);
    }
}

Test(speed_cosines, the_week_begins_on_sunday)
{
    int16_t coefficient[COEFFICIENTS];
    mcd_speed_cosines_fill(&cosines);
    for (int k = 0; k < COEFFICIENTS; ++k) { /* 50 km/h, on Sundays 20 */
        double sum = 0;
        for (int slot = 0; slot < SLOTS; ++slot)
            sum += (slot < 288 ? 20 : 50) * cos(pi / SLOTS * (slot + 0.5) * k);
        coefficient[k] = (int16_t)lround(sum * sqrt(2.0 / SLOTS) / (k ? 1 : sqrt(2)));
    }
    cr_expect_not(mcd_speed_cosines_decode(kmh_e3, &cosines, coefficient));
    for (int day = 0; day < 7; ++day)
        cr_expect_lt(abs((int)kmh_e3[288 * day + 144] - (day == 6 ? 20000 : 50000)), 500, "%d: %u", day,
                     kmh_e3[288 * day + 144]);
}

/* Made and decoded by pyvalhalla 3.9.1: 50 km/h, nights 62, Monday to Friday from 07:00 to 09:30 21, and Wednesday from 16:30
 * to 18:00 3, which decodes to speeds from -4.4 on. */
static const char week[] = "CO4ACABLAAQACAAhACEADP/jADP/9f/+/9UACAD3AA//6wAY//H/0wAIAAD/8v/iAA8ALP/fAJUAg/9q/"
                           "9D/4AAG//3/3wAOACD/9wAFAAsA"
                           "Ov/g/4AABwAz/9sAFwARAAr/5P/8ABT/4P/b//D/xgBGADn//gAS/9//6wAU/+7/6//yABj/+f/"
                           "pAD4ATf+//+cADwAD//f/9AAhAAn/8QAO"
                           "ABIAEf/T/+kAIgAK//AAHQAL//T/9gAOAAb/4f/7AAT/6AAPABsABv/4/+oABQAL/+n/9wAIAAn/7P/"
                           "+ABj/8//oAAIAEv/4//UACAAP//b/"
                           "9gAPAAP/9f/oAAcAFf/0AAgADwAA//MACQAL//n/9wALAAj/9f/5AA8ABf/3AAIAD//+//kABAAO//j/"
                           "+QAGAAD/7wAGAAkABP/3//wACv/7"
                           "//YAAAAF//7/9AAVAAP/7f/0AAb//f/7//wACQAC//oACAAGAAj/+//dAAMABv/+AAsABv/+AAQAAwAF/"
                           "/cAAf/+/+0ACgAXAAAAAQ==";

Test(speed_cosines, a_week_of_valhalla_has_the_speeds_that_valhalla_decodes)
{
    static const struct {
        int from_sunday, kmh_e3;
    } slot[] = {{0, 62281},    {100, 50038},          {288, 61368},           {388, 20083},
                {2015, 61102}, {3 * 288 + 204, 5000}, {3 * 288 + 198, 25396}, {3 * 288 + 190, 52213}};
    int16_t coefficient[COEFFICIENTS];
    cr_assert(mcd_speed_cosines_read(coefficient, week));
    mcd_speed_cosines_fill(&cosines);
    cr_expect(mcd_speed_cosines_decode(kmh_e3, &cosines, coefficient));
    for (size_t i = 0; i < sizeof slot / sizeof *slot; ++i) {
        const uint32_t speed = kmh_e3[(slot[i].from_sunday + SUNDAY) % SLOTS];
        cr_expect_leq(abs((int)speed - slot[i].kmh_e3), 1, "%d: %u", slot[i].from_sunday, speed);
    }
}

Test(speed_cosines, text_of_another_length_or_alphabet_is_refused)
{
    char text[sizeof week + 1];
    int16_t coefficient[COEFFICIENTS];
    strcpy(text, week);
    text[sizeof week - 3] = '\0';
    cr_expect(mcd_speed_cosines_read(coefficient, text), "without =");
    text[sizeof week - 4] = '\0';
    cr_expect_not(mcd_speed_cosines_read(coefficient, text));
    cr_expect_not(mcd_speed_cosines_read(coefficient, strcat(strcpy(text, week), "=")));
    strcpy(text, week)[7] = '-';
    cr_expect_not(mcd_speed_cosines_read(coefficient, text));
    cr_expect_not(mcd_speed_cosines_read(coefficient, ""));
}
