/* test_sections.c - files that lack sections: each section of several kinds of files is taken away, by itself
 * and with those that need it. Every question then gets an answer or an error. Faults of any profile are
 * found by verify. It is one file, because all tests share the kinds of files. */
#include "engine/map/relation.h"
#include "engine/map/week.h"
#include "engine/runtime/load.h"
#include "engine/runtime/version.h"
#include "tests/attack/attack.h"
#include "tests/attack/map_text.h"
#include "tests/support/edge_unpack.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/height_tile.h"
#include "tests/support/small_grid.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

enum { ROOM = FILES_PATH_BYTES + 32 };

static char folder[FILES_PATH_BYTES], path[ROOM];

static void set_up(void)
{
    files_new_path(folder, path, "map.mcd");
}

static void tear_down(void)
{
    files_remove_folder(folder);
}

TestSuite(sections, .init = set_up, .fini = tear_down);

/* For tests/attack/ask.c. */
void attack_require(bool holds, const char *claim)
{
    cr_assert(holds, "%s", claim);
}

bool attack_worked(macadam_status status, macadam_error *error)
{
    cr_assert_eq(status == MACADAM_OK, error->message[0] == '\0', "%s", error->message);
    error->message[0] = '\0';
    return status == MACADAM_OK;
}

/* ---- the files ---- */

static int slope(const void *context, size_t x, size_t y)
{
    (void)context;
    return (int)(x + 2 * y);
}

static macadam_import_options options_of(bool ready)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path, options.threads = 1, options.ready = ready;
    return options;
}

/* A town whose junctions are split, with names, limits, times, heights, energy and ids of shape points: by
 * car and on foot. */
static void import_town(bool ready)
{
    char map[ROOM], tile[ROOM], vehicle[ROOM];
    snprintf(map, sizeof map, "%s/town.osm", folder);
    snprintf(tile, sizeof tile, "%s/N50E010.hgt", folder);
    snprintf(vehicle, sizeof vehicle, "%s/my.vehicle", folder);
    files_write(map, map_text_town, strlen(map_text_town));
    files_write(vehicle, "mass 1700\n", strlen("mass 1700\n"));
    height_tile_write(tile, HEIGHT_TILE_COARSE, slope, NULL, 0);
    macadam_import_options options = options_of(ready);
    options.heights = folder, options.vehicle = vehicle, options.node_ids = true;
    macadam_error error = {""};
    const char *const town = map;
    static const char *const profile[] = {"car", "foot"};
    fixture_expect_ok(macadam_import_osm_files(&town, 1, profile, 2, &options, &error), &error, map);
}

/* Changes a weight in each profile. */
static void update_way(macadam_engine *engine)
{
    const int64_t way[] = {4};
    const uint32_t weight[] = {1000}, *const value[] = {weight};
    const char *const quantity[] = {"duration"};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.way = way, request.count = 1, request.all_profiles = true;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
}

/* The saved file has changed arcs. */
static void update_town(void)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    update_way(engine);
    FIXTURE_CALL(macadam_engine_save, engine, path);
}

static void import_triangle(bool ready, bool no_hierarchy)
{
    static const int32_t lon_e7[] = {0, 10000, 0}, lat_e7[] = {0, 0, 10000};
    static const uint32_t tail[] = {0, 1, 1, 2, 2, 0}, head[] = {1, 0, 2, 1, 0, 2},
                          weight[] = {1, 2, 3, 4, 5, 6};
    static const char *const quantity[] = {"duration"};
    const uint32_t *const weights[] = {weight};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = 3, input.arc_count = 6;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = tail, input.head = head;
    input.quantity = quantity, input.weight = weights, input.quantity_count = 1;
    uint8_t speed[2 * MCD_PATTERN_SLOTS] = {1, [5] = MCD_PATTERN_FASTEST, [700] = MCD_PATTERN_FASTEST};
    static const uint16_t arc_pattern[] = {1, 2, 0, 0, 2, 1};
    input.arc_pattern = arc_pattern, input.pattern_speed = speed;
    input.pattern_count = 2, input.slot_count = MCD_PATTERN_SLOTS;
    macadam_import_options options = options_of(ready);
    options.no_hierarchy = no_hierarchy;
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
}

