/* pager.c - see pager.h. */
#include "engine/base/pager.h"

#include <stdatomic.h>

static _Atomic(const mcd_pager *) installed, current; /* current: NULL unless it is on */

void mcd_pager_install(const mcd_pager *pager, bool is_on)
{
    atomic_store(&installed, pager);
    atomic_store(&current, is_on ? pager : NULL);
}

const mcd_pager *mcd_pager_of_blocks(void)
{
    return atomic_load(&installed);
}

const mcd_pager *mcd_pager_on(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

void mcd_pager_look(void)
{
    const mcd_pager *const pager = mcd_pager_on();
    if (pager) pager->look();
}
