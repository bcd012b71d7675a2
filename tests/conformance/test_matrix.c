/* test_matrix.c - matrices over macadam.h against the oracle, tiles against the whole. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILLER = 0x5a };

/* Rows are the sources of `expected`, columns are drawn and repeat. */
typedef struct matrix_case {
    const fixture_engine *fixture;
    const fixture_asked *asked;
    size_t rows, columns;
    uint32_t *target;
    macadam_place *place; /* rows, then columns */
} matrix_case;

static matrix_case new_case(const fixture_engine *fixture, const fixture_asked *asked,
                            const expected_trees *expected, size_t rows, size_t columns)
{
    matrix_case new = {fixture,
                       asked,
                       rows,
                       columns,
                       checked_allocate(columns, sizeof *new.target),
                       checked_allocate(rows + columns, sizeof *new.place)};
    test_rng rng = {rows * 100 + columns};
    for (size_t i = 0; i < columns; ++i)
        new.target[i] = rng_below(&rng, (uint32_t)fixture->graph->node_count);
    if (columns > 1) new.target[columns - 1] = expected->source[0];
    for (size_t i = 0; i < rows; ++i) new.place[i] = fixture_place(expected->source[i]);
    for (size_t i = 0; i < columns; ++i) new.place[rows + i] = fixture_place(new.target[i]);
    return new;
}

static void free_case(matrix_case *matrix)
{
    free(matrix->target);
    free(matrix->place);
}

static macadam_matrix_request request_of(const matrix_case *matrix)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = matrix->place;
    request.source_count = matrix->rows;
    request.target = matrix->place + matrix->rows;
    request.target_count = matrix->columns;
    return request;
}

/* value[quantity] of rows x columns and one more; freed with free(). order: NULL, or of the rows, then of the columns. */
static void ask_in_order(const matrix_case *matrix, uint64_t memory_limit, uint64_t *order,
                         uint32_t *value[2], macadam_place_status *status)
{
    const char *names[2];
    const size_t cells = matrix->rows * matrix->columns;
    macadam_matrix_request request = request_of(matrix);
    request.order = order;
    macadam_query query = fixture_query(matrix->asked, names);
    query.memory_limit = memory_limit;
    for (size_t q = 0; q < 2; ++q) {
        value[q] = checked_allocate(cells + 1, sizeof *value[q]);
        memset(value[q], FILLER, (cells + 1) * sizeof *value[q]);
    }
    macadam_error error;
    fixture_expect_ok(
        macadam_matrix_find_into(value, status, matrix->fixture->engine, &query, &request, &error), &error,
        matrix->fixture->graph->name);
    for (size_t q = 0; q < 2; ++q)
        cr_assert_eq(value[q][cells], FILLER * 0x01010101U, "written beyond the end");
}

static void ask_into(const matrix_case *matrix, uint64_t memory_limit, uint32_t *value[2],
                     macadam_place_status *status)
{
    ask_in_order(matrix, memory_limit, NULL, value, status);
}

/* The position among `count` places of the i-th in an order, which must be one; NULL: the places' own. */
static size_t place_at(const uint64_t *order, size_t i, size_t count)
{
    if (!order) return i;
    cr_assert_lt(order[i], count);
    for (size_t k = 0; k < i; ++k) cr_assert_neq(order[k], order[i], "%zu and %zu are one place", k, i);
    return order[i];
}

static void check_cells(const matrix_case *matrix, const expected_trees *expected, uint64_t *order)
{
    const fixture_asked *const asked = matrix->asked;
    const test_graph *const graph = matrix->fixture->graph;
    const size_t rows = matrix->rows, columns = matrix->columns;
    uint32_t *value[2];
    ask_in_order(matrix, 0, order, value, NULL);
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < columns; ++c) {
            const size_t source = place_at(order, r, rows),
                         target = place_at(order ? order + rows : NULL, c, columns);
            for (size_t q = 0; q < fixture_column_count(asked); ++q) {
                const uint32_t right =
                    expected_column(expected, asked, q)[source * graph->node_count + matrix->target[target]];
                cr_assert_eq(value[q][r * columns + c], right,
                             "%s: metric %zu, column %zu, from %u to %u: %u, not %u", graph->name,
                             asked->metric, q, expected->source[source], matrix->target[target],
                             value[q][r * columns + c], right);
            }
        }
    free(value[0]);
    free(value[1]);
}

