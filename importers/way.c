/* way.c - see way.h. */
#include "importers/way.h"
#include "importers/grow.h"
#include "engine/memory.h"

static const char *name_of(const mcd_tags *tags)
{
    const char *name = mcd_tags_get(tags, "name");
    if (!name) name = mcd_tags_get(tags, "ref");
    return name ? name : "";
}

static macadam_status append_refs(mcd_ways *ways, const mcd_osm_way *way, macadam_error *error)
{
    MCD_TRY(MCD_GROW(ways->ref, ways->ref_capacity, ways->ref_count + way->node_count, error));
    for (size_t i = 0; i < way->node_count; ++i)
        if (i == 0 || way->node[i] != way->node[i - 1]) ways->ref[ways->ref_count++] = way->node[i];
    return MACADAM_OK;
}

macadam_status mcd_ways_add(mcd_ways *ways, const mcd_profile *profile, const mcd_osm_way *way,
                            macadam_error *error)
{
    mcd_way added = {.id = way->id, .first_ref = ways->ref_count};
    const mcd_way_use use = mcd_profile_way(profile, &way->tags, &added.passage);
    ++ways->use_count[use];
    if (use != MCD_WAY_OPEN) return MACADAM_OK;
    ways->odd_speed_count += added.passage.odd_speed;
    ways->for_ends_count += added.passage.for_ends[MCD_FORWARD] || added.passage.for_ends[MCD_BACKWARD];
    ways->conditional_count += mcd_tags_have_conditions(&way->tags);
    MCD_TRY(mcd_names_add(&ways->names, name_of(&way->tags), &added.name, error));
    MCD_TRY(append_refs(ways, way, error));
    MCD_TRY(MCD_GROW(ways->way, ways->capacity, ways->count + 2, error));
    ways->way[ways->count++] = added;
    ways->way[ways->count] = (mcd_way){.first_ref = ways->ref_count};
    return MACADAM_OK;
}

void mcd_ways_free(mcd_ways *ways)
{
    mcd_free(ways->way);
    mcd_free(ways->ref);
    mcd_names_free(&ways->names);
    *ways = (mcd_ways){0};
}
