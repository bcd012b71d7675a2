/* map.h - an opened edge file, as long as any request uses it. */
#ifndef MCD_BINDINGS_SERVE_MAP_H
#define MCD_BINDINGS_SERVE_MAP_H

#include "engine/include/macadam.h"

enum {
    SERVE_UNLIMITED_M = 30000000 /* no two places are so far apart */,
    /* every map has durations and distances, which no table of a further kind combines */
    SERVE_PLAIN_KINDS = 2,
    SERVE_KINDS = 3,
};

/* A kind of costs, as requests and answers name it. */
typedef struct serve_kind {
    const char *quantity, *plural;
    double contour_units; /* in one of those in which limits are given */
    const char *member;   /* of routes by it; NULL: they have it anyway */
} serve_kind;

extern const serve_kind serve_kinds[SERVE_KINDS];
#define SERVE_TABLE_KINDS  "duration|distance|energy" /* their words */
#define SERVE_PATH_METRICS "duration|energy"          /* likewise, without distances */

/* Requests read it; the list of maps and each request that uses it hold it. */
typedef struct serve_map {
    macadam_engine *engine;
    macadam_info info;
    const char *profile;               /* as paths name it; borrowed */
    const char *mode;                  /* "driving", ... */
    const char *quantity[SERVE_KINDS]; /* NULL: the map has none */
    size_t number[SERVE_KINDS];        /* among the map's quantities */
    bool is_signed[SERVE_KINDS];
    uint32_t per_unit[SERVE_KINDS]; /* of seconds, metres and watt hours */
    uint32_t fingerprint;
    uint64_t opened_ns;       /* when the map was opened */
    _Atomic uint64_t updates; /* of weights, since then */
    _Atomic unsigned holders;
} serve_map;

/* The error says that there is "not enough memory" `what`. Returns MACADAM_E_MEMORY. */
macadam_status serve_map_fail_memory(macadam_error *error, const char *what);
/* Opens `file` with durations and distances. `profile` is borrowed; NULL: the one of the map. */
macadam_status serve_map_open(serve_map **out, const char *file, const char *profile,
                              const macadam_engine_options *options, macadam_error *error);
/* Computes what routes with steps and tables need once, so that no request waits for it. */
void serve_map_warm(const serve_map *map);
serve_map *serve_map_hold(serve_map *map);
/* Closes the map when it has no holders any more; NULL is fine. */
void serve_map_release(serve_map *map);

/* Whether a path that names `profile` means this map: by its name, or as OSRM's demo server calls it: driving,
 * cycling, walking. */
bool serve_map_is_called(const serve_map *map, const char *profile, size_t size);

#endif