static void check_shape(const fixture_engine *fixture, const fixture_asked *asked,
                        const expected_trees *expected, size_t rows, size_t columns)
{
    matrix_case matrix = new_case(fixture, asked, expected, rows, columns);
    FREED uint64_t *const order = checked_allocate(rows + columns, sizeof *order);
    check_cells(&matrix, expected, NULL);
    check_cells(&matrix, expected, order);
    free_case(&matrix);
}

Test(matrix, equals_the_oracle_in_every_shape)
{
    static const size_t shapes[][2] = {{1, 1}, {1, 60}, {60, 1}, {7, 9}, {33, 17}, {60, 100}};
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        SCOPED(fixture_close) fixture_engine fixture;
        fixture_open(&fixture, &graph, 2);
        for (size_t a = 0; a < FIXTURE_ASKED && graph.node_count > 0; ++a) {
            const size_t rows = graph.node_count > 5000 ? 7 : 60;
            SCOPED(expected_free)
            expected_trees expected = expected_new(&graph, &fixture_asked_all[a], false, 0, rows, a);
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
                if (shapes[s][0] <= rows)
                    check_shape(&fixture, &fixture_asked_all[a], &expected, shapes[s][0], shapes[s][1]);
        }
    }
}

/* Factors are of cells by the request's places. */
Test(matrix, in_the_engines_order_has_no_scale_factor)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const macadam_place place = fixture_place(0);
    uint64_t order[2];
    uint32_t cell;
    macadam_error error;
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = &place, request.source_count = request.target_count = 1;
    request.order = order, request.scale_factor = 2;
    cr_assert_eq(
        macadam_matrix_find_into((uint32_t *[]){&cell}, NULL, fixture.engine, NULL, &request, &error),
        MACADAM_E_UNSUPPORTED);
    cr_assert_str_eq(error.message, "the engine's order, and a fallback speed, its marks or a scale factor");
}

Test(matrix, unknown_places_fail_alone)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const fixture_asked both = {1, 2, {1, 0}};
    SCOPED(expected_free) expected_trees expected = expected_new(&graph, &both, false, 0, 20, 1);
    matrix_case matrix = new_case(&fixture, &both, &expected, 20, 30);
    matrix.place[0].id = matrix.place[7].id = 1;
    matrix.place[20 + 29].id = 2;
    matrix.place[20 + 3] = (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = 5, .lat = 5};
    macadam_place_status status[50];
    uint32_t *value[2];
    ask_into(&matrix, 0, value, status);
    for (size_t i = 0; i < 50; ++i)
        cr_assert_eq(status[i], i == 0 || i == 7 || i == 49 ? MACADAM_PLACE_UNKNOWN_ID
                                : i == 23                   ? MACADAM_PLACE_NO_COORDINATES
                                                            : MACADAM_PLACE_OK);
    for (size_t r = 0; r < 20; ++r)
        for (size_t c = 0; c < 30; ++c)
            for (size_t q = 0; q < 2; ++q)
                cr_assert_eq(
                    value[q][r * 30 + c],
                    status[r] == MACADAM_PLACE_OK && status[20 + c] == MACADAM_PLACE_OK
                        ? expected_column(&expected, &both, q)[r * graph.node_count + matrix.target[c]]
                        : MACADAM_UNREACHED);
    free(value[0]);
    free(value[1]);
    free_case(&matrix);
}

/* ---- tiles ---- */

enum { TOWN_ROWS = 600, TOWN_COLUMNS = 700 };

typedef struct tile_log {
    size_t rows, columns, tile_count, stop_at, last_row, last_column;
    uint32_t *value[2];
    uint8_t *covered;
    const macadam_place_status *status;
} tile_log;

static bool log_tile(void *context, const macadam_tile *tile)
{
    tile_log *log = context;
    cr_assert(tile->rows > 0 && tile->columns > 0);
    cr_assert(tile->row + tile->rows <= log->rows && tile->column + tile->columns <= log->columns);
    if (log->tile_count++ > 0)
        cr_assert(tile->row > log->last_row ||
                      (tile->row == log->last_row && tile->column > log->last_column),
                  "tiles ascend");
    log->last_row = tile->row;
    log->last_column = tile->column;
    for (size_t i = 0; log->status && i < log->rows + log->columns; ++i)
        cr_assert_eq(log->status[i], MACADAM_PLACE_OK, "statuses are complete before the first tile");
    if (log->tile_count == log->stop_at) return false;
    for (size_t r = 0; r < tile->rows; ++r)
        for (size_t c = 0; c < tile->columns; ++c) {
            const size_t cell = (tile->row + r) * log->columns + tile->column + c;
            cr_assert_eq(log->covered[cell]++, 0, "a cell comes twice");
            for (size_t q = 0; q < 2; ++q) log->value[q][cell] = tile->value[q][r * tile->columns + c];
        }
    return true;
}

