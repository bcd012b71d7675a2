/* matrix.c - `macadam matrix`: many to many. Tiles arrive in ascending (row, column); a band of tiles that
 * are narrower than the matrix is collected before its rows are written. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/solver_input.h"

#include <stdlib.h>

typedef struct matrix_answer {
    const cli_session *session;
    bool told;      /* what became of the places */
    bool is_open;   /* the table: a request that is refused leaves the output as it is */
    int failure;    /* what to exit with, because of --strict */
    size_t missing; /* with --strict: cells without a path */
    cli_places source, target;
    size_t columns; /* the targets, with arrivals at each of their times */
    cli_table table;
    uint32_t *band[MACADAM_QUANTITIES_MAX]; /* rows of the present band; allocated when first needed */
    uint8_t *fallback;                      /* likewise: which of its cells are straight lines */
    size_t straight;                        /* cells that are straight lines */
    size_t band_rows;
} matrix_answer;

/* fallback: NULL, or which cells are straight lines */
static bool write_rows(matrix_answer *matrix, size_t first_row, size_t rows, const uint32_t *const *value,
                       const uint8_t *fallback)
{
    cli_table *const table = &matrix->table;
    const size_t columns = matrix->columns;
    const cli_session *const session = matrix->session;
    if (table->is_array) return cli_table_rows(table, value, rows);
    for (size_t cell = 0; cell < rows * columns; ++cell) {
        const size_t row = first_row + cell / columns, column = cell % columns;
        cli_table_place(table, &matrix->source, row / session->departs);
        cli_table_place(table, &matrix->target, column / session->arrives);
        cli_table_time(table, row, column);
        cli_table_costs(table, value, cell);
        if (fallback) mcd_record_flag(&table->records, fallback[cell]);
        cli_table_end(table);
    }
    return !table->output.failed;
}

static void grow_band(matrix_answer *matrix, size_t rows)
{
    if (rows <= matrix->band_rows) return;
    for (size_t q = 0; q < matrix->session->quantity_count; ++q)
        matrix->band[q] = cli_reallocate(matrix->band[q], rows * matrix->columns, sizeof *matrix->band[q]);
    matrix->fallback = cli_reallocate(matrix->fallback, rows, matrix->columns);
    matrix->band_rows = rows;
}

/* The tile's first row becomes row `first` of the band. */
static void copy_to_band(matrix_answer *matrix, const macadam_tile *tile, size_t first)
{
    grow_band(matrix, first + tile->rows);
    for (size_t q = 0; q < matrix->session->quantity_count; ++q)
        for (size_t row = 0; row < tile->rows; ++row)
            memcpy(matrix->band[q] + (first + row) * matrix->columns + tile->column,
                   tile->value[q] + row * tile->columns, tile->columns * sizeof *tile->value[q]);
    for (size_t row = 0; tile->fallback && row < tile->rows; ++row)
        memcpy(matrix->fallback + (first + row) * matrix->columns + tile->column,
               tile->fallback + row * tile->columns, tile->columns);
}

/* The targets of a problem are its sources. */
static bool is_problem(const matrix_answer *matrix)
{
    return matrix->session->options->format & MCD_PROBLEMS;
}

/* The statuses are complete before the first tile comes. Returns whether to go on. */
static bool tell_places(matrix_answer *matrix)
{
    const cli_session *const session = matrix->session;
    if (matrix->told) return true;
    matrix->told = true;
    cli_progress_erase();
    matrix->failure = cli_outcomes_tell_failures(session, &matrix->source);
    if (matrix->failure == CLI_DONE && !is_problem(matrix))
        matrix->failure = cli_outcomes_tell_failures(session, &matrix->target);
    return matrix->failure == CLI_DONE;
}

static int open_table(matrix_answer *matrix)
{
    const cli_session *const session = matrix->session;
    if (matrix->is_open || is_problem(matrix)) return CLI_DONE;
    char columns[CLI_COLUMNS_BYTES];
    snprintf(columns, sizeof columns, "source,target%s,*%s", cli_session_time_column(session),
             session->options->request.matrix.fallback_speed_ms > 0 ? ",fallback" : "");
    const cli_layout layout = {
        .columns = columns,
        .status_count = 2,
        .shape = {matrix->source.count, matrix->target.count, session->departs, session->arrives}};
    CLI_TRY(cli_table_open(&matrix->table, session, &layout));
    matrix->is_open = true;
    return CLI_DONE;
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    matrix_answer *const matrix = context;
    const cli_options *const options = matrix->session->options;
    if (matrix->failure == CLI_DONE) matrix->failure = open_table(matrix);
    if (matrix->failure != CLI_DONE || !tell_places(matrix)) return false;
    for (size_t i = 0; options->strict && i < tile->rows * tile->columns; ++i)
        matrix->missing +=
            macadam_cost(tile->value[0][i], matrix->session->is_signed[0]) == MACADAM_COST_NONE;
    for (size_t i = 0; tile->fallback && i < tile->rows * tile->columns; ++i)
        matrix->straight += tile->fallback[i];
    if (is_problem(matrix)) {
        copy_to_band(matrix, tile, tile->row);
        return true;
    }
    if (tile->columns == matrix->columns)
        return write_rows(matrix, tile->row, tile->rows, tile->value, tile->fallback);
    copy_to_band(matrix, tile, 0);
    return tile->column + tile->columns < matrix->columns ||
           write_rows(matrix, tile->row, tile->rows, (const uint32_t *const *)matrix->band,
                      tile->fallback ? matrix->fallback : NULL);
}

