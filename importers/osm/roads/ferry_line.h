/* ferry_line.h - relations of ferries (type=route, route=ferry) that say how long the whole line takes. */
#ifndef MCD_IMPORTERS_OSM_ROADS_FERRY_LINE_H
#define MCD_IMPORTERS_OSM_ROADS_FERRY_LINE_H

#include "importers/osm/roads/stretch.h"

typedef struct mcd_ferry_line {
    size_t first, count; /* its ways are member[first .. first + count) */
    double duration_s;   /* of them all, in each direction; 0: it has none */
} mcd_ferry_line;

typedef struct mcd_ferry_lines {
    mcd_ferry_line *ferry_line;
    int64_t *member; /* ids of ways, in each line sorted and once */
    size_t count, capacity, member_count, member_capacity;
} mcd_ferry_lines;

/* Whether these are the tags of a ferry's relation. */
bool mcd_ferry_lines_want(const mcd_tags *tags);

/* Keeps the relation if it is a ferry's. `ferry_lines` begins zeroed. */
macadam_status mcd_ferry_lines_add(mcd_ferry_lines *ferry_lines, mcd_report *report,
                                   const mcd_osm_relation *relation, macadam_error *error);

/* Whether a ferry line has both ways. */
bool mcd_ferry_lines_join(const mcd_ferry_lines *ferry_lines, int64_t way, int64_t other);

/* Shares a ferry line's duration out by length among its ferries in `ways` that have none of their own. It does not
 * count if one of them lacks points. */
macadam_status mcd_ferry_lines_share(const mcd_ferry_lines *ferry_lines, mcd_ways *ways,
                                     const mcd_stretches *stretches, macadam_error *error);

void mcd_ferry_lines_free(mcd_ferry_lines *ferry_lines);

#endif
