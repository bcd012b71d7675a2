/* csv.h - reads CSV: one record a line, fields between commas, a field perhaps in double quotes. No quotes or
 * line breaks within a field. Empty lines are skipped; a byte order mark, blanks around fields and CRLF do
 * not matter. */
#ifndef MCD_BINDINGS_CLI_CSV_H
#define MCD_BINDINGS_CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_CSV_FIELDS_MAX = 16 };

/* Borrowed from the text of the file; not NUL-terminated. */
typedef struct cli_field {
    const char *text;
    size_t bytes;
} cli_field;

typedef struct cli_csv {
    const char *path;
    char *text; /* the whole file */
    size_t bytes, next;
    size_t line; /* number of the current line, from 1 */
    size_t field_count;
    cli_field field[CLI_CSV_FIELDS_MAX]; /* of the current line */
} cli_csv;

/* Reads the file at `path`; reports and returns an exit status if that fails. */
int cli_csv_open(cli_csv *csv, const char *path);
void cli_csv_close(cli_csv *csv);

/* Goes to the next line that is not empty. *more is false at the end. Reports malformed lines: CLI_USAGE. */
int cli_csv_next(cli_csv *csv, bool *more);
/* The lines that are left, at most: for allocations. */
size_t cli_csv_lines_left(const cli_csv *csv);

bool cli_field_is(const cli_field *field, const char *text);
/* Whether the current line's fields are exactly these names, separated by commas. */
bool cli_csv_line_is(const cli_csv *csv, const char *names);

/* "PATH:LINE: what: FIELD" as bad usage. */
int cli_csv_fail(const cli_csv *csv, const cli_field *field, const char *what);

#endif
