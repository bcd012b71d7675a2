/* access_oracle.c - see access_oracle.h. */
#include "tests/support/access_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* ---- questions ---- */

void access_decay_draw(access_decay *out, size_t which, double near, test_rng *rng)
{
    *out = (access_decay){.decay = MACADAM_DECAY_INIT};
    if (which >= MACADAM_DECAY_TABLE + 1) return;
    macadam_decay *const decay = &out->decay;
    decay->kind = (macadam_decay_kind)which;
    decay->cutoff = near + (rng_below(rng, 2) ? 0 : 0.5 + rng_below(rng, 100));
    decay->width = 0.25 + rng_below(rng, 2 + (uint32_t)near);
    if (which == MACADAM_DECAY_EXPONENTIAL && !(decay->cutoff > 0)) decay->cutoff = 1;
    for (size_t i = 0; i < ACCESS_ORACLE_POINTS; ++i) {
        out->cost[i] = near * (double)(i == 3 ? 2 : i) / 3; /* points 2 and 3 are a step */
        out->weight[i] = rng_below(rng, 1001) / 1000.0;
    }
    decay->cost = out->cost, decay->weight = out->weight;
    decay->point_count = ACCESS_ORACLE_POINTS;
    out->given = decay;
}

void access_amounts_draw(double *out, size_t count, test_rng *rng)
{
    static const double units[] = {1, 1.0 / 7, 0x1.3456789abcdefp990, 0x1.3456789abcdefp-990};
    const double unit = units[rng_below(rng, sizeof units / sizeof *units)];
    for (size_t i = 0; i < count; ++i)
        out[i] = rng_below(rng, 4) ? unit * rng_below(rng, 1 << (1 + i % 20)) : 0;
}

/* ---- what is right ---- */

static double tabled(const macadam_decay *d, double c)
{
    for (size_t i = 0; i < d->point_count; ++i) {
        if (d->cost[i] < c) continue;
        if (i == 0) return d->weight[0];
        const double rise = d->weight[i] - d->weight[i - 1], run = d->cost[i] - d->cost[i - 1];
        const double share = (c - d->cost[i - 1]) / run;
        const double risen = rise * share;
        return d->weight[i - 1] + risen;
    }
    return 0;
}

static double decay_at(const macadam_decay *d, int64_t cost)
{
    const double c = cost > 0 ? (double)cost : 0;
    if (!d) return 1;
    if (d->kind == MACADAM_DECAY_STEP) return c <= d->cutoff;
    if (d->kind == MACADAM_DECAY_LINEAR) {
        const double begin = d->cutoff - d->width / 2, fallen = (c - begin) / d->width;
        return fmin(fmax(1 - fallen, 0), 1);
    }
    if (d->kind == MACADAM_DECAY_LOGISTIC) {
        const double k = acos(-1) / (d->width * sqrt(3)), before = (0 - d->cutoff) * k,
                     here = (c - d->cutoff) * k;
        return (1 + exp(before)) / (1 + exp(here));
    }
    if (d->kind == MACADAM_DECAY_EXPONENTIAL) {
        const double rate = log(0.5) / d->cutoff, power = c * rate;
        return exp(power);
    }
    if (d->kind == MACADAM_DECAY_GAUSSIAN) {
        const double x = c / d->width, half = -0.5 * x, power = half * x;
        return exp(power);
    }
    return tabled(d, c);
}

/* The header's k. */
static int scale_of(const macadam_reach_request *request, size_t column)
{
    const double *const amount = request->amount + column * request->opportunity_count;
    double most = 0;
    int above = -1080, bits = 0;
    for (size_t i = 0; i < request->opportunity_count; ++i) most = amount[i] > most ? amount[i] : most;
    if (most <= 0) return 0;
    while (ldexp(1, above) <= most) ++above;
    while (request->opportunity_count >> bits) ++bits;
    return 62 - above - bits < 900 ? 62 - above - bits : 900;
}

/* The amount times 2^k, to the nearest integer, halves to the even one. */
static uint64_t whole_of(double amount, int k)
{
    const double exact = ldexp(amount, k), below = floor(exact), rest = exact - below;
    const bool is_odd = fmod(below, 2) > 0;
    return (uint64_t)below + (rest > 0.5 || (rest >= 0.5 && is_odd));
}

