/* table.h - answers that are tables: up to three names a row, then one value per column, then perhaps a path
 * and the statuses of the row's places. One writer for CSV, JSON (an array of objects keyed by the columns)
 * and NumPy's .npy (only the values). */
#ifndef MCD_BINDINGS_CLI_TABLE_H
#define MCD_BINDINGS_CLI_TABLE_H

#include "bindings/cli/output.h"
#include "bindings/cli/place.h"

enum { CLI_TABLE_KEYS_MAX = 3, CLI_TABLE_STATUSES_MAX = 2 };

/* The columns of values: their names, borrowed while the table is opened. */
typedef struct cli_columns {
    const char *const *name;
    size_t count;
    const uint32_t *per_unit; /* by column: values are divided by it; NULL: they are whole numbers */
    const bool *is_signed;    /* by column of a quantity; NULL: none is */
} cli_columns;

#define CLI_CELL_EMPTY MACADAM_COST_NONE /* no value of a column */

/* The shape of the answer: a table has rows x columns lines; .npy keeps the two apart. */
typedef struct cli_shape {
    uint64_t rows, columns;
} cli_shape;

/* The columns of a table, borrowed while it is opened. */
typedef struct cli_layout {
    cli_columns key, value;
    const char *path;    /* the column of paths; NULL: none */
    size_t status_count; /* source_status, target_status: only if the options ask for statuses */
    cli_shape shape;
} cli_layout;

typedef struct cli_table {
    cli_output output;
    cli_format format;
    size_t key_count, value_count, status_count;
    char *before_key[CLI_TABLE_KEYS_MAX], **before_value, *before_path; /* owned */
    char *before_status[CLI_TABLE_STATUSES_MAX];                        /* owned */
    uint32_t *per_unit;                                                 /* owned; NULL: all are 1 */
    macadam_place_status status[CLI_TABLE_STATUSES_MAX]; /* of the next rows: set by the caller */
    bool is_signed[MACADAM_QUANTITIES_MAX];
    uint64_t row_count;
} cli_table;

/* The columns of a session's query: one per quantity. */
cli_columns cli_quantity_columns(const cli_session *session);

/* Opens the output that the options name and writes what stands before the rows. Reports and returns an exit
 * status on failure. */
int cli_table_open(cli_table *out, const cli_options *options, const cli_layout *layout);
/* Writes what stands behind the rows; see cli_output_close. A table that was not opened (zeroed) may be
 * closed. */
int cli_table_close(cli_table *table, int status);

/* One row: key_count names and a cell per column. Not for .npy, which has 32-bit values alone. */
void cli_table_cells(cli_table *table, const cli_name *name, const int64_t *cell);
/* One row: key_count names, a value per quantity at value[q][index], and the path (NULL: none was found). */
void cli_table_row(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index);
/* Writes `count` rows of .npy, which names no rows: the values from value[q][first] on. */
void cli_table_values(cli_table *table, const uint32_t *const *value, size_t first, size_t count);
/* The same with an id behind the values (NULL: none), in the column of paths. */
void cli_table_row_with_id(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index,
                           const int64_t *id);
void cli_table_row_with_path(cli_table *table, const cli_name *name, const uint32_t *const *value,
                             size_t index, const uint64_t *arc, size_t arc_count);

#endif
