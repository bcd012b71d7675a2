/* node_order.c - see node_order.h. */
#include "engine/query/places/node_order.h"

#include "engine/base/sort.h"

enum { NODE_SHIFT = 32, KEY_BITS = 64 };

/* The order of places, and room for a copy of any array that is sorted by it. */
typedef struct sorting {
    const uint64_t *order; /* [count] */
    size_t count;
    char *copy; /* bytes for the widest of them */
} sorting;

static macadam_status find_order(uint64_t *order, const mcd_lanes *lanes, macadam_error *error)
{
    MCD_OWNED uint64_t *scratch = NULL;
    const size_t count = lanes->place_count;
    MCD_TRY(MCD_NEW(scratch, count, error));
    for (size_t i = 0; i < count; ++i)
        order[i] = (uint64_t)mcd_lanes_at(lanes, mcd_lanes_first(lanes, i)).seed[0].node << NODE_SHIFT | i;
    MCD_TRY(mcd_sort_bits(order, scratch, count, NODE_SHIFT, KEY_BITS, NULL, error));
    for (size_t i = 0; i < count; ++i) order[i] = (uint32_t)order[i];
    return MACADAM_OK;
}

/* Sorts an array with an element for each place; `array` may be NULL. */
static void sort_array(const sorting *by, void *array, size_t element_bytes)
{
    if (!array) return;
    memcpy(by->copy, array, by->count * element_bytes);
    for (size_t i = 0; i < by->count; ++i)
        memcpy((char *)array + i * element_bytes, by->copy + by->order[i] * element_bytes, element_bytes);
}

static macadam_status sort_lanes(const sorting *by, mcd_lanes *lanes, macadam_error *error)
{
    if (!lanes->first) {
        sort_array(by, lanes->lane, sizeof *lanes->lane);
        sort_array(by, lanes->node, sizeof *lanes->node);
        return MACADAM_OK;
    }
    const mcd_lane *const copy = (const mcd_lane *)by->copy;
    size_t *first;
    MCD_TRY(MCD_NEW(first, by->count + 1, error));
    memcpy(by->copy, lanes->lane, lanes->count * sizeof *lanes->lane);
    first[0] = 0;
    for (size_t i = 0; i < by->count; ++i) {
        const size_t from = lanes->first[by->order[i]], count = lanes->first[by->order[i] + 1] - from;
        memcpy(lanes->lane + first[i], copy + from, count * sizeof *copy);
        first[i + 1] = first[i] + count;
    }
    mcd_free(lanes->first);
    lanes->first = first;
    return MACADAM_OK;
}

/* Sorts what decides about subnetworks. */
static macadam_status sort_located(const sorting *by, mcd_located *located, macadam_error *error)
{
    MCD_TRY(MCD_NEW(located->sorted_place, by->count, error));
    for (size_t i = 0; i < by->count; ++i) located->sorted_place[i] = located->list.place[by->order[i]];
    located->list.place = located->sorted_place;
    sort_array(by, located->cut_off, sizeof *located->cut_off);
    sort_array(by, located->second, sizeof *located->second);
    for (size_t i = 0, k = 0; k < located->cut_off_count; ++i)
        if (mcd_located_is_cut_off(located, i)) located->cut_off_place[k++] = (uint32_t)i;
    return MACADAM_OK;
}

macadam_status mcd_node_order_sort(uint64_t *order, mcd_located *located, mcd_lanes *lanes,
                                   const mcd_located *other, macadam_error *error)
{
    const size_t count = lanes->place_count, widest = mcd_size_max(sizeof(mcd_second), sizeof(mcd_position));
    MCD_OWNED char *copy = NULL;
    MCD_TRY(find_order(order, lanes, error));
    MCD_TRY(MCD_NEW(copy, mcd_size_max(count * widest, lanes->count * sizeof *lanes->lane), error));
    const sorting by = {order, count, copy};
    MCD_TRY(sort_lanes(&by, lanes, error));
    sort_array(&by, lanes->position, sizeof *lanes->position);
    for (int q = 0; q < 2; ++q) sort_array(&by, lanes->potential[q], sizeof *lanes->potential[q]);
    return located->cut_off_count + other->cut_off_count > 0 ? sort_located(&by, located, error) : MACADAM_OK;
}
