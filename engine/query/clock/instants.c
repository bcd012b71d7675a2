/* instants.c - see instants.h. */
#include "engine/query/clock/instants.h"

static size_t instant_count(const macadam_clock *clock)
{
    return clock->arrive_count ? clock->arrive_count : clock->depart_count;
}

macadam_status mcd_instants_check_each(const macadam_clock *clock, size_t places, macadam_error *error)
{
    if (!clock->each || instant_count(clock) == places) return MACADAM_OK;
    return mcd_fail_invalid(error, "%zu %s for %zu %s: each must have one", instant_count(clock),
                            clock->arrive_count ? "arrivals" : "departures", places,
                            clock->arrive_count ? "targets" : "sources");
}

/* Makes arrays for what is reported about the places, as the caller wants it. */
static macadam_status new_outcome(mcd_instants *out, macadam_error *error)
{
    mcd_outcome *const outcome = &out->list.outcome;
    const bool has_status = outcome->status, has_snap = outcome->snap;
    outcome->status = NULL, outcome->snap = NULL;
    if (has_status) MCD_TRY(MCD_NEW(outcome->status, out->list.count, error));
    return has_snap ? MCD_NEW(outcome->snap, out->list.count, error) : MACADAM_OK;
}

static macadam_status repeat_places(mcd_instants *out, macadam_error *error)
{
    if (out->given.count > UINT32_MAX / out->times)
        return mcd_fail_invalid(error, "%zu places at %zu instants are too many", out->given.count,
                                out->times);
    out->list.count = out->given.count * out->times;
    MCD_TRY(new_outcome(out, error));
    MCD_TRY(MCD_NEW(out->place, out->list.count, error));
    for (size_t i = 0; i < out->list.count; ++i) out->place[i] = out->given.place[i / out->times];
    out->list.place = out->place;
    return MACADAM_OK;
}

macadam_status mcd_instants_new(mcd_instants *out, const mcd_query *query, const mcd_place_list *given,
                                mcd_role role, bool is_pair, macadam_error *error)
{
    const macadam_clock *const clock = &query->clock;
    const bool begins = (role == MCD_TARGETS) == (query->timing.direction == MCD_BACKWARD);
    const uint32_t *const instant = clock->arrive_count ? clock->arrive_by : clock->depart;
    *out = (mcd_instants){.list = *given, .given = *given, .times = 1};
    if (!given->place || given->count == 0 || (!begins && !is_pair)) return MACADAM_OK;
    MCD_TRY(mcd_instants_check_each(clock, given->count, error));
    if (!clock->each) out->times = instant_count(clock);
    if (out->times > 1) MCD_TRY(repeat_places(out, error));
    if (!begins) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->instant, out->list.count, error));
    for (size_t i = 0; i < out->list.count; ++i)
        out->instant[i] = instant[clock->each ? i : i % out->times] % MACADAM_WEEK_MS;
    out->list.instant = out->instant;
    return MACADAM_OK;
}

macadam_status mcd_instants_check_one(const mcd_query *query, const char *what, macadam_error *error)
{
    const size_t count = instant_count(&query->clock);
    if (count == 1 || query->clock.each) return MACADAM_OK;
    return mcd_fail_invalid(error, "%zu instants of a clock; %s has one, or one for each place (each)", count,
                            what);
}

macadam_status mcd_instants_check_end(const mcd_query *query, bool reverse, const char *what,
                                      macadam_error *error)
{
    if (reverse == (query->timing.direction == MCD_BACKWARD)) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                    reverse ? "%s to its source, with departures: it has arrivals"
                            : "%s from its source, with arrivals: it has departures",
                    what);
}

macadam_status mcd_instants_of_sources(mcd_instants *out, const mcd_query *query, mcd_place_list *sources,
                                       bool reverse, const char *what, macadam_error *error)
{
    *out = (mcd_instants){.times = 0};
    if (!query->timing.arcs) return MACADAM_OK;
    MCD_TRY(mcd_instants_check_end(query, reverse, what, error));
    MCD_TRY(mcd_instants_check_one(query, what, error));
    MCD_TRY(mcd_instants_new(out, query, sources, reverse ? MCD_TARGETS : MCD_SOURCES, false, error));
    sources->instant = out->instant;
    return MACADAM_OK;
}

void mcd_instants_report(const mcd_instants *instants)
{
    const mcd_outcome *const from = &instants->list.outcome, *const to = &instants->given.outcome;
    for (size_t i = 0; instants->times > 1 && i < instants->given.count; ++i) {
        if (to->status) to->status[i] = from->status[i * instants->times];
        if (to->snap) to->snap[i] = from->snap[i * instants->times];
    }
}

void mcd_instants_free(mcd_instants *instants)
{
    if (instants->times > 1) MCD_FREE_ALL(instants->list.outcome.status, instants->list.outcome.snap);
    MCD_FREE_ALL(instants->place, instants->instant);
    *instants = (mcd_instants){.times = 0};
}
