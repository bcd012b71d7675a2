/* options.c - see options.h: one table of options, each with the services it belongs to. As OSRM does, a text that
 * does not parse is InvalidQuery with the place where it fails; values that contradict each other are InvalidOptions. */
#include "bindings/serve/options.h"
#include "bindings/serve/map.h"

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

/* Each reader of an option returns whether it is read. If not, either the answer is made, or the text is wrong where the
 * scan stands. */
typedef struct option_context {
    serve_request *request;
    mcd_scan *scan;
    serve_answer *answer;
} option_context;

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool fail_options(option_context *context, const char *message)
{
    return serve_answer_fail(context->answer, 400, "InvalidOptions", "%s", message);
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

static bool scan_delta(mcd_scan *scan, int64_t *sum)
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

static bool read_polyline(option_context *context, double scale)
{
    int64_t lon = 0, lat = 0;
    do {
        if (!scan_delta(context->scan, &lat) || !scan_delta(context->scan, &lon)) return false;
        if (!add_coordinate(context->request, (double)lon / scale, (double)lat / scale))
            return fail_options(context, "There is not enough memory for the coordinates.");
    } while (!mcd_scan_word(context->scan, ")"));
    return true;
}

static bool read_coordinates(option_context *context)
{
    double lon, lat;
    if (mcd_scan_word(context->scan, "polyline6(")) return read_polyline(context, 1e6);
    if (mcd_scan_word(context->scan, "polyline(")) return read_polyline(context, 1e5);
    do {
        if (!mcd_scan_decimal(context->scan, &lon) || !mcd_scan_word(context->scan, ",") ||
            !mcd_scan_decimal(context->scan, &lat))
            return false;
        if (!add_coordinate(context->request, lon, lat))
            return fail_options(context, "There is not enough memory for the coordinates.");
    } while (mcd_scan_word(context->scan, ";"));
    return true;
}

static bool read_tile(option_context *context)
{
    serve_request *const request = context->request;
    mcd_scan *const scan = context->scan;
    return mcd_scan_word(scan, "tile(") && mcd_scan_unsigned(scan, UINT32_MAX, &request->x) &&
           mcd_scan_word(scan, ",") && mcd_scan_unsigned(scan, UINT32_MAX, &request->y) &&
           mcd_scan_word(scan, ",") && mcd_scan_unsigned(scan, UINT32_MAX, &request->zoom) &&
           mcd_scan_word(scan, ")");
}

/* ---- one value a coordinate ---- */

static bool ends_element(const mcd_scan *scan)
{
    return mcd_scan_is_done(scan) || scan->text[scan->at] == ';' || scan->text[scan->at] == '&';
}

/* Reads elements between semicolons, of which empty ones say nothing. */
static bool read_elements(option_context *context, const char *name,
                          bool (*read)(option_context *, serve_coordinate *))
{
    serve_request *const request = context->request;
    serve_coordinate ignored;
    size_t count = 0;
    do {
        serve_coordinate *const coordinate = count < request->count ? &request->coordinate[count] : &ignored;
        ++count;
        if (!ends_element(context->scan) && !read(context, coordinate)) return false;
    } while (mcd_scan_word(context->scan, ";"));
    if (count == request->count) return true;
    return serve_answer_fail(context->answer, 400, "InvalidOptions",
                             "Number of elements in %s size %zu does not match coordinate size %zu", name,
                             count, request->count);
}

static bool read_bearing(option_context *context, serve_coordinate *coordinate)
{
    uint64_t bearing, range;
    if (!mcd_scan_unsigned(context->scan, UINT16_MAX, &bearing) || !mcd_scan_word(context->scan, ",") ||
        !mcd_scan_unsigned(context->scan, UINT16_MAX, &range))
        return false;
    if (bearing > 360 || range > 180)
        return fail_options(context, "A bearing is 0 to 360 degrees, its range 0 to 180.");
    coordinate->bearing = (double)bearing;
    coordinate->bearing_range =
        range > 0 ? (double)range : 0.5; /* whole degrees: 0 would mean any direction */
    return true;
}

static bool read_radius(option_context *context, serve_coordinate *coordinate)
{
    double radius;
    if (mcd_scan_word(context->scan, "unlimited")) return true;
    if (!mcd_scan_decimal(context->scan, &radius)) return false;
    coordinate->radius_m = radius < 0 ? INFINITY : radius; /* as OSRM takes -1 */
    return true;
}

static bool read_hint(option_context *context, serve_coordinate *coordinate)
{
    const char *text;
    size_t size;
    mcd_scan trial = *context->scan;
    if (!mcd_scan_until(&trial, ";&", &text, &size) || !serve_hint_read(&coordinate->hint, text, size))
        return false;
    *context->scan = trial;
    coordinate->is_hinted = true;
    return true;
}

static bool read_approach(option_context *context, serve_coordinate *coordinate)
{
    static const char *const name[] = {"unrestricted", "curb", "opposite"}; /* as macadam_side counts them */
    size_t index;
    if (!mcd_scan_one_of(context->scan, name, COUNT(name), &index)) return false;
    coordinate->side = (macadam_side)index;
    return true;
}

static bool read_timestamp(option_context *context, serve_coordinate *coordinate)
{
    return mcd_scan_decimal(context->scan, &coordinate->time_s);
}

/* ---- numbers of coordinates ---- */

static bool read_positions(option_context *context, serve_positions *positions, const char *name)
{
    serve_request *const request = context->request;
    const size_t begin = context->scan->at;
    size_t capacity = 1;
    if (mcd_scan_word(context->scan, "all")) return true;
    for (size_t i = begin; i < context->scan->size && context->scan->text[i] != '&'; ++i)
        capacity += context->scan->text[i] == ';';
    free(positions->at);
    positions->count = 0;
    positions->at = reallocarray(NULL, capacity, sizeof *positions->at);
    if (!positions->at) return fail_options(context, "There is not enough memory for the option.");
    do {
        uint64_t index;
        if (!mcd_scan_unsigned(context->scan, SIZE_MAX / 2, &index)) return false;
        if (index >= request->count) {
            return serve_answer_fail(context->answer, 400, "InvalidOptions",
                                     "%s has the index %llu, but there are %zu coordinates", name,
                                     (unsigned long long)index, request->count);
        }
        positions->at[positions->count++] = (size_t)index;
    } while (mcd_scan_word(context->scan, ";"));
    return true;
}

/* ---- single values ---- */

static bool take_alternatives(option_context *context)
{
    bool any;
    if (mcd_scan_bool(context->scan, &any)) {
        context->request->alternatives = any;
        return true;
    }
    return mcd_scan_unsigned(context->scan, UINT32_MAX, &context->request->alternatives);
}

static bool take_continue_straight(option_context *context)
{
    if (mcd_scan_word(context->scan, "default")) return true;
    context->request->straight_given = true;
    return mcd_scan_bool(context->scan, &context->request->straight);
}

static bool take_annotations(option_context *context)
{
    static const char *const name[] = {"duration", "distance", "weight", "speed", "datasources", "nodes"};
    static const char *const of_table[] = {"duration", "distance", "energy"};
    const bool is_table = context->request->service == SERVE_TABLE;
    bool all;
    size_t index;
    context->request->annotations = 0;
    if (!is_table && mcd_scan_bool(context->scan, &all)) {
        if (all) context->request->annotations = SERVE_ALL | (SERVE_ALL - 1);
        return true;
    }
    do {
        if (!mcd_scan_one_of(context->scan, is_table ? of_table : name,
                             is_table ? COUNT(of_table) : COUNT(name), &index))
            return false;
        context->request->annotations |= 1u << index;
    } while (mcd_scan_word(context->scan, ","));
    if (context->request->annotations & SERVE_DATASOURCES) context->request->annotations |= SERVE_METADATA;
    return true;
}

static uint32_t flag_of(const char *name, size_t size)
{
    for (uint32_t flag = 1; flag > 0 && macadam_road_flag_name((macadam_road_flag)flag); flag <<= 1) {
        const char *const known = macadam_road_flag_name((macadam_road_flag)flag);
        if (strlen(known) == size && memcmp(known, name, size) == 0) return flag;
    }
    return 0;
}

static bool take_exclude(option_context *context)
{
    const char *name;
    size_t size;
    do {
        if (!mcd_scan_until(context->scan, ",&", &name, &size)) return false;
        const uint32_t flag = flag_of(name, size);
        context->request->conditions.avoid |= flag;
        if (flag > 0) continue;
        return serve_answer_fail(context->answer, 400, "InvalidValue",
                                 "Exclude flag combination is not supported.");
    } while (mcd_scan_word(context->scan, ","));
    return true;
}

/* "Mo08:15" */
static bool is_departure(const char *text)
{
    static const char days[] = "MoTuWeThFrSaSu", shape[] = "Mo00:00";
    size_t day = 0;
    if (strlen(text) != sizeof shape - 1) return false;
    while (day < sizeof days - 1 && memcmp(days + day, text, 2) != 0) day += 2;
    for (size_t i = 2; i < sizeof shape - 1; ++i)
        if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
    return day < sizeof days - 1 && memcmp(text + 2, "23", 2) <= 0 && text[5] <= '5';
}

static bool is_language(const char *text)
{
    size_t i = 0;
    while (macadam_language_name(i) && strcmp(macadam_language_name(i), text) != 0) ++i;
    return macadam_language_name(i) != NULL;
}

static bool read_text(option_context *context, char out[SERVE_TEXT_BYTES], bool (*is_right)(const char *))
{
    const char *text;
    size_t size;
    mcd_scan trial = *context->scan;
    if (!mcd_scan_until(&trial, "&", &text, &size) || size >= SERVE_TEXT_BYTES) return false;
    memcpy(out, text, size);
    out[size] = '\0';
    if (!is_right(out)) return false;
    *context->scan = trial;
    return true;
}

static bool take_number(option_context *context)
{
    if (!mcd_scan_unsigned(context->scan, UINT32_MAX, &context->request->number)) return false;
    return context->request->number > 0 || fail_options(context, "number must be at least 1");
}

static bool read_positive(option_context *context, double *out, const char *name)
{
    if (!mcd_scan_decimal(context->scan, out)) return false;
    if (*out > 0) return true;
    return serve_answer_fail(context->answer, 400, "InvalidOptions", "%s must be > 0", name);
}

static bool take_limits(option_context *context)
{
    serve_request *const request = context->request;
    if (request->limit_count > 0) return fail_options(context, "The limits are given twice.");
    do {
        double limit;
        if (!mcd_scan_decimal(context->scan, &limit)) return false;
        if (limit < 0) return fail_options(context, "A limit must be at least 0.");
        if (request->limit_count == MACADAM_REACH_LIMITS_MAX)
            return fail_options(context, "There are too many limits.");
        request->limit[request->limit_count++] = limit;
    } while (mcd_scan_word(context->scan, ",") || mcd_scan_word(context->scan, ";"));
    return true;
}

/* Polygons between semicolons: lon,lat,lon,lat,... */
static bool take_exclude_polygons(option_context *context)
{
    serve_request *const request = context->request;
    mcd_scan *const scan = context->scan;
    size_t numbers = 1, polygons = 1;
    for (size_t i = scan->at; i < scan->size && scan->text[i] != '&'; ++i) {
        numbers += scan->text[i] == ',' || scan->text[i] == ';';
        polygons += scan->text[i] == ';';
    }
    free(request->corner);
    free(request->area);
    request->corner = reallocarray(NULL, 2 * numbers, sizeof *request->corner);
    request->area = calloc(polygons, sizeof *request->area);
    request->conditions.area = request->area, request->conditions.area_count = 0;
    if (!request->corner || !request->area)
        return fail_options(context, "There is not enough memory for the polygons.");
    double *lon = request->corner, *lat = lon + numbers;
    do {
        macadam_area *const area = &request->area[request->conditions.area_count++];
        *area = (macadam_area){.lon = lon, .lat = lat};
        do {
            if (!mcd_scan_decimal(scan, lon++) || !mcd_scan_word(scan, ",") || !mcd_scan_decimal(scan, lat++))
                return false;
            ++area->point_count;
        } while (mcd_scan_word(scan, ","));
        if (area->point_count < 3) return fail_options(context, "A polygon has at least three corners.");
    } while (mcd_scan_word(scan, ";"));
    return true;
}

static bool take_contours_minutes(option_context *context)
{
    const bool result = take_limits(context);
    for (size_t i = 0; i < context->request->limit_count; ++i) context->request->limit[i] *= 60;
    return result;
}

static bool take_contours_meters(option_context *context)
{
    context->request->limited = 1;
    return take_limits(context);
}

static bool take_contours_wh(option_context *context)
{
    context->request->limited = SERVE_ENERGY_KIND;
    return take_limits(context);
}

/* ---- the table ---- */

/* How the value of an option is read; where a member of serve_request is named, into that. */
typedef enum kind { TAKEN, WORD, ELEMENTS, POSITIONS, POSITIVE, TEXT } kind;

typedef struct serve_option {
    const char *name;
    unsigned services;
    kind kind;
    size_t at;           /* the member; of ELEMENTS: a bool that says that they are given */
    const char *word[4]; /* for 0 (or false), 1 (or true), ... */
    bool (*take)(option_context *context);
    bool (*element)(option_context *context, serve_coordinate *coordinate);
    bool (*is_right)(const char *text);
} serve_option;

#define TO(a_kind, member) .kind = a_kind, .at = offsetof(serve_request, member)
#define FLAG(member)       TO(WORD, member), .word = {"false", "true"}

static const serve_option table[] = {
    {"alternatives", ROUTE, .take = take_alternatives},
    {"annotations", PATHS | TABLE, .take = take_annotations},
    {"approaches", ALL, ELEMENTS, .element = read_approach},
    {"bearings", ALL, ELEMENTS, .element = read_bearing},
    {"contours_meters", ISOCHRONE | REACH, .take = take_contours_meters},
    {"contours_minutes", ISOCHRONE | REACH, .take = take_contours_minutes},
    {"contours_wh", ISOCHRONE | REACH, .take = take_contours_wh},
    {"continue_straight", ROUTE, .take = take_continue_straight},
    {"departure", ALL, TO(TEXT, departure), .is_right = is_departure},
    {"destination", TRIP, TO(WORD, to_last), {"any", "last"}},
    {"destinations", TABLE, TO(POSITIONS, destinations)},
    {"disjoint", ISOCHRONE, FLAG(disjoint)},
    {"exclude", ALL, .take = take_exclude},
    {"exclude_polygons", ALL, .take = take_exclude_polygons},
    {"fallback_coordinate", TABLE, TO(WORD, fallback_snapped), {"input", "snapped"}},
    {"fallback_speed", TABLE, TO(POSITIVE, fallback_speed)},
    {"format", TABLE, TO(WORD, format), {"json", "npy", "bin", "arrow"}},
    {"format", TREE, TO(WORD, format), {"json", "npy", "bin"}},
    {"gaps", MATCH, TO(WORD, ignores_gaps), {"split", "ignore"}},
    {"generate_hints", ALL, FLAG(generate_hints)},
    {"geometries", PATHS, TO(WORD, geometries), {"polyline", "polyline6", "geojson"}},
    {"hints", ALL, ELEMENTS, .element = read_hint},
    {"language", PATHS, TO(TEXT, language), .is_right = is_language},
    {"metric", PATHS, TO(WORD, by_energy), {"duration", "energy"}},
    {"number", NEAREST, .take = take_number},
    {"overview", PATHS, TO(WORD, overview), {"simplified", "full", "false"}},
    {"polygons", ISOCHRONE, FLAG(polygons)},
    {"radiuses", ALL, ELEMENTS, .element = read_radius},
    {"reverse", AREAS, FLAG(reverse)},
    {"roundtrip", TRIP, FLAG(returns)},
    {"scale_factor", TABLE, TO(POSITIVE, scale_factor)},
    {"skip_waypoints", ALL, FLAG(skip_waypoints)},
    {"snapping", ALL, TO(WORD, snap_any), {"default", "any"}},
    {"source", TRIP, TO(WORD, from_first), {"any", "first"}},
    {"sources", TABLE, TO(POSITIONS, sources)},
    {"steps", PATHS, FLAG(steps)},
    {"tidy", MATCH, FLAG(tidy)},
    {"timestamps", MATCH, TO(ELEMENTS, timed), .element = read_timestamp},
    {"waypoints", ROUTE | MATCH, TO(POSITIONS, waypoints)},
};

static bool read_word(option_context *context, const serve_option *option, unsigned char *out)
{
    size_t word = 0, words = 0;
    while (words < COUNT(option->word) && option->word[words]) ++words;
    if (!mcd_scan_one_of(context->scan, option->word, words, &word)) return false;
    *out = (unsigned char)word;
    return true;
}

static bool read_value(option_context *context, const serve_option *option)
{
    void *const at = (char *)context->request + option->at;
    switch (option->kind) {
    case TAKEN:
        return option->take(context);
    case WORD:
        return read_word(context, option, at);
    case ELEMENTS:
        if (option->at) *(bool *)at = true;
        return read_elements(context, option->name, option->element);
    case POSITIONS:
        return read_positions(context, at, option->name);
    case POSITIVE:
        return read_positive(context, at, option->name);
    case TEXT:
        return read_text(context, at, option->is_right);
    }
    return false;
}

static bool read_option(option_context *context)
{
    for (size_t i = 0; i < COUNT(table); ++i) {
        mcd_scan trial = *context->scan; /* a longer name may begin with this one */
        if (!(table[i].services & 1u << context->request->service)) continue;
        if (!mcd_scan_word(&trial, table[i].name) || !mcd_scan_word(&trial, "=")) continue;
        *context->scan = trial;
        return read_value(context, &table[i]);
    }
    return false;
}

static bool read_all(option_context *context)
{
    static const char *const extension[] = {".json", ".npy", ".bin", ".arrow"}; /* as serve_format */
    mcd_scan *const scan = context->scan;
    const serve_service service = context->request->service;
    const char *before = "?";
    size_t format = SERVE_JSON;
    if (!(service == SERVE_TILE ? read_tile(context) : read_coordinates(context))) return false;
    if (service == SERVE_TILE)
        mcd_scan_word(scan, ".mvt");
    else
        mcd_scan_one_of(scan, extension, service == SERVE_TABLE ? 4 : 3, &format);
    context->request->format = (uint8_t)format;
    for (; !mcd_scan_is_done(scan); before = "&") {
        const size_t at = scan->at;
        if (!mcd_scan_word(scan, before)) return false;
        if (read_option(context)) continue;
        if (scan->at == at + 1 && *before == '&') scan->at = at; /* no such option: OSRM names the & */
        return false;
    }
    return true;
}

bool serve_options_read(serve_request *request, mcd_scan *scan, serve_answer *answer)
{
    option_context context = {request, scan, answer};
    if (read_all(&context)) return true;
    if (answer->status > 0) return false;
    return serve_answer_fail(answer, 400, "InvalidQuery", "Query string malformed close to position %zu",
                             scan->at);
}
