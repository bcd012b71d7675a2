/* fibers.h - fibers: stacks of their own that run in turns on the thread that resumes them. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_FIBERS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_FIBERS_H

#include <boost/context/fiber.hpp>
#include <cstddef>

namespace cuda_emulator
{

/* A fiber is never destroyed: it is made to be used again. */
class fiber
{
  public:
    /* The first resume() calls `body`, which never returns. */
    explicit fiber(void (*body)(fiber &));

    /* Runs the fiber until it suspends itself; any thread may call it, one at a time. */
    void resume();
    /* Called in the fiber: goes back to where it was resumed. */
    void suspend();

  private:
    boost::context::fiber m_inside, m_outside;
    const void *m_stack = nullptr, *m_outer_stack = nullptr;
    size_t m_stack_bytes = 0, m_outer_stack_bytes = 0;
    void *m_frames = nullptr,
         *m_outer_frames = nullptr; /* those that the address sanitizer keeps off the stack */
};

} // namespace cuda_emulator

#endif
