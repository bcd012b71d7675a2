/* restriction.c - see restriction.h. (https://wiki.openstreetmap.org/wiki/Relation:restriction) */
#include "importers/osm/turns/restriction.h"
#include "engine/base/grow.h"
#include "importers/osm/turns/turn_cost.h"
#include "engine/base/sort.h"

#include <stdio.h>

enum {
    SLOTS_PER_MEMBER = 16, /* so that few other ways share them */
    VIAS = 32,             /* ways of a via */
    STEPS = 65536,         /* arcs that the search for the paths of one restriction looks at */
    FOUND_MAX = 64,        /* of its paths: there are few, unless the ways are a tangle */
};

/* An arc under its way. */
typedef struct way_arc {
    int64_t way;
    mcd_arc arc;
} way_arc;

/* ---- relations ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Why the profile has nothing to do with a relation that has no restriction tag for it. */
static mcd_restriction_fate fate_without_value(const mcd_tags *tags, bool excepted)
{
    for (size_t i = 0; i < tags->count; ++i)
        excepted = excepted || starts_with(tags->tag[i].key, "restriction");
    return excepted ? MCD_RESTRICTION_EXCEPTED : MCD_RESTRICTION_KIND;
}

/* One value of length `length`; *fate is left if it is a ban or the only way on. */
static void read_value(const char *value, size_t length, mcd_restriction *out, mcd_restriction_fate *fate)
{
    static const struct {
        const char *value;
        mcd_restriction_turn turn;
    } known[] = {
        {"no_left_turn", MCD_RESTRICTION_LEFT},       {"only_left_turn", MCD_RESTRICTION_LEFT},
        {"no_right_turn", MCD_RESTRICTION_RIGHT},     {"only_right_turn", MCD_RESTRICTION_RIGHT},
        {"no_straight_on", MCD_RESTRICTION_STRAIGHT}, {"only_straight_on", MCD_RESTRICTION_STRAIGHT},
        {"no_u_turn", MCD_RESTRICTION_BACK},          {"only_u_turn", MCD_RESTRICTION_BACK},
        {"no_entry", MCD_RESTRICTION_ANYWHERE},       {"no_exit", MCD_RESTRICTION_ANYWHERE},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        const size_t known_length = strlen(known[i].value);
        if (length < known_length || strncmp(value, known[i].value, known_length) != 0) continue;
        out->only = *value == 'o';
        out->turn = known[i].turn;
        if (length == known_length) return;
        if (length == known_length + 7 && strncmp(value + known_length, "_on_red", 7) == 0) {
            *fate = MCD_RESTRICTION_ON_RED;
            return;
        }
    }
    *fate = MCD_RESTRICTION_KIND;
}

/* The values of a list must all be bans, or all be the only way on. */
static void read_values(const char *value, mcd_restriction *out, mcd_restriction_fate *fate)
{
    *fate = MCD_RESTRICTION_APPLIED;
    read_value(value, strcspn(value, ";"), out, fate);
    for (const char *at = strchr(value, ';'); at && *fate == MCD_RESTRICTION_APPLIED; at = strchr(at, ';')) {
        mcd_restriction other = {0};
        at += 1 + strspn(at + 1, " ");
        read_value(at, strcspn(at, ";"), &other, fate);
        if (other.only != out->only) *fate = MCD_RESTRICTION_KIND;
        if (other.turn != out->turn) out->turn = MCD_RESTRICTION_ANYWHERE;
    }
}

enum { HOURS_BYTES = 128 };

/* Adds the hours to the value, "no_left_turn @ (Mo-Fr 07:00-09:00)", that older maps have as hour_on=,
 * hour_off=, day_on= and day_off=. Returns the value without hours, or "@", which nothing reads. */
static const char *add_hours(const mcd_tags *tags, const char *value, char with_hours[HOURS_BYTES])
{
    static const char *const key[] = {"day_on", "day_off", "hour_on", "hour_off"};
    static const char *const whole[] = {"Mo", "Su", "00:00", "24:00"};
    const char *given[4], *text[4];
    bool any = false;
    for (size_t i = 0; i < 4; ++i) any = (given[i] = mcd_tags_get(tags, key[i])) || any;
    if (!any || strchr(value, '@')) return value;
    for (size_t i = 0; i < 4; ++i) {
        const bool is_hour = i > 1,
                   lacks = !given[i] || strpbrk(given[i], ";,") || (is_hour && !strchr(given[i], ':'));
        text[i] = !given[i] && !given[i ^ 1] ? whole[i] : lacks ? "?:" /* likewise */ : given[i];
    }
    const int length = snprintf(with_hours, HOURS_BYTES, "%s @ (%.2s-%.2s %.8s-%.8s)", value, text[0],
                                text[1], text[2], text[3]);
    return length < HOURS_BYTES ? with_hours : "@";
}

