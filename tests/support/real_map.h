/* real_map.h - the real road graphs of the folder MACADAM_DATA, as arrays, and as edge files that are
 * imported once per run.
 *
 * Node x of the arrays has the id x + 1; arc i has the number i + 1. */
#ifndef MCD_TESTS_SUPPORT_REAL_MAP_H
#define MCD_TESTS_SUPPORT_REAL_MAP_H

#include "tests/support/fixture.h"

typedef enum real_map_name { NEW_YORK, ROME, NORTH_EAST, REAL_MAPS } real_map_name;

/* Where the edge files are: the folder of the environment variable MACADAM_TEST_FILES. */
void real_map_path(char path[FILES_PATH_BYTES], real_map_name name);

/* Reads the arrays. False, having said so, if there is no data. */
bool real_map_read(test_graph *out, real_map_name name);

/* Writes the edge file: New York and Rome by the DIMACS importer, the north-east by the arrays importer. */
bool real_map_import(real_map_name name);

#endif
