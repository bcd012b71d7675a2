/* call_text.c - see call_text.h. Fields are found by protobuf-c's descriptors. */
#include "tests/support/call_text.h"

#include "tests/support/checked.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef const ProtobufCFieldDescriptor *field_of;

/* Any value but a message. */
typedef union value {
    uint32_t bits;
    uint64_t long_bits;
    double real;
    char *text;
    ProtobufCBinaryData bytes;
} value;

static size_t size_of(field_of field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return sizeof(uint64_t);
    default:
        return sizeof(uint32_t);
    }
}

static void *at_offset(const ProtobufCMessage *message, unsigned offset)
{
    return (char *)message + offset;
}

/* Which field of the oneof is set. */
static uint32_t *case_of(const ProtobufCMessage *message, field_of field)
{
    return at_offset(message, field->quantifier_offset);
}

static size_t *count_of(const ProtobufCMessage *message, field_of field)
{
    return at_offset(message, field->quantifier_offset);
}

/* ---- reading ---- */

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \n");
}

/* Returns where the field's next value is to be stored. */
static void *add_value(ProtobufCMessage *message, field_of field)
{
    void *const member = at_offset(message, field->offset);
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) *case_of(message, field) = field->id;
        return member;
    }
    size_t *const count = count_of(message, field);
    char **const all = (char **)member;
    *all = checked_reallocate(*all, ++*count, size_of(field));
    return *all + (*count - 1) * size_of(field);
}

static void read_value(ProtobufCMessage *message, field_of field, const char *word)
{
    value out = {0};
    if (field->type == PROTOBUF_C_TYPE_STRING)
        out.text = checked_memory(strdup(word), 1, 1);
    else if (field->type == PROTOBUF_C_TYPE_BYTES)
        out.bytes = (ProtobufCBinaryData){strlen(word), checked_memory(strdup(word), 1, 1)};
    else if (field->type == PROTOBUF_C_TYPE_DOUBLE)
        out.real = strtod(word, NULL);
    else if (field->type == PROTOBUF_C_TYPE_BOOL)
        out.bits = strcmp(word, "true") == 0;
    else
        out.long_bits = (uint64_t)strtoll(word, NULL, 10);
    memcpy(add_value(message, field), &out, size_of(field));
}

/* Reads the fields up to a brace or the end, and returns where it stands. */
static const char *read_message(ProtobufCMessage *message, const char *at)
{
    for (at = skip_space(at); *at && *at != '}'; at = skip_space(at)) {
        char word[64];
        size_t length = strcspn(at, " :");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        const field_of field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor, word);
        cr_assert_not_null(field, "%s has no %s", message->descriptor->name, word);
        at = skip_space(at + length);
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
            const ProtobufCMessageDescriptor *const kind = field->descriptor;
            ProtobufCMessage *const inner = checked_zeroed(1, kind->sizeof_message);
            kind->message_init(inner);
            memcpy(add_value(message, field), &inner, sizeof inner);
            at = read_message(inner, at + 1) + 1;
            continue;
        }
        at = skip_space(at + 1);
        const bool is_list = *at == '[';
        for (at += is_list; *at != ']'; at += length + strspn(at + length, ", ")) {
            length = strcspn(at, " ,]");
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            read_value(message, field, word);
            if (!is_list) break;
        }
        at += is_list ? 1 : length;
    }
    return at;
}

Macadam__V1__Request *call_text_read(const char *text)
{
    Macadam__V1__Request *const request = checked_zeroed(1, sizeof *request);
    macadam__v1__request__init(request);
    read_message(&request->base, text);
    return request;
}

/* ---- writing ---- */

