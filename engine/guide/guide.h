/* guide.h - the instructions for a driver along a leg of a route.
 *
 * Method: a compiler in passes over a list of maneuvers, one before each arc of the leg. turns.c reads the
 * junctions and decides by angles, classes and names where an instruction is needed; roundabouts.c joins the
 * arcs of a roundabout; relations.c takes what mappers say of maneuvers; collapse.c joins turns that are one for
 * a person; names.c decides which names are announced; lanes.c finds the lanes. Then mcd_steps_write (steps.c)
 * makes steps of the instructions. */
#ifndef MCD_ENGINE_GUIDE_GUIDE_H
#define MCD_ENGINE_GUIDE_GUIDE_H

#include "engine/base/arena.h"
#include "engine/guide/junction.h"

/* How many junctions are looked at along a road, or from a maneuver on: some maps have roads of no length. */
enum { MCD_GUIDE_JUNCTIONS_MAX = 16 };

/* An arc of the leg. */
typedef struct mcd_guide_arc {
    uint32_t arc;
    mcd_node head;
    const mcd_kind *kind;
    const mcd_sign *sign; /* of the kind */
    bool ends_within;     /* the leg ends, or turns back, before the arc does */
} mcd_guide_arc;

/* The maneuver before an arc, or after the last one. */
typedef struct mcd_maneuver {
    mcd_junction junction; /* no roads where the leg begins, ends or turns back within one */
    double after;          /* the direction of travel, in degrees: 0 to 360 */
    macadam_maneuver_type type;
    macadam_modifier modifier;
    uint32_t exit; /* of a roundabout */
    bool told;
    bool is_said; /* by a relation, or the leg turns back within a road: it is as it should be */
    uint8_t lane_count;
    const mcd_kind *kind; /* of the road that the instruction names */
    macadam_lane *lane;   /* [lane_count] */
} mcd_maneuver;

typedef struct mcd_guide {
    mcd_junction_source source;
    mcd_arena *arena;
    bool drives_left;
    const mcd_guide_arc *arc; /* [arc_count] at least one */
    size_t arc_count;
    mcd_maneuver *maneuver; /* [arc_count + 1] */
} mcd_guide;

/* Reads the junctions of the leg and runs the passes. guide->maneuver is made here; the rest of `guide` is
 * given. `starts`: the leg begins at a node. Returns E_MEMORY. */
macadam_status mcd_guide_leg(mcd_guide *guide, bool starts, macadam_error *error);

/* The passes, in their order. */
void mcd_guide_turns(mcd_guide *guide);
void mcd_guide_roundabouts(mcd_guide *guide);
void mcd_guide_relations(mcd_guide *guide);
void mcd_guide_collapse(mcd_guide *guide);
void mcd_guide_names(mcd_guide *guide);
macadam_status mcd_guide_lanes(mcd_guide *guide, macadam_error *error);

/* Returns the next maneuver that is announced after number `i`, or arc_count. */
static inline size_t mcd_guide_next(const mcd_guide *guide, size_t i)
{
    const mcd_maneuver *const maneuver = guide->maneuver;
    for (++i; i < guide->arc_count && !maneuver[i].told;) ++i;
    return i;
}

/* Returns the length of an arc of the leg, to half a percent. */
static inline double mcd_guide_metres(const mcd_guide *guide, size_t i)
{
    return mcd_junctions_metres(guide->source.junctions, guide->arc[i].arc);
}

static inline const mcd_signs *mcd_guide_signs(const mcd_guide *guide)
{
    return &guide->source.junctions->signs;
}

/* Returns the direction of a turn, in degrees to the right. */
macadam_modifier mcd_guide_modifier(double turn);

#endif
