/* python_rows.cpp - which columns each kind of rows has. Text is a tuple (codes, values): codes[i] is the position of
 * string i among the distinct ones. "value0" and "value1" stand for the requested quantities. */
#include "bindings/python/src/python_rows.h"

#include <string_view>
#include <type_traits>
#include <unordered_map>

static nb::object text(const std::vector<const char *> &string)
{
    std::unordered_map<const char *, int32_t> code_of; /* most equal strings have one address */
    std::unordered_map<std::string_view, int32_t> code_of_text;
    std::vector<int32_t> code(string.size());
    nb::list values;
    for (size_t i = 0; i < string.size(); ++i) {
        const char *it = string[i] ? string[i] : "";
        const auto known = code_of.try_emplace(it, 0);
        if (known.second) {
            const auto text = code_of_text.try_emplace(it, static_cast<int32_t>(code_of_text.size()));
            if (text.second) values.append(nb::steal(PyUnicode_DecodeUTF8(it, strlen(it), "replace")));
            known.first->second = text.first->second;
        }
        code[i] = known.first->second;
    }
    return nb::make_tuple(array_of(std::move(code)), values);
}

/* A column of value(row). */
template <class Row, class Value> static nb::object gather(const Rows &rows, Value value)
{
    using T = decltype(value(std::declval<const Row &>()));
    using Item = std::conditional_t<std::is_enum_v<T>, int32_t,
                                    std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
    const Row *row = static_cast<const Row *>(rows.row());
    std::vector<Item> out(rows.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Item>(value(row[i]));
    if constexpr (std::is_same_v<T, const char *>)
        return text(out);
    else
        return array_of(std::move(out));
}

#define COLUMN(Row, name, expression)                                                                        \
    Column                                                                                                   \
    {                                                                                                        \
        name, [](const Rows &rows) { return gather<Row>(rows, [](const Row &it) { return expression; }); }   \
    }
#define FIELD(Row, member) COLUMN(Row, #member, it.member)
#define RANGE(Row, what, member)                                                                             \
    COLUMN(Row, "first_" what, it.first_##member), COLUMN(Row, "last_" what, it.last_##member)
#define VALUES(Row)                    COLUMN(Row, "value0", it.value[0]), COLUMN(Row, "value1", it.value[1])
#define FACT(Row, facts, member, none) COLUMN(Row, #member, (facts) ? (facts)->member : none)
#define FACTS(Row, facts)                                                                                    \
    FACT(Row, facts, road_class, ""), FACT(Row, facts, ref, ""), FACT(Row, facts, destination, ""),          \
        FACT(Row, facts, exit, ""), FACT(Row, facts, turn_lanes, ""), FACT(Row, facts, flags, 0),            \
        FACT(Row, facts, speed_kmh, uint16_t{0}), FACT(Row, facts, lanes, uint16_t{0})
#define ROAD(Row, road)                                                                                      \
    COLUMN(Row, "arc", it.road arc), COLUMN(Row, "tail", it.road tail), COLUMN(Row, "head", it.road head),   \
        COLUMN(Row, "way", it.road way), COLUMN(Row, "name", it.road name),                                  \
        COLUMN(Row, "first_point", it.road first_shape), COLUMN(Row, "last_point", it.road last_shape),      \
        FACTS(Row, it.road facts)

using Snap = macadam_snap;
const Columns SNAPS = {FIELD(Snap, status), FIELD(Snap, lon), FIELD(Snap, lat), FIELD(Snap, distance_m),
                       FIELD(Snap, id),     FIELD(Snap, arc), FIELD(Snap, way), FIELD(Snap, name)};

using Leg = macadam_leg;
const Columns LEGS = {VALUES(Leg), RANGE(Leg, "arc", arc), RANGE(Leg, "step", step)};

using RouteArc = macadam_route_arc;
const Columns ROUTE_ARCS = {VALUES(RouteArc), FIELD(RouteArc, from), FIELD(RouteArc, to), ROAD(RouteArc, )};

using Step = macadam_step;
static const char *mode_name(macadam_mode mode)
{
    static const char *const name[] = {"profile", "ferry", "train", "pushing"};
    return mode < sizeof name / sizeof *name ? name[mode] : "";
}
const Columns STEPS = {
    COLUMN(Step, "type", macadam_maneuver_type_name(it.type)),
    COLUMN(Step, "modifier", macadam_modifier_name(it.modifier)),
    COLUMN(Step, "exit_number", it.exit),
    COLUMN(Step, "name", it.facts->name),
    VALUES(Step),
    FIELD(Step, bearing_before),
    FIELD(Step, bearing_after),
    FIELD(Step, rotary_name),
    COLUMN(Step, "mode", mode_name(it.mode)),
    FIELD(Step, drives_left),
    FACTS(Step, it.facts),
    RANGE(Step, "arc", arc),
    RANGE(Step, "point", shape),
    RANGE(Step, "intersection", intersection),
};

using Intersection = macadam_intersection;
const Columns INTERSECTIONS = {
    FIELD(Intersection, lon),
    FIELD(Intersection, lat),
    RANGE(Intersection, "branch", branch),
    COLUMN(Intersection, "in", static_cast<int64_t>(it.in)),
    COLUMN(Intersection, "out", static_cast<int64_t>(it.out)),
    RANGE(Intersection, "lane", lane),
    FIELD(Intersection, flags),
    FIELD(Intersection, arc),
};
const Columns BRANCHES = {FIELD(macadam_branch, bearing), FIELD(macadam_branch, entry)};
const Columns LANES = {FIELD(macadam_lane, modifiers), FIELD(macadam_lane, valid)};

using Road = macadam_road;
const Columns ROADS = {ROAD(Road, )};

using ReachedArc = macadam_reached_arc;
const Columns REACHED_ARCS = {FIELD(ReachedArc, cost), FIELD(ReachedArc, weight), FIELD(ReachedArc, from),
                              ROAD(ReachedArc, road.)};

using MatchPoint = macadam_match_point;
const Columns MATCH_POINTS = {
    FIELD(MatchPoint, status),
    FIELD(MatchPoint, matching),
    FIELD(MatchPoint, waypoint),
    FIELD(MatchPoint, alternatives),
    FIELD(MatchPoint, along),
    COLUMN(MatchPoint, "lon", it.snap.lon),
    COLUMN(MatchPoint, "lat", it.snap.lat),
    COLUMN(MatchPoint, "distance_m", it.snap.distance_m),
    COLUMN(MatchPoint, "arc", it.snap.arc),
    COLUMN(MatchPoint, "way", it.snap.way),
    COLUMN(MatchPoint, "name", it.snap.name),
};
using Matching = macadam_matching;
const Columns MATCHINGS = {
    FIELD(Matching, trace),      FIELD(Matching, waypoint_count), FIELD(Matching, confidence),
    FIELD(Matching, distance_m), FIELD(Matching, duration_s),     RANGE(Matching, "arc", arc),
};

nb::list Rows::names() const
{
    nb::list out;
    for (const Column &column : *columns_) out.append(nb::str(column.name));
    return out;
}

void bind_rows(nb::module_ &module)
{
    nb::class_<Rows>(module, "Rows", "Rows of one kind, which belong to an answer.")
        .def("names", &Rows::names)
        .def("column", &Rows::column)
        .def("__len__", &Rows::size);
}
