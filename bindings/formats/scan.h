/* scan.h - reads a text from its beginning to its end, piece by piece. */
#ifndef MCD_BINDINGS_FORMATS_SCAN_H
#define MCD_BINDINGS_FORMATS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text and the place that has been reached in it. No function moves the place unless it returns true. */
typedef struct mcd_scan {
    const char *text;
    size_t at, size;
} mcd_scan;

bool mcd_scan_is_done(const mcd_scan *scan);
/* The next characters are those of `word`. */
bool mcd_scan_word(mcd_scan *scan, const char *word);
/* One of the words between bars; the longest that fits. *index is its number. The N of "cuda:N" is any number. */
bool mcd_scan_words(mcd_scan *scan, const char *words, size_t *index);
/* Digits that stand for a number up to `most`. */
bool mcd_scan_unsigned(mcd_scan *scan, uint64_t most, uint64_t *out);
/* A finite decimal number, with a sign and an exponent if it has them. Not its last dot, if a word follows: "50.json". */
bool mcd_scan_decimal(mcd_scan *scan, double *out);
/* The characters before the first of `stops`, or all that are left: at least one. *size is how many. */
bool mcd_scan_until(mcd_scan *scan, const char *stops, const char **first, size_t *size);

/* Replaces each %XX by the byte it stands for, in place; *size shrinks. Returns false, and sets *fault to where
 * it stands, if a % is no such code, or if one stands for a zero. */
bool mcd_scan_unescape(char *text, size_t *size, size_t *fault);

/* Each returns whether the whole text is one number. */

/* Digits, with a minus sign or without. */
bool mcd_number_integer(const char *text, size_t bytes, int64_t *out);
/* Only digits; at most `max`. */
bool mcd_number_unsigned(const char *text, size_t bytes, uint64_t max, uint64_t *out);
/* A finite decimal number, with an exponent or without; no hexadecimal, no "inf". */
bool mcd_number_decimal(const char *text, size_t bytes, double *out);
/* Bytes: digits and one of K, M, G, T (powers of 1024) or none; not 0. */
bool mcd_number_bytes(const char *text, uint64_t *out);

#endif
