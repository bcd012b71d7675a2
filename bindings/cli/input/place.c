/* place.c - places as the user writes them. Ids are looked up as they are read, so that an error can name its
 * line. */
#include "bindings/cli/input/place.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/input/number.h"

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
           cli_number_integer(field->text + NODE_PREFIX_BYTES, field->bytes - NODE_PREFIX_BYTES, &out->id);
}

/* NULL, or what is wrong with the point. */
static const char *read_point(macadam_place *out, const cli_field *lon, const cli_field *lat,
                              const cli_field **wrong)
{
    *out = (macadam_place){.kind = MACADAM_PLACE_POINT};
    *wrong = lon;
    if (!cli_number_decimal(lon->text, lon->bytes, &out->lon) || fabs(out->lon) > 180)
        return "not a longitude from -180 to 180";
    *wrong = lat;
    if (!cli_number_decimal(lat->text, lat->bytes, &out->lat)) return "not a latitude from -90 to 90";
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
    return session->info.has_coordinates ? CLI_DONE : cli_session_fail_points(session);
}

int cli_place_read_source(macadam_place *out, const cli_session *session, const cli_options *options)
{
    CLI_TRY(cli_place_read(out, session, "--from", options->from));
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

/* A point, or an id with or without node: before it. */
static int take_place(macadam_place *out, const cli_session *session, const cli_csv *csv,
                      const place_columns *columns)
{
    if (have_point(columns)) {
        const cli_field *wrong;
        const char *const problem =
            read_point(out, &csv->field[columns->lon], &csv->field[columns->lat], &wrong);
        return problem ? cli_csv_fail(csv, wrong, problem) : CLI_DONE;
    }
    const cli_field *const field = &csv->field[columns->node];
    *out = (macadam_place){.kind = MACADAM_PLACE_NODE};
    if (!read_node(out, field) && !cli_number_integer(field->text, field->bytes, &out->id))
        return cli_csv_fail(csv, field, "not the id of a node");
    return cli_session_find_id(session, out->id, NULL) ? CLI_DONE : cli_csv_fail(csv, field, "no such node");
}

/* A name that reads as an integer and prints as it was is a number. */
static cli_name name_of(const cli_field *field)
{
    char digits[20];
    int64_t number;
    if (cli_number_integer(field->text, field->bytes, &number)) {
        const size_t sign = number < 0;
        const uint64_t magnitude = sign ? 0 - (uint64_t)number : (uint64_t)number;
        if (sign + cli_number_print(digits, magnitude) == field->bytes) return (cli_name){.number = number};
    }
    return (cli_name){.text = *field};
}

cli_name cli_place_name(const macadam_place *place, const cli_name *name, size_t i)
{
    if (place[i].kind == MACADAM_PLACE_NODE) return (cli_name){.number = place[i].id};
    return name ? name[i] : (cli_name){.number = (int64_t)i};
}

/* ---- a CSV of places ---- */

typedef struct list_columns {
    place_columns place;
    size_t name;    /* of a point */
    bool no_header; /* every record is node:ID */
} list_columns;

/* Looks at the first record: a header, or the first place. */
static int find_list_columns(cli_csv *csv, list_columns *out)
{
    place_columns *const place = &out->place;
    const cli_column column[] = {{"", CLI_CSV_LON, &place->lon},
                                 {"", CLI_CSV_LAT, &place->lat},
                                 {"", "node", &place->node},
                                 {"", "id", &out->name}};
    *out = (list_columns){.place = {CLI_CSV_NO_COLUMN, CLI_CSV_NO_COLUMN, 0}, .name = CLI_CSV_NO_COLUMN};
    out->no_header = csv->field_count == 1 && has_node_prefix(&csv->field[0]);
    CLI_TRY(cli_csv_header(csv, column, out->no_header ? 0 : sizeof column / sizeof column[0]));
    if (are_found(place)) return CLI_DONE;
    return cli_csv_fail(csv, &csv->field[0],
                        "expected node:ID, or a header with the columns lon and lat, or node");
}

static int take_line(cli_places *out, const cli_session *session, const list_columns *columns)
{
    const cli_csv *const csv = &out->csv;
    if (columns->no_header && !has_node_prefix(&csv->field[0]))
        return cli_csv_fail(csv, &csv->field[0], "not a place: node:ID");
    if (out->name) out->name[out->count] = name_of(&csv->field[columns->name]);
    out->line[out->count] = csv->line;
    return take_place(&out->place[out->count++], session, csv, &columns->place);
}

int cli_places_read(cli_places *out, const cli_session *session, const char *path)
{
    *out = (cli_places){0};
    cli_csv *const csv = &out->csv;
    list_columns columns;
    CLI_TRY(cli_csv_open(csv, path));
    CLI_TRY(cli_csv_first(csv, "places"));
    CLI_TRY(find_list_columns(csv, &columns));
    const bool are_points = have_point(&columns.place);
    if (are_points && !session->info.has_coordinates) return cli_session_fail_points(session);

    const size_t capacity = 1 + cli_csv_lines_left(csv);
    out->place = cli_allocate(capacity, sizeof *out->place);
    out->line = cli_allocate(capacity, sizeof *out->line);
    if (are_points && columns.name != CLI_CSV_NO_COLUMN)
        out->name = cli_allocate(capacity, sizeof *out->name);
    if (columns.no_header) CLI_TRY(take_line(out, session, &columns));
    while (cli_csv_next(csv)) CLI_TRY(take_line(out, session, &columns));
    return csv->status;
}

void cli_places_all(cli_places *out, const cli_session *session)
{
    *out = (cli_places){.count = session->info.id_count};
    out->place = cli_allocate(out->count, sizeof *out->place);
    for (size_t i = 0; i < out->count; ++i)
        out->place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = session->id[i]};
}

