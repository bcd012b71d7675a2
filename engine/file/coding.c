/* coding.c - see coding.h. */
#include "engine/file/coding.h"

#include "engine/base/types.h"
#include "engine/base/watch.h"

#include <stdatomic.h>
#define ZSTD_STATIC_LINKING_ONLY /* of this, only functions that make a context with an allocator */
#include <zstd.h>

static const ZSTD_customMem library_memory = {mcd_library_allocate, mcd_library_free, NULL};

/* Level 3 stores Milan in 2 % fewer bytes than level 1, and takes 1.6 times as long. */
enum { LEVEL = 1 };
enum { DECODER_BYTES = 160000 }; /* about what zstd takes, for messages */

/* ---- planes and differences ----
 *
 * Differences are taken modulo 2^32 or 2^64, so they exist for all elements, signed or not. A difference d is
 * stored as 2d, a negative one as -2d - 1: small ones have empty high bytes. */

#define MCD_PLANES_OF(bits)                                                                                  \
    static void split_##bits(unsigned char *restrict out, const uint##bits##_t *restrict in, size_t count)   \
    {                                                                                                        \
        for (size_t plane = 0; plane < bits / 8; ++plane)                                                    \
            for (size_t i = 0; i < count; ++i) out[plane * count + i] = (unsigned char)(in[i] >> 8 * plane); \
    }                                                                                                        \
    static void take_differences_##bits(uint##bits##_t *restrict out, const uint##bits##_t *restrict in,     \
                                        size_t count)                                                        \
    {                                                                                                        \
        for (size_t i = 0; i < count; ++i) {                                                                 \
            const uint##bits##_t difference = (uint##bits##_t)(in[i] - (i > 0 ? in[i - 1] : 0));             \
            const uint##bits##_t sign = (uint##bits##_t)(0 - (difference >> (bits - 1)));                    \
            out[i] = (uint##bits##_t)((difference << 1) ^ sign);                                             \
        }                                                                                                    \
    }                                                                                                        \
    static void add_differences_##bits(uint##bits##_t *element, size_t count)                                \
    {                                                                                                        \
        uint##bits##_t sum = 0;                                                                              \
        _Pragma("GCC unroll 4") for (size_t i = 0; i < count; ++i)                                           \
        {                                                                                                    \
            const uint##bits##_t code = element[i];                                                          \
            sum = (uint##bits##_t)(sum + ((code >> 1) ^ (uint##bits##_t)(0 - (code & 1))));                  \
            element[i] = sum;                                                                                \
        }                                                                                                    \
    }
MCD_PLANES_OF(16)
MCD_PLANES_OF(32)
MCD_PLANES_OF(64)

/* Byte i of the first, second, ... of as many planes as an element has bytes. Compilers interleave them as vectors. */
static void join_2(unsigned char *restrict out, const unsigned char *restrict in, size_t count)
{
    for (size_t i = 0; i < count; ++i) out[2 * i] = in[i], out[2 * i + 1] = in[count + i];
}

static void join_4(unsigned char *restrict out, const unsigned char *restrict in, size_t count)
{
    const unsigned char *const high = in + 2 * count;
    for (size_t i = 0; i < count; ++i) {
        out[4 * i] = in[i], out[4 * i + 1] = in[count + i];
        out[4 * i + 2] = high[i], out[4 * i + 3] = high[count + i];
    }
}

static void join_8(unsigned char *restrict out, const unsigned char *restrict in, size_t count)
{
    const unsigned char *const third = in + 2 * count, *const fifth = in + 4 * count,
                               *const seventh = in + 6 * count;
    for (size_t i = 0; i < count; ++i) {
        out[8 * i] = in[i], out[8 * i + 1] = in[count + i];
        out[8 * i + 2] = third[i], out[8 * i + 3] = third[count + i];
        out[8 * i + 4] = fifth[i], out[8 * i + 5] = fifth[count + i];
        out[8 * i + 6] = seventh[i], out[8 * i + 7] = seventh[count + i];
    }
}

/* Records of three words differ least from the records beside them, word by word. */
static void part_triples(uint32_t *restrict out, const uint32_t *restrict in, size_t count)
{
    for (size_t word = 0; word < 3; ++word)
        for (size_t i = word; i < count; i += 3) *out++ = in[i];
}

static void join_triples(uint32_t *restrict out, const uint32_t *restrict in, size_t count)
{
    for (size_t word = 0; word < 3; ++word)
        for (size_t i = word; i < count; i += 3) out[i] = *in++;
}

/* Elements of one byte have one plane, and no differences: bytes are flags and letters. */
static bool has_planes(mcd_coding coding, size_t element_size)
{
    return coding != MCD_CODING_BYTES && element_size > 1;
}

static void join(void *out, unsigned char *planes, mcd_coding coding, size_t element_size, size_t count)
{
    const bool adds = coding != MCD_CODING_PLANES;
    if (element_size == 2) {
        join_2(out, planes, count);
        if (adds) add_differences_16(out, count);
    } else if (element_size == 4) {
        join_4(out, planes, count);
        if (adds) add_differences_32(out, count);
        if (coding == MCD_CODING_TRIPLES)
            join_triples(out, memcpy(planes, out, count * sizeof(uint32_t)), count);
    } else {
        join_8(out, planes, count);
        if (adds) add_differences_64(out, count);
    }
}

static void split(unsigned char *planes, void *scratch, const void *data, mcd_coding coding,
                  size_t element_size, size_t count)
{
    const bool differs = coding != MCD_CODING_PLANES;
    if (element_size == 2) {
        if (differs) take_differences_16(scratch, data, count);
        split_16(planes, differs ? scratch : data, count);
    } else if (element_size == 4) {
        if (coding == MCD_CODING_TRIPLES) {
            part_triples((uint32_t *)planes, data, count);
            data = planes;
        }
        if (differs) take_differences_32(scratch, data, count);
        split_32(planes, differs ? scratch : data, count);
    } else {
        if (differs) take_differences_64(scratch, data, count);
        split_64(planes, differs ? scratch : data, count);
    }
}

/* ---- decoding ---- */

/* The decoding state of a thread. */
typedef struct decoder {
    ZSTD_DCtx *context;
    unsigned char *planes; /* [MCD_BLOCK_BYTES] */
} decoder;

typedef struct decode_run {
    const mcd_coded *coded;
    unsigned char *out;
    size_t block_count;
    size_t *first; /* [block_count + 1]: where each block is stored */
    unsigned thread_count;
    decoder *decoder;     /* [thread_count], each filled by the first block that it decodes */
    atomic_size_t broken; /* the lowest block that does not decode; block_count: none */
    atomic_bool lacks_memory;
} decode_run;

static void note_broken(decode_run *run, size_t block)
{
    size_t known = atomic_load(&run->broken);
    while (block < known && !atomic_compare_exchange_weak(&run->broken, &known, block)) {
    }
}

static bool begin_decoder(decoder *with, const mcd_coded *coded)
{
    if (with->context) return true;
    if (!with->planes && has_planes(coded->coding, coded->element_size))
        with->planes = mcd_allocate(mcd_size_min(coded->bytes, MCD_BLOCK_BYTES), 1);
    if (with->planes || !has_planes(coded->coding, coded->element_size))
        with->context = ZSTD_createDCtx_advanced(library_memory);
    return with->context;
}

static void decode_block(void *argument, size_t block, unsigned worker)
{
    decode_run *const run = argument;
    const mcd_coded *const coded = run->coded;
    decoder *const with = &run->decoder[worker];
    const size_t bytes = mcd_size_min(coded->bytes - block * MCD_BLOCK_BYTES, MCD_BLOCK_BYTES);
    const bool planes = has_planes(coded->coding, coded->element_size);
    unsigned char *const out = run->out + block * MCD_BLOCK_BYTES;
    if (!begin_decoder(with, coded)) {
        atomic_store(&run->lacks_memory, true);
        return;
    }
    const size_t found =
        ZSTD_decompressDCtx(with->context, planes ? with->planes : out, bytes,
                            coded->data + run->first[block], run->first[block + 1] - run->first[block]);
    if (ZSTD_isError(found) || found != bytes)
        note_broken(run, block);
    else if (planes)
        join(out, with->planes, coded->coding, coded->element_size, bytes / coded->element_size);
}

/* Finds where the blocks are. Returns whether the table and all blocks lie within what is stored. */
static bool find_blocks(decode_run *run)
{
    const mcd_coded *const coded = run->coded;
    const size_t table_bytes = run->block_count * sizeof(uint32_t);
    const unsigned char *const table = coded->data + coded->stored_bytes - table_bytes;
    run->first[0] = 0;
    for (size_t block = 0; block < run->block_count; ++block) {
        uint32_t size;
        memcpy(&size, table + block * sizeof size, sizeof size);
        run->first[block + 1] = run->first[block] + size;
        if (run->first[block + 1] > coded->stored_bytes - table_bytes) return false;
    }
    return true;
}

static void free_run(decode_run *run)
{
    for (unsigned worker = 0; run->decoder && worker < run->thread_count; ++worker) {
        mcd_free(run->decoder[worker].planes);
        ZSTD_freeDCtx(run->decoder[worker].context);
    }
    MCD_FREE_ALL(run->decoder, run->first);
}

static macadam_status fail_blocks(const mcd_coded *coded, macadam_error *error)
{
    return mcd_fail(error, MACADAM_E_FILE,
                    "%s: section '%s' is damaged: its %zu bytes do not hold its blocks", coded->file,
                    coded->name, coded->stored_bytes);
}

macadam_status mcd_coded_decode(const mcd_coded *coded, void *out, const mcd_parallel *parallel,
                                macadam_error *error)
{
    MCD_FREED_BY(free_run)
    decode_run run = {.coded = coded, .out = out, .thread_count = parallel->thread_count};
    run.block_count = coded->bytes / MCD_BLOCK_BYTES + (coded->bytes % MCD_BLOCK_BYTES > 0);
    run.broken = run.block_count;
    if (coded->stored_bytes / sizeof(uint32_t) < run.block_count) return fail_blocks(coded, error);
    MCD_TRY(MCD_NEW(run.first, run.block_count + 1, error));
    if (!find_blocks(&run)) return fail_blocks(coded, error);
    MCD_TRY(MCD_NEW_ZEROED(run.decoder, run.thread_count, error));
    MCD_TRY(mcd_watch_for(NULL, parallel, run.block_count, decode_block, &run, error));
    if (run.lacks_memory) return mcd_fail_memory(error, DECODER_BYTES);
    if (run.broken == run.block_count) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE, "%s: section '%s' is damaged: block %zu does not decode",
                    coded->file, coded->name, (size_t)run.broken);
}

/* ---- encoding ---- */

struct mcd_encoder {
    ZSTD_CCtx *context;
    unsigned char planes[MCD_BLOCK_BYTES], differences[MCD_BLOCK_BYTES];
    unsigned char out[ZSTD_COMPRESSBOUND(MCD_BLOCK_BYTES)];
};

mcd_encoder *mcd_encoder_new(void)
{
    mcd_encoder *const encoder = mcd_allocate(1, sizeof *encoder);
    if (!encoder) return NULL;
    encoder->context = ZSTD_createCCtx_advanced(library_memory);
    if (encoder->context) return encoder;
    mcd_free(encoder);
    return NULL;
}

void mcd_encoder_free(mcd_encoder *encoder)
{
    if (!encoder) return;
    ZSTD_freeCCtx(encoder->context);
    mcd_free(encoder);
}

mcd_encoded mcd_encoder_block(mcd_encoder *encoder, mcd_coding coding, size_t element_size, const void *data,
                              size_t bytes)
{
    const bool planes = has_planes(coding, element_size);
    if (planes)
        split(encoder->planes, encoder->differences, data, coding, element_size, bytes / element_size);
    const size_t found = ZSTD_compressCCtx(encoder->context, encoder->out, sizeof encoder->out,
                                           planes ? encoder->planes : data, bytes, LEVEL);
    return (mcd_encoded){encoder->out, ZSTD_isError(found) ? 0 : found};
}
