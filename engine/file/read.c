/* read.c - see read.h. */
#include "engine/file/read.h"

#include "engine/base/system/pages.h"
#include "engine/base/types.h"
#include "engine/base/watch.h"

#include <libdeflate.h>
#include <zlib.h> /* combines checksums, which libdeflate cannot do */

/* Each task of a checksum takes one part of a section: long enough to take longer than its scheduling (60
 * us), short enough that several threads share a megabyte. */
enum { PART_BYTES = 256 * 1024, PARTS_MAX = 256 };

/* ---- header ---- */

static macadam_status fail_format(const mcd_edge_file *file, uint32_t format, macadam_error *error)
{
    const bool newer = format > MACADAM_FILE_FORMAT;
    return mcd_fail(error, MACADAM_E_FILE,
                    "%s: the header names file format %u, %s than %d, which Macadam %d.%d.%d reads; rebuild "
                    "the file with 'macadam import'%s",
                    file->name, format, newer ? "newer" : "older", MACADAM_FILE_FORMAT, MACADAM_VERSION_MAJOR,
                    MACADAM_VERSION_MINOR, MACADAM_VERSION_PATCH, newer ? " or update Macadam" : "");
}

static macadam_status check_magic(const mcd_edge_file *file, macadam_error *error)
{
    if (file->bytes == 0) return mcd_fail(error, MACADAM_E_FILE, "%s: the file is empty", file->name);
    const size_t magic_bytes = sizeof MCD_FILE_MAGIC - 1;
    if (memcmp(file->data, MCD_FILE_MAGIC, mcd_size_min(file->bytes, magic_bytes)) != 0)
        return mcd_fail(
            error, MACADAM_E_FILE,
            "%s: not an edge file: its header does not begin as one; 'macadam import' builds edge files",
            file->name);
    if (file->bytes < MCD_FILE_HEADER_BYTES)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: the file is truncated: %zu bytes, less than its header's %d", file->name,
                        file->bytes, MCD_FILE_HEADER_BYTES);
    return MACADAM_OK;
}

static macadam_status check_header(const mcd_edge_file *file, const mcd_file_header *header,
                                   macadam_error *error)
{
    if (header->byte_order == __builtin_bswap32(MCD_FILE_BYTE_ORDER))
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: the header is big-endian; rebuild the file with 'macadam import'", file->name);
    if (header->format != MACADAM_FILE_FORMAT) return fail_format(file, header->format, error);
    const uint32_t crc = libdeflate_crc32(0, header, offsetof(mcd_file_header, header_crc32));
    if (crc != header->header_crc32 || header->byte_order != MCD_FILE_BYTE_ORDER)
        return mcd_fail(error, MACADAM_E_FILE, "%s: the header is damaged: its checksum is %08x, not %08x",
                        file->name, crc, header->header_crc32);
    if (file->bytes < header->file_bytes)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: the file is truncated: %zu of the %llu bytes that its header names", file->name,
                        file->bytes, (unsigned long long)header->file_bytes);
    if (file->bytes > header->file_bytes)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: the file has %zu bytes, more than the %llu that its header names", file->name,
                        file->bytes, (unsigned long long)header->file_bytes);
    return MACADAM_OK;
}

/* ---- directory ---- */

static macadam_status read_directory(mcd_edge_file *file, const mcd_file_header *header, macadam_error *error)
{
    const uint64_t offset = header->directory_offset;
    const uint64_t bytes = (uint64_t)header->section_count * sizeof(mcd_file_section);
    if (header->section_count > MCD_SECTIONS_MAX)
        return mcd_fail(error, MACADAM_E_FILE, "%s: the header names %u sections, more than %d", file->name,
                        header->section_count, MCD_SECTIONS_MAX);
    if (offset < MCD_FILE_HEADER_BYTES || offset % MCD_FILE_ALIGNMENT || offset > file->bytes ||
        file->bytes - offset != bytes)
        return mcd_fail(
            error, MACADAM_E_FILE,
            "%s: the header puts a directory of %llu bytes at %llu, which is not the end of %zu bytes",
            file->name, (unsigned long long)bytes, (unsigned long long)offset, file->bytes);
    const uint32_t crc = libdeflate_crc32(0, file->data + offset, bytes);
    if (crc != header->directory_crc32)
        return mcd_fail(error, MACADAM_E_FILE, "%s: the directory is damaged: its checksum is %08x, not %08x",
                        file->name, crc, header->directory_crc32);
    MCD_TRY(MCD_NEW(file->section, header->section_count, error));
    memcpy(file->section, file->data + offset, bytes);
    file->section_count = header->section_count;
    return MACADAM_OK;
}