/* ---- taking sections away ---- */

/* Gives the section a name that no reader knows. */
static void hide(void *image, size_t index)
{
    edge_directory(image)[index].name[0] = '-';
    edge_seal_directory(image);
}

/* Asks everything of a file that no check has passed, and then, trusted, of one that verify has passed.
 * Returns false, with the message, if it does not open. */
static bool ask(const void *image, size_t bytes, const char *profile, bool trust, macadam_error *error)
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    macadam_engine *engine;
    macadam_error found = {""};
    test_rng rng = {1};
    options.device = "cpu", options.threads = 1, options.profile = profile, options.trust_file = trust;
    if (macadam_engine_open_memory(&engine, image, bytes, &options, error)) {
        cr_assert_neq(error->message[0], '\0');
        return false;
    }
    attack_ask(engine, &rng, false);
    const bool is_good = attack_worked(macadam_engine_verify(engine, &found), &found);
    macadam_engine_close(engine);
    return trust || !is_good || ask(image, bytes, profile, true, error);
}

/* Finds the section that a message says is there while another one is missing. */
static size_t find_named(const void *image, const char *message)
{
    char name[MCD_SECTION_NAME_BYTES + 2];
    const mcd_file_section *const section = edge_directory((void *)image);
    const char *const first = strstr(message, "there is a section '");
    for (size_t i = 0; first && i < edge_header((void *)image)->section_count; ++i) {
        const char *const slash = strchr(section[i].name, '/');
        snprintf(name, sizeof name, "%s'", slash ? slash + 1 : section[i].name);
        if (section[i].name[0] != '-' && strncmp(first + 20, name, strlen(name)) == 0) return i;
    }
    return SIZE_MAX;
}

/* Hides the section, then, one after the other, those that are refused without it, until the file opens or
 * lacks what all files have. */
static void take_away(const unsigned char *good, unsigned char *image, size_t bytes, size_t index,
                      const char *profile)
{
    macadam_error error = {""};
    memcpy(image, good, bytes);
    for (; index != SIZE_MAX; index = find_named(image, error.message)) {
        hide(image, index);
        if (ask(image, bytes, profile, false, &error)) return;
    }
}

static void take_away_each(const char *const *profile, size_t profile_count)
{
    size_t bytes;
    unsigned char *const good = files_read(path, &bytes), *const image = files_read(path, &bytes);
    macadam_error error = {""};
    for (size_t p = 0; p < profile_count; ++p) {
        cr_assert(ask(good, bytes, profile[p], false, &error), "%s", error.message);
        for (size_t i = 0; i < edge_header(good)->section_count; ++i)
            take_away(good, image, bytes, i, profile[p]);
    }
    free(good);
    free(image);
}

static const char *const both[] = {"car", "foot"};

Test(sections, a_compact_file_of_two_profiles_may_lack_any)
{
    import_town(false);
    take_away_each(both, 2);
}

Test(sections, a_ready_file_may_lack_any)
{
    import_town(true);
    take_away_each(both, 2);
}

Test(sections, an_updated_file_may_lack_any)
{
    import_town(false);
    update_town();
    take_away_each(both, 2);
}

Test(sections, an_updated_ready_file_may_lack_any)
{
    import_town(true);
    update_town();
    take_away_each(both, 1);
}

Test(sections, files_without_split_junctions_may_lack_any)
{
    static const char *const only[] = {NULL};
    for (int kind = 0; kind < 3; ++kind) {
        import_triangle(kind == 1, kind == 2);
        take_away_each(only, 1);
    }
}

