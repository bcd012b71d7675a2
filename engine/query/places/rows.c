/* rows.c - see rows.h.
 *
 * The lanes of a place, and then those of its second position if its nearest road is in a subnetwork, are consecutive. A band is
 * the lanes of as many places as there are rows for, at least one. Each place's rows are merged into its first one. */
#include "engine/query/places/rows.h"

#include <string.h>

enum { ROWS_LEAST = 64, LANES_OF_THREAD = 4, COLUMNS_PER_TASK = 1 << 14 };

/* The memory of a band, and where it is. */
typedef struct rows_run {
    const mcd_rows *rows;
    const mcd_trees *trees;
    const mcd_lanes *lanes;
    size_t place_count, columns;
    mcd_row memory;      /* [band][columns] each */
    size_t place, end;   /* of the band */
    size_t chunks;       /* parts of a row that tasks share */
    mcd_lanes cut_off;   /* of the places that have two positions, if only their rows are run ... */
    uint32_t *number;    /* ... and which of all places these are; else NULL */
    size_t parts_before; /* as much work as these rows, for the progress: the device's half */
} rows_run;

static macadam_status check_parents(const rows_run *run, macadam_error *error)
{
    const bool matters = run->trees->parents && !run->trees->counts_hops;
    for (size_t i = 0; matters && i < run->place_count; ++i) {
        const size_t inner = mcd_lanes_inner(run->lanes, i);
        if (inner - mcd_lanes_first(run->lanes, i) > 1 || mcd_lanes_first(run->lanes, i + 1) - inner > 1)
            return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                            "parents of a place within a road whose ends need several searches");
    }
    return MACADAM_OK;
}

/* ---- rows ---- */

static mcd_row row_from(const mcd_row *row, size_t at)
{
    return (mcd_row){row->objective ? row->objective + at : NULL, row->companion ? row->companion + at : NULL,
                     row->parent ? row->parent + at : NULL};
}

static mcd_row row_at(const rows_run *run, size_t r)
{
    return row_from(&run->memory, r * run->columns);
}

/* Copies a part of a row to the answer. */
static void deliver(const mcd_rows *rows, size_t place, const mcd_row *row, size_t first, size_t end)
{
    const size_t columns = rows->trees.column_count, places = rows->lanes->place_count;
    uint32_t *const to[] = {rows->answer.objective, rows->answer.companion, rows->answer.parent};
    const uint32_t *const from[] = {row->objective, row->companion, row->parent};
    for (size_t k = 0; k < sizeof to / sizeof *to; ++k) {
        if (!to[k] || end <= first) continue;
        if (!rows->as_lanes)
            memcpy(to[k] + place * columns + first, from[k] + first, (end - first) * sizeof **to);
        for (size_t c = first; rows->as_lanes && c < end; ++c) to[k][c * places + place] = from[k][c];
    }
}

static void clear_cell(const mcd_row *row, size_t c)
{
    row->objective[c] = MACADAM_UNREACHED;
    if (row->companion) row->companion[c] = MACADAM_UNREACHED;
    if (row->parent) row->parent[c] = MACADAM_UNREACHED;
}

/* Turns the hops between nodes of a lane into those of its place: the arc to the arrival node of a split junction is not a hop,
 * and a place within a road is one hop away from the ends of its arcs. */
static void settle_hops(const mcd_rows *rows, size_t place, size_t lane, const mcd_row *row, size_t from,
                        size_t until)
{
    const mcd_lanes *const lanes = rows->lanes;
    const mcd_place_index *const places = &rows->trees.query->engine->places;
    const bool forward = rows->trees.direction == MCD_FORWARD;
    const mcd_node node = lanes->node[lane];
    const uint32_t id = node == MCD_NODE_NONE ? 0 : places->node_place[node];
    const bool is_arrival = node != MCD_NODE_NONE && places->arrive[id] == node && places->depart[id] != node;
    const mcd_position *const position =
        lane < mcd_lanes_inner(lanes, place) ? lanes->position : lanes->second;
    const uint32_t more = position && mcd_position_is_within(&position[place]);
    for (size_t c = from; c < until; ++c) {
        if (row->objective[c] == MACADAM_UNREACHED) continue;
        row->objective[c] += more;
        row->objective[c] -= forward ? places->arrive[c] != places->depart[c] : is_arrival;
        if (row->objective[c] > rows->trees.limit) clear_cell(row, c);
    }
}

/* Merges the rows first <= r < end into row `to`, in the columns from .. until. Of equal hops, the least parent counts. */
static void merge(const rows_run *run, size_t to, size_t first, size_t end, size_t from, size_t until)
{
    const mcd_row row = row_at(run, to);
    uint32_t *const second = run->trees->counts_hops ? row.parent : row.companion;
    for (size_t r = first; r < end; ++r) {
        const size_t at = (r - to) * run->columns + from;
        mcd_cells_merge(row.objective + from, second ? second + from : NULL, row.objective + at,
                        second ? second + at : NULL, until - from);
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
        const int64_t rise = limit ? mcd_signed_limit_rise(limit, place, limit->of_id[id]) : 0;
        if (row->objective[c] + rise <= run->rows->limit) continue;
        clear_cell(row, c);
    }
}

