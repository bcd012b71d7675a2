/* access.c - see access.h.
 *
 * macadam.h defines the answers by integers. An integer sum does not depend on the order of its terms, so the cells of a source
 * are added as tiles bring them: by any thread, and, of costs to the sources, from the columns of a matrix whose rows are the
 * opportunities. Percentiles need all costs of a source; there are then as many sources in a band as there is memory for their
 * costs. */
#include "engine/query/tables/access.h"

#include "engine/query/clock/instants.h"
#include "engine/query/tables/decay.h"
#include "engine/query/tables/matrix.h"
#include "engine/base/sort.h"

enum {
    CHUNK = 256, /* cells that are weighed together: that many rows of 16 columns fit the nearest cache */
    SOURCES_TASK = 16, /* of a tile: as many costs as a cache line has */
    FEW = 16,          /* cells of which none may count */
    AMOUNT_BITS = 62,  /* a column's sum is below 2^62 */
    SHIFT_MAX = 900,   /* the least sum times 2^-(30 + 900) is still a normal double */
    PERCENT = 1000000, /* percentiles are read in steps of 1 / PERCENT */
};
static const uint64_t band_bytes_max = 256ull << 20;

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

typedef struct sums {
    wide amount;      /* weights times amounts: below 2^92 */
    signed_wide cost; /* times costs: below 2^123 */
} sums;

typedef struct access_run {
    const macadam_reach_request *request;
    const macadam_reach *answer;
    mcd_query *query;
    macadam_decay decay;
    uint32_t unreached;
    int64_t *amount; /* [column * opportunity_count + i] times 2^shift */
    int shift[MACADAM_REACH_AMOUNTS_MAX];
    size_t percentile_order[MACADAM_REACH_PERCENTILES_MAX]; /* ascending */
    size_t first, count;                                    /* the band's sources */
    sums *sum;                                              /* [(source - first) * amount_count + column] */
    uint32_t *cost;               /* [(source - first) * opportunity_count + i] ... */
    uint32_t *weight;             /* [worker * opportunity_count + i] ... */
    uint64_t *key;                /* [worker * 2 * opportunity_count + i]: NULL without percentiles */
    macadam_place_status *status; /* of a matrix's places; NULL: not requested */
    const macadam_tile *tile;
} access_run;

MCD_DEFINE_STATIC_FREE(free_access, access_run, it->amount, it->sum, it->cost, it->weight, it->key,
                       it->status)

/* ---- the request ---- */

static macadam_status check_request(const access_run *a, macadam_error *error)
{
    const macadam_reach_request *const request = a->request;
    if (request->source_count == 0)
        return mcd_fail_invalid(error, "accessibility is requested without sources");
    if (request->opportunity_count == 0)
        return mcd_fail_invalid(error, "accessibility is requested without opportunities");
    if (request->amount_count == 0 || !request->amount)
        return mcd_fail_invalid(error, "accessibility is requested without amounts");
    if (request->amount_count > MACADAM_REACH_AMOUNTS_MAX)
        return mcd_fail_invalid(error, "%zu columns of amounts, at most %d are answered",
                                request->amount_count, MACADAM_REACH_AMOUNTS_MAX);
    if (request->percentile_count > MACADAM_REACH_PERCENTILES_MAX)
        return mcd_fail_invalid(error, "%zu percentiles, at most %d are answered", request->percentile_count,
                                MACADAM_REACH_PERCENTILES_MAX);
    if (a->answer->percentile_cost && request->percentile_count == 0)
        return mcd_fail_invalid(error, "percentile_cost is requested without percentiles");
    if (request->percentile_count && !request->percentile)
        return mcd_fail_invalid(error, "%zu percentiles are requested without an array of them",
                                request->percentile_count);
    for (size_t i = 0; i < request->percentile_count; ++i)
        if (!(request->percentile[i] >= 0 && request->percentile[i] <= 100))
            return mcd_fail_invalid(error, "percentile %zu is %g, not in 0..100", i, request->percentile[i]);
    return MACADAM_OK;
}

