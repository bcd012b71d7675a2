/* test_speed_file.c - files with speeds over the week: the slots that they name, and lines that are refused. */
#include "tests/support/fixture.h"
#include "tests/support/import_fixture.h"

#include "importers/speeds/speed_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static mcd_speed_table table;
static uint32_t kmh_e3[MCD_PATTERN_SLOTS_MAX];

static void tear_down(void)
{
    mcd_speed_table_free(&table);
    import_fixture_close();
}

TestSuite(speed_file, .init = import_fixture_open, .fini = tear_down);

/* Reads a file as `before` + its path. */
static void read_as(const char *before, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", before, import_write("speeds.csv", text));
    FIXTURE_CALL(mcd_speed_file_read, &table, name);
    FIXTURE_CALL(mcd_speed_table_close, &table);
}

/* Fills kmh_e3 with the speeds of a key; returns how many rows it has. */
static size_t fill(mcd_speed_kind kind, int64_t key0, int64_t key1)
{
    size_t count;
    const size_t first = mcd_speed_table_find(&table, kind, key0, key1, &count);
    for (size_t i = 0; i < MCD_PATTERN_SLOTS_MAX; ++i) kmh_e3[i] = MCD_SPEED_UNNAMED;
    mcd_speed_table_fill(&table, kind, first, count, kmh_e3);
    return count;
}

/* Expects a speed in the slots from `first` until `end` of a day, and another one around them. */
static void expect_between(size_t day, size_t first, size_t end, uint32_t within, uint32_t around)
{
    const uint32_t *const slot = kmh_e3 + day * mcd_speed_table_slots(&table) / 7;
    cr_expect_eq(slot[first], within, "day %zu: %u", day, slot[first]);
    cr_expect_eq(slot[end - 1], within, "day %zu: %u", day, slot[end - 1]);
    if (first) cr_expect_eq(slot[first - 1], around, "day %zu: %u", day, slot[first - 1]);
    cr_expect_eq(slot[end], around, "day %zu: %u", day, slot[end]);
}

Test(speed_file, days_and_times_of_a_way)
{
    read_as("", "way,direction,from,to,km/h\n10,1,Mo-Fr 07:00,09:30,36.25\n\n10,-1,06:00,07:00,50\n10,1,Sa "
                "08:00,9:00,7\n");
    cr_assert_eq(mcd_speed_table_slots(&table), MCD_PATTERN_SLOTS);
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 10, 1), 2);
    for (size_t day = 0; day < 5; ++day) expect_between(day, 28, 38, 36250, MCD_SPEED_UNNAMED);
    expect_between(5, 32, 36, 7000, MCD_SPEED_UNNAMED);
    cr_expect_eq(kmh_e3[6 * 96 + 30], MCD_SPEED_UNNAMED);
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 10, -1), 1);
    for (size_t day = 0; day < 7; ++day) expect_between(day, 24, 28, 50000, MCD_SPEED_UNNAMED);
    cr_expect_eq(fill(MCD_SPEED_OF_WAY, 11, 1), 0);
}

Test(speed_file, direction_0_is_both_and_later_lines_count)
{
    read_as("", "7,0,00:00,24:00,50\n7,1,12:00,13:00,20\n");
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 7, 1), 2);
    for (size_t day = 0; day < 7; ++day) expect_between(day, 48, 52, 20000, 50000);
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 7, -1), 1);
    cr_expect_eq(kmh_e3[50], 50000);
}

Test(speed_file, a_range_over_midnight_ends_on_the_next_day)
{
    read_as("", "7,1,Su 22:00,06:00,30\n");
    fill(MCD_SPEED_OF_WAY, 7, 1);
    cr_expect_eq(kmh_e3[6 * 96 + 87], MCD_SPEED_UNNAMED);
    cr_expect_eq(kmh_e3[6 * 96 + 88], 30000);
    cr_expect_eq(kmh_e3[7 * 96 - 1], 30000);
    cr_expect_eq(kmh_e3[0], 30000);
    cr_expect_eq(kmh_e3[23], 30000);
    cr_expect_eq(kmh_e3[24], MCD_SPEED_UNNAMED);
}

Test(speed_file, times_of_5_minutes_make_fine_slots)
{
    read_as("", "7,1,Mo 07:05,07:10,30\n8,1,Mo 07:00,07:15,40\n");
    cr_assert_eq(mcd_speed_table_slots(&table), MCD_PATTERN_FINE_SLOTS);
    fill(MCD_SPEED_OF_WAY, 7, 1);
    expect_between(0, 85, 86, 30000, MCD_SPEED_UNNAMED);
    fill(MCD_SPEED_OF_WAY, 8, 1);
    expect_between(0, 84, 87, 40000, MCD_SPEED_UNNAMED);
}

