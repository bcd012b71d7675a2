/* decay.c - see decay.h. The file is compiled so that no multiplication is fused with an addition: its weights are the same
 * everywhere. */
#include "engine/query/tables/decay.h"

#include "engine/base/options.h"
#include "engine/base/types.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- the numbers of a decay ---- */

static const double least = 1e-6; /* of what is divided by */

static macadam_status check_number(const char *name, double number, double from, macadam_error *error)
{
    if (isfinite(number) && number >= from) return MACADAM_OK;
    return mcd_fail_invalid(error, "the decay's %s is %g, not a number from %g", name, number, from);
}

static macadam_status check_table(const macadam_decay *decay, macadam_error *error)
{
    if (!decay->point_count || !decay->cost || !decay->weight)
        return mcd_fail_invalid(error, "the decay's table has no points");
    for (size_t i = 0; i < decay->point_count; ++i) {
        const double cost = decay->cost[i], weight = decay->weight[i], before = i ? decay->cost[i - 1] : 0;
        if (!(cost >= before) || !isfinite(cost))
            return mcd_fail_invalid(error, "cost %zu of the decay's table is %g, not a number from %g", i,
                                    cost, before);
        if (!(weight >= 0 && weight <= 1))
            return mcd_fail_invalid(error, "weight %zu of the decay's table is %g, not in 0..1", i, weight);
    }
    return MACADAM_OK;
}

macadam_status mcd_decay_adopt(macadam_decay *out, const macadam_decay *given, macadam_error *error)
{
    *out = (macadam_decay)MACADAM_DECAY_INIT;
    out->cutoff = INFINITY;
    if (!given) return MACADAM_OK;
    MCD_TRY(mcd_options_adopt(out, sizeof *out, given, "decay", error));
    switch (out->kind) {
    case MACADAM_DECAY_STEP:
        return check_number("cutoff", out->cutoff, 0, error);
    case MACADAM_DECAY_LINEAR:
    case MACADAM_DECAY_LOGISTIC:
        MCD_TRY(check_number("cutoff", out->cutoff, 0, error));
        return check_number("width", out->width, least, error);
    case MACADAM_DECAY_EXPONENTIAL:
        return check_number("cutoff", out->cutoff, least, error);
    case MACADAM_DECAY_GAUSSIAN:
        return check_number("width", out->width, least, error);
    case MACADAM_DECAY_TABLE:
        return check_table(out, error);
    }
    return mcd_fail_invalid(error, "%d is not a kind of decay", (int)out->kind);
}

/* ---- weights ---- */

MCD_DEFINE_LOWER_BOUND(find_cost, double, , double)

static double in_table(const macadam_decay *decay, double cost)
{
    const size_t first = find_cost(decay->cost, 0, decay->point_count, cost);
    if (first == decay->point_count) return 0;
    const double *const x = decay->cost + first, *const y = decay->weight + first;
    return first == 0 ? *y : y[-1] + (y[0] - y[-1]) * ((cost - x[-1]) / (x[0] - x[-1]));
}

static double clamped(double weight)
{
    return weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

/* Writes the weights, of which the function is that of the cost c. */
#define WEIGH(function)                                                                                      \
    for (size_t i = 0; i < count; ++i) {                                                                     \
        const double c = (int32_t)cost[i] > 0 ? (int32_t)cost[i] : 0;                                        \
        weight[i] = cost[i] == unreached ? 0 : (uint32_t)(int32_t)((function)*one + 0.5);                    \
    }

void mcd_decay_weigh(const macadam_decay *decay, const uint32_t *cost, size_t count, uint32_t unreached,
                     uint32_t *restrict weight)
{
    const double one = 1 << MCD_DECAY_BITS, cutoff = decay->cutoff, width = decay->width;
    switch (decay->kind) {
    case MACADAM_DECAY_STEP:
        WEIGH(c <= cutoff ? 1.0 : 0.0)
        break;
    case MACADAM_DECAY_LINEAR: {
        const double lower = cutoff - width / 2;
        WEIGH(clamped(1 - (c - lower) / width))
        break;
    }
    case MACADAM_DECAY_LOGISTIC: {
        const double k = pi / (width * sqrt(3)), at_zero = 1 + exp((0 - cutoff) * k);
        WEIGH(at_zero / (1 + exp((c - cutoff) * k)))
        break;
    }
    case MACADAM_DECAY_EXPONENTIAL: {
        const double rate = log(0.5) / cutoff;
        WEIGH(exp(c * rate))
        break;
    }
    case MACADAM_DECAY_GAUSSIAN:
        WEIGH(exp(-0.5 * (c / width) * (c / width)))
        break;
    case MACADAM_DECAY_TABLE:
        WEIGH(in_table(decay, c))
        break;
    }
}
