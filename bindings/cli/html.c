/* html.c - answers as one page that needs nothing else. A route is an SVG line. A tree is a canvas; nodes
 * that would share a pixel are drawn once, by the least cost, so that the page stays small however large the
 * map is. */
#include "bindings/cli/html.h"
#include "bindings/cli/failure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_SIDE = 1000, MARGIN = 20, SHADE_COUNT = 256 };
static const double radians_per_degree = 0.017453292519943295;

static const char page_begin[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>body{font:16px sans-serif;margin:1em;background:#fafaf7;color:#222}"
    "svg,canvas{max-width:100%;max-height:85vh;background:#fff;border:1px solid #ccc}"
    "</style>\n";

/* ---- projection: degrees to pixels, equal scales at the map's middle latitude ---- */

typedef struct map_projection {
    double west, north, lon_scale, lat_scale; /* pixels a degree */
    int width, height;
} map_projection;

static map_projection projection_fit(double west, double south, double east, double north)
{
    const double shrink = cos((south + north) / 2 * radians_per_degree);
    const double side = fmax(fmax((east - west) * shrink, north - south), 1e-6);
    const double scale = PAGE_SIDE / side;
    return (map_projection){.west = west,
                            .north = north,
                            .lon_scale = scale * shrink,
                            .lat_scale = scale,
                            .width = (int)((east - west) * scale * shrink) + 2 * MARGIN + 1,
                            .height = (int)((north - south) * scale) + 2 * MARGIN + 1};
}

static double project_x(const map_projection *projection, double lon)
{
    return MARGIN + (lon - projection->west) * projection->lon_scale;
}

static double project_y(const map_projection *projection, double lat)
{
    return MARGIN + (projection->north - lat) * projection->lat_scale;
}

/* ---- tree ---- */

/* Per pixel: 0 = no node, else 1 + the shade of its least cost; SHADE_COUNT + 1 = unreached. */
static uint16_t *paint(const map_projection *projection, const macadam_snap *snap, const uint32_t *value,
                       size_t count, uint32_t value_max)
{
    uint16_t *const pixel =
        cli_allocate((size_t)projection->width * (size_t)projection->height, sizeof *pixel);
    for (size_t i = 0; i < count; ++i) {
        const double x = project_x(projection, snap[i].lon), y = project_y(projection, snap[i].lat);
        if (!(x >= 0 && x < projection->width && y >= 0 && y < projection->height)) continue;
        uint16_t *const here = &pixel[(size_t)y * (size_t)projection->width + (size_t)x];
        const uint16_t shade = value[i] == MACADAM_UNREACHED
                                   ? SHADE_COUNT + 1
                                   : (uint16_t)(1 + (uint64_t)value[i] * (SHADE_COUNT - 1) / value_max);
        if (*here == 0 || shade < *here) *here = shade;
    }
    return pixel;
}

/* Pixels as a flat array: distance from the pixel before in reading order, shade. */
static void write_pixels(cli_output *output, const map_projection *projection, const uint16_t *pixel)
{
    size_t last = 0;
    bool first = true;
    for (size_t i = 0; i < (size_t)projection->width * (size_t)projection->height; ++i) {
        if (pixel[i] == 0) continue;
        cli_output_format(output, "%s%zu,%d", first ? "" : ",", i - last, pixel[i] - 1);
        last = i;
        first = false;
    }
}

static void write_tree_page(cli_output *output, const cli_session *session, const cli_options *options,
                            const map_projection *projection, const uint16_t *pixel, uint32_t value_max)
{
    cli_output_text(output, page_begin);
    cli_output_format(output,
                      "<title>Macadam tree</title><p>%s %s %s: blue 0, red %u; grey: not reached</p>\n"
                      "<canvas id=\"map\" width=\"%d\" height=\"%d\"></canvas>\n<script>\nconst pixels=[",
                      session->quantity[0], options->reverse ? "to" : "from", options->from, value_max,
                      projection->width, projection->height);
    write_pixels(output, projection, pixel);
    cli_output_format(output,
                      "];\nconst width=%d,pen=document.getElementById('map').getContext('2d');\n"
                      "for(let i=0,at=0;i<pixels.length;i+=2){at+=pixels[i];const shade=pixels[i+1];\n"
                      "pen.fillStyle=shade==%d?'#ccc':`hsl(${240-240*shade/%d} 85%% 45%%)`;\n"
                      "pen.fillRect(at%%width-.5,Math.floor(at/width)-.5,2,2)}\n</script></html>\n",
                      projection->width, SHADE_COUNT, SHADE_COUNT - 1);
}

static int snap_all(const cli_session *session, macadam_snap *snap)
{
    const size_t count = session->info.id_count;
    macadam_place *const place = cli_allocate(count, sizeof *place);
    for (size_t i = 0; i < count; ++i) place[i].id = session->id[i];
    macadam_error error = {""};
    const macadam_status status =
        macadam_snap_places(session->engine, &session->query, place, count, snap, &error);
    free(place);
    return status == MACADAM_OK ? CLI_DONE : cli_fail_library(status, &error);
}

int cli_html_tree(const cli_session *session, const cli_options *options, const uint32_t *value)
{
    const macadam_info *const info = &session->info;
    if (!info->has_coordinates) {
        return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_UNSUPPORTED),
                        "%s has no coordinates to draw: use csv, json or npy", session->file);
    }
    cli_output output = {0};
    macadam_snap *const snap = cli_allocate(info->id_count, sizeof *snap);
    int status = snap_all(session, snap);
    if (status == CLI_DONE) status = cli_output_open(&output, options->output);
    if (status == CLI_DONE) {
        uint32_t value_max = 1;
        for (size_t i = 0; i < info->id_count; ++i) {
            if (value[i] != MACADAM_UNREACHED && value[i] > value_max) value_max = value[i];
        }
        const map_projection projection = projection_fit(info->west, info->south, info->east, info->north);
        uint16_t *const pixel = paint(&projection, snap, value, info->id_count, value_max);
        write_tree_page(&output, session, options, &projection, pixel, value_max);
        free(pixel);
    }
    free(snap);
    return cli_output_close(&output, status);
}

