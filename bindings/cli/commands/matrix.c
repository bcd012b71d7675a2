/* matrix.c - `macadam matrix`: many to many. Tiles arrive in ascending (row, column); a band of tiles that
 * are narrower than the matrix is collected before its rows are written. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/solver_input.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"

#include <string.h>

typedef struct matrix_answer {
    const cli_session *session;
    const cli_options *options;
    macadam_place_status *status; /* of the sources, then of the targets */
    bool told;                    /* what became of the places */
    int failure;                  /* what to exit with, because of --strict */
    size_t missing;               /* with --strict: cells without a path */
    cli_places source, target;
    cli_table table;
    uint32_t *band[MACADAM_QUANTITIES_MAX]; /* rows of the present band; allocated when first needed */
    size_t band_rows;
} matrix_answer;

static void write_rows(matrix_answer *matrix, size_t first_row, size_t rows, const uint32_t *const *value)
{
    const size_t columns = matrix->target.count;
    if (matrix->table.format == MCD_NPY) {
        cli_table_values(&matrix->table, value, 0, rows * columns);
        return;
    }
    for (size_t row = 0; row < rows; ++row) {
        cli_name name[2] = {cli_place_name(matrix->source.place, matrix->source.name, first_row + row)};
        for (size_t column = 0; column < columns; ++column) {
            name[1] = cli_place_name(matrix->target.place, matrix->target.name, column);
            matrix->table.status[0] = matrix->status[first_row + row];
            matrix->table.status[1] = matrix->status[matrix->source.count + column];
            cli_table_row(&matrix->table, name, value, row * columns + column);
        }
    }
}

static void grow_band(matrix_answer *matrix, size_t rows)
{
    if (rows <= matrix->band_rows) return;
    for (size_t q = 0; q < matrix->session->quantity_count; ++q) {
        matrix->band[q] =
            cli_reallocate(matrix->band[q], rows * matrix->target.count, sizeof *matrix->band[q]);
    }
    matrix->band_rows = rows;
}

/* The tile's first row becomes row `first` of the band. */
static void copy_to_band(matrix_answer *matrix, const macadam_tile *tile, size_t first)
{
    grow_band(matrix, first + tile->rows);
    for (size_t q = 0; q < matrix->session->quantity_count; ++q) {
        for (size_t row = 0; row < tile->rows; ++row) {
            memcpy(matrix->band[q] + (first + row) * matrix->target.count + tile->column,
                   tile->value[q] + row * tile->columns, tile->columns * sizeof *tile->value[q]);
        }
    }
}

/* The statuses are complete before the first tile comes. Returns whether to go on. */
static bool tell_places(matrix_answer *matrix)
{
    const cli_options *const options = matrix->options;
    const cli_outcomes source = cli_outcomes_of("sources", &matrix->source, matrix->status);
    const cli_outcomes target =
        cli_outcomes_of("targets", &matrix->target, matrix->status + matrix->source.count);
    if (matrix->told) return true;
    matrix->told = true;
    cli_progress_erase();
    matrix->failure = cli_outcomes_tell(matrix->session, options, &source);
    if (matrix->failure == CLI_DONE && !(options->format & MCD_PROBLEMS)) /* whose targets are the sources */
        matrix->failure = cli_outcomes_tell(matrix->session, options, &target);
    return matrix->failure == CLI_DONE;
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    matrix_answer *const matrix = context;
    if (!tell_places(matrix)) return false;
    for (size_t i = 0; matrix->options->strict && i < tile->rows * tile->columns; ++i)
        matrix->missing +=
            macadam_cost(tile->value[0][i], matrix->session->is_signed[0]) == MACADAM_COST_NONE;
    if (matrix->options->format & MCD_PROBLEMS) {
        copy_to_band(matrix, tile, tile->row);
        return true;
    }
    if (tile->columns == matrix->target.count) {
        write_rows(matrix, tile->row, tile->rows, tile->value);
        return !matrix->table.output.failed;
    }
    copy_to_band(matrix, tile, 0);
    if (tile->column + tile->columns == matrix->target.count)
        write_rows(matrix, tile->row, tile->rows, (const uint32_t *const *)matrix->band);
    return !matrix->table.output.failed;
}

static int compute(matrix_answer *matrix, const cli_session *session)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = matrix->source.place;
    request.source_count = matrix->source.count;
    request.target = matrix->target.place;
    request.target_count = matrix->target.count;
    if (request.source_count == 0 || request.target_count == 0) return CLI_DONE;
    macadam_error error = {""};
    const macadam_status status =
        macadam_matrix(session->engine, &session->query, &request, matrix->status, take_tile, matrix, &error);
    cli_progress_erase();
    if (matrix->failure != CLI_DONE) return matrix->failure;
    if (status == MACADAM_OK && matrix->missing)
        return cli_fail_usage("%zu of %zu cells have no path, and --strict allows none", matrix->missing,
                              request.source_count * request.target_count);
    if (status == MACADAM_OK || matrix->table.output.failed) return CLI_DONE; /* closing the table reports */
    return cli_fail_library(status, &error);
}

static int write_problem(matrix_answer *matrix)
{
    if (strcmp(matrix->options->sources, matrix->options->targets) != 0)
        return cli_fail_usage(
            "a problem has one list of places: --sources and --targets must be the same file");
    grow_band(matrix, matrix->source.count);
    cli_progress_begin(matrix->options);
    CLI_TRY(compute(matrix, matrix->session));
    return cli_solver_input_write(matrix->session, matrix->options, &matrix->source,
                                  (const uint32_t *const *)matrix->band);
}

int cli_matrix(const cli_session *session, const cli_options *options)
{
    matrix_answer answer = {.session = session, .options = options}, *const matrix = &answer;
    CLI_TRY(cli_places_read(&matrix->source, session, options->sources));
    CLI_TRY(cli_places_read(&matrix->target, session, options->targets));
    cli_session_head(session, matrix->source.place, matrix->source.count);
    matrix->status = cli_allocate(matrix->source.count + matrix->target.count, sizeof *matrix->status);
    if (options->format & MCD_PROBLEMS) return write_problem(matrix);
    const cli_layout layout = {.columns = "source,target,*",
                               .status_count = 2,
                               .shape = {matrix->source.count, matrix->target.count}};
    CLI_TRY(cli_table_open(&matrix->table, session, options, &layout));
    cli_progress_begin(options);
    return cli_table_close(&matrix->table, compute(matrix, session));
}
