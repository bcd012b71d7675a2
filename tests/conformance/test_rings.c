/* test_rings.c - isochrones as polygons, against the exact union of all reached stretches, widened: GEOS's
 * buffers. It is one file as all tests share this oracle. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <geos_c.h>
#include <math.h>
#include <string.h>

enum { SIDE = 30, LIMITS = 3, CIRCLE = 16 /* chords of a quarter of a circle */ };
static const uint32_t limits[LIMITS] = {40, 95, 160};
static const double CENTRE_LON = 9.19, CENTRE_LAT = 45.46;

/* ---- the map: a bent grid of roads some 150 m apart, with gaps, one-ways and shortcuts ---- */

typedef struct drawn_grid {
    char folder[FILES_PATH_BYTES];
    test_graph graph;
    macadam_engine *engine;
} drawn_grid;

static void connect(test_graph *graph, test_rng *rng, uint32_t from, uint32_t to)
{
    const uint32_t dice = rng_below(rng, 10);
    const uint32_t cost = 8 + rng_below(rng, 20);
    if (dice == 0) return;
    if (dice != 1) test_graph_add(graph, from, to, cost, cost);
    if (dice != 2) test_graph_add(graph, to, from, cost + 1, cost);
}

/* The rise of these potentials is added to the cost that an arc is drawn with. */
static void import_high(const test_graph *graph, const int32_t *lon_e7, const int32_t *lat_e7,
                        const int32_t *potential, const char *path)
{
    FREED uint32_t *const weight = checked_allocate(graph->arc_count, sizeof *weight);
    FREED int64_t *const id = checked_allocate(graph->node_count, sizeof *id);
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    for (uint32_t i = 0; i < graph->node_count; ++i) id[i] = fixture_id(i);
    for (size_t a = 0; a < graph->arc_count; ++a)
        weight[a] = graph->weight[0][a] + (uint32_t)(potential[graph->head[a]] - potential[graph->tail[a]]);
    input.node_count = graph->node_count, input.arc_count = graph->arc_count;
    input.id = id, input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = graph->tail, input.head = graph->head;
    input.quantity = fixture_quantity, input.quantity_count = 1;
    input.weight = (const uint32_t *const[]){weight};
    input.potential = &potential;
    options.output = path;
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
}

/* high: the range of potentials. */
static void open_map(drawn_grid *out, double lon, uint32_t high, unsigned threads)
{
    static int32_t potential[SIDE * SIDE];
    static int32_t lon_e7[SIDE * SIDE], lat_e7[SIDE * SIDE];
    test_rng rng = {5};
    char path[FILES_PATH_BYTES + 16];
    out->graph = (test_graph){.name = "grid", .node_count = SIDE * SIDE};
    for (uint32_t row = 0; row < SIDE; ++row)
        for (uint32_t column = 0; column < SIDE; ++column) {
            const uint32_t node = row * SIDE + column;
            const double east = column + (double)rng_below(&rng, 60) / 100 - SIDE / 2;
            lon_e7[node] = (int32_t)(remainder(lon + east * 0.002, 360) * 1e7);
            lat_e7[node] = (int32_t)((CENTRE_LAT + ((double)row - SIDE / 2) * 0.0014) * 1e7) +
                           (int32_t)rng_below(&rng, 6000);
            if (column > 0) connect(&out->graph, &rng, node - 1, node);
            if (row > 0) connect(&out->graph, &rng, node - SIDE, node);
            if (rng_below(&rng, 40) == 0 && row > 3) connect(&out->graph, &rng, node - 3 * SIDE, node);
        }
    files_new_path(out->folder, path, "grid.mcd");
    for (size_t i = 0; high && i < SIDE * SIDE; ++i) potential[i] = 1000 - (int32_t)rng_below(&rng, high);
    if (high)
        import_high(&out->graph, lon_e7, lat_e7, potential, path);
    else
        FIXTURE_CALL(fixture_import, &out->graph, lon_e7, lat_e7, path, 1);
    out->engine = fixture_open_file(path, threads);
}

static void close_map(drawn_grid *map)
{
    macadam_engine_close(map->engine);
    files_remove_folder(map->folder);
    test_graph_free(&map->graph);
}

/* ---- the oracle ---- */

typedef struct local_plane {
    double lon, lat, east_m, north_m;
} local_plane;

/* Metres per degree at 45.46 degrees north on the ellipsoid of WGS 84. */
static local_plane plane_of(const macadam_snap *source)
{
    return (local_plane){source->lon, source->lat, 78215.9, 111140.8};
}

static void place(const local_plane *plane, double lon, double lat, double out[2])
{
    out[0] = remainder(lon - plane->lon, 360) * plane->east_m;
    out[1] = (lat - plane->lat) * plane->north_m;
}

