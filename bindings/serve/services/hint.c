/* hint.c - see hint.h. Six numbers of 32 bits, the last of them a checksum, in base64 as URLs bear it (RFC 4648). */
#include "bindings/serve/services/hint.h"

#include <string.h>

enum { BYTES = sizeof(serve_hint) + sizeof(uint32_t) };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* FNV-1a. */
static uint32_t check_of(const uint8_t *byte)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof(serve_hint); ++i) hash = (hash ^ byte[i]) * 16777619u;
    return hash;
}

void serve_hint_write(const serve_hint *hint, char text[SERVE_HINT_CHARACTERS + 1])
{
    uint8_t byte[BYTES];
    memcpy(byte, hint, sizeof *hint);
    const uint32_t check = check_of(byte);
    memcpy(byte + sizeof *hint, &check, sizeof check);
    for (size_t i = 0; i < BYTES; i += 3, text += 4) {
        const uint32_t three = (uint32_t)byte[i] << 16 | (uint32_t)byte[i + 1] << 8 | byte[i + 2];
        text[0] = alphabet[three >> 18];
        text[1] = alphabet[three >> 12 & 63];
        text[2] = alphabet[three >> 6 & 63];
        text[3] = alphabet[three & 63];
    }
    *text = 0;
}

bool serve_hint_read(serve_hint *out, const char *text, size_t size)
{
    uint8_t byte[BYTES];
    uint32_t check;
    if (size != SERVE_HINT_CHARACTERS) return false;
    for (size_t i = 0, j = 0; i < size; i += 4) {
        uint32_t three = 0;
        for (size_t k = 0; k < 4; ++k) {
            const char *const found = text[i + k] ? strchr(alphabet, text[i + k]) : NULL;
            if (!found) return false;
            three = three << 6 | (uint32_t)(found - alphabet);
        }
        for (int shift = 16; shift >= 0; shift -= 8) byte[j++] = (uint8_t)(three >> shift);
    }
    memcpy(out, byte, sizeof *out);
    memcpy(&check, byte + sizeof *out, sizeof check);
    return check == check_of(byte);
}
