/* compressed.c - see compressed.h. */
#include "bindings/cli/compressed.h"
#include "bindings/cli/output/failure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER_BYTES = 1 << 16 };
static const char zstd_magic[] = "\x28\xb5\x2f\xfd";

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

bool cli_is_zstd(const char *data, size_t bytes)
{
    return bytes >= 4 && memcmp(data, zstd_magic, 4) == 0;
}

bool cli_unpack_zstd(char **data, size_t *bytes)
{
    ZSTD_DCtx *const zstd = check_memory(ZSTD_createDCtx());
    ZSTD_inBuffer in = {*data, *bytes, 0};
    ZSTD_outBuffer out = {NULL, 0, 0};
    size_t left = 1, before;
    do {
        if (out.pos == out.size) {
            out.size = out.size ? 2 * out.size : BUFFER_BYTES;
            out.dst = cli_reallocate(out.dst, out.size, 1);
        }
        before = in.pos + out.pos; /* data that are cut off do not move it */
        left = ZSTD_decompressStream(zstd, &out, &in);
    } while (!ZSTD_isError(left) && in.pos + out.pos > before && (left > 0 || in.pos < in.size));
    ZSTD_freeDCtx(zstd);
    *data = out.dst, *bytes = out.pos;
    return left == 0;
}
