/* matrix_targets.c - see matrix_targets.h. */
#include "kernels/cpu/pairwise/matrix_targets.h"

#include "engine/base/memory.h"

#include <stdlib.h>

MCD_DEFINE_COMPARE(compare_keys, uint64_t, )

static const mcd_lane *first_of(const sorted_lanes *places, size_t place)
{
    return places->given + (places->first ? places->first[place] - places->first[0] : place);
}

macadam_status mcd_sorted_lanes_new(sorted_lanes *out, const mcd_lane *lane, const size_t *first,
                                    size_t count, macadam_error *error)
{
    MCD_OWNED uint64_t *key = NULL; /* the node, then the index: equal nodes keep the caller's order */
    MCD_FREED_BY(mcd_sorted_lanes_free) sorted_lanes made = {.given = lane, .first = first};
    *out = (sorted_lanes){0};
    MCD_TRY(MCD_NEW(key, count, error));
    MCD_TRY(MCD_NEW(made.origin, count, error));
    MCD_TRY(MCD_NEW(made.lane, count, error));
    for (size_t i = 0; i < count; ++i)
        key[i] = (uint64_t)first_of(&made, i)->seed[0].node << 32 | (uint32_t)i;
    qsort(key, count, sizeof *key, compare_keys);
    for (size_t i = 0; i < count; ++i) {
        made.origin[i] = (uint32_t)key[i];
        made.lane[i] = *first_of(&made, made.origin[i]);
        if (made.lane[i].seed[0].node != MCD_NODE_NONE) made.count = i + 1;
    }
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_sorted_lanes_free, sorted_lanes, it->origin, it->lane)

void mcd_matrix_targets_free(mcd_matrix_targets *targets)
{
    if (!targets) return;
    mcd_sorted_lanes_free(&targets->sorted);
    MCD_FREE_ALL(targets->slot, targets->first_panel, targets->first_row, targets->label, targets->panel,
                 targets);
}