/* Opening says which sections do not fit each other. */
Test(sections, a_file_that_lacks_a_section_is_refused_by_its_name)
{
    static const struct {
        const char *hidden, *named;
    } lacking[] = {
        {"arc_copy", "'arc_copy'"},
        {"snap_arc", "'snap_arc'"},
        {"lon_e7", "'lon_e7'"},
        {"arc_way", "'arc_way'"},
        {"week", "'week'"},
        {"kind", "'kind'"},
        {"first_shape", "'first_shape'"},
        {"arc_number", "'arc_number'"},
        {"height_dm", "'height_dm'"},
        {"1/arc_copy", "'arc_copy'"},
        {"compact_weight.distance", "'compact_weight.distance'"},
    };
    size_t bytes;
    import_town(false);
    unsigned char *const good = files_read(path, &bytes), *const image = files_read(path, &bytes);
    for (size_t k = 0; k < sizeof lacking / sizeof *lacking; ++k) {
        macadam_error error = {""};
        size_t i = 0;
        memcpy(image, good, bytes);
        while (strcmp(edge_directory(image)[i].name, lacking[k].hidden) != 0) ++i;
        hide(image, i);
        cr_expect_not(ask(image, bytes, both[lacking[k].hidden[0] == '1'], true, &error), "%s",
                      lacking[k].hidden);
        cr_expect_not_null(strstr(error.message, lacking[k].named), "%s", error.message);
    }
    free(good);
    free(image);
}

/* ---- verify ---- */

static size_t find(const void *image, const char *name)
{
    size_t i = 0;
    while (strcmp(edge_directory((void *)image)[i].name, name) != 0) ++i;
    return i;
}

/* Verifies by an engine of the first profile. */
static void expect_bad(const void *image, size_t bytes, const char *named)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    cr_expect_eq(macadam_engine_verify(engine, &error), MACADAM_E_FILE, "%s", named);
    cr_expect_not_null(strstr(error.message, named), "%s", error.message);
}

/* Checksums are right, and so is the first profile. */
Test(sections, verify_finds_the_faults_of_all_profiles)
{
    size_t packed_bytes = 0, bytes = 0;
    import_town(true);
    unsigned char *const packed = files_read(path, &packed_bytes);
    unsigned char *const good = edge_unpack(packed, packed_bytes, &bytes), *const image = edge_unpack(
                                                                               packed, packed_bytes, &bytes);
    static const char *const section[] = {"1/head", "1/weight.distance", "1/arc_number", "1/snap_box",
                                          "1/arc_original"};
    for (size_t k = 0; k < sizeof section / sizeof *section; ++k) {
        memcpy(image, good, bytes);
        const size_t i = find(image, section[k]);
        image[edge_directory(image)[i].offset] ^= 1;
        edge_seal_section(image, i);
        expect_bad(image, bytes, "section '");
    }
    memcpy(image, good, bytes);
    hide(image, find(image, "1/arc_copy"));
    expect_bad(image, bytes, "'arc_copy'");
    free(packed);
    free(good);
    free(image);
}

Test(sections, names_that_are_not_utf_8_and_parts_of_records_are_refused)
{
    size_t packed_bytes = 0, bytes = 0;
    import_town(false);
    unsigned char *const packed = files_read(path, &packed_bytes), *const image = edge_unpack(
                                                                       packed, packed_bytes, &bytes);
    const size_t names = find(image, "names"), kind = find(image, "kind");
    image[edge_directory(image)[names].offset + 1] = 0xe9;
    edge_seal_section(image, names);
    expect_bad(image, bytes, "section 'names': byte 1 is not UTF-8");
    edge_directory(image)[kind].bytes -= sizeof(uint32_t);
    edge_directory(image)[kind].stored_bytes -= sizeof(uint32_t);
    edge_seal_section(image, kind);
    expect_bad(image, bytes, "elements, which are not records of 8");
    free(packed);
    free(image);
}

/* Changes a number of a section of the town, and expects a message. */
static void expect_bad_number(const char *section, size_t offset, uint32_t number, const char *message)
{
    size_t packed_bytes = 0, bytes = 0;
    import_town(false);
    unsigned char *const packed = files_read(path, &packed_bytes), *const image = edge_unpack(
                                                                       packed, packed_bytes, &bytes);
    const size_t index = find(image, section);
    memcpy(image + edge_directory(image)[index].offset + offset, &number, sizeof number);
    edge_seal_section(image, index);
    expect_bad(image, bytes, message);
    free(packed);
    free(image);
}

