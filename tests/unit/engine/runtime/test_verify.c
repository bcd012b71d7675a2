/* test_verify.c - a file that verify passes cannot contradict itself: single elements are changed under
 * correct checksums, and files that pass give the same answers to queries that share nothing but the file. */
#include "tests/support/edge_unpack.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/graphs.h"
#include "tests/support/rng.h"
#include "tests/support/small_grid.h"

#include "engine/file/metadata.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 6, NODES = SIDE * SIDE, ARCS = SMALL_GRID_ARCS(SIDE), EDITS_PER_SECTION = 300 };

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static unsigned char *good, *image;
static size_t image_bytes;

static void import_grid(bool ready)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path, options.threads = 1, options.ready = ready;
    FIXTURE_CALL(small_grid_import, SIDE, 1, NULL, &options);
}

/* Reads the file with its sections decoded, so that their elements can be changed. */
static void read_grid(void)
{
    size_t bytes;
    unsigned char *const file = files_read(path, &bytes);
    free(good);
    free(image);
    good = edge_unpack(file, bytes, &image_bytes);
    image = edge_unpack(file, bytes, &image_bytes);
    cr_assert(good && image);
    free(file);
}

static void set_up(void)
{
    files_new_path(folder, path, "map.mcd");
    import_grid(true);
    read_grid();
}

static void tear_down(void)
{
    free(good);
    free(image);
    files_remove_folder(folder);
}

TestSuite(verify, .init = set_up, .fini = tear_down);

/* ---- editing ---- */

/* Another value for element i: near, far, or of another element. */
static void edit(const mcd_file_section *section, test_rng *rng)
{
    const size_t size = section->element_size, count = section->bytes / size;
    unsigned char *const first = image + section->offset, *const at =
                                                              first + rng_below(rng, (uint32_t)count) * size;
    uint64_t value = 0;
    memcpy(&value, at, size);
    switch (rng_below(rng, 4)) {
    case 0:
        value += 1 + rng_below(rng, 3);
        break;
    case 1:
        value -= 1 + rng_below(rng, 3);
        break;
    case 2:
        value ^= UINT64_C(1) << rng_below(rng, (uint32_t)(8 * size));
        break;
    default:
        memcpy(&value, first + rng_below(rng, (uint32_t)count) * size, size);
    }
    memcpy(at, &value, size);
}

static void seal(size_t index)
{
    edge_seal_section(image, index);
}

/* ---- counts ---- */

/* Writes the metadata again with the count at `offset` changed by `by`. It may grow: padding follows it. */
static void lie_about(size_t offset, uint64_t by)
{
    size_t index = 0;
    while (strcmp(edge_directory(image)[index].name, "meta") != 0) ++index;
    mcd_file_section *const section = &edge_directory(image)[index];
    mcd_metadata *const metadata =
        macadam__v1__metadata__unpack(NULL, section->bytes, image + section->offset);
    cr_assert_not_null(metadata);
    *(uint64_t *)((char *)metadata + offset) += by;
    section->stored_bytes = section->bytes = macadam__v1__metadata__pack(metadata, image + section->offset);
    macadam__v1__metadata__free_unpacked(metadata, NULL);
    seal(index);
}

/* Before any section is read: an engine that returns its counts has compared them with the directory. */
Test(verify, counts_that_no_section_has_are_refused_at_open)
{
    static const size_t count[] = {offsetof(mcd_metadata, node_count), offsetof(mcd_metadata, arc_count),
                                   offsetof(mcd_metadata, id_count), offsetof(mcd_metadata, up_arc_count)};
    for (size_t i = 0; i < 2 * sizeof count / sizeof count[0]; ++i) {
        SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
        macadam_error error = {""};
        macadam_engine_options options = {.size = sizeof options, .device = "cpu"};
        options.trust_file = i % 2; /* which looks at no section, but at the directory */
        memcpy(image, good, image_bytes);
        lie_about(count[i / 2], UINT64_MAX); /* one less, which fits all other counts */
        cr_expect_eq(macadam_engine_open_memory(&engine, image, image_bytes, &options, &error),
                     MACADAM_E_FILE, "count %zu", i / 2);
        cr_expect_not_null(strstr(error.message, "section '"), "%s", error.message);
    }
}

/* No section has these counts: the engine makes what they count. */
Test(verify, counts_of_what_is_made_are_compared)
{
    static const size_t count[] = {offsetof(mcd_metadata, component_count),
                                   offsetof(mcd_metadata, junction_component_count),
                                   offsetof(mcd_metadata, up_arc_count)};
    import_grid(false);
    read_grid();
    for (size_t i = 0; i < sizeof count / sizeof count[0]; ++i) {
        SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
        macadam_error error = {""};
        memcpy(image, good, image_bytes);
        lie_about(count[i], 1);
        FIXTURE_CALL(macadam_engine_open_memory, &engine, image, image_bytes, NULL);
        cr_expect_eq(macadam_engine_verify(engine, &error), MACADAM_E_FILE, "count %zu", i);
        cr_expect_not_null(strstr(error.message, "section 'meta'"), "%s", error.message);
    }
}

