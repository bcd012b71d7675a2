/* fence.h - areas that no road may enter, as polygons in the map's own coordinates. */
#ifndef MCD_ENGINE_MAP_FENCE_H
#define MCD_ENGINE_MAP_FENCE_H

#include "engine/map/snap.h"

/* The sides of the areas, by area; areas are sorted along the Hilbert curve. Zeroed = no area; free it with
 * mcd_fence_free. */
typedef struct mcd_fence {
    mcd_snap_line *side; /* the sides of all rings, area by area */
    uint32_t *ring;      /* of each side; the rings of all areas have different numbers */
    uint32_t *area;      /* of each side */
    size_t *first_side;  /* [area_count + 1] */
    mcd_snap_box *box;   /* of MCD_SNAP_FANOUT successive sides each, then level by level up to the root */
    size_t first_box[MCD_SNAP_LEVELS_MAX + 1]; /* of each level */
    size_t area_count, level_count;
} mcd_fence;

/* Returns E_INVALID, which names the area, for a corner that lies nowhere on the globe and for a ring of fewer
 * than three corners. */
macadam_status mcd_fence_new(mcd_fence *out, const macadam_area *area, size_t area_count,
                             macadam_error *error);
void mcd_fence_free(mcd_fence *fence);

/* Returns whether an arc from `tail` meets an area: its line touches a side, or lies within. A straight piece
 * that crosses the antimeridian counts only by its ends. */
bool mcd_fence_stops(const mcd_fence *fence, const mcd_roads *roads, mcd_node tail, uint32_t arc);

#endif
