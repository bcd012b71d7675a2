/* url.c - see url.h. A body is turned into the text that the path would have held, so that there is one reader
 * and one kind of error. */
#include "bindings/serve/http/url.h"
#include "bindings/serve/options.h"

#include <math.h>
#include <stdio.h>

enum { CONTEXT_BYTES = 6, VERSION_MAX = 1000 };

/* ---- a body as text ---- */

/* Reads from `first` to the end of the text, which may have moved since the profile was read. If it returns false
 * without an answer, the text is malformed at *fault. */
static bool read_options(serve_request *request, mcd_text *text, size_t first, size_t profile, size_t *fault,
                         serve_answer *answer)
{
    mcd_text_bytes(text, "", 1);
    if (text->failed) return serve_answer_fail(answer, 500, "InternalError", "not enough memory");
    mcd_scan scan = {text->data, first, text->size - 1};
    request->text = text->data;
    request->profile = text->data + profile;
    const bool is_read = serve_options_read(request, &scan, answer);
    *fault = scan.at;
    return is_read;
}

/* Appends a body to the text of a path, and finds the element of the body that stands at a place of the text. */
typedef struct body_writer {
    serve_request *request;
    mcd_text *text;
    size_t fault; /* the place; SIZE_MAX: the end */
    const char *name;
    const cJSON *value; /* of the option `name`: the last one that begins at `fault` or before */
    int index;          /* of the value in a list, or -1 */
} body_writer;

static void note(body_writer *writer, const char *name, const cJSON *value, int index)
{
    if (writer->text->size <= writer->fault)
        writer->name = name, writer->value = value, writer->index = index;
}

static bool add_value(mcd_text *text, const cJSON *value, const char *separator)
{
    char number[32];
    if (cJSON_IsArray(value)) {
        const cJSON *element;
        cJSON_ArrayForEach(element, value)
        {
            if (element != value->child) mcd_text_add(text, separator);
            if (!add_value(text, element, separator)) return false;
        }
        return true;
    }
    if (cJSON_IsString(value) && !strchr(value->valuestring, '&'))
        mcd_text_add(text, value->valuestring);
    else if (cJSON_IsBool(value))
        mcd_text_add(text, cJSON_IsTrue(value) ? "true" : "false");
    else if (cJSON_IsNumber(value) && isfinite(value->valuedouble)) {
        snprintf(number, sizeof number, "%.17g", value->valuedouble);
        mcd_text_add(text, number);
    } else
        return cJSON_IsNull(value);
    return true;
}

static bool add_option(body_writer *writer, const cJSON *option)
{
    const char *const name = option->string, *const separator =
                                                 serve_options_separator(writer->request->service, name);
    int index = 0;
    note(writer, name, option, -1);
    if (!separator || !cJSON_IsArray(option)) return add_value(writer->text, option, ",");
    for (const cJSON *element = option->child; element; element = element->next) {
        if (index > 0) mcd_text_add(writer->text, separator);
        note(writer, name, element, index++);
        if (!add_value(writer->text, element, ",")) return false;
    }
    return true;
}

/* Appends "lon,lat;lon,lat?name=value&...". As OSRM does, leaves out lists without elements and options that the service
 * does not have. */
static bool add_body(body_writer *writer, const cJSON *body)
{
    const cJSON *const coordinates = cJSON_GetObjectItemCaseSensitive(body, "coordinates"), *option;
    const char *between = "?";
    if (!add_option(writer, coordinates)) return false;
    cJSON_ArrayForEach(option, body)
    {
        const bool is_empty = cJSON_IsNull(option) || (cJSON_IsArray(option) && !option->child);
        if (option == coordinates || is_empty || !serve_options_has(writer->request->service, option->string))
            continue;
        mcd_text_add(writer->text, between);
        mcd_text_add(writer->text, option->string);
        mcd_text_add(writer->text, "=");
        if (!add_option(writer, option)) return false;
        between = "&";
    }
    return true;
}

static bool fail_element(const body_writer *writer, serve_answer *answer)
{
    return serve_answer_fail_element(answer, "InvalidQuery", writer->name, writer->index, "malformed value",
                                     writer->value);
}

/* Appends the body to the path and reads it. */
static bool read_json(body_writer *writer, const cJSON *json, serve_answer *answer)
{
    const cJSON *const coordinates = cJSON_GetObjectItemCaseSensitive(json, "coordinates"), *member;
    mcd_text *const text = writer->text;
    const size_t first = text->size, profile = (size_t)(writer->request->profile - text->data);
    if (!coordinates)
        return serve_answer_fail(answer, 400, "InvalidQuery", "The body is not an object with coordinates.");
    if (cJSON_IsArray(coordinates) && !coordinates->child)
        return serve_answer_fail(answer, 400, "InvalidOptions", "The list of coordinates is empty.");
    cJSON_ArrayForEach(member, json) /* of others, which are ignored, there may be too many to compare */
        if ((strcmp(member->string, "coordinates") == 0 ||
             serve_options_has(writer->request->service, member->string)) &&
            !serve_answer_check_member(answer, json, member)) return false;
    if (!add_body(writer, json)) return fail_element(writer, answer);
    if (read_options(writer->request, text, first, profile, &writer->fault, answer) || answer->status > 0)
        return answer->status == 0;
    text->size = first;
    add_body(writer, json);
    return fail_element(writer, answer);
}

