/* page.h - a page that needs nothing else, and the drawing of a map's part on it. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_PAGE_H
#define MCD_BINDINGS_CLI_OUTPUT_PAGE_H

#include "bindings/cli/output/output.h"
#include "bindings/cli/session.h"

/* Degrees to pixels, equal scales at the map's middle latitude. */
typedef struct cli_projection {
    double west, north, lon_scale, lat_scale; /* pixels a degree */
    int width, height;
} cli_projection;

typedef struct cli_page {
    cli_output output;
    const cli_session *session;
    macadam_box box; /* what it draws */
    cli_projection projection;
} cli_page;

#define cli_page_add(page, text)   cli_output_text(&(page)->output, text)
#define cli_page_format(page, ...) cli_output_format(&(page)->output, __VA_ARGS__)

/* Opens the options' output and writes the beginning of a page. Reports and returns an exit status. */
int cli_page_open(cli_page *page, const cli_session *session, macadam_box box, const char *title);
/* Returns where a degree is on the drawing. */
double cli_page_x(const cli_page *page, double lon);
double cli_page_y(const cli_page *page, double lat);

/* A box that holds nothing, and one that holds a point more. */
macadam_box cli_box_empty(void);
void cli_box_add(macadam_box *box, double lon, double lat);
/* Trims a box, which holds the points, to where most of them are, and a tenth around. Sorts the points' degrees. */
void cli_box_trim(macadam_box *box, double *lon, double *lat, size_t count);
/* The same, wider by a tenth to every side. */
macadam_box cli_box_widen(const macadam_box *box);

/* Begins an SVG drawing, of which everything beyond its sides is cut, with all roads within the page's box as
 * thin lines that show their names; those that would cover each other come once, so that the page stays small however large the map is.
 * Reports and returns an exit status. */
int cli_page_begin_drawing(cli_page *page);
/* Ends it, with its scale and where its data come from: it can be moved, and zoomed with the wheel. */
void cli_page_end_drawing(cli_page *page);
/* Names OpenStreetMap and its licence, if the map is made from it. */
void cli_page_source(cli_page *page);
/* Writes a cost of the answer's quantity number `q` as people read it: 1 h 5 min, 12.3 km. */
void cli_page_cost(cli_page *page, size_t q, int64_t cost);
/* Text between tags or in a quoted attribute: what would be markup is escaped. */
void cli_page_text(cli_page *page, const char *text);

#endif