/* Patterns come back by the arcs that they were given to, in every kind of file, and from a saved one. */
Test(sections, patterns_belong_to_their_arcs)
{
    static const uint16_t arc_pattern[] = {1, 2, 0, 0, 2, 1};
    for (int kind = 0; kind < 5; ++kind) { /* without a hierarchy, no file is ready */
        import_triangle(kind % 3 == 1, kind % 3 == 2);
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
        const mcd_arc_facts *const facts = &engine->facts;
        if (kind >= 3) FIXTURE_CALL(macadam_engine_save_ready, engine, path);
        FIXTURE_CALL(mcd_engine_load, engine, MCD_LOAD_FACTS);
        cr_assert_eq(facts->pattern_count, 2);
        cr_assert_eq(facts->pattern_slots, MCD_PATTERN_SLOTS);
        cr_expect(facts->pattern[5] == 255 && facts->pattern[700] == 255 && facts->pattern[0] == 1);
        for (size_t arc = 0; arc < 6; ++arc)
            cr_expect_eq(facts->arc_pattern[arc], arc_pattern[facts->number[arc] - 1]);
        FIXTURE_CALL(macadam_engine_verify, engine);
    }
}

/* ---- what the first answers of a ready file read ---- */

static macadam_status ask_route(macadam_engine *engine, macadam_error *error)
{
    const macadam_place waypoint[] = {{.id = 1}, {.id = 3}};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint, request.waypoint_count = 2;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    return macadam_route_find(&route, engine, NULL, &request, error);
}

static void ask_matrix(macadam_engine *engine)
{
    const macadam_place place[] = {{.id = 1}, {.id = 3}};
    uint32_t cost[4], *const value[] = {cost};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = place, request.source_count = request.target_count = 2;
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, engine, NULL, &request);
}

Test(sections, customized_weights_serve_the_first_route)
{
    macadam_error error = {""};
    import_town(true);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    cr_expect(engine->version[0]->has_kept);
    cr_expect_eq(engine->version[0]->settled_count, 0);
}

/* The first route of so small a map has them made beside it. */
Test(sections, labels_of_top_nodes_are_made_beside_and_change_no_route)
{
    macadam_error error = {""};
    import_town(true);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    for (int i = 0; i < 2000 && !engine->version[0]->has_routed; ++i)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    cr_assert(engine->version[0]->has_routed);
    cr_expect_null(engine->version[0]->weights.top_labels, "calls may be using these weights");
    cr_expect_not_null(engine->version[0]->routed.top_labels);
    fixture_expect_ok(ask_route(engine, &error), &error, path);
}

Test(sections, basic_weights_of_a_compact_file_are_made_beside_searched_routes)
{
    macadam_error error = {""};
    import_town(false);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    cr_assert_null(engine->version[0]->basic);
    engine->version[0]->settled_count = 4 * engine->metadata->node_count - 1;
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    for (int i = 0; i < 2000 && !engine->version[0]->basic; ++i)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    cr_expect_not_null(engine->version[0]->basic);
    fixture_expect_ok(ask_route(engine, &error), &error, path);
}

Test(sections, no_route_waits_for_basic_weights_that_are_being_made)
{
    macadam_error error = {""};
    import_town(false);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    const uint64_t settled = engine->version[0]->settled_count = 5 * engine->metadata->node_count;
    engine->version[0]->is_coming = true; /* as if a thread made them */
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    cr_expect_null(engine->version[0]->basic);
    cr_expect_gt(engine->version[0]->settled_count, settled);
    engine->version[0]->settled_count = 16 * engine->metadata->node_count; /* the thread may be missing */
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    cr_expect_not_null(engine->version[0]->basic);
}

