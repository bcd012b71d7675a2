/* table.c - answers that are tables. A row is literals with cells between them; the formats differ in the literals. */
#include "bindings/cli/output/table.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/npy.h"

#include <inttypes.h>
#include <math.h>

enum { SHAPE_BYTES = 64, LITERAL_BYTES = 8, VALUES_AT_ONCE = 1024 };

static const cli_frame array_of_lines = {"[\n", ",\n", "\n]\n", false};

/* ---- columns ---- */

static void add_column(cli_table *table, const char *name, size_t bytes)
{
    const size_t column = table->column_count++;
    char *const before = cli_allocate(bytes + LITERAL_BYTES, 1);
    table->before = cli_reallocate(table->before, table->column_count, sizeof *table->before);
    table->before[column] = before;
    if (table->format == CLI_JSON)
        sprintf(before, "%s\"%.*s\":", column ? "," : "{", (int)bytes, name);
    else
        strcpy(before, column ? "," : "");
    if (table->format == CLI_CSV) cli_output_format(&table->output, "%s%.*s", before, (int)bytes, name);
}

static void add_columns(cli_table *table, const cli_layout *layout)
{
    const char *name = layout->columns;
    const char *const *const quantity = layout->quantity ? layout->quantity : table->session->quantity;
    const size_t quantity_count = layout->quantity ? layout->quantity_count : table->session->quantity_count;
    for (size_t bytes; *name; name += bytes + (name[bytes] == ',')) {
        bytes = strcspn(name, ",");
        if (*name == '*') table->key_count = table->column_count;
        for (size_t q = 0; *name == '*' && q < quantity_count; ++q)
            add_column(table, quantity[q], strlen(quantity[q]));
        if (*name != '*') add_column(table, name, bytes);
    }
    static const char *const status_name[CLI_TABLE_STATUSES_MAX] = {"source_status", "target_status"};
    for (size_t i = 0; i < table->status_count; ++i)
        add_column(table, status_name[i], strlen(status_name[i]));
    if (table->format == CLI_CSV) cli_output_text(&table->output, "\n");
}

/* The array is of int32: what is unreached has the value of signed quantities. */
static bool is_signed_array(const cli_session *session)
{
    return session->is_signed[0] || session->is_signed[1];
}

static void write_npy_header(cli_table *table, const cli_layout *layout)
{
    const cli_session *const session = table->session;
    const bool has_costs = strchr(layout->columns, '*') != NULL;
    const bool is_signed = has_costs && is_signed_array(session);
    char shape[SHAPE_BYTES];
    snprintf(shape, sizeof shape, "(%" PRIu64 ", %" PRIu64 "%s), ", layout->shape.rows, layout->shape.columns,
             has_costs && session->quantity_count > 1 ? ", 2" : "");
    mcd_npy_header(&table->output.text, is_signed ? "<i4" : "<u4", shape);
}

static int check_npy(const cli_options *options)
{
    const char *const no_room = options->paths      ? "paths"
                                : options->statuses ? "statuses"
                                : options->si_units ? "fractions of seconds and metres"
                                                    : NULL;
    return no_room ? cli_fail_usage("npy holds whole numbers: it has no room for %s", no_room) : CLI_DONE;
}

int cli_table_open(cli_table *out, const cli_session *session, const cli_options *options,
                   const cli_layout *layout)
{
    *out = (cli_table){.session = session,
                       .frame = layout->frame ? layout->frame : &array_of_lines,
                       .format = options->format,
                       .status_count = options->statuses ? layout->status_count : 0};
    CLI_TRY(out->format == CLI_NPY ? check_npy(options) : CLI_DONE);
    CLI_TRY(cli_output_open(&out->output, options->output));
    if (out->format == CLI_NPY)
        write_npy_header(out, layout);
    else
        add_columns(out, layout);
    return CLI_DONE;
}

int cli_table_close(cli_table *table, int status)
{
    if (table->output.stream && table->format == CLI_JSON) {
        if (table->row_count == 0) cli_output_text(&table->output, "[");
        cli_output_text(&table->output, table->frame->last);
    }
    return cli_output_close(&table->output, status);
}

/* ---- cells ---- */

static mcd_text *next_cell(cli_table *table)
{
    mcd_text *const text = &table->output.text;
    if (table->column == 0 && table->format == CLI_JSON)
        mcd_text_add(text, table->row_count ? table->frame->between : table->frame->first);
    mcd_text_add(text, table->before[table->column++]);
    return text;
}

static void write_null(cli_table *table)
{
    mcd_text_add(next_cell(table), table->format == CLI_JSON ? "null" : "");
}

void cli_table_empty(cli_table *table)
{
    if (table->format == CLI_JSON && table->frame->omits)
        ++table->column;
    else
        write_null(table);
}

void cli_table_integer(cli_table *table, int64_t value)
{
    mcd_text_integer(next_cell(table), value);
}

void cli_table_id(cli_table *table, int64_t id)
{
    if (id)
        cli_table_integer(table, id);
    else
        cli_table_empty(table);
}

