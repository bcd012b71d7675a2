/* streams.h - streams and events. All under the runtime's lock. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_STREAMS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_STREAMS_H

#include "cuda_runtime.h"

namespace cuda_emulator
{

/* Whether it is alive; NULL is: the current device's. */
bool is_stream(cudaStream_t stream);
int stream_device(cudaStream_t stream);

size_t stream_and_event_count();

} // namespace cuda_emulator

#endif
