/* table.c - see table.h. */
#include "bindings/cli/output/table.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/npy.h"

#include <inttypes.h>
#include <string.h>

enum { SHAPE_BYTES = 64, VALUES_AT_ONCE = 1024 };

static const mcd_record_frame array_of_lines = {"[\n", ",\n", "\n]\n", false};

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

int cli_table_open(cli_table *out, const cli_session *session, const cli_layout *layout)
{
    const cli_options *const options = session->options;
    static const char *const status_name[CLI_TABLE_STATUSES_MAX] = {"source_status", "target_status"};
    const mcd_record_frame *const frame = layout->frame ? layout->frame : &array_of_lines;
    *out = (cli_table){.session = session,
                       .is_npy = options->format == MCD_NPY,
                       .status_count = options->statuses ? layout->status_count : 0};
    CLI_TRY(out->is_npy ? check_npy(options) : CLI_DONE);
    CLI_TRY(cli_output_open(&out->output, options->output));
    if (out->is_npy) {
        write_npy_header(out, layout);
        return CLI_DONE;
    }
    macadam_format_options *const costs = &out->output.text.options;
    *costs = cli_session_format(session);
    if (layout->quantity) {
        costs->quantity = layout->quantity, costs->quantity_count = session->info.quantity_count;
        costs->is_signed = session->info.is_signed, costs->per_unit = NULL;
    }
    char *const columns = cli_allocate(strlen(layout->columns) + 1, 1); /* which the records borrow */
    strcpy(columns, layout->columns);
    out->records = mcd_records_of(&out->output.text, options->format == MCD_JSON ? frame : NULL,
                                  layout->structure, columns);
    for (size_t i = 0; i < out->status_count; ++i)
        out->records.field[out->records.field_count++] = (mcd_record_field){
            .name = status_name[i], .name_bytes = strlen(status_name[i]), .is_plain = true};
    if (options->format == MCD_CSV) mcd_records_head(&out->records);
    return CLI_DONE;
}

int cli_table_close(cli_table *table, int status)
{
    mcd_records_finish(&table->records);
    return cli_output_close(&table->output, status);
}

/* ---- rows ---- */

void cli_table_id(cli_table *table, int64_t id)
{
    if (!table->is_npy) mcd_record_integer(&table->records, id);
}

void cli_table_place(cli_table *table, const cli_places *places, size_t i)
{
    mcd_records *const records = &table->records;
    if (table->is_npy) return;
    const cli_name name = cli_place_name(places, i);
    if (!name.text.text)
        mcd_record_integer(records, name.number);
    else if (name.text.bytes == 0 && records->frame && records->frame->omits)
        mcd_record_empty(records);
    else
        mcd_record_bytes(records, name.text.text, name.text.bytes);
    if (table->place_count < table->status_count) table->status[table->place_count++] = places->status[i];
}

void cli_table_costs(cli_table *table, const uint32_t *const *value, size_t index)
{
    uint32_t one[MACADAM_QUANTITIES_MAX];
    if (table->is_npy) {
        cli_table_values(table, value, index, 1);
        return;
    }
    for (size_t q = 0; q < table->session->quantity_count; ++q) one[q] = value[q][index];
    mcd_record_costs(&table->records, one);
}

void cli_table_end(cli_table *table)
{
    mcd_records *const records = &table->records;
    if (table->is_npy) return;
    while (records->at < records->field_count - table->status_count) mcd_record_empty(records);
    for (size_t i = 0; i < table->status_count; ++i)
        mcd_record_text(records, macadam_place_status_name(table->status[i]));
    mcd_record_end(records);
    table->place_count = 0;
    cli_output_flush(&table->output);
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
