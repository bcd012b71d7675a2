/* restriction.h - turn restriction relations: from a way over a node or over ways into a way, forbidden or
 * the only way on. */
#ifndef MCD_IMPORTERS_OSM_TURNS_RESTRICTION_H
#define MCD_IMPORTERS_OSM_TURNS_RESTRICTION_H

#include "importers/osm/roads/segment.h"
#include "importers/osm/turns/turn.h"

/* The outcome of reading a relation of type=restriction, or type=restriction:MODE: an MCD_RESTRICTION_... of report.h. */
typedef mcd_report_kind mcd_restriction_fate;

/* Where the turn goes, as its value says. */
typedef enum mcd_restriction_turn {
    MCD_RESTRICTION_ANYWHERE, /* no_entry, no_exit, or several values */
    MCD_RESTRICTION_LEFT,
    MCD_RESTRICTION_RIGHT,
    MCD_RESTRICTION_STRAIGHT,
    MCD_RESTRICTION_BACK,
} mcd_restriction_turn;

/* Its members are member[first ..]: from ways, then via (a node, or ways in any order; none: the node where
 * the first from way and the first to way meet, if there is one such node), then to ways. */
typedef struct mcd_restriction {
    int64_t id; /* of the relation: it may have several, of which the last one is reported */
    size_t first;
    uint32_t from_count, via_count, to_count; /* no_entry has several from, no_exit several to */
    bool via_ways, only;
    mcd_restriction_turn turn;
    uint32_t period; /* it holds at the times of period[period - 1]; 0: always */
    bool opens;      /* it holds at all others instead, and at no particular time */
} mcd_restriction;

typedef struct mcd_restrictions {
    mcd_restriction *restriction;
    int64_t *member;
    mcd_period *period; /* [period_count] */
    size_t count, capacity, member_count, member_capacity, period_count, period_capacity;
} mcd_restrictions;

/* Whether these are the tags of a turn restriction. */
bool mcd_restrictions_want(const mcd_tags *tags);

/* Takes up the relation if it is a turn restriction for the profile. `restrictions` begins zeroed. */
macadam_status mcd_restrictions_add(mcd_restrictions *restrictions, mcd_report *report,
                                    const mcd_profile *profile, const mcd_osm_relation *relation,
                                    macadam_error *error);

/* Adds what all restrictions forbid on `map`, which is not split yet, to `turns`, and reports each. Each holds on its own. Where the from way or the to way goes on beyond the via, the angles of the
 * turns decide which of their arcs are meant; a ban on U-turns means both sides. An only_ over ways is kept
 * from its from way to its to way: it may not be left between. */
macadam_status mcd_restrictions_forbid(const mcd_restrictions *restrictions, mcd_report *report, mcd_map *map,
                                       const mcd_segments *segments, mcd_turns *turns, mcd_watch *watch,
                                       macadam_error *error);

void mcd_restrictions_free(mcd_restrictions *restrictions);

#endif