/* Returns whether the name can be printed: it is not empty, is terminated and holds no control characters. */
static bool is_name(const char *name)
{
    const size_t length = strnlen(name, MCD_SECTION_NAME_BYTES);
    for (size_t i = 0; i < length; ++i)
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f) return false;
    return length > 0 && length < MCD_SECTION_NAME_BYTES;
}

/* Sections come in the order of their offsets, so each is compared only with the end of the previous one. */
static macadam_status check_section(const mcd_edge_file *file, size_t index, uint64_t *end,
                                    uint64_t directory_offset, macadam_error *error)
{
    const mcd_file_section *section = &file->section[index];
    if (!is_name(section->name))
        return mcd_fail(error, MACADAM_E_FILE, "%s: directory: section %zu has no proper name", file->name,
                        index);
    for (size_t i = 0; i < index; ++i)
        if (strcmp(section->name, file->section[i].name) == 0)
            return mcd_fail(error, MACADAM_E_FILE, "%s: directory: two sections are named '%s'", file->name,
                            section->name);
    const uint32_t size = section->element_size;
    if ((size != 1 && size != 2 && size != 4 && size != 8) || section->bytes % size)
        return mcd_fail(error, MACADAM_E_FILE, "%s: directory: section '%s' has %llu bytes in elements of %u",
                        file->name, section->name, (unsigned long long)section->bytes, size);
    const bool coded = section->coding != MCD_CODING_NONE;
    const uint64_t stored = section->stored_bytes;
    if (coded ? section->bytes / MCD_EXPANSION_MAX > stored : section->bytes != stored)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: directory: section '%s' of %llu bytes is stored in %llu, which is %s",
                        file->name, section->name, (unsigned long long)section->bytes,
                        (unsigned long long)stored, coded ? "too few" : "another number");
    if (section->offset % (coded ? MCD_CODED_ALIGNMENT : MCD_FILE_ALIGNMENT) || section->offset < *end ||
        section->offset > directory_offset || stored > directory_offset - section->offset)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: directory: section '%s' of %llu bytes at %llu is not aligned, overlaps what is "
                        "before it, or does not end before %llu",
                        file->name, section->name, (unsigned long long)stored,
                        (unsigned long long)section->offset, (unsigned long long)directory_offset);
    *end = section->offset + stored;
    return MACADAM_OK;
}

/* Returns section_count if there is none. */
static size_t find_entry(const mcd_edge_file *file, const char *name)
{
    size_t index = 0;
    while (index < file->section_count && strcmp(file->section[index].name, name) != 0) ++index;
    return index;
}

/* Finds the checksums of pages, which cover all bytes from the first page to their own section. */
static macadam_status find_pages(mcd_edge_file *file, macadam_error *error)
{
    const size_t index = find_entry(file, MCD_PAGES_NAME);
    if (index == file->section_count || file->trust) return MACADAM_OK;
    const mcd_file_section *const section = &file->section[index];
    const uint64_t covered = section->offset - MCD_FILE_ALIGNMENT;
    if (section->coding != MCD_CODING_NONE || section->element_size != sizeof *file->page_crc32 ||
        section->offset < MCD_FILE_ALIGNMENT ||
        section->bytes != covered / MCD_PAGE_BYTES * sizeof *file->page_crc32)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: directory: section '%s' of %llu bytes at %llu does not "
                        "have a checksum for each page before it",
                        file->name, section->name, (unsigned long long)section->bytes,
                        (unsigned long long)section->offset);
    file->page_count = covered / MCD_PAGE_BYTES;
    file->page_crc32 = (const uint32_t *)(file->data + section->offset);
    return MCD_NEW_ZEROED(file->page_checked, file->page_count, error);
}

