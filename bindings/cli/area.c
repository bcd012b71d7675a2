/* area.c - see area.h.
 *
 * Reached pieces are drawn into a grid of square cells around the source (equirectangular: a degree of
 * longitude shrinks with the cosine of the source's latitude). Widening the drawing and narrowing it again by
 * less closes gaps and leaves a rim around every piece. Each run of cells of a row is a polygon whose corners
 * are those of the cells, so that neighbours share whole edges: GEOS unites such a coverage in linear time,
 * and simplifies its outline by less than the rim. (Buffers around the lines themselves, united, take minutes
 * for a city.) */
#include "bindings/cli/area.h"
#include "bindings/cli/failure.h"

#include <geos_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELL_M = 25,         /* a cell's side, or more: so much that ... */
    SIDE_CELLS = 2000,   /* ... neither side of the grid has more cells */
    RIM_CELLS = 2,       /* around every piece */
    CLOSE_CELLS = 4,     /* gaps up to twice as wide are closed */
    HOLE_M2 = 500 * 500, /* holes below are dropped */
};
static const double METRES_PER_DEGREE = 111319.49079327358; /* on a sphere of WGS 84's equatorial radius */
static const double RADIANS_PER_DEGREE = 0.017453292519943295;

/* Row by row from the south-west; cell (0, 0) begins at (west_m, south_m). */
typedef struct cell_grid {
    double west_m, south_m, cell_m;
    int columns, rows;
    bool *cell; /* [row * columns + column] */
} cell_grid;

typedef struct area_work {
    GEOSContextHandle_t geos;
    char failure[256];
    const macadam_isochrone *isochrone;
    bool reverse;
    uint32_t limit;
    double lon, lat, shrink; /* the projection's centre: the source */
    double *lon_lat;         /* room for a piece */
    cell_grid grid;
} area_work;

static void remember_failure(const char *message, void *context)
{
    area_work *work = context;
    snprintf(work->failure, sizeof work->failure, "%s", message);
}

/* ---- projection: metres east and north of the source ---- */

/* The shorter way around the globe. */
static double degrees_between(double lon, double to_lon)
{
    return remainder(to_lon - lon, 360);
}

static double metres_east(const area_work *work, double lon)
{
    return degrees_between(work->lon, lon) * work->shrink * METRES_PER_DEGREE;
}

static double metres_north(const area_work *work, double lat)
{
    return (lat - work->lat) * METRES_PER_DEGREE;
}

static double degrees_east(const area_work *work, double x)
{
    return work->lon + x / work->shrink / METRES_PER_DEGREE;
}

static double degrees_north(const area_work *work, double y)
{
    return work->lat + y / METRES_PER_DEGREE;
}

/* ---- pieces ---- */

/* The share of the arc's length that is reached, from where it is entered. */
static double share_of(const macadam_reached_arc *arc, uint32_t limit)
{
    const uint32_t rest = limit - arc->cost;
    return rest >= arc->weight ? 1 : fmin(arc->from + (double)rest / arc->weight, 1);
}

static double length_between(const macadam_isochrone *isochrone, size_t a, size_t b)
{
    const double shrink = cos(isochrone->lat[a] * RADIANS_PER_DEGREE);
    return hypot(degrees_between(isochrone->lon[a], isochrone->lon[b]) * shrink,
                 isochrone->lat[b] - isochrone->lat[a]);
}

/* So far on the way from one shape point to another. */
static void put_point(const macadam_isochrone *isochrone, size_t i, size_t next, double along,
                      double *lon_lat)
{
    const double *const lon = isochrone->lon, *const lat = isochrone->lat;
    lon_lat[0] = along >= 1 ? lon[next] : remainder(lon[i] + degrees_between(lon[i], lon[next]) * along, 360);
    lon_lat[1] = along >= 1 ? lat[next] : lat[i] + (lat[next] - lat[i]) * along;
}

