/* pager.h - the functions by which allocation and work keep a bound of memory. paged.c installs them. A leaf. */
#ifndef MCD_ENGINE_BASE_PAGER_H
#define MCD_ENGINE_BASE_PAGER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mcd_paged_region mcd_paged_region;

typedef struct mcd_pager {
    /* Counts `bytes` bytes of memory that is not paged, and returns true; false: the block has to be paged. */
    bool (*count)(size_t bytes);
    void (*uncount)(size_t bytes);
    /* Returns `bytes` bytes of a file, which are zero and aligned to 64, and their region; NULL if there is no room. */
    void *(*allocate)(size_t bytes, mcd_paged_region **region);
    void (*free)(mcd_paged_region *region);
    /* Looks at memory, if a millisecond has passed. */
    void (*look)(void);
} mcd_pager;

enum { MCD_PAGED_LEAST = 1 << 15 }; /* bytes: smaller blocks stay in memory */

/* Installs the pager, of blocks from now on or, if it is not on, only of those that there are. */
void mcd_pager_install(const mcd_pager *pager, bool is_on);
/* Returns the pager that was installed last, for blocks that it counts or has; and if it is on, else NULL. */
const mcd_pager *mcd_pager_of_blocks(void);
const mcd_pager *mcd_pager_on(void);

/* Looks at memory, if a bound holds. Threads that work call it often. */
void mcd_pager_look(void);

#endif
