/* map.h - a road map as importers deliver it: nodes and arcs in the source's order, before ordering and
 * preprocessing.
 *
 * The user knows nodes by id. A node that turn restrictions split has several copies of one id. Routes depart
 * from the node `depart` of an id and arrive at its node `arrive` (the same node unless it is split). Every
 * copy reaches `arrive` by an arrival arc, whose source number is MCD_ARC_NONE. Answers leave out arrival
 * arcs. They weigh nothing, except that the first quantity may count the wait before one arrives. All arrays
 * come from mcd_allocate; the importer grows them. Optional arrays are NULL. */
#ifndef MCD_ENGINE_MAP_MAP_H
#define MCD_ENGINE_MAP_MAP_H

#include "engine/base/spill.h"
#include "engine/base/types.h"
#include "engine/map/pattern.h"
#include "engine/map/relation.h"

enum { MCD_QUANTITY_MAX = 8, MCD_NAME_BYTES = 32 };

typedef struct mcd_map {
    size_t node_count, arc_count, quantity_count;
    char quantity[MCD_QUANTITY_MAX][MCD_NAME_BYTES]; /* names, NUL-terminated */
    char unit[MCD_QUANTITY_MAX][MCD_NAME_BYTES];     /* "ms", "cm" or "" */
    /* of OpenStreetMap data: the quantity besides the first that turns count in; 0: none */
    size_t preference;

    int64_t *node_id;         /* [node_count] the user's ids; copies repeat them */
    int32_t *lon_e7, *lat_e7; /* [node_count] optional, both or neither */

    mcd_node *tail, *head;                /* [arc_count] */
    mcd_weight *weight[MCD_QUANTITY_MAX]; /* [arc_count], at most MCD_WEIGHT_MAX */
    /* [id_count] optional: the quantity may be negative. The cost of an arc is its weight, plus the potential
     * of its head, less that of its tail. At most MCD_POTENTIAL_MAX in size. */
    int32_t *potential[MCD_QUANTITY_MAX];
    uint64_t *arc_number; /* [arc_count] the source data's, 1 to how many there are; repeated
                                             only by the copies of an arc that leaves a split node;
                                             MCD_ARC_NONE: an arrival arc of one */

    size_t id_count;           /* distinct user ids */
    int64_t *id;               /* [id_count] ascending */
    mcd_node *depart, *arrive; /* [id_count] */
    uint32_t *index;           /* [node_count] of the node's id in `id` */

    /* Facts of roads belong to numbers, not to arcs, so that copies take no room: those of an arc are at its
     * number - 1. */
    size_t number_count; /* numbers are 1 .. number_count; 0 in maps without facts */
    int64_t *arc_way;    /* [number_count] optional: OSM way id */
    uint8_t *against;    /* [number_count] optional: 1 if the arc leads against the direction of its way */
    uint32_t *arc_kind;  /* [number_count] optional: what kind of road it is; 0 says nothing */
    mcd_kind *kind;      /* [kind_count] optional, with arc_kind and names */
    size_t kind_count;
    mcd_kind_limits *kind_limits; /* [kind_count] optional */
    uint32_t *kind_pronunciation; /* [kind_count] optional: how its name is said, an offset into names */
    mcd_relation *maneuver;       /* [maneuver_count] optional: by ascending way[0] */
    size_t maneuver_count;
    char *names; /* NUL-terminated strings, the first one empty */
    size_t names_bytes;
    /* [number_count] optional: not 0 where a ferry or a train carries the traveller, or where the road opens only
     * at times, so that no point is snapped to the arc. Edge files do not keep it. */
    uint8_t *ferry;
    uint64_t
        *first_shape; /* [number_count + 1] optional: points strictly between the arc's ends, tail to head */
    int32_t *shape_lon_e7, *shape_lat_e7;
    /* optional, both or neither: heights above sea level, of ids and of shape points */
    int32_t *height_dm, *shape_height_dm;
    int64_t *shape_id;        /* optional: the user's ids of the shape points */
    mcd_timed_arc *timed_arc; /* [timed_arc_count] optional: by ascending number */
    size_t timed_arc_count;
    mcd_when *arc_when; /* [arc_count] optional; not in edge files, which have shut_arc instead */
    uint32_t *shut_arc; /* [shut_arc_count][MCD_SHUT_WORDS + quantity_count] optional: by ascending arc */
    size_t shut_arc_count;
    mcd_week *week;         /* [week_count] optional, with timed_arc or shut_arc */
    mcd_week *week_holiday; /* [week_count] optional, with week: the same on public holidays */
    mcd_guard *guard;       /* [week_count] optional, with week */
    size_t week_count, week_capacity, holiday_capacity, guard_capacity;
    /* optional, both or neither: weights of the first quantity hold at the fastest speed of the week */
    uint16_t *arc_pattern; /* [number_count] as pattern.h says */
    uint8_t *pattern;      /* [pattern_count * pattern_slots] */
    size_t pattern_count, pattern_slots;

    uint64_t restriction_count;     /* turn restrictions applied */
    bool drives_left;               /* traffic keeps to the left */
    char *source, *profile, *build; /* metadata: file name without folders, "car" or "", options for people */

    /* Where arrays wait until they are needed; they are then NULL. NULL: all are in memory. */
    mcd_spill *spill;
} mcd_map;

