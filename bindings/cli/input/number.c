/* number.c - see number.h. */
#include "bindings/cli/input/number.h"
#include "bindings/formats/scan.h"

#include <string.h>

bool cli_number_unsigned(const char *text, size_t bytes, uint64_t max, uint64_t *out)
{
    mcd_scan scan = {text, 0, bytes};
    return mcd_scan_unsigned(&scan, max, out) && mcd_scan_is_done(&scan);
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
    mcd_scan scan = {text, 0, bytes};
    return mcd_scan_decimal(&scan, out) && mcd_scan_is_done(&scan);
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