static macadam_status scale_amounts(access_run *a, size_t column, macadam_error *error)
{
    const size_t count = a->request->opportunity_count;
    const double *const amount = a->request->amount + column * count;
    double most = 0;
    int64_t sum = 0;
    int exponent;
    for (size_t i = 0; i < count; ++i) {
        if (!(amount[i] >= 0) || !isfinite(amount[i]))
            return mcd_fail_invalid(error, "amount %zu of column %zu is %g, not a number from 0", i, column,
                                    amount[i]);
        most = fmax(most, amount[i]);
    }
    frexp(most, &exponent);
    const int shift = AMOUNT_BITS - exponent - (int)mcd_bits_of(count);
    a->shift[column] = most > 0 ? shift < SHIFT_MAX ? shift : SHIFT_MAX : 0;
    for (size_t i = 0; i < count; ++i)
        sum += a->amount[column * count + i] = (int64_t)rint(ldexp(amount[i], a->shift[column]));
    if (isfinite(ldexp((double)sum, -a->shift[column]))) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_LIMIT,
                    "the sum of the amounts of column %zu is more than a double holds", column);
}

static void order_percentiles(access_run *a)
{
    const double *const percentile = a->request->percentile;
    for (size_t i = 0; i < a->request->percentile_count; ++i) {
        size_t at = i;
        for (; at > 0 && percentile[a->percentile_order[at - 1]] > percentile[i]; --at)
            a->percentile_order[at] = a->percentile_order[at - 1];
        a->percentile_order[at] = i;
    }
}

/* ---- sums ---- */

/* Adds a few opportunities first <= i < first + count, with their costs and weights. */
static void add_few(const access_run *a, sums *sum, size_t first, const uint32_t *cost,
                    const uint32_t *weight, size_t count)
{
    for (size_t column = 0; column < a->request->amount_count; ++column) {
        const int64_t *const amount = a->amount + column * a->request->opportunity_count + first;
        sums add = sum[column];
        for (size_t i = 0; i < count; ++i) add.amount += (wide)((signed_wide)weight[i] * amount[i]);
        for (size_t i = 0; a->answer->mean_cost && i < count; ++i)
            add.cost += (signed_wide)((int64_t)weight[i] * (int32_t)cost[i]) * amount[i];
        sum[column] = add;
    }
}

/* Adds opportunities, but for those that are too far away to count: most of them, if the decay ends early. */
static void add(const access_run *a, sums *sum, size_t first, const uint32_t *cost, const uint32_t *weight,
                size_t count)
{
    for (size_t i = 0; i < count; i += FEW) {
        const size_t few = mcd_size_min(FEW, count - i);
        uint32_t any = 0;
        for (size_t k = 0; k < few; ++k) any |= weight[i + k];
        if (any) add_few(a, sum, first + i, cost + i, weight + i, few);
    }
}

/* Takes a few cells of a source: adds them, or keeps them for percentiles. */
static void take_cells(const access_run *a, size_t source, size_t first, const uint32_t *cost, size_t count)
{
    uint32_t weight[CHUNK];
    if (a->cost) {
        memcpy(a->cost + source * a->request->opportunity_count + first, cost, count * sizeof *cost);
        return;
    }
    mcd_decay_weigh(&a->decay, cost, count, a->unreached, weight);
    add(a, a->sum + source * a->request->amount_count, first, cost, weight, count);
}

/* Takes the tile's cells of a few sources: rows, or, of costs to the sources, columns. */
static void take_sources(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const access_run *const a = argument;
    const macadam_tile *const tile = a->tile;
    const bool reverse = a->request->reverse;
    const size_t sources = reverse ? tile->columns : tile->rows, end = reverse ? tile->rows : tile->columns,
                 first_source = reverse ? tile->column : tile->row,
                 first = reverse ? tile->row : tile->column, begin = index * SOURCES_TASK;
    uint32_t room[CHUNK];
    for (size_t i = 0; i < end; i += CHUNK) {
        const size_t count = mcd_size_min(CHUNK, end - i);
        for (size_t s = begin; s < mcd_size_min(begin + SOURCES_TASK, sources); ++s) {
            for (size_t k = 0; reverse && k < count; ++k)
                room[k] = tile->value[0][(i + k) * tile->columns + s];
            take_cells(a, first_source + s, first + i,
                       reverse ? room : tile->value[0] + s * tile->columns + i, count);
        }
    }
}

static macadam_status run_sources(access_run *a, size_t count, mcd_task task, macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(&a->query->progress, "accessibility");
    return mcd_watch_for(&watch, &a->query->engine->parallel, count, task, a, error);
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    access_run *const a = context;
    const size_t sources = a->request->reverse ? tile->columns : tile->rows;
    a->tile = tile;
    return run_sources(a, (sources + SOURCES_TASK - 1) / SOURCES_TASK, take_sources, NULL) == MACADAM_OK;
}

/* ---- answers ---- */

