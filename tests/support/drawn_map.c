/* drawn_map.c - see drawn_map.h. A node's id is its letter's code, ways and relations are numbered from 1. */
#include "tests/support/drawn_map.h"

#include "importers/osm/rules/profiles.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 24,
    COLUMNS = 80,
    LETTERS = 128,
    WAYS = 64,
    STATEMENTS = 40,
    LINE_BYTES = 512,
    FILE_BYTES = 65536,
    COLUMN_M = 250, /* unless the text says otherwise; rows are twice as far apart */
};

/* A thousand metres on the ellipsoid of WGS 84 near longitude and latitude 0. */
static const double east_km_e7 = 1e10 / (6378137 * 3.14159265358979323846 / 180);
static const double north_km_e7 = 1e10 / (6335439.3272928 * 3.14159265358979323846 / 180);

typedef struct drawn_way {
    char letters[LINE_BYTES];
    const char *tags;
} drawn_way;

/* "HEAD: BODY" */
typedef struct statement {
    char head[LINE_BYTES], body[LINE_BYTES];
} statement;

typedef struct drawing {
    const char *text; /* for messages */
    char cell[ROWS][COLUMNS];
    bool covered[ROWS][COLUMNS]; /* strokes that some way goes along */
    int row_count, row[LETTERS], column[LETTERS];
    drawn_way way[WAYS];
    size_t way_count;
    statement said[STATEMENTS];
    size_t said_count;
    double column_m;
    bool names_ways; /* by their letters, unless they have a name or a ref */
    char file[FILE_BYTES], told[FILE_BYTES];
    size_t file_bytes;
} drawing;

static drawing drawn;

/* ---- the picture ---- */

static bool is_letter(int cell)
{
    return isalnum(cell) != 0;
}

static void take_row(const char *line)
{
    cr_assert(drawn.row_count < ROWS && strlen(line) < COLUMNS, "too large a picture:\n%s", drawn.text);
    for (int column = 0; line[column]; ++column) {
        const int cell = line[column];
        drawn.cell[drawn.row_count][column] = (char)cell;
        if (!is_letter(cell)) continue;
        cr_assert(drawn.row[cell] < 0, "two nodes %c:\n%s", cell, drawn.text);
        drawn.row[cell] = drawn.row_count;
        drawn.column[cell] = column;
    }
    ++drawn.row_count;
}

static void take_statement(const char *line, const char *colon)
{
    cr_assert_lt(drawn.said_count, STATEMENTS);
    statement *out = &drawn.said[drawn.said_count++];
    snprintf(out->head, sizeof out->head, "%.*s", (int)(colon - line), line);
    snprintf(out->body, sizeof out->body, "%s", colon + 1 + strspn(colon + 1, " "));
}

static void take_lines(const char *text)
{
    char line[LINE_BYTES];
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        const char *colon = strchr(line, ':');
        if (*line == '#' || strncmp(line, "== ", 3) == 0) continue;
        if (colon)
            take_statement(line, colon);
        else
            take_row(line);
    }
}

static char stroke_of(int down, int right)
{
    if (down == 0) return '-';
    if (right == 0) return '|';
    return down == right ? '\\' : '/';
}

/* Whether strokes lead from the cell, in one direction, to a letter: which one, or 0. */
static char follow(int row, int column, int down, int right)
{
    const char stroke = stroke_of(down, right);
    bool any = false;
    for (;; any = true) {
        row += down, column += right;
        if (row < 0 || row >= ROWS || column < 0 || column >= COLUMNS) return 0;
        if (drawn.cell[row][column] != stroke) break;
    }
    return any && is_letter(drawn.cell[row][column]) ? drawn.cell[row][column] : 0;
}

