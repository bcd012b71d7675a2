/* hint.c - see hint.h. Six numbers of 32 bits, the last of them a checksum, in base64 as URLs bear it (RFC 4648). */
#include "bindings/serve/services/hint.h"

#include <string.h>

enum { WORDS = 6, BYTES = 4 * WORDS };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* FNV-1a. */
static uint32_t check_of(const uint32_t *word)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < 4 * (WORDS - 1); ++i)
        hash = (hash ^ (word[i / 4] >> 8 * (i % 4) & 255)) * 16777619u;
    return hash;
}

void serve_hint_write(const serve_hint *hint, char text[SERVE_HINT_CHARACTERS + 1])
{
    uint32_t word[WORDS] = {hint->map, (uint32_t)hint->lon_e7, (uint32_t)hint->lat_e7,
                            (uint32_t)hint->snapped_lon_e7, (uint32_t)hint->snapped_lat_e7};
    uint8_t byte[BYTES];
    word[WORDS - 1] = check_of(word);
    for (size_t i = 0; i < BYTES; ++i) byte[i] = (uint8_t)(word[i / 4] >> 8 * (i % 4));
    for (size_t i = 0, j = 0; i < BYTES; i += 3) {
        const uint32_t three = (uint32_t)byte[i] << 16 | (uint32_t)byte[i + 1] << 8 | byte[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) text[j++] = alphabet[three >> shift & 63];
    }
    text[SERVE_HINT_CHARACTERS] = 0;
}

bool serve_hint_read(serve_hint *out, const char *text, size_t size)
{
    uint32_t word[WORDS] = {0};
    if (size != SERVE_HINT_CHARACTERS) return false;
    for (size_t i = 0, byte = 0; i < size; i += 4) {
        uint32_t three = 0;
        for (size_t k = 0; k < 4; ++k) {
            const char *const found = text[i + k] ? strchr(alphabet, text[i + k]) : NULL;
            if (!found) return false;
            three = three << 6 | (uint32_t)(found - alphabet);
        }
        for (int shift = 16; shift >= 0; shift -= 8, ++byte)
            word[byte / 4] |= (three >> shift & 255) << 8 * (byte % 4);
    }
    if (word[WORDS - 1] != check_of(word)) return false;
    *out = (serve_hint){word[0], (int32_t)word[1], (int32_t)word[2], (int32_t)word[3], (int32_t)word[4]};
    return true;
}
