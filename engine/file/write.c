/* write.c - see write.h.
 *
 * Sections are written in the order in which they come. If threads are allowed, the writer has its own thread
 * for this, so that the caller makes the next sections without waiting for the disk. The bytes are the same
 * without it.
 * Races: none: the fields of an entry that a thread writes are not read before it is done with the section;
 * everything else is under the lock. Blocks of a section are encoded on all threads. */
#include "engine/file/write.h"
#include "engine/file/check_rule.h"

#include "engine/base/grow.h"
#include "engine/base/system/system.h"

#include <libdeflate.h>

enum {
    BUFFER_BYTES = 1 << 21,  /* per write, which waits for the disk: 92 MB in 64 ms; in 69 ms with half as
                             * many */
    PART_BYTES = 1 << 17,    /* of a section, which its checksum leaves in the cache */
    WAITING_BYTES = 1 << 26, /* of given arrays: a caller that gives more waits */
    ENCODERS_MAX = 16        /* blocks that are encoded concurrently */
};

/* Where a section's bytes come from. */
typedef struct section_source {
    const void *data;
    bool given;
    mcd_coding coding; /* by which they are to be encoded */
    bool stored;       /* they are stored like this already: a copy from another file */
} section_source;

struct mcd_edge_writer {
    mcd_output output;
    mcd_edge_file *compared; /* NULL: sections are written */
    bool is_part;            /* to `kept`, not to a file */
    unsigned char *kept;     /* [kept_capacity] the bytes so far, but for the buffered ones */
    size_t kept_capacity;
    const mcd_parallel *parallel;
    mcd_watch *watch;       /* may be NULL */
    atomic_bool is_dropped; /* nothing that is not written yet will be */
    bool is_ready;          /* the profile is */
    bool is_any_ready;
    size_t profile; /* of which sections are written */
    bool ended;     /* a call failed, or the file is finished: nothing can follow */
    mcd_file_section section[MCD_SECTIONS_MAX];
    section_source source[MCD_SECTIONS_MAX];
    uint64_t bytes; /* of the file so far, including buffered bytes */
    bool has_pages; /* no checksum of a page follows */
    uint32_t *page; /* [bytes / MCD_PAGE_BYTES - 1] the checksum of each page so far */
    size_t page_capacity;
    uint32_t page_crc32; /* of the page that is not complete */
    size_t buffered;     /* bytes that are not written yet */
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock; /* for the members below */
    pthread_cond_t changed;
    size_t section_count, written_count; /* the first written_count are done */
    size_t waiting_bytes;                /* of the given arrays among the others */
    bool closing;                        /* no section follows */
    macadam_status status;               /* of the writes: nothing is written after a failure */
    macadam_error failure;
    mcd_encoder *encoder[ENCODERS_MAX]; /* NULL until a section is coded */
    unsigned char *buffer;              /* [BUFFER_BYTES], in `memory` */
    unsigned char memory[BUFFER_BYTES + MCD_DIRECT_BYTES];
};

/* Remembers a failure, so that a file with a hole is never put in place. */
static macadam_status noted(mcd_edge_writer *writer, macadam_status status)
{
    if (status) writer->ended = true;
    return status;
}

static macadam_status fail_use(mcd_edge_writer *writer, macadam_error *error, const char *name,
                               const char *why)
{
    return noted(writer, mcd_fail_invalid(error, "cannot write section '%s': %s", name, why));
}

/* ---- bytes ---- */

static macadam_status flush(mcd_edge_writer *writer, macadam_error *error)
{
    const uint64_t offset = writer->bytes - writer->buffered;
    if (writer->is_part) {
        MCD_TRY(MCD_GROW(writer->kept, writer->kept_capacity, writer->bytes, error));
        memcpy(writer->kept + offset, writer->buffer, writer->buffered);
    } else {
        MCD_TRY(mcd_platform_write(&writer->output, writer->buffer, writer->buffered, offset, error));
    }
    writer->buffered = 0;
    return MACADAM_OK;
}

