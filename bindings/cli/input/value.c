/* value.c - numbers that the user gives to nodes. */
#include "bindings/cli/input/value.h"
#include "bindings/cli/input/csv.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"

typedef struct value_columns {
    size_t node, value;
} value_columns;

static int take_value(uint32_t *out, bool *given, const cli_session *session, const cli_csv *csv,
                      const value_columns *columns)
{
    int64_t id;
    uint64_t value;
    size_t position;
    const cli_field *const node = &csv->field[columns->node], *const field = &csv->field[columns->value];
    if (!mcd_number_integer(node->text, node->bytes, &id)) return cli_csv_fail(csv, node, "not an integer");
    if (!cli_session_find_id(session, id, &position)) return cli_csv_fail(csv, node, "no such node");
    if (given[position]) return cli_csv_fail(csv, node, "a second value of this node");
    if (!mcd_number_unsigned(field->text, field->bytes, UINT32_MAX, &value))
        return cli_csv_fail(csv, field, "not a value from 0 to 4294967295");
    given[position] = true;
    out[position] = (uint32_t)value;
    return CLI_DONE;
}

static int read_lines(uint32_t *out, bool *given, const cli_session *session, cli_csv *csv)
{
    value_columns columns;
    const cli_column column[] = {{"", "node", &columns.node}, {"", "value", &columns.value}};
    CLI_TRY(cli_csv_first(csv, "header"));
    CLI_TRY(cli_csv_header(csv, column, 2));
    if (columns.node == CLI_CSV_NO_COLUMN || columns.value == CLI_CSV_NO_COLUMN)
        return cli_csv_fail(csv, &csv->field[0], "expected a header with the columns node and value");
    while (cli_csv_next(csv)) CLI_TRY(take_value(out, given, session, csv, &columns));
    return csv->status;
}

int cli_values_read(uint32_t **out, const cli_session *session, const char *path)
{
    cli_csv csv;
    *out = NULL;
    CLI_TRY(cli_csv_open(&csv, path));
    bool *const given = cli_allocate(session->info.id_count, sizeof *given);
    *out = cli_allocate(session->info.id_count, sizeof **out);
    return read_lines(*out, given, session, &csv);
}
