/* python_lines.cpp - answers of variable size as columns of arrays. */
#include "bindings/python/src/python_lines.h"

/* An array of value(item) for each of `count` items. */
template <class T, class Item, class Value>
static nb::object column(const Item *item, size_t count, Value value)
{
    std::vector<T> out;
    out.reserve(count);
    for (size_t i = 0; i < count; ++i) out.push_back(static_cast<T>(value(item[i])));
    return array_of(std::move(out));
}

template <class Item, class Name> static nb::object names(const Item *item, size_t count, Name name)
{
    Names out;
    out.reserve(count);
    for (size_t i = 0; i < count; ++i) out.add(name(item[i]));
    return out.finish();
}

static nb::object line_points(const double *lon, const double *lat, size_t count)
{
    std::vector<double> out;
    out.reserve(2 * count);
    for (size_t i = 0; i < count; ++i) {
        out.push_back(lon[i]);
        out.push_back(lat[i]);
    }
    return array_of(std::move(out), {count, 2});
}

SnapColumns::SnapColumns(size_t count)
{
    status_.reserve(count);
    id_.reserve(count);
    way_.reserve(count);
    arc_.reserve(count);
    lon_.reserve(count);
    lat_.reserve(count);
    distance_m_.reserve(count);
    name_.reserve(count);
}

void SnapColumns::add(const macadam_snap &snap)
{
    status_.push_back(snap.status);
    id_.push_back(snap.id);
    way_.push_back(snap.way);
    arc_.push_back(snap.arc);
    lon_.push_back(snap.lon);
    lat_.push_back(snap.lat);
    distance_m_.push_back(snap.distance_m);
    name_.add(snap.name ? snap.name : "");
}

nb::dict SnapColumns::finish()
{
    nb::dict out;
    out["status"] = array_of(std::move(status_));
    out["lon"] = array_of(std::move(lon_));
    out["lat"] = array_of(std::move(lat_));
    out["distance_m"] = array_of(std::move(distance_m_));
    out["id"] = array_of(std::move(id_));
    out["arc"] = array_of(std::move(arc_));
    out["way"] = array_of(std::move(way_));
    out["name"] = name_.finish();
    return out;
}

static nb::dict snaps(const macadam_snap *snap, size_t count)
{
    SnapColumns columns(count);
    for (size_t i = 0; i < count; ++i) columns.add(snap[i]);
    return columns.finish();
}

bool RouteLines::places_failed() const
{
    for (size_t i = 0; i < route_->waypoint_count; ++i)
        if (!macadam_place_is_found(route_->waypoint[i].status)) return true;
    return false;
}

nb::tuple RouteLines::value() const
{
    return quantity_count_ == 1 ? nb::make_tuple(route_->value[0])
                                : nb::make_tuple(route_->value[0], route_->value[1]);
}

nb::dict RouteLines::waypoints() const
{
    return snaps(route_->waypoint, route_->waypoint_count);
}

nb::dict RouteLines::legs() const
{
    nb::dict out;
    const macadam_leg *leg = route_->leg;
    const size_t count = route_->leg_count;
    for (size_t q = 0; q < quantity_count_; ++q)
        out[nb::int_(q)] = column<uint32_t>(leg, count, [=](const macadam_leg &it) { return it.value[q]; });
    out["first_arc"] = column<int64_t>(leg, count, [](const macadam_leg &it) { return it.first_arc; });
    out["last_arc"] = column<int64_t>(leg, count, [](const macadam_leg &it) { return it.last_arc; });
    return out;
}

nb::dict RouteLines::arcs() const
{
    using Arc = macadam_route_arc;
    nb::dict out;
    const Arc *arc = route_->arc;
    const size_t count = route_->arc_count;
    out["tail"] = column<int64_t>(arc, count, [](const Arc &it) { return it.tail; });
    out["head"] = column<int64_t>(arc, count, [](const Arc &it) { return it.head; });
    out["arc"] = column<uint64_t>(arc, count, [](const Arc &it) { return it.arc; });
    out["way"] = column<int64_t>(arc, count, [](const Arc &it) { return it.way; });
    out["name"] = names(arc, count, [](const Arc &it) { return it.name; });
    for (size_t q = 0; q < quantity_count_; ++q)
        out[nb::int_(q)] = column<uint32_t>(arc, count, [=](const Arc &it) { return it.value[q]; });
    out["from"] = column<double>(arc, count, [](const Arc &it) { return it.from; });
    out["to"] = column<double>(arc, count, [](const Arc &it) { return it.to; });
    out["first_point"] = column<int64_t>(arc, count, [](const Arc &it) { return it.first_shape; });
    out["last_point"] = column<int64_t>(arc, count, [](const Arc &it) { return it.last_shape; });
    return out;
}

nb::object RouteLines::shape() const
{
    return line_points(route_->lon, route_->lat, route_->shape_count);
}

/* `road_of` gives the road of an item. */
template <class Item, class Road> static nb::dict roads_of(const Item *item, size_t count, Road road_of)
{
    nb::dict out;
    out["arc"] = column<uint64_t>(item, count, [=](const Item &it) { return road_of(it).arc; });
    out["tail"] = column<int64_t>(item, count, [=](const Item &it) { return road_of(it).tail; });
    out["head"] = column<int64_t>(item, count, [=](const Item &it) { return road_of(it).head; });
    out["way"] = column<int64_t>(item, count, [=](const Item &it) { return road_of(it).way; });
    out["name"] = names(item, count, [=](const Item &it) { return road_of(it).name; });
    out["first_point"] =
        column<int64_t>(item, count, [=](const Item &it) { return road_of(it).first_shape; });
    out["last_point"] = column<int64_t>(item, count, [=](const Item &it) { return road_of(it).last_shape; });
    return out;
}

nb::dict road_columns(const macadam_roads &roads)
{
    nb::dict out = roads_of(roads.road, roads.road_count, [](const macadam_road &road) { return road; });
    out["points"] = line_points(roads.lon, roads.lat, roads.shape_count);
    return out;
}

nb::dict reached_columns(const macadam_isochrone &isochrone)
{
    using Arc = macadam_reached_arc;
    nb::dict out = roads_of(isochrone.arc, isochrone.arc_count, [](const Arc &arc) { return arc.road; });
    out["cost"] = column<uint32_t>(isochrone.arc, isochrone.arc_count, [](const Arc &it) { return it.cost; });
    out["weight"] =
        column<uint32_t>(isochrone.arc, isochrone.arc_count, [](const Arc &it) { return it.weight; });
    out["from"] = column<double>(isochrone.arc, isochrone.arc_count, [](const Arc &it) { return it.from; });
    out["points"] = line_points(isochrone.lon, isochrone.lat, isochrone.shape_count);
    out["source"] = snaps(&isochrone.source, 1);
    return out;
}

void bind_lines(nb::module_ &module)
{
    nb::class_<RouteLines>(module, "Route", "A route, as the library returned it.")
        .def_prop_ro("found", &RouteLines::found)
        .def_prop_ro("reason", &RouteLines::reason)
        .def_prop_ro("reason_waypoint", &RouteLines::reason_waypoint)
        .def_prop_ro("places_failed", &RouteLines::places_failed)
        .def_prop_ro("value", &RouteLines::value)
        .def("waypoints", &RouteLines::waypoints)
        .def("legs", &RouteLines::legs)
        .def("arcs", &RouteLines::arcs)
        .def("shape", &RouteLines::shape);
}
