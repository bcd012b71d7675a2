/* test_conditional_clause.c - what conditional tags mean, to which vehicles and when. */
#include "importers/osm/rules/conditional_clause.h"
#include "importers/osm/rules/profile_file.h"
#include "tests/support/import_fixture.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(conditional_clause, .init = import_fixture_open, .fini = import_fixture_close);

static const char limit_letter[MCD_LIMITS] = {'h', 'w', 'l', 't', 'a'};

/* Writes the value at no particular time, then what changes: "; h351: no 672" is "no" in 672 slots for vehicles higher
 * than 3.51 m, "+" after it: and at no particular time; "PH 96": in 96 slots on holidays. */
static const char *tell(const mcd_profile *profile, const char *text)
{
    static char out[512];
    static mcd_clauses clauses;
    static mcd_moments moments;
    SCOPED(mcd_report_free) mcd_report report = {0};
    mcd_period period;
    size_t used = 0;
    mcd_clauses_begin(&clauses, profile, &report);
    mcd_clauses_add(&clauses, "access", text);
    mcd_clauses_end(&clauses);
    const uint32_t usual = mcd_clauses_usual(&clauses);
    used += (size_t)snprintf(out, sizeof out, "%s", usual ? "" : "-");
    for (size_t i = 0; i < clauses.count; ++i)
        if (usual >> i & 1)
            used += (size_t)snprintf(out + used, sizeof out - used, "%s", clauses.clause[i].tag.value);
    for (size_t vehicle = 0; vehicle < clauses.vehicle_count; ++vehicle) {
        mcd_moments_begin(&moments, &clauses, vehicle);
        for (uint32_t before, then; mcd_moments_next(&moments, &before, &then, &period);) {
            size_t slots = 0, holiday = 0, i = 0;
            for (size_t slot = 0; slot < MCD_WEEK_SLOTS; ++slot) {
                slots += mcd_week_has(&period.week[0], slot);
                holiday += mcd_week_has(&period.week[1], slot);
            }
            used += (size_t)snprintf(out + used, sizeof out - used, ";");
            for (int limit = 0; limit < MCD_LIMITS; ++limit)
                if (period.guard.above[limit])
                    used += (size_t)snprintf(out + used, sizeof out - used, " %c%u", limit_letter[limit],
                                             period.guard.above[limit]);
            while (i < clauses.count && !(then >> i & 1)) ++i;
            used += (size_t)snprintf(out + used, sizeof out - used, " %s %zu%s",
                                     i < clauses.count ? clauses.clause[i].tag.value : "-", slots,
                                     period.guard.timeless ? "+" : "");
            if (holiday != slots) used += (size_t)snprintf(out + used, sizeof out - used, " PH %zu", holiday);
        }
    }
    return out;
}

