/* map.c - see map.h. */
#include "bindings/serve/map.h"
#include "bindings/formats/scope.h"
#include "bindings/formats/text.h"
#include "bindings/formats/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const serve_kind serve_kinds[SERVE_KINDS] = {
    {"duration", "durations", 60, NULL},
    {"distance", "distances", 1, NULL},
    {"energy", "energies", 1, "energy_wh"},
};

static const struct {
    const char *profile, *mode, *other;
} modes[] = {{"car", "driving", "driving"},
             {"bike", "cycling", "bicycle"},
             {"foot", "walking", "walking"},
             {"truck", "driving", "hgv"},
             {"bus", "driving", "bus"},
             {"ebike", "cycling", "bicycle"},
             {"emergency", "driving", "emergency"},
             {"moped", "driving", "moped"},
             {"motorcycle", "driving", "motorcycle"},
             {"mtb", "cycling", "bicycle"},
             {"racingbike", "cycling", "bicycle"},
             {"taxi", "driving", "taxi"},
             {"van", "driving", "van"},
             {"wheelchair", "walking", "wheelchair"}};

static macadam_status fail(macadam_error *error, const char *file, const char *what)
{
    if (error) snprintf(error->message, sizeof error->message, "%s: %s", file, what);
    return MACADAM_E_UNSUPPORTED;
}

macadam_status serve_map_fail_memory(macadam_error *error, const char *what)
{
    if (error) snprintf(error->message, sizeof error->message, "not enough memory %s", what);
    return MACADAM_E_MEMORY;
}

static macadam_status settle_quantities(serve_map *map, const char *file, macadam_error *error)
{
    const macadam_info *const info = &map->info;
    size_t i = 0;
    while (i < info->metric_count && strcmp(info->metric[i], serve_kinds[0].quantity) != 0) ++i;
    if (i == info->metric_count || !info->companion[i] ||
        strcmp(info->companion[i], serve_kinds[1].quantity) != 0)
        return fail(error, file, "the map has no metric duration with distances");
    if (!info->has_coordinates) return fail(error, file, "the map has no coordinates");
    for (size_t kind = 0; kind < SERVE_KINDS; ++kind) {
        const size_t number = map->number[kind] = mcd_text_find_quantity(info, serve_kinds[kind].quantity);
        if (number == info->quantity_count) continue;
        map->quantity[kind] = info->quantity[number];
        map->is_signed[kind] = info->is_signed[number];
        map->per_unit[kind] = mcd_unit_scale(info->unit[number]);
        if (kind < SERVE_PLAIN_KINDS && map->is_signed[kind])
            return fail(error, file, "durations or distances of the map may be negative");
    }
    return MACADAM_OK;
}

/* A tag that differs between two maps, and between two states of one map. (FNV-1a) */
static uint32_t fingerprint_of(const macadam_info *info)
{
    const uint64_t part[] = {info->file_bytes, info->id_count,     info->node_count,
                             info->arc_count,  info->up_arc_count, info->height};
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof part; ++i)
        hash = (hash ^ (uint8_t)(part[i / 8] >> 8 * (i % 8))) * 16777619u;
    for (const char *at = info->source; *at; ++at) hash = (hash ^ (uint8_t)*at) * 16777619u;
    for (const char *at = info->profile; *at; ++at) hash = (hash ^ (uint8_t)*at) * 16777619u;
    return hash;
}

/* Asks for a short route, and if `all`, before for all weights, and for its steps: what the map computes and checks once is
 * done. While there are no weights, routes are searched on the arcs, and need less. */
static macadam_status ask(const serve_map *map, bool all, macadam_error *error)
{
    const macadam_query query = {.size = sizeof query,
                                 .metric = map->quantity[0],
                                 .quantity = map->quantity,
                                 .quantity_count = SERVE_PLAIN_KINDS,
                                 .snap_radius_m = SERVE_UNLIMITED_M};
    const macadam_info *const box = &map->info;
    const double lon = (box->west + box->east) / 2, lat = (box->south + box->north) / 2;
    const macadam_place place[2] = {
        {.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat},
        {.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat + (box->north - box->south) / 64}};
    const macadam_route_request request = {
        .size = sizeof request, .waypoint = place, .waypoint_count = 2, .steps = all};
    MCD_SCOPED(route) route = NULL;
    const macadam_status status = all ? macadam_conditions_warm(map->engine, &query, error) : MACADAM_OK;
    return status == MACADAM_OK ? macadam_route_find(&route, map->engine, &query, &request, error) : status;
}

void serve_map_warm(const serve_map *map)
{
    (void)ask(map, true, NULL); /* a request that needs the same reports its error */
}

static macadam_status fill(serve_map *map, const char *file, const char *profile,
                           const macadam_engine_options *options, macadam_error *error)
{
    macadam_status status = macadam_engine_open(&map->engine, file, options, error);
    if (status == MACADAM_OK) status = macadam_engine_info(&map->info, map->engine, error);
    if (status == MACADAM_OK) status = settle_quantities(map, file, error);
    if (status != MACADAM_OK) return status;
    map->profile = profile ? profile : map->info.profile;
    map->mode = modes[0].mode;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i)
        if (strcmp(map->info.profile, modes[i].profile) == 0) map->mode = modes[i].mode;
    map->fingerprint = fingerprint_of(&map->info);
    return ask(map, false, error);
}

macadam_status serve_map_open(serve_map **out, const char *file, const char *profile,
                              const macadam_engine_options *options, macadam_error *error)
{
    serve_map *const map = calloc(1, sizeof *map);
    *out = NULL;
    if (!map) return serve_map_fail_memory(error, "for a map");
    map->info = (macadam_info)MACADAM_INFO_INIT;
    map->holders = 1;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    map->opened_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    const macadam_status status = fill(map, file, profile, options, error);
    if (status == MACADAM_OK)
        *out = map;
    else
        serve_map_release(map);
    return status;
}

serve_map *serve_map_hold(serve_map *map)
{
    ++map->holders;
    return map;
}

void serve_map_release(serve_map *map)
{
    if (!map || --map->holders > 0) return;
    macadam_engine_close(map->engine);
    free(map);
}

static bool is_same(const char *name, const char *text, size_t size)
{
    return strlen(name) == size && memcmp(name, text, size) == 0;
}

bool serve_map_is_called(const serve_map *map, const char *profile, size_t size)
{
    if (is_same(map->profile, profile, size)) return true;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i)
        if (strcmp(map->profile, modes[i].profile) == 0)
            return is_same(modes[i].mode, profile, size) || is_same(modes[i].other, profile, size);
    return false;
}
