/* incidence.c - see incidence.h. A counting sort. */
#include "importers/base/incidence.h"

macadam_status mcd_incidence_new(mcd_incidence *out, mcd_arena *arena, size_t node_count, const mcd_node *end,
                                 size_t arc_count, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(MCD_ARENA_NEW_ZEROED(arena, out->first, node_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(arena, out->arc, arc_count, error));
    for (size_t arc = 0; arc < arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        ++out->first[end[arc]];
    }
    for (size_t node = 1; node <= node_count; ++node) out->first[node] += out->first[node - 1];
    for (size_t arc = arc_count; arc-- > 0;) {
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        out->arc[--out->first[end[arc]]] = arc; /* down to the list's begin */
    }
    return MACADAM_OK;
}
