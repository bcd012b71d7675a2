/* test_opening_hours.c - times of the week as conditions write them. */
#include "importers/osm/rules/opening_hours.h"

#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the slots of each day: "Mo 28-36" from slot 28 (07:00) up to 36, without it. Returns how many bytes. */
static size_t write_week(char *out, size_t room, const mcd_week *week)
{
    static const char day[][3] = {"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"};
    size_t used = 0;
    out[0] = '\0';
    for (size_t slot = 0; slot < MCD_WEEK_SLOTS; ++slot) {
        const size_t of_day = slot % MCD_DAY_SLOTS;
        if (!mcd_week_has(week, slot) || (of_day > 0 && mcd_week_has(week, slot - 1))) continue;
        size_t end = of_day;
        while (end < MCD_DAY_SLOTS && mcd_week_has(week, slot - of_day + end)) ++end;
        used += (size_t)snprintf(out + used, room - used, "%s%s %zu-%zu", used ? ", " : "",
                                 day[slot / MCD_DAY_SLOTS], of_day, end);
    }
    return used;
}

/* Reads `text` and writes its ordinary week and, after "; PH: ", that of holidays if it names holidays. */
static const char *read_text(const char *text)
{
    static char out[2048];
    mcd_week week[MCD_WEEKS];
    unsigned holidays = 0;
    if (!mcd_opening_hours_read(week, &holidays, text, strlen(text))) return "none";
    size_t used = write_week(out, sizeof out, &week[0]);
    if (holidays) {
        used += (size_t)snprintf(out + used, sizeof out - used, "; PH: ");
        write_week(out + used, sizeof out - used, &week[1]);
    } else {
        cr_expect_arr_eq(&week[0], &week[1], sizeof week[0], "%s", text);
    }
    return out;
}

#define EACH_DAY(slots)                                                                                      \
    "Mo " slots ", Tu " slots ", We " slots ", Th " slots ", Fr " slots ", Sa " slots ", Su " slots

Test(opening_hours, texts_are_slots)
{
    static const struct {
        const char *text, *slots;
    } row[] = {
        {"24/7", "Mo 0-96, Tu 0-96, We 0-96, Th 0-96, Fr 0-96, Sa 0-96, Su 0-96"},
        {"Mo 07:00-09:00", "Mo 28-36"},
        {"Mo 7:00-9:00", "Mo 28-36"},
        {"Mo 07:00 - 09:00", "Mo 28-36"},
        {"Mo: 07:00-09:00", "Mo 28-36"},
        {"Mo 07:10-07:50", "Mo 29-32"},
        {"Mo 07:01-07:14", ""},
        {"Mo-We", "Mo 0-96, Tu 0-96, We 0-96"},
        {"Su-Mo", "Mo 0-96, Su 0-96"},
        {"Mo,We,Fr-Su 12:00-12:15", "Mo 48-49, We 48-49, Fr 48-49, Sa 48-49, Su 48-49"},
        {"Mo, We 12:00-12:15", "Mo 48-49, We 48-49"},
        {"Fr 22:00-06:00", "Fr 88-96, Sa 0-24"},
        {"Su 22:00-06:00", "Mo 0-24, Su 88-96"},
        {"Sa 20:00-26:00", "Sa 80-96, Su 0-8"},
        {"Sa 00:00-24:00", "Sa 0-96"},
        {"Sa 08:00-08:00", "Sa 32-96, Su 0-32"},
        {"Mo 07:00-09:00,16:00-18:30", "Mo 28-36, Mo 64-74"},
        {"Mo 07:00-09:00, 16:00-18:30", "Mo 28-36, Mo 64-74"},
        {"Mo 07:00-09:00, Sa 08:00-12:00", "Mo 28-36, Sa 32-48"},
        {"Mo 07:00-09:00; Sa 08:00-12:00", "Mo 28-36, Sa 32-48"},
        {"Mo-Tu 07:00-09:00; Tu 10:00-11:00", "Mo 28-36, Tu 40-44"},
        {"Mo-Tu 07:00-09:00; Tu off", "Mo 28-36"},
        {"Mo-Tu 07:00-09:00; Tu 08:00-09:00 off", "Mo 28-36, Tu 28-32"},
        {"Mo 07:00-09:00 open; Tu closed", "Mo 28-36"},
        {"Mo,PH 07:00-09:00", "Mo 28-36; PH: " EACH_DAY("28-36")},
        {"Su,PH 07:00-09:00", "Su 28-36; PH: " EACH_DAY("28-36")},
        {"PH 07:00-09:00", "; PH: " EACH_DAY("28-36")},
        {"Mo 07:00-09:00; PH off", "Mo 28-36; PH: "},
        {"Mo 07:00-09:00; PH 08:00-24:00 off", "Mo 28-36; PH: Mo 28-32"},
        {"Mo 07:00-09:00; PH 10:00-11:00", "Mo 28-36; PH: " EACH_DAY("40-44")},
        {"PH 10:00-11:00, Mo 07:00-09:00; Tu-Su off", "Mo 28-36; PH: Mo 28-36, Mo 40-44"},
        {"PH off; Mo 07:00-09:00", "Mo 28-36; PH: Mo 28-36"},
        {"PH 00:00-02:00", "; PH: " EACH_DAY("0-8")},
        {"Su,Sa 22:00-02:00; PH off", "Mo 0-8, Sa 88-96, Su 0-8, Su 88-96; PH: "},
        {"Su,PH off; Mo 07:00-09:00, SH 10:00-11:00", "Mo 28-36; PH: Mo 28-36"},
        {"PH,SH", "; PH: " EACH_DAY("0-96")},
        {"SH", "; PH: "},
        {"", "none"},
        {"Mo-", "none"},
        {"Mo 07:00", "none"},
        {"Mo 07:00+", "none"},
        {"Mo 07:60-09:00", "none"},
        {"Mo 07:00-49:00", "none"},
        {"Mo 107:00-109:00", "none"},
        {"Nov-Mar", "none"},
        {"2024 Mo", "none"},
        {"sunset-sunrise", "none"},
        {"week 1-53 Mo", "none"},
        {"Mo[1]", "none"},
        {"Mo 07:00-09:00 x", "none"},
        {"Mo 07:00-09:00;", "Mo 28-36"},
        {"wet", "none"},
        {"weight>7.5", "none"},
        {"off", "none"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i)
        cr_expect_str_eq(read_text(row[i].text), row[i].slots, "%s: %s, not %s", row[i].text,
                         read_text(row[i].text), row[i].slots);
}

/* The text has no end of its own: under the sanitizers, a look beyond its length is an error. */
Test(opening_hours, any_text_is_read_within_its_length)
{
    static const char *const piece[] = {"Mo", "Su",    "PH",   "-", ",",   ";", " ",
                                        ":",  "07:00", "24/7", "2", "off", "x"};
    test_rng rng = {7};
    size_t understood = 0;
    for (size_t i = 0; i < 20000; ++i) {
        char text[64] = "";
        for (size_t p = rng_below(&rng, 12); p > 0; --p) strcat(text, piece[rng_below(&rng, 13)]);
        const size_t length = strlen(text);
        char *const exact = malloc(length ? length : 1);
        mcd_week week[MCD_WEEKS];
        unsigned holidays = 0;
        memcpy(exact, text, length);
        understood += mcd_opening_hours_read(week, &holidays, exact, length);
        free(exact);
    }
    cr_expect_gt(understood, 100);
}
