/* test_device_division.c - answers divided among devices: every part equals one processor's answer for its
 * sources. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_MAX = 160, TARGETS = 37, GROUP = 32, DEVICES_MAX = 4 };

static test_graph graph;
static fixture_engine fixture; /* its engine: the processor's */
static macadam_place place[SOURCES_MAX + TARGETS];
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    emulated_module_install();
    graph = graphs_make_named("islands");
    fixture_open(&fixture, &graph, 2);
    for (uint32_t i = 0; i < SOURCES_MAX + TARGETS; ++i)
        place[i] = fixture_place(i * 7 % (uint32_t)graph.node_count);
}

static void tear_down(void)
{
    fixture_close(&fixture);
    test_graph_free(&graph);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(device_division, .init = set_up, .fini = tear_down);

/* On `devices` emulated devices in all, the same number throughout a test: the module counts them once. */
static macadam_engine *open_on(const char *device, int devices)
{
    const char number[2] = {(char)('0' + devices), '\0'};
    cr_assert_eq(setenv("MCD_EMULATED_DEVICES", number, 1), 0);
    return emulated_module_open(fixture.path, device, 2);
}

static void close_engine(macadam_engine *engine)
{
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
    cuda_emulator_reset();
}

/* ---- questions ---- */

typedef struct division_question {
    const char *name;
    bool is_matrix;
    macadam_order order;
    size_t quantity_count;
    bool in_engine_order; /* of a matrix: the same on every device */
} division_question;

static const division_question asked[] = {
    {.name = "lanes", .order = MACADAM_ORDER_LANES, .quantity_count = 2},
    {.name = "one quantity's lanes", .order = MACADAM_ORDER_LANES, .quantity_count = 1},
    {.name = "rows by node", .order = MACADAM_ORDER_NODES, .quantity_count = 2},
    {.name = "rows by id", .order = MACADAM_ORDER_IDS, .quantity_count = 1},
    {.name = "a matrix", .is_matrix = true, .quantity_count = 2},
    {.name = "one quantity's matrix", .is_matrix = true, .quantity_count = 1},
    {.name = "a matrix in the engine's order",
     .is_matrix = true,
     .quantity_count = 2,
     .in_engine_order = true},
};
enum { ASKED = sizeof asked / sizeof asked[0] };

static size_t columns_of(const division_question *question)
{
    return question->is_matrix ? TARGETS : graph.node_count;
}

static macadam_status ask(const division_question *question, macadam_engine *engine, size_t sources,
                          uint32_t *const *value)
{
    const macadam_query query = {
        .size = sizeof query, .quantity = fixture_quantity, .quantity_count = question->quantity_count};
    const macadam_tree_request tree = {
        .size = sizeof tree, .source = place, .source_count = sources, .order = question->order};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = place;
    matrix.source_count = sources;
    matrix.target = place + SOURCES_MAX;
    matrix.target_count = TARGETS;
    uint64_t order[SOURCES_MAX + TARGETS];
    if (question->in_engine_order) matrix.order = order;
    return question->is_matrix ? macadam_matrix_find_into(value, NULL, engine, &query, &matrix, &error)
                               : macadam_tree_find(value, NULL, engine, &query, &tree, &error);
}

static uint32_t *divided(macadam_engine *engine, size_t sources, size_t columns)
{
    void *memory;
    FIXTURE_CALL(macadam_memory_new_divided, &memory, engine, sources, columns * sizeof(uint32_t));
    return memory;
}

static macadam_memory_part part_at(macadam_engine *engine, const uint32_t *memory, size_t index)
{
    macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
    FIXTURE_CALL(macadam_memory_part_at, &part, engine, memory, index);
    return part;
}

/* ---- answers ---- */

/* A part of the answer against `right`, which lies as the whole does. */
static void compare_part(const division_question *question, macadam_engine *engine,
                         const macadam_memory_part *part, const uint32_t *right, size_t sources)
{
    const size_t columns = columns_of(question), cells = part->source_count * columns;
    const bool lanes = !question->is_matrix && question->order == MACADAM_ORDER_LANES;
    FREED uint32_t *const found = checked_allocate(cells, sizeof *found);
    FIXTURE_CALL(macadam_memory_read, found, engine, part->memory, cells * sizeof *found);
    for (size_t s = 0; s < part->source_count; ++s)
        for (size_t c = 0; c < columns; ++c) {
            const size_t source = part->first_source + s;
            const uint32_t own = found[lanes ? c * part->source_count + s : s * columns + c];
            const uint32_t expected = right[lanes ? c * sources + source : source * columns + c];
            cr_assert_eq(own, expected, "%s of %zu sources: source %zu, column %zu is %u, not %u",
                         question->name, sources, source, c, own, expected);
        }
}

static void compare(const division_question *question, macadam_engine *engine, size_t sources)
{
    const size_t columns = columns_of(question);
    uint32_t *right[2], *memory[2];
    for (size_t q = 0; q < 2; ++q) {
        right[q] = checked_allocate(sources * columns, sizeof *right[q]);
        memory[q] = divided(engine, sources, columns);
    }
    fixture_expect_ok(ask(question, fixture.engine, sources, right), &error, question->name);
    fixture_expect_ok(ask(question, engine, sources, memory), &error, question->name);
    for (size_t q = 0; q < question->quantity_count; ++q) {
        const size_t parts = part_at(engine, memory[q], 0).part_count;
        for (size_t p = 0; p < parts; ++p) {
            const macadam_memory_part part = part_at(engine, memory[q], p);
            compare_part(question, engine, &part, right[q], sources);
        }
    }
    for (size_t q = 0; q < 2; ++q) {
        macadam_memory_free(engine, memory[q]);
        free(right[q]);
    }
}

static void compare_all(const char *device, int devices)
{
    static const size_t sources[] = {1, 16, 32, 48, 112, SOURCES_MAX};
    macadam_engine *const engine = open_on(device, devices);
    for (size_t a = 0; a < ASKED; ++a)
        for (size_t s = 0; s < sizeof sources / sizeof sources[0]; ++s)
            if (asked[a].order != MACADAM_ORDER_LANES || sources[s] % 16 == 0)
                compare(&asked[a], engine, sources[s]);
    close_engine(engine);
}

Test(device_division, equals_the_processors_on_two_devices)
{
    compare_all("cuda:all", 2);
}

Test(device_division, equals_the_processors_on_three_devices)
{
    compare_all("cuda:all", 3);
}

Test(device_division, equals_the_processors_on_four_devices)
{
    compare_all("cuda:all", DEVICES_MAX);
}

Test(device_division, equals_the_processors_where_one_computes)
{
    compare_all("cpu", 2);
    compare_all("cuda:1", 2);
}

/* Groups are dealt out evenly, the first devices having the odd ones. */
static void expect_parts(int devices, size_t sources)
{
    macadam_engine *const engine = open_on("cuda:all", devices);
    const size_t groups = (sources + GROUP - 1) / GROUP;
    const size_t parts = groups < (size_t)devices ? groups : (size_t)devices;
    uint32_t *const memory = divided(engine, sources, 1);
    cr_assert_eq(part_at(engine, memory, 0).memory, memory);
    size_t next = 0;
    for (size_t p = 0; p < parts; ++p) {
        const macadam_memory_part part = part_at(engine, memory, p);
        const size_t own = (groups / parts + (p < groups % parts)) * GROUP;
        cr_assert_eq(part.part_count, parts, "%zu sources on %d devices", sources, devices);
        cr_assert_eq(part.device, (int)p);
        cr_assert_eq(part.first_source, next);
        cr_assert_eq(part.source_count, p + 1 < parts ? own : sources - next);
        next += part.source_count;
    }
    cr_assert_eq(next, sources);
    macadam_memory_free(engine, memory);
    close_engine(engine);
}

static void expect_groups(int devices)
{
    static const size_t sources[] = {1, 31, 32, 33, 64, 65, 127, 129, 160, 1000, 4096};
    for (size_t s = 0; s < sizeof sources / sizeof sources[0]; ++s) expect_parts(devices, sources[s]);
}

Test(device_division, is_by_groups_of_sources_on_two_devices)
{
    expect_groups(2);
}

Test(device_division, is_by_groups_of_sources_on_four_devices)
{
    expect_groups(DEVICES_MAX);
}

Test(device_division, is_one_part_of_the_hosts_memory_where_the_processor_computes)
{
    macadam_engine *const engine = open_on("cpu", 2);
    uint32_t *const memory = divided(engine, 100, 3);
    const macadam_memory_part part = part_at(engine, memory, 0);
    cr_assert_eq(part.part_count, 1);
    cr_assert_eq(part.device, -1);
    cr_assert_eq(part.source_count, 100);
    memset(memory, 1, 100 * 3 * sizeof *memory);
    close_engine(engine); /* which frees what is left */
}

/* ---- misuse ---- */

static void expect_failure(macadam_status status, macadam_status expected, const char *message)
{
    cr_assert_eq(status, expected, "expected: %s", message);
    cr_assert_not_null(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
}

static void expect_refusals(const char *device)
{
    const division_question *const lanes = &asked[1], *const matrix = &asked[5], *const both = &asked[4];
    macadam_engine *const engine = open_on(device, 2);
    uint32_t *const memory = divided(engine, 96, TARGETS), *const small = divided(engine, 96, TARGETS - 1);
    uint32_t *const plain = checked_allocate(96 * TARGETS, sizeof *plain), *inside = memory + 1;
    uint32_t *const one_of_two[2] = {memory, plain};
    expect_failure(ask(matrix, engine, 95, &(uint32_t *){memory}), MACADAM_E_INVALID,
                   "95 sources into memory divided for 96");
    expect_failure(ask(lanes, engine, 96, &(uint32_t *){small}), MACADAM_E_INVALID,
                   "bytes a source into memory divided for 144");
    expect_failure(ask(matrix, engine, 96, &inside), MACADAM_E_INVALID, "not from its beginning");
    expect_failure(ask(both, engine, 96, one_of_two), MACADAM_E_INVALID, "one does not");
    const macadam_routes_request routes = {
        .size = sizeof routes, .source = place, .target = place, .pair_count = 3};
    expect_failure(macadam_routes_find(&(uint32_t *){memory}, NULL, engine, NULL, &routes, &error),
                   MACADAM_E_INVALID, "only trees and matrices");
    macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
    const size_t parts = part_at(engine, memory, 0).part_count;
    expect_failure(macadam_memory_part_at(&part, engine, memory, parts, &error), MACADAM_E_INVALID,
                   "no part");
    expect_failure(macadam_memory_part_at(&part, engine, inside, 0, &error), MACADAM_E_INVALID, "no divided");
    expect_failure(macadam_memory_part_at(&part, engine, plain, 0, &error), MACADAM_E_INVALID, "no divided");
    expect_failure(macadam_memory_part_at(NULL, engine, memory, 0, &error), MACADAM_E_INVALID, "NULL");
    expect_failure(macadam_memory_part_at(&part, NULL, memory, 0, &error), MACADAM_E_INVALID, "no engine");
    part = part_at(engine, memory, parts - 1);
    const uint64_t bytes = part.source_count * TARGETS * sizeof *memory;
    expect_failure(macadam_memory_read(plain, engine, part.memory, bytes + 1, &error), MACADAM_E_INVALID,
                   "bytes from byte 0 on");
    free(plain);
    close_engine(engine);
}

Test(device_division, misuse_is_refused)
{
    expect_refusals("cpu");
    expect_refusals("cuda:1");
    expect_refusals("cuda:all");
}

Test(device_division, sizes_that_cannot_be_are_refused)
{
    macadam_engine *const engine = open_on("cuda:all", 2);
    void *memory = &fixture;
    expect_failure(macadam_memory_new_divided(&memory, engine, 0, 4, &error), MACADAM_E_INVALID, "0 sources");
    cr_assert_null(memory);
    expect_failure(macadam_memory_new_divided(&memory, engine, 1 << 20, UINT64_MAX, &error),
                   MACADAM_E_INVALID, "sources of");
    expect_failure(macadam_memory_new_divided(&memory, engine, (size_t)1 << 40, 4, &error), MACADAM_E_INVALID,
                   "sources of");
    expect_failure(macadam_memory_new_divided(NULL, engine, 1, 4, &error), MACADAM_E_INVALID, "no place");
    expect_failure(macadam_memory_new_divided(&memory, NULL, 1, 4, &error), MACADAM_E_INVALID, "no engine");
    close_engine(engine);
}

/* ---- failures ---- */

Test(device_division, lack_of_memory_on_any_device_leaves_nothing)
{
    macadam_engine *const engine = open_on("cuda:all", DEVICES_MAX);
    const size_t before = cuda_emulator_live_allocations();
    void *memory;
    for (size_t nth = 1; nth <= DEVICES_MAX; ++nth) {
        cuda_emulator_fail_allocation(nth);
        expect_failure(macadam_memory_new_divided(&memory, engine, SOURCES_MAX, 40, &error), MACADAM_E_DEVICE,
                       "out of memory");
        cr_assert_null(memory);
        cr_assert_eq(cuda_emulator_live_allocations(), before);
    }
    macadam_memory_free(engine, divided(engine, SOURCES_MAX, 10));
    close_engine(engine);
}

Test(device_division, lost_device_is_a_status)
{
    for (size_t a = 0; a < ASKED; ++a) {
        bool has_failed = true;
        for (size_t nth = 1; has_failed; nth += nth / 2 + 1) {
            macadam_engine *const engine = open_on("cuda:all", 2);
            uint32_t *const memory[2] = {divided(engine, 96, columns_of(&asked[a])),
                                         divided(engine, 96, columns_of(&asked[a]))};
            cuda_emulator_lose_device(nth, CUDA_EMULATOR_FAULT);
            const macadam_status status = ask(&asked[a], engine, 96, memory);
            has_failed = cuda_emulator_has_failed();
            cuda_emulator_lose_device(0, CUDA_EMULATOR_FAULT);
            cr_assert(status == MACADAM_OK || (has_failed && status == MACADAM_E_DEVICE), "%s",
                      error.message);
            if (status) { /* the first may have failed at the other device, before the lost one was used */
                cr_assert_eq(ask(&asked[a], engine, 96, memory), MACADAM_E_DEVICE);
                expect_failure(ask(&asked[a], engine, 96, memory), MACADAM_E_DEVICE,
                               "the processor cannot write");
            }
            close_engine(engine);
        }
    }
}
