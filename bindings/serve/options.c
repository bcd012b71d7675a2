/* options.c - see options.h: one table of options, each with the services it belongs to. As OSRM does, a text that
 * does not parse is InvalidQuery with the place where it fails; values that contradict each other are InvalidOptions. */
#include "bindings/serve/options.h"
#include "bindings/serve/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    AREAS = MCD_ISOCHRONE | MCD_REACH,
    ALL = MCD_PATHS | MCD_SNAP | MCD_MATRIX | AREAS | MCD_TREE,
    FIRST_COORDINATES = 16,
    NAME_BYTES = 64,
    WORDS_BYTES = 256,
};

void serve_request_free(serve_request *request)
{
    free(request->text);
    free(request->coordinate);
    free(request->corner);
    free(request->area);
    free(request->waypoints.at);
    free(request->sources.at);
    free(request->destinations.at);
}

/* Each reader of an option returns whether it is read. If not, either the answer is made, or the text is wrong where the
 * scan stands. */
typedef struct option_context {
    serve_request *request;
    mcd_scan *scan;
    serve_answer *answer;
    const struct serve_option *option;
} option_context;

/* An option that only the service reads; one without readers is a list of numbers of coordinates. */
typedef struct serve_option {
    const char *name;
    unsigned questions;
    bool (*take)(option_context *context);
    bool (*element)(option_context *context, serve_coordinate *coordinate); /* of each coordinate */
    size_t at;    /* the serve_positions; of limits: the kind */
    bool is_full; /* no element may be empty */
} serve_option;

#define refuse(context, ...) serve_answer_fail((context)->answer, 400, __VA_ARGS__)

/* ---- coordinates ---- */

static bool add_coordinate(option_context *context, double lon, double lat)
{
    serve_request *const request = context->request;
    if ((request->count & (request->count - 1)) == 0 &&
        (request->count == 0 || request->count >= FIRST_COORDINATES)) {
        const size_t capacity = request->count ? 2 * request->count : FIRST_COORDINATES;
        serve_coordinate *const moved = reallocarray(request->coordinate, capacity, sizeof *moved);
        if (!moved)
            return refuse(context, "InvalidOptions", "There is not enough memory for the coordinates.");
        request->coordinate = moved;
    }
    request->coordinate[request->count++] =
        (serve_coordinate){.lon = lon, .lat = lat, .radius_m = INFINITY, .time_s = NAN};
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
        if (!scan_delta(context->scan, &lat) || !scan_delta(context->scan, &lon) ||
            !add_coordinate(context, (double)lon / scale, (double)lat / scale))
            return false;
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
            !mcd_scan_decimal(context->scan, &lat) || !add_coordinate(context, lon, lat))
            return false;
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

/* Reads elements between semicolons, of which empty ones say nothing if the option may have them. */
static bool read_elements(option_context *context)
{
    serve_request *const request = context->request;
    serve_coordinate ignored;
    size_t count = 0;
    do {
        serve_coordinate *const coordinate = count < request->count ? &request->coordinate[count] : &ignored;
        ++count;
        const bool is_read = context->option->is_full || !ends_element(context->scan);
        if (is_read && !context->option->element(context, coordinate)) return false;
    } while (mcd_scan_word(context->scan, ";"));
    if (!ends_element(context->scan)) return false;
    if (count == request->count) return true;
    return refuse(context, "InvalidOptions",
                  "Number of elements in %s size %zu does not match coordinate size %zu",
                  context->option->name, count, request->count);
}

static bool read_bearing(option_context *context, serve_coordinate *coordinate)
{
    uint64_t bearing, range;
    if (!mcd_scan_unsigned(context->scan, UINT16_MAX, &bearing) || !mcd_scan_word(context->scan, ",") ||
        !mcd_scan_unsigned(context->scan, UINT16_MAX, &range))
        return false;
    if (bearing > 360 || range > 180)
        return refuse(context, "InvalidOptions", "A bearing is 0 to 360 degrees, its range 0 to 180.");
    coordinate->bearing = (double)bearing;
    coordinate->bearing_range =
        range > 0 ? (double)range : 0.5; /* whole degrees: 0 would mean any direction */
    return true;
}

