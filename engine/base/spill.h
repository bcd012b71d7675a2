/* spill.h - keeps arrays in a temporary file while no step needs them, so that work on large maps takes less
 * memory. A leaf. */
#ifndef MCD_ENGINE_BASE_SPILL_H
#define MCD_ENGINE_BASE_SPILL_H

#include "engine/base/watch.h"

typedef struct mcd_spill mcd_spill;

/* Opens a file beside `path` that has no name where the file system can do so, and that is gone when the
 * spill file is freed. Returns MACADAM_OK, E_IO, E_FULL or E_MEMORY. */
macadam_status mcd_spill_new(mcd_spill **out, const char *path, macadam_error *error);

/* Writes the array whose address is in *slot, frees it and sets *slot to NULL. Does nothing if there is no
 * array, or if `spill` is NULL: all arrays then stay in memory. At most MCD_SPILL_SLOTS slots. Returns
 * MACADAM_OK, E_IO, E_INVALID or E_CANCELLED. */
enum { MCD_SPILL_SLOTS = 48 };
macadam_status mcd_spill_put(mcd_spill *spill, void *slot, size_t bytes, mcd_watch *watch,
                             macadam_error *error);
/* Reads the array back. Does nothing if none was put from this slot, or if `spill` is NULL. Returns MACADAM_OK,
 * E_IO, E_MEMORY or E_CANCELLED. */
macadam_status mcd_spill_get(mcd_spill *spill, void *slot, mcd_watch *watch, macadam_error *error);

/* Returns whether an array of this slot waits in the file, and its size in *bytes. `spill` may be NULL. */
bool mcd_spill_has(const mcd_spill *spill, const void *slot, size_t *bytes);

/* Frees the spill file and what is in it. NULL is fine. */
void mcd_spill_free(mcd_spill *spill);

#endif
