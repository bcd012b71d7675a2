/* traffic.c - see traffic.h. Every form of an update names all arcs before any weight changes. */
#include "bindings/serve/services/traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef enum traffic_key { ARC, TAIL, HEAD, WAY, FORWARD, FROM, TO, VALUE, SPEED, KEYS } traffic_key;

static const struct {
    const char *name, *fault;
} keys[KEYS] = {
    [ARC] = {"arc", "not the number of an arc"},
    [TAIL] = {"tail", "not the id of a node"},
    [HEAD] = {"head", "not the id of a node"},
    [WAY] = {"way", "not the id of a way"},
    [FORWARD] = {"forward", "not true, false or null"},
    [FROM] = {"from", "not the id of a node"},
    [TO] = {"to", "not the id of a node"},
    [VALUE] = {"value", "not a whole number up to 2147483646, null or \"imported\""},
    [SPEED] = {"speed", "not a number from 0 on, or null"},
};

/* The keys that name arcs together, with those of what they get. */
static const unsigned sets[] = {1 << ARC | 1 << VALUE,
                                1 << TAIL | 1 << HEAD | 1 << VALUE,
                                1 << WAY | 1 << VALUE,
                                1 << WAY | 1 << FORWARD | 1 << VALUE,
                                1 << WAY | 1 << TAIL | 1 << HEAD | 1 << VALUE,
                                1 << FROM | 1 << TO | 1 << SPEED};
enum { SETS = sizeof sets / sizeof sets[0] };

typedef union traffic_number {
    int64_t whole;
    double decimal; /* of a speed */
} traffic_number;

/* The columns of a body. */
typedef struct traffic_columns {
    unsigned keys; /* a bit for each column that is given */
    size_t count;
    traffic_number *of[KEYS];
    const char *quantity; /* NULL: duration */
    bool is_signed;
} traffic_columns;

static const double id_max = 9007199254740992; /* 2^53: what JSON's numbers hold exactly */

/* ---- elements ---- */

static bool read_weight(const cJSON *element, bool is_signed, int64_t *out)
{
    const char *const word = cJSON_GetStringValue(element);
    const double most = MACADAM_WEIGHT_MAX, number = element->valuedouble;
    if (word && strcmp(word, "imported") == 0)
        *out = is_signed ? MACADAM_SIGNED_IMPORTED : MACADAM_WEIGHT_IMPORTED;
    else if (cJSON_IsNull(element))
        *out = is_signed ? MACADAM_SIGNED_UNREACHED : MACADAM_WEIGHT_CLOSED;
    else if (cJSON_IsNumber(element) && number >= (is_signed ? -most : 0) && number <= most)
        *out = (int64_t)number;
    else
        return false;
    return !cJSON_IsNumber(element) || trunc(number) == number;
}

static bool read_element(const cJSON *element, traffic_key key, bool is_signed, traffic_number *out)
{
    const double number = cJSON_IsNumber(element) ? element->valuedouble : NAN;
    switch (key) {
    case VALUE:
        return read_weight(element, is_signed, &out->whole);
    case FORWARD:
        out->whole = cJSON_IsNull(element) ? 0 : cJSON_IsTrue(element) ? 1 : -1;
        return cJSON_IsNull(element) || cJSON_IsBool(element);
    case SPEED:
        out->decimal = cJSON_IsNull(element) ? 0 : number;
        return out->decimal >= 0 && out->decimal < INFINITY;
    default:
        if (!(number >= (key == ARC ? 0 : -id_max) && number <= id_max) || trunc(number) != number)
            return false;
        out->whole = (int64_t)number;
        return true;
    }
}

static bool read_column(serve_job *job, const cJSON *list, traffic_key key, traffic_columns *columns)
{
    const size_t count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    size_t i = 0;
    const cJSON *element;
    if (count == 0)
        return serve_refuse(job, "InvalidValue", "%s: %s", keys[key].name,
                            cJSON_IsArray(list) ? "the list is empty" : "not a list of entries");
    if (columns->keys && count != columns->count)
        return serve_refuse(job, "InvalidValue", "%s: %zu elements, not %zu as the lists before it",
                            keys[key].name, count, columns->count);
    columns->count = count;
    columns->keys |= 1u << key;
    columns->of[key] = serve_job_allocate(job, count, sizeof *columns->of[key]);
    if (!columns->of[key]) return false;
    cJSON_ArrayForEach(element, list)
    {
        if (!read_element(element, key, columns->is_signed, &columns->of[key][i]))
            return serve_answer_fail_element(&job->answer, "InvalidValue", keys[key].name, (int)i,
                                             keys[key].fault, element);
        ++i;
    }
    return true;
}

