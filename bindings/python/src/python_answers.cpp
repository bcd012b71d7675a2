/* python_answers.cpp - calls whose answers the library allocates: routes, roads, isochrones, connections. Their rows
 * and lines are made when Python first looks at them. */
#include "bindings/python/src/python_engine.h"
#include "bindings/python/src/python_rows.h"

template <class T> struct Answer : std::shared_ptr<T> {
    using std::shared_ptr<T>::shared_ptr;
};
using Route = Answer<macadam_route>;
using Rings = Answer<macadam_rings>;
using Matches = Answer<macadam_matches>;
using Trip = Answer<macadam_trip>;

/* The answer keeps the engine open: names belong to it. */
template <class T, class Request>
static Answer<T> ask(const Engine &self, const Query &query,
                     macadam_status (*find)(macadam_engine *, const macadam_query *, const Request *, T **,
                                            macadam_error *),
                     const Request &request, void (*release)(T *))
{
    const Shared engine = self.use();
    T *out = nullptr;
    query.run([&](const macadam_query *own, macadam_error *error) {
        return find(engine.get(), own, &request, &out, error);
    });
    return {out, [engine, release](T *it) { release(it); }};
}

static nb::object points(const double *lon, const double *lat, size_t count)
{
    std::vector<double> out(2 * count);
    for (size_t i = 0; i < count; ++i) {
        out[2 * i] = lon[i];
        out[2 * i + 1] = lat[i];
    }
    return array_of(std::move(out), {count, 2});
}

