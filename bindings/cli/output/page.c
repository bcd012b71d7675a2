/* page.c - see page.h. */
#include "bindings/cli/output/page.h"
#include "bindings/cli/output/progress.h"
#include "bindings/formats/scope.h"

#include <math.h>
#include <stdlib.h>

enum { PAGE_SIDE = 1000, MARGIN = 20, RARE = 200 };
static const double RADIANS_PER_DEGREE = 0.017453292519943295, METRES_PER_DEGREE = 111195;

/* The beginning of every page, up to its title. */
static const char begin[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\">\n"
    "<style>body{font:16px sans-serif;margin:1em;background:#fafaf7;color:#222}"
    "svg,canvas{max-width:100%;max-height:85vh;background:#fff;border:1px solid #ccc}svg path,svg "
    "polyline{vector-effect:non-scaling-stroke}#map{cursor:grab;touch-action:none}#map text{font:bold 14px "
    "sans-serif;text-anchor:middle;fill:#fff}#colours{display:flex;justify-content:space-between;max-width:"
    "40em;"
    "margin-bottom:1em;border-top:1em solid;border-image:linear-gradient(90deg,hsl(240 85% 45%),hsl(180 85% "
    "45%),hsl(120 85% 45%),hsl(60 85% 45%),hsl(0 85% 45%)) 1}#scale{border:solid "
    "#222;border-width:0 1px 1px;text-align:center}td,th{padding:.1em .8em .1em "
    "0;text-align:left}td.n{text-align:right}.lane{border:1px solid #ccc;color:#aaa;padding:0 "
    ".3em}.lane.on{color:#000;border-color:#000}.key{display:inline-block;width:1em;height:1em;margin:0 .3em "
    "0 1em;vertical-align:-.1em}</style>\n";

/* ---- projection ---- */

static cli_projection fit(const macadam_box *box)
{
    const double shrink = cos((box->south + box->north) / 2 * RADIANS_PER_DEGREE);
    const double side = fmax(fmax((box->east - box->west) * shrink, box->north - box->south), 1e-6);
    const double scale = PAGE_SIDE / side;
    return (cli_projection){.west = box->west,
                            .north = box->north,
                            .lon_scale = scale * shrink,
                            .lat_scale = scale,
                            .width = (int)((box->east - box->west) * scale * shrink) + 2 * MARGIN + 1,
                            .height = (int)((box->north - box->south) * scale) + 2 * MARGIN + 1};
}

/* A longitude, the shorter way around the globe from another one. */
static double near_lon(double lon, double other)
{
    return lon - 360 * nearbyint((lon - other) / 360);
}

double cli_page_x(const cli_page *page, double lon)
{
    return MARGIN + (near_lon(lon, (page->box.west + page->box.east) / 2) - page->projection.west) *
                        page->projection.lon_scale;
}

double cli_page_y(const cli_page *page, double lat)
{
    return MARGIN + (page->projection.north - lat) * page->projection.lat_scale;
}

int cli_page_open(cli_page *page, const cli_session *session, macadam_box box, const char *title)
{
    *page = (cli_page){.session = session, .box = box, .projection = fit(&box)};
    CLI_TRY(cli_output_open(&page->output, session->options->output));
    cli_page_format(page, "%s<title>Macadam %s</title>", begin, title);
    return CLI_DONE;
}

macadam_box cli_box_empty(void)
{
    return (macadam_box){.west = 180, .south = 90, .east = -180, .north = -90};
}

void cli_box_add(macadam_box *box, double lon, double lat)
{
    if (box->west <= box->east) lon = near_lon(lon, box->west);
    box->west = fmin(box->west, lon);
    box->east = fmax(box->east, lon);
    box->south = fmin(box->south, lat);
    box->north = fmax(box->north, lat);
}

/* Trims a range to that of most positions. */
static void trim(double *first, double *last, double *at, size_t count)
{
    qsort(at, count, sizeof *at, cli_compare_numbers);
    const double low = at[count / RARE], high = at[count - 1 - count / RARE], by = (high - low) / 10;
    *first = fmax(*first, low - by);
    *last = fmin(*last, high + by);
}

void cli_box_trim(macadam_box *box, double *lon, double *lat, size_t count)
{
    for (size_t i = 0; i < count; ++i) lon[i] = near_lon(lon[i], (box->west + box->east) / 2);
    trim(&box->west, &box->east, lon, count);
    trim(&box->south, &box->north, lat, count);
}

macadam_box cli_box_widen(const macadam_box *box)
{
    const double by = fmax(fmax(box->east - box->west, box->north - box->south) / 10, 1e-3);
    return (macadam_box){box->west - by, box->south - by, box->east + by, box->north + by};
}

/* ---- drawing ---- */

void cli_page_source(cli_page *page)
{
    if (page->session->info.profile[0])
        cli_page_add(page, "<p>Map data: © OpenStreetMap contributors, Open Database License (ODbL) "
                           "1.0, openstreetmap.org/copyright</p>\n");
}

void cli_page_end_drawing(cli_page *page)
{
    /* Over all, so that a pointer near a road finds its name. */
    cli_page_add(page, "<use href=\"#roads\" stroke=\"transparent\" stroke-width=\"9\"/>\n</svg>\n<div "
                       "id=\"scale\"></div>\n");
    cli_page_source(page);
    cli_page_format(page, "<script>\nconst metres=%.9g,", METRES_PER_DEGREE / page->projection.lat_scale);
    cli_page_add(
        page,
        "map=document.getElementById('map'),box=map.viewBox.baseVal,whole=box.width;\n"
        "const unit=()=>Math.max(box.width/map.clientWidth,box.height/map.clientHeight);\n"
        "function show(){const pixel=unit()*metres,most=150*pixel,ten=10**Math.floor(Math.log10(most)),\n"
        "length=[5,2,1].find(n=>n*ten<=most)*ten,bar=document.getElementById('scale');\n"
        "bar.style.width=length/pixel+'px';bar.textContent=length<1000?length+' m':length/1000+' km';\n"
        "for(const place of map.querySelectorAll('.place'))\n"
        "place.transform.baseVal.getItem(1).setScale(box.width/whole,box.width/whole)}\n"
        "function zoom(event,by){event.preventDefault();\n"
        "const at=new DOMPoint(event.clientX,event.clientY).matrixTransform(map.getScreenCTM().inverse());\n"
        "box.x=at.x-(at.x-box.x)*by;box.y=at.y-(at.y-box.y)*by;box.width*=by;box.height*=by;show()}\n"
        "map.onwheel=event=>zoom(event,event.deltaY<0?.8:1.25);map.ondblclick=event=>zoom(event,.5);\n"
        "map.onpointermove=event=>{if(!event.buttons)return;\n"
        "box.x-=event.movementX*unit();box.y-=event.movementY*unit()};\n"
        "window.onresize=show;show()\n</script>\n");
}

void cli_page_cost(cli_page *page, size_t q, int64_t cost)
{
    const char *const unit = cli_session_unit(page->session, page->session->quantity[q]);
    const uint64_t value = (uint64_t)(cost < 0 ? -cost : cost);
    if (cost < 0) cli_page_add(page, "-");
    const uint64_t seconds = (value + 500) / 1000, minutes = (seconds + 30) / 60;
    if (strcmp(unit, "cm") == 0)
        cli_page_format(page, value < 100000 ? "%.0f m" : "%.1f km",
                        (double)value / (value < 100000 ? 100 : 100000));
    else if (strcmp(unit, "ms") != 0)
        cli_page_format(page, "%llu%s%s", (unsigned long long)value, *unit ? " " : "", unit);
    else if (seconds < 60)
        cli_page_format(page, "%llu s", (unsigned long long)seconds);
    else if (minutes < 60)
        cli_page_format(page, "%llu min", (unsigned long long)minutes);
    else
        cli_page_format(page, "%llu h %llu min", (unsigned long long)(minutes / 60),
                        (unsigned long long)(minutes % 60));
}

/* A stretch of road between two pixels, and the set of those that were drawn: a hash table of a power of two
 * places. */
typedef struct stretch {
    int16_t x, y, to_x, to_y;
} stretch;

typedef struct stretch_set {
    stretch *place; /* all zero: empty */
    size_t mask;
    const char *name; /* of the roads that the open path draws; NULL: none is open */
} stretch_set;

static bool add_stretch(stretch_set *set, stretch new)
{
    if (new.x > new.to_x || (new.x == new.to_x &&new.y > new.to_y))
        new = (stretch){new.to_x, new.to_y, new.x, new.y};
    const uint64_t key = (uint64_t)(uint16_t) new.x << 48 | (uint64_t)(uint16_t) new.y << 32 |
                         (uint64_t)(uint16_t) new.to_x << 16 | (uint16_t) new.to_y;
    for (size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & set->mask;;
         i = (i + 1) & set->mask) {
        stretch *const place = &set->place[i];
        if (place->x == new.x && place->y == new.y && place->to_x == new.to_x && place->to_y == new.to_y)
            return false;
        if (place->x || place->y || place->to_x || place->to_y) continue;
        *place = new;
        return true;
    }
}

/* Far outside the drawing positions are alike: what is there is cut off. */
static int16_t pixel(double at)
{
    return (int16_t)fmax(-PAGE_SIDE, fmin(2 * PAGE_SIDE, round(at)));
}

/* Ends the open path, which shows the name of its roads. */
static void end_path(cli_page *page, stretch_set *drawn)
{
    if (!drawn->name) return;
    cli_page_add(page, "\"><title>");
    cli_page_text(page, drawn->name);
    cli_page_add(page, "</title></path>\n");
}

static void draw_road(cli_page *page, stretch_set *drawn, const macadam_roads *roads,
                      const macadam_road *road)
{
    stretch step = {0};
    bool pen_down = false;
    for (size_t i = road->first_shape; i < road->end_shape; ++i) {
        step.to_x = pixel(cli_page_x(page, roads->lon[i]));
        step.to_y = pixel(cli_page_y(page, roads->lat[i]));
        const bool moves = step.x != step.to_x || step.y != step.to_y;
        if (i > road->first_shape && moves) {
            if (!add_stretch(drawn, step)) {
                pen_down = false;
            } else if (pen_down) {
                cli_page_format(page, "l%d %d", step.to_x - step.x, step.to_y - step.y);
            } else {
                if (!drawn->name || strcmp(drawn->name, road->name) != 0) {
                    end_path(page, drawn);
                    cli_page_add(page, "<path d=\"");
                    drawn->name = road->name;
                }
                cli_page_format(page, "M%d %dl%d %d", step.x, step.y, step.to_x - step.x, step.to_y - step.y);
                pen_down = true;
            }
        }
        step.x = step.to_x, step.y = step.to_y;
    }
}

static int compare_names(const void *a, const void *b)
{
    const macadam_road *const one = *(const macadam_road *const *)a, *const other =
                                                                         *(const macadam_road *const *)b;
    const int order = strcmp(one->name, other->name);
    return order ? order : (one > other) - (one < other);
}

int cli_page_begin_drawing(cli_page *page)
{
    MCD_SCOPED(roads) roads = NULL;
    cli_page_format(
        page, "<svg id=\"map\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\">\n",
        page->projection.width, page->projection.height, page->projection.width);
    CLI_TRY(cli_call(macadam_roads_find, &roads, page->session->engine, &page->box));
    size_t places = 1024;
    while (places < 2 * roads->shape_count) places *= 2;
    stretch_set drawn = {cli_allocate(places, sizeof *drawn.place), places - 1, NULL};
    const macadam_road **const road = cli_allocate(roads->road_count, sizeof(void *));
    for (size_t i = 0; i < roads->road_count; ++i) road[i] = &roads->road[i];
    qsort(road, roads->road_count, sizeof *road, compare_names);
    cli_page_add(page, "<defs><g id=\"roads\" fill=\"none\">");
    for (size_t i = 0; i < roads->road_count; ++i) draw_road(page, &drawn, roads, road[i]);
    end_path(page, &drawn);
    cli_page_add(page, "</g></defs><use href=\"#roads\" stroke=\"#bbb\"/>\n");
    return CLI_DONE;
}

void cli_page_text(cli_page *page, const char *text)
{
    for (; *text; ++text) {
        const char *const escaped = *text == '<'   ? "&lt;"
                                    : *text == '>' ? "&gt;"
                                    : *text == '&' ? "&amp;"
                                    : *text == '"' ? "&quot;"
                                                   : NULL;
        if (escaped)
            cli_page_add(page, escaped);
        else
            cli_output_bytes(&page->output, text, 1);
    }
}
