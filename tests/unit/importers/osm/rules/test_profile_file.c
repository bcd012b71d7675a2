/* test_profile_file.c - profiles as text: how they are read, and how mistakes are reported. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/rules/profiles.h"
#include "tests/support/files.h"
#include "tests/support/leak.h"
#include "tests/support/import_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static mcd_profile profile;

static void tear_down(void)
{
    mcd_profile_free(&profile);
    import_fixture_close();
}

TestSuite(profile_file, .init = import_fixture_open, .fini = tear_down);

#define HEAD "name cart\nmodes cart vehicle\nspeed_max 20\n"
#define WAYS "[way highway]\nresidential 10\n"

static macadam_status read_text(const char *text)
{
    return mcd_profile_read(&profile, import_write("cart.profile", text), &import_error);
}

Test(profile_file, later_settings_replace_earlier_ones)
{
    cr_assert_eq(read_text(HEAD "give_way 7\nturn 45 1 1\nturn 180 2 2\ngive_way 3\nturn 20 5 5\n" WAYS),
                 MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(profile.turn_count, 1);
    cr_expect_eq(profile.turn[0].near_s, 5);
    cr_expect_eq(profile.give_way_s, 3);
    mcd_profile_free(&profile);
}

/* ---- like ---- */

static const mcd_profile_row *row_of(mcd_profile_table table, const char *key, const char *value)
{
    const mcd_profile_rows *const rows = &profile.table[table];
    for (size_t i = 0; i < rows->count; ++i)
        if (strcmp(rows->row[i].key, key) == 0 && strcmp(rows->row[i].value, value) == 0)
            return &rows->row[i];
    return NULL;
}

Test(profile_file, rows_replace_those_of_the_profile_that_it_is_like)
{
    cr_assert_eq(read_text("like car\nname slow\nspeed_max 40\n[way highway]\nprimary 40\nladder 1\n!track\n"
                           "[speed width]\n<2 5\n<3 7\n[maxspeed]\nnone 40\n"),
                 MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(profile.name, "slow");
    cr_expect_str_eq(profile.mode[0], "motorcar");
    cr_expect_eq(profile.speed_max_kmh, 40);
    cr_expect_gt(profile.turn_count, 3);
    cr_expect_eq(row_of(MCD_PROFILE_WAYS, "highway", "primary")->number, 40);
    cr_expect_eq(row_of(MCD_PROFILE_WAYS, "highway", "secondary")->number, 60);
    cr_expect_eq(row_of(MCD_PROFILE_WAYS, "highway", "ladder")->number, 1);
    cr_expect_null(row_of(MCD_PROFILE_WAYS, "highway", "track"));
    cr_expect_eq(row_of(MCD_PROFILE_MAXSPEEDS, "", "none")->number, 40);
    /* Rows of a key stand together: own ones first, also those that replace others. */
    const mcd_profile_row *const width = row_of(MCD_PROFILE_SPEEDS, "width", "<2");
    cr_expect_str_eq(width[1].value, "<3");
    cr_expect_eq(width[1].number, 7);
    cr_expect_str_eq(width[2].value, "<2.5");
    cr_expect_str_eq(width[3].value, "<3.5");
    cr_expect_eq(width[0].behind, width[3].behind);
    cr_expect_eq(width->place, width[3].place);
}

Test(profile_file, row_for_other_values_leaves_rows_before_it)
{
    cr_assert_eq(
        read_text("like car\nname slow\n[way route]\nferry 9 ferry\n[speed surface]\ngravel 5\n* 25\n"),
        MACADAM_OK, "%s", import_error.message);
    const mcd_profile_row *const gravel = row_of(MCD_PROFILE_SPEEDS, "surface", "gravel");
    cr_expect_eq(gravel->number, 5);
    cr_expect_str_eq(gravel[1].value, "*");
    cr_expect_str_neq(gravel[2].value, "gravel");
    /* A row that is the only one of its key leaves the key in its place. */
    const mcd_profile_rows *const ways = &profile.table[MCD_PROFILE_WAYS];
    mcd_profile car = {0};
    cr_assert_eq(mcd_profile_read(&car, "car", &import_error), MACADAM_OK);
    for (size_t i = 0; i < ways->count; ++i)
        cr_expect_str_eq(ways->row[i].value, car.table[MCD_PROFILE_WAYS].row[i].value);
    mcd_profile_free(&car);
}

Test(profile_file, mistakes_in_what_it_is_like_are_reported)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"name slow\nlike car\n", "cart.profile:2: this line must be the first one"},
        {"like cra\n", "cart.profile:1: there is no profile \"cra\""},
        {"like car\nspeed_max 3\n", "the profile has no name"},
        {"like car\nname slow\n[way highway]\n!ladder\n",
         "cart.profile:4: the other profile says nothing of \"ladder\""},
        {"like car\nname slow\n[way highway]\nladder 1\n!ladder\n", "nothing of \"ladder\""},
        {"like car\nname slow\n[way highway]\nprimary 1\nprimary 2\n", "\"primary\" is said twice"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        cr_assert_eq(read_text(wrong[i].text), MACADAM_E_FILE);
        cr_assert(strstr(import_error.message, wrong[i].says), "%s", import_error.message);
    }
}

