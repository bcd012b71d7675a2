/* python_engine.cpp - the calls on an engine. Arrays come in as addresses: the Python side made and checked
 * them. */
#include "bindings/python/src/python_engine.h"
#include "bindings/python/src/python_lines.h"

#include <nanobind/stl/unique_ptr.h>

static Engine *take(macadam_engine *engine)
{
    return new Engine(Shared(engine, macadam_engine_close));
}

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
        return macadam_memory_read(engine_.get(), reinterpret_cast<void *>(to),
                                   reinterpret_cast<void *>(from), bytes, error);
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

/* ---- opening, information ---- */

static macadam_engine_options options_of(const std::string &device, unsigned threads, uint64_t memory_limit,
                                         bool trust_file, bool read_file)
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.device = device.c_str();
    options.threads = threads;
    options.memory_limit = memory_limit;
    options.trust_file = trust_file;
    options.read_file = read_file;
    return options;
}

static Engine *open_path(const std::string &path, const std::string &device, unsigned threads,
                         uint64_t memory_limit, bool trust_file, bool read_file)
{
    const macadam_engine_options options = options_of(device, threads, memory_limit, trust_file, read_file);
    macadam_engine *engine = nullptr;
    run([&](macadam_error *error) { return macadam_engine_open(&engine, path.c_str(), &options, error); });
    return take(engine);
}

static Engine *open_memory(uintptr_t memory, size_t bytes, const std::string &device, unsigned threads,
                           uint64_t memory_limit, bool trust_file)
{
    const macadam_engine_options options = options_of(device, threads, memory_limit, trust_file, false);
    macadam_engine *engine = nullptr;
    run([&](macadam_error *error) {
        return macadam_engine_open_memory(&engine, reinterpret_cast<void *>(memory), bytes, &options, error);
    });
    return take(engine);
}

static nb::list strings(const char *const *string, size_t count)
{
    nb::list out;
    for (size_t i = 0; i < count; ++i) {
        if (string[i])
            out.append(nb::str(string[i]));
        else
            out.append(nb::none());
    }
    return out;
}

static nb::dict info(const Engine &self)
{
    const Shared engine = self.use();
    macadam_info info = MACADAM_INFO_INIT;
    run([&](macadam_error *error) { return macadam_engine_info(engine.get(), &info, error); });
    nb::dict out;
    out["file_format"] = info.file_format;
    out["file_bytes"] = info.file_bytes;
    out["source"] = info.source;
    out["profile"] = info.profile;
    out["build"] = info.build;
    out["device"] = info.device;
    out["id_count"] = info.id_count;
    out["node_count"] = info.node_count;
    out["arc_count"] = info.arc_count;
    out["component_count"] = info.component_count;
    out["restriction_count"] = info.restriction_count;
    out["up_arc_count"] = info.up_arc_count;
    out["height"] = info.height;
    out["has_coordinates"] = info.has_coordinates;
    out["has_geometry"] = info.has_geometry;
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
template <class Read>
static nb::object borrowed_ids(const Engine &self, uint64_t macadam_info::*count, Read read)
{
    const Shared engine = self.use();
    macadam_info info = MACADAM_INFO_INIT;
    const int64_t *id = nullptr;
    run([&](macadam_error *error) {
        macadam_status status = macadam_engine_info(engine.get(), &info, error);
        if (status == MACADAM_OK)
            status = macadam_snap_places(engine.get(), nullptr, nullptr, 0, nullptr, error);
        if (status == MACADAM_OK) id = read(engine.get(), error); /* snapping has loaded them */
        return status;
    });
    const nb::capsule owner(new Shared(engine),
                            [](void *kept) noexcept { delete static_cast<Shared *>(kept); });
    const size_t shape[] = {info.*count};
    return nb::cast(nb::ndarray<nb::numpy, const int64_t>(id, 1, shape, owner));
}

/* ---- queries ---- */

static nb::dict snap(const Engine &self, const Query &query, const Places &places)
{
    enum { CHUNK = 1 << 16 }; /* answers of one chunk stay in the cache while their columns are written */
    const Shared engine = self.use();
    SnapColumns columns(places.place.size());
    std::vector<macadam_snap> snap(std::min<size_t>(CHUNK, places.place.size()));
    for (size_t begin = 0; begin < places.place.size(); begin += CHUNK) {
        const size_t count = std::min<size_t>(CHUNK, places.place.size() - begin);
        query.run([&](const macadam_query *own, macadam_error *error) {
            const macadam_status status =
                macadam_snap_places(engine.get(), own, &places.place[begin], count, snap.data(), error);
            for (size_t i = 0; status == MACADAM_OK && i < count; ++i) columns.add(snap[i]);
            return status;
        });
    }
    return columns.finish();
}

static nb::dict candidates(const Engine &self, const Query &query, const Places &places, size_t capacity)
{
    const Shared engine = self.use();
    macadam_snap snap[MACADAM_SNAP_CANDIDATES_MAX] = {};
    size_t count = 0;
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_snap_candidates(engine.get(), own, places.place.data(), capacity, snap, &count, error);
    });
    SnapColumns columns(count);
    for (size_t i = 0; i < count; ++i) columns.add(snap[i]);
    return columns.finish();
}

