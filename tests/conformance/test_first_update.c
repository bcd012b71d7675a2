/* test_first_update.c - the first update of a ready file reads the arcs that it changes and their weights, and nothing else.
 * Answers are those of an engine that reads all of a compact file. */
#include "engine/file/touched.h"
#include "engine/runtime/load.h"
#include "engine/runtime/version.h"
#include "tests/attack/map_text.h"
#include "tests/support/edge_unpack.h"
#include "tests/support/fixture.h"
#include "tests/support/small_grid.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ROOM = FILES_PATH_BYTES + 32, SIDE = 64, NODES = SIDE * SIDE, SOURCES = 3 };

static char folder[FILES_PATH_BYTES], path[ROOM], compact[ROOM];

static void set_up(void)
{
    files_new_path(folder, path, "ready.mcd");
    snprintf(compact, sizeof compact, "%s/compact.mcd", folder);
}

static void tear_down(void)
{
    files_remove_folder(folder);
}

TestSuite(first_update, .init = set_up, .fini = tear_down);

static macadam_import_options options_of(bool ready)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = ready ? path : compact, options.threads = 1, options.ready = ready;
    return options;
}

static void import_grids(void)
{
    for (int ready = 0; ready < 2; ++ready) {
        const macadam_import_options options = options_of(ready);
        FIXTURE_CALL(small_grid_import, SIDE, 1, NULL, &options);
    }
}

static macadam_status change(macadam_engine *engine, uint64_t number, uint32_t duration, macadam_error *error)
{
    static const char *const quantity[] = {"duration"};
    const uint32_t *const value[] = {&duration};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = &number, request.count = 1;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    return macadam_update(engine, &request, error);
}

static macadam_status find_trees(macadam_engine *engine, uint32_t cost[SOURCES * NODES], macadam_error *error)
{
    macadam_place source[SOURCES];
    for (int i = 0; i < SOURCES; ++i) source[i] = (macadam_place){.id = 1000 * i + 7};
    uint32_t *const value[] = {cost};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = source, request.source_count = SOURCES;
    return macadam_tree_find(value, NULL, engine, NULL, &request, error);
}

static void expect_same(macadam_engine *one, macadam_engine *other)
{
    static uint32_t cost[2][SOURCES * NODES];
    FIXTURE_CALL(find_trees, one, cost[0]);
    FIXTURE_CALL(find_trees, other, cost[1]);
    cr_expect_eq(memcmp(cost[0], cost[1], sizeof cost[0]), 0);
}

/* Also that a second one, whose last weights are the file's, and that neither changes the file. */
Test(first_update, reads_only_its_arcs)
{
    size_t bytes;
    import_grids();
    unsigned char *const before = files_read(path, &bytes);
    SCOPED(macadam_engine_close_at) macadam_engine *const ready = fixture_open_file(path, 1);
    SCOPED(macadam_engine_close_at) macadam_engine *const other = fixture_open_file(compact, 1);
    for (uint64_t update = 0; update < 3; ++update) {
        FIXTURE_CALL(change, ready, 1 + 2000 * update, 500 + (uint32_t)update);
        FIXTURE_CALL(change, other, 1 + 2000 * update, 500 + (uint32_t)update);
        if (update == 1) expect_same(ready, other);
        const bool is_loaded = update == 2;
        cr_expect_eq(ready->is_loaded[MCD_LOAD_ARCS], is_loaded || update == 1);
        cr_expect_not(ready->is_loaded[MCD_LOAD_FACTS]);
        cr_expect_eq(ready->has_checked_weight[0], is_loaded || update == 1);
    }
    expect_same(ready, other);
    unsigned char *const after = files_read(path, &bytes);
    cr_expect_eq(memcmp(before, after, bytes), 0);
    free(before);
    free(after);
}

/* Else each of them would copy all weights. */
Test(first_update, later_ones_that_change_nothing_share_a_copy)
{
    const void *copy = NULL;
    import_grids();
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(compact, 1);
    for (int i = 0; i < 4; ++i) {
        FIXTURE_CALL(change, engine, 77, 1234);
        const mcd_array *const last = engine->quantity[0]->last;
        cr_assert_not_null(last);
        if (i > 1) cr_expect_eq(last->owned, copy);
        copy = last->owned;
    }
    cr_expect_not_null(copy);
}

