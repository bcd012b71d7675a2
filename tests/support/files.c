/* files.c - see files.h. */
#include "tests/support/files.h"

#include "tests/support/checked.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#ifdef _WIN32
#include <io.h>

static char *mkdtemp(char *path)
{
    return _mktemp(path) && mkdir(path) == 0 ? path : NULL;
}
#endif

static void die(const char *what, const char *path)
{
    fprintf(stderr, "a test cannot %s %s\n", what, path);
    abort();
}

void files_new_folder(char path[FILES_PATH_BYTES])
{
    const char *root = getenv("TMPDIR");
    snprintf(path, FILES_PATH_BYTES, "%s/macadam-test-XXXXXX", root && *root ? root : "/tmp");
    if (!mkdtemp(path)) die("make the folder", path);
}

void files_new_path(char folder[FILES_PATH_BYTES], char path[FILES_PATH_BYTES + FILES_NAME_BYTES],
                    const char *name)
{
    files_new_folder(folder);
    snprintf(path, FILES_PATH_BYTES + FILES_NAME_BYTES, "%s/%s", folder, name);
}

/* Calls on the path of every file in the folder; returns how many there are. */
static size_t each_file(const char *folder, int (*call)(const char *path))
{
    char path[FILES_PATH_BYTES + 300];
    size_t count = 0;
    DIR *entries = opendir(folder);
    if (!entries) die("read the folder", folder);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (call) call(path);
        ++count;
    }
    closedir(entries);
    return count;
}

void files_remove_folder(const char *path)
{
    each_file(path, unlink);
    rmdir(path);
}

size_t files_count(const char *folder)
{
    return each_file(folder, NULL);
}

bool files_find_data(char path[FILES_PATH_BYTES], const char *name)
{
    const char *root = getenv("MACADAM_DATA");
    if (!root || !*root) {
        fprintf(stderr, "skipped: MACADAM_DATA names no folder with %s\n", name);
        return false;
    }
    snprintf(path, FILES_PATH_BYTES, "%s/%s", root, name);
    if (access(path, R_OK) != 0) die("read", path);
    return true;
}

void *files_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) die("read", path);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *data = checked_memory(aligned_alloc(64, *bytes / 64 * 64 + 64), *bytes, 1);
    if (fread(data, 1, *bytes, file) != *bytes) die("read", path);
    fclose(file);
    return data;
}

void files_write(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) die("write", path);
}