static macadam_place_status *statuses(uintptr_t address)
{
    return reinterpret_cast<macadam_place_status *>(address);
}

static macadam_matrix_request matrix_of(const Places &sources, const Places &targets)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = sources.place.data();
    request.source_count = sources.place.size();
    request.target = targets.place.data();
    request.target_count = targets.place.size();
    return request;
}

static void matrix(const Engine &self, const Query &query, const Places &sources, const Places &targets,
                   const Addresses &value, uintptr_t status)
{
    const Shared engine = self.use();
    const macadam_matrix_request request = matrix_of(sources, targets);
    const std::vector<uint32_t *> out = pointers<uint32_t>(value);
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_matrix_into(engine.get(), own, &request, out.data(), statuses(status), error);
    });
}

/* A receiver of tiles: a function of Python that gets (row, column, list of arrays borrowed until it
 * returns). */
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
            for (size_t q = 0; q < self->quantity_count; ++q)
                if (tile->value[q])
                    arrays.append(
                        nb::ndarray<nb::numpy, const uint32_t>(tile->value[q], 2, shape, nb::none()));
            if (tile->next)
                arrays.append(nb::ndarray<nb::numpy, const uint32_t>(tile->next, 2, shape, nb::none()));
            return self->function(tile->row, tile->column, arrays).ptr() != Py_False;
        } catch (...) {
            self->raised = std::current_exception();
            return false;
        }
    }
};

template <class Call> static void receive_tiles(const Query &query, nb::handle function, Call call)
{
    TileReceiver receiver = {function, query.quantity_count(), nullptr};
    try {
        query.run(
            [&](const macadam_query *own, macadam_error *error) { return call(own, &receiver, error); });
    } catch (const Failure &) {
        if (receiver.raised) std::rethrow_exception(receiver.raised);
        throw;
    }
}

static void matrix_tiles(const Engine &self, const Query &query, const Places &sources, const Places &targets,
                         uintptr_t status, nb::callable function)
{
    const Shared engine = self.use();
    const macadam_matrix_request request = matrix_of(sources, targets);
    receive_tiles(query, function,
                  [&](const macadam_query *own, TileReceiver *receiver, macadam_error *error) {
                      return macadam_matrix(engine.get(), own, &request, statuses(status),
                                            TileReceiver::receive, receiver, error);
                  });
}

