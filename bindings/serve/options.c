/* options.c - see options.h: one table of options, each with the services it belongs to. As OSRM does, a text that
 * does not parse is InvalidQuery with the place where it fails; values that contradict each other are InvalidOptions. */
#include "bindings/serve/options.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUTE = 1 << SERVE_ROUTE,
    NEAREST = 1 << SERVE_NEAREST,
    TABLE = 1 << SERVE_TABLE,
    MATCH = 1 << SERVE_MATCH,
    TRIP = 1 << SERVE_TRIP,
    ISOCHRONE = 1 << SERVE_ISOCHRONE,
    REACH = 1 << SERVE_REACH,
    TREE = 1 << SERVE_TREE,
    PATHS = ROUTE | MATCH | TRIP,
    AREAS = ISOCHRONE | REACH | TREE,
    ALL = PATHS | NEAREST | TABLE | AREAS,
    FIRST_COORDINATES = 16,
};

/* Each reader of an option returns READ; MALFORMED if the scan stands where the text is wrong; or FAILED, and then
 * the answer is made. */
typedef enum reading { READ, MALFORMED, FAILED } reading;

typedef struct option_context {
    serve_request *request;
    serve_scan *scan;
    serve_answer *answer;
} option_context;

#define COUNT(array) (sizeof(array) / sizeof *(array))

static reading fail_options(option_context *context, const char *message)
{
    serve_answer_fail(context->answer, 400, "InvalidOptions", "%s", message);
    return FAILED;
}

/* ---- coordinates ---- */

static bool add_coordinate(serve_request *request, double lon, double lat)
{
    if ((request->count & (request->count - 1)) == 0 &&
        (request->count == 0 || request->count >= FIRST_COORDINATES)) {
        const size_t capacity = request->count ? 2 * request->count : FIRST_COORDINATES;
        serve_coordinate *const moved = reallocarray(request->coordinate, capacity, sizeof *moved);
        if (!moved) return false;
        request->coordinate = moved;
    }
    request->coordinate[request->count++] = (serve_coordinate){.lon = lon, .lat = lat, .radius_m = INFINITY};
    return true;
}

static bool scan_delta(serve_scan *scan, int64_t *sum)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 60 && scan->at < scan->size; shift += 5) {
        const int five = (unsigned char)scan->text[scan->at] - 63;
        if (five < 0 || five > 63) return false;
        ++scan->at;
        value |= (uint64_t)(five & 31) << shift;
        if (five & 32) continue;
        *sum += value & 1 ? ~(int64_t)(value >> 1) : (int64_t)(value >> 1);
        return true;
    }
    return false;
}

static reading read_polyline(option_context *context, double scale)
{
    int64_t lon = 0, lat = 0;
    do {
        if (!scan_delta(context->scan, &lat) || !scan_delta(context->scan, &lon)) return MALFORMED;
        if (!add_coordinate(context->request, (double)lon / scale, (double)lat / scale))
            return fail_options(context, "There is not enough memory for the coordinates.");
    } while (!serve_scan_word(context->scan, ")"));
    return READ;
}

static reading read_coordinates(option_context *context)
{
    double lon, lat;
    if (serve_scan_word(context->scan, "polyline6(")) return read_polyline(context, 1e6);
    if (serve_scan_word(context->scan, "polyline(")) return read_polyline(context, 1e5);
    do {
        if (!serve_scan_decimal(context->scan, &lon) || !serve_scan_word(context->scan, ",") ||
            !serve_scan_decimal(context->scan, &lat))
            return MALFORMED;
        if (!add_coordinate(context->request, lon, lat))
            return fail_options(context, "There is not enough memory for the coordinates.");
    } while (serve_scan_word(context->scan, ";"));
    return READ;
}

static reading read_tile(option_context *context)
{
    serve_request *const request = context->request;
    serve_scan *const scan = context->scan;
    return serve_scan_word(scan, "tile(") && serve_scan_unsigned(scan, UINT32_MAX, &request->x) &&
                   serve_scan_word(scan, ",") && serve_scan_unsigned(scan, UINT32_MAX, &request->y) &&
                   serve_scan_word(scan, ",") && serve_scan_unsigned(scan, UINT32_MAX, &request->zoom) &&
                   serve_scan_word(scan, ")")
               ? READ
               : MALFORMED;
}

/* ---- one value a coordinate ---- */