/* Adds what the tags say to travellers of a mode, or to all. Returns whether they say anything. */
static bool add_clauses(mcd_clauses *clauses, const mcd_tags *tags, const char *mode)
{
    char with_hours[HOURS_BYTES];
    const char *const plain = mcd_profile_restriction(clauses->profile, tags, mode, NULL);
    const char *const conditional = mcd_profile_restriction(clauses->profile, tags, mode, "conditional");
    if (plain) mcd_clauses_add(clauses, "", add_hours(tags, plain, with_hours));
    if (conditional) mcd_clauses_add(clauses, "", conditional);
    return plain || conditional;
}

/* Drops the clauses of an unknown kind, which replace no other. Returns the fate of the last one, or ..._EXCEPTED. */
static mcd_restriction_fate drop_unknown(mcd_clauses *clauses)
{
    const mcd_clause *const end = clauses->clause + clauses->count;
    mcd_restriction_fate fate, last = MCD_RESTRICTION_EXCEPTED;
    clauses->count = 0;
    for (const mcd_clause *clause = clauses->clause; clause < end; ++clause) {
        mcd_restriction read;
        read_values(clause->tag.value, &read, &fate);
        if (fate == MCD_RESTRICTION_APPLIED || strcmp(clause->tag.value, "none") == 0)
            clauses->clause[clauses->count++] = *clause;
        else
            last = fate;
    }
    return last;
}

/* Reads what the relation says to the profile: the last clause that holds is that of its most specific mode. */
static void read_clauses(mcd_clauses *clauses, const mcd_tags *tags, mcd_restriction_fate *fate)
{
    const mcd_profile *const profile = clauses->profile;
    const bool excepted = mcd_profile_is_excepted(profile, tags);
    size_t mode = 0;
    while (profile->mode[mode]) ++mode;
    bool said = !excepted && add_clauses(clauses, tags, NULL);
    while (!excepted && mode-- > 0) said = add_clauses(clauses, tags, profile->mode[mode]) || said;
    mcd_clauses_end(clauses);
    *fate = drop_unknown(clauses);
    if (!said)
        *fate = fate_without_value(tags, excepted);
    else if (clauses->count == 0 && *fate == MCD_RESTRICTION_EXCEPTED)
        *fate = clauses->unread == MCD_REPORT_CONDITIONS_ODD || clauses->unread > MCD_REPORT_CONDITIONS_SUN
                    ? MCD_RESTRICTION_CONDITION
                    : MCD_RESTRICTION_TIMES;
}

/* ---- members ---- */

/* Appends the members of `role`; how many there are of each type. */
static macadam_status append_role(mcd_restrictions *restrictions, const mcd_osm_relation *relation,
                                  const char *role, uint32_t *nodes, uint32_t *ways, uint32_t *others,
                                  macadam_error *error)
{
    *nodes = *ways = *others = 0;
    for (size_t i = 0; i < relation->member_count; ++i) {
        const mcd_osm_member *const member = &relation->member[i];
        if (strcmp(member->role, role) != 0) continue;
        ++*(member->type == 'n' ? nodes : member->type == 'w' ? ways : others);
        MCD_TRY(MCD_GROW(restrictions->member, restrictions->member_capacity, restrictions->member_count + 1,
                         error));
        restrictions->member[restrictions->member_count++] = member->id;
    }
    return MACADAM_OK;
}

