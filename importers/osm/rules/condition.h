/* condition.h - tags that hold only at times (KEY:conditional), counted by what they are about, and by what becomes
 * of them. */
#ifndef MCD_IMPORTERS_OSM_RULES_CONDITION_H
#define MCD_IMPORTERS_OSM_RULES_CONDITION_H

#include "importers/osm/read/tags.h"

#include <stdint.h>

typedef enum mcd_condition_kind {
    MCD_CONDITION_ACCESS,
    MCD_CONDITION_ONEWAY,
    MCD_CONDITION_SPEED,
    MCD_CONDITION_LIMIT, /* weight, height, ... */
    MCD_CONDITION_OTHER, /* parking, lanes, ... */
    MCD_CONDITION_KINDS  /* how many there are */
} mcd_condition_kind;

typedef struct mcd_conditions {
    uint64_t object_count; /* ways or nodes that have such tags */
    uint64_t tag_count[MCD_CONDITION_KINDS];
    /* Of clauses ("VALUE @ TIMES") of tags that the profile knows: */
    uint64_t kept_count, odd_count;      /* that hold at times of the week; about anything else */
    uint64_t season_count;               /* odd ones about a part of the year */
    uint64_t holiday_count;              /* kept ones that name holidays, which no week has */
    uint64_t public_count, school_count; /* of these, by mcd_opening_hours_read */
    uint64_t opens_count;                /* ways of which a direction is open only at times */
    uint64_t stays_residents_count; /* ways that would be only for residents at times: they are for all */
} mcd_conditions;

/* Counts those of one way or node. */
void mcd_conditions_count(mcd_conditions *conditions, const mcd_tags *tags);

/* Counts a condition that is kept, and names such holidays. */
void mcd_conditions_holidays(mcd_conditions *conditions, unsigned holidays);

/* Adds the counts of a part of the file. */
void mcd_conditions_add(mcd_conditions *sum, const mcd_conditions *part);

#endif