static void cover(int row, int column, int down, int right)
{
    while (!is_letter(drawn.cell[row += down][column += right])) drawn.covered[row][column] = true;
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

static void cover_way(const char *letters)
{
    for (; letters[1]; ++letters) {
        const int a = letters[0], b = letters[1];
        const int down = sign(drawn.row[b] - drawn.row[a]), right = sign(drawn.column[b] - drawn.column[a]);
        cr_assert(follow(drawn.row[a], drawn.column[a], down, right) == b, "no line from %c to %c:\n%s", a, b,
                  drawn.text);
        cover(drawn.row[a], drawn.column[a], down, right);
    }
}

static drawn_way *add_way(const char *letters, const char *tags)
{
    cr_assert_lt(drawn.way_count, WAYS);
    drawn_way *out = &drawn.way[drawn.way_count++];
    snprintf(out->letters, sizeof out->letters, "%s", letters);
    out->tags = tags;
    cover_way(letters);
    return out;
}

/* Each line that no statement names is a way. */
static void add_other_ways(void)
{
    static const int direction[][2] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};
    for (int row = 0; row < drawn.row_count; ++row)
        for (int column = 0; column < COLUMNS; ++column)
            for (int d = 0; d < 4 && is_letter(drawn.cell[row][column]); ++d) {
                const int down = direction[d][0], right = direction[d][1];
                const char end = follow(row, column, down, right);
                if (!end || drawn.covered[row + down][column + right]) continue;
                add_way((const char[]){drawn.cell[row][column], end, '\0'}, "");
            }
}

static void expect_no_loose_stroke(void)
{
    for (int row = 0; row < drawn.row_count; ++row)
        for (int column = 0; column < COLUMNS; ++column)
            cr_assert(!drawn.cell[row][column] || drawn.cell[row][column] == ' ' ||
                          is_letter(drawn.cell[row][column]) || drawn.covered[row][column],
                      "a line that leads nowhere:\n%s", drawn.text);
}

/* ---- the file ---- */

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    drawn.file_bytes +=
        (size_t)vsnprintf(drawn.file + drawn.file_bytes, FILE_BYTES - drawn.file_bytes, format, arguments);
    va_end(arguments);
    cr_assert_lt(drawn.file_bytes, FILE_BYTES);
}

static void put_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if (isalnum((unsigned char)text[i]) || (unsigned char)text[i] >= 0x80)
            put("%c", text[i]);
        else
            put("&#%d;", text[i]);
}

/* "key=value, key=value" */
static void put_tags(const char *tags)
{
    while (*tags) {
        const char *const end = strstr(tags, ", ");
        const size_t length = end ? (size_t)(end - tags) : strlen(tags), key = strcspn(tags, "=");
        cr_assert_lt(key, length, "no tag: %s\n%s", tags, drawn.text);
        put("<tag k='");
        put_text(tags, key);
        put("' v='");
        put_text(tags + key + 1, length - key - 1);
        put("'/>");
        tags += length;
        tags += strspn(tags, ", ");
    }
}

static const char *tags_of_node(int letter)
{
    for (size_t i = 0; i < drawn.said_count; ++i)
        if (drawn.said[i].head[0] == letter && drawn.said[i].head[1] == '\0') return drawn.said[i].body;
    return "";
}

static int32_t lon_e7_of(int letter)
{
    return (int32_t)lround(drawn.column[letter] * east_km_e7 * drawn.column_m / 1000);
}

static int32_t lat_e7_of(int letter)
{
    return -(int32_t)lround(drawn.row[letter] * north_km_e7 * drawn.column_m / 500);
}

static void put_nodes(void)
{
    for (int letter = 0; letter < LETTERS; ++letter) {
        if (drawn.row[letter] < 0) continue;
        put("<node id='%d' version='1' lat='%.7f' lon='%.7f'>", letter, lat_e7_of(letter) / 1e7,
            lon_e7_of(letter) / 1e7);
        put_tags(tags_of_node(letter));
        put("</node>\n");
    }
}

static bool says(const char *tags, const char *key)
{
    const char *at = strstr(tags, key);
    return at && (at == tags || at[-1] == ' ');
}

static bool says_what_it_is(const char *tags)
{
    return says(tags, "highway=") || says(tags, "route=") || says(tags, "railway=") ||
           says(tags, "public_transport=") || says(tags, "man_made=") || says(tags, "aerialway=") ||
           says(tags, "building=") || says(tags, "landuse=");
}

