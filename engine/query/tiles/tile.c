/* tile.c - vector tiles: the roads of a square of the map, as OSRM's tiles have them. Each open arc is a feature of the
 * layer `speeds`; from zoom 15 on, each turn at a junction in the tile is one of the layer `turns`. (Mapbox: Vector Tile
 * Specification 2.1) */
#include "engine/guide/guide.h"
#include "engine/query/places/box_roads.h"
#include "engine/query/tiles/tile_layer.h"
#include "engine/runtime/load.h"

enum {
    ZOOM_MAX = 24,
    TURNS_FROM = 15,
    EXTENT = MCD_TILE_EXTENT,
    MARGIN = 128, /* around the tile, in its units: lines are drawn with a width */
    POINT_NUMBERS = 3,
    LINE_NUMBERS = 12, /* of two pieces */
    LAYERS = 2,
    WHOLE = 360,  /* degrees */
    LAT_MAX = 89, /* likewise: poles are infinitely far */
};
static const double pi = 3.14159265358979323846, kmh_per_mps = 3.6;
static const char *const speed_key[] = {"speed", "is_small", "datasource",    "weight", "duration",
                                        "name",  "rate",     "is_startpoint", "class"};
static const char *const turn_key[] = {"bearing_in", "turn_angle", "cost", "weight", "type", "modifier"};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef struct tile_point {
    double x, y; /* in units of the tile */
} tile_point;

/* An arc that comes to a junction of the tile. */
typedef struct tile_arrival {
    uint32_t arc;
    int32_t x, y;
} tile_arrival;

typedef struct tile_run {
    macadam_engine *engine;
    unsigned zoom;
    uint32_t x, y;
    mcd_array *duration;
    const mcd_weight *imported; /* NULL: no weight was changed */
    double unit_s;
    mcd_box_roads found;
    mcd_arena arena;
    tile_point *point; /* [points of the longest road] of a road */
    tile_arrival *arrival;
    size_t arrival_count, turn_count; /* turn_count: an upper bound */
    mcd_tile_layer layer[LAYERS];
} tile_run;

static void free_run(tile_run *run)
{
    mcd_array_leave(run->duration);
    mcd_free(run->found.road);
    mcd_arena_free(&run->arena);
}

/* ---- the square ---- */

static double lat_of(double y, unsigned zoom)
{
    return atan(sinh(pi * (1 - 2 * ldexp(y, -(int)zoom)))) * 180 / pi;
}

static macadam_box box_of(const tile_run *run)
{
    const double margin = (double)MARGIN / EXTENT, degrees = ldexp(WHOLE, -(int)run->zoom);
    return (macadam_box){.west = (run->x - margin) * degrees - 180,
                         .south = lat_of(run->y + 1 + margin, run->zoom),
                         .east = (run->x + 1 + margin) * degrees - 180,
                         .north = lat_of(run->y - margin, run->zoom)};
}

static tile_point project(const tile_run *run, mcd_point point)
{
    const double size = (double)(UINT32_C(1) << run->zoom),
                 east = (point.lon_e7 / 1e7 + 180) / WHOLE * size - run->x;
    const double across = east - size * nearbyint((east - 0.5) / size); /* the shorter way around the globe */
    const double slope = sin(fmin(fmax(point.lat_e7 / 1e7, -LAT_MAX), LAT_MAX) * pi / 180);
    const double down = (1 - log((1 + slope) / (1 - slope)) / (2 * pi)) / 2 * size - run->y;
    return (tile_point){across * EXTENT, down * EXTENT};
}

/* ---- lines ---- */

/* Rounds halves away from zero, as lround does, without a call. */
static int64_t nearest(double number)
{
    const int64_t toward_zero = (int64_t)number;
    const double rest = number - (double)toward_zero;
    return toward_zero + (rest >= 0.5) - (rest <= -0.5);
}

static bool is_drawn(tile_point point)
{
    return point.x >= -MARGIN && point.x <= EXTENT + MARGIN && point.y >= -MARGIN &&
           point.y <= EXTENT + MARGIN;
}

