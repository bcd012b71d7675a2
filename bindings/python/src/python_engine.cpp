/* python_engine.cpp - opening an engine, its properties, and the calls that write into arrays. Python gives
 * requests as dicts of members: see python_struct.h. */
#include "bindings/python/src/python_engine.h"

#include <algorithm>
#include <nanobind/stl/string_view.h>
#include <tuple>
#include <type_traits>
#include <utility>

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
    const Unlocked unlocked;
    engine.reset();
}

bool Engine::closed() const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return !engine_;
}

/* ---- opening, information ---- */

/* Opens the file at `path`, or `memory`, an array that Python keeps. */
static Engine *open(const std::string &path, const Function &memory, const nb::dict &given)
{
    Kept kept;
    auto options = made<macadam_engine_options>("macadam_engine_options", given, kept);
    options.progress = Watch::report_running;
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

static Rows info(const Engine &self)
{
    const Shared engine = self.use();
    const auto info = std::make_shared<std::pair<Shared, macadam_info>>(engine, MACADAM_INFO_INIT);
    run([&](macadam_error *error) { return macadam_engine_info(&info->second, engine.get(), error); });
    return Rows(info, &info->second, 1, struct_of("macadam_info"));
}

/* Ids, which the engine lends, as an array that keeps the engine open. */
static nb::object ids(const Engine &self, bool nodes)
{
    const Shared engine = self.use();
    macadam_info info = MACADAM_INFO_INIT;
    const int64_t *id = nullptr;
    run([&](macadam_error *error) {
        macadam_status status = macadam_engine_info(&info, engine.get(), error);
        if (status == MACADAM_OK)
            status = macadam_snap_find(nullptr, engine.get(), nullptr, nullptr, 0, error);
        if (status != MACADAM_OK) return status;
        id = nodes ? macadam_engine_node_ids(engine.get(), error) : macadam_engine_ids(engine.get(), error);
        return MACADAM_OK; /* snapping has loaded them */
    });
    const size_t count = nodes ? info.node_count : info.id_count;
    return nb::cast(nb::ndarray<nb::numpy, const int64_t>(id, 1, &count, capsule_of(engine)));
}

/* The engine of another profile keeps open the one that opened it. */
static Engine *of_profile(const Engine &self, const std::string &profile)
{
    const Shared engine = self.use();
    macadam_engine *out = nullptr;
    run([&](macadam_error *error) {
        return macadam_engine_of_profile(&out, engine.get(), profile.c_str(), error);
    });
    return new Engine(Shared(engine, out));
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
        if (interpreter_ends()) return false;
        const Locked locked;
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
            if (tile->fallback)
                arrays.append(nb::ndarray<nb::numpy, const uint8_t>(tile->fallback, 2, shape, nb::none()));
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
        return macadam_call(&reply, engine.get(), data, size, part ? Receiver::reply : nullptr, &receiver,
                            error);
    });
    return nb::bytes(reply.data, reply.size);
}

static nb::bytes vector_tile(const Engine &self, unsigned zoom, uint32_t x, uint32_t y)
{
    Watch watch{nb::none()};
    const Shared engine = self.use();
    macadam_bytes tile = {};
    const std::unique_ptr<macadam_bytes, void (*)(macadam_bytes *)> kept(&tile, macadam_bytes_free);
    watch.run([&](macadam_error *error) {
        return macadam_vector_tile_find(&tile, engine.get(), zoom, x, y, error);
    });
    return nb::bytes(tile.data, tile.size);
}

/* ---- queries ---- */

/* The arguments of a call beside the engine, the query and the request, in order. A pointer may stand for a function or
 * a number. */
using More = void *const *;
using Thunk = macadam_status (*)(E *, Q *, const void *request, More more);

template <class T, class = void> struct has_progress : std::false_type {
};
template <class T> struct has_progress<T, std::void_t<decltype(T::progress)>> : std::true_type {
};

