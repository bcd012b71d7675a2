/* checkpoint.c - see checkpoint.h. */
#include "importers/base/checkpoint.h"
#include "engine/base/grow.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    STEP_BYTES = 1 << 20, /* of an input, between two questions whether to go on */
    NAME_BYTES = 32,      /* of ".resume-PROFILE-STAGE" */
    LINE_BYTES = 4096
};

static const char made_from[] = "made_from";
static const char *const stage_name[] = {"roads", "map", "order"};
static const char *const stage_text[] = {"the roads were read", "the map was made", "the nodes were ordered"};

/* ---- what they are made from ---- */

macadam_status mcd_checkpoints_add(mcd_checkpoints *all, macadam_error *error, const char *format, ...)
{
    va_list values;
    if (!all->options) return MACADAM_OK;
    MCD_TRY(MCD_GROW(all->made_from, all->capacity, all->made_from_bytes + LINE_BYTES + 1, error));
    char *const line = all->made_from + all->made_from_bytes;
    va_start(values, format);
    const size_t length = (size_t)vsnprintf(line, LINE_BYTES, format, values);
    va_end(values);
    all->made_from_bytes += mcd_size_min(length, LINE_BYTES - 1) + 1;
    all->made_from[all->made_from_bytes - 1] = '\n';
    return MACADAM_OK;
}

macadam_status mcd_checkpoints_sum(const mcd_checkpoints *all, mcd_file_sum *file, const char *path,
                                   macadam_error *error)
{
    const mcd_progress progress = {all->options->progress, all->options->context};
    mcd_watch watch = mcd_watch_of(&progress, "comparing inputs");
    MCD_FREED_BY(mcd_platform_unmap) mcd_mapping mapping = {0};
    uint32_t crc32 = 0;
    MCD_TRY(mcd_platform_map(&mapping, path, NULL, error));
    for (size_t at = 0; at < mapping.bytes; at += STEP_BYTES) {
        const size_t bytes = mcd_size_min(mapping.bytes - at, STEP_BYTES);
        MCD_TRY(mcd_watch_step(&watch, at, mapping.bytes, error));
        crc32 = libdeflate_crc32(crc32, (const char *)mapping.data + at, bytes);
        mcd_platform_forget(&mapping, at, at + bytes);
    }
    file->bytes += mapping.bytes;
    file->crc32 += crc32;
    ++file->count;
    return MACADAM_OK;
}

macadam_status mcd_checkpoints_add_file(mcd_checkpoints *all, const char *role, const char *path,
                                        macadam_error *error)
{
    mcd_file_sum file = {0};
    if (!all->options || !path) return MACADAM_OK;
    if (strcmp(path, "-") == 0)
        return mcd_fail_invalid(error, "standard input cannot be read again to resume an import");
    MCD_TRY(mcd_checkpoints_sum(all, &file, path, error));
    const char *const slash = strrchr(path, '/');
    return mcd_checkpoints_add(all, error, "%s %s: %llu bytes, checksum %llx", role, slash ? slash + 1 : path,
                               (unsigned long long)file.bytes, (unsigned long long)file.crc32);
}

static int length_of_line(const char *text, size_t bytes)
{
    const char *const end = memchr(text, '\n', bytes);
    return (int)(end ? (size_t)(end - text) : bytes);
}

static macadam_status compare(mcd_checkpoint *at, macadam_error *error)
{
    const mcd_checkpoints *const all = at->all;
    const void *data;
    size_t bytes, line = 0;
    MCD_TRY(mcd_edge_file_section(at->file, made_from, 1, MCD_COUNT_ANY, &data, &bytes, error));
    const char *const was = data;
    for (size_t i = 0; i < bytes && i < all->made_from_bytes && was[i] == all->made_from[i]; ++i)
        if (was[i] == '\n') line = i + 1;
    if (line == bytes && line == all->made_from_bytes) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE, "%s: it is of \"%.*s\", not of \"%.*s\"", at->path,
                    length_of_line(was + line, bytes - line), was + line,
                    length_of_line(all->made_from + line, all->made_from_bytes - line),
                    all->made_from + line);
}

__attribute__((format(printf, 2, 3))) static void report(const mcd_checkpoints *all, const char *format, ...)
{
    char line[sizeof((macadam_error *)0)->message + 64];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (all->options->report) all->options->report(all->options->context, line);
}

/* ---- files ---- */

static macadam_status name_file(char **path, const mcd_checkpoints *all, mcd_import_stage stage,
                                size_t profile, macadam_error *error)
{
    const size_t bytes = strlen(all->options->output) + NAME_BYTES;
    MCD_TRY(MCD_NEW(*path, bytes, error));
    snprintf(*path, bytes, "%s.resume-%zu-%s", all->options->output, profile, stage_name[stage]);
    return MACADAM_OK;
}

