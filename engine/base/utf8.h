/* utf8.h - text that every protobuf decoder accepts. A leaf. */
#ifndef MCD_ENGINE_BASE_UTF8_H
#define MCD_ENGINE_BASE_UTF8_H

#include <stddef.h>

/* Returns how many of the bytes, of which the last is NUL, are before the first one that is not part of a
 * well-formed sequence. */
size_t mcd_utf8_length(const char *text, size_t bytes);

/* Replaces each byte of `text` that is not part of a well-formed UTF-8 sequence (RFC 3629) by '?'. Names of
 * files and roads may hold any bytes, and a message may have been cut within a character. */
void mcd_utf8_repair(char *text);

#endif
