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

/* Places in the order of their file. */
typedef struct cli_places {
    size_t count;
    macadam_place *place;
    cli_name *name; /* NULL unless the file names points; texts are borrowed from `csv` */
    size_t *line;   /* of the file; NULL: there is none */
    cli_csv csv;
} cli_places;

typedef struct cli_pairs {
    size_t count;
    macadam_place *source, *target;
    size_t *line;
    cli_csv csv;
} cli_pairs;

/* The name of place i: its id, the name its file gives it, else its position i. `name` is NULL or one per
 * place. */
cli_name cli_place_name(const macadam_place *place, const cli_name *name, size_t i);

/* Reads `node:ID` or `LON,LAT`, given to `option`, and looks the id up. Reports and returns CLI_USAGE if it
 * is not a place or an unknown one. */
int cli_place_read(macadam_place *out, const cli_session *session, const char *option, const char *text);

/* The place that --from names; a point is left in the direction that --heading names. */
int cli_place_read_source(macadam_place *out, const cli_session *session, const cli_options *options);

/* Reads a CSV of places: one node:ID a line, or a header with the columns lon and lat and perhaps id, or with
 * the column node. Columns come in any order; others are ignored. Reports errors with file, line and text; an
 * unknown id is one. Freed by the caller in any case. */
int cli_places_read(cli_places *out, const cli_session *session, const char *path);
/* All nodes, in the order of their ids. */
void cli_places_all(cli_places *out, const cli_session *session);

/* Reads a CSV of pairs: a header with the columns source and target (ids), or source_lon, source_lat,
 * target_lon and target_lat. */
int cli_pairs_read(cli_pairs *out, const cli_session *session, const char *path);

#endif
