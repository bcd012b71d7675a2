/* python_engine.cpp - the calls on an engine that write into arrays. These come in as addresses: the Python side made
 * and checked them. Statuses of places go out as arrays. */
#include "bindings/python/src/python_engine.h"
#include "bindings/python/src/python_rows.h"

#include <nanobind/stl/unique_ptr.h>

Shared Engine::use() const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!engine_) throw Failure{MACADAM_E_INVALID, "the engine is closed"};
    return engine_;
}

void Engine::close()
{
    Shared engine;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        engine.swap(engine_);
    }
    const nb::gil_scoped_release release;
    engine.reset();
}

bool Engine::closed() const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return !engine_;
}

Memory::Memory(const Engine &engine, macadam_memory_kind kind, uint64_t bytes) : engine_(engine.use())
{
    run([&](macadam_error *error) {
        return macadam_memory_new(&memory_, engine_.get(), kind, bytes, error);
    });
}

Memory::Memory(const Engine &engine, size_t source_count, uint64_t source_bytes) : engine_(engine.use())
{
    run([&](macadam_error *error) {
        return macadam_memory_new_divided(&memory_, engine_.get(), source_count, source_bytes, error);
    });
}

void Memory::read(uintptr_t to, uintptr_t from, uint64_t bytes) const
{
    run([&](macadam_error *error) {
        return macadam_memory_read(engine_.get(), pointer<void>(to), pointer<void>(from), bytes, error);
    });
}

nb::list Memory::parts() const
{
    nb::list out;
    for (size_t i = 0, count = 1; i < count; ++i) {
        macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
        run([&](macadam_error *error) {
            return macadam_memory_part_at(engine_.get(), memory_, i, &part, error);
        });
        count = part.part_count;
        out.append(nb::make_tuple(part.device, reinterpret_cast<uintptr_t>(part.memory), part.first_source,
                                  part.source_count));
    }
    return out;
}

/* An array that shares this memory; `device_type` and `device` are DLPack's. */
static nb::object memory_array(nb::handle_t<Memory> self, uintptr_t address, const std::vector<size_t> &shape,
                               int device_type, int device)
{
    return nb::cast(nb::ndarray<nb::array_api, uint32_t>(pointer<void>(address), shape.size(), shape.data(),
                                                         self, nullptr, nb::dtype<uint32_t>(), device_type,
                                                         device));
}

/* ---- opening, information ---- */

/* Opens the file at `path`, or the `bytes` bytes at `memory`. */
static Engine *open(const std::string &path, uintptr_t memory, size_t bytes, const std::string &device,
                    unsigned threads, uint64_t memory_limit, bool trust_file, bool read_file)
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.device = device.c_str();
    options.threads = threads;
    options.memory_limit = memory_limit;
    options.trust_file = trust_file;
    options.read_file = read_file;
    macadam_engine *engine = nullptr;
    run([&](macadam_error *error) {
        return memory ? macadam_engine_open_memory(&engine, pointer<void>(memory), bytes, &options, error)
                      : macadam_engine_open(&engine, path.c_str(), &options, error);
    });
    return new Engine(Shared(engine, macadam_engine_close));
}

/* Runs call(engine, error). */
template <class Call> static void use(const Engine &self, Call call)
{
    const Shared engine = self.use();
    run([&](macadam_error *error) { return call(engine.get(), error); });
}

static nb::list strings(const char *const *string, size_t count)
{
    nb::list out;
    for (size_t i = 0; i < count; ++i) out.append(string[i] ? nb::object(nb::str(string[i])) : nb::none());
    return out;
}