/* Completes a part of a row whose lanes are merged, and hands it over. */
static void finish(const rows_run *run, size_t own, size_t to, size_t inner, size_t from, size_t until)
{
    const mcd_rows *const rows = run->rows;
    const size_t place = run->number ? run->number[own] : own;
    const mcd_row row = row_at(run, to), other = row_at(run, inner);
    const uint32_t subnetwork = mcd_lanes_subnetwork(run->lanes, own);
    if (subnetwork != MCD_SUBNETWORK_NONE) apply_second(run, subnetwork, &row, &other, from, until);
    mcd_cells_settle(row.objective + from, row.companion ? row.companion + from : NULL, until - from);
    if (rows->signed_limit || fills(rows)) apply_limit(run, place, &row, from, until);
    if (rows->take)
        rows->take(rows->context, place, &row, from, until);
    else
        deliver(rows, place, &row, from, until);
}

/* ---- bands ---- */

static void finish_task(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const rows_run *const run = argument;
    const size_t place = run->place + index / run->chunks, chunk = index % run->chunks,
                 from = chunk * COLUMNS_PER_TASK,
                 until = chunk + 1 == run->chunks ? run->columns : from + COLUMNS_PER_TASK,
                 band = mcd_lanes_first(run->lanes, run->place),
                 first = mcd_lanes_first(run->lanes, place) - band,
                 inner = mcd_lanes_inner(run->lanes, place) - band,
                 end = mcd_lanes_first(run->lanes, place + 1) - band;
    for (size_t r = first; run->trees->counts_hops && r < end; ++r) {
        const mcd_row row = row_at(run, r);
        settle_hops(run->rows, place, band + r, &row, from, until);
    }
    merge(run, first, first + 1, inner, from, until);
    if (inner < end) merge(run, inner, inner + 1, end, from, until);
    finish(run, place, first, inner, from, until);
}

/* Runs the places from run->place on whose rows fit. */
static macadam_status run_band(rows_run *run, macadam_error *error)
{
    const size_t first = mcd_lanes_first(run->lanes, run->place);
    run->end = run->place;
    while (run->end < run->place_count &&
           mcd_lanes_first(run->lanes, run->end + 1) - first <= run->trees->band)
        ++run->end;
    const size_t end = mcd_lanes_first(run->lanes, run->end);
    const size_t lanes = run->lanes->count, before = run->parts_before * lanes;
    mcd_query_part(run->trees->query, before + first, before + end, before + lanes);
    MCD_TRY(mcd_trees_run(run->trees, run->lanes, first, end - first, &run->memory, error));
    /* Without the thread's watch, whose phase would come between those of the backend. */
    mcd_parallel_for(&run->trees->query->engine->parallel, (run->end - run->place) * run->chunks, finish_task,
                     run);
    return MACADAM_OK;
}

/* ---- memory ---- */

/* Lanes that keep all threads busy with a search each. */
static size_t lanes_of_threads(const mcd_trees *trees)
{
    return LANES_OF_THREAD * (size_t)trees->query->engine->parallel.thread_count;
}

/* Takes memory for the rows of a band: 64, or four a thread if that is more; fewer if they do not fit, but at least the lanes of
 * any place. */
static macadam_status take_memory(rows_run *run, mcd_trees *trees, const char *what, macadam_error *error)
{
    const size_t arrays = 1 + run->rows->joint + trees->parents, least = mcd_lanes_most(run->lanes, 1),
                 rows = mcd_size_max(ROWS_LEAST, lanes_of_threads(trees));
    void *memory;
    MCD_TRY(mcd_trees_fit(trees, mcd_size_max(least, mcd_size_min(rows, run->lanes->count)), least,
                          arrays * run->columns * sizeof(uint32_t), &memory, what, error));
    const size_t cells = trees->band * run->columns;
    run->memory.objective = memory;
    uint32_t *end = run->memory.objective + cells;
    if (run->rows->joint) run->memory.companion = end, end += cells;
    if (trees->parents) run->memory.parent = end;
    return MACADAM_OK;
}

/* Returns whether the backend merges the lanes of places. */
static bool merges(const mcd_rows *rows)
{
    const mcd_trees *const trees = &rows->trees;
    return trees->query->backend->device && trees->method == MCD_TREE_SWEEP && !trees->counts_hops &&
           !rows->signed_limit;
}

bool mcd_rows_are_straight(const mcd_rows *rows)
{
    const mcd_lanes *const lanes = rows->lanes;
    const mcd_trees *const trees = &rows->trees;
    if (!merges(rows)) return !rows->signed_limit && !lanes->subnetwork && !lanes->first;
    return !lanes->subnetwork || (!trees->query->snap_any_component && trees->division.part_count == 0);
}

