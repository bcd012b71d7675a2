/* request.c - see request.h. */
#include "bindings/serve/services/request.h"

#include <stdlib.h>

static const char *const service_name[SERVE_SERVICE_COUNT] = {
    [SERVE_ROUTE] = "route",     [SERVE_NEAREST] = "nearest", [SERVE_TABLE] = "table",
    [SERVE_MATCH] = "match",     [SERVE_TRIP] = "trip",       [SERVE_ISOCHRONE] = "isochrone",
    [SERVE_REACH] = "reach",     [SERVE_TREE] = "tree",       [SERVE_TILE] = "tile",
    [SERVE_TRAFFIC] = "traffic",
};

const char *serve_service_name(serve_service service)
{
    return service_name[service];
}

void serve_request_free(serve_request *request)
{
    free(request->text);
    free(request->coordinate);
    free(request->corner);
    free(request->area);
    free(request->waypoints.at);
    free(request->sources.at);
    free(request->destinations.at);
}
