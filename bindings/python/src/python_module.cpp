/* python_module.cpp - the extension module macadam._core: macadam.h for the Python side of the package. */
#include "bindings/python/src/python_call.h"

#include <algorithm>

/* A failure becomes what macadam._errors makes of its status and message. */
static void raise_failure(const std::exception_ptr &thrown, void *)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const Failure &failure) {
        try {
            const nb::object made =
                nb::module_::import_("macadam._errors")
                    .attr("error_of")(static_cast<int>(failure.status),
                                      nb::bytes(failure.message.data(), failure.message.size()));
            PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.ptr())), made.ptr());
        } catch (nb::python_error &error) {
            error.restore();
        }
    }
}

static nb::list devices()
{
    std::vector<const char *> name(macadam_devices(nullptr, 0));
    nb::list out;
    name.resize(std::min(name.size(), macadam_devices(name.data(), name.size())));
    for (const char *it : name) out.append(nb::str(it));
    return out;
}

static nb::list languages()
{
    nb::list out;
    for (size_t i = 0; const char *name = macadam_language_name(i); ++i) out.append(nb::str(name));
    return out;
}

/* How many of `count` costs at an address are unreached. */
static size_t count_unreached(uintptr_t address, size_t count)
{
    const nb::gil_scoped_release release;
    const auto *cost = pointer<const uint32_t>(address);
    return static_cast<size_t>(std::count(cost, cost + count, MACADAM_UNREACHED));
}

NB_MODULE(_core, module)
{
    nb::register_exception_translator(raise_failure);
    nb::set_leak_warnings(false); /* engines may live until the interpreter ends */
    module.attr("VERSION") = macadam_version();
    module.attr("FILE_FORMAT") = MACADAM_FILE_FORMAT;
    module.def("count_unreached", count_unreached);
    module.def("devices", devices);
    module.def("languages", languages);
    module.def("place_status_name", [](int status) {
        return macadam_place_status_name(static_cast<macadam_place_status>(status));
    });
    module.def("match_status_name", [](int status) {
        return macadam_match_status_name(static_cast<macadam_match_status>(status));
    });
    bind_arrow(module);
    bind_rows(module);
    bind_engine(module);
    bind_memory(module);
    bind_import(module);
}
