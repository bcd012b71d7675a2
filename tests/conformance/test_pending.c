/* test_pending.c - changes that wait until weights are read: whatever calls come in whatever order, an engine that keeps them
 * answers as one that has read its weights first. The maps are a grid, the same without a hierarchy, and a small town whose
 * junctions are split. */
#include "engine/runtime/conditions.h"
#include "engine/runtime/load.h"
#include "tests/attack/map_text.h"
#include "tests/support/edge_unpack.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"
#include "tests/support/small_grid.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

enum {
    ROOM = FILES_PATH_BYTES + 32,
    SIDE = 7,
    MAPS = 3,
    SEQUENCES = 60,
    STEPS = 6,
    MOST = 8, /* arcs of an update */
    PLACES = 10,
    ARCS = 4 * SIDE * SIDE,
};

static const char *const name[2] = {"duration", "distance"};
static char folder[FILES_PATH_BYTES], path[ROOM], other[ROOM];

static void set_up(void)
{
    files_new_path(folder, path, "map.mcd");
    snprintf(other, sizeof other, "%s/other.mcd", folder);
}

static void tear_down(void)
{
    files_remove_folder(folder);
}

TestSuite(pending, .init = set_up, .fini = tear_down);

static void import_map(int map)
{
    char osm[ROOM];
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path, options.threads = 1, options.no_hierarchy = map == 1;
    snprintf(osm, sizeof osm, "%s/town.osm", folder);
    files_write(osm, map_text_town, strlen(map_text_town));
    if (map < 2)
        FIXTURE_CALL(small_grid_import, SIDE, 1, NULL, &options);
    else
        FIXTURE_CALL(macadam_import_osm, osm, "car", &options);
}

static macadam_engine *open_read(void)
{
    mcd_array *array;
    macadam_engine *const engine = fixture_open_file(path, 1);
    for (size_t q = 0; q < 2; ++q) FIXTURE_CALL(mcd_engine_load_quantity, engine, q, &array);
    return engine;
}

static bool has_pending(const macadam_engine *engine)
{
    return engine->pending[0].count + engine->pending[1].count > 0;
}

/* ---- calls ---- */

typedef struct change {
    uint64_t arc[MOST];
    int64_t tail[MOST], head[MOST];
    uint32_t weight[2][MOST], changed[MOST];
    const uint32_t *value[2];
    uint16_t pattern[MOST];
    uint8_t speed[MCD_PATTERN_SLOTS];
    size_t unknown_count;
    macadam_update_request request;
} change;

static uint32_t draw_weight(test_rng *rng)
{
    const uint32_t kind = rng_below(rng, 8);
    return kind == 0 ? MACADAM_WEIGHT_CLOSED : kind == 1 ? MACADAM_WEIGHT_IMPORTED : rng_below(rng, 30000);
}

/* Draws an update: most by numbers; of some an arc, an end, a turn or a weight is not on the map. */
static void draw_change(change *out, const macadam_engine *engine, test_rng *rng)
{
    const uint32_t last = (uint32_t)mcd_engine_last_number(engine), kind = rng_below(rng, 10),
                   first = rng_below(rng, 2), count = 1 + rng_below(rng, MOST);
    *out = (change){.request = MACADAM_UPDATE_REQUEST_INIT};
    macadam_update_request *const request = &out->request;
    for (size_t i = 0; i < count; ++i) {
        out->arc[i] = 1 + rng_below(rng, last);
        out->tail[i] = 1 + rng_below(rng, 5), out->head[i] = out->tail[i] + 1;
        for (size_t q = 0; q < 2; ++q) out->weight[q][i] = draw_weight(rng);
    }
    if (kind < 2) out->arc[rng_below(rng, count)] = rng_below(rng, 2) ? last + 1 : 0;
    if (kind == 2) out->weight[0][rng_below(rng, count)] = MACADAM_WEIGHT_MAX + 1;
    request->count = count, request->changed = out->changed;
    request->quantity = name + first, request->quantity_count = 1 + rng_below(rng, 2 - first);
    request->value = out->value + first;
    for (size_t q = 0; q < 2; ++q) out->value[q] = out->weight[q];
    if (rng_below(rng, 2)) request->unknown_count = &out->unknown_count;
    if (kind == 3)
        request->tail = out->tail, request->head = out->head;
    else
        request->arc = out->arc;
    if (kind == 4) request->turn_from = out->arc, request->turn_to = out->arc + 1, request->turn_count = 1;
    request->turn_price = request->value;
    if (kind != 5) return;
    memset(out->speed, 255, sizeof out->speed);
    out->speed[rng_below(rng, MCD_PATTERN_SLOTS)] = 100;
    for (size_t i = 0; i < count; ++i) out->pattern[i] = (uint16_t)rng_below(rng, 2);
    request->pattern = out->pattern, request->pattern_speed = out->speed;
    request->pattern_count = 1, request->slot_count = MCD_PATTERN_SLOTS;
}

