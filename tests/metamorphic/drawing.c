/* drawing.c - towns with everything that makes a question's answer depend on how it is computed: estates that are cut
 * off, islands and ferries, one-way streets, restricted and priced turns, parallel roads, loops, roads of no length.
 *
 *     o---o===o---o     A grid of junctions with streets as ways of several blocks, some missing. Around it estates of
 *     |   |   |   :     up to six junctions, whose drives are closed, private, gated, one-way or absent; islands with
 *     o---o---o   o--e  grids of their own; circles and second roads between junctions. */
#include "tests/metamorphic/metamorphic.h"

#include "tests/support/checked.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { SIDE_MOST = 9, NODES_MOST = 400, WAYS_MOST = 400, REFS_MOST = 12, TEXT_BYTES = 1024 };

typedef struct drawn_way {
    int64_t node[REFS_MOST];
    size_t count;
} drawn_way;

typedef struct town {
    meta_drawing *out;
    test_rng *rng;
    double lon[NODES_MOST], lat[NODES_MOST];
    size_t node_count; /* the id of node i is i + 1 */
    drawn_way way[WAYS_MOST];
    size_t way_count; /* likewise */
    size_t relation_count;
    bool has_hours; /* some roads, gates and turns are open only at times */
} town;

static const char *pick(test_rng *rng, const char *const *of, size_t count)
{
    return of[rng_below(rng, (uint32_t)count)];
}
#define PICK(rng, of) pick(rng, of, sizeof(of) / sizeof *(of))

static bool chance(test_rng *rng, uint32_t percent)
{
    return rng_below(rng, 100) < percent;
}

/* ---- elements ---- */

static void add_element(meta_drawing *out, const char *text)
{
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 256;
        out->element = checked_reallocate(out->element, out->capacity, sizeof *out->element);
    }
    out->element[out->count++] = strcpy(checked_allocate(strlen(text) + 1, 1), text);
}