static void put_ways(void)
{
    for (size_t w = 0; w < drawn.way_count; ++w) {
        const drawn_way *way = &drawn.way[w];
        put("<way id='%zu' version='1'>", w + 1);
        for (const char *at = way->letters; *at; ++at) put("<nd ref='%d'/>", *at);
        if (!says_what_it_is(way->tags)) put_tags("highway=residential");
        if (drawn.names_ways && !says(way->tags, "name=") && !says(way->tags, "ref="))
            put("<tag k='name' v='%s'/>", way->letters);
        put_tags(way->tags);
        put("</way>\n");
    }
}

/* Whether the first `length` letters of `name` are the way's, from either end. */
static bool is_named(const char *letters, const char *name, size_t length)
{
    bool there = true, back = true;
    for (size_t i = 0; i < length; ++i) {
        there = there && letters[i] == name[i];
        back = back && letters[i] == name[length - 1 - i];
    }
    return strlen(letters) == length && (there || back);
}

static size_t find_way(const char *name, size_t length)
{
    size_t w = 0;
    while (w < drawn.way_count && !is_named(drawn.way[w].letters, name, length)) ++w;
    return w + 1; /* beyond the last one: a way that is not on the map */
}

/* Members, up to the end of their role, by letters with blanks between; one letter is a node. */
static void put_members(const char *members, const char *role)
{
    for (;;) {
        members += strspn(members, " ");
        const size_t length = strcspn(members, " ()");
        if (length == 0) return;
        put("<member type='%s' ref='%zu' role='%s'/>", length == 1 ? "node" : "way",
            length == 1 ? (size_t)*members : find_way(members, length), role);
        members += length;
    }
}

static void put_relation(size_t id, const statement *said)
{
    const char *via = strchr(said->head, '('), *behind = strchr(said->head, ')');
    put("<relation id='%zu' version='1'>", id);
    const bool area = says(said->body, "type=multipolygon");
    put_members(said->head, area ? "outer" : "from");
    put_members(via + 1, area ? "inner" : "via");
    put_members(behind + 1, "to");
    if (!says(said->body, "type=")) put_tags("type=restriction");
    put_tags(said->body);
    put("</relation>\n");
}

static bool is_relation(const statement *said)
{
    return strchr(said->head, '(') != NULL;
}

static void put_boundary(size_t id, const statement *said)
{
    put("<relation id='%zu' version='1'>", id);
    put_tags("type=boundary");
    put_tags(said->body);
    put("</relation>\n");
}

static bool is_boundary(const statement *said)
{
    return strcmp(said->head, "map") == 0;
}

static bool is_scale(const statement *said)
{
    return strcmp(said->head, "scale") == 0;
}

static bool is_expectation(const statement *said)
{
    return strchr(said->head, '>') != NULL || strcmp(said->head, "told") == 0;
}

static void put_file(void)
{
    put("<?xml version='1.0'?><osm version='0.6'>\n");
    put_nodes();
    put_ways();
    for (size_t i = 0; i < drawn.said_count; ++i) {
        if (is_relation(&drawn.said[i])) put_relation(i + 1, &drawn.said[i]);
        if (is_boundary(&drawn.said[i])) put_boundary(i + 1, &drawn.said[i]);
    }
    put("</osm>\n");
}

static void draw(const char *text, bool names_ways)
{
    drawn = (drawing){.text = text, .column_m = COLUMN_M, .names_ways = names_ways};
    memset(drawn.row, -1, sizeof drawn.row);
    take_lines(text);
    for (size_t i = 0; i < drawn.said_count; ++i) {
        const statement *said = &drawn.said[i];
        if (is_scale(said)) drawn.column_m = atof(said->body);
        if (is_relation(said) || is_boundary(said) || is_scale(said) || is_expectation(said) ||
            !said->head[1])
            continue;
        add_way(said->head, said->body);
    }
    add_other_ways();
    expect_no_loose_stroke();
    put_file();
}

/* ---- the traveller ---- */

/* Settings are before the sections of the profile, sections after them. */
static void write_profile(const char *traveller, const char *path)
{
    char lines[LINE_BYTES];
    const size_t name = strcspn(traveller, ";");
    snprintf(lines, sizeof lines, "%s", traveller + name);
    for (char *at = lines; *at; ++at)
        if (*at == ';') *at = '\n';
    const char *own = strchr(lines, '[');
    const size_t settings = own ? (size_t)(own - lines) : strlen(lines);
    const mcd_profile_text *profile = mcd_profile_texts;
    while (strncmp(profile->name, traveller, name) != 0 || profile->name[name]) ++profile;
    const char *sections = strchr(profile->text, '[');
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "%.*s%.*s\n%s\n%s\n", (int)(sections - profile->text), profile->text, (int)settings, lines,
            sections, lines + settings);
    cr_assert_eq(fclose(file), 0);
}

