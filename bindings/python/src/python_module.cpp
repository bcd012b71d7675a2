/* python_module.cpp - the extension module macadam._core: macadam.h for the Python side of the package. */
#include "bindings/python/src/python_call.h"

extern "C" {
#include "bindings/formats/solver.h"
#include "bindings/formats/unit.h"
}

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

/* {name: the method in a line} */
static nb::dict methods(const std::string &question, const char *device)
{
    static const char *const questions[] = {"tree", "all_pairs", "hops"};
    const auto *const found = std::find(std::begin(questions), std::end(questions), question);
    std::vector<macadam_method> method(16);
    size_t count;
    nb::dict out;
    if (found == std::end(questions))
        throw Failure{MACADAM_E_INVALID, "question: \"" + question + "\" is none of tree, all_pairs, hops"};
    run([&](macadam_error *error) {
        return macadam_methods(method.data(), &count, method.size(), device,
                               static_cast<macadam_question>(found - questions), error);
    });
    method.resize(count);
    for (const macadam_method &it : method) out[it.name] = it.about;
    return out;
}

static nb::list languages()
{
    nb::list out;
    for (size_t i = 0; const char *name = macadam_language_name(i); ++i) out.append(nb::str(name));
    return out;
}

/* Fills places from a list of ids and (lon, lat). Returns whether all items are of these kinds. */
static bool fill_places(nb::handle out, const nb::list &items)
{
    Kept kept;
    auto *place = static_cast<macadam_place *>(kept.buffer(out).buf);
    for (const nb::handle item : items) {
        const bool pair = PyTuple_CheckExact(item.ptr()) && nb::len(item) == 2;
        double degrees[2] = {0};
        if (!pair && !PyLong_CheckExact(item.ptr())) return false;
        for (int i = 0; pair && i < 2; ++i) {
            PyObject *number = PyTuple_GetItem(item.ptr(), i);
            if (!PyFloat_Check(number) && !PyLong_CheckExact(number)) return false;
            degrees[i] = PyFloat_AsDouble(number);
        }
        *place = {};
        place->kind = pair ? MACADAM_PLACE_POINT : MACADAM_PLACE_NODE;
        place->lon = degrees[0];
        place->lat = degrees[1];
        if (!pair) place->id = PyLong_AsLongLong(item.ptr());
        ++place;
        if (!PyErr_Occurred()) continue;
        PyErr_Clear(); /* too large: the item is named elsewhere */
        return false;
    }
    return true;
}

static nb::str route_text(const Rows &route, size_t step, const char *language, int units, bool lanes)
{
    const macadam_text_options options = {sizeof options, language, static_cast<macadam_units>(units), lanes,
                                          0};
    char text[1024];
    run([&](macadam_error *error) {
        return macadam_route_text(text, sizeof text, static_cast<const macadam_route *>(route.row()), step,
                                  &options, error);
    });
    return nb::str(text);
}

/* How many of rows x columns costs at an address are unreached. If the matrix is square, its sources are its targets: who
 * reaches a place, reaches all that it reaches, and no more if the place reaches it too. So few cells are looked at. */
static size_t count_unreached(uintptr_t address, size_t rows, size_t columns, bool square, uint32_t unreached)
{
    const Unlocked unlocked;
    const auto *cost = pointer<const uint32_t>(address);
    const auto reaches = [&](size_t i, size_t j) { return cost[i * columns + j] != unreached; };
    size_t place = 0, most = 0; /* of the first 16 places, that which most of some rows reach */
    for (size_t j = 0; square && j < std::min<size_t>(columns, 16); ++j) {
        size_t count = 0;
        for (size_t i = 0; i < rows; i += rows / 64 + 1) count += reaches(i, j);
        if (count > most) place = j, most = count;
    }
    std::vector<size_t> suspect;
    for (size_t j = 0; most && j < columns; ++j)
        if (!reaches(place, j)) suspect.push_back(j);
    size_t out = 0;
    for (size_t i = 0; i < rows; ++i) {
        if (most && reaches(i, place) && reaches(place, i))
            out += suspect.size();
        else if (most && reaches(i, place))
            for (const size_t j : suspect) out += !reaches(i, j);
        else
            out += static_cast<size_t>(std::count(cost + i * columns, cost + (i + 1) * columns, unreached));
    }
    return out;
}

/* ---- solvers ---- */

static mcd_solver_costs solver_costs(nb::handle array, uint32_t per_unit, bool is_signed, Kept &kept)
{
    return {static_cast<const uint32_t *>(kept.buffer(array).buf), nb::len(array), per_unit, is_signed};
}

static nb::object solver_stops(nb::handle array, uint32_t per_unit, bool is_signed)
{
    Kept kept;
    const mcd_solver_costs costs = solver_costs(array, per_unit, is_signed, kept);
    std::vector<size_t> stop(costs.place_count);
    stop.resize(mcd_solver_choose(&costs, stop.data()));
    return array_of(std::move(stop));
}

/* The costs between the stops; MACADAM_COST_NONE without a path. */
static nb::object solver_cells(nb::handle array, uint32_t per_unit, bool is_signed,
                               const std::vector<size_t> &stop)
{
    Kept kept;
    const mcd_solver_costs costs = solver_costs(array, per_unit, is_signed, kept);
    std::vector<int64_t> cells;
    for (const size_t row : stop)
        for (const size_t column : stop) cells.push_back(mcd_solver_cost(&costs, row, column));
    return array_of(std::move(cells), {stop.size(), stop.size()});
}

template <auto name, class Number> static const char *name_of(int number)
{
    return name(static_cast<Number>(number));
}

NB_MODULE(_core, module)
{
    nb::register_exception_translator(raise_failure);
    nb::set_leak_warnings(false); /* engines may live until the interpreter ends */
    module.attr("VERSION") = macadam_version();
    module.attr("FILE_FORMAT") = MACADAM_FILE_FORMAT;
    module.def("count_unreached", count_unreached);
    module.def("solver_stops", solver_stops);
    module.def("solver_cells", solver_cells);
    module.def("solver_cost_max", mcd_solver_cost_max);
    module.def("unit_scale", mcd_unit_scale);
    module.def("devices", devices);
    module.def("languages", languages);
    module.def("methods", methods, nb::arg("question"), nb::arg("device") = "auto",
               "The methods that a device has for `tree`, `all_pairs` or `hops`, each with a line about it.");
    module.def("output_check", [](const char *output, const char *input) {
        run([&](macadam_error *error) { return macadam_output_check(output, &input, 1, error); });
    });
    module.def("instant", [](const char *text, std::optional<const char *> utc_offset) {
        uint32_t out;
        run([&](macadam_error *error) {
            return macadam_instant_read(&out, text, utc_offset.value_or(nullptr), error);
        });
        return out;
    });
    module.def("place_status_name", name_of<macadam_place_status_name, macadam_place_status>);
    module.def("match_status_name", name_of<macadam_match_status_name, macadam_match_status>);
    module.def("route_reason_name", name_of<macadam_route_reason_name, macadam_route_reason>);
    module.def("maneuver_type_name", name_of<macadam_maneuver_type_name, macadam_maneuver_type>);
    module.def("modifier_name", name_of<macadam_modifier_name, macadam_modifier>);
    module.def("route_text", route_text);
    module.def("fill_places", fill_places);
    bind_arrow(module);
    bind_struct(module);
    bind_engine(module);
    bind_memory(module);
    bind_import(module);
    bind_lock(module);
}
