/* html.c - answers as pages. A tree has a dot for every node; nodes that would share a pixel are drawn once,
 * by the least cost, so that the page stays small however large the map is. Routes and isochrones lie on a
 * drawing of the roads around them. */
#include "bindings/cli/output/html.h"
#include "bindings/cli/output/page.h"
#include "bindings/cli/output/progress.h"

#include <math.h>

enum { SHADE_COUNT = 256, LABELS = 4 /* after the first, of the scale of colours */ };

/* ---- tree ---- */

typedef struct cost_range {
    bool is_signed;
    int64_t least, most; /* of the costs on the drawing, 0 and 1 */
    size_t outside;      /* how many nodes that are reached are not on it */
    int64_t most_outside;
} cost_range;

/* Returns the number of a node's pixel; -1 outside the drawing. */
static ptrdiff_t pixel_of(const cli_page *page, const macadam_snap *snap)
{
    const double x = cli_page_x(page, snap->lon), y = cli_page_y(page, snap->lat);
    const int width = page->projection.width;
    return x >= 0 && x < width && y >= 0 && y < page->projection.height ? (ptrdiff_t)y * width + (ptrdiff_t)x
                                                                        : -1;
}

static cost_range range_of(const cli_page *page, const macadam_snap *snap, const uint32_t *value,
                           size_t count)
{
    cost_range range = {.is_signed = page->session->is_signed[0], .most = 1, .most_outside = INT64_MIN};
    for (size_t i = 0; i < count; ++i) {
        const int64_t cost = macadam_cost(value[i], range.is_signed);
        if (cost == MACADAM_COST_NONE) continue;
        const bool drawn = pixel_of(page, &snap[i]) >= 0;
        int64_t *const most = drawn ? &range.most : &range.most_outside;
        if (cost > *most) *most = cost;
        if (drawn && cost < range.least) range.least = cost;
        range.outside += !drawn;
    }
    return range;
}

/* Per pixel: 0 = no node, else 1 + the shade of its least cost; SHADE_COUNT + 1 = unreached. */
static uint16_t *paint(const cli_page *page, const macadam_snap *snap, const uint32_t *value, size_t count,
                       cost_range range)
{
    uint16_t *const pixel =
        cli_allocate((size_t)page->projection.width * (size_t)page->projection.height, sizeof *pixel);
    for (size_t i = 0; i < count; ++i) {
        const ptrdiff_t at = pixel_of(page, &snap[i]);
        if (at < 0) continue;
        const int64_t cost = macadam_cost(value[i], range.is_signed), above = cost - range.least,
                      most = range.most - range.least;
        const uint16_t shade =
            cost == MACADAM_COST_NONE ? SHADE_COUNT + 1 : (uint16_t)(1 + above * (SHADE_COUNT - 1) / most);
        if (pixel[at] == 0 || shade < pixel[at]) pixel[at] = shade;
    }
    return pixel;
}

/* Pixels as a flat array: distance from the pixel before in reading order, shade. */
static void write_pixels(cli_page *page, const uint16_t *pixel)
{
    size_t last = 0;
    bool first = true;
    for (size_t i = 0; i < (size_t)page->projection.width * (size_t)page->projection.height; ++i) {
        if (pixel[i] == 0) continue;
        cli_page_format(page, "%s%zu,%d", first ? "" : ",", i - last, pixel[i] - 1);
        last = i;
        first = false;
    }
}

