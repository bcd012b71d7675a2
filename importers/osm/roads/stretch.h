/* stretch.h - the stretches of ways from one junction to the next. */
#ifndef MCD_IMPORTERS_OSM_ROADS_STRETCH_H
#define MCD_IMPORTERS_OSM_ROADS_STRETCH_H

#include "importers/osm/roads/point.h"
#include "importers/osm/roads/way.h"

typedef struct mcd_stretches {
    const mcd_ways *ways;
    mcd_points *points;
    mcd_report *report;
    uint8_t *use;      /* [point count] places of ways that have it: 0, 1, or 2 = junction */
    mcd_node *node;    /* [point count] of a junction, or where one waits; MCD_NODE_NONE elsewhere */
    size_t node_count; /* nodes ascend by id, as points do */
    bool has_waits;    /* somewhere */
} mcd_stretches;

/* One stretch of a way: from the node at reference `first` to that at `last`. */
typedef struct mcd_stretch {
    const mcd_way *way;
    size_t first, last;
} mcd_stretch;

/* Finds the nodes: points that several places of ways share, where a way ends or is cut, that are blocked,
 * or where one waits. The arrays are the arena's. Returns E_MEMORY, E_CANCELLED. */
macadam_status mcd_stretches_new(mcd_stretches *out, mcd_arena *arena, const mcd_ways *ways,
                                 mcd_points *points, mcd_report *report, mcd_watch *watch,
                                 macadam_error *error);

/* Before the first stretch of a way, for mcd_stretch_next, which moves to the next one; false after the
 * last one. */
mcd_stretch mcd_stretch_before(const mcd_stretches *stretches, size_t way);
bool mcd_stretch_next(const mcd_stretches *stretches, mcd_stretch *stretch);

/* Whether the point of a reference is there. */
static inline bool mcd_stretches_has(const mcd_stretches *stretches, size_t ref)
{
    return stretches->points->state[stretches->ways->point[ref]] & MCD_POINT_PRESENT;
}

/* Metres from one reference straight to another; along the way from `first` to `last`; and along a whole
 * way, 0 if it lacks points. */
double mcd_stretches_piece_m(const mcd_stretches *stretches, size_t from, size_t to);
double mcd_stretches_length_m(const mcd_stretches *stretches, size_t first, size_t last);
double mcd_stretches_way_m(const mcd_stretches *stretches, const mcd_way *way);

#endif
