/* python_call.cpp - progress, queries, places. */
#include "bindings/python/src/python_call.h"

Query::Query(const nb::dict &given, Function progress)
    : query_(made<macadam_query>("macadam_query", given, kept_)), progress_(progress.value_or(nb::none()))
{
}

bool Watch::report(void *context, const char *phase, uint64_t done, uint64_t total)
{
    auto *watch = static_cast<Watch *>(context);
    const Clock::time_point now = Clock::now();
    if (watch->raised || interpreter_ends()) return false;
    if (now < watch->next_) return true;
    watch->next_ = now + std::chrono::milliseconds(20);
    const Locked locked;
    return watch->ask(phase, done, total);
}

thread_local Watch *Watch::running;

bool Watch::report_running(void *, const char *phase, uint64_t done, uint64_t total)
{
    return !running || report(running, phase, done, total);
}

bool Watch::ask(const char *phase, uint64_t done, uint64_t total)
{
    try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (!progress_.is_none()) return progress_(phase, done, total).ptr() != Py_False;
    } catch (...) { /* nothing may be thrown through the library */
        raised = std::current_exception();
    }
    return !raised;
}
