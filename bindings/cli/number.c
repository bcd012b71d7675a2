/* number.c - strict reading of numbers, and fast printing of integers. */
#include "bindings/cli/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMAL_BYTES_MAX = 63 };

bool cli_number_unsigned(const char *text, size_t bytes, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (bytes == 0) return false;
    for (size_t i = 0; i < bytes; ++i) {
        const unsigned digit = (unsigned)text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *out = value;
    return value <= max;
}

bool cli_number_integer(const char *text, size_t bytes, int64_t *out)
{
    const bool negative = bytes > 0 && text[0] == '-';
    uint64_t magnitude;
    if (!cli_number_unsigned(text + negative, bytes - negative, (uint64_t)INT64_MAX + negative, &magnitude))
        return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool cli_number_decimal(const char *text, size_t bytes, double *out)
{
    char copy[DECIMAL_BYTES_MAX + 1], *end;
    if (bytes == 0 || bytes > DECIMAL_BYTES_MAX) return false;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    if (strspn(copy, "0123456789+-.eE") != bytes) return false;
    *out = strtod(copy, &end);
    return end == copy + bytes && isfinite(*out);
}

bool cli_number_bytes(const char *text, uint64_t *out)
{
    static const char suffix[] = "KMGT";
    const size_t bytes = strlen(text);
    const char *const found = bytes ? strchr(suffix, text[bytes - 1]) : NULL;
    const unsigned shift = found ? 10 * (unsigned)(found - suffix + 1) : 0;
    if (!cli_number_unsigned(text, bytes - (found ? 1 : 0), UINT64_MAX >> shift, out) || *out == 0)
        return false;
    *out <<= shift;
    return true;
}

size_t cli_number_print(char *out, uint64_t value)
{
    char reversed[20];
    size_t digits = 0, bytes = 0;
    do reversed[digits++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (digits > 0) out[bytes++] = reversed[--digits];
    return bytes;
}