/* Adds bytes, which come next in the file, to the checksums of its pages. */
static macadam_status sum_pages(mcd_edge_writer *writer, const unsigned char *data, size_t bytes,
                                macadam_error *error)
{
    for (uint64_t at = writer->bytes; bytes > 0 && !writer->is_part && !writer->has_pages;) {
        const size_t part = mcd_size_min(bytes, MCD_PAGE_BYTES - at % MCD_PAGE_BYTES);
        writer->page_crc32 = libdeflate_crc32(writer->page_crc32, data, part);
        at += part, data += part, bytes -= part;
        if (at % MCD_PAGE_BYTES) break;
        if (at > MCD_FILE_ALIGNMENT) {
            const size_t page = at / MCD_PAGE_BYTES - 2;
            MCD_TRY(MCD_GROW(writer->page, writer->page_capacity, page + 1, error));
            writer->page[page] = writer->page_crc32;
        }
        writer->page_crc32 = 0;
    }
    return MACADAM_OK;
}

static macadam_status put(mcd_edge_writer *writer, const void *data, size_t bytes, macadam_error *error)
{
    const unsigned char *next = data;
    while (bytes > 0) {
        const size_t part = mcd_size_min(bytes, BUFFER_BYTES - writer->buffered);
        MCD_TRY(sum_pages(writer, next, part, error));
        memcpy(writer->buffer + writer->buffered, next, part);
        writer->buffered += part;
        writer->bytes += part;
        if (writer->buffered == BUFFER_BYTES) MCD_TRY(flush(writer, error));
        next += part;
        bytes -= part;
    }
    return MACADAM_OK;
}

static macadam_status put_padding(mcd_edge_writer *writer, size_t alignment, macadam_error *error)
{
    static const unsigned char zeros[MCD_FILE_ALIGNMENT];
    return put(writer, zeros, (alignment - writer->bytes % alignment) % alignment, error);
}

/* ---- writing ---- */

/* Puts bytes of a section, which its checksum counts. Called often enough to check for cancellation here. */
static macadam_status put_stored(mcd_edge_writer *writer, mcd_file_section *section, const void *data,
                                 size_t bytes, macadam_error *error)
{
    if (!writer->has_thread)
        MCD_TRY(mcd_watch_step(writer->watch, section->stored_bytes, section->bytes, error));
    if (atomic_load_explicit(&writer->is_dropped, memory_order_relaxed)) return MACADAM_E_CANCELLED;
    section->crc32 = libdeflate_crc32(section->crc32, data, bytes);
    section->stored_bytes += bytes;
    return put(writer, data, bytes, error);
}

/* Some blocks of a section, each with an encoder of its own. */
typedef struct encode_run {
    const mcd_edge_writer *writer;
    const mcd_file_section *section;
    const unsigned char *data; /* of the section */
    size_t first_block;
    mcd_encoded encoded[ENCODERS_MAX];
} encode_run;

static void encode_block(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    encode_run *const run = argument;
    const mcd_file_section *const section = run->section;
    const uint64_t at = (run->first_block + index) * MCD_BLOCK_BYTES;
    run->encoded[index] =
        mcd_encoder_block(run->writer->encoder[index], (mcd_coding)section->coding, section->element_size,
                          run->data + at, mcd_size_min(section->bytes - at, MCD_BLOCK_BYTES));
}

/* Makes encoders for up to `count` concurrent blocks. Returns how many there are, or 0 without memory. */
static size_t make_encoders(mcd_edge_writer *writer, size_t count)
{
    count = mcd_size_min(mcd_size_min(count, writer->parallel->thread_count), ENCODERS_MAX);
    for (size_t i = 0; i < count; ++i) {
        if (!writer->encoder[i]) writer->encoder[i] = mcd_encoder_new();
        if (!writer->encoder[i]) return i;
    }
    return count;
}

static macadam_status put_blocks(mcd_edge_writer *writer, mcd_file_section *section, uint32_t *table,
                                 const unsigned char *data, macadam_error *error)
{
    const size_t block_count = (section->bytes + MCD_BLOCK_BYTES - 1) / MCD_BLOCK_BYTES,
                 at_once = make_encoders(writer, block_count);
    encode_run run = {.writer = writer, .section = section, .data = data};
    if (at_once == 0) return mcd_fail_memory(error, MCD_ENCODER_BYTES);
    for (; run.first_block < block_count; run.first_block += at_once) {
        const size_t count = mcd_size_min(at_once, block_count - run.first_block);
        mcd_parallel_for(writer->parallel, count, encode_block, &run);
        for (size_t i = 0; i < count; ++i) {
            if (run.encoded[i].bytes == 0) return mcd_fail_memory(error, MCD_ENCODER_BYTES);
            MCD_TRY(put_stored(writer, section, run.encoded[i].data, run.encoded[i].bytes, error));
            *table++ = (uint32_t)run.encoded[i].bytes;
        }
    }
    return MACADAM_OK;
}

