/* restriction.c - see restriction.h. (https://wiki.openstreetmap.org/wiki/Relation:restriction) */
#include "importers/osm/restriction.h"
#include "importers/grow.h"
#include "importers/osm/incidence.h"
#include "engine/base/memory.h"

#include <stdlib.h>

enum {
    VIAS = 32,      /* ways of a via */
    STEPS = 65536,  /* arcs that the search for the paths of one restriction looks at */
    FOUND_MAX = 64, /* of its paths after one arc: there are one or two, unless the ways are a tangle */
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
    if (excepted || mcd_tags_get(tags, "restriction")) return MCD_RESTRICTION_EXCEPTED;
    for (size_t i = 0; i < tags->count; ++i)
        if (starts_with(tags->tag[i].key, "restriction") && strstr(tags->tag[i].key, ":conditional"))
            return MCD_RESTRICTION_CONDITION;
    for (size_t i = 0; i < tags->count; ++i)
        if (starts_with(tags->tag[i].key, "restriction:")) return MCD_RESTRICTION_EXCEPTED;
    return MCD_RESTRICTION_KIND;
}

/* ---- members ---- */

static macadam_status append_member(mcd_restrictions *restrictions, int64_t id, macadam_error *error)
{
    MCD_TRY(
        MCD_GROW(restrictions->member, restrictions->member_capacity, restrictions->member_count + 1, error));
    restrictions->member[restrictions->member_count++] = id;
    return MACADAM_OK;
}

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
        MCD_TRY(append_member(restrictions, member->id, error));
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
    *fits = *fits && others == 0 && ((nodes == 1 && ways == 0) || (nodes == 0 && ways >= 1 && ways <= VIAS));
    out->via_count = nodes + ways;
    out->via_ways = ways > 0;
    MCD_TRY(append_role(restrictions, relation, "to", &nodes, &out->to_count, &others, error));
    *fits = *fits && nodes + others == 0 && out->to_count >= 1;
    if (out->from_count > 1) *fits = *fits && strcmp(value, "no_entry") == 0;
    if (out->to_count > 1) *fits = *fits && strcmp(value, "no_exit") == 0;
    return MACADAM_OK;
}

/* MCD_RESTRICTION_APPLIED: the map decides. */
static macadam_status read_relation(mcd_restrictions *restrictions, const mcd_profile *profile,
                                    const mcd_osm_relation *relation, mcd_restriction *out,
                                    mcd_restriction_fate *fate, macadam_error *error)
{
    bool excepted, fits;
    const char *const value = mcd_profile_restriction(profile, &relation->tags, &excepted);
    *fate = MCD_RESTRICTION_KIND;
    if (!value) *fate = fate_without_value(&relation->tags, excepted);
    if (!value || (!starts_with(value, "only_") && !starts_with(value, "no_"))) return MACADAM_OK;
    out->only = starts_with(value, "only_");
    out->u_turn = strcmp(value + strcspn(value, "_"), "_u_turn") == 0;
    MCD_TRY(append_members(restrictions, relation, value, out, &fits, error));
    *fate = fits ? MCD_RESTRICTION_APPLIED : MCD_RESTRICTION_MEMBERS;
    return MACADAM_OK;
}

macadam_status mcd_restrictions_add(mcd_restrictions *restrictions, const mcd_profile *profile,
                                    const mcd_osm_relation *relation, macadam_error *error)
{
    const char *const type = mcd_tags_get(&relation->tags, "type");
    if (!type || (strcmp(type, "restriction") != 0 && !starts_with(type, "restriction:"))) return MACADAM_OK;
    const size_t member_count = restrictions->member_count;
    mcd_restriction added = {0};
    mcd_restriction_fate fate;
    MCD_TRY(read_relation(restrictions, profile, relation, &added, &fate, error));
    if (fate != MCD_RESTRICTION_APPLIED) {
        ++restrictions->fate_count[fate];
        restrictions->member_count = member_count;
        return MACADAM_OK;
    }
    MCD_TRY(MCD_GROW(restrictions->restriction, restrictions->capacity, restrictions->count + 1, error));
    restrictions->restriction[restrictions->count++] = added;
    return MACADAM_OK;
}

macadam_status mcd_restrictions_append(mcd_restrictions *restrictions, mcd_restrictions *part,
                                       macadam_error *error)
{
    const size_t count = restrictions->count + part->count, first = restrictions->member_count;
    MCD_TRY(MCD_GROW(restrictions->restriction, restrictions->capacity, count, error));
    for (size_t i = 0; i < part->member_count; ++i)
        MCD_TRY(append_member(restrictions, part->member[i], error));
    for (size_t i = 0; i < part->count; ++i) {
        mcd_restriction *const added = &restrictions->restriction[restrictions->count++];
        *added = part->restriction[i];
        added->first += first;
    }
    for (size_t fate = 0; fate < MCD_RESTRICTION_FATES; ++fate) {
        restrictions->fate_count[fate] += part->fate_count[fate];
        part->fate_count[fate] = 0;
    }
    part->count = part->member_count = 0;
    return MACADAM_OK;
}