/* The route is searched on the arcs, of which it makes no other arrays. */
Test(first_update, is_in_the_next_route)
{
    macadam_place waypoint[] = {{.id = 0}, {.id = 1}};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    import_grids();
    SCOPED(macadam_engine_close_at) macadam_engine *const ready = fixture_open_file(path, 1);
    request.waypoint = waypoint, request.waypoint_count = 2;
    uint32_t duration[2];
    for (int i = 0; i < 2; ++i) {
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        if (i == 1) FIXTURE_CALL(change, ready, 1, 0);
        FIXTURE_CALL(macadam_route_find, &route, ready, NULL, &request);
        duration[i] = route->value[0];
    }
    cr_expect_gt(duration[0], 0);
    cr_expect_eq(duration[1], 0, "%u", duration[1]);
    cr_expect_null(ready->version[0]->arcs.arcs.graph);
}

Test(first_update, saved_map_has_its_weight)
{
    import_grids();
    SCOPED(macadam_engine_close_at) macadam_engine *const ready = fixture_open_file(path, 1);
    FIXTURE_CALL(change, ready, 77, 1234);
    FIXTURE_CALL(macadam_engine_save, ready, compact);
    SCOPED(macadam_engine_close_at) macadam_engine *const saved = fixture_open_file(compact, 1);
    FIXTURE_CALL(macadam_engine_verify, saved);
    expect_same(ready, saved);
}

/* ---- files that are damaged or wrong ---- */

static size_t find(const void *image, const char *name)
{
    size_t i = 0;
    while (strcmp(edge_directory((void *)image)[i].name, name) != 0) ++i;
    return i;
}

/* An update reads one page of each section. Trees read all weights. */
Test(first_update, finds_damage_where_it_reads)
{
    static const char *const name[] = {"number_first", "number_arc", "weight.duration"};
    static uint32_t cost[SOURCES * NODES];
    size_t bytes = 0;
    import_grids();
    unsigned char *const image = files_read(path, &bytes);
    for (size_t k = 0; k < sizeof name / sizeof *name; ++k) {
        const mcd_file_section *const section = &edge_directory(image)[find(image, name[k])];
        size_t found = 0;
        cr_assert_gt(section->bytes, 3 * MCD_PAGE_BYTES);
        for (uint64_t at = section->offset; at < section->offset + section->bytes; at += MCD_PAGE_BYTES) {
            macadam_error error = {""};
            SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
            image[at] ^= 1;
            FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
            macadam_status status = change(engine, 1, 5, &error);
            found += status == MACADAM_E_FILE;
            if (!status && k == 2) status = find_trees(engine, cost, &error);
            cr_expect(status == MACADAM_E_FILE || k < 2);
            cr_expect(!status || strstr(error.message, name[k]), "%s", error.message);
            image[at] ^= 1;
        }
        cr_expect(found >= 1 && found <= 2, "%zu of %s", found, name[k]);
    }
    free(image);
}

Test(first_update, refuses_an_index_that_leads_nowhere)
{
    static const struct {
        const char *section;
        uint32_t at, value;
        const char *message;
    } bad[] = {
        {"number_first", 1, UINT32_MAX, "section 'number_first': element 1 is 4294967295: an offset above"},
        {"number_first", 2, UINT32_MAX, "section 'number_first': element 1 is 0: an offset above"},
        {"number_first", UINT32_MAX, 3, "section 'number_first': 3 arcs, but there are "},
        {"number_arc", 0, UINT32_MAX, "section 'number_arc': element 0 is 4294967295: no arc"},
        {"weight.duration", UINT32_MAX, UINT32_MAX, "section 'weight.duration': element "},
    };
    size_t bytes = 0;
    import_grids();
    unsigned char *const good = files_read(path, &bytes), *const image = files_read(path, &bytes);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        macadam_error error = {""};
        SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
        memcpy(image, good, bytes);
        const size_t index = find(image, bad[k].section);
        const mcd_file_section *const section = &edge_directory(image)[index];
        uint32_t at = bad[k].at;
        if (at == UINT32_MAX) at = (uint32_t)(section->bytes / 4 - 1);
        if (k == 4) memcpy(&at, image + edge_directory(image)[find(image, "number_arc")].offset, sizeof at);
        memcpy(image + section->offset + 4 * (size_t)at, &bad[k].value, sizeof bad[k].value);
        edge_seal_section(image, index);
        FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
        cr_expect_eq(change(engine, 1, 5, &error), MACADAM_E_FILE, "%s", bad[k].message);
        cr_expect_not_null(strstr(error.message, bad[k].message), "%s", error.message);
    }
    free(good);
    free(image);
}

