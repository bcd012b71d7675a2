/* srtm.c - see srtm.h. */
#include "importers/heights/srtm.h"
#include "engine/base/letters.h"
#include "engine/base/memory.h"

#include <errno.h>
#include <minizip/unzip.h>
#include <zlib.h>

enum { FINE_SIDE = 3601, COARSE_SIDE = 1201, SAMPLE_BYTES = 2, DECIMETRES = 10 /* of a metre */ };
#define BYTES_MAX ((size_t)FINE_SIDE * FINE_SIDE * SAMPLE_BYTES)

/* ---- bytes ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && mcd_letters_match(text + length - end_length, end, end_length);
}

/* Reads up to `room` bytes. */
static macadam_status read_gzip(unsigned char *data, size_t room, size_t *bytes, const char *path,
                                macadam_error *error)
{
    errno = 0;
    const gzFile file = gzopen(path, "rb"); /* plain files too */
    if (!file) return mcd_height_fail_open(path, error);
    const int count = gzread(file, data, (unsigned)room);
    const int closed = gzclose_r(file);
    if (count < 0 || closed != Z_OK)
        return mcd_fail(error, MACADAM_E_FILE, "%s: it is cut off or damaged", path);
    *bytes = (size_t)count;
    return MACADAM_OK;
}

/* Opens the first file in it that is a tile. */
static macadam_status open_inner(unzFile zip, const char *path, macadam_error *error)
{
    char name[256] = "";
    int code = unzGoToFirstFile(zip);
    for (; code == UNZ_OK; code = unzGoToNextFile(zip)) {
        code = unzGetCurrentFileInfo64(zip, NULL, name, sizeof name - 1, NULL, 0, NULL, 0);
        if (code != UNZ_OK || ends_with(name, ".hgt")) break;
    }
    if (code == UNZ_OK) code = unzOpenCurrentFile(zip);
    return code == UNZ_OK ? MACADAM_OK
                          : mcd_fail(error, MACADAM_E_FILE, "%s: it does not contain a .hgt file", path);
}

static macadam_status read_inner(unzFile zip, unsigned char *data, size_t room, size_t *bytes,
                                 const char *path, macadam_error *error)
{
    MCD_TRY(open_inner(zip, path, error));
    int count = 1;
    for (*bytes = 0; count > 0 && *bytes<room; *bytes += count> 0 ? (size_t)count : 0)
        count = unzReadCurrentFile(zip, data + *bytes, (unsigned)(room - *bytes));
    const int closed = unzCloseCurrentFile(zip); /* compares the checksum if all was read */
    return count < 0 || closed != UNZ_OK
               ? mcd_fail(error, MACADAM_E_FILE, "%s: the file in it is cut off or damaged", path)
               : MACADAM_OK;
}

static macadam_status read_zip(unsigned char *data, size_t room, size_t *bytes, const char *path,
                               macadam_error *error)
{
    errno = 0;
    const unzFile zip = unzOpen64(path);
    if (!zip && errno) return mcd_height_fail_open(path, error);
    if (!zip) return mcd_fail(error, MACADAM_E_FILE, "%s: it is not a zip file, or it is cut off", path);
    const macadam_status status = read_inner(zip, data, room, bytes, path, error);
    unzClose(zip);
    return status;
}

/* ---- samples ---- */

static macadam_status take_samples(mcd_height_tile *out, const unsigned char *data, size_t bytes,
                                   const char *path, macadam_error *error)
{
    const uint32_t side = bytes == BYTES_MAX ? FINE_SIDE : COARSE_SIDE;
    const size_t count = (size_t)side * side;
    if (bytes != count * SAMPLE_BYTES)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: a tile of heights has 2884802 bytes (3 arc seconds) or 25934402 (1), not %s%zu",
                        path, bytes > BYTES_MAX ? "more than " : "", bytes > BYTES_MAX ? BYTES_MAX : bytes);
    out->x = out->y = (mcd_height_axis){.count = side, .per_degree = side - 1};
    MCD_TRY(MCD_NEW(out->height_dm, count, error));
    for (size_t i = 0; i < count; ++i)
        out->height_dm[i] = (int16_t)(data[2 * i] << 8 | data[2 * i + 1]) * DECIMETRES;
    return MACADAM_OK;
}

macadam_status mcd_srtm_read(mcd_height_tile *out, const char *path, macadam_error *error)
{
    *out = (mcd_height_tile){0};
    MCD_OWNED unsigned char *data = NULL;
    size_t bytes = 0;
    MCD_TRY(MCD_NEW(data, BYTES_MAX + 1, error));
    MCD_TRY((ends_with(path, ".zip") ? read_zip : read_gzip)(data, BYTES_MAX + 1, &bytes, path, error));
    return take_samples(out, data, bytes, path, error);
}