/* The points of an arc in the order in which they are reached. */
static double (*place_arc(const macadam_isochrone *found, const macadam_reached_arc *arc,
                          const local_plane *plane, bool reverse, size_t *count))[2]
{
    const size_t first = arc->road.first_shape, last = arc->road.end_shape - 1;
    double(*const point)[2] = checked_allocate(last - first + 1, sizeof *point);
    *count = last - first + 1;
    for (size_t i = 0; i < *count; ++i) {
        const size_t at = reverse ? last - i : first + i;
        place(plane, found->lon[at], found->lat[at], point[i]);
    }
    return point;
}

/* The arc's stretch that is reached within the limit, or NULL. */
static GEOSGeometry *stretch(const macadam_isochrone *found, const macadam_reached_arc *arc,
                             const local_plane *plane, bool reverse, uint32_t limit)
{
    const double weight = (double)macadam_cost(arc->weight, true),
                 rest = (double)(limit - macadam_cost(arc->cost, true));
    if (rest < (weight < 0 ? weight * (1 - arc->from) : 0)) return NULL;
    size_t count, used = 0;
    double length = 0, before = 0, (*const point)[2] = place_arc(found, arc, plane, reverse, &count);
    for (size_t i = 0; i + 1 < count; ++i)
        length += hypot(point[i + 1][0] - point[i][0], point[i + 1][1] - point[i][1]);
    const double share = weight != 0 ? arc->from + rest / weight : 1, /* where the limit is spent */
        from = (weight < 0 ? fmax(share, arc->from) : arc->from) * length,
                 to = (weight < 0 ? 1 : fmin(1, share)) * length;
    double(*const cut)[2] = checked_allocate(2 * count, sizeof *cut);
    for (size_t i = 0; i + 1 < count; ++i) { /* of each piece, what lies between `from` and `to` */
        const double east = point[i + 1][0] - point[i][0], north = point[i + 1][1] - point[i][1],
                     piece = hypot(east, north), begin = fmax(from - before, 0),
                     end = fmin(to - before, piece);
        before += piece;
        if (begin > end || piece == 0) continue;
        for (int k = 0; k < 2; ++k, ++used) {
            cut[used][0] = point[i][0] + (k ? end : begin) / piece * east;
            cut[used][1] = point[i][1] + (k ? end : begin) / piece * north;
        }
    }
    GEOSCoordSequence *const line = GEOSCoordSeq_create((unsigned)used, 2);
    for (size_t i = 0; i < used; ++i) GEOSCoordSeq_setXY(line, (unsigned)i, cut[i][0], cut[i][1]);
    free(point);
    free(cut);
    return used ? GEOSGeom_createLineString(line) : (GEOSCoordSeq_destroy(line), NULL);
}

/* All that is reached, widened: of every stretch, and of the source. */
static GEOSGeometry *exact_area(const macadam_isochrone *found, const local_plane *plane, bool reverse,
                                uint32_t limit, double width_m)
{
    GEOSGeometry **const part = checked_allocate(found->arc_count + 1, sizeof(GEOSGeometry *));
    unsigned count = 0;
    part[count++] = GEOSGeom_createPointFromXY(0, 0);
    for (size_t i = 0; i < found->arc_count; ++i)
        if ((part[count] = stretch(found, &found->arc[i], plane, reverse, limit))) ++count;
    for (unsigned i = 0; i < count; ++i) {
        GEOSGeometry *const wide = GEOSBuffer(part[i], width_m, CIRCLE);
        GEOSGeom_destroy(part[i]);
        part[i] = wide;
    }
    GEOSGeometry *const all = GEOSGeom_createCollection(GEOS_GEOMETRYCOLLECTION, part, count);
    GEOSGeometry *const area = GEOSUnaryUnion(all);
    GEOSGeom_destroy(all);
    free(part);
    return area;
}

/* ---- the answer as a geometry ---- */

static GEOSGeometry *ring_of(const macadam_rings *rings, size_t ring, const local_plane *plane, bool outer)
{
    const size_t first = rings->first_point[ring], count = rings->first_point[ring + 1] - first;
    GEOSCoordSequence *const points = GEOSCoordSeq_create((unsigned)count, 2);
    for (size_t i = 0; i < count; ++i) {
        double at[2];
        place(plane, rings->lon[first + i], rings->lat[first + i], at);
        GEOSCoordSeq_setXY(points, (unsigned)i, at[0], at[1]);
    }
    char against_clock = 2;
    cr_assert(GEOSCoordSeq_isCCW(points, &against_clock) && against_clock == outer);
    GEOSGeometry *const closed = GEOSGeom_createLinearRing(points);
    cr_assert_not_null(closed, "ring %zu is not closed", ring);
    return closed;
}

