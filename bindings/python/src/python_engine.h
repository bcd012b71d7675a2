/* python_engine.h - an engine, as Python holds it. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_ENGINE_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_ENGINE_H

#include "bindings/python/src/python_call.h"
#include <mutex>

/* An engine. Calls that run keep it open: if one thread closes it, the last call of another ends it. */
class Engine
{
  public:
    explicit Engine(Shared engine) : engine_(std::move(engine))
    {
    }
    Shared use() const;
    void close();
    bool closed() const;

  private:
    mutable std::mutex mutex_;
    Shared engine_;
};

#endif
