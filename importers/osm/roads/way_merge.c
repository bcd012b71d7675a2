/* way_merge.c - see way_merge.h.
 *
 * A part numbers its names in the order in which its ways name them. Of a way's names, those that no way before
 * it has, in any part, are new in its part too; so they are added by their numbers in the part. */
#include "importers/osm/roads/way_merge.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS = MCD_DIRECTIONS * MCD_KIND_TEXTS };
#define NOT_MOVED UINT32_MAX

/* Where a way is. */
typedef struct way_place {
    int64_t id;
    bool outline;
    uint32_t part;
    size_t index;
} way_place;

typedef struct way_merger {
    mcd_ways *out, *part;
    size_t part_count;
    way_place *place;
    uint32_t **name, **kind; /* [part_count] what a part's names (by offset) and kinds became, or NOT_MOVED */
} way_merger;

static int compare_places(const void *a, const void *b)
{
    const way_place *const x = a, *const y = b;
    if (x->outline != y->outline) return x->outline ? 1 : -1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

MCD_DEFINE_COMPARE(compare_offsets, uint32_t, )

static macadam_status list_places(way_merger *merger, size_t outline_part, mcd_watch *watch,
                                  macadam_error *error)
{
    size_t count = 0;
    for (size_t p = 0; p < merger->part_count; ++p) count += merger->part[p].count;
    MCD_TRY(MCD_NEW(merger->place, count, error));
    count = 0;
    for (size_t p = 0; p < merger->part_count; ++p)
        for (size_t i = 0; i < merger->part[p].count; ++i)
            merger->place[count++] =
                (way_place){merger->part[p].way[i].id, p >= outline_part, (uint32_t)p, i};
    return mcd_sort(merger->place, count, sizeof *merger->place, compare_places, watch, error);
}

static macadam_status new_moves(uint32_t **out, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_NEW(*out, count, error));
    memset(*out, 0xff, count * sizeof **out);
    return MACADAM_OK;
}

static macadam_status allocate(way_merger *merger, macadam_error *error)
{
    size_t way_count = 0, ref_count = 0, timing_count = 0;
    MCD_TRY(MCD_NEW_ZEROED(merger->name, merger->part_count, error));
    MCD_TRY(MCD_NEW_ZEROED(merger->kind, merger->part_count, error));
    for (size_t p = 0; p < merger->part_count; ++p) {
        const mcd_ways *const part = &merger->part[p];
        mcd_ways_count(merger->out, part);
        way_count += part->count;
        ref_count += part->ref_count;
        timing_count += part->conditional_tags.count;
        MCD_TRY(new_moves(&merger->name[p], part->names.bytes, error));
        MCD_TRY(new_moves(&merger->kind[p], part->kinds.count, error));
    }
    merger->out->capacity = way_count + 1;
    merger->out->ref_capacity = ref_count;
    merger->out->conditional_tags.capacity = timing_count;
    MCD_TRY(MCD_NEW(merger->out->conditional_tags.timing, timing_count, error));
    MCD_TRY(MCD_NEW(merger->out->way, way_count + 1, error));
    return MCD_NEW(merger->out->ref, ref_count, error);
}

/* Adds those names of a way that are new. */
static macadam_status move_names(const way_merger *merger, uint32_t p, const mcd_way *way,
                                 macadam_error *error)
{
    const mcd_ways *const part = &merger->part[p];
    uint32_t offset[TEXTS], count = 0;
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction)
        for (int text = 0; text < MCD_KIND_TEXTS; ++text)
            offset[count++] = part->kinds.kind[way->kind[direction]].text[text];
    qsort(offset, count, sizeof *offset, compare_offsets);
    for (uint32_t i = 0; i < count; ++i)
        if (merger->name[p][offset[i]] == NOT_MOVED)
            MCD_TRY(mcd_names_add(&merger->out->names, part->names.text + offset[i],
                                  &merger->name[p][offset[i]], error));
    return MACADAM_OK;
}

static macadam_status move_kinds(const way_merger *merger, uint32_t p, mcd_way *way, macadam_error *error)
{
    const mcd_kinds *const kinds = &merger->part[p].kinds;
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction) {
        uint32_t *const number = &merger->kind[p][way->kind[direction]];
        mcd_kind kind = kinds->kind[way->kind[direction]];
        for (int text = 0; text < MCD_KIND_TEXTS; ++text) kind.text[text] = merger->name[p][kind.text[text]];
        if (*number == NOT_MOVED)
            MCD_TRY(mcd_kinds_add(&merger->out->kinds, &kind, &kinds->limits[way->kind[direction]], number,
                                  error));
        way->kind[direction] = *number;
    }
    return MACADAM_OK;
}

static void move_timings(const way_merger *merger, uint32_t p, mcd_way *way)
{
    mcd_conditional_tags *const out = &merger->out->conditional_tags;
    const mcd_conditional_tag *const timing = merger->part[p].conditional_tags.timing;
    const uint32_t first = way->first_timing;
    way->first_timing = (uint32_t)out->count;
    for (uint32_t i = 0; i < way->timing_count; ++i) out->timing[out->count++] = timing[first + i];
}

static macadam_status move_way(const way_merger *merger, const way_place *place, macadam_error *error)
{
    mcd_ways *const out = merger->out;
    const mcd_ways *const part = &merger->part[place->part];
    mcd_way way = part->way[place->index];
    const size_t first_ref = way.first_ref, ref_count = part->way[place->index + 1].first_ref - first_ref;
    MCD_TRY(move_names(merger, place->part, &way, error));
    MCD_TRY(move_kinds(merger, place->part, &way, error));
    move_timings(merger, place->part, &way);
    way.first_ref = out->ref_count;
    if (ref_count) memcpy(out->ref + out->ref_count, part->ref + first_ref, ref_count * sizeof *out->ref);
    out->ref_count += ref_count;
    out->way[out->count++] = way;
    return MACADAM_OK;
}

static macadam_status merge(way_merger *merger, size_t outline_part, mcd_watch *watch, macadam_error *error)
{
    mcd_ways *const out = merger->out;
    MCD_TRY(list_places(merger, outline_part, watch, error));
    MCD_TRY(allocate(merger, error));
    const size_t count = out->capacity - 1;
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, count, error));
        MCD_TRY(move_way(merger, &merger->place[i], error));
    }
    out->way[out->count] = (mcd_way){.first_ref = out->ref_count};
    return MACADAM_OK;
}

macadam_status mcd_ways_merge(mcd_ways *out, mcd_ways *part, size_t outline_part, size_t part_count,
                              mcd_watch *watch, macadam_error *error)
{
    way_merger merger = {.out = out, .part = part, .part_count = part_count};
    const macadam_status status = merge(&merger, outline_part, watch, error);
    for (size_t p = 0; p < part_count; ++p) {
        if (merger.name) mcd_free(merger.name[p]);
        if (merger.kind) mcd_free(merger.kind[p]);
        mcd_ways_free(&part[p]);
    }
    mcd_free(merger.name);
    mcd_free(merger.kind);
    mcd_free(merger.place);
    return status;
}
