/* fibers.h - fibers: stacks of their own that run in turns; each decides which is next. Only one switches at a time. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_FIBERS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_FIBERS_H

#include <boost/context/fiber.hpp>
#include <cstddef>

namespace cuda_emulator
{

/* One is never destroyed if it has a stack: it is made to be used again. */
class fiber
{
  public:
    /* The stack of the calling thread. */
    fiber() = default;
    /* The first switch to it calls `body`, which never returns. */
    explicit fiber(void (*body)(fiber &));

    /* Called in this fiber: switches to another. Returns when one switches back, on any thread. */
    void run(fiber &next);

  private:
    void arrive(boost::context::fiber &&from);

    boost::context::fiber m_context; /* unless it runs */
    const void *m_stack = nullptr;
    size_t m_stack_bytes = 0;
    void *m_frames = nullptr; /* those that the address sanitizer keeps off the stack */
};

} // namespace cuda_emulator

#endif