/* Leaves the stretch of a line that some units of one axis have, in shares of the line. (Liang, Barsky 1984) */
static void clip_axis(double from, double step, double *first, double *last)
{
    const double enter = (-MARGIN - from) / step, leave = (EXTENT + MARGIN - from) / step;
    *first = fmax(*first, fmin(enter, leave));
    *last = fmin(*last, fmax(enter, leave));
}

static void draw_piece(mcd_tile_layer *layer, tile_point from, tile_point to)
{
    const double dx = to.x - from.x, dy = to.y - from.y;
    double first = 0, last = 1;
    if (!is_drawn(from) || !is_drawn(to)) {
        clip_axis(from.x, dx, &first, &last);
        clip_axis(from.y, dy, &first, &last);
    }
    if (first > last) return;
    mcd_tile_layer_line(layer, (int32_t)nearest(from.x + first * dx), (int32_t)nearest(from.y + first * dy),
                        (int32_t)nearest(from.x + last * dx), (int32_t)nearest(from.y + last * dy));
}

/* Draws a line the shorter way around the globe: one that leaves the map at a side comes back at the other. */
static void draw_line(const tile_run *run, mcd_tile_layer *layer, tile_point from, tile_point to)
{
    const double globe = ldexp(EXTENT, (int)run->zoom), turn = globe * nearbyint((to.x - from.x) / globe);
    draw_piece(layer, from, (tile_point){to.x - turn, to.y});
    if (turn != 0) draw_piece(layer, (tile_point){from.x + turn, from.y}, to);
}

static double tenths(double number)
{
    return (double)nearest(number * 10) / 10;
}

static void add_arc(tile_run *run, const mcd_box_road *road, uint32_t arc, size_t points, double metres)
{
    const mcd_arc_facts *const facts = &run->engine->facts;
    const mcd_weight weight = run->duration->weight[arc];
    const double seconds = weight * run->unit_s, speed = seconds > 0 ? metres / seconds : 0;
    const char *const class =
        facts->kind_of ? facts->names + facts->kind[mcd_arc_kind(facts, arc)].text[MCD_KIND_CLASS] : "";
    mcd_tile_layer *const layer = &run->layer[0];
    mcd_tile_layer_begin(layer, mcd_arc_number(facts, arc));
    for (size_t i = 0; i + 1 < points; ++i)
        if (arc == road->arc)
            draw_line(run, layer, run->point[i], run->point[i + 1]);
        else
            draw_line(run, layer, run->point[points - 1 - i], run->point[points - 2 - i]);
    if (!mcd_tile_layer_is_drawn(layer)) return;
    mcd_tile_layer_number(layer, MCD_TILE_UINT, (double)nearest(speed * kmh_per_mps));
    mcd_tile_layer_number(layer, MCD_TILE_BOOL, road->is_cut_off);
    mcd_tile_layer_text(layer, run->imported && run->imported[arc] != weight ? "traffic" : "map");
    mcd_tile_layer_number(layer, MCD_TILE_DOUBLE, tenths(seconds));
    mcd_tile_layer_number(layer, MCD_TILE_DOUBLE, tenths(seconds));
    mcd_tile_layer_text(layer, mcd_arc_name(facts, arc));
    mcd_tile_layer_number(layer, MCD_TILE_DOUBLE, (double)nearest(speed));
    mcd_tile_layer_number(layer, MCD_TILE_BOOL, road->is_indexed);
    mcd_tile_layer_text(layer, class);
    mcd_tile_layer_end(layer);
}

/* Notes the turns at the end of an arc, if that is in the tile. */
static void note_arrival(tile_run *run, uint32_t arc, tile_point end)
{
    const mcd_graph *const graph = &run->engine->graph;
    const mcd_node head = graph->head[arc];
    if (!run->arrival || end.x < 0 || end.x >= EXTENT || end.y < 0 || end.y >= EXTENT) return;
    run->arrival[run->arrival_count++] =
        (tile_arrival){arc, (int32_t)nearest(end.x), (int32_t)nearest(end.y)};
    run->turn_count += graph->first_out[head + 1] - graph->first_out[head];
}

