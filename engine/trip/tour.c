/* tour.c - see tour.h.
 *
 * Few stops: dynamic programming over sets of stops. (Held, Karp 1962; Bellman 1962)
 * More stops: local search from the best of several nearest-neighbour tours. Or-opt moves up to three
 * consecutive stops elsewhere, either way round; 2-opt turns a part of the tour round. Only moves are looked at
 * that create an arc to or from one of the cheapest neighbours of a stop whose surroundings have changed.
 * Then, many times, two adjacent parts of the tour change places, and the search repairs the surroundings. A
 * tour that is worse by more than a random part of a shrinking slack is taken back. The number of times depends
 * on the number of stops only. (Or 1976; Bentley 1992; Martin, Otto, Felten 1991)
 * Costs of a turned part come from sums along the tour, forward and backward, so that every move is priced in
 * constant time though costs differ by direction. */
#include "engine/trip/tour.h"

#include "engine/base/arena.h"
#include "engine/base/types.h"

enum {
    /* docs/benchmarks/match.md chose the numbers. */
    NEIGHBOURS = 8,
    SEGMENT_MAX = 3, /* stops that Or-opt moves at a time */
    STARTS = 2,
    KICK_SPAN = 50, /* positions within which two parts change places */
    KICKS_MIN = 400,
    KICKS_MAX = 10000,
    STOPS_SQUARED_PER_KICK = 25, /* between these two */
    SLACK_SHARE = 5,             /* of the mean cost of an arc, at first */
};

static const int64_t closed_cost = INT64_C(1) << 42; /* above the sum of any open tour */
static_assert(MACADAM_TRIP_STOPS_MAX < 1 << 10, "the sum of an open tour is below 2^42");

static int64_t cost_of(const mcd_tour_costs *costs, uint32_t from, uint32_t to)
{
    const uint32_t cost = costs->cost[(size_t)from * costs->count + to];
    return cost == MCD_TOUR_CLOSED ? closed_cost : cost;
}

/* ---- few stops ---- */

/* best[set * others + last]: the least cost of leaving stop 0, visiting the set of other stops, and ending at
 * one of them. Stop i + 1 is bit i. */
static macadam_status find_exact(uint32_t *order, const mcd_tour_costs *costs, macadam_error *error)
{
    const uint32_t others = (uint32_t)costs->count - 1, sets = UINT32_C(1) << others;
    MCD_OWNED int64_t *best = NULL;
    MCD_TRY(MCD_NEW(best, (size_t)sets * others, error));
    for (uint32_t set = 1; set < sets; ++set)
        for (uint32_t last = 0; last < others; ++last) {
            const uint32_t before = set & ~(UINT32_C(1) << last);
            int64_t least = before ? INT64_MAX : cost_of(costs, 0, last + 1);
            for (uint32_t i = 0; i < others && before != set; ++i) {
                if (!(before >> i & 1)) continue;
                const int64_t sum = best[(size_t)before * others + i] + cost_of(costs, i + 1, last + 1);
                if (sum < least) least = sum;
            }
            best[(size_t)set * others + last] = least;
        }
    uint32_t set = sets - 1, next = 0;
    for (uint32_t at = others; at > 0; --at) { /* from the end: the stop that gives the least sum */
        uint32_t chosen = 0;
        int64_t least = INT64_MAX;
        for (uint32_t i = 0; i < others; ++i) {
            if (!(set >> i & 1)) continue;
            const int64_t sum = best[(size_t)set * others + i] + cost_of(costs, i + 1, next);
            if (sum >= least) continue;
            least = sum;
            chosen = i;
        }
        order[at] = next = chosen + 1;
        set &= ~(UINT32_C(1) << chosen);
    }
    order[0] = 0;
    return MACADAM_OK;
}

/* ---- a tour that changes ---- */

/* stop[0] never moves; stop[count] is stop[0] again. */
typedef struct tour {
    uint32_t *stop;     /* [count + 1] */
    uint32_t *position; /* [count] of each stop */
    int64_t *there;     /* [count + 1] the cost of the tour up to each position ... */
    int64_t *back;      /* ... and of going from there to the beginning the same way back */
} tour;

typedef struct tour_search {
    const mcd_tour_costs *costs;
    uint32_t count, neighbour_count;
    uint32_t *near_to,
        *near_from; /* [stop * neighbour_count] cheapest first: where to go, where to come from */
    tour now, kept, best;
    uint32_t *scratch; /* [count] */
    uint32_t *queue;   /* [count] stops whose surroundings have changed: a ring */
    bool *queued;      /* [count] */
    size_t queue_first, queue_count;
    uint64_t random;
    mcd_arena *arena; /* of all arrays */
} tour_search;

static int64_t arc_cost(const tour_search *search, uint32_t from, uint32_t to)
{
    return cost_of(search->costs, from, to);
}