static bool read_body(serve_request *request, mcd_text *text, const char *body, size_t size,
                      serve_answer *answer)
{
    body_writer writer = {.request = request, .text = text, .fault = SIZE_MAX};
    cJSON *const json = serve_answer_parse(answer, body, size);
    const bool is_read = json && read_json(&writer, json, answer);
    cJSON_Delete(json);
    return is_read;
}

/* ---- the path ---- */

static bool fail_url(serve_answer *answer, const mcd_scan *scan)
{
    const size_t first = scan->at > 3 ? scan->at - 3 : 0;
    const size_t size = scan->size - first < CONTEXT_BYTES ? scan->size - first : CONTEXT_BYTES;
    return serve_answer_fail(answer, 400, "InvalidUrl",
                             "URL string malformed close to position %zu: \"%.*s\"", scan->at, (int)size,
                             scan->text + first);
}

/* A body without bytes is none if the path has what it would hold. */
static bool read_path(serve_request *request, mcd_scan *scan, const char **body, size_t body_size,
                      serve_answer *answer)
{
    const char *name;
    size_t name_size;
    uint64_t version;
    mcd_scan_word(scan, "/");
    if (!mcd_scan_until(scan, "/?", &name, &name_size) || !mcd_scan_word(scan, "/") ||
        !mcd_scan_word(scan, "v") || !mcd_scan_unsigned(scan, VERSION_MAX, &version) ||
        !mcd_scan_word(scan, "/") || !mcd_scan_until(scan, "/?", &request->profile, &request->profile_size))
        return fail_url(answer, scan);
    const bool slash = mcd_scan_word(scan, "/");
    if (body_size == 0 && slash && !mcd_scan_is_done(scan)) *body = NULL;
    if (*body ? !mcd_scan_is_done(scan) : !slash || mcd_scan_is_done(scan)) return fail_url(answer, scan);
    serve_service service = 0;
    while (service < SERVE_SERVICE_COUNT && (strlen(serve_services[service].name) != name_size ||
                                             memcmp(serve_services[service].name, name, name_size) != 0))
        ++service;
    if (service == SERVE_SERVICE_COUNT)
        return serve_answer_fail(answer, 400, "InvalidService", "Service %.*s not found!", (int)name_size,
                                 name);
    request->service = service;
    if (version != 1)
        return serve_answer_fail(answer, 400, "InvalidVersion", "Service %.*s not found!", (int)name_size,
                                 name);
    return true;
}

static bool read_text(serve_request *request, mcd_text *text, const char *uri, const char *body,
                      size_t body_size, serve_answer *answer)
{
    size_t fault;
    mcd_text_add(text, uri);
    if (!text->failed && !mcd_scan_unescape(text->data, &text->size, &fault)) {
        const mcd_scan at = {text->data, fault, text->size};
        return fail_url(answer, &at);
    }
    if (text->failed) return serve_answer_fail(answer, 500, "InternalError", "not enough memory");
    mcd_scan scan = {text->data, 0, text->size};
    if (!read_path(request, &scan, &body, body_size, answer)) return false;
    if (body && request->service == SERVE_TRAFFIC) return true; /* it reads the body itself */
    if (body) return read_body(request, text, body, body_size, answer);
    const size_t profile = (size_t)(request->profile - text->data);
    if (read_options(request, text, scan.at, profile, &scan.at, answer) || answer->status > 0)
        return answer->status == 0;
    return serve_answer_fail(answer, 400, "InvalidQuery", "Query string malformed close to position %zu",
                             scan.at);
}

/* ---- what belongs together ---- */

static bool is_on_globe(double lon, double lat)
{
    return fabs(lon) <= 180 && fabs(lat) <= 90;
}

static bool check_coordinates(const serve_request *request, serve_answer *answer)
{
    bool is_right = true;
    for (size_t i = 0; i < request->count; ++i)
        is_right = is_right && is_on_globe(request->coordinate[i].lon, request->coordinate[i].lat);
    for (size_t i = 0; i < request->library.conditions.area_count; ++i)
        for (size_t k = 0; k < request->area[i].point_count; ++k)
            is_right = is_right && is_on_globe(request->area[i].lon[k], request->area[i].lat[k]);
    if (!is_right) return serve_answer_fail(answer, 400, "InvalidValue", "Invalid coordinate value.");
    const unsigned pairs = 1u << SERVE_ROUTE | 1u << SERVE_MATCH | 1u << SERVE_TABLE | 1u << SERVE_TRIP;
    if (1u << request->service & pairs && request->count < 2)
        return serve_answer_fail(answer, 400, "InvalidOptions",
                                 "Number of coordinates needs to be at least two.");
    return true;
}

static bool check(serve_request *request, serve_answer *answer)
{
    if (request->format != SERVE_JSON && request->service != SERVE_TABLE && request->service != SERVE_TREE)
        return serve_answer_fail(answer, 400, "InvalidOptions", "The service %s answers only JSON.",
                                 serve_services[request->service].name);
    return request->service == SERVE_TRAFFIC || request->service == SERVE_TILE ||
           check_coordinates(request, answer);
}

bool serve_url_read(serve_request *out, const char *uri, const char *body, size_t body_size,
                    serve_answer *answer)
{
    mcd_text text = {0};
    *out =
        (serve_request){.library = mcd_request_new(), .generate_hints = true, .number = 1, .polygons = true};
    const bool is_read = read_text(out, &text, uri, body, body_size, answer);
    out->text = text.data;
    return is_read && check(out, answer);
}
