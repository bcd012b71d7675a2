/* conditional_count.h - tags that hold only at times (KEY:conditional), counted by what they are about. */
#ifndef MCD_IMPORTERS_OSM_RULES_CONDITIONAL_COUNT_H
#define MCD_IMPORTERS_OSM_RULES_CONDITIONAL_COUNT_H

#include "importers/osm/read/tags.h"
#include "importers/osm/rules/report.h"

/* Counts those of one way or node; as `object` that it has some. */
void mcd_conditional_counts_count(mcd_report *report, mcd_report_kind object, const mcd_tags *tags);

/* Counts a condition that is kept, and names such holidays. */
void mcd_conditional_counts_holidays(mcd_report *report, unsigned holidays);

#endif