static bool read_columns(serve_job *job, const cJSON *json, traffic_columns *columns)
{
    const cJSON *const quantity = cJSON_GetObjectItemCaseSensitive(json, "quantity"), *member;
    if (quantity && !cJSON_IsString(quantity))
        return serve_refuse(job, "InvalidValue", "quantity: not a text");
    columns->quantity = quantity ? quantity->valuestring : NULL;
    columns->is_signed = quantity && mcd_text_is_signed(&job->map->info, columns->quantity);
    for (member = cJSON_IsObject(json) ? json->child : NULL; member; member = member->next) {
        traffic_key key = 0;
        while (key < KEYS && strcmp(keys[key].name, member->string) != 0) ++key;
        if (!serve_answer_check_member(&job->answer, json, member)) return false;
        if (member == quantity) continue;
        if (key == KEYS)
            return serve_refuse(job, "InvalidQuery", "The service traffic takes no member %.64s.",
                                member->string);
        if (!read_column(job, member, key, columns)) return false;
    }
    for (size_t i = 0; i < SETS; ++i)
        if (columns->keys == sets[i] && !(quantity && columns->keys & 1 << SPEED)) return true;
    return serve_refuse(
        job, "InvalidQuery",
        "The body is not an object with value and arc, or tail and head, or way (with forward, or "
        "tail and head), and perhaps quantity; or with from, to and speed.");
}

/* ---- changes ---- */

/* Adds to the list of the answer how many arcs each entry changes. */
static void write_changed(serve_job *job, const uint32_t *changed, size_t count)
{
    mcd_text *const text = &job->answer.body;
    if (text->size == 0) mcd_text_json(text, "{'code':'Ok','changed':[");
    for (size_t i = 0; i < count; ++i) mcd_text_comma(text), mcd_text_integer(text, changed[i]);
}

static bool apply(serve_job *job, const macadam_update_request *request)
{
    const macadam_status status = macadam_update(job->map->engine, request, &job->error);
    if (status == MACADAM_E_NOT_FOUND || status == MACADAM_E_INVALID)
        return serve_refuse(job, "InvalidValue", "%s", job->error.message);
    if (!serve_job_done(job, status)) return false;
    ++job->map->updates;
    return true;
}

static bool end_answer(serve_job *job)
{
    mcd_text_add(&job->answer.body, "]}");
    if (job->answer.body.failed) return serve_job_fail_memory(job);
    serve_answer_ok(&job->answer, serve_type_json);
    return true;
}

static bool apply_values(serve_job *job, const traffic_columns *columns)
{
    const size_t count = columns->count;
    uint32_t *const value = serve_job_allocate(job, count, sizeof *value);
    uint32_t *const changed = serve_job_allocate(job, count, sizeof *changed);
    int8_t *const direction = serve_job_allocate(job, count, sizeof *direction);
    if (!value || !changed || !direction) return false;
    for (size_t i = 0; i < count; ++i) {
        value[i] = (uint32_t)columns->of[VALUE][i].whole;
        if (columns->of[FORWARD]) direction[i] = (int8_t)columns->of[FORWARD][i].whole;
    }
    const macadam_update_request request = {
        .size = sizeof request,
        .arc = (const uint64_t *)columns->of[ARC],
        .tail = (const int64_t *)columns->of[TAIL],
        .head = (const int64_t *)columns->of[HEAD],
        .way = (const int64_t *)columns->of[WAY],
        .direction = direction,
        .count = count,
        .quantity = columns->quantity ? &columns->quantity : job->map->quantity,
        .quantity_count = 1,
        .value = (const uint32_t *const[]){value},
        .changed = changed,
    };
    if (!apply(job, &request)) return false;
    write_changed(job, changed, count);
    return end_answer(job);
}

/* ---- speeds ---- */

/* Opens the speeds of the job's map unless they are. */
static bool open_speeds(serve_job *job, mcd_speeds *speeds)
{
    return speeds->engine || serve_call(job, mcd_speeds_open, speeds, job->map->engine, &job->map->info);
}

static bool give(serve_job *job, mcd_speeds *speeds, mcd_segment *segment, size_t count, uint32_t *changed)
{
    if (!serve_call(job, mcd_speeds_give, speeds, segment, count, changed)) return false;
    for (size_t i = 0; i < count && !job->map->info.has_node_ids; ++i)
        if (changed[segment[i].entry] == 0)
            return serve_refuse(job, "NotImplemented",
                                "No road leads from junction %" PRId64 " to junction %" PRId64
                                ", and the map has no ids of other nodes: import it with --node-ids.",
                                segment[i].from, segment[i].to);
    write_changed(job, changed, count);
    return true;
}

