/* tally.c - see tally.h. Each place's row (rows.h) becomes signed (signed.h) and is summed. */
#include "engine/query/tables/tally.h"

#include "engine/query/places/rows.h"

typedef struct tally {
    const macadam_reach_request *request;
    const macadam_reach *answer;
    size_t ids;
    mcd_potentials at; /* of the objective */
    uint32_t zero;     /* a cost of 0 in rows: MCD_SIGNED_ZERO, or 0 */
} tally;

/* ---- one place ---- */

/* Makes a place's costs signed, in the order of unsigned numbers. */
static void sign(const tally *t, size_t place, uint32_t *row)
{
    if (!t->at.of_id) return;
    const int32_t at = t->at.of_place[place], *const of_id = t->at.of_id;
    const bool reverse = t->request->reverse;
    for (size_t i = 0; i < t->ids; ++i)
        row[i] = mcd_signed_cost(row[i], mcd_sign_rise(at, of_id[i], reverse)) ^ MCD_SIGNED_ZERO;
}

/* MACADAM_UNREACHED is above every limit. */
static void sum_within(const tally *t, size_t place, const uint32_t *row, size_t limit_index)
{
    const size_t ids = t->ids, cell = place * t->request->limit_count + limit_index;
    const uint32_t limit = t->request->limit[limit_index] + t->zero, *const value = t->request->value;
    uint64_t count = 0, sum = 0;
    for (size_t i = 0; i < ids; ++i) count += row[i] <= limit;
    for (size_t i = 0; t->answer->value_sum && i < ids; ++i) sum += row[i] <= limit ? value[i] : 0;
    if (t->answer->node_count) t->answer->node_count[cell] = count;
    if (t->answer->value_sum) t->answer->value_sum[cell] = sum;
}

static void sum_all(const tally *t, size_t place, const uint32_t *row)
{
    uint64_t reached = 0, cost_sum = 0;
    uint32_t greatest = 0;
    for (size_t i = 0; i < t->ids; ++i) {
        if (row[i] == MACADAM_UNREACHED) continue;
        ++reached;
        cost_sum += (uint64_t)row[i] - t->zero;
        if (row[i] > greatest) greatest = row[i];
    }
    if (t->answer->reached) t->answer->reached[place] = reached;
    if (t->answer->cost_sum) t->answer->cost_sum[place] = cost_sum;
    if (t->answer->eccentricity)
        t->answer->eccentricity[place] = (reached ? greatest : MACADAM_UNREACHED) ^ t->zero;
}

static void sum_place(const tally *t, size_t place, uint32_t *row)
{
    const macadam_reach *const answer = t->answer;
    const bool by_limit = answer->node_count || answer->value_sum;
    sign(t, place, row);
    for (size_t i = 0; by_limit && i < t->request->limit_count; ++i) sum_within(t, place, row, i);
    if (answer->reached || answer->cost_sum || answer->eccentricity) sum_all(t, place, row);
}

static void take_row(void *context, size_t place, const mcd_row *row, size_t first, size_t end)
{
    (void)first, (void)end; /* the row is whole */
    sum_place(context, place, row->objective);
}

macadam_status mcd_tally_find(mcd_query *query, const macadam_reach_request *request, const mcd_lanes *source,
                              const macadam_reach *answer, macadam_error *error)
{
    const mcd_place_index *const places = &query->engine->places;
    tally t = {.request = request, .answer = answer, .ids = places->id_count};
    mcd_rows rows = {.trees = {.query = query,
                               .method = MCD_TREE_SWEEP,
                               .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
                               .limit = MCD_WEIGHT_MAX,
                               .column = request->reverse ? places->depart : places->arrive,
                               .column_count = places->id_count},
                     .lanes = source,
                     .whole = true,
                     .take = take_row,
                     .context = &t};
    macadam_status status = mcd_potentials_new(&t.at, query, query->objective_index, source, error);
    t.zero = t.at.of_id ? MCD_SIGNED_ZERO : 0;
    if (!status) status = mcd_rows_run(&rows, "reach", error);
    mcd_query_give_back(query);
    mcd_potentials_free(&t.at);
    return status;
}
