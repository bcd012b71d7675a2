/* requests.c - requests drawn from the grammar of proto/macadam/v1, and some bytes that are none: each gets a
 * Reply with the status of the call. The grammar is what protobuf-c knows of the messages. */
#include "tests/attack/attack.h"
#include "tests/attack/map_text.h"
#include "tests/support/files.h"

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

#include <math.h>
#include <string.h>

enum { BYTES = 1 << 12, DEPTH_MAX = 6, IDS = 12 };

typedef struct bytes {
    uint8_t data[BYTES];
    size_t count;
} bytes;

static macadam_engine *engine;

static void begin(const char *folder)
{
    char map[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    macadam_error error = {""};
    snprintf(map, sizeof map, "%s/town.osm", folder);
    snprintf(path, sizeof path, "%s/town.mcd", folder);
    files_write(map, map_text_town, strlen(map_text_town));
    macadam_import_options import = MACADAM_IMPORT_OPTIONS_INIT;
    macadam_engine_options open = MACADAM_ENGINE_OPTIONS_INIT;
    import.output = path, import.threads = open.threads = 1;
    open.device = "cpu";
    attack_require(macadam_import_osm(map, "car", &import, &error) == MACADAM_OK, error.message);
    attack_require(macadam_engine_open(&engine, path, &open, &error) == MACADAM_OK, error.message);
}

/* ---- drawing ---- */

static void put_byte(bytes *to, uint8_t byte)
{
    if (to->count < BYTES) to->data[to->count++] = byte;
}

static void put_varint(bytes *to, uint64_t value)
{
    for (; value >= 128; value >>= 7) put_byte(to, (uint8_t)(value | 128));
    put_byte(to, (uint8_t)value);
}

static void put_fixed(bytes *to, const void *value, size_t size)
{
    for (size_t i = 0; i < size; ++i) put_byte(to, ((const uint8_t *)value)[i]);
}

static void put_part(bytes *to, const bytes *part)
{
    put_varint(to, part->count);
    put_fixed(to, part->data, part->count);
}

static uint64_t draw_integer(test_rng *rng, ProtobufCType type)
{
    static const uint64_t odd[] = {0x7ffffffe, 0x7fffffff, UINT32_MAX, UINT64_C(1) << 40,
                                   UINT64_MAX, 1000,       100000};
    const uint64_t value = attack_chance(rng, 8) ? odd[rng_below(rng, 7)] : rng_below(rng, IDS + 2);
    const bool is_zigzag = type == PROTOBUF_C_TYPE_SINT32 || type == PROTOBUF_C_TYPE_SINT64;
    return is_zigzag ? value << 1 : value;
}

static double draw_real(test_rng *rng)
{
    static const double odd[] = {0, -1, 1e300, -180, 181, 90, INFINITY, 1000};
    if (attack_chance(rng, 6)) return odd[rng_below(rng, 8)];
    return (attack_chance(rng, 2) ? 10 : 50) + rng_below(rng, 4000) / 1e6;
}

static void draw_message(bytes *to, test_rng *rng, const ProtobufCMessageDescriptor *of, int depth);

static void draw_value(bytes *to, test_rng *rng, const ProtobufCFieldDescriptor *field, int depth)
{
    static const char *const text[] = {"duration", "distance", "", "speed", "dura\ntion", "\xff"};
    bytes part = {.count = 0};
    double real;
    float single;
    switch (field->type) {
    case PROTOBUF_C_TYPE_DOUBLE:
        real = draw_real(rng);
        put_fixed(to, &real, sizeof real);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        single = (float)draw_real(rng);
        put_fixed(to, &single, sizeof single);
        break;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64: {
        const uint64_t value = draw_integer(rng, field->type);
        const bool is_short =
            field->type == PROTOBUF_C_TYPE_FIXED32 || field->type == PROTOBUF_C_TYPE_SFIXED32;
        put_fixed(to, &value, is_short ? 4 : 8);
        break;
    }
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES: {
        const char *const chosen = text[attack_chance(rng, 4) ? rng_below(rng, 6) : rng_below(rng, 2)];
        put_fixed(&part, chosen, strlen(chosen));
        put_part(to, &part);
        break;
    }
    case PROTOBUF_C_TYPE_MESSAGE:
        if (depth < DEPTH_MAX) draw_message(&part, rng, field->descriptor, depth + 1);
        put_part(to, &part);
        break;
    default:
        put_varint(to, draw_integer(rng, field->type));
    }
}

static unsigned wire_type(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return 1;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return 5;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return 2;
    default:
        return 0;
    }
}

static void draw_field(bytes *to, test_rng *rng, const ProtobufCFieldDescriptor *field, int depth)
{
    const unsigned wire = wire_type(field->type);
    const bool repeats = field->label == PROTOBUF_C_LABEL_REPEATED;
    const uint32_t count = repeats ? rng_below(rng, 5) : 1;
    if (repeats && wire != 2) { /* packed */
        bytes part = {.count = 0};
        for (uint32_t i = 0; i < count; ++i) draw_value(&part, rng, field, depth);
        put_varint(to, field->id << 3 | 2);
        put_part(to, &part);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        put_varint(to, field->id << 3 | wire);
        draw_value(to, rng, field, depth);
    }
}

/* Of a oneof, one field; of the others, each once in two. */
static void draw_message(bytes *to, test_rng *rng, const ProtobufCMessageDescriptor *of, int depth)
{
    size_t one_of = 0;
    for (unsigned i = 0; i < of->n_fields; ++i)
        one_of += (of->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
    uint32_t chosen = one_of ? rng_below(rng, (uint32_t)one_of) : 0;
    for (unsigned i = 0; i < of->n_fields; ++i) {
        const ProtobufCFieldDescriptor *const field = &of->fields[i];
        const bool is_one_of = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
        if (is_one_of ? chosen-- == 0 : attack_chance(rng, 2)) draw_field(to, rng, field, depth);
    }
}

/* ---- asking ---- */

static bool take_part(void *context, const uint8_t *data, size_t size)
{
    uint32_t *const left = context;
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, size, data);
    attack_require(reply && reply->status == MACADAM__V1__STATUS__STATUS_OK, "a part is not a Reply");
    macadam__v1__reply__free_unpacked(reply, NULL);
    return (*left)-- > 0;
}

static void trial(test_rng *rng)
{
    static bytes request;
    request.count = 0;
    draw_message(&request, rng, &macadam__v1__request__descriptor, 0);
    if (attack_chance(rng, 10) && request.count > 0)
        request.data[rng_below(rng, (uint32_t)request.count)] = (uint8_t)rng_next(rng);
    uint32_t parts = rng_below(rng, 4);
    macadam_bytes answer;
    macadam_error error = {""};
    const macadam_status status = macadam_call(&answer, engine, request.data, request.count,
                                               attack_chance(rng, 2) ? take_part : NULL, &parts, &error);
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, answer.size, answer.data);
    attack_require(reply != NULL, "the answer is not a Reply");
    attack_require((int)reply->status == (int)status, "status and Reply differ");
    attack_require((status == MACADAM_OK) == (reply->message[0] == '\0'), "a Reply's message");
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam_bytes_free(&answer);
    attack_worked(status, &error);
}

const attack attack_requests = {"requests", begin, trial, true};