/* Gives a function of the library its arguments: the request follows the engine, or the query if there is one. */
struct Arguments {
    E *engine;
    Q *query;
    const void *request;
    More more;
    bool request_is_next = false;
    std::shared_ptr<void> own = nullptr; /* a copy of a request that has its own function for progress */

    template <class T> T next(bool has_query)
    {
        if constexpr (std::is_same_v<T, E *>) {
            request_is_next = true;
            return engine;
        } else if constexpr (std::is_same_v<T, Q *>) {
            return query;
        } else if (!request_is_next) {
            return (T)(*more++);
        } else {
            request_is_next = false;
            if (has_query) return (T)request;
            if constexpr (std::is_pointer_v<T>) watch<std::remove_const_t<std::remove_pointer_t<T>>>();
            return (T)request;
        }
    }
    template <class Request> void watch()
    {
        if constexpr (has_progress<Request>::value) {
            const auto copy = std::make_shared<Request>(*static_cast<const Request *>(request));
            copy->progress = query->progress;
            if constexpr (std::is_same_v<Request, macadam_speeds_request>)
                copy->context = query->progress_context;
            else
                copy->progress_context = query->progress_context;
            request = (own = copy).get();
        }
    }
};
template <auto function, class... T> static Thunk thunk_of(macadam_status (*)(T...))
{
    return [](E *engine, Q *query, const void *request, More more) {
        Arguments from{engine, query, request, more};
        constexpr bool has_query = (std::is_same_v<T, Q *> || ...);
        return std::apply(function, std::tuple<T...>{from.next<T>(has_query)...});
    };
}

template <auto function, class T> static void release(void *answer)
{
    function(static_cast<T *>(answer));
}

struct Call {
    const char *name, *request;
    Thunk thunk;
    const char *answer; /* that the library allocates, or NULL */
    void (*release)(void *);
};
#define INTO(name, function, request)                                                                        \
    {                                                                                                        \
        name, request, thunk_of<function>(function), nullptr, nullptr                                        \
    }
#define FIND(name, function, request, answer, free)                                                          \
    {                                                                                                        \
        name, request, thunk_of<function>(function), #answer, release<free, answer>                          \
    }
static const Call calls[] = {
    INTO("snap", macadam_snap_find, "macadam_place"),
    INTO("candidates", macadam_snap_find_candidates, "macadam_place"),
    INTO("matrix", macadam_matrix_find_into, "macadam_matrix_request"),
    INTO("matrix_tiles", macadam_matrix_find, "macadam_matrix_request"),
    INTO("tree", macadam_tree_find, "macadam_tree_request"),
    INTO("tree_parents", macadam_tree_find_parents, "macadam_tree_request"),
    INTO("hops", macadam_hops_find, "macadam_hops_request"),
    INTO("reach", macadam_reach_find, "macadam_reach_request"),
    INTO("routes", macadam_routes_find, "macadam_routes_request"),
    INTO("routes_paths", macadam_routes_find_paths, "macadam_routes_request"),
    INTO("all_pairs", macadam_all_pairs_find_into, "macadam_all_pairs_request"),
    INTO("all_pairs_save", macadam_all_pairs_save, "macadam_all_pairs_request"),
    INTO("all_pairs_tiles", macadam_all_pairs_find, "macadam_all_pairs_request"),
    INTO("closure", macadam_closure_find, "macadam_closure_request"),
    INTO("closure_save", macadam_closure_save, "macadam_closure_request"),
    INTO("update", macadam_update, "macadam_update_request"),
    INTO("update_speeds", macadam_update_speeds, "macadam_speeds_request"),
    FIND("route", macadam_route_find, "macadam_route_request", macadam_route, macadam_route_free),
    FIND("match", macadam_match_find, "macadam_match_request", macadam_matches, macadam_matches_free),
    FIND("trip", macadam_trip_find, "macadam_trip_request", macadam_trip, macadam_trip_free),
    FIND("rings", macadam_rings_find, "macadam_rings_request", macadam_rings, macadam_rings_free),
    FIND("roads", macadam_roads_find, "macadam_box", macadam_roads, macadam_roads_free),
    FIND("reached", macadam_isochrone_find, "macadam_isochrone_request", macadam_isochrone,
         macadam_isochrone_free),
    FIND("connect", macadam_connection_find, "macadam_connection_request", macadam_connection,
         macadam_connection_free),
};