Test(first_update, verify_compares_the_index)
{
    size_t bytes = 0;
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    import_grids();
    unsigned char *const image = files_read(path, &bytes);
    const size_t index = find(image, "number_arc");
    uint32_t *const arc = (uint32_t *)(void *)(image + edge_directory(image)[index].offset);
    ++arc[5];
    edge_seal_section(image, index);
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    cr_expect_eq(macadam_engine_verify(engine, &error), MACADAM_E_FILE);
    cr_expect_not_null(strstr(error.message, "section 'number_arc': element 5 is"), "%s", error.message);
    free(image);
}

/* ---- copies of arcs ---- */

/* A street, and at each of its nodes one that opens only at times. It has enough arcs for an update of few. */
static void write_shut_town(char *text, size_t bytes)
{
    enum { STREETS = 40 };
    FILE *const to = fmemopen(text, bytes, "w");
    fprintf(to, "<?xml version='1.0'?><osm version='0.6'>");
    for (int i = 1; i <= 2 * STREETS; ++i)
        fprintf(to, "<node id='%d' version='1' lat='%f' lon='%f'/>", i, (i - 1) / STREETS * 0.01,
                i % STREETS * 0.01);
    for (int i = 1; i < STREETS; ++i)
        fprintf(to,
                "<way id='%d' version='1'><nd ref='%d'/><nd ref='%d'/><tag k='highway' v='primary'/></way>"
                "<way id='%d' version='1'><nd ref='%d'/><nd ref='%d'/><tag k='highway' v='residential'/>"
                "<tag k='motor_vehicle' v='no'/>"
                "<tag k='motor_vehicle:conditional' v='yes @ (Mo-Fr 07:00-09:00)'/></way>",
                i, i, i + 1, STREETS + i, i, STREETS + i);
    fprintf(to, "</osm>");
    fclose(to);
}

/* Where junctions are split, every number has the arcs that the index of a compact file has. No update reads
 * the facts. */
static void change_each_arc(const char *text)
{
    char map[ROOM];
    const char *const town = map, *const profile[] = {"car"};
    snprintf(map, sizeof map, "%s/town.osm", folder);
    files_write(map, text, strlen(text));
    for (int ready = 0; ready < 2; ++ready) {
        const macadam_import_options options = options_of(ready);
        FIXTURE_CALL(macadam_import_osm_files, &town, 1, profile, 1, &options);
    }
    SCOPED(macadam_engine_close_at) macadam_engine *const all = fixture_open_file(compact, 1);
    FIXTURE_CALL(mcd_engine_load, all, MCD_LOAD_FACTS);
    cr_assert_not_null(all->original);
    mcd_arc_index whole = {0};
    FIXTURE_CALL(mcd_arc_index_make, &whole, &all->roads, &all->parallel);
    SCOPED(macadam_engine_close_at) macadam_engine *const ready = fixture_open_file(path, 1);
    mcd_arc_index stored;
    FIXTURE_CALL(mcd_touched_index, &stored, ready->file);
    cr_assert_eq(stored.slot_count, whole.slot_count);
    for (uint64_t number = 0; number < whole.slot_count + 2; ++number) {
        const mcd_arc_copies one = mcd_arc_index_of(&whole, number),
                             other = mcd_arc_index_of(&stored, number);
        cr_assert_eq(one.count, other.count);
        for (size_t i = 0; i < one.count; ++i) cr_expect_eq(one.arc[i], other.arc[i]);
        if (one.count == 0) continue;
        mcd_array *by_one, *by_other;
        FIXTURE_CALL(change, all, number, 1000 + (uint32_t)number);
        FIXTURE_CALL(change, ready, number, 1000 + (uint32_t)number);
        cr_expect_not(ready->is_loaded[MCD_LOAD_FACTS]);
        FIXTURE_CALL(mcd_engine_load_quantity, all, 0, &by_one);
        FIXTURE_CALL(mcd_engine_load_quantity, ready, 0, &by_other);
        cr_expect_eq(memcmp(by_one->weight, by_other->weight, by_one->count * sizeof *by_one->weight), 0);
        ready->facts = (mcd_arc_facts){.shut_arc_count = 1}; /* a question may be loading them */
    }
    mcd_arc_index_free(&whole);
}

Test(first_update, changes_all_copies_of_an_arc)
{
    change_each_arc(map_text_town);
}

/* Their prices are found in the shut arcs. */
Test(first_update, changes_copies_of_arcs_that_open_at_times)
{
    static char text[1 << 16];
    write_shut_town(text, sizeof text);
    change_each_arc(text);
}
