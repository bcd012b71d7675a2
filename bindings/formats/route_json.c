/* route_json.c - routes as JSON and as GeoJSON. */
#include "bindings/formats/route_json.h"
#include "bindings/formats/line.h"
#include "bindings/formats/record.h"

#include <inttypes.h>
#include <math.h>

/* The members found (else with its reason), and the costs. */
static void put_found(mcd_text *text, const macadam_route *route)
{
    mcd_text_json(text, "'found':%i", route->found);
    if (!route->found) mcd_text_json(text, "'reason':%s", macadam_route_reason_name(route->reason));
    mcd_record_write(text, MCD_STRUCTURE(route), "*,!found,!reason,!reason_waypoint,...", route);
    if (!route->total || !text->options.total) return;
    mcd_text_json(text, "'totals':{");
    for (size_t q = 0; q < route->total_count; ++q) {
        mcd_text_json(text, "%s:", text->options.total[q]);
        mcd_text_cost(text, route->total[q],
                      text->options.total_per_unit ? text->options.total_per_unit[q] : 1);
    }
    mcd_text_add(text, "}");
}

void mcd_text_put_climbs(mcd_text *text, const macadam_route *route)
{
    int64_t ascent_dm = 0, descent_dm = 0;
    if (!route->found || !route->height_m) return;
    for (size_t i = 1; i < route->shape_count; ++i) {
        const int64_t rise_dm = llround(route->height_m[i] * 10) - llround(route->height_m[i - 1] * 10);
        *(rise_dm > 0 ? &ascent_dm : &descent_dm) += rise_dm > 0 ? rise_dm : -rise_dm;
    }
    mcd_text_json(text, "'ascent_m':");
    mcd_text_decimal(text, ascent_dm, 1);
    mcd_text_json(text, "'descent_m':");
    mcd_text_decimal(text, descent_dm, 1);
}