static bool ends_element(const serve_scan *scan)
{
    return serve_scan_is_done(scan) || scan->text[scan->at] == ';' || scan->text[scan->at] == '&';
}

/* Reads elements between semicolons, of which empty ones say nothing. */
static reading read_elements(option_context *context, const char *name,
                             reading (*read)(option_context *, serve_coordinate *))
{
    serve_request *const request = context->request;
    serve_coordinate ignored;
    size_t count = 0;
    do {
        serve_coordinate *const coordinate = count < request->count ? &request->coordinate[count] : &ignored;
        ++count;
        const reading result = ends_element(context->scan) ? READ : read(context, coordinate);
        if (result != READ) return result;
    } while (serve_scan_word(context->scan, ";"));
    if (count == request->count) return READ;
    serve_answer_fail(context->answer, 400, "InvalidOptions",
                      "Number of elements in %s size %zu does not match coordinate size %zu", name, count,
                      request->count);
    return FAILED;
}

static reading read_bearing(option_context *context, serve_coordinate *coordinate)
{
    uint64_t bearing, range;
    if (!serve_scan_unsigned(context->scan, UINT16_MAX, &bearing) || !serve_scan_word(context->scan, ",") ||
        !serve_scan_unsigned(context->scan, UINT16_MAX, &range))
        return MALFORMED;
    if (bearing > 360 || range > 180)
        return fail_options(context, "A bearing is 0 to 360 degrees, its range 0 to 180.");
    coordinate->bearing = (double)bearing;
    coordinate->bearing_range =
        range > 0 ? (double)range : 0.5; /* whole degrees: 0 would mean any direction */
    return READ;
}

static reading take_bearings(option_context *context)
{
    return read_elements(context, "bearings", read_bearing);
}

static reading read_radius(option_context *context, serve_coordinate *coordinate)
{
    double radius;
    if (serve_scan_word(context->scan, "unlimited")) return READ;
    if (!serve_scan_decimal(context->scan, &radius)) return MALFORMED;
    coordinate->radius_m = radius < 0 ? INFINITY : radius; /* as OSRM takes -1 */
    return READ;
}

static reading take_radiuses(option_context *context)
{
    return read_elements(context, "radiuses", read_radius);
}

static reading read_hint(option_context *context, serve_coordinate *coordinate)
{
    const char *text;
    size_t size;
    serve_scan trial = *context->scan;
    if (!serve_scan_until(&trial, ";&", &text, &size) || !serve_hint_read(&coordinate->hint, text, size))
        return MALFORMED;
    *context->scan = trial;
    coordinate->is_hinted = true;
    return READ;
}

static reading take_hints(option_context *context)
{
    return read_elements(context, "hints", read_hint);
}

static reading read_approach(option_context *context, serve_coordinate *coordinate)
{
    static const char *const name[] = {"unrestricted", "curb", "opposite"}; /* as macadam_side counts them */
    size_t index;
    if (!serve_scan_one_of(context->scan, name, COUNT(name), &index)) return MALFORMED;
    coordinate->side = (macadam_side)index;
    return READ;
}

static reading read_timestamp(option_context *context, serve_coordinate *coordinate)
{
    return serve_scan_decimal(context->scan, &coordinate->time_s) ? READ : MALFORMED;
}

static reading take_timestamps(option_context *context)
{
    context->request->timed = true;
    return read_elements(context, "timestamps", read_timestamp);
}

static reading take_approaches(option_context *context)
{
    return read_elements(context, "approaches", read_approach);
}

/* ---- numbers of coordinates ---- */

static reading read_positions(option_context *context, serve_positions *positions, const char *name)
{
    serve_request *const request = context->request;
    const size_t begin = context->scan->at;
    size_t capacity = 1;
    if (serve_scan_word(context->scan, "all")) return READ;
    for (size_t i = begin; i < context->scan->size && context->scan->text[i] != '&'; ++i)
        capacity += context->scan->text[i] == ';';
    free(positions->at);
    positions->count = 0;
    positions->at = reallocarray(NULL, capacity, sizeof *positions->at);
    if (!positions->at) return fail_options(context, "There is not enough memory for the option.");
    do {
        uint64_t index;
        if (!serve_scan_unsigned(context->scan, SIZE_MAX / 2, &index)) return MALFORMED;
        if (index >= request->count) {
            serve_answer_fail(context->answer, 400, "InvalidOptions",
                              "%s has the index %llu, but there are %zu coordinates", name,
                              (unsigned long long)index, request->count);
            return FAILED;
        }
        positions->at[positions->count++] = (size_t)index;
    } while (serve_scan_word(context->scan, ";"));
    return READ;
}