static void append(char text[TEXT_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(char text[TEXT_BYTES], const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, TEXT_BYTES - length, format, arguments);
    va_end(arguments);
}

static void append_tag(char text[TEXT_BYTES], const char *key, const char *value)
{
    append(text, "<tag k='%s' v='%s'/>", key, value);
}

static int64_t add_node(town *t, double lon, double lat, const char *tags)
{
    char text[TEXT_BYTES] = "";
    const size_t i = t->node_count++;
    if (t->node_count > NODES_MOST) abort();
    t->lon[i] = lon, t->lat[i] = lat;
    append(text, "<node id='%zu' lat='%.7f' lon='%.7f'>%s</node>", i + 1, lat, lon, tags);
    add_element(t->out, text);
    return (int64_t)i + 1;
}

static int64_t add_junction(town *t, double lon, double lat)
{
    static const char *const highway[] = {"traffic_signals", "stop", "give_way", "crossing",
                                          "mini_roundabout"};
    static const char *const barrier[] = {"gate", "bollard", "lift_gate", "toll_booth", "cattle_grid"};
    const uint32_t roll = rng_below(t->rng, 100);
    char tags[TEXT_BYTES] = "";
    if (roll < 12)
        append_tag(tags, "highway", PICK(t->rng, highway));
    else if (roll < 18)
        append_tag(tags, "barrier", PICK(t->rng, barrier));
    const bool opens = t->has_hours && roll >= 16 && roll < 19; /* in the slot of a case's conditions */
    if (opens) append_tag(tags, "access", "no");
    if (opens) append_tag(tags, "access:conditional", "yes @ (Mo-Fr 07:00-09:00)");
    return add_node(t, lon, lat, tags);
}

/* A point near the middle of two nodes, for a road that is not straight. */
static int64_t add_bend(town *t, int64_t a, int64_t b)
{
    const double share = (double)rng_below(t->rng, 100) / 100, bend = (double)rng_below(t->rng, 100) / 2e5;
    return add_node(t, t->lon[a - 1] + share * (t->lon[b - 1] - t->lon[a - 1]) + bend,
                    t->lat[a - 1] + share * (t->lat[b - 1] - t->lat[a - 1]) + bend, "");
}

static void add_way(town *t, const int64_t *node, size_t count, const char *tags)
{
    char text[TEXT_BYTES] = "";
    const size_t i = t->way_count++;
    if (t->way_count > WAYS_MOST) abort();
    append(text, "<way id='%zu'>", i + 1);
    for (size_t n = 0; n < count; ++n) append(text, "<nd ref='%" PRId64 "'/>", node[n]);
    append(text, "%s</way>", tags);
    add_element(t->out, text);
    memcpy(t->way[i].node, node, count * sizeof *node);
    t->way[i].count = count;
}

static void draw_tags(town *t, char tags[TEXT_BYTES])
{
    static const char *const highway[] = {"primary",       "secondary",     "tertiary",     "residential",
                                          "residential",   "residential",   "unclassified", "service",
                                          "living_street", "motorway_link", "track",        "cycleway",
                                          "footway"};
    static const char *const access[] = {"private", "destination", "no", "customers"};
    static const char *const oneway[] = {"yes", "-1", "yes"};
    static const char *const speed[] = {"30", "50", "70", "5", "120"};
    static const char *const surface[] = {"gravel", "asphalt", "mud"};
    static const char *const high[] = {"no @ (height>2.5)", "no @ (height>2.5 AND Mo-Fr 07:00-09:00)"};
    tags[0] = '\0';
    append_tag(tags, "highway", PICK(t->rng, highway));
    if (chance(t->rng, 18)) append_tag(tags, "oneway", PICK(t->rng, oneway));
    if (chance(t->rng, 8)) append_tag(tags, "access", PICK(t->rng, access));
    const bool is_closed = chance(t->rng, 5);
    if (is_closed) append_tag(tags, "motor_vehicle", "no");
    if (is_closed && t->has_hours && chance(t->rng, 50))
        append_tag(tags, "motor_vehicle:conditional", "yes @ (Mo-Fr 07:00-09:00)");
    if (chance(t->rng, 15)) append_tag(tags, "maxspeed", PICK(t->rng, speed));
    if (chance(t->rng, 6)) append_tag(tags, "surface", PICK(t->rng, surface));
    if (chance(t->rng, 3)) append_tag(tags, "toll", "yes");
    if (chance(t->rng, 3)) append_tag(tags, "maxheight", "2.5");
    if (t->has_hours && chance(t->rng, 8))
        append_tag(tags, "maxspeed:conditional", "10 @ (Mo-Fr 07:00-09:00)"); /* may be faster, too */
    if (chance(t->rng, 4)) append_tag(tags, "access:conditional", "no @ (07:00-09:00)");
    if (chance(t->rng, 6)) append_tag(tags, "motorcar:conditional", PICK(t->rng, high));
}

/* ---- parts of a town: first their nodes, then their ways ---- */

typedef struct grid {
    size_t columns, rows;
    int64_t node[SIDE_MOST][SIDE_MOST];
} grid;

static void add_grid_nodes(town *t, grid *g, double lon, double lat, size_t columns, size_t rows)
{
    const double step = 0.001 + (double)rng_below(t->rng, 4) * 0.001;
    *g = (grid){.columns = columns, .rows = rows};
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column)
            g->node[row][column] =
                add_junction(t, lon + step * ((double)column + (double)rng_below(t->rng, 40) / 100),
                             lat + step * ((double)row + (double)rng_below(t->rng, 40) / 100));
}

/* The streets along one row or column: ways of some blocks, a block here and there missing. */
static void add_streets(town *t, const int64_t *node, size_t count)
{
    int64_t ref[REFS_MOST];
    size_t refs = 0;
    for (size_t i = 0; i < count; ++i) {
        ref[refs++] = node[i];
        const bool ends = i + 1 == count || chance(t->rng, 10);
        if ((ends || chance(t->rng, 45)) && refs > 1) {
            char tags[TEXT_BYTES];
            draw_tags(t, tags);
            add_way(t, ref, refs, tags);
            ref[0] = node[i], refs = 1;
        }
        if (ends) refs = 0;
    }
}

static void add_grid_ways(town *t, const grid *g)
{
    for (size_t row = 0; row < g->rows; ++row) add_streets(t, g->node[row], g->columns);
    for (size_t column = 0; column < g->columns; ++column) {
        int64_t node[SIDE_MOST];
        for (size_t row = 0; row < g->rows; ++row) node[row] = g->node[row][column];
        add_streets(t, node, g->rows);
    }
}

static int64_t any_node(town *t, const grid *g)
{
    return g->node[rng_below(t->rng, (uint32_t)g->rows)][rng_below(t->rng, (uint32_t)g->columns)];
}

