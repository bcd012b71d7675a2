/* paged.h - a bound for the resident memory of the process: large blocks are then in temporary files, and their pages go
 * back to the system when the process comes near the bound. */
#ifndef MCD_ENGINE_BASE_PAGED_H
#define MCD_ENGINE_BASE_PAGED_H

#include "engine/base/status.h"

/* Keeps the resident memory of this process within `bound` bytes until mcd_paged_end: the large blocks of mcd_allocate
 * take nine sixteenths of it at most, and the others are pages of files that have no name, in the folder of `path`. Of several
 * concurrent bounds the least holds, with the folder of the first, and what fails one fails all. Does nothing where the
 * system does not say how much memory is resident. Returns MACADAM_OK, E_MEMORY, or E_LIMIT: of the first bound, less
 * than 32 MiB are left for work. Threads: any; one thread of its own watches memory. */
macadam_status mcd_paged_begin(const char *path, uint64_t bound, macadam_error *error);
/* Ends one bound. Blocks stay valid. */
void mcd_paged_end(void);
/* Returns MACADAM_OK, or how the bound has failed: E_FULL or E_IO (of the temporary files), or E_LIMIT: what cannot go to
 * files takes more than the bound. */
macadam_status mcd_paged_check(macadam_error *error);

/* Returns whether a bound holds. */
bool mcd_paged_is_on(void);

#endif
