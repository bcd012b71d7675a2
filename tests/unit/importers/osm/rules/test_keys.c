/* test_keys.c - the keys of tags that some rule requests. */
#include "importers/osm/rules/keys.h"

#include <criterion/criterion.h>
#include <stdio.h>

static mcd_keys keys;
static const char *value[MCD_KEYS_MAX];

static void read_tags(const mcd_tag *tag, size_t count)
{
    const mcd_tags tags = {.tag = tag, .count = count};
    mcd_keys_read(&keys, &tags, value);
}

Test(keys, key_has_one_place)
{
    const mcd_key highway = mcd_keys_add(&keys, "highway"), oneway = mcd_keys_add(&keys, "oneway");
    cr_expect(highway && oneway && highway != oneway);
    cr_expect_eq(mcd_keys_add(&keys, "highway"), highway);
}

Test(keys, first_tag_of_a_key_counts_and_others_are_passed_over)
{
    static const mcd_tag tag[] = {{"name", "Rue"}, {"highway", "track"}, {"highway", "path"}, {"", "no"}};
    const mcd_key oneway = mcd_keys_add(&keys, "oneway"), highway = mcd_keys_add(&keys, "highway");
    value[oneway] = "yes"; /* of another way */
    read_tags(tag, 4);
    cr_expect_str_eq(value[highway], "track");
    cr_expect_null(value[oneway]);
    cr_expect_null(value[0]);
}

Test(keys, joined_key_may_begin_with_one_letter)
{
    static const mcd_tag tag[] = {{"highway", "s"}, {"s:direction", "forward"}};
    const mcd_tags tags = {tag, 2, ~(mcd_key_initials(tag[0].key) | mcd_key_initials(tag[1].key))};
    cr_expect_str_eq(mcd_tags_get_joined(&tags, "s", "direction", NULL), "forward");
    cr_expect_null(mcd_tags_get_joined(&tags, "s", "minor", NULL));
}

Test(keys, without_keys_there_is_no_value)
{
    value[0] = "something";
    read_tags(&(const mcd_tag){"highway", "track"}, 1);
    cr_expect_null(value[0]);
}

Test(keys, full_keys_still_know_theirs)
{
    static char text[MCD_KEYS_MAX][8];
    for (size_t i = 1; i < MCD_KEYS_MAX; ++i) {
        sprintf(text[i], "k%zu", i);
        cr_assert_neq(mcd_keys_add(&keys, text[i]), 0);
    }
    cr_expect_eq(mcd_keys_add(&keys, "one more"), 0);
    cr_expect_eq(mcd_keys_add(&keys, "k17"), 17);
    for (size_t i = 1; i < MCD_KEYS_MAX; ++i) {
        read_tags(&(const mcd_tag){text[i], "yes"}, 1);
        cr_assert_str_eq(value[i], "yes");
        cr_assert_null(value[i % (MCD_KEYS_MAX - 1) + 1]);
    }
}
