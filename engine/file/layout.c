/* layout.c - see layout.h. */
#include "engine/file/layout.h"

#include <stdio.h>
#include <string.h>

bool mcd_section_name(char out[MCD_SECTION_NAME_BYTES], size_t profile, const char *name)
{
    memset(out, 0, MCD_SECTION_NAME_BYTES);
    const int length = profile == 0 ? snprintf(out, MCD_SECTION_NAME_BYTES, "%s", name)
                                    : snprintf(out, MCD_SECTION_NAME_BYTES, "%zu/%s", profile, name);
    return length < MCD_SECTION_NAME_BYTES;
}