static void remove_file(const mcd_checkpoints *all, mcd_import_stage stage, size_t profile)
{
    MCD_OWNED char *path = NULL;
    if (name_file(&path, all, stage, profile, NULL) == MACADAM_OK) remove(path);
}

void mcd_checkpoints_remove(mcd_checkpoints *all)
{
    for (size_t i = 0; all->options && i < (size_t)MCD_PROFILES_MAX * MCD_IMPORT_STAGES; ++i)
        remove_file(all, (mcd_import_stage)(i % MCD_IMPORT_STAGES), i / MCD_IMPORT_STAGES);
}

bool mcd_checkpoints_restart(mcd_checkpoints *all, macadam_status status, macadam_error *error)
{
    if (!status || !all->is_damaged) return false;
    report(all, "starting over: %s", error ? error->message : "a checkpoint is damaged");
    all->is_damaged = false;
    mcd_recover(error);
    return true;
}

MCD_DEFINE_FREE(mcd_checkpoints_free, mcd_checkpoints, it->made_from)

static macadam_status begin(mcd_checkpoint *out, mcd_checkpoints *all, mcd_import_stage stage, size_t profile,
                            const mcd_parallel *parallel, const mcd_progress *progress, macadam_error *error)
{
    *out = (mcd_checkpoint){.all = all, .stage = stage, .profile = profile, .parallel = *parallel};
    if (progress) out->progress = *progress;
    if (!all->options) return MACADAM_OK;
    if (all->made_from_bytes == 0) return mcd_fail_invalid(error, "checkpoints are made from nothing");
    return name_file(&out->path, all, stage, profile, error);
}

/* Opens the file, and closes it again unless it fits. */
static macadam_status open_file(mcd_checkpoint *at, macadam_error *error)
{
    const mcd_file_source source = {.path = at->path};
    macadam_status status = mcd_edge_file_open(&at->file, &source, false, &at->parallel, error);
    if (status == MACADAM_OK) status = compare(at, error);
    if (status == MACADAM_OK) return MACADAM_OK;
    mcd_edge_file_close(at->file);
    at->file = NULL;
    return status;
}

macadam_status mcd_checkpoint_open(mcd_checkpoint *out, mcd_checkpoints *all, mcd_import_stage stage,
                                   size_t profile, const mcd_parallel *parallel, const mcd_progress *progress,
                                   macadam_error *error)
{
    macadam_error why = {""};
    MCD_TRY(begin(out, all, stage, profile, parallel, progress, error));
    if (!out->path || !mcd_platform_is_same(out->path, out->path)) return MACADAM_OK; /* it is not there */
    out->watch = mcd_watch_of(&out->progress, "reading a checkpoint");
    const macadam_status status = open_file(out, &why);
    if (status == MACADAM_OK) report(all, "continuing after %s: %s", stage_text[stage], out->path);
    if (status == MACADAM_E_FILE) report(all, "checkpoint not used: %s", why.message);
    if (status == MACADAM_OK || status == MACADAM_E_FILE) return MACADAM_OK;
    if (!mcd_platform_is_same(out->path, out->path)) return MACADAM_OK; /* another import has removed it */
    if (error) *error = why;
    return status;
}

macadam_status mcd_checkpoint_create(mcd_checkpoint *out, mcd_checkpoints *all, mcd_import_stage stage,
                                     size_t profile, const mcd_parallel *parallel,
                                     const mcd_progress *progress, macadam_error *error)
{
    MCD_TRY(begin(out, all, stage, profile, parallel, progress, error));
    if (!out->path) return MACADAM_OK;
    out->watch = mcd_watch_of(&out->progress, "writing a checkpoint");
    MCD_TRY(mcd_edge_writer_new(&out->writer, out->path, &out->parallel, error));
    mcd_edge_writer_watch(out->writer, &out->watch);
    return mcd_edge_writer_section(out->writer, made_from, 1, all->made_from, all->made_from_bytes, false,
                                   error);
}

macadam_status mcd_checkpoint_finish(mcd_checkpoint *at, macadam_error *error)
{
    if (!at->writer) return MACADAM_OK;
    MCD_TRY(mcd_edge_writer_finish(at->writer, error));
    if (at->stage == MCD_IMPORT_STAGE_MAP) remove_file(at->all, MCD_IMPORT_STAGE_ROADS, at->profile);
    return MACADAM_OK;
}

void mcd_checkpoint_close(mcd_checkpoint *at)
{
    mcd_edge_writer_free(at->writer);
    mcd_edge_file_close(at->file);
    mcd_free(at->path);
    *at = (mcd_checkpoint){0};
}

/* ---- contents ---- */

/* A damaged checkpoint is removed. If it cannot be, the import fails, as another start would find it again. */
static macadam_status noted(mcd_checkpoint *at, macadam_status status)
{
    if (status != MACADAM_E_FILE) return status;
    at->all->is_damaged = remove(at->path) == 0 || errno == ENOENT;
    return status;
}