/* *fits: there are the members that such a restriction has. */
static macadam_status append_members(mcd_restrictions *restrictions, const mcd_osm_relation *relation,
                                     const char *value, mcd_restriction *out, bool *fits,
                                     macadam_error *error)
{
    uint32_t nodes, ways, others;
    out->first = restrictions->member_count;
    MCD_TRY(append_role(restrictions, relation, "from", &nodes, &out->from_count, &others, error));
    *fits = nodes + others == 0 && out->from_count >= 1;
    MCD_TRY(append_role(restrictions, relation, "via", &nodes, &ways, &others, error));
    *fits = *fits && others == 0 && ((nodes <= 1 && ways == 0) || (nodes == 0 && ways <= VIAS));
    out->via_count = nodes + ways;
    out->via_ways = ways > 0;
    MCD_TRY(append_role(restrictions, relation, "to", &nodes, &out->to_count, &others, error));
    *fits = *fits && nodes + others == 0 && out->to_count >= 1;
    if (out->from_count > 1) *fits = *fits && strcmp(value, "no_entry") == 0;
    if (out->to_count > 1) *fits = *fits && strcmp(value, "no_exit") == 0;
    return MACADAM_OK;
}

/* A relation while it is read. */
typedef struct relation_reader {
    mcd_restrictions *restrictions;
    const mcd_osm_relation *relation;
    const mcd_clauses *clauses;
    mcd_restriction_fate fate; /* of what is not applied */
} relation_reader;

/* Returns the value in force; "none": there is no restriction. */
static const char *value_of(const mcd_clauses *clauses, uint32_t bits)
{
    size_t i = 0;
    while (i < clauses->count && !(bits >> i & 1)) ++i;
    return i < clauses->count ? clauses->clause[i].tag.value : "none";
}

/* Appends the restriction of a value, unless it is "none". `period`: when it holds or, with `opens`, when it does not;
 * NULL: it always holds. */
static macadam_status append_value(relation_reader *reader, const char *value, const mcd_period *period,
                                   bool opens, macadam_error *error)
{
    mcd_restrictions *const all = reader->restrictions;
    const size_t member_count = all->member_count;
    mcd_restriction added = {.id = reader->relation->id, .opens = opens};
    mcd_restriction_fate fate;
    bool fits;
    if (strcmp(value, "none") == 0) return MACADAM_OK;
    read_values(value, &added, &fate); /* its kind is known */
    MCD_TRY(append_members(all, reader->relation, value, &added, &fits, error));
    if (!fits) {
        reader->fate = MCD_RESTRICTION_MEMBERS;
        all->member_count = member_count;
        return MACADAM_OK;
    }
    if (period) {
        MCD_TRY(MCD_GROW(all->period, all->period_capacity, all->period_count + 1, error));
        all->period[all->period_count++] = *period;
        added.period = (uint32_t)all->period_count;
    }
    MCD_TRY(MCD_GROW(all->restriction, all->capacity, all->count + 1, error));
    all->restriction[all->count++] = added;
    return MACADAM_OK;
}

/* Appends the restrictions for a vehicle: for a larger one than the profile's, those that do not hold for this anyway;
 * last, for this, the one of no particular time. */
static macadam_status read_vehicle(relation_reader *reader, size_t vehicle, macadam_error *error)
{
    mcd_period period, exempt = {.guard.also = 0};
    mcd_moments moments;
    bool differs = false;
    mcd_moments_begin(&moments, reader->clauses, vehicle);
    for (uint32_t before, then; mcd_moments_next(&moments, &before, &then, &period);) {
        const char *const value = value_of(reader->clauses, then);
        if (strcmp(value, value_of(reader->clauses, before)) == 0) continue;
        mcd_weeks_unite(exempt.week, period.week);
        differs = true;
        MCD_TRY(append_value(reader, value, &period, false, error));
    }
    const char *const usual = value_of(reader->clauses, mcd_clauses_usual(reader->clauses));
    return vehicle == 0 ? append_value(reader, usual, differs ? &exempt : NULL, differs, error) : MACADAM_OK;
}

/* Lists those that are skipped. */
static void report_fate(mcd_report *report, int64_t id, mcd_restriction_fate fate)
{
    mcd_report_at(report, 'r', id);
    mcd_report_count(report, fate, fate <= MCD_RESTRICTION_LARGER);
    mcd_report_add_if(report, fate, fate > MCD_RESTRICTION_LARGER);
}

bool mcd_restrictions_want(const mcd_tags *tags)
{
    const char *const type = mcd_tags_get(tags, "type");
    return type && (strcmp(type, "restriction") == 0 || starts_with(type, "restriction:"));
}

