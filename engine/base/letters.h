/* letters.h - the letters of ASCII, whatever the host's locale is: in a Turkish one, tolower('I') is not 'i'. A leaf. */
#ifndef MCD_ENGINE_BASE_LETTERS_H
#define MCD_ENGINE_BASE_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

static inline char mcd_letter_lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + ('a' - 'A')) : letter;
}

static inline bool mcd_letter_is(char letter)
{
    return mcd_letter_lower(letter) >= 'a' && mcd_letter_lower(letter) <= 'z';
}

/* Returns whether two texts are the same, up to `length` bytes and in letters of any case. */
static inline bool mcd_letters_match(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    while (i < length && a[i] && mcd_letter_lower(a[i]) == mcd_letter_lower(b[i])) ++i;
    return i == length || (!a[i] && !b[i]);
}

#endif
