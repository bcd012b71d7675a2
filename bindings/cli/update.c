/* update.c - `macadam update`: a new edge file with new weights for some arcs. The CSV names arcs in the
 * column arc; else by way, with tail and head or with forward; else by tail and head. An empty field closes the
 * arc for metrics with that quantity; the word "imported" brings its imported weight back. */
#include "bindings/cli/command.h"
#include "bindings/cli/csv.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"

#include <stdlib.h>

/* The columns that name arcs. */
typedef enum key_column { ARC, WAY, FORWARD, TAIL, HEAD, KEYS } key_column;

static const char *const key_name[KEYS] = {
    [ARC] = "arc", [WAY] = "way", [FORWARD] = "forward", [TAIL] = "tail", [HEAD] = "head"};

typedef struct new_weights {
    cli_csv csv;
    size_t field_count; /* of the header */
    size_t column[KEYS], value_column[CLI_CSV_FIELDS_MAX];
    bool reads[KEYS]; /* which of them are read */
    size_t count, quantity_count;
    uint64_t *arc; /* arrays of the columns that are read */
    int64_t *way, *tail, *head;
    int8_t *direction;
    const char *quantity[CLI_CSV_FIELDS_MAX];
    uint32_t *value[CLI_CSV_FIELDS_MAX];
} new_weights;

static bool has(const new_weights *weights, key_column key)
{
    return weights->column[key] != CLI_CSV_NO_COLUMN;
}

static bool is_key(const new_weights *weights, size_t column)
{
    for (key_column key = 0; key < KEYS; ++key)
        if (column == weights->column[key]) return true;
    return false;
}

static bool is_signed(const macadam_info *info, const char *quantity)
{
    size_t i = 0;
    while (info->quantity[i] != quantity) ++i;
    return info->has_potential[i];
}

static const char *find_quantity(const macadam_info *info, const cli_field *field)
{
    for (size_t i = 0; i < info->quantity_count; ++i)
        if (cli_field_is(field, info->quantity[i])) return info->quantity[i];
    return NULL;
}

/* Decides which columns name the arcs. Returns whether they do. */
static bool choose_keys(new_weights *weights)
{
    const bool by_arc = has(weights, ARC), by_ends = !by_arc && has(weights, TAIL) && has(weights, HEAD);
    weights->reads[ARC] = by_arc;
    weights->reads[TAIL] = weights->reads[HEAD] = by_ends;
    weights->reads[WAY] = !by_arc && has(weights, WAY);
    weights->reads[FORWARD] = weights->reads[WAY] && !by_ends && has(weights, FORWARD);
    return by_arc || by_ends || weights->reads[WAY];
}

/* Whether `macadam arcs` prints the column for people. */
static bool is_listed(const cli_field *field)
{
    return cli_field_is(field, "class") || cli_field_is(field, "length_cm");
}

/* Says which columns are left out. */
static void tell_ignored(const new_weights *weights, const macadam_info *info)
{
    const cli_csv *const csv = &weights->csv;
    for (size_t i = 0; i < csv->field_count; ++i)
        if (!is_key(weights, i) && !is_listed(&csv->field[i]) && !find_quantity(info, &csv->field[i]))
            cli_warn("%s:%zu: the map has no quantity \"%.*s\": this column is ignored", csv->path, csv->line,
                     (int)csv->field[i].bytes, csv->field[i].text);
}

static int fail_header(const new_weights *weights)
{
    const cli_csv *const csv = &weights->csv;
    size_t column = 0;
    while (column < csv->field_count && is_key(weights, column)) ++column;
    if (column == csv->field_count || !(weights->reads[ARC] || weights->reads[WAY] || weights->reads[TAIL]))
        return cli_csv_fail(
            csv, &csv->field[0],
            "expected a header with the columns arc, or tail and head, or way, and a quantity");
    return cli_csv_fail(csv, &csv->field[column], "the map has no such quantity");
}

static int read_header(new_weights *out, const cli_session *session)
{
    const cli_csv *const csv = &out->csv;
    out->field_count = csv->field_count;
    int status = CLI_DONE;
    for (key_column key = 0; key < KEYS && status == CLI_DONE; ++key)
        status = cli_csv_column(csv, "", key_name[key], &out->column[key]);
    if (status != CLI_DONE) return status;
    const bool names_arcs = choose_keys(out);
    for (size_t i = 0; i < csv->field_count; ++i) {
        const char *const name = is_key(out, i) ? NULL : find_quantity(&session->info, &csv->field[i]);
        if (name && is_signed(&session->info, name))
            return cli_csv_fail(csv, &csv->field[i],
                                "a quantity that may be negative, which cannot be updated");
        for (size_t q = 0; name && q < out->quantity_count; ++q)
            if (out->quantity[q] == name) return cli_csv_fail(csv, &csv->field[i], "a second column");
        if (!name) continue;
        out->value_column[out->quantity_count] = i;
        out->quantity[out->quantity_count++] = name;
    }
    if (out->quantity_count == 0 || !names_arcs) return fail_header(out);
    tell_ignored(out, &session->info);
    return CLI_DONE;
}