static nb::dict info(const Engine &self)
{
    macadam_info info = MACADAM_INFO_INIT;
    use(self,
        [&](macadam_engine *it, macadam_error *error) { return macadam_engine_info(it, &info, error); });
    nb::dict out;
#define PUT(member) out[#member] = info.member
    PUT(file_format), PUT(file_bytes), PUT(source), PUT(profile), PUT(build), PUT(device);
    PUT(id_count), PUT(node_count), PUT(arc_count), PUT(component_count), PUT(restriction_count);
    PUT(up_arc_count), PUT(height), PUT(has_coordinates), PUT(has_geometry), PUT(device_reason);
    PUT(device_bytes), PUT(idle_device_bytes), PUT(idle_host_bytes);
#undef PUT
    out["bbox"] = info.has_coordinates
                      ? nb::object(nb::make_tuple(info.west, info.south, info.east, info.north))
                      : nb::object(nb::none());
    out["quantity"] = strings(info.quantity, info.quantity_count);
    out["unit"] = strings(info.unit, info.quantity_count);
    out["metric"] = strings(info.metric, info.metric_count);
    out["companion"] = strings(info.companion, info.metric_count);
    return out;
}

/* The ids that `read` borrows from the engine, as an array that keeps the engine open. */
static nb::object ids(const Engine &self, bool nodes)
{
    const Shared engine = self.use();
    macadam_info info = MACADAM_INFO_INIT;
    const int64_t *id = nullptr;
    run([&](macadam_error *error) {
        macadam_status status = macadam_engine_info(engine.get(), &info, error);
        if (status == MACADAM_OK)
            status = macadam_snap_places(engine.get(), nullptr, nullptr, 0, nullptr, error);
        if (status != MACADAM_OK) return status;
        id = nodes ? macadam_engine_node_ids(engine.get(), error) : macadam_engine_ids(engine.get(), error);
        return MACADAM_OK; /* snapping has loaded them */
    });
    return borrowed(engine, id, nodes ? info.node_count : info.id_count);
}

static nb::bytes call(const Engine &self, nb::bytes request, const Function &part)
{
    struct Receiver {
        nb::object function;
        std::exception_ptr raised;
        static bool receive(void *context, const uint8_t *data, size_t size)
        {
            auto *self = static_cast<Receiver *>(context);
            const nb::gil_scoped_acquire acquire;
            try {
                return self->function(nb::bytes(data, size)).ptr() != Py_False;
            } catch (...) {
                self->raised = std::current_exception();
                return false;
            }
        }
    } receiver = {part.value_or(nb::none()), nullptr};
    const Shared engine = self.use();
    macadam_bytes reply = {};
    const auto *data = static_cast<const uint8_t *>(request.data());
    const size_t size = request.size();
    std::unique_ptr<macadam_bytes, void (*)(macadam_bytes *)> kept(&reply, macadam_bytes_free);
    try {
        run([&](macadam_error *error) {
            return macadam_call(engine.get(), data, size, part ? Receiver::receive : nullptr, &receiver,
                                &reply, error);
        });
    } catch (const Failure &) {
        if (receiver.raised) std::rethrow_exception(receiver.raised);
        throw;
    }
    return nb::bytes(reply.data, reply.size);
}

/* ---- queries ---- */

/* Room for the statuses of places. */
class Statuses
{
  public:
    explicit Statuses(size_t count) : status_(count)
    {
        static_assert(sizeof(macadam_place_status) == sizeof(int32_t));
    }
    macadam_place_status *data()
    {
        return reinterpret_cast<macadam_place_status *>(status_.data());
    }
    nb::object finish() /* those of the first places, or all */
    {
        return array_of(std::move(status_));
    }

  private:
    std::vector<int32_t> status_;
};

/* Runs call(engine, query, error). */
template <class Call> static void ask(const Engine &self, const Query &query, Call call)
{
    const Shared engine = self.use();
    query.run([&](const macadam_query *own, macadam_error *error) { return call(engine.get(), own, error); });
}
using E = macadam_engine;
using Q = const macadam_query;

/* A request of `Request`'s kind, with its sources. */
template <class Request> static Request of_sources(Request request, const Places &sources)
{
    request.source = sources.place.data();
    request.source_count = sources.place.size();
    return request;
}

/* The rows keep the engine open: names belong to it. */
static Rows rows_of(const Engine &self, std::vector<macadam_snap> &&snaps, size_t count)
{
    struct Kept {
        Shared engine;
        std::vector<macadam_snap> snaps;
    };
    const auto kept = std::make_shared<Kept>(Kept{self.use(), std::move(snaps)});
    return Rows(kept, kept->snaps.data(), count, SNAPS);
}

