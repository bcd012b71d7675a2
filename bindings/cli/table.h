/* table.h - answers that are tables: one or two names a row, then one value per quantity, then perhaps a
 * path. One writer for CSV, JSON (an array of objects keyed by the columns) and NumPy's .npy (the values
 * alone). */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "bindings/cli/output.h"
#include "bindings/cli/place.h"

enum { CLI_TABLE_KEYS_MAX = 2 };

typedef struct cli_table {
    cli_output output;
    cli_format format;
    size_t key_count, value_count;
    const char *const *quantity;
    char *before_key[CLI_TABLE_KEYS_MAX], *before_value[MACADAM_QUANTITIES_MAX], *before_path; /* owned */
    uint64_t row_count;
} cli_table;

/* The shape of the answer: a table has rows x columns lines; .npy keeps the two apart. */
typedef struct cli_shape {
    uint64_t rows, columns;
} cli_shape;

/* Opens the output that the options name and writes what stands before the rows. `key`: the names' columns;
 * `path`: the column of paths, or NULL. Reports and returns an exit status on failure. */
int cli_table_open(cli_table *out, const cli_options *options, const cli_session *session,
                   const char *const *key, size_t key_count, const char *path, cli_shape shape);
/* Writes what stands behind the rows; see cli_output_close. A table that was not opened (zeroed) may be
 * closed. */
int cli_table_close(cli_table *table, int status);

/* One row: key_count names, a value per quantity at value[q][index], and the path (NULL: none was found). */
void cli_table_row(cli_table *table, const cli_name *name, const uint32_t *const *value, size_t index);
void cli_table_row_with_path(cli_table *table, const cli_name *name, const uint32_t *const *value,
                             size_t index, const uint64_t *arc, size_t arc_count);

#endif
