/* tile.c - /tile/v1: the roads of a square of the map as a vector tile. One layer, `speeds`, as OSRM calls it. Its
 * properties are name, class and speed (km/h, as on signs), where the map knows them. */
#include "bindings/formats/scope.h"
#include "bindings/serve/job.h"

#include <math.h>

#include <vector_tile.pb-c.h>

enum {
    ZOOM_MIN = 12,
    ZOOM_MAX = 22,
    EXTENT = 4096, /* units of a tile's side */
    MARGIN = 128,  /* around it: lines are drawn with a width */
    LINES = 2,     /* a type of feature */
    MOVE_TO = 1,   /* commands */
    LINE_TO = 2,
    KEYS = 3,
    COMMAND_BITS = 3,
    NUMBERS = 6, /* of a point at most: a move and a line */
};
static const double pi = 3.14159265358979323846;

typedef struct tile_writer {
    const serve_request *request;
    const macadam_roads *roads;
    uint32_t *geometry, *tag; /* room for those of all features; where the next one goes */
    Serve__VectorTile__Feature **feature, *next_feature; /* [road_count] */
    Serve__VectorTile__Value **value, *next_value;       /* [KEYS * road_count] */
    size_t feature_count, value_count;
    int32_t x, y; /* of the pen */
} tile_writer;

/* ---- the square ---- */

static double lon_of(double x, unsigned zoom)
{
    return x / (double)(UINT64_C(1) << zoom) * 360 - 180;
}

static double lat_of(double y, unsigned zoom)
{
    return atan(sinh(pi * (1 - 2 * y / (double)(UINT64_C(1) << zoom)))) * 180 / pi;
}

static macadam_box box_of(const serve_request *request)
{
    const double margin = (double)MARGIN / EXTENT, x = (double)request->x, y = (double)request->y;
    const unsigned zoom = (unsigned)request->zoom;
    return (macadam_box){.west = fmax(lon_of(x - margin, zoom), -180),
                         .south = lat_of(y + 1 + margin, zoom),
                         .east = fmin(lon_of(x + 1 + margin, zoom), 180),
                         .north = lat_of(y - margin, zoom)};
}

/* A coordinate in units of the tile. */
static void project(const tile_writer *writer, size_t point, int32_t *x, int32_t *y)
{
    const double size = (double)(UINT64_C(1) << writer->request->zoom);
    const double lat = writer->roads->lat[point] * pi / 180;
    const double east = (writer->roads->lon[point] + 180) / 360 * size - (double)writer->request->x;
    const double across = east - size * nearbyint((east - 0.5) / size); /* the shorter way around the globe */
    const double down = (1 - asinh(tan(lat)) / pi) / 2 * size - (double)writer->request->y;
    *x = (int32_t)lround(fmin(fmax(across, -1000), 1000) * EXTENT);
    *y = (int32_t)lround(fmin(fmax(down, -1000), 1000) * EXTENT);
}

static bool is_outside(int32_t from, int32_t to)
{
    return (from < -MARGIN && to < -MARGIN) || (from > EXTENT + MARGIN && to > EXTENT + MARGIN);
}

/* ---- lines ---- */

/* Moves the pen; zigzag. */
static void add_point(tile_writer *writer, uint32_t command, int32_t x, int32_t y)
{
    const int32_t dx = x - writer->x, dy = y - writer->y;
    *writer->geometry++ = 1u << COMMAND_BITS | command;
    *writer->geometry++ = (uint32_t)dx << 1 ^ (uint32_t)(dx >> 31);
    *writer->geometry++ = (uint32_t)dy << 1 ^ (uint32_t)(dy >> 31);
    writer->x = x;
    writer->y = y;
}

/* The stretches of a road that meet the tile. */
static void add_line(tile_writer *writer, const macadam_road *road)
{
    bool is_drawing = false;
    int32_t x, y, to_x, to_y;
    if (road->first_shape == road->last_shape) return;
    project(writer, road->first_shape, &x, &y);
    for (size_t i = road->first_shape + 1; i < road->last_shape; ++i, x = to_x, y = to_y) {
        project(writer, i, &to_x, &to_y);
        const bool is_seen = !is_outside(x, to_x) && !is_outside(y, to_y);
        if (is_seen && !is_drawing) add_point(writer, MOVE_TO, x, y);
        if (is_seen) add_point(writer, LINE_TO, to_x, to_y);
        is_drawing = is_seen;
    }
}

