/* stops.c - see stops.h. */
#include "bindings/serve/services/stops.h"

#include <inttypes.h>
#include <math.h>

enum { SWAPPED_M = 1000 }; /* farther from a road, a coordinate whose swap is on the map is refused */
static const double least_radius_m = 1e-3; /* 0 would be as far as the query says */

static int32_t e7_of(double degrees)
{
    return (int32_t)mcd_text_round(degrees * 1e7);
}

/* Whether the coordinate has a hint that was made for it, on this map. Where the side of the road matters, the hint does not
 * count: it is on the road. */
static bool is_hinted(const serve_job *job, const serve_coordinate *coordinate)
{
    return coordinate->has_hint && coordinate->side == MACADAM_SIDE_ANY &&
           coordinate->hint.map == job->map->fingerprint &&
           coordinate->hint.lon_e7 == e7_of(coordinate->lon) &&
           coordinate->hint.lat_e7 == e7_of(coordinate->lat);
}

static macadam_place place_of(const serve_job *job, const serve_coordinate *coordinate)
{
    const bool is_known = is_hinted(job, coordinate);
    return (macadam_place){
        .kind = MACADAM_PLACE_POINT,
        .lon = is_known ? coordinate->hint.snapped_lon_e7 / 1e7 : coordinate->lon,
        .lat = is_known ? coordinate->hint.snapped_lat_e7 / 1e7 : coordinate->lat,
        .heading = coordinate->bearing,
        .heading_tolerance = coordinate->bearing_range,
        .side = coordinate->side,
        .radius_m = isinf(coordinate->radius_m) ? 0 : (float)fmax(coordinate->radius_m, least_radius_m),
    };
}

macadam_place *serve_stops_places(serve_job *job)
{
    macadam_place *const place = serve_job_allocate(job, job->request.count, sizeof *place);
    for (size_t i = 0; place && i < job->request.count; ++i)
        place[i] = place_of(job, &job->request.coordinate[i]);
    return place;
}

bool serve_stops_passes(serve_job *job, bool **out)
{
    const serve_positions *const waypoints = &job->request.waypoints;
    const size_t count = job->request.count;
    *out = NULL;
    if (waypoints->count == 0) return true;
    bool *const passes = serve_job_allocate(job, count, sizeof *passes);
    if (!passes) return false;
    memset(passes, true, count);
    for (size_t i = 0; i < waypoints->count; ++i) passes[waypoints->at[i]] = false;
    *out = passes;
    const bool is_right = job->request.service == SERVE_ROUTE /* as OSRM looks at them */
                              ? waypoints->at[0] == 0 && waypoints->at[waypoints->count - 1] == count - 1
                              : !passes[0] && !passes[count - 1];
    return is_right ||
           serve_refuse(job, "InvalidValue", "First and last coordinates must be specified as waypoints.");
}

static double distance_of(const serve_job *job, size_t position, const macadam_snap *snap)
{
    const serve_coordinate *const coordinate = &job->request.coordinate[position];
    return is_hinted(job, coordinate)
               ? macadam_straight_line_m(coordinate->lon, coordinate->lat, snap->lon, snap->lat)
               : snap->distance_m;
}

static bool is_in_box(const macadam_info *info, double lon, double lat)
{
    return lon >= info->west && lon <= info->east && lat >= info->south && lat <= info->north;
}

const char *serve_stops_advice(const serve_job *job, size_t position)
{
    const serve_coordinate *const at = &job->request.coordinate[position];
    const macadam_info *const info = &job->map->info;
    const bool is_swapped = !is_in_box(info, at->lon, at->lat) && is_in_box(info, at->lat, at->lon);
    return is_swapped ? ": it is outside the map; longitude comes first, then latitude" : "";
}

bool serve_stops_are_near(const serve_job *job, size_t position, const macadam_snap *snap)
{
    const double radius_m = job->request.coordinate[position].radius_m;
    /* Swapped coordinates of two places are often nearest to the same corner of the map. */
    const double most_m = serve_stops_advice(job, position)[0] ? fmin(radius_m, SWAPPED_M) : radius_m;
    return macadam_place_is_found(snap->status) && distance_of(job, position, snap) <= most_m;
}

bool serve_stops_check(serve_job *job, size_t position, const macadam_snap *snap)
{
    if (snap->status == MACADAM_PLACE_INVALID)
        return serve_refuse(job, "InvalidValue", "Invalid coordinate value.");
    return serve_stops_are_near(job, position, snap) ||
           serve_refuse(job, "NoSegment", "Could not find a matching segment for coordinate %zu%s", position,
                        serve_stops_advice(job, position));
}

bool serve_stops_check_all(serve_job *job, const macadam_snap *snap)
{
    for (size_t i = 0; i < job->request.count; ++i)
        if (!serve_stops_check(job, i, &snap[i])) return false;
    return true;
}

