/* height_tile.c - see height_tile.h. */
#include "tests/support/height_tile.h"

#include "tests/support/checked.h"
#include "tests/support/files.h"

#include <minizip/zip.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

static void check(bool holds, const char *path)
{
    if (holds) return;
    fprintf(stderr, "cannot write %s\n", path);
    abort();
}

static void write_gzip(const char *path, const void *data, size_t bytes)
{
    const gzFile file = gzopen(path, "wb1");
    check(file && gzwrite(file, data, (unsigned)bytes) == (int)bytes && gzclose(file) == Z_OK, path);
}

static void write_zip(const char *path, const void *data, size_t bytes)
{
    const zipFile file = zipOpen64(path, APPEND_STATUS_CREATE);
    const zip_fileinfo info = {0};
    check(file && zipOpenNewFileInZip(file, "readme.txt", &info, NULL, 0, NULL, 0, NULL, 0, 0) == ZIP_OK,
          path);
    check(zipCloseFileInZip(file) == ZIP_OK, path);
    check(zipOpenNewFileInZip(file, "TILE.HGT", &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED, 0) == ZIP_OK,
          path);
    check(zipWriteInFileInZip(file, data, (unsigned)bytes) == ZIP_OK, path);
    check(zipCloseFileInZip(file) == ZIP_OK && zipClose(file, NULL) == ZIP_OK, path);
}

static void cut_off(const char *path, size_t cut)
{
    size_t bytes;
    FREED void *const data = files_read(path, &bytes);
    files_write(path, data, bytes - cut);
}

void height_tile_write(const char *path, size_t side, height_tile_metres metres, const void *context,
                       size_t cut)
{
    const size_t bytes = 2 * side * side;
    unsigned char *const data = checked_allocate(bytes, 1);
    for (size_t i = 0; i < side * side; ++i) {
        const int height = metres(context, i % side, side - 1 - i / side);
        data[2 * i] = (unsigned char)((unsigned)height >> 8);
        data[2 * i + 1] = (unsigned char)height;
    }
    const char *const end = strrchr(path, '.');
    if (strcmp(end, ".zip") == 0)
        write_zip(path, data, bytes);
    else if (strcmp(end, ".gz") == 0)
        write_gzip(path, data, bytes);
    else
        files_write(path, data, bytes);
    free(data);
    if (cut) cut_off(path, cut);
}