/* Returns the quotient, rounded once: to the nearest double. */
static double quotient(signed_wide number, wide by)
{
    const wide size = number < 0 ? -(wide)number : (wide)number;
    uint64_t bits = (uint64_t)(size / by); /* below 2^31 */
    wide rest = size % by;
    int shift = 0;
    for (; rest > 0 && bits < UINT64_C(1) << 54; --shift) {
        rest <<= 1;
        bits = bits << 1 | (rest >= by);
        if (rest >= by) rest -= by;
    }
    const double out =
        ldexp((double)(bits | (rest > 0)), shift); /* of 55 bits the last one only decides how to round */
    return number < 0 ? -out : out;
}

/* `key`: the costs of what counts, ascending, and in their low halves the opportunities. */
static void find_percentiles(const access_run *a, const sums *sum, size_t column, const uint64_t *key,
                             size_t count, const uint32_t *weight, uint32_t *out)
{
    const macadam_reach_request *const request = a->request;
    const int64_t *const amount = a->amount + column * request->opportunity_count;
    const size_t percentiles = request->percentile_count;
    wide found = 0, least[MACADAM_REACH_PERCENTILES_MAX]; /* sums, times 100 * PERCENT */
    for (size_t p = 0; p < percentiles; ++p) {
        least[p] = (uint64_t)rint(request->percentile[p] * PERCENT) * sum->amount;
        out[p] = a->unreached;
    }
    for (size_t i = 0, next = 0; i < count && next < percentiles; ++i) {
        const uint32_t at = (uint32_t)key[i];
        found += (wide)((signed_wide)weight[at] * amount[at]);
        for (; next < percentiles && found > 0; ++next) {
            const size_t p = a->percentile_order[next];
            if (found * ((wide)100 * PERCENT) < least[p]) break;
            out[p] = (uint32_t)(key[i] >> 32) ^ UINT32_C(0x80000000);
        }
    }
}

/* Sums the kept costs of a source up, and sorts those that count. */
static void finish_source(void *argument, size_t source, unsigned worker)
{
    const access_run *const a = argument;
    const size_t all = a->request->opportunity_count, columns = a->request->amount_count,
                 percentiles = a->request->percentile_count;
    const uint32_t *const cost = a->cost + source * all;
    uint32_t *const weight = a->weight + worker * all;
    uint64_t *const key = a->key + worker * 2 * all;
    sums *const sum = a->sum + source * columns;
    size_t count = 0;
    mcd_watch unwatched = {.progress = NULL};
    mcd_decay_weigh(&a->decay, cost, all, a->unreached, weight);
    add(a, sum, 0, cost, weight, all);
    for (size_t i = 0; i < all; ++i) {
        key[count] = (uint64_t)(cost[i] ^ UINT32_C(0x80000000)) << 32 | i; /* signed costs, in order */
        count += weight[i] > 0;
    }
    (void)mcd_sort_bits(key, key + all, count, 32, 64, &unwatched, NULL);
    for (size_t column = 0; column < columns; ++column)
        find_percentiles(a, sum + column, column, key, count, weight,
                         a->answer->percentile_cost + ((a->first + source) * columns + column) * percentiles);
}

static void deliver(const access_run *a)
{
    const size_t columns = a->request->amount_count, cells = a->count * columns, first = a->first * columns;
    for (size_t i = 0; i < cells; ++i) {
        const sums *const sum = a->sum + i;
        if (a->answer->access)
            a->answer->access[first + i] =
                ldexp((double)sum->amount, -(MCD_DECAY_BITS + a->shift[i % columns]));
        if (a->answer->mean_cost)
            a->answer->mean_cost[first + i] = sum->amount ? quotient(sum->cost, sum->amount) : NAN;
    }
}

/* ---- bands: half of the memory is left to the matrix ---- */