macadam_status mcd_restrictions_add(mcd_restrictions *restrictions, mcd_report *report,
                                    const mcd_profile *profile, const mcd_osm_relation *relation,
                                    macadam_error *error)
{
    mcd_clauses clauses;
    if (!mcd_restrictions_want(&relation->tags)) return MACADAM_OK;
    const size_t count = restrictions->count;
    relation_reader reader = {.restrictions = restrictions, .relation = relation, .clauses = &clauses};
    mcd_report_at(report, 'r', relation->id);
    mcd_clauses_begin(&clauses, profile, report);
    read_clauses(&clauses, &relation->tags, &reader.fate);
    for (size_t vehicle = clauses.vehicle_count; vehicle-- > 0;)
        MCD_TRY(read_vehicle(&reader, vehicle, error));
    if (restrictions->count == count || reader.fate > MCD_RESTRICTION_LARGER)
        report_fate(report, relation->id, reader.fate);
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_restrictions_free, mcd_restrictions, it->restriction, it->member, it->period)

/* ---- arcs ---- */

/* Paths from one arc of the from way, over the via, into arcs of the to way. */
typedef struct via_search {
    const mcd_map *map;
    const mcd_segments *segments;
    way_arc *by_way; /* [by_way_count] the arcs of ways in restrictions, ascending */
    size_t by_way_count;
    mcd_watch *watch;
    const mcd_restriction *restriction;
    const int64_t *from, *via, *to;
    mcd_arc path[MCD_TURN_ARCS_MAX];
    uint64_t used[MCD_TURN_ARCS_MAX]; /* via ways along path[0 .. i], one bit each */
    int64_t met;                      /* the via node of a relation without one: where its ways meet */
    size_t steps;
    bool tangled;
    mcd_arc found[FOUND_MAX][MCD_TURN_ARCS_MAX]; /* paths */
    size_t length[FOUND_MAX], found_count;
} via_search;

MCD_DEFINE_COMPARE_TWO(compare_way_arcs, way_arc, way, arc)

static size_t slot_of(int64_t way)
{
    return (size_t)((uint64_t)way * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Lists the arcs of the ways that restrictions name, and of the few others that share a slot with one of those. */
static macadam_status index_arcs(via_search *search, const mcd_restrictions *restrictions,
                                 macadam_error *error)
{
    const mcd_map *const map = search->map;
    MCD_OWNED bool *named = NULL;
    size_t slot_count = 1, capacity = 0;
    while (slot_count < SLOTS_PER_MEMBER * restrictions->member_count) slot_count *= 2;
    MCD_TRY(MCD_NEW_ZEROED(named, slot_count, error));
    for (size_t i = 0; i < restrictions->member_count; ++i)
        named[slot_of(restrictions->member[i]) & (slot_count - 1)] = true;
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(search->watch, arc, map->arc_count, error));
        if (!named[slot_of(map->arc_way[arc]) & (slot_count - 1)]) continue;
        MCD_TRY(MCD_GROW(search->by_way, capacity, search->by_way_count + 1, error));
        search->by_way[search->by_way_count++] = (way_arc){map->arc_way[arc], arc};
    }
    return mcd_sort(search->by_way, search->by_way_count, sizeof *search->by_way, compare_way_arcs,
                    search->watch, error);
}

MCD_DEFINE_LOWER_BOUND(find_way, way_arc, .way, int64_t)

#define FOR_EACH_ARC(at, search, own_way)                                                                    \
    for (const way_arc *at =                                                                                 \
             (search)->by_way + find_way((search)->by_way, 0, (search)->by_way_count, own_way);              \
         at < (search)->by_way + (search)->by_way_count && at->way == (own_way); ++at)

static bool is_among(const int64_t *way, size_t count, int64_t wanted)
{
    for (size_t i = 0; i < count; ++i)
        if (way[i] == wanted) return true;
    return false;
}

/* ---- the paths that a restriction speaks of ---- */

/* Back along the same way is a turn of its own: the U-turn, and only that, leads into the segment that one
 * came from. */
static bool is_named_turn(const via_search *search, mcd_arc from, mcd_arc to)
{
    const mcd_map *const map = search->map;
    if (!is_among(search->to, search->restriction->to_count, map->arc_way[to])) return false;
    if (map->arc_way[from] != map->arc_way[to]) return true;
    const uint32_t *const segment = search->segments->of_arc;
    return (search->restriction->turn == MCD_RESTRICTION_BACK) == (segment[from] == segment[to]);
}

