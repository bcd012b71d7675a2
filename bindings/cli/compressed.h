/* compressed.h - data compressed by gzip or Zstandard: files that are written as their names say, NAME.gz and NAME.zst, and inputs,
 * which are recognised by their first bytes. */
#ifndef MCD_BINDINGS_CLI_COMPRESSED_H
#define MCD_BINDINGS_CLI_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum cli_compression { CLI_PLAIN, CLI_GZIP, CLI_ZSTD } cli_compression;

/* Returns the compression that the extension of a path names. *name_bytes: those before the extension. */
cli_compression cli_compression_of(const char *path, size_t *name_bytes);
/* Returns the compression of data by its first bytes. */
cli_compression cli_compression_of_data(const void *data, size_t bytes);

/* Compresses into a stream. */
typedef struct cli_compressor cli_compressor;
cli_compressor *cli_compressor_new(cli_compression compression, FILE *to);
/* Returns false, with errno, if a write failed. `ends`: nothing follows, and the compressor is freed. */
bool cli_compressor_write(cli_compressor *compressor, const void *data, size_t bytes, bool ends);

/* Replaces data, which cli_allocate or cli_reallocate made, by what was compressed. Returns false if it is damaged or cut off. */
bool cli_decompress(char **data, size_t *bytes);

#endif
