/* place.c - places as the user writes them. Ids are looked up as they are read, so that an error can name its
 * line. */
#include "bindings/cli/place.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"

#include <math.h>
#include <stdlib.h>
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
    const int status = cli_place_read(out, session, "--from", options->from);
    if (status == CLI_DONE) cli_session_head(session, out, 1);
    return status;
}

/* ---- fields of a CSV ---- */

static int fail_unknown(const cli_csv *csv, const cli_field *field)
{
    return cli_csv_fail(csv, field, "no such node");
}

/* An id, with or without node: before it. */
static int take_id(macadam_place *out, const cli_session *session, const cli_csv *csv, const cli_field *field)
{
    *out = (macadam_place){.kind = MACADAM_PLACE_NODE};
    if (!read_node(out, field) && !cli_number_integer(field->text, field->bytes, &out->id))
        return cli_csv_fail(csv, field, "not the id of a node");
    return cli_session_find_id(session, out->id, NULL) ? CLI_DONE : fail_unknown(csv, field);
}

/* The columns of a point. */
typedef struct point_columns {
    size_t lon, lat;
} point_columns;

static int find_point(const cli_csv *csv, const char *prefix, point_columns *out)
{
    const int status = cli_csv_column(csv, prefix, "lon lng long longitude x", &out->lon);
    return status == CLI_DONE ? cli_csv_column(csv, prefix, "lat latitude y", &out->lat) : status;
}

static bool has_point(const point_columns *point)
{
    return point->lon != CLI_CSV_NO_COLUMN && point->lat != CLI_CSV_NO_COLUMN;
}

