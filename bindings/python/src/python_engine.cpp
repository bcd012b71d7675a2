/* python_engine.cpp - opening an engine, what it tells of itself, and the calls that write into arrays. Python gives
 * requests as dicts of members: see python_struct.h. */
#include "bindings/python/src/python_engine.h"

#include <tuple>

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

/* ---- opening, information ---- */

MEMBERS(macadam_engine_options, MEMBER(device), MEMBER(threads), MEMBER(memory_limit), MEMBER(trust_file),
        MEMBER(read_file));

/* Opens the file at `path`, or `memory`, an array that Python keeps. */
static Engine *open(const std::string &path, const Function &memory, const nb::dict &given)
{
    Kept kept;
    const auto options = made<macadam_engine_options>(given, kept);
    const Py_buffer *bytes = memory ? &kept.buffer(*memory) : nullptr;
    macadam_engine *engine = nullptr;
    run([&](macadam_error *error) {
        return bytes ? macadam_engine_open_memory(&engine, bytes->buf, static_cast<size_t>(bytes->len),
                                                  &options, error)
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
    use(self, [&](E *it, macadam_error *error) { return macadam_engine_info(it, &info, error); });
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

/* Ids, which the engine lends, as an array that keeps the engine open. */
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

static void save(const Engine &self, const std::string &path, bool ready)
{
    use(self, [&](E *engine, macadam_error *error) {
        return ready ? macadam_engine_save_ready(engine, path.c_str(), error)
                     : macadam_engine_save(engine, path.c_str(), error);
    });
}

/* ---- functions of Python that receive parts of an answer ---- */

struct Receiver {
    Watch &watch;
    nb::handle function;

    /* Calls the function; what it raises ends the call. */
    template <class Arguments> bool take(Arguments arguments)
    {
        const nb::gil_scoped_acquire acquire;
        try {
            return function(*arguments()).ptr() != Py_False;
        } catch (...) {
            watch.raised = std::current_exception();
            return false;
        }
    }
    static bool reply(void *self, const uint8_t *data, size_t size)
    {
        return static_cast<Receiver *>(self)->take([&] { return nb::make_tuple(nb::bytes(data, size)); });
    }
    /* function(row, column, arrays): the arrays are borrowed until it returns. */
    static bool tile(void *self, const macadam_tile *tile)
    {
        return static_cast<Receiver *>(self)->take([&] {
            nb::list arrays;
            const size_t shape[] = {tile->rows, tile->columns};
            for (const uint32_t *it : {tile->value[0], tile->value[1], tile->next})
                if (it) arrays.append(nb::ndarray<nb::numpy, const uint32_t>(it, 2, shape, nb::none()));
            return nb::make_tuple(tile->row, tile->column, arrays);
        });
    }
};

static nb::bytes call(const Engine &self, const nb::bytes &request, const Function &part)
{
    Watch watch{nb::none()};
    Receiver receiver = {watch, part.value_or(nb::none())};
    const Shared engine = self.use();
    macadam_bytes reply = {};
    const std::unique_ptr<macadam_bytes, void (*)(macadam_bytes *)> kept(&reply, macadam_bytes_free);
    const auto *data = static_cast<const uint8_t *>(request.data());
    const size_t size = request.size();
    watch.run([&](macadam_error *error) {
        return macadam_call(engine.get(), data, size, part ? Receiver::reply : nullptr, &receiver, &reply,
                            error);
    });
    return nb::bytes(reply.data, reply.size);
}

/* ---- queries ---- */

MEMBERS(macadam_reach, MEMBER(node_count), MEMBER(value_sum), MEMBER(reached), MEMBER(eccentricity),
        MEMBER(nearest_found), MEMBER(nearest_position), MEMBER(nearest_cost), MEMBER(cost_sum));
MEMBERS(macadam_matrix_request, ARRAY(source, source_count), ARRAY(target, target_count));
MEMBERS(macadam_tree_request, ARRAY(source, source_count), MEMBER(reverse), MEMBER(limit), MEMBER(order),
        MEMBER(method));
MEMBERS(macadam_hops_request, ARRAY(source, source_count), MEMBER(reverse), MEMBER(limit), MEMBER(method));
MEMBERS(macadam_reach_request, ARRAY(source, source_count), MEMBER(reverse), ARRAY(limit, limit_count),
        MEMBER(value), ARRAY(target, target_count), MEMBER(nearest_count));
MEMBERS(macadam_routes_request, ARRAY(source, pair_count), MEMBER(target));
MEMBERS(macadam_all_pairs_request, MEMBER(method), MEMBER(next), MEMBER(chosen));
MEMBERS(macadam_update_request, ARRAY(arc, count), ARRAY(tail, count), MEMBER(head),
        ARRAY(quantity, quantity_count), MEMBER(value));

/* Binds call(engine, query, request, out..., error). Python gives `out` as a list of arrays. */
template <class Request, class... Out>
static auto into(macadam_status (*call)(E *, Q *, const Request *, Out...))
{
    return [call](const Engine &self, const Query &query, const nb::dict &given, const nb::list &to) {
        Kept kept;
        const auto request = made<Request>(given, kept);
        std::tuple<Out...> out;
        size_t i = 0;
        std::apply([&](auto *&...it) { ((i < to.size() ? assign(it, to[i++], kept) : void()), ...); }, out);
        const Shared engine = self.use();
        query.run([&](Q *own, Watch *, macadam_error *error) {
            std::get<macadam_error *>(out) = error;
            return std::apply([&](auto... it) { return call(engine.get(), own, &request, it...); }, out);
        });
    };
}

/* Hands the tiles of a matrix to a function. */
static void matrix_tiles(const Engine &self, const Query &query, const nb::dict &given, nb::handle status,
                         const nb::callable &function)
{
    Kept kept;
    const auto request = made<macadam_matrix_request>(given, kept);
    macadam_place_status *statuses;
    assign(statuses, status, kept);
    const Shared engine = self.use();
    query.run([&](Q *own, Watch *watch, macadam_error *error) {
        Receiver receiver = {*watch, function};
        return macadam_matrix(engine.get(), own, &request, statuses, Receiver::tile, &receiver, error);
    });
}

static void all_pairs_tiles(const Engine &self, const Query &query, const nb::dict &given,
                            const nb::callable &function)
{
    Kept kept;
    const auto request = made<macadam_all_pairs_request>(given, kept);
    const Shared engine = self.use();
    query.run([&](Q *own, Watch *watch, macadam_error *error) {
        Receiver receiver = {*watch, function};
        return macadam_all_pairs(engine.get(), own, &request, Receiver::tile, &receiver, error);
    });
}

/* Writes bits, or a file if there is a path. */
static void closure(const Engine &self, const Query &query, const Function &bits, const std::string &path)
{
    Kept kept;
    uint8_t *out;
    assign(out, bits ? nb::handle(*bits) : nb::handle(Py_None), kept);
    const Shared engine = self.use();
    query.run([&](Q *own, Watch *, macadam_error *error) {
        macadam_closure_request request = MACADAM_CLOSURE_REQUEST_INIT;
        request.memory_limit = own->memory_limit;
        request.progress = own->progress;
        request.progress_context = own->progress_context;
        return out ? macadam_closure_into(engine.get(), &request, out, error)
                   : macadam_closure_save(engine.get(), &request, path.c_str(), error);
    });
}

static void update(const Engine &self, const Query &query, const nb::dict &given)
{
    Kept kept;
    auto request = made<macadam_update_request>(given, kept);
    const Shared engine = self.use();
    query.run([&](Q *own, Watch *, macadam_error *error) {
        request.progress = own->progress;
        request.progress_context = own->progress_context;
        return macadam_update(engine.get(), &request, error);
    });
}

static void warm(const Engine &self, const Query &query)
{
    const Shared engine = self.use();
    query.run([&](Q *own, Watch *, macadam_error *error) {
        return macadam_conditions_warm(engine.get(), own, error);
    });
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

/* Returns (first arc of each pair, arcs). */
static nb::tuple routes_paths(const Engine &self, const Query &query, const nb::dict &given,
                              const nb::list &to)
{
    Kept kept;
    const auto request = made<macadam_routes_request>(given, kept);
    uint32_t *const *value;
    macadam_place_status *status;
    assign(value, to[0], kept);
    assign(status, to[1], kept);
    const Shared engine = self.use();
    Paths found;
    query.run([&](Q *own, Watch *, macadam_error *error) {
        return macadam_routes_paths(engine.get(), own, &request, value, status, Paths::receive, &found,
                                    error);
    });
    return nb::make_tuple(array_of(std::move(found.first)), array_of(std::move(found.arc)));
}

void bind_engine(nb::module_ &module)
{
    using Place = macadam_place;
    using Point = macadam_trace_point;
    module.attr("PLACE") =
        dtype_of(sizeof(Place), {DTYPE_MEMBER(Place, kind), DTYPE_MEMBER(Place, id), DTYPE_MEMBER(Place, lon),
                                 DTYPE_MEMBER(Place, lat), DTYPE_MEMBER(Place, heading),
                                 DTYPE_MEMBER(Place, heading_tolerance), DTYPE_MEMBER(Place, side),
                                 DTYPE_MEMBER(Place, radius_m)});
    module.attr("TRACE_POINT") = dtype_of(
        sizeof(Point), {DTYPE_MEMBER(Point, lon), DTYPE_MEMBER(Point, lat), DTYPE_MEMBER(Point, time_s),
                        DTYPE_MEMBER(Point, accuracy_m), DTYPE_MEMBER(Point, heading),
                        DTYPE_MEMBER(Point, heading_accuracy), DTYPE_MEMBER(Point, speed_ms)});
    nb::class_<Query>(module, "Query", "What all queries share.").def(nb::init<nb::dict, Function>());
    nb::class_<Engine> engine(module, "Engine", "An opened edge file, as the library knows it.");
    engine.def_static("open", open)
        .def("close", &Engine::close)
        .def_prop_ro("closed", &Engine::closed)
        .def("info", info)
        .def("ids", ids)
        .def("trim", [](const Engine &self) { use(self, macadam_engine_trim); })
        .def("verify", [](const Engine &self) { use(self, macadam_engine_verify); })
        .def("save", save)
        .def("call", call)
        .def("matrix", into(macadam_matrix_into))
        .def("matrix_tiles", matrix_tiles)
        .def("tree", into(macadam_tree))
        .def("tree_parents", into(macadam_tree_parents))
        .def("hops", into(macadam_hops))
        .def("reach", into(macadam_reach_find))
        .def("routes", into(macadam_routes))
        .def("routes_paths", routes_paths)
        .def("all_pairs", into(macadam_all_pairs_into))
        .def("all_pairs_save", into(macadam_all_pairs_save))
        .def("all_pairs_tiles", all_pairs_tiles)
        .def("closure", closure)
        .def("update", update)
        .def("warm", warm);
    bind_answers(engine);
}
