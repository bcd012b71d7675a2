/* place.c - places as the user writes them. Ids are looked up as they are read, so that an error can name its
 * line. */
#include "bindings/cli/input/place.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char node_prefix[] = "node:";
enum { NODE_PREFIX_BYTES = sizeof node_prefix - 1 };

static bool has_node_prefix(const cli_field *field)
{
    return field->bytes >= NODE_PREFIX_BYTES && memcmp(field->text, node_prefix, NODE_PREFIX_BYTES) == 0;
}

static bool read_node(macadam_place *out, const cli_field *field)
{
    *out = (macadam_place){.kind = MACADAM_PLACE_NODE};
    return has_node_prefix(field) &&
           mcd_number_integer(field->text + NODE_PREFIX_BYTES, field->bytes - NODE_PREFIX_BYTES, &out->id);
}

/* NULL, or what is wrong with the point. */
static const char *read_point(macadam_place *out, const cli_field *lon, const cli_field *lat,
                              const cli_field **wrong)
{
    *out = (macadam_place){.kind = MACADAM_PLACE_POINT};
    *wrong = lon;
    if (!mcd_number_decimal(lon->text, lon->bytes, &out->lon) || fabs(out->lon) > 180)
        return "not a longitude from -180 to 180";
    *wrong = lat;
    if (!mcd_number_decimal(lat->text, lat->bytes, &out->lat)) return "not a latitude from -90 to 90";
    if (fabs(out->lat) <= 90) return NULL;
    return fabs(out->lat) <= 180 && fabs(out->lon) <= 90
               ? "not a latitude from -90 to 90; are longitude and latitude swapped?"
               : "not a latitude from -90 to 90";
}

/* ---- one place ---- */

int cli_place_read(macadam_place *out, const cli_session *session, const char *option, const char *text)
{
    const cli_field field = {text, strlen(text)};
    if (has_node_prefix(&field)) {
        if (!read_node(out, &field)) return cli_fail_usage("%s %s: not an integer after node:", option, text);
        if (!cli_session_find_id(session, out->id, NULL))
            return cli_fail_usage("%s %s: no such node", option, text);
        return CLI_DONE;
    }
    const char *const comma = strchr(text, ',');
    if (!comma) return cli_fail_usage("%s %s: not a place: node:ID or LON,LAT", option, text);
    const char *const after = comma + 1 + strspn(comma + 1, " ");
    const cli_field lon = {text, (size_t)(comma - text)}, lat = {after, strlen(after)};
    const cli_field *wrong;
    const char *const problem = read_point(out, &lon, &lat, &wrong);
    if (problem)
        return cli_fail_usage("%s %s: %s: \"%.*s\"", option, text, problem, (int)wrong->bytes, wrong->text);
    return session->info.has_coordinates ? CLI_DONE : cli_session_fail_coordinates(session, CLI_NO_POINTS);
}

int cli_place_read_source(macadam_place *out, const cli_session *session)
{
    CLI_TRY(cli_place_read(out, session, "--from", session->options->from));
    cli_session_head(session, out, 1);
    return CLI_DONE;
}

/* ---- fields of a CSV ---- */

/* The columns of a place: those of a point or that of a node. */
typedef struct place_columns {
    size_t lon, lat, node;
} place_columns;

static bool have_point(const place_columns *columns)
{
    return columns->lon != CLI_CSV_NO_COLUMN && columns->lat != CLI_CSV_NO_COLUMN;
}

static bool are_found(const place_columns *columns)
{
    return have_point(columns) || columns->node != CLI_CSV_NO_COLUMN;
}

/* A name that reads as an integer and prints as it was is a number. */
static cli_name name_of(const cli_field *field)
{
    char digits[24];
    int64_t number;
    const bool is_number = mcd_number_integer(field->text, field->bytes, &number) &&
                           snprintf(digits, sizeof digits, "%" PRId64, number) == (int)field->bytes;
    return is_number ? (cli_name){.number = number} : (cli_name){.text = *field};
}

cli_name cli_place_name(const cli_places *places, size_t i)
{
    if (places->name) return places->name[i];
    const macadam_place *const place = &places->place[i];
    return (cli_name){.number = place->kind == MACADAM_PLACE_NODE ? place->id : (int64_t)i};
}