/* Makes positions and sums from `first` on right. */
static void renew(tour_search *search, uint32_t first, uint32_t last)
{
    tour *const now = &search->now;
    const uint32_t begin = first ? first : 1;
    const int64_t there_end = now->there[last], back_end = now->back[last];
    now->position[now->stop[0]] = 0;
    for (uint32_t i = begin; i <= last; ++i) {
        if (i < search->count) now->position[now->stop[i]] = i;
        now->there[i] = now->there[i - 1] + arc_cost(search, now->stop[i - 1], now->stop[i]);
        now->back[i] = now->back[i - 1] + arc_cost(search, now->stop[i], now->stop[i - 1]);
    }
    const int64_t there_more = now->there[last] - there_end, back_more = now->back[last] - back_end;
    for (uint32_t i = last + 1; i <= search->count; ++i) {
        now->there[i] += there_more;
        now->back[i] += back_more;
    }
}

static void reverse(uint32_t *stop, uint32_t first, uint32_t last)
{
    for (; first < last; ++first, --last) {
        const uint32_t kept = stop[first];
        stop[first] = stop[last];
        stop[last] = kept;
    }
}

static void enqueue(tour_search *search, uint32_t stop)
{
    if (search->queued[stop]) return;
    search->queued[stop] = true;
    search->queue[(search->queue_first + search->queue_count++) % search->count] = stop;
}

/* Queues the stops around a position. */
static void enqueue_around(tour_search *search, uint32_t position)
{
    enqueue(search, search->now.stop[position]);
    if (position + 1 < search->count) enqueue(search, search->now.stop[position + 1]);
}

/* ---- moves: each returns whether it improved the tour ---- */

/* The cost of the stops first <= i <= last visited backward, less that of visiting them forward. */
static int64_t turn_cost(const tour *now, uint32_t first, uint32_t last)
{
    return now->back[last] - now->back[first] - (now->there[last] - now->there[first]);
}

/* Turns the part first <= i <= last round. */
static bool try_turn(tour_search *search, uint32_t first, uint32_t last)
{
    tour *const now = &search->now;
    if (first == 0 || first >= last || last >= search->count) return false;
    const uint32_t before = now->stop[first - 1], a = now->stop[first], b = now->stop[last],
                   after = now->stop[last + 1];
    const int64_t gain = arc_cost(search, before, a) + arc_cost(search, b, after) -
                         arc_cost(search, before, b) - arc_cost(search, a, after) -
                         turn_cost(now, first, last);
    if (gain <= 0) return false;
    reverse(now->stop, first, last);
    renew(search, first, last + 1);
    enqueue_around(search, first - 1);
    enqueue_around(search, last);
    return true;
}

/* Writes the part first <= i <= last, perhaps turned round, between `to` and `to` + 1, which are outside. */
static void move_part(tour_search *search, uint32_t first, uint32_t last, uint32_t to, bool turned)
{
    tour *const now = &search->now;
    const uint32_t length = last - first + 1;
    memcpy(search->scratch, now->stop + first, length * sizeof *search->scratch);
    if (turned) reverse(search->scratch, 0, length - 1);
    uint32_t at, low, high;
    if (to < first) {
        memmove(now->stop + to + 1 + length, now->stop + to + 1, (first - to - 1) * sizeof *now->stop);
        at = to + 1, low = to + 1, high = last + 1;
    } else {
        memmove(now->stop + first, now->stop + last + 1, (to - last) * sizeof *now->stop);
        at = to + 1 - length, low = first, high = to + 1;
    }
    memcpy(now->stop + at, search->scratch, length * sizeof *search->scratch);
    renew(search, low, high);
    enqueue_around(search, low - 1);
    enqueue_around(search, high - 1);
    enqueue_around(search, at - 1);
    enqueue_around(search, at + length - 1);
}

/* Moves the part first <= i <= last between `to` and `to` + 1. */
static bool try_move(tour_search *search, uint32_t first, uint32_t last, uint32_t to, bool turned)
{
    const tour *const now = &search->now;
    if (first == 0 || last >= search->count || last < first || to >= search->count) return false;
    if (to + 1 >= first && to <= last) return false;
    const uint32_t before = now->stop[first - 1], after = now->stop[last + 1], a = now->stop[first],
                   b = now->stop[last], left = now->stop[to], right = now->stop[to + 1];
    int64_t gain = arc_cost(search, before, a) + arc_cost(search, b, after) + arc_cost(search, left, right) -
                   arc_cost(search, before, after);
    gain -= turned ? arc_cost(search, left, b) + arc_cost(search, a, right) + turn_cost(now, first, last)
                   : arc_cost(search, left, a) + arc_cost(search, b, right);
    if (gain <= 0) return false;
    move_part(search, first, last, to, turned);
    return true;
}