static bool read_radius(option_context *context, serve_coordinate *coordinate)
{
    double radius;
    if (mcd_scan_word(context->scan, "unlimited"))
        radius = -1; /* as OSRM takes it, too */
    else if (!mcd_scan_decimal(context->scan, &radius))
        return false;
    coordinate->radius_m =
        radius == -1 ? SERVE_UNLIMITED_M : radius; /* no road is as near as another one below 0 */
    return true;
}

static bool read_hint(option_context *context, serve_coordinate *coordinate)
{
    const char *text;
    size_t size;
    if (!mcd_scan_until(context->scan, ";&", &text, &size)) return false;
    coordinate->has_hint = serve_hint_read(&coordinate->hint, text, size);
    return true;
}

static bool read_approach(option_context *context, serve_coordinate *coordinate)
{
    size_t index;
    if (!mcd_scan_words(context->scan, "unrestricted|curb|opposite", &index)) return false;
    coordinate->side = (macadam_side)index;
    return true;
}

static bool read_timestamp(option_context *context, serve_coordinate *coordinate)
{
    uint64_t time_s;
    if (!mcd_scan_unsigned(context->scan, UINT32_MAX, &time_s)) return false;
    coordinate->time_s = (double)time_s;
    return true;
}

/* ---- numbers of coordinates ---- */

/* The elements of the option's value, between separators. */
static size_t count_elements(const mcd_scan *scan, const char *separators)
{
    size_t count = 1;
    for (size_t i = scan->at; i < scan->size && scan->text[i] != '&'; ++i)
        count += strchr(separators, scan->text[i]) != NULL;
    return count;
}

static bool read_positions(option_context *context)
{
    serve_request *const request = context->request;
    serve_positions *const positions = (void *)((char *)request + context->option->at);
    if (mcd_scan_word(context->scan, "all")) return true;
    free(positions->at);
    positions->count = 0;
    positions->at = reallocarray(NULL, count_elements(context->scan, ";"), sizeof *positions->at);
    if (!positions->at)
        return refuse(context, "InvalidOptions", "There is not enough memory for the option.");
    do {
        uint64_t index;
        if (!mcd_scan_unsigned(context->scan, SIZE_MAX / 2, &index)) return false;
        if (index >= request->count) {
            return refuse(context, "InvalidOptions", "%s has the index %llu, but there are %zu coordinates",
                          context->option->name, (unsigned long long)index, request->count);
        }
        positions->at[positions->count++] = (size_t)index;
    } while (mcd_scan_word(context->scan, ";"));
    return true;
}

/* ---- single values ---- */

/* Of more than two coordinates there are none. */
static bool take_alternatives(option_context *context)
{
    uint64_t number;
    size_t any;
    if (mcd_scan_words(context->scan, "false|true", &any))
        number = any;
    else if (!mcd_scan_unsigned(context->scan, UINT32_MAX, &number))
        return false;
    context->request->library.route.alternative_count = (size_t)number;
    return true;
}

static bool take_annotations(option_context *context)
{
    static const char of_paths[] = "duration|distance|weight|speed|datasources|nodes";
    const bool is_table = context->request->service == SERVE_TABLE;
    size_t index;
    context->request->annotations = 0;
    if (mcd_scan_words(context->scan, "false|true", &index)) { /* of tables, OSRM takes them only in a body */
        if (index)
            context->request->annotations =
                is_table ? SERVE_DURATION | SERVE_DISTANCE : SERVE_ALL | (SERVE_ALL - 1);
        return true;
    }
    do {
        if (!mcd_scan_words(context->scan, is_table ? SERVE_TABLE_KINDS : of_paths, &index)) return false;
        context->request->annotations |= 1u << index;
    } while (mcd_scan_word(context->scan, ","));
    if (context->request->annotations & SERVE_DATASOURCES) context->request->annotations |= SERVE_METADATA;
    return true;
}