/* ---- lists ---- */

static void allocate(cli_places *out, const char *what, const char *path, size_t capacity)
{
    *out = (cli_places){.what = what,
                        .path = path,
                        .place = cli_allocate(capacity, sizeof *out->place),
                        .status = cli_allocate(capacity, sizeof *out->status),
                        .line = path ? cli_allocate(capacity, sizeof *out->line) : NULL};
}

macadam_place_status *cli_places_join(cli_places *first, cli_places *second)
{
    first->status = cli_allocate(first->count + second->count, sizeof *first->status);
    second->status = first->status + first->count;
    return first->status;
}

void cli_places_all(cli_places *out, const cli_session *session)
{
    allocate(out, "sources", NULL, session->info.id_count);
    for (; out->count < session->info.id_count; ++out->count)
        out->place[out->count].id = session->id[out->count];
}

/* Takes the place in the present record: a point, or an id with or without node: before it. */
static int take_line(cli_places *out, const cli_session *session, const cli_csv *csv,
                     const place_columns *columns)
{
    macadam_place *const place = &out->place[out->count];
    out->line[out->count++] = csv->line;
    if (have_point(columns)) {
        const cli_field *wrong;
        const char *const problem =
            read_point(place, &csv->field[columns->lon], &csv->field[columns->lat], &wrong);
        return problem ? cli_csv_fail(csv, wrong, problem) : CLI_DONE;
    }
    const cli_field *const field = &csv->field[columns->node];
    *place = (macadam_place){.kind = MACADAM_PLACE_NODE};
    if (!read_node(place, field) && !mcd_number_integer(field->text, field->bytes, &place->id))
        return cli_csv_fail(csv, field, "not the id of a node");
    return cli_session_find_id(session, place->id, NULL) ? CLI_DONE
                                                         : cli_csv_fail(csv, field, "no such node");
}

static int end_of_list(const cli_csv *csv, size_t count)
{
    return csv->status || count ? csv->status : cli_fail_usage("%s: there is no place", csv->path);
}

/* ---- a CSV of places ---- */

/* Finds the columns of amounts in the header: their names become those of the answer's. */
static int find_amounts(cli_amounts *out, size_t at[MACADAM_REACH_AMOUNTS_MAX], size_t capacity,
                        const cli_csv *csv, const place_columns *place, size_t name)
{
    for (size_t i = 0; i < csv->field_count; ++i) {
        const cli_field *const field = &csv->field[i];
        if (i == place->lon || i == place->lat || i == place->node || i == name) continue;
        if (out->count == MACADAM_REACH_AMOUNTS_MAX)
            return cli_csv_fail(csv, field, "more than 16 columns of amounts");
        char *const text = cli_allocate(field->bytes + 1, 1);
        memcpy(text, field->text, field->bytes);
        if (field->bytes == 0 || strpbrk(text, ",=?*!\"\n"))
            return cli_csv_fail(csv, field, "not a name of a column of amounts");
        out->name[out->count] = text;
        at[out->count++] = i;
    }
    if (out->count == 0)
        return cli_csv_fail(csv, &csv->field[0],
                            "expected a header with columns of amounts beside those of the place");
    out->amount = cli_allocate(capacity * out->count, sizeof *out->amount);
    return CLI_DONE;
}

static int take_amounts(const cli_amounts *amounts, const size_t *at, size_t capacity, const cli_csv *csv,
                        size_t row)
{
    for (size_t column = 0; column < amounts->count; ++column) {
        const cli_field *const field = &csv->field[at[column]];
        double *const out = &amounts->amount[column * capacity + row];
        if (!mcd_number_decimal(field->text, field->bytes, out) || *out < 0)
            return cli_csv_fail(csv, field, "not an amount, a number from 0");
    }
    return CLI_DONE;
}

