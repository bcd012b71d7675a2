/* table.c - answers that are tables. A row is literals with names and values between them; the formats differ
 * in the literals. */
#include "bindings/cli/table.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/json.h"

#include <stdlib.h>
#include <string.h>

enum { NPY_ALIGNMENT = 64, NPY_PREFIX_BYTES = 10, LITERAL_BYTES = 8, VALUES_AT_ONCE = 1024 };

/* ---- literals ---- */

/* What stands before a column's cell. */
static char *literal(cli_format format, size_t column, const char *name)
{
    char *const out = cli_allocate(strlen(name) + LITERAL_BYTES, 1);
    if (format == CLI_JSON)
        sprintf(out, "%s\"%s\":", column ? "," : "{", name);
    else
        strcpy(out, column ? "," : "");
    return out;
}

static const char *const status_name[CLI_TABLE_STATUSES_MAX] = {"source_status", "target_status"};

static void make_literals(cli_table *table, const cli_layout *layout)
{
    size_t column = 0;
    for (size_t k = 0; k < layout->key.count; ++k)
        table->before_key[k] = literal(table->format, column++, layout->key.name[k]);
    table->before_value = cli_allocate(layout->value.count, sizeof *table->before_value);
    for (size_t v = 0; v < layout->value.count; ++v)
        table->before_value[v] = literal(table->format, column++, layout->value.name[v]);
    if (layout->path) table->before_path = literal(table->format, column++, layout->path);
    for (size_t i = 0; i < table->status_count; ++i)
        table->before_status[i] = literal(table->format, column++, status_name[i]);
}

static void write_csv_header(cli_table *table, const cli_layout *layout)
{
    cli_output *const output = &table->output;
    for (size_t k = 0; k < layout->key.count; ++k)
        cli_output_format(output, "%s%s", k ? "," : "", layout->key.name[k]);
    for (size_t v = 0; v < layout->value.count; ++v) cli_output_format(output, ",%s", layout->value.name[v]);
    if (layout->path) cli_output_format(output, ",%s", layout->path);
    for (size_t i = 0; i < table->status_count; ++i) cli_output_format(output, ",%s", status_name[i]);
    cli_output_text(output, "\n");
}

/* NumPy format version 1.0: magic, version, length of the header, a Python literal padded with blanks and a
 * newline so that the data is aligned. */
static void write_npy_header(cli_table *table, cli_shape shape)
{
    char header[3 * NPY_ALIGNMENT];
    int bytes = snprintf(
        header, sizeof header, "{'descr': '<%s4', 'fortran_order': False, 'shape': (%llu, %llu%s), }",
        table->is_signed[0] || table->is_signed[1] ? "i" : "u", (unsigned long long)shape.rows,
        (unsigned long long)shape.columns, table->value_count == 2 ? ", 2" : "");
    while ((NPY_PREFIX_BYTES + bytes + 1) % NPY_ALIGNMENT != 0) header[bytes++] = ' ';
    header[bytes++] = '\n';
    const uint8_t prefix[NPY_PREFIX_BYTES] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)bytes, (uint8_t)(bytes >> 8)};
    cli_output_bytes(&table->output, prefix, sizeof prefix);
    cli_output_bytes(&table->output, header, (size_t)bytes);
}

cli_columns cli_quantity_columns(const cli_session *session)
{
    return (cli_columns){session->quantity, session->quantity_count, session->per_unit, session->is_signed};
}

static int check_npy(const cli_options *options, const cli_layout *layout)
{
    const char *const no_room = layout->path        ? "paths"
                                : options->statuses ? "statuses"
                                : options->si_units ? "fractions of seconds and metres"
                                                    : NULL;
    return no_room ? cli_fail_usage("npy holds whole numbers: it has no room for %s", no_room) : CLI_DONE;
}

int cli_table_open(cli_table *out, const cli_options *options, const cli_layout *layout)
{
    *out = (cli_table){.format = options->format,
                       .key_count = layout->key.count,
                       .value_count = layout->value.count,
                       .status_count = options->statuses ? layout->status_count : 0};
    int status = out->format == CLI_NPY ? check_npy(options, layout) : CLI_DONE;
    if (status == CLI_DONE) status = cli_output_open(&out->output, options->output);
    if (status != CLI_DONE) return status;
    make_literals(out, layout);
    if (layout->value.per_unit) {
        out->per_unit = cli_allocate(out->value_count, sizeof *out->per_unit);
        memcpy(out->per_unit, layout->value.per_unit, out->value_count * sizeof *out->per_unit);
    }
    if (layout->value.is_signed) memcpy(out->is_signed, layout->value.is_signed, sizeof out->is_signed);
    if (out->format == CLI_CSV)
        write_csv_header(out, layout);
    else if (out->format == CLI_NPY)
        write_npy_header(out, layout->shape);
    else
        cli_output_text(&out->output, "[");
    return CLI_DONE;
}