static void tree(const Engine &self, const Query &query, const Places &sources, bool reverse, uint32_t limit,
                 int order, int method, const Addresses &value, uintptr_t parent, uintptr_t status)
{
    const Shared engine = self.use();
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = sources.place.data();
    request.source_count = sources.place.size();
    request.reverse = reverse;
    request.limit = limit;
    request.order = static_cast<macadam_order>(order);
    request.method = static_cast<macadam_tree_method>(method);
    const std::vector<uint32_t *> out = pointers<uint32_t>(value);
    auto *parents = reinterpret_cast<uint32_t *>(parent);
    query.run([&](const macadam_query *own, macadam_error *error) {
        return parents ? macadam_tree_parents(engine.get(), own, &request, out.data(), parents,
                                              statuses(status), error)
                       : macadam_tree(engine.get(), own, &request, out.data(), statuses(status), error);
    });
}

static void hops(const Engine &self, const Query &query, const Places &sources, bool reverse, uint32_t limit,
                 int method, uintptr_t value, uintptr_t parent, uintptr_t status)
{
    const Shared engine = self.use();
    macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
    request.source = sources.place.data();
    request.source_count = sources.place.size();
    request.reverse = reverse;
    request.limit = limit;
    request.method = static_cast<macadam_hops_method>(method);
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_hops(engine.get(), own, &request, reinterpret_cast<uint32_t *>(value),
                            reinterpret_cast<uint32_t *>(parent), statuses(status), error);
    });
}

static nb::dict connect(const Engine &self, const Query &query, const Places &ends)
{
    const Shared engine = self.use();
    macadam_connect_request request = MACADAM_CONNECT_REQUEST_INIT;
    request.source = ends.place.at(0);
    request.target = ends.place.at(1);
    macadam_connection *connection = nullptr;
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_connect(engine.get(), own, &request, &connection, error);
    });
    const std::unique_ptr<macadam_connection, void (*)(macadam_connection *)> kept(connection,
                                                                                   macadam_connection_free);
    SnapColumns columns(2);
    columns.add(connection->source);
    columns.add(connection->target);
    nb::dict out;
    out["connected"] = connection->connected;
    out["hops"] = connection->hops;
    out["ids"] = array_of(std::vector<int64_t>(connection->id, connection->id + connection->node_count));
    out["places"] = columns.finish();
    return out;
}

/* `answer` holds the addresses of the arrays in the order of macadam_reach, 0 for what is not requested. */
static void reach(const Engine &self, const Query &query, const Places &sources, bool reverse,
                  const std::vector<uint32_t> &limits, uintptr_t value, const Places &targets,
                  size_t nearest_count, const Addresses &answer, uintptr_t status)
{
    const Shared engine = self.use();
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = sources.place.data();
    request.source_count = sources.place.size();
    request.reverse = reverse;
    request.limit = limits.data();
    request.limit_count = limits.size();
    request.value = reinterpret_cast<const uint32_t *>(value);
    request.target = targets.place.data();
    request.target_count = targets.place.size();
    request.nearest_count = nearest_count;
    macadam_reach out = MACADAM_REACH_INIT;
    out.node_count = reinterpret_cast<uint64_t *>(answer.at(0));
    out.value_sum = reinterpret_cast<uint64_t *>(answer.at(1));
    out.reached = reinterpret_cast<uint64_t *>(answer.at(2));
    out.eccentricity = reinterpret_cast<uint32_t *>(answer.at(3));
    out.nearest_found = reinterpret_cast<uint32_t *>(answer.at(4));
    out.nearest_position = reinterpret_cast<uint32_t *>(answer.at(5));
    out.nearest_cost = reinterpret_cast<uint32_t *>(answer.at(6));
    out.cost_sum = reinterpret_cast<uint64_t *>(answer.at(7));
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_reach_find(engine.get(), own, &request, &out, statuses(status), error);
    });
}

static macadam_routes_request routes_of(const Places &sources, const Places &targets)
{
    if (sources.place.size() != targets.place.size())
        throw nb::value_error("sources and targets differ in length");
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = sources.place.data();
    request.target = targets.place.data();
    request.pair_count = sources.place.size();
    return request;
}

