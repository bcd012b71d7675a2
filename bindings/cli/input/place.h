/* place.h - places as the user writes them: on the command line, in a CSV of places, in a CSV of pairs. */
#ifndef MCD_BINDINGS_CLI_INPUT_PLACE_H
#define MCD_BINDINGS_CLI_INPUT_PLACE_H

#include "bindings/cli/input/csv.h"
#include "bindings/cli/session.h"

/* The name of a place in results: the text of its CSV field unless it is an integer, else a number. */
typedef struct cli_name {
    int64_t number;
    cli_field text; /* text.text is NULL if the name is `number` */
} cli_name;

/* Places in the order of their file, and whether they were found. */
typedef struct cli_places {
    const char *what; /* what they are called, in the plural: "sources" */
    const char *path; /* of the file, for messages; NULL: there is none */
    size_t count;
    macadam_place *place;
    macadam_place_status *status; /* room for the library */
    cli_name *name;               /* NULL unless the file names points */
    size_t *line;                 /* of the file */
} cli_places;

/* The name of place i: its id, the name its file gives it, else its position i. */
cli_name cli_place_name(const cli_places *places, size_t i);

/* Reads `node:ID` or `LON,LAT`, given to `option`, and looks the id up. Reports and returns CLI_USAGE if it
 * is not a place or an unknown one. */
int cli_place_read(macadam_place *out, const cli_session *session, const char *option, const char *text);

/* The place that --from names; a point is left in the direction that --heading names. */
int cli_place_read_source(macadam_place *out, const cli_session *session);

/* The amounts of opportunities: number i of a column is amount[column * count of the places + i]. */
typedef struct cli_amounts {
    size_t count; /* columns */
    char *name[MACADAM_REACH_AMOUNTS_MAX];
    double *amount;
} cli_amounts;

/* Reads a CSV of places: one node:ID a line, or a header with the columns lon and lat and perhaps id, or with
 * the column node. Columns come in any order; the others are amounts, or ignored if `amounts` is NULL. Reports errors with
 * file, line and text; an unknown id is one. */
int cli_places_read(cli_places *out, cli_amounts *amounts, const cli_session *session, const char *what,
                    const char *path);
/* All nodes, in the order of their ids, as "sources". */
void cli_places_all(cli_places *out, const cli_session *session);
/* Reads a CSV of pairs: a header with the columns source and target (ids), or source_lon, source_lat,
 * target_lon and target_lat. */
int cli_pairs_read(cli_places *source, cli_places *target, const cli_session *session, const char *path);

/* Room for the statuses of two lists, one after the other, as calls of the library write them. */
macadam_place_status *cli_places_join(cli_places *first, cli_places *second);

#endif
