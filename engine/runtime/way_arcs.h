/* way_arcs.h - finds arcs by the OSM way on which they lie. */
#ifndef MCD_ENGINE_RUNTIME_WAY_ARCS_H
#define MCD_ENGINE_RUNTIME_WAY_ARCS_H

#include "engine/map/road.h"

/* An arc of a way; `from` and `to` are where it begins and ends, as positions among the ids. */
typedef struct mcd_way_arc {
    int64_t way;
    uint64_t number;
    uint32_t from, to;
    bool against;
} mcd_way_arc;

/* Arcs by ascending way. Those that lead in its direction come first, then those against it; each of the two
 * in the order of travel. All zero = empty. */
typedef struct mcd_way_arcs {
    mcd_way_arc *arc; /* [count] */
    size_t count;
} mcd_way_arcs;

/* Some arcs of a way in the order of travel: `count` of arc[group .. group + group_count), from `first` on; after
 * the last arc of the group comes its first, because ways may be closed. */
typedef struct mcd_way_stretch {
    size_t group, group_count, first, count;
} mcd_way_stretch;

/* Returns the i-th arc of a stretch. */
static inline const mcd_way_arc *mcd_way_stretch_arc(const mcd_way_arcs *arcs, const mcd_way_stretch *stretch,
                                                     size_t i)
{
    return &arcs->arc[stretch->group + (stretch->first - stretch->group + i) % stretch->group_count];
}

/* Makes the arcs, unless they exist. Returns E_MEMORY. Free them with mcd_way_arcs_free. Time: a sort. */
macadam_status mcd_way_arcs_make(mcd_way_arcs *out, const mcd_roads *roads, macadam_error *error);
void mcd_way_arcs_free(mcd_way_arcs *arcs);

/* Finds all arcs of a way. direction: 1 along it, -1 against it, 0 both. There may be none. */
mcd_way_stretch mcd_way_arcs_along(const mcd_way_arcs *arcs, int64_t way, int direction);

/* Finds the fewest arcs of a way that lead from one position among the ids to another, in either direction.
 * There may be none. */
mcd_way_stretch mcd_way_arcs_between(const mcd_way_arcs *arcs, int64_t way, size_t from, size_t to);

#endif
