/* way.h - the ways that a profile can use, as their node ids, with what the arcs will need to know. */
#ifndef MCD_IMPORTERS_OSM_ROADS_WAY_H
#define MCD_IMPORTERS_OSM_ROADS_WAY_H

#include "engine/base/watch.h"
#include "importers/osm/roads/road_kinds.h"
#include "importers/osm/read/osm_file.h"
#include "importers/osm/rules/conditional_tag.h"

typedef struct mcd_way {
    int64_t id;
    size_t first_ref;              /* its nodes are ref[first_ref .. first_ref of the next way) */
    uint32_t kind[MCD_DIRECTIONS]; /* numbers in kinds */
    mcd_passage passage;
    uint32_t timing_count, first_timing; /* its changes in slots of the week: in timings */
    /* whose outline it is part of (plaza.h): the number of a relation's; MCD_WAY_PLAZA_OWN; 0: none */
    uint32_t plaza;
    bool inner; /* of a hole */
} mcd_way;

#define MCD_WAY_PLAZA_OWN UINT32_MAX /* the way itself is the whole outline */

typedef struct mcd_ways {
    mcd_way *way; /* [count + 1]: the last one only ends the list of nodes */
    size_t count, capacity;
    int64_t *ref;    /* [ref_count] node ids; no two in a row are equal; NULL once their points are known */
    uint32_t *point; /* [ref_count] the points of these nodes (point.h) */
    size_t ref_count, ref_capacity;
    mcd_names names;
    mcd_kinds kinds;
    mcd_conditional_tags conditional_tags;
} mcd_ways;

/* Appends `way` if the profile can use it; reports it in any case. `ways` begins zeroed. */
macadam_status mcd_ways_add(mcd_ways *ways, mcd_report *report, const mcd_profile *profile,
                            const mcd_osm_way *way, macadam_error *error);

/* Reads the tags of a way, or of a relation that is an area: *use, and of *out how the profile passes it and at which times.
 * These are appended to the timings of `ways`. Returns E_MEMORY. */
macadam_status mcd_ways_read(mcd_ways *ways, mcd_report *report, const mcd_profile *profile,
                             const mcd_tags *tags, mcd_way *out, mcd_limits *limits, mcd_way_use *use,
                             macadam_error *error);

/* Appends a way of two points, once the points of ways are known. Returns E_MEMORY. */
macadam_status mcd_ways_append_line(mcd_ways *ways, const mcd_way *added, uint32_t from, uint32_t to,
                                    macadam_error *error);

/* Appends a way; `added` says everything but what its tags say to people, its limits [MCD_DIRECTIONS] and its nodes. */
macadam_status mcd_ways_append(mcd_ways *ways, const mcd_way *added, const mcd_tags *tags,
                               const mcd_profile *profile, const mcd_kind_limits *limits, const int64_t *node,
                               size_t node_count, macadam_error *error);

void mcd_ways_free(mcd_ways *ways);

#endif
