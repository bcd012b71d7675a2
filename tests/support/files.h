/* files.h - where tests find data and put files. */
#ifndef MCD_TESTS_SUPPORT_FILES_H
#define MCD_TESTS_SUPPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { FILES_PATH_BYTES = 1024, FILES_NAME_BYTES = 16 };

/* A new folder of the test's own; removed with all in it by files_remove_folder. */
void files_new_folder(char path[FILES_PATH_BYTES]);
/* The same, and the path of a file in it. */
void files_new_path(char folder[FILES_PATH_BYTES], char path[FILES_PATH_BYTES + FILES_NAME_BYTES],
                    const char *name);
void files_remove_folder(const char *path);
/* How many files lie in a folder. */
size_t files_count(const char *folder);

/* The path of `name` in the folder of real data, the environment variable MACADAM_DATA. False, with a line on
 * standard error that the test skips, where there is no such folder; a folder that lacks the file aborts. */
bool files_find_data(char path[FILES_PATH_BYTES], const char *name);

/* The whole file, at an address aligned to 64 bytes, freed with free(). */
void *files_read(const char *path, size_t *bytes);
void files_write(const char *path, const void *data, size_t bytes);

#endif
