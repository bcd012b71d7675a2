/* arrow.c - see arrow.h. A message is a table of FlatBuffers, laid out front to back: a table's vtable lies before it,
 * and the objects that it refers to lie after it. (Apache Arrow, columnar format 1.5: Message.fbs, Schema.fbs) */
#include "bindings/serve/services/arrow.h"

enum {
    FIELDS_MAX = 6,
    VERSION = 4, /* V5 */
    SCHEMA = 1,  /* of MessageHeader */
    RECORD_BATCH = 3,
    INT = 2, /* of Type */
    FIXED_SIZE_LIST = 16,
};

static void put(mcd_text *text, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; !text->failed && i < bytes; ++i) text->data[at + i] = (char)(value >> 8 * i);
}

static void add(mcd_text *text, uint64_t value, size_t bytes)
{
    char *const to = mcd_text_room(text, bytes);
    if (!to) return;
    text->size += bytes;
    put(text, text->size - bytes, value, bytes);
}

/* Adds zeros until the size is `rest` more than a multiple of 8. */
static void align(mcd_text *text, size_t rest)
{
    while (text->size % 8 != rest && !text->failed) add(text, 0, 1);
}

/* Makes the reference at `from` one to what is added next. */
static void refer(mcd_text *text, size_t from)
{
    put(text, from, text->size - from, 4);
}

/* Adds a table whose field i has bytes[i] bytes (0: absent), to which `from` refers; field[i] is where it lies. */
static void add_table(mcd_text *text, size_t from, size_t *field, const size_t *bytes, size_t count)
{
    const size_t vtable = text->size;
    for (size_t i = 0; i < 2 + count; ++i) add(text, 0, 2);
    align(text, 0);
    const size_t table = text->size;
    refer(text, from);
    add(text, table - vtable, 4);
    for (size_t i = 0; i < count; ++i) {
        while (bytes[i] > 0 && text->size % bytes[i] > 0 && !text->failed) add(text, 0, 1);
        field[i] = text->size;
        if (bytes[i] > 0) put(text, vtable + 4 + 2 * i, field[i] - table, 2);
        add(text, 0, bytes[i]);
    }
    put(text, vtable, 4 + 2 * count, 2);
    put(text, vtable + 2, text->size - table, 2);
    align(text, 0);
}

/* Begins a message; returns where the reference to its header lies. */
static size_t begin(mcd_text *text, unsigned header, uint64_t body_bytes)
{
    size_t field[4];
    add(text, 0, 4); /* refers to the message */
    add_table(text, 0, field, (const size_t[]){2, 1, 4, 8}, 4);
    put(text, field[0], VERSION, 2);
    put(text, field[1], header, 1);
    put(text, field[3], body_bytes, 8);
    return field[2];
}

/* Appends a message with its frame. */
static void finish(mcd_text *text, mcd_text *message)
{
    align(message, 0);
    add(text, UINT32_MAX, 4);
    add(text, message->size, 4);
    if (!message->failed) mcd_text_bytes(text, message->data, message->size);
    text->failed = text->failed || message->failed;
    macadam_text_free(&(macadam_text){message->data, message->size});
}

static void add_string(mcd_text *text, size_t from, const char *string)
{
    refer(text, from);
    add(text, strlen(string), 4);
    mcd_text_bytes(text, string, strlen(string) + 1);
    align(text, 0);
}

/* Adds a vector of references; returns where the first lies. */
static size_t add_references(mcd_text *text, size_t from, size_t count)
{
    refer(text, from);
    add(text, count, 4);
    const size_t first = text->size;
    for (size_t i = 0; i < count; ++i) add(text, 0, 4);
    align(text, 0);
    return first;
}

/* Adds a field without its type; returns where its children are referred to. */
static size_t add_field(mcd_text *text, size_t from, const char *name, unsigned type, size_t *type_from)
{
    size_t field[FIELDS_MAX];
    add_table(text, from, field, (const size_t[]){4, 1, 1, 4, 0, 4}, 6);
    put(text, field[2], type, 1);
    add_string(text, field[0], name);
    *type_from = field[3];
    return field[5];
}

static void add_column(mcd_text *text, size_t from, const char *name, bool is_signed, size_t width)
{
    size_t type, field[FIELDS_MAX];
    size_t children = add_field(text, from, name, FIXED_SIZE_LIST, &type);
    add_table(text, type, field, (const size_t[]){4}, 1);
    put(text, field[0], width, 4);
    const size_t child = add_references(text, children, 1);
    children = add_field(text, child, "item", INT, &type);
    add_table(text, type, field, (const size_t[]){4, 1}, 2);
    put(text, field[0], 32, 4);
    put(text, field[1], is_signed, 1);
    add_references(text, children, 0);
}

void serve_arrow_write_schema(mcd_text *text, const char *const *name, const bool *is_signed,
                              size_t column_count, size_t width)
{
    mcd_text message = {0};
    size_t field[2];
    add_table(&message, begin(&message, SCHEMA, 0), field, (const size_t[]){2, 4}, 2);
    const size_t first = add_references(&message, field[1], column_count);
    for (size_t i = 0; i < column_count; ++i)
        add_column(&message, first + 4 * i, name[i], is_signed[i], width);
    finish(text, &message);
}

/* Adds the beginning of a vector of structs that are aligned to 8 bytes. */
static void add_structs(mcd_text *text, size_t from, size_t count)
{
    align(text, 4);
    refer(text, from);
    add(text, count, 4);
}

/* A column has two nodes, the lists and their values, with one and two buffers; nothing is null. */
void serve_arrow_write_batch(mcd_text *text, size_t column_count, size_t width, size_t rows)
{
    const uint64_t bytes = (uint64_t)width * rows * 4, padded = (bytes + 7) / 8 * 8;
    mcd_text message = {0};
    size_t field[3];
    add_table(&message, begin(&message, RECORD_BATCH, column_count * padded), field,
              (const size_t[]){8, 4, 4}, 3);
    put(&message, field[0], rows, 8);
    add_structs(&message, field[1], 2 * column_count);
    for (size_t i = 0; i < 2 * column_count; ++i) {
        add(&message, i % 2 ? (uint64_t)width * rows : rows, 8);
        add(&message, 0, 8);
    }
    add_structs(&message, field[2], 3 * column_count);
    for (size_t i = 0; i < 3 * column_count; ++i) {
        add(&message, i / 3 * padded, 8);
        add(&message, i % 3 == 2 ? bytes : 0, 8);
    }
    finish(text, &message);
}

void serve_arrow_write_end(mcd_text *text)
{
    add(text, UINT32_MAX, 4);
    add(text, 0, 4);
}
