/* import_fixture.h - a folder for small files and questions to the imported map, which the tests of the
 * importers share. */
#ifndef MCD_TESTS_SUPPORT_IMPORT_FIXTURE_H
#define MCD_TESTS_SUPPORT_IMPORT_FIXTURE_H

#include "engine/map/map.h"

enum { IMPORT_PATHS = 8 };

/* The map under test, zeroed, and the error to pass. */
extern mcd_map import_map;
extern macadam_error import_error;

/* A Criterion fixture: installs the allocator of allocator.h and makes the folder; frees the map, removes
 * the folder, and aborts if a block is left. */
void import_fixture_open(void);
void import_fixture_close(void);

/* Writes a file into the folder and returns its path, which stays for IMPORT_PATHS more calls. */
const char *import_write(const char *name, const char *text);
/* The same as gzip, without its last `cut` bytes. */
const char *import_write_gzip(const char *name, const char *text, size_t cut);
/* The path of a file that may not be there. */
const char *import_path(const char *name);

/* Asserts the status, and that the message is `file` (NULL: nothing) followed by `message`; frees
 * the map. */
void import_expect(macadam_status status, macadam_status expected, const char *file, const char *message);

/* A map of `node_count` nodes (ids 10, 20, ...) and arcs {tail, head, weight}, nodes from 0; indexed. */
void import_map_of(size_t node_count, const uint32_t (*arc)[3], size_t arc_count);

/* How many arcs lead from one user id to another. */
size_t import_arc_count(int64_t tail, int64_t head);
/* The only such arc; asserts that there is one. */
size_t import_arc(int64_t tail, int64_t head);
/* The way of an arc of import_map; 0 for arrival arcs. */
int64_t import_way(size_t arc);

/* The least sum of the first quantity from where one id departs to where another arrives, by Bellman and
 * Ford; MACADAM_UNREACHED if there is no path. */
uint32_t import_cost(int64_t source, int64_t target);

#endif