/* Each day of the second week has the speeds of holidays where they are named, and those of its day of the week elsewhere. */
Test(speed_file, holidays_make_a_second_week)
{
    read_as("",
            "7,1,PH 07:00,08:00,20\n7,1,00:00,24:00,50\n8,1,Su,PH 22:00,06:00,30\n8,1,Mo 12:00,13:00,40\n");
    read_as("osrm:PH08:15=", "1,2,10\n");
    enum { DAY = 96, WEEK = 7 * DAY };
    cr_assert_eq(mcd_speed_table_slots(&table), 2 * WEEK);
    fill(MCD_SPEED_OF_WAY, 7, 1);
    for (size_t slot = 0; slot < WEEK; ++slot) {
        cr_assert_eq(kmh_e3[slot], 50000);
        cr_assert_eq(kmh_e3[WEEK + slot], slot % DAY >= 28 && slot % DAY < 32 ? 20000 : 50000);
    }
    fill(MCD_SPEED_OF_WAY, 8, 1);
    for (size_t slot = 0; slot < WEEK; ++slot) {
        const uint32_t day =
            slot / DAY == 0 && slot % DAY >= 48 && slot % DAY < 52 ? 40000 : MCD_SPEED_UNNAMED;
        const bool sunday = slot < 24 || slot >= WEEK - 8;
        cr_assert_eq(kmh_e3[slot], sunday ? 30000 : day);
        cr_assert_eq(kmh_e3[WEEK + slot], slot % DAY < 24 || slot % DAY >= 88 ? 30000 : day);
    }
    fill(MCD_SPEED_OF_PAIR, 1, 2);
    for (size_t slot = 0; slot < WEEK; ++slot) {
        cr_assert_eq(kmh_e3[slot], MCD_SPEED_UNNAMED);
        cr_assert_eq(kmh_e3[WEEK + slot], slot % DAY == 33 ? 10000 : MCD_SPEED_UNNAMED);
    }
}

Test(speed_file, osrm_files_are_of_a_slot_or_of_times)
{
    read_as("osrm:Mo08:15=", "1,2,30\n2,1,25.5,0.3\n");
    read_as("osrm:Sa-Su=", "1,2,60\n");
    read_as("osrm:Tu,Th 07:00-09:00=", "1,2,10\n");
    cr_assert_eq(fill(MCD_SPEED_OF_PAIR, 1, 2), 3);
    expect_between(0, 33, 34, 30000, MCD_SPEED_UNNAMED);
    expect_between(1, 28, 36, 10000, MCD_SPEED_UNNAMED);
    expect_between(3, 28, 36, 10000, MCD_SPEED_UNNAMED);
    cr_expect_eq(kmh_e3[2 * 96 + 30], MCD_SPEED_UNNAMED);
    cr_expect_eq(kmh_e3[5 * 96], 60000);
    cr_expect_eq(kmh_e3[7 * 96 - 1], 60000);
    cr_assert_eq(fill(MCD_SPEED_OF_PAIR, 2, 1), 1);
    expect_between(0, 33, 34, 25500, MCD_SPEED_UNNAMED);
}

Test(speed_file, factors_change_a_base_speed)
{
    char before[512], factors[256] = "3", more[256] = "4";
    for (int i = 0; i < 24; ++i) strcat(factors, i == 8 ? ",0.5" : ",1"), strcat(more, ",0.8");
    strcat(factors, "\n"), strcat(factors, more), strcat(factors, "\n");
    snprintf(before, sizeof before, "factors:%s=", import_write("factors.csv", factors));
    read_as(before, "7,1,100,3\n8,0,50,3,3,3,3,3,4,4\n");
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 7, 1), 1);
    for (size_t day = 0; day < 7; ++day) expect_between(day, 32, 36, 50196, 100000); /* 128 of 255 */
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 8, -1), 1);
    expect_between(4, 32, 36, 25098, 50000);
    cr_expect_eq(kmh_e3[5 * 96 + 33], 40000);
}

Test(speed_file, predicted_speeds_are_weeks_or_of_nights_and_days)
{
    char text[1024] = "way,direction,freeflow,constrained,coefficients\n7,0,60,40,";
    for (int i = 0; i < 534; ++i) strcat(text, i == 1 ? "Q" : "A"); /* 256 * 4, then 0 */
    strcat(text, "\n8,1,60,40,\n9,-1,0,40\n10,1,,,\n");
    read_as("valhalla:", text);
    cr_assert_eq(mcd_speed_table_slots(&table), MCD_PATTERN_FINE_SLOTS);
    for (int64_t way = -1; way <= 1; way += 2) {
        cr_assert_eq(fill(MCD_SPEED_OF_WAY, 7, way), 1);
        for (size_t slot = 0; slot < MCD_PATTERN_FINE_SLOTS; ++slot) cr_assert_eq(kmh_e3[slot], 5702);
    }
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 8, 1), 2);
    for (size_t day = 0; day < 7; ++day) expect_between(day, 84, 228, 40000, 60000);
    cr_expect_eq(fill(MCD_SPEED_OF_WAY, 8, -1), 0);
    cr_assert_eq(fill(MCD_SPEED_OF_WAY, 9, -1), 1);
    expect_between(3, 84, 228, 40000, MCD_SPEED_UNNAMED);
    cr_expect_eq(fill(MCD_SPEED_OF_WAY, 10, 1), 0);
}

