/* fuzz_call.c - sends any bytes to an engine over a small map: each call returns a status, and a Reply with
 * the same status. The first byte chooses between one reply and parts; updates of one input remain for the
 * next. */
#include "engine/include/macadam.h"
#include "tests/support/small_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "macadam/v1/reply.pb-c.h"

int LLVMFuzzerInitialize(int *argument_count, char ***argument);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static macadam_engine *engine;

static void require(bool holds, const char *claim)
{
    if (holds) return;
    fprintf(stderr, "fuzz_call: %s\n", claim);
    abort();
}

int LLVMFuzzerInitialize(int *argument_count, char ***argument)
{
    (void)argument_count;
    (void)argument;
    char path[] = "/tmp/macadam-fuzz-XXXXXX";
    const int descriptor = mkstemp(path);
    require(descriptor >= 0, "no temporary file");
    close(descriptor);
    const macadam_import_options import = {.size = sizeof import, .output = path, .threads = 1};
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    macadam_error error = {.message = ""};
    require(small_grid_import(6, 0, NULL, &import, &error) == MACADAM_OK, error.message);
    require(macadam_engine_open(&engine, path, &options, &error) == MACADAM_OK, error.message);
    unlink(path);
    return 0;
}

static bool take_part(void *context, const uint8_t *data, size_t size)
{
    size_t *left = context;
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, size, data);
    require(reply && reply->status == MACADAM__V1__STATUS__STATUS_OK, "a part is not a Reply");
    macadam__v1__reply__free_unpacked(reply, NULL);
    return (*left)-- > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return -1;
    size_t parts_wanted = data[0] >> 1;
    macadam_bytes bytes;
    macadam_error error = {.message = ""};
    const macadam_status status = macadam_call(&bytes, engine, data + 1, size - 1,
                                               data[0] & 1 ? take_part : NULL, &parts_wanted, &error);
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, bytes.size, bytes.data);
    require(reply, "the answer is not a Reply");
    require((int)reply->status == (int)status, "status and Reply differ");
    require((status == MACADAM_OK) == (reply->message[0] == '\0'),
            "a failure without a message, or the reverse");
    require((status == MACADAM_OK) == (error.message[0] == '\0'),
            "an error without a message, or the reverse");
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam_bytes_free(&bytes);
    return 0;
}
