/* restriction.h - turn restriction relations: from a way over a node or over ways into a way, forbidden or
 * the only way on. */
#ifndef MCD_IMPORTERS_OSM_TURNS_RESTRICTION_H
#define MCD_IMPORTERS_OSM_TURNS_RESTRICTION_H

#include "importers/osm/read/osm_file.h"
#include "importers/osm/rules/profile.h"
#include "importers/osm/roads/segment.h"
#include "importers/osm/turns/turn.h"

/* The outcome of reading a relation of type=restriction, or type=restriction:MODE. */
typedef enum mcd_restriction_fate {
    MCD_RESTRICTION_APPLIED,
    MCD_RESTRICTION_EXCEPTED, /* the profile is free of it, or it is only for others */
    MCD_RESTRICTION_TIMED,    /* applied: it holds in slots of the week */
    MCD_RESTRICTION_CONDITION, /* it holds at times that a week cannot express, or cannot be applied: ignored */
    MCD_RESTRICTION_ON_RED,    /* it holds while a light is red */
    MCD_RESTRICTION_MEMBERS,   /* not one from, one to, and at most one node, or some ways, as via */
    MCD_RESTRICTION_KIND,      /* a value that the OpenStreetMap wiki does not define */
    MCD_RESTRICTION_CLOSED,    /* one of its roads is closed to the profile, or not in the file */
    MCD_RESTRICTION_NEEDLESS, /* one-way streets rule the turn out already */
    MCD_RESTRICTION_OFF_MAP,  /* its ways do not meet on the map */
    MCD_RESTRICTION_AMBIGUOUS, /* a way goes on beyond the via, and the angles do not show which side is meant */
    MCD_RESTRICTION_TANGLED, /* its via ways are too long, or cross too often, to be followed */
    MCD_RESTRICTION_FATES    /* how many there are */
} mcd_restriction_fate;

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
    size_t first;
    uint32_t from_count, via_count, to_count; /* no_entry has several from, no_exit several to */
    bool via_ways, only;
    mcd_restriction_turn turn;
    uint32_t week; /* it holds in week[week - 1]; 0: always */
} mcd_restriction;

typedef struct mcd_restrictions {
    mcd_restriction *restriction;
    int64_t *member;
    mcd_week *week; /* [week_count] */
    size_t count, capacity, member_count, member_capacity, week_count, week_capacity;
    uint64_t fate_count[MCD_RESTRICTION_FATES];
} mcd_restrictions;

/* Whether these are the tags of a turn restriction. */
bool mcd_restrictions_want(const mcd_tags *tags);

/* Takes up the relation if it is a turn restriction for the profile. `restrictions` begins zeroed. */
macadam_status mcd_restrictions_add(mcd_restrictions *restrictions, const mcd_profile *profile,
                                    const mcd_osm_relation *relation, macadam_error *error);

/* Adds what all restrictions forbid on `map`, which is not split yet, to `turns`, and counts the applied
 * ones. Each holds on its own. Where the from way or the to way goes on beyond the via, the angles of the
 * turns decide which of their arcs are meant; a ban on U-turns means both sides. An only_ over ways is kept
 * from its from way to its to way: it may not be left between. */
macadam_status mcd_restrictions_forbid(mcd_restrictions *restrictions, mcd_map *map,
                                       const mcd_segments *segments, mcd_turns *turns, mcd_watch *watch,
                                       macadam_error *error);

void mcd_restrictions_free(mcd_restrictions *restrictions);

#endif