static void routes(const Engine &self, const Query &query, const Places &sources, const Places &targets,
                   const Addresses &value, uintptr_t status)
{
    const Shared engine = self.use();
    const macadam_routes_request request = routes_of(sources, targets);
    const std::vector<uint32_t *> out = pointers<uint32_t>(value);
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_routes(engine.get(), own, &request, out.data(), statuses(status), error);
    });
}

/* The same with paths: returns (first arc of each pair, arcs). */
static nb::object routes_paths(const Engine &self, const Query &query, const Places &sources,
                               const Places &targets, const Addresses &value, uintptr_t status)
{
    struct Paths {
        std::vector<int64_t> first;
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
    } paths;
    const Shared engine = self.use();
    const macadam_routes_request request = routes_of(sources, targets);
    const std::vector<uint32_t *> out = pointers<uint32_t>(value);
    paths.first.reserve(request.pair_count + 1);
    paths.first.push_back(0);
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_routes_paths(engine.get(), own, &request, out.data(), statuses(status), Paths::receive,
                                    &paths, error);
    });
    return nb::make_tuple(array_of(std::move(paths.first)), array_of(std::move(paths.arc)));
}

static RouteLines *route(const Engine &self, const Query &query, const Places &waypoints)
{
    const Shared engine = self.use();
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoints.place.data();
    request.waypoint_count = waypoints.place.size();
    macadam_route *route = nullptr;
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_route_find(engine.get(), own, &request, &route, error);
    });
    return new RouteLines(engine, route, query.quantity_count());
}

static nb::dict roads(const Engine &self, double west, double south, double east, double north)
{
    const Shared engine = self.use();
    const macadam_box box = {west, south, east, north};
    macadam_roads *roads = nullptr;
    run([&](macadam_error *error) { return macadam_roads_find(engine.get(), &box, &roads, error); });
    const std::unique_ptr<macadam_roads, void (*)(macadam_roads *)> kept(roads, macadam_roads_free);
    return road_columns(*roads);
}

static nb::dict isochrone(const Engine &self, const Query &query, const Places &source, bool reverse,
                          uint32_t limit)
{
    const Shared engine = self.use();
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = source.place.at(0);
    request.reverse = reverse;
    request.limit = limit;
    macadam_isochrone *isochrone = nullptr;
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_isochrone_find(engine.get(), own, &request, &isochrone, error);
    });
    const std::unique_ptr<macadam_isochrone, void (*)(macadam_isochrone *)> kept(isochrone,
                                                                                 macadam_isochrone_free);
    return reached_columns(*isochrone);
}

/* ---- all pairs, closure, updates, files ---- */

static macadam_all_pairs_request all_pairs_of(int method, bool next, macadam_tree_method *chosen)
{
    macadam_all_pairs_request request = MACADAM_ALL_PAIRS_REQUEST_INIT;
    request.method = static_cast<macadam_tree_method>(method);
    request.next = next;
    request.chosen = chosen;
    return request;
}

static int all_pairs(const Engine &self, const Query &query, int method, const Addresses &value,
                     uintptr_t next)
{
    const Shared engine = self.use();
    macadam_tree_method chosen = MACADAM_TREE_AUTO;
    const macadam_all_pairs_request request = all_pairs_of(method, next != 0, &chosen);
    const std::vector<uint32_t *> out = pointers<uint32_t>(value);
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_all_pairs_into(engine.get(), own, &request, out.data(),
                                      reinterpret_cast<uint32_t *>(next), error);
    });
    return chosen;
}

static int all_pairs_tiles(const Engine &self, const Query &query, int method, bool next,
                           nb::callable function)
{
    const Shared engine = self.use();
    macadam_tree_method chosen = MACADAM_TREE_AUTO;
    const macadam_all_pairs_request request = all_pairs_of(method, next, &chosen);
    receive_tiles(
        query, function, [&](const macadam_query *own, TileReceiver *receiver, macadam_error *error) {
            return macadam_all_pairs(engine.get(), own, &request, TileReceiver::receive, receiver, error);
        });
    return chosen;
}

