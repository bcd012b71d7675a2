/* files.c - a map answers the same from every file that holds it: saved, ready, mapped, read, in memory, trusted; with
 * other profiles or by itself; from one extract or several; however much memory and however many threads made it. */
#include "tests/metamorphic/metamorphic.h"

#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* Opens the file at `path`, compares the table, and closes it. */
static meta_verdict same_from(const meta_case *c, const char *path, const macadam_engine_options *options,
                              const char *what, char why[META_WHY])
{
    meta_table here, there;
    if (!meta_matrix_of(&here, c, c->engine, why)) return META_FAILS;
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = meta_open(c->map, path, options);
    const bool works = meta_matrix_of(&there, c, engine, why);
    return works ? meta_same(&here, &there, what, why) : META_FAILS;
}

static macadam_engine_options options_of(const meta_case *c)
{
    const macadam_engine_options options = {.size = sizeof options, .profile = c->map->info.profile};
    return options;
}

/* ---- ways to open a file, and to save it ---- */

static meta_verdict every_opening_is_one(const meta_case *c, char why[META_WHY])
{
    macadam_engine_options options = options_of(c);
    size_t bytes;
    macadam_engine *engine;
    macadam_error error;
    meta_table here, there;
    options.device = "cpu", options.threads = 1;
    options.trust_file = c->salt % 2, options.read_file = c->salt / 2 % 2;
    if (c->salt / 4 % 2) return same_from(c, c->map->edge, &options, "a file that is trusted or read", why);
    if (!meta_matrix_of(&here, c, c->engine, why)) return META_FAILS;
    FREED void *const memory = files_read(c->map->edge, &bytes);
    bool works = meta_ok(macadam_engine_open_memory(&engine, memory, bytes, &options, &error), &error,
                         "open_memory", why);
    works = works && meta_matrix_of(&there, c, engine, why);
    macadam_engine_close(engine);
    return works ? meta_same(&here, &there, "a file in memory", why) : META_FAILS;
}

static meta_verdict saved_is_open(const meta_case *c, char why[META_WHY])
{
    char path[META_PATH + 8];
    macadam_engine_options options = options_of(c);
    macadam_error error;
    snprintf(path, sizeof path, "%.1000s.saved", c->map->edge);
    const macadam_status status = c->salt % 2 ? macadam_engine_save(c->engine, path, &error)
                                              : macadam_engine_save_ready(c->engine, path, &error);
    if (!meta_ok(status, &error, "save", why)) return META_FAILS;
    options.read_file = c->salt / 2 % 2;
    return same_from(c, path, &options, c->salt % 2 ? "a saved file" : "a file that was saved ready", why);
}

/* ---- ways to make a file ---- */

/* A compact file has the same bytes, a ready one the same answers. */
static meta_verdict every_import_is_one(const meta_case *c, char why[META_WHY])
{
    char path[META_PATH + 8];
    const char *const source[] = {c->map->source};
    const macadam_engine_options options = options_of(c);
    macadam_import_options import = MACADAM_IMPORT_OPTIONS_INIT;
    macadam_error error;
    size_t bytes, again_bytes;
    if (c->map->is_extreme) return META_SKIPPED;
    snprintf(path, sizeof path, "%.1000s.again", c->map->edge);
    import.output = path;
    import.threads = 1 + c->salt % 2;
    import.memory_limit = c->salt / 2 % 2 << 34;
    import.ready = c->salt / 4 % 2;
    if (!meta_ok(meta_import(c->map, source, 1, 0, c->map->profile_count, &import, &error), &error, "import",
                 why))
        return META_FAILS;
    if (import.ready) return same_from(c, path, &options, "a ready import", why);
    char *const file = files_read(c->map->edge, &bytes), *const again = files_read(path, &again_bytes);
    const bool same = bytes == again_bytes && memcmp(file, again, bytes) == 0;
    free(file), free(again);
    META_REQUIRE(same, "another import on %u threads within %llu bytes made another file", import.threads,
                 (long long)import.memory_limit);
    return META_HOLDS;
}