static macadam_status encode_section(mcd_edge_writer *writer, size_t index, macadam_error *error)
{
    static const unsigned char zeros[PART_BYTES];
    mcd_file_section *const section = &writer->section[index];
    const size_t table_bytes = (section->bytes + MCD_BLOCK_BYTES - 1) / MCD_BLOCK_BYTES * sizeof(uint32_t);
    MCD_OWNED uint32_t *table = NULL;
    section->coding = writer->source[index].coding;
    MCD_TRY(MCD_NEW(table, table_bytes / sizeof *table, error));
    MCD_TRY(put_blocks(writer, section, table, writer->source[index].data, error));
    while (section->stored_bytes + table_bytes < section->bytes / MCD_EXPANSION_MAX)
        MCD_TRY(
            put_stored(writer, section, zeros,
                       mcd_size_min(section->bytes / MCD_EXPANSION_MAX - section->stored_bytes - table_bytes,
                                    sizeof zeros),
                       error));
    return put_stored(writer, section, table, table_bytes, error);
}

static macadam_status write_section(mcd_edge_writer *writer, size_t index, macadam_error *error)
{
    mcd_file_section *const section = &writer->section[index];
    const section_source *const source = &writer->source[index];
    const unsigned char *const data = source->data;
    const bool coded = source->coding != MCD_CODING_NONE || section->coding != MCD_CODING_NONE;
    MCD_TRY(put_padding(writer, coded ? MCD_CODED_ALIGNMENT : MCD_FILE_ALIGNMENT, error));
    section->offset = writer->bytes;
    if (source->coding != MCD_CODING_NONE) return encode_section(writer, index, error);
    const uint64_t bytes = source->stored ? section->stored_bytes : section->bytes;
    section->stored_bytes = section->crc32 = 0;
    for (uint64_t at = 0; at < bytes; at += PART_BYTES)
        MCD_TRY(put_stored(writer, section, data + at, mcd_size_min(bytes - at, PART_BYTES), error));
    return MACADAM_OK;
}

/* Writes the next section, or drops it. Called under the lock, which it releases meanwhile. */
static void do_next(mcd_edge_writer *writer)
{
    macadam_error error;
    macadam_status status = writer->status;
    const size_t index = writer->written_count;
    const section_source *const source = &writer->source[index];
    pthread_mutex_unlock(&writer->lock);
    if (!status) status = write_section(writer, index, &error);
    if (source->given) mcd_free((void *)source->data);
    pthread_mutex_lock(&writer->lock);
    if (status && !writer->status) writer->status = status, writer->failure = error;
    if (source->given) writer->waiting_bytes -= writer->section[index].bytes;
    ++writer->written_count;
    pthread_cond_broadcast(&writer->changed);
}

