/* utf8.c - see utf8.h. */
#include "engine/base/utf8.h"

#include <stdint.h>
#include <string.h>

static size_t sequence_length(uint8_t lead)
{
    if (lead < 0x80) return 1;
    if (lead < 0xc2) return 0; /* a continuation byte, or an overlong form of ASCII */
    if (lead < 0xe0) return 2;
    if (lead < 0xf0) return 3;
    return lead < 0xf5 ? 4 : 0;
}

/* Returns the length of the well-formed sequence at `text`, or 0. Stops at the terminating NUL, which is not
 * a continuation byte. */
static size_t valid_length(const uint8_t *text)
{
    const size_t length = sequence_length(text[0]);
    for (size_t i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80) return 0;
    const int second = length > 2 ? text[1] : -1;
    const int overlong = (text[0] == 0xe0 && second < 0xa0) || (text[0] == 0xf0 && second < 0x90);
    const int surrogate = text[0] == 0xed && second > 0x9f;
    const int beyond = text[0] == 0xf4 && second > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

size_t mcd_utf8_length(const char *text, size_t bytes)
{
    const uint64_t not_ascii = UINT64_C(0x8080808080808080);
    size_t at = 0, length;
    uint64_t word;
    do {
        while (at + sizeof word <= bytes && (memcpy(&word, text + at, sizeof word), !(word & not_ascii)))
            at += sizeof word;
        length = at < bytes ? valid_length((const uint8_t *)text + at) : 0;
        at += length;
    } while (length > 0);
    return at;
}

void mcd_utf8_repair(char *text)
{
    while (*text) {
        const size_t length = valid_length((const uint8_t *)text);
        if (!length) *text = '?';
        text += length ? length : 1;
    }
}
