/* traces.c - see traces.h. */
#include "bindings/cli/traces.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LON, LAT, TIME, ACCURACY, HEADING, HEADING_ACCURACY, SPEED, NUMBERS };

static const char *const number_names[NUMBERS] = {
    "lon lng long longitude x", "lat latitude y", "time", "accuracy", "heading", "heading_accuracy", "speed"};

typedef struct trace_columns {
    size_t count; /* fields a record */
    size_t number[NUMBERS], trace;
} trace_columns;

static int find_columns(const cli_csv *csv, trace_columns *out)
{
    out->count = csv->field_count;
    int status = cli_csv_column(csv, "", "trace", &out->trace);
    for (int i = 0; i < NUMBERS && status == CLI_DONE; ++i)
        status = cli_csv_column(csv, "", number_names[i], &out->number[i]);
    if (status != CLI_DONE ||
        (out->number[LON] != CLI_CSV_NO_COLUMN && out->number[LAT] != CLI_CSV_NO_COLUMN))
        return status;
    return cli_csv_fail(csv, &csv->field[0], "expected a header with the columns lon and lat");
}

/* An empty field is a number that is not known. */
static int take_point(macadam_trace_point *out, const cli_csv *csv, const trace_columns *columns)
{
    double number[NUMBERS] = {NAN, NAN, NAN};
    for (int i = 0; i < NUMBERS; ++i) {
        if (columns->number[i] == CLI_CSV_NO_COLUMN) continue;
        const cli_field *const field = &csv->field[columns->number[i]];
        if (field->bytes > 0 && !cli_number_decimal(field->text, field->bytes, &number[i]))
            return cli_csv_fail(csv, field, "not a number");
    }
    *out = (macadam_trace_point){.lon = number[LON],
                                 .lat = number[LAT],
                                 .time_s = number[TIME],
                                 .accuracy_m = number[ACCURACY],
                                 .heading = number[HEADING],
                                 .heading_accuracy = number[HEADING_ACCURACY],
                                 .speed_ms = number[SPEED]};
    return CLI_DONE;
}

static cli_name name_of(const cli_field *field)
{
    cli_name out = {0, *field};
    if (cli_number_integer(field->text, field->bytes, &out.number)) out.text.text = NULL;
    return out;
}

static bool is_same(const cli_name *a, const cli_name *b)
{
    if (!a->text.text || !b->text.text) return a->text.text == b->text.text && a->number == b->number;
    return a->text.bytes == b->text.bytes && memcmp(a->text.text, b->text.text, a->text.bytes) == 0;
}

static int take_line(cli_traces *out, const trace_columns *columns)
{
    const int status = cli_csv_expect(&out->csv, columns->count);
    if (status != CLI_DONE) return status;
    const cli_name name =
        columns->trace == CLI_CSV_NO_COLUMN ? (cli_name){0} : name_of(&out->csv.field[columns->trace]);
    if (out->trace_count == 0 || !is_same(&name, &out->name[out->trace_count - 1])) {
        out->name[out->trace_count] = name;
        out->first[out->trace_count++] = out->count;
    }
    out->first[out->trace_count] = out->count + 1;
    return take_point(&out->point[out->count++], &out->csv, columns);
}

int cli_traces_read(cli_traces *out, const char *path)
{
    bool more = false;
    trace_columns columns;
    *out = (cli_traces){0};
    int status = cli_csv_open(&out->csv, path);
    if (status == CLI_DONE) status = cli_csv_next(&out->csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no header", path);
    const size_t lines = cli_csv_lines_left(&out->csv);
    out->point = cli_allocate(lines + 1, sizeof *out->point);
    out->first = cli_allocate(lines + 2, sizeof *out->first);
    out->name = cli_allocate(lines + 1, sizeof *out->name);
    status = find_columns(&out->csv, &columns);
    while (status == CLI_DONE && (status = cli_csv_next(&out->csv, &more)) == CLI_DONE && more)
        status = take_line(out, &columns);
    if (status == CLI_DONE && out->count == 0) status = cli_fail_usage("%s: no points", path);
    return status;
}

void cli_traces_free(cli_traces *traces)
{
    free(traces->point);
    free(traces->first);
    free(traces->name);
    cli_csv_close(&traces->csv);
}
