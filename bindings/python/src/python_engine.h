/* python_engine.h - an engine and the memory that it gives, as Python holds them. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_ENGINE_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_ENGINE_H

#include "bindings/python/src/python_places.h"
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

/* Memory of macadam_memory_new. It keeps its engine open. */
class Memory
{
  public:
    Memory(const Engine &engine, macadam_memory_kind kind, uint64_t bytes);
    Memory(const Engine &engine, size_t source_count, uint64_t source_bytes); /* divided among devices */
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory()
    {
        macadam_memory_free(engine_.get(), memory_);
    }
    uintptr_t address() const
    {
        return reinterpret_cast<uintptr_t>(memory_);
    }
    void read(uintptr_t to, uintptr_t from, uint64_t bytes) const;
    nb::list parts() const; /* of divided memory: (device, address, first source, sources) */

  private:
    Shared engine_;
    void *memory_ = nullptr;
};

void bind_answers(nb::module_ &module, nb::class_<Engine> &engine);

#endif
