/* rows.c - see rows.h.
 *
 * The lanes of a place, and then those of its second position if its nearest road is in a subnetwork, are consecutive. A band is
 * the lanes of as many places as there are rows for, at least one. Each place's rows are merged into its first one. */
#include "engine/query/places/rows.h"

#include "engine/query/places/cells.h"
#include "engine/query/places/parents.h"

enum { ROWS = 64, COLUMNS_PER_TASK = 1 << 14 };

/* The memory of a band, and where it is. */
typedef struct rows_run {
    const mcd_rows *rows;
    const mcd_trees *trees;
    const mcd_lanes *lanes;
    size_t place_count, columns;
    mcd_row memory;        /* [band][columns] each */
    mcd_node *node_parent; /* [band][node_count], if parents become ids */
    size_t place, end;     /* of the band */
    size_t chunks;         /* parts of a row that tasks share */
} rows_run;

static macadam_status check_parents(const rows_run *run, macadam_error *error)
{
    for (size_t i = 0; run->trees->parents && i < run->place_count; ++i) {
        const size_t inner = mcd_lanes_inner(run->lanes, i);
        if (inner - mcd_lanes_first(run->lanes, i) > 1 || mcd_lanes_first(run->lanes, i + 1) - inner > 1)
            return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                            "parents of a place within a road whose ends need several searches");
    }
    return MACADAM_OK;
}

/* ---- rows ---- */

static mcd_row row_at(const rows_run *run, size_t r)
{
    const size_t at = r * run->columns;
    return (mcd_row){run->memory.objective + at, run->memory.companion ? run->memory.companion + at : NULL,
                     run->memory.parent ? run->memory.parent + at : NULL};
}

/* Merges the rows first <= r < end into row `to`, in the columns from .. until. */
static void merge(const rows_run *run, size_t to, size_t first, size_t end, size_t from, size_t until)
{
    const mcd_row row = row_at(run, to);
    for (size_t r = first; r < end; ++r) {
        const mcd_row other = row_at(run, r);
        mcd_cells_merge(row.objective + from, row.companion ? row.companion + from : NULL,
                        other.objective + from, other.companion ? other.companion + from : NULL,
                        until - from);
    }
}

/* Writes the costs from the second position over those that they decide. */
static void apply_second(const rows_run *run, uint32_t subnetwork, const mcd_row *row, const mcd_row *second,
                         size_t from, size_t until)
{
    const mcd_query *const query = run->trees->query;
    for (size_t c = from; c < until; ++c) {
        const mcd_node node = run->trees->column ? run->trees->column[c] : (mcd_node)c;
        const bool within = mcd_subnetwork_has(query->engine, subnetwork, node);
        if (!mcd_subnetwork_decides(query, within, row->objective[c] != MACADAM_UNREACHED)) continue;
        row->objective[c] = second->objective[c];
        if (row->companion) row->companion[c] = second->companion[c];
        if (row->parent) row->parent[c] = second->parent[c];
    }
}

/* Whether what is reached at all decides before the limit does. */
static bool fills(const mcd_rows *rows)
{
    return rows->limit && rows->trees.query->snap_any_component && rows->lanes->subnetwork;
}

/* Clears what is beyond the limit. */
static void apply_limit(const rows_run *run, size_t place, const mcd_row *row, size_t from, size_t until)
{
    const mcd_signed_limit *const limit = run->rows->signed_limit;
    const uint32_t *const node_place = run->trees->query->engine->places.node_place;
    for (size_t c = from; c < until; ++c) {
        const size_t id = run->trees->column ? c : node_place[c];
        const int64_t rise = limit ? mcd_signed_limit_rise(limit, place, limit->at.of_id[id]) : 0;
        if (row->objective[c] + rise <= run->rows->limit) continue;
        row->objective[c] = MACADAM_UNREACHED;
        if (row->companion) row->companion[c] = MACADAM_UNREACHED;
        if (row->parent) row->parent[c] = MACADAM_UNREACHED;
    }
}

/* Completes a part of a row whose lanes are merged, and hands it over. */
static void finish(const rows_run *run, size_t place, size_t to, size_t inner, size_t from, size_t until)
{
    const mcd_rows *const rows = run->rows;
    const mcd_row row = row_at(run, to), other = row_at(run, inner);
    const uint32_t subnetwork = mcd_lanes_subnetwork(run->lanes, place);
    if (subnetwork != MCD_SUBNETWORK_NONE) apply_second(run, subnetwork, &row, &other, from, until);
    mcd_cells_settle(row.objective + from, row.companion ? row.companion + from : NULL, until - from);
    if (rows->signed_limit || fills(rows)) apply_limit(run, place, &row, from, until);
    rows->take(rows->context, place, &row, from, until);
}

