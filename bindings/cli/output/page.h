/* page.h - a page that needs nothing else, and the drawing of a map's part on it. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_PAGE_H
#define MCD_BINDINGS_CLI_OUTPUT_PAGE_H

#include "bindings/cli/output/output.h"
#include "engine/include/macadam.h"

/* The beginning of every page, up to its title. */
extern const char cli_page_begin[];

/* Degrees to pixels, equal scales at the map's middle latitude. */
typedef struct cli_projection {
    double west, north, lon_scale, lat_scale; /* pixels a degree */
    int width, height;
} cli_projection;

cli_projection cli_projection_fit(const macadam_box *box);
double cli_project_x(const cli_projection *projection, double lon);
double cli_project_y(const cli_projection *projection, double lat);

/* A box that holds nothing, and one that holds a point more. */
macadam_box cli_box_empty(void);
void cli_box_add(macadam_box *box, double lon, double lat);
/* The same, wider by a tenth to every side. */
macadam_box cli_box_widen(const macadam_box *box);

/* Begins an SVG drawing, of which everything beyond the drawing's sides is cut; ends it, with its scale and where its
 * data come from: it can be moved, and zoomed with the wheel. */
void cli_page_begin_drawing(cli_output *output, const cli_projection *projection);
void cli_page_end_drawing(cli_output *output, const cli_projection *projection, const macadam_info *info);
/* Names OpenStreetMap and its licence, if the map is made from it. */
void cli_page_source(cli_output *output, const macadam_info *info);

/* Writes a cost in the unit "ms" or "cm" as people read it: 1 h 5 min, 12.3 km. */
void cli_page_cost(cli_output *output, int64_t cost, const char *unit);

/* Draws all roads within `box` as thin lines; those that would cover each other come once, so that the page
 * stays small however large the map is. Reports and returns an exit status. */
int cli_page_draw_roads(cli_output *output, const cli_projection *projection, macadam_engine *engine,
                        const macadam_box *box);

/* Text between tags or in a quoted attribute: what would be markup is escaped. */
void cli_page_text(cli_output *output, const char *text);

#endif