static void allocate(new_weights *out)
{
    const size_t capacity = cli_csv_lines_left(&out->csv);
    if (out->reads[ARC]) out->arc = cli_allocate(capacity, sizeof *out->arc);
    if (out->reads[WAY]) out->way = cli_allocate(capacity, sizeof *out->way);
    if (out->reads[FORWARD]) out->direction = cli_allocate(capacity, sizeof *out->direction);
    if (out->reads[TAIL]) out->tail = cli_allocate(capacity, sizeof *out->tail);
    if (out->reads[HEAD]) out->head = cli_allocate(capacity, sizeof *out->head);
    for (size_t q = 0; q < out->quantity_count; ++q)
        out->value[q] = cli_allocate(capacity, sizeof *out->value[q]);
}

static int take_arc(new_weights *out)
{
    const cli_field *const arc = &out->csv.field[out->column[ARC]];
    if (cli_number_unsigned(arc->text, arc->bytes, UINT64_MAX, &out->arc[out->count])) return CLI_DONE;
    return cli_csv_fail(&out->csv, arc, "not an arc number");
}

static int take_direction(new_weights *out)
{
    const cli_field *const field = &out->csv.field[out->column[FORWARD]];
    uint64_t forward;
    out->direction[out->count] = 0;
    if (field->bytes == 0) return CLI_DONE;
    if (!cli_number_unsigned(field->text, field->bytes, 1, &forward))
        return cli_csv_fail(&out->csv, field, "not 1, 0 or empty");
    out->direction[out->count] = forward ? 1 : -1;
    return CLI_DONE;
}

static int take_key(new_weights *out)
{
    const struct {
        key_column key;
        int64_t *to;
    } integer[] = {{WAY, out->way}, {TAIL, out->tail}, {HEAD, out->head}};
    if (out->reads[ARC]) return take_arc(out);
    for (size_t i = 0; i < sizeof integer / sizeof integer[0]; ++i) {
        if (!out->reads[integer[i].key]) continue;
        const cli_field *const field = &out->csv.field[out->column[integer[i].key]];
        if (!cli_number_integer(field->text, field->bytes, &integer[i].to[out->count]))
            return cli_csv_fail(&out->csv, field, "not an integer");
    }
    return out->reads[FORWARD] ? take_direction(out) : CLI_DONE;
}

static int take_line(new_weights *out)
{
    const cli_csv *const csv = &out->csv;
    int status = cli_csv_expect(csv, out->field_count);
    if (status == CLI_DONE) status = take_key(out);
    if (status != CLI_DONE) return status;
    for (size_t q = 0; q < out->quantity_count; ++q) {
        const cli_field *const field = &csv->field[out->value_column[q]];
        uint64_t weight = MACADAM_WEIGHT_CLOSED;
        if (cli_field_is(field, "imported"))
            weight = MACADAM_WEIGHT_IMPORTED;
        else if (field->bytes > 0 &&
                 !cli_number_unsigned(field->text, field->bytes, MACADAM_WEIGHT_MAX, &weight))
            return cli_csv_fail(csv, field, "not a weight from 0 to 2147483646, nor imported, nor empty");
        out->value[q][out->count] = (uint32_t)weight;
    }
    ++out->count;
    return CLI_DONE;
}

static int read_weights(new_weights *out, const cli_session *session, const char *path)
{
    bool more = false;
    int status = cli_csv_open(&out->csv, path);
    if (status == CLI_DONE) status = cli_csv_next(&out->csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no header", out->csv.path);
    if ((status = read_header(out, session)) != CLI_DONE) return status;
    allocate(out);
    while (status == CLI_DONE && (status = cli_csv_next(&out->csv, &more)) == CLI_DONE && more) {
        status = take_line(out);
    }
    return status;
}

static void free_weights(new_weights *weights)
{
    free(weights->arc);
    free(weights->way);
    free(weights->direction);
    free(weights->tail);
    free(weights->head);
    for (size_t q = 0; q < weights->quantity_count; ++q) free(weights->value[q]);
    cli_csv_close(&weights->csv);
}

/* Without --profile, an update holds for all of the file's profiles. */
static bool is_for_all(const cli_session *session, const cli_options *options)
{
    return session->info.profile_count > 1 && options->profile_count == 0;
}

static int apply(const cli_session *session, const new_weights *weights, const cli_options *options)
{
    macadam_error error = {""};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.all_profiles = is_for_all(session, options);
    if (request.all_profiles && weights->arc)
        return cli_fail_usage("%s: arc numbers are a profile's own: name one with --profile",
                              weights->csv.path);
    request.arc = weights->arc;
    request.way = weights->way;
    request.direction = weights->direction;
    request.tail = weights->tail;
    request.head = weights->head;
    request.count = weights->count;
    request.quantity = weights->quantity;
    request.quantity_count = weights->quantity_count;
    request.value = (const uint32_t *const *)weights->value;
    request.progress = cli_progress;
    cli_progress_begin(options);
    macadam_status updated = macadam_update(session->engine, &request, &error);
    if (updated == MACADAM_OK) updated = macadam_engine_save(session->engine, options->output, &error);
    cli_progress_end();
    return updated == MACADAM_OK ? CLI_DONE : cli_fail_library(updated, &error);
}

int cli_update(const cli_options *options)
{
    cli_session session;
    new_weights weights = {0};
    int status = cli_session_open(&session, options);
    if (status == CLI_DONE) status = read_weights(&weights, &session, options->weight[0]);
    if (status == CLI_DONE) status = apply(&session, &weights, options);
    free_weights(&weights);
    cli_session_close(&session);
    return status;
}