/* ---- opening ---- */

static macadam_status ask(uint64_t done, uint64_t total, macadam_error *error)
{
    return mcd_watch_step(NULL, done, total, error);
}

static macadam_status take_source(mcd_edge_file *file, const mcd_file_source *source, macadam_error *error)
{
    file->data = source->open ? source->open->data : source->memory;
    file->bytes = source->open ? source->open->bytes : source->bytes;
    if (!source->path) return MACADAM_OK;
    MCD_TRY(mcd_platform_map(&file->mapping, source->path, source->copies ? ask : NULL, error));
    file->data = file->mapping.data;
    file->is_copied = source->copies;
    file->bytes = file->mapping.bytes;
    return MACADAM_OK;
}

MCD_DEFINE_FREE_AT(close_at, mcd_edge_file, mcd_edge_file_close)

macadam_status mcd_edge_file_open(mcd_edge_file **out, const mcd_file_source *source, bool trust,
                                  const mcd_parallel *parallel, macadam_error *error)
{
    const char *const name = source->open ? source->open->name : source->path ? source->path : "memory";
    MCD_FREED_BY(close_at) mcd_edge_file *file = NULL;
    *out = NULL;
    if ((uintptr_t)source->memory % 64)
        return mcd_fail_invalid(error, "an edge file in memory at %p is not aligned to 64 bytes",
                                source->memory);
    MCD_TRY(MCD_NEW_ZEROED(file, 1, error));
    file->trust = trust;
    file->parallel = *parallel;
    if (!(file->name = mcd_duplicate(name))) return mcd_fail_memory(error, strlen(name) + 1);
    MCD_TRY(take_source(file, source, error));
    mcd_file_header header;
    MCD_TRY(check_magic(file, error));
    memcpy(&header, file->data, sizeof header);
    MCD_TRY(check_header(file, &header, error));
    MCD_TRY(read_directory(file, &header, error));
    uint64_t end = MCD_FILE_HEADER_BYTES;
    for (size_t i = 0; i < file->section_count; ++i)
        MCD_TRY(check_section(file, i, &end, header.directory_offset, error));
    MCD_TRY(MCD_NEW_ZEROED(file->checked, file->section_count, error));
    MCD_TRY(MCD_NEW_ZEROED(file->decoded, file->section_count, error));
    MCD_TRY(find_pages(file, error));
    return MCD_MOVE(*out, file);
}

void mcd_edge_file_close(mcd_edge_file *file)
{
    if (!file) return;
    mcd_platform_unmap(&file->mapping);
    for (size_t i = 0; file->decoded && i < file->section_count; ++i) mcd_free(file->decoded[i]);
    MCD_FREE_ALL(file->decoded, file->name, file->section, file->checked, file->page_checked, file);
}

/* ---- checksums ---- */

typedef struct checksum {
    const unsigned char *data;
    size_t bytes, part_count;
    uint32_t crc[PARTS_MAX];
} checksum;

static void sum_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    checksum *sum = argument;
    const size_t first = mcd_part_first(sum->bytes, part, sum->part_count);
    const size_t last = mcd_part_first(sum->bytes, part + 1, sum->part_count);
    sum->crc[part] = libdeflate_crc32(0, sum->data + first, last - first);
}

static macadam_status check_sum(mcd_edge_file *file, size_t index, macadam_error *error)
{
    const mcd_file_section *section = &file->section[index];
    if (atomic_load_explicit(&file->checked[index], memory_order_acquire)) return MACADAM_OK;
    const unsigned char *const data = file->data + section->offset;
    const size_t bytes = section->stored_bytes;
    checksum sum = {.data = data, .bytes = bytes};
    sum.part_count = mcd_size_min(bytes / PART_BYTES + 1, PARTS_MAX);
    MCD_TRY(mcd_watch_for(NULL, &file->parallel, sum.part_count, sum_part, &sum, error));
    uLong combined = sum.crc[0];
    for (size_t part = 1; part < sum.part_count; ++part) {
        const size_t part_bytes =
            mcd_part_first(bytes, part + 1, sum.part_count) - mcd_part_first(bytes, part, sum.part_count);
        combined = crc32_combine(combined, sum.crc[part], (z_off_t)part_bytes);
    }
    const uint32_t crc = (uint32_t)combined;
    if (crc != section->crc32)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section '%s' is damaged: its checksum is %08x, not %08x",
                        file->name, section->name, crc, section->crc32);
    atomic_store_explicit(&file->checked[index], true, memory_order_release);
    return MACADAM_OK;
}

