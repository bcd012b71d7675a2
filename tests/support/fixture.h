/* fixture.h - a test graph as an engine. It is imported from arrays; its ids are neither positions nor in
 * order. */
#ifndef MCD_TESTS_SUPPORT_FIXTURE_H
#define MCD_TESTS_SUPPORT_FIXTURE_H

#include "engine/include/macadam.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/scoped.h"

SCOPED_POINTER(macadam_engine, macadam_engine_close)
SCOPED_POINTER(macadam_route, macadam_route_free)
SCOPED_POINTER(macadam_matches, macadam_matches_free)
SCOPED_POINTER(macadam_nearest, macadam_nearest_free)
SCOPED_POINTER(macadam_isochrone, macadam_isochrone_free)
SCOPED_POINTER(macadam_connection, macadam_connection_free)
SCOPED_POINTER(macadam_rings, macadam_rings_free)
SCOPED_POINTER(macadam_roads, macadam_roads_free)
SCOPED_POINTER(macadam_trip, macadam_trip_free)

/* Metric m minimises quantity m, the other one is its companion; graphs with one quantity have one metric. */
extern const char *const fixture_quantity[2];

typedef struct fixture_engine {
    const test_graph *graph; /* borrowed */
    size_t quantity_count;
    int64_t *id;        /* per node of the graph */
    uint32_t *position; /* per node: of its id among the ascending ids */
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    macadam_engine *engine;
} fixture_engine;

/* An arc's number: its index counted from 1. */
static inline uint64_t fixture_arc_number(size_t arc)
{
    return arc + 1;
}

/* The id of the graph's node, the same in every fixture; distinct, of either sign. */
int64_t fixture_id(uint32_t node);
macadam_place fixture_place(uint32_t node);

/* Imports and opens on the CPU with `threads` threads (0: all). Aborts with the message of what fails. */
void fixture_open(fixture_engine *out, const test_graph *graph, unsigned threads);
/* The same from a file without a hierarchy. */
void fixture_open_without_hierarchy(fixture_engine *out, const test_graph *graph, unsigned threads);
void fixture_close(fixture_engine *fixture);

/* Imports into `path`. `lon_e7` and `lat_e7` may be NULL. */
macadam_status fixture_import(const test_graph *graph, const int32_t *lon_e7, const int32_t *lat_e7,
                              const char *path, unsigned threads, macadam_error *error);

/* Of both quantities of these arcs: value[quantity][i]. */
macadam_update_request fixture_update(const uint64_t *arc, size_t count, const uint32_t *const *value);

/* Opens `path` on the CPU. */
macadam_engine *fixture_open_file(const char *path, unsigned threads);

/* Aborts with the message if `status` is not MACADAM_OK. */
void fixture_expect_ok(macadam_status status, const macadam_error *error, const char *what);
/* The same of a call with these arguments and, as the last one, an error of its own. */
#define FIXTURE_CALL(function, ...)                                                                          \
    do {                                                                                                     \
        macadam_error call_error;                                                                            \
        fixture_expect_ok(function(__VA_ARGS__, &call_error), &call_error, #function);                       \
    } while (0)

/* The ways to request a metric's quantities. */
typedef struct fixture_asked {
    size_t metric, quantity_count; /* 0: none named, that is the objective alone */
    size_t quantity[2];
} fixture_asked;
enum { FIXTURE_ASKED = 10 };
extern const fixture_asked fixture_asked_all[FIXTURE_ASKED];

/* How many columns of answers there are, and whether the companion is one of them. */
size_t fixture_column_count(const fixture_asked *asked);
bool fixture_asks_companion(const fixture_asked *asked);
macadam_query fixture_query(const fixture_asked *asked, const char *quantity_name[2]);

#endif