static macadam_status ask_tiles(const matrix_case *matrix, uint64_t memory_limit, tile_log *log,
                                macadam_error *error)
{
    const char *names[2];
    const size_t cells = matrix->rows * matrix->columns, places = matrix->rows + matrix->columns;
    const macadam_matrix_request request = request_of(matrix);
    macadam_query query = fixture_query(matrix->asked, names);
    query.memory_limit = memory_limit;
    FREED macadam_place_status *status = checked_allocate(places, sizeof *status);
    memset(status, 0xff, places * sizeof *status);
    log->rows = matrix->rows;
    log->columns = matrix->columns;
    log->status = status;
    log->covered = checked_zeroed(cells, 1);
    for (size_t q = 0; q < 2; ++q) log->value[q] = checked_zeroed(cells, sizeof *log->value[q]);
    const macadam_status result =
        macadam_matrix_find(status, matrix->fixture->engine, &query, &request, log_tile, log, error);
    return result;
}

static void free_log(tile_log *log)
{
    free(log->covered);
    free(log->value[0]);
    free(log->value[1]);
}

/* The town, both quantities, and its whole matrix. */
typedef struct town_matrix {
    test_graph graph;
    fixture_engine fixture;
    expected_trees sources;
    matrix_case matrix;
    uint32_t *value[2];
} town_matrix;
static const fixture_asked both_asked = {0, 2, {0, 1}};

static void open_town(town_matrix *town)
{
    town->graph = graphs_make_named("town");
    fixture_open(&town->fixture, &town->graph, 2);
    town->sources = expected_new(&town->graph, &both_asked, false, 0, TOWN_ROWS, 5);
    town->matrix = new_case(&town->fixture, &both_asked, &town->sources, TOWN_ROWS, TOWN_COLUMNS);
    ask_into(&town->matrix, 0, town->value, NULL);
}

static void close_town(town_matrix *town)
{
    free(town->value[0]);
    free(town->value[1]);
    free_case(&town->matrix);
    expected_free(&town->sources);
    fixture_close(&town->fixture);
    test_graph_free(&town->graph);
}

Test(matrix, tiles_cover_every_cell_once_and_equal_the_whole)
{
    town_matrix town;
    open_town(&town);
    const size_t bytes = TOWN_ROWS * TOWN_COLUMNS * sizeof(uint32_t);
    tile_log log = {.stop_at = 0};
    FIXTURE_CALL(ask_tiles, &town.matrix, 0, &log);
    for (size_t i = 0; i < TOWN_ROWS * TOWN_COLUMNS; ++i)
        cr_assert_eq(log.covered[i], 1, "a cell never comes");
    for (size_t q = 0; q < 2; ++q) cr_assert_arr_eq(log.value[q], town.value[q], bytes);
    free_log(&log);
    close_town(&town);
}

Test(matrix, tile_callback_that_says_no_cancels)
{
    town_matrix town;
    open_town(&town);
    tile_log log = {.stop_at = 1};
    macadam_error error;
    cr_assert_eq(ask_tiles(&town.matrix, 0, &log, &error), MACADAM_E_CANCELLED);
    cr_assert_eq(log.tile_count, 1);
    cr_assert_str_not_empty(error.message);
    free_log(&log);
    close_town(&town);
}

/* A server that opens the map, answers, and then forks. Each child has threads of its own. */
Test(matrix, forked_children_answer_like_their_parent)
{
    town_matrix town;
    open_town(&town); /* with two threads */
    enum { CHILDREN = 3 };
    pid_t child[CHILDREN];
    for (int i = 0; i < CHILDREN; ++i) {
        child[i] = fork();
        if (child[i] != 0) continue;
        uint32_t *value[2];
        ask_into(&town.matrix, 0, value, NULL);
        const size_t bytes = TOWN_ROWS * TOWN_COLUMNS * sizeof *value[0];
        _exit(memcmp(value[0], town.value[0], bytes) || memcmp(value[1], town.value[1], bytes));
    }
    for (int i = 0; i < CHILDREN; ++i) {
        int status = -1;
        cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
        cr_expect_eq(status, 0, "child %d", i);
    }
    close_town(&town);
}
