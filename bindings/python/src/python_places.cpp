/* python_places.cpp - places from arrays, and quickly from short lists. */
#include "bindings/python/src/python_places.h"

template <class T> using Values = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

static macadam_place at_point(double lon, double lat)
{
    macadam_place place = {};
    place.kind = MACADAM_PLACE_POINT;
    place.lon = lon;
    place.lat = lat;
    return place;
}

static macadam_place at_node(int64_t id)
{
    macadam_place place = {};
    place.id = id;
    return place;
}

static Places from_points(const Values<double> &lon, const Values<double> &lat)
{
    if (lon.shape(0) != lat.shape(0)) throw nb::value_error("lon and lat differ in length");
    Places out;
    out.place.reserve(lon.shape(0));
    for (size_t i = 0; i < lon.shape(0); ++i) out.place.push_back(at_point(lon(i), lat(i)));
    return out;
}

static Places from_ids(const Values<int64_t> &id)
{
    Places out;
    out.place.reserve(id.shape(0));
    for (size_t i = 0; i < id.shape(0); ++i) out.place.push_back(at_node(id(i)));
    return out;
}

/* Adds one item of a list: an int is an id, two numbers are a longitude and a latitude. Returns false, with
 * no error set, if the item is anything else: then Python looks at it. */
static bool add_item(Places &places, nb::handle item)
{
    if (PyLong_CheckExact(item.ptr())) {
        int overflow = 0;
        const long long id = PyLong_AsLongLongAndOverflow(item.ptr(), &overflow);
        if (overflow) return false;
        places.place.push_back(at_node(id));
        return true;
    }
    if (!PyTuple_CheckExact(item.ptr()) || PyTuple_Size(item.ptr()) != 2) return false;
    double degrees[2];
    for (int i = 0; i < 2; ++i) {
        PyObject *number = PyTuple_GetItem(item.ptr(), i);
        if (!PyFloat_Check(number) && !PyLong_CheckExact(number)) return false;
        degrees[i] = PyFloat_AsDouble(number);
        if (degrees[i] == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
    }
    places.place.push_back(at_point(degrees[0], degrees[1]));
    return true;
}

static std::optional<Places> from_list(const nb::list &items)
{
    Places out;
    for (const nb::handle item : items)
        if (!add_item(out, item)) return std::nullopt;
    return out;
}

static void set_headings(Places &places, const Values<double> &heading, const Values<double> &tolerance)
{
    for (size_t i = 0; i < places.place.size(); ++i) {
        places.place[i].heading = heading(i);
        places.place[i].heading_tolerance = tolerance(i);
    }
}

static void set_side(Places &places, const Values<int32_t> &side)
{
    for (size_t i = 0; i < places.place.size(); ++i)
        places.place[i].side = static_cast<macadam_side>(side(i));
}

static void set_radius(Places &places, const Values<double> &radius_m)
{
    for (size_t i = 0; i < places.place.size(); ++i)
        places.place[i].radius_m = static_cast<float>(radius_m(i));
}

/* (lon, lat) of the points among the places. */
static nb::object points_of(const Places &places)
{
    std::vector<double> values;
    for (const macadam_place &place : places.place) {
        if (place.kind != MACADAM_PLACE_POINT) continue;
        values.push_back(place.lon);
        values.push_back(place.lat);
    }
    const size_t count = values.size() / 2;
    return array_of(std::move(values), {count, 2});
}

static Places slice(const Places &places, size_t begin, size_t end)
{
    end = std::min(end, places.place.size());
    begin = std::min(begin, end);
    return {{places.place.begin() + static_cast<ptrdiff_t>(begin),
             places.place.begin() + static_cast<ptrdiff_t>(end)}};
}

void bind_places(nb::module_ &module)
{
    nb::class_<Places>(module, "Places", "An array of places, ready for the library.")
        .def_static("from_points", from_points, nb::arg("lon"), nb::arg("lat"))
        .def_static("from_ids", from_ids, nb::arg("id"))
        .def_static("from_list", from_list, nb::arg("items"))
        .def("set_headings", set_headings, nb::arg("heading"), nb::arg("tolerance"))
        .def("set_side", set_side, nb::arg("side"))
        .def("set_radius", set_radius, nb::arg("radius_m"))
        .def("points", points_of)
        .def("slice", slice, nb::arg("begin"), nb::arg("end"))
        .def("append",
             [](Places &places, const Places &more) {
                 places.place.insert(places.place.end(), more.place.begin(), more.place.end());
             })
        .def("__len__", [](const Places &places) { return places.place.size(); });
}