/* ---- route ---- */

static map_projection projection_of_route(const macadam_route *route)
{
    double west = 180, south = 90, east = -180, north = -90;
    for (size_t i = 0; i < route->shape_count; ++i) {
        west = fmin(west, route->lon[i]);
        east = fmax(east, route->lon[i]);
        south = fmin(south, route->lat[i]);
        north = fmax(north, route->lat[i]);
    }
    for (size_t i = 0; i < route->waypoint_count; ++i) {
        if (route->waypoint[i].status != MACADAM_PLACE_OK) continue;
        west = fmin(west, route->waypoint[i].lon);
        east = fmax(east, route->waypoint[i].lon);
        south = fmin(south, route->waypoint[i].lat);
        north = fmax(north, route->waypoint[i].lat);
    }
    if (west > east) return projection_fit(0, 0, 0, 0);
    return projection_fit(west, south, east, north);
}

void cli_html_route(cli_output *output, const cli_session *session, const macadam_route *route)
{
    const map_projection projection = projection_of_route(route);
    cli_output_text(output, page_begin);
    cli_output_text(output, "<title>Macadam route</title><p>");
    if (!route->found) cli_output_text(output, "no route");
    for (size_t q = 0; route->found && q < session->quantity_count; ++q) {
        cli_output_format(output, "%s%s %u", q ? ", " : "", session->quantity[q], route->value[q]);
    }
    cli_output_format(
        output,
        "</p>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\">\n"
        "<polyline fill=\"none\" stroke=\"#1a5fb4\" stroke-width=\"4\" stroke-linejoin=\"round\" points=\"",
        projection.width, projection.height, projection.width);
    for (size_t i = 0; i < route->shape_count; ++i) {
        cli_output_format(output, "%.1f,%.1f ", project_x(&projection, route->lon[i]),
                          project_y(&projection, route->lat[i]));
    }
    cli_output_text(output, "\"/>\n");
    for (size_t i = 0; i < route->waypoint_count; ++i) {
        const macadam_snap *const snap = &route->waypoint[i];
        if (snap->status != MACADAM_PLACE_OK) continue;
        cli_output_format(
            output, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"#c01c28\"><title>%lld</title></circle>\n",
            project_x(&projection, snap->lon), project_y(&projection, snap->lat), (long long)snap->id);
    }
    cli_output_text(output, "</svg></html>\n");
}
