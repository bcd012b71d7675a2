/* scoped.h - variables that are freed where their scope ends: the last one first. */
#ifndef MCD_TESTS_SUPPORT_SCOPED_H
#define MCD_TESTS_SUPPORT_SCOPED_H

#include <stdlib.h>
#include <string.h>

/* SCOPED(test_graph_free) test_graph graph = ...; `release` takes the address. */
#define SCOPED(release) __attribute__((cleanup(release)))

/* Makes release_at() of a function that takes the pointer itself: SCOPED(release_at) type *variable = ...; */
#define SCOPED_POINTER(type, release)                                                                        \
    static inline void release##_at(type *const *at)                                                         \
    {                                                                                                        \
        release(*at);                                                                                        \
    }

static inline void scoped_free(const void *at)
{
    void *memory;
    memcpy(&memory, at, sizeof memory);
    free(memory);
}
/* FREED uint32_t *cost = ...; of any type. */
#define FREED SCOPED(scoped_free)

#endif
