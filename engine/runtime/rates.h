/* rates.h - what questions cost on the processor and on a device, as they were measured: the model by which an engine
 * chooses between them. It only decides where a question is answered; answers are the same everywhere.
 *
 * A question takes a fixed time, a time for each of its steps and one for each of its answers. */
#ifndef MCD_ENGINE_RUNTIME_RATES_H
#define MCD_ENGINE_RUNTIME_RATES_H

#include "engine/base/status.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Questions whose times are known. Steps and answers of `from` sources and `to` targets: */
typedef enum mcd_rated {
    MCD_RATED_NONE,      /* the time is not known */
    MCD_RATED_TREES,     /* sources x nodes; cells */
    MCD_RATED_LANES,     /* the same, in MACADAM_ORDER_LANES */
    MCD_RATED_REACH,     /* sources x nodes; sources */
    MCD_RATED_MATRIX,    /* places x height, on the processor x sqrt(nodes); cells */
    MCD_RATED_ROUTES,    /* pairs x height; pairs */
    MCD_RATED_PATHS,     /* pairs x height; pairs x sqrt(nodes), which the arcs of a path are about */
    MCD_RATED_SEARCHES,  /* sources x arcs; cells */
    MCD_RATED_HOPS,      /* sources x arcs; cells */
    MCD_RATED_DENSE,     /* nodes cubed; cells */
    MCD_RATED_CUSTOMIZE, /* upward arcs; none */
    MCD_RATED_OPEN,      /* nodes, which take no time: a device is opened; none */
    MCD_RATED_PLACE,     /* nodes: the map, or weights, are copied to a device; none */
    MCD_RATED_COUNT
} mcd_rated;

/* The size of a map. */
typedef struct mcd_extent {
    uint64_t nodes, arcs, up_arcs, height;
} mcd_extent;

typedef struct mcd_amount {
    mcd_rated rated;
    uint64_t from, to;
} mcd_amount;

/* In femtoseconds. */
typedef struct mcd_rate_part {
    uint64_t fixed, step, answer;
} mcd_rate_part;

/* Of one thread of the processor, and of a device with all that its host does. */
typedef struct mcd_rate {
    mcd_rate_part host, device;
} mcd_rate;

typedef struct mcd_rates {
    mcd_rate of[MCD_RATED_COUNT];
} mcd_rates;

/* Returns the name of a row. */
static inline const char *mcd_rated_name(mcd_rated rated)
{
    static const char *const names[MCD_RATED_COUNT] = {"",          "trees", "lanes",    "reach", "matrix",
                                                       "routes",    "paths", "searches", "hops",  "dense",
                                                       "customize", "open",  "place"};
    return names[rated];
}

/* Fills in the rates: those that the environment's MACADAM_RATES names, a file that `macadam bench --calibrate` writes, over
 * those of an H100 and an H200 beside 16 threads. Fails with E_IO or E_FILE, and names the line and the value. */
macadam_status mcd_rates_load(mcd_rates *out, macadam_error *error);

static inline double mcd_amount_steps(const mcd_amount *amount, const mcd_extent *map)
{
    const double from = (double)amount->from, nodes = (double)map->nodes;
    switch (amount->rated) {
    case MCD_RATED_TREES:
    case MCD_RATED_LANES:
    case MCD_RATED_REACH:
        return from * nodes;
    case MCD_RATED_MATRIX:
        return (from + (double)amount->to) * (double)map->height;
    case MCD_RATED_ROUTES:
    case MCD_RATED_PATHS:
        return from * (double)map->height;
    case MCD_RATED_SEARCHES:
    case MCD_RATED_HOPS:
        return from * (double)map->arcs;
    case MCD_RATED_DENSE:
        return nodes * nodes * nodes;
    case MCD_RATED_CUSTOMIZE:
        return (double)map->up_arcs;
    default:
        return nodes;
    }
}

static inline double mcd_amount_answers(const mcd_amount *amount, const mcd_extent *map)
{
    const double from = (double)amount->from;
    switch (amount->rated) {
    case MCD_RATED_REACH:
    case MCD_RATED_ROUTES:
        return from;
    case MCD_RATED_PATHS:
        return from * sqrt((double)map->nodes);
    case MCD_RATED_CUSTOMIZE:
    case MCD_RATED_OPEN:
    case MCD_RATED_PLACE:
        return 0;
    default:
        return from * (double)amount->to;
    }
}

/* Returns the steps on the processor or on a device. A batch of trees, and a device's matrix, cost as if there were some sources
 * more. A step of the processor's matrix waits for memory, the longer the larger the map. */
static inline double mcd_amount_steps_on(bool device, const mcd_amount *amount, const mcd_extent *map)
{
    static const unsigned more[MCD_RATED_COUNT][2] = {[MCD_RATED_TREES] = {4, 8},
                                                      [MCD_RATED_LANES] = {4, 36},
                                                      [MCD_RATED_REACH] = {64, 0},
                                                      [MCD_RATED_MATRIX] = {0, 1400}};
    const bool is_matrix = amount->rated == MCD_RATED_MATRIX;
    const uint64_t each = is_matrix ? map->height : map->nodes;
    const double steps = mcd_amount_steps(amount, map) + (double)(more[amount->rated][device] * each);
    return is_matrix && !device ? steps * sqrt((double)map->nodes) : steps;
}

/* Returns how many threads of the processor a question keeps busy. */
static inline double mcd_amount_threads(const mcd_amount *amount, unsigned threads)
{
    static const uint64_t share[MCD_RATED_COUNT] = {
        [MCD_RATED_MATRIX] = 48,  [MCD_RATED_ROUTES] = 128, [MCD_RATED_PATHS] = 256,
        [MCD_RATED_SEARCHES] = 1, [MCD_RATED_HOPS] = 1,
    };
    const uint64_t each = share[amount->rated];
    const double parts = each ? (double)((amount->from + each - 1) / each) : threads;
    return fmax(fmin(parts, threads), 1);
}

/* Returns the nanoseconds of a question on `threads` threads, of which it uses as many as it can; with work_ns, sets the
 * nanoseconds of all of them together. */
double mcd_rates_host_ns(const mcd_rates *rates, const mcd_amount *amount, const mcd_extent *map,
                         unsigned threads, double *work_ns);
/* Returns those on a device that has the map and the weights. */
double mcd_rates_device_ns(const mcd_rates *rates, const mcd_amount *amount, const mcd_extent *map);

#endif