macadam_snap *serve_stops_snap(serve_job *job, const macadam_place *place)
{
    macadam_snap *const snap = serve_job_allocate(job, job->request.count, sizeof *snap);
    const bool is_snapped = snap && serve_call(job, macadam_snap_find, snap, job->map->engine, &job->query,
                                               place, job->request.count);
    return is_snapped && serve_stops_check_all(job, snap) ? snap : NULL;
}

/* ---- Waypoint objects ---- */

enum { HINT = 1, LOCATION, NAME, DISTANCE, NODES, WAYPOINT, MATCHING, TRIP, ALTERNATIVES, STOP_MEMBERS };
static const char *const member_name[STOP_MEMBERS] = {NULL,
                                                      "\"hint\":",
                                                      "\"location\":",
                                                      "\"name\":",
                                                      "\"distance\":",
                                                      "\"nodes\":",
                                                      "\"waypoint_index\":",
                                                      "\"matchings_index\":",
                                                      "\"trips_index\":",
                                                      "\"alternatives_count\":"};

/* OSRM's order, without and with hints: clients read members by their numbers (R's osrm: 1, 2 and 5 of a trip's). */
static const uint8_t order[SERVE_STOP_KINDS][2][STOP_MEMBERS] = {
    [SERVE_WAYPOINT] = {{DISTANCE, NAME, LOCATION}, {HINT, LOCATION, NAME, DISTANCE}},
    [SERVE_NEAR_ROAD] = {{NODES, NAME, LOCATION, DISTANCE}, {NODES, HINT, LOCATION, NAME, DISTANCE}},
    [SERVE_TRACEPOINT] = {{WAYPOINT, MATCHING, NAME, ALTERNATIVES, LOCATION, DISTANCE},
                          {ALTERNATIVES, WAYPOINT, DISTANCE, NAME, LOCATION, HINT, MATCHING}},
    [SERVE_TRIP_STOP] = {{WAYPOINT, TRIP, NAME, LOCATION, DISTANCE},
                         {WAYPOINT, DISTANCE, NAME, LOCATION, HINT, TRIP}},
};

static void write_hint(serve_job *job, const serve_stop *stop)
{
    const serve_coordinate *const coordinate = &job->request.coordinate[stop->position];
    const serve_hint hint = {job->map->fingerprint, e7_of(coordinate->lon), e7_of(coordinate->lat),
                             e7_of(stop->snap->lon), e7_of(stop->snap->lat)};
    char characters[SERVE_HINT_CHARACTERS + 1];
    serve_hint_write(&hint, characters);
    mcd_text_string(&job->answer.body, characters);
}

static void write_member(serve_job *job, const serve_stop *stop, uint8_t member)
{
    mcd_text *const text = &job->answer.body;
    mcd_text_comma(text);
    mcd_text_add(text, member_name[member]);
    if (member == HINT)
        write_hint(job, stop);
    else if (member == LOCATION)
        mcd_text_position(text, stop->snap->lon, stop->snap->lat);
    else if (member == NAME)
        mcd_text_string(text, stop->snap->name);
    else if (member == DISTANCE)
        mcd_text_number(text, distance_of(job, stop->position, stop->snap), 3);
    else if (member == NODES)
        mcd_text_json(text, "[%" PRId64 ",%" PRId64 "]", stop->snap->node[0], stop->snap->node[1]);
    else if ((member == WAYPOINT || member == TRIP) && stop->waypoint == UINT32_MAX)
        mcd_text_add(text, "null");
    else
        mcd_text_integer(text, member == WAYPOINT       ? stop->waypoint
                               : member == ALTERNATIVES ? stop->alternatives
                                                        : stop->part);
}

void serve_stops_write_members(serve_job *job, const serve_stop *stop)
{
    mcd_text *const text = &job->answer.body;
    for (const uint8_t *member = order[stop->kind][job->request.generate_hints]; *member; ++member)
        write_member(job, stop, *member);
    if (stop->snap->status != MACADAM_PLACE_OK)
        mcd_text_json(text, "'status':%s", macadam_place_status_name(stop->snap->status));
    if (stop->snap->status == MACADAM_PLACE_MOVED)
        mcd_text_json(text, "'nearest_distance':%.3f", stop->snap->nearest_m);
}

void serve_stops_write(serve_job *job, const serve_stop *stop)
{
    mcd_text_json(&job->answer.body, "{");
    serve_stops_write_members(job, stop);
    mcd_text_add(&job->answer.body, "}");
}

void serve_stops_write_all(serve_job *job, const char *member, const size_t *position,
                           const macadam_snap *snap, size_t count)
{
    mcd_text_json(&job->answer.body, "%s:[", member);
    for (size_t i = 0; i < count; ++i)
        serve_stops_write(job, &(serve_stop){.position = position ? position[i] : i, .snap = &snap[i]});
    mcd_text_add(&job->answer.body, "]");
}
