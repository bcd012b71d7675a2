/* pages.h - what the system is told of memory that is used much. A leaf. */
#ifndef MCD_ENGINE_BASE_PAGES_H
#define MCD_ENGINE_BASE_PAGES_H

#include <stddef.h>

/* Asks for large pages under `memory`, where the system has them: fewer faults and address translations. */
void mcd_pages_make_large(void *memory, size_t bytes);

#endif