Test(profile_file, a_profile_that_is_like_itself_is_refused)
{
    char text[FILES_PATH_BYTES + 32];
    snprintf(text, sizeof text, "like %s\n", import_write("cart.profile", ""));
    cr_assert_eq(read_text(text), MACADAM_E_FILE);
    cr_assert(strstr(import_error.message, "are like each other"), "%s", import_error.message);
}

Test(profile_file, every_built_in_profile_is_read)
{
    for (const mcd_profile_text *text = mcd_profile_texts; text->name; ++text) {
        cr_assert_eq(mcd_profile_read(&profile, text->name, &import_error), MACADAM_OK, "%s",
                     import_error.message);
        cr_expect_str_eq(profile.name, text->name);
        mcd_profile_free(&profile);
    }
}

Test(profile_file, file_says_what_the_profile_is)
{
    cr_assert_eq(read_text("# a cart\n" HEAD
                           "maxspeed caps\nu_turns dead_ends\nturn 45 0 1\nturn 180 2 3\n\n" WAYS
                           "track 5 oneway permit # slow\n[access]\nyes open\nwalk open 4\nno closed\n"
                           "[limit m]\nmaxheight 2.5\r\n"),
                 MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(profile.name, "cart");
    cr_expect_str_eq(profile.mode[1], "vehicle");
    cr_expect_null(profile.mode[2]);
    cr_expect_eq(profile.speed_max_kmh, 20);
    cr_expect_eq(profile.maxspeed, MCD_MAXSPEED_CAPS);
    cr_expect(profile.avoids_u_turns && profile.traffic == MCD_TRAFFIC_MAP);
    cr_assert_eq(profile.turn_count, 2);
    cr_expect_eq(profile.turn[0].far_s, 1);
    cr_expect_eq(profile.turn[1].degrees, 180);
    const mcd_profile_rows *const ways = &profile.table[MCD_PROFILE_WAYS];
    cr_assert_eq(ways->count, 2);
    cr_expect_str_eq(ways->row[1].key, "highway");
    cr_expect_str_eq(ways->row[1].value, "track");
    cr_expect_eq(ways->row[1].number, 5);
    cr_expect_eq(ways->row[1].flags, MCD_PROFILE_ONEWAY | MCD_PROFILE_PERMIT);
    cr_expect_eq(profile.table[MCD_PROFILE_ACCESS].row[1].number, 4);
    cr_expect_eq(profile.table[MCD_PROFILE_ACCESS].row[2].access, MCD_ACCESS_CLOSED);
    cr_expect_eq(profile.table[MCD_PROFILE_LIMITS].row[0].number, 2.5);
}

/* ---- patterns ---- */

/* Whether a way of this grade is open to a cart for which these grades are closed. */
static bool is_open(const char *rows, const char *grade)
{
    char text[512];
    mcd_passage passage;
    mcd_limits limits;
    const mcd_tag tag[] = {{"highway", "residential"}, {"grade", grade}};
    snprintf(text, sizeof text, HEAD WAYS "[closed grade]\n%s\n", rows);
    cr_assert_eq(read_text(text), MACADAM_OK, "%s", import_error.message);
    const mcd_way_use use = mcd_profile_way(&profile, &(mcd_tags){.tag = tag, .count = 2}, &passage, &limits);
    mcd_profile_free(&profile);
    return use == MCD_WAY_OPEN;
}

Test(profile_file, patterns_stand_for_values)
{
    static const struct {
        const char *rows, *closed[8], *open[8];
    } row[] = {
        {">2",
         {"3", "3+", "3-", "2.5", "1;3", "2-3", "S3", "-8%"},
         {"2", "2+", "0", "", "high", "+", "S", "1-2"}},
        {">0", {"1", "0.1", "0+1", "10 cm", "5 mm"}, {"0", "0+", "-0", "0 m"}},
        {">0.03", {"0.04", "4 cm", "0.5 m", "12"}, {"0.03", "3 cm", "2.5cm", "0.03 m"}},
        {"<0.9", {"0.8", "80 cm", "0.5 m"}, {"0.9", "1", "narrow", "0"}},
        {"~alpine",
         {"alpine", "alpine_hiking", "difficult_alpine_hiking", "hiking;alpine", "Alpine hiking"},
         {"hiking", "alp", ""}},
        {"1 node way\n2 reported\n>0", {"3", "1;2"}, {"1", "2"}},
        {"*", {"", "any", "*"}, {NULL}},
        {"~b\n>3", {"b", "4", "b4", "abc"}, {"a", "3"}},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        for (size_t k = 0; k < 8; ++k) {
            if (row[i].closed[k])
                cr_expect_not(is_open(row[i].rows, row[i].closed[k]), "%s: %s", row[i].rows,
                              row[i].closed[k]);
            if (row[i].open[k])
                cr_expect(is_open(row[i].rows, row[i].open[k]), "%s: %s", row[i].rows, row[i].open[k]);
        }
}

Test(profile_file, row_of_nodes_does_not_close_ways)
{
    cr_expect(is_open("steep node", "steep"));
    cr_expect_not(is_open("steep way", "steep"));
    cr_expect_not(is_open("steep", "steep"));
    cr_expect_not(is_open("steep named", "steep"));
}

/* The message names the fault, its place, and the text of the line. */
static void expect_refused(const char *text, const char *message)
{
    char whole[2048];
    const macadam_status status = read_text(text);
    snprintf(whole, sizeof whole, "%s%s", import_path("cart.profile"), message);
    cr_expect_eq(status, MACADAM_E_FILE, "%s", text);
    cr_expect_str_eq(import_error.message, whole);
}

Test(profile_file, mistakes_are_reported_with_their_line)
{
    expect_refused("nome cart\n", ":1: there is no setting \"nome\": \"nome cart\"");
    expect_refused("name\n", ":1: the name is missing: \"name\"");
    expect_refused("name a b\n", ":1: \"b\" is too much: \"name a b\"");
    expect_refused(HEAD "maxspeed maybe\n", ":4: \"maybe\" is not known here: \"maxspeed maybe\"");
    expect_refused(HEAD "turn 90 1\n", ":4: the time across is missing: \"turn 90 1\"");
    expect_refused(HEAD "slopes uphill\n", ":4: \"uphill\" is not known here: \"slopes uphill\"");
    expect_refused(HEAD "slopes ridden 80 90 0.6\n",
                   ":4: the multiple of the level speed is missing: \"slopes ridden 80 90 0.6\"");
    expect_refused(HEAD "slopes ridden 0 90 0.6 1\n",
                   ":4: 0 is not between 0 and 10000: \"slopes ridden 0 90 0.6 1\"");
    expect_refused(HEAD "turn 90 1 1\nturn 45 1 1\n", ":5: 45 degrees do not ascend: \"turn 45 1 1\"");
    expect_refused(HEAD "[way highway\n", ":4: a section's name does not end with ']': \"[way highway\"");
    expect_refused(HEAD "[way]\n", ":4: the section's key is missing: \"[way]\"");
    expect_refused(HEAD "[wey highway]\n", ":4: there is no section \"wey\": \"[wey highway]\"");
    expect_refused(HEAD "[limit ft]\n", ":4: \"ft\" is neither m nor t: \"[limit ft]\"");
    expect_refused(HEAD "[unread st]\n", ":4: \"st\" is neither m nor t: \"[unread st]\"");
    expect_refused(HEAD "[unread m]\nmaxheight\n", ":5: a number is missing: \"maxheight\"");
    expect_refused(HEAD WAYS "track fast\n", ":6: \"fast\" is not a number: \"track fast\"");
    expect_refused(HEAD WAYS "track 0\n", ":6: 0 is not between 0 and 1000: \"track 0\"");
    expect_refused(HEAD WAYS "track 1e9\n", ":6: \"1e9\" is not a number: \"track 1e9\"");
    expect_refused(HEAD WAYS "track\n", ":6: a number is missing: \"track\"");
    expect_refused(HEAD WAYS "track 5 twoway\n", ":6: \"twoway\" is not known here: \"track 5 twoway\"");
    expect_refused(HEAD WAYS "residential 5\n", ":6: \"residential\" is said twice: \"residential 5\"");
    expect_refused(HEAD WAYS "[access]\nno shut\n", ":7: \"shut\" is not known here: \"no shut\"");
    expect_refused(HEAD WAYS "[closed width]\n<0\n", ":7: 0 is not between 0 and 1000: \"<0\"");
    expect_refused(HEAD WAYS "[closed width]\n>wide\n", ":7: \"wide\" is not a number: \">wide\"");
    expect_refused(HEAD WAYS "[closed width]\n2 sign\n", ":7: \"sign\" is not known here: \"2 sign\"");
    expect_refused(HEAD WAYS "[closed width]\n*x\n", ":7: \"*x\" is not a pattern here: \"*x\"");
    expect_refused(HEAD WAYS "[closed width]\n~\n", ":7: \"~\" is not a pattern here: \"~\"");
    expect_refused(HEAD WAYS "~track 5\n", ":6: \"~track\" is not a pattern here: \"~track 5\"");
    expect_refused(HEAD WAYS "<3 5\n", ":6: \"<3\" is not a pattern here: \"<3 5\"");
    expect_refused(HEAD WAYS "[access]\n>1 open\n", ":7: \">1\" is not a pattern here: \">1 open\"");
    expect_refused(HEAD WAYS "[contraflow busway]\n~op\n", ":7: \"~op\" is not a pattern here: \"~op\"");
    expect_refused(HEAD WAYS "[limit m]\n* 4\n", ":7: \"*\" is not a pattern here: \"* 4\"");
    expect_refused(HEAD WAYS "[limit t]\nmaxheight 4\n",
                   ":7: \"maxheight\" is measured in m: \"maxheight 4\"");
    expect_refused(HEAD WAYS "[limit m]\nmaxweight 4\n",
                   ":7: \"maxweight\" is measured in t: \"maxweight 4\"");
    expect_refused(HEAD WAYS "[unread m]\nmaxaxleload:hgv 4\n",
                   ":7: \"maxaxleload:hgv\" is measured in t: \"maxaxleload:hgv 4\"");
    expect_refused(HEAD WAYS "[wait highway]\nstop 1.5\n",
                   ":7: 1.5 is not a whole number of seconds: \"stop 1.5\"");
}

Test(profile_file, profile_that_lacks_something_is_refused)
{
    expect_refused("", ": the profile has no name");
    expect_refused("name cart\n", ": the profile has no modes");
    expect_refused("name cart\nmodes cart\n", ": the profile has no speed_max");
    expect_refused(HEAD, ": the profile has no [way KEY]");
}

Test(profile_file, profile_of_too_many_keys_is_refused)
{
    enum { SECTIONS = MCD_KEYS_MAX };
    static char text[sizeof HEAD WAYS + 32 * SECTIONS] = HEAD WAYS;
    for (size_t i = 0, at = strlen(text); i < SECTIONS; ++i)
        at += (size_t)sprintf(text + at, "[closed k%zu]\nyes\n", i);
    expect_refused(text, ": the profile has too many keys of tags");
}

Test(profile_file, unknown_name_is_refused_with_the_known_ones)
{
    cr_expect_eq(mcd_profile_read(&profile, "submarine", &import_error), MACADAM_E_INVALID);
    cr_expect(strstr(import_error.message, "\"submarine\" is unknown: there are car"), "%s",
              import_error.message);
    cr_expect_eq(mcd_profile_read(&profile, import_path("no.profile"), &import_error), MACADAM_E_IO);
}

Test(profile_file, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status = mcd_profile_read(&profile, "car", &import_error);
        mcd_profile_free(&profile);
        if (!leak_expect_failed(nth, status)) break;
    }
}
