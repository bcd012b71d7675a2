/* answer.c - see answer.h. */
#include "bindings/serve/http/answer.h"
#include "bindings/serve/http/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_BYTES = 512 };

const char serve_type_json[] = "application/json; charset=UTF-8",
           serve_type_text[] = "text/plain; charset=UTF-8", serve_type_binary[] = "application/octet-stream",
           serve_type_geojson[] = "application/geo+json", serve_type_tile[] = "application/x-protobuf",
           serve_type_npy[] = "application/x-npy", serve_type_arrow[] = "application/vnd.apache.arrow.stream";

void serve_answer_ok(serve_answer *answer, const char *type)
{
    answer->status = 200;
    answer->type = type;
    answer->code = "Ok";
}

bool serve_answer_fail(serve_answer *answer, unsigned status, const char *code, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    serve_answer_free(answer);
    *answer = (serve_answer){.status = status, .type = serve_type_json, .code = code};
    mcd_text_json(&answer->body, "{'message':%s,'code':%s}", message, code);
    return false;
}

bool serve_answer_fail_element(serve_answer *answer, const char *code, const char *name, int index,
                               const char *what, const cJSON *value)
{
    char place[16] = "", *const shown = cJSON_PrintUnformatted(value);
    if (index >= 0) snprintf(place, sizeof place, "[%d]", index);
    serve_answer_fail(answer, 400, code, "%s%s: %s: %.100s", name, place, what, shown ? shown : "");
    cJSON_free(shown);
    return false;
}

bool serve_answer_check_member(serve_answer *answer, const cJSON *object, const cJSON *member)
{
    return cJSON_GetObjectItemCaseSensitive(object, member->string) == member ||
           serve_answer_fail(answer, 400, "InvalidQuery", "The body has two members %.64s.", member->string);
}

cJSON *serve_answer_parse(serve_answer *answer, const char *body, size_t size)
{
    const char *end = body;
    cJSON *const json = cJSON_ParseWithLengthOpts(body, size, &end, false);
    while (json && end < body + size && *end && strchr(" \t\r\n", *end)) ++end;
    if (json && end == body + size) return json;
    cJSON_Delete(json);
    serve_answer_fail(answer, 400, "InvalidQuery", "The body is not JSON: malformed close to position %td",
                      end - body);
    return NULL;
}

bool serve_answer_fail_library(serve_answer *answer, macadam_status status, const macadam_error *error)
{
    switch (status) {
    case MACADAM_E_LIMIT:
        return serve_answer_fail(answer, 400, "TooBig",
                                 "The request needs more memory than the server grants it.");
    case MACADAM_E_CANCELLED:
        return serve_answer_fail(answer, 503, "Timeout",
                                 "The request took longer than the server grants it.");
    case MACADAM_E_INVALID:
        return serve_answer_fail(answer, 400, "InvalidOptions", "%s", error->message);
    case MACADAM_E_UNSUPPORTED:
        return serve_answer_fail(answer, 400, "NotImplemented", "The map lacks what the request needs.");
    default:
        serve_log("%s: %s", macadam_status_name(status), error->message);
        return serve_answer_fail(answer, 500, "InternalError", "%s", macadam_status_name(status));
    }
}

void serve_answer_free(serve_answer *answer)
{
    free(answer->body.data);
    answer->body = (mcd_text){0};
}