static bool take_exclude(option_context *context)
{
    static const macadam_class_factor motorways[] = {{"motorway", 0}, {"motorway_link", 0}};
    macadam_conditions *const conditions = &context->request->library.conditions;
    const char *name;
    size_t size;
    do {
        if (!mcd_scan_until(context->scan, ",&", &name, &size)) return false;
        const uint32_t flag = mcd_option_flag(name, size);
        if (flag == MACADAM_ROAD_MOTORWAY) /* the flag has roads like motorways, too */
            conditions->factor = motorways, conditions->factor_count = 2;
        else
            conditions->avoid |= flag;
        context->request->has_conditions = true;
        if (flag > 0) continue;
        return refuse(context, "InvalidValue", "Exclude flag combination is not supported.");
    } while (mcd_scan_word(context->scan, ","));
    return true;
}

static bool take_number(option_context *context)
{
    if (!mcd_scan_unsigned(context->scan, UINT32_MAX, &context->request->number)) return false;
    return context->request->number > 0 || refuse(context, "InvalidOptions", "number must be at least 1");
}

static bool take_limits(option_context *context)
{
    serve_request *const request = context->request;
    const size_t kind = context->option->at;
    request->limited = (uint8_t)kind;
    if (request->limit_count > 0) return refuse(context, "InvalidOptions", "The limits are given twice.");
    do {
        double limit;
        if (!mcd_scan_decimal(context->scan, &limit)) return false;
        if (limit < 0) return refuse(context, "InvalidOptions", "A limit must be at least 0.");
        if (request->limit_count == MACADAM_REACH_LIMITS_MAX)
            return refuse(context, "InvalidOptions", "There are too many limits.");
        request->limit[request->limit_count++] = limit * serve_kinds[kind].contour_units;
    } while (mcd_scan_word(context->scan, ",") || mcd_scan_word(context->scan, ";"));
    return true;
}

/* Polygons between semicolons: lon,lat,lon,lat,... */
static bool take_exclude_polygons(option_context *context)
{
    serve_request *const request = context->request;
    mcd_scan *const scan = context->scan;
    const size_t numbers = count_elements(scan, ",;"), polygons = count_elements(scan, ";");
    free(request->corner);
    free(request->area);
    request->corner = reallocarray(NULL, 2 * numbers, sizeof *request->corner);
    request->area = calloc(polygons, sizeof *request->area);
    macadam_conditions *const conditions = &request->library.conditions;
    conditions->area = request->area, conditions->area_count = 0;
    request->has_conditions = true;
    if (!request->corner || !request->area)
        return refuse(context, "InvalidOptions", "There is not enough memory for the polygons.");
    double *lon = request->corner, *lat = lon + numbers;
    do {
        macadam_area *const area = &request->area[conditions->area_count++];
        *area = (macadam_area){.lon = lon, .lat = lat};
        do {
            if (!mcd_scan_decimal(scan, lon++) || !mcd_scan_word(scan, ",") || !mcd_scan_decimal(scan, lat++))
                return false;
            ++area->point_count;
        } while (mcd_scan_word(scan, ","));
        if (area->point_count < 3)
            return refuse(context, "InvalidOptions", "A polygon has at least three corners.");
    } while (mcd_scan_word(scan, ";"));
    return true;
}

/* ---- the tables ---- */

static const serve_option lists[] = {
    {"alternatives", MCD_ROUTE, .take = take_alternatives},
    {"annotations", MCD_PATHS | MCD_MATRIX, .take = take_annotations},
    {"approaches", ALL, .element = read_approach},
    {"bearings", ALL, .element = read_bearing},
    {"contours_meters", AREAS, .take = take_limits, .at = 1},
    {"contours_minutes", AREAS, .take = take_limits, .at = 0},
    {"contours_wh", AREAS, .take = take_limits, .at = 2},
    {"destinations", MCD_MATRIX, .at = offsetof(serve_request, destinations)},
    {"exclude", ALL, .take = take_exclude},
    {"exclude_polygons", ALL, .take = take_exclude_polygons},
    {"hints", ALL, .element = read_hint},
    {"number", MCD_SNAP, .take = take_number},
    {"radiuses", ALL, .element = read_radius},
    {"sources", MCD_MATRIX, .at = offsetof(serve_request, sources)},
    {"timestamps", MCD_MATCH, .element = read_timestamp, .is_full = true},
    {"waypoints", MCD_ROUTE | MCD_MATCH, .at = offsetof(serve_request, waypoints)},
};