/* Writes W * A of each opportunity; returns S. */
static wide weigh(const macadam_reach_request *request, size_t column, const int64_t *cost, wide *weight)
{
    const size_t count = request->opportunity_count;
    const int k = scale_of(request, column);
    wide sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool counts = cost[i] != MACADAM_COST_NONE;
        const double share = counts ? floor(decay_at(request->decay, cost[i]) * 1073741824.0 + 0.5) : 0;
        weight[i] = (wide)share * whole_of(request->amount[column * count + i], k);
        sum += weight[i];
    }
    return sum;
}

/* The nearest double of a / b, where b is below 2^127. */
static double divided(wide a, wide b)
{
    wide whole = a / b, rest = a % b;
    int shift = 0;
    for (; rest && whole >> 60 == 0; ++shift) {
        whole = 2 * whole + 2 * rest / b;
        rest = 2 * rest % b;
    }
    return ldexp((double)(whole | (rest > 0)), -shift);
}

static double mean_of(size_t count, const int64_t *cost, const wide *weight, wide sum)
{
    wide up = 0, down = 0;
    for (size_t i = 0; i < count; ++i) {
        if (weight[i] && cost[i] >= 0) up += weight[i] * (uint64_t)cost[i];
        if (weight[i] && cost[i] < 0) down += weight[i] * (uint64_t)-cost[i];
    }
    return up >= down ? divided(up - down, sum) : -divided(down - up, sum);
}

static uint32_t percentile_of(size_t count, const int64_t *cost, const wide *weight, wide sum,
                              double percentile, bool is_signed)
{
    const wide millionths = (wide)rint(percentile * 1e6);
    int64_t best = MACADAM_COST_NONE;
    for (size_t i = 0; i < count; ++i) {
        wide within = 0;
        if (weight[i] == 0) continue;
        for (size_t j = 0; j < count; ++j)
            if (cost[j] <= cost[i]) within += weight[j];
        if (within * 100000000 >= sum * millionths && cost[i] < best) best = cost[i];
    }
    if (best != MACADAM_COST_NONE) return (uint32_t)(int32_t)best;
    return is_signed ? (uint32_t)MACADAM_SIGNED_UNREACHED : MACADAM_UNREACHED;
}

static bool is_double(double found, double right, const char *what, size_t source, size_t column, char *why)
{
    if (memcmp(&found, &right, sizeof found) == 0 || (isnan(found) && isnan(right))) return true;
    snprintf(why, ACCESS_ORACLE_WHY, "source %zu, column %zu: %s is %.17g, not %.17g", source, column, what,
             found, right);
    return false;
}

bool access_oracle_agrees(const macadam_reach_request *request, const macadam_reach *found, size_t source,
                          const int64_t *cost, bool is_signed, char why[ACCESS_ORACLE_WHY])
{
    for (size_t column = 0; column < request->amount_count; ++column) {
        const size_t at = source * request->amount_count + column;
        const size_t count = request->opportunity_count;
        wide weight[ACCESS_ORACLE_OPPORTUNITIES];
        if (count > ACCESS_ORACLE_OPPORTUNITIES) abort();
        const wide sum = weigh(request, column, cost, weight);
        const double mean = sum ? mean_of(count, cost, weight, sum) : NAN;
        if (found->access &&
            !is_double(found->access[at], ldexp((double)sum, -30 - scale_of(request, column)), "the sum",
                       source, column, why))
            return false;
        if (found->mean_cost && !is_double(found->mean_cost[at], mean, "the mean", source, column, why))
            return false;
        for (size_t p = 0; found->percentile_cost && p < request->percentile_count; ++p) {
            const uint32_t right = percentile_of(count, cost, weight, sum, request->percentile[p], is_signed);
            const uint32_t is = found->percentile_cost[at * request->percentile_count + p];
            if (is == right) continue;
            snprintf(why, ACCESS_ORACLE_WHY, "source %zu, column %zu: percentile %g is %u, not %u", source,
                     column, request->percentile[p], is, right);
            return false;
        }
    }
    return true;
}