static bool take_arc(void *context, const macadam_arc *arc)
{
    uint32_t **const next = context;
    for (size_t q = 0; q < 2; ++q) *(*next)++ = arc->value[q], *(*next)++ = arc->imported[q];
    return true;
}

/* Writes what an engine answers to a question of a kind. */
static void ask(macadam_engine *engine, uint32_t kind, uint32_t value[2 * 4 * ARCS])
{
    static const char *const slot[] = {NULL, "Sa23:00"};
    uint32_t *const column[] = {value, value + PLACES * PLACES}, *next = value;
    macadam_place place[PLACES];
    macadam_conditions conditions = MACADAM_CONDITIONS_INIT;
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    macadam_query query = {.size = sizeof query, .metric = name[kind % 2], .quantity_count = 2};
    const char *const quantity[] = {name[kind % 2], name[1 - kind % 2]};
    memset(value, 0, 2 * 4 * ARCS * sizeof *value);
    for (int i = 0; i < PLACES; ++i) place[i] = (macadam_place){.id = 1 + i};
    matrix.source = matrix.target = place, matrix.source_count = matrix.target_count = PLACES;
    query.quantity = quantity;
    conditions.slot = slot[kind / 2 % 2];
    if (conditions.slot) query.conditions = &conditions;
    if (kind == 4) {
        FIXTURE_CALL(macadam_arcs_list, engine, take_arc, &next);
    } else if (engine->metadata->has_hierarchy) {
        FIXTURE_CALL(macadam_matrix_find_into, column, NULL, engine, &query, &matrix);
    } else {
        macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
        tree.source = place, tree.source_count = 1, tree.method = "dijkstra";
        query.conditions = NULL;
        FIXTURE_CALL(macadam_tree_find, column, NULL, engine, &query, &tree);
    }
}

static void expect_same(macadam_engine *late, macadam_engine *early, uint32_t kind)
{
    static uint32_t value[2][2 * 4 * ARCS];
    ask(late, kind, value[0]);
    ask(early, kind, value[1]);
    cr_assert_eq(memcmp(value[0], value[1], sizeof value[0]), 0, "question %u", kind);
}

static void expect_same_file(macadam_engine *late, macadam_engine *early)
{
    size_t bytes[2];
    void *image[2];
    for (int i = 0; i < 2; ++i) {
        FIXTURE_CALL(macadam_engine_save, i ? early : late, other);
        image[i] = files_read(other, &bytes[i]);
    }
    cr_assert_eq(bytes[0], bytes[1]);
    cr_assert_eq(memcmp(image[0], image[1], bytes[0]), 0);
    free(image[0]);
    free(image[1]);
}

static void expect_same_update(macadam_engine *late, macadam_engine *early, test_rng *rng)
{
    static change drawn;
    macadam_error error[2] = {{""}, {""}};
    macadam_status status[2];
    uint32_t changed[2][MOST] = {{0}};
    size_t unknown[2];
    draw_change(&drawn, early, rng);
    for (int i = 0; i < 2; ++i) {
        drawn.unknown_count = SIZE_MAX;
        status[i] = macadam_update(i ? early : late, &drawn.request, &error[i]);
        memcpy(changed[i], drawn.changed, sizeof changed[i]);
        unknown[i] = drawn.unknown_count;
    }
    cr_assert_eq(status[0], status[1], "%s; %s", error[0].message, error[1].message);
    cr_assert_str_eq(error[0].message, error[1].message);
    if (status[0]) return;
    cr_assert_eq(unknown[0], unknown[1]);
    cr_assert_eq(memcmp(changed[0], changed[1], sizeof changed[0]), 0);
}

