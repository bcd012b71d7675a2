/* relations.c - instructions as maneuver relations have them, where the route passes their ways: see guide.h. */
#include "engine/guide/guide.h"

static int64_t way_of(const mcd_guide *guide, size_t i)
{
    return mcd_arc_way(guide->source.roads->facts, guide->arc[i].arc);
}

/* Returns the number of the first arc of the relation's last way, where the route goes over all of its ways from arc
 * number i on, which is the first of the second way; or 0. */
static size_t follow(const mcd_guide *guide, const mcd_relation *relation, size_t i)
{
    for (size_t way = 1; i < guide->arc_count && way_of(guide, i) == relation->way[way]; ++way) {
        if (way + 1 == MCD_RELATION_WAYS || relation->way[way + 1] == 0) return i;
        while (i < guide->arc_count && way_of(guide, i) == relation->way[way]) ++i;
    }
    return 0;
}

/* Where an instruction is suppressed, the one before names the road that follows. */
static void apply(const mcd_relation *relation, mcd_guide *guide, size_t i)
{
    mcd_maneuver *const maneuver = &guide->maneuver[i];
    size_t before = i - 1;
    while (!guide->maneuver[before].told) --before;
    if (maneuver->junction.count <= 2) return; /* the profile has no choice */
    if (relation->modifier != MACADAM_MODIFIER_NONE)
        maneuver->modifier = (macadam_modifier)relation->modifier;
    else if (!maneuver->told)
        maneuver->modifier = mcd_guide_modifier(mcd_turn(maneuver->junction.before, maneuver->after));
    maneuver->told = relation->type != MCD_RELATION_SUPPRESS;
    if (maneuver->told) maneuver->type = (macadam_maneuver_type)relation->type;
    maneuver->is_said = maneuver->told;
    if (!maneuver->told && before > 0) guide->maneuver[before].kind = maneuver->kind;
}

MCD_DEFINE_LOWER_BOUND(find_way, mcd_relation, .way[0], int64_t)

void mcd_guide_relations(mcd_guide *guide)
{
    const mcd_roads *const roads = guide->source.roads;
    const size_t count = roads->facts->maneuver_count;
    const mcd_relation *const all = roads->facts->maneuver;
    for (size_t i = 1; count && i < guide->arc_count; ++i) {
        const int64_t from = way_of(guide, i - 1);
        for (size_t r = find_way(all, 0, count, from); r < count && all[r].way[0] == from; ++r) {
            const size_t last = follow(guide, &all[r], i);
            for (size_t k = i; k <= last; ++k)
                if (roads->places->id[roads->places->node_place[guide->arc[k - 1].head]] == all[r].node)
                    apply(&all[r], guide, k);
        }
    }
}