static macadam_status check_page(mcd_edge_file *file, size_t page, macadam_error *error)
{
    if (atomic_load_explicit(&file->page_checked[page], memory_order_acquire)) return MACADAM_OK;
    const size_t offset = MCD_FILE_ALIGNMENT + page * MCD_PAGE_BYTES;
    const uint32_t crc = libdeflate_crc32(0, file->data + offset, MCD_PAGE_BYTES);
    if (crc != file->page_crc32[page]) {
        size_t index = 0; /* of the last section that begins in the page or before it */
        while (index + 1 < file->section_count && file->section[index + 1].offset < offset + MCD_PAGE_BYTES)
            ++index;
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: section '%s' is damaged: the checksum of the page at %zu is %08x, not %08x",
                        file->name, file->section[index].name, offset, crc, file->page_crc32[page]);
    }
    atomic_store_explicit(&file->page_checked[page], true, memory_order_release);
    return MACADAM_OK;
}

macadam_status mcd_edge_file_touch(mcd_edge_file *file, const void *data, size_t bytes, macadam_error *error)
{
    const size_t offset = (size_t)((uintptr_t)data - (uintptr_t)file->data),
                 end = (offset + bytes + MCD_PAGE_BYTES - 1) / MCD_PAGE_BYTES - 1;
    size_t page = offset / MCD_PAGE_BYTES - 1;
    if (page >= file->page_count || bytes == 0)
        return MACADAM_OK; /* it is of a section that was checked whole */
    for (; page < end; ++page) MCD_TRY(check_page(file, page, error));
    return MACADAM_OK;
}

macadam_status mcd_edge_file_verify(mcd_edge_file *file, macadam_error *error)
{
    for (size_t i = 0; i < file->section_count; ++i) MCD_TRY(check_sum(file, i, error));
    for (size_t page = 0; page < file->page_count; ++page) MCD_TRY(check_page(file, page, error));
    return MACADAM_OK;
}

/* ---- sections ---- */

static macadam_status decode(const mcd_edge_file *file, const mcd_file_section *section, void **out,
                             macadam_error *error)
{
    *out = NULL;
    if (section->coding >= MCD_CODING_COUNT)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: section '%s' has a coding, %u, that Macadam %s does not know", file->name,
                        section->name, section->coding, macadam_version());
    const mcd_coded coded = {.file = file->name,
                             .name = section->name,
                             .data = file->data + section->offset,
                             .stored_bytes = section->stored_bytes,
                             .bytes = section->bytes,
                             .element_size = section->element_size,
                             .coding = (mcd_coding)section->coding};
    MCD_OWNED unsigned char *data = NULL;
    MCD_TRY(MCD_NEW(data, section->bytes, error));
    mcd_pages_prepare(data, section->bytes);
    MCD_TRY(mcd_coded_decode(&coded, data, &file->parallel, error));
    return MCD_MOVE(*out, data);
}

/* Decodes a section unless it is decoded. If several threads do so concurrently, the first result stays. */
static macadam_status decode_once(mcd_edge_file *file, size_t index, const void **out, macadam_error *error)
{
    void *data = atomic_load_explicit(&file->decoded[index], memory_order_acquire), *first = NULL;
    if (!data) {
        MCD_TRY(decode(file, &file->section[index], &data, error));
        if (!atomic_compare_exchange_strong(&file->decoded[index], &first, data)) {
            mcd_free(data);
            data = first;
        }
    }
    *out = data;
    return MACADAM_OK;
}

/* Returns section_count if the chosen profile has none. */
static size_t find_section(const mcd_edge_file *file, const char *name)
{
    char whole[MCD_SECTION_NAME_BYTES];
    return mcd_section_name(whole, file->profile, name) ? find_entry(file, whole) : file->section_count;
}

