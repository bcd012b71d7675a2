/* segment.h - cuts ways at junctions: the map's nodes, and an arc for each direction of each segment between
 * two. */
#ifndef MCD_IMPORTERS_OSM_ROADS_SEGMENT_H
#define MCD_IMPORTERS_OSM_ROADS_SEGMENT_H

#include "importers/base/incidence.h"
#include "importers/osm/roads/height.h"
#include "importers/osm/roads/access_zone.h"
#include "importers/osm/roads/ferry_line.h"

enum {
    MCD_SEGMENT_FERRY = 1,   /* a ferry or a train takes the traveller */
    MCD_SEGMENT_BOARDED = 2, /* its duration counts the boarding, at its tail */
};

typedef struct mcd_segments {
    mcd_arena arena;     /* of all arrays but `use` and `ferry`; freed once turns are priced */
    uint32_t *of_arc;    /* [arc_count] the segment: the two directions of one stretch of road share it */
    uint8_t *use;        /* [arc_count] mcd_road_use; gated areas only after mcd_gated_areas_mark */
    uint8_t *ferry;      /* [arc_count] MCD_SEGMENT_FERRY, ...; 0: a road */
    uint16_t *wait_s;    /* [arc_count] at its head, with MCD_SIGN_MINOR (sign.h); NULL: there are no waits */
    uint16_t *class_kmh; /* [arc_count] of its road: the lesser one has the smaller speed */
    /* the map's arcs by their tails and by their heads, once no arc is merged any more */
    mcd_incidence out, in;
    mcd_report *report; /* the profile's */
    const mcd_ferry_lines *ferry_lines;
} mcd_segments;

/* Orders arcs by what their segments say of them: 0 if it is the same. Every array but of_arc is named here,
 * and every array below. */
static inline int mcd_segments_compare(const mcd_segments *segments, mcd_arc x, mcd_arc y)
{
    int order = segments->use[x] - segments->use[y];
    if (!order) order = segments->ferry[x] - segments->ferry[y];
    if (!order) order = segments->class_kmh[x] - segments->class_kmh[y];
    if (!order && segments->wait_s) order = segments->wait_s[x] - segments->wait_s[y];
    return order;
}

/* Arc `from` becomes arc `to`. */
static inline void mcd_segments_move(mcd_segments *segments, mcd_arc to, mcd_arc from)
{
    segments->of_arc[to] = segments->of_arc[from];
    segments->use[to] = segments->use[from];
    segments->ferry[to] = segments->ferry[from];
    segments->class_kmh[to] = segments->class_kmh[from];
    if (segments->wait_s) segments->wait_s[to] = segments->wait_s[from];
}

/* Fills the zeroed *map (all but the metadata and the restriction count). Nodes are those of stretch.h.
 * The quantities are "duration" (ms: the distance at the passage's speed, or the share of the way's or its
 * ferry line's duration, and for boarding a ferry on land) and "distance" (cm: the sum of the geodesics
 * over the shape points, on the ellipsoid of WGS 84), both rounded once per arc; and, if options->heights
 * names a folder, "ascent" and "descent" (cm: the sums of what the road climbs and falls from point to
 * point); durations by speed then count slopes, as the profile says; and, if the profile has a vehicle,
 * "energy" (mWh, with potentials: vehicle.h). Takes over the ways' names. On failure both are left for
 * their free functions. Returns E_MEMORY, E_CANCELLED, E_INVALID (too many arcs). */
macadam_status mcd_segments_new(mcd_segments *out, mcd_map *map, mcd_ways *ways, mcd_points *points,
                                const mcd_ferry_lines *ferry_lines, const mcd_profile *profile,
                                mcd_report *report, const macadam_import_options *options,
                                const mcd_parallel *parallel, const mcd_progress *progress,
                                macadam_error *error);

/* Fills `out` and `in`. Returns E_MEMORY, E_CANCELLED. */
macadam_status mcd_segments_index(mcd_segments *segments, const mcd_map *map, const mcd_parallel *parallel,
                                  mcd_watch *watch, macadam_error *error);

/* The arc back along the same stretch; `arc` itself if there is none. */
static inline mcd_arc mcd_segments_back(const uint32_t *of_arc, size_t arc_count, mcd_arc arc)
{
    if (arc + 1 < arc_count && of_arc[arc + 1] == of_arc[arc]) return arc + 1;
    return arc > 0 && of_arc[arc - 1] == of_arc[arc] ? arc - 1 : arc;
}

void mcd_segments_free(mcd_segments *segments);

#endif
