/* route_line.c - see route_line.h. */
#include "bindings/formats/route_line.h"

#include <math.h>

static bool is_repeated(const macadam_route *route, size_t i)
{
    return i > 0 && route->lon[i] == route->lon[i - 1] && route->lat[i] == route->lat[i - 1];
}

bool mcd_route_line_next(mcd_route_line *line, double *lon, double *lat)
{
    const macadam_route *const route = line->route;
    while (line->next < route->shape_count && is_repeated(route, line->next)) ++line->next;
    const size_t i = line->next++;
    if (i < route->shape_count) {
        *lon = route->lon[i];
        *lat = route->lat[i];
        return true;
    }
    if (!route->found || route->shape_count > 0 || i > 0) return false;
    *lon = route->waypoint[0].lon;
    *lat = route->waypoint[0].lat;
    return true;
}

double mcd_route_line_height(const mcd_route_line *line)
{
    const macadam_route *const route = line->route;
    return route->height_m && line->next <= route->shape_count ? route->height_m[line->next - 1] : NAN;
}

void mcd_route_line_climbs(const macadam_route *route, int64_t *ascent_dm, int64_t *descent_dm)
{
    *ascent_dm = *descent_dm = 0;
    for (size_t i = 1; route->height_m && i < route->shape_count; ++i) {
        const int64_t rise_dm = llround(route->height_m[i] * 10) - llround(route->height_m[i - 1] * 10);
        *(rise_dm > 0 ? ascent_dm : descent_dm) += rise_dm > 0 ? rise_dm : -rise_dm;
    }
}
