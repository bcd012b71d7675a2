/* conditional_tag.c - see conditional_tag.h. Moments at which the same clauses give values are alike: the profile reads
 * the tags once for all of them. */
#include "importers/osm/rules/conditional_tag.h"
#include "engine/base/grow.h"
#include "engine/base/memory.h"

/* ---- residents ---- */

/* Returns a bit for the rule about residents that holds at times and that no slot can say; 0: there is none. */
static unsigned residents_rule(bool larger, mcd_access was, mcd_access then)
{
    if (was == MCD_ACCESS_OPEN && then == MCD_ACCESS_DESTINATION_ONLY) return larger ? 2 : 1;
    return was == MCD_ACCESS_DESTINATION_ONLY && then == MCD_ACCESS_OPEN && !larger ? 4 : 0;
}

static void report_residents(mcd_report *report, unsigned rules)
{
    mcd_report_add_if(report, MCD_REPORT_STAYS_RESIDENTS, rules & 1);
    mcd_report_add_if(report, MCD_REPORT_STAYS_LARGER, rules & 2);
    mcd_report_add_if(report, MCD_REPORT_STAYS_CLOSED, rules & 4);
}

/* ---- ways ---- */

/* A way while its timings are read. */
typedef struct way_reader {
    mcd_conditional_tags *conditional_tags;
    const mcd_clauses *clauses;
    const mcd_tags *tags;
    mcd_tag *tag; /* room for those in force */
    mcd_passage *usual;
    bool was_open[MCD_DIRECTIONS]; /* at no particular time */
    mcd_period opens[MCD_DIRECTIONS];
    unsigned residents; /* rules */
    bool opened;        /* at times, in some direction */
} way_reader;

/* Returns whether a vehicle of the clauses exceeds limits. */
static bool is_too_large(const uint32_t vehicle[MCD_LIMITS], const mcd_kind_limits *limits)
{
    bool exceeds = false;
    for (int i = 0; i < MCD_LIMITS; ++i)
        exceeds = exceeds || (limits->most[i] && vehicle[i] > limits->most[i]);
    return exceeds;
}

/* Returns how a vehicle passes the way where clauses are in force. */
static mcd_passage pass(const way_reader *way, size_t vehicle, uint32_t bits)
{
    const mcd_tags then = mcd_clauses_tags(way->clauses, bits, way->tags, way->tag);
    mcd_passage passage;
    mcd_limits limits;
    const mcd_way_use use = mcd_profile_way(way->clauses->profile, &then, &passage, &limits);
    if (use != MCD_WAY_OPEN) return (mcd_passage){0};
    for (int d = 0; d < MCD_DIRECTIONS; ++d)
        if (is_too_large(way->clauses->vehicle[vehicle], &limits.most[d])) passage.speed_kmh[d] = 0;
    return passage;
}

static macadam_status append(way_reader *way, const mcd_conditional_tag *timing, macadam_error *error)
{
    mcd_conditional_tags *const conditional_tags = way->conditional_tags;
    MCD_TRY(
        MCD_GROW(conditional_tags->timing, conditional_tags->capacity, conditional_tags->count + 1, error));
    conditional_tags->timing[conditional_tags->count++] = *timing;
    return MACADAM_OK;
}

/* Makes a direction that was closed as it is when it first opens. */
static void open_direction(mcd_passage *usual, const mcd_passage *then, int d)
{
    const bool was_closed = usual->speed_kmh[MCD_FORWARD] == 0 && usual->speed_kmh[MCD_BACKWARD] == 0;
    mcd_passage opened = was_closed ? *then : *usual;
    if (was_closed) opened.speed_kmh[MCD_BACKWARD - d] = 0;
    opened.speed_kmh[d] = then->speed_kmh[d];
    opened.destination_only[d] = then->destination_only[d];
    opened.pushed[d] = then->pushed[d];
    opened.flags[d] = then->flags[d];
    *usual = opened;
}

static mcd_access access_along(const mcd_passage *passage, int direction)
{
    return passage->speed_kmh[direction] == 0     ? MCD_ACCESS_CLOSED
           : passage->destination_only[direction] ? MCD_ACCESS_DESTINATION_ONLY
                                                  : MCD_ACCESS_OPEN;
}

/* Appends the change that `then` is, if it is one. `own`: in a larger vehicle, how the profile's passes the way meanwhile:
 * only what is stricter is a change. NULL: it is the profile's. */
static macadam_status add_change(way_reader *way, const mcd_passage *own, const mcd_passage *then,
                                 const mcd_period *period, macadam_error *error)
{
    mcd_conditional_tag timing = {.period = *period};
    bool differs = false;
    for (int d = 0; d < MCD_DIRECTIONS; ++d) {
        const double speed = then->speed_kmh[d];
        if (!own && speed > 0 && way->usual->speed_kmh[d] == 0) open_direction(way->usual, then, d);
        if (!own && speed > 0 && !way->was_open[d]) mcd_weeks_unite(way->opens[d].week, period->week);
        if (!own) way->usual->flags[d] |= then->flags[d] & MACADAM_ROAD_TOLL; /* charged at some time */
        const mcd_passage *const before = own ? own : way->usual;
        const unsigned rule = residents_rule(own != NULL, access_along(before, d), access_along(then, d));
        const bool stays =
            own ? speed >= own->speed_kmh[d]
                : rule & 1 || (speed == 0 && !way->was_open[d]) || speed == way->usual->speed_kmh[d];
        way->residents |= rule;
        timing.speed_kmh[d] = stays ? MCD_CONDITIONAL_TAG_STAYS : speed;
        differs = differs || !stays;
    }
    return differs ? append(way, &timing, error) : MACADAM_OK;
}

