/* traffic.c - see traffic.h. */
#include "bindings/serve/services/traffic.h"

#include <cjson/cJSON.h>
#include <string.h>

/* The columns of a body, as the library takes them. */
typedef struct traffic_columns {
    uint64_t *arc;
    int64_t *tail, *head;
    uint32_t *value;
    size_t count;
} traffic_columns;

static const double id_max = 9007199254740992; /* 2^53: what JSON's numbers hold exactly */

static bool read_ids(serve_job *job, const cJSON *list, size_t count, int64_t **out)
{
    size_t i = 0;
    const cJSON *element;
    if (!cJSON_IsArray(list) || (size_t)cJSON_GetArraySize(list) != count) return false;
    *out = serve_job_allocate(job, count, sizeof **out);
    if (!*out) return false;
    cJSON_ArrayForEach(element, list)
    {
        const double number = cJSON_IsNumber(element) ? element->valuedouble : -2 * id_max;
        if (!(number >= -id_max && number <= id_max)) return false;
        (*out)[i++] = (int64_t)number;
    }
    return true;
}

static bool read_values(serve_job *job, const cJSON *list, bool is_signed, traffic_columns *columns)
{
    const double closed = is_signed ? MACADAM_SIGNED_UNREACHED : MACADAM_WEIGHT_CLOSED,
                 imported = is_signed ? MACADAM_SIGNED_IMPORTED : MACADAM_WEIGHT_IMPORTED,
                 least = is_signed ? -(double)MACADAM_WEIGHT_MAX : 0;
    size_t i = 0;
    const cJSON *element;
    columns->count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    columns->value = columns->count ? serve_job_allocate(job, columns->count, sizeof *columns->value) : NULL;
    if (!columns->value) return false;
    cJSON_ArrayForEach(element, list)
    {
        const char *const word = cJSON_GetStringValue(element);
        if (word ? strcmp(word, "imported") != 0 : !cJSON_IsNull(element) && !cJSON_IsNumber(element))
            return false;
        const double number = word ? imported : cJSON_IsNull(element) ? closed : element->valuedouble;
        if (!(number >= least && number <= closed) && !word) return false;
        columns->value[i++] = (uint32_t)(int64_t)number;
    }
    return true;
}

static bool read_columns(serve_job *job, const cJSON *json, bool is_signed, traffic_columns *columns)
{
    const cJSON *const arc = cJSON_GetObjectItemCaseSensitive(json, "arc");
    int64_t *number = NULL;
    if (!read_values(job, cJSON_GetObjectItemCaseSensitive(json, "value"), is_signed, columns)) return false;
    if (!arc)
        return read_ids(job, cJSON_GetObjectItemCaseSensitive(json, "tail"), columns->count,
                        &columns->tail) &&
               read_ids(job, cJSON_GetObjectItemCaseSensitive(json, "head"), columns->count, &columns->head);
    const bool is_read = read_ids(job, arc, columns->count, &number);
    columns->arc = (uint64_t *)number; /* a negative number is not an arc's: the library says so */
    return is_read;
}

static bool update(serve_job *job, const traffic_columns *columns, const char *quantity)
{
    const uint32_t *const value[] = {columns->value};
    const macadam_update_request request = {.size = sizeof request,
                                            .arc = columns->arc,
                                            .tail = columns->tail,
                                            .head = columns->head,
                                            .count = columns->count,
                                            .quantity = &quantity,
                                            .quantity_count = 1,
                                            .value = value};
    const macadam_status status = macadam_update(job->map->engine, &request, &job->error);
    if (status == MACADAM_E_NOT_FOUND || status == MACADAM_E_INVALID)
        return serve_refuse(job, "InvalidValue", "%s", job->error.message);
    if (!serve_job_done(job, status)) return false;
    ++job->map->updates;
    mcd_text_add(&job->answer.body, "{\"code\":\"Ok\"}");
    serve_answer_ok(&job->answer, serve_type_json);
    return true;
}

bool serve_traffic_apply(serve_job *job, const char *body, size_t size)
{
    traffic_columns columns = {0};
    cJSON *const json = body ? cJSON_ParseWithLength(body, size) : NULL;
    const cJSON *const quantity = cJSON_GetObjectItemCaseSensitive(json, "quantity");
    const char *const name = cJSON_IsString(quantity) ? quantity->valuestring : job->map->quantity[0];
    const bool is_applied =
        read_columns(job, json, mcd_text_is_signed(&job->map->info, name), &columns) &&
                (!quantity || cJSON_IsString(quantity))
            ? update(job, &columns, name)
            : serve_refuse(job, "InvalidQuery",
                           "The body is not an object with arc, or tail and head, and value.");
    cJSON_Delete(json);
    return is_applied;
}
