/* check_place.c - see check.h: the rules of the snap index. */
#include "engine/check_rule.h"

#include "engine/memory.h"

#include <stdatomic.h>

enum { BRANCH_LEVEL = 6, BRANCHES = 1 << BRANCH_LEVEL };

typedef struct snap_tree {
    const mcd_place_index *index;
    _Atomic uint64_t *mark; /* a bit a node */
} snap_tree;

static inline uint64_t bit_of(mcd_node node)
{
    return UINT64_C(1) << node % 64;
}

/* No rule: marks every node that an id departs from. */
static size_t mark_departs(const void *argument, size_t first, size_t last)
{
    const snap_tree *tree = argument;
    for (size_t i = first; i < last; ++i) {
        const mcd_node node = tree->index->depart[i];
        atomic_fetch_or_explicit(&tree->mark[node / 64], bit_of(node), memory_order_relaxed);
    }
    return last;
}

/* Takes each node's mark: there are as many as elements, so the elements are the departs in another order. */
static size_t take_marks(const void *argument, size_t first, size_t last)
{
    const snap_tree *tree = argument;
    for (; first < last; ++first) {
        const mcd_node node = tree->index->snap_node[first];
        if (node >= tree->index->node_count) return first;
        const uint64_t bit = bit_of(node);
        if (!(atomic_fetch_and_explicit(&tree->mark[node / 64], ~bit, memory_order_relaxed) & bit))
            return first;
    }
    return first;
}

typedef struct snap_range {
    size_t first, last;
    unsigned axis;           /* 0: longitude */
    int32_t low[2], high[2]; /* of the coordinates, by axis */
} snap_range;

static inline bool is_outside(const mcd_place_index *index, size_t i, const snap_range *range)
{
    const mcd_node node = index->snap_node[i];
    const int32_t lon = index->lon_e7[node], lat = index->lat_e7[node];
    return lon < range->low[0] || lon > range->high[0] || lat < range->low[1] || lat > range->high[1];
}

/* The lower (side 0) or higher half of a range that is not empty. */
static inline snap_range half_of(const mcd_place_index *index, snap_range range, size_t side)
{
    const size_t middle = mcd_place_middle(range.first, range.last);
    const int32_t *coordinate = range.axis == 0 ? index->lon_e7 : index->lat_e7;
    const int32_t cut = coordinate[index->snap_node[middle]];
    if (side)
        range.first = middle + 1, range.low[range.axis] = cut;
    else
        range.last = middle, range.high[range.axis] = cut;
    range.axis = !range.axis;
    return range;
}

/* Looks at all of a range; returns whether it found a node that is outside. */
static bool find_outside(const mcd_place_index *index, snap_range range, size_t *bad)
{
    while (range.last - range.first > MCD_PLACE_LEAF) {
        *bad = mcd_place_middle(range.first, range.last);
        if (is_outside(index, *bad, &range) || find_outside(index, half_of(index, range, 0), bad))
            return true;
        range = half_of(index, range, 1);
    }
    for (*bad = range.first; *bad < range.last; ++*bad)
        if (is_outside(index, *bad, &range)) return true;
    return false;
}

/* The nodes from the root down to a subtree BRANCH_LEVEL below it, and all of that subtree. */
static bool branch_rule(const void *argument, size_t branch, mcd_finding *out)
{
    const mcd_place_index *index = argument;
    snap_range range = {0, index->id_count, 0, {INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX}};
    size_t bad = 0;
    bool found = false;
    for (unsigned bit = BRANCH_LEVEL; bit-- > 0 && !found && range.last - range.first > MCD_PLACE_LEAF;) {
        bad = mcd_place_middle(range.first, range.last);
        found = is_outside(index, bad, &range);
        range = half_of(index, range, branch >> bit & 1);
    }
    if (!found && !find_outside(index, range, &bad)) return false;
    return mcd_broken(out, "snap_node", bad, index->snap_node[bad], "in the wrong half of its tree");
}
MCD_SCAN_OF(branch_rule)

macadam_status mcd_check_places(const mcd_check *check, const mcd_place_index *index)
{
    MCD_TRY(mcd_check_range(check, "lon_e7", index->lon_e7, index->node_count, MCD_LON_MAX_E7));
    MCD_TRY(mcd_check_range(check, "lat_e7", index->lat_e7, index->node_count, MCD_LAT_MAX_E7));
    snap_tree tree = {.index = index};
    MCD_TRY(MCD_NEW_ZEROED(tree.mark, index->node_count / 64 + 1, check->error));
    mcd_check_scan(check, mark_departs, &tree, index->id_count);
    size_t bad = mcd_check_scan(check, take_marks, &tree, index->id_count);
    mcd_free(tree.mark);
    mcd_finding found;
    if (bad < index->id_count) {
        mcd_broken(&found, "snap_node", bad, index->snap_node[bad],
                   "no node that an id departs from, or twice");
        return mcd_check_fail(check, "", &found);
    }
    bad = mcd_check_parts(check, branch_rule_scan, index, BRANCHES, BRANCHES);
    if (bad == BRANCHES || !branch_rule(index, bad, &found)) return MACADAM_OK;
    return mcd_check_fail(check, "", &found);
}
