/* call_fixture.c - see call_fixture.h. */
#include "tests/support/call_fixture.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>

macadam_engine *call_engine;

/* ---- the map ---- */

static void import_map(const char *path)
{
    static const int64_t id[] = {10, 20, 30, 40, 50};
    static const int32_t lon_e7[] = {70000000, 70010000, 70020000, 70010000, 71000000};
    static const int32_t lat_e7[] = {430000000, 430000000, 430000000, 429990000, 430000000};
    static const uint32_t tail[] = {0, 1, 0, 3, 2}, head[] = {1, 2, 3, 2, 0};
    static const uint32_t duration[] = {5, 1, 2, 3, 7}, distance[] = {10, 10, 1, 2, 0};
    static const char *const quantity[] = {"duration", "distance"};
    const uint32_t *const weight[] = {duration, distance};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = CALL_FIXTURE_NODES;
    input.arc_count = sizeof tail / sizeof *tail;
    input.id = id;
    input.lon_e7 = lon_e7;
    input.lat_e7 = lat_e7;
    input.tail = tail;
    input.head = head;
    input.quantity = quantity;
    input.weight = weight;
    input.quantity_count = 2;
    const macadam_import_options options = {.size = sizeof options, .output = path, .threads = 1};
    macadam_error error;
    fixture_expect_ok(macadam_import_arrays(&input, &options, &error), &error, path);
}

void call_fixture_open(void)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    allocator_install();
    files_new_path(folder, path, "map.mcd");
    import_map(path);
    call_engine = fixture_open_file(path, 1);
    files_remove_folder(folder); /* the engine holds the file open */
}

void call_fixture_close(void)
{
    allocator_fail(0);
    macadam_engine_close(call_engine);
    if (allocator_live_count() == 0) return;
    fprintf(stderr, "%zu blocks are left\n", allocator_live_count());
    abort(); /* Criterion takes no notice of an assertion here */
}

/* ---- requests ---- */

Macadam__V1__Reply *call_expect_bytes(const uint8_t *data, size_t size, macadam_reply_callback part,
                                      void *context, macadam_status expected)
{
    macadam_bytes bytes;
    macadam_error error = {.message = ""};
    const macadam_status status = macadam_call(&bytes, call_engine, data, size, part, context, &error);
    cr_assert_eq(status, expected, "%s: %s", macadam_status_name(status), error.message);
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, bytes.size, bytes.data);
    macadam_bytes_free(&bytes);
    cr_assert_not_null(reply);
    cr_assert_eq((int)reply->status, (int)expected);
    if (expected == MACADAM_OK) {
        cr_assert_str_empty(reply->message);
    } else {
        cr_assert_str_not_empty(reply->message);
        cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER__NOT_SET);
    }
    return reply;
}

Macadam__V1__Reply *call_expect(const Macadam__V1__Request *request, macadam_reply_callback part,
                                void *context, macadam_status expected)
{
    const size_t size = macadam__v1__request__get_packed_size(request);
    FREED uint8_t *data = checked_allocate(size, 1);
    macadam__v1__request__pack(request, data);
    Macadam__V1__Reply *reply = call_expect_bytes(data, size, part, context, expected);
    return reply;
}

bool call_refuse_part(void *context, const uint8_t *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return false;
}