/* Returns whether an arc opens only at times. */
static inline bool mcd_map_is_shut(const mcd_map *map, mcd_arc arc)
{
    return map->arc_when && map->arc_when[arc] & MCD_WHEN_OPENS;
}

/* Frees what the map holds; the struct itself is the caller's. A zeroed map is valid and empty. */
void mcd_map_free(mcd_map *map);

/* Finds or appends a period among the map's weeks: *number is its week. Returns E_MEMORY. */
macadam_status mcd_map_add_period(mcd_map *map, const mcd_period *period, uint32_t *number,
                                  macadam_error *error);

/* Fills id, depart, arrive and index for a map without split nodes: routes depart from and arrive at the node
 * itself. `watch` may be NULL. Returns MACADAM_E_INVALID and names the id if an id occurs twice. */
macadam_status mcd_map_index_ids(mcd_map *map, mcd_watch *watch, macadam_error *error);

/* Bytes: a target for the memory of an import without a limit: 256 MiB, as no city needs more. Tests set it lower. */
extern uint64_t mcd_import_memory;

/* Makes the spill file of a map whose import would take more than the target. Call it with the arcs of roads before
 * junctions are split. Does nothing if there is a spill file, or a bound of memory (paged.h), which keeps arrays in files
 * of its own. Returns E_IO or E_MEMORY. */
macadam_status mcd_map_limit(mcd_map *map, const macadam_import_options *options, macadam_error *error);

/* Arrays that wait in the spill file together. */
typedef enum mcd_map_group {
    MCD_MAP_GRAPH,           /* these never wait */
    MCD_MAP_COORDINATES = 1, /* of nodes */
    MCD_MAP_FACTS = 2,       /* the shapes, kinds and ferries of numbers */
    MCD_MAP_WEIGHTS = 4,     /* with numbers and ways */
} mcd_map_group;

/* One of a map's arrays. */
typedef struct mcd_map_array {
    const char *name;
    void *slot; /* the address of a T *, which a void ** must not alias */
    size_t element_size;
    uint64_t count; /* of elements, if the slot is not NULL */
} mcd_map_array;

/* Fills *out with the map's array `index`; returns false if it has no more. Arrays that hold the length of others precede
 * them, so that a map can be read in this order. */
bool mcd_map_array_at(mcd_map *map, size_t index, mcd_map_array *out);

/* Puts the arrays of these groups (mcd_map_group, several by |) into the spill file if there is one. */
macadam_status mcd_map_put(mcd_map *map, unsigned groups, mcd_watch *watch, macadam_error *error);
/* Brings them back. */
macadam_status mcd_map_get(mcd_map *map, unsigned groups, mcd_watch *watch, macadam_error *error);

/* Returns how many shape points the arc of a number has: 0 if the map has none. */
static inline uint64_t mcd_map_shape_count(const mcd_map *map, uint64_t number)
{
    return map->first_shape ? map->first_shape[number] - map->first_shape[number - 1] : 0;
}

/* Returns the index of the user's `id` in map->id, or id_count. Time: a binary search. */
size_t mcd_map_find_id(const mcd_map *map, int64_t id);

/* Checks everything that this header promises: counts, ends in range, weights, ids ascending, names
 * terminated. `watch` may be NULL. */
macadam_status mcd_map_check(const mcd_map *map, mcd_watch *watch, macadam_error *error);

#endif
