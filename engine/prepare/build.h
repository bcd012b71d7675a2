/* build.h - from a map in memory to the sections of an edge file: order, hierarchy, customized weights. */
#ifndef MCD_ENGINE_PREPARE_BUILD_H
#define MCD_ENGINE_PREPARE_BUILD_H

#include "engine/file/write.h"
#include "engine/map/map.h"

typedef struct mcd_build_options {
    bool ready; /* customized weights are written too; the writer makes a ready file */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_build_options;

/* Builds and writes the sections of `map`, those of the writer's profile. order[rank] = node, first eliminated first, a
 * permutation of the nodes; NULL: no hierarchy. Takes over the map's arrays and frees each as soon as its section is
 * written; the caller still calls mcd_map_free. Returns MACADAM_OK, E_INVALID (the fill is too large for a road
 * network), E_IO, E_MEMORY or E_CANCELLED. */
macadam_status mcd_build_sections(mcd_map *map, const mcd_node *order, const mcd_build_options *options,
                                  mcd_edge_writer *writer, macadam_error *error);

#endif
