/* test_letters.c - letters are those of the locale "C", in any locale. */
#include "engine/base/letters.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <limits.h>
#include <strings.h>

Test(letters, each_byte_is_what_it_is_in_the_locale_c)
{
    for (int byte = CHAR_MIN; byte <= CHAR_MAX; ++byte) {
        cr_expect_eq(mcd_letter_is((char)byte), isalpha((unsigned char)byte) != 0, "%d", byte);
        cr_expect_eq(mcd_letter_lower((char)byte), (char)tolower((unsigned char)byte), "%d", byte);
    }
}

Test(letters, texts_match_as_in_the_locale_c)
{
    static const char *const text[] = {"",         "i",   "I",   "in", "IN ", "In x",
                                       "\xc4\xb0", "zip", "ZIP", "@[", "`{"};
    enum { TEXTS = sizeof text / sizeof *text };
    for (size_t a = 0; a < TEXTS; ++a)
        for (size_t b = 0; b < TEXTS; ++b)
            for (size_t length = 0; length < 6; ++length)
                cr_expect_eq(mcd_letters_match(text[a], text[b], length),
                             strncasecmp(text[a], text[b], length) == 0, "%s %s %zu", text[a], text[b],
                             length);
}
