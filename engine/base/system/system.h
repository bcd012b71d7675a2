/* system.h - what differs between the POSIX systems, in one file for each, which also has some functions of platform.h. A
 * leaf. */
#ifndef MCD_ENGINE_BASE_SYSTEM_SYSTEM_H
#define MCD_ENGINE_BASE_SYSTEM_SYSTEM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* How the names of modules end. */
extern const char mcd_system_module_suffix[];

/* Returns 0 or the error's number: gives an empty file `bytes` bytes of the disk, all zero. */
int mcd_system_reserve(int file, size_t bytes);
/* Returns the text for an error's number, perhaps in `text`. */
const char *mcd_system_error(int number, char *text, size_t bytes);

/* Initializes a condition whose waits end by the clock that never jumps. */
void mcd_system_condition_init(pthread_cond_t *condition);
/* Like pthread_cond_wait, but also returns after `ms` milliseconds. */
void mcd_system_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t ms);

#endif
