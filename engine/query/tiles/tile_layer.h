/* tile_layer.h - a layer of a vector tile while its features are written. */
#ifndef MCD_ENGINE_QUERY_TILES_TILE_LAYER_H
#define MCD_ENGINE_QUERY_TILES_TILE_LAYER_H

#include "engine/base/arena.h"

enum { MCD_TILE_EXTENT = 4096 }; /* units of a tile's side */

typedef enum mcd_tile_kind {
    MCD_TILE_TEXT,
    MCD_TILE_FLOAT,
    MCD_TILE_DOUBLE,
    MCD_TILE_UINT,
    MCD_TILE_SINT,
    MCD_TILE_BOOL
} mcd_tile_kind;

/* A value until the layer is closed. */
typedef struct mcd_tile_value {
    uint64_t bits; /* of the number, or the text's address */
    mcd_tile_kind kind;
} mcd_tile_value;

typedef struct mcd_tile_layer {
    const char *name, *const *key;
    size_t key_count, feature_count, value_count;
    uint8_t *feature, *end;   /* the features as the tile has them */
    mcd_tile_value *value;    /* [value_count] */
    uint64_t id;              /* of the next feature */
    uint32_t type, *geometry; /* its own */
    uint8_t *tag, *tag_end;   /* likewise: a key and a value in turns, encoded */
    uint32_t tag_count, geometry_count;
    uint32_t *line; /* the command of the line that may go on; NULL: there is none */
    uint32_t *slot; /* [1 << slot_bits] a hash table: 1 + the number of a value; 0: free */
    unsigned slot_bits;
    int32_t x, y; /* where the pen is */
} mcd_tile_layer;

/* Makes a layer with room for features that each have a value of every key, in the order of the keys. `geometry` numbers
 * suffice for all of them: 3 a point, 6 a piece of a line. The strings are borrowed. Returns E_MEMORY. */
macadam_status mcd_tile_layer_new(mcd_tile_layer *out, mcd_arena *arena, const char *name,
                                  const char *const *key, size_t key_count, size_t features, size_t geometry,
                                  macadam_error *error);
void mcd_tile_layer_begin(mcd_tile_layer *layer, uint64_t id);
/* Draw a point, or a line that may go on from the end of the last one. */
void mcd_tile_layer_point(mcd_tile_layer *layer, int32_t x, int32_t y);
void mcd_tile_layer_line(mcd_tile_layer *layer, int32_t x, int32_t y, int32_t to_x, int32_t to_y);
/* Gives the feature the value of its next key. A text is known by its address. */
void mcd_tile_layer_text(mcd_tile_layer *layer, const char *text);
void mcd_tile_layer_number(mcd_tile_layer *layer, mcd_tile_kind kind, double number);
/* Adds the feature, unless nothing of it was drawn. */
void mcd_tile_layer_end(mcd_tile_layer *layer);

/* Returns how many bytes the layer has in a tile at most. */
size_t mcd_tile_layer_room(const mcd_tile_layer *layer);
/* Writes it, unless it has no features. Returns the end. */
uint8_t *mcd_tile_layer_write(const mcd_tile_layer *layer, uint8_t *at);

/* Returns whether anything of the feature has been drawn. */
static inline bool mcd_tile_layer_is_drawn(const mcd_tile_layer *layer)
{
    return layer->geometry_count > 0;
}

#endif
