/* trace_csv.c - traces in a CSV. */
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"
#include "bindings/cli/input/timestamp.h"
#include "bindings/cli/input/traces.h"

#include <math.h>
#include <string.h>

enum { LON, LAT, TIME, ACCURACY, HEADING, HEADING_ACCURACY, SPEED, TRACE, NUMBERS = TRACE };

static const char *const number_names[NUMBERS] = {CLI_CSV_LON, CLI_CSV_LAT,        "time", "accuracy",
                                                  "heading",   "heading_accuracy", "speed"};

static const double default_heading_accuracy = 30;

/* An empty field is a number that is not known. */
static int take_point(macadam_trace_point *out, const cli_csv *csv, const size_t *columns)
{
    *out = cli_trace_point_unknown();
    out->heading = NAN;
    out->heading_accuracy = default_heading_accuracy;
    double *const number[NUMBERS] = {&out->lon,        &out->lat,     &out->time_s,
                                     &out->accuracy_m, &out->heading, &out->heading_accuracy,
                                     &out->speed_ms};
    for (int i = 0; i < NUMBERS; ++i) {
        if (columns[i] == CLI_CSV_NO_COLUMN) continue;
        const cli_field *const field = &csv->field[columns[i]];
        if (field->bytes == 0 || mcd_number_decimal(field->text, field->bytes, number[i])) continue;
        if (i != TIME) return cli_csv_fail(csv, field, "not a number");
        if (!cli_timestamp_read(field->text, field->bytes, number[i]))
            return cli_csv_fail(csv, field, "neither seconds nor a timestamp of ISO 8601");
    }
    if (isnan(out->heading)) out->heading = out->heading_accuracy = 0;
    return CLI_DONE;
}

static bool is_named(const cli_traces *traces, const cli_field *name)
{
    const char *const last = traces->name[traces->trace_count - 1];
    return strlen(last) == name->bytes && memcmp(last, name->text, name->bytes) == 0;
}

static int take_line(cli_traces *out, const cli_csv *csv, const size_t *columns)
{
    static const cli_field zero = {"0", 1};
    macadam_trace_point point;
    CLI_TRY(take_point(&point, csv, columns));
    const cli_field *const name = columns[TRACE] == CLI_CSV_NO_COLUMN ? &zero : &csv->field[columns[TRACE]];
    if (out->trace_count == 0 || !is_named(out, name)) cli_traces_begin(out, name->text, name->bytes);
    cli_traces_add(out, &point);
    return CLI_DONE;
}

int cli_trace_read_csv(cli_traces *out, cli_csv *csv)
{
    size_t columns[TRACE + 1];
    cli_column column[TRACE + 1];
    for (int i = 0; i <= TRACE; ++i)
        column[i] = (cli_column){"", i < TRACE ? number_names[i] : "trace", &columns[i]};
    CLI_TRY(cli_csv_first(csv, "header"));
    CLI_TRY(cli_csv_header(csv, column, TRACE + 1));
    if (columns[LON] == CLI_CSV_NO_COLUMN || columns[LAT] == CLI_CSV_NO_COLUMN)
        return cli_csv_fail(csv, &csv->field[0], "expected a header with the columns lon and lat");
    while (cli_csv_next(csv)) CLI_TRY(take_line(out, csv, columns));
    return csv->status;
}