static reading take_sources(option_context *context)
{
    return read_positions(context, &context->request->sources, "sources");
}

static reading take_destinations(option_context *context)
{
    return read_positions(context, &context->request->destinations, "destinations");
}

static reading take_waypoints(option_context *context)
{
    return read_positions(context, &context->request->waypoints, "waypoints");
}

/* ---- single values ---- */

static reading take_bool(option_context *context, bool *out)
{
    return serve_scan_bool(context->scan, out) ? READ : MALFORMED;
}

static reading take_alternatives(option_context *context)
{
    bool any;
    if (serve_scan_bool(context->scan, &any)) {
        context->request->alternatives = any;
        return READ;
    }
    return serve_scan_unsigned(context->scan, UINT32_MAX, &context->request->alternatives) ? READ : MALFORMED;
}

static reading take_continue_straight(option_context *context)
{
    if (serve_scan_word(context->scan, "default")) return READ;
    context->request->straight_given = true;
    return take_bool(context, &context->request->straight);
}

static reading take_annotations(option_context *context)
{
    static const char *const name[] = {"duration", "distance", "weight", "speed", "datasources", "nodes"};
    const size_t known = context->request->service == SERVE_TABLE ? 2 : COUNT(name);
    bool all;
    size_t index;
    context->request->annotations = 0;
    if (context->request->service != SERVE_TABLE && serve_scan_bool(context->scan, &all)) {
        if (all) context->request->annotations = SERVE_ALL | (SERVE_ALL - 1);
        return READ;
    }
    do {
        if (!serve_scan_one_of(context->scan, name, known, &index)) return MALFORMED;
        context->request->annotations |= 1u << index;
    } while (serve_scan_word(context->scan, ","));
    if (context->request->annotations & SERVE_DATASOURCES) context->request->annotations |= SERVE_METADATA;
    return READ;
}

static uint32_t flag_of(const char *name, size_t size)
{
    for (uint32_t flag = 1; flag > 0 && macadam_road_flag_name((macadam_road_flag)flag); flag <<= 1) {
        const char *const known = macadam_road_flag_name((macadam_road_flag)flag);
        if (strlen(known) == size && memcmp(known, name, size) == 0) return flag;
    }
    return 0;
}

static reading take_exclude(option_context *context)
{
    const char *name;
    size_t size;
    do {
        if (!serve_scan_until(context->scan, ",&", &name, &size)) return MALFORMED;
        const uint32_t flag = flag_of(name, size);
        context->request->avoided |= flag;
        if (flag > 0) continue;
        serve_answer_fail(context->answer, 400, "InvalidValue", "Exclude flag combination is not supported.");
        return FAILED;
    } while (serve_scan_word(context->scan, ","));
    return READ;
}

/* "Mo08:15" */
static bool is_departure(const char *text, size_t size)
{
    static const char days[] = "MoTuWeThFrSaSu", shape[] = "Mo00:00";
    size_t day = 0;
    if (size != sizeof shape - 1) return false;
    while (day < sizeof days - 1 && memcmp(days + day, text, 2) != 0) day += 2;
    for (size_t i = 2; i < size; ++i)
        if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
    return day < sizeof days - 1 && memcmp(text + 2, "23", 2) <= 0 && text[5] <= '5';
}

static reading take_departure(option_context *context)
{
    const char *text;
    size_t size;
    serve_scan trial = *context->scan;
    if (!serve_scan_until(&trial, "&", &text, &size) || !is_departure(text, size)) return MALFORMED;
    *context->scan = trial;
    memcpy(context->request->departure, text, size);
    context->request->departure[size] = '\0';
    return READ;
}

static reading take_language(option_context *context)
{
    const char *text;
    size_t size;
    serve_scan trial = *context->scan;
    if (!serve_scan_until(&trial, "&", &text, &size) || size >= SERVE_LANGUAGE_BYTES) return MALFORMED;
    for (size_t i = 0; macadam_language_name(i); ++i) {
        if (strlen(macadam_language_name(i)) != size || memcmp(text, macadam_language_name(i), size) != 0)
            continue;
        memcpy(context->request->language, text, size);
        *context->scan = trial;
        return READ;
    }
    return MALFORMED;
}

