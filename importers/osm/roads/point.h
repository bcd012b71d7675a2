/* point.h - the nodes of ways: where they lie, and whether they are in the file and open. */
#ifndef MCD_IMPORTERS_OSM_ROADS_POINT_H
#define MCD_IMPORTERS_OSM_ROADS_POINT_H

#include "engine/base/arena.h"
#include "engine/base/watch.h"
#include "importers/osm/rules/conditional_tag.h"
#include "importers/osm/read/osm_file.h"
#include "importers/osm/roads/road_kinds.h"

enum {
    MCD_POINT_PRESENT = 1,          /* the file has it, with valid coordinates */
    MCD_POINT_BLOCKED = 2,          /* closed to all */
    MCD_POINT_DESTINATION_ONLY = 4, /* only those pass who come from a destination-only road or go to one */
    MCD_POINT_LAND = 8,             /* some way of it is not a ferry */
    MCD_POINT_WAITS = 16,  /* forward along the way by which the vehicle comes; twice this: backward */
    MCD_POINT_SIGN = 64,   /* only those wait who approach the nearest junction */
    MCD_POINT_MINOR = 128, /* at a junction, only those wait who come by a lesser road */
};

enum { MCD_EXIT_BYTES = 24 };

/* A point whose signs limit vehicles, that gives its roads flags, where an exit begins, or that is shut at times or to
 * some. */
typedef struct mcd_limited_point {
    uint32_t point;
    uint32_t age;      /* of the node */
    uint32_t way_ends; /* how many parts of ways lead away from it: more than 2 make a junction */
    mcd_kind_limits limits[MCD_DIRECTIONS];
    uint32_t flags;            /* macadam_road_flag */
    char exit[MCD_EXIT_BYTES]; /* the number of the exit that begins there, or "" */
    bool crossing;             /* closed to those who cross the road */
    bool barrier;              /* its limits hold for all of its roads */
    mcd_node_times times;      /* when it is closed */
} mcd_limited_point;

typedef struct mcd_limited_points {
    mcd_limited_point *at; /* [count] */
    size_t count, capacity;
    uint8_t *bit; /* of each point, whether it is one; NULL until they are sorted */
} mcd_limited_points;

typedef struct mcd_points {
    mcd_arena arena; /* of the arrays but `id` and `age` */
    size_t count;
    int64_t *id; /* [count] ascending */
    int32_t *lon_e7, *lat_e7;
    uint8_t *state; /* MCD_POINT_... */
    uint16_t *wait_s;
    int32_t *height_dm;      /* above sea level; NULL: the import takes no heights */
    uint32_t *age;           /* of the nodes that are known so far, 0: unknown; NULL: no node comes twice */
    uint64_t repeated_count; /* nodes that were met again */
    mcd_limited_points limited;
} mcd_points;

/* The distinct ids among `ref_count` references; no point is present yet. Returns E_MEMORY, E_INVALID (2^32 -
 * 1 points or more). On failure `out` is left for mcd_points_free. */
macadam_status mcd_points_new(mcd_points *out, const int64_t *ref, size_t ref_count,
                              const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error);

/* Nodes may come more than once, from now on: of equal ids the greatest age counts, of equal ages the first.
 * The known facts of the points so far is forgotten. Returns E_MEMORY. */
macadam_status mcd_points_expect_ages(mcd_points *points, macadam_error *error);
/* All nodes have come: drops the signs of old versions, and the ages. */
void mcd_points_close_ages(mcd_points *points);

/* Finds the points of `count` ids, which must all exist. Takes a fifth of the time of `count` single
 * searches. */
void mcd_points_find(const mcd_points *points, const int64_t *id, size_t count, uint32_t *point);

/* Sorts the points that limit or are shut at times, so that they can be found. Returns E_MEMORY. */
macadam_status mcd_points_sort_limited(mcd_points *points, macadam_error *error);

/* Returns what a point limits, and when it is shut; NULL: neither. */
mcd_limited_point *mcd_points_limited(const mcd_points *points, uint32_t point);

/* Frees all but the count. */
void mcd_points_free(mcd_points *points);

#endif