/* amounts: NULL, or those of opportunities. */
int cli_places_read(cli_places *out, cli_amounts *amounts, const cli_session *session, const char *what,
                    const char *path)
{
    cli_csv csv;
    place_columns place = {CLI_CSV_NO_COLUMN, CLI_CSV_NO_COLUMN, 0};
    size_t name = CLI_CSV_NO_COLUMN, amount_at[MACADAM_REACH_AMOUNTS_MAX];
    const cli_column column[] = {{"", CLI_CSV_LON, &place.lon},
                                 {"", CLI_CSV_LAT, &place.lat},
                                 {"", "node", &place.node},
                                 {"", "id", &name}};
    CLI_TRY(cli_csv_open(&csv, path, "places"));
    const bool no_header = csv.field_count == 1 && has_node_prefix(&csv.field[0]);
    CLI_TRY(cli_csv_header(&csv, column, no_header ? 0 : sizeof column / sizeof column[0]));
    if (!are_found(&place))
        return cli_csv_fail(&csv, &csv.field[0],
                            "expected node:ID, or a header with the columns lon and lat, or node");
    const bool are_points = have_point(&place);
    if (are_points && !session->info.has_coordinates)
        return cli_session_fail_coordinates(session, CLI_NO_POINTS);

    const size_t capacity = 1 + cli_csv_lines_left(&csv);
    allocate(out, what, csv.path, capacity);
    if (amounts) CLI_TRY(find_amounts(amounts, amount_at, capacity, &csv, &place, name));
    if (!no_header && name != CLI_CSV_NO_COLUMN) out->name = cli_allocate(capacity, sizeof *out->name);
    if (no_header) CLI_TRY(take_line(out, session, &csv, &place));
    while (cli_csv_next(&csv)) {
        if (no_header && !has_node_prefix(&csv.field[0]))
            return cli_csv_fail(&csv, &csv.field[0], "not a place: node:ID");
        if (amounts) CLI_TRY(take_amounts(amounts, amount_at, capacity, &csv, out->count));
        if (out->name) out->name[out->count] = name_of(&csv.field[name]);
        CLI_TRY(take_line(out, session, &csv, &place));
    }
    for (size_t i = 1; amounts && i < amounts->count; ++i)
        memmove(amounts->amount + i * out->count, amounts->amount + i * capacity,
                out->count * sizeof *amounts->amount);
    return end_of_list(&csv, out->count);
}

/* ---- a CSV of pairs ---- */

/* An end that is a point may have a name: its column source or target, which is otherwise that of its id. */
static int take_end(cli_places *out, const cli_session *session, const cli_csv *csv,
                    const place_columns *columns)
{
    if (out->name) out->name[out->count] = name_of(&csv->field[columns->node]);
    return take_line(out, session, csv, columns);
}

int cli_pairs_read(cli_places *source, cli_places *target, const cli_session *session, const char *path)
{
    cli_csv csv;
    place_columns from, to;
    const cli_column column[] = {{"source_", CLI_CSV_LON, &from.lon}, {"source_", CLI_CSV_LAT, &from.lat},
                                 {"target_", CLI_CSV_LON, &to.lon},   {"target_", CLI_CSV_LAT, &to.lat},
                                 {"", "source", &from.node},          {"", "target", &to.node}};
    CLI_TRY(cli_csv_open(&csv, path, "header"));
    CLI_TRY(cli_csv_header(&csv, column, sizeof column / sizeof column[0]));
    if (!are_found(&from) || !are_found(&to))
        return cli_csv_fail(&csv, &csv.field[0],
                            "expected a header with the columns source and target (ids), or "
                            "source_lon, source_lat, target_lon and target_lat");
    if ((have_point(&from) || have_point(&to)) && !session->info.has_coordinates)
        return cli_session_fail_coordinates(session, CLI_NO_POINTS);

    const size_t capacity = cli_csv_lines_left(&csv);
    allocate(source, "sources", csv.path, capacity);
    allocate(target, "targets", csv.path, capacity);
    if (have_point(&from) && from.node != CLI_CSV_NO_COLUMN)
        source->name = cli_allocate(capacity, sizeof *source->name);
    if (have_point(&to) && to.node != CLI_CSV_NO_COLUMN)
        target->name = cli_allocate(capacity, sizeof *target->name);
    while (cli_csv_next(&csv)) {
        CLI_TRY(take_end(source, session, &csv, &from));
        CLI_TRY(take_end(target, session, &csv, &to));
    }
    return end_of_list(&csv, source->count);
}
