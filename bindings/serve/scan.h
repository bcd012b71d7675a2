/* scan.h - reads a text from its beginning to its end, piece by piece. */
#ifndef MCD_BINDINGS_SERVE_SCAN_H
#define MCD_BINDINGS_SERVE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text and the place that has been reached in it. No function moves the place unless it returns true. */
typedef struct serve_scan {
    const char *text;
    size_t at, size;
} serve_scan;

bool serve_scan_is_done(const serve_scan *scan);
/* The next characters are those of `word`. */
bool serve_scan_word(serve_scan *scan, const char *word);
/* One of `count` words; the longest that fits. *index is its number. */
bool serve_scan_one_of(serve_scan *scan, const char *const *word, size_t count, size_t *index);
bool serve_scan_bool(serve_scan *scan, bool *out);
/* Digits that stand for a number up to `most`. */
bool serve_scan_unsigned(serve_scan *scan, uint64_t most, uint64_t *out);
/* A finite decimal number, with a sign and an exponent if it has them. */
bool serve_scan_decimal(serve_scan *scan, double *out);
/* The characters before the first of `stops`, or all that are left: at least one. *size is how many. */
bool serve_scan_until(serve_scan *scan, const char *stops, const char **first, size_t *size);

/* Replaces each %XX by the byte it stands for, in place; *size shrinks. Returns false, and sets *fault to where
 * it stands, if a % is no such code, or if one stands for a zero. */
bool serve_scan_unescape(char *text, size_t *size, size_t *fault);

#endif
