/* maps.c - the maps of the suite: drawn ones, a new one for every block of cases; the OpenStreetMap files of examples and
 * tests/data; the real ones of MACADAM_DATA, imported when a block first needs them and open until the end. */
#include "tests/metamorphic/metamorphic.h"

#include "tests/support/checked.h"
#include "tests/support/height_tile.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIXTURES_MOST = 64 };

static const struct {
    const char *name, *file, *profile;
} real_maps[] = {
    {"monaco", "osm/monaco.osm.gz", "car"},
    {"monaco-foot", "osm/monaco.osm.gz", "foot"},
    {"liechtenstein", "osm/liechtenstein-gisops.osm.pbf", "car"},
    {"andorra", "osm/andorra-gisops.osm.pbf", "car"},
    {"andorra-bike", "osm/andorra-gisops.osm.pbf", "bike"},
    {"malta", "osm/malta-latest.osm.pbf", "car"},
    {"milan", "osm/milan_italy_small.osm.pbf", "car"},
};
enum { REAL_MAPS = sizeof real_maps / sizeof *real_maps };

static char folder_of_maps[META_PATH - 128];
static char fixture[FIXTURES_MOST][META_PATH];
static size_t fixture_count;
static meta_map *real[REAL_MAPS], *transient;

static void die(const char *what, const char *which, const char *message)
{
    fprintf(stderr, "metamorphic: %s %s: %s\n", what, which, message);
    exit(2);
}

/* ---- what there is ---- */

static void find_fixtures(const char *path)
{
    DIR *const entries = opendir(path);
    if (!entries) return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        const size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".osm") != 0 || fixture_count == FIXTURES_MOST)
            continue;
        snprintf(fixture[fixture_count++], META_PATH, "%s/%s", path, entry->d_name);
    }
    closedir(entries);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

