/* copies.cpp - copies and fills. Every range is checked against the live allocations before it is touched. */
#include "tests/support/cuda_emulator/allocations.h"
#include "tests/support/cuda_emulator/devices.h"
#include "tests/support/cuda_emulator/streams.h"

#include <cstring>

using namespace cuda_emulator;

enum { ANY_DEVICE = -1 };

/* Whether the bytes are device memory, inside one allocation. */
static bool on_device(const void *memory, size_t bytes, int number)
{
    const char *begin;
    const allocation *found = find_allocation(memory, &begin);
    if (!found || found->type != cudaMemoryTypeDevice) return false;
    if (number != ANY_DEVICE && found->device != number) return false;
    return bytes <= found->bytes - static_cast<size_t>(static_cast<const char *>(memory) - begin);
}

/* Whether the bytes are the host's: pinned memory inside one allocation, or what the runtime does not
 * know. */
static bool on_host(const void *memory, size_t bytes)
{
    const char *begin;
    const allocation *found = find_allocation(memory, &begin);
    if (!found) return true;
    if (found->type != cudaMemoryTypeHost) return false;
    return found->registered ||
           bytes <= found->bytes - static_cast<size_t>(static_cast<const char *>(memory) - begin);
}

static cudaError_t check_copy(const void *to, size_t to_bytes, const void *from, size_t from_bytes,
                              cudaMemcpyKind kind)
{
    const bool to_device = on_device(to, to_bytes, ANY_DEVICE), to_host = on_host(to, to_bytes);
    const bool from_device = on_device(from, from_bytes, ANY_DEVICE), from_host = on_host(from, from_bytes);
    switch (kind) {
    case cudaMemcpyHostToHost:
        return to_host && from_host ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyHostToDevice:
        return to_device && from_host ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDeviceToHost:
        return to_host && from_device ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDeviceToDevice:
        return to_device && from_device ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDefault:
        return (to_device || to_host) && (from_device || from_host) ? cudaSuccess : cudaErrorInvalidValue;
    }
    return cudaErrorInvalidMemcpyDirection;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    const cudaError_t status = runtime_call(USES_DEVICE, [=] {
        if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
        if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
        if (width == 0 || height == 0) return cudaSuccess;
        return check_copy(to, (height - 1) * to_pitch + width, from, (height - 1) * from_pitch + width, kind);
    });
    if (status != cudaSuccess || width == 0) return status;
    for (size_t row = 0; row < height; ++row)
        memcpy(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch,
               width);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    const cudaError_t status = runtime_call(USES_DEVICE, [=] {
        if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
        if (!is_device(to_device) || !is_device(from_device)) return cudaErrorInvalidDevice;
        if (bytes == 0) return cudaSuccess;
        return on_device(to, bytes, to_device) && on_device(from, bytes, from_device) ? cudaSuccess
                                                                                      : cudaErrorInvalidValue;
    });
    if (status == cudaSuccess && bytes > 0) memcpy(to, from, bytes);
    return status;
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t stream)
{
    const cudaError_t status = runtime_call(USES_DEVICE, [=] {
        if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
        return bytes == 0 || on_device(memory, bytes, ANY_DEVICE) ? cudaSuccess : cudaErrorInvalidValue;
    });
    if (status == cudaSuccess && bytes > 0) memset(memory, byte, bytes);
    return status;
}

cudaError_t cudaMemset(void *memory, int byte, size_t bytes)
{
    return cudaMemsetAsync(memory, byte, bytes, nullptr);
}
