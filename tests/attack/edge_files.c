/* edge_files.c - edge files whose sections are changed, under right checksums: the library's own reader and
 * writer take them apart and put them together, so that this holds for every format of the file. */
#include "tests/attack/attack.h"
#include "tests/attack/map_text.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/small_grid.h"

#include "engine/file/write.h"

#include <string.h>
#include <unistd.h>

enum { FILES = 5, TOWNS = 2 /* of them */, EDITS_MAX = 3 };

/* A section on its way from one file to the other. */
typedef struct section {
    char name[MCD_SECTION_NAME_BYTES];
    size_t element_size, count, capacity;
    unsigned char *data;
} section;

static const mcd_parallel one_thread = {1, NULL};
static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static section *all[FILES];
static size_t section_count[FILES];

/* ---- the good files ---- */

static void read_sections(size_t index)
{
    macadam_error error = {""};
    mcd_edge_file *file;
    attack_require(mcd_edge_file_open(&file, &(mcd_file_source){.path = path}, false, &one_thread, &error) ==
                       MACADAM_OK,
                   error.message);
    section_count[index] =
        file->section_count - (file->page_count > 0); /* the writer makes the checksums of pages */
    all[index] = checked_zeroed(section_count[index], sizeof *all[index]);
    for (size_t i = 0; i < section_count[index]; ++i) {
        const mcd_file_section *const entry = &file->section[i];
        section *const to = &all[index][i];
        const void *data;
        memcpy(to->name, entry->name, sizeof to->name);
        to->element_size = entry->element_size;
        const macadam_status status =
            mcd_edge_file_section(file, to->name, to->element_size, MCD_COUNT_ANY, &data, &to->count, &error);
        attack_require(status == MACADAM_OK, error.message);
        to->capacity = to->count + 1;
        to->data = checked_zeroed(to->capacity, to->element_size);
        memcpy(to->data, data, to->count * to->element_size);
    }
    mcd_edge_file_close(file);
}

static macadam_status import_grid(const char *to, unsigned threads, bool ready, bool no_hierarchy,
                                  macadam_error *error)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = to, options.threads = threads, options.ready = ready,
    options.no_hierarchy = no_hierarchy;
    return small_grid_import(7, 0, NULL, &options, error);
}

int attack_import_arrays(const char *to, bool ready)
{
    enum { BAD_FILE = 3, RESOURCE = 4 };
    macadam_error error = {""};
    const macadam_status status = import_grid(to, 2, ready, false, &error);
    if (status) fprintf(stderr, "attack: %s\n", error.message);
    return status == MACADAM_OK ? 0 : status == MACADAM_E_MEMORY ? RESOURCE : BAD_FILE;
}

static void begin_grid(bool ready, bool no_hierarchy)
{
    macadam_error error = {""};
    attack_require(import_grid(path, 1, ready, no_hierarchy, &error) == MACADAM_OK, error.message);
}

/* Saves the file after an update, so that it has changed arcs. */
static void update_town(void)
{
    macadam_engine *engine;
    macadam_error error = {""};
    const uint64_t arc[] = {2, 5, 7};
    const uint32_t weight[] = {1000, MACADAM_WEIGHT_CLOSED, 5}, *const value[] = {weight};
    const char *const quantity[] = {"duration"};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = 3;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    const int64_t tail[] = {4}, via[] = {5}, head[] = {6};
    const uint32_t cost[] = {70000}, *const price[] = {cost};
    request.turn_tail = tail, request.turn_via = via, request.turn_head = head, request.turn_count = 1;
    request.turn_price = price;
    attack_require(macadam_engine_open(&engine, path, NULL, &error) == MACADAM_OK, error.message);
    attack_require(macadam_update(engine, &request, &error) == MACADAM_OK, error.message);
    attack_require(macadam_engine_save(engine, path, &error) == MACADAM_OK, error.message);
    macadam_engine_close(engine);
}

/* A town whose turns are restricted, so that junctions are split, by car and on foot. */
static void import_town(bool ready)
{
    char map[FILES_PATH_BYTES + 16];
    snprintf(map, sizeof map, "%s/town.osm", folder);
    files_write(map, map_text_town, strlen(map_text_town));
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path, options.threads = 1, options.ready = ready;
    macadam_error error = {""};
    const char *const town = map;
    static const char *const profile[] = {"car", "foot"};
    attack_require(macadam_import_osm_files(&town, 1, profile, 2, &options, &error) == MACADAM_OK,
                   error.message);
    update_town();
}

static void begin(const char *new_folder)
{
    snprintf(folder, sizeof folder, "%s", new_folder);
    snprintf(path, sizeof path, "%s/map.mcd", folder);
    for (size_t i = 0; i < FILES; ++i) {
        if (i < TOWNS)
            import_town(i == 1);
        else
            begin_grid(i == 3, i == 4);
        read_sections(i);
    }
}