#define TO(a_kind, member)                                                                                   \
    .kind = MCD_##a_kind, .at = offsetof(serve_request, member), .bytes = sizeof(((serve_request *)0)->member)

/* Plain options of the service, which mcd_options lacks. */
static const mcd_option own[] = {
    {"format", "json|npy|bin|arrow", MCD_MATRIX, TO(WORD, format)},
    {"format", "json|npy|bin", MCD_TREE, TO(WORD, format)},
    {"format", "json", ALL & ~(MCD_MATRIX | MCD_TREE), TO(WORD, format)},
    {"generate_hints", NULL, ALL, TO(FLAG, generate_hints)},
    {"geometries", "polyline|polyline6|geojson", MCD_PATHS, TO(WORD, geometries)},
    {"metric", SERVE_PATH_METRICS, MCD_PATHS, TO(WORD, metric)},
    {"overview", "simplified|full|false|by_legs", MCD_PATHS, TO(WORD, overview)},
    {"polygons", NULL, MCD_ISOCHRONE, TO(FLAG, polygons)},
    {"skip_waypoints", NULL, ALL, TO(FLAG, skip_waypoints)},
};
enum { OWN_COUNT = sizeof own / sizeof own[0], LISTS_COUNT = sizeof lists / sizeof lists[0] };
_Static_assert(offsetof(serve_request, library) == 0, "members of mcd_request are members of serve_request");

static bool read_list(option_context *context, const serve_option *option)
{
    context->option = option;
    return (option->take ? option->take : option->element ? read_elements : read_positions)(context);
}

/* Returns the words between bars. */
static const char *words_of(const mcd_option *option, char languages[WORDS_BYTES])
{
    const char *const own_words = option->url ? strchr(option->url, '=') : NULL;
    if (own_words) return own_words + 1;
    if (option->kind == MCD_FLAG) return "false|true";
    if (option->value) return option->value;
    size_t used = 0;
    for (size_t i = 0; macadam_language_name(i); ++i)
        used += (size_t)snprintf(languages + used, WORDS_BYTES - used, "%s%s", i ? "|" : "",
                                 macadam_language_name(i));
    return languages;
}

/* A text ends where serve_options_read ends it. */
static bool read_text(option_context *context, const mcd_option *option, const char **out)
{
    size_t size;
    mcd_scan trial = *context->scan;
    if (!mcd_scan_until(&trial, "&", out, &size)) return false;
    char *const text = strndup(*out, size);
    const bool is_right = text && (!option->is_right || option->is_right(text));
    free(text);
    if (is_right) *context->scan = trial;
    return is_right;
}

static bool read_value(option_context *context, const mcd_option *option, const char *name)
{
    void *const at = (char *)context->request + option->at;
    char languages[WORDS_BYTES];
    size_t index;
    context->request->has_conditions |=
        option->at >= offsetof(mcd_request, conditions) && option->at < offsetof(mcd_request, avoid);
    switch (option->kind) {
    case MCD_FLAG:
    case MCD_WORD:
        if (!mcd_scan_words(context->scan, words_of(option, languages), &index)) return false;
        mcd_option_store(option, context->request, index);
        return true;
    case MCD_NAME:
        *(const char **)at = context->scan->text + context->scan->at;
        return mcd_scan_words(context->scan, words_of(option, languages), &index);
    case MCD_TEXT:
        return read_text(context, option, at);
    case MCD_MEASURE:
        if (!mcd_scan_decimal(context->scan, at)) return false;
        return *(double *)at > 0 || refuse(context, "InvalidOptions", "%s must be > 0", name);
    default: /* the service has no plain option of another kind */
        return false;
    }
}

