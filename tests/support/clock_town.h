/* clock_town.h - a random town of OpenStreetMap streets with conditional tags, whose arcs have harsh speed patterns, or none; and
 * an oracle of its answers by the clock, which follows every arc by the integral of its speeds. */
#ifndef MCD_TESTS_SUPPORT_CLOCK_TOWN_H
#define MCD_TESTS_SUPPORT_CLOCK_TOWN_H

#include "tests/support/rng.h"

#include "engine/map/road.h"
#include "engine/runtime/engine.h"

enum {
    TOWN_SIDE = 7,
    TOWN_NODES = TOWN_SIDE * TOWN_SIDE,
    TOWN_SLOTS_MAX = 2016,
    TOWN_PLACES = 14,
    TOWN_INSTANTS = 5,
    TOWN_SEARCHES_MAX = 4
};
#define TOWN_NEVER (UINT64_MAX / 4)

/* ---- the oracle's arcs ---- */

typedef struct town_speeds {
    uint8_t rate[TOWN_SLOTS_MAX];
    uint64_t until[TOWN_SLOTS_MAX + 1]; /* the integral until a slot */
} town_speeds;

typedef struct town_arc {
    mcd_node tail, head;
    uint64_t own, price, distance;
    bool is_closed;
    const town_speeds *speeds; /* NULL: constant */
} town_arc;

/* The town that is open. */
typedef struct clock_town {
    macadam_engine *engine;
    size_t slots;     /* of the patterns' week */
    size_t weeks;     /* of the patterns: of 2, the second counts */
    uint32_t holiday; /* MACADAM_HOLIDAY_MS then: instants are of holidays */
    town_arc *arc;    /* of the oracle */
    macadam_place place[TOWN_PLACES];
    mcd_position position[TOWN_PLACES];
    uint32_t instant[TOWN_INSTANTS], own_instant[TOWN_PLACES];
} clock_town;

extern clock_town town;
extern const char *const town_quantities[2];
extern const uint64_t town_epoch; /* times of the oracle count from ten weeks before the query's */

/* slots: of the patterns, a week or two; 0: no arc has a pattern. */
void town_open(uint64_t seed, bool has_times, size_t slots);
void town_close(void);

/* Checks the answers of a query, from departures or (backward) to arrivals. */
typedef void (*town_check)(macadam_query query, bool backward);
/* Opens one town after the other, with a check of each: with slots of 15 and of 5 minutes, on holidays, after an update, without patterns, for a heavy
 * vehicle. */
void town_check_all(town_check check);

/* ---- the oracle's searches ---- */

typedef struct town_tree {
    uint64_t begin;
    bool backward;
    uint64_t *cost, *distance; /* by node */
} town_tree;

typedef struct town_answer {
    uint64_t cost, distance;
} town_answer;

/* A search has at most MCD_SEEDS_MAX seeds: a place that is reached from more nodes has several, and the best counts. Of equal
 * durations, the companion may depend on it: a path may wait where another search has been before. */
typedef struct town_searches {
    town_tree one[TOWN_SEARCHES_MAX];
    size_t count;
} town_searches;

/* The integral of speeds until a time. */
uint64_t town_integral(const town_speeds *of, uint64_t t);
/* The cost from the beginning of a search, `at` a node, to after a part of an arc. */
uint64_t town_pass(const town_arc *a, uint64_t own, uint64_t price, uint64_t begin, uint64_t at,
                   bool backward);
town_searches town_search(const mcd_position *from, uint32_t begin, bool backward);
void town_search_free(town_searches *all);
town_answer town_cost_at(const town_searches *all, mcd_node v);
/* From (backward: to) the position where the searches began to another one. */
town_answer town_cost_to(town_searches *all, const mcd_position *from, const mcd_position *to);

/* ---- questions ---- */

void town_draw_places(test_rng *rng);
macadam_query town_query(const macadam_clock *clock);
void town_find_positions(const macadam_query *query);
/* Without distances, value[1] is NULL. */
void town_expect(town_answer a, const uint32_t *const value[2], size_t at, const char *what);
macadam_clock town_clock(bool backward, size_t first, size_t count);
/* Each place is at an instant of its own. */
macadam_clock town_clock_of_each(bool backward);

#endif