static void *run_thread(void *argument)
{
    mcd_edge_writer *const writer = argument;
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (writer->written_count == writer->section_count && !writer->closing)
            pthread_cond_wait(&writer->changed, &writer->lock);
        if (writer->written_count == writer->section_count) break;
        do_next(writer);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* Under the lock: waits until everything is written, except for at most `waiting_bytes_max` bytes of given
 * arrays. Returns MACADAM_OK or E_CANCELLED. */
static macadam_status wait_until(mcd_edge_writer *writer, size_t waiting_bytes_max, macadam_error *error)
{
    while (writer->written_count < writer->section_count &&
           (waiting_bytes_max == 0 || writer->waiting_bytes > waiting_bytes_max))
        if (writer->has_thread) {
            /* Waits for the writer's thread, and then asks the watch. */
            mcd_system_condition_wait(&writer->changed, &writer->lock, MCD_POOL_ASK_MS);
            const size_t written = writer->written_count, count = writer->section_count;
            pthread_mutex_unlock(&writer->lock);
            const macadam_status status = mcd_watch_step(writer->watch, written, count, error);
            pthread_mutex_lock(&writer->lock);
            MCD_TRY(noted(writer, status));
        } else {
            do_next(writer);
        }
    return MACADAM_OK;
}

/* Under the lock: reports a failure to write, once. */
static macadam_status tell_failure(mcd_edge_writer *writer, macadam_error *error)
{
    if (!writer->status || writer->ended) return MACADAM_OK;
    if (error) *error = writer->failure;
    return noted(writer, writer->status);
}

/* ---- sections ---- */

static macadam_status new_writer(mcd_edge_writer **out, const mcd_parallel *parallel, macadam_error *error)
{
    *out = NULL;
    mcd_edge_writer *writer;
    MCD_TRY(MCD_NEW(writer, 1, error));
    memset(writer, 0, offsetof(mcd_edge_writer, memory));
    writer->buffer = writer->memory + (MCD_DIRECT_BYTES - (uintptr_t)writer->memory % MCD_DIRECT_BYTES);
    pthread_mutex_init(&writer->lock, NULL);
    mcd_system_condition_init(&writer->changed);
    writer->parallel = parallel;
    *out = writer;
    return MACADAM_OK;
}

static void start_thread(mcd_edge_writer *writer)
{
    if (writer->parallel->thread_count > 1 && !writer->parallel->executor)
        writer->has_thread = mcd_platform_start_thread(&writer->thread, run_thread, writer);
}

MCD_DEFINE_FREE_AT(free_at, mcd_edge_writer, mcd_edge_writer_free)

macadam_status mcd_edge_writer_new(mcd_edge_writer **out, const char *path, const mcd_parallel *parallel,
                                   macadam_error *error)
{
    static const mcd_file_header no_header; /* mcd_edge_writer_finish writes the real one */
    MCD_FREED_BY(free_at) mcd_edge_writer *writer = NULL;
    *out = NULL;
    MCD_TRY(new_writer(&writer, parallel, error));
    MCD_TRY(mcd_platform_create(&writer->output, path, error));
    MCD_TRY(put(writer, &no_header, sizeof no_header, error));
    start_thread(writer);
    return MCD_MOVE(*out, writer);
}

macadam_status mcd_edge_writer_new_part(mcd_edge_writer **out, const mcd_parallel *parallel,
                                        macadam_error *error)
{
    MCD_TRY(new_writer(out, parallel, error));
    (*out)->is_part = true;
    start_thread(*out);
    return MACADAM_OK;
}

void mcd_edge_writer_make_ready(mcd_edge_writer *writer, bool ready)
{
    writer->is_ready = ready;
    writer->is_any_ready |= ready;
}

void mcd_edge_writer_choose_profile(mcd_edge_writer *writer, size_t profile)
{
    writer->profile = profile;
}

void mcd_edge_writer_watch(mcd_edge_writer *writer, mcd_watch *watch)
{
    writer->watch = watch;
}

/* ---- comparing ---- */

typedef struct comparison {
    const char *found, *expected;
    size_t element_size;
} comparison;

static bool is_equal(const comparison *run, size_t first, size_t last)
{
    const size_t size = run->element_size;
    return memcmp(run->found + first * size, run->expected + first * size, (last - first) * size) == 0;
}

static size_t find_difference(const void *run, size_t first, size_t last)
{
    if (is_equal(run, first, last)) return last;
    while (is_equal(run, first, first + 1)) ++first;
    return first;
}

static uint64_t element_at(const char *data, size_t index, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, data + index * size, size); /* little-endian, like the host */
    return value;
}

static macadam_status compare_section(mcd_edge_writer *writer, const char *name, size_t element_size,
                                      const void *expected, size_t count, macadam_error *error)
{
    const void *found;
    MCD_TRY(mcd_edge_file_section(writer->compared, name, element_size, count, &found, NULL, error));
    const mcd_check check = {writer->compared->name, writer->parallel, error};
    const size_t i =
        mcd_check_scan(check, find_difference, &(comparison){found, expected, element_size}, count);
    if (i == count) return mcd_check_done(check);
    return mcd_fail(error, MACADAM_E_FILE,
                    "%s: section '%s': element %zu is %llu, but what it follows from makes it %llu",
                    writer->compared->name, name, i, (unsigned long long)element_at(found, i, element_size),
                    (unsigned long long)element_at(expected, i, element_size));
}