static bool apply_speeds(serve_job *job, mcd_speeds *speeds)
{
    uint64_t *arc;
    uint32_t *value;
    size_t count;
    bool is_applied = serve_call(job, mcd_speeds_durations, speeds, &arc, &value, &count);
    const macadam_update_request request = {.size = sizeof request,
                                            .arc = arc,
                                            .count = count,
                                            .quantity = job->map->quantity,
                                            .quantity_count = 1,
                                            .value = (const uint32_t *const[]){value}};
    if (is_applied && count > 0) is_applied = apply(job, &request);
    free(arc);
    free(value);
    return is_applied && end_answer(job);
}

static bool apply_segments(serve_job *job, const traffic_columns *columns)
{
    const size_t count = columns->count;
    mcd_speeds speeds = {0};
    uint32_t *const changed = serve_job_allocate(job, count, sizeof *changed);
    mcd_segment *const segment = changed ? serve_job_allocate(job, count, sizeof *segment) : NULL;
    for (size_t i = 0; segment && i < count; ++i)
        segment[i] = (mcd_segment){columns->of[FROM][i].whole, columns->of[TO][i].whole,
                                   columns->of[SPEED][i].decimal, (uint32_t)i};
    const bool is_applied = segment && open_speeds(job, &speeds) &&
                            give(job, &speeds, segment, count, changed) && apply_speeds(job, &speeds);
    mcd_speeds_close(&speeds);
    return is_applied;
}

/* ---- lines ---- */

bool serve_traffic_has_lines(const serve_traffic_lines *lines, const mcd_text *body)
{
    size_t i = mcd_csv_mark_bytes(body->data, body->size);
    while (i < body->size && strchr(" \t\r\n", body->data[i])) ++i;
    return lines->line_count > 0 || (i < body->size && !strchr("{[", body->data[i]));
}

/* The lines of the first `size` bytes; `segment` and `changed` have room for all. */
static bool take_lines(serve_job *job, serve_traffic_lines *lines, char *text, size_t size,
                       mcd_segment *segment, uint32_t *changed)
{
    mcd_csv csv = {.text = text, .bytes = size, .next_line = lines->line_count + 1, .separator = ','};
    size_t count = 0;
    if (lines->line_count == 0) csv.next = mcd_csv_mark_bytes(text, size);
    for (int64_t id[2]; mcd_csv_next(&csv); ++count) {
        mcd_segment *const out = &segment[count];
        if (mcd_speeds_read(id, 2, &out->kmh, csv.field, csv.field_count, &job->error) != MACADAM_OK)
            return serve_refuse(job, "InvalidValue", "line %zu: %s", csv.line, job->error.message);
        out->from = id[0], out->to = id[1], out->entry = (uint32_t)count;
    }
    lines->line_count = csv.next_line - 1;
    if (csv.fault) return serve_refuse(job, "InvalidValue", "line %zu: %s", csv.line, csv.fault);
    return open_speeds(job, &lines->speeds) && give(job, &lines->speeds, segment, count, changed);
}

/* Takes the lines of the first `size` bytes. */
static bool take(serve_job *job, serve_traffic_lines *lines, mcd_text *body, size_t size)
{
    size_t capacity = 1;
    for (size_t i = 0; i < size; ++i) capacity += body->data[i] == '\n';
    mcd_segment *const segment = calloc(capacity, sizeof *segment);
    uint32_t *const changed = calloc(capacity, sizeof *changed);
    const bool is_taken = segment && changed ? take_lines(job, lines, body->data, size, segment, changed)
                                             : serve_job_fail_memory(job);
    free(segment);
    free(changed);
    memmove(body->data, body->data + size, body->size -= size);
    return is_taken;
}

bool serve_traffic_take(serve_job *job, serve_traffic_lines *lines, mcd_text *body)
{
    size_t size = body->size;
    while (size > 0 && body->data[size - 1] != '\n') --size;
    return size > 0 ? take(job, lines, body, size)
                    : serve_refuse(job, "InvalidValue", "line %zu: it is too long", lines->line_count + 1);
}

void serve_traffic_apply(serve_job *job, serve_traffic_lines *lines, mcd_text *body)
{
    traffic_columns columns = {0};
    if (serve_traffic_has_lines(lines, body)) {
        if (take(job, lines, body, body->size)) apply_speeds(job, &lines->speeds);
        return;
    }
    cJSON *const json = serve_answer_parse(&job->answer, body->size ? body->data : "", body->size);
    if (json && read_columns(job, json, &columns))
        (columns.keys & 1 << SPEED ? apply_segments : apply_values)(job, &columns);
    cJSON_Delete(json);
}
