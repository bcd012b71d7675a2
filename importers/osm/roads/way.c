/* way.c - see way.h. */
#include "importers/osm/roads/way.h"
#include "engine/base/grow.h"
#include "engine/base/memory.h"

static macadam_status append_refs(mcd_ways *ways, const int64_t *node, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_GROW(ways->ref, ways->ref_capacity, ways->ref_count + count, error));
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || node[i] != node[i - 1]) ways->ref[ways->ref_count++] = node[i];
    return MACADAM_OK;
}

static macadam_status add_kinds(mcd_ways *ways, const mcd_tags *tags, mcd_way *way, macadam_error *error)
{
    mcd_kind kind[MCD_DIRECTIONS];
    mcd_kind_limits limits[MCD_DIRECTIONS];
    mcd_kinds_read_limits(limits, tags);
    MCD_TRY(mcd_kinds_read(kind, &ways->names, tags, &way->passage, error));
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction)
        MCD_TRY(
            mcd_kinds_add(&ways->kinds, &kind[direction], &limits[direction], &way->kind[direction], error));
    return MACADAM_OK;
}

macadam_status mcd_ways_append(mcd_ways *ways, const mcd_way *added, const mcd_tags *tags,
                               const int64_t *node, size_t node_count, macadam_error *error)
{
    mcd_way way = *added;
    way.first_ref = ways->ref_count;
    if (tags) MCD_TRY(add_kinds(ways, tags, &way, error));
    MCD_TRY(append_refs(ways, node, node_count, error));
    MCD_TRY(MCD_GROW(ways->way, ways->capacity, ways->count + 2, error));
    ways->way[ways->count++] = way;
    ways->way[ways->count] = (mcd_way){.first_ref = ways->ref_count};
    return MACADAM_OK;
}

macadam_status mcd_ways_add(mcd_ways *ways, const mcd_profile *profile, const mcd_osm_way *way,
                            macadam_error *error)
{
    mcd_way added = {.id = way->id};
    mcd_way_use use = mcd_profile_way(profile, &way->tags, &added.passage);
    if (use == MCD_WAY_CLOSED) added.passage = (mcd_passage){0};
    if (use == MCD_WAY_OPEN || use == MCD_WAY_CLOSED) {
        added.first_timing = (uint32_t)ways->conditional_tags.count;
        MCD_TRY(mcd_conditional_tags_read(&ways->conditional_tags, profile, &way->tags, &added.passage,
                                          &ways->conditions, error));
        added.timing_count = (uint32_t)ways->conditional_tags.count - added.first_timing;
        if (added.timing_count > 0) use = MCD_WAY_OPEN;
    }
    ++ways->use_count[use];
    if (use != MCD_WAY_OPEN) return MACADAM_OK;
    ways->odd_speed_count += added.passage.odd_speed;
    ways->destination_only_count +=
        added.passage.destination_only[MCD_FORWARD] || added.passage.destination_only[MCD_BACKWARD];
    mcd_conditional_counts_count(&ways->conditions, &way->tags);
    if (added.passage.area && way->node_count > 3 && way->node[0] == way->node[way->node_count - 1])
        added.plaza = MCD_WAY_PLAZA_OWN;
    return mcd_ways_append(ways, &added, &way->tags, way->node, way->node_count, error);
}

/* ---- parts ---- */

typedef struct way_joiner {
    mcd_ways *out, *part;
    size_t *first_way, *first_ref, *first_timing; /* [part_count] of each part, in `out` */
    uint32_t *moved; /* [moved_capacity] where a part's names are in `out`, by their offset */
    size_t moved_capacity;
} way_joiner;

void mcd_ways_count(mcd_ways *out, const mcd_ways *part)
{
    for (size_t use = 0; use < MCD_WAY_USES; ++use) out->use_count[use] += part->use_count[use];
    out->odd_speed_count += part->odd_speed_count;
    mcd_conditional_counts_add(&out->conditions, &part->conditions);
    out->destination_only_count += part->destination_only_count;
}

static void count(way_joiner *joiner, size_t part_count)
{
    mcd_ways *const out = joiner->out;
    for (size_t i = 0; i < part_count; ++i) {
        const mcd_ways *const part = &joiner->part[i];
        joiner->first_way[i] = out->count;
        joiner->first_ref[i] = out->ref_count;
        joiner->first_timing[i] = out->conditional_tags.count;
        out->count += part->count;
        out->ref_count += part->ref_count;
        out->conditional_tags.count += part->conditional_tags.count;
        mcd_ways_count(out, part);
    }
}

