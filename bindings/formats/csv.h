/* csv.h - reads CSV (RFC 4180): one record a line, fields between separators, a field perhaps in double
 * quotes, within which a separator, a line break and a doubled quote are text. Empty lines are skipped; blanks around fields
 * and CRLF do not matter. */
#ifndef MCD_BINDINGS_FORMATS_CSV_H
#define MCD_BINDINGS_FORMATS_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { MCD_CSV_FIELDS_MAX = 256 /* a message has the number, too */ };

/* A part of a text, borrowed from it; not NUL-terminated. */
typedef struct mcd_csv_field {
    const char *text;
    size_t bytes;
} mcd_csv_field;

/* A text while its records are cut into fields where they are stored. */
typedef struct mcd_csv {
    const char *path; /* for messages of callers, as are `expected` and `status` */
    char *text;
    size_t bytes, next;
    size_t line; /* number of the current record's first line */
    size_t next_line;
    char separator;             /* '\0': the one of , ; and tab that the first line has most of */
    size_t expected;            /* fields a record; 0: any number */
    int status;                 /* of the current record */
    const char *fault;          /* of a malformed record; else NULL */
    const mcd_csv_field *wrong; /* the field that has the fault */
    size_t field_count;
    mcd_csv_field field[MCD_CSV_FIELDS_MAX]; /* of the current record */
} mcd_csv;

/* Returns how many bytes a byte order mark at the beginning of a text takes: 3, or 0 without one. */
size_t mcd_csv_mark_bytes(const char *text, size_t bytes);
/* Goes to the next record. Returns false at the end, and at a malformed record: csv->fault. */
bool mcd_csv_next(mcd_csv *csv);

#endif
