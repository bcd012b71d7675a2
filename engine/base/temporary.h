/* temporary.h - names of files that are not complete yet: PATH.PROCESS-NUMBER.tmp. A leaf. */
#ifndef MCD_ENGINE_BASE_TEMPORARY_H
#define MCD_ENGINE_BASE_TEMPORARY_H

#include <stdbool.h>

enum { MCD_TEMPORARY_BYTES = 64 }; /* of what follows PATH, with the NUL */

/* Writes the name to `out`, which has room for strlen(path) + MCD_TEMPORARY_BYTES. */
void mcd_temporary_name(char *out, const char *path, unsigned long process, unsigned number);

/* Returns whether `end` is what follows PATH in such a name. */
bool mcd_is_temporary_end(const char *end);

#endif
