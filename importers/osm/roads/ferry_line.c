/* ferry_line.c - see ferry_line.h. (https://wiki.openstreetmap.org/wiki/Tag:route=ferry) */
#include "importers/osm/roads/ferry_line.h"
#include "engine/base/grow.h"
#include "importers/osm/rules/tag_number.h"

#include <stdlib.h>

bool mcd_ferry_lines_want(const mcd_tags *tags)
{
    return mcd_tags_has(tags, "type", "route") && mcd_tags_has(tags, "route", "ferry");
}

MCD_DEFINE_COMPARE(compare_ids, int64_t, )

static bool has_member(const mcd_ferry_lines *ferry_lines, const mcd_ferry_line *line, int64_t id)
{
    return bsearch(&id, ferry_lines->member + line->first, line->count, sizeof id, compare_ids) != NULL;
}

macadam_status mcd_ferry_lines_add(mcd_ferry_lines *ferry_lines, mcd_report *report,
                                   const mcd_osm_relation *relation, macadam_error *error)
{
    const char *const duration = mcd_tags_get(&relation->tags, "duration");
    mcd_ferry_line added = {.first = ferry_lines->member_count,
                            .duration_s = duration ? mcd_tag_duration(duration) : 0};
    if (!mcd_ferry_lines_want(&relation->tags)) return MACADAM_OK;
    mcd_report_at(report, 'r', relation->id);
    mcd_report_add_if(report, MCD_REPORT_ODD_MEASURE, duration && added.duration_s == 0);
    for (size_t i = 0; i < relation->member_count; ++i) {
        if (relation->member[i].type != 'w') continue;
        MCD_TRY(MCD_GROW(ferry_lines->member, ferry_lines->member_capacity, ferry_lines->member_count + 1,
                         error));
        ferry_lines->member[ferry_lines->member_count++] = relation->member[i].id;
    }
    if (ferry_lines->member_count == added.first) return MACADAM_OK;
    int64_t *const id = ferry_lines->member + added.first;
    qsort(id, ferry_lines->member_count - added.first, sizeof *id, compare_ids);
    for (size_t i = 0; added.first + i < ferry_lines->member_count; ++i)
        if (i == 0 || id[i] != id[added.count - 1]) id[added.count++] = id[i];
    ferry_lines->member_count = added.first + added.count;
    MCD_TRY(MCD_GROW(ferry_lines->ferry_line, ferry_lines->capacity, ferry_lines->count + 1, error));
    ferry_lines->ferry_line[ferry_lines->count++] = added;
    return MACADAM_OK;
}

bool mcd_ferry_lines_join(const mcd_ferry_lines *ferry_lines, int64_t way, int64_t other)
{
    for (size_t i = 0; i < ferry_lines->count; ++i)
        if (has_member(ferry_lines, &ferry_lines->ferry_line[i], way) &&
            has_member(ferry_lines, &ferry_lines->ferry_line[i], other))
            return true;
    return false;
}

MCD_DEFINE_FREE(mcd_ferry_lines_free, mcd_ferry_lines, it->ferry_line, it->member)

/* ---- shares ---- */

typedef struct ferry {
    int64_t id;
    mcd_way *way;
    double metres; /* 0: it lacks points */
} ferry;

MCD_DEFINE_COMPARE(compare_ferries, ferry, .id)

/* NULL: no ferry has this id, which may be that of a pier. */
static const ferry *find_ferry(const ferry *all, size_t count, int64_t id)
{
    const ferry wanted = {.id = id};
    return bsearch(&wanted, all, count, sizeof wanted, compare_ferries);
}

static void share(const mcd_ferry_line *ferry_line, const int64_t *member, const ferry *all, size_t count)
{
    double left_s = ferry_line->duration_s, metres = 0;
    for (size_t i = 0; i < ferry_line->count; ++i) {
        const ferry *const at = find_ferry(all, count, member[i]);
        if (!at) continue;
        if (at->metres == 0) return;
        left_s -= at->way->passage.duration_s;
        if (at->way->passage.duration_s == 0) metres += at->metres;
    }
    if (left_s <= 0 || metres == 0) return;
    for (size_t i = 0; i < ferry_line->count; ++i) {
        const ferry *const at = find_ferry(all, count, member[i]);
        if (at && at->way->passage.duration_s == 0)
            at->way->passage.duration_s = left_s * at->metres / metres;
    }
}

macadam_status mcd_ferry_lines_share(const mcd_ferry_lines *ferry_lines, mcd_ways *ways,
                                     const mcd_stretches *stretches, macadam_error *error)
{
    MCD_OWNED ferry *all = NULL;
    size_t count = 0;
    if (ferry_lines->count == 0) return MACADAM_OK;
    for (size_t i = 0; i < ways->count; ++i) count += ways->way[i].passage.ferry;
    if (count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW(all, count, error));
    ferry *next = all;
    for (mcd_way *way = ways->way; way < ways->way + ways->count; ++way)
        if (way->passage.ferry) *next++ = (ferry){way->id, way, mcd_stretches_way_m(stretches, way)};
    qsort(all, count, sizeof *all, compare_ferries);
    for (size_t i = 0; i < ferry_lines->count; ++i)
        share(&ferry_lines->ferry_line[i], ferry_lines->member + ferry_lines->ferry_line[i].first, all,
              count);
    return MACADAM_OK;
}
