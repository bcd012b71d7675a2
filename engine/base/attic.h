/* attic.h - keeps arrays in a temporary file while no step needs them, so that work on large maps takes less
 * memory. A leaf. */
#ifndef MCD_ENGINE_BASE_ATTIC_H
#define MCD_ENGINE_BASE_ATTIC_H

#include "engine/base/watch.h"

typedef struct mcd_attic mcd_attic;

/* Opens a file beside `path` that has no name where the file system can do so, and that is gone when the
 * attic is freed. Returns MACADAM_OK, E_IO or E_MEMORY. */
macadam_status mcd_attic_new(mcd_attic **out, const char *path, macadam_error *error);

/* Writes the array whose address is in *slot, frees it and sets *slot to NULL. Does nothing if there is no
 * array, or if `attic` is NULL: all arrays then stay in memory. At most MCD_ATTIC_SLOTS slots. Returns
 * MACADAM_OK, E_IO, E_INVALID or E_CANCELLED. */
enum { MCD_ATTIC_SLOTS = 48 };
macadam_status mcd_attic_put(mcd_attic *attic, void *slot, size_t bytes, mcd_watch *watch,
                             macadam_error *error);
/* Reads the array back. Does nothing if none was put from this slot, or if `attic` is NULL. Returns MACADAM_OK,
 * E_IO, E_MEMORY or E_CANCELLED. */
macadam_status mcd_attic_get(mcd_attic *attic, void *slot, mcd_watch *watch, macadam_error *error);

/* Frees the attic and what is in it. NULL is fine. */
void mcd_attic_free(mcd_attic *attic);

#endif