/* ---- profiles ---- */

static meta_verdict profile_is_alone(const meta_case *c, char why[META_WHY])
{
    char path[META_PATH + 8];
    const char *const source[] = {c->map->source};
    macadam_import_options import = MACADAM_IMPORT_OPTIONS_INIT;
    const macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    macadam_error error;
    if (c->map->is_extreme || c->map->profile_count < 2) return META_SKIPPED;
    snprintf(path, sizeof path, "%.1000s.alone", c->map->edge);
    import.output = path;
    if (!meta_ok(meta_import(c->map, source, 1, c->map->chosen, 1, &import, &error), &error, "import", why))
        return META_FAILS;
    return same_from(c, path, &options, "a file of its own", why);
}

static meta_verdict profile_by_query(const meta_case *c, char why[META_WHY])
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    const macadam_info *const info = &c->map->info;
    macadam_query query = meta_query(c);
    macadam_engine *sibling;
    macadam_error error;
    meta_table here, there, again;
    if (info->profile_count < 2) return META_SKIPPED;
    options.profile = info->profiles[c->salt % info->profile_count];
    macadam_engine *const engine = meta_open(c->map, c->map->edge, &options);
    query.profile = info->profile;
    bool works =
        meta_matrix_of(&here, c, c->engine, why) &&
        meta_matrix(&there, engine, &query, c->source, c->source_count, c->target, c->target_count, why);
    works = works &&
            meta_ok(macadam_engine_of_profile(&sibling, engine, info->profile, &error), &error, "of_profile",
                    why) &&
            meta_matrix_of(&again, c, sibling, why);
    macadam_engine_close(engine);
    if (!works) return META_FAILS;
    if (meta_same(&here, &there, "a query's profile", why) != META_HOLDS) return META_FAILS;
    return meta_same(&here, &again, "a sibling engine", why);
}

/* ---- extracts ---- */

/* Every element goes into one file of two or three, or into several. */
static meta_verdict extracts_are_the_whole(const meta_case *c, char why[META_WHY])
{
    enum { FILES = 3 };
    test_rng rng = {c->salt};
    const meta_drawing *const drawing = &c->map->drawing;
    char path[META_PATH + 8], file[FILES][META_PATH + 16];
    const char *source[FILES];
    macadam_import_options import = MACADAM_IMPORT_OPTIONS_INIT;
    const macadam_engine_options options = options_of(c);
    macadam_error error;
    if (c->map->is_extreme || !drawing->count) return META_SKIPPED;
    const unsigned files = 2 + rng_below(&rng, 2);
    uint8_t *const file_of = meta_memory(drawing->count, 1);
    for (size_t i = 0; i < drawing->count; ++i)
        file_of[i] = (uint8_t)(1 + rng_below(&rng, (1u << files) - 1));
    for (unsigned part = 0; part < files; ++part) {
        snprintf(file[part], sizeof file[part], "%.1000s.%u.osm", c->map->edge, part);
        meta_write_drawing(drawing, file[part], file_of, part);
        source[part] = file[part];
    }
    snprintf(path, sizeof path, "%.1000s.joined", c->map->edge);
    import.output = path;
    if (!meta_ok(meta_import(c->map, source, files, 0, c->map->profile_count, &import, &error), &error,
                 "import", why))
        return META_FAILS;
    return same_from(c, path, &options, "a map of several extracts", why);
}

const meta_relation meta_files[] = {
    {"every_opening_is_one", every_opening_is_one, 12, 3, 12, 12},
    {"saved_is_open", saved_is_open, 6, 1, 12, 12},
    {"every_import_is_one", every_import_is_one, 12, 0, 12, 12},
    {"profile_is_alone", profile_is_alone, 6, 0, 12, 12},
    {"profile_by_query", profile_by_query, 6, 0, 12, 12},
    {"extracts_are_the_whole", extracts_are_the_whole, 8, 0, 12, 12},
    {0},
};
