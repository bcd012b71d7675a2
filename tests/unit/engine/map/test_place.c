/* test_place.c - ids are found, with any gaps between them. */
#include "engine/map/place.h"

#include <criterion/criterion.h>

enum { IDS_MAX = 100 };

static int64_t id[IDS_MAX];
static mcd_place_index place_index;

static void set_up(void)
{
    for (size_t i = 0; i < IDS_MAX; ++i) id[i] = 100 + 3 * (int64_t)i;
    place_index = (mcd_place_index){.id = id};
}

TestSuite(place, .init = set_up);

static void expect_found(size_t count)
{
    place_index.id_count = count;
    for (size_t i = 0; i < count; ++i) cr_assert_eq(mcd_place_find_id(&place_index, id[i]), i);
}

Test(place, ids_without_gaps_are_found)
{
    for (size_t i = 0; i < 100; ++i) id[i] = (int64_t)i - 50;
    expect_found(100);
    cr_assert_eq(mcd_place_find_id(&place_index, -51), MCD_PLACE_NONE);
    cr_assert_eq(mcd_place_find_id(&place_index, 50), MCD_PLACE_NONE);
}

Test(place, ids_with_gaps_are_found_and_others_are_not)
{
    for (size_t count = 0; count < 70; ++count) expect_found(count);
    place_index.id_count = 70;
    for (int64_t other = 90; other < 400; ++other)
        if ((other - 100) % 3 != 0 || other < 100 || other >= 310)
            cr_assert_eq(mcd_place_find_id(&place_index, other), MCD_PLACE_NONE, "%lld", (long long)other);
}

Test(place, extreme_ids_are_found)
{
    id[0] = INT64_MIN, id[1] = -1, id[2] = 0, id[3] = INT64_MAX;
    expect_found(4);
    cr_assert_eq(mcd_place_find_id(&place_index, INT64_MAX - 1), MCD_PLACE_NONE);
    cr_assert_eq(mcd_place_find_id(&place_index, INT64_MIN + 1), MCD_PLACE_NONE);
}