static void write_tree_page(cli_page *page, const uint16_t *pixel, cost_range range)
{
    const cli_session *const session = page->session;
    const cli_options *const options = session->options;
    cli_page_format(page, "<p>%s %s %s; grey: not reached", session->quantity[0],
                    options->request.reverse ? "to" : "from", options->from);
    if (range.outside) {
        cli_page_format(page, "; reached outside the drawing: %zu, up to ", range.outside);
        cli_page_cost(page, 0, range.most_outside);
    }
    cli_page_add(page, "</p>\n<div id=\"colours\">");
    for (int i = 0; i <= LABELS; ++i) {
        cli_page_add(page, "<span>");
        cli_page_cost(page, 0, range.least + (range.most - range.least) * i / LABELS);
        cli_page_add(page, "</span>");
    }
    cli_page_format(page, "</div>\n<canvas width=\"%d\" height=\"%d\"></canvas>\n", page->projection.width,
                    page->projection.height);
    cli_page_source(page);
    cli_page_add(page, "<script>\nconst pixels=[");
    write_pixels(page, pixel);
    cli_page_format(page,
                    "];\nconst width=%d,pen=document.querySelector('canvas').getContext('2d');\n"
                    "for(let i=0,at=0;i<pixels.length;i+=2){at+=pixels[i];const shade=pixels[i+1];\n"
                    "pen.fillStyle=shade==%d?'#ccc':`hsl(${240-240*shade/%d} 85%% 45%%)`;\n"
                    "pen.fillRect(at%%width-.5,Math.floor(at/width)-.5,2,2)}\n</script></html>\n",
                    page->projection.width, SHADE_COUNT, SHADE_COUNT - 1);
}

/* Where most of the nodes are that are reached: a ferry to another coast does not make them small. */
static macadam_box box_of_tree(const cli_session *session, const macadam_snap *snap, const uint32_t *value)
{
    enum { SAMPLE = 1 << 16 };
    const macadam_info *const info = &session->info;
    double *const lon = cli_allocate(SAMPLE + 1, sizeof *lon), *const lat =
                                                                   cli_allocate(SAMPLE + 1, sizeof *lat);
    size_t count = 0;
    for (size_t i = 0; i < info->id_count; i += 1 + info->id_count / SAMPLE)
        if (macadam_cost(value[i], session->is_signed[0]) != MACADAM_COST_NONE)
            lon[count] = snap[i].lon, lat[count++] = snap[i].lat;
    macadam_box box = {info->west, info->south, info->east, info->north};
    if (count) cli_box_trim(&box, lon, lat, count);
    return box;
}

int cli_html_tree(const cli_session *session, const uint32_t *value)
{
    const macadam_info *const info = &session->info;
    if (!info->has_coordinates)
        return cli_session_fail_coordinates(session, " to draw: use csv, json, npy or arrow");
    cli_page page;
    macadam_snap *const snap = cli_allocate(info->id_count, sizeof *snap);
    macadam_place *const place = cli_allocate(info->id_count, sizeof *place);
    for (size_t i = 0; i < info->id_count; ++i) place[i].id = session->id[i];
    CLI_TRY(cli_call(macadam_snap_find, snap, session->engine, &session->query, place, info->id_count));
    CLI_TRY(cli_page_open(&page, session, box_of_tree(session, snap, value), "tree"));
    const cost_range range = range_of(&page, snap, value, info->id_count);
    write_tree_page(&page, paint(&page, snap, value, info->id_count, range), range);
    return cli_output_close(&page.output, CLI_DONE);
}

/* ---- route ---- */

static macadam_box box_of_route(const macadam_route *route)
{
    macadam_box box = cli_box_empty();
    for (size_t i = 0; i < route->shape_count; ++i) cli_box_add(&box, route->lon[i], route->lat[i]);
    for (size_t a = 0; a < route->alternative_count; ++a)
        for (size_t i = 0; i < route->alternative[a]->shape_count; ++i)
            cli_box_add(&box, route->alternative[a]->lon[i], route->alternative[a]->lat[i]);
    for (size_t i = 0; i < route->waypoint_count; ++i)
        if (macadam_place_is_found(route->waypoint[i].status))
            cli_box_add(&box, route->waypoint[i].lon, route->waypoint[i].lat);
    if (box.west > box.east) cli_box_add(&box, 0, 0);
    return cli_box_widen(&box);
}