static const char *data_folder(void)
{
    const char *const folder = getenv("MACADAM_DATA");
    return folder && *folder ? folder : NULL;
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[META_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        die("cannot write", path, "an input or output error");
}

/* Hills of 60 m, each some hundred metres wide. */
static int metres_at(const void *context, size_t x, size_t y)
{
    (void)context;
    return 100 + (int)(30 * sin((double)x / 3) + 30 * cos((double)y / 2));
}

void meta_maps_open(const char *folder)
{
    snprintf(folder_of_maps, sizeof folder_of_maps, "%s", folder);
    find_fixtures(METAMORPHIC_EXAMPLES);
    find_fixtures(METAMORPHIC_DATA);
    qsort(fixture, fixture_count, sizeof *fixture, compare_paths);
    if (!data_folder()) printf("skipped: real maps, because MACADAM_DATA is not set\n");
    write_text(folder, "cart.profile",
               "like car\nname cart\nu_turns anywhere\ngive_way 7\nturn 40 0 0\nturn 180 9 17\n");
    write_text(folder, "small.vehicle", "mass 1500\nauxiliary 200\n");
    char tile[META_PATH];
    snprintf(tile, sizeof tile, "%s/N50E010.hgt", folder);
    height_tile_write(tile, HEIGHT_TILE_COARSE, metres_at, NULL, 0);
}

/* ---- engines ---- */

macadam_engine *meta_open(const meta_map *map, const char *path, const macadam_engine_options *options)
{
    macadam_engine_options all = *options;
    macadam_engine *engine;
    macadam_error error;
    if (!all.device) all.device = "cpu";
    if (!all.threads) all.threads = 1;
    if (macadam_engine_open(&engine, path, &all, &error) != MACADAM_OK)
        die("cannot open", map->name, error.message);
    return engine;
}

macadam_engine *meta_engine(meta_map *map, meta_engine_kind kind)
{
    macadam_engine_options options = {.size = sizeof options, .profile = map->info.profile};
    if (kind == META_TWO_THREADS) options.threads = 2;
    if (kind == META_DEVICE || kind == META_DEVICES || kind == META_SCRATCH_DEVICE) {
        if (!getenv("MACADAM_CUDA_MODULE")) return NULL;
        const char *const named = getenv("MACADAM_TEST_DEVICE");
        options.device = kind == META_DEVICES ? "cuda:all" : named ? named : "cuda";
    }
    if (kind == META_ONE_THREAD) return map->engine;
    if (!map->other[kind]) map->other[kind] = meta_open(map, map->edge, &options);
    return map->other[kind];
}

void meta_map_reset(meta_map *map, meta_engine_kind first)
{
    for (size_t i = first; i < META_ENGINES; ++i) {
        macadam_engine_close(map->other[i]);
        map->other[i] = NULL;
    }
}

macadam_status meta_import(const meta_map *map, const char *const *path, size_t path_count,
                           size_t first_profile, size_t profile_count, const macadam_import_options *options,
                           macadam_error *error)
{
    const char *profile[META_PROFILES];
    for (size_t i = 0; i < profile_count; ++i) profile[i] = map->profile[first_profile + i];
    macadam_import_options all = *options;
    char vehicle[META_PATH];
    snprintf(vehicle, sizeof vehicle, "%.900s/small.vehicle", map->folder);
    if (map->is_electric) all.heights = map->folder, all.vehicle = vehicle;
    if (!all.threads) all.threads = 1;
    return macadam_import_osm_files(path, path_count, profile, profile_count, &all, error);
}

/* ---- what cases need to know of a map ---- */

/* Interleaves the bits of both coordinates: roads that are near each other get near numbers. */
static uint64_t order_of(double lon, double lat)
{
    const uint32_t x = (uint32_t)((lon + 180) * 1e5), y = (uint32_t)((lat + 90) * 1e5);
    uint64_t order = 0;
    for (int bit = 31; bit >= 0; --bit) order = order << 2 | (x >> bit & 1) << 1 | (y >> bit & 1);
    return order;
}

static int compare_roads(const void *a, const void *b)
{
    const meta_road *const x = a, *const y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static void list_roads(meta_map *map)
{
    const macadam_box box = {-180, -90, 180, 90};
    macadam_error error;
    if (macadam_roads_find(&map->lines, map->engine, &box, &error) != MACADAM_OK)
        die("cannot list the roads of", map->name, error.message);
    map->road_count = map->lines->road_count;
    map->road = checked_zeroed(map->road_count, sizeof *map->road);
    for (size_t i = 0; i < map->road_count; ++i) {
        const macadam_road *const r = &map->lines->road[i];
        map->road[i] =
            (meta_road){r->tail, r->head, r->first_shape, r->end_shape,
                        order_of(map->lines->lon[r->first_shape], map->lines->lat[r->first_shape])};
    }
    qsort(map->road, map->road_count, sizeof *map->road, compare_roads);
}

/* A road is cut off if a point in its middle has no other road within a metre. */
static void list_cut_off_roads(meta_map *map)
{
    const macadam_query query = MACADAM_QUERY_INIT;
    FREED macadam_place *const place = checked_zeroed(map->road_count, sizeof *place);
    FREED macadam_snap *const snap = checked_zeroed(map->road_count, sizeof *snap);
    macadam_error error;
    for (size_t i = 0; i < map->road_count; ++i) {
        const size_t first = map->road[i].first;
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT, .radius_m = 1};
        place[i].lon = (map->lines->lon[first] + map->lines->lon[first + 1]) / 2;
        place[i].lat = (map->lines->lat[first] + map->lines->lat[first + 1]) / 2;
    }
    if (macadam_snap_find(snap, map->engine, &query, place, map->road_count, &error) != MACADAM_OK)
        die("cannot snap on", map->name, error.message);
    map->cut_off = checked_zeroed(map->road_count, sizeof *map->cut_off);
    for (size_t i = 0; i < map->road_count; ++i)
        if (snap[i].status == MACADAM_PLACE_CUT_OFF) map->cut_off[map->cut_off_count++] = i;
}

static void make_conditions(meta_map *map)
{
    const double west = map->info.west, south = map->info.south;
    const double width = map->info.east - west, height = map->info.north - south;
    for (size_t i = 0; i < 4; ++i) {
        map->box_lon[i] = west + width * (i == 1 || i == 2 ? 0.5 : 0.3);
        map->box_lat[i] = south + height * (i >= 2 ? 0.5 : 0.3);
    }
    map->area = (macadam_area){.lon = map->box_lon, .lat = map->box_lat, .point_count = 4};
    map->factor[0] = (macadam_class_factor){"residential", 2.5};
    map->factor[1] = (macadam_class_factor){"service", 0};
    for (size_t i = 0; i < META_CONDITIONS; ++i) {
        macadam_conditions conditions = MACADAM_CONDITIONS_INIT;
        memcpy(&map->conditions[i], &conditions, sizeof conditions);
    }
    map->conditions[0].avoid = MACADAM_ROAD_TOLL | MACADAM_ROAD_UNPAVED | MACADAM_ROAD_FERRY;
    map->conditions[1].area = &map->area, map->conditions[1].area_count = 1;
    map->conditions[2].factor = map->factor, map->conditions[2].factor_count = 2;
    map->conditions[2].height_m = 3;
    map->conditions[3].slot = "Mo08:15";
}

/* ---- opening and closing ---- */

static void close_map(meta_map *map)
{
    if (!map) return;
    macadam_roads_free(map->lines);
    for (size_t i = 0; i < META_ENGINES; ++i) macadam_engine_close(map->other[i]);
    macadam_engine_close(map->engine);
    meta_free_drawing(&map->drawing);
    free(map->road);
    free(map->cut_off);
    free(map);
}

static bool take_number(void *context, const macadam_arc *arc)
{
    uint64_t **const next = context;
    *(*next)++ = arc->arc;
    return true;
}

/* Replaces a share of the weights by ones near the limits, and saves the map so. */
static void make_extreme(meta_map *map, test_rng *rng)
{
    static const uint32_t extreme[] = {0,
                                       1,
                                       MACADAM_WEIGHT_MAX,
                                       MACADAM_WEIGHT_MAX - 1,
                                       MACADAM_WEIGHT_MAX / 2,
                                       MACADAM_WEIGHT_CLOSED,
                                       100000000};
    macadam_error error;
    uint64_t *const arc = checked_zeroed(map->info.arc_count, sizeof *arc), *end = arc;
    FREED uint32_t *const weight = checked_zeroed(map->info.arc_count, sizeof *weight);
    const uint32_t share = 1 + rng_below(rng, 6);
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    macadam_status status = macadam_arcs_list(map->engine, take_number, &end, &error);
    for (const uint64_t *a = arc; a < end; ++a)
        if (rng_below(rng, share) == 0)
            arc[request.count] = *a, weight[request.count++] = extreme[rng_below(rng, 7)];
    request.arc = arc;
    request.quantity = map->info.quantity, request.quantity_count = 1;
    request.value = (const uint32_t *const[]){weight};
    if (!status && request.count) status = macadam_update(map->engine, &request, &error);
    if (!status) status = macadam_engine_save(map->engine, map->edge, &error);
    if (status) die("cannot change", map->name, error.message);
    free(arc);
}

static void open_chosen(meta_map *map, const char *profile)
{
    const macadam_info info = MACADAM_INFO_INIT;
    const macadam_engine_options options = {.size = sizeof options, .profile = profile};
    map->engine = meta_open(map, map->edge, &options);
    map->info = info;
    macadam_engine_info(&map->info, map->engine, NULL);
    map->id = macadam_engine_ids(map->engine, NULL);
}

/* Returns false if the profiles find no road in it. */
static bool load_map(meta_map *map, test_rng *rng)
{
    macadam_error error;
    const char *const path[] = {map->source};
    char profile[64];
    const macadam_import_options import = {.size = sizeof import, .output = map->edge};
    if (meta_import(map, path, 1, 0, map->profile_count, &import, &error) != MACADAM_OK)
        die("cannot import", map->source, error.message);
    open_chosen(map, NULL);
    snprintf(profile, sizeof profile, "%s", map->info.profiles[map->chosen]);
    for (int i = 0; i < 1 + map->is_extreme; ++i) {
        macadam_engine_close(map->engine);
        open_chosen(map, profile);
        if (i == 0 && map->is_extreme) make_extreme(map, rng);
    }
    if (map->info.id_count < 2) return false;
    list_roads(map);
    list_cut_off_roads(map);
    make_conditions(map);
    return map->road_count > 0;
}

static meta_map *new_map(const char *name)
{
    meta_map *const map = checked_zeroed(1, sizeof *map);
    snprintf(map->name, sizeof map->name, "%s", name);
    snprintf(map->folder, sizeof map->folder, "%s", folder_of_maps);
    snprintf(map->edge, sizeof map->edge, "%s/%s.mcd", folder_of_maps, name);
    return map;
}

static void choose_profiles(meta_map *map, test_rng *rng)
{
    static const char *const all[] = {"car", "bike", "foot", "truck", "taxi", ""};
    enum { ALL = sizeof all / sizeof *all };
    const uint32_t first = rng_below(rng, ALL);
    map->profile_count = 1 + rng_below(rng, META_PROFILES);
    for (size_t i = 0; i < map->profile_count; ++i) {
        const char *const name = all[(first + i) % ALL];
        if (*name)
            snprintf(map->profile[i], META_PATH, "%s", name);
        else
            snprintf(map->profile[i], META_PATH, "%s/cart.profile", folder_of_maps);
    }
    map->chosen = rng_below(rng, (uint32_t)map->profile_count);
}

static meta_map *draw_map(const char *name, uint64_t seed, uint64_t block)
{
    test_rng rng = {rng_mix(seed) ^ rng_mix(block + 1)};
    for (;;) { /* until the chosen profile has a road */
        meta_map *const map = new_map(name);
        meta_draw_map(&map->drawing, &rng);
        snprintf(map->source, sizeof map->source, "%.900s/%s.osm", folder_of_maps, name);
        meta_write_drawing(&map->drawing, map->source, NULL, 0);
        choose_profiles(map, &rng);
        map->is_extreme = strcmp(name, "extreme") == 0;
        map->is_electric = rng_below(&rng, 3) == 0;
        if (load_map(map, &rng)) return map;
        close_map(map);
    }
}

/* ---- choice ---- */

static const char *stem_of(const char *path)
{
    static char stem[64];
    const char *const slash = strrchr(path, '/');
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    return stem;
}

static meta_map *open_fixture(size_t i, uint64_t seed, uint64_t block)
{
    test_rng rng = {rng_mix(seed + 1) ^ rng_mix(block + 1)};
    for (;;) {
        meta_map *const map = new_map(stem_of(fixture[i]));
        snprintf(map->source, sizeof map->source, "%s", fixture[i]);
        choose_profiles(map, &rng);
        if (load_map(map, &rng)) return map;
        close_map(map);
    }
}

static meta_map *open_real(size_t i)
{
    if (real[i]) return real[i];
    meta_map *const map = real[i] = new_map(real_maps[i].name);
    map->is_real = true;
    snprintf(map->source, sizeof map->source, "%s/%s", data_folder(), real_maps[i].file);
    snprintf(map->profile[0], META_PATH, "%s", real_maps[i].profile);
    map->profile_count = 1;
    if (!load_map(map, NULL)) die("no roads in", map->source, "is it the right file?");
    return map;
}

static meta_map *open_named(const char *name, uint64_t seed, uint64_t block)
{
    for (size_t i = 0; i < REAL_MAPS; ++i)
        if (strcmp(name, real_maps[i].name) == 0) {
            if (!data_folder()) die("cannot open", name, "MACADAM_DATA is not set");
            return open_real(i);
        }
    if (strcmp(name, "drawn") == 0 || strcmp(name, "extreme") == 0)
        return transient = draw_map(name, seed, block);
    for (size_t i = 0; i < fixture_count; ++i)
        if (strcmp(name, stem_of(fixture[i])) == 0) return transient = open_fixture(i, seed, block);
    die("no map", name, "drawn, extreme, a stem of tests/data or a real one");
    return NULL;
}

meta_map *meta_map_of(const char *name, uint64_t seed, uint64_t block)
{
    close_map(transient);
    transient = NULL;
    if (name) return open_named(name, seed, block);
    const uint64_t turn = block % 10;
    if (turn == 9) return transient = open_fixture(block / 10 % fixture_count, seed, block);
    if (turn == 8) return transient = draw_map("extreme", seed, block);
    if (turn % 4 == 3 && data_folder()) return open_real(block / 4 % REAL_MAPS);
    return transient = draw_map("drawn", seed, block);
}

void meta_maps_close(void)
{
    close_map(transient);
    for (size_t i = 0; i < REAL_MAPS; ++i) close_map(real[i]);
}
