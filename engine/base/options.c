/* options.c - see options.h. */
#include "engine/base/options.h"

#include <string.h>

macadam_status mcd_options_adopt(void *own, size_t own_size, const void *given, const char *what,
                                 macadam_error *error)
{
    size_t size = 0;
    if (given) memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > own_size)
        return mcd_fail_invalid(error, "%s: %s", what, given ? "its size is not set by its _INIT" : "NULL");
    memcpy(own, given, size);
    return MACADAM_OK;
}

macadam_status mcd_answer_clear(void *out, const char *what, macadam_error *error)
{
    static void *const none = NULL;
    if (!out) return mcd_fail_invalid(error, "no place for the %s", what);
    memcpy(out, &none, sizeof none);
    return MACADAM_OK;
}
