/* conditional_tag.h - what conditional tags (KEY:conditional) make of a way in slots of the week, and for larger vehicles
 * than the profile's: its speeds, or that it is closed. The profile reads the way's tags once more as they are in force
 * then; so all keys that it knows count. */
#ifndef MCD_IMPORTERS_OSM_RULES_CONDITIONAL_TAG_H
#define MCD_IMPORTERS_OSM_RULES_CONDITIONAL_TAG_H

#include "importers/osm/rules/conditional_clause.h"

enum { MCD_CONDITIONAL_TAG_STAYS = -1 }; /* a speed: that direction does not change */

/* A way at some times; the slots of the changes of a way for one vehicle are disjoint. */
typedef struct mcd_conditional_tag {
    mcd_period period;
    double speed_kmh[MCD_DIRECTIONS]; /* 0: closed in that direction */
    bool opens[MCD_DIRECTIONS];       /* a direction is open in these slots only */
} mcd_conditional_tag;

typedef struct mcd_conditional_tags {
    mcd_conditional_tag *timing; /* [count] */
    size_t count, capacity;
} mcd_conditional_tags;

/* Makes of `usual`, the passage without conditional tags (zeroed if the way is closed without them), the one of the
 * profile's vehicle at no particular time, and appends what differs from it. Directions that are closed then and open
 * at times become open in `usual`; the slots in which they are open are appended. Only residents' roads stay theirs:
 * this is counted. */
macadam_status mcd_conditional_tags_read(mcd_conditional_tags *conditional_tags, const mcd_profile *profile,
                                         const mcd_tags *tags, mcd_passage *usual, mcd_report *report,
                                         macadam_error *error);

/* When a node is closed. `opens`: it is closed at no particular time, and open in the slots of the first period. */
typedef struct mcd_node_times {
    bool opens;
    size_t count; /* 0: always or never */
    mcd_period period[MCD_CLAUSE_VEHICLES];
} mcd_node_times;

/* Finds the times at which the node's tags close it. *usual: how one passes it without conditional tags, then at no
 * particular time. If it is closed then, and only residents pass it at others, it is theirs. */
void mcd_conditional_tag_of_node(mcd_node_times *out, mcd_access *usual, const mcd_profile *profile,
                                 const mcd_tags *tags, mcd_report *report);

#endif
