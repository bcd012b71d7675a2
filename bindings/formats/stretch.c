/* stretch.c - a route as the roads it takes. */
#include "bindings/formats/macadam_formats.h"

#include <string.h>

/* Whether a waypoint lies between the arc before and `arc`. */
static bool is_waypoint(const macadam_route *route, size_t arc)
{
    size_t leg = 0;
    while (leg < route->leg_count && route->leg[leg].end_arc < arc) ++leg;
    return leg < route->leg_count && route->leg[leg].end_arc == arc;
}

bool macadam_stretch_next(macadam_stretch *stretch, const macadam_route *route, size_t quantity_count)
{
    size_t i = stretch->end_arc;
    if (i == route->arc_count) return false;
    *stretch = (macadam_stretch){.name = route->arc[i].name, .first_arc = i};
    do {
        for (size_t q = 0; q < quantity_count; ++q) stretch->value[q] += route->arc[i].value[q];
        ++i;
    } while (i < route->arc_count && !is_waypoint(route, i) &&
             strcmp(route->arc[i].name, stretch->name) == 0);
    stretch->end_arc = i;
    return true;
}
