/* lane_cells.c - see lane_cells.h. */
#include "engine/query/tables/lane_cells.h"

typedef struct merge_run {
    const mcd_lane_cells *lanes;
    const mcd_cells *cells;
} merge_run;

size_t mcd_lane_cells_stride(const mcd_lane_cells *lanes, const mcd_cells *cells)
{
    return mcd_lanes_first(lanes->target, cells->column + cells->columns) -
           mcd_lanes_first(lanes->target, cells->column);
}

/* Takes the least of a target's cells. Most targets have one lane or two. */
static void take_least(const merge_run *merge, const mcd_cells *lanes, size_t r)
{
    const mcd_cells *const cells = merge->cells;
    const mcd_lanes *const target = merge->lanes->target;
    const size_t first_column = mcd_lanes_first(target, cells->column);
    uint32_t *const objective = cells->objective + r * cells->stride;
    uint32_t *const companion = cells->companion ? cells->companion + r * cells->stride : NULL;
    for (size_t c = 0; c < cells->columns; ++c) {
        const size_t first = mcd_lanes_first(target, cells->column + c) - first_column,
                     last = mcd_lanes_first(target, cells->column + c + 1) - first_column - 1;
        const bool is_last = companion ? mcd_joint_of(lanes->objective[last], lanes->companion[last]) <
                                             mcd_joint_of(lanes->objective[first], lanes->companion[first])
                                       : lanes->objective[last] < lanes->objective[first];
        objective[c] = is_last ? lanes->objective[last] : lanes->objective[first];
        if (companion) companion[c] = is_last ? lanes->companion[last] : lanes->companion[first];
        for (size_t k = first + 1; k < last; ++k)
            mcd_cells_take_better(objective, companion, c, lanes->objective[k],
                                  companion ? lanes->companion[k] : 0);
    }
}

static void merge_task(void *argument, size_t r, unsigned worker)
{
    (void)worker;
    const merge_run *const merge = argument;
    const mcd_lane_cells *const lanes = merge->lanes;
    const mcd_cells *const cells = merge->cells;
    const size_t stride = mcd_lane_cells_stride(lanes, cells),
                 band = mcd_lanes_first(lanes->source, cells->row),
                 first = mcd_lanes_first(lanes->source, cells->row + r) - band,
                 end = mcd_lanes_first(lanes->source, cells->row + r + 1) - band;
    mcd_cells row = {.objective = lanes->objective + first * stride,
                     .companion = cells->companion ? lanes->companion + first * stride : NULL};
    for (size_t i = 1; i < end - first; ++i)
        mcd_cells_merge(row.objective, row.companion, row.objective + i * stride,
                        row.companion ? row.companion + i * stride : NULL, stride);
    take_least(merge, &row, r);
}

void mcd_lane_cells_merge(const mcd_lane_cells *lanes, const mcd_cells *cells, const mcd_parallel *parallel)
{
    merge_run run = {lanes, cells};
    mcd_parallel_for(parallel, cells->rows, merge_task, &run);
}