/* A place, with its letter or number. */
static void write_place(cli_page *page, const macadam_snap *snap, const char *mark, const char *colour)
{
    cli_page_format(page, "<g class=\"place\" transform=\"translate(%.1f %.1f) scale(1)\"><title>%.7f,%.7f ",
                    cli_page_x(page, snap->lon), cli_page_y(page, snap->lat), snap->lon, snap->lat);
    cli_page_text(page, snap->name ? snap->name : "");
    cli_page_format(page, "</title><circle r=\"11\" fill=\"%s\"/><text y=\"5\">%s</text></g>\n", colour,
                    mark);
}

/* From A to B, by way of numbers. */
static void write_waypoint(cli_page *page, const macadam_route *route, size_t i)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", i);
    const bool first = i == 0, last = i + 1 == route->waypoint_count;
    write_place(page, &route->waypoint[i],
                first  ? "A"
                : last ? "B"
                       : number,
                first  ? "#1b7f4d"
                : last ? "#c01c28"
                       : "#5e5c64");
}

static void write_line(cli_page *page, const macadam_route *route, const char *attributes)
{
    cli_page_format(page, "<polyline %s fill=\"none\" stroke-width=\"4\" stroke-linejoin=\"round\" points=\"",
                    attributes);
    for (size_t i = 0; i < route->shape_count; ++i)
        cli_page_format(page, "%.1f,%.1f ", cli_page_x(page, route->lon[i]), cli_page_y(page, route->lat[i]));
    cli_page_add(page, "\"/>\n");
}

/* The route over its alternatives, a dot where each step begins, and its places. */
static void write_route_lines(cli_page *page, const macadam_route *route)
{
    for (size_t i = route->alternative_count; i-- > 0;)
        write_line(page, route->alternative[i], "class=\"alternative\" stroke=\"#99c1f1\"");
    write_line(page, route, "id=\"route\" stroke=\"#1a5fb4\"");
    cli_page_add(page, "<defs><path id=\"steps\" stroke-linecap=\"round\" d=\"");
    for (size_t i = 1; i + 1 < route->step_count; ++i) {
        const macadam_intersection *const at = &route->intersection[route->step[i].first_intersection];
        cli_page_format(page, "M%.1f %.1fh0", cli_page_x(page, at->lon), cli_page_y(page, at->lat));
    }
    cli_page_add(page, "\"/></defs><use href=\"#steps\" stroke=\"#1a5fb4\" stroke-width=\"9\"/><use "
                       "href=\"#steps\" stroke=\"#fff\" stroke-width=\"5\"/>\n");
    for (size_t i = 0; i < route->waypoint_count; ++i)
        if (macadam_place_is_found(route->waypoint[i].status)) write_waypoint(page, route, i);
}

/* ---- the heights of a route ---- */

enum { PROFILE_WIDTH = 1000, PROFILE_HEIGHT = 160, PROFILE_MARGIN = 20 };

static void write_route_heights(cli_page *page, const macadam_route *route)
{
    double low = route->height_m[0], high = low;
    for (size_t i = 1; i < route->shape_count; ++i) {
        low = fmin(low, route->height_m[i]);
        high = fmax(high, route->height_m[i]);
    }
    /* Metres along the points, near enough for a drawing. */
    const double metres_per_degree = 111195, radians_per_degree = 0.017453292519943295;
    double *const along_m = cli_allocate(route->shape_count, sizeof *along_m);
    for (size_t i = 1; i < route->shape_count; ++i) {
        const double shrink = cos(route->lat[i] * radians_per_degree);
        along_m[i] = along_m[i - 1] + metres_per_degree * hypot((route->lon[i] - route->lon[i - 1]) * shrink,
                                                                route->lat[i] - route->lat[i - 1]);
    }
    const double x = (PROFILE_WIDTH - 2 * PROFILE_MARGIN) / fmax(along_m[route->shape_count - 1], 1),
                 y = (PROFILE_HEIGHT - 2 * PROFILE_MARGIN) / fmax(high - low, 1);
    cli_page_format(page,
                    "<p>heights from %.1f m to %.1f m</p>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                    "viewBox=\"0 0 %d %d\" width=\"%d\">\n<polyline id=\"heights\" fill=\"none\" "
                    "stroke=\"#26a269\" stroke-width=\"2\" points=\"",
                    low, high, PROFILE_WIDTH, PROFILE_HEIGHT, PROFILE_WIDTH);
    for (size_t i = 0; i < route->shape_count; ++i)
        cli_page_format(page, "%.1f,%.1f ", PROFILE_MARGIN + x * along_m[i],
                        PROFILE_MARGIN + y * (high - route->height_m[i]));
    cli_page_add(page, "\"/>\n</svg>\n");
}

