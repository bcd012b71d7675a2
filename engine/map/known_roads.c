/* known_roads.c - see known_roads.h. */
#include "engine/map/known_roads.h"

#include "engine/base/watch.h"

/* Fewer places are located as soon; more would take megabytes. */
enum { PLACES_LEAST = 64, PLACES_MOST = 1 << 15, PLACES_MARKED = 64 };

static void free_ends(mcd_known_ends *ends)
{
    if (ends)
        MCD_FREE_ALL(ends->position, ends->first, ends->part, ends->first_lane, ends->lane, ends->order);
    mcd_free(ends);
}

mcd_known_ends *mcd_known_ends_new(size_t place, size_t count, size_t part_count)
{
    mcd_known_ends *const out = mcd_allocate_zeroed(1, sizeof *out);
    if (!out) return NULL;
    out->place = place, out->count = count;
    out->position = mcd_allocate(count, sizeof *out->position);
    out->first = mcd_allocate(count + 1, sizeof *out->first);
    out->part = mcd_allocate(part_count + 1, sizeof *out->part);
    out->first_lane = mcd_allocate(count + 1, sizeof *out->first_lane);
    if (out->position && out->first && out->part && out->first_lane) return out;
    free_ends(out);
    return NULL;
}

void mcd_known_list_keep(mcd_known_list *list, int direction, mcd_known_ends *ends)
{
    mcd_known_ends *none = NULL;
    if (!atomic_compare_exchange_strong(&list->ends[direction], &none, ends)) free_ends(ends);
}

void mcd_known_list_leave(mcd_known_list *list)
{
    if (!list || atomic_fetch_sub(&list->users, 1) > 1) return;
    for (int direction = 0; direction < 2; ++direction) free_ends(list->ends[direction]);
    MCD_FREE_ALL(list->place, list->road);
    mcd_free(list);
}

/* Mixes some bytes, whose number is a multiple of 8, into a mark. */
static uint64_t mix(uint64_t mark, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i += sizeof mark) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + i, sizeof word);
        mark = (mark ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        mark ^= mark >> 29;
    }
    return mark;
}

/* Returns a number that differs for most lists: of some of the places. */
static uint64_t mark_of(const mcd_locator *locator, const mcd_locate_list *list, size_t list_count)
{
    static_assert(sizeof(macadam_place) % sizeof(uint64_t) == 0, "places are whole words");
    const size_t count = mcd_locate_count(list, list_count);
    uint64_t mark = mix(count, &locator->radius_m, sizeof locator->radius_m);
    for (size_t k = 0; k < list_count; ++k) {
        const size_t step = list[k].count / PLACES_MARKED + 1;
        for (size_t i = 0; i < list[k].count; i += step)
            mark = mix(mark, &list[k].place[i], sizeof *list->place);
    }
    return mark ? mark : 1;
}

static bool has_places(const mcd_known_list *known, const mcd_locator *locator, const mcd_locate_list *list,
                       size_t list_count)
{
    size_t at = 0;
    if (known->count != mcd_locate_count(list, list_count) || known->radius_m != locator->radius_m)
        return false;
    for (size_t k = 0; k < list_count; at += list[k++].count)
        if (memcmp(&known->place[at], list[k].place, list[k].count * sizeof *list[k].place) != 0)
            return false;
    return true;
}

/* Under the lock: returns the entry of a mark, or MCD_KNOWN_LISTS. */
static size_t entry_of(const mcd_known_roads *known, uint64_t mark)
{
    size_t i = 0;
    while (i < MCD_KNOWN_LISTS && known->entry[i].mark != mark) ++i;
    return i;
}

/* Finds the list of a mark, with one more user, or notes the mark. */
static void look_up(mcd_known_call *out, mcd_known_roads *known)
{
    MCD_HOLD(&known->lock);
    const size_t i = entry_of(known, out->mark);
    out->is_again = i < MCD_KNOWN_LISTS;
    if (out->is_again) {
        out->list = known->entry[i].list;
        if (out->list) atomic_fetch_add(&out->list->users, 1);
        return;
    }
    mcd_known_list_leave(known->entry[known->next].list);
    known->entry[known->next].mark = out->mark;
    known->entry[known->next].list = NULL;
    known->next = (known->next + 1) % MCD_KNOWN_LISTS;
}

void mcd_known_roads_find(mcd_known_call *out, mcd_known_roads *known, const mcd_locator *locator,
                          const mcd_locate_list *list, size_t list_count)
{
    const size_t count = mcd_locate_count(list, list_count);
    *out = (mcd_known_call){.mark = 0};
    if (!locator->only_status || count < PLACES_LEAST || count > PLACES_MOST) return;
    out->mark = mark_of(locator, list, list_count);
    look_up(out, known);
    if (!out->list || has_places(out->list, locator, list, list_count)) return;
    mcd_known_list_leave(out->list);
    out->list = NULL;
}

/* Returns NULL without memory. */
static mcd_known_list *list_new(const mcd_locator *locator, const mcd_locate_list *list, size_t list_count,
                                const mcd_nearest_road *road)
{
    mcd_known_list *const out = mcd_allocate_zeroed(1, sizeof *out);
    size_t at = 0;
    if (!out) return NULL;
    out->users = 1;
    out->radius_m = locator->radius_m;
    out->count = mcd_locate_count(list, list_count);
    out->place = mcd_allocate(out->count, sizeof *out->place);
    out->road = mcd_allocate(2 * out->count, sizeof *out->road);
    if (!out->place || !out->road) {
        mcd_known_list_leave(out);
        return NULL;
    }
    for (size_t k = 0; k < list_count; at += list[k++].count)
        memcpy(&out->place[at], list[k].place, list[k].count * sizeof *list[k].place);
    memcpy(out->road, road, 2 * out->count * sizeof *road);
    return out;
}

/* Puts a list where its mark still is; returns the one that is left. */
static mcd_known_list *put(mcd_known_roads *known, uint64_t mark, mcd_known_list *list)
{
    MCD_HOLD(&known->lock);
    const size_t i = entry_of(known, mark);
    if (i == MCD_KNOWN_LISTS) return list;
    mcd_known_list *const before = known->entry[i].list;
    known->entry[i].list = list;
    return before;
}

void mcd_known_roads_end(mcd_known_call *call, mcd_known_roads *known, const mcd_locator *locator,
                         const mcd_locate_list *list, size_t list_count, const mcd_nearest_road *road)
{
    if (call->is_again && road)
        mcd_known_list_leave(put(known, call->mark, list_new(locator, list, list_count, road)));
    mcd_known_list_leave(call->list);
    *call = (mcd_known_call){.mark = 0};
}

void mcd_known_roads_trim(mcd_known_roads *known)
{
    MCD_HOLD(&known->lock);
    for (size_t i = 0; i < MCD_KNOWN_LISTS; ++i) {
        mcd_known_list_leave(known->entry[i].list);
        known->entry[i].mark = 0;
        known->entry[i].list = NULL;
    }
}
