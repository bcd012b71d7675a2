/* test_clock.c - the time of an arc is the least (backward: from the latest entry) by which the integral of its speed
 * reaches its length: compared with bisection over sums, on ten million random arcs. */
#include "kernels/clock.h"
#include "tests/support/checked.h"
#include "tests/support/clock_oracle.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>

enum { PATTERNS = 40, ARCS = 2500000, DRAWS = 4 };

static const uint32_t slot_counts[DRAWS] = {672, 2016, 672, 2016}; /* 15 and 5 minutes */

/* Slots that stand still, crawl, or go at the week's fastest; single fast slots; plain random ones. */
static uint8_t draw_rate(test_rng *rng, uint32_t kind)
{
    const uint32_t chance = rng_below(rng, 100);
    switch (kind % 5 == 3 && kind != 3 ? 4 : kind % 5) {
    case 0:
        return (uint8_t)(20 + rng_below(rng, 236));
    case 1:
        return chance < 50 ? 0 : 255;
    case 2:
        return (uint8_t)(chance < 90 ? 1 + rng_below(rng, 30) : 200);
    case 3:
        return chance < 99 ? 0 : 3;
    default:
        return (uint8_t)(chance < 20 ? rng_below(rng, 256) : 255);
    }
}

static uint8_t *draw_patterns(test_rng *rng, uint32_t slot_count)
{
    uint8_t *rate = checked_allocate(PATTERNS, slot_count);
    for (uint32_t p = 0; p < PATTERNS; ++p) {
        for (uint32_t slot = 0; slot < slot_count; ++slot) rate[p * slot_count + slot] = draw_rate(rng, p);
        rate[p * slot_count + rng_below(rng, slot_count)] = 255;
    }
    return rate;
}

/* Short streets, long roads, arcs of hours; whole and almost whole slots; now and then of days. */
static uint32_t draw_own(test_rng *rng, uint32_t slot_ms)
{
    switch (rng_below(rng, 12)) {
    case 0:
        return rng_below(rng, 3);
    case 1:
        return rng_below(rng, 4) * slot_ms + rng_below(rng, 5);
    case 2:
    case 3:
        return rng_below(rng, 4 * 3600000);
    case 4:
        return rng_below(rng, 50) ? rng_below(rng, 3600000) : rng_below(rng, MCD_UNREACHED >> 1);
    default:
        return rng_below(rng, 60000);
    }
}

/* At and near the borders of slots and of the week, too. */
static uint32_t draw_instant(test_rng *rng, uint32_t slot_ms)
{
    const uint32_t near = rng_below(rng, 5) + MCD_WEEK_MS - 2;
    switch (rng_below(rng, 6)) {
    case 0:
        return (rng_below(rng, MCD_WEEK_MS / slot_ms) * slot_ms + near) % MCD_WEEK_MS;
    case 1:
        return (near - rng_below(rng, 5 * 60000)) % MCD_WEEK_MS;
    default:
        return rng_below(rng, 5) * MCD_WEEK_MS + rng_below(rng, MCD_WEEK_MS);
    }
}

typedef struct arc_case {
    const mcd_patterns *patterns;
    const clock_oracle_week *week;
    uint32_t pattern, instant, own;
} arc_case;

static uint32_t leave(const arc_case *arc, uint32_t instant)
{
    return mcd_clock_duration(arc->patterns, arc->pattern, instant, arc->own, MCD_FORWARD);
}

static uint32_t enter(const arc_case *arc, uint32_t instant)
{
    return mcd_clock_duration(arc->patterns, arc->pattern, instant, arc->own, MCD_BACKWARD);
}

