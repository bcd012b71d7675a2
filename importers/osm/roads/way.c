/* way.c - see way.h. */
#include "importers/osm/roads/way.h"
#include "engine/base/grow.h"

static macadam_status append_refs(mcd_ways *ways, const int64_t *node, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_GROW(ways->ref, ways->ref_capacity, ways->ref_count + count, error));
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || node[i] != node[i - 1]) ways->ref[ways->ref_count++] = node[i];
    return MACADAM_OK;
}

macadam_status mcd_ways_append(mcd_ways *ways, const mcd_way *added, const mcd_tags *tags,
                               const mcd_profile *profile, const mcd_kind_limits *limits, const int64_t *node,
                               size_t node_count, macadam_error *error)
{
    mcd_kind kind[MCD_DIRECTIONS];
    mcd_way way = *added;
    way.first_ref = ways->ref_count;
    MCD_TRY(mcd_kinds_read(kind, &ways->names, tags, profile, &way.passage, error));
    const char *const said = mcd_tags_get(tags, "name:pronunciation");
    uint32_t pronunciation;
    MCD_TRY(mcd_names_add(&ways->names, said ? said : "", &pronunciation, error));
    MCD_TRY(mcd_kinds_add(&ways->kinds, &kind[0], &limits[0], pronunciation, &way.kind[0], error));
    way.kind[1] = way.kind[0];
    if (memcmp(&kind[0], &kind[1], sizeof *kind) != 0 || memcmp(&limits[0], &limits[1], sizeof *limits) != 0)
        MCD_TRY(mcd_kinds_add(&ways->kinds, &kind[1], &limits[1], pronunciation, &way.kind[1], error));
    MCD_TRY(append_refs(ways, node, node_count, error));
    MCD_TRY(MCD_GROW(ways->way, ways->capacity, ways->count + 2, error));
    ways->way[ways->count++] = way;
    ways->way[ways->count] = (mcd_way){.first_ref = ways->ref_count};
    return MACADAM_OK;
}

macadam_status mcd_ways_append_line(mcd_ways *ways, const mcd_way *added, uint32_t from, uint32_t to,
                                    macadam_error *error)
{
    mcd_way way = *added;
    way.first_ref = ways->ref_count;
    MCD_TRY(MCD_GROW(ways->point, ways->ref_capacity, ways->ref_count + 2, error));
    MCD_TRY(MCD_GROW(ways->way, ways->capacity, ways->count + 2, error));
    ways->point[ways->ref_count++] = from;
    ways->point[ways->ref_count++] = to;
    ways->way[ways->count++] = way;
    ways->way[ways->count] = (mcd_way){.first_ref = ways->ref_count};
    return MACADAM_OK;
}

/* Returns whether the way has two nodes. */
static bool leads_on(const mcd_osm_way *way)
{
    size_t i = 1;
    while (i < way->node_count && way->node[i] == way->node[0]) ++i;
    return i < way->node_count;
}

macadam_status mcd_ways_read(mcd_ways *ways, mcd_report *report, const mcd_profile *profile,
                             const mcd_tags *tags, mcd_way *out, mcd_limits *limits, mcd_way_use *use,
                             macadam_error *error)
{
    mcd_conditional_tags *const times = &ways->conditional_tags;
    const double *const speed = out->passage.speed_kmh;
    *use = mcd_profile_way(profile, tags, &out->passage, limits);
    if (*use == MCD_WAY_CLOSED) out->passage = (mcd_passage){0};
    if (*use != MCD_WAY_OPEN && *use != MCD_WAY_CLOSED) return MACADAM_OK;
    out->first_timing = (uint32_t)times->count;
    MCD_TRY(mcd_conditional_tags_read(times, profile, tags, &out->passage, report, error));
    out->timing_count = (uint32_t)times->count - out->first_timing;
    *use = speed[MCD_FORWARD] > 0 || speed[MCD_BACKWARD] > 0 ? MCD_WAY_OPEN : MCD_WAY_CLOSED;
    return MACADAM_OK;
}

macadam_status mcd_ways_add(mcd_ways *ways, mcd_report *report, const mcd_profile *profile,
                            const mcd_osm_way *way, macadam_error *error)
{
    mcd_way added = {.id = way->id};
    mcd_limits limits;
    mcd_way_use use;
    mcd_report_at(report, 'w', way->id);
    MCD_TRY(mcd_ways_read(ways, report, profile, &way->tags, &added, &limits, &use, error));
    mcd_report_add_if(report, MCD_REPORT_AREAS, use == MCD_WAY_AREA);
    mcd_report_add_if(report, MCD_REPORT_CLOSED_WAYS, use == MCD_WAY_CLOSED);
    const bool is_highway = use == MCD_WAY_NO_ROAD && mcd_tags_get(&way->tags, "highway");
    mcd_report_add_if(report, MCD_REPORT_NO_ROADS, is_highway);
    mcd_report_count(report, MCD_REPORT_NO_ROADS, use == MCD_WAY_NO_ROAD && !is_highway);
    const bool is_short = use == MCD_WAY_OPEN && !leads_on(way);
    mcd_report_add_if(report, MCD_REPORT_SHORT_WAYS, is_short);
    if (use == MCD_WAY_NO_ROAD || use == MCD_WAY_AREA) return MACADAM_OK;
    mcd_report_add_if(report, MCD_REPORT_UNREAD, limits.unread);
    if (use != MCD_WAY_OPEN || is_short) return MACADAM_OK;
    mcd_report_count(report, MCD_REPORT_WAYS_USED, 1);
    mcd_report_add_if(report, MCD_REPORT_ODD_SPEED, added.passage.odd_speed);
    mcd_report_add_if(report, MCD_REPORT_ODD_ACCESS, added.passage.odd_access);
    mcd_report_add_if(report, MCD_REPORT_ODD_MEASURE, added.passage.odd_measure);
    mcd_report_add_if(report, MCD_REPORT_DESTINATION_ONLY,
                      added.passage.destination_only[MCD_FORWARD] ||
                          added.passage.destination_only[MCD_BACKWARD]);
    mcd_conditional_counts_count(report, MCD_REPORT_CONDITIONAL_WAYS, &way->tags);
    if (added.passage.area && way->node_count > 3 && way->node[0] == way->node[way->node_count - 1])
        added.plaza = MCD_WAY_PLAZA_OWN;
    return mcd_ways_append(ways, &added, &way->tags, profile, limits.most, way->node, way->node_count, error);
}

void mcd_ways_free(mcd_ways *ways)
{
    MCD_FREE_ALL(ways->way, ways->ref, ways->point);
    mcd_names_free(&ways->names);
    mcd_kinds_free(&ways->kinds);
    mcd_free(ways->conditional_tags.timing);
    ways->conditional_tags = (mcd_conditional_tags){0};
    ways->way = NULL;
    ways->ref = NULL;
    ways->point = NULL;
    ways->count = ways->ref_count = ways->capacity = ways->ref_capacity = 0;
}
