/* place.c - places as the user writes them. Ids are looked up as they are read, so that an error can name its
 * line. */
#include "bindings/cli/place.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"

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
    if (!cli_number_decimal(lon->text, lon->bytes, &out->lon) || out->lon < -180 || out->lon > 180) {
        return "not a longitude from -180 to 180";
    }
    *wrong = lat;
    if (!cli_number_decimal(lat->text, lat->bytes, &out->lat) || out->lat < -90 || out->lat > 90) {
        return "not a latitude from -90 to 90";
    }
    return NULL;
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
    const cli_field lon = {text, (size_t)(comma - text)}, lat = {comma + 1, strlen(comma + 1)};
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

static int take_node(macadam_place *out, const cli_session *session, const cli_csv *csv,
                     const cli_field *field)
{
    if (!read_node(out, field)) return cli_csv_fail(csv, field, "not a place: node:ID");
    return cli_session_find_id(session, out->id, NULL) ? CLI_DONE : fail_unknown(csv, field);
}

static int take_id(macadam_place *out, const cli_session *session, const cli_csv *csv, const cli_field *field)
{
    *out = (macadam_place){.kind = MACADAM_PLACE_NODE};
    if (!cli_number_integer(field->text, field->bytes, &out->id))
        return cli_csv_fail(csv, field, "not an integer");
    return cli_session_find_id(session, out->id, NULL) ? CLI_DONE : fail_unknown(csv, field);
}

static int take_point(macadam_place *out, const cli_csv *csv, size_t first_field)
{
    const cli_field *wrong;
    const char *const problem =
        read_point(out, &csv->field[first_field], &csv->field[first_field + 1], &wrong);
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

static int expect_fields(const cli_csv *csv, size_t count)
{
    if (csv->field_count == count) return CLI_DONE;
    return cli_fail_usage("%s:%zu: %zu fields, expected %zu", csv->path, csv->line, csv->field_count, count);
}

/* ---- a CSV of places ---- */

typedef enum place_form {
    FORM_NODES = 1,
    FORM_POINTS = 2,
    FORM_NAMED_POINTS = 3
} place_form; /* = fields a line */

static int take_place(cli_places *out, const cli_session *session, place_form form)
{
    const cli_csv *const csv = &out->csv;
    macadam_place *const place = &out->place[out->count];
    int status = expect_fields(csv, form);
    if (status != CLI_DONE) return status;
    status = form == FORM_NODES ? take_node(place, session, csv, &csv->field[0])
                                : take_point(place, csv, form == FORM_NAMED_POINTS);
    if (form == FORM_NAMED_POINTS) out->name[out->count] = name_of(&csv->field[0]);
    ++out->count;
    return status;
}

/* Looks at the first line: a header, or the first place. */
static int find_place_form(const cli_csv *csv, place_form *form)
{
    *form = cli_csv_line_is(csv, "lon,lat")      ? FORM_POINTS
            : cli_csv_line_is(csv, "id,lon,lat") ? FORM_NAMED_POINTS
                                                 : FORM_NODES;
    if (*form != FORM_NODES || has_node_prefix(&csv->field[0])) return CLI_DONE;
    return cli_csv_fail(csv, &csv->field[0], "expected node:ID, or a header lon,lat or id,lon,lat");
}

int cli_places_read(cli_places *out, const cli_session *session, const char *path)
{
    *out = (cli_places){0};
    cli_csv *const csv = &out->csv;
    bool more = false;
    place_form form;
    int status = cli_csv_open(csv, path);
    if (status == CLI_DONE) status = cli_csv_next(csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no places", path);
    if ((status = find_place_form(csv, &form)) != CLI_DONE) return status;
    if (form != FORM_NODES && !session->info.has_coordinates) return cli_session_fail_points(session);

    const size_t capacity = 1 + cli_csv_lines_left(csv);
    out->place = cli_allocate(capacity, sizeof *out->place);
    if (form == FORM_NAMED_POINTS) out->name = cli_allocate(capacity, sizeof *out->name);
    if (form == FORM_NODES) status = take_place(out, session, form);
    while (status == CLI_DONE && (status = cli_csv_next(csv, &more)) == CLI_DONE && more) {
        status = take_place(out, session, form);
    }
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
    cli_csv_close(&places->csv);
}

/* ---- a CSV of pairs ---- */

static int take_pair(cli_pairs *out, const cli_session *session, bool points)
{
    const cli_csv *const csv = &out->csv;
    macadam_place *const source = &out->source[out->count], *const target = &out->target[out->count];
    int status = expect_fields(csv, points ? 4 : 2);
    if (status != CLI_DONE) return status;
    status = points ? take_point(source, csv, 0) : take_id(source, session, csv, &csv->field[0]);
    if (status != CLI_DONE) return status;
    ++out->count;
    return points ? take_point(target, csv, 2) : take_id(target, session, csv, &csv->field[1]);
}

int cli_pairs_read(cli_pairs *out, const cli_session *session, const char *path)
{
    *out = (cli_pairs){0};
    cli_csv *const csv = &out->csv;
    bool more = false;
    int status = cli_csv_open(csv, path);
    if (status == CLI_DONE) status = cli_csv_next(csv, &more);
    if (status != CLI_DONE) return status;
    if (!more) return cli_fail_usage("%s: no header", path);
    const bool points = cli_csv_line_is(csv, "source_lon,source_lat,target_lon,target_lat");
    if (!points && !cli_csv_line_is(csv, "source,target")) {
        return cli_csv_fail(csv, &csv->field[0],
                            "expected a header source,target or source_lon,source_lat,target_lon,target_lat");
    }
    if (points && !session->info.has_coordinates) return cli_session_fail_points(session);

    const size_t capacity = cli_csv_lines_left(csv);
    out->source = cli_allocate(capacity, sizeof *out->source);
    out->target = cli_allocate(capacity, sizeof *out->target);
    while ((status = cli_csv_next(csv, &more)) == CLI_DONE && more) {
        if ((status = take_pair(out, session, points)) != CLI_DONE) return status;
    }
    return status;
}

void cli_pairs_free(cli_pairs *pairs)
{
    free(pairs->source);
    free(pairs->target);
    cli_csv_close(&pairs->csv);
}