/* ---- claims ---- */

/* A step is an update, a question, memory given back or a saved map. */
static size_t run_sequence(test_rng *rng)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const late = fixture_open_file(path, 1);
    SCOPED(macadam_engine_close_at) macadam_engine *const early = open_read();
    size_t kept = 0;
    for (int i = 0; i < STEPS; ++i) {
        const uint32_t kind = rng_below(rng, 16);
        if (kind < 12)
            expect_same_update(late, early, rng);
        else if (kind < 14)
            expect_same(late, early, rng_below(rng, 5));
        else if (kind == 14)
            FIXTURE_CALL(macadam_engine_trim, late);
        else
            expect_same_file(late, early);
        kept += has_pending(late);
        cr_assert_not(has_pending(early));
    }
    for (uint32_t kind = 0; kind < 5; ++kind) expect_same(late, early, (kind + rng_below(rng, 5)) % 5);
    cr_assert_not(has_pending(late));
    expect_same_file(late, early);
    return kept;
}

Test(pending, changes_are_those_of_weights_that_were_read)
{
    test_rng rng = {1};
    for (int map = 0; map < MAPS; ++map) {
        size_t kept = 0;
        import_map(map);
        for (int i = 0; i < SEQUENCES; ++i) kept += run_sequence(&rng);
        cr_expect_gt(kept, SEQUENCES, "map %d", map);
    }
}

static macadam_status set(macadam_engine *engine, const uint64_t *arc, const uint32_t *weight, size_t count,
                          macadam_error *error)
{
    const uint32_t *const value[] = {weight, weight};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = count;
    request.quantity = name, request.quantity_count = 2, request.value = value;
    return macadam_update(engine, &request, error);
}

Test(pending, change_unpacks_nothing)
{
    for (int map = 0; map < MAPS; ++map) {
        import_map(map);
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
        FIXTURE_CALL(set, engine, (const uint64_t[]){3}, (const uint32_t[]){7}, 1);
        for (size_t part = 0; part < MCD_LOAD_COUNT; ++part) cr_expect_not(engine->is_loaded[part]);
        cr_expect_null(engine->quantity[0]);
        cr_expect_eq(engine->pending[0].count + engine->pending[1].count, 2);
    }
}

Test(pending, changes_are_none_if_an_arc_is_unknown)
{
    macadam_error error = {""};
    import_map(0);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    const uint64_t arc[] = {1, 2, 1 + SMALL_GRID_ARCS(SIDE)};
    cr_expect_eq(set(engine, arc, (const uint32_t[]){5, 6, 7}, 3, &error), MACADAM_E_NOT_FOUND);
    cr_expect_str_eq(error.message, "no arc has the number 169 (entry 2)");
    cr_expect_not(has_pending(engine));
}

/* A question keeps the weights that it began with, although it has not read them yet. */
Test(pending, changes_do_not_wait_for_a_question_that_has_begun)
{
    macadam_error error = {""};
    mcd_version *version;
    import_map(0);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    FIXTURE_CALL(mcd_engine_use_version, &version, engine, 1, NULL, MCD_USE_PATHS);
    cr_assert_null(engine->quantity[1]);
    FIXTURE_CALL(set, engine, (const uint64_t[]){3}, (const uint32_t[]){7}, 1);
    cr_expect_not(has_pending(engine));
    cr_assert_eq(mcd_version_load(version, engine, &error), MACADAM_OK);
    cr_expect_eq(version->objective->weight, engine->own_weight[1]);
    cr_expect_neq(engine->quantity[1]->weight, engine->own_weight[1]);
    mcd_version_leave(version);
}

/* A list that is longer than the weights would be is not kept. */
Test(pending, changes_take_no_more_than_the_weights)
{
    import_map(0);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
    size_t kept = 0;
    while (!engine->quantity[0]) {
        FIXTURE_CALL(set, engine, (const uint64_t[]){3}, (const uint32_t[]){(uint32_t)kept + 1}, 1);
        if (engine->pending[0].count > kept) kept = engine->pending[0].count;
    }
    cr_expect_eq(kept * sizeof(mcd_pending_change), SMALL_GRID_ARCS(SIDE) * sizeof(mcd_weight));
    cr_expect_not(has_pending(engine));
}

