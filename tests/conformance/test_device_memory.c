/* test_device_memory.c - answers in a device's memory, in pinned memory and in plain memory, on devices and
 * on the processor; the requests that are refused; and the answers' fate if the device is lost. */
#include "engine/runtime/engine.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LANES = 48, SIDE = 37, PAIRS = LANES, OFFSET = 3 };

static test_graph graph;
static fixture_engine fixture; /* its engine: the processor's */
static macadam_place place[2 * LANES];
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    emulated_module_install();
    graph = graphs_make_named("islands");
    fixture_open(&fixture, &graph, 2);
    for (uint32_t i = 0; i < 2 * LANES; ++i) place[i] = fixture_place(i * 7 % (uint32_t)graph.node_count);
}

static void tear_down(void)
{
    fixture_close(&fixture);
    test_graph_free(&graph);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(device_memory, .init = set_up, .fini = tear_down);

static void close_engine(macadam_engine *engine)
{
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
    cuda_emulator_reset();
}

/* ---- questions ---- */

/* Asks into value[0] and value[1], objective and companion. */
typedef macadam_status (*ask_into)(macadam_engine *engine, uint32_t *const *value);

static macadam_query both_quantities(void)
{
    const macadam_query query = {.size = sizeof query, .quantity = fixture_quantity, .quantity_count = 2};
    return query;
}

static macadam_status ask_trees(macadam_engine *engine, uint32_t *const *value, macadam_order order,
                                size_t count)
{
    const macadam_query query = both_quantities();
    const macadam_tree_request request = {
        .size = sizeof request, .source = place, .source_count = count, .order = order};
    return macadam_tree_find(value, NULL, engine, &query, &request, &error);
}

static macadam_status ask_lanes(macadam_engine *engine, uint32_t *const *value)
{
    return ask_trees(engine, value, MACADAM_ORDER_LANES, LANES);
}

static macadam_status ask_rows(macadam_engine *engine, uint32_t *const *value)
{
    return ask_trees(engine, value, MACADAM_ORDER_IDS, LANES);
}

static macadam_status ask_one_row(macadam_engine *engine, uint32_t *const *value)
{
    return ask_trees(engine, value, MACADAM_ORDER_NODES, 1);
}

static macadam_status ask_matrix(macadam_engine *engine, uint32_t *const *value)
{
    const macadam_query query = both_quantities();
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = place;
    request.target = place + LANES;
    request.source_count = request.target_count = SIDE;
    return macadam_matrix_find_into(value, NULL, engine, &query, &request, &error);
}

static macadam_routes_request routes_request(void)
{
    const macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = place + LANES, .pair_count = PAIRS};
    return request;
}

static macadam_status ask_routes(macadam_engine *engine, uint32_t *const *value)
{
    const macadam_query query = both_quantities();
    const macadam_routes_request request = routes_request();
    return macadam_routes_find(value, NULL, engine, &query, &request, &error);
}

static bool drop_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)context, (void)pair, (void)arc, (void)arc_count;
    return true;
}

static macadam_status ask_paths(macadam_engine *engine, uint32_t *const *value)
{
    const macadam_query query = both_quantities();
    const macadam_routes_request request = routes_request();
    return macadam_routes_find_paths(value, NULL, engine, &query, &request, drop_path, NULL, &error);
}

static macadam_status ask_all_pairs(macadam_engine *engine, uint32_t *const *value)
{
    const macadam_query query = both_quantities();
    const macadam_all_pairs_request request = {.size = sizeof request, .method = "sweep"};
    return macadam_all_pairs_find_into(value, NULL, engine, &query, &request, &error);
}

/* Asks only for objectives, into each. */
static macadam_status ask_dense(macadam_engine *engine, uint32_t *const *value)
{
    const macadam_all_pairs_request request = {.size = sizeof request, .method = "floyd-warshall"};
    const macadam_status status = macadam_all_pairs_find_into(value, NULL, engine, NULL, &request, &error);
    return status ? status : macadam_all_pairs_find_into(value + 1, NULL, engine, NULL, &request, &error);
}