/* New names come in the order of their first ways, as if there were no parts. */
static macadam_status join_names(way_joiner *joiner, mcd_ways *part, macadam_error *error)
{
    const mcd_names *const names = &part->names;
    MCD_TRY(MCD_GROW(joiner->moved, joiner->moved_capacity, names->bytes, error));
    for (size_t offset = 0; offset < names->bytes; offset += strlen(names->text + offset) + 1)
        MCD_TRY(mcd_names_add(&joiner->out->names, names->text + offset, &joiner->moved[offset], error));
    return MACADAM_OK;
}

/* Likewise; their words have been moved. */
static macadam_status join_kinds(way_joiner *joiner, mcd_ways *part, macadam_error *error)
{
    uint32_t *number;
    MCD_TRY(MCD_NEW(number, part->kinds.count, error));
    macadam_status status = MACADAM_OK;
    for (size_t i = 0; i < part->kinds.count && !status; ++i) {
        mcd_kind *const kind = &part->kinds.kind[i];
        for (int text = 0; text < MCD_KIND_TEXTS; ++text) kind->text[text] = joiner->moved[kind->text[text]];
        status = mcd_kinds_add(&joiner->out->kinds, kind, &part->kinds.limits[i], &number[i], error);
    }
    for (size_t i = 0; i < part->count && !status; ++i)
        for (int direction = 0; direction < MCD_DIRECTIONS; ++direction)
            part->way[i].kind[direction] = number[part->way[i].kind[direction]];
    mcd_free(number);
    return status;
}

static void copy_part(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const way_joiner *const joiner = argument;
    mcd_ways *const part = &joiner->part[index];
    mcd_way *const way = joiner->out->way + joiner->first_way[index];
    const size_t first_ref = joiner->first_ref[index], first_timing = joiner->first_timing[index];
    mcd_conditional_tag *const timing = joiner->out->conditional_tags.timing + first_timing;
    if (part->conditional_tags.count)
        memcpy(timing, part->conditional_tags.timing, part->conditional_tags.count * sizeof *timing);
    if (part->ref_count) memcpy(joiner->out->ref + first_ref, part->ref, part->ref_count * sizeof *part->ref);
    for (size_t i = 0; i < part->count; ++i) {
        way[i] = part->way[i];
        way[i].first_ref += first_ref;
        way[i].first_timing += (uint32_t)first_timing;
    }
    mcd_ways_free(part); /* now, so that all of it is never in use twice */
}

static macadam_status join(way_joiner *joiner, size_t part_count, const mcd_parallel *parallel,
                           mcd_watch *watch, macadam_error *error)
{
    mcd_ways *const out = joiner->out;
    MCD_TRY(MCD_NEW(joiner->first_way, part_count, error));
    MCD_TRY(MCD_NEW(joiner->first_ref, part_count, error));
    MCD_TRY(MCD_NEW(joiner->first_timing, part_count, error));
    count(joiner, part_count);
    for (size_t i = 0; i < part_count; ++i) {
        MCD_TRY(mcd_watch_step(watch, i, part_count, error));
        MCD_TRY(join_names(joiner, &joiner->part[i], error));
        MCD_TRY(join_kinds(joiner, &joiner->part[i], error));
    }
    MCD_TRY(MCD_NEW(out->way, out->count + 1, error));
    MCD_TRY(MCD_NEW(out->ref, out->ref_count, error));
    MCD_TRY(MCD_NEW(out->conditional_tags.timing, out->conditional_tags.count, error));
    MCD_TRY(mcd_watch_for(watch, parallel, part_count, copy_part, joiner, error));
    out->way[out->count] = (mcd_way){.first_ref = out->ref_count};
    out->capacity = out->count + 1;
    out->ref_capacity = out->ref_count;
    out->conditional_tags.capacity = out->conditional_tags.count;
    return MACADAM_OK;
}

macadam_status mcd_ways_join(mcd_ways *out, mcd_ways *part, size_t part_count, const mcd_parallel *parallel,
                             mcd_watch *watch, macadam_error *error)
{
    way_joiner joiner = {.out = out, .part = part};
    const macadam_status status = join(&joiner, part_count, parallel, watch, error);
    for (size_t i = 0; i < part_count; ++i) mcd_ways_free(&part[i]);
    mcd_free(joiner.first_way);
    mcd_free(joiner.first_ref);
    mcd_free(joiner.first_timing);
    mcd_free(joiner.moved);
    return status;
}

void mcd_ways_drop(mcd_ways *ways)
{
    mcd_free(ways->way);
    mcd_free(ways->ref);
    mcd_names_free(&ways->names);
    mcd_kinds_free(&ways->kinds);
    mcd_conditional_tags_free(&ways->conditional_tags);
    ways->way = NULL;
    ways->ref = NULL;
    ways->count = ways->ref_count = ways->capacity = ways->ref_capacity = 0;
}

void mcd_ways_free(mcd_ways *ways)
{
    mcd_ways_drop(ways);
    *ways = (mcd_ways){0};
}
