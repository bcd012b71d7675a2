/* test_spill.c - arrays come back from the spill file as they went. */
#include "tests/support/allocator.h"
#include "tests/support/files.h"

#include "engine/base/spill.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 3000000 }; /* 12 MB: several steps */

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_error error;
static mcd_spill *spill;
static mcd_watch watch;

static void set_up(void)
{
    static const mcd_progress nobody;
    allocator_install();
    files_new_path(folder, path, "file");
    watch = mcd_watch_of(&nobody, "waiting");
    cr_assert_eq(mcd_spill_new(&spill, path, &error), MACADAM_OK, "%s", error.message);
}

static void tear_down(void)
{
    mcd_spill_free(spill);
    cr_assert_eq(files_count(folder), 0, "a file is left");
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(spill, .init = set_up, .fini = tear_down);

static uint32_t *new_array(size_t count, uint32_t first)
{
    uint32_t *const array = mcd_allocate(count, sizeof *array);
    for (uint32_t i = 0; i < count; ++i) array[i] = first + i;
    return array;
}

static void expect_array(const uint32_t *array, size_t count, uint32_t first)
{
    cr_assert_not_null(array);
    for (uint32_t i = 0; i < count; ++i) cr_assert_eq(array[i], first + i, "element %u", i);
}

static void put(uint32_t **slot, size_t count)
{
    cr_assert_eq(mcd_spill_put(spill, slot, count * sizeof **slot, &watch, &error), MACADAM_OK, "%s",
                 error.message);
    cr_assert_null(*slot);
}

static void get(uint32_t **slot)
{
    cr_assert_eq(mcd_spill_get(spill, slot, &watch, &error), MACADAM_OK, "%s", error.message);
}

Test(spill, arrays_come_back_in_any_order)
{
    const size_t live = allocator_live_count();
    uint32_t *large = new_array(COUNT, 5), *small = new_array(7, 900);
    put(&large, COUNT);
    put(&small, 7);
    cr_assert_eq(allocator_live_count(), live, "the arrays are still in memory");
    get(&large);
    get(&small);
    expect_array(large, COUNT, 5);
    expect_array(small, 7, 900);
    mcd_free(large);
    mcd_free(small);
}

Test(spill, slot_can_be_used_again)
{
    uint32_t *array = new_array(100, 1), *other = new_array(100, 300);
    put(&array, 100);
    put(&other, 100);
    get(&array);
    mcd_free(array);
    array = new_array(1000, 7000); /* more than its room holds */
    put(&array, 1000);
    get(&array);
    get(&other);
    expect_array(array, 1000, 7000);
    expect_array(other, 100, 300);
    mcd_free(array);
    mcd_free(other);
}

Test(spill, what_was_not_put_stays)
{
    uint32_t *array = new_array(10, 1), *none = NULL;
    get(&array);
    put(&none, 10);
    get(&none);
    cr_assert_null(none);
    cr_assert_eq(mcd_spill_put(NULL, &array, 40, &watch, &error), MACADAM_OK);
    expect_array(array, 10, 1);
    mcd_free(array);
}