/* ---- features ---- */

static void add_value(tile_writer *writer, uint32_t key, const char *text, uint32_t number)
{
    Serve__VectorTile__Value *const value = writer->next_value;
    if (text ? !text[0] : number == 0) return;
    *value = (Serve__VectorTile__Value)SERVE__VECTOR_TILE__VALUE__INIT;
    value->string_value = (char *)text; /* packing only reads it */
    value->has_uint_value = !text;
    value->uint_value = number;
    *writer->tag++ = key;
    *writer->tag++ = (uint32_t)writer->value_count;
    writer->value[writer->value_count++] = writer->next_value++;
}

static void add_feature(tile_writer *writer, const macadam_road *road)
{
    Serve__VectorTile__Feature *const feature = writer->next_feature;
    *feature = (Serve__VectorTile__Feature)SERVE__VECTOR_TILE__FEATURE__INIT;
    feature->type = LINES;
    feature->geometry = writer->geometry;
    feature->tags = writer->tag;
    writer->x = writer->y = 0;
    add_line(writer, road);
    feature->n_geometry = (size_t)(writer->geometry - feature->geometry);
    if (feature->n_geometry == 0) return;
    add_value(writer, 0, road->name, 0);
    if (road->facts) {
        add_value(writer, 1, road->facts->road_class, 0);
        add_value(writer, 2, NULL, road->facts->speed_kmh);
    }
    feature->n_tags = (size_t)(writer->tag - feature->tags);
    writer->feature[writer->feature_count++] = writer->next_feature++;
}

/* ---- the whole ---- */

static bool pack(serve_job *job, const tile_writer *writer)
{
    static char *const key[KEYS] = {"name", "class", "speed"};
    Serve__VectorTile__Layer layer = SERVE__VECTOR_TILE__LAYER__INIT, *const layers[] = {&layer};
    Serve__VectorTile tile = SERVE__VECTOR_TILE__INIT;
    layer.name = "speeds";
    layer.extent = EXTENT;
    layer.version = 2;
    layer.keys = (char **)key;
    layer.n_keys = KEYS;
    layer.features = writer->feature;
    layer.n_features = writer->feature_count;
    layer.values = writer->value;
    layer.n_values = writer->value_count;
    tile.layers = (Serve__VectorTile__Layer **)layers;
    tile.n_layers = writer->feature_count > 0;
    char *const room = mcd_text_room(&job->answer.body, serve__vector_tile__get_packed_size(&tile));
    if (room) job->answer.body.size += serve__vector_tile__pack(&tile, (uint8_t *)room);
    return room || serve_job_fail_memory(job);
}

static bool write_tile(serve_job *job, const macadam_roads *roads)
{
    const size_t count = roads->road_count;
    tile_writer writer = {.request = &job->request, .roads = roads};
    if (!(writer.geometry = serve_job_allocate(job, roads->shape_count, NUMBERS * sizeof *writer.geometry)) ||
        !(writer.tag = serve_job_allocate(job, count, 2 * KEYS * sizeof *writer.tag)) ||
        !(writer.feature = serve_job_allocate(job, count, sizeof *writer.feature)) ||
        !(writer.next_feature = serve_job_allocate(job, count, sizeof *writer.next_feature)) ||
        !(writer.value = serve_job_allocate(job, count, KEYS * sizeof *writer.value)) ||
        !(writer.next_value = serve_job_allocate(job, count, KEYS * sizeof *writer.next_value)))
        return false;
    for (size_t i = 0; i < count; ++i) add_feature(&writer, &roads->road[i]);
    serve_answer_ok(&job->answer, serve_type_tile);
    return pack(job, &writer);
}

bool serve_tile(serve_job *job)
{
    const serve_request *const request = &job->request;
    MCD_SCOPED(roads) roads = NULL;
    if (request->zoom < ZOOM_MIN)
        return serve_refuse(job, "InvalidOptions",
                            "Invalid coodinates. Only zoomlevel 12+ is supported"); /* as OSRM spells it */
    if (request->zoom > ZOOM_MAX || request->x >> request->zoom || request->y >> request->zoom)
        return serve_refuse(job, "InvalidOptions", "There is no such tile.");
    const macadam_box box = box_of(request);
    return serve_call(job, macadam_roads_find, &box, &roads) && write_tile(job, roads);
}