static macadam_status add_changes(way_reader *way, macadam_error *error)
{
    mcd_moments moments;
    mcd_period period;
    for (size_t vehicle = 0; vehicle < way->clauses->vehicle_count; ++vehicle) {
        mcd_moments_begin(&moments, way->clauses, vehicle);
        for (uint32_t before, bits; mcd_moments_next(&moments, &before, &bits, &period);) {
            const mcd_passage own = pass(way, 0, before), then = pass(way, vehicle, bits);
            MCD_TRY(add_change(way, vehicle ? &own : NULL, &then, &period, error));
        }
    }
    for (int d = 0; d < MCD_DIRECTIONS; ++d) {
        if (way->was_open[d] || way->usual->speed_kmh[d] == 0) continue;
        mcd_conditional_tag opening = {.period = way->opens[d],
                                       .speed_kmh = {MCD_CONDITIONAL_TAG_STAYS, MCD_CONDITIONAL_TAG_STAYS}};
        opening.opens[d] = way->opened = true;
        MCD_TRY(append(way, &opening, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_conditional_tags_read(mcd_conditional_tags *conditional_tags, const mcd_profile *profile,
                                         const mcd_tags *tags, mcd_passage *usual, mcd_report *report,
                                         macadam_error *error)
{
    mcd_clauses clauses;
    mcd_clauses_begin(&clauses, profile, report);
    mcd_clauses_read(&clauses, tags, true);
    if (!clauses.count) return MACADAM_OK;
    MCD_OWNED mcd_tag *tag = NULL;
    MCD_TRY(MCD_NEW(tag, tags->count + clauses.count, error));
    way_reader way = {
        .conditional_tags = conditional_tags, .clauses = &clauses, .tags = tags, .tag = tag, .usual = usual};
    const uint32_t always = mcd_clauses_usual(&clauses);
    if (always) *usual = pass(&way, 0, always);
    for (int d = 0; d < MCD_DIRECTIONS; ++d) way.was_open[d] = usual->speed_kmh[d] > 0;
    MCD_TRY(add_changes(&way, error));
    report_residents(report, way.residents);
    mcd_report_add_if(report, MCD_REPORT_OPEN_AT_TIMES, way.opened);
    return MACADAM_OK;
}

/* ---- nodes ---- */

static mcd_access access_of(const mcd_clauses *clauses, size_t vehicle, uint32_t bits, const mcd_tags *tags,
                            mcd_tag *tag)
{
    const mcd_tags then = mcd_clauses_tags(clauses, bits, tags, tag);
    const mcd_stop stop = mcd_profile_stop(clauses->profile, &then);
    bool too_large = false;
    for (int d = 0; d < MCD_DIRECTIONS; ++d)
        too_large = too_large || is_too_large(clauses->vehicle[vehicle], &stop.limits.most[d]);
    return too_large ? MCD_ACCESS_CLOSED : stop.access;
}

void mcd_conditional_tag_of_node(mcd_node_times *out, mcd_access *usual, const mcd_profile *profile,
                                 const mcd_tags *tags, mcd_report *report)
{
    enum { NODE_TAGS = 256 };
    mcd_tag tag[NODE_TAGS + MCD_CLAUSES_MAX];
    mcd_clauses clauses;
    mcd_moments moments;
    mcd_period period;
    out->count = 0;
    out->opens = false;
    if (tags->count == 0 || tags->count > NODE_TAGS) return;
    mcd_clauses_begin(&clauses, profile, report);
    mcd_clauses_read(&clauses, tags, false);
    if (clauses.count == 0) return;
    *usual = access_of(&clauses, 0, mcd_clauses_usual(&clauses), tags, tag);
    mcd_access opened = MCD_ACCESS_CLOSED; /* to whom it opens at times, at most */
    unsigned residents = 0;                /* rules */
    out->opens = *usual == MCD_ACCESS_CLOSED;
    for (size_t vehicle = 0; vehicle < clauses.vehicle_count; ++vehicle) {
        mcd_moments_begin(&moments, &clauses, vehicle);
        mcd_period *const all = &out->period[out->count];
        bool differs = false;
        *all = (mcd_period){.guard = moments.guard};
        for (uint32_t before, bits; mcd_moments_next(&moments, &before, &bits, &period);) {
            const mcd_access was = access_of(&clauses, 0, before, tags, tag);
            const mcd_access then = access_of(&clauses, vehicle, bits, tags, tag);
            const bool was_closed = was == MCD_ACCESS_CLOSED, closed = then == MCD_ACCESS_CLOSED;
            residents |= residents_rule(vehicle > 0, was, then);
            if (closed == was_closed || (vehicle > 0 && was_closed)) continue;
            if (was_closed && opened != MCD_ACCESS_CLOSED && opened != then) residents |= 1;
            if (then < opened) opened = then;
            mcd_weeks_unite(all->week, period.week);
            all->guard.timeless |= period.guard.timeless;
            differs = true;
        }
        out->count += differs;
    }
    if (opened == MCD_ACCESS_DESTINATION_ONLY) *usual = opened;
    report_residents(report, residents);
}
