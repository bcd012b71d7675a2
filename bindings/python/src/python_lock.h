/* python_lock.h - leaving and taking the interpreter's lock, also at the interpreter's end.
 *
 * CPython ends a thread that takes the lock when the interpreter ends, by pthread_exit, and the frames of C++ that are
 * then on its stack end the process (SIGABRT). So before the end, every running call is cancelled, and exit waits a
 * moment for it. A thread other than the main one that asks for the lock after that sleeps until the process is gone. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_LOCK_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_LOCK_H

#include <nanobind/nanobind.h>

/* Within its scope the thread is without the lock. */
class Unlocked
{
  public:
    Unlocked();
    Unlocked(const Unlocked &) = delete;
    ~Unlocked();

  private:
    PyThreadState *state_;
};

/* Within its scope, which lies in that of an Unlocked, the thread has the lock. */
class Locked
{
  public:
    Locked();
    Locked(const Locked &) = delete;
    ~Locked();

  private:
    PyGILState_STATE state_;
};

/* Whether calls of this thread are to be cancelled, because the interpreter ends. Needs no lock. */
bool interpreter_ends();

void bind_lock(nanobind::module_ &module);

#endif