/* ---- what is expected ---- */

static int letter_at(double lon, double lat)
{
    for (int letter = 0; letter < LETTERS; ++letter)
        if (drawn.row[letter] >= 0 && lon_e7_of(letter) == lround(lon * 1e7) &&
            lat_e7_of(letter) == lround(lat * 1e7))
            return letter;
    return '?';
}

/* The letters that the route passes, junctions or not. Shares of arcs are rounded: a place at a shape point
 * may lie a hair before it, which then follows. */
static void spell(const macadam_route *route, int source, char letters[LINE_BYTES])
{
    size_t length = 0;
    letters[length++] = (char)source;
    for (size_t i = 0; i < route->arc_count; ++i)
        for (size_t p = route->arc[i].first_shape + 1; p < route->arc[i].end_shape; ++p) {
            const char letter = (char)letter_at(route->lon[p], route->lat[p]);
            if (letter != letters[length - 1]) letters[length++] = letter;
        }
    letters[length] = '\0';
}

/* One of the things said of a route: "none", "120 s" or its letters. Places are rounded to 1e-7 degrees, so that
 * times are right to 2e-5. */
static void expect_claim(const macadam_route *route, const char *letters, const char *claim, const char *ends)
{
    double seconds;
    char unit;
    if (strcmp(claim, "none") == 0) {
        cr_expect_not(route->found, "%s: there is %s\n%s", ends, letters, drawn.text);
        return;
    }
    cr_expect(route->found, "%s: there is no route\n%s", ends, drawn.text);
    if (sscanf(claim, "%lf %c", &seconds, &unit) == 2)
        cr_expect_leq(fabs(route->value[0] - seconds * 1000), 1 + seconds / 50, "%s: %u ms, not %s\n%s", ends,
                      route->value[0], claim, drawn.text);
    else
        cr_expect_str_eq(letters, claim, "%s: %s, not %s\n%s", ends, letters, claim, drawn.text);
}

/* On its road, which may be closed to the traveller: no other one is near. */
static macadam_place place_of(int letter)
{
    return (macadam_place){
        .kind = MACADAM_PLACE_POINT, .lon = lon_e7_of(letter) / 1e7, .lat = lat_e7_of(letter) / 1e7};
}

static uint32_t flag_of(const char *name)
{
    uint32_t flag = 1;
    while (strcmp(macadam_road_flag_name((macadam_road_flag)flag), name) != 0) flag *= 2;
    return flag;
}

/* The words after "a>d": "Mo0815", a slot, "3.8 m", a measure, or "avoiding toll". `slot` is the text's memory. */
static macadam_conditions conditions_of(const char *text, char slot[8])
{
    macadam_conditions out = MACADAM_CONDITIONS_INIT;
    const struct {
        const char *unit;
        double *measure;
    } row[] = {{"m", &out.height_m},
               {"long", &out.length_m},
               {"wide", &out.width_m},
               {"t", &out.weight_t},
               {"axle", &out.axle_load_t}};
    char avoided[16];
    if (sscanf(text, " avoiding %15s", avoided) == 1) {
        out.avoid = flag_of(avoided);
        return out;
    }
    for (char unit[8]; *(text += strspn(text, " "));) {
        double measure;
        int length = 0;
        bool known = false;
        if (sscanf(text, "%lf %7s%n", &measure, unit, &length) == 2) {
            for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
                if (strcmp(unit, row[i].unit) == 0) *row[i].measure = measure, known = true;
        } else if ((known = strcspn(text, " ") == 6)) {
            snprintf(slot, 8, "%.4s:%.2s", text, text + 4);
            out.slot = slot;
            length = 6;
        }
        cr_assert(known, "neither a slot nor a measure: %s\n%s", text, drawn.text);
        text += length;
    }
    return out;
}

