/* test_first_route.c - what the first route between points of a ready file checks: that each original exists, and the reverse
 * arcs that its places use. Steps check the originals' order. */
#include "engine/runtime/load.h"
#include "engine/runtime/version.h"
#include "tests/attack/map_text.h"
#include "tests/support/edge_unpack.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ROOM = FILES_PATH_BYTES + 32, NEVER_MS = 1000000 };

static char folder[FILES_PATH_BYTES], path[ROOM];
static size_t bytes;
static unsigned char *good, *image;

/* A town whose junctions are split. */
static void set_up(void)
{
    char map[ROOM];
    const char *const town = map;
    static const char *const profile[] = {"car"};
    macadam_error error = {""};
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    files_new_path(folder, path, "map.mcd");
    snprintf(map, sizeof map, "%s/town.osm", folder);
    files_write(map, map_text_town, strlen(map_text_town));
    options.output = path, options.threads = 1, options.ready = true;
    fixture_expect_ok(macadam_import_osm_files(&town, 1, profile, 1, &options, &error), &error, map);
    good = files_read(path, &bytes), image = files_read(path, &bytes);
}

static void tear_down(void)
{
    free(good);
    free(image);
    files_remove_folder(folder);
}

TestSuite(first_route, .init = set_up, .fini = tear_down);

static size_t find(const char *name)
{
    size_t i = 0;
    while (strcmp(edge_directory(image)[i].name, name) != 0) ++i;
    return i;
}

static macadam_status ask(macadam_engine *engine, bool steps, macadam_error *error)
{
    const macadam_place waypoint[] = {
        {.kind = MACADAM_PLACE_POINT, .lon = 10.0005, .lat = 50},
        {.kind = MACADAM_PLACE_POINT, .lon = 10.0015, .lat = 50.001},
    };
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint, request.waypoint_count = 2, request.steps = steps;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    const macadam_status status = macadam_route_find(&route, engine, NULL, &request, error);
    cr_expect(status || route->found);
    return status;
}

/* Asks the changed file. */
static void expect(bool steps, macadam_status expected, const char *message)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    cr_expect_eq(ask(engine, steps, &error), expected, "%s", error.message);
    cr_expect_not_null(strstr(error.message, message), "%s", error.message);
}

/* Else a search for instructions may never end: it goes around a junction until it finds the road by which it came. */
Test(first_route, originals_that_contradict_each_other_are_refused_before_steps)
{
    const size_t index = find("arc_original");
    uint32_t *const original = (uint32_t *)(image + edge_directory(image)[index].offset), first = original[0];
    original[0] = first ^ 1;
    edge_seal_section(image, index);
    expect(false, MACADAM_OK, "");
    expect(true, MACADAM_E_FILE, "section 'arc_original': element 0 is ");
    original[0] = MCD_ROAD_NONE - 1;
    edge_seal_section(image, index);
    expect(false, MACADAM_E_FILE, "section 'arc_original': element 0 is 4294967294: no original");
}

Test(first_route, only_the_reverse_arcs_of_its_places_are_read)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    size_t checked = 0;
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    engine->dispatch.beside.after_ms = NEVER_MS; /* else a thread reads all, since the map is small */
    fixture_expect_ok(ask(engine, false, &error), &error, path);
    cr_expect(engine->is_loaded[MCD_LOAD_ARRIVALS] && !engine->is_loaded[MCD_LOAD_GRAPH]);
    for (mcd_node v = 0; v < engine->graph.node_count; ++v) checked += engine->has_checked_arrivals[v];
    cr_expect(checked > 0 && checked <= 2, "%zu", checked);
    fixture_expect_ok(ask(engine, true, &error), &error, path);
    cr_expect(engine->is_loaded[MCD_LOAD_GRAPH]);
}

Test(first_route, reverse_arcs_of_its_places_are_checked)
{
    static const struct {
        const char *section;
        unsigned char byte; /* of all elements but the last */
        const char *message;
    } bad[] = {{"first_in", 0xff, "section 'first_in': element "},
               {"tail", 0xff, "is 4294967295: no node"},
               {"in_arc", 0xff, "is 4294967295: no arc"},
               {"tail", 0, ": not where the arc begins"},
               {"in_arc", 0, ": not the next arc to its node"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const size_t index = find(bad[k].section);
        const mcd_file_section *const section = &edge_directory(image)[index];
        memcpy(image, good, bytes);
        memset(image + section->offset, bad[k].byte, section->bytes - section->element_size);
        expect(false, MACADAM_E_FILE, "is damaged: the checksum of the page at ");
        edge_seal_section(image, index);
        expect(false, MACADAM_E_FILE, bad[k].message);
    }
}

Test(first_route, only_the_kinds_of_its_roads_are_made)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    size_t made = 0;
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    fixture_expect_ok(ask(engine, false, &error), &error, path);
    for (size_t i = 0; i < engine->facts.kind_count; ++i) made += engine->road_facts[i].name != NULL;
    cr_expect(made > 0 && made < engine->facts.kind_count, "%zu of %zu", made, engine->facts.kind_count);
}

static void close_way(macadam_engine *engine, int64_t way)
{
    static const char *const quantity[] = {"duration"};
    const uint32_t closed = MACADAM_WEIGHT_CLOSED, *const value[] = {&closed};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.way = &way, request.count = 1;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
}

/* Steps then do not look for closed roads among all arcs. */
Test(first_route, an_update_after_steps_knows_where_roads_are_closed)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    _Atomic uint64_t *made;
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    for (int64_t way = 7; way <= 8; ++way) {
        close_way(engine, way);
        const mcd_version *const version = engine->version[0];
        const mcd_weights weights = {.objective = version->objective->weight,
                                     .companion = version->companion ? version->companion->weight : NULL};
        if (way == 7) fixture_expect_ok(mcd_engine_load(engine, MCD_LOAD_HIERARCHY, &error), &error, path);
        if (way == 7) FIXTURE_CALL(mcd_version_add_basic, engine->version[0], false, engine);
        if (way == 7) fixture_expect_ok(ask(engine, true, &error), &error, path);
        cr_assert(atomic_load(&version->closed) != NULL);
        FIXTURE_CALL(mcd_junctions_closed, &made, &engine->roads, &weights);
        size_t count = 0;
        for (size_t id = 0; id < engine->places.id_count; ++id) {
            const uint64_t bit = UINT64_C(1) << id % 64;
            cr_expect_eq(version->closed[id / 64] & bit, made[id / 64] & bit);
            count += (made[id / 64] & bit) != 0;
        }
        cr_expect_gt(count, 0);
        mcd_free(made);
    }
}
