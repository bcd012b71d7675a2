/* compressed.c - see compressed.h. */
#include "bindings/cli/compressed.h"
#include "bindings/cli/output/failure.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER_BYTES = 1 << 16, GZIP_WINDOW = 15 + 16 /* zlib: the largest, with gzip's header */ };
static const char gzip_magic[] = "\x1f\x8b";

cli_compression cli_compression_of(const char *path, size_t *name_bytes)
{
    static const char *const extension[] = {[CLI_GZIP] = ".gz", [CLI_ZSTD] = ".zst"};
    const size_t bytes = strlen(path);
    for (int i = CLI_GZIP; i <= CLI_ZSTD; ++i) {
        *name_bytes = bytes - strlen(extension[i]);
        if (bytes > strlen(extension[i]) && strcmp(path + *name_bytes, extension[i]) == 0)
            return (cli_compression)i;
    }
    *name_bytes = bytes;
    return CLI_PLAIN;
}

static void *check_memory(void *made)
{
    if (!made) exit(cli_fail(CLI_RESOURCE, macadam_status_name(MACADAM_E_MEMORY), "no memory to compress"));
    return made;
}

/* ---- writing ---- */

struct cli_compressor {
    FILE *to;
    gzFile gzip;     /* to the same file; NULL: Zstandard */
    ZSTD_CCtx *zstd; /* likewise */
    char buffer[BUFFER_BYTES];
};

cli_compressor *cli_compressor_new(cli_compression compression, FILE *to)
{
    cli_compressor *const out = cli_allocate(1, sizeof *out);
    out->to = to;
    if (compression == CLI_GZIP) {
        out->gzip = check_memory(gzdopen(dup(fileno(to)), "wb"));
    } else {
        out->zstd = check_memory(ZSTD_createCCtx());
        ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1); /* as gzip has one */
    }
    return out;
}

static bool write_zstd(cli_compressor *compressor, ZSTD_inBuffer in, bool ends)
{
    size_t left = 1; /* in the compressor, once it ends */
    while (ends ? left > 0 : in.pos < in.size) {
        ZSTD_outBuffer out = {compressor->buffer, BUFFER_BYTES, 0};
        left = ZSTD_compressStream2(compressor->zstd, &out, &in, ends ? ZSTD_e_end : ZSTD_e_continue);
        check_memory(ZSTD_isError(left) ? NULL : compressor); /* the only failure there can be */
        if (fwrite(compressor->buffer, 1, out.pos, compressor->to) != out.pos) return false;
    }
    return true;
}

bool cli_compressor_write(cli_compressor *compressor, const void *data, size_t bytes)
{
    return compressor->gzip ? gzfwrite(data, 1, bytes, compressor->gzip) == bytes
                            : write_zstd(compressor, (ZSTD_inBuffer){data, bytes, 0}, false);
}

bool cli_compressor_end(cli_compressor *compressor)
{
    if (compressor->gzip) return gzclose(compressor->gzip) == Z_OK;
    const bool is_written = write_zstd(compressor, (ZSTD_inBuffer){NULL, 0, 0}, true);
    ZSTD_freeCCtx(compressor->zstd);
    return is_written;
}

/* ---- reading ---- */

bool cli_is_compressed(const char *data, size_t bytes)
{
    static const char zstd_magic[] = "\x28\xb5\x2f\xfd", skippable_magic[] = "\x2a\x4d\x18";
    if (bytes >= 2 && memcmp(data, gzip_magic, 2) == 0) return true;
    return bytes >= 4 && (memcmp(data, zstd_magic, 4) == 0 || /* or a frame without data, 0x184d2a50 to 5f */
                          ((data[0] & 0xf0) == 0x50 && memcmp(data + 1, skippable_magic, 3) == 0));
}

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

static unsigned part_of(size_t bytes)
{
    return bytes < UINT_MAX ? (unsigned)bytes : UINT_MAX;
}

static bool are_zeros(const unsigned char *data, const unsigned char *end)
{
    while (data < end && *data == 0) ++data;
    return data == end;
}

/* Members may follow each other, and zeros the last one: some tools pad files. */
static bool unpack_gzip(const char *data, size_t bytes, growing *out)
{
    z_stream gzip = {.next_in = (unsigned char *)data};
    int status = Z_STREAM_END;
    check_memory(inflateInit2(&gzip, GZIP_WINDOW) == Z_OK ? out : NULL);
    for (const unsigned char *const end = gzip.next_in + bytes;
         status == Z_OK || (status == Z_STREAM_END && !are_zeros(gzip.next_in, end));) {
        if (status == Z_STREAM_END) inflateReset(&gzip);
        grow(out);
        gzip.avail_in = part_of((size_t)(end - gzip.next_in));
        gzip.next_out = (unsigned char *)out->data + out->bytes;
        gzip.avail_out = part_of(out->capacity - out->bytes);
        status = inflate(&gzip, Z_NO_FLUSH); /* of data that are cut off: Z_BUF_ERROR */
        check_memory(status == Z_MEM_ERROR ? NULL : out);
        out->bytes = (size_t)((char *)gzip.next_out - out->data);
    }
    inflateEnd(&gzip);
    return status == Z_STREAM_END;
}

static bool unpack_zstd(const char *data, size_t bytes, growing *out)
{
    ZSTD_DCtx *const zstd = check_memory(ZSTD_createDCtx());
    ZSTD_inBuffer in = {data, bytes, 0};
    size_t left = 1, before;
    do {
        grow(out);
        ZSTD_outBuffer to = {out->data, out->capacity, out->bytes};
        before = in.pos + out->bytes; /* data that are cut off do not move it */
        left = ZSTD_decompressStream(zstd, &to, &in);
        out->bytes = to.pos;
    } while (!ZSTD_isError(left) && in.pos + out->bytes > before && (left > 0 || in.pos < in.size));
    ZSTD_freeDCtx(zstd);
    return left == 0;
}

bool cli_decompress(char **data, size_t *bytes)
{
    growing out = {NULL, 0, 0};
    const bool is_gzip = memcmp(*data, gzip_magic, 2) == 0;
    const bool is_whole = (is_gzip ? unpack_gzip : unpack_zstd)(*data, *bytes, &out);
    *data = out.data, *bytes = out.bytes;
    return is_whole;
}
