/* csv.h - files of CSV (bindings/formats/csv.h), perhaps with a byte order mark and a header. */
#ifndef MCD_BINDINGS_CLI_INPUT_CSV_H
#define MCD_BINDINGS_CLI_INPUT_CSV_H

#include "bindings/formats/csv.h"

#include <cjson/cJSON.h>
#include <stdint.h>

#define CLI_CSV_NO_COLUMN SIZE_MAX

typedef mcd_csv_field cli_field;
typedef mcd_csv cli_csv; /* status: CLI_DONE, or CLI_USAGE */

/* Reads the file at `path`, or standard input if that is "-". Reports and returns CLI_INPUT if that fails. Goes to the
 * first record, and reports that there is none, as "PATH: no `first`"; NULL: goes to none. */
int cli_csv_open(cli_csv *csv, const char *path, const char *first);

/* Goes to the next record. Returns false at the end, and at a malformed record, which is reported: csv->status. */
bool cli_csv_next(cli_csv *csv);
/* The records that are left, at most: for allocations. */
size_t cli_csv_lines_left(const cli_csv *csv);

/* Whether the field is this text; upper and lower case are alike. */
bool cli_field_is(const cli_field *field, const char *text);

/* A column that has one of these names (separated by blanks, "lon lng x") after the prefix: *at, or CLI_CSV_NO_COLUMN. */
typedef struct cli_column {
    const char *prefix, *names;
    size_t *at;
} cli_column;
#define CLI_CSV_LON "lon lng long longitude x"
#define CLI_CSV_LAT "lat latitude y"

/* The second half of cli_csv_open. */
int cli_csv_first(cli_csv *csv, const char *first);
/* Finds columns in the record, which is a header or the first line; the next ones must have as many fields. Reports a
 * second column of the same names: CLI_USAGE. */
int cli_csv_header(cli_csv *csv, const cli_column *column, size_t count);

/* Reads the whole text as one JSON value, freed by cJSON_Delete. */
int cli_csv_json(const cli_csv *csv, cJSON **out);

/* "PATH:LINE: what: FIELD" as bad usage. */
int cli_csv_fail(const cli_csv *csv, const cli_field *field, const char *what);

#endif
