/* dimacs_file.h - reads DIMACS and PACE files into arrays, independently of the importers. Nodes count
 * from 0. */
#ifndef MCD_TESTS_SUPPORT_DIMACS_FILE_H
#define MCD_TESTS_SUPPORT_DIMACS_FILE_H

#include "tests/support/graphs.h"

/* Reads `path` (.gr or .gr.gz) as weight[0] and `other_path` (may be NULL: weight[1] stays NULL), which must
 * hold the same arcs in the same order, as weight[1]. Returns false, having told standard error, if a file is
 * no such thing. */
bool dimacs_read_graph(test_graph *out, const char *path, const char *other_path);

/* Reads `path` (.co or .co.gz) into arrays of node_count, in the file's unit of 1e-6 degrees. */
bool dimacs_read_coordinates(const char *path, size_t node_count, int32_t *lon_e6, int32_t *lat_e6);

/* Reads the PACE topology at `path` (.gr.xz, through the xz program) and gives each arc a synthetic duration
 * (weight[0]) and distance (weight[1]) drawn by a hash: the same everywhere, the directions of an arc differ.
 */
bool dimacs_read_topology(test_graph *out, const char *path);

#endif