/* How many nodes at the start of the path do not include `node`; `length`: it was not visited. */
static size_t find_visit(const via_search *search, size_t length, mcd_node node)
{
    size_t i = 0;
    while (i < length && search->map->head[search->path[i]] != node) ++i;
    return i;
}

/* Whether `arc` may be the next one of the via: of a via way, to a node that the path has not visited, or
 * back to where the via begins, if the path ends there. */
static bool goes_on(via_search *search, size_t length, mcd_arc arc)
{
    const mcd_map *const map = search->map;
    const size_t visit = find_visit(search, length, map->head[arc]);
    const bool returned = length > 1 && find_visit(search, 1, map->head[search->path[length - 1]]) == 0;
    if (!search->restriction->via_ways || returned || (visit > 0 && visit < length)) return false;
    uint32_t via = 0;
    while (via < search->restriction->via_count && search->via[via] != map->arc_way[arc]) ++via;
    if (via == search->restriction->via_count) return false;
    search->tangled = search->tangled || length + 1 == MCD_TURN_ARCS_MAX;
    if (search->tangled) return false;
    search->used[length] = search->used[length - 1] | UINT64_C(1) << via;
    return true;
}

/* Finds all paths that begin with path[0 .. length). They end where they first meet the to way. */
static void follow(via_search *search, size_t length)
{
    const mcd_map *const map = search->map;
    const mcd_incidence *const out = &search->segments->out;
    const uint64_t all = (UINT64_C(1) << search->restriction->via_count) - 1;
    const mcd_arc last = search->path[length - 1];
    const mcd_arc first = out->first[map->head[last]], end = out->first[map->head[last] + 1];
    const size_t found_before = search->found_count;
    search->steps += end - first;
    search->tangled = search->tangled || search->steps > STEPS;
    for (mcd_arc at = first; at < end && !search->tangled; ++at) {
        search->path[length] = out->arc[at];
        const bool complete = !search->restriction->via_ways || search->used[length - 1] == all;
        if (!complete || !is_named_turn(search, last, out->arc[at])) continue;
        search->tangled = search->found_count == FOUND_MAX;
        if (search->tangled) return;
        memcpy(search->found[search->found_count], search->path, (length + 1) * sizeof *search->path);
        search->length[search->found_count++] = length + 1;
    }
    const bool ends = search->found_count > found_before;
    for (mcd_arc at = first; at < end && !ends; ++at) {
        search->path[length] = out->arc[at];
        if (goes_on(search, length, out->arc[at])) follow(search, length + 1);
    }
}

/* ---- which paths are meant ---- */

/* Whether the path turns to the side that the restriction speaks of. */
static bool turns_so(const via_search *search, size_t index)
{
    const mcd_arc *const path = search->found[index], last = path[search->length[index] - 1];
    const mcd_map *const map = search->map;
    const uint32_t *const segment = search->segments->of_arc;
    const double degrees = segment[path[0]] == segment[last] ? 180 : mcd_turn_degrees(map, path[0], last);
    switch (search->restriction->turn) {
    case MCD_RESTRICTION_LEFT:
        return degrees > 0;
    case MCD_RESTRICTION_RIGHT:
        return degrees < 0;
    case MCD_RESTRICTION_STRAIGHT:
        return degrees > -90 && degrees < 90;
    case MCD_RESTRICTION_BACK:
        return degrees > 90 || degrees < -90;
    default:
        return false;
    }
}

/* Whether two paths lead from one way into another by different arcs. */
static bool is_rival(const via_search *search, size_t index, size_t other)
{
    const int64_t *const way = search->map->arc_way;
    const mcd_arc *const path = search->found[index], *const its_path = search->found[other];
    const mcd_arc last = path[search->length[index] - 1], its_last = its_path[search->length[other] - 1];
    return way[path[0]] == way[its_path[0]] && way[last] == way[its_last] &&
           (path[0] != its_path[0] || last != its_last);
}

/* Whether the path is meant: it has no rival, or it is the only one to turn so; U-turns are all meant. */
static bool is_meant(const via_search *search, size_t index)
{
    bool alone = true, meant = turns_so(search, index);
    for (size_t other = 0; other < search->found_count; ++other) {
        if (!is_rival(search, index, other)) continue;
        alone = false;
        if (turns_so(search, other) && search->restriction->turn != MCD_RESTRICTION_BACK) meant = false;
    }
    return alone || meant;
}