static macadam_status fail_missing(const mcd_edge_file *file, const char *name, macadam_error *error)
{
    return mcd_fail(error, MACADAM_E_FILE, "%s: there is no section '%s'", file->name, name);
}

/* Finds a section; the checksums of pages, too, are checked before they are used. */
static macadam_status find_array(mcd_edge_file *file, const char *name, size_t element_size, size_t expected,
                                 bool maps, const void **data, size_t *count, macadam_error *error)
{
    *data = NULL;
    if (count) *count = 0;
    const size_t index = find_section(file, name);
    if (index == file->section_count) return fail_missing(file, name, error);
    const mcd_file_section *section = &file->section[index];
    if (section->element_size != element_size)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section '%s' has elements of %u bytes, not %zu",
                        file->name, name, section->element_size, element_size);
    const size_t found = section->bytes / element_size;
    if (expected != MCD_COUNT_ANY && found != expected)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section '%s' has %zu elements, not %zu", file->name, name,
                        found, expected);
    maps = maps && section->coding == MCD_CODING_NONE && section->offset / MCD_PAGE_BYTES <= file->page_count;
    if (!file->trust) MCD_TRY(check_sum(file, maps ? find_entry(file, MCD_PAGES_NAME) : index, error));
    if (section->coding == MCD_CODING_NONE)
        *data = file->data + section->offset;
    else
        MCD_TRY(decode_once(file, index, data, error));
    if (count) *count = found;
    return MACADAM_OK;
}

macadam_status mcd_edge_file_section(mcd_edge_file *file, const char *name, size_t element_size,
                                     size_t expected, const void **data, size_t *count, macadam_error *error)
{
    return find_array(file, name, element_size, expected, false, data, count, error);
}

macadam_status mcd_edge_file_map(mcd_edge_file *file, const char *name, size_t element_size, size_t expected,
                                 const void **data, size_t *count, macadam_error *error)
{
    return find_array(file, name, element_size, expected, true, data, count, error);
}

macadam_status mcd_edge_file_stored(mcd_edge_file *file, const char *name, const mcd_file_section **out,
                                    const void **data, macadam_error *error)
{
    const size_t index = find_entry(file, name);
    if (index == file->section_count) return fail_missing(file, name, error);
    if (!file->trust) MCD_TRY(check_sum(file, index, error));
    *out = &file->section[index];
    *data = file->data + file->section[index].offset;
    return MACADAM_OK;
}

macadam_status mcd_edge_file_decode(mcd_edge_file *file, const char *name, void **out, macadam_error *error)
{
    const size_t index = find_section(file, name);
    *out = NULL;
    if (index == file->section_count) return fail_missing(file, name, error);
    if (!file->trust) MCD_TRY(check_sum(file, index, error));
    return decode(file, &file->section[index], out, error);
}

void mcd_edge_file_forget(mcd_edge_file *file, const char *name)
{
    const size_t index = find_section(file, name);
    if (index < file->section_count) mcd_free(atomic_exchange(&file->decoded[index], NULL));
}

const mcd_file_section *mcd_edge_file_entry(const mcd_edge_file *file, const char *name)
{
    const size_t index = find_section(file, name);
    return index < file->section_count ? &file->section[index] : NULL;
}

bool mcd_edge_file_has(const mcd_edge_file *file, const char *name)
{
    return mcd_edge_file_entry(file, name) != NULL;
}

/* ---- profiles ---- */

size_t mcd_edge_file_profile_count(const mcd_edge_file *file)
{
    char name[MCD_SECTION_NAME_BYTES];
    size_t count = 1;
    while (count < MCD_PROFILES_MAX && mcd_section_name(name, count, "meta") &&
           find_entry(file, name) < file->section_count)
        ++count;
    return count;
}

const char *mcd_edge_file_own_name(const mcd_edge_file *file, const mcd_file_section *section)
{
    const char *const slash = strchr(section->name, '/');
    if (file->profile == 0) return slash || strcmp(section->name, MCD_PAGES_NAME) == 0 ? NULL : section->name;
    char name[MCD_SECTION_NAME_BYTES];
    const bool own =
        slash && mcd_section_name(name, file->profile, slash + 1) && strcmp(name, section->name) == 0;
    return own ? slash + 1 : NULL;
}
