/* scan.c - see scan.h. */
#include "bindings/formats/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

bool mcd_scan_is_done(const mcd_scan *scan)
{
    return scan->at == scan->size;
}

bool mcd_scan_word(mcd_scan *scan, const char *word)
{
    const size_t size = strlen(word);
    if (scan->size - scan->at < size || memcmp(scan->text + scan->at, word, size) != 0) return false;
    scan->at += size;
    return true;
}

bool mcd_scan_words(mcd_scan *scan, const char *words, size_t *index)
{
    size_t end = scan->at;
    for (size_t i = 0; *words; ++i) {
        const size_t bytes = strcspn(words, "|"), letters = bytes - (words[bytes - 1] == 'N');
        mcd_scan trial = {scan->text, scan->at + letters, scan->size};
        uint64_t number;
        if (scan->size - scan->at >= letters && memcmp(scan->text + scan->at, words, letters) == 0 &&
            (letters == bytes || mcd_scan_unsigned(&trial, UINT32_MAX, &number)) && trial.at > end) {
            end = trial.at;
            *index = i;
        }
        words += bytes + (words[bytes] == '|');
    }
    const bool is_one = end > scan->at;
    scan->at = end;
    return is_one;
}

bool mcd_scan_unsigned(mcd_scan *scan, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    size_t at = scan->at;
    for (; at < scan->size && scan->text[at] >= '0' && scan->text[at] <= '9'; ++at)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(scan->text[at] - '0'), &value) || value > most)
            return false;
    if (at == scan->at) return false;
    scan->at = at;
    *out = value;
    return true;
}

/* Reads an ordinary number: with at most 15 digits, it is the quotient of two numbers that are exact, rounded once. (Clinger
 * 1990) */
static bool scan_ordinary(mcd_scan *scan, double *out)
{
    size_t at = scan->at, digits = 0, point = SIZE_MAX;
    uint64_t whole = 0;
    double one = 1;
    const bool is_negative = at < scan->size && scan->text[at] == '-';
    for (at += is_negative; at < scan->size; ++at) {
        const unsigned digit = (unsigned char)scan->text[at] - '0';
        if (digit > 9 && (scan->text[at] != '.' || point != SIZE_MAX)) break;
        if (digit > 9)
            point = at;
        else
            whole = 10 * whole + digit, one *= point == SIZE_MAX ? 1 : 10, ++digits;
        if (digits > 15) return false;
    }
    if (digits == 0 || (at < scan->size && memchr("+-.eE", scan->text[at], 5))) return false;
    *out = (is_negative ? -(double)whole : (double)whole) / one;
    scan->at = at;
    return true;
}

/* strtod would also take spaces, hexadecimal numbers, infinities and what lies beyond the text. */
static bool scan_any(mcd_scan *scan, double *out)
{
    char number[NUMBER_BYTES + 1];
    size_t size = 0;
    while (size < NUMBER_BYTES && scan->at + size < scan->size &&
           memchr("+-.0123456789eE", scan->text[scan->at + size], 15))
        ++size;
    memcpy(number, scan->text + scan->at, size);
    number[size] = 0;
    char *end;
    const double value = strtod(number, &end);
    if (end == number || !isfinite(value)) return false;
    scan->at += (size_t)(end - number);
    *out = value;
    return true;
}

bool mcd_scan_decimal(mcd_scan *scan, double *out)
{
    if (!scan_ordinary(scan, out) && !scan_any(scan, out)) return false;
    const bool is_followed = scan->at < scan->size && isalpha((unsigned char)scan->text[scan->at]);
    if (is_followed && scan->text[scan->at - 1] == '.') --scan->at;
    return true;
}

bool mcd_scan_until(mcd_scan *scan, const char *stops, const char **first, size_t *size)
{
    const size_t begin = scan->at;
    size_t at = begin;
    while (at < scan->size && !strchr(stops, scan->text[at])) ++at;
    if (at == begin) return false;
    *first = scan->text + begin;
    *size = at - begin;
    scan->at = at;
    return true;
}

static int digit_of(char character)
{
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    if (character >= 'A' && character <= 'F') return character - 'A' + 10;
    return -1;
}

bool mcd_scan_unescape(char *text, size_t *size, size_t *fault)
{
    const char *const first = memchr(text, '%', *size);
    size_t to = first ? (size_t)(first - text) : *size;
    for (size_t from = to; from < *size; ++from) {
        if (text[from] != '%') {
            text[to++] = text[from];
            continue;
        }
        const int high = from + 2 < *size ? digit_of(text[from + 1]) : -1;
        const int low = high >= 0 ? digit_of(text[from + 2]) : -1;
        *fault = from;
        if (low < 0 || (high == 0 && low == 0)) return false;
        text[to++] = (char)(high << 4 | low);
        from += 2;
    }
    *size = to;
    return true;
}

/* ---- whole texts ---- */

bool mcd_number_unsigned(const char *text, size_t bytes, uint64_t max, uint64_t *out)
{
    mcd_scan scan = {text, 0, bytes};
    return mcd_scan_unsigned(&scan, max, out) && mcd_scan_is_done(&scan);
}

bool mcd_number_integer(const char *text, size_t bytes, int64_t *out)
{
    const bool negative = bytes > 0 && text[0] == '-';
    uint64_t magnitude;
    if (!mcd_number_unsigned(text + negative, bytes - negative, (uint64_t)INT64_MAX + negative, &magnitude))
        return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool mcd_number_decimal(const char *text, size_t bytes, double *out)
{
    mcd_scan scan = {text, 0, bytes};
    return mcd_scan_decimal(&scan, out) && mcd_scan_is_done(&scan);
}

bool mcd_number_bytes(const char *text, uint64_t *out)
{
    static const char suffix[] = "KMGT";
    const size_t bytes = strlen(text);
    const char *const found = bytes ? strchr(suffix, text[bytes - 1]) : NULL;
    const unsigned shift = found ? 10 * (unsigned)(found - suffix + 1) : 0;
    if (!mcd_number_unsigned(text, bytes - (found ? 1 : 0), UINT64_MAX >> shift, out) || *out == 0)
        return false;
    *out <<= shift;
    return true;
}