static void write_cells(cli_page *page, const uint32_t *value)
{
    const cli_session *const session = page->session;
    for (size_t q = 0; q < session->quantity_count; ++q) {
        cli_page_add(page, "<td class=\"n\">");
        cli_page_cost(page, q, macadam_cost(value[q], page->session->is_signed[q]));
        cli_page_add(page, "</td>");
    }
    cli_page_add(page, "</tr>\n");
}

static void write_lanes(cli_page *page, const macadam_route *route, const macadam_step *step)
{
    static const char *const arrow[] = {"", "↶", "↘", "→", "↗", "↑", "↖", "←", "↙"};
    const macadam_intersection *const at = &route->intersection[step->first_intersection];
    for (size_t i = at->first_lane; i < at->end_lane; ++i) {
        cli_page_format(page, " <span class=\"lane%s\">", route->lane[i].valid ? " on" : "");
        for (int m = MACADAM_MODIFIER_UTURN; m <= MACADAM_MODIFIER_SHARP_LEFT; ++m)
            if (route->lane[i].modifiers & 1u << m) cli_page_add(page, arrow[m]);
        cli_page_add(page, route->lane[i].modifiers ? "</span>" : "·</span>");
    }
}

/* The instructions, or, if the map lacks the facts of its roads, the roads. */
static void write_way(cli_page *page, const macadam_route *route)
{
    const cli_session *const session = page->session;
    enum { SENTENCE_BYTES = 1024 };
    macadam_stretch stretch = {0};
    char sentence[SENTENCE_BYTES];
    for (size_t i = 0; i < route->step_count; ++i) {
        const macadam_step *const step = &route->step[i];
        if (macadam_route_text(sentence, sizeof sentence, route, i, &session->options->request.text, NULL) !=
            MACADAM_OK)
            continue;
        cli_page_add(page, "<tr><td>");
        cli_page_text(page, sentence);
        write_lanes(page, route, step);
        cli_page_add(page, "</td>");
        write_cells(page, step->value);
    }
    while (!route->step_count && macadam_stretch_next(&stretch, route, session->quantity_count)) {
        cli_page_add(page, "<tr><td>");
        cli_page_text(page, stretch.name[0] ? stretch.name : "(no name)");
        cli_page_add(page, "</td>");
        write_cells(page, stretch.value);
    }
}

static void write_costs(cli_page *page, const macadam_route *route, const char *what)
{
    const cli_session *const session = page->session;
    cli_page_format(page, "<p>%s", route->found ? what : "no route");
    for (size_t q = 0; route->found && q < session->quantity_count; ++q) {
        cli_page_format(page, "%s%s ", q ? ", " : "", session->quantity[q]);
        cli_page_cost(page, q, macadam_cost(route->value[q], page->session->is_signed[q]));
    }
    cli_page_add(page, "</p>\n");
}

