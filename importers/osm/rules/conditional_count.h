/* conditional_count.h - tags that hold only at times (KEY:conditional), counted by what they are about, and by
 * what becomes of them. */
#ifndef MCD_IMPORTERS_OSM_RULES_CONDITIONAL_COUNT_H
#define MCD_IMPORTERS_OSM_RULES_CONDITIONAL_COUNT_H

#include "importers/osm/read/tags.h"

#include <stdint.h>

typedef enum mcd_conditional_kind {
    MCD_CONDITIONAL_ACCESS,
    MCD_CONDITIONAL_ONEWAY,
    MCD_CONDITIONAL_SPEED,
    MCD_CONDITIONAL_LIMIT, /* weight, height, ... */
    MCD_CONDITIONAL_OTHER, /* parking, lanes, ... */
    MCD_CONDITIONAL_KINDS  /* how many there are */
} mcd_conditional_kind;

/* Only counts: mcd_conditional_counts_add adds them as an array. */
typedef struct mcd_conditional_counts {
    uint64_t object_count; /* ways or nodes that have such tags */
    uint64_t tag_count[MCD_CONDITIONAL_KINDS];
    /* Of clauses ("VALUE @ TIMES") of tags that the profile knows: */
    uint64_t kept_count, odd_count;      /* that hold at times of the week; about anything else */
    uint64_t season_count;               /* odd ones about a part of the year */
    uint64_t holiday_count;              /* kept ones that name holidays, which no week has */
    uint64_t public_count, school_count; /* of these, by mcd_opening_hours_read */
    uint64_t opens_count;                /* ways of which a direction is open only at times */
    uint64_t stays_residents_count; /* ways that would be only for residents at times: they are for all */
} mcd_conditional_counts;

/* Counts those of one way or node. */
void mcd_conditional_counts_count(mcd_conditional_counts *conditions, const mcd_tags *tags);

/* Counts a condition that is kept, and names such holidays. */
void mcd_conditional_counts_holidays(mcd_conditional_counts *conditions, unsigned holidays);

/* Adds the counts of a part of the file. */
void mcd_conditional_counts_add(mcd_conditional_counts *sum, const mcd_conditional_counts *part);

#endif