/* ---- files whose numbers are wrong ---- */

static uint64_t *find_numbers(unsigned char *image, size_t *index)
{
    for (*index = 0; strcmp(edge_directory(image)[*index].name, "arc_number") != 0;) ++*index;
    return (uint64_t *)(void *)(image + edge_directory(image)[*index].offset);
}

/* Makes the file's first number `number`, and opens it. */
static unsigned char *renumber(macadam_engine **engine, uint64_t number)
{
    size_t bytes, unpacked, index;
    FREED unsigned char *const packed = files_read(path, &bytes);
    unsigned char *const image = edge_unpack(packed, bytes, &unpacked);
    *find_numbers(image, &index) = number;
    edge_seal_section(image, index);
    FIXTURE_CALL(macadam_engine_open_memory, engine, image, unpacked, NULL);
    return image;
}

Test(pending, change_of_a_number_that_the_file_lacks_fails_the_question)
{
    macadam_error error = {""};
    mcd_array *array;
    import_map(0);
    macadam_engine *engine;
    size_t bytes, index;
    unsigned char *const packed = files_read(path, &bytes), *const good = edge_unpack(packed, bytes, &bytes);
    const uint64_t lost = find_numbers(good, &index)[0];
    unsigned char *const image = renumber(&engine, find_numbers(good, &index)[1]);
    FIXTURE_CALL(set, engine, &lost, (const uint32_t[]){7}, 1);
    for (int i = 0; i < 2; ++i) {
        cr_expect_eq(mcd_engine_load_quantity(engine, 0, &array, &error), MACADAM_E_FILE);
        cr_expect_not_null(strstr(error.message, "section 'arc_number': no arc has the number "), "%s",
                           error.message);
    }
    macadam_engine_close(engine);
    free(packed);
    free(good);
    free(image);
}

Test(pending, verify_refuses_numbers_beyond_those_of_arcs)
{
    macadam_error error = {""};
    macadam_engine *engine;
    import_map(2);
    macadam_engine *const good = fixture_open_file(path, 1);
    const uint64_t last = mcd_engine_last_number(good);
    cr_assert_lt(last, good->metadata->arc_count);
    macadam_engine_close(good);
    unsigned char *const image = renumber(&engine, last + 1);
    cr_expect_eq(macadam_engine_verify(engine, &error), MACADAM_E_FILE);
    cr_expect_not_null(strstr(error.message, "no arc's number"), "%s", error.message);
    macadam_engine_close(engine);
    free(image);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 12, UPDATES = 8 };

typedef struct worker {
    macadam_engine *engine;
    uint32_t index;
    pthread_t thread;
} worker;

/* Sets the arcs of every third number, or reads weights. */
static void *work(void *argument)
{
    static uint32_t value[2 * 4 * ARCS];
    const worker *const own = argument;
    for (uint32_t i = 1; i <= UPDATES && own->index < 3; ++i)
        for (uint64_t arc = 1 + own->index; arc <= SMALL_GRID_ARCS(SIDE); arc += 3 * 8)
            FIXTURE_CALL(set, own->engine, &arc, (const uint32_t[]){1000 * i + (uint32_t)arc}, 1);
    if (own->index == 3) ask(own->engine, 0, value);
    return NULL;
}

Test(pending, changes_of_several_threads_are_all_made)
{
    import_map(0);
    for (int round = 0; round < ROUNDS; ++round) {
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 1);
        SCOPED(macadam_engine_close_at) macadam_engine *const early = open_read();
        worker all[THREADS];
        for (uint32_t i = 0; i < THREADS; ++i) {
            all[i] = (worker){.engine = engine, .index = i};
            cr_assert_eq(pthread_create(&all[i].thread, NULL, work, &all[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; ++i) pthread_join(all[i].thread, NULL);
        for (uint32_t i = 0; i < 3; ++i) work(&(worker){.engine = early, .index = i});
        for (uint32_t kind = 0; kind < 5; ++kind) expect_same(engine, early, kind);
    }
}
