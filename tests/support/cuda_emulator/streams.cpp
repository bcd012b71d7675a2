/* streams.cpp - see streams.h. A stream is a name: nothing is ever pending. */
#include "tests/support/cuda_emulator/streams.h"

#include "tests/support/cuda_emulator/devices.h"

#include <chrono>
#include <set>

struct CUstream_st {
    int device;
};

struct CUevent_st {
    int device;
    bool timed, recorded;
    std::chrono::steady_clock::time_point time;
};

namespace cuda_emulator
{

static std::set<cudaStream_t> &streams() /* never destroyed, as the events */
{
    static std::set<cudaStream_t> *all = new std::set<cudaStream_t>();
    return *all;
}

static std::set<cudaEvent_t> &events()
{
    static std::set<cudaEvent_t> *all = new std::set<cudaEvent_t>();
    return *all;
}

bool is_stream(cudaStream_t stream)
{
    return !stream || streams().count(stream) > 0;
}

int stream_device(cudaStream_t stream)
{
    return stream ? stream->device : current_device;
}

size_t stream_and_event_count()
{
    return streams().size() + events().size();
}

/* A call that needs a stream and an event, and does nothing else. */
static cudaError_t check(cudaStream_t stream, cudaEvent_t event)
{
    return is_stream(stream) && events().count(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream)
{
    if (check(stream, event) != cudaSuccess || stream_device(stream) != event->device)
        return cudaErrorInvalidResourceHandle;
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}

static cudaError_t elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    for (const cudaEvent_t event : {start, end})
        if (check(nullptr, event) != cudaSuccess || !event->timed || !event->recorded)
            return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return cudaSuccess;
}

} // namespace cuda_emulator

using namespace cuda_emulator;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return runtime_call(USES_DEVICE, [=] {
        if (flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
        *stream = new CUstream_st{current_device};
        streams().insert(*stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return runtime_call(RELEASES, [=] {
        if (streams().erase(stream) == 0) return cudaErrorInvalidResourceHandle;
        delete stream;
        return cudaSuccess;
    });
}

static cudaError_t use_stream(cudaStream_t stream)
{
    return runtime_call(USES_DEVICE,
                        [=] { return is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return use_stream(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return use_stream(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    return runtime_call(USES_DEVICE, [=] { return check(stream, event); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data)
{
    const cudaError_t status = use_stream(stream);
    if (status != cudaSuccess) return status;
    in_host_function = true;
    function(user_data);
    in_host_function = false;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return runtime_call(USES_DEVICE, [=] {
        *event = new CUevent_st{current_device, !(flags & cudaEventDisableTiming), false, {}};
        events().insert(*event);
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return runtime_call(RELEASES, [=] {
        if (events().erase(event) == 0) return cudaErrorInvalidResourceHandle;
        delete event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return runtime_call(USES_DEVICE, [=] { return record(event, stream); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return runtime_call(USES_DEVICE, [=] { return check(nullptr, event); });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return runtime_call(USES_DEVICE, [=] { return check(nullptr, event); });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return runtime_call(USES_DEVICE, [=] { return elapsed(milliseconds, start, end); });
}
