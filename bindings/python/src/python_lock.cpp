/* python_lock.cpp - see python_lock.h. */
#include "bindings/python/src/python_lock.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 2 };

/* Never destroyed: threads may outlive static variables. */
static struct Interpreter {
    std::mutex mutex;
    std::condition_variable changed;
    unsigned calling = 0; /* threads within an Unlocked */
    std::atomic<bool> ends = false;
    pthread_t main = {}; /* that ends it */
} &interpreter = *new Interpreter;

static thread_local unsigned depth; /* of the thread's Unlocked */

bool interpreter_ends()
{
    return interpreter.ends && !pthread_equal(interpreter.main, pthread_self());
}

static void count_calling(int by)
{
    const std::lock_guard<std::mutex> guard(interpreter.mutex);
    interpreter.calling += static_cast<unsigned>(by);
    interpreter.changed.notify_all();
}

/* Calls take(), which takes the interpreter's lock. */
template <class Take> static void take_lock(Take take)
{
    try {
        take();
    } catch (...) { /* CPython ends the thread by unwinding its stack */
        for (;;) pause();
    }
}

Unlocked::Unlocked()
{
    if (depth++ == 0) count_calling(1);
    state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked()
{
    take_lock([&] { PyEval_RestoreThread(state_); });
    if (--depth == 0) count_calling(-1);
}

Locked::Locked()
{
    take_lock([&] { state_ = PyGILState_Ensure(); });
}

Locked::~Locked()
{
    PyGILState_Release(state_);
}

/* Before the interpreter ends, by atexit. A call that does not ask whether to go on (it may wait for
 * a file) is not waited for. */
static void end()
{
    {
        const std::lock_guard<std::mutex> guard(interpreter.mutex);
        interpreter.main = pthread_self();
        interpreter.ends = true;
    }
    const nanobind::gil_scoped_release release;
    std::unique_lock<std::mutex> guard(interpreter.mutex);
    interpreter.changed.wait_for(guard, std::chrono::seconds(PATIENCE_SECONDS),
                                 [] { return interpreter.calling == 0; });
}

void bind_lock(nanobind::module_ &module)
{
    /* A child has only the thread that forked. */
    pthread_atfork([] { interpreter.mutex.lock(); }, [] { interpreter.mutex.unlock(); },
                   [] {
                       interpreter.calling = depth > 0;
                       interpreter.mutex.unlock();
                   });
    module.def("ends", interpreter_ends);
    nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(end));
}
