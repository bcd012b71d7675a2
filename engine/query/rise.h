/* rise.h - what makes the objective's costs signed: the rise of its potential between a query's places and the nodes
 * of their trees.
 *
 * A cost that is lifted by the potential of its node stays unsigned, and the lifted costs of one place are in the
 * order of its signed costs: a signed cost is the lifted one less that of the place itself, its base. Without
 * potentials, lifted and signed costs are the costs, and bases are 0. */
#ifndef MCD_ENGINE_QUERY_RISE_H
#define MCD_ENGINE_QUERY_RISE_H

#include "engine/query/query.h"

typedef struct mcd_rise {
    const int32_t *potential; /* of the objective, by id; NULL: it has none */
    bool reverse;             /* ways lead to the places */
    uint32_t *base;           /* [place_count] */
    uint32_t least;           /* the least lift of all ids */
} mcd_rise;

/* Takes the potentials at places that searches begin from. Free *out with mcd_rise_free. */
macadam_status mcd_rise_new(mcd_rise *out, const mcd_query *query, const mcd_lanes *lanes,
                            macadam_error *error);
void mcd_rise_free(mcd_rise *rise);

/* Returns the objective's potential at a place; 0 if it has none, or if the place failed. */
int32_t mcd_rise_at(const mcd_query *query, const mcd_lanes *lanes, size_t place);

/* Lifts a cost, MACADAM_UNREACHED excepted, by the potential of its node. */
static inline uint32_t mcd_rise_lift(uint32_t cost, int32_t potential, bool reverse)
{
    return cost + (uint32_t)(MCD_POTENTIAL_MAX + (reverse ? -potential : potential));
}
static_assert(2 * (uint64_t)MCD_POTENTIAL_MAX + MCD_WEIGHT_MAX < MACADAM_UNREACHED, "a lifted cost fits");

static inline uint32_t mcd_rise_base(const mcd_rise *rise, size_t place)
{
    return rise->potential ? rise->base[place] : 0;
}

/* Returns the least limit within which lies all whose signed cost is within `limit`. */
static inline mcd_weight mcd_rise_limit(const mcd_rise *rise, size_t place, mcd_weight limit)
{
    if (!rise->potential) return limit;
    const uint32_t reach = limit + (rise->base[place] - rise->least);
    return reach < MCD_WEIGHT_MAX ? reach : MCD_WEIGHT_MAX;
}

#endif
