/* restriction.h - turn restriction relations: from a way over a node into a way, forbidden or the only way
 * on. */
#ifndef MCD_RESTRICTION_H
#define MCD_RESTRICTION_H

#include "importers/osm_file.h"
#include "importers/profile.h"
#include "importers/segment.h"
#include "importers/turn.h"

/* What became of a relation of type=restriction. */
typedef enum mcd_restriction_fate {
    MCD_RESTRICTION_APPLIED,
    MCD_RESTRICTION_EXCEPTED,  /* the profile is free of it, or it is for others alone */
    MCD_RESTRICTION_CONDITION, /* it holds at times: ignored */
    MCD_RESTRICTION_VIA_WAY,   /* over a way: not supported */
    MCD_RESTRICTION_MEMBERS,   /* not exactly one from, via and to: malformed or not supported */
    MCD_RESTRICTION_KIND,      /* neither no_ nor only_ */
    MCD_RESTRICTION_OFF_MAP,   /* its ways do not meet on the map */
    MCD_RESTRICTION_FATES      /* how many there are */
} mcd_restriction_fate;

typedef struct mcd_restriction {
    int64_t from, via, to; /* way, node, way */
    bool only, u_turn;
} mcd_restriction;

typedef struct mcd_restrictions {
    mcd_restriction *restriction;
    size_t count, capacity;
    uint64_t fate_count[MCD_RESTRICTION_FATES];
} mcd_restrictions;

/* Takes up the relation if it is a turn restriction for the profile. `restrictions` begins zeroed. */
macadam_status mcd_restrictions_add(mcd_restrictions *restrictions, const mcd_profile *profile,
                                    const mcd_osm_relation *relation, macadam_error *error);

/* Adds the forbidden turns of all restrictions on `map`, which is not split yet, to `turns`, and counts the
 * applied ones. Where the from way goes on beyond the node, both of its arcs that arrive are meant; likewise
 * the to way. */
macadam_status mcd_restrictions_forbid(mcd_restrictions *restrictions, const mcd_map *map,
                                       const mcd_segments *segments, mcd_turns *turns, macadam_error *error);

void mcd_restrictions_free(mcd_restrictions *restrictions);

#endif
