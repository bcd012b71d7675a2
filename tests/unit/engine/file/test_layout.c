/* test_layout.c - the names of sections in the directory. */
#include "engine/file/layout.h"

#include <criterion/criterion.h>
#include <string.h>

Test(edge_file_layout, the_first_profile_has_plain_names)
{
    char name[MCD_SECTION_NAME_BYTES];
    cr_expect(mcd_section_name(name, 0, "head"));
    cr_expect_str_eq(name, "head");
    cr_expect(mcd_section_name(name, 3, "kept.duration.forward.head"));
    cr_expect_str_eq(name, "3/kept.duration.forward.head");
}

Test(edge_file_layout, names_that_are_too_long_are_refused)
{
    char text[MCD_SECTION_NAME_BYTES + 1], name[MCD_SECTION_NAME_BYTES];
    for (size_t length = MCD_SECTION_NAME_BYTES - 4; length <= MCD_SECTION_NAME_BYTES; ++length) {
        memset(text, 'x', length);
        text[length] = '\0';
        cr_expect_eq(mcd_section_name(name, 0, text), length < MCD_SECTION_NAME_BYTES);
        cr_expect_eq(mcd_section_name(name, 1, text), length + 2 < MCD_SECTION_NAME_BYTES);
        cr_expect_eq(name[MCD_SECTION_NAME_BYTES - 1], '\0');
    }
}