/* ---- bands ---- */

static void finish_task(void *argument, size_t index, unsigned worker)
{
    const rows_run *const run = argument;
    const size_t place = run->place + index / run->chunks, chunk = index % run->chunks,
                 from = chunk * COLUMNS_PER_TASK,
                 until = chunk + 1 == run->chunks ? run->columns : from + COLUMNS_PER_TASK,
                 band = mcd_lanes_first(run->lanes, run->place),
                 first = mcd_lanes_first(run->lanes, place) - band,
                 inner = mcd_lanes_inner(run->lanes, place) - band,
                 end = mcd_lanes_first(run->lanes, place + 1) - band;
    (void)worker;
    merge(run, first, first + 1, inner, from, until);
    if (inner < end) merge(run, inner, inner + 1, end, from, until);
    finish(run, place, first, inner, from, until);
}

static macadam_status run_lanes(const rows_run *run, size_t first, size_t count, macadam_error *error)
{
    const mcd_trees *const trees = run->trees;
    mcd_query_part(trees->query, first, first + count, run->lanes->count);
    MCD_TRY(mcd_trees_run(trees, run->lanes->lane + first, count, run->memory.objective,
                          run->memory.companion, run->node_parent ? run->node_parent : run->memory.parent,
                          error));
    return run->node_parent ? mcd_parents_by_id(trees->query->engine, trees->direction, run->node_parent,
                                                count, run->memory.parent, error)
                            : MACADAM_OK;
}

/* Runs the places from run->place on whose rows fit. */
static macadam_status run_band(rows_run *run, macadam_error *error)
{
    const size_t first = mcd_lanes_first(run->lanes, run->place);
    run->end = run->place;
    while (run->end < run->place_count &&
           mcd_lanes_first(run->lanes, run->end + 1) - first <= run->trees->band)
        ++run->end;
    MCD_TRY(run_lanes(run, first, mcd_lanes_first(run->lanes, run->end) - first, error));
    mcd_parallel_for(&run->trees->query->engine->parallel, (run->end - run->place) * run->chunks, finish_task,
                     run);
    return MACADAM_OK;
}

/* ---- memory ---- */

/* Rows are as many as lanes; with parents, which take the nodes' memory, fewer. */
static macadam_status take_memory(rows_run *run, mcd_trees *trees, const char *what, macadam_error *error)
{
    const mcd_place_index *const places = &trees->query->engine->places;
    const size_t arrays = 1 + run->rows->joint + trees->parents,
                 row_bytes = arrays * run->columns * sizeof(uint32_t),
                 node_bytes = run->rows->parents_by_id ? places->node_count * sizeof(mcd_node) : 0;
    void *memory;
    const size_t least = mcd_lanes_most(run->lanes, 1);
    MCD_TRY(mcd_trees_fit(trees, mcd_size_max(least, mcd_size_min(ROWS, run->lanes->count)), least,
                          row_bytes + node_bytes, &memory, what, error));
    const size_t cells = trees->band * run->columns;
    run->memory.objective = memory;
    uint32_t *end = run->memory.objective + cells;
    if (run->rows->joint) run->memory.companion = end, end += cells;
    if (trees->parents) run->memory.parent = end, end += cells;
    if (node_bytes) run->node_parent = end;
    return MACADAM_OK;
}

macadam_status mcd_rows_run(mcd_rows *rows, const char *what, macadam_error *error)
{
    const size_t columns = rows->trees.column_count,
                 parts = (columns + COLUMNS_PER_TASK - 1) / COLUMNS_PER_TASK;
    rows_run run = {.rows = rows,
                    .trees = &rows->trees,
                    .lanes = rows->lanes,
                    .place_count = rows->lanes->place_count,
                    .columns = columns,
                    .chunks = rows->whole || parts == 0 ? 1 : parts};
    rows->trees.raw = true;
    if (fills(rows)) rows->trees.limit = MCD_WEIGHT_MAX;
    MCD_TRY(check_parents(&run, error));
    MCD_TRY(take_memory(&run, &rows->trees, what, error));
    for (run.place = 0; run.place < run.place_count; run.place = run.end) MCD_TRY(run_band(&run, error));
    return MACADAM_OK;
}