static void check_arc(const arc_case *arc)
{
    const uint32_t ahead = leave(arc, arc->instant), back = enter(arc, arc->instant);
    const uint32_t right = clock_oracle_leave(arc->week, arc->pattern, arc->instant, arc->own),
                   right_back = clock_oracle_enter(arc->week, arc->pattern, arc->instant, arc->own);
    if (ahead != right || back != right_back)
        cr_assert(false,
                  "pattern %u, own %u at %u: left after %u instead of %u, entered %u before instead of %u",
                  arc->pattern, arc->own, arc->instant, ahead, right, back, right_back);
    if (ahead > MCD_WEEK_MS || back > MCD_WEEK_MS) return;
    if (leave(arc, arc->instant + 1) + 1 < ahead)
        cr_assert(false, "pattern %u, own %u at %u: overtaken", arc->pattern, arc->own, arc->instant);
    /* the latest entry for the exit found is not before the entry, and leaves by then; one later does not */
    const uint32_t exit = arc->instant + ahead,
                   latest = exit + 4 * MCD_WEEK_MS * (exit < MCD_WEEK_MS) - enter(arc, exit);
    const uint32_t time = leave(arc, latest % MCD_WEEK_MS),
                   time_next = leave(arc, (latest + 1) % MCD_WEEK_MS);
    if (enter(arc, exit) > ahead || time > enter(arc, exit) || time_next + 1 <= enter(arc, exit))
        cr_assert(false, "pattern %u, own %u at %u: not an inverse", arc->pattern, arc->own, arc->instant);
}

static void check_draw(int draw)
{
    const uint32_t slot_count = slot_counts[draw], slot_ms = MCD_WEEK_MS / slot_count;
    test_rng rng = {(uint64_t)draw};
    FREED uint8_t *rate = draw_patterns(&rng, slot_count);
    SCOPED(clock_oracle_week_free)
    clock_oracle_week week = clock_oracle_week_make(rate, PATTERNS, slot_count);
    const mcd_patterns patterns = {rate, PATTERNS, slot_count};
    for (int i = 0; i < ARCS; ++i)
        check_arc(&(arc_case){&patterns, &week, 1 + rng_below(&rng, PATTERNS), draw_instant(&rng, slot_ms),
                              draw_own(&rng, slot_ms)});
}

Test(clock, an_arc_is_left_at_the_least_instant)
{
    check_draw(0);
}

Test(clock, an_arc_is_left_at_the_least_instant_with_slots_of_5_minutes)
{
    check_draw(1);
}

Test(clock, other_patterns_give_the_least_instant_too)
{
    check_draw(2);
    check_draw(3);
}

static mcd_weight cost_of(mcd_weight own, mcd_weight price, uint32_t pattern, mcd_direction direction)
{
    static const uint8_t rate[36] = {255, 51, 0, 0, 255, 255, 255}; /* slots of 280 minutes */
    const mcd_patterns patterns = {rate, 1, 36};
    const mcd_clock_arc arc = {0, own, price, pattern};
    return mcd_clock_cost(&patterns, &arc, 16800000 - 1000, direction);
}

Test(clock, a_price_is_paid_before_the_arc)
{
    cr_expect_eq(cost_of(500, 0, 1, MCD_FORWARD), 500);
    cr_expect_eq(cost_of(500, 300, 1, MCD_FORWARD), 800);
    cr_expect_eq(cost_of(500, 700, 1, MCD_FORWARD), 700 + 300 + 5 * 200);
    cr_expect_eq(cost_of(500, 700, 0, MCD_FORWARD), 1200);
    cr_expect_eq(cost_of(500, 700, 1, MCD_BACKWARD), 1200);
}

Test(clock, a_cost_above_the_greatest_is_unreached)
{
    cr_expect_eq(cost_of(MCD_UNREACHED, 0, 0, MCD_FORWARD), MCD_UNREACHED);
    cr_expect_eq(cost_of(MCD_UNREACHED, 0, 1, MCD_BACKWARD), MCD_UNREACHED);
    cr_expect_eq(cost_of(MCD_WEIGHT_MAX, 1, 0, MCD_FORWARD), MCD_UNREACHED);
    cr_expect_eq(cost_of(MCD_WEIGHT_MAX, 0, 0, MCD_FORWARD), MCD_WEIGHT_MAX);
    cr_expect_eq(cost_of(MCD_WEIGHT_MAX, 0, 1, MCD_FORWARD), MCD_UNREACHED);
    cr_expect_eq(cost_of(0, MCD_WEIGHT_MAX, 1, MCD_FORWARD), MCD_WEIGHT_MAX);
}