/* Makes one of the calls. `given` is its request. `to` are arrays, lists of arrays, addresses, numbers, and structures of
 * arrays, where it writes. `tile` receives tiles. Returns the answer that the library allocates. */
static std::optional<Rows> ask(const Engine &self, std::string_view name, const Query &query,
                               nb::handle given, const nb::list &to, const Function &tile)
{
    const Call &call =
        *std::find_if(std::begin(calls), std::end(calls) - 1, [&](auto &it) { return name == it.name; });
    Kept kept;
    const void *request = made(call.request, given, kept);
    void *more[16] = {}, *answer = nullptr;
    size_t count = 0;
    if (call.answer) more[count++] = &answer;
    for (const nb::handle it : to) {
        const bool is_text = nb::isinstance<nb::str>(it);
        mcd_member argument = {};
        argument.code = is_text ? 's' : 'S';
        argument.structure = mcd_number_of_macadam_reach;
        argument.pointers = is_text ? 0 : nb::isinstance<nb::list>(it) ? 2 : 1;
        assign(&more[count++], argument, it, kept);
    }
    const Shared engine = self.use();
    query.run([&](Q *own, Watch *watch, macadam_error *error) {
        Receiver receiver = {*watch, tile.value_or(nb::none())};
        if (tile) {
            more[count++] = reinterpret_cast<void *>(Receiver::tile);
            more[count++] = &receiver;
        }
        more[count] = error;
        return call.thunk(engine.get(), own, request, more);
    });
    if (!answer) return std::nullopt;
    const auto free = call.release;
    return Rows(Owner(answer, [engine, free](void *it) { free(it); }), answer, 1, struct_of(call.answer));
}

/* Room for `count` structures whose strings will lie in the engine. */
static Rows room(const Engine &self, const char *name, size_t count)
{
    const mcd_structure &type = struct_of(name);
    const auto out = std::make_shared<std::pair<Shared, std::vector<char>>>(self.use(), count * type.bytes);
    return Rows(out, out->second.data(), count, type);
}

/* Targets that are prepared. They keep the engine open. */
struct Nearest {
    Shared engine;
    std::shared_ptr<macadam_nearest> targets;
};

static Nearest *prepare(const Engine &self, const Query &query, const nb::dict &request, nb::handle status)
{
    Kept kept;
    const auto given = made<macadam_nearest_request>("macadam_nearest_request", request, kept);
    auto *to = static_cast<macadam_place_status *>(kept.buffer(status).buf);
    const Shared engine = self.use();
    macadam_nearest *out = nullptr;
    query.run([&](Q *own, Watch *, macadam_error *error) {
        return macadam_nearest_new(&out, to, engine.get(), own, &given, error);
    });
    return new Nearest{engine, {out, macadam_nearest_free}};
}