static int write_route(cli_page *page, const macadam_route *route)
{
    const cli_session *const session = page->session;
    write_costs(page, route, "");
    for (size_t i = 0; i < route->alternative_count; ++i)
        write_costs(page, route->alternative[i],
                    "<span class=\"key\" style=\"background:#99c1f1\"></span>or ");
    CLI_TRY(cli_page_begin_drawing(page));
    write_route_lines(page, route);
    cli_page_end_drawing(page);
    if (route->found && route->height_m && route->shape_count) write_route_heights(page, route);
    cli_page_add(page, "<table><tr><th></th>");
    for (size_t q = 0; q < session->quantity_count; ++q)
        cli_page_format(page, "<th>%s</th>", session->quantity[q]);
    cli_page_add(page, "</tr>\n");
    if (route->found) write_way(page, route);
    cli_page_add(page, "</table>\n</html>\n");
    return CLI_DONE;
}

int cli_html_route(const cli_session *session, const macadam_route *route)
{
    cli_page page;
    CLI_TRY(cli_page_open(&page, session, box_of_route(route), "route"));
    return cli_output_close(&page.output, write_route(&page, route));
}

/* ---- isochrone ---- */

/* From green, the first, to red, the last. */
static int hue_of(size_t i, size_t count)
{
    return count > 1 ? (int)(120 - 120 * i / (count - 1)) : 120;
}

static void write_rings(cli_page *page, const macadam_rings *rings, size_t area)
{
    const size_t end = rings->first_ring[rings->first_polygon[area + 1]];
    for (size_t ring = rings->first_ring[rings->first_polygon[area]]; ring < end; ++ring) {
        for (size_t i = rings->first_point[ring]; i + 1 < rings->first_point[ring + 1]; ++i)
            cli_page_format(page, "%c%.1f %.1f", i == rings->first_point[ring] ? 'M' : 'L',
                            cli_page_x(page, rings->lon[i]), cli_page_y(page, rings->lat[i]));
        cli_page_add(page, "Z");
    }
}

/* The part beyond the smaller area, so that each colour on the map is that of its limit. */
static void write_area(cli_page *page, const macadam_rings *rings, size_t area, int hue)
{
    cli_page_format(page,
                    "<path class=\"area\" fill=\"hsl(%d 70%% 50%%)\" fill-opacity=\".35\" stroke=\"hsl(%d "
                    "70%% 35%%)\" fill-rule=\"evenodd\" d=\"",
                    hue, hue);
    write_rings(page, rings, area);
    if (area > 0) write_rings(page, rings, area - 1);
    cli_page_add(page, "\"/>\n");
}

static int write_isochrone(cli_page *page, const macadam_rings *rings)
{
    const cli_session *const session = page->session;
    const size_t count = rings->limit_count;
    cli_page_format(page, "<p>%s within", session->quantity[0]);
    for (size_t i = 0; i < count; ++i)
        cli_page_format(page,
                        "<span class=\"key\" style=\"background:linear-gradient(hsl(%d 70%% 50%% / .35) 0 "
                        "0) #fff\"></span>%s (%.1f km²)",
                        hue_of(i, count), session->limits[i].label, rings->area_m2[i] / 1e6);
    cli_page_add(page, "</p>\n");
    CLI_TRY(cli_page_begin_drawing(page));
    for (size_t i = count; i-- > 0;) write_area(page, rings, i, hue_of(i, count));
    write_place(page, &rings->source[0], "", "#c01c28");
    cli_page_end_drawing(page);
    cli_page_add(page, "</html>\n");
    return CLI_DONE;
}

int cli_html_isochrone(const cli_session *session, const macadam_rings *rings)
{
    cli_page page;
    macadam_box box = cli_box_empty();
    cli_box_add(&box, rings->source[0].lon, rings->source[0].lat);
    for (size_t i = 0; i < rings->point_count; ++i) cli_box_add(&box, rings->lon[i], rings->lat[i]);
    CLI_TRY(cli_page_open(&page, session, cli_box_widen(&box), "isochrone"));
    return cli_output_close(&page.output, write_isochrone(&page, rings));
}
