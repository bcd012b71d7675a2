/* update.c - `macadam update`: a new edge file with new weights for some arcs. The CSV names arcs in the
 * column arc, else in the columns tail and head; an empty field closes the arc for metrics with that
 * quantity. */
#include "bindings/cli/command.h"
#include "bindings/cli/csv.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"

#include <stdlib.h>

typedef struct new_weights {
    cli_csv csv;
    size_t field_count; /* of the header */
    size_t arc_column, tail_column, head_column, value_column[CLI_CSV_FIELDS_MAX];
    size_t count, quantity_count;
    uint64_t *arc;        /* if there is an arc_column */
    int64_t *tail, *head; /* else */
    const char *quantity[CLI_CSV_FIELDS_MAX];
    uint32_t *value[CLI_CSV_FIELDS_MAX];
} new_weights;

static bool is_key(const new_weights *weights, size_t column)
{
    return column == weights->arc_column || column == weights->tail_column || column == weights->head_column;
}

static const char *find_quantity(const macadam_info *info, const cli_field *field)
{
    for (size_t i = 0; i < info->quantity_count; ++i)
        if (cli_field_is(field, info->quantity[i])) return info->quantity[i];
    return NULL;
}

/* Says which columns are left out. */
static void tell_ignored(const new_weights *weights, const macadam_info *info)
{
    const cli_csv *const csv = &weights->csv;
    for (size_t i = 0; i < csv->field_count; ++i)
        if (!is_key(weights, i) && !find_quantity(info, &csv->field[i]))
            cli_warn("%s:%zu: the map has no quantity \"%.*s\": this column is ignored", csv->path, csv->line,
                     (int)csv->field[i].bytes, csv->field[i].text);
}

static int fail_header(const new_weights *weights)
{
    const cli_csv *const csv = &weights->csv;
    const bool by_ends =
        weights->tail_column != CLI_CSV_NO_COLUMN && weights->head_column != CLI_CSV_NO_COLUMN;
    size_t column = 0;
    while (column < csv->field_count && is_key(weights, column)) ++column;
    if (column == csv->field_count || (weights->arc_column == CLI_CSV_NO_COLUMN && !by_ends))
        return cli_csv_fail(csv, &csv->field[0],
                            "expected a header with the columns arc, or tail and head, and a quantity");
    return cli_csv_fail(csv, &csv->field[column], "the map has no such quantity");
}

static int read_header(new_weights *out, const cli_session *session)
{
    const cli_csv *const csv = &out->csv;
    out->field_count = csv->field_count;
    int status = cli_csv_column(csv, "", "arc", &out->arc_column);
    if (status == CLI_DONE) status = cli_csv_column(csv, "", "tail", &out->tail_column);
    if (status == CLI_DONE) status = cli_csv_column(csv, "", "head", &out->head_column);
    if (status != CLI_DONE) return status;
    for (size_t i = 0; i < csv->field_count; ++i) {
        const char *const name = is_key(out, i) ? NULL : find_quantity(&session->info, &csv->field[i]);
        for (size_t q = 0; name && q < out->quantity_count; ++q)
            if (out->quantity[q] == name) return cli_csv_fail(csv, &csv->field[i], "a second column");
        if (!name) continue;
        out->value_column[out->quantity_count] = i;
        out->quantity[out->quantity_count++] = name;
    }
    const bool by_ends = out->tail_column != CLI_CSV_NO_COLUMN && out->head_column != CLI_CSV_NO_COLUMN;
    if (out->quantity_count == 0 || (out->arc_column == CLI_CSV_NO_COLUMN && !by_ends))
        return fail_header(out);
    tell_ignored(out, &session->info);
    return CLI_DONE;
}

static void allocate(new_weights *out)
{
    const size_t capacity = cli_csv_lines_left(&out->csv);
    if (out->arc_column != CLI_CSV_NO_COLUMN) {
        out->arc = cli_allocate(capacity, sizeof *out->arc);
    } else {
        out->tail = cli_allocate(capacity, sizeof *out->tail);
        out->head = cli_allocate(capacity, sizeof *out->head);
    }
    for (size_t q = 0; q < out->quantity_count; ++q) {
        out->value[q] = cli_allocate(capacity, sizeof *out->value[q]);
    }
}

static int take_key(new_weights *out)
{
    const cli_csv *const csv = &out->csv;
    if (out->arc) {
        const cli_field *const arc = &csv->field[out->arc_column];
        if (cli_number_unsigned(arc->text, arc->bytes, UINT64_MAX, &out->arc[out->count])) return CLI_DONE;
        return cli_csv_fail(csv, arc, "not an arc number");
    }
    const cli_field *const tail = &csv->field[out->tail_column], *const head = &csv->field[out->head_column];
    if (!cli_number_integer(tail->text, tail->bytes, &out->tail[out->count]))
        return cli_csv_fail(csv, tail, "not an integer");
    if (cli_number_integer(head->text, head->bytes, &out->head[out->count])) return CLI_DONE;
    return cli_csv_fail(csv, head, "not an integer");
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
        if (field->bytes > 0 &&
            !cli_number_unsigned(field->text, field->bytes, MACADAM_WEIGHT_MAX, &weight)) {
            return cli_csv_fail(csv, field, "not a weight from 0 to 2147483646, nor empty");
        }
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
    free(weights->tail);
    free(weights->head);
    for (size_t q = 0; q < weights->quantity_count; ++q) free(weights->value[q]);
    cli_csv_close(&weights->csv);
}

static int apply(const cli_session *session, const new_weights *weights, const cli_options *options)
{
    macadam_error error = {""};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = weights->arc;
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
