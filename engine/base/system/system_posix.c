/* system_posix.c - system.h for all systems but Windows. It does not define _GNU_SOURCE, with which glibc has another
 * strerror_r. */
#include "engine/base/system/system.h"

#include <string.h>

const char *mcd_system_error(int number, char *text, size_t bytes)
{
    return strerror_r(number, text, bytes) == 0 ? text : "unknown error";
}