macadam_status mcd_edge_writer_new_comparison(mcd_edge_writer **out, mcd_edge_file *file,
                                              const mcd_parallel *parallel, macadam_error *error)
{
    MCD_TRY(new_writer(out, parallel, error));
    (*out)->compared = file;
    return MACADAM_OK;
}

/* ---- sections ---- */

/* Fills in the entry of the next section, of a profile. */
static macadam_status begin_section(mcd_edge_writer *writer, size_t profile, const char *name,
                                    size_t element_size, macadam_error *error)
{
    if (writer->ended) return fail_use(writer, error, name, "the writer has failed or finished");
    if (writer->section_count == MCD_SECTIONS_MAX) return fail_use(writer, error, name, "there are too many");
    if (element_size != 1 && element_size != 2 && element_size != 4 && element_size != 8)
        return fail_use(writer, error, name, "its elements are not of 1, 2, 4 or 8 bytes");
    mcd_file_section *const section = &writer->section[writer->section_count];
    if (!*name || !mcd_section_name(section->name, profile, name))
        return fail_use(writer, error, name, "the name's length");
    for (size_t i = 0; i < writer->section_count; ++i)
        if (strcmp(writer->section[i].name, section->name) == 0)
            return fail_use(writer, error, name, "it is there already");
    section->element_size = (uint32_t)element_size;
    return MACADAM_OK;
}

/* Queues the section whose entry is filled in. */
static macadam_status queue_section(mcd_edge_writer *writer, section_source source, size_t bytes,
                                    macadam_error *error)
{
    MCD_HOLD(&writer->lock);
    if (bytes == 0) source.coding = MCD_CODING_NONE;
    writer->source[writer->section_count] = source;
    writer->section[writer->section_count++].bytes = bytes;
    if (source.given) writer->waiting_bytes += bytes;
    pthread_cond_broadcast(&writer->changed);
    MCD_TRY(wait_until(writer, writer->has_thread ? WAITING_BYTES : 0, error));
    return tell_failure(writer, error);
}

static macadam_status hand_over(mcd_edge_writer *writer, const char *name, size_t element_size,
                                section_source source, size_t count, macadam_error *error)
{
    MCD_OWNED void *given = source.given ? (void *)source.data : NULL;
    if (writer->compared) return compare_section(writer, name, element_size, source.data, count, error);
    MCD_TRY(begin_section(writer, writer->profile, name, element_size, error));
    given = NULL; /* the queue frees it */
    return queue_section(writer, source, count * element_size, error);
}

macadam_status mcd_edge_writer_section(mcd_edge_writer *writer, const char *name, size_t element_size,
                                       const void *data, size_t count, bool gives, macadam_error *error)
{
    const section_source source = {.data = data, .given = gives};
    return hand_over(writer, name, element_size, source, count, error);
}

macadam_status mcd_edge_writer_arrays(mcd_edge_writer *writer, const mcd_section_array *array,
                                      size_t array_count, bool gives, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    for (size_t i = 0; i < array_count; ++i) {
        const section_source source = {.data = array[i].data,
                                       .given = gives,
                                       .coding = writer->is_ready ? MCD_CODING_NONE : array[i].coding};
        if (!array[i].data || (status && !gives)) continue;
        const macadam_status taken = hand_over(writer, array[i].name, array[i].element_size, source,
                                               array[i].count, status ? NULL : error);
        if (!status) status = taken;
    }
    return status;
}

macadam_status mcd_edge_writer_wait(mcd_edge_writer *writer, macadam_error *error)
{
    MCD_HOLD(&writer->lock);
    MCD_TRY(wait_until(writer, 0, error));
    return tell_failure(writer, error);
}

/* Copies a section, given as it is stored. */
static macadam_status copy_section(mcd_edge_writer *writer, const mcd_file_section *section, const void *data,
                                   macadam_error *error)
{
    const section_source source = {.data = data, .stored = true};
    mcd_file_section *const copy = &writer->section[writer->section_count];
    MCD_TRY(begin_section(writer, 0, section->name, section->element_size, error)); /* the name is whole */
    copy->coding = section->coding, copy->stored_bytes = section->stored_bytes;
    return queue_section(writer, source, section->bytes, error);
}