static const struct {
    const char *name;
    ask_into ask;
} asked[] = {{"lanes", ask_lanes},         {"rows", ask_rows},
             {"one row", ask_one_row},     {"matrix", ask_matrix},
             {"routes", ask_routes},       {"paths", ask_paths},
             {"all pairs", ask_all_pairs}, {"all pairs over a matrix", ask_dense}};
enum { ASKED = sizeof asked / sizeof asked[0] };

/* Room for any answer, and OFFSET cells before it. */
static size_t cells(void)
{
    return OFFSET + LANES * graph.node_count + SIDE * SIDE + graph.node_count * graph.node_count;
}

/* ---- memory ---- */

enum { PLAIN = MACADAM_MEMORY_PINNED + 1, KINDS };

static uint32_t *memory_of(macadam_engine *engine, int kind)
{
    void *memory;
    if (kind == PLAIN) return checked_allocate(cells(), sizeof(uint32_t));
    FIXTURE_CALL(macadam_memory_new, &memory, engine, (macadam_memory_kind)kind, cells() * sizeof(uint32_t));
    cr_assert_eq((uintptr_t)memory % 64, 0);
    return memory;
}

static void free_memory(macadam_engine *engine, int kind, uint32_t *memory)
{
    if (kind == PLAIN)
        free(memory);
    else
        macadam_memory_free(engine, memory);
}

/* Asks into memory of two kinds that holds zeros, and compares all of it with the processor's in plain
 * memory. */
static void compare(macadam_engine *engine, size_t index, const int kind[2])
{
    uint32_t *right[2], *memory[2], *found = checked_allocate(cells(), sizeof *found);
    for (int q = 0; q < 2; ++q) {
        right[q] = checked_zeroed(cells(), sizeof *right[q]);
        memory[q] = memory_of(engine, kind[q]);
    }
    uint32_t *const into[2] = {right[0] + OFFSET, right[1]};
    uint32_t *const to[2] = {memory[0] + OFFSET, memory[1]};
    fixture_expect_ok(asked[index].ask(fixture.engine, into), &error, asked[index].name);
    fixture_expect_ok(asked[index].ask(engine, to), &error, asked[index].name);
    const size_t count = index < 2    ? LANES * graph.node_count
                         : index == 2 ? graph.node_count
                         : index == 3 ? SIDE * SIDE
                         : index < 6  ? PAIRS
                                      : graph.node_count * graph.node_count;
    for (int q = 0; q < 2; ++q) {
        FIXTURE_CALL(macadam_memory_read, found, engine, to[q], count * sizeof *found);
        cr_assert_arr_eq(found, into[q], count * sizeof *found, "%s in memory of kinds %d and %d",
                         asked[index].name, kind[0], kind[1]);
        free_memory(engine, kind[q], memory[q]);
        free(right[q]);
    }
    free(found);
}

Test(device_memory, holds_every_answer)
{
    static const char *const device[] = {"cpu", "cuda", "cuda:1", "cuda:all"};
    for (size_t d = 0; d < sizeof device / sizeof device[0]; ++d) {
        macadam_engine *const engine = emulated_module_open(fixture.path, device[d], 2);
        for (size_t i = 0; i < ASKED; ++i)
            for (int kinds = 0; kinds < KINDS * KINDS; ++kinds)
                compare(engine, i, (const int[]){kinds / KINDS, kinds % KINDS});
        close_engine(engine);
    }
}

Test(device_memory, lies_where_its_kind_says)
{
    macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 1);
    const size_t before = cuda_emulator_live_allocations();
    uint32_t *const device = memory_of(engine, MACADAM_MEMORY_DEVICE);
    uint32_t *const pinned = memory_of(engine, MACADAM_MEMORY_PINNED);
    cr_assert_eq(cuda_emulator_live_allocations(), before + 2);
    memset(pinned, 1, cells() * sizeof *pinned);
    macadam_memory_free(engine, pinned);
    cr_assert_eq(cuda_emulator_live_allocations(), before + 1);
    macadam_memory_free(engine, device);
    cr_assert_eq(cuda_emulator_live_allocations(), before);
    close_engine(engine);
}

