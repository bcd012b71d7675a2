/* arrow.c - see arrow.h. A message is a table of FlatBuffers, laid out front to back: a table's vtable lies before it,
 * and the objects that it refers to lie after it. (Apache Arrow, columnar format 1.5: Message.fbs, Schema.fbs) */
#include "bindings/formats/arrow.h"

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

/* A field of a table: its size (0: the field is absent) and its value. */
typedef struct table_field {
    size_t bytes;
    uint64_t value;
} table_field;

/* Adds a table, to which `from` refers; at[i] is where its field i lies. */
static void add_table(mcd_text *text, size_t from, size_t *at, const table_field *field, size_t count)
{
    const size_t vtable = text->size;
    for (size_t i = 0; i < 2 + count; ++i) add(text, 0, 2);
    align(text, 0);
    const size_t table = text->size;
    refer(text, from);
    add(text, table - vtable, 4);
    for (size_t i = 0; i < count; ++i) {
        while (field[i].bytes > 0 && text->size % field[i].bytes > 0 && !text->failed) add(text, 0, 1);
        at[i] = text->size;
        if (field[i].bytes > 0) put(text, vtable + 4 + 2 * i, at[i] - table, 2);
        add(text, field[i].value, field[i].bytes);
    }
    put(text, vtable, 4 + 2 * count, 2);
    put(text, vtable + 2, text->size - table, 2);
    align(text, 0);
}

/* Begins a message; returns where the reference to its header lies. */
static size_t begin(mcd_text *text, unsigned header, uint64_t body_bytes)
{
    size_t at[4];
    add(text, 0, 4); /* refers to the message */
    add_table(text, 0, at, (const table_field[]){{2, VERSION}, {1, header}, {4, 0}, {8, body_bytes}}, 4);
    return at[2];
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

/* Begins a vector, to which `from` refers. */
static void begin_vector(mcd_text *text, size_t from, size_t count)
{
    refer(text, from);
    add(text, count, 4);
}

/* Adds a vector of references; returns where the first lies. */
static size_t add_references(mcd_text *text, size_t from, size_t count)
{
    begin_vector(text, from, count);
    const size_t first = text->size;
    for (size_t i = 0; i < count; ++i) add(text, 0, 4);
    align(text, 0);
    return first;
}

/* Adds a field without its type; returns where its children are referred to. */
static size_t add_field(mcd_text *text, size_t from, const char *name, unsigned type, size_t *type_from)
{
    size_t at[FIELDS_MAX];
    add_table(text, from, at, (const table_field[]){{4, 0}, {1, 0}, {1, type}, {4, 0}, {0, 0}, {4, 0}}, 6);
    begin_vector(text, at[0], strlen(name));
    mcd_text_bytes(text, name, strlen(name) + 1);
    align(text, 0);
    *type_from = at[3];
    return at[5];
}

static void add_column(mcd_text *text, size_t from, const char *name, bool is_signed, size_t width)
{
    size_t type, at[FIELDS_MAX];
    const size_t children = add_field(text, from, name, FIXED_SIZE_LIST, &type);
    add_table(text, type, at, &(const table_field){4, width}, 1);
    const size_t of_item = add_field(text, add_references(text, children, 1), "item", INT, &type);
    add_table(text, type, at, (const table_field[]){{4, 32}, {1, is_signed}}, 2);
    add_references(text, of_item, 0);
}

void mcd_arrow_schema(mcd_text *text, const char *const *name, const bool *is_signed, size_t column_count,
                      size_t width)
{
    mcd_text message = {0};
    size_t at[2];
    add_table(&message, begin(&message, SCHEMA, 0), at, (const table_field[]){{2, 0}, {4, 0}}, 2);
    const size_t first = add_references(&message, at[1], column_count);
    for (size_t i = 0; i < column_count; ++i)
        add_column(&message, first + 4 * i, name[i], is_signed[i], width);
    finish(text, &message);
}

/* A column has two nodes, the lists and their values, with one and two buffers; nothing is null. Nodes and buffers are
 * aligned to 8 bytes. */
void mcd_arrow_batch(mcd_text *text, size_t column_count, size_t width, size_t rows)
{
    const uint64_t bytes = (uint64_t)width * rows * 4, padded = (bytes + 7) / 8 * 8;
    mcd_text message = {0};
    size_t at[3];
    add_table(&message, begin(&message, RECORD_BATCH, column_count * padded), at,
              (const table_field[]){{8, rows}, {4, 0}, {4, 0}}, 3);
    align(&message, 4);
    begin_vector(&message, at[1], 2 * column_count);
    for (size_t i = 0; i < 2 * column_count; ++i) {
        add(&message, i % 2 ? (uint64_t)width * rows : rows, 8);
        add(&message, 0, 8);
    }
    align(&message, 4);
    begin_vector(&message, at[2], 3 * column_count);
    for (size_t i = 0; i < 3 * column_count; ++i) {
        add(&message, i / 3 * padded, 8);
        add(&message, i % 3 == 2 ? bytes : 0, 8);
    }
    finish(text, &message);
}

void mcd_arrow_end(mcd_text *text)
{
    add(text, UINT32_MAX, 4);
    add(text, 0, 4);
}