/* ---- asking ---- */

static macadam_engine *open_image(void)
{
    macadam_engine *engine;
    macadam_error error = {""};
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    return macadam_engine_open_memory(&engine, image, image_bytes, &options, &error) ? NULL : engine;
}

static void expect_same(const uint32_t *a, const uint32_t *b, size_t count, const char *name,
                        const char *what)
{
    for (size_t i = 0; i < count; ++i)
        cr_assert_eq(a[i], b[i], "section '%s' changed: %s say %u and %u of cell %zu", name, what, a[i], b[i],
                     i);
}

/* Sweeps, searches on the input arcs, products of labels and unpacked routes. */
static void compare_answers(macadam_engine *engine, const char *metric, const char *name)
{
    static uint32_t sweep[NODES * NODES], search[NODES * NODES], matrix[NODES * NODES];
    uint32_t *const sweeps[] = {sweep}, *const searches[] = {search}, *const matrices[] = {matrix};
    macadam_place place[NODES];
    macadam_error error = {""};
    size_t count = 0;
    const int64_t *const id = macadam_engine_ids(engine, &error);
    macadam_info info = MACADAM_INFO_INIT;
    fixture_expect_ok(macadam_engine_info(&info, engine, &error), &error, name);
    for (; count < info.id_count; ++count) place[count] = (macadam_place){.id = id[count]};
    cr_assert_leq(count, NODES);
    const macadam_query query = {.size = sizeof query, .metric = metric};
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    tree.source = place, tree.source_count = count, tree.method = "sweep";
    fixture_expect_ok(macadam_tree_find(sweeps, NULL, engine, &query, &tree, &error), &error, name);
    tree.method = "dijkstra";
    fixture_expect_ok(macadam_tree_find(searches, NULL, engine, &query, &tree, &error), &error, name);
    macadam_matrix_request cells = MACADAM_MATRIX_REQUEST_INIT;
    cells.source = cells.target = place, cells.source_count = cells.target_count = count;
    fixture_expect_ok(macadam_matrix_find_into(matrices, NULL, engine, &query, &cells, &error), &error, name);
    expect_same(sweep, search, count * count, name, "sweeps and searches");
    expect_same(sweep, matrix, count * count, name, "sweeps and matrices");
    for (size_t i = 0; i + 1 < count; i += 5) {
        const macadam_place end[] = {place[i], place[count - 1 - i]};
        const macadam_route_request request = {.size = sizeof request, .waypoint = end, .waypoint_count = 2};
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        fixture_expect_ok(macadam_route_find(&route, engine, &query, &request, &error), &error, name);
        uint32_t sum = 0;
        for (size_t a = 0; a < route->arc_count; ++a) sum += route->arc[a].value[0];
        cr_assert_eq(route->value[0], sweep[i * count + count - 1 - i], "section '%s' changed: a route",
                     name);
        cr_assert_eq(route->value[0], sum, "section '%s' changed: a route says %u, its arcs %u", name,
                     route->value[0], sum);
    }
}

static bool is_passed(const char *name)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_image();
    const bool passed = engine && macadam_engine_verify(engine, &error) == MACADAM_OK;
    macadam_info info = MACADAM_INFO_INIT;
    if (passed) fixture_expect_ok(macadam_engine_info(&info, engine, &error), &error, name);
    for (size_t i = 0; i < info.metric_count; ++i) compare_answers(engine, info.metric[i], name);
    return passed;
}

/* A section that follows from the rest passes only as it is. */
static bool follows(const char *name)
{
    static const char *const kind[] = {"kept.",           "weight.",     "parent",   "depth",
                                       "level",           "subtree_end", "first_up", "up_head",
                                       "supernode_first", "bottom_root", "up_depth", "basic."};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; ++i)
        if (strncmp(name, kind[i], strlen(kind[i])) == 0) return true;
    return false;
}

Test(verify, what_passes_agrees_with_itself)
{
    test_rng rng = {11};
    size_t passed_count = 0;
    memcpy(image, good, image_bytes);
    cr_assert(is_passed("none"));
    for (size_t i = 0; i < edge_header(good)->section_count; ++i) {
        const mcd_file_section *const section = &edge_directory(good)[i];
        for (size_t trial = 0; trial < EDITS_PER_SECTION && section->bytes > 0; ++trial) {
            memcpy(image, good, image_bytes);
            edit(section, &rng);
            if (memcmp(image, good, image_bytes) == 0) continue;
            seal(i);
            const bool passed = is_passed(section->name);
            cr_expect(!passed || !follows(section->name), "section '%s': an edit passed", section->name);
            passed_count += passed;
        }
    }
    cr_expect_gt(passed_count, 0, "some edits harm nothing: coordinates and names");
}