typedef struct estate {
    int64_t gate, bend, node[6];
    size_t count;
} estate;

static void add_estate_nodes(town *t, const grid *g, estate *e)
{
    e->gate = any_node(t, g);
    e->count = 1 + rng_below(t->rng, 6);
    for (size_t i = 0; i < e->count; ++i)
        e->node[i] = add_node(t, t->lon[e->gate - 1] + 0.0003 * (double)(1 + rng_below(t->rng, 6)),
                              t->lat[e->gate - 1] + 0.0003 * (double)(1 + rng_below(t->rng, 6)), "");
    char barrier[TEXT_BYTES] = "";
    append_tag(barrier, "barrier", chance(t->rng, 50) ? "gate" : "block");
    e->bend = chance(t->rng, 50)
                  ? add_node(t, t->lon[e->gate - 1] + 0.0002, t->lat[e->gate - 1] + 0.0002, barrier)
                  : 0;
}

static void add_estate_ways(town *t, const estate *e)
{
    static const char *const drive[] = {
        "<tag k='highway' v='service'/><tag k='access' v='no'/>",
        "<tag k='highway' v='service'/><tag k='access' v='private'/>",
        "<tag k='highway' v='service'/><tag k='oneway' v='yes'/>",
        "<tag k='highway' v='service'/><tag k='oneway' v='-1'/>",
        "<tag k='highway' v='service'/><tag k='access' v='private'/><tag k='oneway' v='yes'/>",
        "<tag k='highway' v='residential'/>",
        "<tag k='note' v='no road'/>",
        "<tag k='note' v='no road'/>"};
    static const char *const inside[] = {"<tag k='highway' v='service'/>",
                                         "<tag k='highway' v='residential'/><tag k='access' v='private'/>",
                                         "<tag k='highway' v='residential'/>"};
    const char *const tags = PICK(t->rng, inside);
    for (size_t i = 0; i + 1 < e->count; ++i)
        add_way(t, (int64_t[]){e->node[i], e->node[i + 1]}, 2,
                chance(t->rng, 80) ? tags : PICK(t->rng, drive));
    if (e->count > 2 && chance(t->rng, 50))
        add_way(t, (int64_t[]){e->node[0], e->node[e->count - 1]}, 2, tags);
    if (e->bend)
        add_way(t, (int64_t[]){e->gate, e->bend, e->node[0]}, 3, PICK(t->rng, drive));
    else
        add_way(t, (int64_t[]){e->gate, e->node[0]}, 2, PICK(t->rng, drive));
}

typedef struct island {
    grid g;
    int64_t port, sea[2];
} island;

static void add_island_nodes(town *t, const grid *g, island *i, double lon)
{
    add_grid_nodes(t, &i->g, lon, 50.0, 1 + rng_below(t->rng, 4), 1 + rng_below(t->rng, 4));
    i->port = any_node(t, g);
    for (size_t s = 0; s < 2; ++s) i->sea[s] = add_bend(t, i->port, i->g.node[0][0]);
}

/* Two ferries may meet at sea, so that a way between two boardings is one of several arcs. */
static void add_island_ways(town *t, const grid *g, const island *i)
{
    const char *const ferry = chance(t->rng, 50) ? "<tag k='route' v='ferry'/>"
                                                 : "<tag k='route' v='ferry'/><tag k='duration' v='00:15'/>";
    add_grid_ways(t, &i->g);
    if (chance(t->rng, 20)) return;
    add_way(t, (int64_t[]){i->port, i->sea[0], i->sea[1], i->g.node[0][0]}, 4, ferry);
    if (chance(t->rng, 50)) add_way(t, (int64_t[]){any_node(t, g), i->sea[0]}, 2, ferry);
    if (chance(t->rng, 30)) add_way(t, (int64_t[]){any_node(t, &i->g), i->sea[1]}, 2, ferry);
}

enum { BENDS = 12 };