void mcd_restrictions_free(mcd_restrictions *restrictions)
{
    mcd_free(restrictions->restriction);
    mcd_free(restrictions->member);
    *restrictions = (mcd_restrictions){0};
}

/* ---- arcs ---- */

/* The map's arcs by node and by way. */
typedef struct map_arcs {
    const mcd_map *map;
    const mcd_segments *segments;
    mcd_incidence out;
    way_arc *by_way; /* [arc_count] ascending */
} map_arcs;

static int compare_way_arcs(const void *a, const void *b)
{
    const way_arc *const x = a, *const y = b;
    return x->way != y->way ? (x->way > y->way) - (x->way < y->way) : (x->arc > y->arc) - (x->arc < y->arc);
}

static macadam_status index_arcs(map_arcs *arcs, macadam_error *error)
{
    const mcd_map *const map = arcs->map;
    MCD_TRY(mcd_incidence_new(&arcs->out, map->node_count, map->tail, map->arc_count, error));
    MCD_TRY(MCD_NEW(arcs->by_way, map->arc_count, error));
    bool ascending = true; /* as ways do in most files */
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) {
        arcs->by_way[arc] = (way_arc){map->arc_way[arc], arc};
        ascending = ascending && (arc == 0 || map->arc_way[arc - 1] <= map->arc_way[arc]);
    }
    if (!ascending) qsort(arcs->by_way, map->arc_count, sizeof *arcs->by_way, compare_way_arcs);
    return MACADAM_OK;
}