static Rows snap(const Engine &self, const Query &query, const Places &places)
{
    const size_t count = places.place.size();
    std::vector<macadam_snap> snap(count);
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        return macadam_snap_places(engine, own, places.place.data(), count, snap.data(), error);
    });
    return rows_of(self, std::move(snap), count);
}

static Rows candidates(const Engine &self, const Query &query, const Places &places, size_t capacity)
{
    std::vector<macadam_snap> snap(capacity);
    size_t count = 0;
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        return macadam_snap_candidates(engine, own, places.place.data(), capacity, snap.data(), &count,
                                       error);
    });
    return rows_of(self, std::move(snap), count);
}

static macadam_matrix_request matrix_of(const Places &sources, const Places &targets)
{
    macadam_matrix_request request = of_sources(macadam_matrix_request MACADAM_MATRIX_REQUEST_INIT, sources);
    request.target = targets.place.data();
    request.target_count = targets.place.size();
    return request;
}

static nb::object matrix(const Engine &self, const Query &query, const Places &sources, const Places &targets,
                         const Addresses &value)
{
    const macadam_matrix_request request = matrix_of(sources, targets);
    const auto out = pointers<uint32_t>(value);
    Statuses status(request.source_count + request.target_count);
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        return macadam_matrix_into(engine, own, &request, out.data(), status.data(), error);
    });
    return status.finish();
}

/* Receives tiles for a function of Python: function(row, column, arrays), the arrays borrowed until it
 * returns. `prepare` is called before the first tile. */
struct TileReceiver {
    nb::handle function;
    size_t quantity_count;
    std::exception_ptr raised;

    static bool receive(void *context, const macadam_tile *tile)
    {
        auto *self = static_cast<TileReceiver *>(context);
        const nb::gil_scoped_acquire acquire;
        try {
            nb::list arrays;
            const size_t shape[] = {tile->rows, tile->columns};
            const uint32_t *values[] = {tile->value[0], self->quantity_count > 1 ? tile->value[1] : nullptr,
                                        tile->next};
            for (const uint32_t *it : values)
                if (it) arrays.append(nb::ndarray<nb::numpy, const uint32_t>(it, 2, shape, nb::none()));
            return self->function(tile->row, tile->column, arrays).ptr() != Py_False;
        } catch (...) {
            self->raised = std::current_exception();
            return false;
        }
    }
};

/* Runs call(engine, query, receiver, error). */
template <class Call>
static void receive_tiles(const Engine &self, const Query &query, nb::handle function, Call call)
{
    TileReceiver receiver = {function, query.quantity_count(), nullptr};
    try {
        ask(self, query,
            [&](E *engine, Q *own, macadam_error *error) { return call(engine, own, &receiver, error); });
    } catch (const Failure &) {
        if (receiver.raised) std::rethrow_exception(receiver.raised);
        throw;
    }
}

static void matrix_tiles(const Engine &self, const Query &query, const Places &sources, const Places &targets,
                         uintptr_t status, nb::callable function)
{
    const macadam_matrix_request request = matrix_of(sources, targets);
    receive_tiles(self, query, function,
                  [&](E *engine, Q *own, TileReceiver *receiver, macadam_error *error) {
                      return macadam_matrix(engine, own, &request, pointer<macadam_place_status>(status),
                                            TileReceiver::receive, receiver, error);
                  });
}

static nb::object tree(const Engine &self, const Query &query, const Places &sources, bool reverse,
                       uint32_t limit, int order, int method, const Addresses &value, uintptr_t parent)
{
    auto request = of_sources(macadam_tree_request MACADAM_TREE_REQUEST_INIT, sources);
    request.reverse = reverse;
    request.limit = limit;
    request.order = static_cast<macadam_order>(order);
    request.method = static_cast<macadam_tree_method>(method);
    const auto out = pointers<uint32_t>(value);
    auto *parents = pointer<uint32_t>(parent);
    Statuses status(request.source_count);
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        return parents
                   ? macadam_tree_parents(engine, own, &request, out.data(), parents, status.data(), error)
                   : macadam_tree(engine, own, &request, out.data(), status.data(), error);
    });
    return status.finish();
}