static void expect_route(macadam_engine *engine, const statement *said)
{
    static const char preferred[] = " preferred";
    char slot[8];
    const char *const behind = said->head + 3;
    const bool prefers = strcmp(behind, preferred) == 0;
    const macadam_conditions conditions = conditions_of(prefers ? "" : behind, slot);
    const macadam_place waypoint[] = {place_of(said->head[0]), place_of(said->head[2])};
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    macadam_error error;
    query.snap_radius_m = 1;
    query.conditions = &conditions;
    query.metric = prefers ? "preference" : NULL;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    fixture_expect_ok(macadam_route_find(&route, engine, &query, &request, &error), &error, drawn.text);
    char letters[LINE_BYTES], claims[LINE_BYTES], *next;
    spell(route, said->head[0], letters);
    snprintf(claims, sizeof claims, "%s", said->body);
    for (char *claim = strtok_r(claims, ",", &next); claim; claim = strtok_r(NULL, ",", &next))
        expect_claim(route, letters, claim + strspn(claim, " "), said->head);
}

/* "turn left B, new name straight C": the maneuvers between departure and arrival. */
static void tell_steps(const macadam_route *route, char out[LINE_BYTES])
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 1; i + 1 < route->step_count; ++i) {
        const macadam_step *const step = &route->step[i];
        const char *const name = *step->facts->name ? step->facts->name : step->facts->ref;
        used += (size_t)snprintf(out + used, LINE_BYTES - used, "%s%s", used ? ", " : "",
                                 macadam_maneuver_type_name(step->type));
        if (step->exit && used < LINE_BYTES)
            used += (size_t)snprintf(out + used, LINE_BYTES - used, " %u", step->exit);
        if (used < LINE_BYTES)
            used += (size_t)snprintf(out + used, LINE_BYTES - used, " %s%s%s",
                                     macadam_modifier_name(step->modifier), *name ? " " : "", name);
    }
}

/* The steps follow each other without gap, and their costs add up. */
static void expect_cover(const macadam_route *route)
{
    uint32_t sum = 0;
    cr_assert_geq(route->step_count, 2, "no steps:\n%s", drawn.text);
    cr_expect(route->step[0].type == MACADAM_MANEUVER_DEPART &&
              route->step[route->step_count - 1].type == MACADAM_MANEUVER_ARRIVE);
    for (size_t i = 0; i < route->step_count; ++i) {
        const macadam_step *const step = &route->step[i];
        cr_expect_eq(step->first_arc, i ? step[-1].end_arc : 0, "a gap before step %zu:\n%s", i, drawn.text);
        cr_expect_lt(step->first_intersection, step->end_intersection, "step %zu is nowhere:\n%s", i,
                     drawn.text);
        sum += step->value[0];
    }
    cr_expect_eq(route->step[route->step_count - 1].end_arc, route->arc_count);
    cr_expect_eq(sum, route->value[0]);
    for (size_t i = 1; i < route->intersection_count; ++i)
        cr_expect_neq(route->intersection[i].in, MACADAM_BRANCH_NONE, "intersection %zu has no way in:\n%s",
                      i, drawn.text);
}

/* "left | *straight | *straight+right, left | *right": the lanes of each intersection that has some, with a star if
 * they lead where the route goes. */
static void tell_lanes(const macadam_route *route, char out[LINE_BYTES])
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < route->intersection_count; ++i) {
        const macadam_intersection *const at = &route->intersection[i];
        for (size_t l = at->first_lane; l < at->end_lane && used < LINE_BYTES; ++l) {
            const macadam_lane *const lane = &route->lane[l];
            const char *const before = l > at->first_lane ? " | " : used ? ", " : "";
            used += (size_t)snprintf(out + used, LINE_BYTES - used, "%s%s%s", before, lane->valid ? "*" : "",
                                     lane->modifiers ? "" : "none");
            const char *plus = "";
            for (int m = MACADAM_MODIFIER_UTURN; m <= MACADAM_MODIFIER_SHARP_LEFT && used < LINE_BYTES; ++m) {
                if (!(lane->modifiers & 1u << m)) continue;
                used += (size_t)snprintf(out + used, LINE_BYTES - used, "%s%s", plus,
                                         macadam_modifier_name((macadam_modifier)m));
                plus = "+";
            }
        }
    }
}