static macadam_status take_memory(access_run *a, uint64_t *bytes, macadam_error *error)
{
    const macadam_reach_request *const request = a->request;
    const uint64_t all = request->opportunity_count, columns = request->amount_count,
                   threads = a->query->engine->parallel.thread_count;
    const bool keeps = a->answer->percentile_cost;
    const uint64_t each = columns * sizeof *a->sum + (keeps ? all * sizeof *a->cost : 0),
                   fixed = columns * all * sizeof *a->amount +
                           (keeps ? threads * all * (sizeof *a->weight + 2 * sizeof *a->key) : 0),
                   half = mcd_query_limit(a->query) / 2, most = half > fixed ? half - fixed : 0;
    a->count = mcd_size_min(mcd_size_max((most < band_bytes_max ? most : band_bytes_max) / each, 1),
                            request->source_count);
    *bytes = fixed + a->count * each;
    MCD_TRY(mcd_scratch_check(2 * *bytes, mcd_query_limit(a->query), "accessibility", error));
    MCD_TRY(MCD_NEW(a->amount, columns * all, error));
    MCD_TRY(MCD_NEW(a->sum, a->count * columns, error));
    if (keeps) MCD_TRY(MCD_NEW(a->cost, a->count * all, error));
    if (keeps) MCD_TRY(MCD_NEW(a->weight, threads * all, error));
    return keeps ? MCD_NEW(a->key, threads * 2 * all, error) : MACADAM_OK;
}

/* Whether the instants are those of the sources; else they are those of the opportunities. */
static bool is_of_sources(const macadam_clock *clock, const macadam_reach_request *request)
{
    return clock->each && (clock->arrive_count > 0) == request->reverse;
}

/* Gives the query's clock the instants of the band's sources, if each source has one. */
static void set_instants(mcd_query *query, const macadam_clock *whole, const access_run *a)
{
    if (!is_of_sources(whole, a->request)) return;
    if (a->request->reverse)
        query->clock.arrive_by = whole->arrive_by + a->first, query->clock.arrive_count = a->count;
    else
        query->clock.depart = whole->depart + a->first, query->clock.depart_count = a->count;
}

static macadam_status run_band(access_run *a, macadam_place_status *status,
                               macadam_place_status *status_of_opportunity, macadam_error *error)
{
    const macadam_reach_request *const request = a->request;
    const macadam_place *const source = request->source + a->first;
    const bool reverse = request->reverse;
    const size_t all = request->opportunity_count;
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = reverse ? request->opportunity : source, matrix.source_count = reverse ? all : a->count;
    matrix.target = reverse ? source : request->opportunity, matrix.target_count = reverse ? a->count : all;
    memset(a->sum, 0, a->count * request->amount_count * sizeof *a->sum);
    MCD_TRY(mcd_matrix_tiles(a->query, &matrix, a->status, take_tile, a, error));
    mcd_query_give_back(a->query);
    if (a->cost) MCD_TRY(run_sources(a, a->count, finish_source, error));
    deliver(a);
    if (!status) return MACADAM_OK;
    memcpy(status + a->first, a->status + (reverse ? all : 0), a->count * sizeof *status);
    memcpy(status_of_opportunity, a->status + (reverse ? 0 : a->count), all * sizeof *status);
    return MACADAM_OK;
}

macadam_status mcd_access_find(mcd_query *query, const macadam_reach_request *request,
                               const macadam_reach *answer, macadam_place_status *status,
                               macadam_place_status *status_of_opportunity, macadam_error *error)
{
    const macadam_clock clock = query->clock;
    const uint32_t unreached = query->engine->has_potential[query->objective_index]
                                   ? (uint32_t)MACADAM_SIGNED_UNREACHED
                                   : MACADAM_UNREACHED;
    MCD_FREED_BY(free_access)
    access_run a = {.request = request, .answer = answer, .query = query, .unreached = unreached};
    uint64_t bytes;
    macadam_status done = MACADAM_OK;
    MCD_TRY(check_request(&a, error));
    MCD_TRY(mcd_decay_adopt(&a.decay, request->decay, error));
    if (query->timing.arcs) MCD_TRY(mcd_instants_check_one(query, "accessibility", error));
    if (query->timing.arcs && is_of_sources(&clock, request))
        MCD_TRY(mcd_instants_check_each(&clock, request->source_count, error));
    MCD_TRY(take_memory(&a, &bytes, error));
    if (status) MCD_TRY(MCD_NEW(a.status, a.count + request->opportunity_count, error));
    for (size_t column = 0; column < request->amount_count; ++column)
        MCD_TRY(scale_amounts(&a, column, error));
    order_percentiles(&a);
    query->held = bytes;
    for (size_t step = a.count; a.first < request->source_count && !done; a.first += step) {
        a.count = mcd_size_min(step, request->source_count - a.first);
        set_instants(query, &clock, &a);
        mcd_query_band(query, a.first, a.first + a.count, request->source_count);
        done = run_band(&a, status, status_of_opportunity, error);
    }
    query->clock = clock, query->held = 0;
    mcd_query_band(query, 0, 1, 1);
    return done;
}
