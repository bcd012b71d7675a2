/* bearing.h - directions and lengths of arcs, and turns between them. */
#ifndef MCD_ENGINE_GUIDE_BEARING_H
#define MCD_ENGINE_GUIDE_BEARING_H

#include "engine/map/road.h"

/* A look along a road from a point, over some metres. */
typedef struct mcd_look {
    double east, north; /* how far it has come, in 1e-7 degrees */
    double left_m;      /* not above 0: it ends */
} mcd_look;

/* Begins a look along a road of a kind; NULL: of none. Then goes straight on from one point to the next. The direction is
 * in degrees clockwise from north, 0 to 360. */
mcd_look mcd_look_at(const mcd_kind *kind);
void mcd_look_along(mcd_look *look, mcd_point from, mcd_point to);
double mcd_look_bearing(const mcd_look *look, mcd_point first);

/* A walk along an arc's points, from either end, and on along a road where only two meet. */
typedef struct mcd_arc_walk {
    const mcd_roads *roads;
    /* Returns how many roads meet at an id; NULL: the walk ends with the arc. */
    uint32_t (*count_roads)(const mcd_roads *roads, size_t id);
    mcd_node tail;
    uint32_t arc;
    bool backward;
} mcd_arc_walk;

/* Returns the direction from the first point to where some metres have been walked, or to the end: degrees
 * clockwise from north, 0 to 360. */
double mcd_arc_walk_bearing(mcd_arc_walk walk);

/* Returns the direction in which an arc leaves its tail, or comes to its head. */
double mcd_bearing_after(const mcd_roads *roads, uint32_t arc);
double mcd_bearing_before(const mcd_roads *roads, uint32_t arc);

/* Returns the direction from one node to another, and how far it is, to half a percent. */
double mcd_bearing_to(const mcd_roads *roads, mcd_node from, mcd_node to);
double mcd_bearing_metres(const mcd_roads *roads, mcd_node from, mcd_node to);

/* Returns by how much `after` is to the right of `before`, in degrees: -180 < turn <= 180. They differ by less than
 * 540. */
static inline double mcd_turn(double before, double after)
{
    const double turn = after - before;
    return turn > 180 ? turn - 360 : turn <= -180 ? turn + 360 : turn;
}

/* Returns 1 for a direction to the right, -1 for one to the left, and 0 for others. */
static inline int mcd_modifier_side(macadam_modifier modifier)
{
    if (modifier >= MACADAM_MODIFIER_SHARP_RIGHT && modifier <= MACADAM_MODIFIER_SLIGHT_RIGHT) return 1;
    return modifier >= MACADAM_MODIFIER_SLIGHT_LEFT ? -1 : 0;
}

/* Returns the length of an arc that leaves `tail`, to half a percent. */
double mcd_arc_metres(const mcd_roads *roads, mcd_node tail, uint32_t arc);

#endif
