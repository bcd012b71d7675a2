/* unpack.c - see unpack.h. */
#include "importers/osm/read/unpack.h"
#include "engine/base/memory.h"
#include "engine/base/types.h"

#include <limits.h>

enum { PIECE_BYTES = 1 << 17, GZIP_OR_ZLIB = 32 + MAX_WBITS };

macadam_status mcd_unpacker_open(mcd_unpacker *unpacker, mcd_packing packing, const char *path,
                                 const void *data, size_t bytes, macadam_error *error)
{
    *unpacker = (mcd_unpacker){.packing = packing, .path = path, .begin = data, .at = data, .end = data};
    if (bytes) unpacker->end += bytes; /* an empty file has no data */
    return packing == MCD_PACKING_NONE ? MACADAM_OK : MCD_NEW(unpacker->room, PIECE_BYTES, error);
}

static void close_stream(mcd_unpacker *unpacker)
{
    if (!unpacker->open) return;
    if (unpacker->packing == MCD_PACKING_GZIP)
        inflateEnd(&unpacker->gzip);
    else
        BZ2_bzDecompressEnd(&unpacker->bzip2);
    unpacker->open = false;
}

void mcd_unpacker_free(mcd_unpacker *unpacker)
{
    close_stream(unpacker);
    mcd_free(unpacker->room);
    *unpacker = (mcd_unpacker){0};
}

void *mcd_zlib_allocate(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return mcd_allocate(count, size);
}

static void *allocate_bzip2(void *unused, int count, int size)
{
    return mcd_zlib_allocate(unused, (unsigned)count, (unsigned)size);
}

static macadam_status open_stream(mcd_unpacker *unpacker, macadam_error *error)
{
    unpacker->gzip = (z_stream){.zalloc = mcd_zlib_allocate, .zfree = mcd_library_free};
    unpacker->bzip2 = (bz_stream){.bzalloc = allocate_bzip2, .bzfree = mcd_library_free};
    unpacker->open = unpacker->packing == MCD_PACKING_GZIP
                         ? inflateInit2(&unpacker->gzip, GZIP_OR_ZLIB) == Z_OK
                         : BZ2_bzDecompressInit(&unpacker->bzip2, 0, 0) == BZ_OK;
    unpacker->ended = false;
    return unpacker->open
               ? MACADAM_OK
               : mcd_fail(error, MACADAM_E_MEMORY, "%s: not enough memory to read it", unpacker->path);
}

/* The result of a step of a library: some input. */
typedef struct step {
    size_t used, made;
    bool ended, memory, bad;
} step;

static step inflate_step(mcd_unpacker *unpacker, unsigned left, unsigned room)
{
    z_stream *const stream = &unpacker->gzip;
    stream->next_in = (unsigned char *)unpacker->at;
    stream->avail_in = left;
    stream->next_out = unpacker->room + PIECE_BYTES - room;
    stream->avail_out = room;
    const int code = inflate(stream, Z_NO_FLUSH);
    return (step){.used = left - stream->avail_in,
                  .made = room - stream->avail_out,
                  .ended = code == Z_STREAM_END,
                  .memory = code == Z_MEM_ERROR,
                  .bad = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR};
}

static step bunzip_step(mcd_unpacker *unpacker, unsigned left, unsigned room)
{
    bz_stream *const stream = &unpacker->bzip2;
    stream->next_in = (char *)unpacker->at;
    stream->avail_in = left;
    stream->next_out = (char *)unpacker->room + PIECE_BYTES - room;
    stream->avail_out = room;
    const int code = BZ2_bzDecompress(stream);
    return (step){.used = left - stream->avail_in,
                  .made = room - stream->avail_out,
                  .ended = code == BZ_STREAM_END,
                  .memory = code == BZ_MEM_ERROR,
                  .bad = code != BZ_OK && code != BZ_STREAM_END};
}

/* Unpacks until the room is full or the file ends. */
static macadam_status fill(mcd_unpacker *unpacker, size_t *bytes, macadam_error *error)
{
    while (*bytes < PIECE_BYTES) {
        const size_t left = (size_t)(unpacker->end - unpacker->at);
        if (!unpacker->open) {
            if (left == 0 && unpacker->ended) return MACADAM_OK;
            MCD_TRY(open_stream(unpacker, error));
        }
        const unsigned offered = left < INT_MAX ? (unsigned)left : INT_MAX;
        const unsigned room = (unsigned)(PIECE_BYTES - *bytes);
        const step done = unpacker->packing == MCD_PACKING_GZIP ? inflate_step(unpacker, offered, room)
                                                                : bunzip_step(unpacker, offered, room);
        if (done.memory)
            return mcd_fail(error, MACADAM_E_MEMORY, "%s: not enough memory to read it", unpacker->path);
        if (done.bad)
            return mcd_fail(error, MACADAM_E_FILE, "%s: it cannot be unpacked at byte %zu", unpacker->path,
                            (size_t)(unpacker->at - unpacker->begin) + done.used);
        if (!done.ended && done.used == 0 && done.made == 0)
            return mcd_fail(error, MACADAM_E_FILE, "%s: it is cut off", unpacker->path);
        unpacker->at += done.used;
        *bytes += done.made;
        unpacker->ended = done.ended;
        if (done.ended) close_stream(unpacker);
    }
    return MACADAM_OK;
}

macadam_status mcd_unpacker_next(mcd_unpacker *unpacker, const unsigned char **piece, size_t *bytes,
                                 macadam_error *error)
{
    *bytes = 0;
    *piece = unpacker->room;
    if (unpacker->packing != MCD_PACKING_NONE) return fill(unpacker, bytes, error);
    *piece = unpacker->at;
    *bytes = mcd_size_min((size_t)(unpacker->end - unpacker->at), PIECE_BYTES);
    if (*bytes) unpacker->at += *bytes;
    return MACADAM_OK;
}
