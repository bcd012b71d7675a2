/* request.h - a client's request, in the words of OSRM's HTTP API. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_REQUEST_H
#define MCD_BINDINGS_SERVE_SERVICES_REQUEST_H

#include "bindings/serve/http/answer.h"
#include "bindings/serve/services/hint.h"
#include "bindings/options/option.h"

typedef enum serve_service {
    SERVE_ROUTE,
    SERVE_NEAREST,
    SERVE_TABLE,
    SERVE_MATCH,
    SERVE_TRIP,
    SERVE_ISOCHRONE,
    SERVE_REACH,
    SERVE_TREE,
    SERVE_TILE,
    SERVE_TRAFFIC,
    SERVE_SERVICE_COUNT
} serve_service;

typedef enum serve_geometries { SERVE_POLYLINE, SERVE_POLYLINE6, SERVE_GEOJSON } serve_geometries;
typedef enum serve_overview { SERVE_SIMPLIFIED, SERVE_FULL, SERVE_NO_OVERVIEW, SERVE_BY_LEGS } serve_overview;
typedef enum serve_format {
    SERVE_JSON,
    SERVE_NPY,
    SERVE_BINARY,
    SERVE_ARROW
} serve_format; /* or mcd_cost_array_form */

/* Bits of serve_request::annotations; of tables, they are the kinds of costs. */
enum {
    SERVE_DURATION = 1,
    SERVE_DISTANCE = 2,
    SERVE_WEIGHT = 4,
    SERVE_SPEED = 8,
    SERVE_DATASOURCES = 16,
    SERVE_NODES = 32,
    SERVE_METADATA = 64,
    SERVE_ALL = 128, /* all that the map has */
};

typedef struct serve_coordinate {
    double lon, lat;
    double radius_m;               /* INFINITY = not given; SERVE_UNLIMITED_M = unlimited */
    double bearing, bearing_range; /* a range of 0: any */
    macadam_side side;
    double time_s; /* of a trace; NaN = not known */
    bool has_hint;
    serve_hint hint;
} serve_coordinate;

/* Numbers of coordinates; count = 0: all of them. */
typedef struct serve_positions {
    size_t *at; /* owned */
    size_t count;
} serve_positions;

typedef struct serve_request {
    mcd_request
        library; /* what the options that all doors share say; with `exclude` and `exclude_polygons` */
    bool has_conditions; /* some option of the library's conditions is given */
    serve_service service;
    char *text; /* owned: the path and its options, unescaped; what follows points into it */
    const char *profile;
    size_t profile_size;
    serve_coordinate *coordinate; /* owned */
    size_t count;
    bool generate_hints, skip_waypoints;
    double *corner;     /* owned: of the areas */
    macadam_area *area; /* owned: `exclude_polygons` */
    uint8_t metric;     /* of paths: which of SERVE_PATH_METRICS */
    unsigned annotations;
    uint8_t geometries, overview; /* serve_geometries, serve_overview */
    serve_positions waypoints, sources, destinations;
    uint64_t number;
    uint8_t format;                         /* serve_format */
    double limit[MACADAM_REACH_LIMITS_MAX]; /* of isochrones and reach: seconds, metres or watt hours */
    size_t limit_count;
    uint8_t limited; /* which of serve_kinds */
    bool polygons;
    uint64_t zoom, x, y; /* of a tile */
} serve_request;

void serve_request_free(serve_request *request);

struct serve_job;

typedef struct serve_service_row {
    const char *name;                      /* as paths have it */
    unsigned question;                     /* whose options it takes; 0: it takes none */
    float coordinate_us, cell_us, area_us; /* how long it takes about, of each; INFINITY: it is always long */
    bool (*answer)(
        struct serve_job *job); /* writes an answer; false: it says why there is none. NULL: by other means */
} serve_service_row;

extern const serve_service_row serve_services[SERVE_SERVICE_COUNT];

#endif