/* ---- files without customized weights ---- */

static size_t index_of(const char *name)
{
    size_t i = 0;
    while (i < edge_header(good)->section_count && strcmp(edge_directory(good)[i].name, name) != 0) ++i;
    cr_assert_lt(i, edge_header(good)->section_count, "no section '%s'", name);
    return i;
}

Test(verify, file_without_customized_weights_answers_as_one_with_them)
{
    size_t ready_bytes = image_bytes;
    memcpy(image, good, image_bytes);
    cr_assert(is_passed("ready"));
    import_grid(false);
    free(image);
    image = files_read(path, &image_bytes);
    cr_assert_lt(image_bytes, ready_bytes);
    cr_assert(is_passed("coded"));
    read_grid();
    cr_assert(is_passed("unpacked"));
}

/* Sections may come in another order. */
Test(verify, file_saved_with_customized_weights_is_that_of_an_import)
{
    macadam_engine *engine;
    import_grid(false);
    FIXTURE_CALL(macadam_engine_open, &engine, path, NULL);
    FIXTURE_CALL(macadam_engine_save_ready, engine, path);
    macadam_engine_close(engine);
    size_t bytes;
    unsigned char *const file = files_read(path, &bytes);
    free(image);
    image = edge_unpack(file, bytes, &image_bytes);
    free(file);
    cr_assert_eq(edge_header(image)->section_count, edge_header(good)->section_count);
    for (size_t i = 0; i < edge_header(image)->section_count; ++i) {
        const mcd_file_section *const found = &edge_directory(image)[i], *const expected = &edge_directory(
                                                                             good)[index_of(found->name)];
        cr_assert_eq(found->bytes, expected->bytes, "section '%s'", found->name);
        cr_expect_eq(memcmp(image + found->offset, good + expected->offset, found->bytes), 0, "section '%s'",
                     found->name);
    }
    cr_assert(is_passed("saved"));
}

/* Two arcs of node 0 exchange heads: the tree that the arcs make is another. */
Test(verify, order_of_another_elimination_tree_is_refused)
{
    import_grid(false);
    read_grid();
    size_t refused = 0;
    const size_t section = index_of("head");
    uint32_t *const head = (uint32_t *)(image + edge_directory(good)[section].offset);
    for (size_t arc = 0; arc < ARCS; ++arc) {
        const uint32_t before = head[arc];
        head[arc] = NODES - 1;
        seal(section);
        refused += !is_passed("head");
        head[arc] = before;
    }
    cr_expect_gt(refused, ARCS / 2);
}

/* ---- files that change ---- */

/* A mapped file would end this process. */
Test(verify, file_that_was_read_may_be_cut_off)
{
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .read_file = true};
    FIXTURE_CALL(macadam_engine_open, &engine, path, &options);
    files_write(path, "", 0);
    FIXTURE_CALL(macadam_engine_trim, engine);
    FIXTURE_CALL(macadam_engine_verify, engine);
    compare_answers(engine, "duration", "none");
}

/* ---- numbers ---- */

static void expect_refused(const char *name, const char *message)
{
    macadam_error error = {""};
    seal(index_of(name));
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_image();
    cr_assert_not_null(engine);
    cr_expect_eq(macadam_engine_verify(engine, &error), MACADAM_E_FILE);
    cr_expect(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
}

Test(verify, number_of_two_arcs_is_refused)
{
    uint64_t *const number =
        (uint64_t *)(void *)(image + edge_directory(good)[index_of("arc_number")].offset);
    number[0] = number[1];
    expect_refused("arc_number", "section 'arc_number': element 1 is");
}

Test(verify, difference_is_named)
{
    uint32_t *const weight =
        (uint32_t *)(void *)(image +
                             edge_directory(good)[index_of("kept.duration.forward.objective")].offset);
    weight[3] += 5;
    expect_refused("kept.duration.forward.objective",
                   "section 'kept.duration.forward.objective': element 3 is");
    expect_refused("kept.duration.forward.objective", "but what it follows from makes it");
}

Test(verify, places_and_counts_that_follow_from_others_are_compared)
{
    uint64_t *const count =
        (uint64_t *)(void *)(image + edge_directory(good)[index_of("weight_counts.duration")].offset);
    ++count[0];
    expect_refused("weight_counts.duration", "section 'weight_counts.duration': element 0 is");
    --count[0];
    seal(index_of("weight_counts.duration"));
    int32_t *const lon = (int32_t *)(void *)(image + edge_directory(good)[index_of("node_lon_e7")].offset);
    ++lon[2];
    expect_refused("node_lon_e7", "section 'node_lon_e7': element 2 is");
}

Test(verify, box_that_leaves_out_a_piece_is_refused)
{
    int32_t *const side = (int32_t *)(void *)(image + edge_directory(good)[index_of("snap_box")].offset);
    ++side[0]; /* the west of the first leaf */
    expect_refused("snap_box", "section 'snap_box': element 0 is");
}