static reading take_number(option_context *context)
{
    if (!serve_scan_unsigned(context->scan, UINT32_MAX, &context->request->number)) return MALFORMED;
    return context->request->number > 0 ? READ : fail_options(context, "number must be at least 1");
}

static reading take_positive(option_context *context, double *out, const char *message)
{
    if (!serve_scan_decimal(context->scan, out)) return MALFORMED;
    return *out > 0 ? READ : fail_options(context, message);
}

static reading take_fallback_speed(option_context *context)
{
    return take_positive(context, &context->request->fallback_speed, "fallback_speed must be > 0");
}

static reading take_scale_factor(option_context *context)
{
    return take_positive(context, &context->request->scale_factor, "scale_factor must be > 0");
}

static reading take_limits(option_context *context)
{
    serve_request *const request = context->request;
    request->limit_count = 0;
    do {
        double limit;
        if (!serve_scan_decimal(context->scan, &limit)) return MALFORMED;
        if (limit < 0) return fail_options(context, "A limit must be at least 0.");
        if (request->limit_count == MACADAM_REACH_LIMITS_MAX)
            return fail_options(context, "There are too many limits.");
        request->limit[request->limit_count++] = limit;
    } while (serve_scan_word(context->scan, ",") || serve_scan_word(context->scan, ";"));
    return READ;
}

/* Polygons between semicolons: lon,lat,lon,lat,... */
static reading take_exclude_polygons(option_context *context)
{
    serve_request *const request = context->request;
    serve_scan *const scan = context->scan;
    size_t numbers = 1, polygons = 1;
    for (size_t i = scan->at; i < scan->size && scan->text[i] != '&'; ++i) {
        numbers += scan->text[i] == ',' || scan->text[i] == ';';
        polygons += scan->text[i] == ';';
    }
    free(request->corner);
    free(request->area);
    request->corner = reallocarray(NULL, 2 * numbers, sizeof *request->corner);
    request->area = calloc(polygons, sizeof *request->area);
    request->area_count = 0;
    if (!request->corner || !request->area)
        return fail_options(context, "There is not enough memory for the polygons.");
    double *lon = request->corner, *lat = lon + numbers;
    do {
        macadam_area *const area = &request->area[request->area_count++];
        *area = (macadam_area){.lon = lon, .lat = lat};
        do {
            if (!serve_scan_decimal(scan, lon++) || !serve_scan_word(scan, ",") ||
                !serve_scan_decimal(scan, lat++))
                return MALFORMED;
            ++area->point_count;
        } while (serve_scan_word(scan, ","));
        if (area->point_count < 3) return fail_options(context, "A polygon has at least three corners.");
    } while (serve_scan_word(scan, ";"));
    return READ;
}

static reading take_contours_minutes(option_context *context)
{
    const reading result = take_limits(context);
    for (size_t i = 0; i < context->request->limit_count; ++i) context->request->limit[i] *= 60;
    return result;
}

static reading take_contours_meters(option_context *context)
{
    context->request->limits_metres = true;
    return take_limits(context);
}

/* ---- the table ---- */

#define BYTE(field) offsetof(serve_request, field)

