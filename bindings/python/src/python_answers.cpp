/* python_answers.cpp - calls whose answers the library allocates: routes, roads, isochrones, connections. Their rows
 * and lines are made when Python first looks at them. */
#include "bindings/python/src/python_engine.h"

template <class T> struct Answer : std::shared_ptr<T> {
    using std::shared_ptr<T>::shared_ptr;
};
using Route = Answer<macadam_route>;
using Roads = Answer<macadam_roads>;
using Reached = Answer<macadam_isochrone>;
using Rings = Answer<macadam_rings>;
using Connection = Answer<macadam_connection>;
using Matches = Answer<macadam_matches>;
using Trip = Answer<macadam_trip>;

MEMBERS(macadam_route_request, ARRAY(waypoint, waypoint_count), MEMBER(steps), MEMBER(via_turn),
        MEMBER(alternative_count), MEMBER(alternative_stretch), MEMBER(alternative_sharing),
        MEMBER(alternative_optimality), MEMBER(costs_only));
MEMBERS(macadam_box, MEMBER(west), MEMBER(south), MEMBER(east), MEMBER(north));
MEMBERS(macadam_isochrone_request, MEMBER(source), MEMBER(reverse), MEMBER(limit));
MEMBERS(macadam_rings_request, ARRAY(source, source_count), MEMBER(reverse), ARRAY(limit, limit_count),
        MEMBER(disjoint), MEMBER(width_m));
MEMBERS(macadam_connect_request, MEMBER(source), MEMBER(target));
MEMBERS(macadam_match_request, ARRAY(point, point_count), MEMBER(first), MEMBER(trace_count),
        MEMBER(accuracy_m), MEMBER(gaps), MEMBER(tidy), MEMBER(arcs), MEMBER(routes), MEMBER(steps));
MEMBERS(macadam_trip_request, ARRAY(stop, stop_count), MEMBER(open), MEMBER(from_first), MEMBER(to_last),
        MEMBER(steps));

/* Binds a function that finds an answer. The answer keeps the engine open: names belong to it. */
template <class T, class Request>
static auto find(macadam_status (*call)(E *, Q *, const Request *, T **, macadam_error *),
                 void (*release)(T *))
{
    return [call, release](const Engine &self, const Query &query, const nb::dict &given) -> Answer<T> {
        Kept kept;
        const Request request = made<Request>(given, kept);
        const Shared engine = self.use();
        T *out = nullptr;
        query.run([&](Q *own, Watch *, macadam_error *error) {
            return call(engine.get(), own, &request, &out, error);
        });
        return {out, [engine, release](T *it) { release(it); }};
    };
}

static macadam_status find_roads(E *engine, Q *, const macadam_box *box, macadam_roads **out,
                                 macadam_error *error)
{
    return macadam_roads_find(engine, box, out, error);
}

/* An answer of the library's about many places. */
struct Snaps {
    Shared engine;
    std::vector<macadam_snap> row;
};

/* Returns where each place is, or if `capacity` is not 0, as many candidates for one place. */
static Rows snap(const Engine &self, const Query &query, nb::handle places, size_t capacity)
{
    Kept kept;
    const macadam_place *place;
    size_t count = assign_array(place, places, kept);
    const auto out =
        std::make_shared<Snaps>(Snaps{self.use(), std::vector<macadam_snap>(capacity ? capacity : count)});
    query.run([&](Q *own, Watch *, macadam_error *error) {
        macadam_snap *row = out->row.data();
        return capacity ? macadam_snap_candidates(out->engine.get(), own, place, capacity, row, &count, error)
                        : macadam_snap_places(out->engine.get(), own, place, count, row, error);
    });
    return Rows(out, out->row.data(), count, SNAPS);
}

static nb::list texts(const Route &route, const std::string &language)
{
    nb::list out;
    for (size_t i = 0; i < route->step_count; ++i) {
        char text[1024];
        run([&](macadam_error *error) {
            return macadam_step_text(&route->step[i], language.c_str(), text, sizeof text, error);
        });
        out.append(nb::str(text));
    }
    return out;
}

static bool place_failed(const Route &route)
{
    for (size_t i = 0; i < route->waypoint_count; ++i)
        if (!macadam_place_is_found(route->waypoint[i].status)) return true;
    return false;
}

/* A route that is part of another answer. */
template <class T> static Route part(const Answer<T> &answer, const macadam_route *route)
{
    return Route(answer, const_cast<macadam_route *>(route));
}

static nb::list alternatives(const Route &route)
{
    nb::list out;
    for (size_t i = 0; i < route->alternative_count; ++i) out.append(part(route, route->alternative[i]));
    return out;
}

static nb::list routes_of(const Matches &matches)
{
    nb::list out;
    for (size_t i = 0; i < matches->matching_count; ++i)
        out.append(part(matches, matches->matching[i].route));
    return out;
}

