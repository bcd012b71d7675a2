/* fibers.cpp - see fibers.h. It reports every switch to the address sanitizer. */
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

enum {
    STACK_BYTES = 256 * 1024, /* of address space; a kernel touches a few pages */
    SHADES = 61, /* stacks begin at this many places of a page, or they would share lines of the cache */
    SHADE_BYTES = 17 * 64,
};

static fiber *leaving; /* the one that switched last */

fiber::fiber(void (*body)(fiber &))
{
    static size_t count;
    boost::context::protected_fixedsize_stack allocator(STACK_BYTES);
    const boost::context::stack_context stack = allocator.allocate();
    const size_t shade = count++ % SHADES * SHADE_BYTES;
    m_stack_bytes = stack.size - shade;
    m_stack = static_cast<char *>(stack.sp) - stack.size;
    const auto enter = [this, body](boost::context::fiber &&from) {
        arrive(std::move(from));
        body(*this);
        return std::move(m_context); /* never reached */
    };
    const boost::context::preallocated place(static_cast<char *>(stack.sp) - shade, m_stack_bytes, stack);
    m_context = boost::context::fiber(std::allocator_arg, place, allocator, enter);
}

void fiber::arrive(boost::context::fiber &&from)
{
    __sanitizer_finish_switch_fiber(m_frames, &leaving->m_stack, &leaving->m_stack_bytes);
    leaving->m_context = std::move(from);
}

void fiber::run(fiber &next)
{
    leaving = this;
    __sanitizer_start_switch_fiber(&m_frames, next.m_stack, next.m_stack_bytes);
    arrive(std::move(next.m_context).resume());
}

} // namespace cuda_emulator