/* Returns whether the service calls the option so. */
static bool is_called(const mcd_option *option, const char *name)
{
    const char *const own_name = option->url ? option->url : option->name;
    const size_t bytes = strcspn(own_name, "=");
    bool is_same = bytes > 0 && strlen(name) == bytes;
    for (size_t i = 0; is_same && i < bytes; ++i)
        is_same = name[i] == (own_name[i] == '-' ? '_' : own_name[i]);
    return is_same;
}

/* ---- the query ---- */

/* An option of a service, in one of two tables. */
typedef struct found_option {
    const serve_option *list;
    const mcd_option *plain;
} found_option;

static bool find_option(serve_service service, const char *name, found_option *out)
{
    const unsigned question = serve_services[service].question;
    *out = (found_option){0};
    for (size_t i = 0; i < LISTS_COUNT && !out->list; ++i)
        if (lists[i].questions & question && strcmp(lists[i].name, name) == 0) out->list = &lists[i];
    for (size_t i = 0; i < OWN_COUNT + mcd_option_count && !out->plain; ++i) {
        const mcd_option *const option = i < OWN_COUNT ? &own[i] : &mcd_options[i - OWN_COUNT];
        if (option->questions & question && is_called(option, name)) out->plain = option;
    }
    return out->list || out->plain;
}

bool serve_options_has(serve_service service, const char *name)
{
    found_option found;
    return find_option(service, name, &found) ||
           mcd_option_refusing(serve_services[service].question, name, strlen(name));
}

const char *serve_options_separator(serve_service service, const char *name)
{
    found_option found;
    find_option(service, name, &found);
    const bool is_taken = found.list && found.list->take && found.list->take != take_exclude_polygons;
    return found.plain ? NULL : is_taken ? "," : ";";
}

static bool refuse_name(option_context *context, const char *name)
{
    const serve_service service = context->request->service;
    const mcd_option *const now = mcd_option_refusing(serve_services[service].question, name, strlen(name));
    if (now)
        return refuse(context, "InvalidOptions", "The service %s takes no option %s: use %s (%.*s).",
                      serve_services[service].name, name, now->name, (int)strcspn(now->help, ":"), now->help);
    return refuse(context, "InvalidOptions", "The service %s takes no option %s.",
                  serve_services[service].name, name);
}

static bool read_option(option_context *context)
{
    const char *first;
    size_t size;
    char name[NAME_BYTES] = "";
    found_option found;
    mcd_scan trial = *context->scan;
    if (!mcd_scan_until(&trial, "=&", &first, &size) || !mcd_scan_word(&trial, "=")) return false;
    memcpy(name, first, size < NAME_BYTES ? size : NAME_BYTES - 1);
    if (!find_option(context->request->service, name, &found)) return refuse_name(context, name);
    *context->scan = trial;
    return found.list ? read_list(context, found.list) : read_value(context, found.plain, name);
}

static bool read_all(option_context *context)
{
    mcd_scan *const scan = context->scan;
    const serve_service service = context->request->service;
    const char *before = "?";
    size_t format = SERVE_JSON;
    if (!(service == SERVE_TILE ? read_tile(context) : read_coordinates(context))) return false;
    if (service == SERVE_TILE)
        mcd_scan_word(scan, ".mvt");
    else
        mcd_scan_words(scan, service == SERVE_TABLE ? ".json|.npy|.bin|.arrow" : ".json|.npy|.bin", &format);
    context->request->format = (uint8_t)format;
    const size_t first = scan->at;
    for (; !mcd_scan_is_done(scan); before = "&") {
        const size_t at = scan->at;
        if (!mcd_scan_word(scan, before)) return false;
        if (read_option(context)) continue;
        if (scan->at == at + 1 && *before == '&') scan->at = at; /* no option: OSRM names the & */
        return false;
    }
    for (size_t i = first; i < scan->size; ++i) /* texts end there */
        if (scan->text[i] == '&') context->request->text[i] = '\0';
    return true;
}

bool serve_options_read(serve_request *request, mcd_scan *scan, serve_answer *answer)
{
    option_context context = {request, scan, answer, NULL};
    return read_all(&context);
}
