/* patterns.c - see patterns.h. */
#include "engine/runtime/patterns.h"

#include "engine/base/memory.h"

/* Marks patterns of the update among those in use. */
#define GIVEN UINT32_C(0x10000)

typedef struct pattern_run {
    mcd_pattern_set *set;
    mcd_pattern_table in_use, given;
    uint32_t *number; /* [in_use.count + given.count] that the set gives each, plus 1; 0: none yet */
} pattern_run;

/* Finds the number in the set, plus 1, of a pattern. Coarse slots become three fine ones if the set has these, and
 * a week also one of holidays. */
static macadam_status find_number(const pattern_run *run, uint32_t chosen, uint16_t *out,
                                  macadam_error *error)
{
    const bool is_given = chosen & GIVEN;
    const mcd_pattern_table *const table = is_given ? &run->given : &run->in_use;
    const size_t index = (chosen & (GIVEN - 1)) - 1, slots = run->set->slot_count,
                 week = mcd_pattern_week_slots(slots), from = mcd_pattern_week_slots(table->slot_count);
    uint32_t *const number = &run->number[is_given ? run->in_use.count + index : index];
    uint8_t pattern[MCD_PATTERN_SLOTS_MAX];
    if (*number == 0) {
        for (size_t i = 0; i < slots; ++i)
            pattern[i] = table->value[index * table->slot_count +
                                      (i / week * from + i % week * from / week) % table->slot_count];
        MCD_TRY(mcd_pattern_set_add(run->set, pattern, number, error));
        ++*number;
    }
    if (*number > MCD_PATTERNS_MAX)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the map would have more than %d patterns of speed",
                        MCD_PATTERNS_MAX);
    *out = (uint16_t)*number;
    return MACADAM_OK;
}

/* Returns the slots of patterns that are as fine as both, with holidays if one has them. */
static size_t slots_of_both(size_t a, size_t b)
{
    const size_t week_a = mcd_pattern_week_slots(a), week_b = mcd_pattern_week_slots(b);
    return (week_a > week_b ? week_a : week_b) * (a > week_a || b > week_b ? 2 : 1);
}

macadam_status mcd_patterns_make(mcd_patterns_in_use *out, const mcd_roads *roads,
                                 const mcd_pattern_table *given, const mcd_pattern_change *change,
                                 size_t count, macadam_error *error)
{
    const mcd_arc_facts *const facts = roads->facts;
    const size_t originals = roads->original_count;
    pattern_run run = {.set = &out->set,
                       .in_use = {facts->pattern, facts->pattern_count, facts->pattern_slots},
                       .given = *given};
    MCD_OWNED uint32_t *chosen = NULL, *number = NULL;
    MCD_TRY(MCD_NEW(chosen, originals, error));
    MCD_TRY(MCD_NEW_ZEROED(number, run.in_use.count + run.given.count, error));
    MCD_TRY(MCD_NEW(out->arc_pattern, originals, error));
    run.number = number;
    out->set.slot_count = slots_of_both(given->slot_count, run.in_use.slot_count);
    for (size_t i = 0; i < originals; ++i) chosen[i] = facts->arc_pattern ? facts->arc_pattern[i] : 0;
    for (size_t i = 0; i < count; ++i)
        chosen[change[i].original] = change[i].pattern ? GIVEN | change[i].pattern : 0;
    for (size_t i = 0; i < originals; ++i) {
        out->arc_pattern[i] = 0;
        if (chosen[i]) MCD_TRY(find_number(&run, chosen[i], &out->arc_pattern[i], error));
    }
    return MACADAM_OK;
}

void mcd_patterns_free(mcd_patterns_in_use *patterns)
{
    mcd_free(patterns->arc_pattern);
    mcd_pattern_set_free(&patterns->set);
    *patterns = (mcd_patterns_in_use){0};
}

macadam_status mcd_patterns_check(const macadam_update_request *request, macadam_error *error)
{
    const mcd_pattern_table given = {request->pattern_speed, request->pattern_count, request->slot_count};
    if (!request->pattern) return MACADAM_OK;
    if (given.count && !given.value)
        return mcd_fail_invalid(error, "%zu patterns of %zu slots, but no array of their speeds", given.count,
                                given.slot_count);
    MCD_TRY(mcd_pattern_check_size(given.count, given.slot_count, error));
    const size_t slow = mcd_pattern_find_slow(&given),
                 unknown = mcd_pattern_find_unknown(&given, request->pattern, request->count);
    if (slow < given.count)
        return mcd_fail_invalid(error, "pattern %zu never has the fastest speed, %d", slow,
                                MCD_PATTERN_FASTEST);
    if (unknown == request->count) return MACADAM_OK;
    return mcd_fail_invalid(error, "entry %zu has the pattern %u of %zu", unknown, request->pattern[unknown],
                            given.count);
}
