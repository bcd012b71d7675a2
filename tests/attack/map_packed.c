/* map_packed.c - see map_packed.h. The text is cut into one to three members of the compressed file. Most are
 * good. Some have a wrong checksum, a wrong byte, an end that is missing or garbage after it, are of the other
 * format, or hold megabytes of blanks. */
#include "tests/attack/map_packed.h"

#include "tests/attack/attack.h"
#include "tests/attack/map_text.h"
#include "tests/support/checked.h"

#include <bzlib.h>
#include <string.h>
#include <zlib.h>

enum { MEMBERS_MAX = 3, SPARE_BYTES = 1024, BLANKS = 8 << 20, GZIP = 16, WORK_FACTOR = 30 };

typedef struct text {
    char *data;
    size_t bytes;
} text;

static text draw_text(test_rng *rng)
{
    text drawn;
    FILE *const to = open_memstream(&drawn.data, &drawn.bytes);
    attack_require(to != NULL, "no memory for a map");
    map_text_osm(to, rng);
    if (attack_chance(rng, 100)) fprintf(to, "%*s", (int)BLANKS, "");
    fclose(to);
    return drawn;
}

/* Both return how many bytes they put into `to`, which has room for them. */
static size_t pack_gzip(unsigned char *to, size_t room, const char *data, size_t bytes, test_rng *rng)
{
    z_stream stream = {0};
    const int window =
        attack_chance(rng, 20) ? 15 : 9 + (int)rng_below(rng, 7) + GZIP; /* 15: zlib, not gzip */
    attack_require(
        deflateInit2(&stream, (int)rng_below(rng, 10), Z_DEFLATED, window, 8, (int)rng_below(rng, 5)) == Z_OK,
        "no memory for gzip");
    stream.next_in = (unsigned char *)data, stream.avail_in = (uInt)bytes;
    stream.next_out = to, stream.avail_out = (uInt)room;
    attack_require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "no room for gzip");
    const size_t written = stream.total_out;
    deflateEnd(&stream);
    return written;
}

static size_t pack_bzip2(unsigned char *to, size_t room, const char *data, size_t bytes, test_rng *rng)
{
    unsigned written = (unsigned)room;
    attack_require(BZ2_bzBuffToBuffCompress((char *)to, &written, (char *)data, (unsigned)bytes,
                                            1 + (int)rng_below(rng, 9), 0, WORK_FACTOR) == BZ_OK,
                   "no room for bzip2");
    return written;
}

static void lie(unsigned char *member, size_t *bytes, test_rng *rng)
{
    if (attack_chance(rng, 15)) member[*bytes - 1 - rng_below(rng, 8)] ^= 1; /* checksum or length */
    if (attack_chance(rng, 15)) member[rng_below(rng, (uint32_t)*bytes)] = (unsigned char)rng_next(rng);
    if (attack_chance(rng, 30)) *bytes = rng_below(rng, (uint32_t)*bytes + 1);
    for (uint32_t i = attack_chance(rng, 30) ? rng_below(rng, SPARE_BYTES / 2) : 0; i > 0; --i)
        member[(*bytes)++] = (unsigned char)rng_next(rng);
}

static void put_packed(FILE *to, test_rng *rng, bool gzip)
{
    const text drawn = draw_text(rng);
    const size_t room = drawn.bytes + drawn.bytes / 50 + 4 * SPARE_BYTES;
    unsigned char *const member = checked_allocate(room, 1);
    const uint32_t count = 1 + rng_below(rng, MEMBERS_MAX);
    for (uint32_t i = 0; i < count; ++i) {
        const size_t first = drawn.bytes / count * i,
                     end = i + 1 < count ? drawn.bytes / count * (i + 1) : drawn.bytes;
        const bool other = attack_chance(rng, 40);
        size_t bytes = (gzip != other ? pack_gzip : pack_bzip2)(member, room - SPARE_BYTES,
                                                                drawn.data + first, end - first, rng);
        lie(member, &bytes, rng);
        fwrite(member, 1, bytes, to);
    }
    free(member);
    free(drawn.data);
}

void map_packed_gzip(FILE *to, test_rng *rng)
{
    put_packed(to, rng, true);
}

void map_packed_bzip2(FILE *to, test_rng *rng)
{
    put_packed(to, rng, false);
}