static void add_extra_ways(town *t, const grid *g, const int64_t bend[BENDS])
{
    char tags[TEXT_BYTES];
    for (size_t b = 0; b < BENDS; b += 2) {
        const size_t row = rng_below(t->rng, (uint32_t)g->rows),
                     column = rng_below(t->rng, (uint32_t)g->columns - 1);
        const int64_t here = g->node[row][column], there = g->node[row][column + 1];
        draw_tags(t, tags);
        const uint32_t roll = rng_below(t->rng, 4);
        if (roll == 0) /* a circle, and its one junction */
            add_way(t, (int64_t[]){here, bend[b], bend[b + 1], here}, 4, tags);
        else if (roll == 1) /* a second and a third road between two junctions */
            add_way(t, (int64_t[]){here, bend[b], there}, 3, tags),
                add_way(t, (int64_t[]){here, there}, 2, tags);
        else if (roll == 2) /* a dead end with a fork */
            add_way(t, (int64_t[]){here, bend[b], bend[b + 1]}, 3, tags);
    }
}

/* ---- turn restrictions ---- */

static bool ends_at(const drawn_way *way, int64_t node)
{
    return way->node[0] == node || way->node[way->count - 1] == node;
}

static void add_restriction(town *t)
{
    static const char *const kind[] = {"no_left_turn", "no_right_turn",    "no_straight_on",
                                       "no_u_turn",    "only_straight_on", "only_left_turn"};
    const size_t from = rng_below(t->rng, (uint32_t)t->way_count);
    const drawn_way *const way = &t->way[from];
    const int64_t via = way->node[rng_below(t->rng, 2) ? 0 : way->count - 1];
    const size_t start = rng_below(t->rng, (uint32_t)t->way_count);
    for (size_t i = 0; i < t->way_count; ++i) {
        const size_t to = (start + i) % t->way_count;
        if (!ends_at(&t->way[to], via) || (to == from && rng_below(t->rng, 4))) continue;
        char text[TEXT_BYTES] = "";
        append(text, "<relation id='%zu'><member type='way' ref='%zu' role='from'/>", ++t->relation_count,
               from + 1);
        append(text,
               "<member type='node' ref='%" PRId64 "' role='via'/><member type='way' ref='%zu' role='to'/>",
               via, to + 1);
        append_tag(text, "type", "restriction");
        if (t->has_hours && chance(t->rng, 20))
            append_tag(text, "restriction:conditional", "no_left_turn @ (Mo-Fr 07:00-09:00)");
        else
            append_tag(text, "restriction", PICK(t->rng, kind));
        append(text, "</relation>");
        add_element(t->out, text);
        return;
    }
}

void meta_draw_map(meta_drawing *out, test_rng *rng)
{
    town t = {.out = out, .rng = rng, .has_hours = chance(rng, 50)};
    grid g;
    estate e[6];
    island islands[2];
    int64_t bend[BENDS];
    const size_t estates = rng_below(rng, 7), island_count = rng_below(rng, 3);
    *out = (meta_drawing){.has_hours = t.has_hours};
    add_grid_nodes(&t, &g, 10.0, 50.0, 2 + rng_below(rng, SIDE_MOST - 1), 2 + rng_below(rng, SIDE_MOST - 1));
    for (size_t i = 0; i < estates; ++i) add_estate_nodes(&t, &g, &e[i]);
    for (size_t i = 0; i < island_count; ++i) add_island_nodes(&t, &g, &islands[i], 10.06 + 0.03 * (double)i);
    for (size_t i = 0; i < BENDS; ++i) bend[i] = add_bend(&t, any_node(&t, &g), any_node(&t, &g));
    add_grid_ways(&t, &g);
    for (size_t i = 0; i < estates; ++i) add_estate_ways(&t, &e[i]);
    for (size_t i = 0; i < island_count; ++i) add_island_ways(&t, &g, &islands[i]);
    add_extra_ways(&t, &g, bend);
    for (size_t i = rng_below(rng, 12); i > 0; --i) add_restriction(&t);
}

void meta_write_drawing(const meta_drawing *drawing, const char *path, const uint8_t *file_of, unsigned part)
{
    FILE *const file = fopen(path, "w");
    if (!file) abort();
    fputs("<osm version='0.6'>\n", file);
    for (size_t i = 0; i < drawing->count; ++i)
        if (!file_of || (file_of[i] >> part & 1)) fprintf(file, "%s\n", drawing->element[i]);
    fputs("</osm>\n", file);
    if (fclose(file) != 0) abort();
}

void meta_free_drawing(meta_drawing *drawing)
{
    for (size_t i = 0; i < drawing->count; ++i) free(drawing->element[i]);
    free(drawing->element);
    *drawing = (meta_drawing){0};
}