/* Where the way's arcs begin in by_way. */
static size_t first_of_way(const map_arcs *arcs, int64_t way)
{
    size_t first = 0, last = arcs->map->arc_count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (arcs->by_way[middle].way < way)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static bool is_among(const int64_t *way, size_t count, int64_t wanted)
{
    for (size_t i = 0; i < count; ++i)
        if (way[i] == wanted) return true;
    return false;
}

/* ---- the paths that a restriction speaks of ---- */

/* Paths from one arc of the from way, over the via, into arcs of the to way. */
typedef struct via_search {
    const map_arcs *arcs;
    const mcd_restriction *restriction;
    const int64_t *from, *via, *to;
    mcd_arc path[MCD_TURN_ARCS_MAX];
    uint64_t used[MCD_TURN_ARCS_MAX]; /* via ways along path[0 .. i], one bit each */
    size_t steps;
    bool tangled;
    mcd_arc *found; /* paths of MCD_TURN_ARCS_MAX arcs each */
    size_t *length; /* [found_count] */
    size_t found_count, found_capacity, length_capacity;
} via_search;

static macadam_status keep_path(via_search *search, size_t length, macadam_error *error)
{
    const size_t first = search->found_count * MCD_TURN_ARCS_MAX;
    MCD_TRY(MCD_GROW(search->found, search->found_capacity, first + MCD_TURN_ARCS_MAX, error));
    MCD_TRY(MCD_GROW(search->length, search->length_capacity, search->found_count + 1, error));
    memcpy(search->found + first, search->path, length * sizeof *search->path);
    search->length[search->found_count++] = length;
    return MACADAM_OK;
}

/* Back along the same way is a turn of its own: the U-turn, and only that, leads into the segment that one
 * came from. */
static bool is_named_turn(const via_search *search, mcd_arc from, mcd_arc to)
{
    const mcd_map *const map = search->arcs->map;
    if (!is_among(search->to, search->restriction->to_count, map->arc_way[to])) return false;
    if (map->arc_way[from] != map->arc_way[to]) return true;
    const uint32_t *const segment = search->arcs->segments->of_arc;
    return search->restriction->u_turn == (segment[from] == segment[to]);
}

static bool visits(const via_search *search, size_t length, mcd_node node)
{
    for (size_t i = 0; i < length; ++i)
        if (search->arcs->map->head[search->path[i]] == node) return true;
    return false;
}

/* Whether `arc` may be the next one of the via: of a via way, to a node that the path has not visited. */
static bool goes_on(via_search *search, size_t length, mcd_arc arc)
{
    const mcd_map *const map = search->arcs->map;
    if (!search->restriction->via_ways || visits(search, length, map->head[arc])) return false;
    uint32_t via = 0;
    while (via < search->restriction->via_count && search->via[via] != map->arc_way[arc]) ++via;
    if (via == search->restriction->via_count) return false;
    search->tangled = search->tangled || length + 1 == MCD_TURN_ARCS_MAX;
    if (search->tangled) return false;
    search->used[length] = search->used[length - 1] | UINT64_C(1) << via;
    return true;
}

/* Finds all paths that begin with path[0 .. length). They end where they first meet the to way. */
static macadam_status follow(via_search *search, size_t length, macadam_error *error)
{
    const mcd_map *const map = search->arcs->map;
    const mcd_incidence *const out = &search->arcs->out;
    const uint64_t all = (UINT64_C(1) << search->restriction->via_count) - 1;
    const mcd_arc last = search->path[length - 1];
    const mcd_arc first = out->first[map->head[last]], end = out->first[map->head[last] + 1];
    const size_t found_before = search->found_count;
    search->steps += end - first;
    search->tangled = search->tangled || search->steps > STEPS || found_before > FOUND_MAX;
    for (mcd_arc at = first; at < end && !search->tangled; ++at) {
        search->path[length] = out->arc[at];
        const bool complete = !search->restriction->via_ways || search->used[length - 1] == all;
        if (complete && is_named_turn(search, last, out->arc[at]))
            MCD_TRY(keep_path(search, length + 1, error));
    }
    const bool ends = search->found_count > found_before;
    for (mcd_arc at = first; at < end && !ends; ++at) {
        search->path[length] = out->arc[at];
        if (goes_on(search, length, out->arc[at])) MCD_TRY(follow(search, length + 1, error));
    }
    return MACADAM_OK;
}

/* ---- what is forbidden ---- */

/* Whether a path found begins with path[0 .. length) and then `arc`. */
static bool is_found(const via_search *search, const mcd_arc *path, size_t length, mcd_arc arc)
{
    for (size_t i = 0; i < search->found_count; ++i) {
        const mcd_arc *const other = search->found + i * MCD_TURN_ARCS_MAX;
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
    const mcd_incidence *const out = &search->arcs->out;
    mcd_arc left[MCD_TURN_ARCS_MAX];
    for (size_t i = 1; i < length; ++i) {
        const mcd_node node = search->arcs->map->head[path[i - 1]];
        memcpy(left, path, i * sizeof *path);
        for (mcd_arc at = out->first[node]; at < out->first[node + 1]; ++at) {
            left[i] = out->arc[at];
            if (!is_found(search, path, i, left[i])) MCD_TRY(mcd_turns_forbid(turns, left, i + 1, error));
        }
    }
    return MACADAM_OK;
}

/* Forbids what the restriction forbids after `from`; nothing if no path leads on: an only_ whose way on is
 * not there would close the road. */
static macadam_status forbid_after(via_search *search, mcd_arc from, mcd_turns *turns, bool *applied,
                                   macadam_error *error)
{
    search->path[0] = from;
    search->used[0] = 0;
    search->found_count = 0;
    MCD_TRY(follow(search, 1, error));
    if (search->tangled) return MACADAM_OK;
    for (size_t i = 0; i < search->found_count; ++i) {
        const mcd_arc *const path = search->found + i * MCD_TURN_ARCS_MAX;
        if (search->restriction->only)
            MCD_TRY(forbid_leaving(search, path, search->length[i], turns, error));
        else
            MCD_TRY(mcd_turns_forbid(turns, path, search->length[i], error));
    }
    *applied = *applied || search->found_count > 0;
    return MACADAM_OK;
}

static macadam_status forbid(via_search *search, mcd_turns *turns, mcd_restriction_fate *fate,
                             macadam_error *error)
{
    const map_arcs *const arcs = search->arcs;
    const mcd_map *const map = arcs->map;
    bool applied = false;
    search->tangled = false;
    search->steps = 0;
    for (uint32_t i = 0; i < search->restriction->from_count; ++i)
        for (size_t at = first_of_way(arcs, search->from[i]);
             at < map->arc_count && arcs->by_way[at].way == search->from[i] && !search->tangled; ++at) {
            const mcd_arc from = arcs->by_way[at].arc;
            if (search->restriction->via_ways || map->node_id[map->head[from]] == search->via[0])
                MCD_TRY(forbid_after(search, from, turns, &applied, error));
        }
    *fate = search->tangled ? MCD_RESTRICTION_TANGLED
            : applied       ? MCD_RESTRICTION_APPLIED
                            : MCD_RESTRICTION_OFF_MAP;
    return MACADAM_OK;
}

static macadam_status forbid_all(mcd_restrictions *restrictions, via_search *search, mcd_turns *turns,
                                 macadam_error *error)
{
    for (size_t i = 0; i < restrictions->count; ++i) {
        const mcd_restriction *const restriction = &restrictions->restriction[i];
        mcd_restriction_fate fate;
        search->restriction = restriction;
        search->from = restrictions->member + restriction->first;
        search->via = search->from + restriction->from_count;
        search->to = search->via + restriction->via_count;
        MCD_TRY(forbid(search, turns, &fate, error));
        ++restrictions->fate_count[fate];
    }
    return MACADAM_OK;
}

macadam_status mcd_restrictions_forbid(mcd_restrictions *restrictions, const mcd_map *map,
                                       const mcd_segments *segments, mcd_turns *turns, macadam_error *error)
{
    if (restrictions->count == 0) return MACADAM_OK;
    map_arcs arcs = {.map = map, .segments = segments};
    via_search search = {.arcs = &arcs};
    macadam_status status = index_arcs(&arcs, error);
    if (status == MACADAM_OK) status = forbid_all(restrictions, &search, turns, error);
    mcd_incidence_free(&arcs.out);
    mcd_free(arcs.by_way);
    mcd_free(search.found);
    mcd_free(search.length);
    return status;
}
