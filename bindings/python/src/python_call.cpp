/* python_call.cpp - failures, queries, progress. */
#include "bindings/python/src/python_call.h"

bool Watch::report(void *context, const char *phase, uint64_t done, uint64_t total)
{
    auto *watch = static_cast<Watch *>(context);
    const Clock::time_point now = Clock::now();
    if (watch->raised_) return false;
    if (now < watch->next_) return true;
    watch->next_ = now + std::chrono::milliseconds(20);
    const nb::gil_scoped_acquire acquire;
    return watch->ask(phase, done, total);
}

bool Watch::ask(const char *phase, uint64_t done, uint64_t total)
{
    try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (!progress_.is_none()) {
            const nb::object go_on = progress_(phase, done, total);
            return go_on.ptr() != Py_False;
        }
    } catch (...) { /* nothing may be thrown through the library */
        raised_ = std::current_exception();
    }
    return !raised_;
}

void Watch::finish(macadam_status status, const macadam_error &error) const
{
    if (raised_) std::rethrow_exception(raised_);
    if (status != MACADAM_OK) throw Failure{status, error.message};
}

Query::Query(std::optional<std::string> metric, std::vector<std::string> quantities, double snap_radius_m,
             uint64_t memory_limit, bool snap_any_component, Function progress)
    : metric_(std::move(metric)), quantities_(std::move(quantities)), progress_(progress.value_or(nb::none()))
{
    query_.snap_radius_m = snap_radius_m;
    query_.memory_limit = memory_limit;
    query_.snap_any_component = snap_any_component;
}

void Query::set_conditions(uint32_t avoid, const std::vector<std::vector<Ring>> &areas,
                           std::vector<std::pair<std::string, double>> factors)
{
    conditions_ = std::make_unique<Conditions>();
    Conditions &it = *conditions_;
    it.lon.resize(areas.size());
    it.lat.resize(areas.size());
    it.ring_size.resize(areas.size());
    for (size_t i = 0; i < areas.size(); ++i) {
        for (const Ring &ring : areas[i]) {
            for (size_t k = 0; k < ring.shape(0); ++k) {
                it.lon[i].push_back(ring(k, 0));
                it.lat[i].push_back(ring(k, 1));
            }
            it.ring_size[i].push_back(ring.shape(0));
        }
        it.area.push_back({it.lon[i].data(),
                           it.lat[i].data(),
                           it.lon[i].size(),
                           it.ring_size[i].data(),
                           it.ring_size[i].size(),
                           {}});
    }
    it.road_class.reserve(factors.size());
    for (auto &[name, factor] : factors) {
        it.road_class.push_back(std::move(name));
        it.factor.push_back({it.road_class.back().c_str(), factor});
    }
    it.all.avoid = avoid;
    it.all.area = it.area.data();
    it.all.area_count = it.area.size();
    it.all.factor = it.factor.data();
    it.all.factor_count = it.factor.size();
}

std::vector<const char *> c_strings(const std::vector<std::string> &strings)
{
    std::vector<const char *> out;
    for (const std::string &string : strings) out.push_back(string.c_str());
    return out;
}
