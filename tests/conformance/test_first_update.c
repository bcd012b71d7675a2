/* test_first_update.c - the first update of a ready file reads the arcs that it changes and their weights, and nothing else; the
 * question after it repairs the file's basic weights. Answers are those of an engine that reads all of a compact file. */
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
    mcd_array *array;
    FIXTURE_CALL(mcd_engine_load_quantity, engine, 0, &array); /* else the first change is kept as it is */
    for (int i = 0; i < 4; ++i) {
        FIXTURE_CALL(change, engine, 77, 1234);
        const mcd_array *const last = engine->quantity[0]->last;
        cr_assert_not_null(last);
        if (i > 1) cr_expect_eq(last->owned, copy);
        copy = last->owned;
    }
    cr_expect_not_null(copy);
}

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

/* ---- the question after it ---- */

enum { QUESTIONS = 5, ANSWERS = SOURCES * NODES };

/* Asks a question of a kind, by one metric or by the other, with both quantities. */
static void ask(macadam_engine *engine, int kind, const char *metric, uint32_t answer[2 * ANSWERS])
{
    static const char *const quantity[] = {"duration", "distance"};
    uint32_t *const value[] = {answer, answer + ANSWERS};
    macadam_place place[2 * SOURCES];
    for (int i = 0; i < 2 * SOURCES; ++i) place[i] = (macadam_place){.id = 600 * i + 7};
    macadam_query query = {.size = sizeof query, .metric = metric, .quantity = quantity, .quantity_count = 2};
    memset(answer, 0, 2 * ANSWERS * sizeof *answer);
    if (kind == 0) {
        macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
        request.source = place, request.source_count = SOURCES;
        FIXTURE_CALL(macadam_tree_find, value, NULL, engine, &query, &request);
    } else if (kind == 1) {
        macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
        request.source = request.target = place, request.source_count = request.target_count = 2 * SOURCES;
        FIXTURE_CALL(macadam_matrix_find_into, value, NULL, engine, &query, &request);
    } else if (kind == 2) {
        const macadam_routes_request request = {
            .size = sizeof request, .source = place, .target = place + SOURCES, .pair_count = SOURCES};
        FIXTURE_CALL(macadam_routes_find, value, NULL, engine, &query, &request);
    } else if (kind == 3) {
        macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        request.waypoint = place, request.waypoint_count = 2 * SOURCES;
        FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
        for (size_t i = 0; i < route->arc_count; ++i) answer[i] = (uint32_t)route->arc[i].arc;
        for (size_t q = 0; q < 2; ++q) answer[ANSWERS + q] = route->value[q];
    } else {
        macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
        SCOPED(macadam_isochrone_free_at) macadam_isochrone *isochrone = NULL;
        request.source = place[SOURCES], request.limit = 90;
        query.quantity_count = 0;
        FIXTURE_CALL(macadam_isochrone_find, &isochrone, engine, &query, &request);
        for (size_t i = 0; i < isochrone->arc_count && i < ANSWERS; ++i) answer[i] = isochrone->arc[i].cost;
    }
}

static void expect_same_answers(macadam_engine *one, macadam_engine *other, int kind, const char *metric)
{
    static uint32_t answer[2][2 * ANSWERS];
    ask(one, kind, metric, answer[0]);
    ask(other, kind, metric, answer[1]);
    cr_expect_eq(memcmp(answer[0], answer[1], sizeof answer[0]), 0, "question %d by %s", kind, metric);
}

/* A first route of a file that is to be checked is searched on the arcs: that is faster than all checks. */
Test(first_update, next_question_customizes_nothing)
{
    const macadam_engine_options trusted = {
        .size = sizeof trusted, .device = "cpu", .threads = 1, .trust_file = true};
    import_grids();
    for (int kind = 0; kind < QUESTIONS; ++kind)
        for (size_t metric = 0; metric < 2; ++metric) {
            const char *const name = metric ? "distance" : "duration";
            SCOPED(macadam_engine_close_at) macadam_engine *ready = NULL;
            if (kind == 3)
                FIXTURE_CALL(macadam_engine_open, &ready, path, &trusted);
            else
                ready = fixture_open_file(path, 1);
            SCOPED(macadam_engine_close_at) macadam_engine *const other = fixture_open_file(compact, 1);
            for (uint64_t update = 0; update < 4; ++update) { /* the first question comes after two of them */
                FIXTURE_CALL(change, ready, 1 + 2000 * update, 500 + (uint32_t)update);
                FIXTURE_CALL(change, other, 1 + 2000 * update, 500 + (uint32_t)update);
                if (update > 0) expect_same_answers(ready, other, kind, name);
            }
            cr_expect_not_null(ready->version[metric]->basic);
            cr_expect_null(ready->schedule, "it is only needed to customize");
            expect_same_answers(ready, other, kind, metric ? "duration" : "distance");
            cr_expect_null(ready->schedule);
        }
}

