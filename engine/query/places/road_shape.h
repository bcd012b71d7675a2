/* road_shape.h - arcs as people see them: the ids of their ends, their number, way and name, and the points
 * of their line. */
#ifndef MCD_ENGINE_QUERY_PLACES_ROAD_SHAPE_H
#define MCD_ENGINE_QUERY_PLACES_ROAD_SHAPE_H

#include "engine/base/arena.h"
#include "engine/runtime/load.h"

/* The points of many roads, one after another; without coordinates there are none. Facts must be loaded. */
typedef struct mcd_shape {
    double *lon, *lat,
        *height_m; /* in the arena from which they were allocated; height_m: NULL = not wanted */
    size_t count, capacity;
    mcd_road_lengths lengths; /* of the arc that was cut last: consecutive legs often share one */
} mcd_shape;

/* Returns whether the arc is one of the source's, not one that joins the copies of a split junction. */
static inline bool mcd_arc_is_road(const macadam_engine *engine, uint32_t arc)
{
    return mcd_arc_original(&engine->facts, arc) != MCD_ROAD_NONE;
}

/* Returns how many points an arc has, including its end nodes. */
size_t mcd_road_shape_point_count(const macadam_engine *engine, uint32_t arc);

/* Makes room for `capacity` points; for their heights, too, only if the caller then makes room for them. */
macadam_status mcd_shape_new(mcd_shape *out, mcd_arena *arena, size_t capacity, macadam_error *error);

/* Describes the part of the arc from `tail` between two of its 2^-32ths (0 and MCD_ROAD_WHOLE: all of it),
 * and appends its points, for which there must be room. */
macadam_road mcd_road_shape_describe(const macadam_engine *engine, uint32_t arc, mcd_node tail, uint64_t from,
                                     uint64_t to, mcd_shape *shape);

#endif
