/* python_call.h - what all calls from Python share: failures, queries, progress, arrays. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_CALL_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_CALL_H

#include <chrono>
#include <cstring>
#include <exception>
#include <macadam.h>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

using Shared = std::shared_ptr<macadam_engine>;
using Owner = std::shared_ptr<const void>; /* keeps an answer, and the engine that it points into */

/* A call that failed. The module turns it into the exception of its status. */
struct Failure {
    macadam_status status;
    std::string message;
};

using Function = std::optional<nb::object>; /* of the caller; None in Python = there is none */

/* Watches over one call: signals of Python's main thread and the caller's progress function are looked at
 * every 20 ms. What either raises ends the call and is raised again after it. */
class Watch
{
  public:
    explicit Watch(nb::handle progress) : progress_(progress)
    {
    }
    static bool report(void *context, const char *phase, uint64_t done, uint64_t total);
    void finish(macadam_status status, const macadam_error &error) const;

  private:
    using Clock = std::chrono::steady_clock;
    bool ask(const char *phase, uint64_t done, uint64_t total);

    nb::handle progress_;
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(20);
    std::exception_ptr raised_;
};

/* The strings as C has them; they live as long as `strings`. */
std::vector<const char *> c_strings(const std::vector<std::string> &strings);

/* Which roads a query avoids, with all that the library's structure points to. */
struct Conditions {
    std::vector<std::vector<double>> lon, lat; /* of each area */
    std::vector<std::vector<size_t>> ring_size;
    std::vector<std::string> road_class;
    std::vector<macadam_area> area;
    std::vector<macadam_class_factor> factor;
    macadam_conditions all = MACADAM_CONDITIONS_INIT;
};
using Ring = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

/* What all queries share, with the strings that it points to. */
class Query
{
  public:
    Query(std::optional<std::string> metric, std::vector<std::string> quantities, double snap_radius_m,
          uint64_t memory_limit, bool snap_any_component, Function progress);
    Query() = default;
    void set_conditions(uint32_t avoid, const std::vector<std::vector<Ring>> &areas,
                        std::vector<std::pair<std::string, double>> factors);

    /* Runs call(query, error) without the interpreter's lock and raises what it returns. */
    template <class Call> void run(Call call) const
    {
        Watch watch(progress_);
        macadam_query query = query_;
        const std::vector<const char *> names = c_strings(quantities_);
        query.metric = metric_ ? metric_->c_str() : nullptr;
        query.quantity = names.data();
        query.quantity_count = names.size();
        query.conditions = conditions_ ? &conditions_->all : nullptr;
        query.progress = Watch::report;
        query.progress_context = &watch;
        macadam_error error = {};
        macadam_status status;
        {
            const nb::gil_scoped_release release;
            status = call(&query, &error);
        }
        watch.finish(status, error);
    }
    size_t quantity_count() const
    {
        return quantities_.empty() ? 1 : quantities_.size();
    }

  private:
    std::optional<std::string> metric_;
    std::vector<std::string> quantities_;
    macadam_query query_ = MACADAM_QUERY_INIT;
    nb::object progress_ = nb::none();
    std::unique_ptr<Conditions> conditions_;
};

/* Runs call(error) without the interpreter's lock and raises what it returns. */
template <class Call> void run(Call call)
{
    macadam_error error = {};
    macadam_status status;
    {
        const nb::gil_scoped_release release;
        status = call(&error);
    }
    if (status != MACADAM_OK) throw Failure{status, error.message};
}

/* An array of NumPy that owns the vector's memory. */
template <class T> nb::object array_of(std::vector<T> &&values, std::vector<size_t> shape = {})
{
    auto *kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept,
                            [](void *memory) noexcept { delete static_cast<std::vector<T> *>(memory); });
    if (shape.empty()) shape.push_back(kept->size());
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

/* An array of NumPy over memory that `owner` keeps. */
template <class T> nb::object borrowed(Owner owner, const T *values, size_t count)
{
    const nb::capsule kept(new Owner(std::move(owner)),
                           [](void *memory) noexcept { delete static_cast<Owner *>(memory); });
    return nb::cast(nb::ndarray<nb::numpy, const T>(values, 1, &count, kept));
}

/* Addresses of arrays that Python made, which live until the call returns. */
using Addresses = std::vector<uintptr_t>;
template <class T> T *pointer(uintptr_t address)
{
    return reinterpret_cast<T *>(address);
}
template <class T> std::vector<T *> pointers(const Addresses &addresses)
{
    std::vector<T *> out;
    for (const uintptr_t address : addresses) out.push_back(pointer<T>(address));
    return out;
}

void bind_arrow(nb::module_ &module);
void bind_engine(nb::module_ &module);
void bind_import(nb::module_ &module);
void bind_places(nb::module_ &module);
void bind_rows(nb::module_ &module);

#endif
