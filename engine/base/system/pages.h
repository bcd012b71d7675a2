/* pages.h - hints to the operating system about memory that is used heavily. A leaf. */
#ifndef MCD_ENGINE_BASE_SYSTEM_PAGES_H
#define MCD_ENGINE_BASE_SYSTEM_PAGES_H

#include <stddef.h>

/* Requests large pages under `memory`, where the system has them: fewer faults and address translations. */
void mcd_pages_make_large(void *memory, size_t bytes);

/* Requests small pages under large memory of which little will be used: the system clears whole pages. */
void mcd_pages_make_small(void *memory, size_t bytes);

/* Says that all of an array is about to be written: the system then maps its pages together and not one by
 * one. */
void mcd_pages_prepare(void *memory, size_t bytes);

/* Gives the system back what freed blocks have left in the heap of the C library, where that can be done. */
void mcd_pages_trim(void);

#endif