/* Tries the moves that create the arc from `stop` to `other`. */
static bool improve_to(tour_search *search, uint32_t stop, uint32_t other)
{
    const uint32_t i = search->now.position[stop], j = search->now.position[other];
    if (j > i && (try_turn(search, i + 1, j) || try_turn(search, i, j - 1))) return true;
    for (uint32_t length = 0; length < SEGMENT_MAX; ++length) {
        if (try_move(search, j, j + length, i, false)) return true;
        if (j > length && try_move(search, j - length, j, i, true)) return true;
        /* The part that ends with `stop` goes before `other`. */
        if (j > 0 && i > length && try_move(search, i - length, i, j - 1, false)) return true;
        if (j > 0 && try_move(search, i, i + length, j - 1, true)) return true;
    }
    return false;
}

/* Tries to improve the surroundings of a stop. A move that improves the tour creates, at one of its stops, an
 * arc that is cheaper than one that it removes there. */
static bool improve(tour_search *search, uint32_t stop)
{
    const size_t first = (size_t)stop * search->neighbour_count;
    const tour *const now = &search->now;
    const uint32_t i = now->position[stop];
    const int64_t before = now->there[i ? i : search->count] - now->there[i ? i - 1 : search->count - 1],
                  behind = now->there[i + 1] - now->there[i], most = before > behind ? before : behind;
    for (int from = 0; from < 2; ++from)
        for (uint32_t k = 0; k < search->neighbour_count; ++k) {
            const uint32_t other = (from ? search->near_from : search->near_to)[first + k],
                           tail = from ? other : stop, head = from ? stop : other;
            if (arc_cost(search, tail, head) >= most) break;
            if (improve_to(search, tail, head)) return true;
        }
    return false;
}

/* Improves until nothing queued can be improved. */
static void descend(tour_search *search)
{
    while (search->queue_count > 0) {
        const uint32_t stop = search->queue[search->queue_first];
        search->queue_first = (search->queue_first + 1) % search->count;
        --search->queue_count;
        search->queued[stop] = false;
        while (improve(search, stop)) {
        }
    }
}

/* ---- starts and kicks ---- */

static int64_t total_of(const tour_search *search, const tour *of)
{
    return of->there[search->count];
}

static void copy_tour(const tour_search *search, tour *to, const tour *from)
{
    memcpy(to->stop, from->stop, (search->count + 1) * sizeof *to->stop);
    memcpy(to->position, from->position, search->count * sizeof *to->position);
    memcpy(to->there, from->there, (search->count + 1) * sizeof *to->there);
    memcpy(to->back, from->back, (search->count + 1) * sizeof *to->back);
}

/* Makes the nearest-neighbour tour from a stop, turned so that it begins with stop 0. */
static void start_at(tour_search *search, uint32_t begin)
{
    tour *const now = &search->now;
    memset(search->queued, 0, search->count * sizeof *search->queued);
    uint32_t at = begin, zero = 0;
    for (uint32_t i = 0; i < search->count; ++i) {
        search->scratch[i] = at;
        search->queued[at] = true;
        if (at == 0) zero = i;
        uint32_t next = at;
        int64_t least = INT64_MAX;
        for (uint32_t to = 0; to < search->count; ++to) {
            if (search->queued[to] || arc_cost(search, at, to) >= least) continue;
            least = arc_cost(search, at, to);
            next = to;
        }
        at = next;
    }
    for (uint32_t i = 0; i < search->count; ++i) now->stop[i] = search->scratch[(zero + i) % search->count];
    now->stop[search->count] = 0;
    now->there[0] = now->back[0] = 0;
    renew(search, 1, search->count);
    memset(search->queued, 0, search->count * sizeof *search->queued);
    search->queue_first = search->queue_count = 0;
    for (uint32_t i = 0; i < search->count; ++i) enqueue(search, now->stop[i]);
}

static uint32_t random_below(tour_search *search, uint32_t end)
{
    search->random = search->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((search->random >> 32) * end >> 32);
}

/* Two adjacent parts change places. */
static void kick(tour_search *search)
{
    const uint32_t span = (uint32_t)mcd_size_min(KICK_SPAN, search->count - 1);
    const uint32_t first = 1 + random_below(search, search->count - span);
    const uint32_t middle = first + random_below(search, span - 1),
                   last = middle + 1 + random_below(search, first + span - 1 - middle);
    move_part(search, first, middle, last, false);
}

