/* compressed.h - files that are compressed by gzip or Zstandard, as their names say: NAME.gz and NAME.zst. Inputs are recognised by
 * their first bytes. */
#ifndef MCD_BINDINGS_CLI_COMPRESSED_H
#define MCD_BINDINGS_CLI_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum cli_compression { CLI_PLAIN, CLI_GZIP, CLI_ZSTD } cli_compression;

/* Returns the compression that the extension of a path names. *name_bytes: those before the extension. */
cli_compression cli_compression_of(const char *path, size_t *name_bytes);

/* Compresses into a file. */
typedef struct cli_compressor cli_compressor;
cli_compressor *cli_compressor_new(cli_compression compression, FILE *to);
/* Each returns false, with errno, if a write failed. */
bool cli_compressor_write(cli_compressor *compressor, const void *data, size_t bytes);
bool cli_compressor_end(cli_compressor *compressor);

bool cli_is_compressed(const char *data, size_t bytes);
/* Replaces such data, of cli_allocate, by what was compressed. Returns false if they are damaged or cut off, or if anything but
 * zeros follows the members of gzip, or anything at all Zstandard's frames. */
bool cli_decompress(char **data, size_t *bytes);

#endif
