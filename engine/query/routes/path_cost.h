/* path_cost.h - costs of known paths in the quantities of another metric than the one by which they are best. */
#ifndef MCD_ENGINE_QUERY_ROUTES_PATH_COST_H
#define MCD_ENGINE_QUERY_ROUTES_PATH_COST_H

#include "engine/query/clock/legs.h"
#include "engine/query/places/pairs.h"

/* A query that finds paths, and a query for their costs. */
typedef struct mcd_path_query {
    macadam_query find, cost;
    bool apart; /* the metrics differ, or only `cost` has a clock; `find` then requests its objective */
} mcd_path_query;

typedef bool (*mcd_metric_suits)(const macadam_engine *engine, size_t metric, const macadam_query *query);

/* Splits `given`. Paths are found by its metric, or else by the first that suits (NULL: all do). Their costs are of that
 * metric if it has the requested quantities, or else of the first that has them. Where no metric fits, the one that was
 * preferred is named: its query then fails. The strings are the engine's and the caller's. */
macadam_status mcd_path_query_new(mcd_path_query *out, const macadam_engine *engine,
                                  const macadam_query *given, mcd_metric_suits suits, macadam_error *error);

/* Begins the query that finds paths and, if they are apart, the one for their costs, both with the weights of
 * one update. Both are zeroed on entry. End the second one first, on failure too. */
macadam_status mcd_path_query_begin(mcd_query *find, mcd_query *cost, macadam_engine *engine,
                                    const mcd_path_query *given, mcd_need need, macadam_error *error);

/* Makes trips of `query`, which needs only weights, that take path[i] as the chosen trips `found` do, and sums up
 * objective[i] and companion[i] (may be NULL). objective[i] is MACADAM_UNREACHED on entry if there is no path. With a clock,
 * trip i departs at instant[i], and leg[i], zeroed, receives all but the path. Free *out with mcd_pairs_free. */
macadam_status mcd_path_costs_find(mcd_pairs *out, const mcd_pairs *found, const mcd_path *path,
                                   const mcd_query *query, const uint32_t *instant, mcd_clock_leg *leg,
                                   uint32_t *objective, uint32_t *companion, macadam_error *error);

#endif