static void write_value(FILE *out, field_of field, const void *at)
{
    value in = {0};
    memcpy(&in, at, size_of(field));
    if (field->type == PROTOBUF_C_TYPE_STRING)
        fputs(in.text, out);
    else if (field->type == PROTOBUF_C_TYPE_DOUBLE)
        fprintf(out, "%.6g", isnan(in.real) ? fabs(in.real) : in.real); /* without a sign */
    else if (field->type == PROTOBUF_C_TYPE_BYTES)
        for (size_t i = 0; i < in.bytes.len; ++i) fprintf(out, "%02x", in.bytes.data[i]);
    else if (field->type == PROTOBUF_C_TYPE_ENUM)
        fputs(protobuf_c_enum_descriptor_get_value(field->descriptor, (int)in.bits)->name, out);
    else if (size_of(field) == sizeof in.long_bits)
        fprintf(out, "%" PRId64, (int64_t)in.long_bits);
    else
        fprintf(out, "%" PRId32, (int32_t)in.bits);
}

static void write_message(FILE *out, const ProtobufCMessage *message);

static void write_messages(FILE *out, field_of field, ProtobufCMessage *const *message, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        fprintf(out, " %s {", field->name);
        write_message(out, message[i]);
        fputs(" }", out);
    }
}

static bool is_set(const ProtobufCMessage *message, field_of field)
{
    static const char zero[sizeof(value)];
    const void *const member = at_offset(message, field->offset);
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) return *case_of(message, field) == field->id;
    if (field->type == PROTOBUF_C_TYPE_STRING) return **(char *const *)member != '\0';
    return memcmp(member, zero, size_of(field)) != 0;
}

static void write_message(FILE *out, const ProtobufCMessage *message)
{
    for (unsigned i = 0; i < message->descriptor->n_fields; ++i) {
        const field_of field = &message->descriptor->fields[i];
        const void *const member = at_offset(message, field->offset);
        const bool is_list = field->label == PROTOBUF_C_LABEL_REPEATED;
        const size_t count = is_list ? *count_of(message, field) : is_set(message, field);
        const void *const first = is_list ? *(void *const *)member : member;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
            write_messages(out, field, first, count);
            continue;
        }
        for (size_t k = 0; k < count; ++k) {
            if (k == 0) fprintf(out, " %s: %s", field->name, is_list ? "[" : "");
            if (k > 0) fputs(", ", out);
            write_value(out, field, (const char *)first + k * size_of(field));
        }
        if (is_list && count > 0) fputc(']', out);
    }
}

static char *write_reply(const Macadam__V1__Reply *reply)
{
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);
    write_message(checked_memory(out, 1, 1), &reply->base);
    fclose(out);
    return text;
}

/* ---- expecting ---- */

/* Without the space that each field begins with. */
static void add_line(FILE *out, const Macadam__V1__Reply *reply)
{
    FREED char *const text = write_reply(reply);
    if (*text) fprintf(out, "%s%s", ftell(out) > 0 ? "\n" : "", text + 1);
}

static bool add_part(void *context, const uint8_t *data, size_t size)
{
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, size, data);
    add_line(context, reply);
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

static void expect_answer(const char *request, macadam_reply_callback part, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *const out = checked_memory(open_memstream(&text, &size), 1, 1);
    Macadam__V1__Request *const asked = call_text_read(request);
    Macadam__V1__Reply *const reply = call_expect(asked, part, out, MACADAM_OK);
    add_line(out, reply);
    fclose(out);
    if (strcmp(text, expected) != 0) fprintf(stderr, "%s\nis answered\n%s\n", request, text);
    cr_expect_str_eq(text, expected, "%s", request);
    free(text);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__request__free_unpacked(asked, NULL);
}

void call_text_expect(const char *request, const char *expected)
{
    expect_answer(request, NULL, expected);
    expect_answer(request, add_part, expected);
}

void call_text_refuse(const char *request, macadam_reply_callback part, macadam_status status,
                      const char *message)
{
    Macadam__V1__Request *const asked = call_text_read(request);
    Macadam__V1__Reply *const reply = call_expect(asked, part, NULL, status);
    cr_expect_not_null(strstr(reply->message, message), "%s: %s", request, reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__request__free_unpacked(asked, NULL);
}
