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

/* Names that are new come in the order of their first ways. */
static macadam_status move_names(mcd_ways *ways, const mcd_names *names, macadam_error *error)
{
    MCD_TRY(MCD_GROW(ways->moved, ways->moved_capacity, names->bytes, error));
    for (size_t offset = 0; offset < names->bytes; offset += strlen(names->text + offset) + 1)
        MCD_TRY(mcd_names_add(&ways->names, names->text + offset, &ways->moved[offset], error));
    return MACADAM_OK;
}

static void clear(mcd_ways *ways)
{
    ways->count = ways->ref_count = 0;
    mcd_names_clear(&ways->names);
    memset(ways->use_count, 0, sizeof ways->use_count);
    ways->odd_speed_count = ways->conditional_count = ways->for_ends_count = 0;
}

macadam_status mcd_ways_append(mcd_ways *ways, mcd_ways *part, macadam_error *error)
{
    MCD_TRY(move_names(ways, &part->names, error));
    MCD_TRY(MCD_GROW(ways->ref, ways->ref_capacity, ways->ref_count + part->ref_count, error));
    MCD_TRY(MCD_GROW(ways->way, ways->capacity, ways->count + part->count + 1, error));
    if (part->ref_count) memcpy(ways->ref + ways->ref_count, part->ref, part->ref_count * sizeof *part->ref);
    for (size_t i = 0; i < part->count; ++i) {
        mcd_way *const added = &ways->way[ways->count++];
        *added = part->way[i];
        added->first_ref += ways->ref_count;
        added->name = ways->moved[added->name];
    }
    ways->ref_count += part->ref_count;
    ways->way[ways->count] = (mcd_way){.first_ref = ways->ref_count};
    for (size_t use = 0; use < MCD_WAY_USES; ++use) ways->use_count[use] += part->use_count[use];
    ways->odd_speed_count += part->odd_speed_count;
    ways->conditional_count += part->conditional_count;
    ways->for_ends_count += part->for_ends_count;
    clear(part);
    return MACADAM_OK;
}

void mcd_ways_free(mcd_ways *ways)
{
    mcd_free(ways->moved);
    mcd_free(ways->way);
    mcd_free(ways->ref);
    mcd_names_free(&ways->names);
    *ways = (mcd_ways){0};
}