static int all_pairs_save(const Engine &self, const Query &query, int method, bool next,
                          const std::string &path)
{
    const Shared engine = self.use();
    macadam_tree_method chosen = MACADAM_TREE_AUTO;
    const macadam_all_pairs_request request = all_pairs_of(method, next, &chosen);
    query.run([&](const macadam_query *own, macadam_error *error) {
        return macadam_all_pairs_save(engine.get(), own, &request, path.c_str(), error);
    });
    return chosen;
}

static void closure(const Engine &self, uint64_t memory_limit, uintptr_t bits, const std::string &path,
                    nb::object progress)
{
    const Shared engine = self.use();
    const Query query(std::nullopt, {}, 0, memory_limit, false, std::move(progress));
    query.run([&](const macadam_query *own, macadam_error *error) {
        macadam_closure_request request = MACADAM_CLOSURE_REQUEST_INIT;
        request.memory_limit = own->memory_limit;
        request.progress = own->progress;
        request.progress_context = own->progress_context;
        return bits ? macadam_closure_into(engine.get(), &request, reinterpret_cast<uint8_t *>(bits), error)
                    : macadam_closure_save(engine.get(), &request, path.c_str(), error);
    });
}

/* The entries are named by `arc`, or by `tail` and `head` if it is 0. */
static void update(const Engine &self, uintptr_t arc, uintptr_t tail, uintptr_t head, size_t count,
                   std::vector<std::string> quantities, const Addresses &value, nb::object progress)
{
    const Shared engine = self.use();
    const std::vector<uint32_t *> weights = pointers<uint32_t>(value);
    const Query query(std::nullopt, std::move(quantities), 0, 0, false, std::move(progress));
    query.run([&](const macadam_query *own, macadam_error *error) {
        macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
        request.arc = reinterpret_cast<const uint64_t *>(arc);
        request.tail = reinterpret_cast<const int64_t *>(tail);
        request.head = reinterpret_cast<const int64_t *>(head);
        request.count = count;
        request.quantity = own->quantity;
        request.quantity_count = own->quantity_count;
        request.value = weights.data();
        request.progress = own->progress;
        request.progress_context = own->progress_context;
        return macadam_update(engine.get(), &request, error);
    });
}

static nb::bytes call(const Engine &self, nb::bytes request)
{
    const Shared engine = self.use();
    macadam_bytes reply = {};
    const auto *data = static_cast<const uint8_t *>(request.data());
    try {
        run([&](macadam_error *error) {
            return macadam_call(engine.get(), data, request.size(), nullptr, nullptr, &reply, error);
        });
    } catch (const Failure &) {
        macadam_bytes_free(&reply);
        throw;
    }
    nb::bytes out(reply.data, reply.size);
    macadam_bytes_free(&reply);
    return out;
}

