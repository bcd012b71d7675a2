/* packed.h - how an edge file stores places and copies of arcs: each fact once. The arrays that queries use
 * are made from it.
 *
 * A node departs if routes depart from it. Each id has one such node, so ids and their coordinates are listed
 * in the order of these nodes, where neighbours are near each other. An original is an arc that departures
 * use; the facts of a road belong to originals, and each copy of an arc holds the number of its original. */
#ifndef MCD_ENGINE_FILE_PACKED_H
#define MCD_ENGINE_FILE_PACKED_H

#include "engine/base/parallel.h"
#include "engine/map/road.h"

enum { MCD_ROLE_DEPARTS = 1, MCD_ROLE_ARRIVES = 2 };

/* The arrays are borrowed if they were read, owned if mcd_places_pack made them. */
typedef struct mcd_packed_places {
    const int64_t *id;   /* [id_count] ascending; always borrowed */
    const uint8_t *role; /* [node_count] MCD_ROLE_ bits */
    const uint32_t
        *departure; /* [node_count] the number of the departing node of the same id, in their order */
    const uint32_t *departure_id;   /* [id_count] of each departing node the index of its id */
    const int32_t *lon_e7, *lat_e7; /* [id_count] of each departing node; NULL: there are no coordinates */
    const int32_t *height_dm;       /* likewise; NULL: there are no heights */
} mcd_packed_places;

/* Packs places, which are valid. Returns E_MEMORY or E_CANCELLED. */
macadam_status mcd_places_pack(mcd_packed_places *out, const mcd_place_index *places,
                               const mcd_parallel *parallel, macadam_error *error);
void mcd_packed_places_free(mcd_packed_places *packed);

/* Makes the arrays of *out but for its ids, which are borrowed from `packed`. The counts of *out are given.
 * Returns E_MEMORY, or E_FILE and names the section that cannot be true. Free *out with mcd_places_free, on failure too.
 * Time: linear. */
macadam_status mcd_places_unpack(mcd_place_index *out, const mcd_packed_places *packed, const char *file,
                                 const mcd_parallel *parallel, macadam_error *error);
/* Frees what mcd_places_unpack made. */
void mcd_places_free(mcd_place_index *places);

/* [arc_count] 0: an arrival arc; k: the k-th original that leaves the id of the arc's tail, in their order.
 * Makes the original of each arc: MCD_ROAD_NONE for arrival arcs. Returns E_MEMORY, or E_FILE if there is no
 * such original. Time: linear. */
macadam_status mcd_arcs_unpack(uint32_t **original, size_t *original_count, const uint16_t *copy,
                               const mcd_graph *graph, const mcd_place_index *places, const char *file,
                               const mcd_parallel *parallel, macadam_error *error);

/* The stored form of a map's arcs. */
typedef struct mcd_packed_arcs {
    uint16_t *copy;     /* [arc_count] */
    uint32_t *original; /* [arc_count] as mcd_arcs_unpack makes it */
    uint32_t *source;   /* [original_count] the number of each original, - 1 */
    size_t original_count;
} mcd_packed_arcs;

/* Packs the arcs of a graph whose arc i is the arc map_arc[i] of a map, where number[] holds the source data's
 * numbers, at most arc_count. If no junction is split, copy and original stay NULL: each arc is an original.
 * Returns E_MEMORY, or E_INVALID if more than 65535 arcs leave a split junction. */
macadam_status mcd_arcs_pack(mcd_packed_arcs *out, const mcd_graph *graph, const mcd_place_index *places,
                             const uint32_t *map_arc, const uint64_t *number, const mcd_parallel *parallel,
                             macadam_error *error);
void mcd_packed_arcs_free(mcd_packed_arcs *packed);

#endif
