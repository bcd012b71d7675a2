/* same_road.c - see same_road.h. */
#include "engine/query/places/same_road.h"

#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/query/places/query.h"

MCD_DEFINE_COMPARE_TWO(compare_entries, mcd_same_road_entry, arc, target)

MCD_DEFINE_LOWER_BOUND_BY(find_entry, mcd_same_road_entry, const mcd_same_road_entry *,
                          compare_entries(element, value) < 0)

size_t mcd_same_road_find(const mcd_same_road *direct, uint32_t arc, size_t target)
{
    return find_entry(direct->entry, 0, direct->count, &(mcd_same_road_entry){.arc = arc, .target = target});
}

static bool has_source(const mcd_same_road *direct)
{
    for (size_t s = 0; s < direct->source->place_count; ++s)
        for (int i = 0; i < 2; ++i) {
            const uint32_t arc = direct->source->position[s].arc[i];
            const size_t at = arc == MCD_ROAD_NONE ? direct->count : mcd_same_road_find(direct, arc, 0);
            if (at < direct->count && direct->entry[at].arc == arc) return true;
        }
    return false;
}

macadam_status mcd_same_road_new(mcd_same_road *out, const mcd_lanes *source, const mcd_lanes *target,
                                 macadam_error *error)
{
    *out = (mcd_same_road){.source = source, .target = target};
    if (!target->position || (source && !source->position)) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->entry, 2 * target->place_count, error));
    for (size_t t = 0; t < target->place_count; ++t)
        for (int i = 0; i < 2; ++i)
            if (target->position[t].arc[i] != MCD_ROAD_NONE)
                out->entry[out->count++] = (mcd_same_road_entry){target->position[t].arc[i], (uint32_t)t};
    MCD_TRY(mcd_sort(out->entry, out->count, sizeof *out->entry, compare_entries, NULL, error));
    if (source && !has_source(out)) out->count = 0;
    return MACADAM_OK;
}

void mcd_same_road_free(mcd_same_road *direct)
{
    mcd_free(direct->entry);
    *direct = (mcd_same_road){0};
}

/* Applies the way along the i-th arcs of both. */
static void apply_to_cell(const mcd_same_road *direct, const mcd_cells *cells, size_t s, size_t t, int i)
{
    const mcd_road_part part = mcd_lanes_along(direct->source, s, direct->target, t, i);
    const size_t cell = (s - cells->row) * cells->stride + (t - cells->column);
    if (part.arc != MCD_ROAD_NONE)
        mcd_cells_take_better(cells->objective, cells->companion, cell, part.objective, part.companion);
}

typedef struct apply_work {
    const mcd_same_road *direct;
    const mcd_cells *cells;
} apply_work;

static void apply_to_row(void *argument, size_t row, unsigned worker)
{
    (void)worker;
    const apply_work *const work = argument;
    const mcd_same_road *const direct = work->direct;
    const size_t s = work->cells->row + row, end = work->cells->column + work->cells->columns;
    for (int i = 0; i < 2; ++i) {
        const uint32_t arc = direct->source->position[s].arc[i];
        if (arc == MCD_ROAD_NONE) continue;
        for (size_t at = mcd_same_road_find(direct, arc, work->cells->column);
             at < direct->count && direct->entry[at].arc == arc && direct->entry[at].target < end; ++at)
            apply_to_cell(direct, work->cells, s, direct->entry[at].target, i);
    }
}

void mcd_same_road_apply(const mcd_same_road *direct, const mcd_cells *cells, const mcd_parallel *parallel)
{
    apply_work work = {direct, cells};
    if (direct->count > 0) mcd_parallel_for(parallel, cells->rows, apply_to_row, &work);
}
