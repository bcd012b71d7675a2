/* conditional_count.h - conditional tags (KEY:conditional), counted by what they and their conditions are about. */
#ifndef MCD_IMPORTERS_OSM_RULES_CONDITIONAL_COUNT_H
#define MCD_IMPORTERS_OSM_RULES_CONDITIONAL_COUNT_H

#include "importers/osm/read/tags.h"
#include "importers/osm/rules/report.h"

/* Counts those of one way or node; as `object` that it has some. */
void mcd_conditional_counts_count(mcd_report *report, mcd_report_kind object, const mcd_tags *tags);

/* Returns what a condition that is not read is about: an MCD_REPORT_CONDITIONS_...; ..._ODD: of anything else. */
mcd_report_kind mcd_conditional_counts_kind(const char *text, size_t length);

/* Counts a condition that is kept, and names such holidays. */
void mcd_conditional_counts_holidays(mcd_report *report, unsigned holidays);

#endif
