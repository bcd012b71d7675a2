/* same_road.c - see same_road.h. */
#include "engine/query/places/same_road.h"

#include "engine/base/grow.h"
#include "engine/base/parallel.h"
#include "engine/base/sort.h"

#include <stdatomic.h>

enum { MASK_BITS_PER_ARC = 16, WAYS_MOST = 1 << 20, TARGETS_PER_TASK = 256, ROWS_PER_TASK = 1024 };

/* ---- arcs ---- */

static bool holds(const mcd_arc_mask *mask, uint32_t arc)
{
    const uint32_t bit = arc * UINT32_C(0x9e3779b1) >> mask->shift;
    return mask->bit[bit / 64] >> bit % 64 & 1;
}

static void add_arc(mcd_arc_mask *mask, uint32_t arc)
{
    const uint32_t bit = arc * UINT32_C(0x9e3779b1) >> mask->shift;
    mask->bit[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Makes an empty mask for `arc_count` arcs. The caller frees out->bit. */
static macadam_status mask_new(mcd_arc_mask *out, size_t arc_count, macadam_error *error)
{
    const unsigned least = 6, most = 31, bits = mcd_bits_of(MASK_BITS_PER_ARC * arc_count),
                   used = bits < least  ? least
                          : bits > most ? most
                                        : bits;
    out->shift = 32 - used;
    return MCD_NEW_ZEROED(out->bit, (size_t)1 << used >> 6, error);
}

/* Marks the arcs of places. */
static macadam_status mask_of(mcd_arc_mask *out, const mcd_lanes *lanes, macadam_error *error)
{
    MCD_TRY(mask_new(out, 2 * lanes->place_count, error));
    for (size_t i = 0; i < lanes->place_count; ++i)
        for (int k = 0; k < 2; ++k)
            if (lanes->position[i].arc[k] != MCD_ROAD_NONE) add_arc(out, lanes->position[i].arc[k]);
    return MACADAM_OK;
}

/* ---- the targets by their arcs ---- */

size_t mcd_same_road_find(const mcd_same_road *direct, uint32_t arc, size_t target)
{
    if (direct->count == 0 || !holds(&direct->mask, arc)) return direct->count;
    return mcd_lower_bound_u64(direct->entry, 0, direct->count, (uint64_t)arc << 32 | target);
}

static bool has_source(const mcd_same_road *direct)
{
    for (size_t s = 0; s < direct->source->place_count; ++s)
        for (int i = 0; i < 2; ++i) {
            const uint32_t arc = direct->source->position[s].arc[i];
            const size_t at = arc == MCD_ROAD_NONE ? direct->count : mcd_same_road_find(direct, arc, 0);
            if (at < direct->count && mcd_same_road_arc(direct->entry[at]) == arc) return true;
        }
    return false;
}

typedef struct target_work {
    mcd_same_road *out;
    const mcd_arc_mask *mask; /* NULL: all arcs */
    atomic_size_t count;      /* of entries */
} target_work;

/* Lists the targets on arcs of the mask. Their order does not count. */
static void list_range(void *argument, size_t first, size_t end)
{
    target_work *const work = argument;
    const mcd_position *const position = work->out->target->position;
    uint64_t own[2 * TARGETS_PER_TASK];
    size_t count = 0;
    for (size_t t = first; t < end; ++t)
        for (int i = 0; i < 2; ++i) {
            const uint32_t arc = position[t].arc[i];
            if (arc != MCD_ROAD_NONE && (!work->mask || holds(work->mask, arc)))
                own[count++] = (uint64_t)arc << 32 | t;
        }
    if (count > 0) memcpy(&work->out->entry[atomic_fetch_add(&work->count, count)], own, count * sizeof *own);
}

static macadam_status list_targets(mcd_same_road *out, const mcd_arc_mask *mask, const mcd_parallel *parallel,
                                   macadam_error *error)
{
    MCD_OWNED uint64_t *scratch = NULL;
    const size_t targets = out->target->place_count;
    target_work work = {.out = out, .mask = mask};
    MCD_TRY(MCD_NEW(out->entry, 2 * targets, error));
    mcd_parallel_for_ranges(parallel, targets, TARGETS_PER_TASK, list_range, &work);
    out->count = atomic_load(&work.count);
    MCD_TRY(mask_new(&out->mask, out->count, error));
    for (size_t i = 0; i < out->count; ++i) add_arc(&out->mask, mcd_same_road_arc(out->entry[i]));
    MCD_TRY(MCD_NEW(scratch, out->count, error));
    MCD_TRY(
        mcd_sort_bits_on(parallel, out->entry, scratch, out->count, 0, mcd_bits_of(targets), NULL, error));
    return mcd_sort_bits_on(parallel, out->entry, scratch, out->count, 32, 64, NULL, error);
}

macadam_status mcd_same_road_new(mcd_same_road *out, const mcd_lanes *source, const mcd_lanes *target,
                                 const mcd_parallel *parallel, macadam_error *error)
{
    mcd_arc_mask sources = {NULL, 0};
    *out = (mcd_same_road){.source = source, .target = target};
    if (!target->position || (source && !source->position)) return MACADAM_OK;
    macadam_status status = source ? mask_of(&sources, source, error) : MACADAM_OK;
    if (!status) status = list_targets(out, source ? &sources : NULL, parallel, error);
    mcd_free(sources.bit);
    if (!status && source && !has_source(out)) out->count = 0;
    return status;
}

MCD_DEFINE_FREE(mcd_same_road_free, mcd_same_road, it->entry, it->mask.bit)

/* ---- ways ---- */

/* Adds the better way between two places that share their i-th arcs, unless they share the first, too, where it was added. */
static void add_way(mcd_way_list *out, const mcd_same_road *direct, const mcd_cells *cells, size_t s,
                    size_t t, int i)
{
    if (i == 1 && direct->source->position[s].arc[0] == direct->target->position[t].arc[0] &&
        direct->source->position[s].arc[0] != MCD_ROAD_NONE)
        return;
    const mcd_road_part part = mcd_lanes_same_road(direct->source, s, direct->target, t);
    if (part.arc != MCD_ROAD_NONE)
        out->way[out->count++] = (mcd_road_way){(uint32_t)(s - cells->row), (uint32_t)(t - cells->column),
                                                part.objective, part.companion};
}

/* Adds the ways of row s. */
static macadam_status add_row(mcd_way_list *out, const mcd_same_road *direct, const mcd_cells *cells,
                              size_t s, macadam_error *error)
{
    const size_t end = cells->column + cells->columns;
    for (int i = 0; i < 2; ++i) {
        const uint32_t arc = direct->source->position[s].arc[i];
        if (arc == MCD_ROAD_NONE) continue;
        for (size_t at = mcd_same_road_find(direct, arc, cells->column);
             at < direct->count && mcd_same_road_arc(direct->entry[at]) == arc &&
             (uint32_t)direct->entry[at] < end;
             ++at) {
            MCD_TRY(MCD_GROW(out->way, out->capacity, out->count + 1, error));
            add_way(out, direct, cells, s, (uint32_t)direct->entry[at], i);
        }
    }
    return MACADAM_OK;
}

/* The ways of a task's rows. */
typedef struct way_task {
    mcd_way_list ways;
    macadam_status status;
    macadam_error error;
} way_task;

typedef struct way_work {
    const mcd_same_road *direct;
    const mcd_cells *cells;
    way_task *task;
    size_t most; /* about how many are listed together */
    atomic_size_t count;
} way_work;

/* Lists the ways of a task's rows until all tasks together have enough; those of the first row always. */
static void list_rows(void *argument, size_t first, size_t end)
{
    way_work *const work = argument;
    way_task *const task = &work->task[first / ROWS_PER_TASK];
    mcd_way_list *const ways = &task->ways;
    for (size_t row = first; row < end && (row == 0 || atomic_load(&work->count) < work->most); ++row) {
        const size_t before = ways->count;
        task->status = add_row(ways, work->direct, work->cells, work->cells->row + row, &task->error);
        if (task->status) return;
        if (ways->count > before) atomic_fetch_add(&work->count, ways->count - before);
        ++ways->rows;
    }
}

/* Appends the ways of tasks, up to the first row that is not listed. */
static macadam_status join_ways(mcd_way_list *out, const way_task *task, size_t rows, macadam_error *error)
{
    for (; out->rows < rows; ++task) {
        const mcd_way_list *const ways = &task->ways;
        if (task->status) return mcd_fail(error, task->status, "%s", task->error.message);
        MCD_TRY(MCD_GROW(out->way, out->capacity, out->count + ways->count, error));
        if (ways->count > 0) memcpy(out->way + out->count, ways->way, ways->count * sizeof *out->way);
        out->count += ways->count, out->rows += ways->rows;
        if (ways->rows < ROWS_PER_TASK) break;
    }
    return MACADAM_OK;
}

macadam_status mcd_same_road_list(mcd_way_list *out, const mcd_same_road *direct, const mcd_cells *cells,
                                  bool all, const mcd_parallel *parallel, macadam_error *error)
{
    MCD_OWNED way_task *task = NULL;
    const size_t rows = cells->rows, tasks = (rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    way_work work = {.direct = direct, .cells = cells, .most = all ? SIZE_MAX : WAYS_MOST};
    out->count = 0, out->rows = direct->count > 0 ? 0 : rows;
    if (direct->count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(task, tasks, error));
    work.task = task;
    mcd_parallel_for_ranges(parallel, rows, ROWS_PER_TASK, list_rows, &work);
    const macadam_status status = join_ways(out, task, rows, error);
    for (size_t k = 0; k < tasks; ++k) mcd_free(task[k].ways.way);
    return status;
}

macadam_status mcd_same_road_apply(const mcd_same_road *direct, const mcd_cells *cells,
                                   const mcd_parallel *parallel, macadam_error *error)
{
    MCD_FREED_BY(mcd_way_list_free) mcd_way_list ways = {NULL};
    for (size_t row = 0; direct->count > 0 && row < cells->rows; row += ways.rows) {
        const mcd_cells part = mcd_cells_rows(cells, row, cells->rows - row);
        MCD_TRY(mcd_same_road_list(&ways, direct, &part, false, parallel, error));
        for (size_t k = 0; k < ways.count; ++k) {
            const mcd_road_way *const way = &ways.way[k];
            mcd_cells_take_better(part.objective, part.companion, way->row * part.stride + way->column,
                                  way->objective, way->companion);
        }
    }
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_way_list_free, mcd_way_list, it->way)