static GEOSGeometry *polygons_of(const macadam_rings *rings, size_t area, const local_plane *plane)
{
    const size_t first = rings->first_polygon[area], count = rings->first_polygon[area + 1] - first;
    GEOSGeometry **const polygon = checked_allocate(count + 1, sizeof(GEOSGeometry *));
    for (size_t p = 0; p < count; ++p) {
        const size_t ring = rings->first_ring[first + p], end = rings->first_ring[first + p + 1];
        GEOSGeometry **const hole = checked_allocate(end - ring, sizeof(GEOSGeometry *));
        for (size_t h = ring + 1; h < end; ++h) hole[h - ring - 1] = ring_of(rings, h, plane, false);
        polygon[p] =
            GEOSGeom_createPolygon(ring_of(rings, ring, plane, true), hole, (unsigned)(end - ring - 1));
        free(hole);
    }
    GEOSGeometry *const all = GEOSGeom_createCollection(GEOS_MULTIPOLYGON, polygon, (unsigned)count);
    free(polygon);
    return all;
}

/* Valid as its degrees are; on the plane, the parts at the antimeridian meet. */
static GEOSGeometry *area_of(const macadam_rings *rings, size_t area, const local_plane *plane)
{
    static const local_plane degrees = {0, 0, 1, 1};
    GEOSGeometry *const drawn = polygons_of(rings, area, &degrees), *const parts =
                                                                        polygons_of(rings, area, plane);
    GEOSGeometry *const whole = GEOSUnaryUnion(parts);
    char *const reason = GEOSisValidReason(drawn);
    cr_assert_str_eq(reason, "Valid Geometry");
    GEOSFree(reason);
    GEOSGeom_destroy(drawn);
    GEOSGeom_destroy(parts);
    return whole;
}

static double size_of(const GEOSGeometry *geometry)
{
    double size = 0;
    cr_assert(GEOSArea(geometry, &size));
    return size;
}

/* Both sizes differ by less than 1.5 % of the exact one, and so little lies in only one of the two areas. */
static void compare(const GEOSGeometry *area, const GEOSGeometry *exact, double told_m2)
{
    const double size = size_of(area), exact_size = size_of(exact);
    cr_assert_float_eq(size, exact_size, 0.015 * exact_size, "%g of %g", size, exact_size);
    cr_assert_float_eq(size, told_m2, 0.003 * size, "%g, told to be %g", size,
                       told_m2); /* it has fewer points */
    GEOSGeometry *const off = GEOSSymDifference(area, exact);
    cr_assert_lt(size_of(off), 0.03 * exact_size);
    GEOSGeom_destroy(off);
}

/* ---- tests ---- */

static void silent(const char *format, ...)
{
    (void)format;
}

static macadam_rings *find_rings(macadam_engine *engine, const uint32_t *limit, const macadam_place *source,
                                 size_t count, bool reverse, bool disjoint, double width_m)
{
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    request.source = source, request.source_count = count;
    request.reverse = reverse, request.disjoint = disjoint, request.width_m = width_m;
    request.limit = limit, request.limit_count = LIMITS;
    macadam_rings *rings;
    FIXTURE_CALL(macadam_rings_find, &rings, engine, NULL, &request);
    return rings;
}

static void check_source(macadam_engine *engine, const uint32_t *limit, macadam_place source, bool reverse,
                         double width_m)
{
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = source, request.reverse = reverse, request.limit = limit[LIMITS - 1];
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
    FIXTURE_CALL(macadam_isochrone_find, &found, engine, NULL, &request);
    const local_plane plane = plane_of(&found->source);
    SCOPED(macadam_rings_free_at)
    macadam_rings *const nested = find_rings(engine, limit, &source, 1, reverse, false, width_m);
    SCOPED(macadam_rings_free_at)
    macadam_rings *const apart = find_rings(engine, limit, &source, 1, reverse, true, width_m);
    GEOSGeometry *before = GEOSGeom_createEmptyCollection(GEOS_MULTIPOLYGON);
    for (size_t l = 0; l < LIMITS; ++l) {
        GEOSGeometry *const exact = exact_area(found, &plane, reverse, limit[l], nested->width_m[0]);
        GEOSGeometry *const area = area_of(nested, l, &plane), *const band = area_of(apart, l, &plane);
        compare(area, exact, nested->area_m2[l]);
        GEOSGeometry *const exact_band = GEOSDifference(exact, before);
        compare(band, exact_band, apart->area_m2[l]);
        GEOSGeom_destroy(exact_band);
        GEOSGeom_destroy(area);
        GEOSGeom_destroy(band);
        GEOSGeom_destroy(before);
        before = exact;
    }
    GEOSGeom_destroy(before);
}

/* Costs fall along every third arc or so. */
Test(rings, are_of_signed_costs)
{
    drawn_grid map;
    initGEOS(silent, silent);
    open_map(&map, CENTRE_LON, 40, 1);
    const macadam_place within = {
        .kind = MACADAM_PLACE_POINT, .lon = CENTRE_LON + 0.0012, .lat = CENTRE_LAT + 0.0007};
    check_source(map.engine, limits, within, false, 100);
    check_source(map.engine, limits, within, true, 60);
    check_source(map.engine, limits, fixture_place(SIDE * SIDE / 2), false, 100);
    close_map(&map);
    finishGEOS();
}

