/* table.h - answers that are tables: rows of cells in named columns. One writer for CSV, JSON (objects keyed by the
 * columns) and NumPy's .npy (only costs). */
#ifndef MCD_BINDINGS_CLI_OUTPUT_TABLE_H
#define MCD_BINDINGS_CLI_OUTPUT_TABLE_H

#include "bindings/cli/output/output.h"
#include "bindings/cli/input/place.h"

enum { CLI_TABLE_STATUSES_MAX = 2 };

/* The shape of the answer: a table has rows x columns lines; .npy keeps the two apart. */
typedef struct cli_shape {
    uint64_t rows, columns;
} cli_shape;

/* The text around the rows in JSON. */
typedef struct cli_frame {
    const char *first, *between, *last;
    bool omits; /* objects lack what their rows have not; else it is null */
} cli_frame;

/* The columns of a table, borrowed while it is opened. */
typedef struct cli_layout {
    const char *columns;         /* "source,target,*": their names; * stands for the quantities */
    const char *const *quantity; /* NULL: those of the session */
    size_t quantity_count;
    size_t status_count; /* source_status, target_status: only if the options ask for statuses */
    cli_shape shape;
    const cli_frame *frame; /* borrowed until the table is closed; NULL: an array with a line for each row */
} cli_layout;

typedef struct cli_table {
    cli_output output;
    const cli_session *session;
    const cli_frame *frame;
    cli_format format;
    size_t key_count;                  /* columns before the quantities */
    size_t column_count, status_count; /* the statuses are the last columns */
    char **before;                     /* [column_count] what stands before each cell; owned */
    macadam_place_status status[CLI_TABLE_STATUSES_MAX]; /* of the next rows: set by the caller */
    size_t column;                                       /* of the next cell */
    uint64_t row_count;
} cli_table;

/* Opens the output that the options name. Reports and returns an exit status on failure. */
int cli_table_open(cli_table *out, const cli_session *session, const cli_options *options,
                   const cli_layout *layout);
/* Writes what stands after the rows; see cli_output_close. A table that was not opened (zeroed) may be
 * closed. */
int cli_table_close(cli_table *table, int status);

/* The next cell of the row. */
void cli_table_empty(cli_table *table);
void cli_table_integer(cli_table *table, int64_t value);
/* An id, or a number of an arc; 0 is empty. */
void cli_table_id(cli_table *table, int64_t id);
void cli_table_flag(cli_table *table, bool value);
/* NaN is empty. In CSV with all its decimals. */
void cli_table_decimal(cli_table *table, double value, unsigned decimals);
void cli_table_text(cli_table *table, const char *text);
void cli_table_name(cli_table *table, const cli_name *name);
/* cost / per_unit; MACADAM_COST_NONE is empty, and null in JSON. */
void cli_table_cost(cli_table *table, int64_t cost, uint32_t per_unit);
/* Ids, separated by blanks in CSV; NULL is empty. */
void cli_table_list(cli_table *table, const int64_t *id, size_t count);
/* The next cells: the session's quantities. */
void cli_table_costs(cli_table *table, const uint32_t *value);
/* Ends the row: cells that are missing are empty. */
void cli_table_end(cli_table *table);

/* Begins a row with its names, and a value for each quantity at value[q][index]. */
void cli_table_begin(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index);
/* The whole row. */
void cli_table_row(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index);
/* Writes `count` rows of .npy, which names no rows: the values from value[q][first] on. */
void cli_table_values(cli_table *table, const uint32_t *const *value, size_t first, size_t count);

#endif