static void expect_bad(const char *before, const char *text, const char *message)
{
    char name[512];
    const char *const path = import_write("speeds.csv", text);
    snprintf(name, sizeof name, "%s%s", before, path);
    import_expect(mcd_speed_file_read(&table, name, &import_error), MACADAM_E_FILE, path, message);
}

Test(speed_file, lines_that_do_not_parse_are_refused)
{
    static const char *const bad[] = {
        "x",
        "1,1,Mo 07:00,08:00",
        "1,2,Mo 07:00,08:00,50",
        "1,1,Xx 07:00,08:00,50",
        "1,1,PH-Su 07:00,08:00,50",
        "1,1,Sa-PH 07:00,08:00,50",
        "1,1,Mo 07:02,08:00,50",
        "1,1,Mo 07:00,24:05,50",
        "1,1,Mo 24:00,07:00,50",
        "1,1,Mo 07:00,08:00,-5",
        "1,1,Mo 07:00,08:00,1000.5",
        "1,1,Mo 07:00,08:00,50.",
        "1,1,Mo 07:00,08:00,50,3",
        "1,1,Mo- 07:00,08:00,50",
        "99999999999999999999,1,Mo 07:00,08:00,50",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char text[256], message[256];
        snprintf(text, sizeof text, "way,direction,from,to,km/h\n1,1,Mo 07:00,08:00,50\n%s\n", bad[i]);
        snprintf(message, sizeof message, ":3: not way,direction,from,to,km/h: \"%s\"", bad[i]);
        expect_bad("", text, message);
    }
    static const char *const predicted[] = {"1,1", "1,1,50", "1,1,50,40,AAAA", "1,1,50,40,AAAA,",
                                            "1,1,50,x,"};
    for (size_t i = 0; i < sizeof predicted / sizeof *predicted; ++i) {
        char message[256];
        snprintf(message, sizeof message, ":1: not way,direction,freeflow,constrained,coefficients: \"%s\"",
                 predicted[i]);
        expect_bad("valhalla:", predicted[i], message);
    }
    expect_bad("osrm:Mo08:15=", "1,2\n", ":1: not from_node,to_node,km/h: \"1,2\"");
}

Test(speed_file, names_that_are_not_understood_are_refused)
{
    import_expect(
        mcd_speed_file_read(&table, "osrm:08=x.csv", &import_error), MACADAM_E_INVALID, NULL,
        "\"osrm:08=x.csv\": not osrm:WHEN=FILE, where WHEN is such as Mo08:15 or Mo-Fr 07:00-09:30");
    import_expect(mcd_speed_file_read(&table, "factors:x.csv", &import_error), MACADAM_E_INVALID, NULL,
                  "\"factors:x.csv\": not factors:TABLE=FILE");
    cr_expect_str_eq(mcd_speed_file_path("osrm:Mo08:15=a.csv"), "a.csv");
    cr_expect_str_eq(mcd_speed_file_path("valhalla:a=b.csv"), "a=b.csv");
    cr_expect_str_eq(mcd_speed_file_path("a=b.csv"), "a=b.csv");
}

Test(speed_file, factors_that_do_not_divide_the_day_are_refused)
{
    char before[512];
    snprintf(before, sizeof before, "factors:%s=", import_write("factors.csv", "3,1,1,1\n"));
    import_expect(mcd_speed_file_read(&table, strcat(before, import_write("speeds.csv", "")), &import_error),
                  MACADAM_E_FILE, import_path("factors.csv"),
                  ":1: not a profile with 24, 48, 96 or 288 factors, as the others have: \"3,1,1,1\"");
}

Test(speed_file, weeks_of_other_slots_are_refused)
{
    char before[512], coarse[256] = "3", fine[1024] = "3";
    for (int part = 0; part < 288; ++part) strcat(part < 24 ? coarse : fine, ",1");
    for (int part = 0; part < 24; ++part) strcat(fine, ",1");
    snprintf(before, sizeof before, "factors:%s=", import_write("coarse.csv", coarse));
    read_as(before, "7,1,100,3\n");
    snprintf(before, sizeof before, "factors:%s=", import_write("fine.csv", fine));
    import_expect(
        mcd_speed_file_read(&table, strcat(before, import_write("speeds.csv", "8,1,50,3\n")), &import_error),
        MACADAM_E_FILE, import_path("speeds.csv"),
        ":1: weeks of 672 slots and of 2016 do not mix: \"8,1,50,3\"");
}

Test(speed_file, a_second_profile_of_a_number_is_refused)
{
    char before[512], factors[512] = "";
    for (int line = 0; line < 2; ++line) {
        strcat(factors, line ? "\n3" : "3");
        for (int hour = 0; hour < 24; ++hour) strcat(factors, line ? ",0.5" : ",1");
    }
    snprintf(before, sizeof before, "factors:%s=", import_write("factors.csv", factors));
    import_expect(mcd_speed_file_read(&table, strcat(before, import_write("speeds.csv", "")), &import_error),
                  MACADAM_E_FILE, import_path("factors.csv"), ": profile 3 comes a second time");
}
