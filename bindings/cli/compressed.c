/* compressed.c - see compressed.h. */
#include "bindings/cli/compressed.h"
#include "bindings/cli/output/failure.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER_BYTES = 1 << 16, GZIP_WINDOW = 15 + 16 /* zlib: the largest, with gzip's header */ };

cli_compression cli_compression_of(const char *path, size_t *name_bytes)
{
    static const char *const extension[] = {[CLI_GZIP] = ".gz", [CLI_ZSTD] = ".zst"};
    const size_t bytes = strlen(path);
    for (int i = CLI_GZIP; i <= CLI_ZSTD; ++i) {
        const size_t own = strlen(extension[i]);
        *name_bytes = bytes - own;
        if (bytes > own && strcmp(path + bytes - own, extension[i]) == 0) return (cli_compression)i;
    }
    *name_bytes = bytes;
    return CLI_PLAIN;
}

cli_compression cli_compression_of_data(const void *data, size_t bytes)
{
    return bytes >= 2 && memcmp(data, "\x1f\x8b", 2) == 0           ? CLI_GZIP
           : bytes >= 4 && memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0 ? CLI_ZSTD
                                                                    : CLI_PLAIN;
}

/* ---- writing ---- */

struct cli_compressor {
    FILE *to;
    z_stream gzip;
    ZSTD_CCtx *zstd; /* NULL: gzip */
    unsigned char buffer[BUFFER_BYTES];
};

static void *check_memory(void *made)
{
    if (!made) exit(cli_fail(CLI_RESOURCE, macadam_status_name(MACADAM_E_MEMORY), "no memory to compress"));
    return made;
}

cli_compressor *cli_compressor_new(cli_compression compression, FILE *to)
{
    cli_compressor *const out = cli_allocate(1, sizeof *out);
    out->to = to;
    if (compression == CLI_ZSTD) {
        out->zstd = check_memory(ZSTD_createCCtx());
        ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1); /* as gzip has one */
    } else {
        check_memory(deflateInit2(&out->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                                  Z_DEFAULT_STRATEGY) == Z_OK
                         ? out
                         : NULL);
    }
    return out;
}

/* Fills the buffer. Returns whether there is more to come; *filled: bytes of it. */
static bool fill_zstd(cli_compressor *compressor, ZSTD_inBuffer *in, bool ends, size_t *filled)
{
    ZSTD_outBuffer out = {compressor->buffer, BUFFER_BYTES, 0};
    const size_t left = ZSTD_compressStream2(compressor->zstd, &out, in, ends ? ZSTD_e_end : ZSTD_e_continue);
    check_memory(ZSTD_isError(left) ? NULL : compressor); /* the only failure there can be */
    *filled = out.pos;
    return ends ? left > 0 : in->pos < in->size;
}

static bool fill_gzip(cli_compressor *compressor, ZSTD_inBuffer *in, bool ends, size_t *filled)
{
    z_stream *const gzip = &compressor->gzip;
    const size_t part = in->size - in->pos < UINT_MAX ? in->size - in->pos : UINT_MAX;
    gzip->next_in = (unsigned char *)in->src + in->pos, gzip->avail_in = (unsigned)part;
    gzip->next_out = compressor->buffer, gzip->avail_out = BUFFER_BYTES;
    const bool is_last = ends && in->pos + part == in->size;
    const int status = deflate(gzip, is_last ? Z_FINISH : Z_NO_FLUSH);
    in->pos += part - gzip->avail_in;
    *filled = BUFFER_BYTES - gzip->avail_out;
    return is_last ? status != Z_STREAM_END : in->pos < in->size || gzip->avail_out == 0;
}

bool cli_compressor_write(cli_compressor *compressor, const void *data, size_t bytes, bool ends)
{
    ZSTD_inBuffer in = {data, bytes, 0};
    bool is_written = true, has_more = bytes > 0 || ends;
    while (has_more && is_written) {
        size_t filled;
        has_more = (compressor->zstd ? fill_zstd : fill_gzip)(compressor, &in, ends, &filled);
        is_written = fwrite(compressor->buffer, 1, filled, compressor->to) == filled;
    }
    if (!ends) return is_written;
    ZSTD_freeCCtx(compressor->zstd);
    deflateEnd(&compressor->gzip); /* of zeros, too */
    return is_written;
}

/* ---- reading ---- */

typedef struct growing {
    char *data;
    size_t bytes, capacity;
} growing;

static void grow(growing *out)
{
    if (out->bytes < out->capacity) return;
    out->capacity = out->capacity ? 2 * out->capacity : BUFFER_BYTES;
    out->data = cli_reallocate(out->data, out->capacity, 1);
}

/* Members may follow each other. Returns whether all of them are whole. */
static bool unzip(const char *data, size_t bytes, growing *out)
{
    z_stream gzip = {.next_in = (unsigned char *)data};
    int status = Z_STREAM_END;
    check_memory(inflateInit2(&gzip, GZIP_WINDOW) == Z_OK ? out : NULL);
    for (const char *const end = data + bytes; status == Z_OK || (char *)gzip.next_in < end;) {
        if (status == Z_STREAM_END) inflateReset(&gzip);
        grow(out);
        const size_t left = (size_t)(end - (char *)gzip.next_in), room = out->capacity - out->bytes;
        gzip.avail_in = left < UINT_MAX ? (unsigned)left : UINT_MAX;
        gzip.next_out = (unsigned char *)out->data + out->bytes;
        gzip.avail_out = room < UINT_MAX ? (unsigned)room : UINT_MAX;
        const unsigned before = gzip.avail_out;
        status = inflate(&gzip, Z_NO_FLUSH);
        out->bytes += before - gzip.avail_out;
        if (status != Z_OK && status != Z_STREAM_END) break;
    }
    inflateEnd(&gzip);
    return status == Z_STREAM_END;
}

static bool unpack_zstd(const char *data, size_t bytes, growing *out)
{
    ZSTD_DCtx *const zstd = check_memory(ZSTD_createDCtx());
    ZSTD_inBuffer in = {data, bytes, 0};
    size_t left = 1;
    bool has_moved = true; /* otherwise the data are cut off */
    while (!ZSTD_isError(left) && has_moved && (left > 0 || in.pos < in.size)) {
        grow(out);
        ZSTD_outBuffer to = {out->data, out->capacity, out->bytes};
        const size_t before = in.pos;
        left = ZSTD_decompressStream(zstd, &to, &in);
        has_moved = in.pos > before || to.pos > out->bytes;
        out->bytes = to.pos;
    }
    ZSTD_freeDCtx(zstd);
    return left == 0;
}

bool cli_decompress(char **data, size_t *bytes)
{
    growing out = {NULL, 0, 0};
    const bool is_gzip = cli_compression_of_data(*data, *bytes) == CLI_GZIP;
    const bool is_whole = (is_gzip ? unzip : unpack_zstd)(*data, *bytes, &out);
    grow(&out);
    *data = out.data, *bytes = out.bytes;
    return is_whole;
}