macadam_status mcd_edge_writer_copy(mcd_edge_writer *writer, mcd_edge_file *file, const char *name,
                                    macadam_error *error)
{
    const mcd_file_section *section;
    const void *data;
    if (strcmp(name, MCD_PAGES_NAME) == 0) return MACADAM_OK; /* the copy has other pages */
    MCD_TRY(noted(writer, mcd_edge_file_stored(file, name, &section, &data, error)));
    return copy_section(writer, section, data, error);
}

macadam_status mcd_edge_writer_append(mcd_edge_writer *writer, mcd_edge_writer *part, macadam_error *error)
{
    MCD_TRY(mcd_edge_writer_wait(part, error));
    MCD_TRY(noted(part, flush(part, error)));
    for (size_t i = 0; i < part->section_count; ++i)
        MCD_TRY(copy_section(writer, &part->section[i], part->kept + part->section[i].offset, error));
    return mcd_edge_writer_wait(writer, error);
}

/* ---- the end ---- */

/* Writes the checksums of all pages so far, if the file is ready: those of a file that is not are never used. */
static macadam_status write_pages(mcd_edge_writer *writer, macadam_error *error)
{
    if (!writer->is_any_ready || writer->bytes <= MCD_FILE_ALIGNMENT) return MACADAM_OK;
    MCD_TRY(put_padding(writer, MCD_FILE_ALIGNMENT, error));
    const section_source source = {.data = writer->page, .given = true};
    const size_t count = writer->bytes / MCD_PAGE_BYTES - 1;
    MCD_TRY(begin_section(writer, 0, MCD_PAGES_NAME, sizeof *writer->page, error));
    writer->has_pages = true, writer->page = NULL;
    MCD_TRY(queue_section(writer, source, count * sizeof *writer->page, error));
    return mcd_edge_writer_wait(writer, error);
}

/* The header comes last: without it the file is not an edge file. */
static macadam_status write_ends(mcd_edge_writer *writer, macadam_error *error)
{
    mcd_file_header header = {.format = MACADAM_FILE_FORMAT, .byte_order = MCD_FILE_BYTE_ORDER};
    memcpy(header.magic, MCD_FILE_MAGIC, sizeof header.magic);
    const size_t bytes = writer->section_count * sizeof writer->section[0];
    MCD_TRY(put_padding(writer, MCD_FILE_ALIGNMENT, error));
    header.directory_offset = writer->bytes;
    header.section_count = (uint32_t)writer->section_count;
    header.directory_crc32 = libdeflate_crc32(0, writer->section, bytes);
    MCD_TRY(put(writer, writer->section, bytes, error));
    header.file_bytes = writer->bytes;
    MCD_TRY(flush(writer, error));
    header.header_crc32 = libdeflate_crc32(0, &header, offsetof(mcd_file_header, header_crc32));
    return mcd_platform_write(&writer->output, &header, sizeof header, 0, error);
}

macadam_status mcd_edge_writer_finish(mcd_edge_writer *writer, macadam_error *error)
{
    MCD_TRY(mcd_edge_writer_wait(writer, error));
    if (writer->ended) return fail_use(writer, error, "directory", "the writer has failed or finished");
    MCD_TRY(noted(writer, write_pages(writer, error)));
    MCD_TRY(noted(writer, write_ends(writer, error)));
    writer->ended = true;
    return mcd_platform_commit(&writer->output, error);
}

void mcd_edge_writer_stop(mcd_edge_writer *writer)
{
    atomic_store(&writer->is_dropped, true);
    pthread_mutex_lock(&writer->lock);
    if (!writer->status) writer->status = MACADAM_E_CANCELLED; /* data that is not yet written is dropped */
    writer->closing = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    if (writer->has_thread) pthread_join(writer->thread, NULL);
    writer->has_thread = false;
    writer->ended = true;
}

void mcd_edge_writer_free(mcd_edge_writer *writer)
{
    if (!writer) return;
    mcd_edge_writer_stop(writer);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    mcd_platform_discard(&writer->output);
    for (size_t i = 0; i < ENCODERS_MAX; ++i) mcd_encoder_free(writer->encoder[i]);
    MCD_FREE_ALL(writer->kept, writer->page, writer);
}