Test(sections, routes_are_searched_until_that_has_taken_as_long_as_basic_weights)
{
    macadam_error error = {""};
    import_town(false);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    mcd_rate_part *const customize = &engine->dispatch.rates.of[MCD_RATED_CUSTOMIZE].host;
    *customize = (mcd_rate_part){.fixed = UINT64_C(1000000) * 4 * 130 *
                                          10}; /* basic weights take as long as 10 nodes */
    fixture_expect_ok(ask_route(engine, &error), &error, path);
    for (uint64_t settled = 10; settled <= 11; ++settled) {
        engine->version[0]->settled_count = settled;
        fixture_expect_ok(ask_route(engine, &error), &error, path);
        cr_expect_eq(engine->version[0]->is_coming || engine->version[0]->basic, settled == 11);
    }
}

Test(sections, a_matrix_of_a_ready_file_reads_no_upward_arcs)
{
    import_town(true);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    ask_matrix(engine);
    cr_expect(engine->is_loaded[MCD_LOAD_TREE]);
    cr_expect_not(engine->is_loaded[MCD_LOAD_HIERARCHY]);
}

Test(sections, an_update_reads_no_reverse_arcs)
{
    for (int ready = 0; ready < 2; ++ready) {
        macadam_error error = {""};
        import_town(ready);
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
        update_way(engine);
        cr_expect(engine->is_loaded[MCD_LOAD_FACTS]);
        cr_expect_not(engine->is_loaded[MCD_LOAD_GRAPH]);
        cr_expect_null(engine->graph.first_in);
        fixture_expect_ok(ask_route(engine, &error), &error, path);
        cr_expect(engine->is_loaded[MCD_LOAD_GRAPH]);
    }
}

Test(sections, reverse_arcs_of_a_ready_file_are_checked)
{
    static const struct {
        const char *section;
        uint32_t bad;
        const char *message;
    } bad[] = {{"tail", UINT32_MAX, "section 'tail': element 0 is 4294967295: not below "},
               {"in_arc", UINT32_MAX, "section 'in_arc': element 0 is 4294967295: not below "},
               {"first_in", 1, "section 'first_in': element 0 is 1: the first offset is not 0"},
               {"tail", 1, "section 'tail': element 0 is 1: not where the arc begins"},
               {"in_arc", 1, "section 'in_arc': element 0 is 1: not the next arc to its node"},
               {"component", 1, "section 'component'"}};
    size_t bytes = 0;
    import_town(true);
    unsigned char *const good = files_read(path, &bytes), *const image = files_read(path, &bytes);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        memcpy(image, good, bytes);
        const size_t index = find(image, bad[k].section);
        memcpy(image + edge_directory(image)[index].offset, &bad[k].bad, sizeof bad[k].bad);
        edge_seal_section(image, index);
        expect_bad(image, bytes, bad[k].message);
    }
    free(good);
    free(image);
}

/* Changes each section of kept arcs, by `change`, and expects a route to name it. */
static void expect_bad_kept(void (*change)(unsigned char *image, size_t index), size_t parts,
                            const char *message)
{
    static const char *const part[] = {"first", "head", "depth", "objective", "halves"};
    size_t bytes = 0;
    char name[64], expected[128];
    import_town(true);
    unsigned char *const good = files_read(path, &bytes), *const image = files_read(path, &bytes);
    for (size_t k = 0; k < 2 * parts; ++k) {
        macadam_error error = {""};
        SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
        snprintf(name, sizeof name, "kept.duration.%s.%s", k % 2 ? "backward" : "forward", part[k / 2]);
        snprintf(expected, sizeof expected, "section '%s%s", name, message);
        memcpy(image, good, bytes);
        change(image, find(image, name));
        FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
        cr_expect_eq(ask_route(engine, &error), MACADAM_E_FILE, "%s", name);
        cr_expect_not_null(strstr(error.message, expected), "%s", error.message);
        /* Where only halves are wrong, the thread that makes labels of top nodes may have checked the rest. */
        cr_expect(k / 2 == 4 || !engine->version[0]->is_checked);
    }
    free(good);
    free(image);
}