Test(device_memory, what_is_left_goes_with_the_engine)
{
    static const char *const device[] = {"cpu", "cuda"};
    for (size_t d = 0; d < 2; ++d) {
        macadam_engine *const engine = emulated_module_open(fixture.path, device[d], 1);
        const size_t alive = allocator_live_count();
        uint32_t *memory[4];
        for (int i = 0; i < 4; ++i) memory[i] = memory_of(engine, i % 2);
        macadam_memory_free(engine, memory[2]);
        cr_assert_gt(allocator_live_count(), alive);
        close_engine(engine);
    }
}

/* ---- misuse ---- */

static void expect_failure(macadam_status status, macadam_status expected, const char *message)
{
    cr_assert_eq(status, expected, "expected: %s", message);
    cr_assert_not_null(strstr(error.message, message), "'%s' does not say '%s'", error.message, message);
}

Test(device_memory, misuse_is_refused)
{
    static const char *const device[] = {"cpu", "cuda"};
    for (size_t d = 0; d < 2; ++d) {
        macadam_engine *const engine = emulated_module_open(fixture.path, device[d], 1);
        void *memory = &fixture, *const aside = &fixture;
        char out[100];
        expect_failure(macadam_memory_new(NULL, engine, MACADAM_MEMORY_PINNED, 1, &error), MACADAM_E_INVALID,
                       "no place");
        expect_failure(macadam_memory_new(&memory, NULL, MACADAM_MEMORY_PINNED, 1, &error), MACADAM_E_INVALID,
                       "no engine");
        cr_assert_null(memory);
        memory = aside;
        expect_failure(macadam_memory_new(&memory, engine, (macadam_memory_kind)7, 1, &error),
                       MACADAM_E_INVALID, "kind of memory 7");
        cr_assert_null(memory);
        FIXTURE_CALL(macadam_memory_new, &memory, engine, MACADAM_MEMORY_DEVICE, 100);
        expect_failure(macadam_memory_read(out, NULL, memory, 1, &error), MACADAM_E_INVALID, "no engine");
        expect_failure(macadam_memory_read(NULL, engine, memory, 1, &error), MACADAM_E_INVALID, "to");
        expect_failure(macadam_memory_read(out, engine, NULL, 1, &error), MACADAM_E_INVALID, "from");
        expect_failure(macadam_memory_read(out, engine, (char *)memory + 40, 61, &error), MACADAM_E_INVALID,
                       "61 bytes from byte 40 on of memory of 100 bytes");
        cr_assert_eq(macadam_memory_read(out, engine, (char *)memory + 40, 60, &error), MACADAM_OK);
        cr_assert_eq(macadam_memory_read(NULL, engine, NULL, 0, &error), MACADAM_OK);
        macadam_memory_free(engine, NULL);
        macadam_memory_free(engine, out);                /* not its own: nothing happens */
        macadam_memory_free(engine, (char *)memory + 1); /* nor its beginning */
        macadam_memory_free(NULL, memory);
        cr_assert_eq(macadam_memory_read(out, engine, memory, 100, &error), MACADAM_OK);
        macadam_memory_free(engine, memory);
        FIXTURE_CALL(macadam_memory_new, &memory, engine, MACADAM_MEMORY_PINNED, 0);
        cr_assert_not_null(memory);
        macadam_memory_free(engine, memory);
        close_engine(engine);
    }
}

Test(device_memory, lack_of_it_is_a_status)
{
    macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 1);
    void *memory = &fixture;
    expect_failure(macadam_memory_new(&memory, engine, MACADAM_MEMORY_DEVICE, 1ull << 40, &error),
                   MACADAM_E_DEVICE, "out of memory: 1099511627776 bytes are needed");
    cr_assert_null(memory);
    for (int kind = MACADAM_MEMORY_DEVICE; kind <= MACADAM_MEMORY_PINNED; ++kind) {
        cuda_emulator_fail_allocation(1);
        expect_failure(macadam_memory_new(&memory, engine, (macadam_memory_kind)kind, 10, &error),
                       MACADAM_E_DEVICE, "out of memory: 10 bytes are needed");
        cr_assert_null(memory);
        allocator_fail(1);
        expect_failure(macadam_memory_new(&memory, engine, (macadam_memory_kind)kind, 10, &error),
                       MACADAM_E_MEMORY, "cannot allocate");
        cr_assert_null(memory);
        allocator_fail(0);
        free_memory(engine, kind, memory_of(engine, kind)); /* and the device is as good as before */
    }
    close_engine(engine);
}

