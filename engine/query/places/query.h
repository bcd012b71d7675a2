/* query.h - how every query begins and ends: metric, requested quantities, places, scratch. */
#ifndef MCD_ENGINE_QUERY_PLACES_QUERY_H
#define MCD_ENGINE_QUERY_PLACES_QUERY_H

#include "engine/runtime/device.h"
#include "engine/runtime/open.h"
#include "engine/runtime/conditions.h"
#include "engine/query/places/lanes.h"
#include "engine/base/watch.h"

typedef struct mcd_query {
    macadam_engine *engine;
    const mcd_backend *backend; /* that computes it */
    mcd_version *version;       /* of the weights, in use until mcd_query_end */
    const mcd_weights *weights; /* the version's on the hierarchy, those of `basic`, or `arc_weights` */
    mcd_basic *basic;           /* in use until mcd_query_end; NULL: not needed */
    bool is_searched;           /* a route, on the arcs: over `arc_weights` */
    const mcd_arcs *arcs;       /* of a query without a hierarchy: the version's; else NULL */
    mcd_weights arc_weights;    /* their forward weights, for lanes */
    size_t quantity_count;
    bool is_companion[MACADAM_QUANTITIES_MAX];     /* per requested quantity; otherwise it is the objective */
    bool is_duration[MACADAM_QUANTITIES_MAX];      /* per requested quantity: in milliseconds */
    size_t quantity_index[MACADAM_QUANTITIES_MAX]; /* per requested quantity: which of the file's it is */
    size_t objective_index;                        /* likewise, of the objective, requested or not */
    /* Per requested quantity, by id; NULL: it has no potentials. Set once the places are loaded. */
    const int32_t *potential[MACADAM_QUANTITIES_MAX];
    bool joint;          /* a companion is requested */
    mcd_timing timing;   /* with a clock */
    macadam_clock clock; /* likewise, as given; of size 0: there is none */
    double snap_radius_m;
    bool snap_any_component;
    bool no_points;        /* the query has no place that is a point */
    bool reaches_values;   /* the processor is known to write the caller's arrays */
    uint64_t memory_limit; /* 0: only the engine's */
    uint64_t held;         /* bytes of the limit that the call itself holds, beside what the query reserves */
    uint64_t reserved;     /* bytes of the engine's budget */
    mcd_block block;       /* part of that memory, for calls that take a block */
    mcd_progress progress; /* for jobs */
    mcd_watch loading;     /* the thread's own watch while the query lasts: first uses of the map ask */
    mcd_watch *outer;      /* the one before */
    bool is_watched;       /* `loading` is entered */
    mcd_progress whole;    /* the caller's, if the query is in parts; mcd_query_part */
    double from, to;       /* the part's share of the band: 0 to 1 */
    double band,
        beside; /* where the band begins in the whole: 0 to 1, and how much of the whole is not in it */
} mcd_query;

/* `given` may be NULL: the first metric, its objective. With MCD_NEED_SEARCH, the query may be searched. The query
 * must stay where it is in memory. mcd_query_end ends it, on failure too. A query that a device may answer begins with
 * mcd_query_with_fallback. */
macadam_status mcd_query_begin(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                               const macadam_query *given, mcd_need need, macadam_error *error);
/* Like mcd_query_begin, without a hierarchy. If `weights` is false, loads only the graph. */
macadam_status mcd_query_begin_arcs(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                                    const macadam_query *given, bool weights, macadam_error *error);
/* Do the same in two steps, so that the version of the weights can decide about the backend. */
macadam_status mcd_query_begin_version(mcd_query *out, macadam_engine *engine, const macadam_query *given,
                                       bool weights, macadam_error *error);
/* Checks what the searches of a call with MCD_NEED_TOUCHED relax; by `node` or by `lane`, as in mcd_lanes. */
macadam_status mcd_query_touch(const mcd_query *query, mcd_direction direction, const mcd_lane *lane,
                               const mcd_node *node, size_t count, macadam_error *error);
/* Calls the backend's route; of a call with MCD_NEED_TOUCHED, checks what it relaxes. */
macadam_status mcd_query_route(const mcd_query *query, const mcd_route_job *job, macadam_error *error);
/* `amount` decides where the question is answered, and whether kept arcs are made for it. */
macadam_status mcd_query_prepare(mcd_query *out, const mcd_backend *backend, mcd_need need,
                                 const mcd_amount *amount, macadam_error *error);
macadam_status mcd_query_prepare_arcs(mcd_query *out, const mcd_backend *backend, bool weights, unsigned need,
                                      macadam_error *error);
/* Begins a query that has a clock, with the weights at the fastest of the week, without a hierarchy. All others refuse a
 * clock. `version`: the one with which the query first began; NULL: the one of its conditions. Returns E_INVALID or
 * E_UNSUPPORTED for a clock that no query can have. */
macadam_status mcd_query_begin_clock(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                                     const macadam_query *given, mcd_version *version, macadam_error *error);

