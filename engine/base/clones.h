/* clones.h - functions that are compiled for AVX2 as well, of which the loader takes those that the processor has. Only for
 * loops whose answers have the same bits either way. */
#ifndef MCD_ENGINE_BASE_CLONES_H
#define MCD_ENGINE_BASE_CLONES_H

#include <stdlib.h> /* __GLIBC__ */

/* Sanitizers call into their runtime before the loader has started it. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&    \
    !defined(__SANITIZE_THREAD__)
#define MCD_CLONED __attribute__((target_clones("avx2", "default")))
#else
#define MCD_CLONED
#endif

#endif