void cli_table_flag(cli_table *table, bool value)
{
    if (table->format == CLI_JSON)
        mcd_text_add(next_cell(table), value ? "true" : "false");
    else
        mcd_text_add(next_cell(table), value ? "1" : "0");
}

void cli_table_decimal(cli_table *table, double value, unsigned decimals)
{
    if (isnan(value)) {
        cli_table_empty(table);
    } else if (table->format == CLI_JSON) {
        mcd_text_number(next_cell(table), value, decimals);
    } else {
        next_cell(table);
        cli_output_format(&table->output, "%.*f", (int)decimals, value);
    }
}

/* A field of CSV: in quotes where it must be. */
static void add_field(mcd_text *text, const char *field, size_t bytes)
{
    bool is_quoted = false;
    for (size_t i = 0; i < bytes && !is_quoted; ++i) is_quoted = strchr(",\"\r\n", field[i]) != NULL;
    if (is_quoted) mcd_text_add(text, "\"");
    for (size_t i = 0; i < bytes; ++i) {
        if (field[i] == '"') mcd_text_add(text, "\"");
        mcd_text_bytes(text, &field[i], 1);
    }
    if (is_quoted) mcd_text_add(text, "\"");
}

static void write_text(cli_table *table, const char *text, size_t bytes)
{
    if (bytes == 0 && table->frame->omits)
        cli_table_empty(table);
    else if (table->format == CLI_JSON)
        mcd_text_quoted(next_cell(table), text, bytes);
    else
        add_field(next_cell(table), text, bytes);
}

void cli_table_text(cli_table *table, const char *text)
{
    write_text(table, text, strlen(text));
}

void cli_table_name(cli_table *table, const cli_name *name)
{
    if (name->text.text)
        write_text(table, name->text.text, name->text.bytes);
    else
        cli_table_integer(table, name->number);
}

void cli_table_cost(cli_table *table, int64_t cost, uint32_t per_unit)
{
    if (cost == MACADAM_COST_NONE)
        write_null(table);
    else
        mcd_text_fixed(next_cell(table), cost, mcd_text_decimals(per_unit));
}

void cli_table_list(cli_table *table, const int64_t *id, size_t count)
{
    const bool is_json = table->format == CLI_JSON;
    if (!id) {
        cli_table_empty(table);
        return;
    }
    mcd_text *const text = next_cell(table);
    if (is_json) mcd_text_add(text, "[");
    for (size_t i = 0; i < count; ++i) {
        if (i) mcd_text_add(text, is_json ? "," : " ");
        mcd_text_integer(text, id[i]);
    }
    if (is_json) mcd_text_add(text, "]");
}

void cli_table_costs(cli_table *table, const uint32_t *value)
{
    const cli_session *const session = table->session;
    for (size_t q = 0; q < session->quantity_count; ++q)
        cli_table_cost(table, macadam_cost(value[q], session->is_signed[q]), session->per_unit[q]);
}

void cli_table_end(cli_table *table)
{
    while (table->column < table->column_count - table->status_count) cli_table_empty(table);
    for (size_t i = 0; i < table->status_count; ++i)
        cli_table_text(table, macadam_place_status_name(table->status[i]));
    mcd_text_add(&table->output.text, table->format == CLI_JSON ? "}" : "\n");
    table->column = 0;
    ++table->row_count;
    cli_output_flush(&table->output);
}

/* ---- rows of costs ---- */

void cli_table_begin(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index)
{
    uint32_t one[MACADAM_QUANTITIES_MAX];
    for (size_t k = 0; k < table->key_count; ++k) cli_table_name(table, &name[k]);
    for (size_t q = 0; q < table->session->quantity_count; ++q) one[q] = value[q][index];
    cli_table_costs(table, one);
}

void cli_table_row(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index)
{
    if (table->format == CLI_NPY) {
        cli_table_values(table, value, index, 1);
    } else {
        cli_table_begin(table, name, value, index);
        cli_table_end(table);
    }
}

void cli_table_values(cli_table *table, const uint32_t *const *value, size_t first, size_t count)
{
    const size_t width = table->session->quantity_count;
    uint32_t row[VALUES_AT_ONCE * MACADAM_QUANTITIES_MAX];
    if (width == 1) cli_output_bytes(&table->output, value[0] + first, count * sizeof **value);
    for (size_t i = 0, part; i < count && width > 1; i += part) {
        part = count - i < VALUES_AT_ONCE ? count - i : VALUES_AT_ONCE;
        for (size_t q = 0; q < width; ++q) {
            const bool differs = is_signed_array(table->session) && !table->session->is_signed[q];
            for (size_t k = 0; k < part; ++k) {
                const uint32_t cost = value[q][first + i + k];
                row[k * width + q] =
                    differs && cost == MACADAM_UNREACHED ? (uint32_t)MACADAM_SIGNED_UNREACHED : cost;
            }
        }
        cli_output_bytes(&table->output, row, part * width * sizeof *row);
    }
}
