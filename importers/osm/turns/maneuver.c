/* maneuver.c - see maneuver.h. (https://wiki.openstreetmap.org/wiki/Relation:maneuver) */
#include "importers/osm/turns/maneuver.h"
#include "engine/base/grow.h"

#include <stdlib.h>

bool mcd_maneuvers_want(const mcd_tags *tags)
{
    return mcd_tags_has(tags, "type", "maneuver") || mcd_tags_has(tags, "type", "manoeuvre");
}

/* Returns whether a tag says a word of the API, whose blanks tags write as underscores. */
static bool says(const char *tag, const char *word)
{
    for (; *tag && *word; ++tag, ++word)
        if (*tag != *word && !(*tag == '_' && *word == ' ')) return false;
    return *tag == *word;
}

/* Reads the type and the direction. Returns whether they are known. */
static bool read_words(mcd_relation *out, const mcd_tags *tags)
{
    const char *type = mcd_tags_get(tags, "manoeuvre"), *direction = mcd_tags_get(tags, "direction");
    if (!type) type = mcd_tags_get(tags, "maneuver");
    if (!type) return false;
    if (says(type, "uturn")) direction = type, type = "turn";
    if (says(type, "suppress")) out->type = MCD_RELATION_SUPPRESS;
    for (int known = MACADAM_MANEUVER_TURN; known <= MACADAM_MANEUVER_END_OF_ROAD; ++known)
        if (says(type, macadam_maneuver_type_name((macadam_maneuver_type)known))) out->type = known;
    for (int known = MACADAM_MODIFIER_UTURN; direction && known <= MACADAM_MODIFIER_SHARP_LEFT; ++known)
        if (says(direction, macadam_modifier_name((macadam_modifier)known))) out->modifier = known;
    return out->type != 0 && (!direction || out->modifier != MACADAM_MODIFIER_NONE);
}

/* Reads the from way, the ways over which it leads in their order, the to way and the node. Returns whether there are these
 * and no others. */
static bool read_members(mcd_relation *out, const mcd_osm_relation *relation)
{
    static const char *const role[] = {"from", "via", "to"};
    size_t ways = 0, of_role[3] = {0}, nodes = 0;
    for (size_t r = 0; r < 3; ++r)
        for (size_t i = 0; i < relation->member_count; ++i) {
            const mcd_osm_member *const member = &relation->member[i];
            if (strcmp(member->role, role[r]) != 0) continue;
            if (member->id == 0) return false; /* it would end the list of ways */
            if (member->type == 'n' && r == 1)
                out->node = member->id, ++nodes;
            else if (member->type != 'w' || ways == MCD_RELATION_WAYS)
                return false;
            else
                out->way[ways++] = member->id, ++of_role[r];
        }
    return nodes == 1 && of_role[0] == 1 && of_role[2] == 1;
}

macadam_status mcd_maneuvers_add(mcd_maneuvers *maneuvers, mcd_report *report,
                                 const mcd_osm_relation *relation, macadam_error *error)
{
    mcd_relation added = {.node = 0};
    if (!mcd_maneuvers_want(&relation->tags)) return MACADAM_OK;
    mcd_report_at(report, 'r', relation->id);
    const bool is_known = read_words(&added, &relation->tags) && read_members(&added, relation);
    mcd_report_add_if(report, MCD_REPORT_ODD_MANEUVERS, !is_known);
    if (!is_known) return MACADAM_OK;
    mcd_report_count(report, MCD_REPORT_MANEUVERS, 1);
    MCD_TRY(MCD_GROW(maneuvers->relation, maneuvers->capacity, maneuvers->count + 1, error));
    maneuvers->relation[maneuvers->count++] = added;
    return MACADAM_OK;
}

static int compare(const void *a, const void *b)
{
    const mcd_relation *const x = a, *const y = b;
    return x->way[0] != y->way[0] ? (x->way[0] > y->way[0]) - (x->way[0] < y->way[0])
                                  : memcmp(x, y, sizeof *x);
}

void mcd_maneuvers_move(mcd_maneuvers *maneuvers, mcd_map *map)
{
    if (maneuvers->count == 0) return;
    qsort(maneuvers->relation, maneuvers->count, sizeof *maneuvers->relation, compare);
    MCD_MOVE(map->maneuver, maneuvers->relation);
    map->maneuver_count = maneuvers->count;
}