static void keep_meant_paths(via_search *search)
{
    bool meant[FOUND_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < search->found_count; ++i) meant[i] = is_meant(search, i);
    for (size_t i = 0; i < search->found_count; ++i) {
        if (!meant[i]) continue;
        memmove(search->found[kept], search->found[i], sizeof *search->found);
        search->length[kept++] = search->length[i];
    }
    search->found_count = kept;
}

/* Whether some of a restriction's ways have arcs on the map, and whether they meet at its via node. */
typedef struct meeting {
    bool open, meets;
} meeting;

static meeting meeting_of(const via_search *search, const int64_t *way, uint32_t count)
{
    const mcd_map *const map = search->map;
    meeting out = {false, false};
    for (uint32_t i = 0; i < count; ++i) {
        FOR_EACH_ARC(at, search, way[i])
        {
            out.open = true;
            out.meets = out.meets || map->node_id[map->tail[at->arc]] == search->via[0] ||
                        map->node_id[map->head[at->arc]] == search->via[0];
        }
    }
    return out;
}

/* ---- relations without a via ---- */

/* Whether a way has an arc that begins or ends at the node. */
static bool has_node(via_search *search, int64_t way, mcd_node node)
{
    FOR_EACH_ARC(at, search, way)
    {
        search->tangled = ++search->steps > STEPS;
        if (search->tangled) break;
        if (search->map->tail[at->arc] == node || search->map->head[at->arc] == node) return true;
    }
    return false;
}

/* How many nodes, at most 2, the from way and the to way share; search->via becomes one of them. */
static size_t find_meetings(via_search *search)
{
    const mcd_map *const map = search->map;
    size_t count = 0;
    search->steps = 0;
    search->tangled = false;
    FOR_EACH_ARC(at, search, search->from[0])
    {
        const mcd_node end[] = {map->tail[at->arc], map->head[at->arc]};
        for (int i = 0; i < 2 && count < 2 && !search->tangled; ++i) {
            if ((count > 0 && map->node_id[end[i]] == search->met) ||
                !has_node(search, search->to[0], end[i]))
                continue;
            search->met = map->node_id[end[i]];
            ++count;
        }
    }
    search->via = &search->met;
    if (search->tangled || count != 1) search->met = 0; /* no node */
    return search->tangled ? 0 : count;
}

/* ---- what is forbidden ---- */

/* Whether a path found begins with path[0 .. length) and then `arc`. */
static bool is_found(const via_search *search, const mcd_arc *path, size_t length, mcd_arc arc)
{
    for (size_t i = 0; i < search->found_count; ++i) {
        const mcd_arc *const other = search->found[i];
        if (search->length[i] > length && other[length] == arc &&
            memcmp(other, path, length * sizeof *path) == 0)
            return true;
    }
    return false;
}

/* Forbids to leave the path, after each of its arcs, to where no other path found goes. */
static macadam_status forbid_leaving(const via_search *search, const mcd_arc *path, size_t length,
                                     mcd_turns *turns, macadam_error *error)
{
    const mcd_incidence *const out = &search->segments->out;
    mcd_arc left[MCD_TURN_ARCS_MAX];
    for (size_t i = 1; i < length; ++i) {
        const mcd_node node = search->map->head[path[i - 1]];
        memcpy(left, path, i * sizeof *path);
        for (mcd_arc at = out->first[node]; at < out->first[node + 1]; ++at) {
            left[i] = out->arc[at];
            if (!is_found(search, path, i, left[i])) MCD_TRY(mcd_turns_forbid(turns, left, i + 1, error));
        }
    }
    return MACADAM_OK;
}

/* Forbids what the restriction forbids; nothing if no path leads on: an only_ whose way on is not there would
 * close the road. */
static macadam_status forbid_found(const via_search *search, mcd_turns *turns, macadam_error *error)
{
    for (size_t i = 0; i < search->found_count; ++i) {
        const mcd_arc *const path = search->found[i];
        if (search->restriction->only)
            MCD_TRY(forbid_leaving(search, path, search->length[i], turns, error));
        else
            MCD_TRY(mcd_turns_forbid(turns, path, search->length[i], error));
    }
    return MACADAM_OK;
}

