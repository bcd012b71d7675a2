/* python_call.h - what all calls from Python share: failures, queries, progress, arrays. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_CALL_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_CALL_H

#include "bindings/python/src/python_lock.h"
#include "bindings/python/src/python_struct.h"
#include <chrono>
#include <exception>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

using Shared = std::shared_ptr<macadam_engine>;
using E = macadam_engine;
using Q = const macadam_query;

/* A call that failed. The module turns it into the exception of its status. */
struct Failure {
    macadam_status status;
    std::string message;
};

using Function = std::optional<nb::object>; /* of the caller; None in Python = there is none */

/* Watches over one call: signals of Python's main thread and the caller's progress function are looked at
 * every 20 ms. An exception from either one ends the call and is raised again when the call returns. */
class Watch
{
  public:
    explicit Watch(nb::handle progress) : progress_(progress)
    {
    }
    static bool report(void *context, const char *phase, uint64_t done, uint64_t total);
    /* Reports to the watch of the thread's running call: for engines, which outlive the call that opens them. */
    static bool report_running(void *, const char *phase, uint64_t done, uint64_t total);
    /* Runs call(error) without the interpreter's lock and raises what it returns. */
    template <class Call> void run(Call call)
    {
        macadam_error error = {};
        macadam_status status;
        Watch *const outer = running;
        running = this;
        {
            const Unlocked unlocked;
            status = call(&error);
        }
        running = outer;
        if (raised) std::rethrow_exception(raised);
        if (status != MACADAM_OK && interpreter_ends()) { /* Python code might not return any more */
            PyErr_SetNone(PyExc_SystemExit);
            nb::raise_python_error();
        }
        if (status != MACADAM_OK) throw Failure{status, error.message};
    }
    std::exception_ptr raised; /* by a function of Python that the library called */

  private:
    using Clock = std::chrono::steady_clock;
    static thread_local Watch *running;
    bool ask(const char *phase, uint64_t done, uint64_t total);

    nb::handle progress_;
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(20);
};

/* Runs call(error) without the interpreter's lock and raises what it returns. */
template <class Call> void run(Call call)
{
    Watch(nb::none()).run(call);
}

/* The part that all queries share: a macadam_query without progress, and the function that receives
 * progress. */
class Query
{
  public:
    Query(const nb::dict &given, Function progress);
    /* Runs call(query, watch, error) as Watch::run does. */
    template <class Call> void run(Call call) const
    {
        Watch watch(progress_);
        macadam_query query = query_;
        query.progress = Watch::report;
        query.progress_context = &watch;
        watch.run([&](macadam_error *error) { return call(&query, &watch, error); });
    }

  private:
    Kept kept_;
    macadam_query query_;
    nb::object progress_;
};

template <class T> T *pointer(uintptr_t address)
{
    return reinterpret_cast<T *>(address);
}

void bind_arrow(nb::module_ &module);
void bind_engine(nb::module_ &module);
void bind_import(nb::module_ &module);
void bind_memory(nb::module_ &module);

#endif
