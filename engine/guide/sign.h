/* sign.h - what roads tell a driver: names that change, how important a road is, what kind of travel it
 * is. */
#ifndef MCD_ENGINE_GUIDE_SIGN_H
#define MCD_ENGINE_GUIDE_SIGN_H

#include "engine/include/macadam.h"
#include "engine/map/road.h"

/* Returns what a kind says. */
static inline const char *mcd_sign_text(const mcd_arc_facts *facts, const mcd_kind *kind, mcd_kind_text text)
{
    return facts->names + kind->text[text];
}

/* Returns whether a driver who goes straight on from one road to another would say that its name changes: not
 * if a ref is merely added, or only a suffix ("North") differs. */
bool mcd_sign_changes(const mcd_arc_facts *facts, const mcd_kind *from, const mcd_kind *to);
/* Returns whether both roads have one name, or one ref. */
bool mcd_sign_stays(const mcd_arc_facts *facts, const mcd_kind *from, const mcd_kind *to);

/* Returns how important a road is: 0 for a motorway, two more for each class below, and one more for links;
 * MCD_RANK_PATH for what no motor traffic uses. */
enum { MCD_RANK_SERVICE = 14, MCD_RANK_PATH = 18 };
int mcd_sign_rank(const mcd_arc_facts *facts, const mcd_kind *kind);

/* Returns whether it is a ramp of a motorway or a trunk road; whether it is such a road itself. */
bool mcd_sign_is_ramp(const mcd_arc_facts *facts, const mcd_kind *kind);
bool mcd_sign_is_motorway(const mcd_arc_facts *facts, const mcd_kind *kind);

macadam_mode mcd_sign_mode(const mcd_kind *kind);

static inline bool mcd_sign_is_ring(const mcd_kind *kind)
{
    return kind->flags & (MACADAM_ROAD_ROUNDABOUT | MACADAM_ROAD_CIRCULAR);
}

#endif