Test(rings, hold_what_is_within_the_width_of_reached_roads)
{
    drawn_grid map;
    initGEOS(silent, silent);
    open_map(&map, CENTRE_LON, 0, 1);
    const macadam_place within = {
        .kind = MACADAM_PLACE_POINT, .lon = CENTRE_LON + 0.0012, .lat = CENTRE_LAT + 0.0007};
    check_source(map.engine, limits, within, false, 100);
    check_source(map.engine, limits, within, true, 30);
    check_source(map.engine, limits, fixture_place(SIDE * SIDE / 3), false, 55);
    close_map(&map);
    finishGEOS();
}

Test(rings, of_a_city_hold_what_is_within_the_width_of_reached_roads)
{
    static const uint32_t limit[LIMITS] = {60000, 150000, 270000};
    static const double at[][2] = {{9.1880, 45.4640}, {9.2250, 45.4790}, {9.1440, 45.4450}};
    char path[FILES_PATH_BYTES], folder[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];
    macadam_error error;
    if (!files_find_data(path, "osm/milan_italy_small.osm.pbf")) cr_skip_test("MACADAM_DATA is not set");
    files_new_path(folder, output, "city.mcd");
    const macadam_import_options options = {.size = sizeof options, .output = output};
    fixture_expect_ok(macadam_import_osm(path, NULL, &options, &error), &error, path);
    macadam_engine *const engine = fixture_open_file(output, 1);
    initGEOS(silent, silent);
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        const macadam_place source = {.kind = MACADAM_PLACE_POINT, .lon = at[i][0], .lat = at[i][1]};
        check_source(engine, limit, source, i == 1, i == 2 ? 40 : 100);
    }
    finishGEOS();
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

static bool same(const macadam_rings *a, size_t area, const macadam_rings *b, size_t other)
{
    const size_t first = a->first_point[a->first_ring[a->first_polygon[area]]],
                 end = a->first_point[a->first_ring[a->first_polygon[area + 1]]],
                 other_first = b->first_point[b->first_ring[b->first_polygon[other]]];
    return end > first && a->area_m2[area] == b->area_m2[other] &&
           memcmp(a->lon + first, b->lon + other_first, (end - first) * sizeof *a->lon) == 0 &&
           memcmp(a->lat + first, b->lat + other_first, (end - first) * sizeof *a->lat) == 0;
}

Test(rings, are_the_same_for_any_number_of_threads_and_sources)
{
    enum { SOURCES = 40 };
    drawn_grid one, several;
    open_map(&one, CENTRE_LON, 0, 1);
    open_map(&several, CENTRE_LON, 0, 3);
    macadam_place source[SOURCES];
    for (uint32_t i = 0; i < SOURCES; ++i) source[i] = fixture_place(i * 17);
    source[3].id = INT64_MAX;
    macadam_rings *const all = find_rings(several.engine, limits, source, SOURCES, false, false, 0);
    for (size_t i = 0; i < SOURCES; ++i) {
        SCOPED(macadam_rings_free_at)
        macadam_rings *const alone = find_rings(one.engine, limits, &source[i], 1, false, false, 0);
        for (size_t l = 0; l < LIMITS; ++l) {
            if (i == 3)
                cr_assert(alone->polygon_count == 0 && alone->source[0].status == MACADAM_PLACE_UNKNOWN_ID);
            else
                cr_assert(same(all, i * LIMITS + l, alone, l), "source %zu, limit %zu", i, l);
        }
    }
    macadam_rings_free(all);
    close_map(&one);
    close_map(&several);
}

/* Every ring stays on one side. Returns how many points of its side lie exactly at the antimeridian: to the east of it, and
 * to the west. */
static void check_sides(const macadam_rings *rings, size_t at_edge[2])
{
    at_edge[0] = at_edge[1] = 0;
    for (size_t ring = 0; ring < rings->ring_count; ++ring) {
        const bool west = rings->lon[rings->first_point[ring]] > 0;
        for (size_t i = rings->first_point[ring]; i < rings->first_point[ring + 1]; ++i) {
            cr_assert_leq(fabs(rings->lon[i]), 180);
            cr_assert_eq(rings->lon[i] > 0, west, "ring %zu crosses", ring);
            at_edge[west] += fabs(rings->lon[i]) == 180;
        }
    }
}