static int take_point(macadam_place *out, const cli_csv *csv, const point_columns *point)
{
    const cli_field *wrong;
    const char *const problem = read_point(out, &csv->field[point->lon], &csv->field[point->lat], &wrong);
    return problem ? cli_csv_fail(csv, wrong, problem) : CLI_DONE;
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

typedef struct place_columns {
    size_t count; /* fields a record */
    point_columns point;
    size_t id;      /* of a point */
    size_t node;    /* instead of a point */
    bool no_header; /* every record is node:ID */
} place_columns;

/* Looks at the first record: a header, or the first place. */
static int find_place_columns(const cli_csv *csv, place_columns *out)
{
    *out = (place_columns){.count = csv->field_count, .node = 0, .id = CLI_CSV_NO_COLUMN};
    out->point = (point_columns){CLI_CSV_NO_COLUMN, CLI_CSV_NO_COLUMN};
    out->no_header = csv->field_count == 1 && has_node_prefix(&csv->field[0]);
    if (out->no_header) return CLI_DONE;
    int status = find_point(csv, "", &out->point);
    if (status == CLI_DONE) status = cli_csv_column(csv, "", "id", &out->id);
    if (status == CLI_DONE) status = cli_csv_column(csv, "", "node", &out->node);
    if (status != CLI_DONE || has_point(&out->point) || out->node != CLI_CSV_NO_COLUMN) return status;
    return cli_csv_fail(csv, &csv->field[0],
                        "expected node:ID, or a header with the columns lon and lat, or node");
}

static int take_place(cli_places *out, const cli_session *session, const place_columns *columns)
{
    const cli_csv *const csv = &out->csv;
    macadam_place *const place = &out->place[out->count];
    const bool is_point = has_point(&columns->point);
    int status = cli_csv_expect(csv, columns->count);
    if (status != CLI_DONE) return status;
    if (columns->no_header && !has_node_prefix(&csv->field[0]))
        return cli_csv_fail(csv, &csv->field[0], "not a place: node:ID");
    status = is_point ? take_point(place, csv, &columns->point)
                      : take_id(place, session, csv, &csv->field[columns->node]);
    if (out->name) out->name[out->count] = name_of(&csv->field[columns->id]);
    out->line[out->count++] = csv->line;
    return status;
}

int cli_places_read(cli_places *out, const cli_session *session, const char *path)
{
    *out = (cli_places){0};
    cli_csv *const csv = &out->csv;
    bool more = false;
    place_columns columns;
    int status = cli_csv_open(csv, path);
    if (status == CLI_DONE) status = cli_csv_next(csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no places", csv->path);
    if ((status = find_place_columns(csv, &columns)) != CLI_DONE) return status;
    const bool are_points = has_point(&columns.point);
    if (are_points && !session->info.has_coordinates) return cli_session_fail_points(session);

    const size_t capacity = 1 + cli_csv_lines_left(csv);
    out->place = cli_allocate(capacity, sizeof *out->place);
    out->line = cli_allocate(capacity, sizeof *out->line);
    if (are_points && columns.id != CLI_CSV_NO_COLUMN) out->name = cli_allocate(capacity, sizeof *out->name);
    if (columns.no_header) status = take_place(out, session, &columns);
    while (status == CLI_DONE && (status = cli_csv_next(csv, &more)) == CLI_DONE && more)
        status = take_place(out, session, &columns);
    return status;
}

void cli_places_all(cli_places *out, const cli_session *session)
{
    *out = (cli_places){.count = session->info.id_count};
    out->place = cli_allocate(out->count, sizeof *out->place);
    for (size_t i = 0; i < out->count; ++i)
        out->place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = session->id[i]};
}

void cli_places_free(cli_places *places)
{
    free(places->place);
    free(places->name);
    free(places->line);
    cli_csv_close(&places->csv);
}

/* ---- a CSV of pairs ---- */

typedef struct pair_columns {
    size_t count; /* fields a record */
    point_columns source, target;
    size_t source_id, target_id; /* instead of points */
} pair_columns;

static int find_pair_columns(const cli_csv *csv, pair_columns *out)
{
    out->count = csv->field_count;
    int status = find_point(csv, "source_", &out->source);
    if (status == CLI_DONE) status = find_point(csv, "target_", &out->target);
    if (status == CLI_DONE) status = cli_csv_column(csv, "", "source", &out->source_id);
    if (status == CLI_DONE) status = cli_csv_column(csv, "", "target", &out->target_id);
    if (status != CLI_DONE) return status;
    if ((has_point(&out->source) || out->source_id != CLI_CSV_NO_COLUMN) &&
        (has_point(&out->target) || out->target_id != CLI_CSV_NO_COLUMN))
        return CLI_DONE;
    return cli_csv_fail(csv, &csv->field[0],
                        "expected a header with the columns source and target (ids), or "
                        "source_lon, source_lat, target_lon and target_lat");
}

static int take_pair(cli_pairs *out, const cli_session *session, const pair_columns *columns)
{
    const cli_csv *const csv = &out->csv;
    macadam_place *const source = &out->source[out->count], *const target = &out->target[out->count];
    int status = cli_csv_expect(csv, columns->count);
    if (status != CLI_DONE) return status;
    status = has_point(&columns->source) ? take_point(source, csv, &columns->source)
                                         : take_id(source, session, csv, &csv->field[columns->source_id]);
    if (status != CLI_DONE) return status;
    out->line[out->count++] = csv->line;
    return has_point(&columns->target) ? take_point(target, csv, &columns->target)
                                       : take_id(target, session, csv, &csv->field[columns->target_id]);
}

int cli_pairs_read(cli_pairs *out, const cli_session *session, const char *path)
{
    *out = (cli_pairs){0};
    cli_csv *const csv = &out->csv;
    bool more = false;
    pair_columns columns;
    int status = cli_csv_open(csv, path);
    if (status == CLI_DONE) status = cli_csv_next(csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no header", csv->path);
    if ((status = find_pair_columns(csv, &columns)) != CLI_DONE) return status;
    if ((has_point(&columns.source) || has_point(&columns.target)) && !session->info.has_coordinates)
        return cli_session_fail_points(session);

    const size_t capacity = cli_csv_lines_left(csv);
    out->source = cli_allocate(capacity, sizeof *out->source);
    out->target = cli_allocate(capacity, sizeof *out->target);
    out->line = cli_allocate(capacity, sizeof *out->line);
    while ((status = cli_csv_next(csv, &more)) == CLI_DONE && more)
        if ((status = take_pair(out, session, &columns)) != CLI_DONE) return status;
    return status;
}

void cli_pairs_free(cli_pairs *pairs)
{
    free(pairs->source);
    free(pairs->target);
    free(pairs->line);
    cli_csv_close(&pairs->csv);
}
