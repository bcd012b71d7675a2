/* tile_layer.c - see tile_layer.h. Equal values are stored once: a hash table finds them. */
#include "engine/query/tiles/tile_layer.h"

#include "engine/base/sort.h"

enum { POINTS = 1, LINES = 2, MOVE_TO = 1, LINE_TO = 2, COMMAND_BITS = 3, VERSION = 2 };
static const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / the golden ratio */

macadam_status mcd_tile_layer_new(mcd_tile_layer *out, mcd_arena *arena, const char *name,
                                  const char *const *key, size_t key_count, size_t features, size_t geometry,
                                  macadam_error *error)
{
    const size_t values = features * key_count;
    *out =
        (mcd_tile_layer){.message = VECTOR_TILE__LAYER__INIT,
                         .slot_bits = mcd_bits_of(values)}; /* few values differ; one slot is free anyway */
    out->message.name = (char *)name;                       /* packing only reads strings */
    out->message.keys = (char **)key;
    out->message.n_keys = key_count;
    out->message.extent = MCD_TILE_EXTENT;
    out->message.version = VERSION;
    MCD_TRY(MCD_ARENA_NEW(arena, out->message.features, features, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->feature, features + 1, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->value, values, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->tag, 2 * values + 2 * key_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->geometry, geometry, error));
    return MCD_ARENA_NEW_ZEROED(arena, out->slot, (size_t)1 << out->slot_bits, error);
}

void mcd_tile_layer_begin(mcd_tile_layer *layer, uint64_t id)
{
    *layer->feature = (VectorTile__Feature)VECTOR_TILE__FEATURE__INIT;
    layer->feature->has_id = true;
    layer->feature->id = id;
    layer->feature->tags = layer->tag;
    layer->feature->geometry = layer->geometry;
    layer->line = NULL;
    layer->x = layer->y = 0;
}

void mcd_tile_layer_end(mcd_tile_layer *layer)
{
    VectorTile__Feature *const feature = layer->feature;
    feature->n_tags = (size_t)(layer->tag - feature->tags);
    feature->n_geometry = (size_t)(layer->geometry - feature->geometry);
    if (feature->n_geometry == 0) return;
    layer->message.features[layer->message.n_features++] = layer->feature++;
}

/* Moves the pen; zigzag. */
static void move(mcd_tile_layer *layer, int32_t x, int32_t y)
{
    const int32_t dx = x - layer->x, dy = y - layer->y;
    *layer->geometry++ = (uint32_t)dx << 1 ^ (uint32_t)(dx >> 31);
    *layer->geometry++ = (uint32_t)dy << 1 ^ (uint32_t)(dy >> 31);
    layer->x = x;
    layer->y = y;
}

void mcd_tile_layer_point(mcd_tile_layer *layer, int32_t x, int32_t y)
{
    layer->feature->type = POINTS;
    *layer->geometry++ = 1 << COMMAND_BITS | MOVE_TO;
    move(layer, x, y);
}

void mcd_tile_layer_line(mcd_tile_layer *layer, int32_t x, int32_t y, int32_t to_x, int32_t to_y)
{
    if (x == to_x && y == to_y) return;
    if (!layer->line || layer->x != x || layer->y != y) {
        mcd_tile_layer_point(layer, x, y);
        layer->line = layer->geometry++;
        *layer->line = LINE_TO;
    }
    layer->feature->type = LINES;
    *layer->line += 1 << COMMAND_BITS;
    move(layer, to_x, to_y);
}

/* Tags the feature with a value. */
static void add_tag(mcd_tile_layer *layer, mcd_tile_kind kind, uint64_t bits)
{
    VectorTile__Layer *const message = &layer->message;
    uint32_t *slot, at = (uint32_t)((bits ^ kind) * mix >> (64 - layer->slot_bits));
    const mcd_tile_value *value;
    while (*(slot = &layer->slot[at]) &&
           ((value = &layer->value[*slot - 1])->bits != bits || value->kind != kind))
        at = (at + 1) & ((UINT32_C(1) << layer->slot_bits) - 1);
    if (!*slot) {
        layer->value[message->n_values++] = (mcd_tile_value){bits, kind};
        *slot = (uint32_t)message->n_values;
    }
    *layer->tag = (uint32_t)(layer->tag - layer->feature->tags) / 2;
    layer->tag[1] = *slot - 1;
    layer->tag += 2;
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

static VectorTile__Value message_of(const mcd_tile_value *value)
{
    VectorTile__Value out = VECTOR_TILE__VALUE__INIT;
    double number;
    memcpy(&number, &value->bits, sizeof number);
    switch (value->kind) {
    case MCD_TILE_TEXT:
        out.string_value = (char *)(uintptr_t)value->bits;
        break;
    case MCD_TILE_FLOAT:
        out.has_float_value = true, out.float_value = (float)number;
        break;
    case MCD_TILE_DOUBLE:
        out.has_double_value = true, out.double_value = number;
        break;
    case MCD_TILE_UINT:
        out.has_uint_value = true, out.uint_value = (uint64_t)number;
        break;
    case MCD_TILE_SINT:
        out.has_sint_value = true, out.sint_value = (int64_t)number;
        break;
    case MCD_TILE_BOOL:
        out.has_bool_value = true, out.bool_value = number != 0;
        break;
    }
    return out;
}

macadam_status mcd_tile_layer_close(mcd_tile_layer *layer, mcd_arena *arena, macadam_error *error)
{
    VectorTile__Layer *const message = &layer->message;
    VectorTile__Value *value;
    MCD_TRY(MCD_ARENA_NEW(arena, value, message->n_values, error));
    MCD_TRY(MCD_ARENA_NEW(arena, message->values, message->n_values, error));
    for (size_t i = 0; i < message->n_values; ++i) {
        value[i] = message_of(&layer->value[i]);
        message->values[i] = &value[i];
    }
    return MACADAM_OK;
}