static int compute(matrix_answer *matrix)
{
    const cli_session *const session = matrix->session;
    macadam_matrix_request request = session->options->request.matrix;
    request.source = matrix->source.place, request.source_count = matrix->source.count;
    request.target = matrix->target.place, request.target_count = matrix->target.count;
    macadam_approximation approximation = {0};
    macadam_matrix_plan plan = {0};
    if (session->options->request.approximate) request.approximation = &approximation;
    if (session->options->request.explain) request.plan = &plan;
    if (request.source_count == 0 || request.target_count == 0) return CLI_DONE;
    const macadam_status status =
        macadam_matrix_find(cli_places_join(&matrix->source, &matrix->target), session->engine,
                            &session->query, &request, take_tile, matrix, &cli_error);
    cli_progress_erase();
    if (matrix->failure != CLI_DONE) return matrix->failure;
    if (matrix->told) cli_outcomes_tell_moved(session, &matrix->source);
    if (matrix->told && !is_problem(matrix)) cli_outcomes_tell_moved(session, &matrix->target);
    if (status == MACADAM_OK && request.approximation)
        cli_warn(
            "approximate durations: %.2f %% from the exact ones on average, %.2f %% at most, in %llu cells",
            approximation.mean_ppm / 1e4, approximation.worst_ppm / 1e4,
            (unsigned long long)approximation.cells);
    if (status == MACADAM_OK && request.plan) {
        mcd_text text = {0};
        mcd_record_write(&text, MCD_STRUCTURE(matrix_plan), "...", &plan);
        cli_warn("plan: {%.*s}", (int)text.size, text.data);
        free(text.data);
    }
    if (status == MACADAM_OK && matrix->straight)
        cli_warn("%zu of %zu cells have no path: they are straight lines", matrix->straight,
                 request.source_count * session->departs * matrix->columns);
    if (status == MACADAM_OK && matrix->missing)
        return cli_fail_usage("%zu of %zu cells have no path, and --strict allows none", matrix->missing,
                              request.source_count * matrix->session->departs * matrix->columns);
    if (status == MACADAM_OK || matrix->table.output.failed) return CLI_DONE; /* closing the table reports */
    return cli_fail_library(NULL, status);
}

/* "out.json" at Mo08:15 is "out-Mo0815.json", and "out.json.gz" likewise: not all systems allow colons. */
static const char *path_of(const cli_session *session, size_t time)
{
    const char *const output = session->options->output;
    size_t stem, name_bytes;
    cli_compression_of(output, &name_bytes);
    for (stem = name_bytes; stem > 0 && output[stem - 1] != '.' && output[stem - 1] != '/';) --stem;
    stem = stem > 0 && output[stem - 1] == '.' ? stem - 1 : name_bytes;
    const cli_time *const of = &session->time[time];
    char *const path = cli_allocate(strlen(output) + of->bytes + 2, 1);
    size_t bytes = (size_t)sprintf(path, "%.*s-", (int)stem, output);
    for (size_t i = 0; i < of->bytes; ++i)
        if (of->text[i] != ':') path[bytes++] = of->text[i];
    strcpy(path + bytes, output + stem);
    return path;
}

/* The band has a row for each departure of a source, and a column for each arrival at a target. */
static int write_problem_of(const matrix_answer *matrix, size_t time, const char *path)
{
    const cli_session *const session = matrix->session;
    const size_t count = matrix->source.count, departs = session->departs, arrives = session->arrives;
    const uint32_t *value[MACADAM_QUANTITIES_MAX];
    for (size_t q = 0; q < session->quantity_count; ++q) {
        uint32_t *const costs = cli_allocate(count * count, sizeof *costs);
        for (size_t row = 0; row < count; ++row)
            for (size_t column = 0; column < count; ++column)
                costs[row * count + column] =
                    matrix->band[q][(row * departs + time % departs) * matrix->columns + column * arrives +
                                    time % arrives];
        value[q] = costs;
    }
    return cli_solver_input_write(session, &matrix->source, value, path);
}

/* Writes a file for each time of the clock. */
static int write_problem(matrix_answer *matrix)
{
    const cli_options *const options = matrix->session->options;
    if (strcmp(options->sources, options->targets) != 0)
        return cli_fail_usage(
            "a problem has one list of places: --sources and --targets must be the same file");
    const size_t times = matrix->session->departs * matrix->session->arrives;
    if (times > 1 && !options->output)
        return cli_fail_usage("%zu times are as many problems: name their files with -o", times);
    grow_band(matrix, matrix->source.count * matrix->session->departs);
    int status = compute(matrix);
    for (size_t time = 0; time < times && status == CLI_DONE; ++time)
        status = write_problem_of(matrix, time, times > 1 ? path_of(matrix->session, time) : options->output);
    return status;
}

int cli_matrix(const cli_session *session)
{
    matrix_answer answer = {.session = session}, *const matrix = &answer;
    CLI_TRY(cli_places_read(&matrix->source, NULL, session, "sources", session->options->sources));
    CLI_TRY(cli_places_read(&matrix->target, NULL, session, "targets", session->options->targets));
    cli_session_head(session, matrix->source.place, matrix->source.count);
    matrix->columns = matrix->target.count * session->arrives;
    if (is_problem(matrix)) return write_problem(matrix);
    const int status = compute(matrix);
    if (status == CLI_DONE) CLI_TRY(open_table(matrix)); /* of no cells */
    return matrix->is_open ? cli_table_close(&matrix->table, status) : status;
}
