/* stops.c - see stops.h. */
#include "bindings/serve/services/stops.h"

#include <math.h>

enum { SWAPPED_M = 1000 }; /* farther from a road, a coordinate whose swap is on the map is refused */
static const double least_radius_m = 1e-3; /* 0 would be as far as the query says */
static const double earth_radius_m = 6371000, per_degree = 0.017453292519943295;

static int32_t e7_of(double degrees)
{
    return (int32_t)llround(degrees * 1e7);
}

/* A hint that was made for another coordinate says nothing of this one. */
static bool is_of(const serve_coordinate *coordinate)
{
    return coordinate->is_hinted && coordinate->hint.lon_e7 == e7_of(coordinate->lon) &&
           coordinate->hint.lat_e7 == e7_of(coordinate->lat);
}

static macadam_place place_of(const serve_coordinate *coordinate)
{
    const bool is_hinted = is_of(coordinate);
    return (macadam_place){
        .kind = MACADAM_PLACE_POINT,
        .lon = is_hinted ? coordinate->hint.snapped_lon_e7 / 1e7 : coordinate->lon,
        .lat = is_hinted ? coordinate->hint.snapped_lat_e7 / 1e7 : coordinate->lat,
        .heading = coordinate->bearing,
        .heading_tolerance = coordinate->bearing_range,
        .side = coordinate->side,
        .radius_m = isinf(coordinate->radius_m) ? 0 : (float)fmax(coordinate->radius_m, least_radius_m),
    };
}

macadam_place *serve_stops_places(serve_job *job)
{
    macadam_place *const place = serve_job_allocate(job, job->request.count, sizeof *place);
    for (size_t i = 0; place && i < job->request.count; ++i) {
        const serve_coordinate *const coordinate = &job->request.coordinate[i];
        if (coordinate->is_hinted && coordinate->hint.map != job->map->fingerprint) {
            serve_refuse(job, "InvalidOptions", "Hint %zu is of another map.", i);
            return NULL;
        }
        place[i] = place_of(coordinate);
    }
    return place;
}

double serve_stops_metres(double lon_a, double lat_a, double lon_b, double lat_b)
{
    const double half_lat = sin((lat_b - lat_a) * per_degree / 2),
                 half_lon = sin((lon_b - lon_a) * per_degree / 2);
    const double h =
        half_lat * half_lat + cos(lat_a * per_degree) * cos(lat_b * per_degree) * half_lon * half_lon;
    return 2 * earth_radius_m * asin(sqrt(fmin(h, 1)));
}

static double distance_of(const serve_coordinate *coordinate, const macadam_snap *snap)
{
    return is_of(coordinate) ? serve_stops_metres(coordinate->lon, coordinate->lat, snap->lon, snap->lat)
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

bool serve_stops_check(serve_job *job, size_t position, const macadam_snap *snap)
{
    const serve_coordinate *const coordinate = &job->request.coordinate[position];
    const char *const advice = serve_stops_advice(job, position);
    if (snap->status == MACADAM_PLACE_INVALID)
        return serve_refuse(job, "InvalidValue", "Invalid coordinate value.");
    /* Swapped coordinates of two places are often nearest to the same corner of the map. */
    const double most_m = advice[0] ? fmin(coordinate->radius_m, SWAPPED_M) : coordinate->radius_m;
    if (macadam_place_is_found(snap->status) && distance_of(coordinate, snap) <= most_m) return true;
    return serve_refuse(job, "NoSegment", "Could not find a matching segment for coordinate %zu%s", position,
                        advice);
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
    const bool is_snapped =
        snap && serve_call(job, macadam_snap_places, &job->query, place, job->request.count, snap);
    return is_snapped && serve_stops_check_all(job, snap) ? snap : NULL;
}

void serve_stops_write_members(serve_job *job, size_t position, const macadam_snap *snap)
{
    const serve_coordinate *const coordinate = &job->request.coordinate[position];
    mcd_text *const text = &job->answer.body;
    if (job->request.generate_hints) {
        const serve_hint hint = {job->map->fingerprint, e7_of(coordinate->lon), e7_of(coordinate->lat),
                                 e7_of(snap->lon), e7_of(snap->lat)};
        char characters[SERVE_HINT_CHARACTERS + 1];
        serve_hint_write(&hint, characters);
        mcd_text_json(text, "'hint':%s", characters);
    }
    mcd_text_json(text, "'location':");
    mcd_text_position(text, snap->lon, snap->lat);
    mcd_text_json(text, "'name':%s,'distance':%.3f", snap->name, distance_of(coordinate, snap));
    if (snap->status != MACADAM_PLACE_OK)
        mcd_text_json(text, "'status':%s", macadam_place_status_name(snap->status));
    if (snap->status == MACADAM_PLACE_MOVED) mcd_text_json(text, "'nearest_distance':%.3f", snap->nearest_m);
}

void serve_stops_write(serve_job *job, size_t position, const macadam_snap *snap)
{
    mcd_text_json(&job->answer.body, "{");
    serve_stops_write_members(job, position, snap);
    mcd_text_add(&job->answer.body, "}");
}