size_t cli_area_piece(const macadam_isochrone *isochrone, const macadam_reached_arc *arc, bool reverse,
                      uint32_t limit, double *lon_lat)
{
    const size_t first = arc->road.first_shape, last = arc->road.last_shape;
    if (arc->cost > limit || first == last) return 0;
    double length = 0, before = 0;
    for (size_t i = first; i + 1 < last; ++i) length += length_between(isochrone, i, i + 1);
    const double share = share_of(arc, limit), begin = arc->from * length, end = share * length;
    size_t count = 0;
    for (size_t step = 0; step + 1 < last - first; ++step) {
        const size_t i = reverse ? last - 1 - step : first + step, next = reverse ? i - 1 : i + 1;
        const double here = length_between(isochrone, i, next);
        const bool at_end = step + 2 == last - first;
        if (count == 0 && (at_end || before + here > begin))
            put_point(isochrone, i, next, here > 0 ? (begin - before) / here : 0, &lon_lat[2 * count++]);
        if (share < 1 && before + here > end) { /* ends within this stretch */
            put_point(isochrone, i, next, (end - before) / here, &lon_lat[2 * count]);
            return count + 1;
        }
        if (count > 0) put_point(isochrone, i, next, 1, &lon_lat[2 * count++]);
        before += here;
    }
    return count;
}

/* ---- the grid ---- */

/* Around everything that is reached, the source too, with room for what widening adds. */
static void new_grid(area_work *work)
{
    const macadam_isochrone *const isochrone = work->isochrone;
    cell_grid *const grid = &work->grid;
    double west = 0, south = 0, east = 0, north = 0;
    for (size_t i = 0; i < isochrone->arc_count; ++i) {
        const size_t count =
            cli_area_piece(isochrone, &isochrone->arc[i], work->reverse, work->limit, work->lon_lat);
        for (size_t p = 0; p < count; ++p) {
            const double x = metres_east(work, work->lon_lat[2 * p]),
                         y = metres_north(work, work->lon_lat[2 * p + 1]);
            west = fmin(west, x), east = fmax(east, x);
            south = fmin(south, y), north = fmax(north, y);
        }
    }
    const int margin = RIM_CELLS + CLOSE_CELLS + 1;
    grid->cell_m = fmax(CELL_M, fmax(east - west, north - south) / (SIDE_CELLS - 2 * margin - 1));
    grid->west_m = west - margin * grid->cell_m;
    grid->south_m = south - margin * grid->cell_m;
    grid->columns = (int)((east - west) / grid->cell_m) + 2 * margin + 1;
    grid->rows = (int)((north - south) / grid->cell_m) + 2 * margin + 1;
    grid->cell = cli_allocate((size_t)grid->columns * (size_t)grid->rows, sizeof *grid->cell);
}

static void mark(cell_grid *grid, double x, double y)
{
    const int column = (int)((x - grid->west_m) / grid->cell_m),
              row = (int)((y - grid->south_m) / grid->cell_m);
    grid->cell[(size_t)row * (size_t)grid->columns + (size_t)column] = true;
}

/* Points a cell's side apart or less: what lies between two of them is within the rim. */
static void draw_stretch(cell_grid *grid, double x, double y, double to_x, double to_y)
{
    const int steps = (int)(hypot(to_x - x, to_y - y) / grid->cell_m) + 1;
    for (int step = 0; step <= steps; ++step)
        mark(grid, x + (to_x - x) * step / steps, y + (to_y - y) * step / steps);
}

static void draw_pieces(area_work *work)
{
    const macadam_isochrone *const isochrone = work->isochrone;
    mark(&work->grid, 0, 0);
    for (size_t i = 0; i < isochrone->arc_count; ++i) {
        const double *const at = work->lon_lat;
        const size_t count =
            cli_area_piece(isochrone, &isochrone->arc[i], work->reverse, work->limit, work->lon_lat);
        for (size_t p = 0; p + 1 < count; ++p)
            draw_stretch(&work->grid, metres_east(work, at[2 * p]), metres_north(work, at[2 * p + 1]),
                         metres_east(work, at[2 * p + 2]), metres_north(work, at[2 * p + 3]));
    }
}

/* Sets each of `count` cells, `stride` apart, to `value` if one within `reach` cells has it; `near` is room
 * for `count`. */
static void spread_line(bool *cell, size_t count, size_t stride, int reach, bool value, bool *near)
{
    int since = reach + 1; /* cells since the last one with the value */
    for (size_t i = 0; i < count; ++i) {
        since = cell[i * stride] == value ? 0 : since + 1;
        near[i] = since <= reach;
    }
    since = reach + 1;
    for (size_t i = count; i-- > 0;) {
        since = cell[i * stride] == value ? 0 : since + 1;
        if (since <= reach) near[i] = true;
    }
    for (size_t i = 0; i < count; ++i)
        if (near[i]) cell[i * stride] = value;
}

