/* replies.c - answers a file of requests through macadam.h: the bytes that Java must have too.
 *
 *     replies MAP.mcd REQUESTS REPLIES
 *
 * Both files hold messages one after the other, each after its size as 4 bytes, the lowest first. */
#include "engine/include/macadam.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *message)
{
    fprintf(stderr, "replies: %s\n", message);
    exit(1);
}

/* Reads a message. Returns false at the end of the file. */
static bool read_message(FILE *from, uint8_t **data, size_t *size)
{
    uint8_t length[4];
    if (fread(length, 1, sizeof length, from) != sizeof length) return false;
    *size = (size_t)length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    *data = malloc(*size + 1);
    if (!*data || fread(*data, 1, *size, from) != *size) fail("a request is truncated");
    return true;
}

static void write_message(FILE *to, const macadam_bytes *bytes)
{
    const uint8_t length[4] = {(uint8_t)bytes->size, (uint8_t)(bytes->size >> 8),
                               (uint8_t)(bytes->size >> 16), (uint8_t)(bytes->size >> 24)};
    if (fwrite(length, 1, sizeof length, to) != sizeof length ||
        fwrite(bytes->data, 1, bytes->size, to) != bytes->size)
        fail("the replies cannot be written");
}

int main(int argc, char **argv)
{
    macadam_engine *engine;
    macadam_error error;
    if (argc != 4) fail("usage: replies MAP.mcd REQUESTS REPLIES");
    if (macadam_engine_open(&engine, argv[1], NULL, &error) != MACADAM_OK) fail(error.message);
    FILE *const from = fopen(argv[2], "rb"), *const to = fopen(argv[3], "wb");
    if (!from || !to) fail("a file cannot be opened");
    uint8_t *data;
    for (size_t size; read_message(from, &data, &size); free(data)) {
        macadam_bytes reply;
        macadam_call(&reply, engine, data, size, NULL, NULL, &error);
        write_message(to, &reply);
        macadam_bytes_free(&reply);
    }
    if (fclose(to) != 0) fail("the replies cannot be written");
    fclose(from);
    macadam_engine_close(engine);
    return 0;
}