/* Begins a query with the processor's backend: with a clock, if it has one, or else as mcd_query_begin does. */
macadam_status mcd_query_begin_host(mcd_query *out, macadam_engine *engine, const macadam_query *given,
                                    mcd_need need, macadam_error *error);

/* Begins a query without a hierarchy for the costs of paths that `find` finds; end it first. Factors and slower
 * times change only the quantity by which `find` does so: the others are reported as companions are. */
macadam_status mcd_query_begin_costs(mcd_query *out, const mcd_query *find, const macadam_query *given,
                                     macadam_error *error);
/* Begins a query again after a device has failed: with the processor's backend, and with the version (and, without a
 * hierarchy, `arcs`) with which the query first began, whatever updates came between. */
macadam_status mcd_query_begin_again(mcd_query *out, macadam_engine *engine, const macadam_query *given,
                                     mcd_version *version, const mcd_arcs *arcs, mcd_need need,
                                     macadam_error *error);
void mcd_query_end(mcd_query *query);

/* Returns the weights that show which arcs are closed; NULL: none is, or the query has no weights. */
static inline const mcd_weights *mcd_query_closures(const mcd_query *query)
{
    const bool is_on_arcs = query->weights == &query->arc_weights;
    return query->weights->objective && (is_on_arcs || mcd_version_has_closed(query->version))
               ? query->weights
               : NULL;
}

/* Returns the most bytes that the query may reserve. */
uint64_t mcd_query_limit(const mcd_query *query);
/* Reserves scratch, or takes a block of it, once; mcd_query_end gives it back. `what` is the request, for
 * messages. */
macadam_status mcd_query_reserve(mcd_query *query, uint64_t bytes, const char *what, macadam_error *error);
macadam_status mcd_query_take(mcd_query *query, uint64_t bytes, const char *what, macadam_error *error);
/* Gives the scratch back before the query ends. The query may then reserve or take scratch again. */
void mcd_query_give_back(mcd_query *query);

/* Says that the next jobs do the steps first <= i < end of `total`: their progress is then reported as that
 * part of the query's. Call it before each part. The query must stay where it is in memory. */
void mcd_query_part(mcd_query *query, uint64_t first, uint64_t end, uint64_t total);

/* Says that the parts from now on are those of the steps first <= i < end of `total`. */
void mcd_query_band(mcd_query *query, uint64_t first, uint64_t end, uint64_t total);

/* Returns whether the objective (or the companion) is requested. */
bool mcd_query_asks(const mcd_query *query, bool companion);
/* Returns the array for the objective (or companion) among the caller's; NULL if it is not requested. Does
 * not fail: mcd_query_check_values has checked the arrays. */
uint32_t *mcd_query_value(const mcd_query *query, uint32_t *const *value, bool companion);
/* Returns E_INVALID unless there is an array for each requested quantity. Returns E_DEVICE if an array is in
 * a device's memory and the processor computes: by a method of its own, or instead of a lost device. Returns
 * E_INVALID if an array is in divided memory. */
macadam_status mcd_query_check_values(const mcd_query *query, uint32_t *const *value, macadam_error *error);
/* Like mcd_query_check_values, but the arrays may lie in divided memory: all of them or none, for
 * `source_count` sources. *division has no parts unless they lie in several. */
macadam_status mcd_query_divide(const mcd_query *query, uint32_t *const *value, size_t source_count,
                                uint64_t source_bytes, mcd_division *division, macadam_error *error);
/* The arrays that the processor works over: the caller's, except that the query's own arrays replace those in
 * a device's memory, and are copied there at the end. */
typedef struct mcd_stage {
    uint32_t *value[MACADAM_QUANTITIES_MAX], *own[MACADAM_QUANTITIES_MAX];
    uint32_t *const *given;
    size_t cells; /* of each array */
} mcd_stage;
/* Free *out with mcd_stage_free, on failure too. */
macadam_status mcd_query_stage(mcd_stage *out, const mcd_query *query, uint32_t *const *value, size_t cells,
                               macadam_error *error);
void mcd_stage_free(mcd_stage *stage);
/* Copies to the device the arrays that belong there. */
macadam_status mcd_query_unstage(const mcd_stage *stage, const mcd_query *query, macadam_error *error);
/* Returns whether the processor can write the caller's arrays (NULL: it has none). */
bool mcd_query_reaches(const mcd_query *query, uint32_t *const *value);
/* Like mcd_engine_falls_back, after the query has ended, but returns false if the processor cannot write the
 * caller's `value` (NULL: it has none). */
bool mcd_query_falls_back(const mcd_query *query, uint32_t *const *value, const mcd_backend **backend,
                          macadam_status status, macadam_error *error);

/* Returns the potentials of the objective, or of the requested companion, by id; NULL: there are none. The places must be
 * loaded. */
static inline const int32_t *mcd_query_potential(const mcd_query *query, bool companion)
{
    if (!companion) return query->engine->potential[query->objective_index];
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (query->is_companion[q]) return query->potential[q];
    return NULL;
}

/* Returns E_INVALID if the query requests its metric's companion. */
macadam_status mcd_query_check_objective(const mcd_query *query, const char *what, macadam_error *error);

#endif
