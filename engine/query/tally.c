/* tally.c - see tally.h. A band is the lanes of as many places as there are rows for. Each place's rows are
 * merged into its first one, which is then lifted (rise.h) and summed. A place with more lanes than rows is a band of
 * its own: its lanes come in several runs, and its first row is kept between them. */
#include "engine/query/tally.h"

#include "engine/query/rise.h"
#include "engine/query/trees.h"

enum { ROWS = 64 };

typedef struct tally {
    mcd_trees trees;
    const macadam_reach_request *request;
    const mcd_lanes *source;
    const macadam_reach *answer;
    mcd_rise rise;
    uint32_t *row;      /* [trees.band * ids] */
    size_t first_place; /* of the band */
} tally;

/* ---- one place ---- */

static void merge(uint32_t *row, const uint32_t *other, size_t count)
{
    for (size_t i = 0; i < count; ++i) row[i] = other[i] < row[i] ? other[i] : row[i];
}

static void lift(const mcd_rise *rise, uint32_t *row, size_t count)
{
    for (size_t i = 0; rise->potential && i < count; ++i)
        if (row[i] != MACADAM_UNREACHED) row[i] = mcd_rise_lift(row[i], rise->potential[i], rise->reverse);
}

/* MACADAM_UNREACHED is above every limit, lifted too. */
static void sum_within(const tally *t, size_t place, const uint32_t *row, size_t limit_index)
{
    const size_t ids = t->trees.column_count, cell = place * t->request->limit_count + limit_index;
    const uint32_t limit = t->request->limit[limit_index] + mcd_rise_base(&t->rise, place), *const value =
                                                                                                t->request
                                                                                                    ->value;
    uint64_t count = 0, sum = 0;
    for (size_t i = 0; i < ids; ++i) count += row[i] <= limit;
    for (size_t i = 0; t->answer->value_sum && i < ids; ++i) sum += row[i] <= limit ? value[i] : 0;
    if (t->answer->node_count) t->answer->node_count[cell] = count;
    if (t->answer->value_sum) t->answer->value_sum[cell] = sum;
}

static void sum_all(const tally *t, size_t place, const uint32_t *row)
{
    const uint32_t base = mcd_rise_base(&t->rise, place);
    uint64_t reached = 0, cost_sum = 0; /* lifted, as the greatest cost */
    uint32_t greatest = 0;
    for (size_t i = 0; i < t->trees.column_count; ++i) {
        if (row[i] == MACADAM_UNREACHED) continue;
        ++reached;
        cost_sum += row[i];
        if (row[i] > greatest) greatest = row[i];
    }
    if (t->answer->reached) t->answer->reached[place] = reached;
    if (t->answer->cost_sum) t->answer->cost_sum[place] = cost_sum;
    if (t->answer->eccentricity) t->answer->eccentricity[place] = reached ? greatest : MACADAM_UNREACHED;
    if (t->answer->signed_cost_sum) t->answer->signed_cost_sum[place] = (int64_t)(cost_sum - reached * base);
    if (t->answer->signed_eccentricity)
        t->answer->signed_eccentricity[place] = reached ? (int64_t)greatest - base : MACADAM_UNREACHED;
}

static void sum_place(const tally *t, size_t place, uint32_t *row)
{
    const macadam_reach *const answer = t->answer;
    const bool by_limit = answer->node_count || answer->value_sum;
    lift(&t->rise, row, t->trees.column_count);
    for (size_t i = 0; by_limit && i < t->request->limit_count; ++i) sum_within(t, place, row, i);
    if (answer->reached || answer->cost_sum || answer->eccentricity || answer->signed_cost_sum ||
        answer->signed_eccentricity)
        sum_all(t, place, row);
}

/* ---- bands ---- */

static void take_place(void *argument, size_t index, unsigned worker)
{
    const tally *const t = argument;
    const size_t ids = t->trees.column_count, place = t->first_place + index,
                 band = mcd_lanes_first(t->source, t->first_place),
                 first = mcd_lanes_first(t->source, place) - band,
                 end = mcd_lanes_first(t->source, place + 1) - band;
    (void)worker;
    for (size_t lane = first + 1; lane < end; ++lane) merge(t->row + first * ids, t->row + lane * ids, ids);
    sum_place(t, place, t->row + first * ids);
}

static macadam_status run_lanes(const tally *t, size_t first, size_t count, uint32_t *row,
                                macadam_error *error)
{
    mcd_query_part(t->trees.query, first, first + count, t->source->count);
    return mcd_trees_run(&t->trees, t->source->lane + first, count, row, NULL, NULL, error);
}

/* Runs the places from t->first_place on whose rows fit; returns how many in *count. */
static macadam_status run_band(const tally *t, size_t *count, macadam_error *error)
{
    const size_t first = mcd_lanes_first(t->source, t->first_place);
    size_t end = t->first_place;
    while (end < t->source->place_count && mcd_lanes_first(t->source, end + 1) - first <= t->trees.band)
        ++end;
    *count = end - t->first_place;
    if (*count == 0) return MACADAM_OK;
    MCD_TRY(run_lanes(t, first, mcd_lanes_first(t->source, end) - first, t->row, error));
    mcd_parallel_for(&t->trees.query->engine->parallel, *count, take_place, (void *)t);
    return MACADAM_OK;
}

static macadam_status run_wide(const tally *t, macadam_error *error)
{
    const size_t ids = t->trees.column_count, end = mcd_lanes_first(t->source, t->first_place + 1);
    size_t kept = 0, count;
    for (size_t lane = mcd_lanes_first(t->source, t->first_place); lane < end; lane += count, kept = 1) {
        count = mcd_size_min(t->trees.band - kept, end - lane);
        MCD_TRY(run_lanes(t, lane, count, t->row + kept * ids, error));
        for (size_t r = 1; r < kept + count; ++r) merge(t->row, t->row + r * ids, ids);
    }
    sum_place(t, t->first_place, t->row);
    return MACADAM_OK;
}

static macadam_status run_places(tally *t, macadam_error *error)
{
    void *rows;
    MCD_TRY(mcd_trees_fit(&t->trees, mcd_size_min(ROWS, t->source->count),
                          t->trees.column_count * sizeof *t->row, &rows, "reach", error));
    t->row = rows;
    for (size_t count; t->first_place < t->source->place_count; t->first_place += count) {
        MCD_TRY(run_band(t, &count, error));
        if (count > 0) continue;
        MCD_TRY(run_wide(t, error));
        count = 1;
    }
    return MACADAM_OK;
}

macadam_status mcd_tally_find(mcd_query *query, const macadam_reach_request *request, const mcd_lanes *source,
                              const macadam_reach *answer, macadam_error *error)
{
    const mcd_place_index *const places = &query->engine->places;
    tally t = {.trees = {.query = query,
                         .method = MACADAM_TREE_SWEEP,
                         .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
                         .limit = MCD_WEIGHT_MAX,
                         .column = request->reverse ? places->depart : places->arrive,
                         .column_count = places->id_count},
               .request = request,
               .source = source,
               .answer = answer};
    macadam_status status = mcd_rise_new(&t.rise, query, source, error);
    if (!status) status = run_places(&t, error);
    mcd_query_give_back(query);
    mcd_rise_free(&t.rise);
    return status;
}