/* ---- edits ---- */

static uint64_t element(const section *of, size_t index)
{
    uint64_t value = 0;
    memcpy(&value, of->data + index * of->element_size, of->element_size);
    return value;
}

static void set_element(section *of, size_t index, uint64_t value)
{
    memcpy(of->data + index * of->element_size, &value, of->element_size);
}

/* Values that are likely to matter: neighbours, limits, what other elements are. */
static uint64_t draw_value(test_rng *rng, const section *of, uint64_t before)
{
    switch (rng_below(rng, 8)) {
    case 0:
        return before + 1;
    case 1:
        return before - 1;
    case 2:
        return 0;
    case 3:
        return UINT64_MAX;
    case 4:
        return UINT64_C(0x7fffffff) - rng_below(rng, 3);
    case 5:
        return before ^ UINT64_C(1) << rng_below(rng, (uint32_t)(8 * of->element_size));
    case 6:
        return rng_below(rng, 300);
    default:
        return element(of, rng_below(rng, (uint32_t)of->count));
    }
}

static void edit(test_rng *rng, section *of)
{
    if (of->count == 0 || attack_chance(rng, 40)) {
        if (of->count + 1 < of->capacity || attack_chance(rng, 2)) of->count = of->count ? of->count - 1 : 0;
        return;
    }
    const size_t index = rng_below(rng, (uint32_t)of->count), other = rng_below(rng, (uint32_t)of->count);
    const uint64_t before = element(of, index);
    if (attack_chance(rng, 40) && of->count < of->capacity) {
        set_element(of, of->count++, before);
    } else if (attack_chance(rng, 6)) {
        set_element(of, index, element(of, other));
        set_element(of, other, before);
    } else {
        set_element(of, index, draw_value(rng, of, before));
    }
}

static void swap_names(section *a, section *b)
{
    char name[MCD_SECTION_NAME_BYTES];
    memcpy(name, a->name, sizeof name);
    memmove(a->name, b->name, sizeof name);
    memcpy(b->name, name, sizeof name);
}

/* Returns whether the writer takes such a file. */
static bool write_sections(const section *from, size_t count, bool ready)
{
    macadam_error error = {""};
    mcd_edge_writer *writer;
    attack_require(mcd_edge_writer_new(&writer, path, &one_thread, &error) == MACADAM_OK, error.message);
    mcd_edge_writer_make_ready(writer, ready);
    macadam_status status = MACADAM_OK;
    for (size_t i = 0; i < count && !status; ++i)
        if (from[i].element_size > 0)
            status = mcd_edge_writer_section(writer, from[i].name, from[i].element_size, from[i].data,
                                             from[i].count, false, &error);
    if (!status) status = mcd_edge_writer_finish(writer, &error);
    mcd_edge_writer_free(writer);
    return attack_worked(status, &error);
}

/* Bytes that no writer writes: damaged header, directory, checksums, or what is between sections. */
static void damage(test_rng *rng)
{
    size_t bytes;
    unsigned char *const file = files_read(path, &bytes);
    for (uint32_t i = 1 + rng_below(rng, 3); i > 0; --i) {
        const size_t at = attack_chance(rng, 2) ? rng_below(rng, 64) : rng_below(rng, (uint32_t)bytes);
        file[at] = (unsigned char)rng_next(rng);
    }
    files_write(path, file, attack_chance(rng, 3) ? rng_below(rng, (uint32_t)bytes) : bytes);
    free(file);
}

static void trial(test_rng *rng)
{
    const size_t chosen = rng_below(rng, FILES), count = section_count[chosen];
    section *const copy = checked_zeroed(count, sizeof *copy);
    for (size_t i = 0; i < count; ++i) {
        copy[i] = all[chosen][i];
        copy[i].data = checked_allocate(copy[i].capacity, copy[i].element_size);
        memcpy(copy[i].data, all[chosen][i].data, copy[i].count * copy[i].element_size);
    }
    for (uint32_t i = rng_below(rng, EDITS_MAX + 1); i > 0; --i)
        edit(rng, &copy[rng_below(rng, (uint32_t)count)]);
    while (attack_chance(rng, 4)) copy[rng_below(rng, (uint32_t)count)].element_size = 0; /* left out */
    if (attack_chance(rng, 8))
        swap_names(&copy[rng_below(rng, (uint32_t)count)], &copy[rng_below(rng, (uint32_t)count)]);
    const bool is_written = write_sections(copy, count, attack_chance(rng, 2));
    for (size_t i = 0; i < count; ++i) free(copy[i].data);
    free(copy);
    if (!is_written) return;
    if (attack_chance(rng, 20)) damage(rng);
    attack_open(path, chosen < TOWNS && attack_chance(rng, 50) ? "foot" : NULL, rng);
    unlink(path);
}

const attack attack_edge_files = {"edge-files", begin, trial, false};
