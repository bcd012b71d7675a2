/* lane_cells.h - costs of lanes on the processor, which become those of places. Devices do it themselves. */
#ifndef MCD_ENGINE_QUERY_TABLES_LANE_CELLS_H
#define MCD_ENGINE_QUERY_TABLES_LANE_CELLS_H

#include "engine/query/places/cells.h"
#include "engine/query/places/lanes.h"

/* The costs of the lanes of a rectangle's places, raw. */
typedef struct mcd_lane_cells {
    const mcd_lanes *source, *target;
    uint32_t *objective, *companion; /* companion may be NULL */
} mcd_lane_cells;

/* Returns how many lanes a row has. */
size_t mcd_lane_cells_stride(const mcd_lane_cells *lanes, const mcd_cells *cells);
/* Sets the rectangle's costs to the best ones of the lanes. Overwrites those of the lanes. */
void mcd_lane_cells_merge(const mcd_lane_cells *lanes, const mcd_cells *cells, const mcd_parallel *parallel);

#endif
