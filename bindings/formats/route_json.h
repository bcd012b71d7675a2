/* route_json.h - parts of routes as JSON, which matches have as well. */
#ifndef MCD_BINDINGS_FORMATS_ROUTE_JSON_H
#define MCD_BINDINGS_FORMATS_ROUTE_JSON_H

#include "bindings/formats/text.h"

/* The members of a macadam_snap with coordinates: a list as member.h has them. */
#define MCD_SNAP_MEMBERS "node=id,lon,lat,snapped_m=distance_m,arc?,way?,name?,!status,..."
/* The members ascent_m and descent_m of a route that was found and has heights. */
void mcd_text_put_climbs(mcd_text *text, const macadam_route *route);
/* The members legs and summary. */
void mcd_text_put_legs(mcd_text *text, const macadam_route *route);
/* The members legs, summary, nodes and arcs. */
void mcd_text_put_way(mcd_text *text, const macadam_route *route);
/* Returns the first segment of an arc, or of what follows the last one. */
static inline size_t mcd_route_first_segment(const macadam_route *route, size_t arc)
{
    return arc < route->arc_count ? route->arc[arc].first_segment : route->segment_count;
}
/* The line of a route as a geometry of GeoJSON: null if there is no route. */
void mcd_text_route_line(mcd_text *text, const macadam_route *route);

/* ---- steps, with the names of OSRM's HTTP API ---- */

/* "steps":[...] */
void mcd_text_put_steps(mcd_text *text, const macadam_route *route, const macadam_leg *leg);

typedef struct mcd_step_form {
    /* of a service: the value of "geometry", which comes with "weight", in place of the arcs */
    const mcd_text *geometry;
    bool instruction; /* with the sentence */
} mcd_step_form;

/* One step, with the members in OSRM's order. */
void mcd_text_put_step(mcd_text *text, const macadam_route *route, const macadam_step *step,
                       const mcd_step_form *form);

#endif
