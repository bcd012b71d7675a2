/* route_format.c - a route in the formats that others read. */
#include "bindings/cli/route_format.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/html.h"
#include "bindings/cli/json.h"
#include "bindings/cli/steps.h"
#include "bindings/cli/summary.h"

#include <math.h>

bool cli_route_needs_coordinates(cli_format format)
{
    return format == CLI_GEOJSON || format == CLI_POLYLINE5 || format == CLI_POLYLINE6 || format == CLI_HTML;
}

/* ---- CSV ---- */

static void write_csv(cli_output *output, const cli_session *session, const macadam_route *route)
{
    cli_output_text(output, "tail,head,arc");
    for (size_t q = 0; q < session->quantity_count; ++q)
        cli_output_format(output, ",%s", session->quantity[q]);
    cli_output_text(output, "\n");
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *const arc = &route->arc[i];
        cli_output_integer(output, arc->tail);
        cli_output_text(output, ",");
        cli_output_integer(output, arc->head);
        cli_output_text(output, ",");
        cli_output_integer(output, (int64_t)arc->arc);
        for (size_t q = 0; q < session->quantity_count; ++q) {
            cli_output_text(output, ",");
            cli_output_cost(output, arc->value[q], session->per_unit[q]);
        }
        cli_output_text(output, "\n");
    }
}

/* ---- JSON ---- */

static void add_costs(cJSON *object, const cli_session *session, const uint32_t *value)
{
    for (size_t q = 0; q < session->quantity_count; ++q) {
        cli_json_add_cost(object, session->quantity[q], value[q], session->per_unit[q]);
    }
}

static cJSON *waypoint_json(const macadam_snap *snap)
{
    cJSON *const object = cJSON_CreateObject();
    cli_json_add_snap(object, snap);
    return object;
}

static cJSON *leg_json(const cli_session *session, const macadam_route *route, const macadam_leg *leg,
                       const char *language)
{
    cJSON *const object = cJSON_CreateObject();
    add_costs(object, session, leg->value);
    cli_json_add_integer(object, "first_arc", (int64_t)leg->first_arc);
    cli_json_add_integer(object, "last_arc", (int64_t)leg->last_arc);
    if (route->step_count)
        cJSON_AddItemToObject(object, "steps", cli_steps_json(session, route, leg, language));
    return object;
}

static cJSON *arc_json(const cli_session *session, const macadam_route_arc *arc)
{
    cJSON *const object = cJSON_CreateObject();
    cli_json_add_integer(object, "tail", arc->tail);
    cli_json_add_integer(object, "head", arc->head);
    cli_json_add_integer(object, "arc", (int64_t)arc->arc);
    add_costs(object, session, arc->value);
    if (arc->from > 0) cJSON_AddNumberToObject(object, "from", arc->from);
    if (arc->to < 1) cJSON_AddNumberToObject(object, "to", arc->to);
    if (arc->way) cli_json_add_integer(object, "way", arc->way);
    if (arc->name[0]) cJSON_AddStringToObject(object, "name", arc->name);
    if (arc->facts && arc->facts->road_class[0])
        cJSON_AddStringToObject(object, "class", arc->facts->road_class);
    if (arc->facts && arc->facts->speed_kmh)
        cJSON_AddNumberToObject(object, "maxspeed_kmh", arc->facts->speed_kmh);
    return object;
}

static cJSON *legs_json(const cli_session *session, const macadam_route *route, const char *language)
{
    cJSON *const legs = cJSON_CreateArray();
    for (size_t i = 0; route->found && i < route->leg_count; ++i)
        cJSON_AddItemToArray(legs, leg_json(session, route, &route->leg[i], language));
    return legs;
}

static cJSON *summary_json(const cli_session *session, const macadam_route *route)
{
    cJSON *const summary = cJSON_CreateArray();
    cli_stretch stretch = {0};
    while (cli_stretch_next(&stretch, route, session->quantity_count)) {
        cJSON *const object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", stretch.name);
        for (size_t q = 0; q < session->quantity_count; ++q)
            cJSON_AddNumberToObject(object, session->quantity[q],
                                    (double)stretch.value[q] / session->per_unit[q]);
        cli_json_add_integer(object, "first_arc", (int64_t)stretch.first_arc);
        cli_json_add_integer(object, "last_arc", (int64_t)stretch.last_arc);
        cJSON_AddItemToArray(summary, object);
    }
    return summary;
}

static void add_node(cJSON *array, int64_t id)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)id);
    cJSON_AddItemToArray(array, cJSON_CreateRaw(text));
}

/* The nodes that are passed, both ends included; arcs that begin or end part-way pass one of theirs or
 * none. */
static cJSON *nodes_json(const macadam_route *route)
{
    cJSON *const array = cJSON_CreateArray();
    if (route->found && route->arc_count == 0) add_node(array, route->waypoint[0].id);
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *const arc = &route->arc[i];
        const bool follows = i > 0 && arc[-1].to == 1;
        if (arc->from == 0 && !follows) add_node(array, arc->tail);
        if (arc->to == 1) add_node(array, arc->head);
    }
    return array;
}