static void add_road(tile_run *run, const mcd_box_road *road)
{
    const mcd_roads *const roads = &run->engine->roads;
    const size_t points = mcd_road_point_count(roads, road->arc);
    const double metres = mcd_arc_metres(roads, road->tail, road->arc);
    const uint32_t arc[] = {road->arc, mcd_road_back(roads, road->tail, road->arc)};
    for (size_t i = 0; i < points; ++i)
        run->point[i] = project(run, mcd_road_point(roads, road->tail, road->arc, i));
    for (size_t i = 0; i < 2; ++i) {
        if (arc[i] == MCD_ROAD_NONE || run->duration->weight[arc[i]] == MCD_UNREACHED) continue;
        add_arc(run, road, arc[i], points, metres);
        note_arrival(run, arc[i], run->point[i == 0 ? points - 1 : 0]);
    }
}

static macadam_status add_roads(tile_run *run, macadam_error *error)
{
    size_t lines = 0, longest = 0;
    if (run->found.count == 0) return MACADAM_OK;
    for (size_t i = 0; i < run->found.count; ++i) {
        const size_t points = mcd_road_point_count(&run->engine->roads, run->found.road[i].arc);
        lines += points - 1;
        longest = points > longest ? points : longest;
    }
    MCD_TRY(mcd_tile_layer_new(&run->layer[0], &run->arena, "speeds", speed_key, COUNT(speed_key),
                               2 * run->found.count, 2 * LINE_NUMBERS * lines, error));
    MCD_TRY(MCD_ARENA_NEW(&run->arena, run->point, longest, error));
    if (run->zoom >= TURNS_FROM && run->engine->facts.kind_of)
        MCD_TRY(MCD_ARENA_NEW(&run->arena, run->arrival, 2 * run->found.count, error));
    for (size_t i = 0; i < run->found.count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, run->found.count, error));
        add_road(run, &run->found.road[i]);
    }
    return MACADAM_OK;
}

/* ---- turns ---- */

/* Finds the instruction for a turn between two arcs. */
static mcd_maneuver find_maneuver(macadam_engine *engine, uint32_t from, uint32_t to)
{
    const mcd_arc_facts *const facts = &engine->facts;
    const mcd_node *const head = engine->graph.head;
    const uint32_t kind[] = {mcd_arc_kind(facts, from), mcd_arc_kind(facts, to)};
    const mcd_sign *const sign = engine->junctions.signs.of_kind;
    const mcd_guide_arc arc[] = {{from, head[from], &facts->kind[kind[0]], &sign[kind[0]], false},
                                 {to, head[to], &facts->kind[kind[1]], &sign[kind[1]], false}};
    mcd_maneuver maneuver[3] = {0};
    mcd_guide guide = {.source = {&engine->roads, &engine->junctions, NULL, NULL},
                       .drives_left = engine->metadata->drives_left,
                       .arc = arc,
                       .arc_count = 2,
                       .maneuver = maneuver};
    mcd_junction_read(&maneuver[1].junction, &guide.source, head[from], from, to);
    mcd_guide_turns(&guide);
    return maneuver[1];
}

static void add_turn(tile_run *run, const tile_arrival *arrival, mcd_node via, uint32_t to)
{
    macadam_engine *const engine = run->engine;
    const uint32_t original = mcd_road_original(&engine->roads, via, to);
    const mcd_weight *const weight = run->duration->weight;
    const mcd_maneuver maneuver = find_maneuver(engine, arrival->arc, to);
    const mcd_junction *const junction = &maneuver.junction;
    mcd_tile_layer *const layer = &run->layer[1];
    if (junction->in == junction->out || junction->in == MCD_BRANCH_NONE || junction->out == MCD_BRANCH_NONE)
        return; /* the road back, too */
    const double turn = mcd_turn(junction->before, junction->end[junction->out].bearing),
                 cost = tenths(((double)weight[to] - weight[original]) * run->unit_s);
    mcd_tile_layer_begin(layer, layer->feature_count + 1);
    mcd_tile_layer_point(layer, arrival->x, arrival->y);
    mcd_tile_layer_number(layer, MCD_TILE_SINT, (double)(nearest(junction->before) % WHOLE));
    mcd_tile_layer_number(layer, MCD_TILE_SINT, (double)nearest(turn));
    mcd_tile_layer_number(layer, MCD_TILE_FLOAT, cost);
    mcd_tile_layer_number(layer, MCD_TILE_FLOAT, cost);
    mcd_tile_layer_text(layer, maneuver.told ? macadam_maneuver_type_name(maneuver.type) : "(noturn)");
    mcd_tile_layer_text(layer,
                        macadam_modifier_name(maneuver.told ? maneuver.modifier : mcd_guide_modifier(turn)));
    mcd_tile_layer_end(layer);
}