/* ---- lost devices ---- */

/* The device's memory must hold one or both quantities of the answer. */
static void lose_while_answering(size_t index, int kind, cuda_emulator_loss loss)
{
    bool has_failed = true;
    const size_t bytes = cells() * sizeof(uint32_t);
    for (size_t nth = 1; has_failed; nth += nth / 4 + 1) {
        macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
        uint32_t *const memory[2] = {memory_of(engine, kind), memory_of(engine, MACADAM_MEMORY_DEVICE)};
        error.message[0] = '\0';
        cuda_emulator_lose_device(nth, loss);
        const macadam_status status = asked[index].ask(engine, memory);
        has_failed = cuda_emulator_has_failed();
        cuda_emulator_lose_device(0, loss);
        cr_assert(status == MACADAM_OK || (has_failed && status == MACADAM_E_DEVICE), "%s", error.message);
        if (status) cr_assert_str_not_empty(error.message);
        if (status) {
            FREED void *const before = checked_allocate(bytes, 1); /* emulated devices let the host look */
            memcpy(before, memory[1], bytes);
            expect_failure(asked[index].ask(engine, memory), MACADAM_E_DEVICE, "the processor cannot write");
            cr_assert_arr_eq(before, memory[1], bytes, "%s was written by the processor", asked[index].name);
            expect_failure(macadam_memory_read(before, engine, memory[1], bytes, &error), MACADAM_E_DEVICE,
                           "lost");
        }
        if (!status && !has_failed) macadam_memory_free(engine, memory[0]);
        close_engine(engine);
    }
}

Test(device_memory, no_processor_answers_into_that_of_a_lost_device)
{
    for (size_t i = 0; i < ASKED; ++i) {
        lose_while_answering(i, MACADAM_MEMORY_DEVICE, CUDA_EMULATOR_FAULT);
        lose_while_answering(i, MACADAM_MEMORY_PINNED, CUDA_EMULATOR_UNAVAILABLE);
    }
}

/* Too little memory for the answer's scratch loses nothing: the message is the device's. */
Test(device_memory, no_processor_answers_into_it_for_want_of_scratch)
{
    macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
    uint32_t *const memory[2] = {memory_of(engine, MACADAM_MEMORY_DEVICE),
                                 memory_of(engine, MACADAM_MEMORY_DEVICE)};
    for (size_t i = 0; i < ASKED; ++i) {
        const bool dense = asked[i].ask == ask_dense;
        cuda_emulator_set_memory(1);
        expect_failure(asked[i].ask(engine, memory), MACADAM_E_DEVICE,
                       dense ? "bytes of each device" : "out of memory");
        cuda_emulator_reset();
        fixture_expect_ok(asked[i].ask(engine, memory), &error, asked[i].name);
    }
    close_engine(engine);
}

Test(device_memory, pinned_memory_outlives_its_device)
{
    for (size_t i = 0; i < ASKED; ++i) {
        macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
        const size_t bytes = cells() * sizeof(uint32_t);
        uint32_t *const memory[2] = {memory_of(engine, MACADAM_MEMORY_PINNED),
                                     memory_of(engine, MACADAM_MEMORY_PINNED)};
        uint32_t *const right[2] = {checked_zeroed(bytes, 1), checked_zeroed(bytes, 1)};
        for (int q = 0; q < 2; ++q) memset(memory[q], 0, bytes);
        cuda_emulator_lose_device(1, CUDA_EMULATOR_FAULT);
        fixture_expect_ok(asked[i].ask(engine, memory), &error, asked[i].name);
        fixture_expect_ok(asked[i].ask(fixture.engine, right), &error, asked[i].name);
        for (int q = 0; q < 2; ++q) {
            cr_assert_arr_eq(memory[q], right[q], bytes, "%s", asked[i].name);
            FIXTURE_CALL(macadam_memory_read, right[q], engine, memory[q], bytes);
            free(right[q]);
        }
        compare(engine, i, (const int[]){MACADAM_MEMORY_DEVICE, PLAIN}); /* both the host's, by now */
        close_engine(engine);
    }
}

/* The processor must not touch the caller's own device memory: it is an address that only the device can
 * use. */