/* "abd, acd": the letters of the best route and of the alternatives. */
static void tell_ways(const macadam_route *route, int source, char out[LINE_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i <= route->alternative_count && used < LINE_BYTES; ++i) {
        char letters[LINE_BYTES];
        spell(i ? route->alternative[i - 1] : route, source, letters);
        used += (size_t)snprintf(out + used, LINE_BYTES - used, "%s%s", i ? ", " : "", letters);
    }
}

static void expect_steps(macadam_engine *engine, const statement *said)
{
    const bool lanes = strcmp(said->head + 3, " lanes") == 0, ways = strcmp(said->head + 3, " ways") == 0;
    const macadam_place waypoint[] = {place_of(said->head[0]), place_of(said->head[2])};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    macadam_error error;
    char slot[8];
    const char *const words = said->head + 3;
    const macadam_conditions conditions = conditions_of(lanes || ways ? "" : words + (*words == ' '), slot);
    const macadam_query query = {.size = sizeof query, .snap_radius_m = 1, .conditions = &conditions};
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    request.steps = true;
    request.alternative_count = ways ? MACADAM_ALTERNATIVES_MAX : 0;
    fixture_expect_ok(macadam_route_find(&route, engine, &query, &request, &error), &error, drawn.text);
    char letters[LINE_BYTES], steps[LINE_BYTES];
    cr_assert(route->found, "%s: there is no route\n%s", said->head, drawn.text);
    spell(route, said->head[0], letters);
    expect_cover(route);
    if (lanes)
        tell_lanes(route, steps);
    else if (ways)
        tell_ways(route, said->head[0], steps);
    else
        tell_steps(route, steps);
    const char *const expected = strcmp(said->body, "nothing") == 0 ? "" : said->body;
    cr_expect_str_eq(steps, expected, "%s (%s): %s\n  not %s\n%s", said->head, letters,
                     *steps ? steps : "nothing", said->body, drawn.text);
}

static void take_told(void *context, const char *line)
{
    (void)context;
    const size_t length = strlen(drawn.told);
    snprintf(drawn.told + length, sizeof drawn.told - length, "%s\n", line);
}

/* A line, with or without the objects that follow its count. */
static void expect_told(const statement *said)
{
    const char *const at = strstr(drawn.told, said->body), *const end = at ? at + strlen(said->body) : NULL;
    cr_expect(at && (*end == '\n' || *end == ' '), "the importer does not say \"%s\" but\n%s\n%s", said->body,
              drawn.told, drawn.text);
}

static macadam_engine *import(const char *traveller, const char *folder)
{
    char osm[FILES_PATH_BYTES + 16], profile[FILES_PATH_BYTES + 16], output[FILES_PATH_BYTES + 16];
    snprintf(osm, sizeof osm, "%s/map.osm", folder);
    snprintf(profile, sizeof profile, "%s/a.profile", folder);
    snprintf(output, sizeof output, "%s/map.mcd", folder);
    files_write(osm, drawn.file, drawn.file_bytes);
    write_profile(traveller, profile);
    macadam_error error;
    const macadam_import_options options = {
        .size = sizeof options, .output = output, .threads = 1, .report = take_told};
    fixture_expect_ok(macadam_import_osm(osm, profile, &options, &error), &error, drawn.text);
    return fixture_open_file(output, 1);
}

static void expect_all(const char *traveller, const char *text, bool steps)
{
    char folder[FILES_PATH_BYTES];
    draw(text, steps);
    files_new_folder(folder);
    macadam_engine *engine = import(traveller, folder);
    bool claimed = false;
    for (size_t i = 0; i < drawn.said_count; ++i) {
        const statement *said = &drawn.said[i];
        if (strcmp(said->head, "told") == 0)
            expect_told(said);
        else if (is_expectation(said))
            (steps ? expect_steps : expect_route)(engine, said);
        claimed = claimed || is_expectation(said);
    }
    cr_assert(claimed, "nothing is expected of\n%s", drawn.text);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

void drawn_expect(const char *traveller, const char *text)
{
    expect_all(traveller, text, false);
}

void drawn_expect_steps(const char *traveller, const char *text)
{
    expect_all(traveller, text, true);
}