/* Fills the arrays of `answer`, a macadam_reach. */
static void find(const Nearest &self, nb::handle source, const nb::dict &answer, nb::handle status)
{
    Kept kept;
    const auto given = made<macadam_reach>("macadam_reach", answer, kept);
    const auto *places = static_cast<const macadam_place *>(made("macadam_place", source, kept));
    const Py_buffer &to = kept.buffer(status);
    const size_t count = static_cast<size_t>(to.len) / sizeof(macadam_place_status);
    run([&](macadam_error *error) {
        return macadam_nearest_find(&given, static_cast<macadam_place_status *>(to.buf), self.targets.get(),
                                    places, count, error);
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
    /* (first arc of each pair, arcs) */
    static nb::tuple arrays(Paths &self)
    {
        return nb::make_tuple(array_of(std::move(self.first)), array_of(std::move(self.arc)));
    }
};

/* All arcs, with their weights: one after the other, for each as many as there are quantities. */
struct Arcs {
    Shared engine;
    const uint32_t *macadam_arc::*listed; /* which of its weights */
    size_t quantity_count;
    std::vector<macadam_arc> arc;
    std::vector<uint32_t> weight;
    std::vector<int64_t> first_node = {0}, node;
    std::vector<double> node_m;

    static bool receive(void *context, const macadam_arc *arc)
    {
        auto *self = static_cast<Arcs *>(context);
        try {
            self->arc.push_back(*arc);
            const uint32_t *const weight = arc->*self->listed;
            self->weight.insert(self->weight.end(), weight, weight + self->quantity_count);
            self->node.insert(self->node.end(), arc->node, arc->node + arc->node_count);
            self->node_m.insert(self->node_m.end(), arc->node_m, arc->node_m + arc->node_count);
            self->first_node.push_back(static_cast<int64_t>(self->node.size()));
            macadam_arc &own = self->arc.back(); /* the library lends its arrays for this call only */
            own.value = own.imported = nullptr, own.node = nullptr, own.node_m = nullptr;
        } catch (const std::bad_alloc &) {
            return false;
        }
        return true;
    }
};

static nb::tuple arcs(const Engine &self, bool imported)
{
    const auto listed = imported ? &macadam_arc::imported : &macadam_arc::value;
    const auto out = std::make_shared<Arcs>(Arcs{self.use(), listed, 0, {}, {}, {0}, {}, {}});
    macadam_info info = MACADAM_INFO_INIT;
    run([&](macadam_error *error) {
        const macadam_status status = macadam_engine_info(&info, out->engine.get(), error);
        out->quantity_count = info.quantity_count;
        return status ? status : macadam_arcs_list(out->engine.get(), Arcs::receive, out.get(), error);
    });
    return nb::make_tuple(Rows(out, out->arc.data(), out->arc.size(), struct_of("macadam_arc")),
                          array_of(std::move(out->weight)), array_of(std::move(out->first_node)),
                          array_of(std::move(out->node)), array_of(std::move(out->node_m)));
}

void bind_engine(nb::module_ &module)
{
    nb::class_<Query>(module, "Query", "The members that all queries share.")
        .def(nb::init<nb::dict, Function>());
    nb::class_<Paths>(module, "Paths", "The paths of many routes.")
        .def(nb::init<>())
        .def_prop_ro("address", [](Paths &self) { return reinterpret_cast<uintptr_t>(&self); })
        .def_prop_ro_static("receive", [](nb::handle) { return reinterpret_cast<uintptr_t>(Paths::receive); })
        .def("arrays", Paths::arrays);
    nb::class_<Nearest>(module, "Nearest", "Targets that are prepared.").def("find", find);
    nb::class_<Engine> engine(module, "Engine", "An opened edge file, as the library knows it.");
    engine.def_static("open", open)
        .def("close", &Engine::close)
        .def_prop_ro("closed", &Engine::closed)
        .def("info", info)
        .def("ids", ids)
        .def("of_profile", of_profile)
        .def("trim", [](const Engine &self) { use(self, macadam_engine_trim); })
        .def("verify", [](const Engine &self) { use(self, macadam_engine_verify); })
        .def("save", save)
        .def("call", call)
        .def("vector_tile", vector_tile)
        .def("arcs", arcs)
        .def("room", room)
        .def("warm", warm)
        .def("prepare", prepare)
        .def("ask", ask, nb::arg("name"), nb::arg("query"), nb::arg("request"), nb::arg("to") = nb::list(),
             nb::arg("tile") = nb::none());
}
