/* update.c - `macadam update`: a new edge file with new weights for some arcs. The CSV's header is
 * arc,<quantity>... or tail,head,<quantity>...; an empty field closes the arc for metrics with that quantity.
 */
#include "bindings/cli/command.h"
#include "bindings/cli/csv.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"

#include <stdlib.h>
#include <string.h>

typedef struct new_weights {
    cli_csv csv;
    size_t count, key_count, quantity_count;
    uint64_t *arc;        /* if key_count is 1 */
    int64_t *tail, *head; /* if key_count is 2 */
    char *quantity[CLI_CSV_FIELDS_MAX];
    uint32_t *value[CLI_CSV_FIELDS_MAX];
} new_weights;

static int read_header(new_weights *out)
{
    const cli_csv *const csv = &out->csv;
    const cli_field *const field = csv->field;
    if (cli_field_is(&field[0], "arc"))
        out->key_count = 1;
    else if (csv->field_count > 1 && cli_field_is(&field[0], "tail") && cli_field_is(&field[1], "head")) {
        out->key_count = 2;
    }
    if (out->key_count == 0 || csv->field_count == out->key_count) {
        return cli_csv_fail(csv, &field[0], "expected a header arc,<quantity>... or tail,head,<quantity>...");
    }
    for (size_t i = out->key_count; i < csv->field_count; ++i) {
        out->quantity[out->quantity_count++] = strndup(field[i].text, field[i].bytes);
    }
    return CLI_DONE;
}

static void allocate(new_weights *out)
{
    const size_t capacity = cli_csv_lines_left(&out->csv);
    if (out->key_count == 1) {
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
    const cli_field *const field = csv->field;
    if (out->key_count == 1) {
        if (cli_number_unsigned(field[0].text, field[0].bytes, UINT64_MAX, &out->arc[out->count]))
            return CLI_DONE;
        return cli_csv_fail(csv, &field[0], "not an arc number");
    }
    if (!cli_number_integer(field[0].text, field[0].bytes, &out->tail[out->count])) {
        return cli_csv_fail(csv, &field[0], "not an integer");
    }
    if (cli_number_integer(field[1].text, field[1].bytes, &out->head[out->count])) return CLI_DONE;
    return cli_csv_fail(csv, &field[1], "not an integer");
}

static int take_line(new_weights *out)
{
    const cli_csv *const csv = &out->csv;
    const size_t expected = out->key_count + out->quantity_count;
    if (csv->field_count != expected) {
        return cli_fail_usage("%s:%zu: %zu fields, expected %zu", csv->path, csv->line, csv->field_count,
                              expected);
    }
    const int status = take_key(out);
    if (status != CLI_DONE) return status;
    for (size_t q = 0; q < out->quantity_count; ++q) {
        const cli_field *const field = &csv->field[out->key_count + q];
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

static int read_weights(new_weights *out, const char *path)
{
    bool more = false;
    int status = cli_csv_open(&out->csv, path);
    if (status == CLI_DONE) status = cli_csv_next(&out->csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no header", path);
    if ((status = read_header(out)) != CLI_DONE) return status;
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
    for (size_t q = 0; q < weights->quantity_count; ++q) {
        free(weights->quantity[q]);
        free(weights->value[q]);
    }
    cli_csv_close(&weights->csv);
}

static int apply(const new_weights *weights, const cli_options *options)
{
    cli_session session;
    macadam_error error = {""};
    int status = cli_session_open(&session, options);
    if (status == CLI_DONE) {
        macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
        request.arc = weights->arc;
        request.tail = weights->tail;
        request.head = weights->head;
        request.count = weights->count;
        request.quantity = (const char *const *)weights->quantity;
        request.quantity_count = weights->quantity_count;
        request.value = (const uint32_t *const *)weights->value;
        request.progress = cli_progress;
        cli_progress_begin(options);
        macadam_status updated = macadam_update(session.engine, &request, &error);
        if (updated == MACADAM_OK) updated = macadam_engine_save(session.engine, options->output, &error);
        cli_progress_end();
        if (updated != MACADAM_OK) status = cli_fail_library(updated, &error);
    }
    cli_session_close(&session);
    return status;
}

int cli_update(const cli_options *options)
{
    new_weights weights = {0};
    int status = read_weights(&weights, options->weight[0]);
    if (status == CLI_DONE) status = apply(&weights, options);
    free_weights(&weights);
    return status;
}
