/* python_import.cpp - the imports. Each returns the lines of the importer's report. */
#include "bindings/python/src/python_call.h"

using Strings = std::vector<std::string>;

/* The watch and the lines of one import. */
struct Session {
    Watch watch;
    Strings lines;

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

/* Runs call(options, error). */
template <class Call> static Strings import(const nb::dict &given, nb::handle progress, Call call)
{
    Kept kept;
    Session session = {Watch(progress), {}};
    auto options = made<macadam_import_options>("macadam_import_options", given, kept);
    options.progress = Session::progress;
    options.report = Session::report;
    options.context = &session;
    session.watch.run([&](macadam_error *error) { return call(&options, error); });
    return session.lines;
}

static Strings import_osm(const nb::dict &options, const nb::object &progress, const Strings &paths,
                          const Strings &profiles)
{
    std::vector<const char *> path, profile;
    for (const std::string &one : paths) path.push_back(one.c_str());
    for (const std::string &one : profiles) profile.push_back(one.c_str());
    return import(options, progress, [&](const macadam_import_options *own, macadam_error *error) {
        return macadam_import_osm_files(path.data(), path.size(), profile.data(), profile.size(), own, error);
    });
}

/* An import of what `Input` describes. */
template <class Input>
static auto import_of(const char *name,
                      macadam_status (*call)(const Input *, const macadam_import_options *, macadam_error *))
{
    return [=](const nb::dict &options, const nb::object &progress, const nb::dict &given) {
        Kept kept;
        const Input input = made<Input>(name, given, kept);
        return import(options, progress, [&](const macadam_import_options *own, macadam_error *error) {
            return call(&input, own, error);
        });
    };
}

void bind_import(nb::module_ &module)
{
    module.def("import_osm", import_osm);
    module.def("import_dimacs", import_of("macadam_dimacs_input", macadam_import_dimacs));
    module.def("import_arrays", import_of("macadam_arrays_input", macadam_import_arrays));
}
