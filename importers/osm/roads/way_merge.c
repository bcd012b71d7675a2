/* way_merge.c - see way_merge.h.
 *
 * A part numbers its names in the order in which its ways name them, and a kind holds its names in the order in
 * which a way is read. Of a way's kinds, those that no way before it has, in any part, are new in its part too; so
 * are names. */
#include "importers/osm/roads/way_merge.h"
#include "engine/base/arena.h"
#include "engine/base/sort.h"

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
    bool drives_left;
    mcd_arena arena;         /* of the arrays below */
    uint32_t **name, **kind; /* [part_count] what a part's names (by offset) and kinds became, or NOT_MOVED */
    mcd_watch *watch;
} way_merger;

static int compare_places(const void *a, const void *b)
{
    const way_place *const x = a, *const y = b;
    if (x->outline != y->outline) return x->outline ? 1 : -1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static macadam_status new_moves(way_merger *merger, uint32_t **out, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_ARENA_NEW(&merger->arena, *out, count, error));
    memset(*out, 0xff, count * sizeof **out);
    return MACADAM_OK;
}

static macadam_status allocate(way_merger *merger, macadam_error *error)
{
    mcd_ways *const out = merger->out;
    MCD_TRY(MCD_ARENA_NEW(&merger->arena, merger->name, merger->part_count, error));
    MCD_TRY(MCD_ARENA_NEW(&merger->arena, merger->kind, merger->part_count, error));
    out->capacity = 1; /* the last one, which only ends the list of nodes */
    for (size_t p = 0; p < merger->part_count; ++p) {
        const mcd_ways *const part = &merger->part[p];
        out->capacity += part->count;
        out->ref_capacity += part->ref_count;
        out->conditional_tags.capacity += part->conditional_tags.count;
        MCD_TRY(new_moves(merger, &merger->name[p], part->names.bytes, error));
        MCD_TRY(new_moves(merger, &merger->kind[p], part->kinds.count, error));
    }
    MCD_TRY(MCD_NEW(out->conditional_tags.timing, out->conditional_tags.capacity, error));
    MCD_TRY(MCD_NEW(out->way, out->capacity, error));
    return MCD_NEW(out->ref, out->ref_capacity, error);
}

/* Adds a kind that is new, with those of its names that are new. */
static macadam_status add_kind(const way_merger *merger, size_t p, uint32_t number, macadam_error *error)
{
    const mcd_ways *const part = &merger->part[p];
    mcd_kind kind = part->kinds.kind[number];
    uint32_t pronunciation = part->kinds.pronunciation[number];
    for (int text = 0; text <= MCD_KIND_TEXTS; ++text) {
        uint32_t *const own = text < MCD_KIND_TEXTS ? &kind.text[text] : &pronunciation;
        uint32_t *const moved = &merger->name[p][*own];
        if (*moved == NOT_MOVED && text == MCD_KIND_TURN_LANES)
            mcd_lanes_drive(part->names.text + *own, merger->drives_left);
        if (*moved == NOT_MOVED)
            MCD_TRY(mcd_names_add(&merger->out->names, part->names.text + *own, moved, error));
        *own = *moved;
    }
    return mcd_kinds_add(&merger->out->kinds, &kind, &part->kinds.limits[number], pronunciation,
                         &merger->kind[p][number], error);
}

static macadam_status move_way(const way_merger *merger, size_t p, size_t index, macadam_error *error)
{
    mcd_ways *const out = merger->out;
    const mcd_ways *const part = &merger->part[p];
    mcd_conditional_tags *const tags = &out->conditional_tags;
    mcd_way way = part->way[index];
    const size_t ref_count = part->way[index + 1].first_ref - way.first_ref;
    MCD_TRY(mcd_watch_item(merger->watch, out->count, out->capacity, error));
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction) {
        const uint32_t number = way.kind[direction];
        if (merger->kind[p][number] == NOT_MOVED) MCD_TRY(add_kind(merger, p, number, error));
        way.kind[direction] = merger->kind[p][number];
    }
    if (ref_count) memcpy(out->ref + out->ref_count, part->ref + way.first_ref, ref_count * sizeof *out->ref);
    if (way.timing_count)
        memcpy(tags->timing + tags->count, part->conditional_tags.timing + way.first_timing,
               way.timing_count * sizeof *tags->timing);
    way.first_ref = out->ref_count;
    way.first_timing = (uint32_t)tags->count;
    out->ref_count += ref_count;
    tags->count += way.timing_count;
    out->way[out->count++] = way;
    return MACADAM_OK;
}

/* Frees each part before the next one, so that all of it is never in use twice. */
static macadam_status move_parts(const way_merger *merger, macadam_error *error)
{
    for (size_t p = 0; p < merger->part_count; ++p) {
        for (size_t i = 0; i < merger->part[p].count; ++i) MCD_TRY(move_way(merger, p, i, error));
        mcd_ways_free(&merger->part[p]);
    }
    return MACADAM_OK;
}

static macadam_status move_by_id(way_merger *merger, size_t outline_part, macadam_error *error)
{
    const size_t count = merger->out->capacity - 1;
    way_place *place, *next;
    MCD_TRY(MCD_ARENA_NEW(&merger->arena, place, count, error));
    next = place;
    for (size_t p = 0; p < merger->part_count; ++p)
        for (size_t i = 0; i < merger->part[p].count; ++i)
            *next++ = (way_place){merger->part[p].way[i].id, p >= outline_part, (uint32_t)p, i};
    MCD_TRY(mcd_sort(place, count, sizeof *place, compare_places, merger->watch, error));
    for (size_t i = 0; i < count; ++i) MCD_TRY(move_way(merger, place[i].part, place[i].index, error));
    return MACADAM_OK;
}

macadam_status mcd_ways_merge(mcd_ways *out, mcd_ways *part, size_t part_count, size_t outline_part,
                              bool by_id, bool drives_left, mcd_watch *watch, macadam_error *error)
{
    way_merger merger = {
        .out = out, .part = part, .part_count = part_count, .drives_left = drives_left, .watch = watch};
    macadam_status status = allocate(&merger, error);
    if (!status) status = by_id ? move_by_id(&merger, outline_part, error) : move_parts(&merger, error);
    if (!status) out->way[out->count] = (mcd_way){.first_ref = out->ref_count};
    mcd_arena_free(&merger.arena);
    for (size_t p = 0; p < part_count; ++p) mcd_ways_free(&part[p]);
    return status;
}
