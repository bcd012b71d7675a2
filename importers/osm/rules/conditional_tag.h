/* conditional_tag.h - what conditional tags (KEY:conditional) make of a way in slots of the week: its speeds, or that it is
 * closed. The profile reads the way's tags once more as they are in force then; so all keys that it knows count. */
#ifndef MCD_IMPORTERS_OSM_RULES_CONDITIONAL_TAG_H
#define MCD_IMPORTERS_OSM_RULES_CONDITIONAL_TAG_H

#include "engine/base/status.h"
#include "engine/map/week.h"
#include "importers/osm/rules/conditional_count.h"
#include "importers/osm/rules/profile.h"

enum { MCD_CONDITIONAL_TAG_VALUE_BYTES = 64 };

/* A way in some slots; the slots of the changes of a way are disjoint. */
typedef struct mcd_conditional_tag {
    mcd_week week;
    double speed_kmh[MCD_DIRECTIONS]; /* 0: closed in that direction */
    bool opens[MCD_DIRECTIONS];       /* a direction is open in these slots only */
} mcd_conditional_tag;

typedef struct mcd_conditional_tags {
    mcd_conditional_tag *timing; /* [count] */
    size_t count, capacity;
} mcd_conditional_tags;

/* Appends what differs from `usual`, the passage without conditional tags; zeroed if the way is closed without them.
 * Directions that are closed without them and open at times become open in `usual`; the slots in which they are open
 * are appended. Only residents' roads stay theirs: this is counted. */
macadam_status mcd_conditional_tags_read(mcd_conditional_tags *conditional_tags, const mcd_profile *profile,
                                         const mcd_tags *tags, mcd_passage *usual, mcd_report *report,
                                         macadam_error *error);

/* Reads "VALUE @ (TIMES)", or several of these with one value, which becomes *value. Returns false if it is anything
 * else, or does not hold in slots of a week. */
bool mcd_conditional_tag_of_value(mcd_week *week, char value[MCD_CONDITIONAL_TAG_VALUE_BYTES],
                                  const char *text);

/* Finds the slots of the week in which the node's tags close it. If the node is closed without its
 * conditional tags, sets *opens; the slots are then those in which it is open. A barrier's opening_hours
 * count as conditional access. Returns false if the node is the same at all times. */
bool mcd_conditional_tag_of_node(mcd_week *week, bool *opens, const mcd_profile *profile,
                                 const mcd_tags *tags, mcd_report *report);

#endif
