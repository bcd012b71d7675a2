/* python_import.cpp - the imports. Each returns the lines of the importer's report. */
#include "bindings/python/src/python_call.h"

using Strings = std::vector<std::string>;

/* What every import is given. */
struct Import {
    std::string output;
    std::optional<std::string> order;
    bool no_hierarchy, ready;
    unsigned threads;
    nb::object progress;
};

/* The watch and the lines of one import. */
struct Session {
    Watch watch;
    std::vector<std::string> lines;

    static bool progress(void *context, const char *phase, uint64_t done, uint64_t total)
    {
        return Watch::report(&static_cast<Session *>(context)->watch, phase, done, total);
    }
    static void report(void *context, const char *line)
    {
        try {
            static_cast<Session *>(context)->lines.emplace_back(line);
        } catch (const std::bad_alloc &) { /* the import goes on; its report lacks a line */
        }
    }
};

template <class Call> static Strings run_import(const Import &import, Call call)
{
    Session session = {Watch(import.progress), {}};
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = import.output.c_str();
    options.order = import.order ? import.order->c_str() : nullptr;
    options.no_hierarchy = import.no_hierarchy;
    options.ready = import.ready;
    options.threads = import.threads;
    options.progress = Session::progress;
    options.report = Session::report;
    options.context = &session;
    macadam_error error = {};
    macadam_status status;
    {
        const nb::gil_scoped_release release;
        status = call(&options, &error);
    }
    session.watch.finish(status, error);
    return session.lines;
}

static Strings import_osm(const Import &import, const std::string &path,
                          const std::optional<std::string> &profile)
{
    return run_import(import, [&](const macadam_import_options *options, macadam_error *error) {
        return macadam_import_osm(path.c_str(), profile ? profile->c_str() : nullptr, options, error);
    });
}

static Strings import_dimacs(const Import &import, const Strings &quantities, const Strings &weights,
                             const std::optional<std::string> &coordinates)
{
    const std::vector<const char *> names = c_strings(quantities), paths = c_strings(weights);
    macadam_dimacs_input input = MACADAM_DIMACS_INPUT_INIT;
    input.quantity = names.data();
    input.weight = paths.data();
    input.quantity_count = names.size();
    input.coordinates = coordinates ? coordinates->c_str() : nullptr;
    return run_import(import, [&](const macadam_import_options *options, macadam_error *error) {
        return macadam_import_dimacs(&input, options, error);
    });
}

/* Arrays come in as addresses; 0 = none. */
static Strings import_arrays(const Import &import, size_t node_count, size_t arc_count, uintptr_t id,
                             uintptr_t lon_e7, uintptr_t lat_e7, uintptr_t tail, uintptr_t head,
                             const Strings &quantities, const Strings &units, const Addresses &weights)
{
    const std::vector<const char *> names = c_strings(quantities), unit = c_strings(units);
    const auto weight = pointers<const uint32_t>(weights);
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = node_count;
    input.arc_count = arc_count;
    input.id = pointer<const int64_t>(id);
    input.lon_e7 = pointer<const int32_t>(lon_e7);
    input.lat_e7 = pointer<const int32_t>(lat_e7);
    input.tail = pointer<const uint32_t>(tail);
    input.head = pointer<const uint32_t>(head);
    input.quantity = names.data();
    input.unit = unit.data();
    input.weight = weight.data();
    input.quantity_count = names.size();
    return run_import(import, [&](const macadam_import_options *options, macadam_error *error) {
        return macadam_import_arrays(&input, options, error);
    });
}

void bind_import(nb::module_ &module)
{
    nb::class_<Import>(module, "Import", "What every import is given.")
        .def(nb::init<std::string, std::optional<std::string>, bool, bool, unsigned, nb::object>());
    module.def("import_osm", import_osm);
    module.def("import_dimacs", import_dimacs);
    module.def("import_arrays", import_arrays);
}