static void find_paths(via_search *search)
{
    const mcd_map *const map = search->map;
    search->tangled = false;
    search->steps = search->found_count = 0;
    for (uint32_t i = 0; i < search->restriction->from_count; ++i) {
        FOR_EACH_ARC(at, search, search->from[i])
        {
            search->path[0] = at->arc;
            search->used[0] = 0;
            if (search->restriction->via_ways || map->node_id[map->head[at->arc]] == search->via[0])
                follow(search, 1);
        }
    }
}

/* Why there is no path. */
static mcd_restriction_fate fate_without_path(const via_search *search)
{
    const mcd_restriction *const restriction = search->restriction;
    const uint32_t via_count = restriction->via_ways ? restriction->via_count : 0;
    const meeting from = meeting_of(search, search->from, restriction->from_count),
                  to = meeting_of(search, search->to, restriction->to_count);
    bool closed = !from.open || !to.open;
    for (uint32_t i = 0; i < via_count; ++i) closed = closed || !meeting_of(search, search->via + i, 1).open;
    if (closed) return MCD_RESTRICTION_CLOSED;
    return via_count == 0 && from.meets && to.meets ? MCD_RESTRICTION_NEEDLESS : MCD_RESTRICTION_OFF_MAP;
}

static macadam_status forbid(via_search *search, mcd_turns *turns, mcd_restriction_fate *fate,
                             macadam_error *error)
{
    if (search->restriction->via_count == 0 && find_meetings(search) != 1) {
        *fate = fate_without_path(search);
        return MACADAM_OK;
    }
    find_paths(search);
    *fate = MCD_RESTRICTION_TANGLED;
    if (search->tangled) return MACADAM_OK;
    *fate = search->found_count == 0 ? fate_without_path(search) : MCD_RESTRICTION_AMBIGUOUS;
    keep_meant_paths(search);
    if (search->found_count > 0) *fate = MCD_RESTRICTION_APPLIED;
    return forbid_found(search, turns, error);
}

static bool is_for_larger(const mcd_period *period)
{
    uint32_t above = 0;
    for (int limit = 0; limit < MCD_LIMITS; ++limit) above |= period->guard.above[limit];
    return above > 0;
}

static macadam_status forbid_all(const mcd_restrictions *restrictions, mcd_report *report, mcd_map *map,
                                 via_search *search, mcd_turns *turns, macadam_error *error)
{
    for (size_t i = 0; i < restrictions->count; ++i) {
        const mcd_restriction *const restriction = &restrictions->restriction[i];
        mcd_restriction_fate fate;
        MCD_TRY(mcd_watch_step(search->watch, i, restrictions->count, error));
        search->restriction = restriction;
        search->from = restrictions->member + restriction->first;
        search->via = search->from + restriction->from_count;
        search->to = search->via + restriction->via_count;
        const mcd_period *const period =
            restriction->period ? &restrictions->period[restriction->period - 1] : NULL;
        if (period)
            MCD_TRY(mcd_turns_time(turns, map, period, restriction->opens ? MCD_WHEN_OPENS : 0, error));
        MCD_TRY(forbid(search, turns, &fate, error));
        turns->when = 0;
        if (fate == MCD_RESTRICTION_APPLIED && period && !restriction->opens)
            fate = is_for_larger(period) ? MCD_RESTRICTION_LARGER : MCD_RESTRICTION_TIMED;
        const bool last = i + 1 == restrictions->count || restriction[1].id != restriction->id;
        if (last) report_fate(report, restriction->id, fate);
    }
    return MACADAM_OK;
}

static void free_search(via_search **search)
{
    if (*search) mcd_free((*search)->by_way);
    mcd_free(*search);
}

macadam_status mcd_restrictions_forbid(const mcd_restrictions *restrictions, mcd_report *report, mcd_map *map,
                                       const mcd_segments *segments, mcd_turns *turns, mcd_watch *watch,
                                       macadam_error *error)
{
    if (restrictions->count == 0) return MACADAM_OK;
    MCD_FREED_BY(free_search) via_search *search = NULL;
    MCD_TRY(MCD_NEW_ZEROED(search, 1, error));
    search->map = map;
    search->segments = segments;
    search->watch = watch;
    MCD_TRY(index_arcs(search, restrictions, error));
    return forbid_all(restrictions, report, map, search, turns, error);
}
