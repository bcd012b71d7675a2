/* python_memory.cpp - memory that an engine gives for answers: of its device, pinned, or divided among devices. */
#include "bindings/python/src/python_engine.h"

/* It keeps its engine open. */
class Memory
{
  public:
    /* new_memory(out, engine, error) allocates it. */
    template <class New> Memory(const Engine &engine, New new_memory) : engine_(engine.use())
    {
        run([&](macadam_error *error) { return new_memory(&memory_, engine_.get(), error); });
    }
    Memory(const Memory &) = delete;
    ~Memory()
    {
        macadam_memory_free(engine_.get(), memory_);
    }
    uintptr_t address() const
    {
        return reinterpret_cast<uintptr_t>(memory_);
    }
    void read(uintptr_t to, uintptr_t from, uint64_t bytes) const
    {
        run([&](macadam_error *error) {
            return macadam_memory_read(pointer<void>(to), engine_.get(), pointer<void>(from), bytes, error);
        });
    }
    nb::list parts() const;

  private:
    Shared engine_;
    void *memory_ = nullptr;
};

/* Of divided memory: (device, address, first source, sources). */
nb::list Memory::parts() const
{
    nb::list out;
    for (size_t i = 0, count = 1; i < count; ++i) {
        macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
        run([&](macadam_error *error) {
            return macadam_memory_part_at(&part, engine_.get(), memory_, i, error);
        });
        count = part.part_count;
        out.append(nb::make_tuple(part.device, reinterpret_cast<uintptr_t>(part.memory), part.first_source,
                                  part.source_count));
    }
    return out;
}

static Memory *of_kind(const Engine &engine, int kind, uint64_t bytes)
{
    return new Memory(engine, [=](void **out, macadam_engine *it, macadam_error *error) {
        return macadam_memory_new(out, it, static_cast<macadam_memory_kind>(kind), bytes, error);
    });
}

static Memory *divided(const Engine &engine, size_t source_count, uint64_t source_bytes)
{
    return new Memory(engine, [=](void **out, macadam_engine *it, macadam_error *error) {
        return macadam_memory_new_divided(out, it, source_count, source_bytes, error);
    });
}

/* An array that shares this memory; `device_type` and `device` are DLPack's. */
static nb::object array(nb::handle_t<Memory> self, uintptr_t address, const std::vector<size_t> &shape,
                        int device_type, int device, bool is_signed)
{
    const auto type = is_signed ? nb::dtype<int32_t>() : nb::dtype<uint32_t>();
    return nb::cast(nb::ndarray<nb::array_api>(pointer<void>(address), shape.size(), shape.data(), self,
                                               nullptr, type, device_type, device));
}

void bind_memory(nb::module_ &module)
{
    nb::class_<Memory>(module, "Memory", "Memory that an engine gives for answers.")
        .def_static("of_kind", of_kind)
        .def_static("divided", divided)
        .def_prop_ro("address", &Memory::address)
        .def("read", &Memory::read)
        .def("array", array)
        .def("parts", &Memory::parts);
}
