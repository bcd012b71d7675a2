/* test_options.c - structures of older, newer and careless callers. */
#include "engine/base/options.h"

#include <criterion/criterion.h>

typedef struct options {
    size_t size;
    uint64_t first, second;
} options;

static options own;
static macadam_error error;

static void set_up(void)
{
    own = (options){sizeof own, 10, 20};
}

TestSuite(options, .init = set_up);

Test(options, structure_of_this_version_is_taken_whole)
{
    const options given = {sizeof given, 1, 2};
    cr_assert_eq(mcd_options_adopt(&own, sizeof own, &given, "options", &error), MACADAM_OK);
    cr_assert(own.first == 1 && own.second == 2);
}

Test(options, older_callers_get_the_defaults_of_what_they_do_not_know)
{
    const options given = {offsetof(options, second), 1, 2};
    cr_assert_eq(mcd_options_adopt(&own, sizeof own, &given, "options", &error), MACADAM_OK);
    cr_assert(own.first == 1 && own.second == 20);
}

Test(options, sizes_that_no_version_sets_are_refused)
{
    const size_t size[] = {0, sizeof(size_t) - 1, sizeof own + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof size / sizeof *size; ++i) {
        const options given = {size[i], 1, 2};
        cr_assert_eq(mcd_options_adopt(&own, sizeof own, &given, "tree request", &error), MACADAM_E_INVALID);
        cr_assert_str_eq(error.message, "tree request: its size is not set by its _INIT");
        cr_assert(own.size == sizeof own && own.first == 10 && own.second == 20);
    }
}

Test(options, null_is_refused)
{
    cr_assert_eq(mcd_options_adopt(&own, sizeof own, NULL, "tree request", &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "tree request: NULL");
}