/* Writes all rows: those of places with one position as they remain. */
static macadam_status run_merged(mcd_rows *rows, const char *what, macadam_error *error)
{
    MCD_TRY(mcd_rows_straight(rows, what, error));
    mcd_query_give_back(rows->trees.query);
    rows->trees.by_place = rows->trees.as_lanes = false;
    rows->trees.objective = rows->trees.companion = NULL;
    return MACADAM_OK;
}

/* Lets a run have only the places with two positions. */
static macadam_status choose_cut_off(rows_run *run, macadam_error *error)
{
    const mcd_lanes *const all = run->lanes;
    mcd_lanes *const out = &run->cut_off;
    MCD_TRY(MCD_NEW(run->number, all->place_count, error));
    MCD_TRY(MCD_NEW(out->lane, all->count, error));
    MCD_TRY(MCD_NEW_ZEROED(out->first, all->place_count + 1, error));
    MCD_TRY(MCD_NEW(out->inner, all->place_count, error));
    MCD_TRY(MCD_NEW(out->subnetwork, all->place_count, error));
    for (size_t i = 0; i < all->place_count; ++i) {
        const size_t at = out->place_count, first = mcd_lanes_first(all, i),
                     count = mcd_lanes_first(all, i + 1) - first;
        if (mcd_lanes_subnetwork(all, i) == MCD_SUBNETWORK_NONE) continue;
        memcpy(out->lane + out->count, all->lane + first, count * sizeof *all->lane);
        run->number[at] = (uint32_t)i;
        out->inner[at] = out->count + mcd_lanes_inner(all, i) - first;
        out->subnetwork[at] = all->subnetwork[i];
        out->first[++out->place_count] = out->count += count;
    }
    run->lanes = out;
    run->place_count = out->place_count;
    return MACADAM_OK;
}

static void free_run(rows_run *run)
{
    mcd_lanes_free(&run->cut_off);
    mcd_free(run->number);
}

macadam_status mcd_rows_run(mcd_rows *rows, const char *what, macadam_error *error)
{
    const size_t columns = rows->trees.column_count,
                 parts = (columns + COLUMNS_PER_TASK - 1) / COLUMNS_PER_TASK;
    const bool merged = !rows->take && merges(rows);
    MCD_FREED_BY(free_run)
    rows_run run = {.rows = rows,
                    .trees = &rows->trees,
                    .lanes = rows->lanes,
                    .place_count = rows->lanes->place_count,
                    .columns = columns,
                    .chunks = rows->whole || parts == 0 ? 1 : parts,
                    .parts_before = merged || rows->only_cut_off};
    if (merged) MCD_TRY(run_merged(rows, what, error));
    if (merged || rows->only_cut_off) MCD_TRY(choose_cut_off(&run, error));
    if (run.place_count == 0) return MACADAM_OK;
    rows->trees.raw = true;
    if (fills(rows)) rows->trees.limit = rows->trees.counts_hops ? UINT32_MAX : MCD_WEIGHT_MAX;
    MCD_TRY(check_parents(&run, error));
    MCD_TRY(take_memory(&run, &rows->trees, what, error));
    for (run.place = 0; run.place < run.place_count; run.place = run.end) MCD_TRY(run_band(&run, error));
    return MACADAM_OK;
}

/* ---- straight ---- */

typedef struct straight_run {
    const mcd_rows *rows;
    const mcd_row *band; /* from lane `first` on */
    size_t first;
} straight_run;

static void settle_task(void *argument, size_t r, MCD_UNUSED unsigned worker)
{
    const straight_run *const run = argument;
    const size_t columns = run->rows->trees.column_count;
    const mcd_row row = row_from(run->band, r * columns);
    settle_hops(run->rows, run->first + r, run->first + r, &row, 0, columns);
}

macadam_status mcd_rows_straight(mcd_rows *rows, const char *what, macadam_error *error)
{
    mcd_trees *const trees = &rows->trees;
    mcd_query *const query = trees->query;
    const mcd_place_index *const places = &query->engine->places;
    const mcd_parallel *const parallel = &query->engine->parallel;
    const size_t count = rows->lanes->place_count,
                 most = trees->parents_by_id ? lanes_of_threads(trees) : count;
    void *memory;
    trees->by_place = merges(rows);
    trees->as_lanes = rows->as_lanes;
    trees->objective = rows->answer.objective;
    trees->companion = rows->answer.companion;
    MCD_TRY(mcd_trees_fit(trees, mcd_size_min(most, count), 1, 0, &memory, what, error));
    for (size_t first = 0; first < count; first += trees->band) {
        const size_t lanes = mcd_size_min(trees->band, count - first);
        const mcd_row row = row_from(&rows->answer, first * trees->column_count);
        straight_run run = {rows, &row, first};
        mcd_query_part(query, first, first + lanes, mcd_rows_are_straight(rows) ? count : 2 * count);
        MCD_TRY(mcd_trees_run(trees, rows->lanes, first, lanes, &row, error));
        if (trees->counts_hops && places->node_count > places->id_count)
            mcd_parallel_for(parallel, lanes, settle_task, &run);
    }
    return MACADAM_OK;
}