Test(conditional_clause, texts_mean_values_at_times_and_to_vehicles)
{
    static const struct {
        const char *text, *car, *truck; /* of 40 t, 16.5 m, 4 m, 2.55 m, 10 t an axle */
    } row[] = {
        {"no @ (weight>7.5)", "-; t750 no 672+", "no"},
        {"no @ weight>7.5", "-; t750 no 672+", "no"},
        {"no@(weight>=7.5)", "-; t749 no 672+", "no"},
        {"no @ (weight>40)", "-; t4000 no 672+", "-; t4000 no 672+"},
        {"no @ (weight>=40)", "-; t3999 no 672+", "no"},
        {"no @ (weight<40)", "no; t3999 - 672+", "-"},
        {"no @ (weight<=40)", "no; t4000 - 672+", "no; t4000 - 672+"},
        {"no @ (weightrating>3.5 t)", "-; t350 no 672+", "no"},
        {"no @ (gc weight > 7500 kg)", "-; t750 no 672+", "no"},
        {"no @ (Height>3,8 m)", "-; h380 no 672+", "no"},
        {"no @ (max_width>2.6)", "-; w260 no 672+", "-; w260 no 672+"},
        {"no @ (length>12 AND axleload>8)", "-; l1200 a800 no 672+", "no"},
        {"no @ (length>20 AND axleload>8)", "-; l2000 a800 no 672+", "-; l2000 no 672+"},
        {"no @ (length>12 OR height>2)", "-; l1200 no 672+; h200 no 672+; h200 l1200 no 672+", "no"},
        {"no @ (length>12); yes @ (weight>7.5)", "-; l1200 no 672+; t750 yes 672+; l1200 t750 yes 672+",
         "yes"},
        {"no @ (weight>3.5); yes @ (length<8)", "yes; t350 yes 672+; l799 - 672+; l799 t350 no 672+", "no"},
        {"no @ (weight≥7.5)", "-; t749 no 672+", "no"},
        {"no @ (weight=>7.5)", "-; t749 no 672+", "no"},
        {"no @ (weight≤40)", "no; t4000 - 672+", "no; t4000 - 672+"},
        {"no @ (weight=<40)", "no; t4000 - 672+", "no; t4000 - 672+"},
        {"no @ (length>120 m)", "-; l12000 no 672+", "-; l12000 no 672+"},
        {"no @ (weight>600 t)", "-; t60000 no 672+", "-; t60000 no 672+"},
        {"no @ (height>12 ft 6 in)", "-; h381 no 672+", "no"},
        {"no @ (height>4.2 m, weight>7.5)", "-; h420 no 672+; t750 no 672+; h420 t750 no 672+",
         "no; h420 no 672+"},
        {"no @ (length>30;weight>7.5)", "-; l3000 no 672+; t750 no 672+; l3000 t750 no 672+",
         "no; l3000 no 672+"},
        {"no @ (weight>7,5,length>30)", "-; t750 no 672+; l3000 no 672+; l3000 t750 no 672+",
         "no; l3000 no 672+"},
        {"no @ (weight>7.5);", "-; t750 no 672+", "no"},
        {"no @ (weight>7.5) ; ", "-; t750 no 672+", "no"},
        {"no @ (Mo);; yes @ (Tu);", "-; no 96; yes 96", "-; no 96; yes 96"},
        {"no @ (Mo;)", "-; no 96", "-; no 96"},
        {"no @ (Mo; PH off)", "-; no 96 PH 0", "-; no 96 PH 0"},
        {"no @ (PH 10:00-11:00)", "-; no 0 PH 28", "-; no 0 PH 28"},
        {"no @ (PH AND Mo-Tu)", "-; no 0 PH 192", "-; no 0 PH 192"},
        {"no @ (Mo); yes @ (PH AND weight>7.5)",
         "-; no 96; t750 no 96 PH 0; t750 yes 0 PH 96; t750 yes 0 PH 576", "-; no 96 PH 0; yes 0 PH 672"},
        {"no @ (weight>7.5t Mo)", "-", "-"},
        {"no @ (weight>7.5t (Mo))", "-", "-"},
        {"no @ (weight>7.5 delivery)", "-", "-"},
        {"no @ (weight>7.5;Mo)", "-", "-"},
        {"no @ (07:00-19:00 weight>7.5)", "-", "-"},
        {"no @ (07:00-19:00; weight>7.5)", "-", "-"},
        {"no @ (weight>7.5                              t)", "-", "-"},
        {"fuel @ (weight>7.5)", "-", "-"},
        {"no @ (weight>7.5); fuel @ (Mo); a;b @ (Tu)", "-; t750 no 672+", "no"},
        {"no @ (weight>7.5 AND Mo)", "-; t750 no 96", "-; no 96"},
        {"no @ (Mo AND weight>7.5)", "-; t750 no 96", "-; no 96"},
        {"no @ ((Mo) AND (weight>7.5))", "-; t750 no 96", "-; no 96"},
        {"no @ (weight>7.5 AND Mo; Tu 00:00-12:00)", "-; t750 no 144", "-; no 144"},
        {"yes @ (Mo); no @ (weight>7.5)", "-; yes 96; t750 no 96; t750 no 576+", "no"},
        {"no @ 24/7", "no", "no"},
        {"no @ (24/7 AND weight>7.5)", "-; t750 no 672+", "no"},
        {"private;delivery @ (Mo)", "-; private;delivery 96", "-; private;delivery 96"},
        {"no @ (weight>)", "-", "-"},
        {"no @ (weight>heavy)", "-", "-"},
        {"no @ (>7.5)", "-", "-"},
        {"no @ (axles>2)", "-", "-"},
        {"no @ (weight>7.5 AND wet)", "-", "-"},
        {"no", "-", "-"},
        {"@ (weight>7.5)", "-", "-"},
        {"", "-", "-"},
    };
    SCOPED(mcd_profile_free) mcd_profile car;
    SCOPED(mcd_profile_free) mcd_profile truck;
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
    cr_assert_eq(mcd_profile_read(&truck, "truck", &import_error), MACADAM_OK);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        cr_expect_str_eq(tell(&car, row[i].text), row[i].car, "car: %s: %s", row[i].text,
                         tell(&car, row[i].text));
        cr_expect_str_eq(tell(&truck, row[i].text), row[i].truck, "truck: %s: %s", row[i].text,
                         tell(&truck, row[i].text));
    }
}

Test(conditional_clause, conditions_that_are_not_read_are_of_a_kind)
{
    static const struct {
        const char *text;
        mcd_report_kind kind;
    } row[] = {
        {"wet", MCD_REPORT_CONDITIONS_WEATHER},      {"Mo-Fr AND snow", MCD_REPORT_CONDITIONS_WEATHER},
        {"Nov-Mar", MCD_REPORT_CONDITIONS_SEASON},   {"2024 Jan 01", MCD_REPORT_CONDITIONS_SEASON},
        {"sunset-06:00", MCD_REPORT_CONDITIONS_SUN}, {"destination", MCD_REPORT_CONDITIONS_PURPOSE},
        {"axles>2", MCD_REPORT_CONDITIONS_MEASURE},  {"trailer", MCD_REPORT_CONDITIONS_MEASURE},
        {"weight>x", MCD_REPORT_CONDITIONS_MEASURE}, {"Mo-Xy", MCD_REPORT_CONDITIONS_ODD},
        {"weight=7.5", MCD_REPORT_CONDITIONS_ODD},   {"07:00-", MCD_REPORT_CONDITIONS_HOURS},
        {"police", MCD_REPORT_CONDITIONS_ODD},       {"", MCD_REPORT_CONDITIONS_ODD},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        cr_expect_eq(mcd_conditional_counts_kind(row[i].text, strlen(row[i].text)), row[i].kind, "%s",
                     row[i].text);
}
