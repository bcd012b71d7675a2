/* fibers.cpp - see fibers.h. The address sanitizer is told of every switch. */
#include "tests/support/cuda_emulator/fibers.h"

#include <boost/context/protected_fixedsize_stack.hpp>

#ifdef __has_feature /* Clang */
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#else
#define HAS_ADDRESS_SANITIZER 0
#endif
#if HAS_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_start_switch_fiber(void **, const void *, size_t)
{
}
static void __sanitizer_finish_switch_fiber(void *, const void **, size_t *)
{
}
#endif

namespace cuda_emulator
{

enum { STACK_BYTES = 256 * 1024 }; /* of address space; a kernel touches a few pages */

fiber::fiber(void (*body)(fiber &))
{
    boost::context::protected_fixedsize_stack allocator(STACK_BYTES);
    const boost::context::stack_context stack = allocator.allocate();
    m_stack_bytes = stack.size;
    m_stack = static_cast<char *>(stack.sp) - stack.size;
    const auto enter = [this, body](boost::context::fiber &&from) {
        m_outside = std::move(from);
        __sanitizer_finish_switch_fiber(nullptr, &m_outer_stack, &m_outer_stack_bytes);
        body(*this);
        return std::move(m_outside);
    };
    const boost::context::preallocated place(stack.sp, stack.size, stack);
    m_inside = boost::context::fiber(std::allocator_arg, place, allocator, enter);
}

void fiber::resume()
{
    __sanitizer_start_switch_fiber(&m_outer_frames, m_stack, m_stack_bytes);
    m_inside = std::move(m_inside).resume();
    __sanitizer_finish_switch_fiber(m_outer_frames, nullptr, nullptr);
}

void fiber::suspend()
{
    __sanitizer_start_switch_fiber(&m_frames, m_outer_stack, m_outer_stack_bytes);
    m_outside = std::move(m_outside).resume();
    __sanitizer_finish_switch_fiber(m_frames, &m_outer_stack, &m_outer_stack_bytes);
}

} // namespace cuda_emulator
