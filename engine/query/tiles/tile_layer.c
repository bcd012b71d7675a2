/* tile_layer.c - see tile_layer.h. Equal values are stored once: a hash table finds them. The layer is written as protobuf's
 * encoding has it: fields of a key, which is 8 * the field's number + the kind, and a number or the bytes of a known length.
 * protobuf-c takes five times as many instructions. */
#include "engine/query/tiles/tile_layer.h"

#include "engine/base/sort.h"

enum { POINTS = 1, LINES = 2, MOVE_TO = 1, LINE_TO = 2, COMMAND_BITS = 3, VERSION = 2 };
enum { NUMBER = 0, EIGHT_BYTES = 1, BYTES = 2, FOUR_BYTES = 5, KIND_BITS = 3 }; /* of fields */
enum {
    NUMBER_BYTES = 10,              /* at most */
    SHORT_BYTES = 5,                /* of 32 bits */
    LENGTH_BYTES = 1 + SHORT_BYTES, /* the key and the length of a field of bytes */
    /* of a feature or value: without its lists or text, or of a layer */
    FIXED_BYTES = 5 * LENGTH_BYTES + NUMBER_BYTES,
};
static const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / the golden ratio */

/* ---- fields ---- */

static uint8_t *put(uint8_t *at, uint64_t number)
{
    for (; number >= 128; number >>= 7) *at++ = (uint8_t)(number | 128);
    *at++ = (uint8_t)number;
    return at;
}

static uint8_t *put_number(uint8_t *at, unsigned field, uint64_t number)
{
    return put(put(at, field << KIND_BITS | NUMBER), number);
}

static uint8_t *put_bytes(uint8_t *at, unsigned field, const void *bytes, size_t size)
{
    at = put(put(at, field << KIND_BITS | BYTES), size);
    return (uint8_t *)memmove(at, bytes, size) + size;
}

/* Makes a field of what has been written from at + LENGTH_BYTES on. */
static uint8_t *put_written(uint8_t *at, unsigned field, const uint8_t *end)
{
    return put_bytes(at, field, at + LENGTH_BYTES, (size_t)(end - at) - LENGTH_BYTES);
}

static uint8_t *put_list(uint8_t *at, unsigned field, const uint32_t *number, size_t count)
{
    uint8_t *end = at + LENGTH_BYTES;
    for (size_t i = 0; i < count; ++i) end = put(end, number[i]);
    return put_written(at, field, end);
}

/* ---- features ---- */

macadam_status mcd_tile_layer_new(mcd_tile_layer *out, mcd_arena *arena, const char *name,
                                  const char *const *key, size_t key_count, size_t features, size_t geometry,
                                  macadam_error *error)
{
    const size_t values = features * key_count;
    /* few values differ; one slot is free anyway */
    *out =
        (mcd_tile_layer){.name = name, .key = key, .key_count = key_count, .slot_bits = mcd_bits_of(values)};
    MCD_TRY(MCD_ARENA_NEW(arena, out->feature, features * FIXED_BYTES + SHORT_BYTES * (2 * values + geometry),
                          error));
    out->end = out->feature;
    MCD_TRY(MCD_ARENA_NEW(arena, out->value, values, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->tag, 2 * SHORT_BYTES * key_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->geometry, geometry, error));
    return MCD_ARENA_NEW_ZEROED(arena, out->slot, (size_t)1 << out->slot_bits, error);
}

void mcd_tile_layer_begin(mcd_tile_layer *layer, uint64_t id)
{
    layer->id = id;
    layer->tag_count = layer->geometry_count = 0;
    layer->tag_end = layer->tag;
    layer->line = NULL;
    layer->x = layer->y = 0;
}

void mcd_tile_layer_end(mcd_tile_layer *layer)
{
    if (layer->geometry_count == 0) return;
    uint8_t *at = put_number(layer->end + LENGTH_BYTES, 1, layer->id);
    at = put_bytes(at, 2, layer->tag, (size_t)(layer->tag_end - layer->tag));
    at = put_number(at, 3, layer->type);
    at = put_list(at, 4, layer->geometry, layer->geometry_count);
    layer->end = put_written(layer->end, 2, at);
    ++layer->feature_count;
}

/* Moves the pen; zigzag. */
static void move(mcd_tile_layer *layer, int32_t x, int32_t y)
{
    const int32_t dx = x - layer->x, dy = y - layer->y;
    layer->geometry[layer->geometry_count++] = (uint32_t)dx << 1 ^ (uint32_t)(dx >> 31);
    layer->geometry[layer->geometry_count++] = (uint32_t)dy << 1 ^ (uint32_t)(dy >> 31);
    layer->x = x;
    layer->y = y;
}

