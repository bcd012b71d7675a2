/* backends.c - see backends.h. */
#include "tests/support/backends.h"

#include "kernels/cpu/device/cpu.h"

const mcd_backend *backend[BACKENDS_MAX];
size_t backend_count;

void backends_set_up(void)
{
    allocator_install();
    backend_count = mcd_cpu_backends(backend, BACKENDS_MAX);
}