/* In squares: first along the rows, then along the columns. */
static void spread(cell_grid *grid, int reach, bool value)
{
    const size_t columns = (size_t)grid->columns, rows = (size_t)grid->rows;
    bool *const near = cli_allocate(columns > rows ? columns : rows, sizeof *near);
    for (size_t row = 0; row < rows; ++row)
        spread_line(grid->cell + row * columns, columns, 1, reach, value, near);
    for (size_t column = 0; column < columns; ++column)
        spread_line(grid->cell + column, rows, columns, reach, value, near);
    free(near);
}

/* ---- the outline ---- */

/* The cells first <= column < last of a row: along its south side eastward and back along its north side. */
static GEOSGeometry *run_polygon(area_work *work, int row, int first, int last)
{
    const cell_grid *const grid = &work->grid;
    const unsigned corners = (unsigned)(last - first + 1);
    double *const x_y = cli_allocate(2 * (2 * (size_t)corners + 1), sizeof *x_y);
    for (unsigned i = 0; i <= 2 * corners; ++i) {
        const bool south = i < corners || i == 2 * corners;
        const unsigned step = i == 2 * corners ? 0 : south ? i : 2 * corners - 1 - i;
        x_y[2 * i] = grid->west_m + (first + (int)step) * grid->cell_m;
        x_y[2 * i + 1] = grid->south_m + (row + !south) * grid->cell_m;
    }
    GEOSCoordSequence *const points = GEOSCoordSeq_copyFromBuffer_r(work->geos, x_y, 2 * corners + 1, 0, 0);
    free(x_y);
    GEOSGeometry *const ring = points ? GEOSGeom_createLinearRing_r(work->geos, points) : NULL;
    return ring ? GEOSGeom_createPolygon_r(work->geos, ring, NULL, 0) : NULL;
}

/* The end of the run of equal cells that begins at `first`. */
static int run_end(const cell_grid *grid, int row, int first)
{
    const bool *const cell = grid->cell + (size_t)row * (size_t)grid->columns;
    int last = first + 1;
    while (last < grid->columns && cell[last] == cell[first]) ++last;
    return last;
}

/* Frees `from`. */
static GEOSGeometry *replace(area_work *work, GEOSGeometry *from, GEOSGeometry *by)
{
    if (from) GEOSGeom_destroy_r(work->geos, from);
    return by;
}

/* The set cells, united; NULL on failure. */
static GEOSGeometry *outline(area_work *work)
{
    const cell_grid *const grid = &work->grid;
    GEOSGeometry **const run =
        cli_allocate((size_t)grid->rows * ((size_t)grid->columns / 2 + 1), sizeof(GEOSGeometry *));
    size_t count = 0;
    bool whole = true;
    for (int row = 0; row < grid->rows; ++row)
        for (int first = 0, last; first < grid->columns; first = last) {
            last = run_end(grid, row, first);
            if (!grid->cell[(size_t)row * (size_t)grid->columns + (size_t)first]) continue;
            run[count] = run_polygon(work, row, first, last);
            whole = whole && run[count];
            if (run[count]) ++count;
        }
    GEOSGeometry *const runs =
        GEOSGeom_createCollection_r(work->geos, GEOS_GEOMETRYCOLLECTION, run, (unsigned)count);
    free(run);
    GEOSGeometry *area = whole && runs ? GEOSCoverageUnion_r(work->geos, runs) : NULL;
    if (runs) GEOSGeom_destroy_r(work->geos, runs);
    if (area) area = replace(work, area, GEOSTopologyPreserveSimplify_r(work->geos, area, grid->cell_m));
    return area;
}

/* ---- rings ---- */

static double ring_area(const double *x_y, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < count; ++i)
        sum += x_y[2 * i] * x_y[2 * i + 3] - x_y[2 * i + 2] * x_y[2 * i + 1];
    return sum / 2;
}