Test(device_memory, what_no_processor_may_touch_is_refused)
{
    const size_t bytes = cells() * sizeof(uint32_t);
    void *const own = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(own, MAP_FAILED);
    macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
    uint32_t *const plain = memory_of(engine, PLAIN), *const value[2] = {plain, own};
    cuda_emulator_lose_device(1, CUDA_EMULATOR_FAULT);
    for (size_t i = 0; i < ASKED; ++i) {
        const macadam_status status = asked[i].ask(engine, value);
        cr_assert_eq(status, MACADAM_E_DEVICE, "%s: %d", asked[i].name, (int)status);
    }
    expect_failure(macadam_memory_read(plain, engine, own, bytes, &error), MACADAM_E_DEVICE, "lost");
    free(plain);
    munmap(own, bytes);
    close_engine(engine);
}

/* ---- what an engine keeps ---- */

static macadam_info info_of(macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    return info;
}

/* Asks everything, into memory of the library's host. */
static void ask_all(macadam_engine *engine)
{
    uint32_t *const value[2] = {checked_zeroed(cells(), sizeof *value[0]),
                                checked_zeroed(cells(), sizeof *value[0])};
    for (size_t i = 0; i < ASKED; ++i) fixture_expect_ok(asked[i].ask(engine, value), &error, asked[i].name);
    free(value[0]);
    free(value[1]);
}

static macadam_engine *open_limited(const char *device, uint64_t memory_limit)
{
    const macadam_engine_options options = {
        .size = sizeof options, .device = device, .memory_limit = memory_limit};
    macadam_engine *engine;
    fixture_expect_ok(macadam_engine_open(&engine, fixture.path, &options, &error), &error, device);
    return engine;
}

Test(device_memory, trim_gives_back_what_calls_left)
{
    static const char *const device[] = {"cuda", "cuda:all", "cpu"};
    cr_assert_eq(macadam_engine_trim(NULL, &error), MACADAM_E_INVALID);
    for (size_t d = 0; d < 3; ++d) {
        const bool is_gpu = d < 2;
        macadam_engine *const engine = open_limited(device[d], 0);
        for (int round = 0; round < 2; ++round) { /* what was given back comes again */
            ask_all(engine);
            const macadam_info before = info_of(engine);
            cr_assert_eq(before.device_bytes > 0, is_gpu, "%s", device[d]);
            cr_assert_eq(before.idle_device_bytes > 0, is_gpu, "%s", device[d]);
            cr_assert_gt(before.idle_host_bytes, 0, "%s", device[d]);
            FIXTURE_CALL(macadam_engine_trim, engine);
            const macadam_info after = info_of(engine);
            cr_assert_eq(after.device_bytes, before.device_bytes, "%s: the map stays", device[d]);
            cr_assert_eq(after.idle_device_bytes + after.idle_host_bytes, 0, "%s", device[d]);
        }
        close_engine(engine);
    }
}

Test(device_memory, memory_limit_bounds_what_stays)
{
    enum { LIMIT = 3 << 19 };
    macadam_engine *const engine = open_limited("cuda", LIMIT);
    ask_all(engine);
    const macadam_info info = info_of(engine);
    cr_assert_leq(info.idle_device_bytes, LIMIT);
    cr_assert_leq(info.idle_host_bytes, 2 * LIMIT); /* blocks, and what is pinned for copies */
    close_engine(engine);
}

/* An idle engine holds at most its map and 64 MB: pinned memory for copies is more. */
Test(device_memory, idle_engine_gives_back_by_itself)
{
    macadam_engine *const engine = open_limited("cuda", 0);
    enum { NEVER_MS = 1000000000 };
    engine->idle.after_ms = NEVER_MS;
    ask_all(engine);
    cr_assert_gt(info_of(engine).idle_host_bytes + info_of(engine).idle_device_bytes, 64 << 20);
    engine->idle.after_ms = 0;
    while (info_of(engine).idle_host_bytes + info_of(engine).idle_device_bytes > 0) {
        pthread_cond_signal(&engine->idle.ended); /* the thread may not wait yet */
        usleep(1000);
    }
    engine->idle.after_ms = NEVER_MS; /* the thread still waits when the engine closes */
    ask_all(engine);
    close_engine(engine);
}