static const struct {
    const char *name;
    unsigned services;
    size_t byte;                              /* where in serve_request, if the value is one of some words */
    const char *word[4];                      /* for 0 (or false), 1 (or true), ... */
    reading (*take)(option_context *context); /* otherwise */
} table[] = {
    {"alternatives", ROUTE, 0, {0}, take_alternatives},
    {"annotations", PATHS | TABLE, 0, {0}, take_annotations},
    {"approaches", ALL, 0, {0}, take_approaches},
    {"bearings", ALL, 0, {0}, take_bearings},
    {"contours_meters", ISOCHRONE | REACH, 0, {0}, take_contours_meters},
    {"contours_minutes", ISOCHRONE | REACH, 0, {0}, take_contours_minutes},
    {"continue_straight", ROUTE, 0, {0}, take_continue_straight},
    {"departure", ALL, 0, {0}, take_departure},
    {"destination", TRIP, BYTE(to_last), {"any", "last"}, NULL},
    {"destinations", TABLE, 0, {0}, take_destinations},
    {"disjoint", ISOCHRONE, BYTE(disjoint), {"false", "true"}, NULL},
    {"exclude", ALL, 0, {0}, take_exclude},
    {"exclude_polygons", ALL, 0, {0}, take_exclude_polygons},
    {"fallback_coordinate", TABLE, BYTE(fallback_snapped), {"input", "snapped"}, NULL},
    {"fallback_speed", TABLE, 0, {0}, take_fallback_speed},
    {"format", TABLE, BYTE(format), {"json", "npy", "bin", "arrow"}, NULL},
    {"format", TREE, BYTE(format), {"json", "npy", "bin"}, NULL},
    {"gaps", MATCH, BYTE(ignores_gaps), {"split", "ignore"}, NULL},
    {"generate_hints", ALL, BYTE(generate_hints), {"false", "true"}, NULL},
    {"geometries", PATHS, BYTE(geometries), {"polyline", "polyline6", "geojson"}, NULL},
    {"hints", ALL, 0, {0}, take_hints},
    {"language", PATHS, 0, {0}, take_language},
    {"number", NEAREST, 0, {0}, take_number},
    {"overview", PATHS, BYTE(overview), {"simplified", "full", "false"}, NULL},
    {"polygons", ISOCHRONE, BYTE(polygons), {"false", "true"}, NULL},
    {"radiuses", ALL, 0, {0}, take_radiuses},
    {"reverse", AREAS, BYTE(reverse), {"false", "true"}, NULL},
    {"roundtrip", TRIP, BYTE(returns), {"false", "true"}, NULL},
    {"scale_factor", TABLE, 0, {0}, take_scale_factor},
    {"skip_waypoints", ALL, BYTE(skip_waypoints), {"false", "true"}, NULL},
    {"snapping", ALL, BYTE(snap_any), {"default", "any"}, NULL},
    {"source", TRIP, BYTE(from_first), {"any", "first"}, NULL},
    {"sources", TABLE, 0, {0}, take_sources},
    {"steps", PATHS, BYTE(steps), {"false", "true"}, NULL},
    {"tidy", MATCH, BYTE(tidy), {"false", "true"}, NULL},
    {"timestamps", MATCH, 0, {0}, take_timestamps},
    {"waypoints", ROUTE | MATCH, 0, {0}, take_waypoints},
};

static reading read_option(option_context *context)
{
    serve_scan trial = *context->scan;
    for (size_t i = 0; i < COUNT(table); ++i) {
        if (!(table[i].services & 1u << context->request->service)) continue;
        if (!serve_scan_word(&trial, table[i].name)) continue;
        if (!serve_scan_word(&trial, "=")) {
            trial = *context->scan; /* a longer name may begin with this one */
            continue;
        }
        *context->scan = trial;
        if (table[i].take) return table[i].take(context);
        size_t word = 0, words = 0;
        while (words < COUNT(table[i].word) && table[i].word[words]) ++words;
        const bool is_read = serve_scan_one_of(context->scan, table[i].word, words, &word);
        ((unsigned char *)context->request)[table[i].byte] = (unsigned char)word;
        return is_read ? READ : MALFORMED;
    }
    return MALFORMED;
}

static reading read_all(option_context *context)
{
    serve_scan *const scan = context->scan;
    const bool is_tile = context->request->service == SERVE_TILE;
    reading result = is_tile ? read_tile(context) : read_coordinates(context);
    if (result != READ) return result;
    if (is_tile)
        serve_scan_word(scan, ".mvt");
    else if (serve_scan_word(scan, ".npy"))
        context->request->format = SERVE_NPY;
    else if (serve_scan_word(scan, ".bin"))
        context->request->format = SERVE_BINARY;
    else if (context->request->service == SERVE_TABLE && serve_scan_word(scan, ".arrow"))
        context->request->format = SERVE_ARROW;
    else
        serve_scan_word(scan, ".json");
    if (serve_scan_is_done(scan)) return READ;
    if (!serve_scan_word(scan, "?")) return MALFORMED;
    result = read_option(context);
    while (result == READ && !serve_scan_is_done(scan)) {
        serve_scan before = *scan;
        if (!serve_scan_word(scan, "&")) return MALFORMED;
        const size_t begin = scan->at;
        result = read_option(context);
        if (result == MALFORMED && scan->at == begin) *scan = before; /* no such option: OSRM names the & */
    }
    return result;
}

bool serve_options_read(serve_request *request, serve_scan *scan, serve_answer *answer)
{
    option_context context = {request, scan, answer};
    const reading result = read_all(&context);
    if (result == MALFORMED)
        serve_answer_fail(answer, 400, "InvalidQuery", "Query string malformed close to position %zu",
                          scan->at);
    return result == READ;
}
