/* python_call.cpp - progress, queries, places. */
#include "bindings/python/src/python_call.h"

MEMBERS(macadam_area, ARRAY(lon, point_count), MEMBER(lat), ARRAY(ring_size, ring_count));
MEMBERS(macadam_class_factor, MEMBER(road_class), MEMBER(factor));
MEMBERS(macadam_conditions, MEMBER(avoid), ARRAY(area, area_count), ARRAY(factor, factor_count));
MEMBERS(macadam_query, MEMBER(metric), ARRAY(quantity, quantity_count), MEMBER(snap_radius_m),
        MEMBER(memory_limit), MEMBER(snap_any_component), MEMBER(conditions));

Query::Query(const nb::dict &given, Function progress)
    : query_(made<macadam_query>(given, kept_)), progress_(progress.value_or(nb::none()))
{
}

bool Watch::report(void *context, const char *phase, uint64_t done, uint64_t total)
{
    auto *watch = static_cast<Watch *>(context);
    const Clock::time_point now = Clock::now();
    if (watch->raised) return false;
    if (now < watch->next_) return true;
    watch->next_ = now + std::chrono::milliseconds(20);
    const nb::gil_scoped_acquire acquire;
    return watch->ask(phase, done, total);
}

bool Watch::ask(const char *phase, uint64_t done, uint64_t total)
{
    try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (!progress_.is_none()) return progress_(phase, done, total).ptr() != Py_False;
    } catch (...) { /* nothing may be thrown through the library */
        raised = std::current_exception();
    }
    return !raised;
}

/* Gaps become members, so that NumPy copies them too: they are 0. */
nb::dict dtype_of(size_t bytes, const std::vector<DtypeMember> &members)
{
    nb::list names, formats, offsets;
    const auto add = [&](const std::string &name, const std::string &format, size_t offset) {
        names.append(name);
        formats.append(format);
        offsets.append(offset);
    };
    size_t end = 0;
    const auto fill = [&](size_t until) {
        if (end < until) add("reserved" + std::to_string(end), "V" + std::to_string(until - end), end);
    };
    for (const DtypeMember &it : members) {
        fill(it.offset);
        add(it.name, it.format, it.offset);
        end = it.offset + it.bytes;
    }
    fill(bytes);
    nb::dict out;
    out["names"] = names;
    out["formats"] = formats;
    out["offsets"] = offsets;
    out["itemsize"] = bytes;
    return out;
}