/* ---- a CSV of pairs ---- */

typedef struct pair_columns {
    place_columns source, target;
} pair_columns;

static int find_pair_columns(cli_csv *csv, pair_columns *out)
{
    const cli_column column[] = {
        {"source_", CLI_CSV_LON, &out->source.lon}, {"source_", CLI_CSV_LAT, &out->source.lat},
        {"target_", CLI_CSV_LON, &out->target.lon}, {"target_", CLI_CSV_LAT, &out->target.lat},
        {"", "source", &out->source.node},          {"", "target", &out->target.node}};
    CLI_TRY(cli_csv_header(csv, column, sizeof column / sizeof column[0]));
    if (are_found(&out->source) && are_found(&out->target)) return CLI_DONE;
    return cli_csv_fail(csv, &csv->field[0],
                        "expected a header with the columns source and target (ids), or "
                        "source_lon, source_lat, target_lon and target_lat");
}

static int take_pair(cli_pairs *out, const cli_session *session, const pair_columns *columns)
{
    const size_t i = out->count;
    CLI_TRY(take_place(&out->source[i], session, &out->csv, &columns->source));
    out->line[out->count++] = out->csv.line;
    return take_place(&out->target[i], session, &out->csv, &columns->target);
}

int cli_pairs_read(cli_pairs *out, const cli_session *session, const char *path)
{
    *out = (cli_pairs){0};
    cli_csv *const csv = &out->csv;
    pair_columns columns;
    CLI_TRY(cli_csv_open(csv, path));
    CLI_TRY(cli_csv_first(csv, "header"));
    CLI_TRY(find_pair_columns(csv, &columns));
    if ((have_point(&columns.source) || have_point(&columns.target)) && !session->info.has_coordinates)
        return cli_session_fail_points(session);

    const size_t capacity = cli_csv_lines_left(csv);
    out->source = cli_allocate(capacity, sizeof *out->source);
    out->target = cli_allocate(capacity, sizeof *out->target);
    out->line = cli_allocate(capacity, sizeof *out->line);
    while (cli_csv_next(csv)) CLI_TRY(take_pair(out, session, &columns));
    return csv->status;
}
