/* local_costs.h - the costs of clock_costs.h from many lanes to columns that are near them: by searches in a part of the
 * map, which are proved at its border. */
#ifndef MCD_ENGINE_QUERY_CLOCK_LOCAL_COSTS_H
#define MCD_ENGINE_QUERY_CLOCK_LOCAL_COSTS_H

#include "engine/query/clock/local_part.h"
#include "engine/query/places/clock_costs.h"
#include "engine/runtime/clock.h"

enum { MCD_LOCAL_MARGINS = 2 };

/* Bounds of ways from the border to the columns (backward: from the columns to the border), in a window. */
typedef struct mcd_local_window {
    mcd_clock_window window;
    uint32_t *least;        /* [border][columns] */
    uint32_t *least_of_row; /* [border] */
} mcd_local_window;

/* The part of a margin, and room for searches in it. */
typedef struct mcd_local_level {
    mcd_local_part part;
    mcd_graph graph;
    mcd_clock_arcs arcs;
    mcd_node *column; /* [cell_count] numbers of the columns, then of the border */
    size_t border_count, cell_count;
    uint32_t *objective, *companion; /* [band][cell_count] */
    void *scratch;                   /* NULL: the level is not made yet */
    mcd_local_window *window;        /* [window_count] */
    size_t window_count, window_capacity;
} mcd_local_level;

/* Zeroed = empty; mcd_local_costs_free. */
typedef struct mcd_local_costs {
    mcd_clock_costs *costs;
    size_t first, end;  /* the lanes that share the parts */
    uint32_t margin;    /* the first one, in 1/1024 of the longest cost */
    size_t start;       /* the first level whose margin proves most lanes, ... */
    size_t level_end;   /* ... and the end of those that pay */
    mcd_weight longest; /* of the costs that searches on the whole map found; 0: none */
    size_t map_count;   /* of these searches */
    macadam_matrix_plan *plan;
    mcd_weight *detour; /* [nodes of the map] */
    mcd_local_level level[MCD_LOCAL_MARGINS];
    uint8_t *state;    /* [band] */
    mcd_lane *lane;    /* [band] of the job, ... */
    uint32_t *instant; /* ... likewise, ... */
    mcd_weight *room;  /* ... the most that a cost may be to end in the window, ... */
    size_t *lane_of;   /* ... and its number in the band */
} mcd_local_costs;

/* Prepares searches from the lanes first <= l < end; `costs` and `plan`, which counts them, must stay where they are. Free
 * *out, on failure too. */
macadam_status mcd_local_costs_new(mcd_local_costs *out, mcd_clock_costs *costs, size_t first, size_t end,
                                   macadam_matrix_plan *plan, macadam_error *error);
/* Returns how many lanes to run next: few until it is known how far the columns are. */
size_t mcd_local_costs_band(const mcd_local_costs *local);
/* Does what mcd_clock_costs_run does, with the same costs. */
macadam_status mcd_local_costs_run(mcd_local_costs *local, size_t first, size_t count, macadam_error *error);
void mcd_local_costs_free(mcd_local_costs *local);

#endif