#define ROWS(Answer, name, rows, count, columns)                                                             \
    def_prop_ro(name, [](const Answer &self) { return Rows(self, self->rows, self->count, columns); })
#define ROW(Answer, name)                                                                                    \
    def_prop_ro(#name, [](const Answer &self) { return Rows(self, &self->name, 1, SNAPS); })
#define VECTOR(Answer, name, count)                                                                          \
    def_prop_ro(#name, [](const Answer &self) { return borrowed(self, self->name, self->count); })
#define VALUE(Answer, name) def_prop_ro(#name, [](const Answer &self) { return self->name; })

template <class T> static nb::object points(const T &self)
{
    std::vector<double> out;
    size_t count;
    if constexpr (std::is_same_v<T, Rings>)
        count = self->point_count;
    else
        count = self->shape_count;
    out.reserve(2 * count);
    for (size_t i = 0; i < count; ++i) out.insert(out.end(), {self->lon[i], self->lat[i]});
    return array_of(std::move(out), {count, 2});
}

void bind_answers(nb::class_<Engine> &engine)
{
    nb::class_<Route>(engine, "Route", "A route, as the library returned it.")
        .VALUE(Route, found)
        .VALUE(Route, reason_waypoint)
        .def_prop_ro("reason", [](const Route &self) { return macadam_route_reason_name(self->reason); })
        .def_prop_ro("place_failed", place_failed)
        .def_prop_ro("value", [](const Route &it) { return nb::make_tuple(it->value[0], it->value[1]); })
        .ROWS(Route, "waypoints", waypoint, waypoint_count, SNAPS)
        .ROWS(Route, "legs", leg, leg_count, LEGS)
        .ROWS(Route, "arcs", arc, arc_count, ROUTE_ARCS)
        .ROWS(Route, "steps", step, step_count, STEPS)
        .ROWS(Route, "intersections", intersection, intersection_count, INTERSECTIONS)
        .ROWS(Route, "branches", branch, branch_count, BRANCHES)
        .ROWS(Route, "lanes", lane, lane_count, LANES)
        .def_prop_ro("alternatives", alternatives)
        .def("points", points<Route>)
        .def("texts", texts);
    nb::class_<Roads>(engine, "Roads", "Roads, as the library returned them.")
        .ROWS(Roads, "rows", road, road_count, ROADS)
        .def("points", points<Roads>);
    nb::class_<Reached>(engine, "Reached", "Arcs, as the library returned them.")
        .ROWS(Reached, "rows", arc, arc_count, REACHED_ARCS)
        .ROW(Reached, source)
        .def("points", points<Reached>);
    nb::class_<Rings>(engine, "Rings", "Areas, as the library returned them.")
        .ROWS(Rings, "source", source, source_count, SNAPS)
        .VECTOR(Rings, width_m, source_count)
        .VECTOR(Rings, area_m2, source_count * self->limit_count)
        .VECTOR(Rings, first_polygon, source_count * self->limit_count + 1)
        .VECTOR(Rings, first_ring, polygon_count + 1)
        .VECTOR(Rings, first_point, ring_count + 1)
        .def("points", points<Rings>);
    nb::class_<Connection>(engine, "Connection", "A connection, as the library returned it.")
        .VALUE(Connection, connected)
        .VALUE(Connection, hops)
        .VECTOR(Connection, id, node_count)
        .ROW(Connection, source)
        .ROW(Connection, target);
    nb::class_<Matches>(engine, "Matches", "Matched traces, as the library returned them.")
        .ROWS(Matches, "points", point, point_count, MATCH_POINTS)
        .ROWS(Matches, "matchings", matching, matching_count, MATCHINGS)
        .VECTOR(Matches, arc, arc_count)
        .def_prop_ro("routes", routes_of);
    nb::class_<Trip>(engine, "Trip", "A trip, as the library returned it.")
        .VALUE(Trip, found)
        .VALUE(Trip, cost)
        .ROWS(Trip, "stops", stop, stop_count, SNAPS)
        .VECTOR(Trip, order, found ? self->stop_count : 0)
        .def_prop_ro("route", [](const Trip &self) {
            return self->route ? std::optional<Route>(part(self, self->route)) : std::nullopt;
        });
    engine.def("snap", snap)
        .def("route", find(macadam_route_find, macadam_route_free))
        .def("match", find(macadam_match, macadam_matches_free))
        .def("trip", find(macadam_trip_find, macadam_trip_free))
        .def("rings", find(macadam_rings_find, macadam_rings_free))
        .def("roads", find(find_roads, macadam_roads_free))
        .def("reached", find(macadam_isochrone_find, macadam_isochrone_free))
        .def("connect", find(macadam_connect, macadam_connection_free));
}
