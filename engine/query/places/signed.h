/* signed.h - makes the costs of a quantity that may be negative signed, before they leave the engine.
 *
 * Such a quantity has potentials, one per id. The file and all searches hold its costs less the rise of the potential
 * on the way, which are never negative (Johnson 1977). Every question adds the rise to its complete costs, once: after
 * lanes are merged and ways along roads have competed, and before limits and delivery. A signed cost is an int32_t in
 * the same bits; MACADAM_SIGNED_UNREACHED is unreached. */
#ifndef MCD_ENGINE_QUERY_PLACES_SIGNED_H
#define MCD_ENGINE_QUERY_PLACES_SIGNED_H

#include "engine/query/places/pairs.h"

/* Signed costs in the order of unsigned numbers: value ^ MCD_SIGNED_ZERO. Unreached is then MACADAM_UNREACHED. */
#define MCD_SIGNED_ZERO UINT32_C(0x80000000)
static_assert(((uint32_t)MACADAM_SIGNED_UNREACHED ^ MCD_SIGNED_ZERO) == MACADAM_UNREACHED,
              "it is the largest");

/* Turns limits of the objective's signed costs into limits of searches. Zeroed: it is not signed. */
typedef struct mcd_signed_limit {
    const int32_t *of_id;   /* [id_count] the objective's potentials */
    const mcd_lanes *lanes; /* of the places of the searches */
    bool reverse;           /* the searches lead to the places */
    int32_t extreme;        /* the least potential of all ids; reverse: the largest */
} mcd_signed_limit;

/* Time: a look at every id. */
mcd_signed_limit mcd_signed_limit_new(const mcd_query *query, const mcd_lanes *lanes, bool reverse);

/* Returns by how much the potential rises on the way from a place (reverse: to it) to another potential. */
static inline int64_t mcd_signed_limit_rise(const mcd_signed_limit *limit, size_t place, int32_t potential)
{
    const int64_t rise = (int64_t)potential - (limit->of_id ? limit->lanes->potential[0][place] : 0);
    return limit->reverse ? -rise : rise;
}

/* Returns the least limit of a search that reaches all whose signed cost is at most `cost`. */
static inline mcd_weight mcd_signed_limit_of(const mcd_signed_limit *limit, size_t place, mcd_weight cost)
{
    if (!limit->of_id) return cost;
    const int64_t most = cost - mcd_signed_limit_rise(limit, place, limit->extreme);
    if (most < 0) return 0; /* only of a place that failed: the potential of others is at least the extreme */
    return most < MCD_WEIGHT_MAX ? (mcd_weight)most : MCD_WEIGHT_MAX;
}

/* Makes the costs of a rectangle signed, in any memory. The job's device and threads are set here. */
macadam_status mcd_signed_apply(const mcd_query *query, mcd_sign_job job, macadam_error *error);

/* The same for requested quantity q in divided memory, which replaces the job's value. The sources are its rows; as lanes,
 * they are its columns. */
macadam_status mcd_signed_divided(const mcd_query *query, size_t q, const mcd_division *division,
                                  const mcd_sign_job *job, bool as_lanes, macadam_error *error);

/* The same for the costs value[quantity][i] of trips i < count. */
macadam_status mcd_signed_pairs(const mcd_pairs *trips, const mcd_query *query, uint32_t *const *value,
                                macadam_error *error);

#endif