static Route route(const Engine &self, const Query &query, const Places &waypoints, bool steps)
{
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoints.place.data();
    request.waypoint_count = waypoints.place.size();
    request.steps = steps;
    return ask(self, query, macadam_route_find, request, macadam_route_free);
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

static macadam_status find_roads(macadam_engine *engine, const macadam_query *, const macadam_box *box,
                                 macadam_roads **out, macadam_error *error)
{
    return macadam_roads_find(engine, box, out, error);
}

/* Returns (rows, points). */
static nb::tuple roads(const Engine &self, double west, double south, double east, double north)
{
    const auto out =
        ask(self, Query(), find_roads, macadam_box{west, south, east, north}, macadam_roads_free);
    return nb::make_tuple(Rows(out, out->road, out->road_count, ROADS),
                          points(out->lon, out->lat, out->shape_count));
}

/* Returns (rows, points, where the source was snapped). */
static nb::tuple reached(const Engine &self, const Query &query, const Places &source, bool reverse,
                         uint32_t limit)
{
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = source.place.at(0);
    request.reverse = reverse;
    request.limit = limit;
    const auto out = ask(self, query, macadam_isochrone_find, request, macadam_isochrone_free);
    return nb::make_tuple(Rows(out, out->arc, out->arc_count, REACHED_ARCS),
                          points(out->lon, out->lat, out->shape_count), Rows(out, &out->source, 1, SNAPS));
}

static Rings rings(const Engine &self, const Query &query, const Places &sources, bool reverse,
                   const std::vector<uint32_t> &limits, bool disjoint, double width_m)
{
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    request.source = sources.place.data();
    request.source_count = sources.place.size();
    request.reverse = reverse;
    request.limit = limits.data();
    request.limit_count = limits.size();
    request.disjoint = disjoint;
    request.width_m = width_m;
    return ask(self, query, macadam_rings_find, request, macadam_rings_free);
}

/* Returns (connected, hops, ids, where the source and the target were snapped). */
static nb::tuple connect(const Engine &self, const Query &query, const Places &ends)
{
    macadam_connect_request request = MACADAM_CONNECT_REQUEST_INIT;
    request.source = ends.place.at(0);
    request.target = ends.place.at(1);
    const auto out = ask(self, query, macadam_connect, request, macadam_connection_free);
    return nb::make_tuple(out->connected, out->hops, borrowed(out, out->id, out->node_count),
                          Rows(out, &out->source, 1, SNAPS), Rows(out, &out->target, 1, SNAPS));
}

/* `point`: longitude, latitude, time, accuracy, heading, accuracy of the heading, speed. */
static Matches match(const Engine &self, const Query &query,
                     const nb::ndarray<const double, nb::shape<-1, 7>, nb::c_contig, nb::device::cpu> &point,
                     const std::vector<size_t> &first, double accuracy_m, bool split, bool tidy, bool steps)
{
    std::vector<macadam_trace_point> points(point.shape(0));
    for (size_t i = 0; i < points.size(); ++i)
        points[i] = {point(i, 0), point(i, 1), point(i, 2), point(i, 3),
                     point(i, 4), point(i, 5), point(i, 6), {}};
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    request.point = points.data();
    request.point_count = points.size();
    request.first = first.data();
    request.trace_count = first.size() - 1;
    request.accuracy_m = accuracy_m;
    request.gaps = split ? MACADAM_MATCH_GAPS_SPLIT : MACADAM_MATCH_GAPS_IGNORE;
    request.tidy = tidy;
    request.arcs = request.routes = true;
    request.steps = steps;
    return ask(self, query, macadam_match, request, macadam_matches_free);
}

static Trip trip(const Engine &self, const Query &query, const Places &stops, bool open, bool from_first,
                 bool to_last, bool steps)
{
    macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
    request.stop = stops.place.data();
    request.stop_count = stops.place.size();
    request.open = open;
    request.from_first = from_first;
    request.to_last = to_last;
    request.steps = steps;
    return ask(self, query, macadam_trip_find, request, macadam_trip_free);
}

/* A route that is part of another answer. */
template <class T> static Route part(const Answer<T> &answer, const macadam_route *route)
{
    return Route(answer, const_cast<macadam_route *>(route));
}

#define ROWS(Answer, name, rows, count, columns)                                                             \
    def_prop_ro(name, [](const Answer &self) { return Rows(self, self->rows, self->count, columns); })
#define ARRAY(Answer, name, count)                                                                           \
    def_prop_ro(#name, [](const Answer &self) { return borrowed(self, self->name, self->count); })

void bind_answers(nb::module_ &module, nb::class_<Engine> &engine)
{
    nb::class_<Route>(module, "Route", "A route, as the library returned it.")
        .def_prop_ro("found", [](const Route &self) { return self->found; })
        .def_prop_ro("reason", [](const Route &self) { return macadam_route_reason_name(self->reason); })
        .def_prop_ro("reason_waypoint", [](const Route &self) { return self->reason_waypoint; })
        .def_prop_ro("place_failed", place_failed)
        .def_prop_ro("value", [](const Route &it) { return nb::make_tuple(it->value[0], it->value[1]); })
        .ROWS(Route, "waypoints", waypoint, waypoint_count, SNAPS)
        .ROWS(Route, "legs", leg, leg_count, LEGS)
        .ROWS(Route, "arcs", arc, arc_count, ROUTE_ARCS)
        .ROWS(Route, "steps", step, step_count, STEPS)
        .ROWS(Route, "intersections", intersection, intersection_count, INTERSECTIONS)
        .ROWS(Route, "branches", branch, branch_count, BRANCHES)
        .ROWS(Route, "lanes", lane, lane_count, LANES)
        .def("points", [](const Route &self) { return points(self->lon, self->lat, self->shape_count); })
        .def("texts", texts);
    nb::class_<Rings>(module, "Rings", "Areas, as the library returned them.")
        .ROWS(Rings, "source", source, source_count, SNAPS)
        .ARRAY(Rings, width_m, source_count)
        .ARRAY(Rings, area_m2, source_count * self->limit_count)
        .ARRAY(Rings, first_polygon, source_count * self->limit_count + 1)
        .ARRAY(Rings, first_ring, polygon_count + 1)
        .ARRAY(Rings, first_point, ring_count + 1)
        .def("points", [](const Rings &self) { return points(self->lon, self->lat, self->point_count); });
    nb::class_<Matches>(module, "Matches", "Matched traces, as the library returned them.")
        .ROWS(Matches, "points", point, point_count, MATCH_POINTS)
        .ROWS(Matches, "matchings", matching, matching_count, MATCHINGS)
        .ARRAY(Matches, arc, arc_count)
        .def("route", [](const Matches &self, size_t i) { return part(self, self->matching[i].route); });
    nb::class_<Trip>(module, "Trip", "A trip, as the library returned it.")
        .def_prop_ro("found", [](const Trip &self) { return self->found; })
        .def_prop_ro("cost", [](const Trip &self) { return self->cost; })
        .def_prop_ro("has_route", [](const Trip &self) { return self->route != nullptr; })
        .ROWS(Trip, "stops", stop, stop_count, SNAPS)
        .ARRAY(Trip, order, found ? self->stop_count : 0)
        .def("route", [](const Trip &self) { return part(self, self->route); });
    engine.def("route", route)
        .def("match", match)
        .def("trip", trip)
        .def("rings", rings)
        .def("roads", roads)
        .def("reached", reached)
        .def("connect", connect);
}
