/* options.c - see options.h. */
#include "engine/base/options.h"

#include <string.h>

macadam_status mcd_options_adopt(void *own, size_t own_size, const void *given, const char *what,
                                 macadam_error *error)
{
    size_t size = 0;
    if (given) memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > own_size)
        return mcd_fail(error, MACADAM_E_INVALID, "%s: %s", what,
                        given ? "its size is not set by its _INIT" : "NULL");
    memcpy(own, given, size);
    return MACADAM_OK;
}
