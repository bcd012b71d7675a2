/* rows.c - see rows.h.
 *
 * The lanes of a place, and then those of its second position if its nearest road is in a subnetwork, are consecutive. A band is
 * the lanes of as many places as there are rows for, at least one. Each place's rows are merged into its first one. */
#include "engine/query/places/rows.h"

#include "engine/base/arena.h"

#include <string.h>

enum { ROWS_LEAST = 64, LANES_OF_THREAD = 4, COLUMNS_PER_TASK = 1 << 14 };

/* The memory of a band, and where it is. */
typedef struct rows_run {
    const mcd_rows *rows;
    const mcd_trees *trees;
    const mcd_lanes *lanes;
    size_t place_count, columns;
    mcd_row memory;    /* [band][columns] each */
    size_t place, end; /* of the band */
    size_t chunks;     /* parts of a row that tasks share */
    mcd_lanes cut_off; /* of the places that have two positions, if only their rows are run ... */
    uint32_t *number;  /* ... and which of all places these are; else NULL */
    size_t
        parts_before; /* as much work as these rows, for the progress: the device's half, and what is within subnetworks */
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

/* Returns whether the backend merges the lanes of places, and the rows are complete then. */
static bool merges(const mcd_rows *rows)
{
    const mcd_trees *const trees = &rows->trees;
    return trees->query->backend->device && trees->method == MCD_TREE_SWEEP && !trees->counts_hops &&
           !rows->signed_limit;
}

bool mcd_rows_are_straight(const mcd_rows *rows)
{
    return !rows->signed_limit && !rows->lanes->subnetwork && (!rows->lanes->first || merges(rows));
}

/* Writes all rows, those of places with one position as they remain; if no query takes any component, those of the others from
 * their first positions. */
static macadam_status run_merged(mcd_rows *rows, const char *what, macadam_error *error)
{
    MCD_FREED_BY(mcd_lanes_free) mcd_lanes first = {0};
    const mcd_lanes *const all = rows->lanes;
    if (all->subnetwork && !rows->trees.query->snap_any_component) {
        MCD_TRY(mcd_lanes_of_positions(&first, all, 0, 1, NULL, all->place_count, error));
        first.subnetwork = all->subnetwork; /* more steps follow */
        rows->lanes = &first;
    }
    const macadam_status status = mcd_rows_straight(rows, what, error);
    rows->lanes = all;
    first.subnetwork = NULL;
    MCD_TRY(status);
    mcd_query_give_back(rows->trees.query);
    rows->trees.by_place = rows->trees.as_lanes = false;
    rows->trees.objective = rows->trees.companion = NULL;
    return MACADAM_OK;
}

/* ---- within subnetworks ---- */

enum { SAMPLES = 64, LARGE_HITS = 4, LARGE_MOST = SAMPLES / LARGE_HITS, MARKS_PER_TASK = 1 << 11 };

/* The places in small subnetworks, and the columns whose nodes are of these subnetworks. A road that only leads out of a cut-off part
 * is in the subnetwork of its end, which may be nearly all of the map. Places in such a large one have their rows computed. */
typedef struct within_run {
    const mcd_rows *rows;
    uint32_t large[LARGE_MOST];
    size_t large_count;
    uint64_t *wanted; /* a bit for each component: it is the subnetwork of a place */
    uint8_t *mark;    /* [column_count] 1: the column's node is of such a one */
    uint32_t *place, *column;
    mcd_node *node; /* of the columns */
    size_t place_count, column_count;
    size_t first; /* place of the band */
    mcd_row
        band; /* for each place, a row from the first position, if `change` is to receive it, and one from the second */
    mcd_arena memory;
} within_run;

static mcd_node node_of(const mcd_rows *rows, size_t c)
{
    return rows->trees.column ? rows->trees.column[c] : (mcd_node)c;
}

/* Returns the component of a node; of one at which one arrives at a split junction, that of a copy. */
static uint32_t component_at(const macadam_engine *engine, mcd_node node)
{
    const uint32_t id = engine->places.node_place[node];
    const mcd_arc first = engine->graph.first_in[node];
    const bool is_arrival = engine->places.arrive[id] == node && engine->places.depart[id] != node,
               has_copy = is_arrival && first < engine->graph.first_in[node + 1];
    return engine->component[has_copy ? engine->graph.tail[first] : node];
}

/* Finds large subnetworks by a sample of the columns. */
static void find_large(within_run *run)
{
    const size_t columns = run->rows->trees.column_count;
    uint32_t seen[SAMPLES];
    size_t hits[SAMPLES] = {0}, count = 0;
    for (size_t i = 0; i < SAMPLES && columns > 0; ++i) {
        size_t at = 0;
        seen[count] = component_at(run->rows->trees.query->engine, node_of(run->rows, columns * i / SAMPLES));
        while (seen[at] != seen[count]) ++at;
        count += at == count;
        if (++hits[at] == LARGE_HITS) run->large[run->large_count++] = seen[at];
    }
}

/* Returns whether a place is within a small subnetwork. */
static bool is_within(const within_run *run, size_t place)
{
    const uint32_t subnetwork = mcd_lanes_subnetwork(run->rows->lanes, place);
    for (size_t i = 0; i < run->large_count; ++i)
        if (run->large[i] == subnetwork) return false;
    return subnetwork != MCD_SUBNETWORK_NONE;
}

static bool is_wanted(const within_run *run, uint32_t component)
{
    return run->wanted[component / 64] >> component % 64 & 1;
}

static void mark_range(void *argument, size_t first, size_t end)
{
    const within_run *const run = argument;
    const macadam_engine *const engine = run->rows->trees.query->engine;
    const mcd_graph *const graph = &engine->graph;
    for (size_t c = first; c < end; ++c) {
        const mcd_node node = node_of(run->rows, c);
        const uint32_t id = engine->places.node_place[node];
        bool found = is_wanted(run, engine->component[node]);
        if (engine->places.depart[id] != engine->places.arrive[id]) /* as mcd_subnetwork_has */
            for (mcd_arc xy = graph->first_in[node]; xy < graph->first_in[node + 1] && !found; ++xy)
                found = is_wanted(run, engine->component[graph->tail[xy]]);
        run->mark[c] = found;
    }
}

/* Returns the first marked column from `c` on, or column_count. */
static size_t next_marked(const within_run *run, size_t c)
{
    const size_t columns = run->rows->trees.column_count;
    const uint8_t *const at = c < columns ? memchr(run->mark + c, 1, columns - c) : NULL;
    return at ? (size_t)(at - run->mark) : columns;
}

/* Lists places and columns. */
static macadam_status list_within(within_run *run, macadam_error *error)
{
    const mcd_rows *const rows = run->rows;
    const macadam_engine *const engine = rows->trees.query->engine;
    const size_t columns = rows->trees.column_count, places = rows->lanes->place_count,
                 words = engine->places.node_count / 64 + 1;
    MCD_TRY(MCD_ARENA_NEW(&run->memory, run->wanted, words, error));
    MCD_TRY(MCD_ARENA_NEW(&run->memory, run->place, places, error));
    MCD_TRY(MCD_ARENA_NEW(&run->memory, run->mark, columns, error));
    memset(run->wanted, 0, words * sizeof *run->wanted);
    find_large(run);
    for (size_t i = 0; i < places; ++i) {
        const uint32_t subnetwork = mcd_lanes_subnetwork(rows->lanes, i);
        if (!is_within(run, i)) continue;
        run->place[run->place_count++] = (uint32_t)i;
        run->wanted[subnetwork / 64] |= UINT64_C(1) << subnetwork % 64;
    }
    if (run->place_count == 0) return MACADAM_OK;
    mcd_parallel_for_ranges(&engine->parallel, columns, MARKS_PER_TASK, mark_range, run);
    for (size_t c = next_marked(run, 0); c < columns; c = next_marked(run, c + 1)) ++run->column_count;
    MCD_TRY(MCD_ARENA_NEW(&run->memory, run->column, run->column_count, error));
    MCD_TRY(MCD_ARENA_NEW(&run->memory, run->node, run->column_count, error));
    for (size_t c = next_marked(run, 0), k = 0; c < columns; c = next_marked(run, c + 1), ++k)
        run->column[k] = (uint32_t)c, run->node[k] = node_of(rows, c);
    return MACADAM_OK;
}

static void free_within(within_run *run)
{
    mcd_arena_free(&run->memory);
}

/* Writes the i-th cost of a row to a column of the answer. */
static void put_cell(const mcd_rows *rows, size_t place, size_t c, const mcd_row *row, size_t i)
{
    const size_t at =
        rows->as_lanes ? c * rows->lanes->place_count + place : place * rows->trees.column_count + c;
    if (rows->answer.objective) rows->answer.objective[at] = row->objective[i];
    if (rows->answer.companion) rows->answer.companion[at] = row->companion[i];
}

/* Hands over the costs of a place that are those from its second position. */
static void take_within(void *argument, size_t k, MCD_UNUSED unsigned worker)
{
    const within_run *const run = argument;
    const mcd_rows *const rows = run->rows;
    const size_t place = run->place[run->first + k], columns = run->column_count;
    const uint32_t subnetwork = mcd_lanes_subnetwork(rows->lanes, place);
    const mcd_row row = row_from(&run->band, (rows->change ? 2 * k + 1 : k) * columns);
    for (size_t i = 0; i < columns; ++i) {
        const size_t c = run->column[i];
        if (!mcd_subnetwork_has(rows->trees.query->engine, subnetwork, run->node[i])) continue;
        if (rows->change)
            rows->change(rows->context, place, c, (row.objective - columns)[i], row.objective[i]);
        else
            put_cell(rows, place, c, &row, i);
    }
}

/* Computes the costs within small subnetworks. The query then holds no scratch. */
static macadam_status run_within(within_run *run, const char *what, macadam_error *error)
{
    const mcd_rows *const rows = run->rows;
    const size_t per = rows->change ? 2 : 1;
    MCD_FREED_BY(mcd_lanes_free) mcd_lanes lanes = {0};
    mcd_trees trees = rows->trees;
    void *memory;
    MCD_TRY(list_within(run, error));
    if (run->column_count == 0) return MACADAM_OK;
    MCD_TRY(mcd_lanes_of_positions(&lanes, rows->lanes, rows->change ? 0 : 1, 2, run->place, run->place_count,
                                   error));
    trees.column = run->node, trees.column_count = run->column_count;
    trees.by_place = true, trees.raw = false;
    MCD_TRY(mcd_trees_fit(&trees, per * run->place_count, per,
                          run->column_count * (1 + rows->joint) * sizeof(uint32_t), &memory, what, error));
    run->band.objective = memory;
    if (rows->joint) run->band.companion = run->band.objective + trees.band * run->column_count;
    for (run->first = 0; run->first < run->place_count; run->first += trees.band / per) {
        const size_t count = mcd_size_min(trees.band / per, run->place_count - run->first),
                     done = 2 * run->place_count + run->first; /* the third quarter */
        mcd_query_part(trees.query, done, done + count, 4 * run->place_count);
        MCD_TRY(mcd_trees_run(&trees, &lanes, per * run->first, per * count, &run->band, error));
        mcd_parallel_for(&trees.query->engine->parallel, count, take_within, run);
    }
    mcd_query_give_back(trees.query);
    return MACADAM_OK;
}

/* Lets a run have only the places with two positions that are not `within`. */
static macadam_status choose_cut_off(rows_run *run, const within_run *within, macadam_error *error)
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
        if (mcd_lanes_subnetwork(all, i) == MCD_SUBNETWORK_NONE || (within && is_within(within, i))) continue;
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
    const bool merged = !rows->take && merges(rows),
               apart = (merged || rows->change) && !rows->trees.query->snap_any_component;
    MCD_FREED_BY(free_within) within_run within = {.rows = rows};
    MCD_FREED_BY(free_run)
    rows_run run = {.rows = rows,
                    .trees = &rows->trees,
                    .lanes = rows->lanes,
                    .place_count = rows->lanes->place_count,
                    .columns = columns,
                    .chunks = rows->whole || parts == 0 ? 1 : parts,
                    .parts_before = apart ? 3 : merged || rows->only_cut_off};
    if (merged) MCD_TRY(run_merged(rows, what, error));
    if (apart) MCD_TRY(run_within(&within, what, error));
    if (merged || rows->only_cut_off) MCD_TRY(choose_cut_off(&run, apart ? &within : NULL, error));
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
        mcd_query_part(query, first, first + lanes, rows->lanes->subnetwork ? 2 * count : count);
        MCD_TRY(mcd_trees_run(trees, rows->lanes, first, lanes, &row, error));
        if (trees->counts_hops && places->node_count > places->id_count)
            mcd_parallel_for(parallel, lanes, settle_task, &run);
    }
    return MACADAM_OK;
}