static void damage_end(unsigned char *image, size_t index)
{
    const mcd_file_section *const section = &edge_directory(image)[index];
    image[section->offset + section->bytes - 1] ^= 0x40;
}

static void fill_with_ones(unsigned char *image, size_t index)
{
    const mcd_file_section *const section = &edge_directory(image)[index];
    const size_t end = section->bytes - (section->element_size == 8 ? 8 : 0); /* the last offset stays */
    memset(image + section->offset, 0xff, end);
    edge_seal_section(image, index);
}

Test(sections, a_route_of_a_ready_file_checks_the_pages_that_it_reads)
{
    expect_bad_kept(damage_end, 5, "' is damaged: the checksum of the page at ");
}

Test(sections, a_route_of_a_ready_file_checks_the_arcs_that_it_relaxes)
{
    expect_bad_kept(fill_with_ones, 4, "': element ");
}

/* The first route and the first matrix read few pages of this file. A tree reads all. */
Test(sections, damage_is_found_when_it_is_touched)
{
    enum { SIDE = 64 };
    size_t bytes = 0, found = 0;
    const macadam_import_options options = options_of(true);
    FIXTURE_CALL(small_grid_import, SIDE, 0, NULL, &options);
    unsigned char *const good = files_read(path, &bytes), *const image = files_read(path, &bytes);
    const mcd_file_section *const section =
        &edge_directory(good)[find(good, "kept.duration.forward.objective")];
    for (uint64_t at = section->offset; at < section->offset + section->bytes; at += MCD_PAGE_BYTES) {
        macadam_error error = {""};
        uint32_t cost[SIDE * SIDE], *const value[] = {cost};
        macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
        const macadam_place place = {.id = 1};
        SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
        request.source = &place, request.source_count = 1;
        memcpy(image, good, bytes);
        image[at] ^= 1;
        FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
        const macadam_status status = ask_route(engine, &error);
        found += status == MACADAM_E_FILE;
        if (!status) ask_matrix(engine);
        cr_expect_not(engine->version[0]->is_checked);
        cr_expect_eq(macadam_tree_find(value, NULL, engine, NULL, &request, &error), MACADAM_E_FILE);
        cr_expect_not_null(strstr(error.message, "'kept.duration.forward.objective' is damaged"), "%s",
                           error.message);
    }
    cr_expect_gt(found, 0);
    cr_expect_lt(found, section->bytes / MCD_PAGE_BYTES / 2, "%zu", found);
    free(good);
    free(image);
}

/* All kept arcs of both directions stand for the same. */
static void set_halves(unsigned char *image, uint32_t first, uint32_t second)
{
    static const char *const name[] = {"kept.duration.forward.halves", "kept.duration.backward.halves"};
    const uint64_t halves = mcd_children_pack(first, second);
    for (int direction = 0; direction < 2; ++direction) {
        const size_t index = find(image, name[direction]);
        const mcd_file_section *const section = &edge_directory(image)[index];
        for (size_t at = 0; at < section->bytes; at += sizeof halves)
            memcpy(image + section->offset + at, &halves, sizeof halves);
        edge_seal_section(image, index);
    }
}

Test(sections, a_route_refuses_halves_that_are_not_a_path)
{
    static const uint32_t halves[][2] = {{MCD_CHILD_NONE, UINT32_MAX}, /* no arc */
                                         {UINT32_MAX - 1, 0},          /* no kept arcs */
                                         {0, UINT32_MAX},
                                         {MCD_CHILD_NONE, 0}, /* the same arc again and again */
                                         {0, 0}};             /* no end */
    size_t bytes = 0;
    import_town(true);
    unsigned char *const image = files_read(path, &bytes);
    for (size_t k = 0; k < sizeof halves / sizeof *halves; ++k) {
        macadam_error error = {""};
        SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
        set_halves(image, halves[k][0], halves[k][1]);
        FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
        ask_matrix(engine);
        cr_expect_eq(ask_route(engine, &error), MACADAM_E_FILE, "%zu", k);
        cr_expect_not_null(strstr(error.message, "are those of no path"), "%s", error.message);
    }
    free(image);
}

