/* protobuf.c - a request and its replies as protobuf messages: as a server, or a host in another
 * language, passes them on. Run: protobuf town.mcd
 *
 * protoc-c makes the structures from proto/macadam/v1: CMakeLists.txt has the command.
 *
 * Prints:
 *     a tile: rows 0 to 1, columns 0 to 2: 17.4 0.0 -; 0.0 17.4 -
 *     target 2: UNKNOWN_ID
 *     the last reply: OK
 *     a bad request: INVALID
 */
#include <macadam.h>
#include <stdio.h>
#include <stdlib.h>

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

/* Receives one Reply: a tile of the matrix. */
static bool take(void *context, const uint8_t *data, size_t size)
{
    (void)context;
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, size, data);
    if (!reply || reply->answer_case != MACADAM__V1__REPLY__ANSWER_MATRIX) return false;
    const Macadam__V1__MatrixTile *const tile = reply->matrix;
    printf("a tile: rows %u to %u, columns %u to %u:", (unsigned)tile->row,
           (unsigned)(tile->row + tile->rows - 1), (unsigned)tile->column,
           (unsigned)(tile->column + tile->columns - 1));
    for (size_t i = 0; i < tile->value[0]->n_value; ++i) {
        const uint32_t cost = tile->value[0]->value[i];
        if (i > 0 && i % tile->columns == 0) printf(";");
        if (cost == MACADAM_UNREACHED)
            printf(" -");
        else
            printf(" %.1f", cost / 1000.0);
    }
    printf("\n");
    for (size_t i = 0; i < tile->n_target_status; ++i) {
        if (tile->target_status[i] == MACADAM__V1__PLACE_STATUS__PLACE_UNKNOWN_ID)
            printf("target %zu: UNKNOWN_ID\n", i);
    }
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

/* Sends the bytes and says what the last Reply's status is. */
static void send(macadam_engine *engine, const uint8_t *bytes, size_t size, const char *what)
{
    macadam_bytes last = {NULL, 0};
    macadam_call(&last, engine, bytes, size, take, NULL, NULL);
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, last.size, last.data);
    if (reply) {
        printf("%s: %s\n", what,
               protobuf_c_enum_descriptor_get_value(&macadam__v1__status__descriptor, reply->status)->name +
                   7);
        macadam__v1__reply__free_unpacked(reply, NULL);
    }
    macadam_bytes_free(&last);
}

int main(int argc, char **argv)
{
    macadam_error error;
    macadam_engine *engine;
    if (argc != 2 || macadam_engine_open(&engine, argv[1], NULL, &error) != MACADAM_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: protobuf FILE.mcd" : error.message);
        return 1;
    }

    /* A request. Whoever speaks protobuf in any language can make these bytes. */
    int64_t source_id[] = {11, 21}, target_id[] = {21, 11, 99};
    Macadam__V1__Places source = MACADAM__V1__PLACES__INIT, target = MACADAM__V1__PLACES__INIT;
    source.node = source_id;
    source.n_node = 2;
    target.node = target_id;
    target.n_node = 3;
    Macadam__V1__MatrixRequest matrix = MACADAM__V1__MATRIX_REQUEST__INIT;
    matrix.source = &source;
    matrix.target = &target;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_MATRIX;
    request.matrix = &matrix;
    const size_t size = macadam__v1__request__get_packed_size(&request);
    uint8_t *const bytes = malloc(size);
    if (!bytes) return 1;
    macadam__v1__request__pack(&request, bytes);

    send(engine, bytes, size, "the last reply");
    send(engine, bytes, size - 1, "a bad request");
    free(bytes);
    macadam_engine_close(engine);
    return 0;
}
