/* arc_index.c - see arc_index.h. */
#include "engine/file/arc_index.h"

#include "engine/base/grow.h"
#include "engine/base/watch.h"

#include <stdlib.h>

enum {
    FEW_PART = 64, /* more numbers than one in this many arcs are many */
    PASSES = 16,   /* take as long as the index of all numbers (New York) */
};

static size_t slot_of(const mcd_arc_index *index, uint64_t number)
{
    if (!index->number) return number < index->slot_count ? (size_t)number : index->slot_count;
    const size_t slot = mcd_lower_bound_u64(index->number, 0, index->slot_count, number);
    return slot < index->slot_count && index->number[slot] == number ? slot : index->slot_count;
}

mcd_arc_copies mcd_arc_index_of(const mcd_arc_index *index, uint64_t number)
{
    const size_t slot = slot_of(index, number);
    if (slot == index->slot_count) return (mcd_arc_copies){NULL, 0};
    return (mcd_arc_copies){index->arc + index->first[slot], index->first[slot + 1] - index->first[slot]};
}

/* The arcs to file: all, or those that were found. */
typedef struct filed_arcs {
    const uint32_t *arc; /* [count]; NULL: 0 .. count - 1 */
    size_t count;
} filed_arcs;

/* Returns the slot of the i-th arc; slot_count: it has none. */
static size_t slot_at(const mcd_arc_index *index, const mcd_roads *roads, const filed_arcs *of, size_t i,
                      uint32_t *arc)
{
    *arc = of->arc ? of->arc[i] : (uint32_t)i;
    return slot_of(index, mcd_arc_number(roads->facts, *arc));
}

/* Files the arcs that departures use first (pass 0), then their copies (pass 1). Moves the first of each slot to that of
 * the next one. `departs`: of all arcs. */
static macadam_status file_pass(mcd_arc_index *index, const mcd_roads *roads, const filed_arcs *of,
                                const mcd_node *departs, int pass, macadam_error *error)
{
    uint32_t arc;
    for (size_t i = 0; i < of->count; ++i) {
        const size_t slot = slot_at(index, roads, of, i, &arc);
        MCD_TRY(mcd_watch_item(NULL, i, of->count, error));
        if (slot == index->slot_count) continue;
        const bool is_first = departs ? departs[arc] != MCD_NODE_NONE
                                      : mcd_road_departs(roads, mcd_road_tail(roads->graph, arc), arc);
        if (is_first == (pass == 0)) index->arc[index->first[slot + 1]++] = arc;
    }
    return MACADAM_OK;
}

static macadam_status file_arcs(mcd_arc_index *index, const mcd_roads *roads, const filed_arcs *of,
                                const mcd_node *departs, macadam_error *error)
{
    uint32_t arc;
    MCD_TRY(MCD_NEW_ZEROED(index->first, index->slot_count + 2, error));
    MCD_TRY(MCD_NEW(index->arc, of->count, error));
    for (size_t i = 0; i < of->count; ++i) {
        const size_t slot = slot_at(index, roads, of, i, &arc);
        MCD_TRY(mcd_watch_item(NULL, i, of->count, error));
        if (slot < index->slot_count) ++index->first[slot + 2];
    }
    for (size_t slot = 0; slot < index->slot_count; ++slot) index->first[slot + 2] += index->first[slot + 1];
    for (int pass = 0; pass < 2; ++pass) MCD_TRY(file_pass(index, roads, of, departs, pass, error));
    return MACADAM_OK;
}

macadam_status mcd_arc_index_make(mcd_arc_index *index, const mcd_roads *roads, macadam_error *error)
{
    MCD_OWNED mcd_node *departs = NULL;
    const filed_arcs all = {NULL, roads->graph->arc_count};
    MCD_FREED_BY(mcd_arc_index_free) mcd_arc_index made = {.slot_count = all.count + 1};
    if (index->first) return MACADAM_OK;
    MCD_TRY(mcd_road_departures(&departs, roads, error));
    MCD_TRY(file_arcs(&made, roads, &all, departs, error));
    while (made.slot_count > 0 && made.first[made.slot_count - 1] == made.first[made.slot_count])
        --made.slot_count;
    return MCD_MOVE(*index, made);
}

/* ---- few numbers ---- */

MCD_DEFINE_COMPARE(compare_numbers, uint64_t, )

/* Lists the arcs that have a number of the index. */
static macadam_status list_arcs(uint32_t **arc, size_t *count, const mcd_arc_index *index,
                                const mcd_roads *roads, macadam_error *error)
{
    const uint32_t arc_count = roads->graph->arc_count;
    const uint64_t least = index->number[0], span = index->number[index->slot_count - 1] - least;
    size_t capacity = 0;
    MCD_OWNED uint64_t *marked = NULL; /* a bit of each number */
    MCD_TRY(MCD_NEW_ZEROED(marked, arc_count / 64 + (size_t)1, error));
    for (size_t slot = 0; slot < index->slot_count; ++slot)
        if (index->number[slot] <= arc_count)
            marked[index->number[slot] / 64] |= UINT64_C(1) << index->number[slot] % 64;
    for (uint32_t i = 0; i < arc_count; ++i) {
        const uint64_t number = mcd_arc_number(roads->facts, i);
        MCD_TRY(mcd_watch_item(NULL, i, arc_count, error));
        if (number - least > span || number > arc_count || !(marked[number / 64] >> number % 64 & 1))
            continue;
        MCD_TRY(MCD_GROW(*arc, capacity, *count + 1, error));
        (*arc)[(*count)++] = i;
    }
    return MACADAM_OK;
}

static macadam_status make_few(mcd_arc_index *few, const mcd_roads *roads, const uint64_t *number,
                               size_t count, macadam_error *error)
{
    MCD_OWNED uint32_t *arc = NULL;
    filed_arcs found = {NULL, 0};
    MCD_TRY(MCD_NEW(few->number, count, error));
    memcpy(few->number, number, count * sizeof *number);
    qsort(few->number, count, sizeof *number, compare_numbers);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || few->number[i] != few->number[few->slot_count - 1])
            few->number[few->slot_count++] = few->number[i];
    if (count > 0) MCD_TRY(list_arcs(&arc, &found.count, few, roads, error));
    found.arc = arc;
    return file_arcs(few, roads, &found, NULL, error);
}

bool mcd_arc_index_is_few(const mcd_arc_index *whole, size_t arc_count, size_t count)
{
    return !whole->first && whole->pass_count < PASSES && count <= arc_count / FEW_PART;
}

macadam_status mcd_arc_index_find(const mcd_arc_index **out, mcd_arc_index *whole, mcd_arc_index *few,
                                  const mcd_roads *roads, const uint64_t *number, size_t count,
                                  macadam_error *error)
{
    const bool is_few = mcd_arc_index_is_few(whole, roads->graph->arc_count, count);
    whole->pass_count += is_few;
    *out = is_few ? few : whole;
    return is_few ? make_few(few, roads, number, count, error) : mcd_arc_index_make(whole, roads, error);
}

MCD_DEFINE_FREE(mcd_arc_index_free, mcd_arc_index, it->number, it->first, it->arc)