static macadam_status search_tours(tour_search *search, mcd_watch *watch, macadam_error *error)
{
    for (uint32_t s = 0; s < STARTS && s < search->count; ++s) {
        start_at(search, (uint32_t)((uint64_t)s * search->count / STARTS));
        descend(search);
        if (s == 0 || total_of(search, &search->now) < total_of(search, &search->best))
            copy_tour(search, &search->best, &search->now);
        MCD_TRY(mcd_watch_step(watch, s, STARTS, error));
    }
    const size_t squared = (size_t)search->count * search->count;
    const size_t kicks = mcd_size_min(mcd_size_max(squared / STOPS_SQUARED_PER_KICK, KICKS_MIN), KICKS_MAX);
    const int64_t open_cost = total_of(search, &search->best) % closed_cost;
    copy_tour(search, &search->now, &search->best);
    copy_tour(search, &search->kept, &search->best);
    for (size_t k = 0; k < kicks; ++k) {
        const int64_t slack = open_cost / (SLACK_SHARE * (int64_t)search->count) * (int64_t)(kicks - k) /
                              (int64_t)kicks * random_below(search, 1024) / 1024;
        kick(search);
        descend(search);
        if (total_of(search, &search->now) <= total_of(search, &search->kept) + slack)
            copy_tour(search, &search->kept, &search->now);
        else
            copy_tour(search, &search->now, &search->kept);
        if (total_of(search, &search->now) < total_of(search, &search->best))
            copy_tour(search, &search->best, &search->now);
        MCD_TRY(mcd_watch_step(watch, k, kicks, error));
    }
    return MACADAM_OK;
}

/* ---- all together ---- */

/* Lists the cheapest neighbours of each stop: where to go from it, or where to come from. */
static void list_neighbours(const tour_search *search, uint32_t *near, bool from)
{
    for (uint32_t stop = 0; stop < search->count; ++stop) {
        uint32_t *const list = near + (size_t)stop * search->neighbour_count, count = 0;
        for (uint32_t other = 0; other < search->count; ++other) {
            if (other == stop) continue;
            const int64_t cost = from ? arc_cost(search, other, stop) : arc_cost(search, stop, other);
            uint32_t at = count < search->neighbour_count ? count++ : count;
            for (; at > 0; --at) {
                const uint32_t beaten = list[at - 1];
                if ((from ? arc_cost(search, beaten, stop) : arc_cost(search, stop, beaten)) <= cost) break;
                if (at < search->neighbour_count) list[at] = beaten;
            }
            if (at < search->neighbour_count) list[at] = other;
        }
    }
}

static macadam_status new_tour(tour *out, tour_search *search, macadam_error *error)
{
    const size_t count = search->count;
    MCD_TRY(MCD_ARENA_NEW(search->arena, out->stop, count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(search->arena, out->position, count, error));
    MCD_TRY(MCD_ARENA_NEW(search->arena, out->there, count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(search->arena, out->back, count + 1, error));
    out->there[count] = out->back[count] = 0; /* of no tour yet */
    return MACADAM_OK;
}

static macadam_status find_good(uint32_t *order, const mcd_tour_costs *costs, mcd_watch *watch,
                                macadam_error *error)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {NULL};
    tour_search search = {.costs = costs, .count = (uint32_t)costs->count, .random = 1, .arena = &memory};
    search.neighbour_count = (uint32_t)mcd_size_min(NEIGHBOURS, costs->count - 1);
    const size_t count = search.count, neighbours = count * search.neighbour_count;
    MCD_TRY(new_tour(&search.now, &search, error));
    MCD_TRY(new_tour(&search.kept, &search, error));
    MCD_TRY(new_tour(&search.best, &search, error));
    MCD_TRY(MCD_ARENA_NEW(search.arena, search.near_to, neighbours, error));
    MCD_TRY(MCD_ARENA_NEW(search.arena, search.near_from, neighbours, error));
    MCD_TRY(MCD_ARENA_NEW(search.arena, search.scratch, count, error));
    MCD_TRY(MCD_ARENA_NEW(search.arena, search.queue, count, error));
    MCD_TRY(MCD_ARENA_NEW(search.arena, search.queued, count, error));
    list_neighbours(&search, search.near_to, false);
    list_neighbours(&search, search.near_from, true);
    MCD_TRY(search_tours(&search, watch, error));
    memcpy(order, search.best.stop, costs->count * sizeof *order);
    return MACADAM_OK;
}

macadam_status mcd_tour_find(uint32_t *order, uint64_t *total, const mcd_tour_costs *costs, mcd_watch *watch,
                             macadam_error *error)
{
    *total = 0;
    order[0] = 0;
    if (costs->count > 1)
        MCD_TRY(costs->count <= MCD_TOUR_EXACT_MAX ? find_exact(order, costs, error)
                                                   : find_good(order, costs, watch, error));
    int64_t sum = 0;
    for (size_t i = 0; i < costs->count && costs->count > 1; ++i)
        sum += cost_of(costs, order[i], order[(i + 1) % costs->count]);
    *total = sum < closed_cost ? (uint64_t)sum : UINT64_MAX;
    return MACADAM_OK;
}