Test(first_update, of_many_arcs_customizes)
{
    enum { ARCS = SMALL_GRID_ARCS(SIDE) };
    static const char *const quantity[] = {"distance"};
    static uint64_t arc[ARCS];
    static uint32_t weight[ARCS];
    const uint32_t *const value[] = {weight};
    import_grids();
    for (uint32_t i = 0; i < ARCS; ++i) arc[i] = i + 1, weight[i] = i * 17 % 101;
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = ARCS;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    SCOPED(macadam_engine_close_at) macadam_engine *const ready = fixture_open_file(path, 1);
    SCOPED(macadam_engine_close_at) macadam_engine *const other = fixture_open_file(compact, 1);
    FIXTURE_CALL(macadam_update, ready, &request);
    FIXTURE_CALL(macadam_update, other, &request);
    for (int kind = 0; kind < QUESTIONS; ++kind) expect_same_answers(ready, other, kind, "duration");
    cr_expect_not_null(ready->schedule);
}

/* ---- files that are older, damaged or wrong ---- */

static size_t find(const void *image, const char *name)
{
    size_t i = 0;
    while (strcmp(edge_directory((void *)image)[i].name, name) != 0) ++i;
    return i;
}

static const char *const added[] = {"up_depth", "basic.duration", "basic.duration.source", "basic.distance",
                                    "basic.distance.source"};
enum { ADDED = sizeof added / sizeof *added };

/* A reader passes over sections that it does not know. */
Test(first_update, older_files_have_no_basic_weights)
{
    size_t bytes = 0;
    char saved[ROOM];
    import_grids();
    snprintf(saved, sizeof saved, "%s/saved.mcd", folder);
    unsigned char *const image = files_read(path, &bytes);
    for (size_t k = 0; k < ADDED; ++k) edge_directory(image)[find(image, added[k])].name[0] = 'x';
    edge_seal_directory(image);
    SCOPED(macadam_engine_close_at) macadam_engine *older = NULL;
    SCOPED(macadam_engine_close_at) macadam_engine *const other = fixture_open_file(compact, 1);
    FIXTURE_CALL(macadam_engine_open_memory, &older, image, bytes, NULL);
    FIXTURE_CALL(macadam_engine_verify, older);
    for (int i = 0; i < 2; ++i) {
        FIXTURE_CALL(change, older, 9, 700 + (uint32_t)i);
        FIXTURE_CALL(change, other, 9, 700 + (uint32_t)i);
        for (int kind = 0; kind < QUESTIONS; ++kind) expect_same_answers(older, other, kind, "duration");
    }
    cr_expect_not_null(older->schedule);
    FIXTURE_CALL(macadam_engine_save_ready, older, saved);
    SCOPED(macadam_engine_close_at) macadam_engine *const newer = fixture_open_file(saved, 1);
    for (size_t k = 0; k < ADDED; ++k) cr_expect(mcd_edge_file_has(newer->file, added[k]), "%s", added[k]);
    FIXTURE_CALL(macadam_engine_verify, newer);
    FIXTURE_CALL(change, newer, 5, 1);
    FIXTURE_CALL(change, other, 5, 1);
    for (int kind = 0; kind < QUESTIONS; ++kind) expect_same_answers(newer, other, kind, "distance");
    cr_expect_null(newer->schedule);
    free(image);
}

/* Gives a section another first letter. */
static void rename_section(unsigned char *image, const char *name, char first)
{
    edge_directory(image)[find(image, name)].name[0] = first;
}

/* An older program copies sections that it does not know when it saves an update: these are renamed meanwhile. */
Test(first_update, basic_weights_of_other_weights_are_not_used)
{
    size_t bytes = 0;
    char saved[ROOM], unknown[MCD_SECTION_NAME_BYTES];
    macadam_error error = {""};
    import_grids();
    snprintf(saved, sizeof saved, "%s/saved.mcd", folder);
    unsigned char *image = files_read(path, &bytes);
    for (size_t k = 0; k < ADDED; ++k) rename_section(image, added[k], 'x');
    edge_seal_directory(image);
    SCOPED(macadam_engine_close_at) macadam_engine *older = NULL, *engine = NULL;
    SCOPED(macadam_engine_close_at) macadam_engine *const other = fixture_open_file(compact, 1);
    FIXTURE_CALL(macadam_engine_open_memory, &older, image, bytes, NULL);
    FIXTURE_CALL(change, older, 9, 700);
    FIXTURE_CALL(change, other, 9, 700);
    FIXTURE_CALL(macadam_engine_save, older, saved);
    macadam_engine_close(older), older = NULL;
    free(image);
    image = files_read(saved, &bytes);
    for (size_t k = 0; k < ADDED; ++k) {
        snprintf(unknown, sizeof unknown, "x%s", added[k] + 1);
        rename_section(image, added[k], 'y');
        rename_section(image, unknown, added[k][0]);
    }
    edge_seal_directory(image);
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    cr_expect_eq(macadam_engine_verify(engine, &error), MACADAM_E_FILE);
    cr_expect_not_null(strstr(error.message, "basic.duration"), "%s", error.message);
    FIXTURE_CALL(change, engine, 5, 800);
    FIXTURE_CALL(change, other, 5, 800);
    for (int kind = 0; kind < QUESTIONS; ++kind) expect_same_answers(engine, other, kind, "duration");
    cr_expect_not_null(engine->schedule);
    FIXTURE_CALL(macadam_engine_save_ready, engine, saved);
    SCOPED(macadam_engine_close_at) macadam_engine *const again = fixture_open_file(saved, 1);
    FIXTURE_CALL(macadam_engine_verify, again);
    cr_expect(mcd_engine_stores_basic(again, 0) && mcd_engine_stores_basic(again, 1));
    free(image);
}

