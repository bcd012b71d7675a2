/* test_utf8.c - text that every protobuf decoder accepts stays and is recognized; all other bytes become
 * question marks. */
#include "engine/base/utf8.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *text, const char *repaired)
{
    char copy[64];
    strcpy(copy, text);
    mcd_utf8_repair(copy);
    cr_assert_str_eq(copy, repaired);
}

Test(utf8, the_first_bad_byte_ends_what_is_well_formed)
{
    cr_expect_eq(mcd_utf8_length("a\0\xc3\xa9", 5), 5);
    cr_expect_eq(mcd_utf8_length("a\0\xe9", 4), 2);
    cr_expect_eq(mcd_utf8_length("a\xe2\x82", 4), 1);
}

Test(utf8, well_formed_text_stays)
{
    expect("", "");
    expect("a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
           "a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

Test(utf8, stray_bytes_become_question_marks)
{
    expect("\x80"
           "a\xff",
           "?a?");
}

Test(utf8, character_cut_by_the_end_becomes_question_marks)
{
    expect("a\xe2\x82", "a??");
    expect("\xf0\x9f\x9a", "???");
}

Test(utf8, overlong_forms_surrogates_and_what_lies_beyond_unicode_become_question_marks)
{
    expect("\xc0\x80", "??");
    expect("\xe0\x9f\xbf", "???");
    expect("\xf0\x8f\xbf\xbf", "????");
    expect("\xed\xa0\x80", "???");
    expect("\xf4\x90\x80\x80", "????");
}