static nb::object hops(const Engine &self, const Query &query, const Places &sources, bool reverse,
                       uint32_t limit, int method, uintptr_t value, uintptr_t parent)
{
    auto request = of_sources(macadam_hops_request MACADAM_HOPS_REQUEST_INIT, sources);
    request.reverse = reverse;
    request.limit = limit;
    request.method = static_cast<macadam_hops_method>(method);
    Statuses status(request.source_count);
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        return macadam_hops(engine, own, &request, pointer<uint32_t>(value), pointer<uint32_t>(parent),
                            status.data(), error);
    });
    return status.finish();
}

/* `answer` holds the addresses of the arrays in the order of macadam_reach, 0 for what is not requested. */
static nb::object reach(const Engine &self, const Query &query, const Places &sources, bool reverse,
                        const std::vector<uint32_t> &limits, uintptr_t value, const Places &targets,
                        size_t nearest_count, const Addresses &answer)
{
    auto request = of_sources(macadam_reach_request MACADAM_REACH_REQUEST_INIT, sources);
    request.reverse = reverse;
    request.limit = limits.data();
    request.limit_count = limits.size();
    request.value = pointer<const uint32_t>(value);
    request.target = targets.place.data();
    request.target_count = targets.place.size();
    request.nearest_count = nearest_count;
    const auto at = [&](size_t i) { return pointer<uint32_t>(answer.at(i)); };
    const auto wide = [&](size_t i) { return pointer<uint64_t>(answer.at(i)); };
    const macadam_reach out = {sizeof out, wide(0), wide(1), wide(2), at(3), at(4), at(5), at(6), wide(7)};
    Statuses status(request.source_count + request.target_count);
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        return macadam_reach_find(engine, own, &request, &out, status.data(), error);
    });
    return status.finish();
}

/* The paths of many routes. */
struct Paths {
    std::vector<int64_t> first = {0};
    std::vector<uint64_t> arc;

    static bool receive(void *context, size_t, const uint64_t *arc, size_t count)
    {
        auto *self = static_cast<Paths *>(context);
        try {
            self->arc.insert(self->arc.end(), arc, arc + count);
            self->first.push_back(static_cast<int64_t>(self->arc.size()));
        } catch (const std::bad_alloc &) {
            return false;
        }
        return true;
    }
};

/* Returns (statuses, first arc of each pair, arcs); the latter two are empty unless paths are requested. */
static nb::tuple routes(const Engine &self, const Query &query, const Places &sources, const Places &targets,
                        bool paths, const Addresses &value)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = sources.place.data();
    request.target = targets.place.data();
    request.pair_count = sources.place.size();
    if (targets.place.size() != request.pair_count)
        throw nb::value_error("sources and targets differ in length");
    const auto out = pointers<uint32_t>(value);
    Statuses status(2 * request.pair_count);
    Paths found;
    if (request.pair_count > 0)
        ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
            return paths ? macadam_routes_paths(engine, own, &request, out.data(), status.data(),
                                                Paths::receive, &found, error)
                         : macadam_routes(engine, own, &request, out.data(), status.data(), error);
        });
    return nb::make_tuple(status.finish(), array_of(std::move(found.first)), array_of(std::move(found.arc)));
}

/* ---- all pairs, closure, updates ---- */

/* Computes all pairs at the addresses `value` and `next`; into a file if there is a path; for a function if
 * there is one: see TileReceiver. Returns the method in use. */