static void add_waypoints(mcd_text *text, const macadam_route *route)
{
    mcd_records point = mcd_records_of(text, &mcd_record_bare, MCD_STRUCTURE(snap), MCD_SNAP_MEMBERS);
    mcd_text_json(text, "'waypoints':[");
    for (const macadam_snap *snap = route->waypoint; snap < route->waypoint + route->waypoint_count; ++snap) {
        mcd_text_json(text, "{'status':%s", macadam_place_status_name(snap->status));
        if (isnan(snap->lon) && macadam_place_is_found(snap->status))
            mcd_text_json(text, "'node':%" PRId64, snap->id);
        else if (macadam_place_is_found(snap->status))
            mcd_record_put(&point, snap);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
}

enum { SPEED = MACADAM_QUANTITIES_MAX, CLASS }; /* columns of segments after their costs */

static void add_segment(mcd_text *text, const macadam_route *route, const macadam_segment *segment,
                        size_t column)
{
    const macadam_road_facts *const facts = route->arc[segment->arc].facts;
    mcd_text_comma(text);
    if (column < SPEED)
        mcd_text_value(text, column, segment->value[column]);
    else if (column == CLASS)
        mcd_text_string(text, facts ? facts->road_class : "");
    else if (isfinite(segment->speed_kmh))
        mcd_text_decimal(text, llround(10 * segment->speed_kmh), 1);
    else
        mcd_text_add(text, "null");
}

/* The segments of a leg in columns; of `nodes`, there is one more. */
static void add_segments(mcd_text *text, const macadam_route *route, const macadam_leg *leg)
{
    if (route->segment_count == 0) return;
    const size_t first = mcd_route_first_segment(route, leg->first_arc),
                 end = mcd_route_first_segment(route, leg->end_arc);
    mcd_text_json(text, "'segments':{'nodes':[");
    for (size_t i = first; i < end; ++i) {
        if (i == first) mcd_text_json(text, "%" PRId64, route->segment[i].from);
        mcd_text_json(text, "%" PRId64, route->segment[i].to);
    }
    mcd_text_add(text, "]");
    for (size_t column = 0; column <= CLASS; ++column) {
        if (column < SPEED && column >= text->options.quantity_count) continue;
        mcd_text_json(text, "%s:[",
                      column < SPEED    ? text->options.quantity[column]
                      : column == SPEED ? "speed_kmh"
                                        : "class");
        for (size_t i = first; i < end; ++i) add_segment(text, route, &route->segment[i], column);
        mcd_text_add(text, "]");
    }
    mcd_text_add(text, "}");
}

void mcd_text_put_legs(mcd_text *text, const macadam_route *route)
{
    mcd_records fields =
        mcd_records_of(text, &mcd_record_bare, MCD_STRUCTURE(leg), "*,first_arc,end_arc,...");
    mcd_text_json(text, "'legs':[");
    for (size_t i = 0; route->found && i < route->leg_count; ++i) {
        mcd_text_json(text, "{");
        mcd_record_put(&fields, &route->leg[i]);
        if (route->step_count) mcd_text_put_steps(text, route, &route->leg[i]);
        add_segments(text, route, &route->leg[i]);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
    macadam_stretch stretch = {0};
    mcd_text_json(text, "'summary':[");
    while (macadam_stretch_next(&stretch, route, text->options.quantity_count)) {
        mcd_text_json(text, "{'name':%s", stretch.name);
        mcd_text_costs(text, stretch.value);
        mcd_text_json(text, "'first_arc':%zu,'end_arc':%zu}", stretch.first_arc, stretch.end_arc);
    }
    mcd_text_add(text, "]");
}

void mcd_text_put_way(mcd_text *text, const macadam_route *route)
{
    mcd_text_put_legs(text, route);
    /* The passed nodes, with both ends; arcs that begin or end part-way pass one of theirs or none. */
    mcd_text_json(text, "'nodes':[");
    if (route->found && route->arc_count == 0) mcd_text_json(text, "%" PRId64, route->waypoint[0].id);
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *const arc = &route->arc[i];
        const bool follows = i > 0 && arc[-1].to == 1;
        if (arc->from == 0 && !follows) mcd_text_json(text, "%" PRId64, arc->tail);
        if (arc->to == 1) mcd_text_json(text, "%" PRId64, arc->head);
    }
    mcd_text_add(text, "]");
    static const mcd_record_frame array = {"[", ",", "]", true};
    mcd_records arcs = mcd_records_of(text, &array, MCD_STRUCTURE(route_arc),
                                      "tail,head,arc,*,price,from?,to?,way?,name?,class=road_class?,"
                                      "maxspeed_kmh=speed_kmh?,...");
    mcd_text_json(text, "'arcs':");
    for (size_t i = 0; i < route->arc_count; ++i)
        mcd_record_members(&arcs, &route->arc[i]), mcd_record_end(&arcs);
    mcd_records_finish(&arcs);
}

/* The points of the line: its coordinates in GeoJSON, where the map has heights. */
static void add_heights(mcd_text *text, const macadam_route *route)
{
    mcd_line line = {0};
    if (!route->found || !route->height_m) return;
    mcd_line_add_route(&line, route);
    mcd_text_json(text, "'profile':");
    mcd_line_write(text, &line);
    mcd_line_free(&line);
}

/* Alternatives have the waypoints of the route that they belong to. */
static void add_route(mcd_text *text, const macadam_route *route, bool is_alternative)
{
    put_found(text, route);
    mcd_text_put_climbs(text, route);
    if (!is_alternative) add_waypoints(text, route);
    mcd_text_put_way(text, route);
    add_heights(text, route);
    if (route->alternative_count == 0) return;
    mcd_text_json(text, "'alternatives':[");
    for (size_t i = 0; i < route->alternative_count; ++i) {
        mcd_text_json(text, "{");
        add_route(text, route->alternative[i], true);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
}

macadam_status macadam_format_route_json(macadam_text *out, const macadam_route *route,
                                         const macadam_format_options *options, macadam_error *error)
{
    mcd_text text;
    const macadam_status status = mcd_text_open(&text, out, route, options, 0, error);
    if (status) return status;
    mcd_text_add(&text, "{");
    add_route(&text, route, false);
    mcd_text_add(&text, "}");
    return mcd_text_finish(&text, out, error);
}

void mcd_text_route_line(mcd_text *text, const macadam_route *route)
{
    mcd_line line = {0};
    if (!route || !route->found) {
        mcd_text_add(text, "null");
        return;
    }
    mcd_line_add_route(&line, route);
    mcd_line_write_geometry(text, &line);
    mcd_line_free(&line);
}

static void add_feature(mcd_text *text, const macadam_route *route)
{
    mcd_text_json(text, "{'type':'Feature','geometry':");
    mcd_text_route_line(text, route);
    mcd_text_json(text, "'properties':{");
    put_found(text, route);
    mcd_text_put_climbs(text, route);
    mcd_text_put_legs(text, route);
    mcd_text_add(text, "}}");
}

macadam_status macadam_format_route_geojson(macadam_text *out, const macadam_route *route,
                                            const macadam_format_options *options, macadam_error *error)
{
    mcd_text text;
    const macadam_status status = mcd_text_open(&text, out, route, options, 0, error);
    if (status) return status;
    if (route->alternative_count) mcd_text_json(&text, "{'type':'FeatureCollection','features':[");
    add_feature(&text, route);
    for (size_t i = 0; i < route->alternative_count; ++i) add_feature(&text, route->alternative[i]);
    if (route->alternative_count) mcd_text_add(&text, "]}");
    return mcd_text_finish(&text, out, error);
}
