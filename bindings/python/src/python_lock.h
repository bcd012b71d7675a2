/* python_lock.h - leaving and taking the interpreter's lock, also at the interpreter's end.
 *
 * Before the interpreter ends (atexit), every running call is cancelled, and exit waits a moment for it.
 * Later calls of threads other than the main one are cancelled immediately. They raise SystemExit, so that
 * a thread that an atexit handler joins does end. When the interpreter is finalized, CPython ends a thread
 * that takes the lock by pthread_exit, and the frames of C++ that are then on its stack would end the
 * process (SIGABRT). Such a thread sleeps until the process has ended. */
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