static int all_pairs(const Engine &self, const Query &query, int method, bool next, const Addresses &value,
                     uintptr_t next_address, const std::string &path, const Function &function)
{
    macadam_tree_method chosen = MACADAM_TREE_AUTO;
    macadam_all_pairs_request request = MACADAM_ALL_PAIRS_REQUEST_INIT;
    request.method = static_cast<macadam_tree_method>(method);
    request.next = next;
    request.chosen = &chosen;
    const auto out = pointers<uint32_t>(value);
    receive_tiles(self, query, function.value_or(nb::none()),
                  [&](E *engine, Q *own, TileReceiver *receiver, macadam_error *error) {
                      if (!path.empty())
                          return macadam_all_pairs_save(engine, own, &request, path.c_str(), error);
                      if (!out.empty())
                          return macadam_all_pairs_into(engine, own, &request, out.data(),
                                                        pointer<uint32_t>(next_address), error);
                      return macadam_all_pairs(engine, own, &request, TileReceiver::receive, receiver, error);
                  });
    return chosen;
}

static void closure(const Engine &self, const Query &query, uintptr_t bits, const std::string &path)
{
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        macadam_closure_request request = MACADAM_CLOSURE_REQUEST_INIT;
        request.memory_limit = own->memory_limit;
        request.progress = own->progress;
        request.progress_context = own->progress_context;
        return bits ? macadam_closure_into(engine, &request, pointer<uint8_t>(bits), error)
                    : macadam_closure_save(engine, &request, path.c_str(), error);
    });
}

/* The entries are named by `arc`, or by `tail` and `head` if it is 0. */
static void update(const Engine &self, const Query &query, uintptr_t arc, uintptr_t tail, uintptr_t head,
                   size_t count, const Addresses &value)
{
    const auto weights = pointers<uint32_t>(value);
    ask(self, query, [&](E *engine, Q *own, macadam_error *error) {
        macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
        request.arc = pointer<const uint64_t>(arc);
        request.tail = pointer<const int64_t>(tail);
        request.head = pointer<const int64_t>(head);
        request.count = count;
        request.quantity = own->quantity;
        request.quantity_count = own->quantity_count;
        request.value = weights.data();
        request.progress = own->progress;
        request.progress_context = own->progress_context;
        return macadam_update(engine, &request, error);
    });
}

static void save(const Engine &self, const std::string &path, bool ready)
{
    use(self, [&](macadam_engine *engine, macadam_error *error) {
        return ready ? macadam_engine_save_ready(engine, path.c_str(), error)
                     : macadam_engine_save(engine, path.c_str(), error);
    });
}

void bind_engine(nb::module_ &module)
{
    nb::class_<Query>(module, "Query", "What all queries share.")
        .def(nb::init<std::optional<std::string>, std::vector<std::string>, double, uint64_t, bool,
                      Function>())
        .def("set_conditions", &Query::set_conditions);
    nb::class_<Memory>(module, "Memory", "Memory of an engine's device, or pinned.")
        .def("__init__",
             [](Memory *self, const Engine &engine, int kind, uint64_t bytes) {
                 new (self) Memory(engine, static_cast<macadam_memory_kind>(kind), bytes);
             })
        .def_static("divided",
                    [](const Engine &engine, size_t source_count, uint64_t source_bytes) {
                        return std::make_unique<Memory>(engine, source_count, source_bytes);
                    })
        .def_prop_ro("address", &Memory::address)
        .def("read", &Memory::read)
        .def("array", memory_array)
        .def("parts", &Memory::parts);
    nb::class_<Engine> engine(module, "Engine", "An opened edge file, as the library knows it.");
    engine.def_static("open", open)
        .def("close", &Engine::close)
        .def_prop_ro("closed", &Engine::closed)
        .def("info", info)
        .def("ids", ids)
        .def("trim", [](const Engine &self) { use(self, macadam_engine_trim); })
        .def("warm",
             [](const Engine &self, const Query &query) { ask(self, query, macadam_conditions_warm); })
        .def("verify", [](const Engine &self) { use(self, macadam_engine_verify); })
        .def("save", save)
        .def("call", call)
        .def("snap", snap)
        .def("candidates", candidates)
        .def("matrix", matrix)
        .def("matrix_tiles", matrix_tiles)
        .def("tree", tree)
        .def("hops", hops)
        .def("reach", reach)
        .def("routes", routes)
        .def("all_pairs", all_pairs)
        .def("closure", closure)
        .def("update", update);
    bind_answers(module, engine);
}