macadam_status mcd_checkpoint_value(mcd_checkpoint *at, const char *name, void *value, size_t bytes,
                                    macadam_error *error)
{
    const void *found;
    if (at->writer) {
        MCD_TRY(mcd_edge_writer_section(at->writer, name, 1, value, bytes, false, error));
        return mcd_edge_writer_wait(at->writer, error);
    }
    MCD_TRY(noted(at, mcd_edge_file_section(at->file, name, 1, bytes, &found, NULL, error)));
    memcpy(value, found, bytes);
    return MACADAM_OK;
}

static macadam_status read_array(mcd_checkpoint *at, const mcd_map_array *array, macadam_error *error)
{
    const mcd_file_section *const section = mcd_edge_file_entry(at->file, array->name);
    MCD_OWNED void *data = NULL;
    if (!section) return MACADAM_OK;
    if (section->bytes != array->count * array->element_size)
        return noted(at, mcd_fail(error, MACADAM_E_FILE, "%s: section '%s' has %llu bytes, not %llu of %zu",
                                  at->path, array->name, (unsigned long long)section->bytes,
                                  (unsigned long long)array->count, array->element_size));
    if (section->bytes) MCD_TRY(noted(at, mcd_edge_file_decode(at->file, array->name, &data, error)));
    if (!section->bytes && !(data = mcd_allocate(0, 1))) return mcd_fail_memory(error, 1);
    memcpy(array->slot, &data, sizeof data);
    data = NULL; /* it is the slot's */
    return MACADAM_OK;
}

/* Returns the array as a section. Whatever it holds, neighbours in a map are alike. */
static mcd_section_array section_of(const mcd_map_array *array)
{
    const bool is_number = array->element_size == 4 || array->element_size == 8;
    mcd_section_array section = {.element_size = is_number ? array->element_size : 1,
                                 .coding = is_number ? MCD_CODING_DIFFERENCES : MCD_CODING_BYTES};
    section.count = array->count * array->element_size / section.element_size;
    snprintf(section.name, sizeof section.name, "%s", array->name);
    memcpy(&section.data, array->slot, sizeof section.data);
    return section;
}

macadam_status mcd_checkpoint_array(mcd_checkpoint *at, mcd_map_array array, mcd_spill *spill,
                                    macadam_error *error)
{
    size_t bytes;
    if (at->file) return read_array(at, &array, error);
    const bool waits = mcd_spill_has(spill, array.slot, &bytes);
    if (waits) MCD_TRY(mcd_spill_get(spill, array.slot, &at->watch, error));
    if (waits) array.count = bytes / array.element_size;
    const mcd_section_array section = section_of(&array);
    MCD_TRY(mcd_edge_writer_arrays(at->writer, &section, 1, false, error));
    MCD_TRY(mcd_edge_writer_wait(at->writer, error));
    return waits ? mcd_spill_put(spill, array.slot, bytes, &at->watch, error) : MACADAM_OK;
}

/* The map's members but for arrays, texts and the spill file. */
static mcd_map values_of(const mcd_map *map)
{
    const void *const none = NULL;
    mcd_map values = *map;
    mcd_map_array array;
    for (size_t i = 0; mcd_map_array_at(&values, i, &array); ++i) memcpy(array.slot, &none, sizeof none);
    values.source = values.profile = values.build = NULL;
    values.spill = NULL;
    values.week_capacity = values.holiday_capacity = values.guard_capacity = values.week_count;
    return values;
}

macadam_status mcd_checkpoint_map(mcd_checkpoint *at, mcd_map *map, macadam_error *error)
{
    mcd_map values = values_of(map);
    MCD_TRY(mcd_checkpoint_value(at, "map", &values, sizeof values, error));
    if (at->file) *map = values;
    mcd_map_array array;
    for (size_t i = 0; mcd_map_array_at(map, i, &array); ++i)
        MCD_TRY(mcd_checkpoint_array(at, array, map->spill, error));
    return MACADAM_OK;
}

macadam_status mcd_checkpoint_check_map(mcd_checkpoint *at, const mcd_map *map, macadam_error *error)
{
    macadam_error why = {""};
    const macadam_status status = mcd_map_check(map, &at->watch, &why);
    if (status == MACADAM_E_INVALID)
        return noted(at, mcd_fail(error, MACADAM_E_FILE, "%s: %s", at->path, why.message));
    if (status && error) *error = why;
    return status;
}

macadam_status mcd_checkpoint_check_order(mcd_checkpoint *at, const mcd_node *order, size_t count,
                                          macadam_error *error)
{
    MCD_OWNED uint8_t *is_there = NULL;
    MCD_TRY(MCD_NEW_ZEROED(is_there, count, error));
    for (size_t rank = 0; rank < count; ++rank)
        if (!order || order[rank] >= count || is_there[order[rank]]++)
            return noted(at, mcd_fail(error, MACADAM_E_FILE, "%s: rank %zu of %zu has no node of its own",
                                      at->path, rank, count));
    return MACADAM_OK;
}
