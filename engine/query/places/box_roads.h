/* box_roads.h - the roads within a box. */
#ifndef MCD_ENGINE_QUERY_PLACES_BOX_ROADS_H
#define MCD_ENGINE_QUERY_PLACES_BOX_ROADS_H

#include "engine/runtime/engine.h"

/* A road: an arc that a departure uses; of two directions the one with the smaller number. */
typedef struct mcd_box_road {
    uint32_t arc;
    mcd_node tail;
    bool is_cut_off; /* from most roads */
    bool is_indexed; /* places are snapped to it */
} mcd_box_road;

typedef struct mcd_box_roads {
    mcd_box_road *road; /* [count] by ascending arc */
    size_t count;
} mcd_box_roads;

/* Finds the roads of which a straight piece meets the box, which may go on beyond 180 degrees. The caller frees
 * out->road with mcd_free, on failure too. Returns E_INVALID (the box), E_UNSUPPORTED (no coordinates), E_MEMORY or
 * E_CANCELLED. Time: that of the pieces in the box; once, one look at every arc. */
macadam_status mcd_box_roads_find(mcd_box_roads *out, macadam_engine *engine, const macadam_box *box,
                                  macadam_error *error);

#endif