void mcd_tile_layer_point(mcd_tile_layer *layer, int32_t x, int32_t y)
{
    layer->type = POINTS;
    layer->geometry[layer->geometry_count++] = 1 << COMMAND_BITS | MOVE_TO;
    move(layer, x, y);
}

void mcd_tile_layer_line(mcd_tile_layer *layer, int32_t x, int32_t y, int32_t to_x, int32_t to_y)
{
    if (x == to_x && y == to_y) return;
    if (!layer->line || layer->x != x || layer->y != y) {
        mcd_tile_layer_point(layer, x, y);
        layer->line = &layer->geometry[layer->geometry_count++];
        *layer->line = LINE_TO;
    }
    layer->type = LINES;
    *layer->line += 1 << COMMAND_BITS;
    move(layer, to_x, to_y);
}

/* Tags the feature with a value. */
static void add_tag(mcd_tile_layer *layer, mcd_tile_kind kind, uint64_t bits)
{
    uint32_t *slot, at = (uint32_t)((bits ^ kind) * mix >> (64 - layer->slot_bits));
    const mcd_tile_value *value;
    while (*(slot = &layer->slot[at]) &&
           ((value = &layer->value[*slot - 1])->bits != bits || value->kind != kind))
        at = (at + 1) & ((UINT32_C(1) << layer->slot_bits) - 1);
    if (!*slot) {
        layer->value[layer->value_count++] = (mcd_tile_value){bits, kind};
        *slot = (uint32_t)layer->value_count;
    }
    layer->tag_end = put(put(layer->tag_end, layer->tag_count++), *slot - 1);
}

void mcd_tile_layer_text(mcd_tile_layer *layer, const char *text)
{
    add_tag(layer, MCD_TILE_TEXT, (uintptr_t)text);
}

void mcd_tile_layer_number(mcd_tile_layer *layer, mcd_tile_kind kind, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_tag(layer, kind, bits);
}

/* ---- the layer ---- */

static const char *text_of(const mcd_tile_value *value)
{
    return (const char *)(uintptr_t)value->bits;
}

static uint8_t *put_value(uint8_t *at, const mcd_tile_value *value)
{
    double number;
    memcpy(&number, &value->bits, sizeof number);
    const float single = (float)number;
    const int64_t whole = (int64_t)number;
    switch (value->kind) {
    case MCD_TILE_TEXT:
        return put_bytes(at, 1, text_of(value), strlen(text_of(value)));
    case MCD_TILE_FLOAT:
        *at++ = 2 << KIND_BITS | FOUR_BYTES;
        return (uint8_t *)memcpy(at, &single, sizeof single) + sizeof single;
    case MCD_TILE_DOUBLE:
        *at++ = 3 << KIND_BITS | EIGHT_BYTES;
        return (uint8_t *)memcpy(at, &number, sizeof number) + sizeof number;
    case MCD_TILE_UINT:
        return put_number(at, 5, (uint64_t)whole);
    case MCD_TILE_SINT:
        return put_number(at, 6, (uint64_t)whole << 1 ^ (uint64_t)(whole >> 63));
    case MCD_TILE_BOOL:
        return put_number(at, 7, number != 0);
    }
    return at;
}

size_t mcd_tile_layer_room(const mcd_tile_layer *layer)
{
    size_t room = 2 * FIXED_BYTES + strlen(layer->name) + (size_t)(layer->end - layer->feature);
    for (size_t i = 0; i < layer->key_count; ++i) room += FIXED_BYTES + strlen(layer->key[i]);
    for (size_t i = 0; i < layer->value_count; ++i)
        room += FIXED_BYTES + (layer->value[i].kind == MCD_TILE_TEXT ? strlen(text_of(&layer->value[i])) : 0);
    return room;
}

uint8_t *mcd_tile_layer_write(const mcd_tile_layer *layer, uint8_t *first)
{
    const size_t size = (size_t)(layer->end - layer->feature);
    if (layer->feature_count == 0) return first;
    uint8_t *at = put_bytes(first + LENGTH_BYTES, 1, layer->name, strlen(layer->name));
    at = (uint8_t *)memcpy(at, layer->feature, size) + size;
    for (size_t i = 0; i < layer->key_count; ++i) at = put_bytes(at, 3, layer->key[i], strlen(layer->key[i]));
    for (size_t i = 0; i < layer->value_count; ++i)
        at = put_written(at, 4, put_value(at + LENGTH_BYTES, &layer->value[i]));
    at = put_number(at, 5, MCD_TILE_EXTENT);
    return put_written(first, 3, put_number(at, 15, VERSION));
}
