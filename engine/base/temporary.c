/* temporary.c - see temporary.h. */
#include "engine/base/temporary.h"

#include <stdio.h>
#include <string.h>

void mcd_temporary_name(char *out, const char *path, unsigned long process, unsigned number)
{
    snprintf(out, strlen(path) + MCD_TEMPORARY_BYTES, "%s.%lu-%u.tmp", path, process, number);
}

bool mcd_is_temporary_end(const char *end)
{
    static const char digits[] = "0123456789";
    if (*end++ != '.') return false;
    size_t count = strspn(end, digits);
    if (count == 0 || end[count] != '-') return false;
    end += count + 1;
    count = strspn(end, digits);
    return count > 0 && strcmp(end + count, ".tmp") == 0;
}
