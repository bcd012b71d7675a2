/* value.c - numbers that the user gives to nodes. */
#include "bindings/cli/value.h"
#include "bindings/cli/csv.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"

#include <stdlib.h>

static int take_value(uint32_t *out, bool *given, const cli_session *session, const cli_csv *csv)
{
    const cli_field *const node = &csv->field[0], *const field = &csv->field[1];
    int64_t id;
    uint64_t value;
    size_t position;
    if (csv->field_count != 2) {
        return cli_fail_usage("%s:%zu: %zu fields, expected 2", csv->path, csv->line, csv->field_count);
    }
    if (!cli_number_integer(node->text, node->bytes, &id)) return cli_csv_fail(csv, node, "not an integer");
    if (!cli_session_find_id(session, id, &position)) return cli_csv_fail(csv, node, "no such node");
    if (given[position]) return cli_csv_fail(csv, node, "a second value of this node");
    if (!cli_number_unsigned(field->text, field->bytes, UINT32_MAX, &value)) {
        return cli_csv_fail(csv, field, "not a value from 0 to 4294967295");
    }
    given[position] = true;
    out[position] = (uint32_t)value;
    return CLI_DONE;
}

static int read_lines(uint32_t *out, bool *given, const cli_session *session, cli_csv *csv)
{
    bool more = false;
    int status = cli_csv_next(csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no header", csv->path);
    if (!cli_csv_line_is(csv, "node,value")) {
        return cli_csv_fail(csv, &csv->field[0], "expected a header node,value");
    }
    while (status == CLI_DONE && (status = cli_csv_next(csv, &more)) == CLI_DONE && more) {
        status = take_value(out, given, session, csv);
    }
    return status;
}

int cli_values_read(uint32_t **out, const cli_session *session, const char *path)
{
    cli_csv csv;
    *out = NULL;
    int status = cli_csv_open(&csv, path);
    if (status != CLI_DONE) return status;
    bool *const given = cli_allocate(session->info.id_count, sizeof *given);
    *out = cli_allocate(session->info.id_count, sizeof **out);
    status = read_lines(*out, given, session, &csv);
    free(given);
    cli_csv_close(&csv);
    return status;
}
