/* sign.h - what a driver knows of roads: names that change, how important a road is, what kind of travel it
 * is. */
#ifndef MCD_ENGINE_GUIDE_SIGN_H
#define MCD_ENGINE_GUIDE_SIGN_H

#include "engine/map/road.h"

#include <stdatomic.h>

/* A road as a driver sees it. */
typedef struct mcd_sign {
    /* How important it is: 0 for a motorway, two more for each class below, and one more for links; MCD_RANK_PATH for
     * what no motor traffic uses. */
    uint8_t rank;
    uint8_t mode;              /* macadam_mode: how one travels it */
    bool is_ramp, is_motorway; /* of a motorway or a trunk road; such a road itself */
} mcd_sign;
enum { MCD_RANK_SERVICE = 14, MCD_RANK_PATH = 18 };

typedef struct mcd_signs {
    const mcd_arc_facts *facts;
    mcd_sign *of_kind; /* of each kind of road on the map */
    /* Pairs of names that were compared: the smaller number in the upper half if they mean one road, else the larger. */
    _Atomic uint64_t *compared;
} mcd_signs;

/* Returns E_MEMORY if there is no room. */
macadam_status mcd_signs_new(mcd_signs *out, const mcd_roads *roads, macadam_error *error);
void mcd_signs_free(mcd_signs *signs);
/* Returns whether OpenStreetMap knows roads of this class, on the map or not. */
bool mcd_sign_is_class(const char *name);

/* Returns what a kind says. */
static inline const char *mcd_sign_text(const mcd_arc_facts *facts, const mcd_kind *kind, mcd_kind_text text)
{
    return facts->names + kind->text[text];
}

/* Returns whether a driver who goes straight on from one road to another would say that its name changes: that another
 * name or ref comes, also where there was none; not if it only ends, a ref is added, or a suffix ("North") differs. */
bool mcd_sign_changes(const mcd_signs *signs, const mcd_kind *from, const mcd_kind *to);
/* Returns whether texts of two kinds, names or refs that differ, nevertheless mean one road. */
bool mcd_sign_agree(const mcd_signs *signs, const mcd_kind *from, const mcd_kind *to, mcd_kind_text text);

/* Returns whether both roads have one name, or one ref. */
static inline bool mcd_sign_stays(const mcd_signs *signs, const mcd_kind *from, const mcd_kind *to)
{
    const mcd_kind_text text =
        from->text[MCD_KIND_NAME] && to->text[MCD_KIND_NAME] ? MCD_KIND_NAME : MCD_KIND_REF;
    if (from->text[text] == to->text[text]) return from->text[text] != 0; /* the usual case */
    return from->text[text] && to->text[text] && mcd_sign_agree(signs, from, to, text);
}

static inline bool mcd_sign_is_ring(const mcd_kind *kind)
{
    return kind->flags & (MACADAM_ROAD_ROUNDABOUT | MACADAM_ROAD_CIRCULAR);
}

#endif
