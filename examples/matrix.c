/* matrix.c - the minutes between some places, as a solver for delivery tours wants them.
 * Run: matrix town.mcd
 *
 * Prints:
 *     from the depot  0.0 0.6 1.3 1.2 min
 *     from 32         0.6 0.0 0.6 0.7 min
 *     from 34         1.8 1.4 0.0 0.7 min
 *     from 45         1.3 0.7 1.1 0.0 min
 */
#include <macadam.h>
#include <stdio.h>

enum { STOPS = 4 };

int main(int argc, char **argv)
{
    macadam_error error;
    macadam_engine *engine;
    if (argc != 2 || macadam_engine_open(&engine, argv[1], NULL, &error) != MACADAM_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: matrix FILE.mcd" : error.message);
        return 1;
    }

    /* The depot is a point, which the engine moves to the nearest road. The stops are junctions. */
    const macadam_place stop[STOPS] = {
        macadam_point(10.0021, 49.9999),
        macadam_node(32),
        macadam_node(34),
        macadam_node(45),
    };
    const char *const name[STOPS] = {"the depot ", "32        ", "34        ", "45        "};

    /* The matrix goes straight into the program's memory, row by row. */
    uint32_t duration[STOPS * STOPS];
    uint32_t *const value[] = {duration};
    macadam_place_status found[STOPS + STOPS]; /* the sources', then the targets' */
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = stop;
    request.source_count = request.target_count = STOPS;
    const macadam_query query = MACADAM_QUERY_INIT;
    const macadam_status status = macadam_matrix_find_into(value, found, engine, &query, &request, &error);
    if (status != MACADAM_OK) fprintf(stderr, "%s\n", error.message);

    for (int row = 0; status == MACADAM_OK && row < STOPS; ++row) {
        printf("from %s", name[row]);
        for (int column = 0; column < STOPS; ++column) {
            const uint32_t ms = duration[row * STOPS + column];
            if (!macadam_place_is_found(found[row]) || ms == MACADAM_UNREACHED)
                printf(" -"); /* the place is on no road, or no path leads there */
            else
                printf(" %.1f", ms / 60000.0);
        }
        printf(" min\n");
    }
    macadam_engine_close(engine);
    return status == MACADAM_OK ? 0 : 1;
}
