/* cuda_emulator.h - the emulated devices in a test's hands: failures, and counts of what is alive.
 *
 * Kernels run on the processor, one thread of one kernel at a time; work on a stream is done when it is
 * enqueued.
 * - A thread runs until a barrier or a warp function, where it waits for the others. A collective that
 *   threads miss, because they have ended or wait elsewhere, stops the process with a message that names the
 *   places in the source.
 * - Blocks of a launch run one after the other, those of a cooperative launch in turns. A thread that waits
 *   for another one's write must call __nanosleep in its loop: nothing else lets others run.
 * - Device memory and shared memory hold a pattern until they are written; every allocation is one of its own
 *   for the address sanitizer. Host code that reads device memory is not found, nor a missing synchronization
 *   of host and device.
 *
 * There are two devices of 1 GiB, or as many as the environment's MCD_EMULATED_DEVICES says; they can reach
 * each other's memory unless its MCD_EMULATED_PEERS is 0. The driver is as new as the module, or as
 * MCD_EMULATED_DRIVER says (12020: CUDA 12.2; 0: there is none). A lost device fails every call but those that ask
 * about devices, with the error that it was lost with; what is freed is freed nevertheless. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_CUDA_EMULATOR_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_CUDA_EMULATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* of a module that has it inside */

/* How a device is lost. */
typedef enum cuda_emulator_loss {
    CUDA_EMULATOR_UNAVAILABLE, /* cudaErrorDevicesUnavailable */
    CUDA_EMULATOR_FAULT,       /* cudaErrorLaunchFailure */
    CUDA_EMULATOR_REFUSAL      /* cudaErrorInvalidConfiguration, of that call alone: the device is not lost */
} cuda_emulator_loss;

/* Lets the `nth` allocation from now on fail (1: the next): device memory, pinned memory or a registration;
 * 0: none. */
void cuda_emulator_fail_allocation(size_t nth);

/* Lets the `nth` call from now on (1: the next) lose the calling thread's device; 0: none. */
void cuda_emulator_lose_device(size_t nth, cuda_emulator_loss loss);

/* Whether what was to fail has failed. */
int cuda_emulator_has_failed(void);

/* The memory of each device; what is allocated stays. */
void cuda_emulator_set_memory(size_t bytes);

/* Whether threads and blocks run in descending order, by which a result that depends on the order shows. */
void cuda_emulator_set_reversed(int reversed);

/* The calling thread's device. */
int cuda_emulator_device(void);
void cuda_emulator_set_device(int number);

/* Calls since the last reset. */
size_t cuda_emulator_call_count(void);
/* Allocations and registrations that are not freed. */
size_t cuda_emulator_live_allocations(void);
/* Streams, events and memory pools that are not destroyed. */
size_t cuda_emulator_live_handles(void);

/* Brings lost devices back, forgets failures to come, the count of calls, the memory's size and the order. */
void cuda_emulator_reset(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
