/* other_module.c - a module that belongs to another version of the library: it has no table for this one. */
#include <stddef.h>

__attribute__((visibility("default"))) const void *mcd_cuda_module(const char *version,
                                                                   const void *allocator);

const void *mcd_cuda_module(const char *version, const void *allocator)
{
    (void)version;
    (void)allocator;
    return NULL;
}
