/* import.c - `macadam import`: an edge file from OpenStreetMap or DIMACS data. */
#include "bindings/cli/command.h"

#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/stat.h>
#endif

/* An import makes and frees arrays all the time. Memory that goes back to the system comes back as pages to
 * be cleared: if it stays, Milan has 17,000 page faults, not 26,000. But it stays in pieces: 25 cities like Milan
 * then take 200 MB more, so that blocks of a large map always go back. */
static void set_allocator(__attribute__((unused)) const char *input)
{
#ifdef __GLIBC__
    enum { LARGE_INPUT = 16 << 20, MAPPED_LEAST = 8 << 20, MAPPED_LEAST_OF_LARGE = 256 << 10 };
    struct stat about;
    const bool is_large = stat(input, &about) == 0 && about.st_size >= LARGE_INPUT;
    mallopt(M_MMAP_THRESHOLD, is_large ? MAPPED_LEAST_OF_LARGE : MAPPED_LEAST);
    if (!is_large) mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

static macadam_import_options import_options(const cli_options *options)
{
    macadam_import_options out = options->import;
    out.output = options->output;
    out.memory_limit = options->engine.memory_limit;
    out.threads = options->engine.threads;
    out.progress = cli_progress;
    out.report = cli_progress_report;
    out.speeds = options->speeds.text, out.speeds_count = options->speeds.count;
    return out;
}

static int import_osm(const cli_options *options)
{
    const macadam_import_options import = import_options(options);
    set_allocator(options->file);
    cli_progress_begin(options);
    return cli_call(macadam_import_osm_files, options->files, options->file_count, options->profiles.text,
                    options->profiles.count, &import);
}

static int import_dimacs(const cli_options *options)
{
    const macadam_import_options import = import_options(options);
    const size_t count = options->weights.count;
    char **const name = cli_allocate(count, sizeof *name);
    const char **const path = cli_allocate(count, sizeof *path);
    for (size_t i = 0; i < count; ++i) {
        const char *const weight = options->weights.text[i], *const equals = strchr(weight, '=');
        if (!equals || equals == weight || !equals[1])
            return cli_fail_usage("--weight %s: not NAME=PATH", weight);
        const size_t length = (size_t)(equals - weight);
        name[i] = cli_allocate(length + 1, 1); /* cleared, so that it ends with a NUL */
        memcpy(name[i], weight, length);
        path[i] = equals + 1;
    }
    const macadam_dimacs_input input = {.size = sizeof input,
                                        .quantity = (const char *const *)name,
                                        .weight = path,
                                        .quantity_count = count,
                                        .coordinates = options->coordinates};
    set_allocator(path[0]);
    cli_progress_begin(options);
    return cli_call(macadam_import_dimacs, &input, &import);
}

int cli_import(const cli_options *options)
{
    if (options->file && options->weights.count)
        return cli_fail_usage("%s: give either an OSM file or --weight, not both", options->file);
    if (options->weights.count) return import_dimacs(options);
    if (options->file) return import_osm(options);
    return cli_fail_usage("import needs an OSM file or --weight NAME=PATH; see macadam import --help");
}
