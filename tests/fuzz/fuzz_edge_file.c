/* fuzz_edge_file.c - a good edge file with some bytes changed, under right checksums: every call on it ends,
 * with an answer or with an error that has a message, and touches only its own memory. Input: edits of five
 * bytes: which section (beyond the last: the directory, the header, a section to hide, two to swap), where in
 * it (two bytes), how, with what. Sections of a grid are edited as they are, decoded; an input whose first
 * byte is 254 edits coded ones, and one whose first byte is 253 edits a town whose turns are restricted, so
 * that junctions are split. An input whose first byte is 255 is itself used as a file. */
#include "tests/attack/attack.h"
#include "tests/attack/map_text.h"
#include "tests/support/checked.h"
#include "tests/support/edge_unpack.h"
#include "tests/support/files.h"
#include "tests/support/small_grid.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argument_count, char ***argument);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EDIT_BYTES = 5 };

typedef struct good_file {
    unsigned char *data;
    size_t bytes;
} good_file;

static good_file unpacked, coded, town; /* the first two are of the same grid */
static unsigned char *good, *image;     /* the data of one of them, and a copy of it */
static size_t image_bytes;

/* For tests/attack/ask.c, as attack_worked(). */
void attack_require(bool holds, const char *claim)
{
    if (holds) return;
    fprintf(stderr, "fuzz_edge_file: %s\n", claim);
    abort();
}

bool attack_worked(macadam_status status, macadam_error *error)
{
    attack_require((status == MACADAM_OK) == (error->message[0] == '\0'),
                   "a failure without a message, or the reverse");
    attack_require(!strchr(error->message, '\n'), "a message of two lines");
    error->message[0] = '\0';
    return status == MACADAM_OK;
}

static macadam_import_options options_of(const char *path)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path, options.threads = 1, options.ready = true;
    return options;
}

static void import_grid(const char *path)
{
    macadam_error error = {.message = ""};
    const macadam_import_options options = options_of(path);
    attack_require(small_grid_import(7, 1, NULL, &options, &error) == MACADAM_OK, error.message);
}

static void import_town(const char *path)
{
    char map[64];
    snprintf(map, sizeof map, "%s.osm", path);
    files_write(map, map_text_town, strlen(map_text_town));
    const macadam_import_options options = options_of(path);
    macadam_error error = {.message = ""};
    attack_require(macadam_import_osm(map, "car", &options, &error) == MACADAM_OK, error.message);
    unlink(map);
}

static good_file read_good(const char *path)
{
    good_file file;
    file.data = files_read(path, &file.bytes);
    return file;
}

static good_file unpack(good_file file)
{
    file.data = edge_unpack(file.data, file.bytes, &file.bytes);
    attack_require(file.data, "the good file is not good");
    return file;
}

int LLVMFuzzerInitialize(int *argument_count, char ***argument)
{
    (void)argument_count;
    (void)argument;
    char path[] = "/tmp/macadam-fuzz-XXXXXX";
    const int descriptor = mkstemp(path);
    attack_require(descriptor >= 0, "no temporary file");
    close(descriptor);
    import_grid(path);
    coded = read_good(path);
    import_town(path);
    const good_file packed = read_good(path);
    town = unpack(packed);
    free(packed.data);
    unlink(path);
    unpacked = unpack(coded);
    size_t bytes = coded.bytes > unpacked.bytes ? coded.bytes : unpacked.bytes;
    if (town.bytes > bytes) bytes = town.bytes;
    image = aligned_alloc(64, (bytes + 63) / 64 * 64);
    attack_require(image, "no memory");
    return 0;
}

/* ---- edits ---- */

static void change(unsigned char *bytes, size_t count, size_t where, unsigned how, unsigned char value)
{
    if (count == 0) return;
    uint32_t word;
    unsigned char *at = bytes + where % count;
    if (how % 4 > 0) at -= (size_t)(at - bytes) % sizeof word;
    if (how % 4 == 0 || at + sizeof word > bytes + count) {
        *at = value;
        return;
    }
    memcpy(&word, at, sizeof word);
    word = how % 4 == 1 ? value : how % 4 == 2 ? UINT32_MAX - value : word + value - 128;
    memcpy(at, &word, sizeof word);
}

/* Gives two sections each other's name, or, of one, a name that no reader knows. */
static void rename_sections(size_t a, size_t b)
{
    mcd_file_section *const section = edge_directory(good);
    mcd_file_section *const to = (mcd_file_section *)(image + edge_header(good)->directory_offset);
    memcpy(to[a].name, section[b].name, sizeof to->name);
    memcpy(to[b].name, section[a].name, sizeof to->name);
    if (a == b) to[a].name[0] = '-';
}

/* The good directory says where sections are, even if the image's own directory is damaged. */
static void edit(const uint8_t *data)
{
    const mcd_file_section *section = edge_directory(good);
    const size_t count = edge_header(good)->section_count, chosen = data[0] % (count + 4);
    const size_t where = data[1] | (size_t)data[2] << 8;
    if (chosen > count + 1) {
        rename_sections(where % count, chosen == count + 2 ? where % count : data[3] % count);
        return;
    }
    if (chosen < count)
        change(image + section[chosen].offset, section[chosen].stored_bytes, where, data[3], data[4]);
    else if (chosen == count)
        change((unsigned char *)image + edge_header(good)->directory_offset, count * sizeof *section, where,
               data[3], data[4]);
    else
        change(image, MCD_FILE_HEADER_BYTES, where, data[3], data[4]);
}

static void seal(void)
{
    mcd_file_section *section = edge_directory(good);
    mcd_file_section *sealed = (mcd_file_section *)(image + edge_header(good)->directory_offset);
    const size_t count = edge_header(good)->section_count;
    for (size_t i = 0; i < count; ++i)
        sealed[i].crc32 = (uint32_t)crc32_z(0, image + section[i].offset, section[i].stored_bytes);
    if (edge_header(image)->section_count == count && sealed == edge_directory(image))
        edge_seal_pages(image, section);
    edge_header(image)->directory_crc32 = (uint32_t)crc32_z(0, (const Bytef *)sealed, count * sizeof *sealed);
    edge_seal_header(image);
}

/* ---- use ---- */

static void use(const void *file, size_t bytes)
{
    test_rng rng = {1};
    macadam_error error = {.message = ""};
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    macadam_engine *engine;
    if (!attack_worked(macadam_engine_open_memory(&engine, file, bytes, &options, &error), &error)) return;
    attack_ask(engine, &rng, false);
    attack_worked(macadam_engine_verify(engine, &error), &error);
    macadam_engine_close(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 255) {
        void *file = checked_memory(aligned_alloc(64, (size + 63) / 64 * 64), size, 1);
        memcpy(file, data + 1, size - 1);
        use(file, size - 1);
        free(file);
        return 0;
    }
    const uint8_t first = size > 0 ? data[0] : 0;
    const good_file *const source = first == 254 ? &coded : first == 253 ? &town : &unpacked;
    good = source->data;
    image_bytes = source->bytes;
    data += first >= 253, size -= first >= 253;
    memcpy(image, good, image_bytes);
    for (; size >= EDIT_BYTES; data += EDIT_BYTES, size -= EDIT_BYTES) edit(data);
    seal();
    use(image, image_bytes);
    return 0;
}
