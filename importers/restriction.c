/* restriction.c - see restriction.h. (https://wiki.openstreetmap.org/wiki/Relation:restriction) */
#include "importers/restriction.h"
#include "importers/grow.h"
#include "importers/incidence.h"
#include "engine/memory.h"

/* ---- relations ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Why the profile has nothing to do with a relation that has no restriction tag for it. */
static mcd_restriction_fate fate_without_value(const mcd_tags *tags, bool excepted)
{
    if (excepted) return MCD_RESTRICTION_EXCEPTED;
    for (size_t i = 0; i < tags->count; ++i)
        if (starts_with(tags->tag[i].key, "restriction") && strstr(tags->tag[i].key, ":conditional"))
            return MCD_RESTRICTION_CONDITION;
    for (size_t i = 0; i < tags->count; ++i)
        if (starts_with(tags->tag[i].key, "restriction:")) return MCD_RESTRICTION_EXCEPTED;
    return MCD_RESTRICTION_KIND;
}

/* The member of `role` into *id; a second one or another type is a reason to pass the relation over. */
static mcd_restriction_fate find_member(const mcd_osm_relation *relation, const char *role, char type,
                                        int64_t *id)
{
    size_t found = 0;
    for (size_t i = 0; i < relation->member_count; ++i) {
        const mcd_osm_member *const member = &relation->member[i];
        if (strcmp(member->role, role) != 0) continue;
        if (type == 'n' && member->type == 'w') return MCD_RESTRICTION_VIA_WAY;
        if (member->type != type) return MCD_RESTRICTION_MEMBERS;
        *id = member->id;
        ++found;
    }
    return found == 1 ? MCD_RESTRICTION_APPLIED : MCD_RESTRICTION_MEMBERS;
}

/* MCD_RESTRICTION_APPLIED: `out` is complete, and the map decides. */
static mcd_restriction_fate read_relation(const mcd_profile *profile, const mcd_osm_relation *relation,
                                          mcd_restriction *out)
{
    bool excepted;
    const char *const value = mcd_profile_restriction(profile, &relation->tags, &excepted);
    if (!value) return fate_without_value(&relation->tags, excepted);
    out->only = starts_with(value, "only_");
    out->u_turn = strcmp(value + strcspn(value, "_"), "_u_turn") == 0;
    if (!out->only && !starts_with(value, "no_")) return MCD_RESTRICTION_KIND;
    mcd_restriction_fate fate = find_member(relation, "via", 'n', &out->via);
    if (fate == MCD_RESTRICTION_APPLIED) fate = find_member(relation, "from", 'w', &out->from);
    if (fate == MCD_RESTRICTION_APPLIED) fate = find_member(relation, "to", 'w', &out->to);
    return fate;
}

macadam_status mcd_restrictions_add(mcd_restrictions *restrictions, const mcd_profile *profile,
                                    const mcd_osm_relation *relation, macadam_error *error)
{
    const char *const type = mcd_tags_get(&relation->tags, "type");
    if (!type || strcmp(type, "restriction") != 0) return MACADAM_OK;
    mcd_restriction added = {0};
    const mcd_restriction_fate fate = read_relation(profile, relation, &added);
    if (fate != MCD_RESTRICTION_APPLIED) {
        ++restrictions->fate_count[fate];
        return MACADAM_OK;
    }
    MCD_TRY(MCD_GROW(restrictions->restriction, restrictions->capacity, restrictions->count + 1, error));
    restrictions->restriction[restrictions->count++] = added;
    return MACADAM_OK;
}

void mcd_restrictions_free(mcd_restrictions *restrictions)
{
    mcd_free(restrictions->restriction);
    *restrictions = (mcd_restrictions){0};
}

/* ---- turns ---- */

/* The map's arcs by node. */
typedef struct arcs_by_node {
    const mcd_map *map;
    const mcd_segments *segments;
    mcd_incidence in, out;
} arcs_by_node;

/* Whether the restriction speaks of the turn from an arc of its from way into `to`. Back along the same way
 * is a turn of its own: the U-turn, and only that, leads into the segment that one came from. */
static bool names_turn(const arcs_by_node *arcs, const mcd_restriction *restriction, mcd_arc from, mcd_arc to)
{
    if (arcs->map->arc_way[to] != restriction->to) return false;
    if (restriction->from != restriction->to) return true;
    return restriction->u_turn == (arcs->segments->of_arc[from] == arcs->segments->of_arc[to]);
}

/* Forbids what the restriction forbids after `from`, which arrives at its node; *applied if it speaks of any
 * turn. */
static macadam_status forbid_after(const arcs_by_node *arcs, const mcd_restriction *restriction, mcd_node via,
                                   mcd_arc from, mcd_turns *turns, bool *applied, macadam_error *error)
{
    bool named = false;
    for (mcd_arc at = arcs->out.first[via]; at < arcs->out.first[via + 1]; ++at)
        named = named || names_turn(arcs, restriction, from, arcs->out.arc[at]);
    if (!named) return MACADAM_OK; /* an only_ whose way on is not there would close the road */
    *applied = true;
    for (mcd_arc at = arcs->out.first[via]; at < arcs->out.first[via + 1]; ++at)
        if (names_turn(arcs, restriction, from, arcs->out.arc[at]) != restriction->only)
            MCD_TRY(mcd_turns_forbid(turns, (const mcd_arc[]){from, arcs->out.arc[at]}, 2, error));
    return MACADAM_OK;
}

static macadam_status forbid(const arcs_by_node *arcs, const mcd_restriction *restriction, mcd_turns *turns,
                             bool *applied, macadam_error *error)
{
    *applied = false;
    const mcd_map *const map = arcs->map;
    const size_t index = mcd_map_find_id(map, restriction->via);
    if (index == map->id_count) return MACADAM_OK;
    const mcd_node via = map->depart[index];
    for (mcd_arc at = arcs->in.first[via]; at < arcs->in.first[via + 1]; ++at) {
        const mcd_arc from = arcs->in.arc[at];
        if (map->arc_way[from] == restriction->from)
            MCD_TRY(forbid_after(arcs, restriction, via, from, turns, applied, error));
    }
    return MACADAM_OK;
}

static macadam_status forbid_all(mcd_restrictions *restrictions, const arcs_by_node *arcs, mcd_turns *turns,
                                 macadam_error *error)
{
    for (size_t i = 0; i < restrictions->count; ++i) {
        bool applied;
        MCD_TRY(forbid(arcs, &restrictions->restriction[i], turns, &applied, error));
        ++restrictions->fate_count[applied ? MCD_RESTRICTION_APPLIED : MCD_RESTRICTION_OFF_MAP];
    }
    return MACADAM_OK;
}

macadam_status mcd_restrictions_forbid(mcd_restrictions *restrictions, const mcd_map *map,
                                       const mcd_segments *segments, mcd_turns *turns, macadam_error *error)
{
    arcs_by_node arcs = {.map = map, .segments = segments};
    macadam_status status = mcd_incidence_new(&arcs.in, map->node_count, map->head, map->arc_count, error);
    if (status == MACADAM_OK)
        status = mcd_incidence_new(&arcs.out, map->node_count, map->tail, map->arc_count, error);
    if (status == MACADAM_OK) status = forbid_all(restrictions, &arcs, turns, error);
    mcd_incidence_free(&arcs.in);
    mcd_incidence_free(&arcs.out);
    return status;
}