int cli_table_close(cli_table *table, int status)
{
    if (table->output.stream && table->format == CLI_JSON) cli_output_text(&table->output, "\n]\n");
    status = cli_output_close(&table->output, status);
    for (size_t k = 0; k < CLI_TABLE_KEYS_MAX; ++k) free(table->before_key[k]);
    for (size_t v = 0; table->before_value && v < table->value_count; ++v) free(table->before_value[v]);
    free(table->before_value);
    free(table->before_path);
    for (size_t i = 0; i < CLI_TABLE_STATUSES_MAX; ++i) free(table->before_status[i]);
    free(table->per_unit);
    return status;
}

/* ---- rows ---- */

static void write_name(cli_table *table, const cli_name *name)
{
    cli_output *const output = &table->output;
    if (!name->text.text)
        cli_output_integer(output, name->number);
    else if (table->format == CLI_JSON)
        cli_json_write_text(output, name->text.text, name->text.bytes);
    else
        cli_output_csv_text(output, name->text.text, name->text.bytes);
}

void cli_table_values(cli_table *table, const uint32_t *const *value, size_t first, size_t count)
{
    uint32_t row[VALUES_AT_ONCE * MACADAM_QUANTITIES_MAX];
    if (table->value_count == 1) cli_output_bytes(&table->output, value[0] + first, count * sizeof **value);
    for (size_t i = 0, part; i < count && table->value_count > 1; i += part) {
        part = count - i < VALUES_AT_ONCE ? count - i : VALUES_AT_ONCE;
        for (size_t q = 0; q < table->value_count; ++q)
            for (size_t k = 0; k < part; ++k) row[k * table->value_count + q] = value[q][first + i + k];
        cli_output_bytes(&table->output, row, part * table->value_count * sizeof *row);
    }
}

/* What stands before a row's cells. */
static void write_names(cli_table *table, const cli_name *name)
{
    if (table->format == CLI_JSON) cli_output_text(&table->output, table->row_count ? ",\n" : "\n");
    for (size_t k = 0; k < table->key_count; ++k) {
        cli_output_text(&table->output, table->before_key[k]);
        write_name(table, &name[k]);
    }
}

static void write_cell(cli_table *table, size_t column, int64_t cell)
{
    cli_output_text(&table->output, table->before_value[column]);
    if (cell != CLI_CELL_EMPTY)
        cli_output_cost(&table->output, cell, table->per_unit ? table->per_unit[column] : 1);
    else if (table->format == CLI_JSON)
        cli_output_text(&table->output, "null");
}

/* A row but for its path and its end. */
static void write_costs(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index)
{
    write_names(table, name);
    for (size_t q = 0; q < table->value_count; ++q)
        write_cell(table, q,
                   macadam_cost(value[q][index], q < MACADAM_QUANTITIES_MAX && table->is_signed[q]));
}

static void end_row(cli_table *table)
{
    const char *const quote = table->format == CLI_JSON ? "\"" : "";
    for (size_t i = 0; i < table->status_count; ++i)
        cli_output_format(&table->output, "%s%s%s%s", table->before_status[i], quote,
                          macadam_place_status_name(table->status[i]), quote);
    cli_output_text(&table->output, table->format == CLI_JSON ? "}" : "\n");
    ++table->row_count;
}

void cli_table_cells(cli_table *table, const cli_name *name, const int64_t *cell)
{
    write_names(table, name);
    for (size_t v = 0; v < table->value_count; ++v) write_cell(table, v, cell[v]);
    end_row(table);
}

void cli_table_row(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index)
{
    if (table->format == CLI_NPY) {
        cli_table_values(table, value, index, 1);
    } else {
        write_costs(table, name, value, index);
        end_row(table);
    }
}

void cli_table_row_with_id(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index,
                           const int64_t *id)
{
    write_costs(table, name, value, index);
    cli_output_text(&table->output, table->before_path);
    if (id)
        cli_output_integer(&table->output, *id);
    else if (table->format == CLI_JSON)
        cli_output_text(&table->output, "null");
    end_row(table);
}

void cli_table_row_with_path(cli_table *table, const cli_name *name, const uint32_t *const *value,
                             size_t index, const uint64_t *arc, size_t arc_count)
{
    const bool json = table->format == CLI_JSON;
    cli_output *const output = &table->output;
    write_costs(table, name, value, index);
    cli_output_text(output, table->before_path);
    if (json) cli_output_text(output, arc ? "[" : "null");
    for (size_t i = 0; arc && i < arc_count; ++i) {
        if (i) cli_output_text(output, json ? "," : " ");
        cli_output_integer(output, (int64_t)arc[i]);
    }
    if (json && arc) cli_output_text(output, "]");
    end_row(table);
}