/* Without an update no question reads them. `index` was changed. */
static void expect_refused(unsigned char *image, size_t bytes, size_t index, bool is_of_range)
{
    static uint32_t cost[SOURCES * NODES];
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    const char *const name = edge_directory(image)[index].name;
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    FIXTURE_CALL(find_trees, engine, cost);
    FIXTURE_CALL(change, engine, 1, 5);
    const macadam_status status = find_trees(engine, cost, &error);
    cr_expect(status == MACADAM_E_FILE || (is_of_range && !status), "%s", name);
    cr_expect(!status || strstr(error.message, name), "%s", error.message);
    cr_expect_eq(macadam_engine_verify(engine, &error), MACADAM_E_FILE, "%s", name);
    cr_expect_not_null(strstr(error.message, name), "%s", error.message);
}

Test(first_update, refuses_wrong_basic_weights)
{
    static const uint32_t value[] = {UINT32_MAX, 3};
    size_t bytes = 0;
    import_grids();
    unsigned char *const good = files_read(path, &bytes), *const image = files_read(path, &bytes);
    for (size_t k = 0; k < 2; ++k) { /* depths, and those of the first metric, of which trees are */
        const size_t index = find(image, added[k]);
        const mcd_file_section *const section = &edge_directory(image)[index];
        for (uint64_t at = 0; at < section->bytes; at += section->bytes / 3 / 4 * 4)
            for (size_t v = 0; v < 3; ++v) {
                memcpy(image, good, bytes);
                if (v == 2)
                    image[section->offset + at] ^= 4;
                else
                    memcpy(image + section->offset + at, &value[v], sizeof *value);
                if (memcmp(image, good, bytes) == 0) continue;
                if (v < 2) edge_seal_section(image, index);
                expect_refused(image, bytes, index, k == 1 && v == 1);
            }
    }
    free(good);
    free(image);
}

Test(first_update, wrong_basic_weights_of_a_path_are_the_files)
{
    static uint32_t cost[SOURCES * NODES];
    const macadam_place waypoint[] = {{.id = 0}, {.id = NODES - 1}};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    size_t bytes = 0;
    import_grids();
    unsigned char *const image = files_read(path, &bytes);
    const size_t index = find(image, "basic.duration");
    memset(image + edge_directory(image)[index].offset, 1, edge_directory(image)[index].bytes);
    edge_seal_section(image, index);
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    FIXTURE_CALL(change, engine, 1, 5);
    FIXTURE_CALL(find_trees, engine, cost);
    request.waypoint = waypoint, request.waypoint_count = 2;
    cr_expect_eq(macadam_route_find(&route, engine, NULL, &request, &error), MACADAM_E_FILE);
    cr_expect_not_null(strstr(error.message, "belongs to no path"), "%s", error.message);
    free(image);
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

static void import_towns(const char *text)
{
    char map[ROOM];
    const char *const town = map, *const profile[] = {"car"};
    snprintf(map, sizeof map, "%s/town.osm", folder);
    files_write(map, text, strlen(text));
    for (int ready = 0; ready < 2; ++ready) {
        const macadam_import_options options = options_of(ready);
        FIXTURE_CALL(macadam_import_osm_files, &town, 1, profile, 1, &options);
    }
}

/* Where junctions are split, every number has the arcs that the index of a compact file has. No update reads
 * the facts. */
static void change_each_arc(const char *text)
{
    import_towns(text);
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

/* Patterns are those of originals, which arrival arcs do not have. */
Test(first_update, refuses_an_index_whose_arc_has_no_original)
{
    static char text[1 << 16];
    size_t bytes = 0;
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    write_shut_town(text, sizeof text);
    import_towns(text);
    unsigned char *const image = files_read(path, &bytes);
    const size_t index = find(image, "number_arc");
    uint32_t *const arc = (uint32_t *)(void *)(image + edge_directory(image)[index].offset);
    const uint32_t *const original =
        (const uint32_t *)(void *)(image + edge_directory(image)[find(image, "arc_original")].offset);
    while (original[*arc] != MCD_ROAD_NONE) ++*arc;
    edge_seal_section(image, index);
    FIXTURE_CALL(macadam_engine_open_memory, &engine, image, bytes, NULL);
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = (const uint64_t[]){1}, request.count = 1;
    request.pattern = (const uint16_t[]){0}, request.slot_count = MCD_PATTERN_SLOTS;
    cr_expect_eq(macadam_update(engine, &request, &error), MACADAM_E_FILE);
    cr_expect_not_null(strstr(error.message, "section 'number_arc': arc "), "%s", error.message);
    free(image);
}