/* Changes a byte of a section of the triangle, and expects a message from verify. */
static void expect_bad_byte(const char *section, size_t offset, unsigned char byte, const char *message)
{
    size_t packed_bytes = 0, bytes = 0;
    import_triangle(false, false);
    unsigned char *const packed = files_read(path, &packed_bytes), *const image = edge_unpack(
                                                                       packed, packed_bytes, &bytes);
    const size_t index = find(image, section);
    image[edge_directory(image)[index].offset + offset] = byte;
    edge_seal_section(image, index);
    expect_bad(image, bytes, message);
    free(packed);
    free(image);
}

Test(sections, bad_patterns_are_refused)
{
    expect_bad_byte("arc_pattern", 2, 3,
                    "section 'arc_pattern': element 1 is 3: a pattern that is not there");
    expect_bad_byte("arc_pattern", 1, 255, "a pattern that is not there");
    expect_bad_byte("pattern", 5, 254, "section 'pattern': pattern 0 never has the fastest speed");
}

Test(sections, pronunciations_are_names)
{
    expect_bad_number("kind_pronunciation", 0, 2,
                      "section 'kind_pronunciation': text 6 of kind 0 is at byte 2 of ");
    expect_bad_number("kind_pronunciation", 0, UINT32_MAX, "section 'kind_pronunciation': text 6 of kind 0 ");
}

Test(sections, a_step_has_the_pronunciation_of_its_name)
{
    import_town(false);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    const macadam_place waypoint[] = {{.id = 1}, {.id = 3}};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint, request.waypoint_count = 2, request.steps = true;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
    cr_assert(route->found);
    cr_expect_str_eq(route->step[0].facts->pronunciation, "hi");
}

Test(sections, maneuvers_have_ways_a_type_and_a_direction)
{
    static const uint32_t bad_type[] = {(uint32_t)-2, MACADAM_MANEUVER_DEPART, MACADAM_MANEUVER_ARRIVE,
                                        MACADAM_MANEUVER_ROUNDABOUT, MACADAM_MANEUVER_NOTIFICATION};
    for (size_t i = 0; i < sizeof bad_type / sizeof *bad_type; ++i)
        expect_bad_number("maneuver", offsetof(mcd_relation, type), bad_type[i], "the ways 4 and 2, type ");
    expect_bad_number("maneuver", offsetof(mcd_relation, type), 16,
                      "section 'maneuver': entry 0 has the ways 4 and 2, type 16, modifier 6");
    expect_bad_number("maneuver", offsetof(mcd_relation, modifier), 9, "type 8, modifier 9");
    expect_bad_number("maneuver", offsetof(mcd_relation, way), 0, "has the ways 0 and 2");
}

Test(sections, holidays_have_each_week)
{
    size_t packed_bytes = 0, bytes = 0;
    import_town(false);
    unsigned char *const packed = files_read(path, &packed_bytes), *const image = edge_unpack(
                                                                       packed, packed_bytes, &bytes);
    const size_t holiday = find(image, "week_holiday");
    edge_directory(image)[holiday].bytes -= sizeof(mcd_week);
    edge_directory(image)[holiday].stored_bytes -= sizeof(mcd_week);
    edge_seal_section(image, holiday);
    expect_bad(image, bytes, "'week_holiday'");
    free(packed);
    free(image);
}

Test(sections, guards_of_weeks_lead_to_earlier_weeks)
{
    size_t packed_bytes = 0, bytes = 0;
    import_town(false);
    unsigned char *const packed = files_read(path, &packed_bytes), *const image = edge_unpack(
                                                                       packed, packed_bytes, &bytes);
    const size_t guard = find(image, "week_guard");
    uint32_t also = 1;
    memcpy(image + edge_directory(image)[guard].offset + offsetof(mcd_guard, also), &also, sizeof also);
    edge_seal_section(image, guard);
    expect_bad(image, bytes, "section 'week_guard': entry 0 of ");
    free(packed);
    free(image);
}