Test(rings, are_cut_at_the_antimeridian)
{
    static const double at[] = {179.9999, -179.9999, 180, -180, 179.997, -179.997, 179.98, -179.98};
    drawn_grid map;
    initGEOS(silent, silent);
    open_map(&map, 180, 0, 1);
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        const macadam_place source = {.kind = MACADAM_PLACE_POINT, .lon = at[i], .lat = CENTRE_LAT};
        check_source(map.engine, limits, source, i % 2, 100 - i % 3 * 30);
        for (int disjoint = 0; disjoint < 2; ++disjoint) {
            size_t at_edge[2];
            SCOPED(macadam_rings_free_at)
            macadam_rings *const rings = find_rings(map.engine, limits, &source, 1, false, disjoint, 0);
            check_sides(rings, at_edge);
            cr_assert_eq(at_edge[0] > 1, at_edge[1] > 1);
            if (fabs(at[i]) > 179.99) cr_assert_gt(at_edge[0], 1);
        }
    }
    close_map(&map);
    finishGEOS();
}

Test(rings, refuse_what_they_cannot_answer)
{
    drawn_grid map;
    open_map(&map, CENTRE_LON, 0, 1);
    static const uint32_t falling[] = {5, 5}, high[] = {MACADAM_WEIGHT_MAX + 1};
    const macadam_place source = fixture_place(3);
    const struct {
        const uint32_t *limit;
        size_t limit_count, source_count;
        double width_m;
        macadam_status status;
        const char *says;
    } cases[] = {
        {limits, 0, 1, 0, MACADAM_E_INVALID, "0 limits"},
        {limits, MACADAM_REACH_LIMITS_MAX + 1, 1, 0, MACADAM_E_INVALID, "17 limits"},
        {falling, 2, 1, 0, MACADAM_E_INVALID, "not above"},
        {high, 1, 1, 0, MACADAM_E_INVALID, "2147483647"},
        {limits, 1, 1, -1, MACADAM_E_INVALID, "-1 m"},
        {limits, 1, 1, NAN, MACADAM_E_INVALID, "nan m"},
        {limits, 1, 0, 0, MACADAM_E_INVALID, "source"},
        {limits, 1, 1, 1e-4, MACADAM_E_LIMIT, "0.0001 m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
        request.source = &source, request.source_count = cases[i].source_count;
        request.limit = cases[i].limit, request.limit_count = cases[i].limit_count;
        request.width_m = cases[i].width_m;
        macadam_rings *rings;
        macadam_error error;
        cr_assert_eq(macadam_rings_find(&rings, map.engine, NULL, &request, &error), cases[i].status,
                     "case %zu", i);
        cr_assert_null(rings);
        cr_assert(strstr(error.message, cases[i].says), "%s", error.message);
    }
    close_map(&map);
    fixture_engine plain;
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    fixture_open(&plain, &graph, 1);
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    request.source = &source, request.source_count = 1, request.limit = limits, request.limit_count = 1;
    macadam_rings *rings;
    cr_assert_eq(macadam_rings_find(&rings, plain.engine, NULL, &request, NULL), MACADAM_E_UNSUPPORTED);
    fixture_close(&plain);
}

/* ---- drawn maps ---- */

/* Imports OpenStreetMap data of nodes and ways, and opens the map. */
static macadam_engine *open_osm(char folder[FILES_PATH_BYTES], const char *objects,
                                const macadam_executor *executor)
{
    char osm[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16], text[4096];
    macadam_engine *engine;
    files_new_path(folder, osm, "map.osm");
    snprintf(path, sizeof path, "%s/map.mcd", folder);
    const int bytes = snprintf(text, sizeof text, "<osm version='0.6'>%s</osm>", objects);
    cr_assert(bytes > 0 && (size_t)bytes < sizeof text);
    files_write(osm, text, (size_t)bytes);
    const macadam_import_options import = {.size = sizeof import, .output = path};
    FIXTURE_CALL(macadam_import_osm, osm, "car", &import);
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.device = "cpu", options.threads = 1, options.executor = executor;
    FIXTURE_CALL(macadam_engine_open, &engine, path, &options);
    return engine;
}

static void close_osm(macadam_engine *engine, const char *folder)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* Whether a point lies within an area: a line to the west of it crosses the rings an odd number of times. */
static bool covers(const macadam_rings *rings, size_t area, double lon, double lat)
{
    const size_t first = rings->first_ring[rings->first_polygon[area]],
                 end = rings->first_ring[rings->first_polygon[area + 1]];
    bool odd = false;
    for (size_t r = first; r < end; ++r)
        for (size_t i = rings->first_point[r]; i + 1 < rings->first_point[r + 1]; ++i) {
            const double south = rings->lat[i] - lat, north = rings->lat[i + 1] - lat;
            if ((south < 0) == (north < 0)) continue;
            odd ^= rings->lon[i] + (rings->lon[i + 1] - rings->lon[i]) * south / (south - north) < lon;
        }
    return odd;
}

/* A street, and one 2 km to the east of it, beyond a ferry. */
static const char with_ferry[] =
    "<node id='1' lat='50' lon='10.000'/><node id='2' lat='50' lon='10.010'/><node id='3' lat='50' "
    "lon='10.040'/>"
    "<node id='4' lat='50' lon='10.050'/>"
    "<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='2'><nd ref='2'/><nd ref='3'/><tag k='route' v='ferry'/></way>"
    "<way id='3'><nd ref='3'/><nd ref='4'/><tag k='highway' v='residential'/></way>";

Test(rings, leave_out_ferries)
{
    static const uint32_t limit[LIMITS] = {60000, 1000000000, MACADAM_WEIGHT_MAX};
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_osm(folder, with_ferry, NULL);
    const macadam_place source = {.id = 1};
    macadam_rings *const rings = find_rings(engine, limit, &source, 1, false, false, 0);
    cr_expect(covers(rings, 0, 10.005, 50) && covers(rings, 1, 10.005, 50));
    cr_expect(!covers(rings, 0, 10.045, 50) && covers(rings, 1, 10.045, 50));
    cr_expect(!covers(rings, 1, 10.025, 50) && !covers(rings, 2, 10.025, 50), "the sea is not a road");
    cr_expect_eq(rings->area_m2[1], rings->area_m2[2]);
    macadam_rings_free(rings);
    close_osm(engine, folder);
}

/* Two streets between the same ends. One is the other, turned by half a turn: one begins to the north and ends to the
 * south, the other the other way round. */
static const char twins[] =
    "<node id='1' lat='50' lon='10.000'/><node id='2' lat='50.004' lon='10.002'/><node id='3' lat='49.996' "
    "lon='10.008'/><node id='4' lat='50' lon='10.010'/><node id='5' lat='49.996' lon='10.002'/><node id='6' "
    "lat='50.004' lon='10.008'/>"
    "<way id='1'><nd ref='1'/><nd ref='2'/><nd ref='3'/><nd ref='4'/><tag k='highway' v='residential'/></way>"
    "<way id='2'><nd ref='1'/><nd ref='5'/><nd ref='6'/><nd ref='4'/><tag k='highway' "
    "v='residential'/></way>";

Test(rings, hold_both_of_two_symmetric_streets)
{
    static const uint32_t limit[LIMITS] = {800000, 900000, 1000000000};
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_osm(folder, twins, NULL);
    const macadam_place source = {.id = 1};
    macadam_rings *const rings = find_rings(engine, limit, &source, 1, false, false, 50);
    for (int i = 0; i < 4; ++i)
        cr_expect(covers(rings, 2, i % 2 ? 10.002 : 10.008, i / 2 ? 50.004 : 49.996), "corner %d", i);
    macadam_rings_free(rings);
    close_osm(engine, folder);
}

/* Two streets to the east, 60 m apart, and slow stairs between them; beyond the southern one there is nothing.
 *
 *   8 --- 9 --- ... --- 15
 *   |     |             |    1000 each
 *   0 --- 1 --- ... --- 7    10 each, 214 m */
Test(rings, end_half_way_to_roads_that_are_not_reached)
{
    enum { COLUMNS = 8 };
    static const uint32_t limit[LIMITS] = {25, 45, 5000};
    static const struct {
        double lon, lat;
        size_t area;
        bool chosen, wide;
    } point[] = {
        {10.0030, 50.0000, 0, true, true},  {10.0045, 50.0002, 0, true, true},
        {10.0045, 50.0004, 0, false, true}, {10.0045, 50.00054, 0, false, true},
        {10.0045, 49.9993, 0, true, true},  {10.0083, 50.0000, 0, false, true},
        {10.0083, 50.0000, 1, true, true},  {10.0045, 50.0004, 1, false, true},
        {10.0045, 50.00054, 2, true, true}, {10.0045, 50.0011, 2, true, true},
    };
    int32_t lon_e7[2 * COLUMNS], lat_e7[2 * COLUMNS];
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    SCOPED(test_graph_free) test_graph graph = {.name = "stairs", .node_count = 2 * COLUMNS};
    for (uint32_t i = 0; i < 2 * COLUMNS; ++i) {
        lon_e7[i] = 100000000 + (int32_t)(i % COLUMNS) * 30000;
        lat_e7[i] = 500000000 + (i < COLUMNS ? 0 : 5400);
        const uint32_t next = i + COLUMNS, east = i + 1;
        if (i < COLUMNS) test_graph_add(&graph, i, next, 1000, 1), test_graph_add(&graph, next, i, 1000, 1);
        if (east % COLUMNS) test_graph_add(&graph, i, east, 10, 1), test_graph_add(&graph, east, i, 10, 1);
    }
    files_new_path(folder, path, "stairs.mcd");
    FIXTURE_CALL(fixture_import, &graph, lon_e7, lat_e7, path, 1);
    macadam_engine *const engine = fixture_open_file(path, 1);
    const macadam_place source = fixture_place(0);
    for (int reverse = 0; reverse < 2; ++reverse) {
        SCOPED(macadam_rings_free_at)
        macadam_rings *const rings = find_rings(engine, limit, &source, 1, reverse, false, 0);
        SCOPED(macadam_rings_free_at)
        macadam_rings *const wide = find_rings(engine, limit, &source, 1, reverse, false, 100);
        cr_expect_eq(rings->width_m[0], 100);
        for (size_t i = 0; i < sizeof point / sizeof *point; ++i) {
            cr_expect_eq(covers(rings, point[i].area, point[i].lon, point[i].lat), point[i].chosen,
                         "point %zu, reverse %d", i, reverse);
            cr_expect_eq(covers(wide, point[i].area, point[i].lon, point[i].lat), point[i].wide,
                         "point %zu, reverse %d, wide", i, reverse);
        }
    }
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* Counts the junctions of a city that an area of 5 minutes holds: not reached, and reached; and all that are reached. */
static void count_junctions(macadam_engine *engine, const macadam_query *query, macadam_place source,
                            double held[2], double *reached)
{
    static const uint32_t limit = 300000;
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    macadam_info info = MACADAM_INFO_INIT;
    macadam_engine *of_profile;
    SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
    FIXTURE_CALL(macadam_engine_of_profile, &of_profile, engine, query->profile);
    FIXTURE_CALL(macadam_engine_info, &info, of_profile);
    const int64_t *const id = macadam_engine_ids(of_profile, NULL);
    FREED uint32_t *const cost = checked_allocate(info.id_count, sizeof *cost);
    tree.source = request.source = &source, tree.source_count = request.source_count = 1;
    request.limit = &limit, request.limit_count = 1;
    FIXTURE_CALL(macadam_tree_find, (uint32_t *[]){cost}, NULL, engine, query, &tree);
    FIXTURE_CALL(macadam_rings_find, &rings, engine, query, &request);
    for (size_t i = 0; i < info.id_count; ++i) {
        macadam_snap snap;
        const macadam_place junction = {.id = id[i]};
        FIXTURE_CALL(macadam_snap_find, &snap, of_profile, NULL, &junction, 1);
        const bool is_reached = cost[i] <= limit;
        held[is_reached] += covers(rings, 0, snap.lon, snap.lat);
        *reached += is_reached;
    }
}

Test(rings, of_five_minutes_hold_what_is_reached_and_little_else)
{
    static const double at[][2] = {
        {9.1880, 45.4640}, {9.2250, 45.4790}, {9.1440, 45.4450}, {9.2000, 45.4900}};
    static const char *const profile[] = {"car", "bike", "foot"};
    char path[FILES_PATH_BYTES], folder[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];
    if (!files_find_data(path, "osm/milan_italy_small.osm.pbf")) cr_skip_test("MACADAM_DATA is not set");
    files_new_path(folder, output, "city.mcd");
    const macadam_import_options options = {.size = sizeof options, .output = output};
    const char *const paths[] = {path};
    FIXTURE_CALL(macadam_import_osm_files, paths, 1, profile, 3, &options);
    macadam_engine *const engine = fixture_open_file(output, 1);
    for (size_t p = 0; p < 3; ++p) {
        double held[2] = {0, 0}, reached = 0;
        const macadam_query query = {.size = sizeof query, .profile = profile[p]};
        for (size_t i = 0; i < sizeof at / sizeof *at; ++i)
            count_junctions(engine, &query,
                            (macadam_place){MACADAM_PLACE_POINT, .lon = at[i][0], .lat = at[i][1]}, held,
                            &reached);
        cr_expect_geq(held[1], 0.99 * reached, "%s: %g of %g", profile[p], held[1], reached);
        cr_expect_leq(held[0], 0.1 * reached, "%s: %g beside %g", profile[p], held[0], reached);
    }
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* A bent street that ends, of which the limits reach some metres more each time. */
Test(rings, never_shrink_as_their_limit_grows)
{
    enum { FIRST = 5000, LAST = 120000, STEP = 531 };
    static const char street[] =
        "<node id='1' lat='50' lon='10.000'/><node id='2' lat='50.0004' lon='10.0006'/>"
        "<node id='3' lat='50.0002' lon='10.0013'/><node id='4' lat='50.0015' lon='10.0021'/>"
        "<node id='5' lat='50.0011' lon='10.0052'/><node id='6' lat='50.0031' lon='10.0067'/>"
        "<node id='7' lat='49.9985' lon='10.0024'/>"
        "<way id='1'><nd ref='1'/><nd ref='2'/><nd ref='3'/><nd ref='4'/><nd ref='5'/><nd ref='6'/>"
        "<tag k='highway' v='residential'/></way>"
        "<way id='2'><nd ref='4'/><nd ref='7'/><tag k='highway' v='residential'/></way>";
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_osm(folder, street, NULL);
    const macadam_place source = {.kind = MACADAM_PLACE_POINT, .lon = 10.0003, .lat = 50.0002};
    for (int reverse = 0; reverse < 2; ++reverse) {
        double before = 0;
        for (uint32_t at = FIRST; at < LAST; at += STEP) {
            const uint32_t limit[LIMITS] = {at, at + STEP / 3, at + STEP / 2};
            SCOPED(macadam_rings_free_at)
            macadam_rings *const rings = find_rings(engine, limit, &source, 1, reverse, false, 0);
            for (size_t l = 0; l < LIMITS; ++l) {
                const double area = rings->area_m2[l], least = l > 0 ? rings->area_m2[l - 1] : before;
                cr_assert_geq(area, least * (1 - 1e-7), "limit %u: %.3f, before %.3f", limit[l], area, least);
            }
            before = rings->area_m2[0];
        }
    }
    close_osm(engine, folder);
}

static size_t live_bytes, most_bytes;

static void *allocate_counted(void *context, size_t bytes)
{
    size_t *const block = malloc(bytes + 16);
    (void)context;
    if (!block) return NULL;
    *block = bytes;
    live_bytes += bytes;
    most_bytes = live_bytes > most_bytes ? live_bytes : most_bytes;
    return (char *)block + 16;
}

static void release_counted(void *context, void *memory)
{
    (void)context;
    if (!memory) return;
    live_bytes -= *(size_t *)((char *)memory - 16);
    free((char *)memory - 16);
}

static const macadam_allocator counted = {allocate_counted, release_counted, NULL};
/* Around half of the globe. The memory for its area is known before it is drawn. */
static const char far_road[] = "<node id='1' lat='50' lon='-60'/><node id='2' lat='10' lon='40'/>"
                               "<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='motorway'/></way>";

/* Rings of all that the place reaches. */
static macadam_rings_request far_request(const macadam_place *source, double width_m)
{
    static const uint32_t limit = MACADAM_WEIGHT_MAX;
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    request.source = source, request.source_count = 1, request.width_m = width_m;
    request.limit = &limit, request.limit_count = 1;
    return request;
}

Test(rings, are_refused_before_they_take_the_memory_with_a_width_that_does)
{
    enum { MEMORY = 32 << 20, SLACK = 1 << 20 };
    char folder[FILES_PATH_BYTES];
    const macadam_place source = {.id = 1};
    macadam_allocator_set(&counted);
    macadam_engine *const engine = open_osm(folder, far_road, NULL);
    const macadam_query query = {.size = sizeof query, .metric = "distance", .memory_limit = MEMORY};
    for (int disjoint = 0; disjoint < 2; ++disjoint)
        for (double tried = 0.1; tried < 10000; tried *= 10) {
            macadam_rings_request request = far_request(&source, tried);
            request.disjoint = disjoint;
            macadam_rings *rings;
            macadam_error error;
            const size_t before = most_bytes = live_bytes;
            cr_assert_eq(macadam_rings_find(&rings, engine, &query, &request, &error), MACADAM_E_LIMIT);
            const char *const named = strstr(error.message, "; a width of ");
            cr_assert_not_null(named, "%s", error.message);
            request.width_m = strtod(named + strlen("; a width of "), NULL);
            cr_expect_gt(request.width_m, 1000, "%s", error.message);
            FIXTURE_CALL(macadam_rings_find, &rings, engine, &query, &request);
            macadam_rings_free(rings);
            cr_expect_lt(most_bytes - before, MEMORY + SLACK);
        }
    close_osm(engine, folder);
}

Test(rings, take_a_gibibyte_at_most_unless_a_memory_limit_is_given)
{
    char folder[FILES_PATH_BYTES];
    const macadam_place source = {.id = 1};
    macadam_allocator_set(&counted);
    macadam_engine *const engine = open_osm(folder, far_road, NULL);
    const macadam_query query = {.size = sizeof query, .metric = "distance"};
    macadam_rings_request request = far_request(&source, 1000);
    macadam_rings *rings;
    macadam_error error;
    const size_t before = most_bytes = live_bytes;
    cr_assert_eq(macadam_rings_find(&rings, engine, &query, &request, &error), MACADAM_E_LIMIT);
    cr_assert_not_null(strstr(error.message, "the limit is 1073741824; a width of "), "%s", error.message);
    cr_expect_lt(most_bytes - before, 32 << 20);
    close_osm(engine, folder);
}

/* Calls every task as the last of its workers. */
static void run_as_last(void *context, size_t count,
                        void (*task)(void *argument, size_t index, unsigned worker), void *argument)
{
    for (size_t i = 0; i < count; ++i) task(argument, i, *(unsigned *)context - 1);
}

Test(rings, are_found_by_any_worker_of_an_executor)
{
    static unsigned workers = 64;
    static const uint32_t limit[LIMITS] = {60000, 70000, 80000};
    const macadam_executor executor = {workers, run_as_last, &workers};
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_osm(folder, with_ferry, &executor);
    const macadam_place source[] = {{.id = 1}, {.id = 2}};
    macadam_rings *const rings = find_rings(engine, limit, source, 2, false, false, 0);
    cr_expect_eq(rings->polygon_count, 2 * LIMITS);
    macadam_rings_free(rings);
    close_osm(engine, folder);
}
