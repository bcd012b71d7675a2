/* table.h - answers that are tables: records as CSV and JSON, or arrays of costs. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_TABLE_H
#define MCD_BINDINGS_CLI_OUTPUT_TABLE_H

#include "bindings/cli/output/output.h"
#include "bindings/cli/input/place.h"
#include "bindings/formats/cost_array.h"
#include "bindings/formats/record.h"

enum { CLI_TABLE_STATUSES_MAX = 2 };

/* The shape of the answer: a table has rows x columns lines; an array keeps the two apart, and the times. */
typedef struct cli_shape {
    uint64_t rows, columns;
    uint64_t departs, arrives; /* for how many rows a row stands, and for how many columns a column; 0: 1 */
} cli_shape;

/* The columns of a table, borrowed while it is opened. */
typedef struct cli_layout {
    const char *columns; /* "source,target,*": a list as record.h has them; * stands for the quantities */
    const mcd_structure *structure; /* whose members columns are; NULL: of none */
    const char *const *quantity;    /* NULL: those of the session, else all of the file's */
    size_t status_count;            /* source_status, target_status: only if the options request statuses */
    cli_shape shape;
    const mcd_record_frame
        *frame; /* borrowed until the table is closed; NULL: an array with a line for each row */
} cli_layout;

typedef struct cli_table {
    cli_output output;
    const cli_session *session;
    bool is_array; /* and not records: cli_table_rows writes whole rows */
    mcd_cost_array array;
    mcd_records records;                                 /* of the output's text */
    size_t status_count;                                 /* the statuses are the last columns */
    size_t place_count;                                  /* of the row, so far */
    macadam_place_status status[CLI_TABLE_STATUSES_MAX]; /* of these; of other rows: set by the caller */
} cli_table;

/* Opens the output that the options name. Reports and returns an exit status on failure. */
int cli_table_open(cli_table *out, const cli_session *session, const cli_layout *layout);
/* Writes what stands after the rows; see cli_output_close. A table that was not opened (zeroed) may be
 * closed. */
int cli_table_close(cli_table *table, int status);

/* Writes rows of an array: value[quantity][row * columns + column]. Returns whether they are written; closing reports it. */
bool cli_table_rows(cli_table *table, const uint32_t *const *value, size_t rows);
/* The next cell of the record; those of other kinds are fields of the records. */
void cli_table_id(cli_table *table, int64_t id);
/* The name of place i; its status is the next one of the row. */
void cli_table_place(cli_table *table, const cli_places *places, size_t i);
/* The time of the cell, if the query has a clock. */
void cli_table_time(cli_table *table, size_t row, size_t column);
/* The next cells: a value for each quantity at value[q][index]. */
void cli_table_costs(cli_table *table, const uint32_t *const *value, size_t index);
/* Ends the row: cells that are missing are empty. */
void cli_table_end(cli_table *table);

#endif