void bind_engine(nb::module_ &module)
{
    using namespace nb::literals;
    nb::class_<Query>(module, "Query", "What all queries share.")
        .def(nb::init<std::optional<std::string>, std::vector<std::string>, double, uint64_t, bool,
                      nb::object>(),
             "metric"_a.none(), "quantities"_a, "snap_radius_m"_a, "memory_limit"_a, "snap_any_component"_a,
             "progress"_a.none());
    nb::class_<Memory>(module, "Memory", "Memory of an engine's device, or pinned.")
        .def(
            "__init__",
            [](Memory *self, const Engine &engine, int kind, uint64_t bytes) {
                new (self) Memory(engine, static_cast<macadam_memory_kind>(kind), bytes);
            },
            "engine"_a, "kind"_a, "bytes"_a)
        .def_static(
            "divided",
            [](const Engine &engine, size_t source_count, uint64_t source_bytes) {
                return std::make_unique<Memory>(engine, source_count, source_bytes);
            },
            "engine"_a, "source_count"_a, "source_bytes"_a)
        .def_prop_ro("address", &Memory::address)
        .def("read", &Memory::read, "to"_a, "start"_a, "bytes"_a)
        .def(
            "array",
            [](nb::handle_t<Memory> self, uintptr_t address, const std::vector<size_t> &shape,
               int device_type, int device) {
                return nb::ndarray<nb::array_api, uint32_t>(reinterpret_cast<void *>(address), shape.size(),
                                                            shape.data(), self, nullptr,
                                                            nb::dtype<uint32_t>(), device_type, device);
            },
            "address"_a, "shape"_a, "device_type"_a, "device"_a)
        .def("parts", &Memory::parts);
    nb::class_<Engine>(module, "Engine", "An opened edge file, as the library knows it.")
        .def_static("open", open_path, "path"_a, "device"_a, "threads"_a, "memory_limit"_a, "trust_file"_a,
                    "read_file"_a)
        .def_static("open_memory", open_memory, "memory"_a, "bytes"_a, "device"_a, "threads"_a,
                    "memory_limit"_a, "trust_file"_a)
        .def("close", &Engine::close)
        .def_prop_ro("closed", &Engine::closed)
        .def("info", info)
        .def("ids",
             [](const Engine &self) {
                 return borrowed_ids(self, &macadam_info::id_count, macadam_engine_ids);
             })
        .def("node_ids",
             [](const Engine &self) {
                 return borrowed_ids(self, &macadam_info::node_count, macadam_engine_node_ids);
             })
        .def("verify",
             [](const Engine &self) {
                 const Shared engine = self.use();
                 run([&](macadam_error *error) { return macadam_engine_verify(engine.get(), error); });
             })
        .def(
            "save",
            [](const Engine &self, const std::string &path) {
                const Shared engine = self.use();
                run([&](macadam_error *error) {
                    return macadam_engine_save(engine.get(), path.c_str(), error);
                });
            },
            "path"_a)
        .def("snap", snap, "query"_a, "places"_a)
        .def("candidates", candidates, "query"_a, "places"_a, "capacity"_a)
        .def("matrix", matrix, "query"_a, "sources"_a, "targets"_a, "value"_a, "status"_a)
        .def("matrix_tiles", matrix_tiles, "query"_a, "sources"_a, "targets"_a, "status"_a, "function"_a)
        .def("tree", tree, "query"_a, "sources"_a, "reverse"_a, "limit"_a, "order"_a, "method"_a, "value"_a,
             "parent"_a, "status"_a)
        .def("hops", hops, "query"_a, "sources"_a, "reverse"_a, "limit"_a, "method"_a, "value"_a, "parent"_a,
             "status"_a)
        .def("connect", connect, "query"_a, "ends"_a)
        .def("reach", reach, "query"_a, "sources"_a, "reverse"_a, "limits"_a, "value"_a, "targets"_a,
             "nearest_count"_a, "answer"_a, "status"_a)
        .def("routes", routes, "query"_a, "sources"_a, "targets"_a, "value"_a, "status"_a)
        .def("routes_paths", routes_paths, "query"_a, "sources"_a, "targets"_a, "value"_a, "status"_a)
        .def("route", route, "query"_a, "waypoints"_a)
        .def("roads", roads, "west"_a, "south"_a, "east"_a, "north"_a)
        .def("isochrone", isochrone, "query"_a, "source"_a, "reverse"_a, "limit"_a)
        .def("all_pairs", all_pairs, "query"_a, "method"_a, "value"_a, "next"_a)
        .def("all_pairs_tiles", all_pairs_tiles, "query"_a, "method"_a, "next"_a, "function"_a)
        .def("all_pairs_save", all_pairs_save, "query"_a, "method"_a, "next"_a, "path"_a)
        .def("closure", closure, "memory_limit"_a, "bits"_a, "path"_a, "progress"_a.none())
        .def("update", update, "arc"_a, "tail"_a, "head"_a, "count"_a, "quantities"_a, "value"_a,
             "progress"_a.none())
        .def("call", call, "request"_a);
    bind_lines(module);
}