static macadam_status add_turns(tile_run *run, macadam_error *error)
{
    const mcd_graph *const graph = &run->engine->graph;
    const mcd_weight *const weight = run->duration->weight;
    if (run->arrival_count == 0) return MACADAM_OK;
    MCD_TRY(mcd_engine_load(run->engine, MCD_LOAD_JUNCTIONS, error));
    MCD_TRY(mcd_tile_layer_new(&run->layer[1], &run->arena, "turns", turn_key, COUNT(turn_key),
                               run->turn_count, POINT_NUMBERS * run->turn_count, error));
    for (size_t i = 0; i < run->arrival_count; ++i) {
        const mcd_node via = graph->head[run->arrival[i].arc];
        MCD_TRY(mcd_watch_item(NULL, i, run->arrival_count, error));
        for (mcd_arc to = graph->first_out[via]; to < graph->first_out[via + 1]; ++to)
            if (mcd_arc_original(&run->engine->facts, (uint32_t)to) != MCD_ROAD_NONE &&
                weight[to] != MCD_UNREACHED)
                add_turn(run, &run->arrival[i], via, (uint32_t)to);
    }
    return MACADAM_OK;
}

/* ---- the tile ---- */

/* Takes the weights in use, and those of the file if an update has changed some. */
static macadam_status use_durations(tile_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    size_t quantity;
    MCD_TRY(mcd_engine_find_quantity(engine, "duration", &quantity, error));
    if (engine->potential[quantity])
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "durations of %s may be negative", engine->file->name);
    run->unit_s = strcmp(engine->quantity_unit[quantity], "ms") == 0 ? 1e-3 : 1;
    MCD_TRY(mcd_engine_use_quantity(engine, quantity, &run->duration, error));
    MCD_WATCH_HOLD(&engine->lock, error);
    run->imported = engine->prices[quantity].weight;
    return MACADAM_OK;
}

static macadam_status pack(macadam_bytes *out, tile_run *run, macadam_error *error)
{
    size_t room = 0;
    for (size_t i = 0; i < LAYERS; ++i)
        if (run->layer[i].feature_count > 0) room += mcd_tile_layer_room(&run->layer[i]);
    MCD_TRY(MCD_NEW(out->data, room, error));
    uint8_t *at = out->data;
    for (size_t i = 0; i < LAYERS; ++i) at = mcd_tile_layer_write(&run->layer[i], at);
    out->size = (size_t)(at - (uint8_t *)out->data);
    return MACADAM_OK;
}

macadam_status macadam_vector_tile_find(macadam_bytes *out, macadam_engine *engine, unsigned zoom, uint32_t x,
                                        uint32_t y, macadam_error *error)
{
    if (!out) return mcd_fail_invalid(error, "no place for the tile");
    *out = (macadam_bytes){0};
    if (!engine) return mcd_fail_invalid(error, "no engine");
    if (zoom > ZOOM_MAX || x >> zoom || y >> zoom)
        return mcd_fail_invalid(error, "no tile is at zoom %u, x %u, y %u; zooms end with %d", zoom, x, y,
                                ZOOM_MAX);
    MCD_FREED_BY(mcd_engine_leave) macadam_engine *const used = mcd_engine_enter(engine);
    MCD_FREED_BY(free_run) tile_run run = {.engine = used, .zoom = zoom, .x = x, .y = y};
    MCD_WATCHED(watch, &engine->progress, "loading");
    const macadam_box box = box_of(&run);
    MCD_TRY(mcd_box_roads_find(&run.found, engine, &box, error));
    MCD_TRY(use_durations(&run, error));
    MCD_TRY(add_roads(&run, error));
    MCD_TRY(add_turns(&run, error));
    return pack(out, &run, error);
}