static void write_json(cli_output *output, const cli_session *session, const macadam_route *route,
                       const char *language)
{
    cJSON *const object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "found", route->found);
    if (!route->found) cJSON_AddStringToObject(object, "reason", macadam_route_reason_name(route->reason));
    add_costs(object, session, route->value);
    cJSON *const waypoints = cJSON_AddArrayToObject(object, "waypoints");
    for (size_t i = 0; i < route->waypoint_count; ++i) {
        cJSON_AddItemToArray(waypoints, waypoint_json(&route->waypoint[i]));
    }
    cJSON_AddItemToObject(object, "legs", legs_json(session, route, language));
    cJSON_AddItemToObject(object, "summary", summary_json(session, route));
    cJSON_AddItemToObject(object, "nodes", nodes_json(route));
    cJSON *const arcs = cJSON_AddArrayToObject(object, "arcs");
    for (size_t i = 0; i < route->arc_count; ++i)
        cJSON_AddItemToArray(arcs, arc_json(session, &route->arc[i]));
    cli_json_write(output, object, false);
}

/* ---- the line: shape points without repetitions ---- */

typedef struct route_line {
    const macadam_route *route;
    size_t next;
} route_line;

static bool is_repeated(const macadam_route *route, size_t i)
{
    return i > 0 && route->lon[i] == route->lon[i - 1] && route->lat[i] == route->lat[i - 1];
}

/* The next point of the line; false at its end. A route without arcs is the point where it begins. */
static bool next_point(route_line *line, double *lon, double *lat)
{
    const macadam_route *const route = line->route;
    while (line->next < route->shape_count && is_repeated(route, line->next)) ++line->next;
    const size_t i = line->next++;
    if (i < route->shape_count) {
        *lon = route->lon[i];
        *lat = route->lat[i];
        return true;
    }
    *lon = route->waypoint[0].lon;
    *lat = route->waypoint[0].lat;
    return route->found && route->shape_count == 0 && i == 0;
}

static cJSON *position_json(double lon, double lat)
{
    char text[64];
    snprintf(text, sizeof text, "[%.7f,%.7f]", lon, lat);
    return cJSON_CreateRaw(text);
}

static cJSON *geometry_json(const macadam_route *route)
{
    if (!route->found) return cJSON_CreateNull();
    cJSON *const geometry = cJSON_CreateObject(), *const coordinates = cJSON_CreateArray();
    route_line line = {.route = route};
    double lon, lat;
    while (next_point(&line, &lon, &lat)) cJSON_AddItemToArray(coordinates, position_json(lon, lat));
    if (cJSON_GetArraySize(coordinates) == 1) /* a LineString has two positions or more */
        cJSON_AddItemToArray(coordinates, cJSON_Duplicate(cJSON_GetArrayItem(coordinates, 0), true));
    cJSON_AddStringToObject(geometry, "type", "LineString");
    cJSON_AddItemToObject(geometry, "coordinates", coordinates);
    return geometry;
}

static void write_geojson(cli_output *output, const cli_session *session, const macadam_route *route,
                          const char *language)
{
    cJSON *const feature = cJSON_CreateObject();
    cJSON_AddStringToObject(feature, "type", "Feature");
    cJSON_AddItemToObject(feature, "geometry", geometry_json(route));
    cJSON *const properties = cJSON_AddObjectToObject(feature, "properties");
    cJSON_AddBoolToObject(properties, "found", route->found);
    if (!route->found)
        cJSON_AddStringToObject(properties, "reason", macadam_route_reason_name(route->reason));
    add_costs(properties, session, route->value);
    cJSON_AddItemToObject(properties, "legs", legs_json(session, route, language));
    cJSON_AddItemToObject(properties, "summary", summary_json(session, route));
    cli_json_write(output, feature, false);
}

/* One number of an encoded polyline: zigzag, then 5 bits a character, low ones first. */
static void write_polyline_number(cli_output *output, int64_t delta)
{
    uint64_t rest = delta < 0 ? ~((uint64_t)delta << 1) : (uint64_t)delta << 1;
    do {
        const char character = (char)((rest >= 0x20 ? (rest & 0x1f) | 0x20 : rest) + 63);
        cli_output_bytes(output, &character, 1);
    } while ((rest >>= 5) > 0);
}

static void write_polyline(cli_output *output, const macadam_route *route, double scale)
{
    int64_t last_lon = 0, last_lat = 0;
    double lon, lat;
    route_line line = {.route = route};
    while (next_point(&line, &lon, &lat)) {
        const int64_t scaled_lon = llround(lon * scale), scaled_lat = llround(lat * scale);
        write_polyline_number(output, scaled_lat - last_lat);
        write_polyline_number(output, scaled_lon - last_lon);
        last_lon = scaled_lon;
        last_lat = scaled_lat;
    }
    cli_output_text(output, "\n");
}

int cli_route_write(cli_output *output, const cli_session *session, const macadam_route *route,
                    const cli_options *options)
{
    switch (options->format) {
    case CLI_JSON:
        write_json(output, session, route, options->language);
        break;
    case CLI_GEOJSON:
        write_geojson(output, session, route, options->language);
        break;
    case CLI_POLYLINE5:
        write_polyline(output, route, 1e5);
        break;
    case CLI_POLYLINE6:
        write_polyline(output, route, 1e6);
        break;
    case CLI_HTML:
        return cli_html_route(output, session, route);
    default:
        write_csv(output, session, route);
        break;
    }
    return CLI_DONE;
}