/* Back to degrees; outer rings against the clock, holes with it. False: a hole too small to keep. */
static bool append_ring(const area_work *work, cli_area *area, const GEOSGeometry *ring, bool outer)
{
    const GEOSCoordSequence *const points = GEOSGeom_getCoordSeq_r(work->geos, ring);
    unsigned count = 0;
    GEOSCoordSeq_getSize_r(work->geos, points, &count);
    double *const x_y = cli_allocate(2 * (size_t)count, sizeof *x_y);
    GEOSCoordSeq_copyToBuffer_r(work->geos, points, x_y, 0, 0);
    const double signed_m2 = ring_area(x_y, count);
    const bool keep = outer || fabs(signed_m2) >= HOLE_M2;
    for (unsigned i = 0; keep && i < count; ++i) {
        const unsigned from = (signed_m2 > 0) == outer ? i : count - 1 - i;
        area->lon[area->point_count] = degrees_east(work, x_y[2 * from]);
        area->lat[area->point_count++] = degrees_north(work, x_y[2 * from + 1]);
    }
    free(x_y);
    if (!keep) return false;
    area->km2 += (outer ? 1 : -1) * fabs(signed_m2) / 1e6;
    area->first_point[++area->ring_count] = area->point_count;
    return true;
}

static void append_polygon(const area_work *work, cli_area *area, const GEOSGeometry *polygon)
{
    append_ring(work, area, GEOSGetExteriorRing_r(work->geos, polygon), true);
    const int holes = GEOSGetNumInteriorRings_r(work->geos, polygon);
    for (int hole = 0; hole < holes; ++hole)
        append_ring(work, area, GEOSGetInteriorRingN_r(work->geos, polygon, hole), false);
    area->first_ring[++area->polygon_count] = area->ring_count;
}

static void fill_area(const area_work *work, cli_area *area, const GEOSGeometry *geometry)
{
    const int polygons = GEOSGetNumGeometries_r(work->geos, geometry);
    const size_t points = (size_t)GEOSGetNumCoordinates_r(work->geos, geometry);
    size_t rings = (size_t)polygons;
    for (int p = 0; p < polygons; ++p)
        rings += (size_t)GEOSGetNumInteriorRings_r(work->geos, GEOSGetGeometryN_r(work->geos, geometry, p));
    area->first_ring = cli_allocate((size_t)polygons + 1, sizeof *area->first_ring);
    area->first_point = cli_allocate(rings + 1, sizeof *area->first_point);
    area->lon = cli_allocate(points, sizeof *area->lon);
    area->lat = cli_allocate(points, sizeof *area->lat);
    area->first_ring[0] = area->first_point[0] = 0;
    for (int p = 0; p < polygons; ++p)
        append_polygon(work, area, GEOSGetGeometryN_r(work->geos, geometry, p));
}

/* The longest arc's points. */
static size_t points_max(const macadam_isochrone *isochrone)
{
    size_t most = 1;
    for (size_t i = 0; i < isochrone->arc_count; ++i) {
        const macadam_road *const road = &isochrone->arc[i].road;
        if (road->last_shape - road->first_shape > most) most = road->last_shape - road->first_shape;
    }
    return most;
}

int cli_area_find(cli_area *out, const macadam_isochrone *isochrone, bool reverse, uint32_t limit)
{
    *out = (cli_area){0};
    if (!macadam_place_is_found(isochrone->source.status)) return CLI_DONE;
    area_work work = {.isochrone = isochrone,
                      .reverse = reverse,
                      .limit = limit,
                      .lon = isochrone->source.lon,
                      .lat = isochrone->source.lat,
                      .shrink = fmax(cos(isochrone->source.lat * RADIANS_PER_DEGREE), 1e-6)};
    work.geos = GEOS_init_r();
    GEOSContext_setErrorMessageHandler_r(work.geos, remember_failure, &work);
    work.lon_lat = cli_allocate(2 * points_max(isochrone), sizeof *work.lon_lat);
    new_grid(&work);
    draw_pieces(&work);
    spread(&work.grid, RIM_CELLS + CLOSE_CELLS, true);
    spread(&work.grid, CLOSE_CELLS, false);
    GEOSGeometry *const area = outline(&work);
    if (area) {
        fill_area(&work, out, area);
        GEOSGeom_destroy_r(work.geos, area);
    }
    free(work.grid.cell);
    free(work.lon_lat);
    GEOS_finish_r(work.geos);
    return area ? CLI_DONE
                : cli_fail(CLI_RESOURCE, "geometry", "the area within %u: %s", limit, work.failure);
}

void cli_area_free(cli_area *area)
{
    free(area->first_ring);
    free(area->first_point);
    free(area->lon);
    free(area->lat);
}
