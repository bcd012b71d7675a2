/* table.c - see table.h. */
#include "bindings/cli/output/table.h"
#include "bindings/cli/output/failure.h"

#include <errno.h>
#include <inttypes.h>

enum { SHAPE_BYTES = 128 };

static const mcd_record_frame array_of_lines = {"[\n", ",\n", "\n]\n", false};

static bool write_bytes(void *context, const void *data, size_t bytes)
{
    cli_output *const output = context;
    cli_output_bytes(output, data, bytes);
    return !output->failed;
}

/* Takes what a function of arrays returned: if the output has not failed, there was no memory for a head. */
static bool check_written(cli_table *table, bool is_written)
{
    if (!is_written) cli_output_fail(&table->output, ENOMEM);
    return is_written;
}

/* An array has only costs; without any, it has the numbers of the second column. */
static void open_array(cli_table *table, const cli_layout *layout)
{
    const cli_session *const session = table->session;
    const bool has_costs = strchr(layout->columns, '*') != NULL;
    char shape[SHAPE_BYTES];
    mcd_cost_array *const array = &table->array;
    *array = (mcd_cost_array){
        .form = session->options->format == MCD_NPY ? MCD_COST_ARRAY_NPY : MCD_COST_ARRAY_ARROW,
        .shape = shape,
        .name = {"hops"},
        .quantity_count = has_costs ? session->quantity_count : 1,
        .columns = layout->shape.columns * (layout->shape.arrives ? layout->shape.arrives : 1),
        .interleaves = session->options->format == MCD_NPY,
        .write = write_bytes,
        .context = &table->output};
    for (size_t q = 0; has_costs && q < session->quantity_count; ++q)
        array->name[q] = session->quantity[q], array->is_signed[q] = session->is_signed[q];
    const cli_shape *const of = &layout->shape;
    const uint64_t size[] = {of->rows, of->departs, of->columns, of->arrives};
    size_t bytes = 0;
    for (size_t i = 0; i < 4; ++i) /* times are axes if there are several */
        if (i % 2 == 0 || size[i] > 1)
            bytes +=
                (size_t)snprintf(shape + bytes, sizeof shape - bytes, "%s%" PRIu64, i ? ", " : "(", size[i]);
    snprintf(shape + bytes, sizeof shape - bytes, "%s), ", array->quantity_count > 1 ? ", 2" : "");
    check_written(table, mcd_cost_array_begin(array));
}

static int check_array(const cli_options *options)
{
    const char *const no_room = options->paths      ? "paths"
                                : options->statuses ? "statuses"
                                : options->si_units ? "fractions of seconds and metres"
                                                    : NULL;
    const char *const form = options->format == MCD_NPY ? "npy" : "arrow";
    if (no_room) return cli_fail_usage("%s holds whole numbers: it has no room for %s", form, no_room);
    return CLI_DONE;
}

int cli_table_open(cli_table *out, const cli_session *session, const cli_layout *layout)
{
    const cli_options *const options = session->options;
    static const char *const status_name[CLI_TABLE_STATUSES_MAX] = {"source_status", "target_status"};
    const mcd_record_frame *const frame = layout->frame ? layout->frame : &array_of_lines;
    *out = (cli_table){.session = session,
                       .is_array = options->format & MCD_ARRAYS,
                       .status_count = options->statuses ? layout->status_count : 0};
    CLI_TRY(out->is_array ? check_array(options) : CLI_DONE);
    CLI_TRY(cli_output_open(&out->output, options->output));
    if (out->is_array) {
        open_array(out, layout);
        return CLI_DONE;
    }
    macadam_format_options *const costs = &out->output.text.options;
    *costs = session->format;
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
    if (table->is_array)
        check_written(table, mcd_cost_array_end(&table->array));
    else
        mcd_records_finish(&table->records);
    return cli_output_close(&table->output, status);
}

/* ---- rows ---- */

bool cli_table_rows(cli_table *table, const uint32_t *const *value, size_t rows)
{
    return check_written(table, mcd_cost_array_rows(&table->array, value, rows));
}

void cli_table_id(cli_table *table, int64_t id)
{
    mcd_record_integer(&table->records, id);
}

void cli_table_place(cli_table *table, const cli_places *places, size_t i)
{
    mcd_records *const records = &table->records;
    const cli_name name = cli_place_name(places, i);
    if (!name.text.text)
        mcd_record_integer(records, name.number);
    else if (name.text.bytes == 0 && records->frame && records->frame->omits)
        mcd_record_empty(records);
    else
        mcd_record_bytes(records, name.text.text, name.text.bytes);
    if (table->place_count < table->status_count) table->status[table->place_count++] = places->status[i];
}

void cli_table_time(cli_table *table, size_t row, size_t column)
{
    const macadam_clock *const clock = &table->session->clock;
    if (!table->session->time) return;
    const size_t at = clock->depart_count ? row : column, count = clock->depart_count + clock->arrive_count;
    const cli_time *const time = &table->session->time[at % count];
    mcd_record_bytes(&table->records, time->text, time->bytes);
}

void cli_table_costs(cli_table *table, const uint32_t *const *value, size_t index)
{
    uint32_t one[MACADAM_QUANTITIES_MAX];
    for (size_t q = 0; q < table->session->quantity_count; ++q) one[q] = value[q][index];
    mcd_record_costs(&table->records, one);
}

void cli_table_end(cli_table *table)
{
    mcd_records *const records = &table->records;
    while (records->at < records->field_count - table->status_count) mcd_record_empty(records);
    for (size_t i = 0; i < table->status_count; ++i)
        mcd_record_text(records, macadam_place_status_name(table->status[i]));
    mcd_record_end(records);
    table->place_count = 0;
    cli_output_flush(&table->output);
}
